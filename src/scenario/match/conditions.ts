/** Conditions on named values, compiled once and tested for each request or record. */
import { firstProblem } from '../../core/checking.js'
import { instantOf } from '../../core/instants.js'
import { IS_DIGEST } from '../../core/redaction.js'
import { shortened } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { isObject } from '../../reference/rules.js'
import type { Report } from '../documents.js'
import { referenceIn, resolvedValue } from '../play/references.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import { entriesOf, isList } from '../shape/checked.js'
import type { Conditions, Names, Scalar, Wanted } from '../shape/entry.js'
import { below, lookedUp, partOf, type Scope, type Tested, type Value } from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED, NEVER } from './patterns.js'

type Test = (value: Value) => boolean

/** `Subject` is the request, response or record that has the value. */
export type Condition<Subject> = {
  name: string
  wanted: string
  valueIn: (subject: Subject) => Value
  isMet: (subject: Subject) => boolean
}
type WrittenCondition<Subject> = Condition<Subject> & { data: Wanted }

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

/** The number of a value that is compared, or the milliseconds of its instant; null for text. */
function placeBy(schemas: readonly Schema[]): ((text: string) => number | null) | null {
  if (schemas.some(isNumeric)) return numberIn
  return schemas.some(isInstant) ? instantOf : null
}

export function compileNames<Subject>(
  names: Names,
  under: Scope<Subject>
): WrittenCondition<Subject>[] {
  return Object.entries(names).flatMap(([key, wanted]) => {
    const scope = lookedUp(key, below(under, key))
    if (scope === null) return []
    if (isNested(wanted, scope.schemas)) return compileNames(wanted, scope)
    const { name } = scope
    const valueIn = (subject: Subject) => scope.valueIn(subject, name)
    const test = compileTest(wanted, scope)
    return {
      name: name.join('.'),
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
  const isOfConditions = (name: string) =>
    CONDITIONS.includes(name) && schemas.every(schema => partOf(schema, name) === undefined)
  return names.length > 0 && names.every(isOfConditions)
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

/** Of a value in a response: the wanted value says whether numbers or instants are compared. */
export function compileShown(wanted: Wanted, report: Report): Test {
  const schemas: Schema[] = [hasNumber(wanted) ? { type: 'number' } : { format: 'instant' }]
  return compileTest(wanted, { schemas, name: ['body'], responses: new Map(), report })
}

const hasNumber = (wanted: unknown): boolean =>
  typeof wanted === 'number' || (isObject(wanted) && Object.values(wanted).some(hasNumber))

export function compileTest(wanted: Wanted, scope: Tested): Test {
  if (isList(wanted)) {
    const tests = wanted.map(item => compileTest(item, { ...scope, isMember: true }))
    return value => tests.some(test => test(value))
  }
  if (isObject(wanted)) {
    const tests = entriesOf(wanted).map(([word, operand]) =>
      compileCondition(word, operand, below(scope, word))
    )
    return value => tests.every(test => test(value))
  }
  const text = String(wanted)
  if (isPattern(text)) return ofText(compilePattern(text, scope.report))
  if (scope.resource === undefined && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  const comparable = comparableBy(scope)
  const operand = operandOf(wanted, scope, comparable)
  // a nested value can be missing with its object
  if (referenceIn(text) === null && (wanted !== null || scope.name.length === 1))
    checkPossible(wanted, scope)
  return value => {
    const now = operand()
    if (now == null) return now === null && value === undefined
    return value != null && comparable(String(value)) === now
  }
}

const ofText =
  (test: (value: string) => boolean): Test =>
  value =>
    value != null && test(String(value))

/** What values are compared with; null for no value, undefined while it is unknown. */
function operandOf<T>(
  wanted: Wanted,
  { responses, report }: Tested,
  placeOf: (text: string) => T
): () => T | null | undefined {
  const placed = (value: unknown) => (value == null ? value : placeOf(String(value)))
  const text = String(wanted)
  const reference = referenceIn(text)
  if (reference === null) {
    const constant = placed(wanted)
    return () => constant
  }
  if (responses === undefined) report([], say('reference_without_value', reference))
  return () => responses && placed(resolvedValue(text, responses))
}

/** What makes two values equal: fields of records are written in more than one way. */
function comparableBy({ schemas, resource }: Tested): (text: string) => unknown {
  const placeOf = placeBy(schemas)
  const isPlaced = placeOf === numberIn || resource !== undefined
  if (placeOf !== null && isPlaced) return text => placeOf(text) ?? text
  const isCountry = resource !== undefined && schemas.some(({ format }) => format === 'country')
  return text => (isCountry ? text.toUpperCase() : text)
}

function checkPossible(
  wanted: Scalar | null,
  { resource, schemas, onlyRight, isMember, isNegated, report }: Tested
): void {
  const text = String(wanted)
  const advice = comparisonMeant(text, schemas)
  if (resource === undefined && !onlyRight && advice === '') return
  const problems = schemas.map(schema => {
    if (resource !== undefined) return firstProblem(schema, wanted)
    // of a nested parameter only the parts are sent
    if (schema.type === 'object') return null
    return firstProblem(schema, (isNumeric(schema) ? numberIn(text) : null) ?? text)
  })
  const [first = null] = problems
  if (first === null || problems.includes(null)) return
  const code = isNegated ? 'always_matches' : 'never_matches'
  report([], say(code, first.message, isMember ? '' : advice))
}

/** `; write { gt: 5000 }` for `>5000`; empty where nothing is compared. */
function comparisonMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^([<>]=?) *(.*)/s.exec(text.trim()) ?? []
  const condition = Object.keys(COMPARISONS).find(name => COMPARISONS[name]?.sign === sign)
  const isComparable = schemas.some(schema => placeBy([schema])?.(bound) != null)
  return condition !== undefined && isComparable ? `; write { ${condition}: ${bound} }` : ''
}

function compileCondition(word: string, operand: Wanted, scope: Tested): Test {
  const comparison = COMPARISONS[word]
  if (comparison !== undefined) return compileComparison(comparison, operand, scope)
  if (word === 'present') return value => (value !== undefined) === operand
  const excluded = compileTest(operand, { ...scope, onlyRight: false, isNegated: true })
  return value => !excluded(value)
}

/** Of numbers and instants: text has no order to rely on. */
function compileComparison({ holds }: Comparison, bound: Wanted, scope: Tested): Test {
  const { schemas, name, report } = scope
  const placeOf = placeBy(schemas)
  if (placeOf === null) {
    report([], say('not_comparable', name.join('.')))
    return NEVER
  }
  const operand = operandOf(bound, scope, placeOf)
  if (referenceIn(String(bound)) === null) {
    const isNumber = placeOf === numberIn
    const problem = isNumber
      ? firstProblem({ type: 'number' }, bound)
      : firstProblem({ format: 'instant' }, String(bound))
    if (problem !== null) report([], problem)
  }
  return value => {
    const place = value == null ? null : placeOf(String(value))
    const limit = operand()
    return place !== null && limit != null && holds(place, limit)
  }
}
