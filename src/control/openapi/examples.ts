/** Examples of records, from the default scenario, and of requests. */
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import { filled } from '../../core/templates.js'
import {
  type Family,
  type Operation,
  type OperationId,
  operationOf,
  PATH_RECORDS
} from '../../reference/operations.js'
import type { Schema } from '../../reference/parameters.js'
import { completed } from '../../scenario/completion.js'
import { bytesOf } from '../../store/bytes.js'
import type { Shape } from '../../store/collection.js'
import { collectionOf, FAMILIES, Store } from '../../store/store.js'
import { type Json, partsOf, tablesOf } from './schemas.js'

export const EXAMPLE_KEY = 'sk_test_merchant'

/** A record of each family, as a fixture gives it. */
const RECORDS: Readonly<Record<Family, Json & { id: string }>> = {
  accounts: {
    id: 'mch_bistro',
    created: '2025-12-01T14:00:00.000Z',
    type: 'merchant',
    name: 'Bistro Nine',
    email: 'owner@bistro.example',
    address: { country: 'US' }
  },
  users: {
    id: 'usr_ana',
    created: '2025-12-01T14:05:00.000Z',
    account: 'mch_bistro',
    name: 'Ana',
    email: 'ana@bistro.example'
  },
  locations: {
    id: 'loc_bistro',
    created: '2025-12-01T14:30:00.000Z',
    account: 'mch_bistro',
    display_name: 'Bistro Nine',
    address: { country: 'US', city: 'Boston' }
  },
  tickets: {
    id: 'tkt_12',
    created: '2026-01-15T18:00:00.000Z',
    location: 'loc_bistro',
    reference: 'T-12'
  },
  transactions: {
    id: 'txn_1',
    created: '2026-01-15T18:52:10.000Z',
    ticket: 'tkt_12',
    payment_type: 'card',
    amount: 4200,
    tip_amount: 700,
    payment_method: { card: { brand: 'visa', last4: '4242' } }
  },
  refunds: {
    id: 'rfd_1',
    created: '2026-01-15T18:58:45.000Z',
    transaction: 'txn_1',
    amount: 1200,
    reason: 'cold soup'
  }
}

/** Parameters that are not fields of the record. */
const SENT: Json = {
  limit: 5,
  location: 'loc_bistro',
  transaction: 'txn_1',
  created: { gte: '2025-12-01', lt: '2026-03-01' },
  currency: 'usd',
  card: { brand: 'visa', last4: '4242' },
  metadata: { case: 'C-140' }
}

const only = (values: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

/** By the parameter of a path. */
export const pathExample = (id: OperationId): Json =>
  Object.fromEntries(PATH_RECORDS[id].map(({ name, family }) => [name, RECORDS[family].id]))

export const queryExample = (id: OperationId): Json =>
  only(SENT, Object.keys(tablesOf(id).querystring?.properties ?? {}))

/** A create also has its required values alone. An update unsets the phone. */
export function bodyExamples(
  { family, kind, title }: Operation,
  table: Schema
): { summary: string; value: Json }[] {
  const unset = kind === 'update' && { phone: '' }
  const names = Object.entries(partsOf(table)).flatMap(([name, part]) =>
    part['x-fixed'] ? [] : [name]
  )
  const whole = { summary: title, value: only({ ...SENT, ...RECORDS[family], ...unset }, names) }
  if (kind === 'update') return [whole]
  return [whole, { summary: 'Only what is required', value: requiredIn(whole.value, table) }]
}

/** The required values, of an address its country. */
function requiredIn(values: Json, table: Schema): Json {
  const required = Object.entries(only(values, table.required as readonly string[]))
  return Object.fromEntries(
    required.map(([name, value]) => {
      const part = partsOf(table)[name] as Schema
      return [name, isObject(value) ? requiredIn(value, part) : value]
    })
  )
}

/** The records as the API returns them. */
export function recordExamples(settings: Settings, shape: Shape): Readonly<Record<Family, Json>> {
  const store = new Store()
  for (const family of FAMILIES) {
    const parent =
      family === 'refunds' ? store.transactions.get('txn_1') : store.tickets.get('tkt_12')
    store.put(family, completed(family, RECORDS[family], { settings, parent }))
  }
  const example = (family: Family) => {
    const stored = collectionOf(store, family).stored(RECORDS[family].id)
    return stored && JSON.parse(bytesOf(family, stored, store, shape).toString())
  }
  return {
    accounts: example('accounts'),
    users: example('users'),
    locations: example('locations'),
    tickets: example('tickets'),
    transactions: example('transactions'),
    refunds: example('refunds')
  }
}

/** The list of an operation, with the record of its family. */
export function listExample(id: OperationId, record: Json, { base, list }: Shape): unknown {
  const { path } = operationOf(id)
  const ids = pathExample(id)
  return filled(list, {
    url: base + path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name])),
    members: [record],
    has_more: false,
    first_id: record.id,
    last_id: record.id
  })
}
