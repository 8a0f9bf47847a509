/** What a world can tell of the calls that were made in it, and a run of all its worlds. */
import type { Course } from '../core/trace.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import { Courses } from './courses.js'
import { Coverage } from './coverage.js'
import { type Clues, type Finding, type FindingId, Findings, Found } from './findings.js'
import { type Entry, Journal, type JournalLimits } from './journal.js'
import { Memory } from './memory.js'
import { Periods } from './periods.js'

/** Upper bounds of the latency histogram, in milliseconds. */
export const LATENCY_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const
/** Calls by their latency; the last bucket holds those above every bound. */
export type Latency = { buckets: number[]; sum: number }

const MOST_REQUESTS = 20
/** Calls that wait to be recorded, at most: calls that are injected one after the other never let the turn end. */
const MOST_WAITING = 100

/** How many answers leaned on each assumption, and the first of them. */
export class Leanings {
  readonly #leanings = new Map<AssumptionId, { times: number; requests: string[] }>()
  /** Calls that are not counted for each assumption yet: those of courses whose assumptions all have their requests. */
  readonly #calls = new Courses()

  /** `nameOf` tells what the call is called. */
  count(course: Course, call: string, nameOf: (call: string) => string = call => call): void {
    if (this.#calls.count(course)) return
    const leanings = course.assumptions.map(assumption => this.#of(assumption))
    for (const leaning of leanings) {
      leaning.times++
      if (leaning.requests.length < MOST_REQUESTS) leaning.requests.push(nameOf(call))
    }
    if (!this.#calls.isFull && leanings.every(({ requests }) => requests.length === MOST_REQUESTS)) this.#calls.add(course, 0)
  }

  get(assumption: AssumptionId): { times: number; requests: readonly string[] } | undefined {
    this.#shareOut()
    return this.#leanings.get(assumption)
  }

  /** The assumptions that some answer leaned on. */
  ids(): AssumptionId[] {
    return [...this.#leanings.keys()]
  }

  clear(): void {
    this.#calls.clear()
    this.#leanings.clear()
  }

  #of(assumption: AssumptionId): { times: number; requests: string[] } {
    let leaning = this.#leanings.get(assumption)
    if (!leaning) {
      leaning = { times: 0, requests: [] }
      this.#leanings.set(assumption, leaning)
    }
    return leaning
  }

  #shareOut(): void {
    for (const [course, times] of this.#calls.taken()) for (const assumption of course.assumptions) this.#of(assumption).times += times
  }
}

/** What is counted of calls: in a world since its last load or reset, or in a run over all of them. */
export type Totals = { coverage: Coverage; assumptions: Leanings; findings: { list: () => Finding[] } }

/** What a run knows of a world: how a call of it is named among all, and the empty pages in it that nobody went on from yet. */
type World = { nameOf: (call: string) => string; stopped: () => string[]; isOver: boolean }

/** What metrics take of a call, evidence or not. */
type Measured = Pick<Entry, 'operation' | 'status' | 'ms'> & { isScripted: boolean }

/** The totals of the process, over every sandbox, reset and load, with what its metrics show. Calls of named sandboxes are told as `NAME/req_1`. */
export class Run implements Totals {
  readonly #coverage = new Coverage()
  readonly #assumptions = new Leanings()
  readonly #found = new Found()
  /** The worlds that something was counted in and that are still there. */
  readonly #worlds = new Set<World>()
  readonly #calls = new Map<string, Map<number, number>>()
  readonly #latencies = new Map<string, Latency>()
  /** Periods that are over. */
  readonly periods = new Periods()
  #scripted = 0
  #waiting: (() => void)[] = []
  #turnEnd: NodeJS.Immediate | undefined

  get coverage(): Coverage {
    this.settle()
    return this.#coverage
  }

  get assumptions(): Leanings {
    this.settle()
    return this.#assumptions
  }

  /** What was found in any world; what is still open in one of them counts as it stands. */
  get findings(): Totals['findings'] {
    this.settle()
    return { list: () => this.#found.list([...this.#worlds].flatMap(world => world.stopped())) }
  }

  /** Calls by operation (`none` where the reference has none) and status. */
  get calls(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    this.settle()
    return this.#calls
  }

  get latencies(): ReadonlyMap<string, Latency> {
    this.settle()
    return this.#latencies
  }

  get scripted(): number {
    this.settle()
    return this.#scripted
  }

  /** Does something once the answers of this turn are on their way, or as soon as anything is read. */
  later(task: () => void): void {
    this.#waiting.push(task)
    if (this.#waiting.length >= MOST_WAITING) return this.settle()
    this.#turnEnd ??= setImmediate(() => {
      this.#turnEnd = undefined
      this.settle()
    })
  }

  /** Does what waits, in the order in which it came. */
  settle(): void {
    const tasks = this.#waiting
    if (tasks.length === 0) return
    this.#waiting = []
    for (const task of tasks) task()
  }

  /** Counts a call of a world; one that was answered after its world's end counts too. */
  count({ course, id }: Entry, world: World): void {
    if (!world.isOver) this.#worlds.add(world)
    this.#coverage.count(course)
    this.#assumptions.count(course, id, world.nameOf)
  }

  tell(finding: FindingId, requests: readonly string[]): void {
    this.#found.tell(finding, requests)
  }

  /** A world is no more; what was counted in it stays. */
  forget(world: World): void {
    world.isOver = true
    this.#worlds.delete(world)
  }

  measure({ operation, status, ms, isScripted }: Measured): void {
    const name: OperationId | 'none' = operation ?? 'none'
    const statuses = this.#calls.get(name) ?? new Map<number, number>()
    this.#calls.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    const latency = this.#latencies.get(name) ?? { buckets: new Array(LATENCY_BOUNDS.length + 1).fill(0), sum: 0 }
    const bucket = LATENCY_BOUNDS.findIndex(bound => ms <= bound)
    latency.buckets[bucket < 0 ? LATENCY_BOUNDS.length : bucket]!++
    latency.sum += ms
    this.#latencies.set(name, latency)
    if (isScripted) this.#scripted++
  }
}

const NONE: readonly string[] = []

/** What of the evidence the settings ask for. */
export type Kinds = { journal: boolean; coverage: boolean }

/** The evidence of one world. Whatever is read of it is complete: what is still to be recorded is recorded first. */
export class Evidence {
  readonly #journal: Journal
  readonly #coverage = new Coverage()
  readonly #assumptions = new Leanings()
  readonly #findings: Findings
  readonly #run: Run
  readonly #world: World
  /** The call that last changed each record; those longest unchanged are forgotten first, about when the journal forgets the call. */
  readonly #changes: Memory<string>

  /** `sandbox` is the name of the world; null for the one that has none. */
  constructor(limits: JournalLimits, run: Run, sandbox: string | null = null) {
    const nameOf = (call: string) => (sandbox === null ? call : `${sandbox}/${call}`)
    this.#journal = new Journal(limits)
    this.#changes = new Memory(2 * limits.entries)
    this.#findings = new Findings((finding, requests) => run.tell(finding, requests.map(nameOf)))
    this.#run = run
    this.#world = { nameOf, stopped: () => this.#findings.stopped.map(nameOf), isOver: false }
  }

  get journal(): Journal {
    this.settle()
    return this.#journal
  }

  /** What was counted since the last load or reset. */
  get totals(): Totals {
    this.settle()
    return { coverage: this.#coverage, assumptions: this.#assumptions, findings: this.#findings }
  }

  /** The calls that last changed some records, of those recorded by now. */
  changesOf(records: readonly string[]): readonly string[] {
    let calls = NONE
    for (const record of records) {
      const call = this.#changes.get(record)
      if (call !== undefined && !calls.includes(call)) calls = calls.concat([call])
    }
    return calls
  }

  /** Does something once the answers of this turn are on their way, or as soon as anything is read. */
  later(task: () => void): void {
    this.#run.later(task)
  }

  /** Records what is still to be recorded. */
  settle(): void {
    this.#run.settle()
  }

  /** Keeps and counts a call; `changed` names the records that it changed, `kinds` what the settings ask for. */
  record(entry: Entry, clues: Clues, { changed, kinds }: { changed: readonly string[]; kinds: Kinds }): void {
    if (kinds.coverage) {
      this.#coverage.count(entry.course)
      this.#assumptions.count(entry.course, entry.id)
      this.#findings.look(entry, clues)
      this.#run.count(entry, this.#world)
    }
    for (const record of changed) this.#changes.set(record, entry.id)
    if (kinds.journal) this.#journal.add(entry)
    else this.#journal.skip()
  }

  /** A call of which nothing is kept. */
  skip(): void {
    this.#journal.skip()
  }

  /** Measures a call for the metrics. */
  measure(call: Measured): void {
    this.#run.measure(call)
  }

  /** Forgets everything but who listens to the journal; what was counted of the run stays. */
  clear(): void {
    this.settle()
    for (const part of [this.#journal, this.#coverage, this.#assumptions, this.#findings, this.#changes]) part.clear()
  }

  /** The world is no more. */
  end(): void {
    this.clear()
    this.#run.forget(this.#world)
  }
}
