/** Money as people write it. */

const formats = new Map<string, Intl.NumberFormat | null>()

/** Null for what is not a currency code. */
function formatOf(currency: string): Intl.NumberFormat | null {
  let format = formats.get(currency)
  if (format === undefined) {
    try {
      format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
    } catch {
      format = null
    }
    formats.set(currency, format)
  }
  return format
}

/** An amount in sub-units by the digits of its currency: `$30.00` for 3000 usd, `¥3,000` for 3000 jpy. Without a currency that is known it stays a number. */
export function moneyShown(amount: number, currency: unknown): string {
  const format = typeof currency === 'string' ? formatOf(currency) : null
  if (format === null || !Number.isSafeInteger(amount)) return [amount.toLocaleString('en-US'), currency].filter(Boolean).join(' ')
  const digits = format.resolvedOptions().maximumFractionDigits as number
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const value = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return format.format(`${amount < 0 ? '-' : ''}${value}` as Intl.StringNumericLiteral)
}

/** Whether a field of a record, a parameter or a figure is an amount of money. */
export const isMoney = (name: string): boolean => /^(?:\w+_)?amount(?:_refunded)?$|^(?:charged|refunded|remaining|asked)$/.test(name)
