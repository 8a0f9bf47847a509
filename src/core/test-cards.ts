/**
 * Card numbers to use in place of real ones: they pass every check of their digits, and no bank has
 * issued them.
 */
import { isLuhnValid } from './card-numbers.js'

/** How the numbers of a brand begin, and how many digits they have. */
const VISA = ['4000', 16] as const
const BRANDS: Readonly<Record<string, readonly [start: string, digits: number]>> = {
  visa: VISA,
  mastercard: ['5100', 16],
  amex: ['3700', 15],
  discover: ['6011', 16]
}

/** A test number of a brand (Visa by default) that ends in four digits. */
export function testCardNumber(brand: string | null | undefined, last4: string): string {
  const [start, digits] = BRANDS[brand?.toLowerCase().replace(/[^a-z]/g, '') ?? ''] ?? VISA
  const zeros = '0'.repeat(digits - start.length - last4.length - 1)
  const numbers = Array.from('0123456789', digit => `${start}${zeros}${digit}${last4}`)
  return numbers.find(isLuhnValid) as string
}
