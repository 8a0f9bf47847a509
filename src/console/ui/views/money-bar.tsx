/** What was charged, refunded and remains, as a bar. */
import { type Money as Figures, moneyShown } from '../../../core/money.js'
import { Pairs } from '../components/layout.js'

export type Charge = Pick<Figures, 'charged' | 'refunded' | 'remaining'> & {
  currency: unknown
  asked?: number | null
}

export const Money = ({ amount, currency }: { amount: number; currency: unknown }) => (
  <span title={`${amount.toLocaleString('en')} sub-units`}>{moneyShown(amount, currency)}</span>
)

/** A short bar reads its figures out. */
export function MoneyBar({
  charged,
  refunded,
  remaining,
  asked = null,
  currency,
  isShort = false
}: Charge & { isShort?: boolean }) {
  const figures = Object.entries({
    Charged: charged,
    Refunded: refunded,
    Remaining: remaining,
    ...(asked !== null && { Requested: asked })
  })
  const text = figures
    .map(([name, sum]) => `${name.toLowerCase()} ${moneyShown(sum, currency)}`)
    .join(', ')
  const whole = Math.max(charged, refunded + (asked ?? 0), 1)
  const within = Math.min(asked ?? 0, Math.max(0, remaining))
  const shares = { refunded, within, beyond: (asked ?? 0) - within }
  return (
    <div class="money">
      <div class="shares" role="img" aria-label={text} title={text}>
        {Object.entries(shares).map(([name, sum]) => (
          <span key={name} class={name} style={{ width: `${(sum / whole) * 100}%` }} />
        ))}
      </div>
      {!isShort && (
        <Pairs
          class="facts"
          pairs={figures.map(([name, sum]) => [
            name,
            <Money key={name} amount={sum} currency={currency} />
          ])}
        />
      )}
    </div>
  )
}
