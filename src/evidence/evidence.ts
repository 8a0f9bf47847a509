/** The evidence of one sandbox: its journal, and what was counted since its last load or reset. */
import { AssumptionUsage } from './assumptions.js'
import { Coverage } from './coverage.js'
import { type FindingId, Findings } from './findings.js'
import { Journal, type JournalLimits } from './journal.js'
import { brokenRule, type JudgedCall, type Judgement } from './judged-call.js'
import { keptRules } from './kept-rules.js'
import { reliedAssumptions } from './relied-assumptions.js'
import type { OpenPage, Run, Totals } from './run.js'
import type { RunEntry } from './run-calls.js'
import { explained } from './why.js'

/** Which evidence the settings ask for. */
export type EvidenceParts = { journal: boolean; coverage: boolean }

export class Evidence {
  readonly journal: Journal
  readonly #coverage = new Coverage()
  readonly #assumptions = new AssumptionUsage()
  readonly #findings = new Findings((finding, calls) => this.#found.push({ finding, calls }))
  /** Findings that the run does not know yet. */
  #found: { finding: FindingId; calls: readonly string[] }[] = []
  /** Calls that a finding names and that are not over yet. */
  readonly #awaited = new Set<string>()
  readonly #run: Run
  /** Ends the run's counting of what is open here; null until something was counted. */
  #unfollow: (() => void) | null = null
  #isOver = false
  readonly #sandbox: string
  /** What the names of calls in the run begin with, before their ids, since the last load or reset: `SANDBOX#PERIOD/`; null before the first call. */
  #callPrefix: string | null = null

  /** `sandbox` is the name of the sandbox; null for the one at the base address. */
  constructor(limits: JournalLimits, run: Run, sandbox: string | null = null) {
    this.journal = new Journal(limits)
    this.#run = run
    this.#sandbox = sandbox ?? ''
  }

  /** What was counted since the last load or reset. */
  get totals(): Totals {
    return { coverage: this.#coverage, assumptions: this.#assumptions, findings: this.#findings }
  }

  /** The call of the journal with an id, alone or as it is named in a run; undefined where there is none. */
  find(id: string): JudgedCall | undefined {
    const { journal } = this
    return journal.get(this.#callPrefix !== null && id.startsWith(this.#callPrefix) ? id.slice(this.#callPrefix.length) : id)
  }

  /** Records a call that is over; what may not be kept of it is dropped. */
  record(call: JudgedCall, parts: EvidenceParts): void {
    const isKept = parts.journal && !this.#isOver
    const request = this.#nameInRun(call.id)
    const { metrics, tests, calls } = this.#run
    metrics.count(call)
    const judgement = parts.coverage ? this.#judge(call, request) : null
    if (isKept || call.test !== null) call.redact()
    tests.count(call, judgement)
    if (isKept) {
      this.journal.add(call)
      this.#run.announce(this.#sandbox, call)
      calls.add(call, request, () => this.#entryOf(call))
    } else {
      this.journal.skip()
      calls.skip()
    }
    if (this.#found.length > 0) this.#report(call)
    if (this.#awaited.delete(call.id) && isKept) calls.keep(request, () => this.#entryOf(call))
  }

  #judge(call: JudgedCall, request: string): Judgement {
    if (!this.#isOver) this.#unfollow ??= this.#run.follow({ names: () => this.#findings.stopped.map(this.#nameInRun), pages: () => this.#openPages() })
    const judgement = { kept: keptRules(call), broken: brokenRule(call), relied: reliedAssumptions(call) }
    this.#coverage.count(judgement.kept, judgement.broken)
    this.#assumptions.count(judgement.relied, call.id)
    this.#run.count(judgement, request)
    this.#findings.look(call)
    return judgement
  }

  /** Passes what was found on to the run; `last` is the call that showed it, if it is not in the journal. */
  #report(last: JudgedCall | null): void {
    const { journal } = this
    for (const { finding, calls } of this.#found) {
      const shows = calls.at(-1) as string
      const { test = null } = (last?.id === shows ? last : journal.get(shows)) ?? {}
      const named = this.#run.addFinding(finding, calls.map(this.#nameInRun), test)
      for (const id of calls.filter(id => named.includes(this.#nameInRun(id)))) {
        const call = journal.get(id)
        if (call) this.#run.calls.keep(this.#nameInRun(id), () => this.#entryOf(call))
        else this.#awaited.add(id)
      }
    }
    this.#found = []
  }

  readonly #nameInRun = (call: string): string => {
    this.#callPrefix ??= `${this.#sandbox}#${this.#run.nextPeriod(this.#sandbox)}/`
    return this.#callPrefix + call
  }

  #entryOf(call: JudgedCall): RunEntry {
    const { why, ...entry } = explained(call, this.journal, call.secretWords)
    return { ...entry, id: this.#nameInRun(call.id), why: { ...why, changed_by: why.changed_by.map(this.#nameInRun) } }
  }

  #openPages(): OpenPage[] {
    const calls = new Map(this.journal.calls().map(call => [call.id, call]))
    return this.#findings.stopped.map(id => {
      const call = calls.get(id)
      const request = this.#nameInRun(id)
      return call ? { request, test: call.test, entry: () => this.#entryOf(call) } : { request, test: null, entry: null }
    })
  }

  /** The client of a call left, while the call goes on. */
  leave(call: JudgedCall): void {
    this.#findings.leave(call)
  }

  /** Forgets everything but who listens to the journal; what was counted of the run stays. */
  clear(): void {
    this.#findings.clear()
    this.#report(null)
    this.#awaited.clear()
    for (const part of [this.#coverage, this.#assumptions]) part.clear()
    this.#callPrefix = null
    this.clearJournal()
  }

  /** Empties the journal alone. */
  clearJournal(): void {
    const isEmpty = this.journal.size + this.journal.dropped === 0
    this.journal.clear()
    if (!isEmpty) this.#run.announce(this.#sandbox, null)
  }

  /** The sandbox is deleted; a call that ends later is still counted in the run. */
  end(): void {
    const callPrefix = this.#callPrefix
    this.clear()
    this.#callPrefix = callPrefix
    this.#isOver = true
    this.#unfollow?.()
  }
}
