/** Which calls a script entry or an expectation is about: operations, what was sent, and which records a call is about. */
import { didYouMeanOneOf } from '../core/nearest.js'
import { nameOf, OPERATION_IDS, OPERATION_NAMES, type OperationId, operationNamed } from '../reference/operations.js'
import { schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { type Condition, compileCondition, compileNames, type Subject, type Value } from './conditions.js'
import type { Report } from './documents.js'
import { within } from './flaws.js'
import type { Budget } from './patterns.js'
import { ABOUT, type MatchData, type On, OPERATION } from './schemas.js'

/** Looks a value up by its nested name, such as `['card', 'last4']`; null for a name that has further names below it, undefined for what was not sent. */
export type Values = (name: readonly string[]) => string | null | undefined
export type About = (typeof ABOUT)[number]
/** A call as it was sent, with the steps that its patterns may take. */
export type SentCall = {
  operation: OperationId
  key: string | null
  account?: string | null
  params: Values
  query: Values
  body: Values
  /** The id of the record that the call is about; undefined where it is about none of this kind. */
  about: (what: About) => string | undefined
  /** A value was too long for the pattern that it was to match, or for the steps that were left; set by a matcher. */
  isTooLong?: boolean
} & Budget
export type { MatchData, On } from './schemas.js'

/** The parts of a match that hold names of parameters, each with the table that these are in. */
export const SECTIONS = { params: 'params', query: 'querystring', body: 'body' } as const

/** The operations that `on` names; none with every problem reported. */
export function operationsOn(on: On, report: Report): OperationId[] {
  if (on === '*') return OPERATION_IDS
  const operations = [on].flat().map((name, index) => {
    const operation = operationNamed(name)
    if (operation === null) report(Array.isArray(on) ? ['on', index] : ['on'], unknownOperation(name))
    return operation
  })
  return operations.includes(null) ? [] : [...new Set(operations as OperationId[])]
}

/** The operations of an entry or expectation as a sentence names them. */
export const shownOn = (on: On): string => (on === '*' ? 'any operation' : [on].flat().join(' or '))

/** What to say of a name that is no operation. */
const unknownOperation = (name: string) => `${name} is not ${OPERATION.what}${didYouMeanOneOf(name, OPERATION_NAMES, OPERATION.advice)}`
/** A condition of a match, in the part of the request that it is about. */
export type MatchCondition = Condition & { section: keyof typeof SECTIONS | 'key' | 'account' | 'about' }
/** Conditions that all have to hold. */
export type Matcher = readonly MatchCondition[]

/** What a condition of a match looks at. */
export function valueFor({ section, name }: MatchCondition, call: SentCall): Value {
  if (section === 'key' || section === 'account') return call[section] ?? undefined
  return section === 'about' ? call.about(name[0] as About) : call[section](name)
}

/** Whether a call meets every condition; a value that is too long is noted in the call. */
export function isMatch(matcher: Matcher, call: SentCall): boolean {
  for (const condition of matcher) {
    const isPassed = condition.test(valueFor(condition, call), call)
    if (isPassed === null) call.isTooLong = true
    if (!isPassed) return false
  }
  return true
}

/**
 * Compiles `match` for calls of these operations; null when it asks for nothing, so that every such call matches. With `onlyRight`, values that no right call
 * can have are problems too; `answers` are those that a match may refer to. Problems are reported by their place in the entry or expectation.
 */
export async function compileMatch(
  operations: readonly OperationId[],
  data: MatchData | undefined,
  report: Report,
  more: Pick<Subject, 'onlyRight' | 'answers' | 'patterns'>
): Promise<Matcher | null> {
  const conditions: MatchCondition[] = []
  const subject: Subject = { ...more, unknown: name => `${name} is not a parameter of this call` }
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
    const compiled = await compileNames(names, { schemas, name: [], subject }, within(report, 'match', section))
    conditions.push(...compiled.map(condition => ({ ...condition, section })))
  }
  const others = [
    ...(['key', 'account'] as const).map(name => ({ section: name, name, steps: ['match', name], wanted: data?.[name] })),
    ...ABOUT.map(name => ({ section: 'about' as const, name, steps: ['match', 'about', name], wanted: data?.about?.[name] }))
  ]
  for (const { section, name, steps, wanted } of others) {
    if (wanted === undefined) continue
    conditions.push({ ...(await compileCondition(wanted, { name: [name], schemas: [], subject }, within(report, ...steps), steps)), section })
  }
  return conditions.length === 0 ? null : conditions
}
