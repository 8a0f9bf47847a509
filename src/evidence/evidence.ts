/** The evidence of a sandbox since its last load or reset. */
import { type Guarded, keysToMask } from '../engine/keys.js'
import type { Reading } from '../engine/reading.js'
import { Changers } from './changers.js'
import { type Entry, masked } from './entry.js'
import type { Raised } from './findings.js'
import { Journal, type JournalLimits } from './journal.js'
import { Findings } from './mistakes.js'
import type { Run, RunEntry } from './run.js'
import { Totals } from './totals.js'
import { explained } from './why.js'

export class Evidence {
  readonly journal: Journal
  totals = new Totals()
  changers = new Changers()
  #findings = new Findings()
  /** Requests that a finding names, until they are over. */
  #awaited = new Set<string>()
  #sandbox: string
  /** `SANDBOX#PERIOD/`, before ids in the run; empty before the first request. */
  prefix = ''

  constructor(
    limits: JournalLimits,
    private readonly run: Run,
    sandbox: string | null = null
  ) {
    this.journal = new Journal(limits)
    this.#sandbox = sandbox ?? ''
  }

  find(id: string): Entry | undefined {
    const { prefix } = this
    return this.journal.get(id.startsWith(prefix) ? id.slice(prefix.length) : id)
  }

  /** Records a request that is over, and masks it. */
  record(over: Entry, reading: Reading) {
    const { run } = this
    const { world } = reading
    const raised = this.#findings.look(over, reading, this.changers)
    const entry = masked(over, reading)
    this.totals.add(entry, entry.id)
    this.journal.add(entry)
    for (const listener of run.listeners) listener(this.#sandbox, { entry, world })
    run.record(entry, this.nameInRun(entry.id), () => this.#entryOf(entry, world))
    for (const finding of raised) this.#count(finding, entry.caller.test, world)
    if (this.#awaited.delete(entry.id)) this.#keep(entry, world)
  }

  #count(raised: Raised, test: string | null, world: Guarded) {
    const { finding, requests, times } = raised
    const { run } = this
    this.totals.found.add(finding, requests, times)
    const named = run.found.add(finding, requests.map(this.nameInRun), times)
    run.tests.addFound(raised, test)
    for (const id of requests) {
      const name = this.nameInRun(id)
      if (times < 0 && !run.found.isNamed(name)) run.requests.drop(name)
      if (!named.includes(name)) continue
      const entry = this.journal.get(id)
      if (entry) this.#keep(entry, world)
      else this.#awaited.add(id)
    }
  }

  #keep(entry: Entry, world: Guarded) {
    this.run.requests.keep(this.nameInRun(entry.id), () => this.#entryOf(entry, world))
  }

  readonly nameInRun = (id: string): string => {
    if (this.prefix === '') this.prefix = `${this.#sandbox}#${this.run.nextPeriod(this.#sandbox)}/`
    return this.prefix + id
  }

  #entryOf(entry: Entry, world: Guarded): RunEntry {
    const { why, ...full } = explained(entry, this, keysToMask(world))
    const changed_by = why.changed_by.map(by => (by.includes(' ') ? by : this.nameInRun(by)))
    return { ...full, id: this.nameInRun(entry.id), why: { ...why, changed_by } }
  }

  /** Ids of requests, and control requests by method and path. */
  changersOf(entry: Entry): string[] {
    return this.changers.of(entry).filter(by => by.includes(' ') || this.journal.get(by))
  }

  leave(entry: Entry, reading: Reading) {
    this.#findings.lost.note(entry, reading)
  }

  clear() {
    this.#findings = new Findings()
    this.#awaited.clear()
    this.totals = new Totals()
    this.changers = new Changers()
    this.prefix = ''
    this.clearJournal()
  }

  clearJournal() {
    const isEmpty = this.journal.size + this.journal.dropped === 0
    this.journal.clear()
    if (!isEmpty) for (const listener of this.run.listeners) listener(this.#sandbox, null)
  }
}
