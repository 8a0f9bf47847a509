/**
 * The Authorization header of a caller's API key: HTTP Basic with the key as the user name and an
 * empty password (AUTH-1).
 */
export const basicAuthorization = (key: string): string =>
  `Basic ${Buffer.from(`${key}:`).toString('base64')}`
