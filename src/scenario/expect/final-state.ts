/** What records are expected to be: by id, how many, their sums, and every one of a family. */
import { didYouMean } from '../../core/nearest.js'
import { isObject } from '../../core/quick-check.js'
import { say as check } from '../../core/sentences.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import { collectionOf, type Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { type Report, within } from '../documents.js'
import {
  type Condition,
  compileNames,
  compileTest,
  shownWanted,
  unmetBy
} from '../match/conditions.js'
import {
  type At,
  asValue,
  fieldIn,
  fieldNamed,
  type Name,
  stepsOf,
  type Value
} from '../match/fields.js'
import {
  MAX_NEAR_MISSES,
  type Miss,
  missOf,
  missText,
  Nearest,
  type NearMiss,
  shownValue
} from '../match/near-misses.js'
import { answeredValue, REFERENCE, recordPath } from '../play/references.js'
import { say } from '../sentences.js'
import type { Names, Wanted } from '../shape/entry.js'
import {
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData
} from '../shape/expectation.js'
import type { Json } from '../shape/parts.js'
import type { Difference } from '../steps.js'
import type { Answered } from './calls.js'

type FieldAt = (name: Name) => Value
type FamilySubject = At<FieldAt> & { family: Family; fields: At<FieldAt> }
type FamilyState = NonNullable<StateData[Family]>

export type { StateData } from '../shape/expectation.js'

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

const isEmpty = (part: object | undefined) => part !== undefined && Object.keys(part).length === 0

export function compileState(data: StateData, report: Report, answers?: Answered): StateTest {
  if (isEmpty(data)) report([], say('no_family'))
  const families = Object.entries(data) as [Family, FamilyState][]
  const tests = families.flatMap(([family, expected]) => {
    const note = within(report, family)
    const subject = subjectOf(family, answers)
    if (isEmpty(expected)) note([], say('no_record'))
    const ids = Object.keys(expected).filter(id => !STATE_WORDS.includes(id))
    return [
      compileQuantities(expected, subject, note),
      ...ids.map(id => compileRecord(id, expected[id] as Names | null, subject, within(note, id)))
    ]
  })
  return records => allOf(tests, records)
}

async function allOf<Of>(
  tests: readonly ((of: Of) => Promise<StateDifference[]>)[],
  of: Of
): Promise<StateDifference[]> {
  const differences: StateDifference[] = []
  for (const test of tests) {
    differences.push(...(await test(of)))
    await pause()
  }
  return differences
}

function adviceFor(name: string, known: readonly string[]): string | undefined {
  if (name === 'refunds') return '; expect them under refunds, with count and where'
  if (/[<>=]/.test(name) || known.length === 0)
    return '; write a condition as in amount: { gt: 5000 }, with gt, gte, lt, lte, not or present'
  return / [-+] /.test(name)
    ? '; write a sum for each field, such as sum: { amount: 500, amount_refunded: 100 }'
    : undefined
}

function subjectOf(family: Family, answers: Answered): FamilySubject {
  const unknown: At<FieldAt>['unknown'] = (name, known) => {
    const last = name.at(-1) as string
    return say(
      'unknown_field',
      RESOURCE_NAMES[family],
      name.join('.'),
      adviceFor(last, known) ?? didYouMean(last, known)
    )
  }
  const fields: At<FieldAt> = {
    schemas: [{ properties: FIELDS[family] }],
    name: [],
    answers,
    unknown,
    valueIn: (fieldAt, name) => fieldAt(name)
  }
  return { ...fields, family, fields }
}

const fieldsOf =
  (record: Json, records: StateRecords): FieldAt =>
  name => {
    let part: Json | undefined = record
    for (const [depth, field] of name.entries()) {
      // only an id has names below it
      if (typeof part === 'string')
        part = records.record(
          LINKED_FAMILIES[name[depth - 1] as keyof typeof LINKED_FAMILIES],
          part
        )
      part = fieldIn(part, field)
    }
    return asValue(part)
  }

const missIn =
  (fieldAt: FieldAt) =>
  (condition: Condition<FieldAt>): Miss => {
    const wanted = condition.wanted.replace(REFERENCE, text => {
      const path = recordPath(text)
      return path === undefined
        ? text
        : `${shownValue(fieldAt(stepsOf(path) as string[]))} (${path})`
    })
    return missOf({ ...condition, wanted }, fieldAt)
  }

function compileRecord(
  written: string,
  wanted: Names | null,
  subject: FamilySubject,
  report: Report
): StateTest {
  const { family, answers = new Map() } = subject
  const fields = wanted && compileNames(wanted, subject, report)
  const at = ['state', family, written]
  return async records => {
    const id = String(answeredValue(written, answers) ?? written)
    const record = records.record(family, id)
    const isChanged = records.isChanged?.(family, id) !== false
    if (record === undefined || fields === null) {
      if (record === undefined && fields === null) return []
      const code = fields === null ? 'record_exists' : 'record_missing'
      const forbids = fields === null && isChanged
      return [{ at, forbids, ...say(code, family, id, RESOURCE_NAMES[family]) }]
    }
    const fieldAt = fieldsOf(record, records)
    return unmetBy(fieldAt, fields).map(condition => ({
      at: [...at, ...condition.at],
      forbids: isChanged && isForbidding(condition.data),
      ...say('field_differs', family, id, missText(missIn(fieldAt)(condition)))
    }))
  }
}

const isForbidding = (wanted: Wanted): boolean =>
  isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))

type Found = {
  where: string
  records: FieldAt[]
  near: readonly NearMiss[]
  isChanged: boolean
}
type QuantityTest = (found: Found) => Promise<StateDifference[]>

function compileQuantities(
  expected: Quantities,
  subject: FamilySubject,
  report: Report
): StateTest {
  const { where = {}, count, sum = {}, every } = expected
  if (expected.where && [count, expected.sum, every].every(one => one === undefined))
    report([], say('needs', 'where', 'count, sum or every'))
  for (const word of ['sum', 'every'] as const)
    if (isEmpty(expected[word])) report([word], check('empty'))
  const conditions = compileNames(where, subject, within(report, 'where'))
  const tests: QuantityTest[] = Object.entries(sum).map(([path, wanted]) =>
    compileTotal(wanted, ['sum', path], subject, report)
  )
  if (count !== undefined) tests.unshift(compileTotal(count, ['count'], subject, report))
  if (every) tests.push(compileEvery(every, subject, within(report, 'every')))

  return async records => {
    const all = tests.length === 0 ? null : records.all(subject.family)
    if (all === null) return []
    const nearest = new Nearest()
    const found: FieldAt[] = []
    for (const record of all.toReversed()) {
      const fieldAt = fieldsOf(record, records)
      const unmet = unmetBy(fieldAt, conditions)
      if (unmet.length === 0) found.push(fieldAt)
      else nearest.add(idOf(fieldAt), unmet.length, () => unmet.map(missIn(fieldAt)))
      await pause()
    }
    const { isChanged } = records
    return allOf(tests, {
      where: conditions.length === 0 ? '' : ` with ${JSON.stringify(where)}`,
      records: found,
      near: nearest.list(),
      isChanged: !isChanged || found.some(fieldAt => isChanged(subject.family, idOf(fieldAt)))
    })
  }
}

const idOf = (fieldAt: FieldAt) => String(fieldAt(['id']))

/** A field without a value adds nothing. */
function compileTotal(
  wanted: Quantity,
  at: readonly [word: 'count'] | readonly [word: 'sum', path: string],
  subject: FamilySubject,
  report: Report
): QuantityTest {
  const { family } = subject
  const note = within(report, ...at)
  const test = compileTest<unknown>(wanted, { schemas: [{ type: 'integer' }], name: at }, note)
  const [, path] = at
  const field = path === undefined ? null : summedField(path, subject, note)
  const whose = path === undefined ? family : `${family}: sum of ${path}`
  const place = ['state', family, ...at]
  return async ({ where, records, near, isChanged }) => {
    const currencies = new Set<string>()
    let total = 0
    for (const fieldAt of records) {
      total += field === null ? 1 : Number(fieldAt(field) ?? 0)
      if (field !== null) currencies.add(String(fieldAt(['currency'])))
      await pause()
    }
    if (currencies.size > 1)
      return [
        { at: place, forbids: false, ...say('several_currencies', whose, [...currencies].sort()) }
      ]
    if (test(total, null)) return []
    const isShort = isObject(wanted)
      ? total <= (wanted.gt ?? (wanted.gte ?? 0) - 1)
      : total <= wanted
    const said = say('total', whose, shownWanted(wanted), where, total)
    return [
      { at: place, forbids: !isShort && isChanged, ...said, near_misses: isShort ? near : [] }
    ]
  }
}

function summedField(path: string, subject: FamilySubject, note: Report): Name {
  const field = fieldNamed(path, subject.fields, note)
  if (field?.schemas.every(({ type }) => ![type].flat().includes('integer')))
    note([], say('not_summable', path))
  return field?.name ?? []
}

function compileEvery(wanted: Names, subject: FamilySubject, report: Report): QuantityTest {
  const { family } = subject
  const conditions = compileNames(wanted, subject, report)
  return async ({ where, records, isChanged }) => {
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
}
