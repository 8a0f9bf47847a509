/** Requests to the emulated API and their responses, as tests write and read them. */
import type { ApiRequest } from '../../src/engine/play.js'
import type { Json } from './json.js'

export const MERCHANT = 'sk_merchant'
export const RESELLER = 'sk_reseller'
export const NOW = '2026-03-01T18:05:00.000Z'

/**
 * A small fixture: one merchant with a Location and a Ticket, one reseller, a frozen clock. Tests
 * add only what they need.
 */
export const smallFixture = (added: Record<string, object[]> = {}) => ({
  api_keys: [
    { key: MERCHANT, account: 'mch_a' },
    { key: RESELLER, account: 'rsl_r' }
  ],
  accounts: [
    {
      id: 'mch_a',
      type: 'merchant',
      name: 'A',
      email: 'a@example.com',
      address: { country: 'US' }
    },
    {
      id: 'rsl_r',
      type: 'reseller',
      name: 'R',
      email: 'r@example.com',
      address: { country: 'US' }
    },
    ...(added.accounts ?? [])
  ],
  users: added.users ?? [],
  locations: [
    { id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } },
    ...(added.locations ?? [])
  ],
  tickets: [{ id: 'tkt_a', location: 'loc_a', reference: 'T-1' }, ...(added.tickets ?? [])],
  transactions: added.transactions ?? [],
  refunds: added.refunds ?? []
})

export type Answer = { status: number; headers: Record<string, unknown>; text: string; body: Json }
export type Call = {
  body?: string | Record<string, unknown>
  query?: string
  key?: string | null
  headers?: Record<string, string>
}

export const authorization = (key = MERCHANT) =>
  `Basic ${Buffer.from(`${key}:`).toString('base64')}`

/**
 * A request of the emulated API as data; `on` is a method and a path below the base, a body is form
 * text or flat bracket names.
 */
export function sentBy(
  on: string,
  { body, query, key = MERCHANT, headers = {} }: Call = {}
): ApiRequest {
  const [method, path] = on.split(' ') as [string, string]
  const form =
    typeof body === 'object'
      ? new URLSearchParams(
          Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string])
        ).toString()
      : body
  return {
    method,
    url: `/next${path}${query === undefined ? '' : `?${query}`}`,
    headers: {
      ...(key !== null && { authorization: authorization(key) }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers
    },
    body: form ?? null
  }
}

export const answerOf = (status: number, headers: Answer['headers'], text: string): Answer => ({
  status,
  headers,
  text,
  body: text !== '' && /json/.test(String(headers['content-type'])) ? JSON.parse(text) : text
})

/** The blame of a refusal: status, code, parameter, and rule or assumption. */
export type Blame = [status: number, code: string, param: string | null, by: string]
export const blameOf = ({ status, body }: Answer): Blame => [
  status,
  body.error.code,
  body.error.param ?? null,
  body.error.rule ?? body.error.assumption
]
