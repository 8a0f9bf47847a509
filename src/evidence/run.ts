/** What a run adds up to over every sandbox, reset and load. */
import { keep } from '../core/remembered.js'
import { beginningOf } from '../core/sentences.js'
import type { Guarded } from '../engine/keys.js'
import { nameOf } from '../reference/operations.js'
import { type Lazy, lazily } from '../work/json-pieces.js'
import type { Entry } from './entry.js'
import { RunHistory } from './run-history.js'
import { Metrics, TestTotals, Totals } from './totals.js'
import type { explained } from './why.js'

/** `journaled` is null when a journal is cleared. */
export type JournalListener = (
  sandbox: string,
  journaled: { entry: Entry; world: Guarded } | null
) => void
export type RunListing = ReturnType<Run['listing']>

/** Beyond it, the least recently used restart at period 1. */
const MAX_SANDBOXES = 10_000

/** Requests are named `SANDBOX#PERIOD/req_1`; the base address has no name. */
export class Run extends Totals {
  readonly history = new RunHistory()
  readonly requests = new RunRequests()
  readonly listeners = new Set<JournalListener>()
  readonly metrics = new Metrics()
  readonly tests = new TestTotals()
  #periods = new Map<string, number>()

  /** `explain` is called only for a request that is kept in full. */
  record(entry: Entry, name: string, explain: () => RunEntry) {
    this.add(entry, name)
    this.metrics.add(entry)
    this.tests.add(entry)
    this.requests.add(entry, name, explain)
  }

  nextPeriod(sandbox: string): number {
    const period = (this.#periods.get(sandbox) ?? 0) + 1
    keep(this.#periods, sandbox, period, MAX_SANDBOXES)
    return period
  }

  listing() {
    const { calls, entries } = this.requests.omitted
    return {
      sandboxes: [...this.#periods]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, periods]) => ({ sandbox: name === '' ? null : name, periods })),
      tests: this.tests.list(),
      requests: this.requests.list(),
      // what came when no more was kept
      omitted: { requests: calls, entries, by_test: this.tests.omitted }
    }
  }
}

export type RunEntry = ReturnType<typeof explained>
type Line = { request: string } & Pick<
  RunEntry,
  'test' | 'on' | 'method' | 'path' | 'outcome' | 'status'
>
/** `entry` is null if neither refused nor named by a finding, or not kept. */
export type RunCall = Line & { entry: RunEntry | null }

/** The first are listed; refused ones are kept in full. */
export const MAX_CALLS = 10_000
export const MAX_REFUSED = 1000
/** Characters of a path, an entry, and all entries. */
const MAX_PATH = 200
const MAX_ENTRY = 65_536
const MAX_BYTES = 8_388_608

export class RunRequests {
  #lines = new Map<string, Line>()
  /** JSON, also of requests beyond `MAX_CALLS`. */
  #entries = new Map<string, string>()
  #refused = 0
  #bytes = 0
  readonly omitted = { calls: 0, entries: 0 }

  /** Lists a request, in full if it was refused: `entry` is called only then. */
  add(call: Entry, request: string, entry: () => RunEntry): void {
    const { operation, method, path, caller, outcome } = call
    const { name, status } = outcome
    const { test } = caller
    const on = operation === null ? null : nameOf(operation)
    if (this.#lines.size < MAX_CALLS)
      this.#lines.set(request, lineOf(request, { test, on, method, path, outcome: name, status }))
    else this.omitted.calls++
    if (name !== 'refused') return
    if (this.#refused++ < MAX_REFUSED) this.keep(request, entry)
    else this.omitted.entries++
  }

  keep(request: string, entry: () => RunEntry): void {
    if (this.#entries.has(request)) return
    const text = JSON.stringify(entry())
    if (text.length > MAX_ENTRY || this.#bytes + text.length > MAX_BYTES) this.omitted.entries++
    else {
      this.#bytes += text.length
      this.#entries.set(request, text)
    }
  }

  drop(request: string) {
    this.#bytes -= this.#entries.get(request)?.length ?? 0
    this.#entries.delete(request)
  }

  list(): Lazy<RunCall> {
    const requests = new Set([...this.#lines.keys(), ...this.#entries.keys()])
    return lazily([...requests], request => {
      const entry = JSON.parse(this.#entries.get(request) ?? 'null')
      return { ...(this.#lines.get(request) ?? lineOf(request, entry)), entry }
    })
  }
}

const lineOf = (
  request: string,
  { test, on, method, path, outcome, status }: Omit<Line, 'request'>
): Line => ({ request, test, on, method, path: beginningOf(path, MAX_PATH), outcome, status })
