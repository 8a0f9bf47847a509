/** What a whole run adds up to: the totals of the process, over every sandbox, reset and load. */
import type { RuleId } from '../reference/rules.js'
import { AssumptionUsage } from './assumptions.js'
import { Coverage } from './coverage.js'
import { type Finding, FindingCounts, type FindingId } from './findings.js'
import { Metrics } from './metrics.js'
import { RunHistory } from './run-history.js'

/** What is counted of calls: in a sandbox since its last load or reset, or in a run over all of them. */
export type Totals = { coverage: Coverage; assumptions: AssumptionUsage; findings: { list: () => Finding[] } }
/** What a call added to the totals; rules and assumptions by their places in the ledger. */
export type Judgement = { kept: readonly number[]; broken: RuleId | null; relied: readonly number[] }

/** Calls of named sandboxes are named `NAME/req_1`. */
export class Run implements Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new AssumptionUsage()
  readonly metrics = new Metrics()
  /** Scripts and expectations of the periods that are over. */
  readonly history = new RunHistory()
  readonly #findings = new FindingCounts()
  /** For each sandbox that has evidence: the empty pages in it that no call continued from yet. */
  readonly #stopped = new Set<() => string[]>()

  /** What was found in any sandbox; what is still open in one of them counts as it is. */
  get findings(): Totals['findings'] {
    return { list: () => this.#findings.list([...this.#stopped].flatMap(stopped => stopped())) }
  }

  count({ kept, broken, relied }: Judgement, call: string): void {
    this.coverage.count(kept, broken)
    this.assumptions.count(relied, call)
  }

  addFinding(finding: FindingId, calls: readonly string[]): void {
    this.#findings.add(finding, calls)
  }

  /** Counts what is open in a sandbox from now on, until the returned function is called. */
  follow(stopped: () => string[]): () => void {
    this.#stopped.add(stopped)
    return () => this.#stopped.delete(stopped)
  }
}
