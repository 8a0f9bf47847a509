/** How a Transaction was paid, as returned with it and with its Refunds (A25, A28). */
import type { Static } from 'typebox'
import { closed, nullableObject, nullableText, word } from './parameters.js'

export const PAYMENT_TYPES = ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip'] as const
export type PaymentType = (typeof PAYMENT_TYPES)[number]

export const PAYMENT_METHOD = closed({
  type: word(PAYMENT_TYPES),
  card: nullableObject({ brand: nullableText(), last4: nullableText({ format: 'last4' }) }),
  bank_account: nullableObject({ bank_name: nullableText(), last4: nullableText({ format: 'last4' }) })
})
export type PaymentMethod = Static<typeof PAYMENT_METHOD>
