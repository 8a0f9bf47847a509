/** Conditions on named values, compiled once and tested for each request or record. */
import { firstProblem } from '../../core/checking.js'
import { instantOf } from '../../core/instants.js'
import { shortened } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { IS_DIGEST } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { type Report, within } from '../documents.js'
import { recordPath, referenceIn, resolvedValue } from '../play/references.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import { entriesOf, isList, present } from '../shape/checked.js'
import type { Conditions, Names, Scalar, Wanted } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'
import { fieldNamed, lookedUp, partOf, type Scope, type Tested, type Value } from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED } from './patterns.js'

/** `subject` is the request, response or record that has the value. */
export type Test<Subject> = (value: Value, subject: Subject) => boolean

export type Condition<Subject> = {
  name: string
  wanted: string
  valueIn: (subject: Subject) => Value
  test: Test<Subject>
}
export type WrittenCondition<Subject> = Condition<Subject> & { path: readonly Step[]; data: Wanted }

const isMet = <Subject>({ valueIn, test }: Condition<Subject>, subject: Subject): boolean =>
  test(valueIn(subject), subject)

export const areMet = <Subject>(
  conditions: readonly Condition<Subject>[],
  subject: Subject
): boolean => conditions.every(condition => isMet(condition, subject))

export const unmetBy = <Subject, C extends Condition<Subject>>(
  subject: Subject,
  conditions: readonly C[]
): C[] => conditions.filter(condition => !isMet(condition, subject))

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

export function compileNames<Subject>(
  names: Names,
  under: Scope<Subject>,
  report: Report,
  path: readonly Step[] = []
): WrittenCondition<Subject>[] {
  return Object.entries(names).flatMap(([key, wanted]) => {
    const note = within(report, key)
    const scope = lookedUp(key, under, note)
    if (scope === null) return []
    const place = [...path, key]
    if (isNested(wanted, scope.schemas)) return compileNames(wanted, scope, note, place)
    const { name, valueIn } = scope
    return {
      name: name.join('.'),
      path: place,
      data: wanted,
      wanted: shownWanted(wanted),
      valueIn: subject => valueIn(subject, name),
      test: compileTest(wanted, scope, note)
    }
  })
}

const isNested = (wanted: Wanted | Names, schemas: readonly Schema[]): wanted is Names =>
  isObject(wanted) && !isCondition(wanted, schemas)

/** Names that the schemas have are no conditions, even where they are spelled like one. */
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
  if (isList(wanted)) return `one of ${wanted.map(shownWanted).join(', ')}`
  if (!isObject(wanted)) return wanted === null ? 'no value' : shortened(String(wanted))
  const conditions = entriesOf(wanted).map(([name, operand]) => {
    if (name === 'present') return operand ? 'a value' : 'no value'
    return name === 'not' ? `not ${shownWanted(operand)}` : `${COMPARISONS[name]?.sign} ${operand}`
  })
  return conditions.join(' and ')
}

export function compileTest<Subject>(
  wanted: Wanted,
  scope: Tested<Subject>,
  report: Report
): Test<Subject> {
  if (isList(wanted)) {
    if (wanted.length === 0) report([], say('matches_nothing'))
    const tests = wanted.map(item => compileTest(item, { ...scope, isMember: true }, report))
    return (value, subject) => tests.some(test => test(value, subject))
  }
  if (isObject(wanted)) return compileConditions(wanted, scope, report)
  const text = String(wanted)
  if (isPattern(text)) return ofText(compilePattern(text, report))
  if (referenceIn(text) === null) return compileValue(wanted, scope, report)
  const referred = compileReference(text, scope, report)
  return (value, subject) => {
    const now = referred(subject)
    return now === null
      ? value === undefined
      : value != null && now !== undefined && String(value) === String(now)
  }
}

const ofText =
  (test: (value: string) => boolean): Test<unknown> =>
  value =>
    value != null && test(String(value))

const NO_RESPONSES: ReadonlyMap<string, Json> = new Map()

/** Null for no value, undefined while it is unknown. */
function compileReference<Subject>(
  text: string,
  { responses = NO_RESPONSES, fields }: Tested<Subject>,
  report: Report
): (subject: Subject) => Json | undefined {
  const path = recordPath(text)
  if (fields !== undefined && path !== undefined) {
    const { name } = fieldNamed(path, fields, report) ?? fields
    return subject => fields.valueIn(subject, name) ?? null
  }
  if (responses === NO_RESPONSES)
    report([], say('reference_without_value', present(referenceIn(text))))
  return () => resolvedValue(text, responses)
}

/** Null matches a missing value. */
function compileValue<Subject>(
  wanted: Scalar | null,
  scope: Tested<Subject>,
  report: Report
): Test<Subject> {
  const { fields, schemas, name } = scope
  const text = String(wanted)
  if (fields === undefined && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  // a nested value can be missing with its object
  if (wanted !== null || name.length === 1) checkPossible(wanted, scope, report)
  if (wanted === null) return value => value === undefined
  if (fields !== undefined) return compileField(present(schemas[0]), wanted)
  const number = schemas.some(isNumeric) ? numberIn(text) : null
  return value => value === text || (number !== null && numberIn(String(value)) === number)
}

function checkPossible<Subject>(
  wanted: Scalar | null,
  { fields, schemas, onlyRight, isMember, isNegated }: Tested<Subject>,
  report: Report
): void {
  const text = String(wanted)
  const advice = conditionMeant(text, schemas)
  if (fields === undefined && !onlyRight && advice === '') return
  const problems = schemas.map(schema => {
    if (fields !== undefined) return firstProblem(schema, wanted)
    // of a nested parameter only the parts are sent
    if (schema.type === 'object') return null
    return firstProblem(schema, (isNumeric(schema) ? numberIn(text) : null) ?? text)
  })
  const [first = null] = problems
  if (first === null || problems.includes(null)) return
  const code = isNegated ? 'always_matches' : 'never_matches'
  report([], say(code, first.message, isMember ? '' : advice))
}

function compileField({ format }: Schema, wanted: Scalar): Test<unknown> {
  const instant = format === 'instant' ? instantOf(String(wanted)) : null
  if (instant !== null) return value => instantOf(String(value)) === instant
  const stored = format === 'country' ? String(wanted).toUpperCase() : wanted
  return value => value === stored
}

/** `; write { gt: 5000 }` for `>5000`; empty where nothing is compared. */
function conditionMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^([<>]=?) *(.*)/s.exec(text.trim()) ?? []
  const isNumber = schemas.some(isNumeric) && numberIn(bound) !== null
  const isComparable = isNumber || (schemas.some(isInstant) && instantOf(bound) !== null)
  const [condition] = Object.keys(COMPARISONS).filter(name => COMPARISONS[name]?.sign === sign)
  return isComparable ? `; write { ${condition}: ${bound} }` : ''
}

const hasNumber = (wanted: unknown): boolean =>
  typeof wanted === 'number' || (isObject(wanted) && Object.values(wanted).some(hasNumber))

/** Of a value in a response: the wanted value says whether numbers or instants are compared. */
export function compileShown(wanted: Wanted, report: Report): (value: Value) => boolean {
  const schemas: Schema[] = [hasNumber(wanted) ? { type: 'number' } : { format: 'instant' }]
  const scope = { schemas, name: ['body'], responses: new Map<string, Json>() }
  const test = compileTest<unknown>(wanted, scope, report)
  return value => test(value, null)
}

function compileConditions<Subject>(
  conditions: Conditions,
  scope: Tested<Subject>,
  report: Report
): Test<Subject> {
  const tests = entriesOf(conditions).map(([condition, operand]): Test<Subject> => {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined) return compileComparison(comparison, operand, scope, note)
    if (condition === 'present') return value => (value !== undefined) === operand
    const negated = { ...scope, onlyRight: false, isNegated: true }
    const excluded = compileTest(operand, negated, note)
    return (value, subject) => !excluded(value, subject)
  })
  if (tests.length === 0) report([], check('empty'))
  checkBounds(conditions, scope, report)
  return (value, subject) => tests.every(test => test(value, subject))
}

/** Of numbers and instants: text has no order to rely on. */
function compileComparison<Subject>(
  { holds }: Comparison,
  bound: Wanted,
  scope: Tested<Subject>,
  report: Report
): Test<Subject> {
  const isNumber = scope.schemas.some(isNumeric)
  const placeOf = isNumber ? numberIn : instantOf
  const isHeld = (value: Value, limit: number | null) => {
    const place = value == null ? null : placeOf(String(value))
    return place !== null && limit !== null && holds(place, limit)
  }
  if (!isNumber && !scope.schemas.some(isInstant))
    report([], say('not_comparable', scope.name.join('.')))
  else if (referenceIn(String(bound)) !== null) {
    const limitNow = compileReference(String(bound), scope, report)
    return (value, subject) => isHeld(value, placeOf(String(limitNow(subject))))
  } else {
    const problem = isNumber
      ? firstProblem({ type: 'number' }, bound)
      : firstProblem({ format: 'instant' }, String(bound))
    if (problem !== null) report([], problem)
  }
  const limit = placeOf(String(bound))
  return value => isHeld(value, limit)
}

function checkBounds<Subject>(
  { present, ...conditions }: Conditions,
  { fields, schemas: [{ minimum, maximum } = {}] }: Tested<Subject>,
  report: Report
): void {
  const writtenBounds = boundsIn(conditions)
  if (writtenBounds.length === 0) return
  if (present === false) report([], say('compares_nothing'))
  const bounds = fields
    ? [...writtenBounds, ...boundsIn({ gte: minimum, lte: maximum })]
    : writtenBounds
  for (const low of bounds.filter(({ name }) => name.startsWith('g'))) {
    const high = bounds.find(
      ({ name, limit }) =>
        name.startsWith('l') &&
        (limit < low.limit || (limit === low.limit && `${low.name}${name}` !== 'gtelte'))
    )
    if (high === undefined) continue
    report([], say('nothing_between', low.text, high.text))
    return
  }
}

const boundsIn = (conditions: object): { name: string; limit: number; text: string }[] =>
  Object.entries(conditions).flatMap(([name, bound]) => {
    const limit = typeof bound === 'number' ? bound : instantOf(String(bound))
    const words = COMPARISONS[name]?.words
    return words === undefined || limit === null ? [] : [{ name, limit, text: `${words} ${bound}` }]
  })
