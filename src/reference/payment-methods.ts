/** How a Transaction was paid, as returned with it and with its Refunds (A25, A28). */
import type { Static } from 'typebox'
import { closed, nullable, text, word } from './parameters.js'

/** Those that charge a card. */
export const CARD_TYPES = ['card', 'apple_pay', 'google_pay', 'emv'] as const
export const PAYMENT_TYPES = [...CARD_TYPES, 'external', 'paypal', 'vip'] as const
export type PaymentType = (typeof PAYMENT_TYPES)[number]

const last4 = (number: string) =>
  nullable(text({ format: 'last4', description: `The last four digits of the ${number}.` }))

export const PAYMENT_METHOD = closed(
  {
    type: word(PAYMENT_TYPES, { description: 'The payment type.' }),
    card: nullable(
      closed(
        { brand: nullable(text({ description: 'The brand.' })), last4: last4('number') },
        { description: 'The card, if a card was used.' }
      )
    ),
    bank_account: nullable(
      closed(
        {
          bank_name: nullable(text({ description: 'The name of the bank.' })),
          last4: last4('account number')
        },
        { description: 'The bank account, if one was used.' }
      )
    )
  },
  { 'x-assumption': 'A25', description: 'The stored details of the payment (A25).' }
)
export type PaymentMethod = Static<typeof PAYMENT_METHOD>
/** Whether a card was charged (REF-2, A28). */
export const isOfCard = ({ type, card }: PaymentMethod): boolean =>
  CARD_TYPES.some(ofCard => ofCard === type) && card !== null
