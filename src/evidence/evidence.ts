/** The evidence of one sandbox: its journal, and what was counted since its last load or reset. */
import { AssumptionUsage } from './assumptions.js'
import { Coverage } from './coverage.js'
import { Findings } from './findings.js'
import { Journal, type JournalLimits } from './journal.js'
import { brokenRule, type JudgedCall } from './judged-call.js'
import { keptRules } from './kept-rules.js'
import { reliedAssumptions } from './relied-assumptions.js'
import type { Run, Totals } from './run.js'

/** Which evidence the settings ask for. */
export type EvidenceParts = { journal: boolean; coverage: boolean }

export class Evidence {
  readonly journal: Journal
  readonly #coverage = new Coverage()
  readonly #assumptions = new AssumptionUsage()
  readonly #findings: Findings
  readonly #run: Run
  /** Ends that the run counts what is open here; null until something was counted. */
  #unfollow: (() => void) | null = null
  #isOver = false
  readonly #nameInRun: (call: string) => string

  /** `sandbox` is the name of the sandbox; null for the one at the base address. */
  constructor(limits: JournalLimits, run: Run, sandbox: string | null = null) {
    this.journal = new Journal(limits)
    this.#nameInRun = call => (sandbox === null ? call : `${sandbox}/${call}`)
    this.#findings = new Findings((finding, calls) => run.addFinding(finding, calls.map(this.#nameInRun)))
    this.#run = run
  }

  /** What was counted since the last load or reset. */
  get totals(): Totals {
    return { coverage: this.#coverage, assumptions: this.#assumptions, findings: this.#findings }
  }

  /** Records a call that is over; what may not be kept of it is dropped. */
  record(call: JudgedCall, parts: EvidenceParts): void {
    this.#run.metrics.count(call)
    if (parts.coverage) {
      if (!this.#isOver) this.#unfollow ??= this.#run.follow(() => this.#findings.stopped.map(this.#nameInRun))
      const judgement = { kept: keptRules(call), broken: brokenRule(call), relied: reliedAssumptions(call) }
      this.#coverage.count(judgement.kept, judgement.broken)
      this.#assumptions.count(judgement.relied, call.id)
      this.#run.count(judgement, this.#nameInRun(call.id))
      this.#findings.look(call)
    }
    if (parts.journal && !this.#isOver) {
      call.redact()
      this.journal.add(call)
    } else this.journal.skip()
  }

  /** The client of a call left, while the call goes on. */
  leave(call: JudgedCall): void {
    this.#findings.leave(call)
  }

  /** Forgets everything but who listens to the journal; what was counted of the run stays. */
  clear(): void {
    for (const part of [this.journal, this.#coverage, this.#assumptions, this.#findings]) part.clear()
  }

  /** The sandbox is deleted; a call that ends later is still counted in the run. */
  end(): void {
    this.clear()
    this.#isOver = true
    this.#unfollow?.()
  }
}
