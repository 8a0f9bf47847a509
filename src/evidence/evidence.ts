/** What a world can tell of the calls that were made in it, and a run of all its worlds. */
import type { AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import { Coverage } from './coverage.js'
import { type Clues, Findings } from './findings.js'
import { type Entry, Journal, type JournalLimits } from './journal.js'
import { Memory } from './memory.js'

/** Upper bounds of the latency histogram, in milliseconds. */
export const LATENCY_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const
/** Calls by their latency; the last bucket holds those above every bound. */
export type Latency = { buckets: number[]; sum: number }

/** What is counted of calls: in a world since its last load or reset, or in a run over all of them. */
export class Totals {
  readonly coverage = new Coverage()
  readonly findings = new Findings()
  /** How many answers leaned on each assumption, and the first of them. */
  readonly assumptions = new Map<AssumptionId, { times: number; requests: string[] }>()

  count(entry: Entry, clues: Clues): void {
    this.coverage.count(entry.judgements)
    this.findings.look(entry, clues)
    for (const assumption of entry.assumptions) {
      let leaning = this.assumptions.get(assumption)
      if (!leaning) {
        leaning = { times: 0, requests: [] }
        this.assumptions.set(assumption, leaning)
      }
      leaning.times++
      if (leaning.requests.length < MOST_REQUESTS) leaning.requests.push(entry.id)
    }
  }

  clear(): void {
    this.coverage.clear()
    this.findings.clear()
    this.assumptions.clear()
  }
}

const MOST_REQUESTS = 20

/** What metrics take of a call, evidence or not. */
type Measured = Pick<Entry, 'operation' | 'status' | 'ms'> & { isScripted: boolean }

/** The totals of the process, over every sandbox, reset and load, with what its metrics show. */
export class Run extends Totals {
  /** Calls by operation (`none` where the reference has none) and status. */
  readonly calls = new Map<string, Map<number, number>>()
  readonly latencies = new Map<string, Latency>()
  scripted = 0

  measure({ operation, status, ms, isScripted }: Measured): void {
    const name: OperationId | 'none' = operation ?? 'none'
    const statuses = this.calls.get(name) ?? new Map<number, number>()
    this.calls.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    const latency = this.latencies.get(name) ?? { buckets: new Array(LATENCY_BOUNDS.length + 1).fill(0), sum: 0 }
    const bucket = LATENCY_BOUNDS.findIndex(bound => ms <= bound)
    latency.buckets[bucket < 0 ? LATENCY_BOUNDS.length : bucket]!++
    latency.sum += ms
    this.latencies.set(name, latency)
    if (isScripted) this.scripted++
  }
}

const MOST_CHANGES = 10_000
const NONE: readonly string[] = []

/** What of the evidence the settings ask for. */
export type Kinds = { journal: boolean; coverage: boolean }

/** The evidence of one world. */
export class Evidence {
  readonly journal: Journal
  readonly totals = new Totals()
  readonly #run: Run
  /** The call that last changed each record; those longest unchanged are forgotten first. */
  readonly #changes = new Memory<string>(MOST_CHANGES)

  constructor(limits: JournalLimits, run: Run) {
    this.journal = new Journal(limits)
    this.#run = run
  }

  /** The calls that last changed some records. */
  changesOf(records: readonly string[]): readonly string[] {
    let calls = NONE
    for (const record of records) {
      const call = this.#changes.get(record)
      if (call !== undefined && !calls.includes(call)) calls = [...calls, call]
    }
    return calls
  }

  /** Keeps and counts a call; `changed` names the records that it changed, `kinds` what the settings ask for. */
  record(entry: Entry, clues: Clues, { changed, kinds }: { changed: readonly string[]; kinds: Kinds }): void {
    if (kinds.coverage) {
      this.totals.count(entry, clues)
      this.#run.count(entry, clues)
    }
    for (const record of changed) this.#changes.set(record, entry.id)
    if (kinds.journal) this.journal.add(entry)
  }

  /** Measures a call for the metrics. */
  measure(call: Measured): void {
    this.#run.measure(call)
  }

  /** Forgets everything but who listens to the journal. */
  clear(): void {
    this.journal.clear()
    this.totals.clear()
    this.#changes.clear()
  }
}
