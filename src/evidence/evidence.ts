/** The evidence of a sandbox since its last load or reset. */
import type { Exchange } from '../engine/exchange.js'
import { Changers } from './changers.js'
import { Findings, type Found } from './findings.js'
import { Journal, type JournalLimits } from './journal.js'
import { judgementOf } from './judgement.js'
import type { Run, RunEntry } from './run.js'
import { Totals } from './totals.js'
import { explained } from './why.js'

export class Evidence {
  readonly journal: Journal
  totals = new Totals()
  changers = new Changers()
  readonly #findings = new Findings()
  /** Requests that a finding names and that are not over yet. */
  readonly #awaited = new Set<string>()
  readonly #run: Run
  readonly #sandbox: string
  /** `SANDBOX#PERIOD/`, before the ids of requests in the run; empty before the first. */
  prefix = ''

  /** `sandbox` is null at the base address. */
  constructor(limits: JournalLimits, run: Run, sandbox: string | null = null) {
    this.journal = new Journal(limits)
    this.#run = run
    this.#sandbox = sandbox ?? ''
  }

  find(id: string): Exchange | undefined {
    const { prefix } = this
    return this.journal.get(id.startsWith(prefix) ? id.slice(prefix.length) : id)
  }

  /** Records a request that is over: it is judged once, then redacted. */
  record(exchange: Exchange): void {
    const { 'evidence.journal': isKept, 'evidence.coverage': isJudged } = exchange.settings
    const name = this.nameInRun(exchange.id)
    const run = this.#run
    const judgement = isJudged ? judgementOf(exchange) : null
    const found = isJudged ? this.#findings.look(exchange, this.changers) : []
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
    for (const one of found) this.#count(one, exchange.test)
    if (this.#awaited.delete(exchange.id) && isKept)
      run.requests.keep(name, () => this.#entryOf(exchange))
  }

  #count(found: Found, test: string | null): void {
    const { requests, times } = found
    const run = this.#run
    this.totals.addFound(found, requests, test)
    const named = run.addFound(found, requests.map(this.nameInRun), test)
    for (const id of requests) {
      const name = this.nameInRun(id)
      if (times < 0 && !run.found.isNamed(name)) run.requests.drop(name)
      if (!named.includes(name)) continue
      const exchange = this.journal.get(id)
      if (exchange) run.requests.keep(name, () => this.#entryOf(exchange))
      else this.#awaited.add(id)
    }
  }

  readonly nameInRun = (id: string): string => {
    if (this.prefix === '') this.prefix = `${this.#sandbox}#${this.#run.nextPeriod(this.#sandbox)}/`
    return this.prefix + id
  }

  #entryOf(exchange: Exchange): RunEntry {
    const { why, ...entry } = explained(exchange, this, exchange.secretWords)
    return {
      ...entry,
      id: this.nameInRun(exchange.id),
      why: {
        ...why,
        changed_by: why.changed_by.map(by => (by.includes(' ') ? by : this.nameInRun(by)))
      }
    }
  }

  /** What last changed the records of a request: ids, and control requests by method and path. */
  changersOf(exchange: Exchange): string[] {
    return this.changers.of(exchange).filter(by => by.includes(' ') || this.journal.get(by))
  }

  leave(exchange: Exchange): void {
    this.#findings.leave(exchange)
  }

  /** Forgets everything but its listeners and the totals of the run. */
  clear(): void {
    this.#findings.clear()
    this.#awaited.clear()
    this.totals = new Totals()
    this.changers = new Changers()
    this.prefix = ''
    this.clearJournal()
  }

  clearJournal(): void {
    const isEmpty = this.journal.size + this.journal.dropped === 0
    this.journal.clear()
    if (!isEmpty) for (const listener of this.#run.listeners) listener(this.#sandbox, null)
  }
}
