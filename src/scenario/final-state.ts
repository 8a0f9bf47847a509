/** What records are expected to be: by id what they hold, and how many of a family there are. */
import { didYouMean } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import { RESOURCES } from '../reference/tables.js'
import { collectionOf, type Store } from '../store/store.js'
import type { Report } from './documents.js'
import { referenceIn, textsIn, valueless } from './references.js'
import { differences, type Json } from './steps.js'

type Part = { readonly [name: string]: Json }
/** Records of a family by id, null for one that there must not be; `count` is how many there are of those that hold what `where` says. */
export type FamilyState = { readonly [id: string]: Part | number | null | undefined } & { readonly count?: number; readonly where?: Part }
/** Expected records by family. Names that are left out are not compared. */
export type StateData = { readonly [family in Family]?: FamilyState }

/** Compiles an expected state; the result says what is otherwise, of each record and count. Problems are reported by their place in it. */
export function compileState(data: StateData, report: Report): (store: Store) => string[] {
  const tests: ((store: Store) => string[])[] = []
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    const { count, where, ...records } = expected
    if (where !== undefined && count === undefined) report([family], 'where goes with count')
    if (where !== undefined) checkFields(where, family, [family, 'where'], report)
    if (count !== undefined) tests.push(store => countDifferences(store, family, { count, where: where ?? {} }))
    for (const [id, record] of Object.entries(records) as [string, Part | null][]) {
      if (record !== null) checkFields(record, family, [family, id], report)
      tests.push(store => recordDifferences(store, family, id, record))
    }
  }
  return store => tests.flatMap(test => test(store))
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

const stored = (store: Store, family: Family, id: string) => collectionOf(store, family).get(id) as unknown as Json | undefined

function recordDifferences(store: Store, family: Family, id: string, expected: Part | null): string[] {
  const record = stored(store, family, id)
  if (expected === null) return record === undefined ? [] : [`${family}.${id}: no such ${RESOURCE_NAMES[family]} was expected, but there is one`]
  return record === undefined ? [`${family}.${id}: there is no such ${RESOURCE_NAMES[family]}`] : differences(expected as Json, record, `${family}.${id}`)
}

function countDifferences(store: Store, family: Family, { count, where }: { count: number; where: Part }): string[] {
  let found = 0
  for (const record of collectionOf(store, family).inCreationOrder()) {
    if (isObject(record) && differences(where as Json, record as unknown as Json, '').length === 0) found++
  }
  const condition = Object.keys(where).length === 0 ? '' : ` with ${JSON.stringify(where)}`
  return found === count ? [] : [`${family}: ${count}${condition} ${count === 1 ? 'was' : 'were'} expected, there ${found === 1 ? 'is' : 'are'} ${found}`]
}
