/** What records are expected to be: by id what they hold, and what those of a family come to. */
import type { Step } from '../core/places.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { collectionOf, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import type { Condition } from './conditions.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { missText } from './near-misses.js'
import { compileQuantities, type StateDifference, type StateTest } from './quantities.js'
import { type Compiling, compileFields, lookAt, type StateRecords, toMiss, unmetBy } from './record-fields.js'
import { answeredValue, referenceIn } from './references.js'
import { type Json, type Names, STATE_WORDS, type StateData } from './schemas.js'
import { say } from './sentences.js'

type FamilyState = NonNullable<StateData[Family]>

export type { StateDifference, StateTest } from './quantities.js'
export type { StateRecords } from './record-fields.js'
export type { StateData } from './schemas.js'

/** The records of a store. */
export const recordsOf = (store: Store): StateRecords => ({
  record: (family, id) => collectionOf(store, family).get(id) as unknown as Json | undefined,
  all: family => collectionOf(store, family).inCreationOrder() as unknown as readonly Json[]
})

/** Compiles an expected state; the result says how each record differs, and what all of them come to. Problems are reported by their place in it. */
export async function compileState(data: StateData, report: Report, compiling: Compiling): Promise<StateTest> {
  const { answers } = compiling
  const tests: StateTest[] = []
  if (Object.keys(data).length === 0) report([], say('no_family'))
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    if (Object.keys(expected).length === 0) report([family], say('no_record'))
    tests.push(await compileQuantities(expected, family, within(report, family), compiling))
    for (const [id, wanted] of Object.entries(expected) as [string, Names | null][]) {
      if (STATE_WORDS.includes(id)) continue
      const fields = wanted === null ? null : await compileFields(wanted, family, within(report, family, id), compiling)
      const idNow = () => String(answers === null || referenceIn(id) === null ? id : (answeredValue(id, answers) ?? id))
      tests.push(async records => recordDifferences(records, { family, id: idNow(), fields, at: ['state', family, id] }))
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

type WantedRecord = { family: Family; id: string; fields: readonly Condition[] | null; at: readonly Step[] }

function recordDifferences(records: StateRecords, { family, id, fields, at }: WantedRecord): StateDifference[] {
  const name = RESOURCE_NAMES[family]
  const record = records.record(family, id)
  if (fields === null) return record === undefined ? [] : [{ at, ...say('record_exists', family, id, name) }]
  if (record === undefined) return [{ at, ...say('record_missing', family, id, name) }]
  return unmetBy(lookAt(record, records), fields).map(unmet => ({
    at: [...at, ...unmet.condition.at],
    ...say('field_differs', family, id, missText(toMiss(unmet)))
  }))
}
