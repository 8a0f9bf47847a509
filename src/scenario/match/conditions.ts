/** Conditions on named values, compiled once and tested for each request or record. */
import { firstProblem } from '../../core/checking.js'
import { instantOf } from '../../core/instants.js'
import { shortened } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { IS_DIGEST } from '../../core/redaction.js'
import { isObject } from '../../core/schema-words.js'
import type { Schema } from '../../reference/parameters.js'
import { type Report, within } from '../documents.js'
import { referenceIn, resolvedValue } from '../play/references.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import { entriesOf, isList, present } from '../shape/checked.js'
import type { Conditions, Names, Scalar, Wanted } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'
import { lookedUp, partOf, type Scope, type Tested, type Value } from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED } from './patterns.js'

export type Test = (value: Value) => boolean

/** `Subject` is the request, response or record that has the value. */
export type Condition<Subject> = {
  name: string
  wanted: string
  valueIn: (subject: Subject) => Value
  isMet: (subject: Subject) => boolean
}
export type WrittenCondition<Subject> = Condition<Subject> & { path: readonly Step[]; data: Wanted }

export const areMet = <Subject>(
  conditions: readonly Condition<Subject>[],
  subject: Subject
): boolean => conditions.every(({ isMet }) => isMet(subject))

export const unmetBy = <Subject, C extends Condition<Subject>>(
  subject: Subject,
  conditions: readonly C[]
): C[] => conditions.filter(({ isMet }) => !isMet(subject))

type Comparison = { sign: string; holds: (value: number, bound: number) => boolean }
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', holds: (value, bound) => value > bound },
  gte: { sign: '>=', holds: (value, bound) => value >= bound },
  lt: { sign: '<', holds: (value, bound) => value < bound },
  lte: { sign: '<=', holds: (value, bound) => value <= bound }
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
    const { name } = scope
    const valueIn = (subject: Subject) => scope.valueIn(subject, name)
    const test = compileTest(wanted, scope, note)
    return {
      name: name.join('.'),
      path: place,
      data: wanted,
      wanted: shownWanted(wanted),
      valueIn,
      isMet: subject => test(valueIn(subject))
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

export function compileTest(wanted: Wanted, scope: Tested, report: Report): Test {
  if (isList(wanted)) {
    const tests = wanted.map(item => compileTest(item, { ...scope, isMember: true }, report))
    return value => tests.some(test => test(value))
  }
  if (isObject(wanted)) return compileConditions(wanted, scope, report)
  const text = String(wanted)
  if (isPattern(text)) return ofText(compilePattern(text, report))
  if (referenceIn(text) === null) return compileValue(wanted, scope, report)
  const referred = compileReference(text, scope, report)
  return value => {
    const now = referred()
    return now === null
      ? value === undefined
      : value != null && now !== undefined && String(value) === String(now)
  }
}

const ofText =
  (test: (value: string) => boolean): Test =>
  value =>
    value != null && test(String(value))

/** Null for no value, undefined while it is unknown. */
function compileReference(
  text: string,
  { responses }: Tested,
  report: Report
): () => Json | undefined {
  if (responses !== undefined) return () => resolvedValue(text, responses)
  report([], say('reference_without_value', present(referenceIn(text))))
  return () => undefined
}

/** Null matches a missing value. */
function compileValue(wanted: Scalar | null, scope: Tested, report: Report): Test {
  const { isTyped, schemas, name } = scope
  const text = String(wanted)
  if (!isTyped && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  // a nested value can be missing with its object
  if (wanted !== null || name.length === 1) checkPossible(wanted, scope, report)
  if (wanted === null) return value => value === undefined
  if (isTyped) return compileField(present(schemas[0]), wanted)
  const number = schemas.some(isNumeric) ? numberIn(text) : null
  return value => value === text || (number !== null && numberIn(String(value)) === number)
}

function checkPossible(
  wanted: Scalar | null,
  { isTyped, schemas, onlyRight, isMember, isNegated }: Tested,
  report: Report
): void {
  const text = String(wanted)
  const advice = conditionMeant(text, schemas)
  if (!isTyped && !onlyRight && advice === '') return
  const problems = schemas.map(schema => {
    if (isTyped) return firstProblem(schema, wanted)
    // of a nested parameter only the parts are sent
    if (schema.type === 'object') return null
    return firstProblem(schema, (isNumeric(schema) ? numberIn(text) : null) ?? text)
  })
  const [first = null] = problems
  if (first === null || problems.includes(null)) return
  const code = isNegated ? 'always_matches' : 'never_matches'
  report([], say(code, first.message, isMember ? '' : advice))
}

function compileField({ format }: Schema, wanted: Scalar): Test {
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
export function compileShown(wanted: Wanted, report: Report): Test {
  const schemas: Schema[] = [hasNumber(wanted) ? { type: 'number' } : { format: 'instant' }]
  return compileTest(wanted, { schemas, name: ['body'], responses: new Map() }, report)
}

function compileConditions(conditions: Conditions, scope: Tested, report: Report): Test {
  const tests = entriesOf(conditions).map(([condition, operand]): Test => {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined) return compileComparison(comparison, operand, scope, note)
    if (condition === 'present') return value => (value !== undefined) === operand
    const negated = { ...scope, onlyRight: false, isNegated: true }
    const excluded = compileTest(operand, negated, note)
    return value => !excluded(value)
  })
  return value => tests.every(test => test(value))
}

/** Of numbers and instants: text has no order to rely on. */
function compileComparison(
  { holds }: Comparison,
  bound: Wanted,
  scope: Tested,
  report: Report
): Test {
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
    return value => isHeld(value, placeOf(String(limitNow())))
  } else {
    const problem = isNumber
      ? firstProblem({ type: 'number' }, bound)
      : firstProblem({ format: 'instant' }, String(bound))
    if (problem !== null) report([], problem)
  }
  const limit = placeOf(String(bound))
  return value => isHeld(value, limit)
}
