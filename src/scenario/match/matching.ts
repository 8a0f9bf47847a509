/** Which requests a script entry or an expectation is about. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { withoutSecrets } from '../../core/redaction.js'
import { beginningOf, say as check, shortened } from '../../core/sentences.js'
import {
  nameOf,
  OPERATION_NAMES,
  type OperationId,
  operationsNamed
} from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { each } from '../../reference/rules.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import type { Report } from '../documents.js'
import { digestOf } from '../script/digests.js'
import { say } from '../sentences.js'
import { entriesOf } from '../shape/checked.js'
import { ABOUT, type MatchData, type Names, type On, OPERATION, type Per } from '../shape/entry.js'
import { type Condition, compileNames } from './conditions.js'
import { below, type Context, type Field, type Name, type Value } from './fields.js'

/** Null for a name that has others below it, undefined for one that was not sent. */
export type Values = (name: Name) => string | null | undefined
export type About = (typeof ABOUT)[number]
export type SentCall = {
  operation: OperationId | null
  /** By the sandbox's clock, in milliseconds. */
  arrivedAt: number
  key: string | null
  account?: string | null
  params: Values
  query: Values
  body: Values
  /** By the name in lower case; null if the journal does not keep it. */
  header: (name: string) => Value
  test: string | null
  about: (what: About) => string | undefined
}

/** Values counted separately: a data file holds them all. */
export const MAX_VALUES = 1000
const MAX_VALUE = 200

/** A key is counted by its digest. */
export function countedValue(per: Per, call: SentCall): string | undefined {
  if (per === 'key') return call.key === null ? undefined : digestOf(call.key)
  const value = per === 'test' ? call.test : call.about(per)
  return value ? beginningOf(withoutSecrets(value), MAX_VALUE) : undefined
}

export function operationsOn(on: On, report: Report): OperationId[] {
  const operations = [on].flat().flatMap((name, index) => {
    const ids = operationsNamed(name)
    const path = Array.isArray(on) ? ['on', index] : ['on']
    if (ids.length === 0)
      report(
        path,
        check('unknown_word', OPERATION.what, OPERATION_NAMES, shortened(name), OPERATION.advice)
      )
    return ids
  })
  return [...new Set(operations)]
}

export const shownOn = (on: On): string => (on === '*' ? 'any operation' : [on].flat().join(' or '))

type Section = keyof MatchData
export type MatchCondition = Condition<SentCall> & { section: Section }
export type Matcher = readonly MatchCondition[]

type ValueIn = (call: SentCall, name: Name) => Value
const inBody: ValueIn = ({ body }, name) => {
  const value = body(name)
  if (value || name.length > 1) return value
  // `amounts` can replace parameters that are left out
  const parts = name[0] === 'amount' ? ['transaction_amount', 'payment_amount'] : name
  return parts.map(part => body(['amounts', part])).find(Boolean) ?? value
}

const named = (names: readonly string[]): Schema => ({ properties: each(names, () => ({})) })

const SECTIONS: Readonly<Record<Section, [table: keyof Tables | Schema, valueIn: ValueIn]>> = {
  params: ['params', ({ params }, name) => params(name)],
  query: ['querystring', ({ query }, name) => query(name)],
  body: ['body', inBody],
  headers: [
    { additionalProperties: { type: 'string' } },
    ({ header }, [name = '']) => header(name.toLowerCase())
  ],
  key: [named(['key']), ({ key }) => key ?? undefined],
  account: [named(['account']), ({ account }) => account ?? undefined],
  about: [named(ABOUT), ({ about }, [what]) => about(what as About)]
}

export function compileMatch(
  operations: readonly OperationId[],
  data: MatchData = {},
  context: Context & Pick<Field, 'onlyRight'>
): Matcher {
  if (operations.length === 0) return []
  return entriesOf(data).flatMap(([section, wanted]) => {
    const [table, valueIn] = SECTIONS[section]
    const isValue = section === 'key' || section === 'account'
    const names: Names = isValue ? { [section]: wanted } : wanted
    const under = below(context, 'match', ...(isValue ? [] : [section]))
    if (section === 'headers') checkHeaders(names, 'match', under.report)
    const schemas = operations.flatMap(operation => {
      if (typeof table === 'object') return table
      const { [table]: schema }: Tables = TABLES[operation]
      return schema === undefined ? [] : schemaOf(schema)
    })
    if (schemas.length === 0)
      under.report([], say('no_section', operations.map(nameOf).join(', '), section))
    else
      return compileNames(names, { ...under, schemas, name: [] }, valueIn).map(condition => ({
        ...condition,
        section
      }))
    return []
  })
}

/** Headers of the connection, or set by the emulator. */
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

export function checkHeaders(
  headers: Readonly<Record<string, unknown>>,
  kind: 'response' | 'request' | 'match',
  report: Report
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (kind !== 'match' && FRAMING.includes(name.toLowerCase()))
      report([name], say('framing_header', name))
    if (kind !== 'response' && name.toLowerCase() === 'authorization')
      report([name], say('header_of_key'))
    try {
      validateHeaderName(name)
      if (kind !== 'match') validateHeaderValue(name, String(value))
    } catch {
      report([name], say('not_a_header'))
    }
  }
}
