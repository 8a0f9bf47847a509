/** The journal: the last calls of a world with their answers and how each was judged; bounded in number and in bytes. */

import type { Judgement } from '../core/trace.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'

/** Parameters as they are kept: secrets and card numbers masked, nested as they were sent. */
export type Kept = { readonly [name: string]: string | readonly string[] | Kept }
/** The body of an answer; one that can be written again is not kept. */
export type Answer = string | { readonly length: number; readonly writeAgain: () => string }
/** A call as it is kept. */
export type Entry = {
  id: string
  /** The world's clock when the call came, in milliseconds. */
  at: number
  method: string
  /** Below the base address, without the query, as it may be shown. */
  path: string
  /** Null where the reference has no such operation. */
  operation: OperationId | null
  params: Readonly<Record<string, string>>
  /** The Account that the key acts as; the key is not kept. */
  account: string | null
  /** What was sent, as the JSON text of a `Kept`. */
  query: string
  body: string
  userAgent: string | null
  status: number
  /** The body of the answer, masked when it is shown; whether the client saw it, `answered` says. */
  answer: Answer
  /** False when the answer was lost on the way. */
  answered: boolean
  /** The call changed the state. */
  tookEffect: boolean
  /** The script entry that acted on it. */
  script: { id: string; name: string | null; fault: string | null } | null
  refusal: { code: string; rule: RuleId | null; assumption: AssumptionId | null; param: string | null } | null
  /** Milliseconds of the machine's time. */
  ms: number
  judgements: readonly Judgement[]
  assumptions: readonly AssumptionId[]
  /** The calls that last changed what this one was judged by. */
  changedBy: readonly string[]
}
export type JournalLimits = { entries: number; bytes: number }

export const textOf = (answer: Answer): string => (typeof answer === 'string' ? answer : answer.writeAgain())

/** Parameters from the text that they are kept as. */
export const keptIn = (text: string): Kept =>
  JSON.parse(text, (_name, value) => (typeof value === 'object' && !Array.isArray(value) ? Object.assign(Object.create(null), value) : value))

/** About the memory that an entry holds beside its texts. */
const OVERHEAD = 600
const DROPPED = { entry: null as never, bytes: 0 }

export class Journal {
  readonly #limits: JournalLimits
  /** Oldest first; those before `#first` are dropped. */
  #kept: { entry: Entry; bytes: number }[] = []
  #first = 0
  readonly #listeners = new Set<(entry: Entry) => void>()
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
    return this.#kept.length - this.#first
  }

  add(entry: Entry): void {
    const bytes = OVERHEAD + entry.answer.length + entry.path.length + entry.query.length + entry.body.length
    this.#kept.push({ entry, bytes })
    this.#bytes += bytes
    while (this.size > this.#limits.entries || this.#bytes > this.#limits.bytes) this.#drop()
    for (const listener of this.#listeners) listener(entry)
  }

  /** Drops the oldest; the places of those dropped are given up once they are half of all. */
  #drop(): void {
    this.#bytes -= (this.#kept[this.#first] as { bytes: number }).bytes
    this.#kept[this.#first++] = DROPPED
    this.#dropped++
    if (this.#first * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#first)
      this.#first = 0
    }
  }

  /** A call that is not kept. */
  skip(): void {
    this.#dropped++
  }

  get(id: string): Entry | undefined {
    return this.entries().findLast(entry => entry.id === id)
  }

  /** Every entry that is kept, oldest first. */
  entries(): Entry[] {
    return this.#kept.slice(this.#first).map(({ entry }) => entry)
  }

  clear(): void {
    this.#kept = []
    this.#first = 0
    this.#bytes = 0
    this.#dropped = 0
  }

  /** Tells of each new entry until the answered function is called. */
  listen(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
