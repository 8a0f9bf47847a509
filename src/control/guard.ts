/** Protects the control API from web pages and from callers without the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { HEALTH } from '../core/paths.js'
import { isOfOtherOrigin, isOfOtherSite } from '../server/pages.js'
import { REFUSALS } from './sentences.js'

/** `isSignedIn`: whether a request has the cookie of a session. */
type Guard = {
  token: string | null
  hosts: readonly string[]
  isSignedIn: (request: FastifyRequest) => boolean
}

/** Headers of every response. */
export const CONTROL_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin'
} as const

const MAX_SHOWN = 100

/** Errors: `host_not_allowed`, `origin_not_allowed`, `token_required`, `not_ready`. */
export function guardControl(request: FastifyRequest, { token, hosts, isSignedIn }: Guard): void {
  const { headers, raw, routeOptions, arrival } = request
  const { host, origin, authorization } = headers
  const isHealth = routeOptions.url === HEALTH
  if (!isHealth && host !== undefined && (hasSeveralHosts(raw) || !isSafeHost(host, hosts))) {
    throw REFUSALS.hostNotAllowed(nameIn(host) ?? host.slice(0, MAX_SHOWN))
  }
  if (isOfOtherSite(request) && !opensPage(request)) throw REFUSALS.otherSite()
  if (isOfOtherOrigin(request)) throw REFUSALS.otherOrigin(String(origin), String(host))
  const isOpen = isHealth || routeOptions.config?.row?.open === true
  if (
    token !== null &&
    !isOpen &&
    !isSame(authorization ?? '', `Bearer ${token}`) &&
    !isSignedIn(request)
  )
    throw REFUSALS.tokenRequired()
  if (!isHealth) arrival.sandbox.requireLoaded()
}

/** Whether a link was followed: the site that it is on sees nothing of the page. */
const opensPage = ({ headers, routeOptions: { config } }: FastifyRequest) =>
  config?.row?.page === true &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document'

/** An IPv6 address in brackets or an ASCII name, perhaps with a port; nothing encoded, no zone. */
const HOST = /^(?:\[([\da-f:.]+)\]|([\w-]+(?:\.[\w-]+)*))(?::\d{0,5})?$/i

/** Lower case, without port and brackets; undefined for what is not a host. */
function nameIn(host: string): string | undefined {
  const [, address, name] = HOST.exec(host) ?? []
  if (address !== undefined && isIP(address) !== 6) return undefined
  return (address ?? name)?.toLowerCase()
}

/** The framework keeps the first of several. */
const hasSeveralHosts = ({ rawHeaders }: FastifyRequest['raw']) =>
  rawHeaders.filter((text, place) => place % 2 === 0 && text.toLowerCase() === 'host').length > 1

/** An address, or a name that no public DNS server can point at this machine. */
function isSafeHost(host: string, allowed: readonly string[]): boolean {
  const name = nameIn(host)
  if (name === undefined) return false
  const isLocal =
    !name.includes('.') || name.endsWith('.localhost') || name === 'host.docker.internal'
  return isIP(name) !== 0 || isLocal || allowed.some(other => nameIn(other) === name)
}

/** Compares in constant time. */
export const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()

/** How much later each wrong token is refused than the one before, and at most. */
const STEP_MS = 50
const MAX_MS = 1000
/** Of more, a refusal goes out at once, so that wrong tokens cannot pile up. */
const MAX_WAITING = 100

/** Waits after a wrong token, at most until the emulator stops. */
export function wrongTokens(closing: AbortSignal): () => Promise<void> {
  let wrong = 0
  let waiting = 0
  return async () => {
    wrong++
    if (waiting >= MAX_WAITING) return
    waiting++
    await wait(Math.min(wrong * STEP_MS, MAX_MS), undefined, { signal: closing }).catch(() => {})
    waiting--
  }
}
