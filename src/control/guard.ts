/** Protects the control API from web pages: DNS rebinding, other origins and sites, and callers without the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { isOfOtherOrigin, isOfOtherSite } from '../server/pages.js'

/** Needs no token. */
export const HEALTH = '/_control/health'

/** `isSignedIn`: whether a request has the cookie of a session. */
export type Guard = { token: string | null; hosts: readonly string[]; isSignedIn: (request: FastifyRequest) => boolean }

/** Of every answer: no cache keeps it, no browser guesses another type, and no page of another origin embeds or frames it. */
export const CONTROL_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin'
} as const

const LONGEST_SHOWN = 100

/**
 * Refuses a control call that is not allowed, and every call but health before the start scenario is loaded.
 * Errors: `host_not_allowed` and `origin_not_allowed` (403), `token_required` (401), `not_ready` (503).
 */
export function guardControl(request: FastifyRequest, { token, hosts, isSignedIn }: Guard): void {
  const { headers, raw, routeOptions, arrival } = request
  const { host, origin, authorization } = headers
  const isHealth = routeOptions.url === HEALTH
  if (!isHealth && host !== undefined && (hasSeveralHosts(raw) || !isSafeHost(host, hosts))) {
    const shown = nameIn(host) ?? host.slice(0, LONGEST_SHOWN)
    throw new ApiError('host_not_allowed', {
      message: `The Host ${shown} may not reach the control API. Call it by an IP address, localhost or a single-label name, or list the name in CONTROL_HOSTS.`
    })
  }
  if (isOfOtherSite(request) && !opensPage(request)) {
    throw new ApiError('origin_not_allowed', {
      message: 'The control API is closed to pages of other sites and ports, and one of them sent this request. Type the address into the browser instead.'
    })
  }
  if (isOfOtherOrigin(request)) {
    throw new ApiError('origin_not_allowed', { message: `The control API is closed to pages of other origins; ${origin} is not http://${host}.` })
  }
  const isOpen = isHealth || routeOptions.config?.open === true
  if (token !== null && !isOpen && !isSame(authorization ?? '', `Bearer ${token}`) && !isSignedIn(request)) {
    throw new ApiError('token_required', {
      message: 'This control API needs Authorization: Bearer TOKEN, with the value of CONTROL_TOKEN.',
      headers: { 'www-authenticate': 'Bearer realm="commerce-emulator control"' }
    })
  }
  if (!isHealth) arrival.sandbox.requireLoaded()
}

/** A link of another site to a page: the browser shows it by itself, and the other site sees nothing of it. */
const opensPage = ({ headers, routeOptions: { config } }: FastifyRequest) =>
  config?.page === true && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

/** An IPv6 address in brackets or an ASCII name, with or without a port: nothing encoded, no zone, no empty label. */
const HOST = /^(?:\[([\da-f:.]+)\]|([\w-]+(?:\.[\w-]+)*))(?::\d{0,5})?$/i

/** A host without port and brackets, in lower case; undefined where it is not written as a host is. */
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
  const isLocal = !name.includes('.') || name.endsWith('.localhost') || name === 'host.docker.internal'
  return isIP(name) !== 0 || isLocal || allowed.some(other => nameIn(other) === name)
}

/** Compares in constant time. */
export const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()
