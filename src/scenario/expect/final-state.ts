/** Expectations of records: by id, how many, their sums, and every one of a family. */
import { shortened } from '../../core/sentences.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { isObject } from '../../reference/rules.js'
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
import { entriesOf, present } from '../shape/checked.js'
import type { Names, Wanted } from '../shape/entry.js'
import {
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData
} from '../shape/expectation.js'

type FieldAt = (name: Name) => Value
export type IsChanged = (family: Family, id: string) => boolean
/** `forbids`: no later request can put it right. */
type Difference = Miss & { forbids: boolean }
export type StateTest = (store: Store, isChanged: IsChanged) => Promise<Difference[]>

type Total = (selected: readonly FieldAt[]) => Difference[]
/** Some records of a family: how many they are, and what each must have. */
type Part = {
  family: Family
  records: (store: Store) => readonly { readonly id: string }[]
  selecting: readonly Condition<FieldAt>[]
  totals: readonly Total[]
  ofEach: readonly Condition<FieldAt>[]
  /** Whether a record that does not have it is forbidden. */
  isForbidding: (wanted: Wanted) => boolean
}

export function compileState(data: StateData, { report, responses }: Context): StateTest {
  const parts = entriesOf(data).flatMap(([family, expected]) => {
    const field: Field = {
      responses,
      name: [],
      resource: RESOURCE_NAMES[family],
      schemas: [{ properties: FIELDS[family] }],
      report: within(report, family)
    }
    const ids = Object.keys(expected).filter(id => !STATE_WORDS.includes(id))
    return [
      partOfAll(family, expected, field),
      ...ids.map(id => partOfOne(family, id, expected[id] as Names | null, below(field, id)))
    ]
  })
  return async (store, isChanged) => {
    const differences: Difference[] = []
    for (const part of parts) differences.push(...(await differencesIn(part, store, isChanged)))
    return differences
  }
}

/** Fields that a message names. */
const MAX_NAMED = 3

async function differencesIn(
  { family, records, selecting, totals, ofEach, isForbidding }: Part,
  store: Store,
  isChanged: IsChanged
): Promise<Difference[]> {
  if (totals.length + ofEach.length === 0) return []
  const selected: FieldAt[] = []
  const different: Difference[] = []
  let areChanged = false
  for (const record of records(store)) {
    await pause()
    const fieldAt = fieldsOf(record, store)
    if (!areMet(selecting, fieldAt)) continue
    areChanged ||= isChanged(family, record.id)
    selected.push(fieldAt)
    if (different.length >= MAX_NAMED) continue
    for (const condition of ofEach)
      for (const { condition: name, ...miss } of missesOf([condition], fieldAt))
        different.push({
          ...miss,
          condition: `${family}.${record.id}.${name}`,
          forbids: isForbidding(condition.wanted)
        })
  }
  return [...totals.flatMap(total => total(selected)), ...different].map(each => ({
    ...each,
    forbids: each.forbids && areChanged
  }))
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

function partOfOne(family: Family, id: string, expected: Names | null, field: Field): Part {
  const { responses = new Map() } = field
  return {
    family,
    records: store => {
      const record = collectionOf(store, family).get(String(resolvedValue(id, responses) ?? id))
      return record ? [record] : []
    },
    selecting: [],
    totals: [compileCount(`${family}.${shortened(id)} (count)`, expected === null ? 0 : 1, field)],
    ofEach: compileFields(expected ?? {}, field),
    isForbidding: wanted =>
      isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))
  }
}

function partOfAll(family: Family, expected: Quantities, field: Field): Part {
  const { where, count, sum, every } = expected
  const selecting = compileFields(where ?? {}, below(field, 'where'))
  const whose = `${family}${selecting.length === 0 ? '' : ` with ${JSON.stringify(where)}`}`
  const totals = Object.entries(sum ?? {}).flatMap(([path, wanted]) => {
    const summed = lookedUp(path, below(field, 'sum', path))
    return summed === null ? [] : compileTotal(`${whose}: sum of ${path}`, wanted, summed)
  })
  if (count !== undefined) totals.unshift(compileCount(whose, count, field))
  return {
    family,
    records: store => collectionOf(store, family).inCreationOrder(),
    selecting,
    totals,
    ofEach: compileFields(every ?? {}, below(field, 'every')),
    isForbidding: () => true
  }
}

const compileCount = (name: string, wanted: Quantity, field: Field): Total =>
  compileTotal(name, wanted, { ...field, schemas: [{ type: 'integer' }] })

/** How many, or the sum of a field; one without a value adds nothing. */
function compileTotal(name: string, wanted: Quantity, summed: Field): Total {
  // a sum can be beyond the limits of one value
  const schemas = summed.schemas.map(({ type = 'object' }) => ({ type }))
  const test = compileTest(wanted, { ...summed, schemas })
  const condition: Condition<number> = { name, wanted, test, valueIn: total => total }
  const isSum = summed.name.length > 0
  return selected => {
    const currencies = new Set(isSum ? selected.map(fieldAt => fieldAt(['currency'])) : [])
    if (currencies.size > 1) {
      const got = [...currencies].sort().join(' and ')
      return [{ ...miss(name, 'one currency (add it to where)', got), forbids: false }]
    }
    const addend = (fieldAt: FieldAt) => (isSum ? Number(fieldAt(summed.name) ?? 0) : 1)
    const total = selected.reduce((sum, fieldAt) => sum + addend(fieldAt), 0)
    const isShort = isObject(wanted)
      ? total <= (wanted.gt ?? (wanted.gte ?? 0) - 1)
      : total <= wanted
    return missesOf([condition], total).map(each => ({ ...each, forbids: !isShort }))
  }
}
