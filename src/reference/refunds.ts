/** Refunds (reference §2, §4). */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import {
  closed,
  integer,
  METADATA,
  type MetadataChange,
  nullable,
  optional,
  PAGINATION,
  parameters,
  refersTo,
  resource,
  text
} from './parameters.js'
import { PAYMENT_METHOD } from './payment-methods.js'

export const REFUND = resource('refund', {
  transaction: text({ description: 'The Transaction that it refunds.', 'x-needed': true }),
  amount: integer({ minimum: 1, description: 'Sub-units of the currency.', 'x-needed': true }),
  currency: text({
    format: 'currency',
    'x-assumption': 'A28',
    description: 'The currency of its Transaction.'
  }),
  reason: nullable(text({ 'x-rule': 'REF-8', description: 'The reason for the Refund.' })),
  payment_method: PAYMENT_METHOD,
  metadata: METADATA
})
export type Refund = Static<typeof REFUND>

export const CREATE_REFUND = parameters({
  transaction: refersTo({
    'x-rule': 'REF-1',
    'x-refers': 'transactions',
    description: 'The Transaction to refund.'
  }),
  amount: optional(
    integer({
      minimum: 1,
      'x-rule': 'REF-3',
      'x-empty': 'refunds.empty_amount',
      description: 'Sub-units of the charge currency; by default, the remaining amount.'
    })
  ),
  reason: optional(text({ description: 'Null by default.' })),
  metadata: optional(METADATA)
})
const fixed = optional(text({ 'x-rule': 'REF-9', 'x-fixed': true }))
/** Only metadata can be updated (REF-9); the others are named so that the refusal can say so. */
export const UPDATE_REFUND = Type.Unsafe<{ metadata?: MetadataChange }>({
  ...closed({
    transaction: fixed,
    amount: fixed,
    reason: fixed,
    metadata: optional(METADATA)
  }),
  'x-empty': 'unsets'
})
export const LIST_REFUNDS = parameters({
  ...PAGINATION,
  transaction: optional(
    text({ 'x-rule': 'REF-10', description: 'A Transaction id: only its Refunds.' })
  )
})
