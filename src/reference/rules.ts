/**
 * The rules that the reference states, one id each. `violable`: a request can break the rule; some
 * only describe the service's own response. `passable` is false if no request can pass it.
 */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const keysOf = <T extends object>(table: T) =>
  Object.keys(table) as Extract<keyof T, string>[]

export const each = <N extends string, V>(
  names: readonly N[],
  make: (name: N, place: number) => V
) => Object.fromEntries(names.map((name, place) => [name, make(name, place)])) as Record<N, V>

export const mapValues = <N extends string, V, R>(
  object: Readonly<Record<N, V>>,
  map: (value: V, name: N) => R
) => each(keysOf(object), name => map(object[name], name))

export type Rule = {
  text: string
  sections: readonly number[]
  violable: boolean
  passable?: false
}

const breakable = (text: string, ...sections: number[]): Rule => ({
  text,
  sections,
  violable: true
})
const descriptive = (text: string, ...sections: number[]): Rule => ({
  text,
  sections,
  violable: false
})

export const RULES = {
  'FORM-1': breakable('POST bodies are form-encoded key/value pairs', 1, 4),
  'FORM-2': breakable('nested values use bracket notation', 1),
  'FORM-3': breakable('list parameters come in the query string', 1, 4),

  'AUTH-1': breakable('HTTP Basic: the API key is the user name, the password is empty', 5),
  'AUTH-2': descriptive('POST /transactions needs no key', 4, 5),
  'AUTH-3': breakable('every other endpoint is called with the key', 5),

  'BASE-1': breakable('the base address ends in the segment next; every path is relative to it', 9),

  'ADDR-1': breakable(
    'address sub-fields: country, line1, line2, city, postal_code, state, all strings',
    2
  ),
  'ADDR-2': breakable('country is a two-letter ISO 3166-1 alpha-2 code', 2),

  'META-1': breakable('metadata holds key-value pairs', 2),
  'META-2': descriptive('posting an empty value for a key unsets that key', 2),
  'META-3': descriptive('posting an empty value for metadata unsets all keys', 2),

  'UPD-1': descriptive('parameters left out of an update stay unchanged', 4),
  'UPD-2': descriptive('an empty value unsets a parameter', 4),

  'LIST-1': descriptive('a list answers an object with the result set and has_more', 2),
  'LIST-2': descriptive('has_more is true when more results can be fetched', 2),
  'LIST-3': breakable('every list takes limit, an integer page size', 4, 8),

  'FILT-1': breakable('created[gte], on or after', 4),
  'FILT-2': breakable('created[gt], after', 4),
  'FILT-3': breakable('created[lte], on or before', 4),
  'FILT-4': breakable('created[lt], before', 4),
  'FILT-5': descriptive('location keeps only what is at that Location', 4),
  'FILT-6': descriptive('location and created narrow before retrieval', 4),

  'SRCH-1': descriptive('search_query on Tickets keeps those whose reference matches', 4),
  'SRCH-2': descriptive(
    'search_query on Transactions keeps those whose payment_method.card.last4 matches',
    4
  ),
  'SRCH-3': descriptive(
    'search is applied after retrieval: a page may hold few or no matches while has_more is true',
    4
  ),

  'LOC-1': breakable('create needs display_name', 2),
  'LOC-2': breakable('create needs address[country]', 2),
  'LOC-3': breakable('only merchant Accounts create Locations', 1, 4),
  'LOC-4': descriptive('DELETE /locations/{id} always aborts with 501', 4, 7),

  'ACC-1': breakable('create needs type, one of merchant, reseller', 2),
  'ACC-2': breakable('create needs name', 2),
  'ACC-3': breakable('create needs email', 2),
  'ACC-4': breakable('create needs address[country]', 2),
  'ACC-5': descriptive('DELETE /accounts/{id} always aborts with 501', 4, 7),

  'USR-1': breakable('a User belongs to one parent Account, named in the path', 2, 4),
  'USR-2': breakable('create needs name', 2),
  'USR-3': breakable('create needs email, a valid address', 2),
  'USR-4': descriptive('delete answers 204 with an empty body', 4, 7),

  'TKT-1': { ...breakable('Tickets are read-only', 2), passable: false },

  'TXN-1': breakable('create needs ticket, the id of an existing Ticket', 4),
  'TXN-2': breakable(
    'create needs payment_type, one of card, apple_pay, google_pay, emv, external, paypal, vip',
    4
  ),
  'TXN-3': breakable('vip needs customer[phone]', 4),
  'TXN-4': breakable('apple_pay needs customer[email]', 4),
  'TXN-5': descriptive('bank_account is used only with vip', 4),
  'TXN-6': breakable('currency is a three-letter ISO code in lower case', 4),
  'TXN-7': breakable(
    'amount, donation_amount and tip_amount are integers in the smallest sub-unit',
    4
  ),
  'TXN-8': descriptive('the 10 most recent Refunds are included', 2, 8),

  'REF-1': breakable('a Refund targets an existing Transaction that is not yet fully refunded', 4),
  'REF-2': descriptive('funds return to the card originally charged', 4),
  'REF-3': breakable(
    'amount, when given, is a positive integer in sub-units and not above the remainder',
    4
  ),
  'REF-4': descriptive('without amount the whole remainder is refunded', 4),
  'REF-5': descriptive('partial Refunds may be repeated until the whole charge is refunded', 4),
  'REF-6': {
    ...breakable('a Refund on a fully refunded Transaction is an error', 4, 7),
    passable: false
  },
  'REF-7': { ...breakable('a Refund above the remainder is an error', 4, 7), passable: false },
  'REF-8': descriptive('reason defaults to null', 2, 4),
  'REF-9': breakable('only metadata can be updated', 2, 4),
  'REF-10': descriptive('the list is most recent first, and can be narrowed to one transaction', 4)
} satisfies Record<string, Rule>

export type RuleId = keyof typeof RULES
export const RULE_IDS = keysOf(RULES)
export const RULE_PLACES = each(RULE_IDS, (_, place) => place)
