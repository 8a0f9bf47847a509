/**
 * What a service had before the run. The emulator takes a record over when a response first shows
 * it; any difference after that is wrong. Nothing is taken over of a record that the run made, or
 * that is not as the reference says. Ids are the service's.
 */
import { checkerOf } from '../../core/checking.js'
import { instantOf, isoOf } from '../../core/instants.js'
import { pathOf, type Step } from '../../core/places.js'
import { stepsTo, type Template, valueAt } from '../../core/templates.js'
import {
  type Family,
  LINKED_FAMILIES,
  type OperationId,
  operationAt,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { type NamedRecord, recordsNamedBy } from '../../scenario/named-records.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { collectionOf, FAMILIES, type RecordOf } from '../../store/store.js'
import { SAYS } from '../sentences.js'
import {
  type Difference,
  fieldOf,
  isMade,
  membersOf,
  type Sides,
  valueDifferences
} from './compare.js'

type Part = Readonly<Record<string, Json>>
type ShownRecord = { family: Family; steps: readonly Step[]; record: Part & { id: string } }
/** What a response shows of before the run, and what no record can be. */
export type Learned = { others: Difference[]; wrong: Difference[] }

/** What the reference says of a record; the Refunds in a Transaction are records of their own. */
const CHECKERS = Object.fromEntries(
  FAMILIES.map(family => [
    family,
    checkerOf(() => ({
      type: 'object',
      required: Object.keys(FIELDS[family]),
      properties: FIELDS[family]
    }))
  ])
) as Readonly<Record<Family, ReturnType<typeof checkerOf>>>
/** Codes that refuse a request because a record does not exist. */
const MISSING: readonly unknown[] = ['resource_missing', 'reference_missing']

export class ServiceRecords {
  readonly #sandbox: Sandbox
  /** How the run knows that the service has a record: a request named it, it was shown, or made. */
  readonly #known = new Map<unknown, 'named' | 'shown' | 'made'>()
  /** The number of the record that was inserted last. */
  #last = 0

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  readonly isMade = (id: unknown) => this.#known.get(id) === 'made'
  readonly isShown = (id: unknown) => this.isMade(id) || this.#known.get(id) === 'shown'

  /** Learns from a response, before the same request is made here. */
  async learn(call: StepCall, answer: StepAnswer, sides: Sides): Promise<Learned> {
    const learned: Learned = { others: [], wrong: [] }
    const at = operationAt(call.method, call.path)
    if (at === null || !isMade(answer)) return learned
    for (const { id } of namedIn({ ...call, query: '' }))
      if (!this.#known.has(id)) this.#known.set(id, 'named')
    const { family, kind } = operationOf(at.operation)
    const id = fieldOf(answer.body, 'id')
    if (kind === 'create' && typeof id === 'string') this.#known.set(id, 'made')
    // those that are here too come first: what they refer to is known then
    const isNew = ({ family, record }: ShownRecord) =>
      Number(
        collectionOf(this.#sandbox.store, family).get(sides.pairs.here(record.id)) === undefined
      )
    const all = recordsIn(answer.body, at.operation, sides.list)
    for (const shown of all.toSorted((one, other) => isNew(one) - isNew(other))) {
      const isOfRun = ['id', ...Object.keys(LINKED_FAMILIES)].some(name =>
        this.isMade(shown.record[name])
      )
      if (!isOfRun && !this.isShown(shown.record.id)) await this.#take(shown, call, sides, learned)
    }
    if (kind === 'list')
      this.#order(
        family,
        all.filter(shown => shown.family === family),
        sides
      )
    return learned
  }

  /**
   * Orders records of before the run as a list shows them: of the same instant, nothing else says
   * which is newer.
   */
  #order(family: Family, shown: readonly ShownRecord[], { pairs }: Sides): void {
    const { settings, store } = this.#sandbox
    const collection = collectionOf(store, family)
    const isOldestFirst = settings['pagination.order'] === 'oldest_first' && family !== 'refunds'
    const ids = shown.flatMap(({ record }) =>
      this.#known.get(record.id) === 'shown' ? [pairs.here(record.id)] : []
    )
    const stored = [...new Set(ids)].flatMap(id => collection.stored(id) ?? [])
    const numbers = stored.map(({ nth }) => nth).sort((a, b) => (isOldestFirst ? a - b : b - a))
    if (stored.every(({ nth }, place) => nth === numbers[place])) return
    for (const { record } of stored) collection.remove(record.id)
    for (const [place, { record }] of stored.entries()) collection.insert(record, numbers[place])
  }

  /** Takes a record over. What the request itself sent is no news. */
  async #take(
    { family, steps, record }: ShownRecord,
    { form }: StepCall,
    sides: Sides,
    { others, wrong }: Learned
  ): Promise<void> {
    for (const { steps: below, message } of await CHECKERS[family].problems(record)) {
      const at = [...steps, ...below]
      wrong.push({ steps: at, message: `${pathOf(at)}: ${message}` })
    }
    if (wrong.length > 0) return
    const { pairs, list } = sides
    this.#known.set(record.id, 'shown')
    const collection = collectionOf(this.#sandbox.store, family)
    const id = pairs.here(record.id)
    const { extra = {}, ...own } = (collection.get(id) ?? {}) as Part & { extra?: Part }
    const mine: Part = { ...own, ...extra }
    const taken = (names: readonly string[]): Part =>
      Object.fromEntries(
        names.map(name => {
          const value = (name in record ? record : mine)[name] as Json
          if (!(name in LINKED_FAMILIES) || typeof value !== 'string') return [name, value]
          pairs.match(value, (mine[name] as string | undefined) ?? value)
          return [name, pairs.here(value)]
        })
      )
    const theirs: Part = {
      ...taken(Object.keys(FIELDS[family])),
      id,
      created: isoOf(instantOf(record.created as string) as number),
      ...(family === 'transactions' && { amount_refunded: refundedIn(record, list) })
    }
    const more: Part = taken(Object.keys(extra))
    const says = (message: string) => others.push({ steps, message })
    if (collection.get(id) !== undefined) {
      const sent = [...new URLSearchParams(form ?? '').keys()].map(name => name.split('[', 1)[0])
      const other = Object.keys({ ...theirs, ...more }).filter(
        name =>
          !['created', ...sent].includes(name) &&
          name in record &&
          valueDifferences(record[name], mine[name], [name], sides).length > 0
      )
      if (other.length > 0) says(SAYS.other_values(record.id, other))
      collection.replace({ ...theirs, extra: more } as unknown as RecordOf<Family>)
    } else if (!collection.has(id)) {
      // before all that the run made in the same instant
      collection.insert(theirs as unknown as RecordOf<Family>, --this.#last)
      says(SAYS.only_there(record.id))
    }
  }

  /**
   * Leaves out what a list, or the Refunds of a Transaction, would show here of records that the
   * service has not shown: whether it has them, and where, is unknown.
   */
  leaveOutUnseen(operation: OperationId, { pairs }: Sides): void {
    const { family, kind } = operationOf(operation)
    const lists: Family[] = kind === 'list' ? [family] : []
    if (family === 'transactions' && kind !== 'create') lists.push('refunds')
    for (const list of lists) {
      const collection = collectionOf(this.#sandbox.store, list)
      for (const { id } of collection.inCreationOrder())
        if (!this.isShown(pairs.there(id))) collection.remove(id)
    }
  }

  /**
   * The records, in words, at least one of which the service says by its refusal that it lacks;
   * null where it refuses for another reason, or is known to have them all.
   */
  lackedBy(call: StepCall, answer: StepAnswer, { error }: Sides): string | null {
    if (isMade(answer) || !(answer.status === 404 || saysMissing(answer, error))) return null
    const lacked = namedIn(call).filter(({ id }) => !this.#known.has(id))
    const words = lacked.map(
      ({ families: [family], id }) => `${RESOURCE_NAMES[family as Family]} ${id}`
    )
    return words.length === 0 ? null : words.join(' or no ')
  }
}

/** Whether a response refuses a request because a record does not exist. */
export const saysMissing = ({ body }: StepAnswer, error: Template): boolean =>
  MISSING.includes(valueAt(error, body, '$code'))

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
function recordsIn(body: Json, operation: OperationId, list: Template): ShownRecord[] {
  const { family, kind } = operationOf(operation)
  const within = (value: unknown, family: Family, steps: readonly Step[]) =>
    membersOf(value, list).map((record, nth) => ({
      family,
      steps: [...steps, ...(stepsTo(list, '$members') as readonly Step[]), nth],
      record: record as ShownRecord['record']
    }))
  const outer =
    kind === 'list'
      ? within(body, family, [])
      : [{ family, steps: [], record: body as ShownRecord['record'] }]
  const refunds =
    family !== 'transactions'
      ? []
      : outer.flatMap(({ record, steps }) =>
          within(fieldOf(record, 'refunds'), 'refunds', [...steps, 'refunds'])
        )
  return [...outer, ...refunds].filter(({ record }) => typeof fieldOf(record, 'id') === 'string')
}

/** What has been refunded of a Transaction, as far as its Refunds say. */
function refundedIn({ amount_refunded, refunds }: Part, list: Template): number {
  const sum = membersOf(refunds, list).reduce<number>(
    (sum, refund) => sum + Number(fieldOf(refund, 'amount')),
    0
  )
  const hasMore = valueAt(list, refunds, '$has_more') === true
  return hasMore ? Math.max(sum, amount_refunded as number) : sum
}
