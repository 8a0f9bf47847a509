/**
 * Random choices of one request, which depend only on the seed and the request's number, so that
 * any request can be repeated.
 */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

export const listed = (...lines: readonly string[]): string[] =>
  lines.flatMap(line => line.split('¦'))

export class Draws {
  #state: number

  constructor(seed: number, nth: number) {
    this.#state =
      (Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(nth + 1, 0xc2b2_ae35)) >>> 0
  }

  /** An integer from 0 to `count` - 1 (mulberry32). */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<V>(values: readonly V[]): V {
    return values[this.below(values.length)] as V
  }

  way<V>(ways: readonly (readonly [weight: number, make: () => V])[]): V {
    let left = this.below(ways.reduce((sum, [weight]) => sum + weight, 0))
    const chosen = ways.find(([weight]) => {
      left -= weight
      return left < 0
    })
    return (chosen as (typeof ways)[number])[1]()
  }

  word(length: number): string {
    return Array.from({ length }, () => ALPHABET[this.below(ALPHABET.length)]).join('')
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** A card number of sixteen digits with a valid checksum, with these first digits. */
  cardNumber(beginning: string): string {
    const digits =
      beginning + Array.from({ length: 15 - beginning.length }, () => this.below(10)).join('')
    const sum = [...digits].reduce((sum, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
      return sum + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
    return `${digits}${(10 - (sum % 10)) % 10}`
  }
}
