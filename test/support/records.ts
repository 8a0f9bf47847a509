import type { Page } from '../../src/store/paging.js'
import type { Records } from '../../src/store/store.js'

const BEGINNING = new Date(0).toISOString()

export const storedTransaction = (
  id: string,
  given: Partial<Records['transactions']> = {}
): Records['transactions'] => ({
  id,
  object: 'transaction',
  created: BEGINNING,
  ticket: 'tkt_a',
  location: 'loc_a',
  payment_type: 'external',
  payment_method: { type: 'external', card: null, bank_account: null },
  currency: 'usd',
  amount: 1000,
  tip_amount: null,
  donation_amount: null,
  adjustment_number: null,
  amounts: null,
  customer: null,
  amount_refunded: 0,
  ...given
})

export const storedRefund = (
  id: string,
  { id: transaction, currency, payment_method, created }: Records['transactions'],
  amount: number
): Records['refunds'] => ({
  id,
  object: 'refund',
  created,
  transaction,
  amount,
  currency,
  reason: null,
  payment_method,
  metadata: {}
})

export const recordsOf = <R>({ stored }: Page<R>): R[] => stored.map(({ record }) => record)
