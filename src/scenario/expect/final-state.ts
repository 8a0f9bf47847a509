/** Expectations of records: by id, how many, their sums, and every one of a family. */
import { didYouMean } from '../../core/nearest.js'
import { isObject } from '../../core/schema-words.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../../reference/operations.js'
import { FIELDS } from '../../reference/tables.js'
import { collectionOf, type Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { type Report, within } from '../documents.js'
import { compileNames, compileTest, shownWanted, unmetBy } from '../match/conditions.js'
import { asValue, fieldIn, lookedUp, type Name, type Scope, type Value } from '../match/fields.js'
import {
  MAX_NEAR_MISSES,
  missOf,
  missText,
  Nearest,
  type NearMiss,
  nearMissText
} from '../match/near-misses.js'
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
import type { Difference } from '../steps.js'
import type { Responses } from './calls.js'

type FieldAt = (name: Name) => Value
type FamilySubject = Scope<FieldAt> & { family: Family }

export type { StateData } from '../shape/expectation.js'

export type StateRecords = {
  record: (family: Family, id: string) => unknown
  all: (family: Family) => readonly object[]
  /** By a request; left out where the state alone is judged. */
  isChanged?: (family: Family, id: string) => boolean
}
export type StateTest = (records: StateRecords) => Promise<StateDifference[]>
/** `forbids`: no later request can put it right. */
export type StateDifference = Difference & {
  forbids: boolean
  near_misses?: readonly NearMiss[]
}

export const recordsOf = (store: Store): StateRecords => ({
  record: (family, id) => collectionOf(store, family).get(id),
  all: family => collectionOf(store, family).inCreationOrder()
})

export function compileState(data: StateData, report: Report, responses?: Responses): StateTest {
  const tests = entriesOf(data).flatMap(([family, expected]) => {
    const note = within(report, family)
    const subject = subjectOf(family, responses)
    const ids = Object.keys(expected).filter(id => !STATE_WORDS.includes(id))
    return [
      compileQuantities(expected, subject, note),
      ...ids.map(id => compileRecord(id, expected[id] as Names | null, subject, within(note, id)))
    ]
  })
  return records => allOf(tests, records)
}

async function allOf<Subject>(
  tests: readonly ((subject: Subject) => Promise<StateDifference[]>)[],
  subject: Subject
): Promise<StateDifference[]> {
  const differences: StateDifference[] = []
  for (const test of tests) {
    differences.push(...(await test(subject)))
    await pause()
  }
  return differences
}

function subjectOf(family: Family, responses: Responses): FamilySubject {
  return {
    family,
    isTyped: true,
    schemas: [{ properties: FIELDS[family] }],
    name: [],
    responses,
    unknown: (name, path, known) =>
      say('unknown_field', RESOURCE_NAMES[family], path, didYouMean(name, known)),
    valueIn: (fieldAt, name) => fieldAt(name)
  }
}

const LINKS: ReadonlyMap<string, Family> = new Map(Object.entries(LINKED_FAMILIES))

const fieldsOf =
  (record: object, records: StateRecords): FieldAt =>
  name => {
    let part: unknown = record
    let link = ''
    for (const field of name) {
      // only an id has names below it
      if (typeof part === 'string') part = records.record(present(LINKS.get(link)), part)
      part = fieldIn(part, field)
      link = field
    }
    return asValue(part)
  }

function compileRecord(
  writtenId: string,
  expected: Names | null,
  subject: FamilySubject,
  report: Report
): StateTest {
  const { family, responses = new Map() } = subject
  const fields = expected && compileNames(expected, subject, report)
  const path = ['state', family, writtenId]
  return async records => {
    const id = String(resolvedValue(writtenId, responses) ?? writtenId)
    const record = records.record(family, id)
    const isChanged = records.isChanged?.(family, id) !== false
    if (!isObject(record) || fields === null) {
      if (record === undefined && fields === null) return []
      const code = fields === null ? 'record_exists' : 'record_missing'
      const forbids = fields === null && isChanged
      return [{ at: path, forbids, ...say(code, family, id, RESOURCE_NAMES[family]) }]
    }
    const fieldAt = fieldsOf(record, records)
    return unmetBy(fieldAt, fields).map(condition => ({
      at: [...path, ...condition.path],
      forbids: isChanged && isForbidding(condition.data),
      ...say('field_differs', family, id, missText(missOf(condition, fieldAt)))
    }))
  }
}

const isForbidding = (wanted: Wanted): boolean =>
  isObject(wanted) && Object.keys(wanted).every(word => ['not', 'lt', 'lte'].includes(word))

type Selection = {
  where: string
  records: FieldAt[]
  near: readonly NearMiss[]
  isChanged: boolean
}
type QuantityTest = (selection: Selection) => Promise<StateDifference[]>

function compileQuantities(
  expected: Quantities,
  subject: FamilySubject,
  report: Report
): StateTest {
  const { where = {}, count, sum = {}, every } = expected
  if (expected.where && [count, expected.sum, every].every(part => part === undefined))
    report([], say('needs', 'where', 'count, sum or every'))
  const conditions = compileNames(where, subject, within(report, 'where'))
  const tests: QuantityTest[] = Object.entries(sum).map(([path, wanted]) =>
    compileTotal(wanted, ['sum', path], subject, report)
  )
  if (count !== undefined) tests.unshift(compileTotal(count, ['count'], subject, report))
  if (every) tests.push(compileEvery(every, subject, within(report, 'every')))

  return async records => {
    if (tests.length === 0) return []
    const nearest = new Nearest()
    const matching: FieldAt[] = []
    for (const record of records.all(subject.family).toReversed()) {
      const fieldAt = fieldsOf(record, records)
      const unmet = unmetBy(fieldAt, conditions)
      if (unmet.length === 0) matching.push(fieldAt)
      else
        nearest.add(idOf(fieldAt), unmet.length, () =>
          unmet.map(condition => missOf(condition, fieldAt))
        )
      await pause()
    }
    const { isChanged } = records
    return allOf(tests, {
      where: conditions.length === 0 ? '' : ` with ${JSON.stringify(where)}`,
      records: matching,
      near: nearest.list(),
      isChanged: !isChanged || matching.some(fieldAt => isChanged(subject.family, idOf(fieldAt)))
    })
  }
}

const idOf = (fieldAt: FieldAt) => String(fieldAt(['id']))

/** A field without a value adds nothing. */
function compileTotal(
  expected: Quantity,
  at: readonly [word: 'count'] | readonly [word: 'sum', path: string],
  subject: FamilySubject,
  report: Report
): QuantityTest {
  const { family } = subject
  const note = within(report, ...at)
  const test = compileTest(expected, { schemas: [{ type: 'integer' }], name: at }, note)
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
    if (test(total)) return []
    const isShort = isObject(expected)
      ? total <= (expected.gt ?? (expected.gte ?? 0) - 1)
      : total <= expected
    const problem = say('total', whose, shownWanted(expected), where, total)
    return [
      { at: place, forbids: !isShort && isChanged, ...problem, near_misses: isShort ? near : [] }
    ]
  }
}

function summedField(path: string, subject: FamilySubject, note: Report): Name {
  const field = lookedUp(path, subject, note)
  if (field?.schemas.every(({ type }) => ![type].flat().includes('integer')))
    note([], say('not_summable', path))
  return field?.name ?? []
}

function compileEvery(expected: Names, subject: FamilySubject, report: Report): QuantityTest {
  const { family } = subject
  const conditions = compileNames(expected, subject, report)
  return async ({ where, records, isChanged }) => {
    const examples: string[] = []
    let broken = 0
    for (const fieldAt of records) {
      const unmet = unmetBy(fieldAt, conditions)
      if (unmet.length > 0 && ++broken <= MAX_NEAR_MISSES)
        examples.push(
          nearMissText({ in: idOf(fieldAt), misses: unmet.map(field => missOf(field, fieldAt)) })
        )
      await pause()
    }
    if (broken === 0) return []
    const each = `each${where} must have ${JSON.stringify(expected)}`
    const problem = say('not_every', family, each, broken, records.length, examples)
    return [{ at: ['state', family, 'every'], forbids: isChanged, ...problem }]
  }
}
