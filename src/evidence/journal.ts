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
const FEWEST_PLACES = 16

/** `Object.assign`, field by field, which takes a fraction of the time. */
function writeOver(place: Entry, entry: Entry): void {
  place.id = entry.id
  place.at = entry.at
  place.method = entry.method
  place.path = entry.path
  place.operation = entry.operation
  place.params = entry.params
  place.account = entry.account
  place.query = entry.query
  place.body = entry.body
  place.userAgent = entry.userAgent
  place.status = entry.status
  place.answer = entry.answer
  place.length = entry.length
  place.answered = entry.answered
  place.tookEffect = entry.tookEffect
  place.script = entry.script
  place.refusal = entry.refusal
  place.ms = entry.ms
  place.course = entry.course
  place.facts = entry.facts
  place.changedBy = entry.changedBy
}

/** Entries are written over those that made room for them: what is kept of a call takes no new memory but for its texts. */
export class Journal {
  readonly #limits: JournalLimits
  /** A ring: the oldest entry is at `#first`, the others follow. */
  #places: (Entry | undefined)[] = []
  /** The bytes of the entry at each place. */
  #bytesAt: number[] = []
  #first = 0
  #size = 0
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
    return this.#size
  }

  add(entry: Entry): void {
    const bytes = OVERHEAD + entry.length + entry.path.length + entry.query.length + entry.body.length
    if (this.#size === this.#limits.entries) this.#forgetOldest()
    if (this.#size === this.#places.length) this.#makePlaces()
    const place = (this.#first + this.#size++) % this.#places.length
    const before = this.#places[place]
    if (before) writeOver(before, entry)
    else this.#places[place] = { ...entry }
    this.#bytesAt[place] = bytes
    this.#bytes += bytes
    while (this.#bytes > this.#limits.bytes) this.#places[this.#forgetOldest()] = undefined
    for (const listener of this.#listeners) listener(entry)
  }

  /** The oldest entry makes room; answers its place. */
  #forgetOldest(): number {
    const place = this.#first
    this.#bytes -= this.#bytesAt[place] as number
    this.#first = (place + 1) % this.#places.length
    this.#size--
    this.#dropped++
    return place
  }

  #makePlaces(): void {
    const count = Math.min(Math.max(this.#size * 2, FEWEST_PLACES), this.#limits.entries)
    const inOrder = <T>(ring: readonly T[]) => [...ring.slice(this.#first), ...ring.slice(0, this.#first)]
    this.#places = [...inOrder(this.#places), ...new Array(count - this.#size).fill(undefined)]
    this.#bytesAt = [...inOrder(this.#bytesAt), ...new Array(count - this.#size).fill(0)]
    this.#first = 0
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
    return Array.from({ length: this.#size }, (_, nth) => ({ ...(this.#places[(this.#first + nth) % this.#places.length] as Entry) }))
  }

  clear(): void {
    this.#places = []
    this.#bytesAt = []
    this.#first = 0
    this.#size = 0
    this.#bytes = 0
    this.#dropped = 0
  }

  /** Tells of each new entry until the answered function is called. */
  listen(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
