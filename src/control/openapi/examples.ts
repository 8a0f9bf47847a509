/** Examples of requests and responses, with the ids of the default scenario. */
import { inBrackets } from '../../core/form.js'
import { isObject } from '../../core/schema-words.js'
import { filled } from '../../core/templates.js'
import type { Schema } from '../../reference/parameters.js'
import type { Shape } from '../../store/collection.js'

/** A part of a document; undefined is not written. */
export type Json = Record<string, unknown>

export const EXAMPLE_KEY = 'sk_test_merchant'

/** By the names of parameters and fields; by the name of a resource its id. */
export const VALUES: Json = {
  location: 'loc_bistro',
  account: 'mch_bistro',
  user: 'usr_ana',
  ticket: 'tkt_12',
  transaction: 'txn_1',
  refund: 'rfd_1',
  created: '2026-01-15T18:52:10.000Z',
  display_name: 'Bistro Nine',
  name: 'Ana',
  email: 'ana@bistro.example',
  country: 'US',
  city: 'Boston',
  reference: 'T-12',
  brand: 'visa',
  last4: '4242',
  currency: 'usd',
  amount: 1200,
  tip_amount: 200,
  amount_refunded: 1200,
  reason: 'cold soup',
  metadata: { case: 'C-140' },
  limit: 5,
  gte: '2025-12-01',
  lt: '2026-03-01',
  // objects that are left out
  bank_account: null,
  customer: null,
  amounts: null
}

/** A response of a shape, or a request, which has no value where a response has null. */
export function exampleOf({ properties = {} }: Schema, shape?: Shape): Json {
  const resource = String(properties.object?.enum?.[0])
  const fields = Object.entries(properties).map(([name, part]) => {
    const value = VALUES[name === 'id' ? resource : name]
    const inner = part.properties && value !== null ? exampleOf(part, shape) : value
    const example = part['x-fixed'] ? undefined : (part.enum?.[0] ?? inner)
    return [name, example ?? (shape && null)]
  })
  const member = properties.data?.items
  return member && shape ? listExample(exampleOf(member, shape), shape) : Object.fromEntries(fields)
}

function listExample(record: Json, { base, list }: Shape) {
  const parent = record.object === 'user' ? `/accounts/${VALUES.account}` : ''
  return filled(list, {
    url: `${base}${parent}/${record.object}s`,
    members: [record],
    has_more: false,
    first_id: record.id,
    last_id: record.id
  }) as Json
}

/** The values of a request; in the flat style by their names in brackets. */
export function requestExample(table: Schema, isFlat: boolean): Json {
  const parts = Object.entries(exampleOf(table)).flatMap(([name, value]) =>
    isFlat && isObject(value)
      ? Object.entries(value).map(([part, inner]) => [inBrackets(name, part), inner])
      : [[name, value]]
  )
  return Object.fromEntries(parts)
}
