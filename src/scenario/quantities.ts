/** What the records of a family come to: how many there are, what their amounts add up to, and what every one or none of them must be. */
import { isObject } from '../core/quick-check.js'
import type { Family } from '../reference/operations.js'
import { pause } from '../work/slices.js'
import { type Condition, compileTest, fieldNamed, type Subject, shownWanted, type Test } from './conditions.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { missText, Nearest, type NearMiss, shownValue } from './near-misses.js'
import {
  type Compiling,
  compileFields,
  fieldsOf,
  isDoubtful,
  type LookedRecord,
  lookAt,
  type StateRecords,
  shownFields,
  toMiss,
  unmetBy
} from './record-fields.js'
import type { Quantities, Quantity } from './schemas.js'
import { say } from './sentences.js'
import type { Difference } from './steps.js'

/** How the records differ from an expected state; places begin at `state`. */
export type StateTest = (records: StateRecords) => Promise<StateDifference[]>
/** How the records differ, and those that come nearest to what is counted. */
export type StateDifference = Difference & { near_misses?: readonly NearMiss[] }

/** A number that records come to: how many there are, or a sum of fields. */
type Total = { at: readonly string[]; wanted: Quantity; of: (looked: LookedRecord) => number }
/** Records with the same values of the fields that they are grouped by. */
type Group = { label: string; members: LookedRecord[] }
/** What is said of each difference; `doubtful` records may be among those that are looked at. */
type Told = { family: Family; where: string; doubtful: number; near: readonly NearMiss[] }

const CLAIMS = ['every', 'none'] as const
/** Totals of groups that are said to differ, and records that break a claim. */
const MAX_GROUPS = 10
const MAX_SHOWN = 3
/** A number takes no steps to compare. */
const NO_STEPS = { steps: 0 }

/** Compiles what the records of a family come to. Problems are reported by their place in the state of the family. */
export async function compileQuantities(expected: Quantities, family: Family, report: Report, compiling: Compiling): Promise<StateTest> {
  const { count, sum = {}, group_by = [] } = expected
  const subject = fieldsOf(family, compiling)
  const compiled = (word: 'where' | (typeof CLAIMS)[number]) => compileFields(expected[word] ?? {}, family, within(report, word), compiling)
  const has = (...words: (keyof Quantities)[]) => words.some(word => expected[word] !== undefined)

  if (has('where') && !has('count', 'sum', ...CLAIMS)) report([], say('needs', 'where', 'count, sum, every or none'))
  if (has('group_by') && !has('count', 'sum')) report([], say('needs', 'group_by', 'count or sum'))
  for (const word of ['sum', ...CLAIMS] as const) if (has(word) && Object.keys(expected[word] as object).length === 0) report([word], say('no_field'))
  const totals: (Total & { test: Test })[] = []
  const counts: Total[] = count === undefined ? [] : [{ at: ['count'], wanted: count, of: () => 1 }]
  const sums = Object.entries(sum).map(([expression, wanted]): Total => {
    const at = ['sum', expression]
    return { at, wanted, of: sumOf(expression, subject, within(report, ...at)) }
  })
  for (const total of [...counts, ...sums]) {
    const { at, wanted } = total
    totals.push({ ...total, test: await compileTest(wanted, { ...subject, name: at, schemas: [{ type: 'integer' }] }, within(report, ...at)) })
  }
  const groupedBy = [group_by].flat().flatMap((path, index) => {
    const field = fieldNamed(path, subject, within(report, 'group_by', ...(Array.isArray(group_by) ? [index] : [])))
    return field === null ? [] : [field.name]
  })
  const conditions = await compiled('where')
  const claims: [word: (typeof CLAIMS)[number], conditions: Condition[]][] = []
  for (const word of CLAIMS) if (has(word)) claims.push([word, await compiled(word)])

  return async records => {
    const all = records.all(family)
    if (all === null || totals.length + claims.length === 0) return []
    const nearest = new Nearest()
    const found: LookedRecord[] = []
    let doubtful = 0
    for (const record of all.toReversed()) {
      const looked = lookAt(record, records)
      const unmet = unmetBy(looked, conditions)
      if (unmet.length === 0) found.push(looked)
      else nearest.add(idOf(looked), unmet.length, () => unmet.map(toMiss))
      if (isDoubtful(unmet)) doubtful++
      await pause()
    }
    const told = { family, where: conditions.length === 0 ? '' : ` with ${JSON.stringify(expected.where)}`, doubtful, near: nearest.list() }
    const differences: StateDifference[] = []
    for (const group of await groupsOf(found, groupedBy)) for (const total of totals) differences.push(...(await totalDifferences(total, group, told)))
    const more = differences.splice(MAX_GROUPS).length
    if (more > 0) differences.push({ at: ['state', family, 'group_by'], ...say('more_groups', family, more) })
    for (const [word, conditions] of claims) {
      const { broken, shown } = await breaking(word, conditions, found)
      const of = { broken, shown, doubtful, found: found.length, where: told.where, names: JSON.stringify(expected[word]) }
      if (broken + doubtful > 0) differences.push({ at: ['state', family, word], ...say(word === 'every' ? 'not_every' : 'not_none', family, of) })
    }
    return differences
  }
}

const idOf = ({ fieldAt }: LookedRecord) => String(fieldAt(['id']))

/** What an expression such as `amount - amount_refunded` gives for a record; a field without a value adds nothing. */
function sumOf(expression: string, subject: Subject, report: Report): Total['of'] {
  const parts = expression.trim().split(/\s*([+-])\s*/)
  const terms = parts.flatMap((path, place) => {
    const field = place % 2 === 0 ? fieldNamed(path, subject, report) : null
    if (field === null) return []
    if (!field.schemas.some(({ type }) => [type].flat().includes('integer'))) report([], say('not_summable', path))
    return [{ name: field.name, sign: parts[place - 1] === '-' ? -1 : 1 }]
  })
  return ({ fieldAt }) => terms.reduce((total, { name, sign }) => total + sign * Number(fieldAt(name) ?? 0), 0)
}

/** The groups of records in the order of their values; where there is no record, none is what they come to. */
async function groupsOf(found: LookedRecord[], groupedBy: readonly (readonly string[])[]): Promise<Group[]> {
  if (groupedBy.length === 0 || found.length === 0) return [{ label: '', members: found }]
  const groups = new Map<string, Group>()
  for (const looked of found) {
    const values = groupedBy.map(looked.fieldAt)
    const key = JSON.stringify(values)
    const group = groups.get(key) ?? { label: ` (${groupedBy.map((name, nth) => `${name.join('.')} ${shownValue(values[nth])}`).join(', ')})`, members: [] }
    group.members.push(looked)
    groups.set(key, group)
    await pause()
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

/** How the records of a group differ from a total. */
async function totalDifferences({ at, wanted, of, test }: Total & { test: Test }, { label, members }: Group, { family, where, doubtful, near }: Told) {
  const [word, expression] = at
  const currencies = new Set<string>()
  let total = 0
  for (const looked of members) {
    total += of(looked)
    currencies.add(String(looked.fieldAt(['currency'])))
    await pause()
  }
  const place = { at: ['state', family, ...at] }
  const whose = `${family}${label}${word === 'sum' ? `: sum of ${expression}` : ''}`
  if (word === 'sum' && currencies.size > 1) return [{ ...place, ...say('several_currencies', whose, [...currencies].sort()) }]
  if (test(total, NO_STEPS) && doubtful === 0) return []
  return [{ ...place, ...say('total', whose, shownWanted(wanted), where, total, doubtful), near_misses: exceeds(total, wanted) ? [] : near }]
}

/** Whether a total is too large, so that records that nearly counted do not explain it. */
const exceeds = (total: number, wanted: Quantity): boolean =>
  isObject(wanted) ? total > (wanted.lte ?? total) || total >= (wanted.lt ?? Number.POSITIVE_INFINITY) : total > wanted

/** How many records are not what every one must be, or are what none may be, and some of them. */
async function breaking(word: (typeof CLAIMS)[number], conditions: readonly Condition[], found: readonly LookedRecord[]) {
  const shown: string[] = []
  let broken = 0
  for (const looked of found) {
    await pause()
    const unmet = unmetBy(looked, conditions)
    const isInDoubt = isDoubtful(unmet)
    if (word === 'every' ? unmet.length === 0 : unmet.length > 0 && !isInDoubt) continue
    if (++broken > MAX_SHOWN) continue
    const values = word === 'every' ? unmet.map(one => missText(toMiss(one))).join(', ') : shownFields(conditions, looked)
    shown.push(`${values} in ${idOf(looked)}${isInDoubt ? ', which is in doubt' : ''}`)
  }
  return { broken, shown }
}
