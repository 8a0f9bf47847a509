/** Words that are masked wherever they occur: API keys and the control token. */

/** What replaces something that was masked. */
export const MASK = '***'
/** Characters that a word is recognised by before it is compared whole; one where words begin in too many ways for a regular expression. */
const HEAD = 4
const MAX_HEADS = 256

const headsOf = (words: Iterable<string>, length: number) => new Set(Array.from(words, word => word.slice(0, length).replace(/\W/g, '\\$&')))

export class SecretWords {
  /** The words, and each as HTTP Basic sends it as a user name. */
  readonly #words: ReadonlySet<string>
  /** Longest first, so that no word hides behind its own beginning. */
  readonly #lengths: readonly number[]
  /** Finds the places where one of the words may be. */
  readonly #heads: RegExp
  readonly #also: SecretWords | null
  readonly #shortest: number

  /** `also` are words that are masked too. */
  constructor(words: Iterable<string>, also: SecretWords | null = null) {
    this.#words = new Set(Array.from(words, word => [word, Buffer.from(`${word}:`).toString('base64')]).flat())
    this.#lengths = [...new Set(Array.from(this.#words, ({ length }) => length))].sort((a, b) => b - a)
    const heads = headsOf(this.#words, HEAD)
    this.#heads = new RegExp(`(?<!\\w)(?:${[...(heads.size > MAX_HEADS ? headsOf(this.#words, 1) : heads)].join('|')})`, 'g')
    this.#also = also
    this.#shortest = this.#lengths.at(-1) ?? Number.POSITIVE_INFINITY
  }

  has(word: string): boolean {
    return this.#words.has(word) || this.#also?.has(word) === true
  }

  /** The text with each of the words masked where it is by itself. */
  maskedIn(text: string): string {
    const masked = text.length < this.#shortest ? text : this.#maskedIn(text)
    return this.#also === null ? masked : this.#also.maskedIn(masked)
  }

  #maskedIn(text: string): string {
    const heads = this.#heads
    heads.lastIndex = 0
    let shown = ''
    let done = 0
    for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
      const word = this.#wordAt(text, head.index)
      if (word === undefined) continue
      shown += text.slice(done, head.index) + MASK
      done = head.index + word.length
      heads.lastIndex = done
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
