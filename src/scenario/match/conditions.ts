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
import type { Conditions, Names, Wanted } from '../shape/entry.js'
import { below, type Field, lookedUp, type Name, partOf, type Value } from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED, NEVER } from './patterns.js'

export type Test = (value: Value) => boolean
/** `Subject` is the request, response or record that has the value. */
export type Condition<Subject> = {
  name: string
  wanted: Wanted
  valueIn: (subject: Subject) => Value
  test: Test
}

export const areMet = <Subject>(
  conditions: readonly Condition<Subject>[],
  subject: Subject
): boolean => conditions.every(({ test, valueIn }) => test(valueIn(subject)))

type Comparison = { sign: string; holds: (value: number, bound: number) => boolean }
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', holds: (value, bound) => value > bound },
  gte: { sign: '>=', holds: (value, bound) => value >= bound },
  lt: { sign: '<', holds: (value, bound) => value < bound },
  lte: { sign: '<=', holds: (value, bound) => value <= bound }
}
const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

/** What has an order: a number, or an instant in milliseconds. */
type Order = { schema: Schema; placeOf: (text: string) => number | null }
const NUMBERS: Order = {
  schema: { type: 'number' },
  placeOf: text => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null)
}
const INSTANTS: Order = { schema: { type: 'string', format: 'instant' }, placeOf: instantOf }

const isNumeric = ({ type }: Schema) =>
  [type].flat().some(name => name === 'integer' || name === 'number')

/** Undefined for text, which has no order. */
function orderOf(schemas: readonly Schema[]): Order | undefined {
  if (schemas.some(isNumeric)) return NUMBERS
  return schemas.some(({ format }) => format === 'instant') ? INSTANTS : undefined
}

export function compileNames<Subject>(
  names: Names,
  under: Field,
  valueIn: (subject: Subject, name: Name) => Value
): Condition<Subject>[] {
  return Object.entries(names).flatMap(([key, wanted]) => {
    const field = lookedUp(key, below(under, key))
    if (field === null) return []
    if (isNested(wanted, field.schemas)) return compileNames(wanted, field, valueIn)
    const { name } = field
    return {
      name: name.join('.'),
      wanted,
      valueIn: subject => valueIn(subject, name),
      test: compileTest(wanted, field)
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

export function compileTest(wanted: Wanted, field: Field): Test {
  if (isList(wanted)) {
    const tests = wanted.map(item => compileTest(item, field))
    return value => tests.some(test => test(value))
  }
  if (isObject(wanted)) {
    const tests = entriesOf(wanted).map(([word, operand]) =>
      compileCondition(word, operand, below(field, word))
    )
    return value => tests.every(test => test(value))
  }
  const text = String(wanted)
  if (isPattern(text)) return ofText(compilePattern(text, field.report))
  if (field.resource === undefined && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  // a nested value can be missing with its object
  if (referenceIn(text) === null && (wanted !== null || field.name.length === 1))
    checkPossible(wanted, field)
  return compileOperand(
    wanted,
    field,
    text => comparable(text, field),
    (value, operand) => value === operand
  )
}

const ofText =
  (test: (value: string) => boolean): Test =>
  value =>
    value != null && test(String(value))

/** Compares with a value, or with the one that a response has. Null is for no value. */
function compileOperand<T>(
  wanted: Wanted,
  { responses, report }: Field,
  placeOf: (text: string) => T | null,
  holds: (value: T, operand: T) => boolean
): Test {
  const text = String(wanted)
  const reference = referenceIn(text)
  if (reference !== null && responses === undefined)
    report([], say('reference_without_value', reference))
  return value => {
    const operand = reference === null ? wanted : responses && resolvedValue(text, responses)
    if (value == null || operand == null) return value === undefined && operand === null
    const [place, bound] = [placeOf(String(value)), placeOf(String(operand))]
    return place !== null && bound !== null && holds(place, bound)
  }
}

/** Numbers are sent, and fields of records are written, in more than one way. */
function comparable(text: string, { schemas, resource }: Field): unknown {
  const order = orderOf(schemas)
  if (order !== undefined && (order === NUMBERS || resource !== undefined))
    return order.placeOf(text) ?? text
  const isCountry = resource !== undefined && schemas.some(({ format }) => format === 'country')
  return isCountry ? text.toUpperCase() : text
}

function checkPossible(wanted: Wanted, { resource, schemas, onlyRight, report }: Field): void {
  const text = String(wanted)
  const advice = comparisonMeant(text, schemas)
  if (resource === undefined && !onlyRight && advice === '') return
  const problems = schemas.map(schema => {
    if (resource !== undefined) return firstProblem(schema, wanted)
    // of a nested parameter only the parts are sent
    if (schema.type === 'object') return null
    return firstProblem(schema, (isNumeric(schema) ? NUMBERS.placeOf(text) : null) ?? text)
  })
  const [first = null] = problems
  if (first !== null && !problems.includes(null))
    report([], say('never_matches', first.message, advice))
}

/** `; write { gt: 5000 }` for `>5000`; empty where nothing is compared. */
function comparisonMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^([<>]=?) *(.*)/s.exec(text.trim()) ?? []
  const condition = Object.keys(COMPARISONS).find(name => COMPARISONS[name]?.sign === sign)
  const isComparable = orderOf(schemas)?.placeOf(bound) != null
  return condition !== undefined && isComparable ? `; write { ${condition}: ${bound} }` : ''
}

function compileCondition(word: string, operand: Wanted, field: Field): Test {
  const comparison = COMPARISONS[word]
  if (comparison !== undefined) return compileComparison(comparison, operand, field)
  if (word === 'present') {
    const problem = firstProblem({ type: 'boolean' }, operand)
    if (problem !== null) field.report([], problem)
    return value => (value !== undefined) === operand
  }
  const excluded = compileTest(operand, { ...field, onlyRight: false })
  return value => !excluded(value)
}

function compileComparison({ holds }: Comparison, bound: Wanted, field: Field): Test {
  const { schemas, name, report } = field
  const order = orderOf(schemas)
  if (order === undefined) {
    report([], say('not_comparable', name.join('.')))
    return NEVER
  }
  const problem = referenceIn(String(bound)) === null ? firstProblem(order.schema, bound) : null
  if (problem !== null) report([], problem)
  const test = compileOperand(bound, field, order.placeOf, holds)
  return value => value != null && test(value)
}
