/** Protects the control API from web pages: from Host names that DNS rebinding could use, from other origins, and from callers without the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'

/** The route that tells whether the emulator is ready; it needs no token. */
export const HEALTH = '/_control/health'

export type Guard = { token: string | null; hosts: readonly string[] }

/**
 * Refuses a control call that is not allowed, and every call but health before the start scenario is loaded.
 * Errors: `host_not_allowed` and `origin_not_allowed` (403), `token_required` (401), `not_ready` (503).
 */
export function guardControl({ headers, routeOptions, call }: FastifyRequest, { token, hosts }: Guard): void {
  const { host = '', origin, authorization } = headers
  const isHealth = routeOptions.url === HEALTH
  if (!isHealth && !isSafeHost(host, hosts)) {
    throw new ApiError('host_not_allowed', {
      message: `The Host ${nameOf(host)} may not reach the control API. Call it by an IP address, localhost or a single-label name, or list the name in CONTROL_HOSTS.`
    })
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ApiError('origin_not_allowed', { message: `The control API is closed to pages of other origins; ${origin} is not http://${host}.` })
  }
  if (token !== null && !isHealth && !isSame(authorization ?? '', `Bearer ${token}`)) {
    throw new ApiError('token_required', {
      message: 'This control API needs Authorization: Bearer TOKEN, with the value of CONTROL_TOKEN.',
      headers: { 'www-authenticate': 'Bearer realm="commerce-emulator control"' }
    })
  }
  if (!isHealth) call.sandbox.requireLoaded()
}

/** A host without its port and, for IPv6, its brackets. */
const nameOf = (host: string) =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()

/** An address, or a name that no public DNS server can point at this machine. */
function isSafeHost(host: string, allowed: readonly string[]): boolean {
  const name = nameOf(host)
  const isLocal = !name.includes('.') || name.endsWith('.localhost') || name === 'host.docker.internal'
  return isIP(name) !== 0 || isLocal || allowed.some(other => nameOf(other) === name)
}

/** Compares in constant time. */
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()
