/** The last requests of a sandbox, bounded in number and bytes, alone and with other journals. */
import type { Entry } from './entry.js'

/** Freed at once, so that few requests have to make room. */
const FREED = 1 / 16

export class JournalBudget {
  #journals = new Map<Journal, number>()
  #bytes = 0

  constructor(private readonly most: number) {}

  /** Beyond the limit the largest journals drop their oldest requests. */
  count(journal: Journal) {
    const { bytes } = journal
    this.#bytes += bytes - (this.#journals.get(journal) ?? 0)
    if (bytes > 0) this.#journals.set(journal, bytes)
    else this.#journals.delete(journal)
    if (this.#bytes <= this.most) return
    const goal = this.most * (1 - FREED)
    while (this.#bytes > goal) {
      const largest = [...this.#journals.keys()].reduce((a, b) => (b.bytes > a.bytes ? b : a))
      largest.shrink(Math.max(largest.bytes / 2, largest.bytes - (this.#bytes - goal)))
    }
  }
}

export type JournalLimits = { entries: number; bytes: number; budget: JournalBudget }

export class Journal {
  #calls = new Set<Entry>()
  #oldest = this.#calls.values()
  #listeners = new Set<(call: Entry) => void>()
  bytes = 0
  /** Requests that made room for later ones. */
  dropped = 0
  clears = 0

  constructor(private readonly limits: JournalLimits) {}

  get size() {
    return this.#calls.size
  }

  add(call: Entry) {
    const { entries, bytes, budget } = this.limits
    this.#calls.add(call)
    this.bytes += call.held
    while (this.size > entries || this.bytes > bytes) this.#drop()
    budget.count(this)
    for (const listener of this.#listeners) listener(call)
  }

  shrink(bytes: number) {
    while (this.bytes > bytes) this.#drop()
    this.limits.budget.count(this)
  }

  #drop() {
    const call = this.#oldest.next().value as Entry
    this.#calls.delete(call)
    this.bytes -= call.held
    this.dropped++
  }

  get(id: string): Entry | undefined {
    return this.requests().findLast(call => call.id === id)
  }

  requests() {
    return [...this.#calls]
  }

  clear() {
    this.#calls = new Set()
    this.#oldest = this.#calls.values()
    this.bytes = 0
    this.dropped = 0
    this.clears++
    this.limits.budget.count(this)
  }

  listen(listener: (call: Entry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
