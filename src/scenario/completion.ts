/**
 * Completes the records of fixtures: left out is null, an address has its six parts, metadata is an object (A04). Those of a family all have one shape, with
 * what its table names in the order of the table.
 */
import { FORMATS } from '../core/formats.js'
import { settled } from '../core/money.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import { type Address, addressOf, type Metadata } from '../reference/parameters.js'
import type { PaymentMethod } from '../reference/payment-methods.js'
import type { RecordOf, Records } from '../store/store.js'

/** What a record is completed from besides what was given of it; `parent` is the record that it refers to. */
export type Completion = { id: string; created: string; settings: Settings; parent: RecordOf<Family> | undefined }
/** Given fields may be left out or null, as far as the schema of fixtures allows it. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null }
type Complete<F extends Family> = (given: Given<Records[F]>, completion: Completion) => Records[F]

const COMPLETE: { readonly [F in Family]: Complete<F> } = {
  accounts: ({ type, name, email, address, phone, reseller, metadata }, { id, created }) => ({
    id,
    object: 'account',
    created,
    type: type as Records['accounts']['type'],
    name: name as string | null,
    email: email as string | null,
    address: storedAddress(address as Address),
    phone: phone ?? null,
    reseller: reseller ?? null,
    metadata: metadataOf(metadata)
  }),

  users: ({ account, name, email }, { id, created }) => ({
    id,
    object: 'user',
    created,
    account: account as string,
    name: name as string,
    email: email as string
  }),

  locations: ({ account, display_name, address, phone, website, metadata }, { id, created }) => ({
    id,
    object: 'location',
    created,
    account: account as string,
    display_name: display_name as string | null,
    address: storedAddress(address as Address),
    phone: phone ?? null,
    website: website ?? null,
    metadata: metadataOf(metadata)
  }),

  tickets: ({ location, reference }, { id, created }) => ({ id, object: 'ticket', created, location: location as string, reference: reference ?? null }),

  transactions: (given, { id, created, settings, parent }) => {
    const { ticket, payment_type, payment_method, adjustment_number, customer } = given
    const { currency, amount, tip_amount, donation_amount, amounts } = settled(given, settings)
    const type = payment_type as PaymentMethod['type']
    const { card, bank_account: bank } = payment_method ?? {}
    return {
      id,
      object: 'transaction',
      created,
      ticket: ticket as string,
      location: (parent as Records['tickets']).location,
      payment_type: type,
      payment_method: {
        type,
        card: card == null ? null : { brand: card.brand ?? null, last4: card.last4 ?? null },
        bank_account: bank == null ? null : { bank_name: bank.bank_name ?? null, last4: bank.last4 ?? null }
      },
      currency,
      amount,
      tip_amount,
      donation_amount,
      adjustment_number: adjustment_number ?? null,
      amounts: amountsOf(amounts),
      customer: customer == null ? null : { name: customer.name ?? null, email: customer.email ?? null, phone: customer.phone ?? null },
      amount_refunded: 0
    }
  },

  // a Refund carries its Transaction's currency and payment method (A28)
  refunds: ({ transaction, amount, reason, metadata }, { id, created, parent }) => ({
    id,
    object: 'refund',
    created,
    transaction: transaction as string,
    amount: amount as number,
    currency: (parent as Records['transactions']).currency,
    reason: reason ?? null,
    payment_method: (parent as Records['transactions']).payment_method,
    metadata: metadataOf(metadata)
  })
}

/** The record as it is stored, from what a fixture gives of it. */
export function completed<F extends Family>(family: F, given: Readonly<Record<string, unknown>>, completion: Completion): RecordOf<F> {
  const record: RecordOf<F> = (COMPLETE[family] as Complete<F>)(given as Given<Records[F]>, completion)
  return given.extra === undefined ? record : { ...record, extra: given.extra }
}

const storedAddress = ({ country, ...rest }: Address): Address =>
  addressOf({ country: country === null ? null : (FORMATS.country.stored as (text: string) => string)(country), ...rest })

/** The sub-properties of `amounts` that are not null: unlike a record's own fields, they may be absent. */
const amountsOf = (amounts: Records['transactions']['amounts']): Records['transactions']['amounts'] =>
  amounts === null ? null : Object.fromEntries(Object.entries(amounts).filter(([, value]) => value !== null))

const metadataOf = (metadata: Metadata | null | undefined): Metadata => Object.assign(Object.create(null), metadata)
