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
  return Array.from(text.matchAll(ANY_RUN), ([run]) => new Run(run)).some(run => run.stretches((start, end) => run.isIssued(start, end)).length > 0)
}

function maskedRun(text: string): string {
  const run = new Run(text)
  return run.masked(run.stretches((start, end) => !run.isUnusual(start, end) || run.isIssued(start, end)))
}

/** The digits of a run, with what is between them. */
class Run {
  readonly #text: string
  /** Where each digit is in the text, and its value. */
  readonly #places: Int32Array
  readonly #digits: Uint8Array
  /** Whether each digit is the first of a group: of the run, or after a separator. */
  readonly #isFirst: Uint8Array
  /** How many separators up to each digit are other than a single space or dash. */
  readonly #unusual: Int32Array
  readonly #count: number

  constructor(text: string) {
    this.#text = text
    this.#places = new Int32Array(text.length)
    this.#digits = new Uint8Array(text.length)
    this.#isFirst = new Uint8Array(text.length)
    this.#unusual = new Int32Array(text.length)
    let count = 0
    let unusual = 0
    let done = 0
    for (let place = 0; place < text.length; ) {
      const character = text.codePointAt(place) as number
      const size = character > 0xffff ? 2 : 1
      const digit = digitOf(character)
      if (digit >= 0) {
        const isFirst = place > done
        if (isFirst && !USUAL_SEPARATOR.test(text.slice(done, place))) unusual++
        this.#places[count] = place
        this.#digits[count] = digit
        this.#isFirst[count] = isFirst || place === 0 ? 1 : 0
        this.#unusual[count] = unusual
        count++
        done = place + size
      }
      place += size
    }
    this.#count = count
  }

  /** The Luhn-valid stretches that pass, the longest from each start; those that overlap or meet are one. */
  stretches(passes: (start: number, end: number) => boolean): [start: number, end: number][] {
    const sums = [this.#luhnSums(0), this.#luhnSums(1)]
    const found: [number, number][] = []
    let done = 0
    for (let start = 0; start + LEAST_DIGITS <= this.#count; start++) {
      for (let end = Math.min(start + MOST_DIGITS, this.#count); end >= Math.max(start + LEAST_DIGITS, done + 1); end--) {
        // counted from the right every second digit is doubled: those whose parity is that of the end
        const sum = sums[end % 2] as Int32Array
        if (((sum[end] as number) - (sum[start] as number)) % 10 !== 0 || !passes(start, end)) continue
        const last = found.at(-1)
        if (last !== undefined && start <= done) last[1] = end
        else found.push([start, end])
        done = end
        break
      }
    }
    return found
  }

  /** Whether something other than a single space or dash separates digits of a stretch. */
  isUnusual(start: number, end: number): boolean {
    return this.#unusual[start] !== this.#unusual[end - 1]
  }

  /** Whether a stretch consists of whole groups of digits, and begins as the numbers of an issuer do that are as long. */
  isIssued(start: number, end: number): boolean {
    if (this.#isFirst[start] === 0 || (end < this.#count && this.#isFirst[end] === 0)) return false
    const beginning = this.#digits.subarray(start, start + 4).reduce((number, digit) => number * 10 + digit, 0)
    return isIssued(beginning, end - start)
  }

  /** The text with the digits of these stretches masked. */
  masked(stretches: readonly (readonly [start: number, end: number])[]): string {
    let text = ''
    let shown = 0
    let hidden = 0
    for (const [start, end] of stretches) {
      for (let nth = start; nth < end; nth++) {
        const place = this.#places[nth] as number
        if (place > shown) {
          text += '*'.repeat(hidden) + this.#text.slice(shown, place)
          hidden = 0
        }
        hidden++
        shown = place + ((this.#text.codePointAt(place) as number) > 0xffff ? 2 : 1)
      }
    }
    return text + '*'.repeat(hidden) + this.#text.slice(shown)
  }

  /** The Luhn sum of the digits before each place, those at places of one parity doubled. */
  #luhnSums(parity: number): Int32Array {
    const sums = new Int32Array(this.#count + 1)
    for (let place = 0; place < this.#count; place++) {
      const digit = this.#digits[place] as number
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
      sums[place + 1] = (sums[place] as number) + (place % 2 === parity ? doubled : digit)
    }
    return sums
  }
}

/** The values of characters beyond ASCII that were looked up before; -1 for one that is not a digit. */
const VALUES = new Map<number, number>()
const IS_DIGIT = /^\p{Nd}$/u

/** The value of a decimal digit of any script; -1 for any other character. */
function digitOf(character: number): number {
  if (character < 0x80) return character >= 0x30 && character <= 0x39 ? character - 0x30 : -1
  let value = VALUES.get(character)
  if (value === undefined) {
    value = digitValue(character)
    VALUES.set(character, value)
  }
  return value
}

/** Unicode encodes the digits of a script one after the other from 0 to 9, and some sets right after each other. */
function digitValue(character: number): number {
  let zero = character
  while (IS_DIGIT.test(String.fromCodePoint(zero))) zero--
  return zero === character ? -1 : (character - zero - 1) % 10
}

/** Whether an issuer has numbers of a length that begin with these four digits. */
function isIssued(beginning: number, length: number): boolean {
  const two = Math.floor(beginning / 100)
  // American Express · Visa · Mastercard and Mir · Diners Club · JCB and UnionPay · Maestro, Discover and UnionPay
  if (two === 34 || two === 37) return length === 15
  if (two >= 40 && two <= 49) return length === 13 || length === 16 || length === 19
  if ((two >= 51 && two <= 55) || (beginning >= 2200 && beginning <= 2204) || (beginning >= 2221 && beginning <= 2720)) return length === 16
  if (two === 30 || two === 36 || two === 38 || two === 39) return length >= 14
  if (two === 35 || two === 81) return length >= 16
  return two === 50 || (two >= 56 && two <= 58) || (two >= 60 && two <= 69)
}
