/** Conditions on named values: on what a request sent, and on the fields of a record. A condition can say what it wants and what it got. */
import { checkerOf } from '../core/checking.js'
import { FORMATS } from '../core/formats.js'
import { instantOf } from '../core/instants.js'
import { shortened } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { IS_DIGEST } from '../core/redaction.js'
import { say as check, type Said } from '../core/sentences.js'
import type { Schema } from '../reference/parameters.js'
import { digestOf } from './digests.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { type Budget, compilePattern, metered, type Patterns, type TextTest } from './patterns.js'
import { answeredValue, referenceIn, valueless } from './references.js'
import type { Conditions, Json, Names, Scalar, Wanted } from './schemas.js'
import { say } from './sentences.js'

/** A value that is looked at: undefined where there is none, null where it has parts and is not a single value. */
export type Value = Scalar | null | undefined
/** Whether a value is what is wanted; null when it is too long for what is left of the budget. */
export type Test = (value: Value, budget: Budget) => boolean | null
/** A condition on the value of a name; `at` is where it is written, `data` what it asks for, `wanted` the same in words. */
export type Condition = { name: readonly string[]; at: readonly Step[]; data: Wanted; wanted: string; test: Test }

/** What values are looked at, and what of them is refused as a problem. */
export type Subject = {
  /** The fields of a record, which are typed; otherwise what a request sent, which is text. */
  areFields?: boolean
  /** Values that no right request can send are problems too. */
  onlyRight?: boolean
  /** What steps were answered, by name; null where no step has been played. */
  answers?: ReadonlyMap<string, Json> | null
  unknown: (name: readonly string[], known: readonly string[]) => Said
  /** The patterns so far, which are bounded. */
  patterns: Patterns
}
/** A name and what the tables say of it. A member of a list cannot be a condition. */
type At = Subject & { schemas: readonly Schema[]; name: readonly string[]; isMember?: boolean; isNegated?: boolean }

type Comparison = { sign: string; words: string; holds: (value: number, bound: number) => boolean }
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', words: 'above', holds: (value, bound) => value > bound },
  gte: { sign: '>=', words: 'at least', holds: (value, bound) => value >= bound },
  lt: { sign: '<', words: 'below', holds: (value, bound) => value < bound },
  lte: { sign: '<=', words: 'at most', holds: (value, bound) => value <= bound }
}
const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

/** Compiles what names have to be, each looked up in the tables. Problems are reported by their place below these names, as they are `written`. */
export async function compileNames(names: Names, under: At, report: Report, written: readonly Step[] = []): Promise<Condition[]> {
  const compiled: Condition[] = []
  for (const [key, wanted] of Object.entries(names)) {
    const note = within(report, key)
    const at = lookedUp(key, under, note)
    if (at === null) continue
    const place = [...written, key]
    if (isObject(wanted) && !isCondition(wanted, at.schemas)) compiled.push(...(await compileNames(wanted as Names, at, note, place)))
    else compiled.push({ name: at.name, at: place, data: wanted, wanted: shownWanted(wanted), test: await compileTest(wanted, at, note) })
  }
  return compiled
}

/** Where a name such as `a[b][c]` leads; null, with the problem reported, where nowhere. */
function lookedUp(key: string, under: At, report: Report): At | null {
  const [, head, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(key) ?? []
  if (head === undefined) {
    report([], say('unbalanced_brackets'))
    return null
  }
  let at = under
  for (const step of [head, ...(brackets ? brackets.slice(1, -1).split('][') : [])]) {
    const { schemas, name } = at
    at = { ...under, name: [...name, step], schemas: schemas.flatMap(schema => partOf(schema, step) ?? []) }
    if (at.schemas.length > 0) continue
    const known = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
    report([], under.unknown(at.name, known))
    return null
  }
  return at
}

function partOf({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? (additionalProperties as Schema) : undefined
}

/** Whether names below a parameter are conditions on it, and not parts of it. Of one that has parts, only whether it was sent can be asked. */
function isCondition(wanted: object, schemas: readonly Schema[]): boolean {
  const names = Object.keys(wanted)
  return names.length > 0 && names.every(name => CONDITIONS.includes(name) && schemas.every(schema => partOf(schema, name) === undefined))
}

/** What is wanted, in words: `>= 5000`, `one of card, emv`. */
export function shownWanted(wanted: Wanted): string {
  if (Array.isArray(wanted)) return `one of ${wanted.map(shownWanted).join(', ')}`
  if (!isObject(wanted)) return wanted === null ? 'no value' : shortened(String(wanted))
  const conditions = Object.entries(wanted).map(([name, operand]) => {
    if (name === 'present') return operand ? 'a value' : 'no value'
    return name === 'not' ? `not ${shownWanted(operand as Wanted)}` : `${COMPARISONS[name]?.sign} ${operand}`
  })
  return conditions.join(' and ')
}

async function compileTest(wanted: Wanted, at: At, report: Report): Promise<Test> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report([], say('matches_nothing'))
    const tests: Test[] = []
    for (const one of wanted as readonly Scalar[]) tests.push(await compileTest(one, { ...at, isMember: true }, report))
    return anyOf(tests)
  }
  if (isObject(wanted)) return compileConditions(wanted as Conditions, at, report)
  const [, pattern, ignoreCase] = typeof wanted === 'string' ? (/^\/(.*)\/(i?)$/s.exec(wanted) ?? []) : []
  if (pattern !== undefined) return ofText(await compilePattern(pattern, ignoreCase === 'i', at.patterns, said => report([], said)))
  const { answers = null, areFields } = at
  const reference = referenceIn(String(wanted))
  if (reference === null) return compileValue(wanted as Scalar | null, at, report)
  if (answers !== null) {
    return value => {
      const answer = answeredValue(wanted as string, answers)
      return answer === null ? value === undefined : value !== undefined && value === (areFields ? answer : String(answer))
    }
  }
  report([], valueless(reference))
  return () => false
}

/** Steps for each character of a value whose digest is compared. */
const DIGEST_STEPS = 2

/** A test of one value. What the tables do not allow can never match; null asks for no value. */
async function compileValue(wanted: Scalar | null, at: At, report: Report): Promise<Test> {
  const { areFields, schemas, name } = at
  const text = String(wanted)
  if (wanted === null && name.length > 1) return value => value === undefined
  if (!areFields && IS_DIGEST.test(text)) return ofText(metered(DIGEST_STEPS, value => digestOf(value) === text))
  if (areFields || at.onlyRight) {
    const [problem, ...others] = await Promise.all(schemas.map(schema => impossible(wanted, schema, areFields)))
    const advice = at.isMember ? '' : conditionMeant(text, schemas)
    if (problem && others.every(other => other !== null)) report([], say(at.isNegated ? 'always_matches' : 'never_matches', problem, advice))
  }
  return areFields ? isField(schemas[0] as Schema, wanted) : value => value === text
}

/** Why no record, or no right request, can have a value; null where one can. */
async function impossible(wanted: Scalar | null, schema: Schema, isField: boolean | undefined): Promise<string | null> {
  if (!isField && schema.type === 'object') return null
  const text = String(wanted)
  const sent = isNumeric(schema) && NUMBER.test(text) ? Number(text) : text
  const [problem] = await checkerOf(() => schema).problems(isField ? wanted : sent)
  if (problem === undefined) return null
  const isShort = !isField && schema.format === 'last4' && typeof wanted === 'number' && text.length < 4
  return `${problem.message}${isShort ? `; quote it: "${text.padStart(4, '0')}"` : ''}`
}

/** The test of a field: instants are equal where they are the same moment, codes as they are stored. */
function isField({ format }: Schema, wanted: Scalar | null): Test {
  if (wanted === null) return value => value === undefined
  const at = format === 'instant' ? instantOf(String(wanted)) : null
  if (at !== null) return value => instantOf(String(value)) === at
  const stored = format === 'country' ? String(wanted).toUpperCase() : wanted
  return value => value === stored
}

/** A test of a value as text, numbers of a record too; what has no single value does not pass. */
const ofText =
  (test: TextTest): Test =>
  (value, budget) =>
    value != null && test(String(value), budget)

const not =
  (test: Test): Test =>
  (value, budget) => {
    const passed = test(value, budget)
    return passed === null ? null : !passed
  }

/** Passes what one of the tests passes; null where one that says so might have. */
export const anyOf =
  <B extends Budget>(tests: readonly ((value: Value, budget: B) => boolean | null)[]) =>
  (value: Value, budget: B): boolean | null => {
    let isPassed: boolean | null = false
    for (const test of tests) {
      const passed = test(value, budget)
      if (passed) return true
      if (passed === null) isPassed = null
    }
    return isPassed
  }

async function compileConditions(conditions: Conditions, at: At, report: Report): Promise<Test> {
  const tests: Test[] = []
  for (const [condition, operand] of Object.entries(conditions) as [keyof Conditions, Wanted][]) {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined) tests.push(compileComparison(comparison, operand as Scalar, at, note))
    else if (condition === 'present') tests.push(value => (value !== undefined) === operand)
    else tests.push(not(await compileTest(operand, { ...at, onlyRight: false, isNegated: true }, note)))
  }
  const never = contradictionIn(conditions, at)
  if (never !== null) report([], never)
  return not(anyOf(tests.map(not)))
}

/** Why no value meets all conditions: bounds with nothing between them, those of a field among them, or a bound for what is not there; null where one can. */
function contradictionIn({ present, ...conditions }: Conditions, { areFields, schemas: [{ minimum, maximum } = {}] }: At): Said | null {
  const given = boundsIn(conditions)
  if (given.length === 0) return null
  if (present === false) return say('compares_nothing')
  const bounds = areFields ? [...given, ...boundsIn({ gte: minimum, lte: maximum })] : given
  for (const low of bounds.filter(({ name }) => name.startsWith('g'))) {
    const high = bounds.find(({ name, at }) => name.startsWith('l') && (at < low.at || (at === low.at && `${low.name}${name}` !== 'gtelte')))
    if (high !== undefined) return say('nothing_between', low.shown, high.shown)
  }
  return null
}

const boundsIn = (conditions: object): { name: string; at: number; shown: string }[] =>
  Object.entries(conditions).flatMap(([name, bound]) => {
    const at = typeof bound === 'number' ? bound : instantOf(String(bound))
    const words = COMPARISONS[name]?.words
    return words === undefined || at === null ? [] : [{ name, at, shown: `${words} ${bound}` }]
  })

const NUMBER = /^-?\d+(\.\d+)?$/
const isNumeric = ({ type }: Schema) => [type].flat().some(name => name === 'integer' || name === 'number')

/** Compares numbers and instants; text has no order that a test should rely on. */
function compileComparison({ holds }: Comparison, bound: Scalar, { name, schemas, answers = null }: At, report: Report): Test {
  const isNumber = schemas.some(isNumeric)
  if (!isNumber && !schemas.some(({ format }) => format === 'instant')) {
    report([], say('not_comparable', name.join('.')))
    return () => false
  }
  const placeOf = isNumber ? (value: string) => (NUMBER.test(value) ? Number(value) : null) : instantOf
  const isRight = (value: string, at: number | null): boolean => {
    const place = placeOf(value)
    return place !== null && at !== null && holds(place, at)
  }
  if (answers !== null && referenceIn(String(bound)) !== null) {
    return ofText(value => isRight(value, placeOf(String(answeredValue(bound as string, answers)))))
  }
  const at = isNumber && typeof bound !== 'number' ? null : placeOf(String(bound))
  if (at === null && isNumber) report([], check('wrong_type', ['a number'], String(bound), null))
  else if (at === null) report([], check('wrong_format', FORMATS.instant.problem(String(bound))?.expected as string))
  return ofText(value => isRight(value, at))
}

/** `; write { gt: 5000 }` for the text `>5000`; an empty text for one that compares nothing. */
function conditionMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^\s*([<>]=?)\s*(.*?)\s*$/.exec(text) ?? []
  const isComparable = schemas.some(isNumeric) ? NUMBER.test(bound) : instantOf(bound) !== null
  const [condition] = Object.keys(COMPARISONS).filter(name => COMPARISONS[name]?.sign === sign)
  return isComparable ? `; write { ${condition}: ${bound} }` : ''
}
