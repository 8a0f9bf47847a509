/** What requests add up to: of a sandbox since its last load or reset, or of a whole run. Both are the same folds over judged requests. */
import type { Exchange } from '../engine/exchange.js'
import { AssumptionUsage } from './assumptions.js'
import { Coverage } from './coverage.js'
import { type Finding, FindingCounts, type FindingId } from './findings.js'
import type { Judgement } from './judgement.js'
import { Metrics } from './metrics.js'
import { TestTotals } from './tests.js'

export class Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new AssumptionUsage()
  readonly metrics = new Metrics()
  readonly tests = new TestTotals()
  readonly #findings = new FindingCounts()
  readonly #open: () => readonly string[]

  /** `open` are the empty pages that no request continued from so far: each counts as it is. */
  constructor(open: () => readonly string[]) {
    this.#open = open
  }

  /** Adds a request that is over, by its name in these totals; without a judgement only that it came. */
  add(exchange: Exchange, judgement: Judgement | null, name: string): void {
    this.metrics.add(exchange)
    this.tests.add(exchange, judgement)
    if (judgement === null) return
    this.coverage.add(judgement)
    this.assumptions.add(judgement, name)
  }

  /** Adds a finding that a test caused. Returns the requests that are named for it from now on, and were not before. */
  addFinding(finding: FindingId, requests: readonly string[], test: string | null): readonly string[] {
    this.tests.addFinding(finding, test)
    return this.#findings.add(finding, requests)
  }

  findings(): Finding[] {
    return this.#findings.list(this.#open())
  }

  clear(): void {
    for (const fold of [this.coverage, this.assumptions, this.metrics, this.tests, this.#findings]) fold.clear()
  }
}
