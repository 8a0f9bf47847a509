/**
 * Generated requests: valid ones with a change or two, so that many are refused late, when most of
 * the work has been done.
 */
import fc from 'fast-check'
import { MERCHANT, RESELLER } from './emulator.js'

export type Call = {
  of: 'api' | 'control'
  on: string
  body: string | undefined
  headers: Record<string, string>
}

/** Records that the requests name, in addition to the small fixture. */
export const RECORDS = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [
    {
      id: 'txn_a',
      ticket: 'tkt_a',
      payment_type: 'external',
      payment_method: { type: 'external' },
      amount: 100
    },
    {
      id: 'txn_none',
      ticket: 'tkt_a',
      payment_type: 'external',
      payment_method: { type: 'external' },
      amount: 0
    }
  ],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 10 }]
}
const ID = fc.constantFrom(
  'mch_a',
  'rsl_r',
  'loc_a',
  'usr_a',
  'tkt_a',
  'txn_a',
  'txn_none',
  'rfd_a',
  'none',
  '%00',
  '%ff',
  '__proto__',
  'a%2Fb'
)
const path = fc.oneof(
  fc.constantFrom(
    '/locations',
    '/accounts',
    '/transactions',
    '/refunds',
    '/accounts/mch_a/users',
    '/tickets',
    '/nothing',
    '/',
    '/next'
  ),
  fc
    .tuple(fc.constantFrom('/locations', '/accounts', '/transactions', '/refunds', '/tickets'), ID)
    .map(parts => parts.join('/')),
  ID.map(id => `/accounts/${id}/users`),
  fc.tuple(ID, ID).map(([account, user]) => `/accounts/${account}/users/${user}`)
)

const basic = (credentials: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(credentials).toString('base64')}`
})

const RIGHT: [on: string, body: Record<string, string>, key?: Record<string, string>][] = [
  ['POST /locations', { display_name: 'L', 'address[country]': 'US', 'metadata[k]': 'v' }],
  ['POST /locations/loc_a', { phone: '1', 'metadata[k]': 'v', metadata: '' }],
  [
    'POST /accounts',
    { type: 'merchant', name: 'A', email: 'a@example.com', 'address[country]': 'DE' }
  ],
  [
    'POST /accounts/mch_a',
    { type: 'merchant', name: 'A', email: 'a@example.com', 'address[country]': 'DE' }
  ],
  ['POST /accounts/mch_a/users', { name: 'U', email: 'u@example.com' }],
  ['DELETE /accounts/mch_a/users/usr_a', {}],
  [
    'POST /transactions',
    {
      ticket: 'tkt_a',
      payment_type: 'card',
      amount: '50',
      tip_amount: '5',
      currency: 'eur',
      'card[last4]': '4242'
    }
  ],
  [
    'POST /transactions',
    { ticket: 'tkt_a', payment_type: 'vip', 'customer[phone]': '1', 'bank_account[bank_name]': 'B' }
  ],
  ['POST /refunds', { transaction: 'txn_a', amount: '5', reason: 'r' }],
  ['POST /refunds', { transaction: 'txn_a' }],
  ['POST /refunds/rfd_a', { 'metadata[k]': 'v' }],
  ['GET /refunds', {}]
]
/** Well-formed requests that a rule refuses. */
const REFUSED_BY_RULE: typeof RIGHT = [
  ['POST /locations', { display_name: 'L', 'address[country]': 'US' }, basic(`${RESELLER}:`)],
  ['POST /accounts/none/users', { name: 'U', email: 'u@example.com' }],
  ['POST /transactions', { ticket: 'tkt_none', payment_type: 'external', amount: '5' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'vip', amount: '5' }],
  ['POST /transactions', { ticket: 'tkt_a', payment_type: 'apple_pay', amount: '5' }],
  [
    'POST /transactions',
    { ticket: 'tkt_a', payment_type: 'external', amount: '9007199254740991', tip_amount: '1' }
  ],
  ['POST /refunds', { transaction: 'txn_none' }],
  ['POST /refunds', { transaction: 'txn_a', amount: '91' }]
]
const NAMES = [
  ...new Set(RIGHT.flatMap(([, body]) => Object.keys(body))),
  ...'metadata address metadata[l] id reseller extra __proto__ card a[ limit'.split(' ')
]
const VALUES =
  ' x 0 -1 95 1e3 9007199254740991 9007199254740992 US XX usd USD none txn_none tkt_a x@ reseller vip apple_pay'.split(
    ' '
  )
const change = fc.record({ name: fc.constantFrom(...NAMES), value: fc.constantFrom(...VALUES) })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const key = fc.oneof(
  { weight: 20, arbitrary: fc.constant(basic(`${MERCHANT}:`)) },
  { weight: 3, arbitrary: fc.constant(basic(`${RESELLER}:`)) },
  fc.constantFrom<Record<string, string>>(
    basic('sk_none:'),
    basic(`${MERCHANT}:word`),
    { authorization: 'Bearer x' },
    {}
  )
)
const type = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Record<string, string>>(FORM) },
  fc.constantFrom<Record<string, string>>(
    { 'content-type': 'application/json' },
    { ...FORM, 'content-encoding': 'gzip' },
    {}
  )
)
/** Usually the first, seldom another. */
const mostly = <T>(one: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: one }, other)
export const apiCall: fc.Arbitrary<Call> = fc
  .record({
    right: fc.constantFrom(...RIGHT, ...REFUSED_BY_RULE),
    on: mostly(
      fc.constant(undefined),
      fc.tuple(fc.constantFrom('POST', 'DELETE', 'GET', 'PUT'), path).map(parts => parts.join(' '))
    ),
    query: mostly(
      fc.constant(''),
      fc.constantFrom(
        '?limit=0',
        '?limit=2',
        '?x=1',
        '?starting_after=none',
        '?created[gt]=yesterday',
        '?%'
      )
    ),
    changes: mostly<{ name: string; value: string }[]>(
      fc.constant([]),
      fc.array(change, { minLength: 1, maxLength: 2 })
    ),
    end: mostly(fc.constant(''), fc.constantFrom('&amount=1', '&%zz', '&a[b][c][d][e][f]=1')),
    key,
    type
  })
  .map(({ right: [usual, body, own], on = usual, query, changes, end, key, type }) => {
    const sendsBody = on.startsWith('P')
    const changed = new URLSearchParams({
      ...body,
      ...Object.fromEntries(changes.map(({ name, value }) => [name, value]))
    })
    return {
      of: 'api',
      on: `${on}${query}`,
      body: sendsBody ? `${changed}${end}` : undefined,
      headers: { ...(own ?? key), ...(sendsBody && type) }
    }
  })
