/** Changes of records, all or none: deletions, then records as in fixtures. */
import { isExact, moneyOf, type Sums, settled } from '../../core/money.js'
import type { Step } from '../../core/places.js'
import { firstViolated, REFUND_RULES } from '../../core/rules.js'
import { say as check, type Said } from '../../core/sentences.js'
import type { Settings } from '../../core/settings.js'
import { type Family, LINKED_FAMILIES } from '../../reference/operations.js'
import { each } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import { ALL, FAMILIES, type RecordOf, type Records } from '../../store/store.js'
import { type DocumentProblem, documentOf, type Problems, type Report } from '../documents.js'
import { fieldIn } from '../match/fields.js'
import { say } from '../sentences.js'
import { instantIn, present } from '../shape/checked.js'
import type { ChangeData } from '../shape/entry.js'
import {
  type Fixture,
  fixtureIn,
  type GenerationContext,
  merged,
  missingRecord,
  OWNERS,
  problemOf,
  type RecordFields,
  recordOf,
  recordsIn,
  type Sourced,
  usersIn
} from './fixture.js'

/** `removed`: ids to delete first, in these families. */
export type Edit = {
  fixtures: readonly Fixture[]
  removed: readonly string[]
  families?: readonly Family[]
}
export type RecordName = { family: Family; id: string }
export type ImportedRecords = { [F in Family]: RecordOf<F>[] } & {
  api_keys: { key: string; account: string }[]
}

/** Maximum records in a change, which delays its request. */
const MAX_NAMED = 100
const DOCUMENT = documentOf('script', null)

export function editOf({ data = {}, delete: removed = [] }: ChangeData, report: Report): Edit {
  const fixture = fixtureIn(DOCUMENT, data, ['change', 'data'])
  const count = recordsIn([fixture]) + removed.length
  if (count === 0) report(['change'], say('no_change'))
  if (count > MAX_NAMED) report(['change'], check('too_many_items', MAX_NAMED, count))
  return { fixtures: [fixture], removed }
}

/** In a copy of a store. Yields after each record. A record can be deleted again. */
export function* editing(
  { fixtures, removed: ids, families = FAMILIES }: Edit,
  generation: GenerationContext,
  problems: Problems,
  warnings: Problems = [] as DocumentProblem[]
): Generator<void, { imported: ImportedRecords; removed: RecordName[] }> {
  const { store } = generation
  // a Refund goes before its Transaction, which then has less refunded
  const removed = families
    .toReversed()
    .flatMap(family => ids.filter(id => store[family].get(id)).map(id => ({ family, id })))
  const referrers = referrersOf(removed, generation)
  for (const [nth, id] of ids.entries()) {
    const note = (problem: Said) =>
      problems.push({ document: DOCUMENT, steps: ['change', 'delete', nth], ...problem })
    const remaining = [...(referrers.get(id) ?? [])].filter(name => !ids.includes(name))
    if (remaining.length > 0) note(say('in_use', id, remaining))
    else if (!FAMILIES.some(family => store[family].has(id)))
      note(missingRecord(id, FAMILIES, store))
  }
  if (problems.length === 0) for (const { family, id } of removed) store.remove(family, id)
  const importer = new Importer(generation, problems, warnings)
  return { imported: yield* importer.importing(fixtures), removed }
}

/** What refers to the records, by their ids. */
function referrersOf(
  records: readonly RecordName[],
  { store, settings }: GenerationContext
): ReadonlyMap<unknown, ReadonlySet<string>> {
  const referrers = new Map<unknown, Set<string>>(records.map(({ id }) => [id, new Set()]))
  for (const referring of FAMILIES) {
    const link = OWNERS[referring] ?? 'reseller'
    if (!records.some(({ family }) => family === LINKED_FAMILIES[link])) continue
    for (const { record } of store[referring].group(ALL, ALL))
      referrers.get(fieldIn(record, link))?.add(record.id)
  }
  for (const account of store.keys.values()) referrers.get(account)?.add('an API key')
  referrers.get(settings['auth.accept_any_key'])?.add('auth.accept_any_key')
  return referrers
}

/** Skips records with problems, and references to them. */
class Importer {
  readonly #imported: ImportedRecords = { api_keys: [], ...each(FAMILIES, () => []) }
  /** They accept Refunds of tips, with a warning (A23). */
  readonly #lenient: Settings
  readonly #skipped = new Set<unknown>()

  constructor(
    private readonly generation: GenerationContext,
    private readonly problems: Problems,
    private readonly warnings: Problems
  ) {
    this.#lenient = { ...generation.settings, 'transactions.refundable': 'amount_plus_extras' }
  }

  *importing(fixtures: readonly Fixture[]): Generator<void, ImportedRecords> {
    const fixture = merged(fixtures, this.problems)
    for (const family of FAMILIES) {
      if (family === 'refunds') for (const { fields } of fixture.refunds) this.#uncount(fields.id)
      const sources = family === 'users' ? usersIn(fixture) : fixture[family]
      for (const source of sources) {
        if (source.list.steps.at(-1) === 'deleted_users') this.#addDeleted(source)
        else this.#add(family, source)
        yield
      }
    }
    for (const source of fixture.api_keys) yield this.#addKey(source)
    // an Account's reseller may come after it
    for (const source of fixture.accounts) yield void this.#referred('reseller', source)
    for (const source of fixture.transactions) yield this.#checkCharge(source)
    return this.#imported
  }

  #add(family: Family, source: Sourced): void {
    const { problems, generation } = this
    const { store, settings } = generation
    const { length } = problems
    const { fields } = source
    for (const name of Object.keys(fields.extra ?? {}))
      if (Object.hasOwn(present(RESOURCES[family].properties), name))
        this.#report(source, ['extra', name], say('reserved_field', name))
    const link = OWNERS[family]
    const owner = link && this.#referred(link, source)
    const record = owner === undefined ? null : recordOf(family, fields, generation)
    const before = record && store[family].get(record.id)
    for (const [field, value, wanted, whose] of fixedFields(fields, link, owner, before, record))
      if (value != null && value !== wanted)
        this.#report(source, [field], say('contradicts', `${wanted}`, whose, `${value}`))
    if (owner?.object === 'transaction') this.#checkRefund(source, owner)
    if (owner?.object === 'ticket' && !isExact(settled(fields as Sums, settings)))
      this.#report(source, ['amount'], say('sum_too_large'))
    if (record === null || problems.length > length) {
      this.#skipped.add(fields.id)
      return
    }
    if (before?.object === 'transaction')
      Object.assign(record, { amount_refunded: before.amount_refunded })
    const imported = this.#imported[family] as RecordOf<Family>[]
    imported.push(store.put(family, record))
  }

  /** Its id stays reserved, and is a cursor. */
  #addDeleted(source: Sourced): void {
    const id = String(source.fields.id)
    const { users } = this.generation.store
    const account = this.#referred('account', source)?.id
    if (users.has(id) || account === undefined) return
    users.addDeleted(id, instantIn(String(source.fields.created)), [account])
  }

  #addKey(source: Sourced): void {
    const key = String(source.fields.key)
    const account = this.#referred('account', source)?.id
    if (account === undefined) return
    this.generation.store.keys.set(key, account)
    this.#imported.api_keys.push({ key, account })
  }

  #referred(link: keyof typeof LINKED_FAMILIES, source: Sourced): RecordOf<Family> | undefined {
    const family = LINKED_FAMILIES[link]
    const id = source.fields[link]
    if (typeof id !== 'string') return undefined
    const { store, isOpen } = this.generation
    const record = store[family].get(id)
    if (record === undefined && !isOpen && !this.#skipped.has(id))
      this.#report(source, [link], missingRecord(id, [family], store))
    return record
  }

  /** Against the remaining amount at this point (REF-6, REF-7, A24). */
  #checkRefund(source: Sourced, transaction: Records['transactions']): void {
    const requested = Number(source.fields.amount)
    for (const settings of [this.#lenient, this.generation.settings]) {
      const facts = { ...moneyOf(transaction, settings), asked: requested }
      const isLenient = settings === this.#lenient
      // the lowered charge is reported instead
      if (isLenient && facts.refunded > facts.charged) return
      const violated = firstViolated(REFUND_RULES, facts)
      if (violated === undefined) continue
      const problem = { code: violated.else, message: violated.message(facts) }
      const list = isLenient ? this.problems : this.warnings
      list.push(problemOf(source, [present(violated.param)], problem))
      return
    }
  }

  /** A Refund that the fixture will replace does not count. */
  #uncount(id: unknown): void {
    const { store } = this.generation
    const before = store.refunds.get(String(id))
    if (before) store.putRefund({ ...before, amount: 0 }, before)
  }

  #checkCharge(source: Sourced): void {
    const transaction = this.generation.store.transactions.get(String(source.fields.id))
    if (transaction === undefined) return
    const { charged, refunded, currency } = moneyOf(transaction, this.#lenient)
    if (refunded > charged)
      this.#report(
        source,
        ['amount'],
        say('below_refunds', transaction.id, refunded, currency, charged)
      )
  }

  #report(source: Sourced, path: readonly Step[], problem: Said): void {
    this.problems.push(problemOf(source, path, problem))
  }
}

type FixedField = readonly [field: string, value: unknown, wanted: unknown, whose: string]

/** Fields whose values the owner or the replaced record fixes. */
function* fixedFields(
  { location, currency, payment_type, payment_method }: RecordFields,
  link: string | null,
  owner: RecordOf<Family> | null | undefined,
  before: RecordOf<Family> | null | undefined,
  after: RecordOf<Family> | null
): Iterable<FixedField> {
  if (owner?.object === 'ticket') {
    yield ['location', location, owner.location, `the Ticket ${owner.id}`]
    yield ['payment_method', fieldIn(payment_method, 'type'), payment_type, 'payment_type']
  }
  if (owner?.object === 'transaction')
    yield ['currency', currency, owner.currency, `the Transaction ${owner.id}`]
  if (!before) return
  const isRefunded = before.object === 'transaction' && before.amount_refunded > 0
  for (const field of [link ?? [], isRefunded ? ['currency', 'payment_method'] : []].flat()) {
    const [wanted, value] = [before, after].map(record => JSON.stringify(fieldIn(record, field)))
    yield [field, value, wanted, `the existing ${before.id}; a merge cannot change it`]
  }
}
