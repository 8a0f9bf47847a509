/**
 * Completes the records of fixtures: left out is null, an address has its six parts, metadata is an object (A04). Those of a family all have one shape, with
 * what its table names in the order of the table.
 */
import { FORMATS } from '../core/formats.js'
import { settled } from '../core/money.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { Address, Metadata } from '../reference/parameters.js'
import type { PaymentMethod } from '../reference/payment-methods.js'
import type { RecordOf, Records } from '../store/store.js'

/** What a record is completed from besides what was given of it; `parent` is the record that it refers to. */
export type Completion = { id: string; created: string; settings: Settings; parent: RecordOf<Family> | undefined }
/** Given fields may be left out or null, as far as the schema of fixtures allows it. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null }
type Complete<F extends Family> = (given: Given<Records[F]>, completion: Completion) => { [K in keyof Records[F]]: Records[F][K] | null }

const COMPLETE: { readonly [F in Family]: Complete<F> } = {
  accounts: ({ type = null, name = null, email = null, address, phone = null, reseller = null, metadata }, { id, created }) => {
    return { id, object: 'account', created, type, name, email, address: addressOf(address), phone, reseller, metadata: metadataOf(metadata) }
  },

  users: ({ account = null, name = null, email = null }, { id, created }) => ({ id, object: 'user', created, account, name, email }),

  locations: ({ account = null, display_name = null, address, phone = null, website = null, metadata }, { id, created }) => {
    return { id, object: 'location', created, account, display_name, address: addressOf(address), phone, website, metadata: metadataOf(metadata) }
  },

  tickets: ({ location = null, reference = null }, { id, created }) => ({ id, object: 'ticket', created, location, reference }),

  transactions: (given, { id, created, settings, parent }) => {
    const { ticket = null, payment_type = null, payment_method, adjustment_number = null, customer } = given
    const { currency, amount, tip_amount, donation_amount, amounts } = settled(given, settings)
    return {
      id,
      object: 'transaction',
      created,
      ticket,
      location: (parent as Records['tickets']).location,
      payment_type,
      payment_method: methodOf(payment_type as PaymentMethod['type'], payment_method ?? {}),
      currency,
      amount,
      tip_amount,
      donation_amount,
      adjustment_number,
      // unlike a record's own fields, those of `amounts` may be absent
      amounts: amounts && Object.fromEntries(Object.entries(amounts).filter(([, value]) => value !== null)),
      customer: customer ? { name: customer.name ?? null, email: customer.email ?? null, phone: customer.phone ?? null } : null,
      amount_refunded: 0
    }
  },

  // a Refund carries its Transaction's currency and payment method (A28)
  refunds: ({ transaction = null, amount = null, reason = null, metadata }, { id, created, parent }) => {
    const { currency, payment_method } = parent as Records['transactions']
    return { id, object: 'refund', created, transaction, amount, currency, reason, payment_method, metadata: metadataOf(metadata) }
  }
}

/** The record as it is stored, from what a fixture gives of it. */
export function completed<F extends Family>(family: F, given: Readonly<Record<string, unknown>>, completion: Completion): RecordOf<F> {
  const record = (COMPLETE[family] as Complete<F>)(given as Given<Records[F]>, completion) as RecordOf<F>
  return given.extra === undefined ? record : { ...record, extra: given.extra }
}

const methodOf = (type: PaymentMethod['type'], { card, bank_account }: Given<PaymentMethod>): PaymentMethod => ({
  type,
  card: card ? { brand: card.brand ?? null, last4: card.last4 ?? null } : null,
  bank_account: bank_account ? { bank_name: bank_account.bank_name ?? null, last4: bank_account.last4 ?? null } : null
})

function addressOf(address: Given<Address> | null | undefined): Address {
  const { country = null, line1 = null, line2 = null, city = null, postal_code = null, state = null } = { ...address }
  return { country: country && (FORMATS.country.stored as (text: string) => string)(country), line1, line2, city, postal_code, state }
}

const metadataOf = (metadata: Metadata | null | undefined): Metadata => Object.assign(Object.create(null), metadata)
