/** Conditions on named values: compiled once, then tested for each request or record. */
import { firstProblem } from '../../core/checking.js'
import { instantOf } from '../../core/instants.js'
import { shortened } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { IS_DIGEST } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { type Report, within } from '../documents.js'
import { answeredValue, recordPath, referenceIn } from '../play/references.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import type { Conditions, Names, Scalar, Wanted } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'
import { type At, fieldNamed, lookedUp, partOf, type Tested, type Value } from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED } from './patterns.js'

/** Of a record, a value may be compared with its other fields. */
export type Test<Of> = (value: Value, of: Of) => boolean

/** `wanted` is the condition in words. */
export type Condition<Of> = {
  name: string
  wanted: string
  valueIn: (of: Of) => Value
  test: Test<Of>
}
/** `at` is where it is written. */
export type WrittenCondition<Of> = Condition<Of> & { at: readonly Step[]; data: Wanted }

const isMet = <Of>({ valueIn, test }: Condition<Of>, of: Of): boolean => test(valueIn(of), of)

export const areMet = <Of>(conditions: readonly Condition<Of>[], of: Of): boolean =>
  conditions.every(condition => isMet(condition, of))

export const unmetBy = <Of, C extends Condition<Of>>(of: Of, conditions: readonly C[]): C[] =>
  conditions.filter(condition => !isMet(condition, of))

type Comparison = {
  sign: string
  words: string
  holds: (value: number, bound: number) => boolean
}
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', words: 'above', holds: (value, bound) => value > bound },
  gte: { sign: '>=', words: 'at least', holds: (value, bound) => value >= bound },
  lt: { sign: '<', words: 'below', holds: (value, bound) => value < bound },
  lte: { sign: '<=', words: 'at most', holds: (value, bound) => value <= bound }
}
const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

const numberIn = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null)
const isNumeric = ({ type }: Schema) =>
  [type].flat().some(name => name === 'integer' || name === 'number')
const isInstant = ({ format }: Schema) => format === 'instant'

/** Problems have their place below these names, as they are `written`. */
export function compileNames<Of>(
  names: Names,
  under: At<Of>,
  report: Report,
  written: readonly Step[] = []
): WrittenCondition<Of>[] {
  return Object.entries(names).flatMap(([key, wanted]) => {
    const note = within(report, key)
    const at = lookedUp(key, under, note)
    if (at === null) return []
    const place = [...written, key]
    if (isObject(wanted) && !isCondition(wanted, at.schemas))
      return compileNames(wanted as Names, at, note, place)
    const { name, valueIn } = at
    return {
      name: name.join('.'),
      at: place,
      data: wanted as Wanted,
      wanted: shownWanted(wanted as Wanted),
      valueIn: of => valueIn(of, name),
      test: compileTest(wanted as Wanted, at, note)
    }
  })
}

/** One that has parts can have `present` alone. */
export function isCondition(wanted: object, schemas: readonly Schema[]): wanted is Conditions {
  const names = Object.keys(wanted)
  return (
    names.length > 0 &&
    names.every(
      name =>
        CONDITIONS.includes(name) && schemas.every(schema => partOf(schema, name) === undefined)
    )
  )
}

export function shownWanted(wanted: Wanted): string {
  if (Array.isArray(wanted)) return `one of ${wanted.map(shownWanted).join(', ')}`
  if (!isObject(wanted)) return wanted === null ? 'no value' : shortened(String(wanted))
  const conditions = Object.entries(wanted).map(([name, operand]) => {
    if (name === 'present') return operand ? 'a value' : 'no value'
    return name === 'not'
      ? `not ${shownWanted(operand as Wanted)}`
      : `${COMPARISONS[name]?.sign} ${operand}`
  })
  return conditions.join(' and ')
}

export function compileTest<Of>(wanted: Wanted, at: Tested<Of>, report: Report): Test<Of> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report([], say('matches_nothing'))
    const tests = wanted.map(one => compileTest(one, { ...at, isMember: true }, report))
    return (value, of) => tests.some(test => test(value, of))
  }
  if (isObject(wanted)) return compileConditions(wanted as Conditions, at, report)
  const text = String(wanted)
  if (isPattern(text)) return ofText(compilePattern(text, report))
  if (referenceIn(text) === null) return compileValue(wanted as Scalar | null, at, report)
  const referred = compileReference(text, at, report)
  return (value, of) => {
    const now = referred(of)
    return now === null
      ? value === undefined
      : value != null && now !== undefined && String(value) === String(now)
  }
}

const ofText =
  (test: (value: string) => boolean): Test<unknown> =>
  value =>
    value != null && test(String(value))

const NO_ANSWERS: ReadonlyMap<string, Json> = new Map()

/** Null for no value, undefined for one that is not known yet. */
function compileReference<Of>(
  text: string,
  { answers = NO_ANSWERS, fields }: Tested<Of>,
  report: Report
): (of: Of) => Json | undefined {
  const path = recordPath(text)
  if (fields !== undefined && path !== undefined) {
    const { name } = fieldNamed(path, fields, report) ?? fields
    return of => fields.valueIn(of, name) ?? null
  }
  if (answers === NO_ANSWERS)
    report([], say('reference_without_value', referenceIn(text) as string))
  return () => answeredValue(text, answers)
}

/** A value that the tables do not allow can never match; null asks for no value. */
function compileValue<Of>(wanted: Scalar | null, at: Tested<Of>, report: Report): Test<Of> {
  const { fields, schemas } = at
  const text = String(wanted)
  if (fields === undefined && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  // what an object may leave out can always have no value
  if (wanted !== null || at.name.length === 1) checkPossible(wanted, at, report)
  if (wanted === null) return value => value === undefined
  if (fields !== undefined) return compileField(schemas[0] as Schema, wanted)
  const number = schemas.some(isNumeric) ? numberIn(text) : null
  return value => value === text || (number !== null && numberIn(String(value)) === number)
}

function checkPossible<Of>(
  wanted: Scalar | null,
  { fields, schemas, onlyRight, isMember, isNegated }: Tested<Of>,
  report: Report
): void {
  const text = String(wanted)
  const meant = conditionMeant(text, schemas)
  if (fields === undefined && !onlyRight && meant === '') return
  const problems = schemas.map(schema => {
    if (fields !== undefined) return firstProblem(schema, wanted)
    // a parameter that has parts is sent by them
    if (schema.type === 'object') return null
    return firstProblem(schema, (isNumeric(schema) ? numberIn(text) : null) ?? text)
  })
  const [first = null] = problems
  if (first === null || problems.includes(null)) return
  const code = isNegated ? 'always_matches' : 'never_matches'
  report([], say(code, first.message, isMember ? '' : meant))
}

function compileField({ format }: Schema, wanted: Scalar): Test<unknown> {
  const at = format === 'instant' ? instantOf(String(wanted)) : null
  if (at !== null) return value => instantOf(String(value)) === at
  const stored = format === 'country' ? String(wanted).toUpperCase() : wanted
  return value => value === stored
}

/** `; write { gt: 5000 }` for the text `>5000`; an empty text for one that compares nothing. */
function conditionMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^([<>]=?) *(.*)/s.exec(text.trim()) ?? []
  const isNumber = schemas.some(isNumeric) && numberIn(bound) !== null
  const isComparable = isNumber || (schemas.some(isInstant) && instantOf(bound) !== null)
  const [condition] = Object.keys(COMPARISONS).filter(name => COMPARISONS[name]?.sign === sign)
  return isComparable ? `; write { ${condition}: ${bound} }` : ''
}

const hasNumber = (wanted: unknown): boolean =>
  typeof wanted === 'number' || (isObject(wanted) && Object.values(wanted).some(hasNumber))

/** A test of a value of a response by what is written alone. */
export function compileShown(wanted: Wanted, report: Report): (value: Value) => boolean {
  const schemas: Schema[] = [hasNumber(wanted) ? { type: 'number' } : { format: 'instant' }]
  const at = { schemas, name: ['body'], answers: new Map<string, Json>() }
  const test = compileTest<unknown>(wanted, at, report)
  return value => test(value, null)
}

function compileConditions<Of>(conditions: Conditions, at: Tested<Of>, report: Report): Test<Of> {
  const tests = Object.entries(conditions).map(([condition, operand]): Test<Of> => {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined) return compileComparison(comparison, operand as Scalar, at, note)
    if (condition === 'present') return value => (value !== undefined) === operand
    const negated = { ...at, onlyRight: false, isNegated: true }
    const excluded = compileTest(operand as Wanted, negated, note)
    return (value, of) => !excluded(value, of)
  })
  if (tests.length === 0) report([], check('empty'))
  checkBounds(conditions, at, report)
  return (value, of) => tests.every(test => test(value, of))
}

/** Compares numbers and instants; text has no order that a test should rely on. */
function compileComparison<Of>(
  { holds }: Comparison,
  bound: Scalar,
  at: Tested<Of>,
  report: Report
): Test<Of> {
  const isNumber = at.schemas.some(isNumeric)
  const placeOf = isNumber ? numberIn : instantOf
  const isHeld = (value: Value, limit: number | null) => {
    const place = value == null ? null : placeOf(String(value))
    return place !== null && limit !== null && holds(place, limit)
  }
  if (!isNumber && !at.schemas.some(isInstant)) report([], say('not_comparable', at.name.join('.')))
  else if (referenceIn(String(bound)) !== null) {
    const limitNow = compileReference(String(bound), at, report)
    return (value, of) => isHeld(value, placeOf(String(limitNow(of))))
  } else {
    const problem = isNumber
      ? firstProblem({ type: 'number' }, bound)
      : firstProblem({ format: 'instant' }, String(bound))
    if (problem !== null) report([], problem)
  }
  const limit = placeOf(String(bound))
  return value => isHeld(value, limit)
}

/** Bounds that no value can meet together. */
function checkBounds<Of>(
  { present, ...conditions }: Conditions,
  { fields, schemas: [{ minimum, maximum } = {}] }: Tested<Of>,
  report: Report
): void {
  const written = boundsIn(conditions)
  if (written.length === 0) return
  if (present === false) report([], say('compares_nothing'))
  const bounds = fields ? [...written, ...boundsIn({ gte: minimum, lte: maximum })] : written
  for (const low of bounds.filter(({ name }) => name.startsWith('g'))) {
    const high = bounds.find(
      ({ name, at }) =>
        name.startsWith('l') &&
        (at < low.at || (at === low.at && `${low.name}${name}` !== 'gtelte'))
    )
    if (high === undefined) continue
    report([], say('nothing_between', low.shown, high.shown))
    return
  }
}

const boundsIn = (conditions: object): { name: string; at: number; shown: string }[] =>
  Object.entries(conditions).flatMap(([name, bound]) => {
    const at = typeof bound === 'number' ? bound : instantOf(String(bound))
    const words = COMPARISONS[name]?.words
    return words === undefined || at === null ? [] : [{ name, at, shown: `${words} ${bound}` }]
  })
