/** The rules that a new Transaction is judged by, in order (reference §4). */
import type { Rule } from '../../core/judge.js'
import { isExact } from '../../core/money.js'
import type { PaymentType } from '../../reference/payment-methods.js'

type Facts = {
  payment_type: PaymentType
  has_phone: boolean
  has_email: boolean
  amount: number
  tip_amount: number | null
  donation_amount: number | null
}

export const TRANSACTION_RULES: readonly Rule<Facts>[] = [
  {
    rule: 'TXN-3',
    holds: ({ payment_type, has_phone }) => payment_type !== 'vip' || has_phone,
    else: 'parameter_missing',
    param: 'customer[phone]',
    message: () => 'customer[phone] is required with payment_type vip.'
  },
  {
    rule: 'TXN-4',
    holds: ({ payment_type, has_email }) => payment_type !== 'apple_pay' || has_email,
    else: 'parameter_missing',
    param: 'customer[email]',
    message: () => 'customer[email] is required with payment_type apple_pay.'
  },
  {
    assumption: 'A27',
    holds: isExact,
    else: 'parameter_invalid',
    param: 'amount',
    message: () => 'amount with tip_amount and donation_amount is above 2^53-1 sub-units.'
  }
]
