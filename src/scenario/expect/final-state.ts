/** What records are expected to be: by id, how many, their sums, and every one of a family. */
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { RETIRED_NAMES } from '../../core/retired.js'
import { say as check } from '../../core/sentences.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import type { Schema } from '../../reference/parameters.js'
import { FIELDS } from '../../reference/tables.js'
import { collectionOf, type Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { type Report, within } from '../documents.js'
import {
  asValue,
  type Condition,
  compileNames,
  compileTest,
  type FieldAt,
  fieldIn,
  fieldNamed,
  type Subject,
  shownWanted,
  stepsOf,
  type Test,
  type Value
} from '../match/conditions.js'
import {
  MAX_NEAR_MISSES,
  type Miss,
  missOf,
  missText,
  Nearest,
  type NearMiss,
  shownValue
} from '../match/near-misses.js'
import { answeredValue, REFERENCE, recordPath } from '../references.js'
import {
  type Json,
  type Names,
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData,
  type Wanted
} from '../schemas.js'
import { say } from '../sentences.js'
import type { Difference } from '../steps.js'

type FamilyState = NonNullable<StateData[Family]>

export type { StateData } from '../schemas.js'

/** Null where they could not be read. */
export type StateRecords = {
  record: (family: Family, id: string) => Json | undefined
  all: (family: Family) => readonly Json[] | null
  /** Whether a request changed a record; left out where the state alone is judged. */
  isChanged?: (family: Family, id: string) => boolean
}
/** Places begin at `state`. */
export type StateTest = (records: StateRecords) => Promise<StateDifference[]>
/** `forbids`: requests made something that must not be; else something is missing yet. */
export type StateDifference = Difference & {
  forbids: boolean
  near_misses?: readonly NearMiss[]
}

export const recordsOf = (store: Store): StateRecords => ({
  record: (family, id) => collectionOf(store, family).get(id) as unknown as Json | undefined,
  all: family => collectionOf(store, family).inCreationOrder() as unknown as readonly Json[]
})

/** Problems are reported by their place in the state. */
export async function compileState(
  data: StateData,
  report: Report,
  answers: ReadonlyMap<string, Json> | null
): Promise<StateTest> {
  const tests: StateTest[] = []
  if (Object.keys(data).length === 0) report([], say('no_family'))
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    const note = within(report, family)
    const subject = subjectOf(family, answers)
    if (Object.keys(expected).length === 0) report([family], say('no_record'))
    tests.push(await compileQuantities(expected, family, subject, note))
    for (const [id, wanted] of Object.entries(expected) as [string, Names | null][]) {
      if (STATE_WORDS.includes(id)) continue
      const fields = wanted === null ? null : await compileNames(wanted, subject, within(note, id))
      const idNow = () => String(answeredValue(id, answers ?? new Map()) ?? id)
      tests.push(async records =>
        recordDifferences(records, { family, id: idNow(), fields, at: ['state', family, id] })
      )
    }
  }
  return async records => {
    const differences: StateDifference[] = []
    for (const test of tests) {
      differences.push(...(await test(records)))
      await pause()
    }
    return differences
  }
}

/** The fields of its table, and below one that refers to another record the fields of that. */
function subjectOf(family: Family, answers: ReadonlyMap<string, Json> | null) {
  const fields = { properties: FIELDS[family] }
  const unknown: Subject['unknown'] = (name, known) => {
    const last = name.at(-1) as string
    const isCondition = /[<>=]/.test(last) || known.length === 0
    const advice = isCondition
      ? '; write a condition as in amount: { gt: 5000 }, with gt, gte, lt, lte, not or present'
      : didYouMean(last, known)
    return say(
      'unknown_field',
      RESOURCE_NAMES[family],
      name.join('.'),
      last === 'refunds' ? '; expect them under refunds, with count and where' : advice
    )
  }
  return { fields, schemas: [fields], name: [], answers, unknown }
}

const fieldsOf =
  (record: Json, records: StateRecords): FieldAt =>
  name =>
    fieldOf(record, name, records)

/** No value where it is null, and no single one where it has parts. */
function fieldOf(record: Json, name: readonly string[], records: StateRecords): Value {
  let part: Json | undefined = record
  for (const [depth, field] of name.entries()) {
    // only an id has names below it
    if (typeof part === 'string')
      part = records.record(LINKED_FAMILIES[name[depth - 1] as keyof typeof LINKED_FAMILIES], part)
    part = fieldIn(part, field)
  }
  return asValue(part)
}

const unmetBy = (fieldAt: FieldAt, conditions: readonly Condition[]): Condition[] =>
  conditions.filter(({ name, test }) => !test(fieldAt(name), fieldAt))

/** With the value of each field referred to: `> 5000 (location.metadata.max)`. */
const wantedNow = ({ wanted }: Condition, fieldAt: FieldAt): string =>
  wanted.replace(REFERENCE, text => {
    const path = recordPath(text)
    return path === undefined ? text : `${shownValue(fieldAt(stepsOf(path) as string[]))} (${path})`
  })

const missIn =
  (fieldAt: FieldAt) =>
  (condition: Condition): Miss =>
    missOf({ name: condition.name, wanted: wantedNow(condition, fieldAt) }, fieldAt(condition.name))

type WantedRecord = {
  family: Family
  id: string
  fields: readonly Condition[] | null
  at: readonly Step[]
}

function recordDifferences(
  records: StateRecords,
  { family, id, fields, at }: WantedRecord
): StateDifference[] {
  const name = RESOURCE_NAMES[family]
  const record = records.record(family, id)
  const isChanged = records.isChanged?.(family, id) !== false
  if (fields === null)
    return record === undefined
      ? []
      : [{ at, forbids: isChanged, ...say('record_exists', family, id, name) }]
  if (record === undefined)
    return [{ at, forbids: false, ...say('record_missing', family, id, name) }]
  const fieldAt = fieldsOf(record, records)
  return unmetBy(fieldAt, fields).map(condition => ({
    at: [...at, ...condition.at],
    forbids: isChanged && isForbidding(condition.data),
    ...say('field_differs', family, id, missText(missIn(fieldAt)(condition)))
  }))
}

/** Whether a condition only says what a value must not be. */
const isForbidding = (wanted: Wanted): boolean =>
  isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))

/** A number that records come to: how many there are, or the sum of a field. */
type Total = {
  at: readonly string[]
  wanted: Quantity
  test: Test
  field: readonly string[] | null
}
type Found = {
  family: Family
  where: string
  records: FieldAt[]
  near: readonly NearMiss[]
  isChanged: boolean
}

async function compileQuantities(
  expected: Quantities,
  family: Family,
  subject: ReturnType<typeof subjectOf>,
  report: Report
): Promise<StateTest> {
  const { where, count, sum, every } = expected
  if (where !== undefined && [count, sum, every].every(one => one === undefined))
    report([], say('needs', 'where', 'count, sum or every'))
  for (const [word, names] of Object.entries({ sum, every }))
    if (names !== undefined && Object.keys(names).length === 0) report([word], check('empty'))
  const compiled = (word: 'where' | 'every') =>
    compileNames(expected[word] ?? {}, subject, within(report, word))
  const conditions = await compiled('where')
  const ofEvery = await compiled('every')
  const totals = count === undefined ? [] : [await compileTotal(count, ['count'], subject, report)]
  for (const [path, wanted] of Object.entries(sum ?? {}))
    totals.push(await compileTotal(wanted, ['sum', path], subject, report))

  return async records => {
    const all = records.all(family)
    if (all === null || totals.length + ofEvery.length === 0) return []
    const nearest = new Nearest()
    const found: FieldAt[] = []
    for (const record of all.toReversed()) {
      const fieldAt = fieldsOf(record, records)
      const unmet = unmetBy(fieldAt, conditions)
      if (unmet.length === 0) found.push(fieldAt)
      else nearest.add(idOf(fieldAt), unmet.length, () => unmet.map(missIn(fieldAt)))
      await pause()
    }
    const told = {
      family,
      where: conditions.length === 0 ? '' : ` with ${JSON.stringify(where)}`,
      records: found,
      near: nearest.list(),
      isChanged:
        records.isChanged === undefined ||
        found.some(fieldAt => records.isChanged?.(family, idOf(fieldAt)))
    }
    const differences: StateDifference[] = []
    for (const total of totals) differences.push(...(await totalDifferences(total, told)))
    return [...differences, ...(await everyDifferences(ofEvery, every, told))]
  }
}

const idOf = (fieldAt: FieldAt) => String(fieldAt(['id']))

async function compileTotal(
  wanted: Quantity,
  at: readonly [word: 'count'] | readonly [word: 'sum', path: string],
  subject: Subject & { fields: Schema },
  report: Report
): Promise<Total> {
  const note = within(report, ...at)
  const numbers = { ...subject, schemas: [{ type: 'integer' }], name: [] }
  const test = await compileTest(wanted, numbers, note)
  const [, path] = at
  if (path === undefined) return { at, wanted, test, field: null }
  const isExpression = /[-+]/.test(path)
  if (isExpression) note([], say('sum_of_fields', path, RETIRED_NAMES.sum.expression))
  const field = isExpression ? null : fieldNamed(path, subject, note)
  if (field?.schemas.every(({ type }) => ![type].flat().includes('integer')))
    note([], say('not_summable', path))
  return { at, wanted, test, field: field?.name ?? null }
}

/** A field without a value adds nothing. */
async function totalDifferences(
  { at, wanted, test, field }: Total,
  { family, where, records, near, isChanged }: Found
): Promise<StateDifference[]> {
  const currencies = new Set<string>()
  let total = 0
  for (const fieldAt of records) {
    total += field === null ? 1 : Number(fieldAt(field) ?? 0)
    if (field !== null) currencies.add(String(fieldAt(['currency'])))
    await pause()
  }
  const place = ['state', family, ...at]
  const whose = field === null ? family : `${family}: sum of ${at[1]}`
  if (currencies.size > 1)
    return [
      { at: place, forbids: false, ...say('several_currencies', whose, [...currencies].sort()) }
    ]
  if (test(total)) return []
  const isShort = isObject(wanted) ? total <= (wanted.gt ?? (wanted.gte ?? 0) - 1) : total <= wanted
  const said = say('total', whose, shownWanted(wanted), where, total)
  return [{ at: place, forbids: !isShort && isChanged, ...said, near_misses: isShort ? near : [] }]
}

async function everyDifferences(
  conditions: readonly Condition[],
  wanted: Quantities['every'],
  { family, where, records, isChanged }: Found
): Promise<StateDifference[]> {
  const shown: string[] = []
  let broken = 0
  for (const fieldAt of records) {
    const unmet = unmetBy(fieldAt, conditions)
    if (unmet.length > 0 && ++broken <= MAX_NEAR_MISSES)
      shown.push(`${unmet.map(missIn(fieldAt)).map(missText).join(', ')} in ${idOf(fieldAt)}`)
    await pause()
  }
  if (broken === 0) return []
  const each = `every one${where} must have ${JSON.stringify(wanted)}`
  const said = say('not_every', family, each, broken, records.length, shown)
  return [{ at: ['state', family, 'every'], forbids: isChanged, ...said }]
}
