/** The parts of a case: a request as data, what it needs first, and its result. */
import type { AssumptionId } from '../../src/reference/assumptions.js'
import type { RuleId } from '../../src/reference/rules.js'

export type { AssumptionId, RuleId }
/** Assumptions that are counted; the others apply to every response. */
export type CountedAssumption = Exclude<AssumptionId, 'A01' | 'A33' | 'A34'>

/** Parameters by bracket name; undefined removes a parameter that the request has by default. */
export type Fields = Readonly<Record<string, string | number | undefined>>

/** A request. Its texts may contain `${name.field}`: a field of an earlier record. */
export type Call = {
  /** A method and a path below the base address. */
  on: string
  /** Parameters, or the body as it is. */
  body?: Fields | string
  query?: Fields | string
  /** The merchant's by default; null sends none. */
  key?: 'merchant' | 'reseller' | null | { name: string; password?: string }
  headers?: Readonly<Record<string, string>>
  /** True for a path outside the base address. */
  outside?: true
}

export type Shown = { readonly [name: string]: Shown | string | number | boolean | null }

/** What a response must contain; anything else is not compared. */
export type Expected = {
  status?: number
  /** Fields of the resource, or `${name}`: a whole earlier record. */
  shows?: Shown | string
  /** Ids that are on the page, ids that are not, and all ids in order. */
  holds?: readonly string[]
  lacks?: readonly string[]
  page?: readonly string[]
  count?: number
  has_more?: boolean
  empty?: true
}

/** A refusal's status, code, parameter as sent, and rule or assumption. */
export type Blame = readonly [
  status: number,
  code: string,
  param: string | null,
  by: RuleId | AssumptionId
]

export type Case = {
  title: string
  /** Records created before the request, in addition to those that its texts name. */
  given?: readonly GivenName[]
  before?: readonly Call[]
  /** Fixture records that the API cannot create. */
  records?: Readonly<Record<string, object[]>>
  /** Settings other than the defaults, by their dotted keys. */
  settings?: Readonly<Record<string, unknown>>
  call: Call
  answers?: Expected
  blames?: Blame
  /** What a later request must return; `${made}` is the record in the response. */
  later?: readonly (readonly [call: Call, expected: Expected])[]
  /** The other rules that the request passes, except those of admission. */
  also?: readonly RuleId[]
  /** Whether a refusal came after decoding the form, if its code does not say. */
  decoded?: true
  /** Assumptions that the response relies on, and some that it does not. */
  relies?: readonly AssumptionId[]
  reliesNot?: readonly AssumptionId[]
  /** All of them. */
  rests?: readonly AssumptionId[]
  /** Depends on the reference only, so any service is tested. */
  reference?: true
  /** The valid request that it varies: a service that refuses everything passes no rule. */
  right?: Call
}

export type RuleCases = {
  /** The valid request that violations vary, unless they name another. */
  right?: Call
  kept: readonly Case[]
  silent: readonly Case[]
  broken: readonly Case[]
}
export type AssumptionCases = { relies: readonly Case[]; not: readonly Case[] }

const KEY: readonly RuleId[] = ['BASE-1', 'AUTH-1', 'AUTH-3']
/** Admission rules that are decided when a request is refused with this code. */
export const STOPS: Readonly<Record<string, readonly RuleId[]>> = {
  path_unknown: [],
  method_not_allowed: [],
  api_key_missing: ['BASE-1'],
  api_key_malformed: ['BASE-1'],
  api_key_unknown: ['BASE-1'],
  operation_disabled: KEY,
  content_type_unsupported: KEY,
  body_too_large: KEY,
  body_unexpected: KEY,
  form_malformed: KEY,
  form_too_large: KEY
}

const US = { 'address[country]': 'US' }
export const ADDRESS = {
  'address[country]': 'US',
  'address[line1]': '1 Main Street',
  'address[line2]': 'Floor 2',
  'address[city]': 'Boston',
  'address[postal_code]': '02110',
  'address[state]': 'MA'
}
export const CARD = {
  'card[brand]': 'visa',
  'card[number]': '4242424242424242',
  'card[last4]': '4242',
  'card[expiry]': '12/34',
  'card[csc]': '123'
}
export const BANK = {
  'bank_account[bank_name]': 'Bank ${unique}',
  'bank_account[account_number]': '000123456789'
}
const METADATA = { 'metadata[order]': 'A-17', 'metadata[till]': '3' }

export const createLocation = (body: Fields = {}): Call => ({
  on: 'POST /locations',
  body: { display_name: 'Bistro ${unique}', ...US, ...body }
})
export const createAccount = (body: Fields = {}): Call => ({
  on: 'POST /accounts',
  body: {
    type: 'merchant',
    name: 'Bistro ${unique}',
    email: '${unique}@example.com',
    ...US,
    ...body
  }
})
export const createUser = (body: Fields = {}): Call => ({
  on: 'POST /accounts/${account.id}/users',
  body: { name: 'Ana ${unique}', email: '${unique}@example.com', ...body }
})
/** A card payment of 1000 usd, without a key. */
export const pay = (body: Fields = {}): Call => ({
  on: 'POST /transactions',
  key: null,
  body: {
    ticket: '${ticket.id}',
    payment_type: 'card',
    currency: 'usd',
    amount: 1000,
    ...CARD,
    ...body
  }
})
/** The minimal payment, without nested parameters. */
export const payLeast = (body: Fields = {}): Call => ({
  on: 'POST /transactions',
  key: null,
  body: { ticket: '${ticket.id}', payment_type: 'external', ...body }
})
/** A Refund of 100 of a charge of 1000. */
export const refund = (body: Fields = {}): Call => ({
  on: 'POST /refunds',
  body: { transaction: '${charge.id}', amount: 100, ...body }
})
export const read = (path: string): Call => ({ on: `GET ${path}` })
export const list = (path: string, query?: Fields | string): Call => ({
  on: `GET ${path}`,
  ...(query !== undefined && { query })
})
export const updateLocation = (body: Fields): Call => ({
  on: 'POST /locations/${location.id}',
  body
})
export const updateFurnished = (body: Fields): Call => ({
  on: 'POST /locations/${furnished.id}',
  body
})
export const deleteUser: Call = { on: 'DELETE /accounts/${account.id}/users/${user.id}' }
export const asJson = (
  call: Call,
  body = '{"display_name":"A","address":{"country":"US"}}'
): Call => ({ ...call, body, headers: { 'content-type': 'application/json' } })

/** Records that cases name, created through the API. */
export const GIVENS = {
  location: createLocation(),
  other_location: createLocation(),
  furnished: createLocation({
    ...ADDRESS,
    ...METADATA,
    phone: '+1 617 555 0100',
    website: 'https://bistro.example'
  }),
  account: createAccount(),
  other_account: createAccount(),
  furnished_account: createAccount({ ...ADDRESS, ...METADATA, phone: '+1 617 555 0100' }),
  user: createUser(),
  second_user: createUser(),
  other_user: { ...createUser(), on: 'POST /accounts/${other_account.id}/users' },
  charge: pay(),
  second_charge: pay(),
  other_card: pay({
    'card[brand]': 'mastercard',
    'card[number]': '5555555555554444',
    'card[last4]': '4444'
  }),
  cash: payLeast({ amount: 1000, currency: 'usd' }),
  /** Paid on a Ticket of `place`. */
  charge_there: pay({ ticket: '${ticket_there.id}' }),
  tipped: payLeast({ amount: 1000, tip_amount: 200, donation_amount: 30 }),
  /** Nothing was settled. */
  free: payLeast({ currency: 'usd' }),
  refund: refund({ reason: 'cold soup', ...METADATA }),
  second_refund: refund(),
  /** A charge of 1000 that is fully refunded, and one of which 400 is. */
  spent: { ...pay(), after: [{ on: 'POST /refunds', body: { transaction: '${spent.id}' } }] },
  partly: {
    ...pay(),
    after: [{ on: 'POST /refunds', body: { transaction: '${partly.id}', amount: 400 } }]
  }
} as const satisfies Record<string, Call & { after?: readonly Call[] }>

/** Records that the API cannot create: Tickets, and a Location with one. */
export type KnownName = 'ticket' | 'newest_ticket' | 'older_ticket' | 'place' | 'ticket_there'
export type GivenName = keyof typeof GIVENS | KnownName

export const WITH_KEY: readonly Call[] = [
  createLocation(),
  read('/locations/${location.id}'),
  updateLocation({ phone: '2' }),
  list('/locations'),
  { on: 'DELETE /locations/${location.id}' },
  createAccount(),
  read('/accounts/${account.id}'),
  { on: 'POST /accounts/${account.id}', body: { phone: '2' } },
  list('/accounts'),
  { on: 'DELETE /accounts/${account.id}' },
  createUser(),
  list('/accounts/${account.id}/users'),
  deleteUser,
  read('/tickets/${ticket.id}'),
  list('/tickets'),
  read('/transactions/${charge.id}'),
  list('/transactions'),
  refund(),
  read('/refunds/${refund.id}'),
  { on: 'POST /refunds/${refund.id}', body: { 'metadata[till]': '4' } },
  list('/refunds')
]
/** The six lists, each with a record on it. */
export const LISTS: readonly (readonly [path: string, given: readonly GivenName[]])[] = [
  ['/locations', ['location', 'other_location']],
  ['/accounts', ['account', 'other_account']],
  ['/accounts/${account.id}/users', ['user', 'second_user']],
  ['/tickets', ['ticket', 'newest_ticket']],
  ['/transactions', ['charge', 'second_charge']],
  ['/refunds', ['refund', 'second_refund']]
]
