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
import type { At, Name, Tested, Value } from './fields.js'

/**
 * By a name such as `['card', 'last4']`: null where names are below it, undefined where it was not
 * sent.
 */
export type Values = (name: Name) => string | null | undefined
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

export function operationsOn(on: On, report: Report): OperationId[] {
  const operations = [on].flat().flatMap((name, index) => {
    const named = operationsNamed(name)
    const at = Array.isArray(on) ? ['on', index] : ['on']
    if (named.length === 0)
      report(
        at,
        check('unknown_word', OPERATION.what, OPERATION_NAMES, shortened(name), OPERATION.advice)
      )
    return named
  })
  return [...new Set(operations)]
}

export const shownOn = (on: On): string => (on === '*' ? 'any operation' : [on].flat().join(' or '))

type Section = keyof MatchData
export type MatchCondition = Condition<SentCall> & { section: Section }
export type Matcher = readonly MatchCondition[]

/** What stands in under `amounts` for a parameter that is left out. */
const inAmounts = (name: string, body: Values) =>
  (name === 'amount' ? ['transaction_amount', 'payment_amount'] : [name])
    .map(part => body(['amounts', part]))
    .find(Boolean)

const senderBy = (what: 'key' | 'account') => ({
  table: { properties: { [what]: {} } },
  valueIn: (call: SentCall) => call[what] ?? undefined
})

/** The table of a section, or the schema of values that are not parameters. */
const SECTIONS: Readonly<
  Record<Section, { table: keyof Tables | Schema; valueIn: (call: SentCall, name: Name) => Value }>
> = {
  params: { table: 'params', valueIn: ({ params }, name) => params(name) },
  query: { table: 'querystring', valueIn: ({ query }, name) => query(name) },
  body: {
    table: 'body',
    valueIn({ body }, name) {
      const sent = body(name)
      return sent || name.length > 1 ? sent : (inAmounts(name[0] as string, body) ?? sent)
    }
  },
  headers: {
    table: { additionalProperties: { type: 'string' } },
    valueIn: ({ header }, [name = '']) => header(name.toLowerCase())
  },
  key: senderBy('key'),
  account: senderBy('account'),
  about: {
    table: { properties: Object.fromEntries(ABOUT.map(name => [name, {}])) },
    valueIn: ({ about }, [what]) => about(what as About)
  }
}

const schemasOf = (
  table: keyof Tables | Schema,
  operations: readonly OperationId[]
): readonly Schema[] =>
  typeof table === 'object'
    ? [table]
    : operations.flatMap(operation => {
        const schema = (TABLES[operation] as Tables)[table]
        return schema === undefined ? [] : [schemaOf(schema)]
      })

const unknownParameter: At<SentCall>['unknown'] = (name, known) =>
  say('unknown_parameter', name.join('.'), didYouMean(name.at(-1) as string, known))

/** `onlyRight`: values that no right request can have are problems. */
export function compileMatch(
  operations: readonly OperationId[],
  data: MatchData = {},
  report: Report,
  more: Pick<Tested<SentCall>, 'onlyRight' | 'answers'>
): Matcher {
  if (operations.length === 0) return []
  const sections = Object.entries(data) as [Section, Names][]
  return sections.flatMap(([section, wanted]) => {
    if (wanted === undefined) return []
    const { table, valueIn } = SECTIONS[section]
    const isValue = section === 'key' || section === 'account'
    const note = within(report, 'match', ...(isValue ? [] : [section]))
    if (section === 'headers') checkHeaders(wanted, 'match', note)
    const schemas = schemasOf(table, operations)
    if (schemas.length === 0) {
      note([], say('no_section', operations.map(nameOf), section))
      return []
    }
    const names = isValue ? { [section]: wanted } : wanted
    const at = { ...more, valueIn, schemas, name: [], unknown: unknownParameter }
    return compileNames(names, at, note).map(condition => ({ ...condition, section }))
  })
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
