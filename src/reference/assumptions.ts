/**
 * How the emulator responds where the reference says "not shown" or "not stated". None of it is
 * documented behaviour. `settings` names the settings that change it. A `standing`
 * one is behind every response, so it is not counted.
 */
import { each, keysOf } from './rules.js'

export type Assumption = {
  topic: string
  default: string
  settings: readonly string[]
  standing?: true
}

const assumed = (topic: string, response: string, ...settings: string[]): Assumption => ({
  topic,
  default: response,
  settings
})
const standing = (...parts: Parameters<typeof assumed>): Assumption => ({
  ...assumed(...parts),
  standing: true
})

export const ASSUMPTIONS = {
  A01: standing(
    'address of the service',
    '{base_url} is http://HOST:PORT/next; in a sandbox http://HOST:PORT/sandbox/NAME/next'
  ),
  A02: assumed(
    'id prefixes',
    'merchant mch_, reseller rsl_, location loc_, ticket tkt_, transaction txn_, user usr_, refund rfd_',
    ...'merchant reseller location ticket transaction user refund'
      .split(' ')
      .map(kind => `ids.prefixes.${kind}`)
  ),
  A03: assumed(
    'id body',
    '24 letters and digits, drawn from the seed: same seed, same requests, same ids; an id that exists is skipped',
    'ids.length',
    'seed'
  ),
  A04: assumed(
    'returned fields',
    'id, object, created, then every field that the reference names for the resource; unset optional fields are null; address always has its six sub-fields; metadata is always an object'
  ),
  A05: assumed('created', 'ISO 8601 in UTC with milliseconds; equal instants order by creation'),
  A06: assumed('status of a successful POST', '200', 'statuses.created'),
  A07: assumed(
    'error body',
    '{"error":{"type","code","message","param"?,"rule"?,"assumption"?,"request_id"}}; param is in bracket notation, as in the request; rule is the id of the most specific rule that refused; assumption takes its place where an assumption refused',
    'errors.expose_rule',
    'shapes.error'
  ),
  A08: assumed(
    'error statuses',
    'validation 400, no or unknown key 401, reseller creating a Location 403, missing resource in the path 404, missing resource named in the body 400, refused refund 400, wrong method 405 with Allow, too large 413, wrong content type 415, headers too large 431, disabled delete 501; refusals are tried in the order 404 for the path, 405, 401, 501, 415, 413, form, unknown parameter, each parameter in the order of the table with the record that it names, 404 for the record in the path, 403, the rules of the operation',
    ...'created invalid unauthenticated forbidden missing reference_missing refund_refused'
      .split(' ')
      .map(of => `statuses.${of}`)
  ),
  A09: assumed(
    'list object',
    '{"object":"list","url","data","has_more","first_id","last_id"}; first_id and last_id name the first and last record retrieved for the page, before any post-hoc filter, and are null when nothing was retrieved; url is the path, with /next and the prefix of the sandbox',
    'shapes.list'
  ),
  A10: assumed(
    'other pagination parameters',
    'starting_after=ID or ending_before=ID, not both, ID being a record of the list, inside the filter or not, or a deleted User of it; ending_before returns the limit records nearest before ID, most recent first, and has_more is then about that direction; an unknown id is refused; limit 1 to 100, default 10, anything else is refused',
    'pagination.default_limit',
    'pagination.max_limit',
    'pagination.out_of_range',
    'pagination.cursors'
  ),
  A11: assumed(
    'order of lists',
    'most recent first everywhere (the reference says so of Refunds); records of the same instant in reverse order of creation',
    'pagination.order'
  ),
  A12: assumed(
    'post-hoc search',
    'the page retrieves limit records, then filters them; has_more is about the records not yet retrieved'
  ),
  A13: assumed(
    'what search_query matches',
    'a Ticket reference: case-insensitive substring; card last4: equal',
    'search.reference',
    'search.last4'
  ),
  A14: assumed(
    'parameters that the reference does not name',
    'refused with parameter_unknown and the nearest known name, in a body, in the query of a list and in the query of any other request',
    'parameters.unknown'
  ),
  A15: assumed(
    'updating a parameter that is not updatable',
    'refused with parameter_not_updatable',
    'parameters.not_updatable'
  ),
  A16: assumed(
    'empty value',
    'on create and in a query: as if absent, but limit= and an empty amount of a Refund are refused; on update: unsets the parameter, even one that the create requires, which becomes null; a filter naming an id that does not exist gives an empty list',
    'parameters.unset_required',
    'refunds.empty_amount'
  ),
  A17: assumed(
    'metadata',
    'merged by key on update; metadata= together with metadata[key]=value unsets all keys first, as address= does with address[city]=value; values are strings; a nested or list value is refused'
  ),
  A18: assumed(
    'keys',
    'declared in fixtures, each bound to one Account; an unknown key is refused, and so is a password that is not empty, with a message that says so',
    'auth.accept_any_key'
  ),
  A19: assumed(
    'what a key may see',
    'everything; with the setting scoped, a merchant sees its own Account, Users, Locations and what belongs to them, a reseller its own; both also what they created; a hidden record returns 404, is left out of lists, and is refused by this assumption where a body names it',
    'auth.visibility'
  ),
  A20: assumed('a key sent to POST /transactions', 'ignored, even when wrong', 'auth.payment_key'),
  A21: assumed(
    'ownership',
    "a Location has account (its merchant), a Ticket location, a User account, and an Account created with a reseller's key (scoped: any key) reseller"
  ),
  A22: assumed(
    'currency',
    'usd when left out; must be one of the active codes of ISO 4217, funds and metals included, whatever the version of Node.js',
    'transactions.default_currency'
  ),
  A23: assumed(
    'what can be refunded',
    "the Transaction's amount (the amount settled, tip included)",
    'transactions.refundable'
  ),
  A24: assumed(
    'amounts[…] against the top level',
    'echoed under amounts; a top-level parameter wins; else amount is amounts[transaction_amount], else amounts[payment_amount], tip_amount is amounts[tip_amount], currency is amounts[currency]; with neither, amount is 0 and a Refund of it is refused with charge_has_no_amount',
    'transactions.without_amount'
  ),
  A25: assumed(
    'card data',
    'payment_method is {type, card: {brand, last4} or null, bank_account: {bank_name, last4} or null}; last4 is card[last4], which must be four digits, else the last four digits of card[number]; number, csc, expiry, token, payload, account and routing numbers are used and forgotten: never stored, logged or shown'
  ),
  A26: assumed('bank_account with another payment type', 'accepted and not used'),
  A27: assumed(
    'numbers',
    'an integer is decimal digits only, up to 2^53-1; amounts are not negative; adjustment_number is any decimal number, with or without an exponent; a number that a double cannot hold exactly is refused, not rounded'
  ),
  A28: assumed(
    "where a Refund's funds go",
    "a Refund carries its Transaction's payment_method and currency; a Transaction without a card can be refunded too",
    'refunds.without_card'
  ),
  A29: assumed(
    'embedded refunds',
    'refunds on a Transaction is a list object of the 10 most recent, with has_more true if there are more; amount_refunded is next to it'
  ),
  A30: assumed(
    'email, country',
    'the syntax of the address is checked (RFC 5321 lengths, RFC 6531 letters beyond ASCII, a domain with at least one dot); ISO 3166-1 alpha-2, accepted in any letter case, returned in upper case'
  ),
  A31: assumed("changing an Account's type", 'allowed; the id keeps its old prefix'),
  A32: assumed(
    'JSON and multipart bodies',
    'refused with 415 and a hint, like any other content type or encoding; form encoding is the only one documented'
  ),
  A33: standing('CORS', 'allowed for the emulated API; never for the control API', 'cors'),
  A34: standing(
    'HTTP extras',
    'every response has Request-Id, from a separate counter; no rate limits, no idempotency keys, no webhooks'
  ),
  A35: assumed(
    'field lengths',
    '1,000 characters of search_query; else the body, the number of parameters and their depth',
    'limits.body',
    'limits.parameters',
    'limits.depth'
  ),
  A36: assumed(
    'form syntax beyond the encoding',
    'a name sent twice or longer than 1,000 characters, a list or an object where one value belongs, bytes that are not UTF-8, raw or percent-encoded, and a declared charset other than UTF-8 are refused with form_malformed'
  ),
  A37: assumed('a body on GET or DELETE', 'refused with body_unexpected'),
  A38: assumed(
    'instants in filters',
    'every ISO 8601 form that names an instant or a day (calendar, ordinal or week date, basic or extended); a day alone is its 00:00Z, no zone is UTC, a fraction finer than a millisecond compares exactly; a leap second is the instant after it; a month or a year alone is refused'
  ),
  A39: assumed(
    'paths',
    'a trailing slash is accepted; HEAD is GET without a body; OPTIONS is 204 with Allow; outside the base is a 404'
  ),
  A40: assumed(
    'text',
    'a text that must not be empty must not be blank either; search ignores letter case by Unicode'
  )
} satisfies Record<string, Assumption>

export type AssumptionId = keyof typeof ASSUMPTIONS
export const ASSUMPTION_IDS = keysOf(ASSUMPTIONS)
export const ASSUMPTION_PLACES = each(ASSUMPTION_IDS, (_, place) => place)
/** Behind every response, so it is not counted. */
export const isStanding = (id: AssumptionId): boolean => ASSUMPTIONS[id].standing === true
