/**
 * What the emulator answers where the reference says "not shown" or "not stated": the ledger of assumptions.
 * None of it is documented behaviour. `settings` names the settings that change it. A `standing` one is behind every answer, so it is not counted.
 */

export type Assumption = { topic: string; default: string; settings: readonly string[]; standing?: true }

export const ASSUMPTIONS = {
  A01: {
    topic: 'address of the service',
    default: '{base_url} is http://HOST:PORT/next; in a sandbox http://HOST:PORT/sandbox/NAME/next',
    settings: [],
    standing: true
  },
  A02: {
    topic: 'id prefixes',
    default: 'merchant mch_, reseller rsl_, location loc_, ticket tkt_, transaction txn_, user usr_, refund rfd_',
    settings: [
      'ids.prefixes.merchant',
      'ids.prefixes.reseller',
      'ids.prefixes.location',
      'ids.prefixes.ticket',
      'ids.prefixes.transaction',
      'ids.prefixes.user',
      'ids.prefixes.refund'
    ]
  },
  A03: {
    topic: 'id body',
    default: '24 letters and digits, drawn from the seed: same seed, same calls, same ids; one already taken is skipped',
    settings: ['ids.length', 'seed']
  },
  A04: {
    topic: 'returned fields',
    default:
      'id, object, created, then every field that the reference names for the resource; unset optional fields are null; address always has its six sub-fields; metadata is always an object',
    settings: []
  },
  A05: { topic: 'created', default: 'ISO 8601 in UTC with milliseconds; equal instants order by creation', settings: [] },
  A06: { topic: 'status of a successful POST', default: '200', settings: ['statuses.created'] },
  A07: {
    topic: 'error body',
    default:
      '{"error":{"type","code","message","param"?,"rule"?,"assumption"?,"request_id"}}; param is in the caller\'s own bracket notation; rule is the id of the rule that refused, the most specific one; assumption takes its place where an assumption refused',
    settings: ['errors.expose_rule']
  },
  A08: {
    topic: 'error statuses',
    default:
      'validation 400, no or unknown key 401, reseller creating a Location 403, missing resource in the path 404, missing resource named in the body 400, refused refund 400, wrong method 405 with Allow, too large 413, wrong content type 415, headers too large 431, disabled delete 501; refusals are tried in the order 404 for the path, 405, 401, 501, 415, 413, form, unknown parameter, each parameter in the order of the table with the record that it names, 404 for the record in the path, 403, the rules of the operation',
    settings: [
      'statuses.created',
      'statuses.invalid',
      'statuses.unauthenticated',
      'statuses.forbidden',
      'statuses.missing',
      'statuses.reference_missing',
      'statuses.refund_refused'
    ]
  },
  A09: {
    topic: 'list object',
    default:
      '{"object":"list","url","data","has_more","first_id","last_id"}; first_id and last_id name the first and last record retrieved for the page, before any post-hoc filter, and are null when nothing was retrieved; url is the path, with /next and the prefix of the sandbox',
    settings: []
  },
  A10: {
    topic: 'other pagination parameters',
    default:
      'starting_after=ID or ending_before=ID, not both, ID being a record of the list, inside the filter or not, or a deleted User of it; ending_before returns the limit records nearest before ID, most recent first, and has_more is then about that direction; an unknown id is refused; limit 1 to 100, default 10, anything else is refused',
    settings: ['pagination.default_limit', 'pagination.max_limit', 'pagination.out_of_range']
  },
  A11: {
    topic: 'order of lists',
    default: 'most recent first everywhere (the reference says so of Refunds); records of the same instant in reverse order of creation',
    settings: ['pagination.order']
  },
  A12: {
    topic: 'post-hoc search',
    default: 'the page retrieves limit records, then filters them; has_more is about the records not yet retrieved',
    settings: []
  },
  A13: {
    topic: 'what search_query matches',
    default: 'a Ticket reference: case-insensitive substring; card last4: equal',
    settings: ['search.reference', 'search.last4']
  },
  A14: {
    topic: 'parameters that the reference does not name',
    default: 'refused with parameter_unknown and the nearest known name, in a body, in the query of a list and in the query of any other call',
    settings: ['parameters.unknown']
  },
  A15: {
    topic: 'updating a parameter that is not updatable',
    default: 'refused with parameter_not_updatable',
    settings: ['parameters.not_updatable']
  },
  A16: {
    topic: 'empty value',
    default:
      'on create and in a query: as if absent, but limit= is refused; on update: unsets the parameter, even one that the create requires, which becomes null; a filter naming an id that does not exist gives an empty list',
    settings: ['parameters.unset_required']
  },
  A17: { topic: 'metadata', default: 'merged by key on update; values are strings; a nested or list value is refused', settings: [] },
  A18: {
    topic: 'keys',
    default: 'declared in fixtures, each bound to one Account; an unknown key is refused, and so is a password that is not empty, with a message that says so',
    settings: ['auth.accept_any_key']
  },
  A19: {
    topic: 'what a key may see',
    default:
      'everything; with the setting scoped, a merchant sees its own Account, Users, Locations and what belongs to them, a reseller its own Account and those it created; what is hidden is answered with 404 and left out of lists',
    settings: ['auth.visibility']
  },
  A20: { topic: 'a key sent to POST /transactions', default: 'ignored, even when wrong', settings: [] },
  A21: {
    topic: 'ownership',
    default: "a Location carries account (the creating merchant), a Ticket location, a User account, an Account created with a reseller's key reseller",
    settings: []
  },
  A22: {
    topic: 'currency',
    default: 'usd when left out; must be one of the active codes of ISO 4217, funds and metals included, whatever the version of Node.js',
    settings: ['transactions.default_currency']
  },
  A23: {
    topic: 'what can be refunded',
    default: "the Transaction's amount (the amount settled, tip included)",
    settings: ['transactions.refundable']
  },
  A24: {
    topic: 'amounts[…] against the top level',
    default:
      'echoed under amounts; a top-level parameter wins; else amount is amounts[transaction_amount], else amounts[payment_amount], tip_amount is amounts[tip_amount], currency is amounts[currency]; with neither, amount is 0 and a Refund of it is refused with charge_has_no_amount',
    settings: []
  },
  A25: {
    topic: 'card data',
    default:
      'payment_method is {type, card: {brand, last4} or null, bank_account: {bank_name, last4} or null}; last4 is card[last4], which must be four digits, else the last four digits of card[number]; number, csc, expiry, token, payload, account and routing numbers are used and forgotten: never stored, logged or shown',
    settings: []
  },
  A26: { topic: 'bank_account with another payment type', default: 'accepted and not used', settings: [] },
  A27: {
    topic: 'numbers',
    default:
      'an integer is decimal digits only, up to 2^53-1; amounts are not negative; adjustment_number is any decimal number, an exponent too; one that a double cannot hold exactly is refused, not rounded',
    settings: []
  },
  A28: {
    topic: "where a Refund's funds go",
    default: "a Refund carries its Transaction's payment_method and currency; a Transaction without a card can be refunded too",
    settings: []
  },
  A29: {
    topic: 'embedded refunds',
    default: 'refunds on a Transaction is a list object of the 10 most recent, has_more true beyond them; beside it amount_refunded',
    settings: []
  },
  A30: {
    topic: 'email, country',
    default:
      'syntax check of the address (RFC 5321 lengths, RFC 6531 letters beyond ASCII, a domain with at least one dot); ISO 3166-1 alpha-2, accepted in any letter case, returned in upper case',
    settings: []
  },
  A31: { topic: "changing an Account's type", default: 'allowed; the id keeps its old prefix', settings: [] },
  A32: {
    topic: 'JSON and multipart bodies',
    default: 'refused with 415 and a hint, like any other content type or encoding; form encoding is the only one documented',
    settings: []
  },
  A33: { topic: 'CORS', default: 'answered for the emulated API; never for the control API', settings: ['cors'], standing: true },
  A34: {
    topic: 'HTTP extras',
    default: 'every answer carries Request-Id, drawn from a counter of its own; no rate limits, no idempotency keys, no webhooks',
    settings: [],
    standing: true
  },
  A35: {
    topic: 'field lengths',
    default: 'no limit but those of the body, the number of parameters and the depth of nesting',
    settings: ['limits.body', 'limits.parameters', 'limits.depth']
  },
  A36: {
    topic: 'form syntax beyond the encoding',
    default:
      'a name given twice, a list or an object where one value belongs, bytes that are not UTF-8, raw or percent-encoded, and a declared charset other than UTF-8 are refused with form_malformed; nothing is replaced or guessed',
    settings: []
  },
  A37: { topic: 'a body on GET or DELETE', default: 'refused with body_unexpected', settings: [] },
  A38: {
    topic: 'instants in filters',
    default:
      'every ISO 8601 form that names an instant or a day (calendar, ordinal or week date, basic or extended); a day alone is its 00:00Z, no zone is UTC, a fraction finer than a millisecond compares exactly; a month or a year alone is refused',
    settings: []
  },
  A39: {
    topic: 'paths',
    default: 'a trailing slash is accepted; HEAD is refused with 405; a path outside the base gets a 404 that names the base',
    settings: []
  },
  A40: {
    topic: 'text',
    default: 'a required text of nothing but white space is refused like an empty one; search ignores letter case by Unicode',
    settings: []
  }
} as const satisfies Record<string, Assumption>

export type AssumptionId = keyof typeof ASSUMPTIONS
export const ASSUMPTION_IDS = Object.keys(ASSUMPTIONS) as AssumptionId[]
/** The place of each assumption in the ledger: what is counted by assumption is counted by place. */
export const ASSUMPTION_PLACES: ReadonlyMap<AssumptionId, number> = new Map(ASSUMPTION_IDS.map((id, place) => [id, place]))
/** The assumptions behind every answer; the others are counted. */
export const isStanding = (id: AssumptionId): boolean => (ASSUMPTIONS[id] as Assumption).standing === true
