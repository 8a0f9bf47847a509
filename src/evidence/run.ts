/** What a whole run adds up to: the totals of the process, over every sandbox, reset and load. */
import { AssumptionUsage } from './assumptions.js'
import { Coverage } from './coverage.js'
import { type Finding, FindingCounts, type FindingId } from './findings.js'
import type { JudgedCall, Judgement } from './judged-call.js'
import { Metrics } from './metrics.js'
import { RecentMap } from './recent-map.js'
import { type RunCall, RunCalls, type RunEntry } from './run-calls.js'
import { RunHistory } from './run-history.js'
import { type RunTest, RunTests } from './run-tests.js'

/** What is counted of calls: in a sandbox since its last load or reset, or in a run over all of them. */
export type Totals = { coverage: Coverage; assumptions: AssumptionUsage; findings: { list: () => Finding[] } }
/** An empty page that no call continued from yet; `entry` is null where the journal does not hold it. */
export type OpenPage = { request: string; test: string | null; entry: (() => RunEntry) | null }
/** Follows the journals of a run: a call that the journal of a sandbox keeps, or null when that journal is cleared. The sandbox at the base address has no name. */
export type JournalListener = (sandbox: string, call: JudgedCall | null) => void
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
const MOST_SANDBOXES = 10_000

/** Calls are named `SANDBOX#PERIOD/req_1`: a period ends with a load or reset of the sandbox, and the sandbox at the base address has no name. */
export class Run implements Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new AssumptionUsage()
  readonly metrics = new Metrics()
  /** Scripts and expectations of the periods that are over. */
  readonly history = new RunHistory()
  readonly calls = new RunCalls()
  readonly tests = new RunTests()
  readonly #findings = new FindingCounts()
  readonly #followed = new Set<Followed>()
  readonly #listeners = new Set<JournalListener>()
  readonly #periods = new RecentMap<number>(MOST_SANDBOXES)

  /** What was found in any sandbox; what is still open in one of them counts as it is. */
  get findings(): Totals['findings'] {
    return { list: () => this.#findings.list([...this.#followed].flatMap(({ names }) => names())) }
  }

  count({ kept, broken, relied }: Judgement, call: string): void {
    this.coverage.count(kept, broken)
    this.assumptions.count(relied, call)
  }

  /** Counts a finding that a test caused. Returns the calls that are named for it from now on, and were not before. */
  addFinding(finding: FindingId, calls: readonly string[], test: string | null): readonly string[] {
    this.tests.addFinding(finding, test)
    return this.#findings.add(finding, calls)
  }

  /** Calls the listener with what happens to the journals until the returned function is called. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Says what happened to the journal of a sandbox: a call that it keeps, or null when it is cleared. */
  announce(sandbox: string, call: JudgedCall | null): void {
    for (const listener of this.#listeners) listener(sandbox, call)
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
    const named = new Set(this.findings.list().flatMap(({ requests }) => requests))
    const entries = open.flatMap(({ request, entry }) => (entry !== null && named.has(request) ? [[request, entry()] as const] : []))
    const { calls, entries: omittedEntries } = this.calls.omitted
    return {
      sandboxes: this.#periods.entries().map(([name, periods]) => ({ sandbox: name === '' ? null : name, periods })),
      tests: this.tests.list(open.map(({ test }) => test)),
      requests: this.calls.list(new Map(entries)),
      omitted: { requests: calls, entries: omittedEntries, by_test: this.tests.omitted }
    }
  }
}
