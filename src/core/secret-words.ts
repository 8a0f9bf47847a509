/** Words that are masked wherever they occur: API keys and the control token. */
import { MASK } from './mask.js'

/** The first characters of a word, compared before the whole. */
const HEAD = 4

export class SecretWords {
  readonly #words: ReadonlySet<string>
  /** Longest first, so that a word is preferred to its own prefix. */
  readonly #lengths: readonly number[]
  readonly #heads: RegExp
  readonly #also: SecretWords | null

  /** `also` are words that are masked too. */
  constructor(words: Iterable<string>, also: SecretWords | null = null) {
    const all = Array.from(words, word => [word, Buffer.from(`${word}:`).toString('base64')]).flat()
    this.#words = new Set(all)
    this.#lengths = [...new Set(all.map(({ length }) => length))].sort((a, b) => b - a)
    const heads = new Set(all.map(word => word.slice(0, HEAD).replace(/\W/g, '\\$&')))
    this.#heads = new RegExp(`(?<!\\w)(?:${[...heads].join('|')})`, 'g')
    this.#also = also
  }

  has(word: string): boolean {
    return this.#words.has(word) || this.#also?.has(word) === true
  }

  /** Masks each of the words where it stands alone. */
  maskedIn(text: string): string {
    let masked = ''
    let done = 0
    const isShorter = text.length < (this.#lengths.at(-1) ?? Number.POSITIVE_INFINITY)
    const heads = isShorter || text.search(this.#heads) < 0 ? [] : text.matchAll(this.#heads)
    for (const { index } of heads) {
      const isWord = (length: number) =>
        this.#words.has(text.slice(index, index + length)) &&
        !/\w/.test(text.charAt(index + length))
      const length = index < done ? undefined : this.#lengths.find(isWord)
      if (length === undefined) continue
      masked += text.slice(done, index) + MASK
      done = index + length
    }
    masked += text.slice(done)
    return this.#also === null ? masked : this.#also.maskedIn(masked)
  }
}

export const NO_WORDS = new SecretWords([])
