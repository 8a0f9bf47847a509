/** Words that are masked wherever they occur: API keys and the control token. */

/** What replaces something that was masked. */
export const MASK = '***'
/** Characters that a word is recognised by before it is compared whole. */
const HEAD = 4
/** Beginnings that one regular expression looks for; with more, every word of a text is looked up. */
const MOST_HEADS = 256
const ANY_WORD = /(?<!\w)\S/g
/** What a regular expression finds nowhere. */
const NOWHERE = '(?!)'

const escaped = (text: string) => text.replace(/\W/g, '\\$&')
/** How base64 begins for text that begins so: a group of four characters holds three bytes. */
const base64Head = (word: string) => Buffer.from(word).subarray(0, 3).toString('base64').slice(0, HEAD)

export class SecretWords {
  readonly #words: ReadonlySet<string>
  /** Longest first, so that no word hides behind its own beginning. */
  readonly #lengths: readonly number[]
  /** Finds out whether a word may be in a text, as it is or in base64. */
  readonly sign: RegExp
  /** Finds the places where one of the words may be. */
  readonly #heads: RegExp
  readonly #also: SecretWords | null
  /** The length of the shortest word. */
  readonly shortest: number

  /** `also` are words that are masked too. */
  constructor(words: Iterable<string>, also: SecretWords | null = null) {
    this.#words = new Set(words)
    const lengths = new Set<number>()
    const heads = new Set<string>()
    const encoded = new Set<string>()
    for (const word of this.#words) {
      lengths.add(word.length)
      if (heads.size > MOST_HEADS) continue
      heads.add(word.slice(0, HEAD))
      encoded.add(base64Head(word))
    }
    this.#lengths = [...lengths].sort((a, b) => b - a)
    const areFew = heads.size <= MOST_HEADS
    const any = [...heads].map(escaped).join('|')
    this.#heads = areFew ? new RegExp(`(?<!\\w)(?:${any})`, 'g') : ANY_WORD
    const signs = areFew ? [...heads, ...encoded].map(escaped) : ['']
    this.sign = new RegExp([...signs, also?.sign.source ?? NOWHERE].join('|'))
    this.#also = also
    this.shortest = Math.min(...lengths, also?.shortest ?? Number.POSITIVE_INFINITY)
  }

  has(word: string): boolean {
    return this.#words.has(word) || this.#also?.has(word) === true
  }

  /** The text with each of the words masked where it is by itself. */
  maskedIn(text: string): string {
    return this.#also === null ? this.#maskedIn(text) : this.#also.maskedIn(this.#maskedIn(text))
  }

  #maskedIn(text: string): string {
    let shown = ''
    let done = 0
    for (const { index } of text.matchAll(this.#heads)) {
      const word = index < done ? undefined : this.#wordAt(text, index)
      if (word === undefined) continue
      shown += text.slice(done, index) + MASK
      done = index + word.length
    }
    return done === 0 ? text : shown + text.slice(done)
  }

  #wordAt(text: string, place: number): string | undefined {
    for (const length of this.#lengths) {
      const word = text.slice(place, place + length)
      if (this.#words.has(word) && !/^\w/.test(text.slice(place + length, place + length + 1))) return word
    }
    return undefined
  }
}

export const NO_WORDS = new SecretWords([])
