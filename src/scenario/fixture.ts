/** Fixtures: records imported into a store, each completed, checked and resolved. */

import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { isExact, moneyOf, type Sums, settled } from '../core/money.js'
import { didYouMean, nearest } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { firstBroken, REFUND_RULES } from '../core/rules.js'
import type { Settings } from '../core/settings.js'
import type { AccountType } from '../reference/accounts.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../reference/operations.js'
import { RESOURCES } from '../reference/tables.js'
import { FAMILIES, type RecordOf, type Records, type Store } from '../store/store.js'
import { completed } from './completion.js'
import { type DocumentProblem, type Problems, type Report, reportTo, type SourceDocument } from './documents.js'
import type { Flaws } from './flaws.js'
import { type Progress, reportProgress } from './progress.js'

type Given = Readonly<Record<string, unknown>>
/** A part of a fixture: the records of a family, or API keys. */
export type Section = Family | 'api_keys'
/** A record or key as a document gives it. */
type Sourced = { given: Given; index: number; list: SourceList }
/** The members of a list; those that are not objects are undefined. */
type Sources = { readonly length: number; at: (index: number) => Sourced | undefined }
/**
 * The records of one or more fixture documents. Of the sections in `unread` the documents may hold more than could be read; what is in `doubtful` may be
 * meant as the id of a record, or as a key, that could not be read.
 */
export type Fixture = {
  sections: Readonly<Record<Section, Sources>>
  unread: ReadonlySet<Section>
  doubtful: ReadonlyMap<Section, readonly string[]>
}
export type Drawing = { ids: Ids; now: number; settings: Settings; progress?: Progress | undefined }
export type ImportedRecords = { [F in Family]: RecordOf<F>[] } & { api_keys: { key: string; account: string }[] }

/** The parts of a fixture, by their names. */
export const SECTIONS = ['api_keys', ...FAMILIES] as const
/** The section with this name, or with the most similar one; null where none is similar. */
export const sectionMeant = (name: string): Section | null => nearest(name, SECTIONS) as Section | null
const nameOf = (section: Section) => (section === 'api_keys' ? 'key' : 'id')
const sectionsOf = (make: (section: Section) => Sources): Fixture['sections'] =>
  Object.fromEntries(SECTIONS.map(section => [section, make(section)])) as Record<Section, Sources>

/** A list of a document, with the flaws of its shape. */
class SourceList implements Sources {
  readonly document: SourceDocument
  readonly steps: readonly Step[]
  readonly flaws: Flaws | undefined
  readonly #members: readonly unknown[]

  constructor(document: SourceDocument, steps: readonly Step[], flaws: Flaws | undefined, members: readonly unknown[]) {
    this.document = document
    this.steps = steps
    this.flaws = flaws
    this.#members = members
  }

  get length(): number {
    return this.#members.length
  }

  at(index: number): Sourced | undefined {
    const given = this.#members[index]
    return isObject(given) ? { given, index, list: this } : undefined
  }

  /** Its records and keys: the members that are objects. */
  all(): Sourced[] {
    return this.#members.flatMap((_, index) => this.at(index) ?? [])
  }
}

/** Calls a function with each member of a list. */
function forEach(sources: Sources, act: (source: Sourced, index: number) => void): void {
  for (let index = 0; index < sources.length; index++) {
    const source = sources.at(index)
    if (source !== undefined) act(source, index)
  }
}

/** A fixture document that could not be read. */
export const UNREAD_FIXTURE: Fixture = { sections: sectionsOf(() => []), unread: new Set(SECTIONS), doubtful: new Map() }

/**
 * The records of a fixture document that was checked, with what its check found; `under` is the place of the fixture in the document. Lists under a misspelt
 * name are read as those that are meant.
 */
export function fixtureIn(document: SourceDocument, data: unknown, under: readonly Step[] = [], flaws?: Flaws): Fixture {
  if (!isObject(data)) return UNREAD_FIXTURE
  const unread = new Set<Section>()
  const doubtful = new Map<Section, readonly string[]>()
  const doubt = (section: Section, texts: readonly string[] | null) => {
    const all = [...(doubtful.get(section) ?? []), ...(texts ?? [])]
    // the value of a variable is not known
    if (texts === null || all.length > MOST_DOUBTFUL || all.some(text => text.includes('${'))) unread.add(section)
    else doubtful.set(section, all)
  }
  const names = Object.keys(data).map(name => ({ name, meant: sectionMeant(name) }))
  const others = names.filter(({ meant }) => meant === null).flatMap(({ name }) => textsOf(data[name]))
  const sections = sectionsOf(section => {
    doubt(section, others)
    const lists = names
      .filter(({ meant }) => meant === section)
      .map(({ name }) => {
        const given = data[name]
        const members: readonly unknown[] = Array.isArray(given) ? given : []
        const own = flaws?.get(name)
        if (given !== undefined && !Array.isArray(given)) unread.add(section)
        for (const [index, inner] of own ?? []) doubt(section, namesMeant(section, members[index as number], inner))
        return new SourceList(document, [...under, name], own, members)
      })
    return lists.length > 1 ? lists.flatMap(list => list.all()) : (lists[0] ?? [])
  })
  return { sections, unread, doubtful }
}

/** The most texts that are compared with an id; with more, any of them may be meant. */
const MOST_DOUBTFUL = 100

/** Texts that may be meant as the id of a record (or as a key) whose own is wrong: none where it has a right one or one will be drawn, null where it may be any. */
function namesMeant(section: Section, record: unknown, flaws: Flaws): readonly string[] | null {
  if (!isObject(record)) return textsOf(record)
  const field = nameOf(section)
  if (flaws.has(field)) return textsOf(record[field])
  if (record[field] != null) return []
  const known = section === 'api_keys' ? { account: true } : (RESOURCES[section].properties as object)
  const unknown = Object.keys(record).filter(name => flaws.has(name) && !Object.hasOwn(known, name))
  return section === 'api_keys' && unknown.length === 0 ? null : unknown.flatMap(name => textsOf(record[name]))
}

/** Every text and number of a part. */
function textsOf(part: unknown): string[] {
  if (typeof part === 'object' && part !== null) return Object.values(part).flatMap(textsOf)
  return typeof part === 'string' || typeof part === 'number' ? [String(part)] : []
}

/** How many records and keys fixtures hold. */
export const recordsIn = (fixtures: readonly Fixture[]): number =>
  fixtures.reduce((sum, { sections }) => SECTIONS.reduce((sum, section) => sum + sections[section].length, sum), 0)

/** Fixtures as one: later records win by id (keys by key) and take the place of the earlier ones. */
function merged(fixtures: readonly Fixture[]): Fixture {
  const sections = sectionsOf(section => {
    const byName = new Map<unknown, Sourced>()
    for (const { sections } of fixtures) forEach(sections[section], record => byName.set(record.given[nameOf(section)] ?? record, record))
    return [...byName.values()]
  })
  const unread = new Set(fixtures.flatMap(({ unread }) => [...unread]))
  return { sections, unread, doubtful: new Map(SECTIONS.map(section => [section, fixtures.flatMap(({ doubtful }) => doubtful.get(section) ?? [])])) }
}

/** Records of one document that give the same id twice. */
function duplicatesIn({ sections }: Fixture): DocumentProblem[] {
  return SECTIONS.flatMap(section => {
    const names = new Set<unknown>()
    const field = nameOf(section)
    const problems: DocumentProblem[] = []
    forEach(sections[section], source => {
      const name = source.given[field]
      if (name == null || flawsIn(source)?.has(field) || names.size < names.add(name).size) return
      reportOn(problems, source)([field], section === 'api_keys' ? 'the key is given twice' : `the id ${name} is given twice`)
    })
    return problems
  })
}

/** The flaws of the shape of a record. */
const flawsIn = ({ list, index }: Sourced): Flaws | undefined => list.flaws?.get(index)
/** Adds what is reported of a record to its problems. */
const reportOn = (problems: Problems, { list, index }: Sourced): Report => reportTo(problems, list.document, [...list.steps, index])

const SUMS = ['amount', 'tip_amount', 'donation_amount', 'amounts'] as const
/** The field by which each family refers to another one. An Account's reseller may come after it, and is checked apart. */
const LINKS: Readonly<Record<Family, keyof typeof LINKED_FAMILIES | null>> = {
  accounts: null,
  users: 'account',
  locations: 'account',
  tickets: 'location',
  transactions: 'ticket',
  refunds: 'transaction'
}

/**
 * Imports fixtures into a store. The store is changed whatever problems there are, so it is given a copy. Ids that are left out are drawn, `created` left
 * out is now, in file order. A record with a problem is left out, and a reference to it is no problem of its own.
 */
export class FixtureImporter {
  readonly imported: ImportedRecords = { api_keys: [], accounts: [], users: [], locations: [], tickets: [], transactions: [], refunds: [] }
  readonly problems: Problems
  readonly #store: Store
  readonly #drawing: Drawing
  /** The ids of records that were left out. */
  readonly #failed: Readonly<Record<Family, Set<unknown>>> = {
    accounts: new Set(),
    users: new Set(),
    locations: new Set(),
    tickets: new Set(),
    transactions: new Set(),
    refunds: new Set()
  }
  /** The keys that were left out. */
  readonly #failedKeys = new Set<string>()
  /** Sections with records or keys that were left out and whose ids are not known. */
  readonly #unread = new Set<Section>()
  /** What may be meant as the ids of records, or as keys, that were left out. */
  #doubtful: Fixture['doubtful'] = new Map()
  /** Whether a record or key took the place of another one. */
  #hasReplaced = false
  /** Families with fewer generated records than were asked for. */
  readonly #incomplete = new Set<Family>()
  /** Families with a record that was left out and has no id, so that one would have been drawn. */
  readonly #undrawn = new Set<Family>()

  /** Problems are added to `problems`. */
  constructor(store: Store, drawing: Drawing, problems: Problems = [] as DocumentProblem[]) {
    this.#store = store
    this.#drawing = drawing
    this.problems = problems
  }

  /** Imports the records of a fixture. */
  import(fixture: Fixture): void {
    this.importAll([fixture])
  }

  /** Merges fixtures and imports their records. */
  importAll(fixtures: readonly Fixture[]): void {
    const steps = this.importing(fixtures)
    while (!steps.next().done);
  }

  /** Merges fixtures and imports their records, one at each step. */
  *importing(fixtures: readonly Fixture[]): Generator<void, void> {
    const { sections, unread, doubtful } = fixtures.length === 1 ? (fixtures[0] as Fixture) : merged(fixtures)
    for (const section of unread) this.#unread.add(section)
    this.#doubtful = doubtful
    const refunds = new RefundJudge(this.#store, sections, this.#drawing.settings)
    for (const family of FAMILIES) {
      const list = sections[family]
      for (let index = 0; index < list.length; index++) {
        const source = list.at(index)
        if (source !== undefined) this.#add(family, source, refunds)
        reportProgress(this.#drawing.progress, family, index, list.length)
        yield
      }
    }
    for (const [section, act] of [
      ['api_keys', (key: Sourced) => this.#addKey(key)],
      ['accounts', (account: Sourced) => this.#checkReseller(account)]
    ] as const) {
      for (let index = 0; index < sections[section].length; index++) {
        const source = sections[section].at(index)
        if (source !== undefined) act(source)
        yield
      }
    }
    for (const { source, message } of refunds.overRefunded()) this.#report(source)(['amount'], message)
    // where every record is right and new, no id can have been given twice
    if (fixtures.length === 1 && !this.#hasReplaced && this.problems.length === 0) return
    for (const problem of fixtures.flatMap(duplicatesIn)) this.problems.push(problem)
  }

  /** Whether no record has the id, and none that was left out may have it. */
  isMissing(family: Family, id: string): boolean {
    return !this.#store[family].get(id) && !this.#failed[family].has(id) && !this.#mayBeMeant(family, id)
  }

  /** Whether no record can have the id: none has it, and none that was left out, or not generated, might have been given it or drawn it. */
  isCertainlyMissing(family: Family, id: string): boolean {
    return this.isMissing(family, id) && !this.#incomplete.has(family) && !this.#undrawn.has(family)
  }

  /** Whether there is no such API key, and none that was left out may be it. */
  isKeyMissing(key: string): boolean {
    return !this.#store.keys.has(key) && !this.#failedKeys.has(key) && !this.#mayBeMeant('api_keys', key)
  }

  /** Whether a part that could not be read may hold a record of this id, or this key. */
  #mayBeMeant(section: Section, name: string): boolean {
    return this.#unread.has(section) || nearest(name, this.#doubtful.get(section) as readonly string[]) !== null
  }

  /** Whether no record of the family was left out. */
  isComplete(family: Family): boolean {
    return this.#failed[family].size === 0 && !this.#unread.has(family) && !this.#incomplete.has(family)
  }

  /** Notes that records of some families could not be generated. */
  leaveOut(families: readonly Family[]): void {
    for (const family of families) this.#incomplete.add(family)
  }

  #add(family: Family, source: Sourced, refunds: RefundJudge): void {
    const before = this.problems.length
    this.#checkExtra(family, source)
    const parent = this.#parentOf(family, source)
    if (parent?.object === 'ticket') this.#checkTransaction(source, parent)
    if (parent?.object === 'transaction') this.#checkRefund(source, parent, refunds)
    const isLinked = parent !== undefined || LINKS[family] === null
    const record = isLinked && flawsIn(source) === undefined ? this.#recordOf(family, source, parent) : null
    const existing = record && this.#store[family].get(record.id)
    if (existing) this.#checkReplaced(family, source, existing, record)
    if (record && this.problems.length === before) this.#put(family, source, record, existing ?? undefined, refunds)
    else {
      this.#failed[family].add(source.given.id)
      if (source.given.id == null) this.#undrawn.add(family)
      if (family === 'refunds') refunds.leaveOut(source.given.transaction)
    }
  }

  #put(family: Family, source: Sourced, record: RecordOf<Family>, existing: RecordOf<Family> | undefined, refunds: RefundJudge): void {
    if (existing?.object === 'transaction') {
      Object.assign(record, { amount_refunded: existing.amount_refunded })
      refunds.addReplaced(record.id, source)
    }
    if (family === 'refunds') refunds.settle(record.id)
    const imported = this.imported[family] as RecordOf<Family>[]
    imported.push(this.#store.put(family, record))
  }

  #addKey(source: Sourced): void {
    const { given } = source
    const flaws = flawsIn(source)
    const { key, account } = given as { key: string; account: string }
    const isKnown = flaws?.has('account') || account === undefined || this.#referred('accounts', account, 'account', source) !== undefined
    if (!isKnown || flaws !== undefined) {
      this.#failedKeys.add(key)
      return
    }
    this.#hasReplaced ||= this.#store.keys.has(key)
    this.#store.keys.set(key, account)
    this.imported.api_keys.push({ key, account })
  }

  /** An Account's reseller may come after it, so it is looked for once all Accounts are there. */
  #checkReseller(source: Sourced): void {
    const { reseller } = source.given as { reseller?: string | null }
    if (reseller != null && !flawsIn(source)?.has('reseller')) this.#referred('accounts', reseller, 'reseller', source)
  }

  #checkExtra(family: Family, source: Sourced): void {
    const { extra } = source.given
    if (!isObject(extra)) return
    for (const name of Object.keys(extra)) {
      if (Object.hasOwn(RESOURCES[family].properties as object, name))
        this.#report(source)(['extra', name], `${name} is a name that the API itself returns; give it outside extra`)
    }
  }

  /** What the record refers to; undefined where there is nothing, and for an Account, whose reseller is looked for later. */
  #parentOf(family: Family, source: Sourced): RecordOf<Family> | undefined {
    const field = LINKS[family]
    if (field === null) return undefined
    const id = source.given[field]
    if (id === undefined || flawsIn(source)?.has(field)) return undefined
    return this.#referred(LINKED_FAMILIES[field], id as string, field, source)
  }

  /** The record that a field names; where there is none, that is reported unless a record that was left out may be meant. */
  #referred(family: Family, id: string, field: string, source: Sourced): RecordOf<Family> | undefined {
    const record = this.#store[family].get(id)
    if (record === undefined && this.isMissing(family, id)) {
      this.#report(source)([field], `no ${RESOURCE_NAMES[family]} has the id ${id}${didYouMean(id, this.#store[family].someIds())}`)
    }
    return record
  }

  #checkTransaction(source: Sourced, { location }: Records['tickets']): void {
    const { given } = source
    const flaws = flawsIn(source)
    if (given.location != null && given.location !== location && !flaws?.has('location'))
      this.#report(source)(['location'], `the Ticket ${given.ticket} is at ${location}`)
    const { type } = isObject(given.payment_method) ? given.payment_method : {}
    const isTyped = type != null && given.payment_type !== undefined && !flaws?.has('payment_type') && !flaws?.get('payment_method')?.has('type')
    if (isTyped && type !== given.payment_type) this.#report(source)(['payment_method'], `its type is ${type}, but payment_type is ${given.payment_type}`)
    const areSums = flaws === undefined || SUMS.every(name => !flaws.has(name))
    if (areSums && !isExact(settled(given as Sums, this.#drawing.settings)))
      this.#report(source)(['amount'], 'the amount with tip and donation is above 2^53-1')
  }

  #checkRefund(source: Sourced, { id, currency }: Records['transactions'], refunds: RefundJudge): void {
    const { given } = source
    const flaws = flawsIn(source)
    if (given.currency != null && given.currency !== currency && !flaws?.has('currency')) {
      this.#report(source)(['currency'], `the Transaction ${id} was charged in ${currency}`)
    }
    if (given.amount === undefined || flaws?.has('amount')) return
    const refusal = refunds.refusalOf(given as { id?: string; transaction: string; amount: number })
    if (refusal) this.#report(source)([refusal.param], refusal.message)
  }

  /** What a replaced record may not change, because others depend on it. */
  #checkReplaced(family: Family, source: Sourced, before: RecordOf<Family>, after: RecordOf<Family>): void {
    const isRefunded = (before as Partial<Records['transactions']>).amount_refunded
    const link = LINKS[family]
    this.#hasReplaced = true
    for (const field of [...(link === null ? [] : [link]), ...(isRefunded ? ['currency', 'payment_method'] : [])]) {
      const [was, is] = [before, after].map(record => JSON.stringify((record as Given)[field]))
      if (was !== is) this.#report(source)([field], `${before.id} exists already, with ${was}; a merge cannot change this, load a whole document instead`)
    }
  }

  /** The record as it is stored, from what was given and what it refers to. */
  #recordOf(family: Family, { given }: Sourced, parent: RecordOf<Family> | undefined): RecordOf<Family> {
    const { settings, ids, now } = this.#drawing
    const { id, created } = given as { id?: string | null; created?: string | null }
    return completed(family, given, {
      id: id ?? ids.draw(kindOf(family, given.type as AccountType), settings, taken => this.#store[family].isTaken(taken)),
      created: created == null ? isoOf(now) : storedInstant(created),
      settings,
      parent
    })
  }

  #report(source: Sourced): Report {
    return reportOn(this.problems, source)
  }
}

/** Judges the Refunds of a fixture in file order by the rules of the API, each against what remains at that point (REF-6, REF-7, A24). */
class RefundJudge {
  readonly #store: Store
  readonly #settings: Settings
  /** Amounts of stored Refunds that the fixture is still to replace, by Transaction: they are not counted. */
  readonly #replaced = new Map<string, number>()
  /** The given Transactions that replaced others. */
  readonly #charges = new Map<string, Sourced>()
  /** Transactions with a given Refund that was left out. */
  readonly #incomplete = new Set<unknown>()

  constructor(store: Store, sections: Fixture['sections'], settings: Settings) {
    this.#store = store
    this.#settings = settings
    forEach(sections.refunds, ({ given }) => {
      const stored = typeof given.id === 'string' && store.refunds.get(given.id)
      if (stored) this.#discount(stored, stored.amount)
    })
  }

  addReplaced(id: string, source: Sourced): void {
    this.#charges.set(id, source)
  }

  /** Counts a Refund again that is replaced now. */
  settle(id: string): void {
    const stored = this.#store.refunds.get(id)
    if (stored) this.#discount(stored, -stored.amount)
  }

  /** Why the Refund is refused; null when it is not. A charge that is below its Refunds already is reported by itself. */
  refusalOf({ transaction: id, amount }: { transaction: string; amount: number }): { param: string; message: string } | null {
    const transaction = this.#store.transactions.get(id) as Records['transactions']
    const amount_refunded = transaction.amount_refunded - (this.#replaced.get(id) ?? 0)
    const facts = { ...moneyOf({ ...transaction, amount_refunded }, this.#settings), asked: amount }
    if (this.#charges.has(id) && facts.refunded > facts.charged) return null
    const broken = firstBroken(REFUND_RULES, facts)
    return broken === undefined ? null : { param: broken.param as string, message: broken.message(facts) }
  }

  /** Notes that a given Refund was left out, so that the sum of its Transaction's Refunds is not known. */
  leaveOut(transaction: unknown): void {
    this.#incomplete.add(transaction)
  }

  /** The given Transactions that replaced others, and are below what was refunded of those. */
  overRefunded(): { source: Sourced; message: string }[] {
    return [...this.#charges].flatMap(([id, source]) => {
      const { charged, refunded, currency } = moneyOf(this.#store.transactions.get(id) as Records['transactions'], this.#settings)
      if (refunded <= charged || this.#incomplete.has(id)) return []
      return [{ source, message: `the Refunds of ${id} come to ${refunded} ${currency}, above the ${charged} that can be refunded` }]
    })
  }

  #discount({ transaction }: Records['refunds'], amount: number): void {
    this.#replaced.set(transaction, (this.#replaced.get(transaction) ?? 0) + amount)
  }
}

/** An instant as it is stored (A05): as it was written, where it was written so. */
const storedInstant = (text: string): string => (IS_STORED_INSTANT.test(text) ? text : isoOf(instantOf(text) as number))
const IS_STORED_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
