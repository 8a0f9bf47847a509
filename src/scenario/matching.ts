/** Which calls a script entry or an expectation is about: operations, what was sent, and which records a call is about. */
import { holdsCardNumber } from '../core/card-numbers.js'
import { FORMATS } from '../core/formats.js'
import { instantOf } from '../core/instants.js'
import { didYouMean, didYouMeanOneOf } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import { IS_DIGEST } from '../core/redaction.js'
import { nameOf, OPERATION_IDS, OPERATION_NAMES, type OperationId, operationNamed } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { digestOf } from './digests.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import { referenceIn, valueless } from './references.js'
import { ABOUT, type Conditions, type MatchData, type Names, type On, OPERATION, type Scalar, type Wanted } from './schemas.js'
import { pause } from './slices.js'

/** Looks a value up by its nested name, such as `['card', 'last4']`; null for a name that has further names below it, undefined for what was not sent. */
export type Values = (name: readonly string[]) => string | null | undefined
export type About = (typeof ABOUT)[number]
/** A call as it was sent. */
export type SentCall = {
  operation: OperationId
  key: string | null
  account?: string | null
  params: Values
  query: Values
  body: Values
  /** The id of the record that the call is about; undefined where it is about none of this kind. */
  about: (what: About) => string | undefined
  /** A value was too long for the pattern that it was to match; set by a matcher. */
  isTooLong?: boolean
}
export type Matcher = (call: SentCall) => boolean
export type { MatchData, On } from './schemas.js'

/** Whether a value is what is wanted; null when it is too long to be looked at. */
type Test = (value: string | null | undefined) => boolean | null

/** The parts of a match that hold names of parameters, each with the table that these are in. */
export const SECTIONS = { params: 'params', query: 'querystring', body: 'body' } as const
type Comparison = { sign: string; words: string; holds: (value: number, bound: number) => boolean }
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', words: 'above', holds: (value, bound) => value > bound },
  gte: { sign: '>=', words: 'at least', holds: (value, bound) => value >= bound },
  lt: { sign: '<', words: 'below', holds: (value, bound) => value < bound },
  lte: { sign: '<=', words: 'at most', holds: (value, bound) => value <= bound }
}
const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

/** The operations that `on` names; none with every problem reported. */
export function operationsOn(on: On, report: Report): OperationId[] {
  if (on === '*') return OPERATION_IDS
  const operations = new Set<OperationId>()
  let isRight = true
  for (const [index, name] of [on].flat().entries()) {
    const operation = operationNamed(name)
    if (operation === null) {
      report(Array.isArray(on) ? ['on', index] : ['on'], unknownOperation(name))
      isRight = false
    } else operations.add(operation)
  }
  return isRight ? [...operations] : []
}

/** The operations of an entry or expectation as a sentence names them. */
export const shownOn = (on: On): string => (on === '*' ? 'any operation' : [on].flat().join(' or '))

/** What to say of a name that is no operation. */
const unknownOperation = (name: string) => `${name} is no ${OPERATION.what}${didYouMeanOneOf(name, OPERATION_NAMES, OPERATION.advice)}`
/**
 * Compiles `match` for calls of these operations; null when it asks for nothing, so that every such call matches. With `onlyRight`, values that no right call
 * can have are problems too. Problems are reported by their place in the entry or expectation.
 */
export async function compileMatch(
  operations: readonly OperationId[],
  data: MatchData | undefined,
  report: Report,
  { onlyRight = false }: { onlyRight?: boolean } = {}
): Promise<Matcher | null> {
  const tests: Matcher[] = []
  for (const [section, table] of Object.entries(SECTIONS) as [keyof typeof SECTIONS, keyof Tables][]) {
    const names = data?.[section]
    if (names === undefined) continue
    const schemas = operations.flatMap(operation => {
      const schema = (TABLES[operation] as Tables)[table]
      return schema === undefined ? [] : [schemaOf(schema)]
    })
    if (schemas.length === 0) {
      report(['match', section], `${operations.map(nameOf).join(', ')} ${operations.length === 1 ? 'has' : 'have'} no ${section}`)
      continue
    }
    for (const { name, test } of await compileNames(names, { schemas, under: [], onlyRight }, within(report, 'match', section))) {
      tests.push(call => passes(call, test(call[section](name))))
    }
  }
  for (const name of ['key', 'account'] as const) {
    const wanted = data?.[name]
    if (wanted === undefined) continue
    const test = await compileTest(wanted, { name: [name], schemas: [], onlyRight }, within(report, 'match', name))
    tests.push(call => passes(call, test(call[name] ?? undefined)))
  }
  for (const what of ABOUT) {
    const wanted = data?.about?.[what]
    if (wanted === undefined) continue
    const test = await compileTest(wanted, { name: [what], schemas: [], onlyRight }, within(report, 'match', 'about', what))
    tests.push(call => passes(call, test(call.about(what))))
  }
  return tests.length === 0 ? null : call => tests.every(test => test(call))
}

/** Whether a test is passed; a value that is too long is noted in the call. */
function passes(call: SentCall, passed: boolean | null): boolean {
  if (passed === null) call.isTooLong = true
  return passed === true
}

/** Where names are looked up: the tables of the operations, at a nested name. */
type At = { schemas: readonly Schema[]; under: readonly string[]; onlyRight: boolean }

async function compileNames(names: Names, { schemas, under, onlyRight }: At, report: Report): Promise<{ name: string[]; test: Test }[]> {
  const compiled: { name: string[]; test: Test }[] = []
  for (const [written, wanted] of Object.entries(names)) {
    const [head, ...inner] = stepsOf(written)
    if (head === undefined) {
      report([written], 'the brackets are not balanced: a nested name is written parent[child]')
      continue
    }
    const name = [...under, head]
    const parts = schemas.flatMap(schema => partOf(schema, head) ?? [])
    const at = { schemas: parts, under: name, onlyRight }
    if (parts.length === 0) {
      const known = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
      report([written], `${name.join('.')} is not a parameter of this call${didYouMean(head, known)}`)
    } else if (inner.length > 0) {
      const rest = inner.length === 1 ? wanted : { [inner.slice(1).join('[')]: wanted }
      for (const one of await compileNames({ [inner[0] as string]: rest as Wanted }, at, (_steps, message) => report([written], message))) compiled.push(one)
    } else if (isObject(wanted) && !isCondition(wanted, parts)) {
      for (const one of await compileNames(wanted as Names, at, within(report, written))) compiled.push(one)
    } else {
      compiled.push({ name, test: await compileTest(wanted as Wanted, { name, schemas: parts, onlyRight }, within(report, written)) })
    }
  }
  return compiled
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

/** A value to test: its name, and what the tables say of it, nothing where it is not a parameter. A member of a list cannot be a condition. */
type Tested = { name: readonly string[]; schemas: readonly Schema[]; onlyRight: boolean; isMember?: boolean }

async function compileTest(wanted: Wanted, tested: Tested, report: Report): Promise<Test> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report([], 'an empty list matches no call')
    const tests: Test[] = []
    for (const one of wanted as readonly Scalar[]) tests.push(await compileTest(one, { ...tested, isMember: true }, report))
    return anyOf(tests)
  }
  if (isObject(wanted)) return compileConditions(wanted as Conditions, tested, report)
  const [, pattern, ignoreCase] = typeof wanted === 'string' ? (/^\/(.*)\/(i?)$/s.exec(wanted) ?? []) : []
  if (pattern !== undefined) return ofText(await compilePattern(pattern, ignoreCase === 'i', message => report([], message)))
  const text = String(wanted)
  const reference = referenceIn(text)
  if (reference !== null) report([], valueless(reference))
  if (IS_DIGEST.test(text)) return ofText(value => digestOf(value) === text)
  if (tested.onlyRight && tested.schemas.length > 0) {
    const [problem, ...others] = tested.schemas.map(schema => neverSent(wanted as Scalar, schema))
    if (problem && others.every(other => other !== null)) report([], `${problem}${tested.isMember ? '' : conditionMeant(text, tested.schemas)}`)
  }
  return ofText(value => value === text)
}

/** A test of a value that was sent as text; any other value does not pass. */
const ofText =
  (test: (value: string) => boolean | null): Test =>
  value =>
    typeof value === 'string' && test(value)

const not =
  (test: Test): Test =>
  value => {
    const passed = test(value)
    return passed === null ? null : !passed
  }

const anyOf =
  (tests: readonly Test[]): Test =>
  value => {
    let isPassed: boolean | null = false
    for (const test of tests) {
      const passed = test(value)
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
    else tests.push(not(await compileTest(operand, { ...tested, onlyRight: false }, note)))
  }
  const never = contradictionIn(conditions)
  if (never !== null) report([], `can never match: ${never}`)
  return not(anyOf(tests.map(not)))
}

/** Why no value meets all conditions: bounds with nothing between them, or a bound for what is not sent; null where one can. */
function contradictionIn({ present, ...conditions }: Conditions): string | null {
  const bounds = Object.entries(conditions).flatMap(([name, bound]) => {
    const at = typeof bound === 'number' ? bound : instantOf(String(bound))
    const words = COMPARISONS[name]?.words
    return words !== undefined && at !== null ? [{ name, at, shown: `${words} ${bound}` }] : []
  })
  if (present === false && bounds.length > 0) return 'what is not sent has no value to compare'
  const least = Math.max(...bounds.filter(({ name }) => name.startsWith('g')).map(({ at }) => at))
  const most = Math.min(...bounds.filter(({ name }) => name.startsWith('l')).map(({ at }) => at))
  const isOpen = bounds.some(({ name, at }) => at === least && !name.endsWith('e'))
  return least > most || (least === most && isOpen) ? `no value is ${bounds.map(({ shown }) => shown).join(' and ')}` : null
}

const NUMBER = /^-?\d+(\.\d+)?$/
const isNumeric = ({ type }: Schema) => [type].flat().some(name => name === 'integer' || name === 'number')

/** Compares numbers and instants; text has no order that a test should rely on. */
function compileComparison({ holds }: Comparison, bound: Scalar, { name, schemas }: Tested, report: (message: string) => void): Test {
  if (schemas.some(isNumeric)) {
    if (typeof bound !== 'number') report(`a number was expected, not ${bound}`)
    return ofText(value => NUMBER.test(value) && holds(Number(value), bound as number))
  }
  if (schemas.some(({ format }) => format === 'instant')) {
    const at = instantOf(String(bound))
    if (at === null) report(`an instant was expected, such as 2026-03-01T10:00:00Z, not ${bound}`)
    return ofText(value => {
      const instant = instantOf(value)
      return instant !== null && holds(instant, at as number)
    })
  }
  report(`${name.join('.')} is text; numbers and instants can be compared, text is matched by value, list or /pattern/`)
  return () => false
}

/** Why no right call can have a value that is wanted; null where one can. */
function neverSent(wanted: Scalar, schema: Schema): string | null {
  const text = String(wanted)
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    const words = schema.enum.filter(word => word !== null).map(String)
    return `can never match: one of ${words.join(', ')} was expected, not ${text}${didYouMean(text, words)}`
  }
  if (isNumeric(schema) && !NUMBER.test(text)) return `can never match: a number was expected, not ${text}`
  if (schema.type === 'integer' && text.includes('.')) return `can never match: a whole number was expected, not ${text}`
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
  return condition !== undefined && isComparable ? `; write { ${condition}: ${bound} }` : ''
}

/** Characters that a pattern has at most, and instructions that it compiles to at most: a repeat needs many. */
export const MOST_PATTERN = 1000
export const MOST_INSTRUCTIONS = 500
/** Characters that a value has at most for a pattern to be matched against it. */
export const MOST_MATCHED = 4096
const REPEAT = /\{(\d+)(?:,(\d*))?\}/g

/** A regular expression in linear time, whatever the pattern and the value. */
async function compilePattern(pattern: string, ignoreCase: boolean, report: (message: string) => void): Promise<(value: string) => boolean | null> {
  const refuse = (message: string) => {
    report(message)
    return () => false
  }
  if (pattern.length > MOST_PATTERN) return refuse(`a pattern has at most ${MOST_PATTERN} characters, not ${pattern.length}`)
  if (holdsCardNumber(pattern)) return refuse('a pattern cannot hold a whole card number; write the number as text; a digest of it is kept')
  const repeats = Array.from(pattern.matchAll(REPEAT), ([, least, most]) => Number(most || least)).reduce((sum, count) => sum + count, 0)
  if (repeats > MOST_INSTRUCTIONS) return refuse(`/${pattern}/ repeats too often: all counts in {} may add up to ${MOST_INSTRUCTIONS}`)
  await pause()
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    if (compiled.programSize() > MOST_INSTRUCTIONS) return refuse(`/${pattern}/ is too large: it compiles to more than ${MOST_INSTRUCTIONS} instructions`)
    return value => (value.length > MOST_MATCHED ? null : compiled.matcher(value).find())
  } catch (error) {
    return refuse(`/${pattern}/ is not a regular expression of the RE2 syntax: ${(error as Error).message}`)
  }
}
