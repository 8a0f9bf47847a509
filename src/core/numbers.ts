/** Numbers of form text, read exactly or not at all (A27). */

/** Why a text is not taken as an integer; `negative` is one with a minus sign, however large. */
export type IntegerProblem = 'not_an_integer' | 'negative' | 'too_large'
/** Why a text is not taken as a decimal number; `inexact` is one that would come back as another number. */
export type DecimalProblem = 'not_a_number' | 'inexact'
/** A number that was read: the problem is null for one that is taken as it is. The value of one that is not a number is NaN, that of a too large one is rounded. */
export type Reading<P> = { value: number; problem: P | null }

/** Reads decimal digits, with a minus sign perhaps; more than 2^53-1 is `too_large`. */
export function readInteger(text: string): Reading<IntegerProblem> {
  if (!/^-?\d+$/.test(text)) return { value: Number.NaN, problem: 'not_an_integer' }
  const value = withoutMinusZero(Number(text))
  if (text.startsWith('-')) return { value, problem: 'negative' }
  return { value, problem: value > Number.MAX_SAFE_INTEGER ? 'too_large' : null }
}

/** An optional minus sign, digits before or after the point, and an optional exponent: all that JSON and Go's strconv print. */
const DECIMAL = /^-?(\d+(?:\.\d+)?|\.\d+)(?:[eE]([+-]?\d+))?$/

/**
 * Reads a decimal number, with an exponent perhaps. It is `inexact` when the double next to it is printed as another number:
 * 9007199254740993, which would come back as 9007199254740992, but not 0.1.
 */
export function readDecimal(text: string): Reading<DecimalProblem> {
  if (!DECIMAL.test(text)) return { value: Number.NaN, problem: 'not_a_number' }
  const value = withoutMinusZero(Number(text))
  const isExact = Number.isFinite(value) && normalized(text) === normalized(String(value))
  return { value, problem: isExact ? null : 'inexact' }
}

/** JSON has no use for -0: it is printed as 0. */
const withoutMinusZero = (value: number) => value + 0

/** Digits without zeros at either end, and the power of ten of the last one: equal for texts that denote numbers of the same size. */
function normalized(text: string): string {
  const [, mantissa, exponent = '0'] = DECIMAL.exec(text) as unknown as [string, string, string?]
  const point = mantissa.indexOf('.')
  const digits = mantissa.replace('.', '').replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - decimals + digits.length - end}`
}
