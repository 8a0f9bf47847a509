/** Protects the control API from web pages and from callers without the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { HEALTH } from '../core/paths.js'
import { shortened } from '../core/sentences.js'
import type { Settings } from '../core/settings.js'
import { credentialsIn } from '../engine/keys.js'
import { isOfOtherOrigin, isOfOtherSite } from '../server/pages.js'
import { REFUSALS } from './sentences.js'

/** Headers of every response. */
export const CONTROL_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin'
} as const

/** Errors: `host_not_allowed`, `origin_not_allowed`, `token_required`, `not_ready`. */
export function guardControl(request: FastifyRequest, settings: Settings): void {
  const { control_token: token, control_hosts: hosts } = settings
  const { headers, raw, routeOptions, arrival } = request
  const { host, origin, authorization = '' } = headers
  const isHealth = routeOptions.url === HEALTH
  if (!isHealth && host !== undefined && (hasSeveralHosts(raw) || !isSafeHost(host, hosts))) {
    throw REFUSALS.hostNotAllowed(nameIn(host) ?? shortened(host))
  }
  if (isOfOtherSite(request) && !opensPage(request)) throw REFUSALS.otherSite()
  if (isOfOtherOrigin(request)) throw REFUSALS.otherOrigin(String(origin), String(host))
  if (isHealth) return
  if (token !== null && !isToken(authorization, token)) throw REFUSALS.tokenRequired()
  arrival.sandbox.requireLoaded()
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
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()

/** The token, as a program sends it, or as the password that a browser asked for. */
function isToken(authorization: string, token: string): boolean {
  const [scheme, , password = ''] = credentialsIn(authorization)
  const isBasic = scheme?.toLowerCase() === 'basic'
  return isSame(authorization, `Bearer ${token}`) || (isBasic && isSame(password, token))
}
