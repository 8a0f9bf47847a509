/** The addresses that requests come in at, and the credentials that they carry. */

export const BASE = '/next'
export const CONTROL = '/_control'
export const HEALTH = `${CONTROL}/health`

export const pathOf = (url: string): string =>
  url.includes('?') ? url.slice(0, url.indexOf('?')) : url
export const isUnder = (prefix: string, url: string): boolean =>
  url.startsWith(prefix) && '/?'.includes(url.charAt(prefix.length))
/** The path below the base address, or the whole of another path. */
export const pathBelow = (url: string): string =>
  (isUnder(BASE, url) ? pathOf(url).slice(BASE.length) : pathOf(url)) || '/'

export const withoutSlashes = (path: string) => path.replace(/(?<!\/)\/+$/, '')

/** The address of the control API for a base address. */
export const controlOfBase = (base: string): string => `${base.slice(0, -BASE.length)}${CONTROL}`

/**
 * The Authorization header of a caller's API key: HTTP Basic with the key as the user name and an
 * empty password (AUTH-1).
 */
export const basicAuthorization = (key: string): string =>
  `Basic ${Buffer.from(`${key}:`).toString('base64')}`
