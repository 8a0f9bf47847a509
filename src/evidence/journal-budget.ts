/** The memory that the journals of a process share. */

/** A journal: what it holds, and how it gives way until it holds no more than so many bytes. */
type Journal = { readonly bytes: number; shrink: (bytes: number) => void }

/** Where there is too little, journals give way until a sixteenth is free, so that not every call has to look for room. */
const FREED = 1 / 16

export class JournalBudget {
  readonly #most: number
  readonly #journals = new Set<Journal>()
  #held = 0

  /** `most` is in bytes, of all journals together. */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts what a journal holds more than before, or less. Beyond the limit the largest journals drop their oldest calls. */
  count(journal: Journal, bytes: number): void {
    this.#held += bytes
    if (journal.bytes > 0) this.#journals.add(journal)
    else this.#journals.delete(journal)
    if (this.#held <= this.#most) return
    const goal = this.#most * (1 - FREED)
    while (this.#held > goal) {
      const largest = [...this.#journals].reduce((one, other) => (other.bytes > one.bytes ? other : one))
      largest.shrink(Math.max(largest.bytes / 2, largest.bytes - (this.#held - goal)))
    }
  }
}
