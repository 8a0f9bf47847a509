/** The rules that a new Refund is judged by, in order (reference §4, refund creation rules): of the API and of fixtures. */
import type { Rule } from './judge.js'
import { type Charge, type Money, moneyOf } from './money.js'
import type { Settings } from './settings.js'

/** `asked` is the amount that was asked for in sub-units; null asks for whatever remains. */
export type RefundFacts = Money & { asked: number | null }

/** What the rules see of a charge that a Refund is asked of. */
export function refundFacts(charge: Charge, asked: number | null, settings: Settings): RefundFacts {
  const { transaction, currency, charged, refunded, remaining } = moneyOf(charge, settings)
  return { transaction, currency, charged, refunded, remaining, asked }
}

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
    message: ({ transaction, charged, currency }) => `${transaction} was charged ${charged} ${currency}, and all of it has been refunded.`
  },
  {
    rule: 'REF-7',
    holds: ({ remaining, asked }) => asked === null || asked <= remaining,
    else: 'refund_exceeds_remaining',
    param: 'amount',
    message: ({ transaction, charged, refunded, remaining, currency, asked }) =>
      `${transaction} was charged ${charged} ${currency}, ${refunded} of it has been refunded, ${remaining} ${remaining === 1 ? 'remains' : 'remain'}; ${asked} was asked.`
  }
]
