/** The evidence of a sandbox since its last load or reset. */
import { valueIn } from '../core/form.js'
import { type Guarded, keysToMask } from '../engine/keys.js'
import { type AnyRecord, listIn } from '../engine/outcome.js'
import type { Reading } from '../engine/reading.js'
import type { RecordName } from '../scenario/records/edits.js'
import type { Store } from '../store/store.js'
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

type Change = { readonly by: string; readonly place: number }

/** Which request last changed each record; a restore brings back the earlier one. */
export class Changers {
  /** By stored record; records of the first state have none. */
  #changes = new WeakMap<object, Change>()
  #deletions = new Map<string, Change>()
  count = 0
  #last = { by: '', from: 0 }

  /** By id of a deleted record, or of a Transaction with a new Refund. */
  note(store: Store, by: string, records: readonly RecordName[]) {
    if (by !== this.#last.by) this.#last = { by, from: this.count }
    const change = { by, place: this.count++ }
    for (const { family, id } of records) {
      const record: AnyRecord | undefined = store[family].get(id)
      if (record === undefined) this.#deletions.set(id, change)
      else this.#changes.set(record, change)
      const transaction = store.transactions.get(String(record?.transaction))
      if (transaction !== undefined) this.#changes.set(transaction, change)
    }
  }

  before(request: string): number {
    return this.#last.by === request ? this.#last.from : this.count
  }

  /** Deletions do not outlast a restore. */
  restored() {
    this.count++
    this.#deletions.clear()
  }

  /** Who last changed the record of a request, or the latest of its list. */
  of(call: Entry): string[] {
    const { facts, caller, operation, params, body } = call
    const { record, filteredBy } = facts
    const [last] = (listIn(call)?.data ?? [])
      .flatMap(listed => this.#changes.get(listed) ?? [])
      .sort((a, b) => b.place - a.place)
    const merchant = operation === 'createLocation' ? caller.actor : null
    const judged = [record, filteredBy, merchant].map(by => by && this.#changes.get(by))
    const refunded = operation === 'createRefund' ? valueIn(body, 'transaction') : undefined
    const gone = [...Object.values(params), refunded ?? ''].map(id =>
      id === record?.id ? null : this.#deletions.get(id)
    )
    return [...new Set([...judged, ...gone, last].flatMap(change => change?.by ?? []))]
  }
}
