/** What a service had before the run: taken over when a response first shows it. */
import { checkerOf } from '../../core/checking.js'
import { instantOf, isoOf } from '../../core/instants.js'
import { partAt, pathOf, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { stepsTo, type Template, valueAt } from '../../core/templates.js'
import type { Reading } from '../../engine/admit.js'
import {
  type Family,
  LINKED_FAMILIES,
  nameOf,
  type OperationId,
  operationAt,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { type NamedRecord, recordsNamedBy } from '../../scenario/records/named-records.js'
import type { Json, StepCall, StepResponse } from '../../scenario/steps.js'
import { EMBEDDED } from '../../store/bytes.js'
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
type Placed = { family: Family; steps: readonly Step[]; record: Json }
type ShownRecord = Placed & { record: Part & { id: string } }
/** `others`: of before the run; `wrong`: what no record can be. */
export type Learned = { others: Difference[]; wrong: Difference[] }

/** By the reference; Refunds in a Transaction are records of their own. */
const CHECKERS = Object.fromEntries(
  FAMILIES.map(family => {
    const properties = FIELDS[family]
    return [
      family,
      checkerOf(() => ({ type: 'object', required: Object.keys(properties), properties }))
    ]
  })
) as Readonly<Record<Family, ReturnType<typeof checkerOf>>>
const MISSING: readonly unknown[] = ['resource_missing', 'reference_missing']

export class ServiceRecords {
  readonly #sandbox: Sandbox
  readonly #sides: Sides
  /** How the run knows a record of the service. */
  readonly #known = new Map<unknown, 'named' | 'shown' | 'made'>()
  #last = 0

  constructor(sandbox: Sandbox, sides: Sides) {
    this.#sandbox = sandbox
    this.#sides = sides
  }

  readonly isMade = (id: unknown) => this.#known.get(id) === 'made'
  readonly #isShown = (id: unknown) => this.isMade(id) || this.#known.get(id) === 'shown'
  readonly #collection = (family: Family) => collectionOf(this.#sandbox.store, family)

  /** Before the same request is made here. */
  async learn(call: StepCall, answer: StepResponse): Promise<Learned> {
    const learned: Learned = { others: [], wrong: [] }
    const at = operationAt(call.method, call.path)
    if (at === null || !isMade(answer)) return learned
    const { family, kind } = operationOf(at.operation)
    const { pairs, list } = this.#sides
    for (const { id } of namedIn({ ...call, query: '' }))
      if (!this.#known.has(id)) this.#known.set(id, 'named')
    const id = fieldOf(answer.body, 'id')
    if (kind === 'create' && typeof id === 'string') this.#known.set(id, 'made')
    // those that are here too come first: what they refer to is known then
    const isNew = ({ family, record }: ShownRecord) =>
      Number(this.#collection(family).get(pairs.here(record.id)) === undefined)
    const all = recordsIn(answer.body, at.operation, list)
    for (const shown of all.toSorted((one, other) => isNew(one) - isNew(other))) {
      const names = ['id', ...Object.keys(LINKED_FAMILIES)]
      const isOfRun = names.some(name => this.isMade(shown.record[name]))
      if (!isOfRun && !this.#isShown(shown.record.id)) await this.#learn(shown, call, learned)
    }
    if (kind === 'list')
      this.#order(
        family,
        all.filter(shown => shown.family === family)
      )
    return learned
  }

  /** From a record shown for the first time. What the request sent is no news. */
  async #learn(
    { family, steps, record }: ShownRecord,
    { form }: StepCall,
    { others, wrong }: Learned
  ): Promise<void> {
    for (const { steps: below, message } of await CHECKERS[family].problems(record)) {
      const at = [...steps, ...below]
      wrong.push({ steps: at, message: `${pathOf(at)}: ${message}` })
    }
    if (wrong.length > 0) return
    this.#known.set(record.id, 'shown')
    const mine = this.#take(family, record)
    const sent = [...new URLSearchParams(form ?? '').keys()].map(name => name.split('[', 1)[0])
    const other = Object.keys(mine ?? {}).filter(
      name =>
        !['created', ...sent].includes(name) &&
        name in record &&
        valueDifferences(record[name], mine?.[name], [name], this.#sides).length > 0
    )
    if (mine === null) others.push({ steps, message: SAYS.only_there(record.id) })
    else if (other.length > 0) others.push({ steps, message: SAYS.other_values(record.id, other) })
  }

  /** Returns what the emulator had, null for nothing. */
  #take(family: Family, record: ShownRecord['record']): Part | null {
    const { pairs, list } = this.#sides
    const collection = this.#collection(family)
    const id = pairs.here(record.id)
    const { extra = {}, ...own } = (collection.get(id) ?? {}) as Part & { extra?: Part }
    const mine: Part = { ...own, ...extra }
    const taken = (name: string): [string, Json] => {
      const value = (name in record ? record : mine)[name] as Json
      if (!(name in LINKED_FAMILIES) || typeof value !== 'string') return [name, value]
      pairs.match(value, (mine[name] as string | undefined) ?? value)
      return [name, pairs.here(value)]
    }
    const theirs = {
      ...Object.fromEntries(Object.keys(FIELDS[family]).map(taken)),
      id,
      created: isoOf(instantOf(record.created as string) as number),
      ...(family === 'transactions' && { amount_refunded: refundedIn(record, list) })
    }
    const more = { extra: Object.fromEntries(Object.keys(extra).map(taken)) }
    if (collection.get(id) !== undefined) {
      collection.replace({ ...theirs, ...more } as unknown as RecordOf<Family>)
      return mine
    }
    // before all that the run made in the same instant; one that it deleted stays away
    if (!collection.has(id)) collection.insert(theirs as unknown as RecordOf<Family>, --this.#last)
    return null
  }

  /** In the order of a list, which alone tells the age of records of the same instant. */
  #order(family: Family, shown: readonly ShownRecord[]): void {
    const collection = this.#collection(family)
    const order = this.#sandbox.settings['pagination.order']
    const sign = order === 'oldest_first' && family !== 'refunds' ? 1 : -1
    const ids = shown.flatMap(({ record: { id } }) =>
      this.isMade(id) ? [] : [this.#sides.pairs.here(id)]
    )
    const stored = [...new Set(ids)].flatMap(id => collection.stored(id) ?? [])
    const numbers = stored.map(({ nth }) => nth).sort((one, other) => sign * (one - other))
    if (stored.every(({ nth }, place) => nth === numbers[place])) return
    for (const { record } of stored) collection.remove(record.id)
    for (const [place, { record }] of stored.entries()) collection.insert(record, numbers[place])
  }

  /** Removes what a response would show of records that the service has not shown. */
  leaveOutUnseen(operation: OperationId): void {
    const { family, kind } = operationOf(operation)
    const lists: Family[] = kind === 'list' ? [family] : []
    if (family === 'transactions') lists.push('refunds')
    for (const list of lists)
      for (const { id } of this.#collection(list).inCreationOrder())
        if (!this.#isShown(this.#sides.pairs.there(id))) this.#collection(list).remove(id)
  }

  /** Lets lists here have more, where the service may have what it has not shown. */
  allowMore({ settings, operation }: Reading, call: StepCall, there: Json, here: Json): void {
    const { list } = this.#sides
    const { family, kind } = operationOf(operation as OperationId)
    const recordsOf = (body: Json) => (kind === 'list' ? membersOf(body, list) : [body])
    const [shown, own] = [recordsOf(there), recordsOf(here)]
    for (const [nth, charge] of family === 'transactions' ? shown.entries() : []) {
      const [of, by] = [charge, own[nth]].map(one => fieldOf(one, 'refunds'))
      const isOpen = !this.isMade(fieldOf(charge, 'id'))
      if (isOpen && membersOf(of, list).length === EMBEDDED) allow('$has_more', of, by, list)
    }
    if (kind !== 'list' || namedIn(call).some(({ id }) => this.isMade(id))) return
    const { 'pagination.default_limit': usual, 'pagination.max_limit': most } = settings
    const query = new URLSearchParams(call.query)
    if ((query.get('search_query') ?? '') !== '') this.#allowLeftOut(there, here)
    else if (shown.length === Math.min(Number(query.get('limit') ?? usual), most))
      allow('$has_more', there, here, list)
  }

  /** What a search left out may stand at the ends of its page, and take up places. */
  #allowLeftOut(there: Json, here: Json): void {
    const { list, pairs } = this.#sides
    const hasMore = valueAt(list, there, '$has_more') === true
    allow('$has_more', there, here, list)
    if (hasMore)
      put('$members', here, membersOf(here, list).slice(0, membersOf(there, list).length), list)
    for (const end of ['$first_id', '$last_id']) {
      const id = valueAt(list, there, end)
      if (typeof id === 'string' && (hasMore || !this.#isShown(id)))
        put(end, here, pairs.here(id), list)
    }
  }

  /** In words, records that the service lacks by its refusal; null for another reason. */
  lackedBy(call: StepCall, there: StepResponse, here: StepResponse): string | null {
    const [isMissing, isMissingHere] = [there, here].map(({ body }) =>
      MISSING.includes(valueAt(this.#sides.error, body, '$code'))
    )
    if (isMade(there) || isMissingHere || !(isMissing || there.status === 404)) return null
    const lacked = namedIn(call).flatMap(({ families: [family], id }) =>
      this.#known.has(id) ? [] : [`${RESOURCE_NAMES[family as Family]} ${id}`]
    )
    return lacked.length === 0 ? null : lacked.join(' or no ')
  }
}

export function namedIn({ method, path, query, form }: StepCall): NamedRecord[] {
  const at = operationAt(method, path)
  const namesIn = (text: string) => Object.fromEntries(new URLSearchParams(text))
  return at === null
    ? []
    : recordsNamedBy({
        on: nameOf(at.operation),
        match: { params: at.params, query: namesIn(query), body: namesIn(form ?? '') }
      })
}

/** Those of a Transaction's Refunds last. */
function recordsIn(body: Json, operation: OperationId, list: Template): ShownRecord[] {
  const { family, kind } = operationOf(operation)
  const within = (value: unknown, family: Family, steps: readonly Step[]): Placed[] =>
    membersOf(value, list).map((record, nth) => ({
      family,
      steps: [...steps, ...(stepsTo(list, '$members') as readonly Step[]), nth],
      record
    }))
  const outer = kind === 'list' ? within(body, family, []) : [{ family, steps: [], record: body }]
  const refunds = (family === 'transactions' ? outer : []).flatMap(({ record, steps }) =>
    within(fieldOf(record, 'refunds'), 'refunds', [...steps, 'refunds'])
  )
  return [...outer, ...refunds].filter(
    (one): one is ShownRecord => typeof fieldOf(one.record, 'id') === 'string'
  )
}

function refundedIn({ amount_refunded, refunds }: Part, list: Template): number {
  const amounts = membersOf(refunds, list).map(refund => Number(fieldOf(refund, 'amount')))
  const sum = amounts.reduce((one, other) => one + other, 0)
  const hasMore = valueAt(list, refunds, '$has_more') === true
  return hasMore ? Math.max(sum, amount_refunded as number) : sum
}

function allow(placeholder: string, there: unknown, here: unknown, list: Template): void {
  if (valueAt(list, there, placeholder) === true) put(placeholder, here, true, list)
}

/** In the place of a placeholder that the template has. */
function put(placeholder: string, body: unknown, value: unknown, list: Template): void {
  const steps = stepsTo(list, placeholder) as readonly Step[]
  const owner = partAt(body, steps.slice(0, -1))
  if (isObject(owner)) owner[steps.at(-1) as string] = value
}
