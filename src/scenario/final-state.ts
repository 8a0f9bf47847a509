/** What records are expected to be: by id what they hold, and how many of a family there are. */
import { didYouMean } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { RESOURCES } from '../reference/tables.js'
import { collectionOf, type Store } from '../store/store.js'
import type { Report } from './documents.js'
import { referenceIn, textsIn, valueless } from './references.js'
import type { StateData } from './schemas.js'
import { type Difference, differences, type Json } from './steps.js'

type Part = { readonly [name: string]: Json }
type FamilyState = NonNullable<StateData[Family]>

export type { StateData } from './schemas.js'

/** Records to judge: one by its id, and all of a family. */
export type StateRecords = { record: (family: Family, id: string) => Json | undefined; all: (family: Family) => readonly Json[] }
/** How the records differ from an expected state; places begin at `state`. */
export type StateTest = (records: StateRecords) => Difference[]

/** The records of a store. */
export const recordsOf = (store: Store): StateRecords => ({
  record: (family, id) => collectionOf(store, family).get(id) as unknown as Json | undefined,
  all: family => collectionOf(store, family).inCreationOrder() as unknown as readonly Json[]
})

/** Compiles an expected state; the result says how each record and count differs. Problems are reported by their place in it. */
export function compileState(data: StateData, report: Report): StateTest {
  const tests: StateTest[] = []
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    const { count, where, ...records } = expected
    const at = ['state', family]
    if (where !== undefined && count === undefined) report([family], 'where goes with count')
    if (where !== undefined) checkFields(where, family, [family, 'where'], report)
    if (count !== undefined) {
      tests.push(({ all }) => countProblems(all(family), family, { count, where: where ?? {} }).map(message => ({ at: [...at, 'count'], message })))
    }
    for (const [id, wanted] of Object.entries(records) as [string, Part | null][]) {
      if (wanted !== null) checkFields(wanted, family, [family, id], report)
      tests.push(({ record }) => recordDifferences(record(family, id), { family, id, wanted, at: [...at, id] }))
    }
  }
  return records => tests.flatMap(test => test(records))
}

/** A record has the fields of its table; the Refunds of a Transaction are records of their own. */
function checkFields(record: Part, family: Family, at: readonly string[], report: Report): void {
  for (const { steps, text } of textsIn(record, at)) report(steps, valueless(referenceIn(text) as string))
  const known = Object.keys(RESOURCES[family].properties as object).filter(name => !(family === 'transactions' && name === 'refunds'))
  for (const name of Object.keys(record)) {
    if (known.includes(name)) continue
    const advice = family === 'transactions' && name === 'refunds' ? '; expect them under refunds, with count and where' : didYouMean(name, known)
    report([...at, name], `a ${RESOURCE_NAMES[family]} has no ${name}${advice}`)
  }
}

type WantedRecord = { family: Family; id: string; wanted: Part | null; at: readonly string[] }

function recordDifferences(record: Json | undefined, { family, id, wanted, at }: WantedRecord): Difference[] {
  const name = RESOURCE_NAMES[family]
  if (wanted === null) return record === undefined ? [] : [{ at, message: `${family}.${id}: no such ${name} was expected, but there is one` }]
  if (record === undefined) return [{ at, message: `${family}.${id}: there is no such ${name}` }]
  return differences(wanted as Json, record, `${family}.${id}`, at)
}

function countProblems(records: readonly Json[], family: Family, { count, where }: { count: number; where: Part }): string[] {
  const found = records.filter(record => isObject(record) && differences(where as Json, record, '').length === 0).length
  const condition = Object.keys(where).length === 0 ? '' : ` with ${JSON.stringify(where)}`
  return found === count ? [] : [`${family}: ${count}${condition} ${count === 1 ? 'was' : 'were'} expected, there ${found === 1 ? 'is' : 'are'} ${found}`]
}
