/** Fixtures: records put into a store, all or none, each completed, checked and resolved. */

import type { Step } from '../core/checking.js'
import { FORMATS } from '../core/formats.js'
import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { isExact, moneyOf, type Sums, settled } from '../core/money.js'
import { didYouMean } from '../core/nearest.js'
import type { Settings } from '../core/settings.js'
import type { AccountType } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { FAMILIES, type RecordOf, type Records, type Store } from '../store/store.js'
import { type DocumentProblem, MOST_PROBLEMS, type SourceDocument } from './documents.js'
import { RESOURCES } from './schemas.js'

type Given = Readonly<Record<string, unknown>>
type Sourced = { given: Given; document: SourceDocument; steps: readonly Step[] }
/** The records of one or more fixture documents, each knowing where it stands. */
export type Fixture = { [F in Family | 'api_keys']: Sourced[] }
/** Told of long work: what is done, how many of how many. */
export type Progress = (what: string, done: number, total: number) => void
export type Drawing = { ids: Ids; now: number; settings: Settings; progress?: Progress | undefined }
const TOLD_EVERY = 500
type InsertedRecords = { [F in Family]: RecordOf<F>[] } & { api_keys: { key: string; account: string }[] }

const SECTIONS = ['api_keys', ...FAMILIES] as const

const eachSection = (make: (name: Family | 'api_keys') => Sourced[]): Fixture => ({
  api_keys: make('api_keys'),
  accounts: make('accounts'),
  users: make('users'),
  locations: make('locations'),
  tickets: make('tickets'),
  transactions: make('transactions'),
  refunds: make('refunds')
})

/** The records of a checked fixture document, standing under `under` in it. */
export function fixtureIn(document: SourceDocument, data: Given, under: readonly Step[] = []): Fixture {
  const section = (name: Family | 'api_keys') => ((data[name] ?? []) as Given[]).map((given, index) => ({ given, document, steps: [...under, name, index] }))
  return eachSection(section)
}

/** Fixtures as one: later records win by id (keys by key) and stand in the place of the earlier ones. */
export function merged(fixtures: readonly Fixture[]): Fixture {
  const mergedSection = (name: Family | 'api_keys') => {
    const byId = new Map<unknown, Sourced>()
    for (const fixture of fixtures) for (const record of fixture[name]) byId.set(record.given[name === 'api_keys' ? 'key' : 'id'] ?? record, record)
    return [...byId.values()]
  }
  return eachSection(mergedSection)
}

/** Records of one document that give the same id twice. */
export function duplicatesIn(fixture: Fixture): DocumentProblem[] {
  return SECTIONS.flatMap(name => {
    const seen = new Set<unknown>()
    const field = name === 'api_keys' ? 'key' : 'id'
    return fixture[name].flatMap(({ given, document, steps }) => {
      const id = given[field]
      const again = id !== undefined && id !== null && seen.has(id)
      seen.add(id)
      return again ? [{ document, steps: [...steps, field], message: field === 'id' ? `the id ${id} is given twice` : 'the key is given twice' }] : []
    })
  })
}

/**
 * Puts a fixture into a store and answers the records put there, or the problems that it has. The store is changed either way, so it is given a
 * copy. Ids that are left out are drawn, `created` left out is now, in file order.
 */
export function put(fixture: Fixture, store: Store, drawing: Drawing): { inserted: InsertedRecords; problems: DocumentProblem[] } {
  const filling = new Filling(store, drawing)
  for (const family of FAMILIES) {
    for (const [index, record] of fixture[family].entries()) {
      filling.add(family, record)
      if (index % TOLD_EVERY === TOLD_EVERY - 1) drawing.progress?.(family, index + 1, fixture[family].length)
    }
  }
  for (const key of fixture.api_keys) filling.addKey(key)
  filling.checkResellers()
  filling.checkCharges()
  return filling
}

/** What each family refers to: field → family. */
const LINKS: Record<Family, Readonly<Record<string, Family>>> = {
  accounts: { reseller: 'accounts' },
  users: { account: 'accounts' },
  locations: { account: 'accounts' },
  tickets: { location: 'locations' },
  transactions: { ticket: 'tickets' },
  refunds: { transaction: 'transactions' }
}

class Filling {
  readonly inserted: InsertedRecords = { api_keys: [], accounts: [], users: [], locations: [], tickets: [], transactions: [], refunds: [] }
  readonly problems: DocumentProblem[] = []
  readonly #store: Store
  readonly #drawing: Drawing
  /** Records that could not be put; what refers to them is not told as a problem of its own. */
  readonly #failed = new Set<string>()
  /** Accounts whose reseller has to be looked for once all Accounts stand. */
  readonly #accounts: Sourced[] = []
  /** Transactions whose sums have to be looked at once all records stand, each with the record to blame. */
  readonly #charges = new Map<string, Sourced>()

  constructor(store: Store, drawing: Drawing) {
    this.#store = store
    this.#drawing = drawing
  }

  add(family: Family, source: Sourced): void {
    const before = this.problems.length
    this.#checkExtra(family, source)
    const isLinked = this.#checkLinks(family, source)
    if (isLinked && this.problems.length === before) this.#complete(family, source)
    if (!isLinked || this.problems.length > before) this.#failed.add(`${family}/${source.given.id}`)
  }

  #complete(family: Family, source: Sourced): void {
    const { settings, ids, now } = this.#drawing
    const { given } = source
    const { id, created } = given as { id?: string | null; created?: string | null }
    const common = {
      ...completed(RESOURCES[family], given),
      object: RESOURCE_NAMES[family].toLowerCase(),
      id: id ?? ids.draw(kindOf(family, given.type as AccountType), settings, taken => this.#store[family].isTaken(taken)),
      created: isoOf(created == null ? now : (instantOf(created) as number)),
      ...(given.extra === undefined ? {} : { extra: given.extra })
    }
    this.#put(family, source, common as unknown as RecordOf<Family>)
  }

  addKey({ given, document, steps }: Sourced): void {
    const { key, account } = given as { key: string; account: string }
    if (!this.#store.accounts.get(account)) {
      if (!this.#failed.has(`accounts/${account}`)) this.#found({ document, steps: [...steps, 'account'], message: this.#noSuch('accounts', account) })
      return
    }
    this.#store.keys.set(key, account)
    this.inserted.api_keys.push({ key, account })
  }

  checkResellers(): void {
    for (const source of this.#accounts) {
      const reseller = source.given.reseller as string | null | undefined
      if (reseller == null || this.#store.accounts.get(reseller) || this.#failed.has(`accounts/${reseller}`)) continue
      this.#problem(source, 'reseller', this.#noSuch('accounts', reseller))
    }
  }

  checkCharges(): void {
    for (const [id, source] of this.#charges) {
      const transaction = this.#store.transactions.get(id)
      if (transaction === undefined) continue
      const { charged, refunded, currency } = moneyOf(transaction, this.#drawing.settings)
      if (refunded <= charged) continue
      this.#problem(source, 'amount', `the Refunds of ${id} come to ${refunded} ${currency}, above the ${charged} that can be refunded`)
    }
  }

  #put(family: Family, source: Sourced, record: RecordOf<Family>): void {
    const before = this.#store[family].get(record.id)
    const problems = this.problems.length
    const ready =
      family === 'transactions'
        ? this.#transaction(source, record as Records['transactions'], before as Records['transactions'] | undefined)
        : family === 'refunds'
          ? this.#refund(source, record as Records['refunds'])
          : record
    if (before) this.#checkReplaced(family, source, before, ready)
    if (this.problems.length > problems) return

    const stored =
      family === 'refunds'
        ? before
          ? this.#store.replaceRefund(ready as Records['refunds'])
          : this.#store.insertRefund(ready as Records['refunds'])
        : this.#store[family][before ? 'replace' : 'insert'](ready as never)
    ;(this.inserted[family] as unknown[]).push(stored)
  }

  /** A Transaction with what follows from its Ticket, its payment type and its sums. */
  #transaction(source: Sourced, record: Records['transactions'], before: Records['transactions'] | undefined): Records['transactions'] {
    const { given } = source
    const { location } = this.#store.tickets.get(record.ticket) as Records['tickets']
    if (given.location != null && given.location !== location) this.#problem(source, 'location', `the Ticket ${record.ticket} is at ${location}`)
    const method = (given.payment_method ?? {}) as { type?: string }
    if (method.type != null && method.type !== record.payment_type) {
      this.#problem(source, 'payment_method', `its type is ${method.type}, but payment_type is ${record.payment_type}`)
    }
    const ready = {
      ...record,
      location,
      payment_method: { ...record.payment_method, type: record.payment_type },
      ...settled({ ...(given as Sums), amounts: record.amounts }, this.#drawing.settings),
      amount_refunded: before?.amount_refunded ?? 0
    }
    if (!isExact(ready)) this.#problem(source, 'amount', 'the amount with tip and donation is above 2^53-1')
    this.#charges.set(record.id, source)
    return ready
  }

  /** A Refund with its Transaction's currency and payment method (A28). */
  #refund(source: Sourced, record: Records['refunds']): Records['refunds'] {
    const { id, currency, payment_method } = this.#store.transactions.get(record.transaction) as Records['transactions']
    const given = source.given as Partial<Records['refunds']>
    if (given.currency != null && given.currency !== currency) this.#problem(source, 'currency', `the Transaction ${id} was charged in ${currency}`)
    this.#charges.set(id, source)
    return { ...record, currency, payment_method }
  }

  /** What a record that is replaced may not change, because others hang on it. */
  #checkReplaced(family: Family, source: Sourced, before: RecordOf<Family>, after: RecordOf<Family>): void {
    const isRefunded = (before as Partial<Records['transactions']>).amount_refunded
    for (const field of [...Object.keys(LINKS[family]), ...(isRefunded ? ['currency', 'payment_method'] : [])]) {
      if (field === 'reseller') continue
      const [was, is] = [before, after].map(record => JSON.stringify((record as Record<string, unknown>)[field]))
      if (was !== is) this.#problem(source, field, `${before.id} exists already, with ${was}; a merge cannot change this, load a whole document instead`)
    }
  }

  #checkExtra(family: Family, source: Sourced): void {
    for (const name of Object.keys((source.given.extra ?? {}) as object)) {
      if (Object.hasOwn(RESOURCES[family].properties as object, name))
        this.#problem(source, ['extra', name], `${name} is a name that the API itself returns; give it outside extra`)
    }
  }

  /** Whether all that the record refers to stands in the store; an Account's reseller may still come. */
  #checkLinks(family: Family, source: Sourced): boolean {
    if (family === 'accounts') this.#accounts.push(source)
    return Object.entries(LINKS[family]).every(([field, to]) => {
      const id = source.given[field] as string | null | undefined
      if (id == null || field === 'reseller' || this.#store[to].get(id)) return true
      if (!this.#failed.has(`${to}/${id}`)) this.#problem(source, field, this.#noSuch(to, id))
      return false
    })
  }

  #noSuch(family: Family, id: string): string {
    const meant = this.problems.length < MOST_PROBLEMS ? didYouMean(id, this.#store[family].someIds(1000)) : ''
    return `no ${RESOURCE_NAMES[family]} has the id ${id}${meant}`
  }

  #problem({ document, steps }: Sourced, at: Step | readonly Step[], message: string): void {
    this.#found({ document, steps: [...steps, ...[at].flat()], message })
  }

  #found(found: DocumentProblem): void {
    this.problems.push(found)
  }
}

/** Everything that the resource has, from what was given: left out is null, an address has its six parts, metadata is an object (A04). */
function completed(schema: Schema, given: Given): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(schema.properties as Record<string, Schema>)) {
    if (part['x-derived']) continue
    const value = given[name]
    const nullable = [part.type].flat().includes('null')
    if (value == null && nullable) record[name] = null
    else if (name === 'amounts') record[name] = Object.fromEntries(Object.entries(value as Given).filter(([, sum]) => sum !== null))
    else if (part.properties) record[name] = completed(part, (value ?? {}) as Given)
    else if (part.additionalProperties) record[name] = Object.assign(Object.create(null), value)
    else record[name] = kept(part, value)
  }
  return record
}

function kept(part: Schema, value: unknown): unknown {
  const format = part.format as keyof typeof FORMATS | undefined
  return format && typeof value === 'string' ? (FORMATS[format].stored?.(value) ?? value) : value
}
