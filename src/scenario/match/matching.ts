/** Which requests a script entry or an expectation is about. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { beginningOf } from '../../core/memory.js'
import { shortened } from '../../core/nearest.js'
import { withoutSecrets } from '../../core/redaction.js'
import { say as check } from '../../core/sentences.js'
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
import { ABOUT, type MatchData, type Names, type On, OPERATION, type Per } from '../shape/entry.js'
import { type Condition, compileNames } from './conditions.js'
import { below, type Context, type Name, type Tested, type Value } from './fields.js'

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

const inBody = ({ body }: SentCall, name: Name): Value => {
  const value = body(name)
  if (value || name.length > 1) return value
  // `amounts` can replace parameters that are left out
  const parts = name[0] === 'amount' ? ['transaction_amount', 'payment_amount'] : name
  return parts.map(part => body(['amounts', part])).find(Boolean) ?? value
}

type Read = { table: keyof Tables | Schema; valueIn: (call: SentCall, name: Name) => Value }
const senderBy = (what: 'key' | 'account'): Read => ({
  table: { properties: { [what]: {} } },
  valueIn: call => call[what] ?? undefined
})

const SECTIONS: Readonly<Record<Section, Read>> = {
  params: { table: 'params', valueIn: ({ params }, name) => params(name) },
  query: { table: 'querystring', valueIn: ({ query }, name) => query(name) },
  body: { table: 'body', valueIn: inBody },
  headers: {
    table: { additionalProperties: { type: 'string' } },
    valueIn: ({ header }, [name = '']) => header(name.toLowerCase())
  },
  key: senderBy('key'),
  account: senderBy('account'),
  about: {
    table: { properties: each(ABOUT, () => ({})) },
    valueIn: ({ about }, [what]) => about(what as About)
  }
}

function schemasOf(table: Read['table'], operations: readonly OperationId[]): readonly Schema[] {
  if (typeof table === 'object') return [table]
  return operations.flatMap(operation => {
    const { [table]: schema }: Tables = TABLES[operation]
    return schema === undefined ? [] : schemaOf(schema)
  })
}

export function compileMatch(
  operations: readonly OperationId[],
  data: MatchData = {},
  context: Context & Pick<Tested, 'onlyRight'>
): Matcher {
  if (operations.length === 0) return []
  const sections = Object.entries(data) as [Section, Names | undefined][]
  return sections.flatMap(([section, wanted]) => {
    if (wanted === undefined) return []
    const { table, valueIn } = SECTIONS[section]
    const isValue = section === 'key' || section === 'account'
    const scope = below(context, 'match', ...(isValue ? [] : [section]))
    if (section === 'headers') checkHeaders(wanted, 'match', scope.report)
    const schemas = schemasOf(table, operations)
    const names = isValue ? { [section]: wanted } : wanted
    if (schemas.length > 0)
      return compileNames(names, { ...scope, valueIn, schemas, name: [] }).map(condition => ({
        ...condition,
        section
      }))
    scope.report([], say('no_section', operations.map(nameOf).join(', '), section))
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
