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
    id: 'TXN-3',
    applies: ({ payment_type }) => payment_type === 'vip',
    holds: ({ has_phone }) => has_phone,
    else: 'parameter_missing',
    param: 'customer[phone]',
    message: () => 'customer[phone] is required with payment_type vip.'
  },
  {
    id: 'TXN-4',
    applies: ({ payment_type }) => payment_type === 'apple_pay',
    holds: ({ has_email }) => has_email,
    else: 'parameter_missing',
    param: 'customer[email]',
    message: () => 'customer[email] is required with payment_type apple_pay.'
  },
  {
    id: 'TXN-7',
    holds: isExact,
    else: 'parameter_invalid',
    param: 'amount',
    message: () => 'amount with tip_amount and donation_amount is above 2^53-1 sub-units.'
  }
]
