/** Transactions: payments against a Ticket (reference §2, §4). */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import {
  CREATED_FILTERS,
  closed,
  integer,
  listOf,
  nullable,
  optional,
  PAGINATION,
  PHONE,
  parameters,
  refersTo,
  resource,
  text,
  word
} from './parameters.js'
import { PAYMENT_METHOD, PAYMENT_TYPES } from './payment-methods.js'
import { REFUND } from './refunds.js'

/**
 * What the request example of the reference sends as `amounts`; its relation to the top level is
 * not stated (A24).
 */
const assumedAmount = (description: string) =>
  optional(integer({ 'x-assumption': 'A24', description }))
const AMOUNTS = {
  currency: optional(
    text({
      format: 'currency',
      'x-assumption': 'A24',
      description: 'The currency, if not at the top level.'
    })
  ),
  transaction_amount: assumedAmount('The amount, if not at the top level.'),
  payment_amount: assumedAmount(
    'The amount, if neither at the top level nor in transaction_amount.'
  ),
  tip_amount: assumedAmount('The tip, if not at the top level.')
}

const PAID_BY = 'How it was paid.'
const CUSTOMER_NAME = 'The name of the customer.'

export const TRANSACTION = resource('transaction', {
  ticket: text({ description: 'The Ticket that it pays.', 'x-needed': true }),
  location: text({ 'x-assumption': 'A21', description: "The Ticket's Location." }),
  payment_type: word(PAYMENT_TYPES, { description: PAID_BY, 'x-needed': true }),
  payment_method: PAYMENT_METHOD,
  currency: text({
    format: 'currency',
    'x-assumption': 'A22',
    description: 'Three-letter ISO currency code, lower case.'
  }),
  amount: integer({ 'x-assumption': 'A24', description: 'The amount settled, in sub-units.' }),
  tip_amount: nullable(integer({ description: 'The tip, in sub-units.' })),
  donation_amount: nullable(integer({ description: 'As sent.' })),
  adjustment_number: nullable(Type.Number({ 'x-assumption': 'A27', description: 'As sent.' })),
  amounts: nullable(closed(AMOUNTS, { 'x-assumption': 'A24', description: 'As sent.' })),
  customer: nullable(
    closed(
      {
        name: nullable(text({ description: CUSTOMER_NAME })),
        email: nullable(text({ format: 'email', description: 'E-mail address.' })),
        phone: nullable(text({ description: PHONE }))
      },
      { description: 'The customer who paid.' }
    )
  ),
  amount_refunded: integer({
    'x-assumption': 'A29',
    description: 'The sum of its Refunds, in sub-units.',
    'x-derived': true
  }),
  refunds: listOf(REFUND, {
    'x-rule': 'TXN-8',
    description: 'The 10 most recent Refunds.',
    'x-derived': true
  })
})
export type Transaction = Static<typeof TRANSACTION>

const amount = (description: string) => optional(integer({ 'x-rule': 'TXN-7', description }))
const secret = (description: string) =>
  optional(text({ 'x-secret': true, description: `${description} Used, and never stored.` }))

export const CREATE_TRANSACTION = parameters({
  ticket: refersTo({
    'x-rule': 'TXN-1',
    'x-refers': 'tickets',
    description: 'The Ticket that it belongs to.'
  }),
  payment_type: word(PAYMENT_TYPES, { 'x-rule': 'TXN-2', description: PAID_BY }),
  bank_account: optional(
    closed(
      {
        bank_name: optional(text({ description: 'The name of the bank.' })),
        account_number: secret('The account number.'),
        routing_number: secret('The routing number.')
      },
      { description: 'Used only when payment_type is vip (TXN-5).' }
    )
  ),
  card: optional(
    closed({
      brand: optional(text({ description: 'The brand, such as visa.' })),
      last4: optional(
        text({
          format: 'last4',
          'x-assumption': 'A25',
          description: 'The last four digits of the number.'
        })
      ),
      number: secret('The card number.'),
      expiry: secret('The expiry.'),
      csc: secret('The card security code.'),
      token: secret('A token that represents the card.')
    })
  ),
  payload: secret('Further data, depending on payment_type.'),
  currency: optional(
    text({
      format: 'currency',
      'x-rule': 'TXN-6',
      description: 'Three-letter ISO currency code, lower case.'
    })
  ),
  adjustment_number: optional(
    Type.Number({ 'x-assumption': 'A27', description: 'Meaning not stated in the interface.' })
  ),
  amount: amount('Amount to settle, in the smallest sub-unit.'),
  donation_amount: amount('Meaning not stated in the interface.'),
  tip_amount: amount('The tip amount to include.'),
  customer: optional(
    closed({
      email: optional(
        text({
          format: 'email',
          'x-assumption': 'A30',
          'x-required-if': ['payment_type', 'apple_pay'],
          description: 'Required with payment_type apple_pay (TXN-4).'
        })
      ),
      name: optional(text({ description: CUSTOMER_NAME })),
      phone: optional(
        text({
          'x-required-if': ['payment_type', 'vip'],
          description: 'Required with payment_type vip (TXN-3).'
        })
      )
    })
  ),
  amounts: optional(closed(AMOUNTS))
})
export const LIST_TRANSACTIONS = parameters({
  ...PAGINATION,
  location: optional(
    text({ 'x-rule': 'FILT-5', description: 'A Location id: only Transactions at that Location.' })
  ),
  search_query: optional(
    text({
      maxLength: 1000,
      'x-rule': 'SRCH-2',
      description:
        'Keeps Transactions whose payment_method.card.last4 matches. Applied after retrieval.'
    })
  ),
  ...CREATED_FILTERS
})
