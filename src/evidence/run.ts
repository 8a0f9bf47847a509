/** What a whole run adds up to: the totals of the process, over every sandbox, reset and load. */
import type { Exchange } from '../engine/exchange.js'
import { RecentMap } from './recent-map.js'
import { RunHistory } from './run-history.js'
import { type RunCall, type RunEntry, RunRequests } from './run-requests.js'
import type { RunTest } from './tests.js'
import { Totals } from './totals.js'

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
  requests: RunCall[]
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
  readonly #listeners = new Set<JournalListener>()
  readonly #periods = new RecentMap<number>(MAX_SANDBOXES)

  constructor() {
    const followed = new Set<Followed>()
    super(() => [...followed].flatMap(({ names }) => names()))
    this.#followed = followed
  }

  /** Calls the listener with what happens to the journals until the returned function is called. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Says what happened to the journal of a sandbox: a call that it keeps, or null when it is cleared. */
  announce(sandbox: string, exchange: Exchange | null): void {
    for (const listener of this.#listeners) listener(sandbox, exchange)
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
