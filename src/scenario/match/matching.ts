/** Which requests a script entry or an expectation is about. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { beginningOf } from '../../core/memory.js'
import { didYouMean, shortened } from '../../core/nearest.js'
import { withoutSecrets } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
import {
  nameOf,
  OPERATION_NAMES,
  type OperationId,
  operationsNamed
} from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import { type Report, within } from '../documents.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import { ABOUT, type MatchData, type Names, type On, OPERATION, type Per } from '../shape/entry.js'
import { type Condition, compileNames } from './conditions.js'
import type { Subject, Value } from './fields.js'

/**
 * By a name such as `['card', 'last4']`: null where names are below it, undefined where it was not
 * sent.
 */
export type Values = (name: readonly string[]) => string | null | undefined
export type About = (typeof ABOUT)[number]
/** A request as it was sent; `operation` is null where it met none. */
export type SentCall = {
  operation: OperationId | null
  /** When it came, by the sandbox's clock in milliseconds. */
  at: number
  key: string | null
  account?: string | null
  params: Values
  query: Values
  body: Values
  /** By its name in lower case; null where it is not kept. */
  header: (name: string) => Value
  test: string | null
  /** Undefined if it is about no record of this kind. */
  about: (what: About) => string | undefined
}
export type { MatchData, On } from '../shape/entry.js'

/** Values that an entry or expectation counts separately: a data file holds them all. */
export const MAX_VALUES = 1000
const MAX_VALUE = 200

/** Undefined if it has none. A key is counted by its digest. */
export function countedValue(per: Per, call: SentCall): string | undefined {
  if (per === 'key') return call.key === null ? undefined : digestOf(call.key)
  const value = per === 'test' ? call.test : call.about(per)
  return value ? beginningOf(withoutSecrets(value), MAX_VALUE) : undefined
}

export const SECTIONS = { params: 'params', query: 'querystring', body: 'body' } as const

/** Null where a problem is reported. */
export async function unlessReported<T>(
  report: Report,
  compile: (note: Report) => Promise<T>
): Promise<T | null> {
  let isRight = true
  const compiled = await compile((steps, said) => {
    isRight = false
    report(steps, said)
  })
  return isRight ? compiled : null
}

export function operationsOn(on: On, report: Report = () => {}): OperationId[] {
  const operations = [on].flat().map((name, index) => {
    const found = operationsNamed(name)
    if (found.length === 0)
      report(
        Array.isArray(on) ? ['on', index] : ['on'],
        check('unknown_word', OPERATION.what, OPERATION_NAMES, shortened(name), OPERATION.advice)
      )
    return found
  })
  return operations.some(found => found.length === 0) ? [] : [...new Set(operations.flat())]
}

export const shownOn = (on: On): string => (on === '*' ? 'any operation' : [on].flat().join(' or '))

export type MatchCondition = Condition & { section: keyof MatchData }
export type Matcher = readonly MatchCondition[]

export function valueFor({ section, name }: MatchCondition, call: SentCall): Value {
  if (section === 'key' || section === 'account') return call[section] ?? undefined
  if (section === 'headers') return call.header((name[0] as string).toLowerCase())
  if (section === 'about') return call.about(name[0] as About)
  const sent = call[section](name)
  return section === 'body' && !sent && name.length === 1
    ? (inAmounts(name[0] as string, call.body) ?? sent)
    : sent
}

/** What stands in under `amounts` for a parameter that is left out. */
const inAmounts = (name: string, body: Values) =>
  (name === 'amount' ? ['transaction_amount', 'payment_amount'] : [name])
    .map(part => body(['amounts', part]))
    .find(Boolean)

export const isMatch = (matcher: Matcher, call: SentCall): boolean =>
  matcher.every(condition => condition.test(valueFor(condition, call)))

/** Values that are not parameters have no table. */
function tablesOf(operations: readonly OperationId[], section: keyof MatchData): readonly Schema[] {
  if (section === 'about')
    return [{ properties: Object.fromEntries(ABOUT.map(name => [name, {}])) }]
  if (section === 'key' || section === 'account') return [{ properties: { [section]: {} } }]
  if (section === 'headers') return [{ additionalProperties: { type: 'string' } }]
  return operations.flatMap(operation => {
    const schema = (TABLES[operation] as Tables)[SECTIONS[section]]
    return schema === undefined ? [] : [schemaOf(schema)]
  })
}

/** `onlyRight`: values that no right request can have are problems. */
export async function compileMatch(
  operations: readonly OperationId[],
  data: MatchData = {},
  report: Report,
  more: Pick<Subject, 'onlyRight' | 'answers'>
): Promise<Matcher> {
  const conditions: MatchCondition[] = []
  if (operations.length === 0) return conditions
  const unknown: Subject['unknown'] = (name, known) =>
    say('unknown_parameter', name.join('.'), didYouMean(name.at(-1) as string, known))
  for (const [section, wanted] of Object.entries(data) as [keyof typeof data, Names][]) {
    if (wanted === undefined) continue
    const schemas = tablesOf(operations, section)
    const isValue = section === 'key' || section === 'account'
    const note = within(report, 'match', ...(isValue ? [] : [section]))
    if (section === 'headers') checkHeaders(wanted, 'match', note)
    if (schemas.length === 0) note([], say('no_section', operations.map(nameOf), section))
    else {
      const compiled = await compileNames(
        isValue ? { [section]: wanted as never } : wanted,
        { ...more, unknown, schemas, name: [] },
        note
      )
      conditions.push(...compiled.map(condition => ({ ...condition, section })))
    }
  }
  return conditions
}

/** Headers that frame the message or the connection, or that the emulator sets. */
const FRAMING = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'request-id'
]

/** What cannot be sent, or matched by name; a key has its own place. */
export function checkHeaders(
  headers: Readonly<Record<string, unknown>>,
  of: 'response' | 'request' | 'match',
  report: Report
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (of !== 'match' && FRAMING.includes(name.toLowerCase()))
      report([name], say('framing_header', name))
    if (of !== 'response' && name.toLowerCase() === 'authorization')
      report([name], say('header_of_key'))
    try {
      validateHeaderName(name)
      if (of !== 'match') validateHeaderValue(name, value as string)
    } catch {
      report([name], say('not_a_header'))
    }
  }
}
