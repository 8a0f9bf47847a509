/**
 * Numbers of form text, read exactly or not at all (A27), and money: what a Transaction was charged,
 * how much of it has been refunded, and what remains, in integer sub-units (REF-3 to REF-7, A23).
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

/** `negative` has a minus sign, however large. */
export type IntegerProblem = 'not_an_integer' | 'negative' | 'too_large'
/** `inexact`: a double cannot hold it. */
export type DecimalProblem = 'not_a_number' | 'inexact'
/** `value` is NaN for what is not a number, and rounded if inexact. */
export type Reading<P> = { value: number; problem: P | null }

/** Reads decimal digits, perhaps after a minus sign. */
export function readInteger(text: string): Reading<IntegerProblem> {
  if (!/^-?\d+$/.test(text)) return { value: Number.NaN, problem: 'not_an_integer' }
  const value = withoutMinusZero(Number(text))
  if (text.startsWith('-')) return { value, problem: 'negative' }
  return { value, problem: value > Number.MAX_SAFE_INTEGER ? 'too_large' : null }
}

/** A decimal number with an optional exponent, as JSON, Go, C, Python and SQL print it. */
const DECIMAL = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Reads a number: 9007199254740993 is `inexact`, 0.1 is not. */
export function readDecimal(text: string): Reading<DecimalProblem> {
  if (!DECIMAL.test(text)) return { value: Number.NaN, problem: 'not_a_number' }
  const value = withoutMinusZero(Number(text))
  const isExact = Number.isFinite(value) && normalized(text) === normalized(String(value))
  return { value, problem: isExact ? null : 'inexact' }
}

/** JSON prints -0 as 0. */
const withoutMinusZero = (value: number) => value + 0

/** Digits without outer zeros, and the power of ten of the last: equal for the same number. */
function normalized(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split(/[eE]/)
  const point = mantissa.indexOf('.')
  const digits = mantissa.replace('.', '').replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  return end === 0
    ? '0'
    : `${digits.slice(0, end)}e${Number(exponent) - decimals + digits.length - end}`
}
