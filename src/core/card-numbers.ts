/** Finds card numbers in text, in whatever digits and groups they are written (A25). Every function takes time in proportion to the text. */

/** Digits of the shortest card number, and the most separators between two of its digits; the expressions below repeat both. */
export const LEAST_DIGITS = 13
export const MOST_SEPARATORS = 3
const MOST_DIGITS = 19

/** Thirteen digits or more with up to three separators between two of them. The first expression is for ASCII text, the second for any. */
const ASCII_RUN = /\d(?:[\t ,./_+-]{0,3}\d){12,}/g
const ANY_RUN = /\p{Nd}(?:[\p{Zs}\p{Pd}\t,./_+\u2212\u00b7\u2022\uff0c\uff0e\uff0f\uff3f]{0,3}\p{Nd}){12,}/gu
const HAS_ASCII_RUN = new RegExp(ASCII_RUN, '')
const IS_BEYOND_ASCII = /[\u0080-\uffff]/
const IS_DIGIT = /^\p{Nd}$/u
/** A single space or dash of any script: card numbers are grouped by these more often than other numbers are. */
const USUAL_SEPARATOR = /^[\p{Zs}\p{Pd}\u2212]$/u

/** The text with the digits of every card number masked: each Luhn-valid stretch of 13 to 19 digits, wherever in a run of digits it starts. */
export function withoutCardNumbers(text: string): string {
  if (text.length < LEAST_DIGITS) return text
  if (IS_BEYOND_ASCII.test(text)) return text.replace(ANY_RUN, maskedRun)
  return HAS_ASCII_RUN.test(text) ? text.replace(ASCII_RUN, maskedRun) : text
}

/**
 * Whether a text holds a card number of a known issuer that is not a part of a longer number: what a name is refused for, since
 * a time or a build number in it is Luhn-valid as often as not.
 */
export function holdsCardNumber(text: string): boolean {
  return Array.from(text.matchAll(ANY_RUN), ([run]) => digitsOf(run)).some(digits => stretchesOf(digits, isIssued).length > 0)
}

function maskedRun(run: string): string {
  let shown = ''
  let done = 0
  for (const { at, end } of stretchesOf(digitsOf(run), (...stretch) => !isUnusual(...stretch) || isIssued(...stretch)).flat()) {
    shown += `${run.slice(done, at)}*`
    done = end
  }
  return shown + run.slice(done)
}

/** A digit of a run: where it is, whether a group begins with it, and how many separators before it are other than a single space or dash. */
type Digit = { readonly value: number; readonly at: number; readonly end: number; readonly isFirst: boolean; readonly unusual: number }
/** Whether the digits from one place to before another may be a card number. */
type Passes = (digits: readonly Digit[], start: number, end: number) => boolean

function digitsOf(run: string): Digit[] {
  const digits: Digit[] = []
  let [at, done, unusual] = [0, 0, 0]
  for (const character of run) {
    const value = digitValue(character)
    const end = at + character.length
    if (value >= 0) {
      if (at > done && !USUAL_SEPARATOR.test(run.slice(done, at))) unusual++
      digits.push({ value, at, end, isFirst: at === 0 || at > done, unusual })
      done = end
    }
    at = end
  }
  return digits
}

/** The Luhn-valid stretches that pass, the longest from each start; those that overlap or meet are one. */
function stretchesOf(digits: readonly Digit[], passes: Passes): (readonly Digit[])[] {
  const sums = [luhnSums(digits, 0), luhnSums(digits, 1)]
  const found: [start: number, end: number][] = []
  let done = 0
  for (let start = 0; start + LEAST_DIGITS <= digits.length; start++) {
    for (let end = Math.min(start + MOST_DIGITS, digits.length); end >= Math.max(start + LEAST_DIGITS, done + 1); end--) {
      // counted from the right every second digit is doubled: those whose parity is that of the end
      const sum = sums[end % 2] as Int32Array
      if (((sum[end] as number) - (sum[start] as number)) % 10 !== 0 || !passes(digits, start, end)) continue
      const last = found.at(-1)
      if (last !== undefined && start <= done) last[1] = end
      else found.push([start, end])
      done = end
      break
    }
  }
  return found.map(([start, end]) => digits.slice(start, end))
}

/** The Luhn sum of the digits before each place, those at places of one parity doubled. */
function luhnSums(digits: readonly Digit[], parity: number): Int32Array {
  const sums = new Int32Array(digits.length + 1)
  let place = 0
  for (const { value } of digits) {
    const doubled = value > 4 ? value * 2 - 9 : value * 2
    sums[place + 1] = (sums[place] as number) + (place % 2 === parity ? doubled : value)
    place++
  }
  return sums
}

/** Whether something other than a single space or dash separates digits of a stretch. */
const isUnusual: Passes = (digits, start, end) => digits[start]?.unusual !== digits[end - 1]?.unusual

/** Whether a stretch consists of whole groups of digits, and begins as the numbers of an issuer do that are as long. */
function isIssued(digits: readonly Digit[], start: number, end: number): boolean {
  if (digits[start]?.isFirst !== true || digits[end]?.isFirst === false) return false
  const beginning = digits.slice(start, start + 4).reduce((number, { value }) => number * 10 + value, 0)
  return hasNumbers(beginning, end - start)
}

/** The values of characters that were looked up before. */
const VALUES = new Map<string, number>()

/** The value of a decimal digit, -1 for any other character. Unicode encodes the digits of a script in order from 0 to 9, and some sets right after each other. */
function digitValue(character: string): number {
  let value = VALUES.get(character)
  if (value === undefined) {
    const code = character.codePointAt(0) as number
    let zero = code
    while (IS_DIGIT.test(String.fromCodePoint(zero))) zero--
    value = zero === code ? -1 : (code - zero - 1) % 10
    VALUES.set(character, value)
  }
  return value
}

/** Whether an issuer has numbers of a length that begin with these four digits. */
function hasNumbers(beginning: number, length: number): boolean {
  const two = Math.floor(beginning / 100)
  // American Express · Visa · Mastercard and Mir · Diners Club · JCB and UnionPay · Maestro, Discover and UnionPay
  if (two === 34 || two === 37) return length === 15
  if (two >= 40 && two <= 49) return length === 13 || length === 16 || length === 19
  if ((two >= 51 && two <= 55) || (beginning >= 2200 && beginning <= 2204) || (beginning >= 2221 && beginning <= 2720)) return length === 16
  if (two === 30 || two === 36 || two === 38 || two === 39) return length >= 14
  if (two === 35 || two === 81) return length >= 16
  return two === 50 || (two >= 56 && two <= 58) || (two >= 60 && two <= 69)
}
