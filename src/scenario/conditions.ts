/** Conditions on named values: on what a request sent, and on the fields of a record. A condition can say what it wants and what it got. */
import { checkerOf } from '../core/checking.js'
import { FORMATS } from '../core/formats.js'
import { instantOf } from '../core/instants.js'
import { didYouMean, shortened } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { IS_DIGEST } from '../core/redaction.js'
import type { Schema } from '../reference/parameters.js'
import { digestOf } from './digests.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { type Budget, compilePattern, metered, type Patterns, type TextTest } from './patterns.js'
import { answeredValue, referenceIn, valueless } from './references.js'
import type { Conditions, Json, Names, Scalar, Wanted } from './schemas.js'

/** A value that is looked at: undefined where there is none, null where it has parts and is no single value. */
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
  /** What to say of a name that the tables do not have. */
  unknown: (name: string) => string
  /** The patterns so far, which are bounded. */
  patterns: Patterns
}
/** Where names are looked up: the tables, at a nested name. */
type At = { schemas: readonly Schema[]; name: readonly string[]; subject: Subject }

type Comparison = { sign: string; words: string; holds: (value: number, bound: number) => boolean }
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', words: 'above', holds: (value, bound) => value > bound },
  gte: { sign: '>=', words: 'at least', holds: (value, bound) => value >= bound },
  lt: { sign: '<', words: 'below', holds: (value, bound) => value < bound },
  lte: { sign: '<=', words: 'at most', holds: (value, bound) => value <= bound }
}
const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

/** Compiles what names have to be, each looked up in the tables. Problems are reported by their place below these names. */
export async function compileNames(names: Names, { schemas, name: under, subject }: At, report: Report, written: readonly Step[] = []): Promise<Condition[]> {
  const compiled: Condition[] = []
  for (const [key, wanted] of Object.entries(names)) {
    const [head, ...inner] = stepsOf(key)
    if (head === undefined) {
      report([key], 'the brackets are not balanced: a nested name is written parent[child]')
      continue
    }
    const name = [...under, head]
    const at = { schemas: schemas.flatMap(schema => partOf(schema, head) ?? []), name, subject }
    if (at.schemas.length === 0) {
      const known = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
      report([key], `${subject.unknown(name.join('.'))}${didYouMean(head, known)}`)
    } else if (inner.length > 0) {
      const rest = inner.length === 1 ? wanted : { [inner.slice(1).join('[')]: wanted }
      const reportAll: Report = (_steps, message) => report([key], message)
      for (const one of await compileNames({ [inner[0] as string]: rest as Wanted }, at, reportAll)) compiled.push({ ...one, at: [...written, key] })
    } else if (isObject(wanted) && !isCondition(wanted, at.schemas)) {
      compiled.push(...(await compileNames(wanted as Names, at, within(report, key), [...written, key])))
    } else compiled.push(await compileCondition(wanted as Wanted, at, within(report, key), [...written, key]))
  }
  return compiled
}

/** Compiles what one value has to be. */
export async function compileCondition(wanted: Wanted, { name, schemas, subject }: At, report: Report, at: readonly Step[]): Promise<Condition> {
  return { name, at, data: wanted, wanted: shownWanted(wanted), test: await compileTest(wanted, { ...subject, name, schemas }, report) }
}

/** The table of what is below a name; undefined where nothing can be. */
function partOf({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? (additionalProperties as Schema) : undefined
}

/** Whether names below a parameter are conditions on it, and not parts of it. Of one that has parts, only whether it was sent can be asked. */
function isCondition(wanted: object, parts: readonly Schema[]): boolean {
  const names = Object.keys(wanted)
  const isWhole = parts.every(part => names.every(name => partOf(part, name) === undefined))
  return isWhole && names.length > 0 && names.every(name => CONDITIONS.includes(name))
}

/** `a[b][c]` → a, b, c; nothing when the brackets do not balance. */
function stepsOf(name: string): string[] {
  const [, head, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  if (head === undefined) return []
  return brackets ? [head, ...brackets.slice(1, -1).split('][')] : [head]
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

/** A value to test: its name, and what the tables say of it, nothing where it is not in them. A member of a list cannot be a condition. */
type Tested = Subject & { name: readonly string[]; schemas: readonly Schema[]; isMember?: boolean; isNegated?: boolean }

async function compileTest(wanted: Wanted, tested: Tested, report: Report): Promise<Test> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report([], `an empty list matches no ${tested.areFields ? 'value' : 'call'}`)
    const tests: Test[] = []
    for (const one of wanted as readonly Scalar[]) tests.push(await compileTest(one, { ...tested, isMember: true }, report))
    return anyOf(tests)
  }
  if (isObject(wanted)) return compileConditions(wanted as Conditions, tested, report)
  const [, pattern, ignoreCase] = typeof wanted === 'string' ? (/^\/(.*)\/(i?)$/s.exec(wanted) ?? []) : []
  if (pattern !== undefined) return ofText(await compilePattern(pattern, ignoreCase === 'i', tested.patterns, message => report([], message)))
  const { answers = null } = tested
  const reference = referenceIn(String(wanted))
  if (reference !== null && answers !== null) return value => isEqual(tested)(value, answeredValue(wanted as string, answers))
  if (reference !== null) report([], valueless(reference))
  return tested.areFields ? compileField(wanted as Scalar | null, tested, report) : compileText(wanted as Scalar, tested, report)
}

/** Steps for each character of a value whose digest is compared. */
const DIGEST_STEPS = 2

/** A test of text that was sent. */
function compileText(wanted: Scalar, tested: Tested, report: Report): Test {
  const text = String(wanted)
  if (IS_DIGEST.test(text)) return ofText(metered(DIGEST_STEPS, value => digestOf(value) === text))
  if (tested.onlyRight) {
    const [problem, ...others] = tested.schemas.map(schema => neverSent(wanted, schema))
    if (problem && others.every(other => other !== null)) report([], `${problem}${tested.isMember ? '' : conditionMeant(text, tested.schemas)}`)
  }
  return value => value === text
}

/** A test of a field of a record, which has one table. What the table does not allow can never match; null asks for no value. */
async function compileField(wanted: Scalar | null, { name, schemas, isMember, isNegated }: Tested, report: Report): Promise<Test> {
  const schema = schemas[0] as Schema
  if (wanted === null && name.length > 1) return value => value === undefined
  const [problem] = await checkerOf(() => schema).problems(wanted)
  if (problem) report([], `${isNegated ? 'always matches' : 'can never match'}: ${problem.message}${isMember ? '' : conditionMeant(String(wanted), schemas)}`)
  return isField(schema)(wanted)
}

/** Makes the test of a field: instants are equal where they are the same moment, codes as they are stored. */
const isField =
  ({ format }: Schema) =>
  (wanted: Scalar | null): Test => {
    if (wanted === null) return value => value === undefined
    const at = format === 'instant' ? instantOf(String(wanted)) : null
    if (at !== null) return value => instantOf(String(value)) === at
    const stored = format === 'country' ? String(wanted).toUpperCase() : wanted
    return value => value === stored
  }

/** How a value is compared with what a step was answered. */
const isEqual =
  ({ areFields }: Tested) =>
  (value: Value, wanted: Json | undefined): boolean =>
    wanted === null ? value === undefined : value !== undefined && value === (areFields ? wanted : String(wanted))

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

const anyOf =
  (tests: readonly Test[]): Test =>
  (value, budget) => {
    let isPassed: boolean | null = false
    for (const test of tests) {
      const passed = test(value, budget)
      if (passed) return true
      if (passed === null) isPassed = null
    }
    return isPassed
  }

async function compileConditions(conditions: Conditions, tested: Tested, report: Report): Promise<Test> {
  const tests: Test[] = []
  for (const [condition, operand] of Object.entries(conditions) as [keyof Conditions, Wanted][]) {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined) tests.push(compileComparison(comparison, operand as Scalar, tested, message => note([], message)))
    else if (condition === 'present') tests.push(value => (value !== undefined) === operand)
    else tests.push(not(await compileTest(operand, { ...tested, onlyRight: false, isNegated: true }, note)))
  }
  const never = contradictionIn(conditions, tested)
  if (never !== null) report([], `can never match: ${never}`)
  return not(anyOf(tests.map(not)))
}

type Bound = { name: string; at: number; shown: string }

/** Why no value meets all conditions: bounds with nothing between them, those of a field among them, or a bound for what is not there; null where one can. */
function contradictionIn({ present, ...conditions }: Conditions, { areFields, schemas }: Tested): string | null {
  const given = Object.entries(conditions).flatMap(([name, bound]) => boundOf(name, bound as Scalar))
  if (given.length === 0) return null
  if (present === false) return `what is not ${areFields ? 'there' : 'sent'} has no value to compare`
  const bounds = areFields ? [...given, ...boundsOf(schemas[0] as Schema)] : given
  const least = Math.max(...bounds.filter(({ name }) => name.startsWith('g')).map(({ at }) => at))
  const most = Math.min(...bounds.filter(({ name }) => name.startsWith('l')).map(({ at }) => at))
  const isOpen = bounds.some(({ name, at }) => at === least && !name.endsWith('e'))
  if (least < most || (least === most && !isOpen)) return null
  return `no value is ${bounds
    .filter(({ at }) => at === least || at === most)
    .map(({ shown }) => shown)
    .join(' and ')}`
}

/** What a table allows of a field. */
const boundsOf = ({ minimum, maximum }: Schema): Bound[] =>
  Object.entries({ gte: minimum, lte: maximum }).flatMap(([name, bound]) => (bound === undefined ? [] : boundOf(name, bound)))

function boundOf(name: string, bound: Scalar): Bound[] {
  const at = typeof bound === 'number' ? bound : instantOf(String(bound))
  const words = COMPARISONS[name]?.words
  return words === undefined || at === null ? [] : [{ name, at, shown: `${words} ${bound}` }]
}

const NUMBER = /^-?\d+(\.\d+)?$/
const isNumeric = ({ type }: Schema) => [type].flat().some(name => name === 'integer' || name === 'number')

/** Compares numbers and instants; text has no order that a test should rely on. */
function compileComparison({ holds }: Comparison, bound: Scalar, { name, schemas, answers = null }: Tested, report: (message: string) => void): Test {
  const isNumber = schemas.some(isNumeric)
  if (!isNumber && !schemas.some(({ format }) => format === 'instant')) {
    report(`${name.join('.')} is text; numbers and instants can be compared, text is matched by value, list or /pattern/`)
    return () => false
  }
  const amountOf = (value: string) => (NUMBER.test(value) ? Number(value) : null)
  const placeOf = isNumber ? amountOf : instantOf
  const isRight = (value: string, at: number | null): boolean => {
    const place = placeOf(value)
    return place !== null && at !== null && holds(place, at)
  }
  if (answers !== null && referenceIn(String(bound)) !== null) {
    return ofText(value => isRight(value, placeOf(String(answeredValue(bound as string, answers)))))
  }
  const at = isNumber && typeof bound !== 'number' ? null : placeOf(String(bound))
  if (at === null) report(isNumber ? `must be a number; got ${bound}` : `must be an instant, such as 2026-03-01T10:00:00Z; got ${bound}`)
  return ofText(value => isRight(value, at))
}

/** Why no right call can have a value that is wanted; null where one can. */
function neverSent(wanted: Scalar, schema: Schema): string | null {
  const text = String(wanted)
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    const words = schema.enum.map(String)
    return `can never match: must be one of ${words.join(', ')}; got ${text}${didYouMean(text, words)}`
  }
  if (isNumeric(schema) && !NUMBER.test(text)) return `can never match: must be a number; got ${text}`
  if (schema.type === 'integer' && text.includes('.')) return `can never match: must be a whole number; got ${text}`
  const problem = schema.format === undefined ? null : FORMATS[schema.format as keyof typeof FORMATS].problem(text)
  if (problem === null) return null
  const isShort = schema.format === 'last4' && typeof wanted === 'number' && text.length < 4
  return `can never match: ${problem.expected}${isShort ? `; quote it: "${text.padStart(4, '0')}"` : ''}`
}

/** `; write { gt: 5000 }` for the text `>5000`; an empty text for one that compares nothing. */
function conditionMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^\s*([<>]=?)\s*(.*?)\s*$/.exec(text) ?? []
  const isComparable = schemas.some(isNumeric) ? NUMBER.test(bound) : instantOf(bound) !== null
  const [condition] = Object.keys(COMPARISONS).filter(name => COMPARISONS[name]?.sign === sign)
  return isComparable ? `; write { ${condition}: ${bound} }` : ''
}
