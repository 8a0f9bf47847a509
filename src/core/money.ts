/**
 * What a Transaction was charged, how much of it has been refunded, and what remains: integers in
 * sub-units, never negative (REF-3 to REF-7, A23).
 */
import type { Transaction } from '../reference/transactions.js'
import type { Settings } from './settings.js'

/** Sums of a payment as they were sent, at the top level and under `amounts`. */
type Sum = 'currency' | 'amount' | 'tip_amount' | 'donation_amount' | 'amounts'
export type Sums = { [S in Sum]?: Transaction[S] | null }
/** What is settled: the top level, else `amounts`, else the default currency and 0 (A22, A24). */
export function settled(
  { currency, amount, tip_amount, donation_amount, amounts }: Sums,
  settings: Settings
) {
  const fallback = settings['transactions.default_currency']
  return {
    currency: currency ?? amounts?.currency ?? (fallback === 'required' ? 'usd' : fallback),
    amount: amount ?? amounts?.transaction_amount ?? amounts?.payment_amount ?? 0,
    tip_amount: tip_amount ?? amounts?.tip_amount ?? null,
    donation_amount: donation_amount ?? null,
    amounts: amounts ?? null
  }
}

/** In sub-units; `charged` is the maximum that can be refunded. */
export type Money = {
  transaction: string
  currency: string
  charged: number
  refunded: number
  remaining: number
}
export type Charge = Pick<
  Transaction,
  'id' | 'currency' | 'amount' | 'tip_amount' | 'donation_amount' | 'amount_refunded'
>

/**
 * The figures of a charge (A23); `remaining` is never below 0, whatever `transactions.refundable`
 * has been changed to.
 */
export function moneyOf(charge: Charge, settings: Settings): Money {
  const { amount, tip_amount, donation_amount, amount_refunded: refunded } = charge
  const charged =
    settings['transactions.refundable'] === 'amount'
      ? amount
      : amount + (tip_amount ?? 0) + (donation_amount ?? 0)
  return {
    transaction: charge.id,
    currency: charge.currency,
    charged,
    refunded,
    remaining: Math.max(0, charged - refunded)
  }
}

const FORMATS = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string): Intl.NumberFormat {
  const format =
    FORMATS.get(currency) ?? new Intl.NumberFormat('en-US', { style: 'currency', currency })
  FORMATS.set(currency, format)
  return format
}

/**
 * An amount in sub-units by the digits of its currency: `$30.00` for 3000 usd, `¥3,000` for 3000
 * jpy. Without a currency it stays a number.
 */
export function moneyShown(amount: number, currency: unknown): string {
  if (typeof currency !== 'string' || !/^[a-z]{3}$/i.test(currency))
    return [amount.toLocaleString('en-US'), currency].filter(Boolean).join(' ')
  const format = formatOf(currency)
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions()
  // as text: a quotient is not exact
  return format.format(`${amount}E-${digits}` as Intl.StringNumericLiteral)
}

export const isMoney = (name: string): boolean => /(?:^|[._])amount(?:_|$)/.test(name)

/** Whether the sum of a charge's parts is an integer that a double holds exactly (A27). */
export const isExact = (
  charge: Pick<Charge, 'amount' | 'tip_amount' | 'donation_amount'>
): boolean =>
  Number.isSafeInteger(charge.amount + (charge.tip_amount ?? 0) + (charge.donation_amount ?? 0))
