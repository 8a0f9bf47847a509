/** Expected requests, how they end, and the pauses between them. */
import { MASK } from '../../core/mask.js'
import type { OperationId } from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { each } from '../../reference/rules.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import { type Condition, compileNames } from '../match/conditions.js'
import { isStatus } from '../match/counts.js'
import { asValue, below, type Context, fieldIn, type Name } from '../match/fields.js'
import { compileMatch, type Matcher, operationsOn, shownOn } from '../match/matching.js'
import type { RecordName } from '../records/edits.js'
import { withDigests } from '../script/digests.js'
import { millisecondsOf } from '../shape/checked.js'
import type { CallsData } from '../shape/expectation.js'
import type { Json } from '../shape/parts.js'

/** `endedAt` is a time of the sandbox's clock; `body` is undefined if it is not JSON. */
export type Ending = {
  status: number
  isDelivered: boolean
  tookEffect: boolean
  changed: readonly RecordName[]
  endedAt: number
  body: () => Json | undefined
}
/** `operations` is null for any request; `ended` is empty where any ending is right. */
export type Calls = {
  data: CallsData
  operations: ReadonlySet<OperationId> | null
  matches: Matcher
  ended: readonly Condition<Ending>[]
  /** Milliseconds from the end of the response before to the arrival of a request. */
  apart: { least: number; most: number } | null
}

export function compileCalls(source: CallsData, context: Context): Calls {
  const data = source.match ? { ...source, match: withDigests(source.match) } : source
  const { on, match, no_sooner_than, no_later_than } = data
  const operations = operationsOn(on, context.report)
  const least = millisecondsOf(no_sooner_than ?? '0s')
  const most = no_later_than ? millisecondsOf(no_later_than) : Number.POSITIVE_INFINITY
  return {
    data,
    operations: on === '*' && match === undefined ? null : new Set(operations),
    matches: compileMatch(operations, match, context),
    ended: compileEnding(data, operations, context),
    apart: (no_sooner_than ?? no_later_than) === undefined ? null : { least, most }
  }
}

const factOf = (
  name: string,
  wanted: boolean | undefined,
  valueIn: (ending: Ending) => boolean
): Condition<Ending>[] =>
  wanted === undefined ? [] : [{ name, wanted, valueIn, test: value => value === wanted }]

function compileEnding(
  { took_effect, answered, status, response }: CallsData,
  operations: readonly OperationId[],
  context: Context
): Condition<Ending>[] {
  // the fields of a response are those that the client got
  const isImplied = response !== undefined && answered !== true
  const conditions = [
    ...factOf('took_effect', took_effect, ({ tookEffect }) => tookEffect),
    ...factOf('answered', answered, ({ isDelivered }) => isDelivered),
    ...factOf('answered', isImplied || undefined, ({ isDelivered }) => isDelivered)
  ]
  if (status !== undefined)
    conditions.push({
      name: 'status',
      wanted: status,
      valueIn: ending => (ending.isDelivered ? ending.status : undefined),
      test: value => isStatus(status, Number(value))
    })
  if (response === undefined || operations.length === 0) return conditions
  const schemas = operations.flatMap(operation => {
    const { response }: Tables = TABLES[operation]
    return response === undefined ? [ERROR] : [schemaOf(response), ERROR]
  })
  const ofBody = { ...below(context, 'response'), name: [], resource: 'response', schemas }
  const valueIn = ({ body, isDelivered }: Ending, name: Name) =>
    asValue(isDelivered ? name.reduce(fieldIn, body()) : undefined)
  const fields = compileNames(response, ofBody, valueIn)
  return [...conditions, ...fields.map(field => ({ ...field, name: `response.${field.name}` }))]
}

const PARTS = 'type code message param rule assumption request_id'.split(' ')
const ERROR: Schema = {
  properties: { error: { properties: each(PARTS, () => ({ type: 'string' })) } }
}

export function shownCalls(calls: CallsData): string {
  const { on, match, took_effect, status, answered, response } = calls
  const { no_sooner_than: least, no_later_than: most } = calls
  const conditions = [
    took_effect !== undefined && `that ${took_effect ? 'took' : 'had no'} effect`,
    status !== undefined && `with status ${[status].flat().join(' or ')}`,
    answered !== undefined && `that got ${answered ? 'a' : 'no'} response`,
    response !== undefined && `with the response ${JSON.stringify(response)}`,
    least !== undefined && `no sooner than ${least} after the previous response`,
    most !== undefined && `no later than ${most} after the previous response`
  ].filter(Boolean)
  const matchText =
    match && `with ${JSON.stringify({ ...match, ...(match.key !== undefined && { key: MASK }) })}`
  return [shownOn(on), matchText, conditions.join(', ')].filter(Boolean).join(' ')
}
