/** The evidence of a sandbox since its last load or reset. */

import { NO_WORDS } from '../core/secret-words.js'
import type { Reading } from '../engine/admit.js'
import { type Guarded, keysToMask } from '../engine/keys.js'
import { Changers } from './changers.js'
import { type Entry, masked } from './entry.js'
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

  find(id: string): Entry | undefined {
    const { prefix } = this
    return this.journal.get(id.startsWith(prefix) ? id.slice(prefix.length) : id)
  }

  /** Records a request that is over: it is judged once, then masked. */
  record(over: Entry, reading: Reading): void {
    const { 'evidence.journal': isKept, 'evidence.coverage': isJudged } = over.settings
    const name = this.nameInRun(over.id)
    const run = this.#run
    const judgement = isJudged ? judgementOf(over) : null
    const found = isJudged ? this.#findings.look(over, reading, this.changers) : []
    const { world } = reading.request
    const isShown = isKept || over.caller.test !== null
    const entry = isShown ? masked(over, reading, judgement) : over
    this.totals.add(entry, judgement, entry.id)
    run.add(entry, judgement, name)
    if (isKept) {
      this.journal.add(entry)
      for (const listener of run.listeners) listener(this.#sandbox, entry, () => keysToMask(world))
      run.requests.add(entry, name, () => this.#entryOf(entry, world))
    } else {
      this.journal.skip()
      run.requests.skip()
    }
    for (const one of found) this.#count(one, entry.caller.test, world)
    if (this.#awaited.delete(entry.id) && isKept)
      run.requests.keep(name, () => this.#entryOf(entry, world))
  }

  #count(found: Found, test: string | null, world: Guarded): void {
    const { requests, times } = found
    const run = this.#run
    this.totals.addFound(found, requests, test)
    const named = run.addFound(found, requests.map(this.nameInRun), test)
    for (const id of requests) {
      const name = this.nameInRun(id)
      if (times < 0 && !run.found.isNamed(name)) run.requests.drop(name)
      if (!named.includes(name)) continue
      const entry = this.journal.get(id)
      if (entry) run.requests.keep(name, () => this.#entryOf(entry, world))
      else this.#awaited.add(id)
    }
  }

  readonly nameInRun = (id: string): string => {
    if (this.prefix === '') this.prefix = `${this.#sandbox}#${this.#run.nextPeriod(this.#sandbox)}/`
    return this.prefix + id
  }

  #entryOf(one: Entry, world: Guarded): RunEntry {
    const { why, ...entry } = explained(one, this, keysToMask(world))
    return {
      ...entry,
      id: this.nameInRun(one.id),
      why: {
        ...why,
        changed_by: why.changed_by.map(by => (by.includes(' ') ? by : this.nameInRun(by)))
      }
    }
  }

  /** What last changed the records of a request: ids, and control requests by method and path. */
  changersOf(entry: Entry): string[] {
    return this.changers.of(entry).filter(by => by.includes(' ') || this.journal.get(by))
  }

  leave(entry: Entry, reading: Reading): void {
    this.#findings.leave(entry, reading)
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
    if (!isEmpty)
      for (const listener of this.#run.listeners) listener(this.#sandbox, null, () => NO_WORDS)
  }
}
