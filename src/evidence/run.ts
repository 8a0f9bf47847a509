/** What a whole run adds up to: over every sandbox, reset and load, with its requests. They outlive resets and sandboxes, and are bounded. */
import { beginningOf } from '../core/memory.js'
import type { Exchange, OutcomeName } from '../engine/exchange.js'
import { nameOf } from '../reference/operations.js'
import { type Lazy, lazily } from '../work/json-pieces.js'
import { RecentMap } from './recent-map.js'
import { RunHistory } from './run-history.js'
import { type RunTest, Totals } from './totals.js'
import type { explained } from './why.js'

/** An empty page that no call continued from yet; `entry` is null where the journal does not hold it. */
export type OpenPage = { request: string; test: string | null; entry: (() => RunEntry) | null }
/** Follows the journals of a run: a call that the journal of a sandbox keeps, or null when that journal is cleared. The sandbox at the base address has no name. */
export type JournalListener = (sandbox: string, exchange: Exchange | null) => void
/** A sandbox that has evidence: its open pages by name alone, and with what is known of them. */
type Followed = { names: () => string[]; pages: () => OpenPage[] }
/** What a report lists in addition to the totals; `omitted` is what came when no more was kept. */
export type RunListing = {
  sandboxes: { sandbox: string | null; periods: number }[]
  tests: RunTest[]
  requests: Lazy<RunCall>
  omitted: { requests: number; entries: number; by_test: number }
}

/** Sandboxes whose periods are counted; of more, those that were used longest ago begin with 1 again. */
const MAX_SANDBOXES = 10_000

/** Calls are named `SANDBOX#PERIOD/req_1`: a period ends with a load or reset of the sandbox, and the sandbox at the base address has no name. */
export class Run extends Totals {
  /** Scripts and expectations of the periods that are over. */
  readonly history = new RunHistory()
  readonly requests = new RunRequests()
  readonly #followed: Set<Followed>
  /** Called with what happens to the journals. */
  readonly listeners = new Set<JournalListener>()
  readonly #periods = new RecentMap<number>(MAX_SANDBOXES)

  constructor() {
    const followed = new Set<Followed>()
    super(() => [...followed].flatMap(({ names }) => names()))
    this.#followed = followed
  }

  /** The number of the next period of a sandbox, from 1. */
  nextPeriod(sandbox: string): number {
    const period = (this.#periods.get(sandbox) ?? 0) + 1
    this.#periods.set(sandbox, period)
    return period
  }

  /** Counts what is open in a sandbox from now on, until the returned function is called. */
  follow(followed: Followed): () => void {
    this.#followed.add(followed)
    return () => this.#followed.delete(followed)
  }

  /** The sandboxes, tests and calls, at this moment. */
  listing(): RunListing {
    const open = [...this.#followed].flatMap(({ pages }) => pages())
    const named = new Set(this.findings().flatMap(({ requests }) => requests))
    const entries = open.flatMap(({ request, entry }) => (entry !== null && named.has(request) ? [[request, entry()] as const] : []))
    const { calls, entries: omittedEntries } = this.requests.omitted
    return {
      sandboxes: this.#periods.entries().map(([name, periods]) => ({ sandbox: name === '' ? null : name, periods })),
      tests: this.tests.list(open.map(({ test }) => test)),
      requests: this.requests.list(new Map(entries)),
      omitted: { requests: calls, entries: omittedEntries, by_test: this.tests.omitted }
    }
  }
}

/** An entry of the journal in full, with calls named as they are in a run. */
export type RunEntry = ReturnType<typeof explained>
/** A call of a run; `entry` is null for one that was not refused and that no finding names, or that was not kept. */
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

/** Calls that are listed: the first ones. */
export const MOST_CALLS = 10_000
/** Refused calls that are kept in full: the first ones. */
export const MOST_REFUSED = 1000
/** Characters of a path that are listed, of an entry, and of all entries. */
const LONGEST_PATH = 200
const LONGEST_ENTRY = 65_536
const MOST_BYTES = 8_388_608

export class RunRequests {
  readonly #lines: Line[] = []
  /** As JSON, by the names of the calls. */
  readonly #entries = new Map<string, string>()
  #refused = 0
  #bytes = 0
  /** How many calls are not listed, and how many entries were not kept though their calls were refused or named by a finding. */
  readonly omitted = { calls: 0, entries: 0 }

  /** A call that is not listed. */
  skip(): void {
    this.omitted.calls++
  }

  /** Lists a call that was redacted, in full where it was refused. `entry` is asked only for a call that is kept in full. */
  add(call: Exchange, request: string, entry: () => RunEntry): void {
    const { test, operation, method, path } = call
    const { name: outcome, status } = call.outcome
    if (this.#lines.length < MOST_CALLS) {
      this.#lines.push({ request, test, on: operation === null ? null : nameOf(operation), method, path: beginningOf(path, LONGEST_PATH), outcome, status })
    } else this.skip()
    if (outcome !== 'refused') return
    if (this.#refused < MOST_REFUSED) {
      this.#refused++
      this.keep(request, entry)
    } else this.omitted.entries++
  }

  /** Keeps a call in full. */
  keep(request: string, entry: () => RunEntry): void {
    if (this.#entries.has(request)) return
    const text = JSON.stringify(entry())
    if (text.length > LONGEST_ENTRY || this.#bytes + text.length > MOST_BYTES) {
      this.omitted.entries++
      return
    }
    this.#bytes += text.length
    this.#entries.set(request, text)
  }

  /** The calls in the order in which they ended; `more` are entries of calls in addition to those that are kept. */
  list(more: ReadonlyMap<string, RunEntry>): Lazy<RunCall> {
    const entryOf = (request: string): RunEntry | null => more.get(request) ?? JSON.parse(this.#entries.get(request) ?? 'null')
    const listed = new Set(this.#lines.map(({ request }) => request))
    const unlisted = [...new Set([...more.keys(), ...this.#entries.keys()])].filter(request => !listed.has(request))
    return lazily([...this.#lines, ...unlisted], line => {
      const entry = entryOf(typeof line === 'string' ? line : line.request)
      return { ...(typeof line === 'string' ? lineOf(line, entry as RunEntry) : line), entry }
    })
  }
}

/** The line of a call that came when no more were listed. */
const lineOf = (request: string, { test, on, method, path, outcome, status }: RunEntry): Line => ({
  request,
  test,
  on,
  method,
  path: beginningOf(path, LONGEST_PATH),
  outcome,
  status
})
