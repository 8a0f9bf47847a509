/** The journal: the last calls of a world with their answers and how each was judged; bounded in number and in bytes. */

import type { Course, Facts, Judgement } from '../core/trace.js'
import { answerWriter } from '../core/writing.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { type OperationId, paramsIn } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'

/** Parameters as they are kept: secrets and card numbers masked, nested as they were sent. */
export type Kept = { readonly [name: string]: string | readonly string[] | Kept }
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
  /** Null where they stand in the path as they are. */
  params: Readonly<Record<string, string>> | null
  /** The Account that the key acts as; the key is not kept. */
  account: string | null
  /** What was sent, as the JSON text of a `Kept`. */
  query: string
  body: string
  userAgent: string | null
  status: number
  /** The body of the answer, or the record that it shows: records never change, and it can be written again. Masked when it is shown; whether the client saw it, `answered` says. */
  answer: string | object
  /** How long the body is. */
  length: number
  /** False when the answer was lost on the way. */
  answered: boolean
  /** The call changed the state. */
  tookEffect: boolean
  /** The script entry that acted on it. */
  script: { id: string; name: string | null; fault: string | null } | null
  refusal: { code: string; rule: RuleId | null; assumption: AssumptionId | null; param: string | null } | null
  /** Milliseconds of the machine's time. */
  ms: number
  /** How it was judged. */
  course: Course
  /** The figures that were seen on the way. */
  facts: readonly Facts[]
  /** The calls that last changed what this one was judged by. */
  changedBy: readonly string[]
}
export type JournalLimits = { entries: number; bytes: number }

/** The body of an answer. */
export const textOf = ({ operation, answer }: Pick<Entry, 'operation' | 'answer'>): string =>
  typeof answer === 'string' ? answer : answerWriter(operation as OperationId)(answer as never)

/** The values of the path's parameters. */
export const paramsOf = ({ operation, path, params }: Pick<Entry, 'operation' | 'path' | 'params'>): Readonly<Record<string, string>> =>
  params ?? paramsIn(operation as OperationId, path)

/** What was judged, in order. */
export const judgementsOf = ({ course, facts }: Pick<Entry, 'course' | 'facts'>): Judgement[] => course.judgements(facts)

/** Parameters from the text that they are kept as. */
export const keptIn = (text: string): Kept =>
  JSON.parse(text, (_name, value) => (typeof value === 'object' && !Array.isArray(value) ? Object.assign(Object.create(null), value) : value))

/** About the memory that an entry holds beside its texts. */
const OVERHEAD = 600

export class Journal {
  readonly #limits: JournalLimits
  /** Oldest first; those before `#first` are dropped. */
  #kept: (Entry | null)[] = []
  /** The bytes of each. */
  #sizes: number[] = []
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
    const bytes = OVERHEAD + entry.length + entry.path.length + entry.query.length + entry.body.length
    this.#kept.push(entry)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    while (this.size > this.#limits.entries || this.#bytes > this.#limits.bytes) this.#drop()
    for (const listener of this.#listeners) listener(entry)
  }

  /** Drops the oldest; the places of those dropped are given up once they are half of all. */
  #drop(): void {
    this.#bytes -= this.#sizes[this.#first] as number
    this.#kept[this.#first++] = null
    this.#dropped++
    if (this.#first * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#first)
      this.#sizes = this.#sizes.slice(this.#first)
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
    return this.#kept.slice(this.#first) as Entry[]
  }

  clear(): void {
    this.#kept = []
    this.#sizes = []
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
