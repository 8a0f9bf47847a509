/** What a run adds up to over every sandbox, reset and load, with its requests, bounded. */
import { beginningOf } from '../core/memory.js'
import { keep } from '../core/remembered.js'
import type { SecretWords } from '../core/secret-words.js'
import type { OutcomeName } from '../engine/outcome.js'
import { nameOf } from '../reference/operations.js'
import { type Lazy, lazily } from '../work/json-pieces.js'
import type { Entry } from './entry.js'
import { RunHistory } from './run-history.js'
import { type RunTest, Totals } from './totals.js'
import type { explained } from './why.js'

/** Gets each request that a journal keeps, and null when it is cleared; `keys` are to be masked. */
export type JournalListener = (
  sandbox: string,
  entry: Entry | null,
  keys: () => SecretWords
) => void
/** `omitted` came when no more was kept. */
export type RunListing = {
  sandboxes: { sandbox: string | null; periods: number }[]
  tests: RunTest[]
  requests: Lazy<RunCall>
  omitted: { requests: number; entries: number; by_test: number }
}

/** Sandboxes whose periods are counted; of more, those used longest ago begin with 1 again. */
const MAX_SANDBOXES = 10_000

/** Requests are named `SANDBOX#PERIOD/req_1`; the base address has no name. */
export class Run extends Totals {
  readonly history = new RunHistory()
  readonly requests = new RunRequests()
  readonly listeners = new Set<JournalListener>()
  readonly #periods = new Map<string, number>()

  nextPeriod(sandbox: string): number {
    const period = (this.#periods.get(sandbox) ?? 0) + 1
    keep(this.#periods, sandbox, period, MAX_SANDBOXES)
    return period
  }

  listing(): RunListing {
    const { calls, entries } = this.requests.omitted
    return {
      sandboxes: [...this.#periods]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, periods]) => ({ sandbox: name === '' ? null : name, periods })),
      tests: this.tests.list(),
      requests: this.requests.list(),
      omitted: { requests: calls, entries, by_test: this.tests.omitted }
    }
  }
}

export type RunEntry = ReturnType<typeof explained>
/** `entry` is null if neither refused nor named by a finding, or not kept. */
export type RunCall = {
  request: string
  test: string | null
  on: string | null
  method: string
  path: string
  outcome: OutcomeName
  status: number
  entry: RunEntry | null
}
type Line = Omit<RunCall, 'entry'>

/** Maximum number of requests that are listed: the first ones. */
export const MAX_CALLS = 10_000
/** Maximum number of refused requests that are kept in full: the first ones. */
export const MAX_REFUSED = 1000
/** Characters of a path, of an entry, and of all entries. */
const MAX_PATH = 200
const MAX_ENTRY = 65_536
const MAX_BYTES = 8_388_608

export class RunRequests {
  readonly #lines: Line[] = []
  readonly #entries = new Map<string, string>()
  #refused = 0
  #bytes = 0
  readonly omitted = { calls: 0, entries: 0 }

  skip(): void {
    this.omitted.calls++
  }

  /** Lists a request, in full if it was refused: `entry` is called only then. */
  add(call: Entry, request: string, entry: () => RunEntry): void {
    const { operation, method, path } = call
    const { name: outcome, status } = call.outcome
    if (this.#lines.length < MAX_CALLS) {
      this.#lines.push({
        request,
        test: call.caller.test,
        on: operation === null ? null : nameOf(operation),
        method,
        path: beginningOf(path, MAX_PATH),
        outcome,
        status
      })
    } else this.skip()
    if (outcome !== 'refused') return
    if (this.#refused < MAX_REFUSED) {
      this.#refused++
      this.keep(request, entry)
    } else this.omitted.entries++
  }

  keep(request: string, entry: () => RunEntry): void {
    if (this.#entries.has(request)) return
    const text = JSON.stringify(entry())
    if (text.length > MAX_ENTRY || this.#bytes + text.length > MAX_BYTES) {
      this.omitted.entries++
      return
    }
    this.#bytes += text.length
    this.#entries.set(request, text)
  }

  drop(request: string): void {
    const kept = this.#entries.get(request)
    if (kept === undefined) return
    this.#bytes -= kept.length
    this.#entries.delete(request)
  }

  /** Requests in the order in which they ended; those that are only kept in full come last. */
  list(): Lazy<RunCall> {
    const listed = new Set(this.#lines.map(({ request }) => request))
    const unlisted = [...this.#entries.keys()].filter(request => !listed.has(request))
    return lazily([...this.#lines, ...unlisted], line => {
      const request = typeof line === 'string' ? line : line.request
      const entry: RunEntry | null = JSON.parse(this.#entries.get(request) ?? 'null')
      return { ...(typeof line === 'string' ? lineOf(line, entry as RunEntry) : line), entry }
    })
  }
}

const lineOf = (request: string, { test, on, method, path, outcome, status }: RunEntry): Line => ({
  request,
  test,
  on,
  method,
  path: beginningOf(path, MAX_PATH),
  outcome,
  status
})
