/** What records are expected to be: by id what they hold, and how many of a family there are. */
import { didYouMean } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { RESOURCES } from '../reference/tables.js'
import { collectionOf, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { type Condition, compileNames, type Subject, type Value } from './conditions.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { missOf, missText, Nearest, type NearMiss } from './near-misses.js'
import { MAX_STEPS, type Patterns } from './patterns.js'
import { answeredValue, referenceIn } from './references.js'
import type { Json, Names, StateData } from './schemas.js'
import { say } from './sentences.js'
import type { Difference } from './steps.js'

type FamilyState = NonNullable<StateData[Family]>

export type { StateData } from './schemas.js'

/** Records to judge: one by its id, and all of a family. */
export type StateRecords = { record: (family: Family, id: string) => Json | undefined; all: (family: Family) => readonly Json[] }
/** How the records differ from an expected state; places begin at `state`. */
export type StateTest = (records: StateRecords) => Promise<StateDifference[]>
/** How the records differ, and those that come nearest to what is counted. */
export type StateDifference = Difference & { near_misses?: readonly NearMiss[] }

/** The records of a store. */
export const recordsOf = (store: Store): StateRecords => ({
  record: (family, id) => collectionOf(store, family).get(id) as unknown as Json | undefined,
  all: family => collectionOf(store, family).inCreationOrder() as unknown as readonly Json[]
})

type Compiling = { answers: ReadonlyMap<string, Json> | null; patterns: Patterns }

/** Compiles an expected state; the result says how each record and count differs. Problems are reported by their place in it. */
export async function compileState(data: StateData, report: Report, compiling: Compiling): Promise<StateTest> {
  const { answers } = compiling
  const tests: StateTest[] = []
  if (Object.keys(data).length === 0) report([], say('no_family'))
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    const { count, where, ...records } = expected
    const at = ['state', family]
    const compiled = (names: Names, ...place: string[]) => compileFields(names, family, within(report, family, ...place), compiling)
    if (Object.keys(expected).length === 0) report([family], say('no_record'))
    if (where !== undefined && count === undefined) report([family], say('needs', 'where', 'count'))
    const conditions = where === undefined ? [] : await compiled(where, 'where')
    if (count !== undefined) tests.push(({ all }) => countDifferences(all(family), { family, count, where, conditions, at: [...at, 'count'] }))
    for (const [id, wanted] of Object.entries(records) as [string, Names | null][]) {
      const fields = wanted === null ? null : await compiled(wanted, id)
      const idNow = () => String(answers === null || referenceIn(id) === null ? id : (answeredValue(id, answers) ?? id))
      tests.push(async ({ record }) => recordDifferences(record(family, idNow()), { family, id: idNow(), fields, at: [...at, id] }))
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

/** A record has the fields of its table; the Refunds of a Transaction are records of their own. */
function compileFields(names: Names, family: Family, report: Report, compiling: Compiling): Promise<Condition[]> {
  const { refunds, ...properties } = RESOURCES[family].properties as Readonly<Record<string, Schema>>
  const unknown: Subject['unknown'] = (name, known) => {
    const isRefunds = family === 'transactions' && name.join() === 'refunds'
    const advice = isRefunds ? '; expect them under refunds, with count and where' : didYouMean(name.at(-1) as string, known)
    return say('unknown_field', RESOURCE_NAMES[family], name.join('.'), advice)
  }
  return compileNames(names, { schemas: [{ properties }], name: [], areFields: true, ...compiling, unknown }, report)
}

/** A field of a record by its nested name: no value where it is null, and no single one where it has parts. */
function fieldOf(record: Json, name: readonly string[]): Value {
  const part = name.reduce<Json | undefined>((whole, field) => (isObject(whole) ? (whole as Record<string, Json>)[field] : undefined), record)
  if (part === undefined || part === null) return undefined
  return typeof part === 'object' ? null : part
}

type Unmet = { condition: Condition; value: Value; passed: false | null }

/** The conditions that a record does not meet, each with its value; a record has the steps that a request has. */
function unmetBy(record: Json, conditions: readonly Condition[]): Unmet[] {
  const budget = { steps: MAX_STEPS }
  return conditions.flatMap(condition => {
    const value = fieldOf(record, condition.name)
    const passed = condition.test(value, budget)
    return passed ? [] : [{ condition, value, passed }]
  })
}

type WantedRecord = { family: Family; id: string; fields: readonly Condition[] | null; at: readonly Step[] }

function recordDifferences(record: Json | undefined, { family, id, fields, at }: WantedRecord): StateDifference[] {
  const name = RESOURCE_NAMES[family]
  if (fields === null) return record === undefined ? [] : [{ at, ...say('record_exists', family, id, name) }]
  if (record === undefined) return [{ at, ...say('record_missing', family, id, name) }]
  return unmetBy(record, fields).map(unmet => ({ at: [...at, ...unmet.condition.at], ...say('field_differs', family, id, missText(toMiss(unmet))) }))
}

type WantedCount = { family: Family; count: number; where: Names | undefined; conditions: readonly Condition[]; at: readonly Step[] }

async function countDifferences(records: readonly Json[], { family, count, where, conditions, at }: WantedCount): Promise<StateDifference[]> {
  const nearest = new Nearest()
  let found = conditions.length === 0 ? records.length : 0
  let tooLong = 0
  for (const record of conditions.length === 0 ? [] : records.toReversed()) {
    const unmet = unmetBy(record, conditions)
    if (unmet.length === 0) found++
    else nearest.add(idOf(record), unmet.length, () => unmet.map(toMiss))
    if (unmet.length > 0 && unmet.every(({ passed }) => passed === null)) tooLong++
    await pause()
  }
  if (found === count && tooLong === 0) return []
  const condition = where === undefined || conditions.length === 0 ? '' : ` with ${JSON.stringify(where)}`
  return [{ at, ...say('record_count', family, count, condition, found, tooLong), near_misses: found > count ? [] : nearest.list() }]
}

const toMiss = ({ condition, value, passed }: Unmet) => missOf(condition, value, passed)
const idOf = (record: Json) => (record as { id: string }).id
