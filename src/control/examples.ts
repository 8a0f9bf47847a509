/** The examples of the OpenAPI document: calls that succeed with the default scenario, and records of it. */
import { filled, type Template } from '../core/templates.js'
import type { Family, OperationId } from '../reference/operations.js'

type Values = Readonly<Record<string, unknown>>
export type CallExample = {
  params?: Readonly<Record<string, string>>
  query?: Values
  body?: Readonly<Record<string, Values>>
}

export const EXAMPLE_KEY = 'sk_test_merchant'

export const CALL_EXAMPLES: Readonly<Record<OperationId, CallExample>> = {
  createLocation: {
    body: {
      'A Location': {
        display_name: 'Bistro Nine Rooftop',
        address: { country: 'US', line1: '9 Harbor Street', city: 'Boston', postal_code: '02110', state: 'MA' },
        phone: '+1 617 555 0190',
        website: 'https://rooftop.bistro.example',
        metadata: { seats: '40' }
      },
      'Only what is required': { display_name: 'Bistro Nine Rooftop', address: { country: 'US' } }
    }
  },
  readLocation: { params: { id: 'loc_bistro' } },
  updateLocation: {
    params: { id: 'loc_bistro_harbor' },
    body: {
      'A new name, no phone, one metadata key less': { display_name: 'Bistro Nine Waterfront', phone: '', metadata: { seats: '72', opened: '' } }
    }
  },
  listLocations: { query: { limit: 3 } },
  deleteLocation: { params: { id: 'loc_bistro' } },

  createAccount: {
    body: {
      'A merchant': {
        type: 'merchant',
        name: 'Corner Coffee',
        email: 'owner@corner.example',
        address: { country: 'US', city: 'Portland', state: 'OR' },
        phone: '+1 503 555 0142',
        metadata: { plan: 'counter' }
      },
      'A reseller': { type: 'reseller', name: 'Till & Co', email: 'hello@till.example', address: { country: 'GB' } }
    }
  },
  readAccount: { params: { id: 'mch_bistro' } },
  updateAccount: {
    params: { id: 'mch_bistro' },
    body: { 'A new email address': { email: 'office@bistro.example' }, 'One sub-field of the address': { address: { city: 'Boston' } } }
  },
  listAccounts: { query: { limit: 3 } },
  deleteAccount: { params: { id: 'mch_bistro' } },

  createUser: { params: { id: 'mch_bistro' }, body: { 'A User': { name: 'Noor', email: 'noor@bistro.example' } } },
  listUsers: { params: { id: 'mch_bistro' }, query: { limit: 3, created: { gte: '2025-12-01', lt: '2026-01-01' } } },
  deleteUser: { params: { account_id: 'mch_bistro', user_id: 'usr_luca' } },

  readTicket: { params: { id: 'tkt_12' } },
  listTickets: { query: { limit: 5, location: 'loc_bistro', created: { gte: '2026-02-01', lt: '2026-03-01' } } },

  readTransaction: { params: { id: 'txn_1' } },
  createTransaction: {
    body: {
      'A card': { ticket: 'tkt_60', payment_type: 'card', amount: 4200, tip_amount: 700, currency: 'usd', card: { brand: 'visa', last4: '4242' } },
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
        bank_account: { bank_name: 'First Harbor Bank', account_number: '000123453041', routing_number: '011000015' }
      }
    }
  },
  listTransactions: { query: { limit: 5, location: 'loc_bistro', created: { gte: '2026-02-01', lt: '2026-03-01' } } },

  createRefund: {
    body: {
      'A part of the charge': { transaction: 'txn_1', amount: 500, reason: 'late dessert', metadata: { case: 'C-140' } },
      'Whatever remains': { transaction: 'txn_1' }
    }
  },
  readRefund: { params: { id: 'rfd_1' } },
  updateRefund: { params: { id: 'rfd_1' }, body: { 'A metadata key': { metadata: { case: 'C-141' } } } },
  listRefunds: { query: { limit: 5, transaction: 'txn_63' } }
}

const address = { country: 'US', line1: null, line2: null, city: 'Boston', postal_code: null, state: null }
const paidByCard = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null }
const refund = {
  id: 'rfd_1',
  object: 'refund',
  created: '2026-01-15T18:58:45.000Z',
  transaction: 'txn_1',
  amount: 1200,
  currency: 'usd',
  reason: 'cold soup',
  payment_method: paidByCard,
  metadata: {}
}

/** A list object with one record. */
export const listExample = (url: string, record: { id: string; [field: string]: unknown }, template: Template) =>
  filled(template, { url, members: [record], has_more: false, first_id: record.id, last_id: record.id })

/** One record of each family, as the API at a base address returns it. */
export const recordExamples = (base: string, list: Template): Readonly<Record<Family, { id: string; [field: string]: unknown }>> => ({
  locations: {
    id: 'loc_bistro',
    object: 'location',
    created: '2025-12-01T14:30:00.000Z',
    account: 'mch_bistro',
    display_name: 'Bistro Nine',
    address,
    phone: null,
    website: null,
    metadata: {}
  },
  accounts: {
    id: 'mch_bistro',
    object: 'account',
    created: '2025-12-01T14:00:00.000Z',
    type: 'merchant',
    name: 'Bistro Nine',
    email: 'owner@bistro.example',
    address: { ...address, city: null },
    phone: null,
    reseller: null,
    metadata: {}
  },
  users: { id: 'usr_ana', object: 'user', created: '2025-12-01T14:05:00.000Z', account: 'mch_bistro', name: 'Ana', email: 'ana@bistro.example' },
  tickets: { id: 'tkt_12', object: 'ticket', created: '2026-01-15T18:00:00.000Z', location: 'loc_bistro', reference: 'T-12' },
  transactions: {
    id: 'txn_1',
    object: 'transaction',
    created: '2026-01-15T18:52:10.000Z',
    ticket: 'tkt_12',
    location: 'loc_bistro',
    payment_type: 'card',
    payment_method: paidByCard,
    currency: 'usd',
    amount: 4200,
    tip_amount: 700,
    donation_amount: null,
    adjustment_number: null,
    amounts: null,
    customer: null,
    amount_refunded: 1200,
    refunds: listExample(`${base}/refunds?transaction=txn_1`, refund, list)
  },
  refunds: refund
})
