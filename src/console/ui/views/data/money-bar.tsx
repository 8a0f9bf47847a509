/** A bar of what was charged, refunded, and remains. */
import type { Money } from '../../../../core/money.js'
import { shownMoney } from './records.js'

/** With `isShort`, the bar alone; its figures are read out all the same. */
export function MoneyBar({ money, isShort = false }: { money: Money; isShort?: boolean }) {
  const { charged, refunded, remaining, currency } = money
  const text = `charged ${shownMoney(charged, currency)}, refunded ${shownMoney(refunded, currency)}, remaining ${shownMoney(remaining, currency)}`
  const share = charged === 0 ? 0 : Math.min(100, (refunded / charged) * 100)
  return (
    <div class="money">
      <div class="bar" role="img" aria-label={text} title={text}>
        <span style={{ width: `${share}%` }} />
      </div>
      {!isShort && (
        <dl>
          <div>
            <dt>Charged</dt>
            <dd>{shownMoney(charged, currency)}</dd>
          </div>
          <div>
            <dt>Refunded</dt>
            <dd>{shownMoney(refunded, currency)}</dd>
          </div>
          <div>
            <dt>Remaining</dt>
            <dd>{shownMoney(remaining, currency)}</dd>
          </div>
        </dl>
      )}
    </div>
  )
}
