/** The evidence of one sandbox: the log of its requests, and what they add up to since its last load or reset. */
import type { Exchange } from '../engine/exchange.js'
import { type FindingId, Findings } from './findings.js'
import { Journal, type JournalLimits } from './journal.js'
import { judgementOf } from './judgement.js'
import type { OpenPage, Run, RunEntry } from './run.js'
import { Totals } from './totals.js'
import { explained } from './why.js'

export class Evidence {
  readonly journal: Journal
  readonly #findings = new Findings((finding, requests) => this.#found.push({ finding, requests }))
  readonly totals = new Totals(() => this.#findings.stopped)
  /** Findings that are not counted yet. */
  #found: { finding: FindingId; requests: readonly string[] }[] = []
  /** Requests that a finding names and that are not over yet. */
  readonly #awaited = new Set<string>()
  readonly #run: Run
  /** Ends the run's counting of what is open here; null until something was counted. */
  #unfollow: (() => void) | null = null
  #isOver = false
  readonly #sandbox: string
  /** What the names of requests in the run begin with, before their ids, since the last load or reset: `SANDBOX#PERIOD/`; null before the first request. */
  #prefix: string | null = null

  /** `sandbox` is the name of the sandbox; null for the one at the base address. */
  constructor(limits: JournalLimits, run: Run, sandbox: string | null = null) {
    this.journal = new Journal(limits)
    this.#run = run
    this.#sandbox = sandbox ?? ''
  }

  /** The request of the journal with an id, alone or as it is named in a run; undefined where there is none. */
  find(id: string): Exchange | undefined {
    const { prefix } = this
    return this.journal.get(id.startsWith(prefix) ? id.slice(prefix.length) : id)
  }

  /** Records a request that is over: it is judged once, and what may not be kept of it is dropped. */
  record(exchange: Exchange): void {
    const { 'evidence.journal': isJournaled, 'evidence.coverage': isJudged } = exchange.settings
    const isKept = isJournaled && !this.#isOver
    const name = this.nameInRun(exchange.id)
    const run = this.#run
    const judgement = isJudged ? judgementOf(exchange) : null
    if (isJudged) {
      if (this.#unfollow === null && !this.#isOver) this.#follow()
      this.#findings.look(exchange)
    }
    if (isKept || exchange.test !== null) exchange.redact()
    this.totals.add(exchange, judgement, exchange.id)
    run.add(exchange, judgement, name)
    if (isKept) {
      this.journal.add(exchange)
      for (const listener of run.listeners) listener(this.#sandbox, exchange)
      run.requests.add(exchange, name, () => this.#entryOf(exchange))
    } else {
      this.journal.skip()
      run.requests.skip()
    }
    if (this.#found.length > 0) this.#report(exchange)
    if (this.#awaited.delete(exchange.id) && isKept) run.requests.keep(name, () => this.#entryOf(exchange))
  }

  #follow(): void {
    this.#unfollow = this.#run.follow({ names: () => this.#findings.stopped.map(this.nameInRun), pages: () => this.#openPages() })
  }

  /** Counts what was found; `last` is the request that showed it, if it is not in the journal. */
  #report(last: Exchange | null): void {
    const { journal } = this
    for (const { finding, requests } of this.#found) {
      const shows = requests.at(-1) as string
      const { test = null } = (last?.id === shows ? last : journal.get(shows)) ?? {}
      this.totals.addFinding(finding, requests, test)
      const named = this.#run.addFinding(finding, requests.map(this.nameInRun), test)
      for (const id of requests.filter(id => named.includes(this.nameInRun(id)))) {
        const exchange = journal.get(id)
        if (exchange) this.#run.requests.keep(this.nameInRun(id), () => this.#entryOf(exchange))
        else this.#awaited.add(id)
      }
    }
    this.#found = []
  }

  /** What the names of its requests in the run begin with; nothing before the first. */
  get prefix(): string {
    return this.#prefix ?? ''
  }

  /** The name of a request in the run. */
  readonly nameInRun = (id: string): string => {
    this.#prefix ??= `${this.#sandbox}#${this.#run.nextPeriod(this.#sandbox)}/`
    return this.#prefix + id
  }

  #entryOf(exchange: Exchange): RunEntry {
    const { why, ...entry } = explained(exchange, this.journal, exchange.secretWords)
    return { ...entry, id: this.nameInRun(exchange.id), why: { ...why, changed_by: why.changed_by.map(this.nameInRun) } }
  }

  #openPages(): OpenPage[] {
    const there = new Map(this.journal.requests().map(exchange => [exchange.id, exchange]))
    return this.#findings.stopped.map(id => {
      const exchange = there.get(id)
      const request = this.nameInRun(id)
      return exchange ? { request, test: exchange.test, entry: () => this.#entryOf(exchange) } : { request, test: null, entry: null }
    })
  }

  /** The client of a request left, while the request goes on. */
  leave(exchange: Exchange): void {
    this.#findings.leave(exchange)
  }

  /** Forgets everything but who listens to the journal; what was counted of the run stays. */
  clear(): void {
    this.#findings.clear()
    this.#report(null)
    this.#awaited.clear()
    this.totals.clear()
    this.#prefix = null
    this.clearJournal()
  }

  /** Empties the journal alone. */
  clearJournal(): void {
    const isEmpty = this.journal.size + this.journal.dropped === 0
    this.journal.clear()
    if (!isEmpty) for (const listener of this.#run.listeners) listener(this.#sandbox, null)
  }

  /** The sandbox is deleted; a request that ends later is still counted in the run. */
  end(): void {
    const prefix = this.#prefix
    this.clear()
    this.#prefix = prefix
    this.#isOver = true
    this.#unfollow?.()
  }
}
