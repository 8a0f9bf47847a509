/**
 * The last requests of a sandbox, bounded in number and in bytes, alone and with other journals.
 */
import type { Entry } from './entry.js'

/** A journal that gives way until it holds no more than so many bytes. */
type Sharing = { readonly bytes: number; shrink: (bytes: number) => void }

/** Share that is freed at once, so that not every request has to look for room. */
const FREED = 1 / 16

export class JournalBudget {
  readonly #most: number
  readonly #journals = new Set<Sharing>()
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Beyond the limit the largest journals drop their oldest requests. */
  count(journal: Sharing, bytes: number): void {
    this.#held += bytes
    if (journal.bytes > 0) this.#journals.add(journal)
    else this.#journals.delete(journal)
    if (this.#held <= this.#most) return
    const goal = this.#most * (1 - FREED)
    while (this.#held > goal) {
      const largest = [...this.#journals].reduce((one, other) =>
        other.bytes > one.bytes ? other : one
      )
      largest.shrink(Math.max(largest.bytes / 2, largest.bytes - (this.#held - goal)))
    }
  }
}

export type JournalLimits = { entries: number; bytes: number; budget: JournalBudget }

export class Journal {
  readonly #limits: JournalLimits
  #calls: (Entry | null)[] = []
  #first = 0
  readonly #listeners = new Set<(call: Entry) => void>()
  bytes = 0
  /** Requests that made room for later ones, or came while the journal was off. */
  dropped = 0
  unseen = 0
  clears = 0

  constructor(limits: JournalLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#calls.length - this.#first
  }

  add(call: Entry): void {
    const { entries, bytes, budget } = this.#limits
    const { held } = call
    const before = this.bytes
    this.#calls.push(call)
    this.bytes += held
    while (this.#calls.length - this.#first > entries || this.bytes > bytes) this.#drop()
    budget.count(this, this.bytes - before)
    for (const listener of this.#listeners) listener(call)
  }

  shrink(bytes: number): void {
    const before = this.bytes
    while (this.bytes > bytes) this.#drop()
    this.#limits.budget.count(this, this.bytes - before)
  }

  #drop(): void {
    this.bytes -= (this.#calls[this.#first] as Entry).held
    this.#calls[this.#first++] = null
    this.dropped++
    if (this.#first * 2 > this.#calls.length) {
      this.#calls = this.#calls.slice(this.#first)
      this.#first = 0
    }
  }

  skip(): void {
    this.dropped++
    this.unseen++
  }

  get(id: string): Entry | undefined {
    return this.requests().findLast(call => call.id === id)
  }

  requests(): Entry[] {
    return this.#calls.slice(this.#first) as Entry[]
  }

  clear(): void {
    const before = this.bytes
    this.#calls = []
    this.#first = 0
    this.bytes = 0
    this.dropped = 0
    this.unseen = 0
    this.clears++
    this.#limits.budget.count(this, -before)
  }

  listen(listener: (call: Entry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
