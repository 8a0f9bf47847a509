/** The rules that a create is judged by (reference §1, §4), and their judge. */
import type { AccountType } from '../reference/accounts.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { PaymentType } from '../reference/payment-methods.js'
import type { RuleId } from '../reference/rules.js'
import { ApiError, type ErrorCode } from './errors.js'
import { isExact, type Money } from './money.js'

export type Facts = Readonly<Record<string, unknown>>

/**
 * What must hold, and how a request is refused: under a rule, or an assumption where the reference
 * is silent.
 */
export type Rule<F extends Facts> = (
  | { rule: RuleId; assumption?: undefined }
  | { assumption: AssumptionId; rule?: undefined }
) & {
  holds: (facts: F) => boolean
  else: ErrorCode
  param?: string
  message: (facts: F) => string
}

/** The first rule that the facts violate; undefined if all pass. */
export const firstViolated = <F extends Facts>(
  rules: readonly Rule<F>[],
  facts: F
): Rule<F> | undefined => rules.find(rule => !rule.holds(facts))

/** Errors: of the first rule that fails, with the facts it saw. */
export function judge<F extends Facts>(rules: readonly Rule<F>[], facts: F): void {
  const violated = firstViolated(rules, facts)
  if (violated === undefined) return
  const { rule, assumption, param, message } = violated
  throw new ApiError(violated.else, { message: message(facts), facts, param, rule, assumption })
}

export type LocationFacts = { account: string; type: AccountType | null }
export const LOCATION_RULES: readonly Rule<LocationFacts>[] = [
  {
    rule: 'LOC-3',
    holds: ({ type }) => type === 'merchant',
    else: 'merchant_required',
    message: ({ account, type }) =>
      `Only merchant Accounts can create Locations; the key acts as ${account}, whose type is ${type}.`
  }
]

export type PaymentFacts = {
  payment_type: PaymentType
  has_phone: boolean
  has_email: boolean
  has_currency: boolean
  has_amount: boolean
  amount: number
  tip_amount: number | null
  donation_amount: number | null
}
export const TRANSACTION_RULES: readonly Rule<PaymentFacts>[] = [
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
    assumption: 'A22',
    holds: ({ has_currency }) => has_currency,
    else: 'parameter_missing',
    param: 'currency',
    message: () => 'currency is required by transactions.default_currency.'
  },
  {
    assumption: 'A24',
    holds: ({ has_amount }) => has_amount,
    else: 'parameter_missing',
    param: 'amount',
    message: () => 'amount is required by transactions.without_amount.'
  },
  {
    assumption: 'A27',
    holds: isExact,
    else: 'parameter_invalid',
    param: 'amount',
    message: () => 'amount with tip_amount and donation_amount is above 2^53-1 sub-units.'
  }
]

/** `asked` is in sub-units, null for what remains. */
export type RefundFacts = Money & { asked: number | null }
export const REFUND_RULES: readonly Rule<RefundFacts>[] = [
  {
    assumption: 'A24',
    holds: ({ charged }) => charged > 0,
    else: 'charge_has_no_amount',
    param: 'transaction',
    message: ({ transaction }) => `${transaction} settled nothing, so there is nothing to refund.`
  },
  {
    rule: 'REF-6',
    holds: ({ remaining }) => remaining > 0,
    else: 'charge_already_refunded',
    param: 'transaction',
    message: ({ transaction, charged, currency }) =>
      `${transaction} was charged ${charged} ${currency}, and all of it has been refunded.`
  },
  {
    rule: 'REF-7',
    holds: ({ remaining, asked }) => (asked ?? remaining) <= remaining,
    else: 'refund_exceeds_remaining',
    param: 'amount',
    message: ({ transaction, charged, refunded, remaining, currency, asked }) =>
      `${transaction} was charged ${charged} ${currency}, ${refunded} of it has been refunded, ${remaining} ${remaining === 1 ? 'remains' : 'remain'}; the request asks for ${asked}.`
  }
]

export const CARD_RULES: readonly Rule<{ transaction: string; has_card: boolean }>[] = [
  {
    assumption: 'A28',
    holds: ({ has_card }) => has_card,
    else: 'charge_has_no_card',
    param: 'transaction',
    message: ({ transaction }) => `${transaction} charged no card, so it cannot be refunded.`
  }
]
