/** Fixtures: records imported into a store, each completed, checked and resolved. */

import { type Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { isExact, moneyOf, type Sums, settled } from '../core/money.js'
import { didYouMean, nearest } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { firstBroken, REFUND_RULES } from '../core/rules.js'
import type { Said } from '../core/sentences.js'
import type { Settings } from '../core/settings.js'
import type { AccountType } from '../reference/accounts.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { RESOURCES } from '../reference/tables.js'
import { FAMILIES, type RecordOf, type Records, type Store } from '../store/store.js'
import { completed } from './completion.js'
import type { DocumentProblem, Problems } from './documents.js'
import { type Flaws, withoutFlaws } from './flaws.js'
import { type Progress, reportProgress } from './progress.js'
import type { SourceDocument } from './read/document.js'
import { say } from './sentences.js'

type Given = Readonly<Record<string, unknown>>
/** A part of a fixture: the records of a family, or API keys. */
export type Section = Family | 'api_keys'
type Sourced = {
  given: Given
  flaws: Flaws | undefined
  index: number
  list: { document: SourceDocument; steps: readonly Step[] }
}
/** Made as they are looked at. */
type Sources = { readonly length: number; [Symbol.iterator]: () => Iterator<Sourced> }
/** Texts that may be meant as the id (or key) of what could not be read; null: anything. */
type Doubtful = readonly string[] | null
export type Fixture = Readonly<Record<Section, { sources: Sources; doubtful: Doubtful }>>
export type GenerationContext = {
  ids: Ids
  now: number
  settings: Settings
  progress?: Progress | undefined
}
export type ImportedRecords = { [F in Family]: RecordOf<F>[] } & {
  api_keys: { key: string; account: string }[]
}

export const SECTIONS = ['api_keys', ...FAMILIES] as const
/** Or with the most similar name; null where none is similar. */
export const closestSection = (name: string): Section | null =>
  nearest(name, SECTIONS) as Section | null
const nameOf = (section: Section) => (section === 'api_keys' ? 'key' : 'id')
const inSections = <T>(make: (section: Section) => T) =>
  Object.fromEntries(SECTIONS.map(section => [section, make(section)])) as Record<Section, T>

const sourcesIn = (
  list: Sourced['list'],
  members: readonly unknown[],
  flaws: Flaws | undefined
): Sources => ({
  length: members.length,
  *[Symbol.iterator]() {
    for (const [index, given] of members.entries())
      if (isObject(given)) yield { given, flaws: flaws?.get(index), index, list }
  }
})

export const UNREAD_FIXTURE: Fixture = inSections(() => ({ sources: [], doubtful: null }))

/**
 * Records of a checked document, misspelt lists included; `under` is the place of the fixture in
 * it.
 */
export function fixtureIn(
  document: SourceDocument,
  data: unknown,
  under: readonly Step[] = [],
  flaws?: Flaws
): Fixture {
  if (!isObject(data)) return UNREAD_FIXTURE
  const parts = Object.entries(data).map(([name, part]) => ({
    name,
    part,
    meant: closestSection(name)
  }))
  const others = parts.filter(({ meant }) => meant === null).flatMap(({ part }) => textsOf(part))
  return inSections(section => {
    const lists: Sources[] = []
    const doubtful: Doubtful[] = [others]
    for (const { name, part, meant } of parts) {
      if (meant !== section || part === undefined) continue
      const own = flaws?.get(name)
      if (!Array.isArray(part)) doubtful.push(null)
      else {
        lists.push(sourcesIn({ document, steps: [...under, name] }, part, own))
        for (const [index, inner] of own ?? [])
          doubtful.push(namesMeant(section, part[index as number], inner))
      }
    }
    return {
      sources: lists.length === 1 ? (lists[0] as Sources) : lists.flatMap(list => [...list]),
      doubtful: allOf(doubtful)
    }
  })
}

/** The most texts that are compared with an id; with more, any of them may be meant. */
const MAX_DOUBTFUL = 100

function allOf(doubtful: readonly Doubtful[]): Doubtful {
  const all = doubtful.flat()
  // the value of a variable is not known
  return all.length > MAX_DOUBTFUL || all.some(text => text === null || text.includes('${'))
    ? null
    : (all as string[])
}

/**
 * Texts that may be meant as the id (or key) of a record: none where it has a right one or one is
 * drawn.
 */
function namesMeant(section: Section, record: unknown, flaws: Flaws): Doubtful {
  if (!isObject(record)) return textsOf(record)
  const field = nameOf(section)
  if (flaws.has(field)) return textsOf(record[field])
  if (record[field] != null) return []
  const known =
    section === 'api_keys' ? { account: true } : (RESOURCES[section].properties as object)
  const unknown = Object.keys(record).filter(name => flaws.has(name) && !Object.hasOwn(known, name))
  return section === 'api_keys' && unknown.length === 0
    ? null
    : unknown.flatMap(name => textsOf(record[name]))
}

function textsOf(part: unknown): string[] {
  if (typeof part === 'object' && part !== null) return Object.values(part).flatMap(textsOf)
  return typeof part === 'string' || typeof part === 'number' ? [String(part)] : []
}

export const recordsIn = (fixtures: readonly Fixture[]): number =>
  fixtures
    .flatMap(fixture => SECTIONS.map(section => fixture[section].sources.length))
    .reduce((sum, count) => sum + count, 0)

/** Later records win by id (keys by key) and take the place of earlier ones. */
function merged(fixtures: readonly Fixture[]): Fixture {
  return inSections(section => {
    const byName = new Map<unknown, Sourced>()
    for (const { [section]: part } of fixtures)
      for (const source of part.sources) byName.set(source.given[nameOf(section)] ?? source, source)
    return {
      sources: [...byName.values()],
      doubtful: allOf(fixtures.map(fixture => fixture[section].doubtful))
    }
  })
}

function duplicatesIn(fixture: Fixture): DocumentProblem[] {
  return SECTIONS.flatMap(section => {
    const names = new Set<unknown>()
    const field = nameOf(section)
    return [...fixture[section].sources].flatMap(source => {
      const name = rightOf(source)[field]
      if (name == null || names.size < names.add(name).size) return []
      return [
        problemOf(
          source,
          [field],
          say('listed_twice', section === 'api_keys' ? 'the key' : `the id ${name}`)
        )
      ]
    })
  })
}

/** One that only lacks something is right as far as it goes. */
const rightOf = ({ given, flaws }: Sourced): Given =>
  flaws?.size ? (withoutFlaws(given, flaws) as Given) : given
const problemOf = (
  { list: { document, steps }, index }: Sourced,
  at: readonly Step[],
  said: Said
): DocumentProblem => ({
  document,
  steps: [...steps, index, ...at],
  ...said
})

const SUMS = ['amount', 'tip_amount', 'donation_amount', 'amounts'] as const
/** By which field each family refers to another; the reseller of an Account is checked apart. */
const LINKS = Object.fromEntries(
  Object.entries(RESOURCES as Readonly<Record<Family, Schema>>).map(
    ([family, { properties = {} }]) => [
      family,
      Object.keys(LINKED_FAMILIES).find(name => properties[name]?.['x-needed']) ?? null
    ]
  )
) as Readonly<Record<Family, keyof typeof LINKED_FAMILIES | null>>

/**
 * Imports fixtures into a store, a copy since problems do not undo changes. Ids left out are drawn,
 * `created` left out is now, in file order. A record with a problem is left out; references to it
 * are no problem.
 */
export class FixtureImporter {
  readonly imported: ImportedRecords = {
    api_keys: [],
    accounts: [],
    users: [],
    locations: [],
    tickets: [],
    transactions: [],
    refunds: []
  }
  readonly problems: Problems
  readonly #warnings: Problems
  /** Refunds that were made while tips could be refunded stay, with a warning (A23). */
  readonly #loosest: Settings
  readonly #store: Store
  readonly #generation: GenerationContext
  /** Ids (or keys); null for one that would have been drawn. */
  readonly #leftOut = inSections(() => new Set<unknown>())
  #fixture = UNREAD_FIXTURE
  #hasReplaced = false
  readonly #charges = new Map<string, Sourced>()
  /** Transactions of Refunds that were left out: what was refunded is not known. */
  readonly #unsettled = new Set<unknown>()

  constructor(
    store: Store,
    generation: GenerationContext,
    problems: Problems = [] as DocumentProblem[],
    warnings: Problems = [] as DocumentProblem[]
  ) {
    this.#store = store
    this.#generation = generation
    this.problems = problems
    this.#warnings = warnings
    this.#loosest = { ...generation.settings, 'transactions.refundable': 'amount_plus_extras' }
  }

  import(...fixtures: readonly Fixture[]): void {
    const steps = this.importing(fixtures)
    while (!steps.next().done);
  }

  /** One record at each step. */
  *importing(fixtures: readonly Fixture[]): Generator<void, void> {
    const [first, ...others] = fixtures as [Fixture, ...Fixture[]]
    const fixture = others.length === 0 ? first : merged(fixtures)
    this.#fixture = fixture
    for (const family of FAMILIES) {
      const { sources } = fixture[family]
      if (family === 'refunds') for (const { given } of sources) this.#unsettle(given.id)
      let index = 0
      for (const source of sources) {
        this.#add(family, source)
        reportProgress(this.#generation.progress, family, index++, sources.length)
        yield
      }
    }
    for (const source of fixture.api_keys.sources) yield this.#addKey(source)
    // an Account's reseller may come after it
    for (const source of fixture.accounts.sources)
      yield void this.#referred('accounts', rightOf(source).reseller, 'reseller', source)
    this.#checkCharges()
    // where every record is right and new, no id can have been given twice
    if (others.length === 0 && !this.#hasReplaced && this.problems.length === 0) return
    for (const problem of fixtures.flatMap(duplicatesIn)) this.problems.push(problem)
  }

  /**
   * Whether no record has the id (or no key is this one), nor may one that was left out or not
   * read.
   */
  isMissing(section: Section, name: string): boolean {
    const isThere =
      section === 'api_keys'
        ? this.#store.keys.has(name)
        : this.#store[section].get(name) !== undefined
    const { doubtful } = this.#fixture[section]
    return (
      !isThere &&
      !this.#leftOut[section].has(name) &&
      doubtful !== null &&
      nearest(name, doubtful) === null
    )
  }

  /** Also of records left out, or not generated, that might have drawn it. */
  isCertainlyMissing(family: Family, id: string): boolean {
    return this.isMissing(family, id) && !this.#leftOut[family].has(null)
  }

  isComplete(family: Family): boolean {
    return this.#leftOut[family].size === 0 && this.#fixture[family].doubtful !== null
  }

  leaveOut(families: readonly Family[]): void {
    for (const family of families) this.#leftOut[family].add(null)
  }

  #add(family: Family, source: Sourced): void {
    const before = this.problems.length
    const right = rightOf(source)
    for (const name of Object.keys(right.extra ?? {})) {
      if (Object.hasOwn(RESOURCES[family].properties as object, name))
        this.#report(source, ['extra', name], say('reserved_field', name))
    }
    const link = LINKS[family]
    const parent =
      link === null ? undefined : this.#referred(LINKED_FAMILIES[link], right[link], link, source)
    if (parent?.object === 'ticket') this.#checkTransaction(source, right, parent)
    if (parent?.object === 'transaction') this.#checkRefund(source, right, parent)
    const isLinked = parent !== undefined || link === null
    const record =
      isLinked && source.flaws === undefined ? this.#recordOf(family, right, parent) : null
    const existing = record && this.#store[family].get(record.id)
    if (existing) this.#checkReplaced(family, source, existing, record)
    if (record && this.problems.length === before) {
      if (existing?.object === 'transaction') {
        Object.assign(record, { amount_refunded: existing.amount_refunded })
        this.#charges.set(record.id, source)
      }
      const imported = this.imported[family] as RecordOf<Family>[]
      imported.push(this.#store.put(family, record))
    } else {
      this.#leftOut[family].add(source.given.id ?? null)
      if (family === 'refunds') this.#unsettled.add(source.given.transaction)
    }
  }

  #addKey(source: Sourced): void {
    const { key, account } = source.given as { key: string; account: string }
    const isKnown =
      this.#referred('accounts', rightOf(source).account, 'account', source) !== undefined
    if (isKnown && source.flaws === undefined) {
      this.#hasReplaced ||= this.#store.keys.has(key)
      this.#store.keys.set(key, account)
      this.imported.api_keys.push({ key, account })
    } else this.#leftOut.api_keys.add(key)
  }

  /** Reports that there is none, unless a record that was left out may be meant. */
  #referred(
    family: Family,
    id: unknown,
    field: string,
    source: Sourced
  ): RecordOf<Family> | undefined {
    if (typeof id !== 'string') return undefined
    const record = this.#store[family].get(id)
    if (record === undefined && this.isMissing(family, id)) {
      this.#report(
        source,
        [field],
        say(
          'missing_record',
          RESOURCE_NAMES[family],
          id,
          didYouMean(id, this.#store[family].someIds())
        )
      )
    }
    return record
  }

  #checkTransaction(source: Sourced, right: Given, { location }: Records['tickets']): void {
    if (right.location != null && right.location !== location)
      this.#report(source, ['location'], say('other_location', right.ticket as string, location))
    const { payment_type, payment_method } = right as {
      payment_type?: string
      payment_method?: { type?: string | null } | null
    }
    const type = payment_method?.type ?? payment_type
    if (payment_type !== undefined && type !== payment_type) {
      this.#report(source, ['payment_method'], say('other_type', `${type}`, payment_type))
    }
    if (
      SUMS.every(name => !source.flaws?.has(name)) &&
      !isExact(settled(right as Sums, this.#generation.settings))
    )
      this.#report(source, ['amount'], say('sum_too_large'))
  }

  /**
   * By the rules of the API, against what remains at this point (REF-6, REF-7, A24); a charge below
   * its Refunds is reported by itself.
   */
  #checkRefund(
    source: Sourced,
    { currency, amount }: Given,
    transaction: Records['transactions']
  ): void {
    if (currency != null && currency !== transaction.currency)
      this.#report(
        source,
        ['currency'],
        say('other_currency', transaction.id, transaction.currency)
      )
    if (amount === undefined) return
    const asked = amount as number
    for (const settings of [this.#loosest, this.#generation.settings]) {
      const facts = { ...moneyOf(transaction, settings), asked }
      if (this.#charges.has(transaction.id) && facts.refunded > facts.charged) return
      const broken = firstBroken(REFUND_RULES, facts)
      if (broken === undefined) continue
      const said = { code: broken.else, message: broken.message(facts) }
      const list = settings === this.#loosest ? this.problems : this.#warnings
      list.push(problemOf(source, [broken.param as string], said))
      return
    }
  }

  /** A stored Refund that the fixture is still to replace does not count. */
  #unsettle(id: unknown): void {
    const stored = typeof id === 'string' && this.#store.refunds.get(id)
    if (stored) this.#store.putRefund({ ...stored, amount: 0 }, stored)
  }

  /** Reports Transactions that replaced others with more refunded than they have. */
  #checkCharges(): void {
    for (const [id, source] of this.#charges) {
      const { charged, refunded, currency } = moneyOf(
        this.#store.transactions.get(id) as Records['transactions'],
        this.#loosest
      )
      if (refunded > charged && !this.#unsettled.has(id))
        this.#report(source, ['amount'], say('below_refunds', id, refunded, currency, charged))
    }
  }

  #checkReplaced(
    family: Family,
    source: Sourced,
    before: RecordOf<Family>,
    after: RecordOf<Family>
  ): void {
    const isRefunded = (before as Partial<Records['transactions']>).amount_refunded
    this.#hasReplaced = true
    for (const field of [
      LINKS[family] ?? [],
      isRefunded ? ['currency', 'payment_method'] : []
    ].flat()) {
      const [was, is] = [before, after].map(record => JSON.stringify((record as Given)[field]))
      if (was !== is) this.#report(source, [field], say('fixed_field', before.id, `${was}`))
    }
  }

  #recordOf(family: Family, given: Given, parent: RecordOf<Family> | undefined): RecordOf<Family> {
    const { settings, ids, now } = this.#generation
    const { id, created } = given as { id?: string | null; created?: string | null }
    const drawn = {
      id: id ?? ids.draw(kindOf(family, given.type as AccountType), settings, this.#store[family]),
      created: created == null ? isoOf(now) : storedInstant(created)
    }
    return completed(family, { ...given, ...drawn }, { settings, parent })
  }

  #report(source: Sourced, at: readonly Step[], said: Said): void {
    this.problems.push(problemOf(source, at, said))
  }
}

/** An instant as it is stored (A05): as it was written, where it was written so. */
const storedInstant = (text: string): string =>
  IS_STORED_INSTANT.test(text) ? text : isoOf(instantOf(text) as number)
const IS_STORED_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
