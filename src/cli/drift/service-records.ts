/** Records that a service had before the run; they are copied when a response first shows them. */
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
/** `others`: differences from before the run; `wrong`: records against the reference. */
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
const LINKS = Object.keys(LINKED_FAMILIES)
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

  /** Called before the same request is made here. */
  async learn(call: StepCall, response: StepResponse): Promise<Learned> {
    const learned: Learned = { others: [], wrong: [] }
    const route = operationAt(call.method, call.path)
    if (route === null || !isMade(response)) return learned
    const { family, kind } = operationOf(route.operation)
    const { pairs, list } = this.#sides
    for (const { id } of namedIn({ ...call, query: '' }))
      if (!this.#known.has(id)) this.#known.set(id, 'named')
    const id = fieldOf(response.body, 'id')
    if (kind === 'create' && typeof id === 'string') this.#known.set(id, 'made')
    // records that are here too come first, so that their links are known
    const isNew = ({ family, record }: ShownRecord) =>
      Number(this.#collection(family).get(pairs.here(record.id)) === undefined)
    const records = recordsIn(response.body, route.operation, list)
    for (const member of records.toSorted((a, b) => isNew(a) - isNew(b))) {
      const { record } = member
      const isOfRun = ['id', ...LINKS].some(name => this.isMade(record[name]))
      if (!isOfRun && !this.#isShown(record.id)) await this.#learn(member, call, learned)
    }
    const listed = records.filter(member => member.family === family)
    if (kind === 'list') this.#order(family, listed)
    return learned
  }

  /** Takes a record that is shown for the first time; what the request sent is not new. */
  async #learn(
    { family, steps, record }: ShownRecord,
    { form }: StepCall,
    { others, wrong }: Learned
  ): Promise<void> {
    for (const { steps: below, message } of await CHECKERS[family].problems(record)) {
      const place = [...steps, ...below]
      wrong.push({ steps: place, message: `${pathOf(place)}: ${message}` })
    }
    if (wrong.length > 0) return
    this.#known.set(record.id, 'shown')
    const mine = this.#take(family, record)
    const sentNames = [...new URLSearchParams(form ?? '').keys()].map(name => name.split('[', 1)[0])
    const different = Object.keys(mine ?? {}).filter(
      name =>
        !['created', ...sentNames].includes(name) &&
        name in record &&
        valueDifferences(record[name], mine?.[name], [name], this.#sides).length > 0
    )
    if (mine === null) others.push({ steps, message: SAYS.only_there(record.id) })
    else if (different.length > 0)
      others.push({ steps, message: SAYS.other_values(record.id, different) })
  }

  /** Returns the record that the emulator had, if any. */
  #take(family: Family, record: ShownRecord['record']): Part | null {
    const { pairs, list } = this.#sides
    const collection = this.#collection(family)
    const id = pairs.here(record.id)
    const { extra = {}, ...fields } = (collection.get(id) ?? {}) as Part & { extra?: Part }
    const mine: Part = { ...fields, ...extra }
    const entryOf = (name: string): [string, unknown] => {
      const value = (name in record ? record : mine)[name]
      if (!LINKS.includes(name) || typeof value !== 'string') return [name, value]
      pairs.match(value, String(mine[name] ?? value))
      return [name, pairs.here(value)]
    }
    const theirs: object = {
      ...Object.fromEntries(Object.keys(FIELDS[family]).map(entryOf)),
      id,
      created: isoOf(Number(instantOf(String(record.created)))),
      ...(family === 'transactions' && { amount_refunded: refundedIn(record, list) })
    }
    const more = { extra: Object.fromEntries(Object.keys(extra).map(entryOf)) }
    if (collection.get(id) !== undefined) {
      collection.replace({ ...theirs, ...more } as RecordOf<Family>)
      return mine
    }
    // before all that the run created in the same instant; a record that it deleted stays deleted
    if (!collection.has(id)) collection.insert(theirs as RecordOf<Family>, --this.#last)
    return null
  }

  /** A list alone tells the order of records of the same instant. */
  #order(family: Family, listed: readonly ShownRecord[]): void {
    const collection = this.#collection(family)
    const order = this.#sandbox.settings['pagination.order']
    const sign = order === 'oldest_first' && family !== 'refunds' ? 1 : -1
    const ids = listed.flatMap(({ record: { id } }) =>
      this.isMade(id) ? [] : [this.#sides.pairs.here(id)]
    )
    const stored = [...new Set(ids)].flatMap(id => collection.stored(id) ?? [])
    const numbers = stored.map(({ nth }) => nth).sort((a, b) => sign * (a - b))
    if (stored.every(({ nth }, place) => nth === numbers[place])) return
    for (const { record } of stored) collection.remove(record.id)
    for (const [place, { record }] of stored.entries()) collection.insert(record, numbers[place])
  }

  /** Removes records that a response would show, but the service has not shown. */
  leaveOutUnseen(operation: OperationId): void {
    const { family, kind } = operationOf(operation)
    const lists: Family[] = kind === 'list' ? [family] : []
    if (family === 'transactions') lists.push('refunds')
    for (const list of lists)
      for (const { id } of this.#collection(list).inCreationOrder())
        if (!this.#isShown(this.#sides.pairs.there(id))) this.#collection(list).remove(id)
  }

  allowMore({ settings, operation }: Reading, call: StepCall, there: Json, here: Json): void {
    const { list } = this.#sides
    const { family, kind } = operationOf(operation as OperationId)
    const recordsOf = (body: Json) => (kind === 'list' ? membersOf(body, list) : [body])
    const recordsThere = recordsOf(there)
    for (const [nth, charge] of family === 'transactions' ? recordsThere.entries() : []) {
      const refundsThere = fieldOf(charge, 'refunds')
      const refundsHere = fieldOf(recordsOf(here)[nth], 'refunds')
      const isOpen = !this.isMade(fieldOf(charge, 'id'))
      if (isOpen && membersOf(refundsThere, list).length === EMBEDDED)
        allow('$has_more', refundsThere, refundsHere, list)
    }
    if (kind !== 'list' || namedIn(call).some(({ id }) => this.isMade(id))) return
    const { 'pagination.default_limit': defaultLimit, 'pagination.max_limit': maxLimit } = settings
    const query = new URLSearchParams(call.query)
    if ((query.get('search_query') ?? '') !== '') this.#allowLeftOut(there, here)
    else if (recordsThere.length === Math.min(Number(query.get('limit') ?? defaultLimit), maxLimit))
      allow('$has_more', there, here, list)
  }

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

  /** The records that the service refuses as missing, in words; null for any other response. */
  missingRemotely(call: StepCall, there: StepResponse, here: StepResponse): string | null {
    const [isMissing, isMissingHere] = [there, here].map(({ body }) =>
      MISSING.includes(valueAt(this.#sides.error, body, '$code'))
    )
    if (isMade(there) || isMissingHere || !(isMissing || there.status === 404)) return null
    const names = namedIn(call).flatMap(({ families: [family], id }) =>
      family && !this.#known.has(id) ? [`${RESOURCE_NAMES[family]} ${id}`] : []
    )
    return names.length === 0 ? null : names.join(' or no ')
  }
}

export function namedIn({ method, path, query, form }: StepCall): NamedRecord[] {
  const route = operationAt(method, path)
  if (route === null) return []
  const valuesIn = (text: string) => Object.fromEntries(new URLSearchParams(text))
  const match = { params: route.params, query: valuesIn(query), body: valuesIn(form ?? '') }
  return recordsNamedBy({ on: nameOf(route.operation), match })
}

/** Refunds in Transactions come last. */
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
    (member): member is ShownRecord => typeof fieldOf(member.record, 'id') === 'string'
  )
}

function refundedIn({ amount_refunded, refunds }: Part, list: Template): number {
  const amounts = membersOf(refunds, list).map(refund => Number(fieldOf(refund, 'amount')))
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const hasMore = valueAt(list, refunds, '$has_more') === true
  return hasMore ? Math.max(sum, Number(amount_refunded)) : sum
}

function allow(placeholder: string, there: unknown, here: unknown, list: Template): void {
  if (valueAt(list, there, placeholder) === true) put(placeholder, here, true, list)
}

function put(placeholder: string, body: unknown, value: unknown, list: Template): void {
  const steps = stepsTo(list, placeholder) as readonly Step[]
  const owner = partAt(body, steps.slice(0, -1))
  if (isObject(owner)) owner[String(steps.at(-1))] = value
}
