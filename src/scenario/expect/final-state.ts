/** Expectations of records: by id, how many, their sums, and every one of a family. */
import { isObject } from '../../core/schema-words.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import { collectionOf, type Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { within } from '../documents.js'
import { areMet, type Condition, compileNames, compileTest } from '../match/conditions.js'
import {
  asValue,
  below,
  type Context,
  type Field,
  fieldIn,
  lookedUp,
  type Name,
  type Value
} from '../match/fields.js'
import { type Miss, miss, missesOf } from '../match/near-misses.js'
import { resolvedValue } from '../play/references.js'
import { say } from '../sentences.js'
import { entriesOf, present } from '../shape/checked.js'
import type { Names, Wanted } from '../shape/entry.js'
import {
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData
} from '../shape/expectation.js'

type FieldAt = (name: Name) => Value
type FamilyField = Field & { family: Family }

export type IsChanged = (family: Family, id: string) => boolean
/** `forbids`: no later request can put it right. */
type Difference = Miss & { forbids: boolean }
export type StateTest = (store: Store, isChanged: IsChanged) => Promise<Difference[]>

export function compileState(data: StateData, { report, responses }: Context): StateTest {
  const tests = entriesOf(data).flatMap(([family, expected]) => {
    const field: FamilyField = {
      family,
      responses,
      name: [],
      resource: RESOURCE_NAMES[family],
      schemas: [{ properties: FIELDS[family] }],
      report: within(report, family)
    }
    const ids = Object.keys(expected).filter(id => !STATE_WORDS.includes(id))
    return [
      compileQuantities(expected, field),
      ...ids.map(id => compileRecord(id, expected[id] as Names | null, below(field, id)))
    ]
  })
  return async (store, isChanged) => {
    const differences: Difference[] = []
    for (const test of tests) {
      differences.push(...(await test(store, isChanged)))
      await pause()
    }
    return differences
  }
}

const LINKS: ReadonlyMap<string, Family> = new Map(Object.entries(LINKED_FAMILIES))

const fieldsOf =
  (record: object, store: Store): FieldAt =>
  name => {
    let part: unknown = record
    let link = ''
    for (const field of name) {
      // only an id has names below it
      if (typeof part === 'string') part = collectionOf(store, present(LINKS.get(link))).get(part)
      part = fieldIn(part, field)
      link = field
    }
    return asValue(part)
  }

const compileFields = (names: Names, field: Field): Condition<FieldAt>[] =>
  compileNames(names, field, (fieldAt, name) => fieldAt(name))

/** Named as `transactions.txn_1.amount`. */
const differencesIn = (
  whose: string,
  conditions: readonly Condition<FieldAt>[],
  fieldAt: FieldAt,
  forbids: boolean
): Difference[] =>
  missesOf(conditions, fieldAt).map(each => ({
    ...each,
    condition: `${whose}.${each.condition}`,
    forbids
  }))

function compileRecord(writtenId: string, expected: Names | null, field: FamilyField): StateTest {
  const { family, responses = new Map() } = field
  const conditions = expected && compileFields(expected, field)
  return async (store, isChanged) => {
    const id = String(resolvedValue(writtenId, responses) ?? writtenId)
    const whose = `${family}.${id}`
    const record = collectionOf(store, family).get(id)
    const forbids = isChanged(family, id)
    if (conditions === null) return record ? [{ ...miss(whose, 'no record', 'one'), forbids }] : []
    if (record === undefined) return [{ ...miss(whose, 'a record', 'none'), forbids: false }]
    const fieldAt = fieldsOf(record, store)
    return conditions.flatMap(condition =>
      differencesIn(whose, [condition], fieldAt, forbids && isForbidding(condition.wanted))
    )
  }
}

const isForbidding = (wanted: Wanted) =>
  isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))

type Total = (selected: readonly FieldAt[], areChanged: boolean) => Difference[]
/** Fields that `every` names in a message. */
const MAX_NAMED = 3

function compileQuantities(expected: Quantities, field: FamilyField): StateTest {
  const { family, report } = field
  const { where = {}, count, sum = {}, every = {} } = expected
  const selecting = compileFields(where, below(field, 'where'))
  const ofEach = compileFields(every, below(field, 'every'))
  const suffix = selecting.length === 0 ? '' : ` with ${JSON.stringify(where)}`
  const totals = Object.entries(sum).map(([path, wanted]) =>
    compileTotal(`${family}: sum of ${path}${suffix}`, wanted, below(field, 'sum', path), path)
  )
  if (count !== undefined)
    totals.unshift(compileTotal(`${family}${suffix}`, count, below(field, 'count')))
  const isVacuous = totals.length + ofEach.length === 0
  const areCompared = (count ?? expected.sum ?? expected.every) !== undefined
  if (expected.where && !areCompared) report([], say('needs', 'where', 'count, sum or every'))

  return async (store, isChanged) => {
    if (isVacuous) return []
    const selected: FieldAt[] = []
    const different: Difference[] = []
    let areChanged = false
    for (const record of collectionOf(store, family).inCreationOrder()) {
      await pause()
      const fieldAt = fieldsOf(record, store)
      if (!areMet(selecting, fieldAt)) continue
      areChanged ||= isChanged(family, record.id)
      selected.push(fieldAt)
      if (different.length < MAX_NAMED)
        different.push(...differencesIn(`${family}.${record.id}`, ofEach, fieldAt, true))
    }
    return [
      ...totals.flatMap(total => total(selected, areChanged)),
      ...different.map(each => ({ ...each, forbids: areChanged }))
    ]
  }
}

/** How many, or with a path the sum of a field; one without a value adds nothing. */
function compileTotal(name: string, wanted: Quantity, field: FamilyField, path?: string): Total {
  const { report } = field
  const test = compileTest(wanted, { schemas: [{ type: 'integer' }], name: [], report })
  const condition: Condition<number> = { name, wanted, test, valueIn: total => total }
  const summed = path === undefined ? null : summedField(path, field)
  return (selected, areChanged) => {
    const currencies = new Set(summed && selected.map(fieldAt => fieldAt(['currency'])))
    if (currencies.size > 1) {
      const got = [...currencies].sort().join(' and ')
      return [{ ...miss(name, 'one currency (add it to where)', got), forbids: false }]
    }
    const total = summed
      ? selected.reduce((sum, fieldAt) => sum + Number(fieldAt(summed) ?? 0), 0)
      : selected.length
    const isShort = isObject(wanted)
      ? total <= (wanted.gt ?? (wanted.gte ?? 0) - 1)
      : total <= wanted
    const forbids = areChanged && !isShort
    return missesOf([condition], total).map(each => ({ ...each, forbids }))
  }
}

function summedField(path: string, field: Field): Name {
  const summed = lookedUp(path, field)
  if (summed?.schemas.every(({ type }) => ![type].flat().includes('integer')))
    field.report([], say('not_summable', path))
  return summed?.name ?? []
}
