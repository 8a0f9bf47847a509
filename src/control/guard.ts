/** Protects the control API from web pages and from callers without the token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { shortened } from '../core/nearest.js'
import { HEALTH } from '../core/paths.js'
import type { Settings } from '../core/settings.js'
import { isOfOtherOrigin, isOfOtherSite } from '../server/pages.js'
import { REFUSALS } from './sentences.js'

type Guard = { settings: Settings; sessions: Sessions }

/** Headers of every response. */
export const CONTROL_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin'
} as const

/** Errors: `host_not_allowed`, `origin_not_allowed`, `token_required`, `not_ready`. */
export function guardControl(request: FastifyRequest, { settings, sessions }: Guard): void {
  const { control_token: token, control_hosts: hosts } = settings
  const { headers, raw, routeOptions, arrival } = request
  const { host, origin, authorization } = headers
  const isHealth = routeOptions.url === HEALTH
  if (!isHealth && host !== undefined && (hasSeveralHosts(raw) || !isSafeHost(host, hosts))) {
    throw REFUSALS.hostNotAllowed(nameIn(host) ?? shortened(host))
  }
  if (isOfOtherSite(request) && !opensPage(request)) throw REFUSALS.otherSite()
  if (isOfOtherOrigin(request)) throw REFUSALS.otherOrigin(String(origin), String(host))
  const isOpen = isHealth || routeOptions.config?.row?.open === true
  if (
    token !== null &&
    !isOpen &&
    !isSame(authorization ?? '', `Bearer ${token}`) &&
    !isSignedIn(request, sessions)
  )
    throw REFUSALS.tokenRequired()
  if (!isHealth) arrival.sandbox.requireLoaded()
}

/** Whether a link was followed; its site cannot see the page. */
const opensPage = ({ headers, routeOptions: { config } }: FastifyRequest) =>
  config?.row?.page === true &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document'

/** An IPv6 address in brackets or an ASCII name, perhaps with a port. */
const HOST = /^(?:\[([\da-f:.]+)\]|([\w-]+(?:\.[\w-]+)*))(?::\d{0,5})?$/i

/** In lower case, without port and brackets. */
function nameIn(host: string): string | undefined {
  const [, address, name] = HOST.exec(host) ?? []
  if (address !== undefined && isIP(address) !== 6) return undefined
  return (address ?? name)?.toLowerCase()
}

/** The framework keeps the first of several. */
const hasSeveralHosts = ({ rawHeaders }: FastifyRequest['raw']) =>
  rawHeaders.filter((text, place) => place % 2 === 0 && text.toLowerCase() === 'host').length > 1

/** An address, or a name that public DNS cannot point at this machine. */
function isSafeHost(host: string, allowed: readonly string[]): boolean {
  const name = nameIn(host)
  if (name === undefined) return false
  const isLocal =
    !name.includes('.') || name.endsWith('.localhost') || name === 'host.docker.internal'
  return isIP(name) !== 0 || isLocal || allowed.some(allowedHost => nameIn(allowedHost) === name)
}

/** Compares in constant time. */
export const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()

const SESSION_MS = 12 * 60 * 60 * 1000
/** The oldest session gives way. */
const MAX_SESSIONS = 100
const READING: readonly (string | undefined)[] = ['GET', 'HEAD']

/** The end of each session by its random id. */
export class Sessions {
  readonly #ends = new Map<string, number>()

  begin(now: number): string {
    const id = randomBytes(32).toString('base64url')
    for (const [oldId, end] of this.#ends)
      if (end <= now || this.#ends.size >= MAX_SESSIONS) this.#ends.delete(oldId)
    this.#ends.set(id, now + SESSION_MS)
    return id
  }

  has(id: string, now: number): boolean {
    return (this.#ends.get(id) ?? 0) > now
  }

  end(id: string): void {
    this.#ends.delete(id)
  }
}

/** Browsers share cookies between ports, so each port has its own name. */
const cookieName = ({ headers }: FastifyRequest) =>
  `commerce_emulator_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`

const idIn = (request: FastifyRequest): string =>
  parseCookie(request.headers.cookie ?? '')[cookieName(request)] ?? ''

/**
 * Pages of other ports send the cookies too. Without Sec-Fetch-Site, browsers name the Origin of a
 * request that changes something.
 */
function isOwnPage({ headers, method }: FastifyRequest): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  if (site === undefined) return READING.includes(method) || origin !== undefined
  return site === 'same-origin' || (site === 'none' && READING.includes(method))
}

/** After the guard has refused other origins. */
export const isSignedIn = (request: FastifyRequest, sessions: Sessions): boolean =>
  isOwnPage(request) && sessions.has(idIn(request), request.arrival.reading.now)

const cookie = (request: FastifyRequest, id: string, seconds: number): string =>
  stringifySetCookie(cookieName(request), id, {
    path: '/',
    maxAge: seconds,
    httpOnly: true,
    sameSite: 'strict'
  })

/** Begins a session, and returns its cookie. */
export const signIn = (request: FastifyRequest, sessions: Sessions): string =>
  cookie(request, sessions.begin(request.arrival.reading.now), SESSION_MS / 1000)

/** Returns the cookie that replaces its own. */
export function signOut(request: FastifyRequest, sessions: Sessions): string {
  sessions.end(idIn(request))
  return cookie(request, '', 0)
}
