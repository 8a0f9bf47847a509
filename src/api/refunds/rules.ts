/** The rules that a new Refund is judged by, in order (reference §4, refund creation rules). */
import type { Rule } from '../../core/judge.js'
import type { Money } from '../../core/money.js'

type Facts = Money & { asked: number | null }

export const REFUND_RULES: readonly Rule<Facts>[] = [
  {
    id: 'REF-1',
    holds: ({ charged }) => charged > 0,
    else: 'charge_has_no_amount',
    param: 'transaction',
    message: ({ transaction }) => `${transaction} settled nothing, so there is nothing to refund.`
  },
  {
    id: 'REF-6',
    holds: ({ remaining }) => remaining > 0,
    else: 'charge_already_refunded',
    param: 'transaction',
    message: ({ transaction, charged, currency }) => `${transaction} was charged ${charged} ${currency}, and all of it has been refunded.`
  },
  {
    id: 'REF-7',
    applies: ({ asked }) => asked !== null,
    holds: ({ remaining, asked }) => (asked as number) <= remaining,
    else: 'refund_exceeds_remaining',
    param: 'amount',
    message: ({ transaction, charged, refunded, remaining, currency, asked }) =>
      `${transaction} was charged ${charged} ${currency}, ${refunded} of it has been refunded, ${remaining} remain; ${asked} was asked.`
  }
]
