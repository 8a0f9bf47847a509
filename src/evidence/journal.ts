/** The journal: the last calls of a sandbox, bounded in number and in bytes. */
import { valueIn } from '../core/form.js'
import { type JudgedCall, recordsShown, tookEffect } from './judged-call.js'

export type JournalLimits = { entries: number; bytes: number }

/** About the memory that a call holds beside its texts. */
const OVERHEAD = 600

const sizeOf = ({ path, query, body, length }: JudgedCall): number => OVERHEAD + path.length + query.length + body.length + length

export class Journal {
  readonly #limits: JournalLimits
  /** Oldest first; those before `#first` are dropped. */
  #calls: (JudgedCall | null)[] = []
  #first = 0
  readonly #listeners = new Set<(call: JudgedCall) => void>()
  #bytes = 0
  #dropped = 0

  constructor(limits: JournalLimits) {
    this.#limits = limits
  }

  /** How many calls are not in the journal: they had to make room for later ones, or came while it was off. */
  get dropped(): number {
    return this.#dropped
  }

  get size(): number {
    return this.#calls.length - this.#first
  }

  add(call: JudgedCall): void {
    this.#calls.push(call)
    this.#bytes += sizeOf(call)
    while (this.size > this.#limits.entries || this.#bytes > this.#limits.bytes) this.#drop()
    for (const listener of this.#listeners) listener(call)
  }

  /** Drops the oldest; the places of those dropped are given up once they are half of all. */
  #drop(): void {
    this.#bytes -= sizeOf(this.#calls[this.#first] as JudgedCall)
    this.#calls[this.#first++] = null
    this.#dropped++
    if (this.#first * 2 > this.#calls.length) {
      this.#calls = this.#calls.slice(this.#first)
      this.#first = 0
    }
  }

  /** A call that is not kept. */
  skip(): void {
    this.#dropped++
  }

  get(id: string): JudgedCall | undefined {
    return this.calls().findLast(call => call.id === id)
  }

  /** Every call that is kept, oldest first. */
  calls(): JudgedCall[] {
    return this.#calls.slice(this.#first) as JudgedCall[]
  }

  /** The calls before one that last changed the records that it was judged by, of those that are kept. */
  changersOf(call: JudgedCall): string[] {
    const earlier = this.calls()
    earlier.length = Math.max(0, earlier.indexOf(call))
    const changers = judgedBy(call).flatMap(record => earlier.findLast(other => changed(other).includes(record))?.id ?? [])
    return [...new Set(changers)]
  }

  clear(): void {
    this.#calls = []
    this.#first = 0
    this.#bytes = 0
    this.#dropped = 0
  }

  /** Calls the listener with each new call until the returned function is called. */
  listen(listener: (call: JudgedCall) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The ids of the records that a call was judged by: those of its path, its Account, and the record that its body names. */
function judgedBy({ params, account, body, operation }: JudgedCall): string[] {
  const named = operation === 'createRefund' ? valueIn(body, 'transaction') : undefined
  const actor = operation === 'createLocation' ? account : undefined
  return [...Object.values(params), named, actor].filter(id => id != null)
}

/** The ids of the records that a call changed; a Refund changes its Transaction too. */
function changed(call: JudgedCall): string[] {
  if (!tookEffect(call)) return []
  const shown = recordsShown(call).flatMap(({ id, object, transaction }) => (object === 'refund' ? [id, transaction as string] : [id]))
  return call.operation === 'deleteUser' ? [call.params.user_id as string] : shown
}
