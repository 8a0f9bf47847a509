/**
 * What is kept of how a payment was made: brand or bank name, and the last four digits; everything
 * else is used and forgotten (A25, A26).
 */
import type { Static } from 'typebox'
import type { PaymentMethod } from '../reference/payment-methods.js'
import type { CREATE_TRANSACTION } from '../reference/transactions.js'
import { withoutSecrets } from './redaction.js'

type Payment = Pick<Static<typeof CREATE_TRANSACTION>, 'payment_type' | 'card' | 'bank_account'>

export function paymentMethodOf({ payment_type, card, bank_account }: Payment): PaymentMethod {
  return {
    type: payment_type,
    card: card
      ? { brand: maskedName(card.brand), last4: card.last4 ?? lastFour(card.number) }
      : null,
    bank_account:
      bank_account && payment_type === 'vip'
        ? {
            bank_name: maskedName(bank_account.bank_name),
            last4: lastFour(bank_account.account_number)
          }
        : null
  }
}

/** Masked, since a number may be sent under the wrong name. */
const maskedName = (text: string | undefined): string | null =>
  text === undefined ? null : withoutSecrets(text)

/** The last four digits of a number, however it is grouped; null when it has fewer. */
function lastFour(number: string | undefined): string | null {
  const digits = number?.replace(/\D/g, '') ?? ''
  return digits.length >= 4 ? digits.slice(-4) : null
}
