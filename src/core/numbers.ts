/** Numbers of form text, read exactly or not at all (A27). */

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
