/** The examples of the OpenAPI document, with the records of the default scenario. */
import type { Settings } from '../../core/settings.js'
import { filled } from '../../core/templates.js'
import {
  type Family,
  type OperationId,
  operationOf,
  PATH_RECORDS
} from '../../reference/operations.js'
import { completed } from '../../scenario/completion.js'
import { bytesOf } from '../../store/bytes.js'
import type { Shape, Stored } from '../../store/collection.js'
import { collectionOf, FAMILIES, type RecordOf, Store } from '../../store/store.js'

type Values = Readonly<Record<string, unknown>>

export const EXAMPLE_KEY = 'sk_test_merchant'

/** By operation, bodies with what each shows. */
export const BODIES: { readonly [Id in OperationId]?: Readonly<Record<string, Values>> } = {
  createLocation: {
    'A Location': {
      display_name: 'Bistro Nine Rooftop',
      address: {
        country: 'US',
        line1: '9 Harbor Street',
        city: 'Boston',
        postal_code: '02110',
        state: 'MA'
      },
      phone: '+1 617 555 0190',
      website: 'https://rooftop.bistro.example',
      metadata: { seats: '40' }
    },
    'Only what is required': { display_name: 'Bistro Nine Rooftop', address: { country: 'US' } }
  },
  updateLocation: {
    'A new name, no phone, one metadata key less': {
      display_name: 'Bistro Nine Waterfront',
      phone: '',
      metadata: { seats: '72', opened: '' }
    }
  },
  createAccount: {
    'A merchant': {
      type: 'merchant',
      name: 'Corner Coffee',
      email: 'owner@corner.example',
      address: { country: 'US', city: 'Portland', state: 'OR' },
      phone: '+1 503 555 0142',
      metadata: { plan: 'counter' }
    }
  },
  updateAccount: {
    'A new email address, one sub-field of the address': {
      email: 'office@bistro.example',
      address: { city: 'Boston' }
    }
  },
  createUser: { 'A User': { name: 'Noor', email: 'noor@bistro.example' } },
  createTransaction: {
    'A card': {
      ticket: 'tkt_60',
      payment_type: 'card',
      amount: 4200,
      tip_amount: 700,
      currency: 'usd',
      card: { brand: 'visa', last4: '4242' }
    },
    'Apple Pay, which needs an email address': {
      ticket: 'tkt_60',
      payment_type: 'apple_pay',
      amount: 4200,
      customer: { email: 'priya.nair@mail.example' },
      card: { token: 'tok_apple' }
    },
    'vip, which needs a phone number': {
      ticket: 'tkt_60',
      payment_type: 'vip',
      amount: 4200,
      customer: { name: 'Raymond Achebe', phone: '+1 617 555 0177' },
      bank_account: {
        bank_name: 'First Harbor Bank',
        account_number: '000123453041',
        routing_number: '011000015'
      }
    }
  },
  createRefund: {
    'A part of the charge': {
      transaction: 'txn_1',
      amount: 500,
      reason: 'late dessert',
      metadata: { case: 'C-140' }
    },
    'Whatever remains': { transaction: 'txn_1' }
  },
  updateRefund: { 'A metadata key': { metadata: { case: 'C-141' } } }
}

const FEBRUARY = {
  limit: 5,
  location: 'loc_bistro',
  created: { gte: '2026-02-01', lt: '2026-03-01' }
}
export const QUERIES: { readonly [Id in OperationId]?: Values } = {
  listLocations: { limit: 3 },
  listAccounts: { limit: 3 },
  listUsers: { limit: 3, created: { gte: '2025-12-01', lt: '2026-01-01' } },
  listTickets: FEBRUARY,
  listTransactions: FEBRUARY,
  listRefunds: { limit: 5, transaction: 'txn_63' }
}

/** A record of each family, as a fixture gives it. */
const RECORDS: Readonly<Record<Family, { id: string; [field: string]: unknown }>> = {
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

export const pathExample = (id: OperationId): Values =>
  Object.fromEntries(PATH_RECORDS[id].map(({ name, family }) => [name, RECORDS[family].id]))

/** The records as the API returns them. */
export function recordExamples(settings: Settings, shape: Shape): Readonly<Record<Family, Values>> {
  const store = new Store()
  const parents = {
    transactions: () => store.tickets.get('tkt_12'),
    refunds: () => store.transactions.get('txn_1')
  }
  for (const family of FAMILIES)
    store.put(
      family,
      completed(family, RECORDS[family], { settings, parent: parents[family as 'refunds']?.() })
    )
  const stored = (family: Family) =>
    collectionOf(store, family).stored(RECORDS[family].id) as Stored<RecordOf<Family>>
  return Object.fromEntries(
    FAMILIES.map(family => [
      family,
      JSON.parse(bytesOf(family, stored(family), store, shape).toString())
    ])
  ) as never
}

/** The list of an operation, with the record of its family. */
export function listExample(
  id: OperationId,
  records: Readonly<Record<Family, Values>>,
  { base, list }: Shape
): unknown {
  const { path, family } = operationOf(id)
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name) => String(pathExample(id)[name]))}`
  const own = RECORDS[family].id
  return filled(list, {
    url,
    members: [records[family]],
    has_more: false,
    first_id: own,
    last_id: own
  })
}
