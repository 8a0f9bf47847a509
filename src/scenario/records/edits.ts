/** Changes of records, all or none: deletions, then records as in fixtures. */
import { isExact, type Money, moneyOf, type Sums, settled } from '../../core/money.js'
import { firstViolated, REFUND_RULES } from '../../core/rules.js'
import { say as check } from '../../core/sentences.js'
import { type Family, LINKED_FAMILIES } from '../../reference/operations.js'
import { each } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import { ALL, FAMILIES, type RecordOf, type Records } from '../../store/store.js'
import { type DocumentProblem, documentOf, type Problems, type Report } from '../documents.js'
import { fieldIn } from '../match/fields.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { ChangeData } from '../shape/entry.js'
import { type Fixture, fixtureIn, merged, problemOf, recordsIn, type Sourced } from './fixture.js'
import { missingRecord } from './named-records.js'
import { type GenerationContext, OWNERS, type RecordFields, recordOf } from './record.js'

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
    const steps = ['change', 'delete', nth]
    const referring = referrers.get(id) ?? []
    if (referring.length > 0)
      problems.push({ document: DOCUMENT, steps, ...say('in_use', id, referring) })
    else if (!FAMILIES.some(family => store[family].has(id)))
      problems.push({ document: DOCUMENT, steps, ...missingRecord(id, FAMILIES, store) })
  }
  if (problems.length === 0) for (const { family, id } of removed) store.remove(family, id)
  const importer = new Importer(generation, problems, warnings)
  return { imported: yield* importer.importing(fixtures), removed }
}

/** What refers to the records and is not one of them, by their ids. */
function referrersOf(
  records: readonly RecordName[],
  { store, settings }: GenerationContext
): ReadonlyMap<unknown, readonly string[]> {
  const referrers = new Map<unknown, string[]>(records.map(({ id }) => [id, []]))
  const add = (id: unknown, referrer: string) => {
    const others = referrers.get(id)
    if (!referrers.has(referrer) && !others?.includes(referrer)) others?.push(referrer)
  }
  for (const referring of FAMILIES) {
    const link = OWNERS[referring] ?? 'reseller'
    if (!records.some(({ family }) => family === LINKED_FAMILIES[link])) continue
    for (const { record } of store[referring].group(ALL, ALL)) add(fieldIn(record, link), record.id)
  }
  for (const account of store.keys.values()) add(account, 'an API key')
  add(settings['auth.accept_any_key'], 'auth.accept_any_key')
  return referrers
}

/** Skips records with problems, and references to them. */
class Importer {
  readonly #imported: ImportedRecords = { api_keys: [], ...each(FAMILIES, () => []) }
  readonly #skipped = new Set<unknown>()

  constructor(
    private readonly generation: GenerationContext,
    private readonly problems: Problems,
    private readonly warnings: Problems
  ) {}

  *importing(fixtures: readonly Fixture[]): Generator<void, ImportedRecords> {
    const fixture = merged(fixtures, this.problems)
    for (const family of FAMILIES) {
      if (family === 'refunds') {
        for (const { fields } of fixture.refunds) this.#uncount(fields.id)
        for (const source of fixture.transactions) yield this.#checkCharge(source)
      }
      for (const source of fixture[family]) yield this.#add(family, source)
    }
    for (const source of fixture.api_keys) yield this.#addKey(source)
    // an Account's reseller may come after it
    for (const source of fixture.accounts) yield void this.#referred('reseller', source)
    return this.#imported
  }

  #add(family: Family, source: Sourced): void {
    const { problems, generation } = this
    const { store, settings } = generation
    const { length } = problems
    const { fields } = source
    for (const name of Object.keys(fields.extra ?? {}))
      if (Object.hasOwn(present(RESOURCES[family].properties), name))
        problems.push(problemOf(source, ['extra', name], say('reserved_field', name)))
    const link = OWNERS[family]
    const owner = link && this.#referred(link, source)
    const record = owner === undefined ? null : recordOf(family, fields, generation)
    const fixed = record
      ? fixedFields(link ?? 'id', fields, record, store[family].get(record.id))
      : []
    for (const [field, value, wanted, whose] of fixed)
      if (value != null && value !== wanted)
        problems.push(
          problemOf(source, [field], say('contradicts', `${wanted}`, whose, `${value}`))
        )
    if (owner?.object === 'transaction') this.#checkRefund(source, owner)
    if (owner?.object === 'ticket' && !isExact(settled(fields as Sums, settings)))
      problems.push(problemOf(source, ['amount'], say('sum_too_large')))
    if (record === null || problems.length > length) {
      this.#skipped.add(fields.id)
      return
    }
    const imported = this.#imported[family] as RecordOf<Family>[]
    imported.push(store.put(family, record))
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
    if (typeof id !== 'string' || this.#skipped.has(id)) return undefined
    const { store } = this.generation
    const record = store[family].get(id)
    if (record === undefined)
      this.problems.push(problemOf(source, [link], missingRecord(id, [family], store)))
    return record
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
    const { charged, refunded, currency } = this.#chargeWithExtras(transaction)
    if (refunded <= charged) return
    const { id } = transaction
    this.problems.push(
      problemOf(source, ['amount'], say('below_refunds', id, refunded, currency, charged))
    )
    this.#skipped.add(id)
  }

  /** Against the remaining amount at this point (REF-6, REF-7, A24). */
  #checkRefund(source: Sourced, transaction: Records['transactions']): void {
    const asked = Number(source.fields.amount)
    const facts = { ...moneyOf(transaction, this.generation.settings), asked }
    const violated = firstViolated(REFUND_RULES, facts)
    if (violated === undefined) return
    const isOfSetting = asked <= this.#chargeWithExtras(transaction).remaining
    const problem = { code: violated.else, message: violated.message(facts) }
    const list = isOfSetting ? this.warnings : this.problems
    list.push(problemOf(source, [present(violated.param)], problem))
  }

  /** What every setting allows to be refunded at most (A23). */
  #chargeWithExtras(transaction: Records['transactions']): Money {
    const { settings } = this.generation
    return moneyOf(transaction, { ...settings, 'transactions.refundable': 'amount_plus_extras' })
  }
}

type FixedField = readonly [field: string, value: unknown, wanted: unknown, whose: string]

/** Fields whose values the owner, the payment type or the replaced record fixes. */
function fixedFields(
  link: string,
  fields: RecordFields,
  record: RecordOf<Family>,
  before: RecordOf<Family> | undefined
): FixedField[] {
  const fixed: FixedField[] = ['location', 'currency'].map(field => [
    field,
    fields[field],
    fieldIn<unknown>(record, field),
    `the ${link} ${fields[link]}`
  ])
  if (record.object === 'transaction') {
    const type = fieldIn(fields.payment_method, 'type')
    fixed.push(['payment_method', type, record.payment_type, 'payment_type'])
  }
  const isRefunded = before?.object === 'transaction' && before.amount_refunded > 0
  const unchanging = isRefunded ? [link, 'currency', 'payment_method'] : [link]
  for (const field of before ? unchanging : []) {
    const [wanted, value] = [before, record].map(part =>
      JSON.stringify(fieldIn<unknown>(part, field))
    )
    fixed.push([field, value, wanted, `the existing ${before?.id}; a merge cannot change it`])
  }
  return fixed
}
