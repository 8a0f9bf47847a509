/** A bar of what was charged, refunded, and remains. */
import { Pairs } from '../../components/table.js'
import type { State } from '../../control/client.js'
import { type AnyRecord, moneyIn, type Refundable, shownMoney } from './records.js'

type Props = {
  state: State
  transaction: AnyRecord
  refundable: Refundable
  /** Only the bar is shown; its figures are read out all the same. */
  isShort?: boolean
}

export function MoneyBar({ state, transaction, refundable, isShort = false }: Props) {
  const { charged, refunded, remaining, currency } = moneyIn(state, transaction, { 'transactions.refundable': refundable })
  const figures = Object.entries({ Charged: charged, Refunded: refunded, Remaining: remaining }).map(
    ([name, sum]) => [name, shownMoney(sum, currency)] as const
  )
  const text = figures.map(([name, sum]) => `${name.toLowerCase()} ${sum}`).join(', ')
  const share = charged === 0 ? 0 : Math.min(100, (refunded / charged) * 100)
  return (
    <div class="money">
      <div class="bar" role="img" aria-label={text} title={text}>
        <span style={{ width: `${share}%` }} />
      </div>
      {!isShort && <Pairs pairs={figures} />}
    </div>
  )
}
