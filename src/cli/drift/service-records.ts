/**
 * What a running service had before the run. The emulator takes a record over when a response first
 * shows it: any difference after that
 * is wrong. Nothing is taken over that this run created or changed, or that contradicts the
 * reference. Ids are the service's.
 */
import { isDeepStrictEqual } from 'node:util'
import { checkerOf } from '../../core/checking.js'
import { shortened } from '../../core/nearest.js'
import { partAt, type Step } from '../../core/places.js'
import { isObject, type Test } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import { valueAt } from '../../core/templates.js'
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationAt,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { RESOURCES } from '../../reference/tables.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { type NamedRecord, recordsNamedBy } from '../../scenario/named-records.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { collectionOf, FAMILIES, type RecordOf } from '../../store/store.js'
import { say } from '../sentences.js'
import {
  type Comparison,
  type FieldDifference,
  fieldOf,
  isMade,
  membersOf,
  type Shapes,
  valueDifferences
} from './compare.js'
import { membersAt } from './shapes.js'

/**
 * Codes that refuse a request because a record does not exist, and the rules that such a refusal
 * may name.
 */
const MISSING_CODES: readonly unknown[] = ['resource_missing', 'reference_missing']
const MISSING_RULES: readonly unknown[] = ['TXN-1', 'REF-1', 'USR-1', null]
/**
 * Fields that are compared and never taken over: a record is known by its id, and its Refunds are
 * records of their own.
 */
const FIXED: readonly string[] = ['id', 'object', 'refunds']

type Part = { readonly [name: string]: Json }
type Stored = RecordOf<Family> & Part
type ShownRecord = { family: Family; steps: readonly Step[]; record: Part & { id: string } }
/**
 * The records that a response shows, the differences that come from before the run, and those that
 * cannot.
 */
export type Learned = {
  shown: readonly ShownRecord[]
  others: FieldDifference[]
  wrong: FieldDifference[]
}

/** A time as every response writes it (A05). */
const isTime: Test = text =>
  typeof text === 'string' &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString() === text
const isAnything: Test = () => true
const isSumOfRefunds = ({ amount_refunded, refunds }: Part, { list }: Shapes): boolean => {
  const sum = membersOf(refunds, list).reduce<number>(
    (sum, refund) => sum + Number(fieldOf(refund, 'amount')),
    0
  )
  return valueAt(list, refunds, '$has_more') === true
    ? Number(amount_refunded) >= sum
    : amount_refunded === sum
}

/** What the reference says of the records of each family, and of each field. */
const CHECKS = Object.fromEntries(
  FAMILIES.map(family => {
    const fields = Object.entries(RESOURCES[family].properties as object).map(
      ([name, schema]) => [name, checkerOf(() => schema).isRight] as const
    )
    return [
      family,
      { record: checkerOf(() => RESOURCES[family]), fields: new Map(fields).set('created', isTime) }
    ]
  })
) as unknown as Readonly<
  Record<Family, { record: ReturnType<typeof checkerOf>; fields: ReadonlyMap<string, Test> }>
>

export class ServiceRecords {
  readonly #sandbox: Sandbox
  readonly #made = new Set<unknown>()
  /** Records of before the run as they were shown last. */
  readonly #shown = new Map<string, Part>()
  /** Records that the service has, shown or not. */
  readonly #present = new Set<string>()
  /** The parameters that this run wrote of a record. */
  readonly #written = new Map<string, Set<string>>()
  /** The number of the record that was inserted last. */
  #last = 0

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Whether the run made a record. */
  readonly isMade = (id: unknown) => this.#made.has(id)
  /** Whether a record of before the run was shown. */
  readonly isEarlier = (id: string) => this.#shown.has(id)

  /** Learns from a response, before the same request is made here. */
  async learn(call: StepCall, answer: StepAnswer, comparison: Comparison): Promise<Learned> {
    const learned: Learned = { others: [], wrong: [], shown: [] }
    const at = operationAt(call.method, call.path)
    if (at === null || !isMade(answer)) return learned
    const { kind } = operationOf(at.operation)
    for (const { id } of namedIn({ ...call, query: '' })) this.#present.add(id)
    if (kind === 'create') this.#made.add(fieldOf(answer.body, 'id'))
    if (kind === 'update') {
      const id = at.params.id as string
      this.#written.set(
        id,
        new Set([
          ...(this.#written.get(id) ?? []),
          ...new URLSearchParams(call.form as string).keys()
        ])
      )
    }
    const mineOf = ({ family, record }: ShownRecord) =>
      collectionOf(this.#sandbox.store, family).get(comparison.pairs.here(record.id)) as unknown as
        | Stored
        | undefined
    // those that are here too come first: what they refer to is known then
    const isUnknown = (shown: ShownRecord) => Number(mineOf(shown) === undefined)
    const all = recordsIn(answer.body, at.operation, comparison.shapes)
    for (const shown of all.toSorted((a, b) => isUnknown(a) - isUnknown(b))) {
      const { id } = shown.record
      this.#present.add(id)
      // what belongs to a record of this run is of this run
      if (
        this.#made.has(id) ||
        Object.keys(LINKED_FAMILIES).some(name => this.#made.has(shown.record[name]))
      )
        continue
      const mine = mineOf(shown)
      if (mine !== undefined) this.#take(shown, mine, comparison, learned)
      else if (!collectionOf(this.#sandbox.store, shown.family).has(comparison.pairs.here(id)))
        await this.#add(shown, comparison, learned)
      this.#shown.set(id, shown.record)
    }
    return { ...learned, shown: all }
  }

  /**
   * Orders records of the same instant from before the run as a response lists them: nothing else
   * says which of them is newer.
   */
  order({ shown: all }: Learned, { pairs }: Comparison): void {
    const isOldestFirst = this.#sandbox.settings['pagination.order'] === 'oldest_first'
    const tied = new Map<string, ShownRecord[]>()
    for (const shown of all.filter(({ record }) => this.#shown.has(record.id))) {
      const instant = `${shown.family} ${shown.record.created}`
      tied.set(instant, [...(tied.get(instant) ?? []), shown])
    }
    for (const shown of tied.values()) {
      const collection = collectionOf(this.#sandbox.store, shown[0]?.family as Family)
      const stored = [
        ...new Set(shown.flatMap(({ record }) => collection.stored(pairs.here(record.id)) ?? []))
      ]
      const numbers = stored.map(({ nth }) => nth).sort((a, b) => (isOldestFirst ? a - b : b - a))
      if (stored.every(({ nth }, place) => nth === numbers[place])) continue
      for (const { record } of stored) collection.remove(record.id)
      for (const [place, { record }] of stored.entries()) collection.insert(record, numbers[place])
    }
  }

  /**
   * Takes over what a record had that is here too: what is shown for the first time and was not
   * written, and that what it refers to has another id here.
   */
  #take(
    { family, steps, record }: ShownRecord,
    { extra = {}, ...own }: Stored,
    comparison: Comparison,
    { others }: Learned
  ): void {
    const [before, written] = [this.#shown.get(record.id), this.#written.get(record.id)]
    const mine = { ...own, ...extra } as Part
    const changes: Record<string, Json> = {}
    for (const [name, there] of Object.entries(record)) {
      const isRight = Object.hasOwn(extra, name) ? isAnything : CHECKS[family].fields.get(name)
      if (
        isRight === undefined ||
        FIXED.includes(name) ||
        (name === 'amount_refunded' && !isSumOfRefunds(record, comparison.shapes))
      )
        continue
      const here = mine[name]
      const isLink = name in LINKED_FAMILIES && typeof there === 'string'
      if (isLink && typeof here === 'string' && comparison.pairs.match(there, here, true)) continue
      if (before !== undefined && !(isLink && before[name] === there)) continue
      const value = isLink
        ? comparison.pairs.here(there)
        : (merged(there, here, name, written) as Json)
      if (isDeepStrictEqual(value, here) || !isRight(value)) continue
      changes[name] = value
      if (before === undefined && name !== 'created')
        others.push(...valueDifferences(value, here, [...steps, name], comparison))
    }
    if (Object.keys(changes).length === 0) return
    const fields = (isExtra: boolean) =>
      Object.fromEntries(
        Object.entries({ ...mine, ...changes }).filter(
          ([name]) => Object.hasOwn(extra, name) === isExtra
        )
      )
    collectionOf(this.#sandbox.store, family).replace({
      ...fields(false),
      extra: fields(true)
    } as unknown as RecordOf<Family>)
  }

  /**
   * Adds a record that only the service had, if it is as the reference says; a field that the
   * reference does not have is left out.
   */
  async #add(
    { family, steps, record }: ShownRecord,
    comparison: Comparison,
    { others, wrong }: Learned
  ): Promise<void> {
    const { record: checker, fields } = CHECKS[family]
    const known: Part = Object.fromEntries(
      Object.entries(record).filter(([name]) => fields.has(name))
    )
    const found: { steps: readonly Step[]; says: Said }[] = (await checker.problems(known)).map(
      ({ steps, code, message }) => ({
        steps,
        says: { code, message } as Said
      })
    )
    if (found.length === 0 && !isTime(known.created))
      found.push({ steps: ['created'], says: say('not_a_time', shortened(String(known.created))) })
    if (
      found.length === 0 &&
      family === 'transactions' &&
      !isSumOfRefunds(known, comparison.shapes)
    )
      found.push({
        steps: ['amount_refunded'],
        says: say('not_the_sum', String(known.amount_refunded))
      })
    for (const { steps: below, says } of found) {
      const there = partAt(record, below) as Json
      wrong.push({ kind: 'form', steps: [...steps, ...below], there, says })
    }
    if (found.length > 0) return
    const { refunds: _refunds, ...own } = known
    const linked = Object.entries(own).map(([name, value]) => [
      name,
      name in LINKED_FAMILIES ? comparison.pairs.here(value as string) : value
    ])
    // before all that the run made in the same instant
    collectionOf(this.#sandbox.store, family).insert(
      Object.fromEntries(linked) as RecordOf<Family>,
      --this.#last
    )
    others.push({ kind: 'record', steps, there: record.id })
  }

  /**
   * Leaves out what a list, or the Refunds of a Transaction, would show here of records that the
   * service has not shown: whether it has them, and where, is unknown.
   */
  leaveOutUnseen(operation: OperationId, { pairs }: Comparison): void {
    const { family, kind } = operationOf(operation)
    const lists: Family[] = [
      ...(kind === 'list' ? [family] : []),
      ...(family === 'transactions' && kind !== 'create' ? (['refunds'] as const) : [])
    ]
    for (const list of lists) {
      const collection = collectionOf(this.#sandbox.store, list)
      for (const { id } of collection.inCreationOrder()) {
        const there = pairs.there(id)
        if (!this.#made.has(there) && !this.#shown.has(there)) collection.remove(id)
      }
    }
  }

  /**
   * The records, in words, at least one of which the service says by its refusal that it lacks;
   * null where it refuses for another reason, or is known to have them all.
   */
  lackedBy(call: StepCall, { status, body }: StepAnswer, { error }: Shapes): string | null {
    const [code, rule = null] = ['$code', '$rule'].map(placeholder =>
      valueAt(error, body, placeholder)
    )
    const isMissing =
      MISSING_CODES.includes(code) || (status === 404 && MISSING_RULES.includes(rule))
    const lacked = isMissing ? namedIn(call).filter(({ id }) => !this.#present.has(id)) : []
    return lacked.length === 0
      ? null
      : lacked
          .map(({ families: [family], id }) => `${RESOURCE_NAMES[family as Family]} ${id}`)
          .join(' or no ')
  }
}

/** Whether a response refuses a request because a record does not exist. */
export const saysMissing = ({ body }: StepAnswer, { error }: Shapes): boolean =>
  MISSING_CODES.includes(valueAt(error, body, '$code'))

/** The records that a request names in its path, its filters and its body. */
export function namedIn({ method, path, query, form }: StepCall): NamedRecord[] {
  const at = operationAt(method, path)
  const namesIn = (text: string) => Object.fromEntries(new URLSearchParams(text))
  return at === null
    ? []
    : recordsNamedBy({ params: at.params, query: namesIn(query), body: namesIn(form ?? '') }, [
        at.operation
      ])
}

/** The records that a response shows, those of a Transaction's Refunds last. */
function recordsIn(body: Json, operation: OperationId, shapes: Shapes): ShownRecord[] {
  const { family, kind } = operationOf(operation)
  const within = (list: Json, family: Family, steps: readonly Step[]): ShownRecord[] => {
    const at = membersAt(list, family, shapes.list)
    const members = at === undefined ? [] : (partAt(list, at) as readonly ShownRecord['record'][])
    return members.map((record, index) => ({
      family,
      steps: [...steps, ...(at as readonly Step[]), index],
      record
    }))
  }
  const outer =
    kind === 'list'
      ? within(body, family, [])
      : [{ family, steps: [], record: body as ShownRecord['record'] }]
  const refunds =
    family !== 'transactions'
      ? []
      : outer.flatMap(({ record, steps }) =>
          within(fieldOf(record, 'refunds') as Json, 'refunds', [...steps, 'refunds'])
        )
  return [...outer, ...refunds].filter(({ record }) => typeof fieldOf(record, 'id') === 'string')
}

/** A value of the service, with what this run wrote of it as it is here. */
function merged(
  there: Json | undefined,
  here: Json | undefined,
  name: string,
  written: ReadonlySet<string> = new Set()
): Json | undefined {
  if (written.has(name)) return here
  if (!isObject(there) || !isObject(here)) return there
  const own = Object.entries(here).filter(([part]) => written.has(`${name}[${part}]`))
  const others = Object.entries(there).filter(([part]) => !written.has(`${name}[${part}]`))
  return Object.fromEntries([...others, ...own]) as Json
}
