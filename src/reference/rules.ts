/**
 * The rules that the reference states, one id each: the ledger. What it does not state is an assumption (`assumptions.ts`), never a rule.
 * `violable` says whether a call can break the rule at all: some only describe the service's own answer. `keepable` is false where no call can show that it was kept.
 */

export type Rule = {
  text: string
  /** The sections of the reference that state it. */
  sections: readonly number[]
  violable: boolean
  keepable?: false
}

export const RULES = {
  'FORM-1': { text: 'POST bodies are form-encoded key/value pairs', sections: [1, 4], violable: true },
  'FORM-2': { text: 'nested values use bracket notation', sections: [1], violable: true },
  'FORM-3': { text: 'list parameters come in the query string', sections: [1, 4], violable: true },

  'AUTH-1': { text: 'HTTP Basic: the API key is the user name, the password is empty', sections: [5], violable: true },
  'AUTH-2': { text: 'POST /transactions needs no key', sections: [4, 5], violable: false },
  'AUTH-3': { text: 'every other endpoint is called with the key', sections: [5], violable: true },

  'BASE-1': { text: 'the base address ends in the segment next; every path is relative to it', sections: [9], violable: true },

  'ADDR-1': { text: 'address sub-fields: country, line1, line2, city, postal_code, state, all strings', sections: [2], violable: true },
  'ADDR-2': { text: 'country is a two-letter ISO 3166-1 alpha-2 code', sections: [2], violable: true },

  'META-1': { text: 'metadata holds key-value pairs', sections: [2], violable: true },
  'META-2': { text: 'posting an empty value for a key unsets that key', sections: [2], violable: false },
  'META-3': { text: 'posting an empty value for metadata unsets all keys', sections: [2], violable: false },

  'UPD-1': { text: 'parameters left out of an update stay unchanged', sections: [4], violable: false },
  'UPD-2': { text: 'an empty value unsets a parameter', sections: [4], violable: false },

  'LIST-1': { text: 'a list answers an object with the result set and has_more', sections: [2], violable: false },
  'LIST-2': { text: 'has_more is true when more results can be fetched', sections: [2], violable: false },
  'LIST-3': { text: 'every list takes limit, an integer page size', sections: [4, 8], violable: true },

  'FILT-1': { text: 'created[gte], on or after', sections: [4], violable: true },
  'FILT-2': { text: 'created[gt], after', sections: [4], violable: true },
  'FILT-3': { text: 'created[lte], on or before', sections: [4], violable: true },
  'FILT-4': { text: 'created[lt], before', sections: [4], violable: true },
  'FILT-5': { text: 'location keeps only what is at that Location', sections: [4], violable: false },
  'FILT-6': { text: 'location and created narrow before retrieval', sections: [4], violable: false },

  'SRCH-1': { text: 'search_query on Tickets keeps those whose reference matches', sections: [4], violable: false },
  'SRCH-2': { text: 'search_query on Transactions keeps those whose payment_method.card.last4 matches', sections: [4], violable: false },
  'SRCH-3': { text: 'search is applied after retrieval: a page may hold few or no matches while has_more is true', sections: [4], violable: false },

  'LOC-1': { text: 'create needs display_name', sections: [2], violable: true },
  'LOC-2': { text: 'create needs address[country]', sections: [2], violable: true },
  'LOC-3': { text: 'only merchant Accounts create Locations', sections: [1, 4], violable: true },
  'LOC-4': { text: 'DELETE /locations/{id} always aborts with 501', sections: [4, 7], violable: false },

  'ACC-1': { text: 'create needs type, one of merchant, reseller', sections: [2], violable: true },
  'ACC-2': { text: 'create needs name', sections: [2], violable: true },
  'ACC-3': { text: 'create needs email', sections: [2], violable: true },
  'ACC-4': { text: 'create needs address[country]', sections: [2], violable: true },
  'ACC-5': { text: 'DELETE /accounts/{id} always aborts with 501', sections: [4, 7], violable: false },

  'USR-1': { text: 'a User belongs to one parent Account, named in the path', sections: [2, 4], violable: true },
  'USR-2': { text: 'create needs name', sections: [2], violable: true },
  'USR-3': { text: 'create needs email, a valid address', sections: [2], violable: true },
  'USR-4': { text: 'delete answers 204 with an empty body', sections: [4, 7], violable: false },

  'TKT-1': { text: 'Tickets are read-only', sections: [2], violable: true, keepable: false },

  'TXN-1': { text: 'create needs ticket, the id of an existing Ticket', sections: [4], violable: true },
  'TXN-2': { text: 'create needs payment_type, one of card, apple_pay, google_pay, emv, external, paypal, vip', sections: [4], violable: true },
  'TXN-3': { text: 'vip needs customer[phone]', sections: [4], violable: true },
  'TXN-4': { text: 'apple_pay needs customer[email]', sections: [4], violable: true },
  'TXN-5': { text: 'bank_account is used only with vip', sections: [4], violable: false },
  'TXN-6': { text: 'currency is a three-letter ISO code in lower case', sections: [4], violable: true },
  'TXN-7': { text: 'amount, donation_amount and tip_amount are integers in the smallest sub-unit', sections: [4], violable: true },
  'TXN-8': { text: 'the 10 most recent Refunds are included', sections: [2, 8], violable: false },

  'REF-1': { text: 'a Refund targets an existing Transaction that is not yet fully refunded', sections: [4], violable: true },
  'REF-2': { text: 'funds return to the card originally charged', sections: [4], violable: false },
  'REF-3': { text: 'amount, when given, is a positive integer in sub-units and not above the remainder', sections: [4], violable: true },
  'REF-4': { text: 'without amount the whole remainder is refunded', sections: [4], violable: false },
  'REF-5': { text: 'partial Refunds may be repeated until the whole charge is refunded', sections: [4], violable: false },
  'REF-6': { text: 'a Refund on a fully refunded Transaction is an error', sections: [4, 7], violable: true },
  'REF-7': { text: 'a Refund above the remainder is an error', sections: [4, 7], violable: true },
  'REF-8': { text: 'reason defaults to null', sections: [2, 4], violable: false },
  'REF-9': { text: 'only metadata can be updated', sections: [2, 4], violable: true },
  'REF-10': { text: 'the list is most recent first, and can be narrowed to one transaction', sections: [4], violable: false }
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof RULES
export const RULE_IDS = Object.keys(RULES) as RuleId[]
/** The place of each rule in the ledger: what is counted by rule is counted by place. */
export const RULE_PLACES: ReadonlyMap<RuleId, number> = new Map(RULE_IDS.map((id, place) => [id, place]))
