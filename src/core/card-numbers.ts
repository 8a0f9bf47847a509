/** Finds card numbers in text, in whatever digits and groups they are written (A25). Every function takes time in proportion to the text. */

const MIN_DIGITS = 13
const MAX_DIGITS = 19
/** Separators between two digits; characters without width do not count. */
const MAX_SEPARATORS = 3

/** What a character is, from `ZERO` on the value of a digit. Card numbers are grouped by a single space or dash more often than other numbers are. */
const [OTHER, INVISIBLE, UNUSUAL, USUAL, ZERO] = [1, 2, 3, 4, 5] as const
const CLASSES: readonly (readonly [kind: number, characters: RegExp])[] = [
  [USUAL, /[\p{Zs}\p{Pd}\u2212]/u],
  [UNUSUAL, /[\t,./_+:|\u00b7\u2022\uff0b\uff0c\uff0e\uff0f\uff1a\uff3f\uff5c]/],
  [INVISIBLE, /\p{Cf}/u]
]
/** The kinds of the characters that were looked up. */
const KINDS = new Uint8Array(0x110000)

const kindOf = (code: number): number => KINDS[code] || lookedUp(code)

/** Unicode encodes the digits of a script in order from 0 to 9, and some sets right after each other. */
function lookedUp(code: number): number {
  const character = String.fromCodePoint(code)
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero))) zero--
  KINDS[code] = zero < code ? ZERO + ((code - zero - 1) % 10) : (CLASSES.find(([, characters]) => characters.test(character))?.[0] ?? OTHER)
  return KINDS[code]
}

/** The text with the digits of every card number masked: each Luhn-valid stretch of 13 to 19 digits, wherever in a run of digits it starts. */
export function withoutCardNumbers(text: string): string {
  if (text.length < MIN_DIGITS) return text
  let shown = ''
  let done = 0
  for (const run of runsIn(text)) {
    for (const [from, to] of stretchesIn(digitsIn(text, run), isUsual)) {
      shown += text.slice(done, from) + text.slice(from, to).replace(/\p{Nd}+/gu, masked)
      done = to
    }
  }
  return done === 0 ? text : shown + text.slice(done)
}

/** One asterisk for each digit; the second halves of surrogate pairs are left out. */
const masked = (digits: string) => '*'.repeat(digits.replace(/[\udc00-\udfff]/g, '').length)

/**
 * Whether a text holds a card number of a known issuer that is not a part of a longer number: what a name is refused for, since
 * a time or a build number in it is Luhn-valid as often as not.
 */
export const holdsCardNumber = (text: string): boolean => runsIn(text).some(run => stretchesIn(digitsIn(text, run)).length > 0)

type Run = { readonly from: number; to: number }

/** Where thirteen digits or more are, with up to three separators between two of them. */
function runsIn(text: string): Run[] {
  const runs: Run[] = []
  let [from, digits, separators] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at)
    const start = at
    if (code >= 0xd800) {
      code = text.codePointAt(at) as number
      if (code > 0xffff) at++
    }
    const kind = kindOf(code)
    if (kind === OTHER) digits = 0
    else if (kind >= ZERO) {
      if (digits++ === 0) from = start
      separators = 0
      if (digits === MIN_DIGITS) runs.push({ from, to: at + 1 })
      else if (digits > MIN_DIGITS) (runs.at(-1) as Run).to = at + 1
    } else if (kind !== INVISIBLE && ++separators > MAX_SEPARATORS) digits = 0
  }
  return runs
}

/** The digits of a run: their values, where each begins and ends, and what separates it from the one before. */
type Digits = { readonly values: number[]; readonly starts: number[]; readonly ends: number[]; readonly gaps: number[] }
const NO_GAP = 0

function digitsIn(text: string, { from, to }: Run): Digits {
  const digits: Digits = { values: [], starts: [], ends: [], gaps: [] }
  let gap: number = USUAL
  for (let at = from; at < to; at++) {
    const code = text.codePointAt(at) as number
    const kind = kindOf(code)
    if (kind >= ZERO) {
      digits.starts.push(at)
      if (code > 0xffff) at++
      digits.ends.push(at + 1)
      digits.values.push(kind - ZERO)
      digits.gaps.push(gap)
      gap = NO_GAP
    } else if (kind !== INVISIBLE) gap = gap === NO_GAP ? kind : UNUSUAL
  }
  return digits
}

/** Where the Luhn-valid stretches are that pass or are an issuer's, the longest from each start; those that overlap or meet are one. */
function stretchesIn(digits: Digits, passes: (digits: Digits, start: number, end: number) => boolean = () => false): [from: number, to: number][] {
  const { length } = digits.values
  const sums = [luhnSums(digits, 0), luhnSums(digits, 1)]
  const found: [from: number, to: number][] = []
  let done = 0
  for (let start = 0; start + MIN_DIGITS <= length; start++) {
    for (let end = Math.min(start + MAX_DIGITS, length); end >= Math.max(start + MIN_DIGITS, done + 1); end--) {
      // counted from the right every second digit is doubled: those whose parity is that of the end
      const sum = sums[end % 2] as Int32Array
      if (((sum[end] as number) - (sum[start] as number)) % 10 !== 0 || !(passes(digits, start, end) || isIssued(digits, start, end))) continue
      const to = digits.ends[end - 1] as number
      const last = found.at(-1)
      if (last !== undefined && start <= done) last[1] = to
      else found.push([digits.starts[start] as number, to])
      done = end
      break
    }
  }
  return found
}

const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]

/** The Luhn sum of the digits before each place, those at places of one parity doubled. */
function luhnSums({ values }: Digits, parity: number): Int32Array {
  const sums = new Int32Array(values.length + 1)
  let place = 0
  for (const value of values) {
    sums[place + 1] = (sums[place] as number) + (place % 2 === parity ? (DOUBLED[value] as number) : value)
    place++
  }
  return sums
}

/** Whether nothing but single spaces and dashes separates the digits of a stretch. */
function isUsual({ gaps }: Digits, start: number, end: number): boolean {
  for (let place = start + 1; place < end; place++) if (gaps[place] === UNUSUAL) return false
  return true
}

/** How the numbers of issuers begin, with their lengths: American Express · Visa · Mastercard and Mir · Diners Club · JCB and UnionPay · Maestro, Discover and UnionPay. */
const IS_ISSUED =
  /^(?:3[47]\d{13}|4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d\d|220[0-4]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[0689]\d{12,17}|(?:35|81)\d{14,17}|(?:5[0678]|6\d)\d{11,17})$/
/** Groups of a card number: single digits, or four and more but for the last. Times, dates and phone numbers have others. */
const IS_GROUPED = /^(?:\d(?: \d)*|(?:\d{4,} )*\d+)$/

/** Whether a stretch consists of whole groups of digits, as card numbers have them, and is a number of an issuer. */
function isIssued({ values, gaps }: Digits, start: number, end: number): boolean {
  if (gaps[start] === NO_GAP || gaps[end] === NO_GAP) return false
  const digits = values.slice(start, end)
  return (
    IS_ISSUED.test(digits.join('')) &&
    IS_GROUPED.test(digits.map((digit, place) => (place > 0 && gaps[start + place] !== NO_GAP ? ` ${digit}` : digit)).join(''))
  )
}
