/** Conditions on named values. */
import { checkerOf } from '../../core/checking.js'
import { FORMATS } from '../../core/formats.js'
import { instantOf } from '../../core/instants.js'
import { shortened } from '../../core/nearest.js'
import type { PlacedProblem, Step } from '../../core/places.js'
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
import {
  type At,
  COMPARISONS,
  type Comparison,
  conditionMeant,
  contradictionIn,
  type FieldAt,
  fieldNamed,
  isInstant,
  isNumeric,
  lookedUp,
  numberIn,
  partOf,
  type Value
} from './fields.js'
import { compilePattern, isPattern, MAX_MATCHED } from './patterns.js'

/** Of a record, a value may be compared with its other fields. */
export type Test = (value: Value, fieldAt?: FieldAt) => boolean

/** `at` is where it is written, `wanted` the condition in words. */
export type Condition = {
  name: readonly string[]
  at: readonly Step[]
  data: Wanted
  wanted: string
  test: Test
}

const CONDITIONS = [...Object.keys(COMPARISONS), 'not', 'present']

/** Problems have their place below these names, as they are `written`. */
export async function compileNames(
  names: Names,
  under: At,
  report: Report,
  written: readonly Step[] = []
): Promise<Condition[]> {
  const compiled: Condition[] = []
  for (const [key, wanted] of Object.entries(names)) {
    const note = within(report, key)
    const at = lookedUp(key, under, note)
    if (at === null) continue
    const place = [...written, key]
    if (isObject(wanted) && !isCondition(wanted, at.schemas))
      compiled.push(...(await compileNames(wanted as Names, at, note, place)))
    else
      compiled.push({
        name: at.name,
        at: place,
        data: wanted,
        wanted: shownWanted(wanted),
        test: await compileTest(wanted, at, note)
      })
  }
  return compiled
}

/** One that has parts can have `present` alone. */
export function isCondition(wanted: object, schemas: readonly Schema[]): boolean {
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

export async function compileTest(wanted: Wanted, at: At, report: Report): Promise<Test> {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) report([], say('matches_nothing'))
    const tests: Test[] = []
    for (const one of wanted as readonly Scalar[])
      tests.push(await compileTest(one, { ...at, isMember: true }, report))
    return (value, fieldAt) => tests.some(test => test(value, fieldAt))
  }
  if (isObject(wanted)) return compileConditions(wanted as Conditions, at, report)
  const text = String(wanted)
  if (isPattern(text)) return ofText(await compilePattern(text, said => report([], said)))
  if (referenceIn(text) === null) return compileValue(wanted as Scalar | null, at, report)
  const valueNow = compileReference(text, at, report)
  return (value, fieldAt) => {
    const now = valueNow(fieldAt)
    return now === null
      ? value === undefined
      : value != null && now !== undefined && String(value) === String(now)
  }
}

/** Null for no value, undefined for one that is not known yet. */
function compileReference(
  text: string,
  at: At,
  report: Report
): (fieldAt?: FieldAt) => Json | undefined {
  const { answers = null, fields } = at
  const path = fields && recordPath(text)
  if (path !== undefined) {
    const { name } = fieldNamed(path, at, report) ?? { name: [] }
    return fieldAt => fieldAt?.(name) ?? null
  }
  const known = answers ?? new Map<string, Json>()
  if (answers === null) report([], say('reference_without_value', referenceIn(text) as string))
  return () => answeredValue(text, known)
}

/** A value that the tables do not allow can never match; null asks for no value. */
async function compileValue(wanted: Scalar | null, at: At, report: Report): Promise<Test> {
  const { fields, schemas, name } = at
  const text = String(wanted)
  if (wanted === null && name.length > 1) return value => value === undefined
  if (fields === undefined && IS_DIGEST.test(text))
    return ofText(value => value.length <= MAX_MATCHED && digestOf(value) === text)
  if (fields !== undefined || at.onlyRight || conditionMeant(text, schemas) !== '') {
    const judged = schemas.map(schema => ({
      schema,
      value: fields === undefined ? sentAs(wanted, schema) : wanted
    }))
    const isPossible = judged.some(
      ({ schema, value }) => value === undefined || checkerOf(() => schema).isRight(value)
    )
    if (!isPossible) {
      const advice = at.isMember ? '' : conditionMeant(text, schemas)
      const why = await whyWrong(judged[0] as (typeof judged)[number], wanted)
      report([], say(at.isNegated ? 'always_matches' : 'never_matches', why, advice))
    }
  }
  if (fields !== undefined) return isField(schemas[0] as Schema, wanted)
  const number = schemas.some(isNumeric) ? numberIn(text) : null
  return value => value === text || (number !== null && numberIn(String(value)) === number)
}

/** Undefined where the parameter has parts. */
function sentAs(wanted: Scalar | null, schema: Schema): Scalar | undefined {
  if (schema.type === 'object') return undefined
  const text = String(wanted)
  return (isNumeric(schema) ? numberIn(text) : null) ?? text
}

async function whyWrong(
  { schema, value }: { schema: Schema; value: unknown },
  wanted: Scalar | null
): Promise<string> {
  const [problem] = (await checkerOf(() => schema).problems(value)) as [PlacedProblem]
  const text = String(wanted)
  const isShort = schema.format === 'last4' && typeof wanted !== typeof value && text.length < 4
  return `${problem.message}${isShort ? `; quote it: "${text.padStart(4, '0')}"` : ''}`
}

function isField({ format }: Schema, wanted: Scalar | null): Test {
  if (wanted === null) return value => value === undefined
  const at = format === 'instant' ? instantOf(String(wanted)) : null
  if (at !== null) return value => instantOf(String(value)) === at
  const stored = format === 'country' ? String(wanted).toUpperCase() : wanted
  return value => value === stored
}

const hasNumber = (wanted: unknown): boolean =>
  typeof wanted === 'number' || (isObject(wanted) && Object.values(wanted).some(hasNumber))

/** A test of a value of a response by what is written alone. */
export function compileShown(wanted: Wanted, report: Report): Promise<Test> {
  const schemas: Schema[] = [hasNumber(wanted) ? { type: 'number' } : { format: 'instant' }]
  const at = { schemas, name: ['body', ''], answers: new Map() }
  return compileTest(wanted, at as unknown as At, report)
}

const ofText =
  (test: (value: string) => boolean): Test =>
  value =>
    value != null && test(String(value))

async function compileConditions(conditions: Conditions, at: At, report: Report): Promise<Test> {
  const tests: Test[] = []
  for (const [condition, operand] of Object.entries(conditions) as [keyof Conditions, Wanted][]) {
    const note = within(report, condition)
    const comparison = COMPARISONS[condition]
    if (comparison !== undefined)
      tests.push(compileComparison(comparison, operand as Scalar, at, note))
    else if (condition === 'present') tests.push(value => (value !== undefined) === operand)
    else {
      const excluded = await compileTest(
        operand,
        { ...at, onlyRight: false, isNegated: true },
        note
      )
      tests.push((value, fieldAt) => !excluded(value, fieldAt))
    }
  }
  if (tests.length === 0) report([], check('empty'))
  const never = contradictionIn(conditions, at)
  if (never !== null) report([], never)
  return (value, fieldAt) => tests.every(test => test(value, fieldAt))
}

/** Compares numbers and instants; text has no order that a test should rely on. */
function compileComparison({ holds }: Comparison, bound: Scalar, under: At, report: Report): Test {
  const { name, schemas } = under
  const isNumber = schemas.some(isNumeric)
  const placeOf = isNumber ? numberIn : instantOf
  const isHeld = (value: Value, at: unknown) => {
    const place = value == null ? null : placeOf(String(value))
    return place !== null && typeof at === 'number' && holds(place, at)
  }
  if (!isNumber && !schemas.some(isInstant)) {
    report([], say('not_comparable', name.join('.')))
    return isHeld
  }
  if (referenceIn(String(bound)) !== null) {
    const boundNow = compileReference(bound as string, under, report)
    return (value, fieldAt) => isHeld(value, placeOf(String(boundNow(fieldAt))))
  }
  const at = isNumber && typeof bound !== 'number' ? null : placeOf(String(bound))
  if (at === null) {
    const expected = FORMATS.instant.problem(String(bound))?.expected as string
    report(
      [],
      isNumber
        ? check('wrong_type', ['a number'], String(bound), null)
        : check('wrong_format', expected)
    )
  }
  return value => isHeld(value, at)
}
