/** Imports fixtures into a store. */
import { kindOf } from '../../core/ids.js'
import { isoOf } from '../../core/instants.js'
import { isExact, moneyOf, type Sums, settled } from '../../core/money.js'
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { firstBroken, REFUND_RULES } from '../../core/rules.js'
import type { Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import type { AccountType } from '../../reference/accounts.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { RESOURCES } from '../../reference/tables.js'
import { FAMILIES, type RecordOf, type Records, type Store } from '../../store/store.js'
import { completed } from '../completion.js'
import type { DocumentProblem, Problems } from '../documents.js'
import { fieldIn } from '../match/fields.js'
import { say } from '../sentences.js'
import { instantIn, present } from '../shape/checked.js'
import {
  duplicatesIn,
  type Fixture,
  type GenerationContext,
  inSections,
  merged,
  OWNERS,
  problemOf,
  type RecordFields,
  type Sourced,
  usersIn
} from './fixture.js'

export type ImportedRecords = { [F in Family]: RecordOf<F>[] } & {
  api_keys: { key: string; account: string }[]
}

/** Into a copy of a store. Records with problems are left out; references to them are no problems. */
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
  readonly #problems: Problems
  readonly #warnings: Problems
  readonly #store: Store
  readonly #generation: GenerationContext
  /** Refunds made while tips could be refunded stay, with a warning (A23). */
  readonly #loosest: Settings
  readonly #now: string
  readonly #leftOut = inSections(() => new Set<unknown>())
  #hasReplaced = false
  readonly #charges = new Map<string, Sourced>()
  /** Transactions of Refunds that were left out: their refunded amount is unknown. */
  readonly #unsettled = new Set<unknown>()

  constructor(
    store: Store,
    generation: GenerationContext,
    problems: Problems,
    warnings: Problems = [] as DocumentProblem[]
  ) {
    this.#store = store
    this.#generation = generation
    this.#problems = problems
    this.#warnings = warnings
    this.#loosest = { ...generation.settings, 'transactions.refundable': 'amount_plus_extras' }
    this.#now = isoOf(generation.now)
  }

  *importing(fixtures: readonly Fixture[]): Generator<void, void> {
    const isOne = fixtures.length === 1
    const fixture = isOne ? present(fixtures[0]) : merged(fixtures)
    for (const family of FAMILIES) {
      const sources = family === 'users' ? usersIn(fixture) : fixture[family]
      if (family === 'refunds') for (const { fields } of sources) this.#unsettle(fields.id)
      for (const source of sources) {
        if (source.list.steps.at(-1) === 'deleted_users') this.#addDeleted(source)
        else this.#add(family, source)
        yield
      }
    }
    for (const source of fixture.api_keys) yield this.#addKey(source)
    // an Account's reseller may come after it
    for (const source of fixture.accounts) yield void this.#referred('reseller', source)
    this.#checkCharges()
    // where all records are right and new, no id is listed twice
    if (isOne && !this.#hasReplaced && this.#problems.length === 0) return
    for (const problem of fixtures.flatMap(duplicatesIn)) this.#problems.push(problem)
  }

  #add(family: Family, source: Sourced): void {
    const before = this.#problems.length
    const { fields } = source
    for (const name of Object.keys(fields.extra ?? {})) {
      if (Object.hasOwn(present(RESOURCES[family].properties), name))
        this.#report(source, ['extra', name], say('reserved_field', name))
    }
    const link = OWNERS[family]
    const parent = link === null ? undefined : this.#referred(link, source)
    if (parent?.object === 'ticket') this.#checkTransaction(source, parent)
    if (parent?.object === 'transaction') this.#checkRefund(source, parent)
    const record =
      parent !== undefined || link === null ? this.#recordOf(family, fields, parent) : null
    const existing = record && this.#store[family].get(record.id)
    if (existing) this.#checkReplaced(family, source, existing, record)
    if (record && this.#problems.length === before) {
      if (existing?.object === 'transaction') {
        Object.assign(record, { amount_refunded: existing.amount_refunded })
        this.#charges.set(record.id, source)
      }
      const imported = this.imported[family] as RecordOf<Family>[]
      imported.push(this.#store.put(family, record))
    } else {
      this.#leftOut[family].add(fields.id ?? null)
      if (family === 'refunds') this.#unsettled.add(fields.transaction)
    }
  }

  /** Its id stays taken and stays a cursor. */
  #addDeleted(source: Sourced): void {
    const id = String(source.fields.id)
    const { users } = this.#store
    if (users.has(id) || !this.#referred('account', source)) return
    users.insert(this.#recordOf('users', source.fields, undefined))
    users.remove(id)
  }

  #addKey(source: Sourced): void {
    const key = String(source.fields.key)
    const account = String(source.fields.account)
    if (this.#referred('account', source) === undefined) return
    this.#hasReplaced ||= this.#store.keys.has(key)
    this.#store.keys.set(key, account)
    this.imported.api_keys.push({ key, account })
  }

  #referred(link: keyof typeof LINKED_FAMILIES, source: Sourced): RecordOf<Family> | undefined {
    const family = LINKED_FAMILIES[link]
    const id = source.fields[link]
    if (typeof id !== 'string') return undefined
    const record = this.#store[family].get(id)
    if (record === undefined && !this.#generation.isOpen && !this.#leftOut[family].has(id)) {
      const advice = didYouMean(id, this.#store[family].someIds())
      this.#report(source, [link], say('missing_record', RESOURCE_NAMES[family], id, advice))
    }
    return record
  }

  #checkTransaction(source: Sourced, { location }: Records['tickets']): void {
    const { fields } = source
    if (fields.location != null && fields.location !== location)
      this.#report(source, ['location'], say('other_location', String(fields.ticket), location))
    const type = fieldIn(fields.payment_method, 'type')
    if (type != null && type !== fields.payment_type)
      this.#report(
        source,
        ['payment_method'],
        say('other_type', `${type}`, `${fields.payment_type}`)
      )
    if (!isExact(settled(fields as Sums, this.#generation.settings)))
      this.#report(source, ['amount'], say('sum_too_large'))
  }

  /** Against what remains at this point (REF-6, REF-7, A24). */
  #checkRefund(source: Sourced, transaction: Records['transactions']): void {
    const { currency, amount } = source.fields
    if (currency != null && currency !== transaction.currency)
      this.#report(
        source,
        ['currency'],
        say('other_currency', transaction.id, transaction.currency)
      )
    const asked = Number(amount)
    for (const settings of [this.#loosest, this.#generation.settings]) {
      const facts = { ...moneyOf(transaction, settings), asked }
      if (this.#charges.has(transaction.id) && facts.refunded > facts.charged) return
      const broken = firstBroken(REFUND_RULES, facts)
      if (broken === undefined) continue
      const problem = { code: broken.else, message: broken.message(facts) }
      const list = settings === this.#loosest ? this.#problems : this.#warnings
      list.push(problemOf(source, [present(broken.param)], problem))
      return
    }
  }

  /** Refunds that the fixture will replace do not count. */
  #unsettle(id: unknown): void {
    const stored = typeof id === 'string' && this.#store.refunds.get(id)
    if (stored) this.#store.putRefund({ ...stored, amount: 0 }, stored)
  }

  #checkCharges(): void {
    for (const [id, source] of this.#charges) {
      const { charged, refunded, currency } = moneyOf(
        present(this.#store.transactions.get(id)),
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
    const isRefunded = before.object === 'transaction' && before.amount_refunded > 0
    this.#hasReplaced = true
    for (const field of [
      OWNERS[family],
      isRefunded && 'currency',
      isRefunded && 'payment_method'
    ]) {
      if (!field) continue
      const [was, is] = [before, after].map(record => JSON.stringify(fieldIn(record, field)))
      if (was !== is) this.#report(source, [field], say('fixed_field', before.id, `${was}`))
    }
  }

  #recordOf<F extends Family>(
    family: F,
    fields: RecordFields,
    parent: RecordOf<Family> | undefined
  ): RecordOf<F> {
    const { settings, ids } = this.#generation
    const { id, created } = fields
    const identity = {
      id: id ?? ids.draw(kindOf(family, fields.type as AccountType), settings, this.#store[family]),
      created: created == null ? this.#now : storedInstant(String(created))
    }
    return completed(family, { ...fields, ...identity }, { settings, parent })
  }

  #report(source: Sourced, path: readonly Step[], problem: Said): void {
    this.#problems.push(problemOf(source, path, problem))
  }
}

/** Keeps the text if it already has the form of stored instants (A05). */
const storedInstant = (text: string): string =>
  IS_STORED_INSTANT.test(text) ? text : isoOf(instantIn(text))
const IS_STORED_INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
