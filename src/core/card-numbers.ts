/** Finds card numbers in the digits of any script, however grouped (A25), in linear time. */

const MIN_DIGITS = 13
const MAX_DIGITS = 19
/** Between two digits: up to three separators, and characters without width, which do not count. */
const GAP = String.raw`\p{Cf}*(?:[\p{Zs}\p{Pd}\u2212\t,./_+:|\u00b7\u2022\uff0b\uff0c\uff0e\uff0f\uff1a\uff3f\uff5c]\p{Cf}*){0,3}`
const MAY_HOLD = new RegExp(String.raw`\p{Nd}(?:${GAP}\p{Nd}){${MIN_DIGITS - 1}}`, 'u')
const IS_GAP = new RegExp(`^${GAP}$`, 'u')
/** Card numbers are grouped by a single space or dash more often than other numbers are. */
const IS_USUAL_GAP = /^\p{Cf}*[\p{Zs}\p{Pd}\u2212]?\p{Cf}*$/u
/**
 * Beginnings and lengths: American Express · Visa · Mastercard and Mir · Diners Club · JCB and
 * UnionPay · Maestro, Discover and UnionPay.
 */
const IS_ISSUED =
  /^(?:3[47]\d{13}|4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d\d|220[0-4]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[0689]\d{12,17}|(?:35|81)\d{14,17}|(?:5[0678]|6\d)\d{11,17})$/
/** Single digits, or groups of four and more but for the last, unlike times and phone numbers. */
const IS_GROUPED = /^(?:\d(?: \d)*|(?:\d{4,} )*\d+)$/
const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]

/** Masks each Luhn-valid stretch of 13 to 19 digits, wherever in a run of digits it starts. */
export function withoutCardNumbers(text: string): string {
  if (!mayHold(text)) return text
  const parts = text.split(/(\p{Nd})/u)
  let isMasked = false
  for (const [from, to] of stretchesIn(parts, true)) {
    isMasked = true
    for (let place = from; place <= to; place += 2) parts[place] = '*'
  }
  return isMasked ? parts.join('') : text
}

/**
 * A number of a known issuer that is not part of a longer one: a time may be Luhn-valid.
 */
export const holdsCardNumber = (text: string): boolean =>
  mayHold(text) && !stretchesIn(text.split(/(\p{Nd})/u), false).next().done

const mayHold = (text: string): boolean => text.length >= MIN_DIGITS && MAY_HOLD.test(text)

/** The card numbers in parts of a text: gaps at even places, digits at odd ones. */
function* stretchesIn(
  parts: readonly string[],
  isAnyUsual: boolean
): Generator<[from: number, to: number]> {
  const gaps = new Map<string, number>()
  const gapOf = (gap: string) => gaps.get(gap) ?? (gaps.set(gap, kindOf(gap)).get(gap) as number)
  const values = parts.map((part, place) => (place % 2 === 1 ? digitOf(part) : gapOf(part)))
  values[0] = values[parts.length - 1] = OTHER
  for (let to = 2 * MIN_DIGITS - 1; to < parts.length; to += 2) {
    let sum = 0
    let longest = 0
    let isUsual = isAnyUsual
    for (let from = to, length = 1; from > 0 && length <= MAX_DIGITS; from -= 2, length++) {
      const value = values[from] as number
      sum += length % 2 === 0 ? (DOUBLED[value] as number) : value
      if (length >= MIN_DIGITS && sum % 10 === 0 && (isUsual || isIssued(values, from, to)))
        longest = from
      const gap = values[from - 1]
      if (gap === OTHER) break
      if (gap === UNUSUAL) isUsual = false
    }
    if (longest > 0) yield [longest, to]
  }
}

const NONE = 0
const USUAL = 1
const UNUSUAL = 2
const OTHER = 3

function kindOf(gap: string): number {
  if (gap === '') return NONE
  if (IS_USUAL_GAP.test(gap)) return USUAL
  return IS_GAP.test(gap) ? UNUSUAL : OTHER
}

const DIGITS = new Map<string, number>()

/**
 * Unicode encodes the digits of a script in order from 0 to 9, and some sets right after each
 * other.
 */
function digitOf(digit: string): number {
  if (digit <= '9') return Number(digit)
  const code = Number(digit.codePointAt(0))
  let before = code
  while (!DIGITS.has(digit) && /\p{Nd}/u.test(String.fromCodePoint(before))) before--
  if (before < code) DIGITS.set(digit, (code - before - 1) % 10)
  return Number(DIGITS.get(digit))
}

/** Whether a stretch is whole groups of digits, as card numbers have, and of an issuer. */
function isIssued(values: readonly number[], from: number, to: number): boolean {
  if (values[from - 1] === NONE || values[to + 1] === NONE) return false
  let digits = ''
  let groups = ''
  for (let place = from; place <= to; place += 2) {
    digits += values[place]
    groups += values[place + 1] === NONE ? values[place] : `${values[place]} `
  }
  return IS_ISSUED.test(digits) && IS_GROUPED.test(groups.trimEnd())
}
