/**
 * What records are expected to be: by id what they hold, how many of a family there are, what they
 * add up to, and what every one or none of them may be.
 */
import { didYouMean } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { say as check } from '../core/sentences.js'
import { type Family, LINKED_FAMILIES, RESOURCE_NAMES } from '../reference/operations.js'
import { FIELDS } from '../reference/tables.js'
import { collectionOf, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import {
  type Condition,
  compileNames,
  compileTest,
  fieldNamed,
  type Looked,
  type Subject,
  shownWanted,
  stepsOf,
  type Test,
  type Value
} from './conditions.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import {
  MAX_NEAR_MISSES,
  type Miss,
  missOf,
  missText,
  Nearest,
  type NearMiss,
  shownValue
} from './near-misses.js'
import { MAX_STEPS, type Patterns } from './patterns.js'
import { answeredValue, REFERENCE, recordPath, referenceIn } from './references.js'
import {
  type Json,
  type Names,
  type Quantities,
  type Quantity,
  STATE_WORDS,
  type StateData
} from './schemas.js'
import { say } from './sentences.js'
import type { Difference } from './steps.js'

type FamilyState = NonNullable<StateData[Family]>

export type { StateData } from './schemas.js'

/** Records to judge: one by its id, and all of a family, null where they could not be read. */
export type StateRecords = {
  record: (family: Family, id: string) => Json | undefined
  all: (family: Family) => readonly Json[] | null
}
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

/**
 * Compiles an expected state; the result says how each record differs, and what all of them come
 * to. Problems are reported by their place in it.
 */
export async function compileState(
  data: StateData,
  report: Report,
  compiling: Compiling
): Promise<StateTest> {
  const { answers } = compiling
  const tests: StateTest[] = []
  if (Object.keys(data).length === 0) report([], say('no_family'))
  for (const [family, expected] of Object.entries(data) as [Family, FamilyState][]) {
    const note = within(report, family)
    const subject = subjectOf(family, compiling)
    if (Object.keys(expected).length === 0) report([family], say('no_record'))
    tests.push(await compileQuantities(expected, family, subject, note))
    for (const [id, wanted] of Object.entries(expected) as [string, Names | null][]) {
      if (STATE_WORDS.includes(id)) continue
      const fields = wanted === null ? null : await compileNames(wanted, subject, within(note, id))
      const idNow = () =>
        String(
          answers === null || referenceIn(id) === null ? id : (answeredValue(id, answers) ?? id)
        )
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

/**
 * What conditions on the records of a family look at: the fields of its table, and below one that
 * refers to another record the fields of that.
 */
function subjectOf(family: Family, compiling: Compiling) {
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
  return { fields, schemas: [fields], name: [], ...compiling, unknown }
}

type LookedRecord = Required<Looked>

/** Looks at a record, with the steps that a request has. */
const lookAt = (record: Json, records: StateRecords): LookedRecord => ({
  steps: MAX_STEPS,
  fieldAt: name => fieldOf(record, name, records)
})

/**
 * A field of a record by its nested name: no value where it is null, and no single one where it has
 * parts.
 */
function fieldOf(record: Json, name: readonly string[], records: StateRecords): Value {
  let part: Json | undefined = record
  for (const [depth, field] of name.entries()) {
    // only an id has names below it
    if (typeof part === 'string')
      part = records.record(LINKED_FAMILIES[name[depth - 1] as keyof typeof LINKED_FAMILIES], part)
    part = isObject(part) ? (part as Record<string, Json>)[field] : undefined
  }
  if (part === undefined || part === null) return undefined
  return typeof part === 'object' ? null : part
}

/**
 * A condition that a record does not meet; `passed` is null where it is in doubt, since its values
 * cannot be compared.
 */
type Unmet = { condition: Condition; value: Value; passed: false | null; looked: LookedRecord }

/** The conditions that a record does not meet, each with its value. */
const unmetBy = (looked: LookedRecord, conditions: readonly Condition[]): Unmet[] =>
  conditions.flatMap(condition => {
    const value = looked.fieldAt(condition.name)
    const passed = condition.test(value, looked)
    return passed ? [] : [{ condition, value, passed, looked }]
  })

/** Whether a record would meet every condition but for those that are in doubt. */
const isDoubtful = (unmet: readonly Unmet[]): boolean =>
  unmet.length > 0 && unmet.every(({ passed }) => passed === null)

/**
 * What is wanted, with the value of each field that it refers to: `> 5000 (location.metadata.max)`.
 */
const wantedNow = ({ wanted }: Condition, { fieldAt }: LookedRecord): string =>
  wanted.replace(REFERENCE, text => {
    const path = recordPath(text)
    return path === undefined ? text : `${shownValue(fieldAt(stepsOf(path) as string[]))} (${path})`
  })

function toMiss({ condition, value, passed, looked }: Unmet): Miss {
  const wanted = wantedNow(condition, looked)
  return missOf({ ...condition, wanted }, value, wanted === condition.wanted ? passed : false)
}

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
  if (fields === null)
    return record === undefined ? [] : [{ at, ...say('record_exists', family, id, name) }]
  if (record === undefined) return [{ at, ...say('record_missing', family, id, name) }]
  const unmet = unmetBy(lookAt(record, records), fields)
  return unmet.map(one => ({
    at: [...at, ...one.condition.at],
    ...say('field_differs', family, id, missText(toMiss(one)))
  }))
}

/** A number that records come to: how many there are, or a sum of fields. */
type Total = {
  at: readonly string[]
  wanted: Quantity
  test: Test
  of: (looked: LookedRecord) => number
}
/** Records with the same values of the fields that they are grouped by. */
type Group = { label: string; members: LookedRecord[] }
/** What is said of each difference; `doubtful` records may be among those that are looked at. */
type Told = { family: Family; where: string; doubtful: number; near: readonly NearMiss[] }

const CLAIMS = ['every', 'none'] as const
type Claim = (typeof CLAIMS)[number]
/** Differences of totals that are said, each of another group. */
const MAX_SHOWN = 10

/** Compiles what the records of a family come to. */
async function compileQuantities(
  expected: Quantities,
  family: Family,
  subject: ReturnType<typeof subjectOf>,
  report: Report
): Promise<StateTest> {
  const { count, sum = {}, group_by = [] } = expected
  const compiled = (word: 'where' | Claim) =>
    compileNames(expected[word] ?? {}, subject, within(report, word))
  const has = (...words: (keyof Quantities)[]) => words.some(word => expected[word] !== undefined)

  if (has('where') && !has('count', 'sum', ...CLAIMS))
    report([], say('needs', 'where', 'count, sum, every or none'))
  if (has('group_by') && !has('count', 'sum')) report([], say('needs', 'group_by', 'count or sum'))
  for (const word of ['sum', ...CLAIMS] as const)
    if (has(word) && Object.keys(expected[word] as object).length === 0)
      report([word], check('empty'))
  const totals: Total[] = []
  const addTotal = async (wanted: Quantity, ...at: [word: string, expression?: string]) => {
    const note = within(report, ...(at as string[]))
    const test = await compileTest(wanted, { ...subject, schemas: [{ type: 'integer' }] }, note)
    totals.push({
      at: at as string[],
      wanted,
      test,
      of: at[1] === undefined ? () => 1 : sumOf(at[1], subject, note)
    })
  }
  if (count !== undefined) await addTotal(count, 'count')
  for (const [expression, wanted] of Object.entries(sum)) await addTotal(wanted, 'sum', expression)
  const groupedBy = [group_by].flat().flatMap((path, index) => {
    const field = fieldNamed(
      path,
      subject,
      within(report, 'group_by', ...(Array.isArray(group_by) ? [index] : []))
    )
    return field === null ? [] : [field.name]
  })
  const conditions = await compiled('where')
  const claims: [Claim, Condition[]][] = []
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
    const told = {
      family,
      where: conditions.length === 0 ? '' : ` with ${JSON.stringify(expected.where)}`,
      doubtful,
      near: nearest.list()
    }
    const differences: StateDifference[] = []
    for (const group of await groupsOf(found, groupedBy))
      for (const total of totals) differences.push(...(await totalDifferences(total, group, told)))
    const more = differences.splice(MAX_SHOWN).length
    if (more > 0)
      differences.push({ at: ['state', family], ...say('more_differences', family, more) })
    for (const [word, conditions] of claims) {
      const of = {
        ...(await breaking(word, conditions, found)),
        doubtful,
        found: found.length,
        where: told.where,
        names: JSON.stringify(expected[word])
      }
      if (of.broken + doubtful > 0)
        differences.push({
          at: ['state', family, word],
          ...say(word === 'every' ? 'not_every' : 'not_none', family, of)
        })
    }
    return differences
  }
}

const idOf = ({ fieldAt }: LookedRecord) => String(fieldAt(['id']))

/**
 * What an expression such as `amount - amount_refunded` gives for a record; a field without a value
 * adds nothing.
 */
function sumOf(expression: string, subject: Subject, report: Report): Total['of'] {
  const parts = expression.trim().split(/\s*([+-])\s*/)
  const terms = parts.flatMap((path, place) => {
    const field = place % 2 === 0 ? fieldNamed(path, subject, report) : null
    if (field === null) return []
    if (!field.schemas.some(({ type }) => [type].flat().includes('integer')))
      report([], say('not_summable', path))
    return [{ name: field.name, sign: parts[place - 1] === '-' ? -1 : 1 }]
  })
  return ({ fieldAt }) =>
    terms.reduce((total, { name, sign }) => total + sign * Number(fieldAt(name) ?? 0), 0)
}

/**
 * The groups of records in the order of their values; where there is no record, none is what they
 * come to.
 */
async function groupsOf(
  found: LookedRecord[],
  groupedBy: readonly (readonly string[])[]
): Promise<Group[]> {
  if (groupedBy.length === 0 || found.length === 0) return [{ label: '', members: found }]
  const groups = new Map<string, Group>()
  for (const looked of found) {
    const values = groupedBy.map(looked.fieldAt)
    const key = JSON.stringify(values)
    const group = groups.get(key) ?? {
      label: ` (${groupedBy.map((name, nth) => `${name.join('.')} ${shownValue(values[nth])}`).join(', ')})`,
      members: []
    }
    group.members.push(looked)
    groups.set(key, group)
    await pause()
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

/** How the records of a group differ from a total. */
async function totalDifferences(
  { at, wanted, of, test }: Total,
  { label, members }: Group,
  { family, where, doubtful, near }: Told
) {
  const isSum = at[0] === 'sum'
  const currencies = new Set<string>()
  let total = 0
  for (const looked of members) {
    total += of(looked)
    if (isSum) currencies.add(String(looked.fieldAt(['currency'])))
    await pause()
  }
  const place = { at: ['state', family, ...at] }
  const whose = `${family}${label}${isSum ? `: sum of ${at[1]}` : ''}`
  if (currencies.size > 1)
    return [{ ...place, ...say('several_currencies', whose, [...currencies].sort()) }]
  if (test(total, { steps: 0 }) && doubtful === 0) return []
  const isShort = isObject(wanted) ? total <= (wanted.gt ?? (wanted.gte ?? 0) - 1) : total <= wanted
  return [
    {
      ...place,
      ...say('total', whose, shownWanted(wanted), where, total, doubtful),
      near_misses: isShort ? near : []
    }
  ]
}

/** How many records are not what every one must be, or are what none may be, and some of them. */
async function breaking(
  word: Claim,
  conditions: readonly Condition[],
  found: readonly LookedRecord[]
) {
  const shown: string[] = []
  let broken = 0
  for (const looked of found) {
    await pause()
    const unmet = unmetBy(looked, conditions)
    const isInDoubt = isDoubtful(unmet)
    if (word === 'every' ? unmet.length === 0 : unmet.length > 0 && !isInDoubt) continue
    if (++broken > MAX_NEAR_MISSES) continue
    const values =
      word === 'every'
        ? unmet.map(one => missText(toMiss(one)))
        : conditions.map(condition => shownMet(condition, looked))
    shown.push(`${values.join(', ')} in ${idOf(looked)}${isInDoubt ? ', which is in doubt' : ''}`)
  }
  return { broken, shown }
}

/** `amount 6000, > 5000 (location.metadata.max)`: a condition that a record meets. */
function shownMet(condition: Condition, looked: LookedRecord): string {
  const wanted = wantedNow(condition, looked)
  return `${condition.name.join('.')} ${shownValue(looked.fieldAt(condition.name))}${wanted === condition.wanted ? '' : `, ${wanted}`}`
}
