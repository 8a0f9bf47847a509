/** Sessions of the console: signed in once with the token, the browser sends a cookie. */
import { createHash, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

const SESSION_MS = 12 * 60 * 60 * 1000
/** Maximum number of sessions; the oldest gives way. */
const MAX_SESSIONS = 100
const READING: readonly (string | undefined)[] = ['GET', 'HEAD']

const digest = (id: string) => createHash('sha256').update(id).digest('base64')

/** When each ends, by the digest of its random id. */
export class Sessions {
  readonly #ends = new Map<string, number>()

  begin(now: number): string {
    const id = randomBytes(32).toString('base64url')
    for (const [other, end] of this.#ends)
      if (end <= now || this.#ends.size >= MAX_SESSIONS) this.#ends.delete(other)
    this.#ends.set(digest(id), now + SESSION_MS)
    return id
  }

  has(id: string, now: number): boolean {
    return (this.#ends.get(digest(id)) ?? 0) > now
  }

  end(id: string): void {
    this.#ends.delete(digest(id))
  }
}

/** Browsers keep cookies by host and not by port, so each port has its own name. */
const cookieOf = ({ headers }: FastifyRequest) =>
  `commerce_emulator_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`

const idIn = (request: FastifyRequest): string =>
  parseCookie(request.headers.cookie ?? '')[cookieOf(request)] ?? ''

/**
 * Pages of other ports send the cookies too. Where browsers leave Sec-Fetch-Site out, a request
 * that changes something names its Origin.
 */
function isOwnPage({ headers, method }: FastifyRequest): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  if (site === undefined) return READING.includes(method) || origin !== undefined
  return site === 'same-origin' || (site === 'none' && READING.includes(method))
}

/** The guard has refused other origins by then. */
export const isSignedIn = (request: FastifyRequest, sessions: Sessions): boolean =>
  isOwnPage(request) && sessions.has(idIn(request), request.arrival.reading.request.now)

const cookie = (request: FastifyRequest, id: string, seconds: number): string =>
  stringifySetCookie(cookieOf(request), id, {
    path: '/',
    maxAge: seconds,
    httpOnly: true,
    sameSite: 'strict'
  })

/** Begins a session, and returns its cookie. */
export const signIn = (request: FastifyRequest, sessions: Sessions): string =>
  cookie(request, sessions.begin(request.arrival.reading.request.now), SESSION_MS / 1000)

/** Returns the cookie that replaces its own. */
export function signOut(request: FastifyRequest, sessions: Sessions): string {
  sessions.end(idIn(request))
  return cookie(request, '', 0)
}
