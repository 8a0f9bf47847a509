/** The journal: the last requests of a sandbox, bounded by itself and together with others. */
import { type AnyRecord, type Exchange, recordsShown, tookEffect } from '../engine/exchange.js'
import { operationOf } from '../reference/operations.js'
import type { RecordName } from '../scenario/edits.js'

/** A journal as the budget sees it: it shrinks until it holds no more than so many bytes. */
type Sharing = { readonly bytes: number; shrink: (bytes: number) => void }

/** What journals free at once, so that not every request has to look for room. */
const FREED = 1 / 16

/** The memory that the journals of a process share. */
export class JournalBudget {
  readonly #most: number
  readonly #journals = new Set<Sharing>()
  #held = 0

  /** `most` is in bytes, of all journals together. */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts how much a journal has grown; beyond the limit the largest drop their oldest requests. */
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

/** `budget` is what all journals of the process share. */
export type JournalLimits = { entries: number; bytes: number; budget: JournalBudget }

export class Journal {
  readonly #limits: JournalLimits
  /** Oldest first; those before `#first` are dropped. */
  #calls: (Exchange | null)[] = []
  #first = 0
  readonly #listeners = new Set<(call: Exchange) => void>()
  /** About how many bytes of memory its requests hold. */
  bytes = 0
  /** How many requests made room for later ones, or came while it was off. */
  dropped = 0
  /** How many of them no listener was called with, since they came while it was off. */
  unseen = 0
  /** How often it was cleared. */
  clears = 0

  constructor(limits: JournalLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#calls.length - this.#first
  }

  add(call: Exchange): void {
    const { entries, bytes, budget } = this.#limits
    const { held } = call
    const before = this.bytes
    this.#calls.push(call)
    this.bytes += held
    while (this.#calls.length - this.#first > entries || this.bytes > bytes) this.#drop()
    budget.count(this, this.bytes - before)
    for (const listener of this.#listeners) listener(call)
  }

  /** Drops the oldest requests until the others hold no more than so many bytes. */
  shrink(bytes: number): void {
    const before = this.bytes
    while (this.bytes > bytes) this.#drop()
    this.#limits.budget.count(this, this.bytes - before)
  }

  /** Drops the oldest; places are given up once half of all are empty. */
  #drop(): void {
    this.bytes -= (this.#calls[this.#first] as Exchange).held
    this.#calls[this.#first++] = null
    this.dropped++
    if (this.#first * 2 > this.#calls.length) {
      this.#calls = this.#calls.slice(this.#first)
      this.#first = 0
    }
  }

  /** Counts a request that is not kept. */
  skip(): void {
    this.dropped++
    this.unseen++
  }

  get(id: string): Exchange | undefined {
    return this.requests().findLast(call => call.id === id)
  }

  /** Every request that is kept, oldest first. */
  requests(): Exchange[] {
    return this.#calls.slice(this.#first) as Exchange[]
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

  /** Calls the listener with each new request until the returned function is called. */
  listen(listener: (call: Exchange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The records that a request and its script changed; a new Refund its Transaction too. */
export function recordsChanged(call: Exchange): readonly RecordName[] {
  const own = recordsChangedByOperation(call)
  return call.changed.length === 0
    ? own
    : [...own, ...call.changed.filter(({ id }) => own.every(one => one.id !== id))]
}

function recordsChangedByOperation(call: Exchange): RecordName[] {
  if (call.operation === null || !tookEffect(call)) return []
  const { family, kind } = operationOf(call.operation)
  if (kind === 'delete') return [{ family, id: (call.found as AnyRecord).id }]
  return recordsShown(call).flatMap(({ id, transaction }): RecordName[] => {
    const shown = { family, id }
    return family === 'refunds'
      ? [shown, { family: 'transactions', id: transaction as string }]
      : [shown]
  })
}
