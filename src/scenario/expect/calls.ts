/** Expected requests, how they end, and the pauses between them. */
import { MASK } from '../../core/mask.js'
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import type { OperationId } from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import { canBeAbout } from '../about.js'
import { type Report, within } from '../documents.js'
import { type Condition, compileNames } from '../match/conditions.js'
import { isStatus } from '../match/counts.js'
import { asValue, fieldIn, type Scope } from '../match/fields.js'
import { compileMatch, type Matcher, operationsOn, shownOn } from '../match/matching.js'
import type { RecordName } from '../records/edits.js'
import { withDigests } from '../script/digests.js'
import { say } from '../sentences.js'
import { millisecondsOf } from '../shape/checked.js'
import type { Per } from '../shape/entry.js'
import type { CallsData, ExpectationData } from '../shape/expectation.js'
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
/** Milliseconds from the end of the response before to the arrival of a request. */
export type Apart = { least: number; most: number }
/** `operations` is null for any request; `ended` is empty where any ending is right. */
export type Calls = {
  data: CallsData
  operations: ReadonlySet<OperationId> | null
  matches: Matcher
  ended: readonly Condition<Ending>[]
  apart: Apart | null
}
export type Responses = Scope<Ending>['responses']

export const PAUSES = ['no_sooner_than', 'no_later_than'] as const
export const hasPause = (data: CallsData) => PAUSES.some(word => data[word] !== undefined)

export function callsIn(data: ExpectationData): { path: readonly Step[]; calls: CallsData }[] {
  if ('on' in data) return [{ path: [], calls: data }]
  return 'sequence' in data
    ? data.sequence.map((calls, index) => ({ path: ['sequence', index], calls }))
    : []
}

export function compileCalls(source: CallsData, note: Report, responses: Responses): Calls {
  const data = source.match ? { ...source, match: withDigests(source.match) } : source
  const { on, no_sooner_than, no_later_than } = data
  const operations = operationsOn(on, note)
  const least = millisecondsOf(no_sooner_than ?? '0s')
  const most = no_later_than ? millisecondsOf(no_later_than) : Number.POSITIVE_INFINITY
  return {
    data,
    operations: on === '*' && data.match === undefined ? null : new Set(operations),
    matches: compileMatch(operations, data.match, note, { responses }),
    ended: compileEnding(data, operations, note, responses),
    apart: hasPause(data) ? { least, most } : null
  }
}

export function checkPer(per: Per | undefined, steps: readonly Calls[], report: Report): void {
  if (per === undefined || per === 'key' || per === 'test') return
  for (const { operations, data } of steps)
    if (operations?.size && ![...operations].some(canBeAbout(per)))
      report(['per'], say('has_none', shownOn(data.on), per))
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')

const ofResponse = ({ valueIn, isMet, ...condition }: Condition<Ending>): Condition<Ending> => ({
  ...condition,
  valueIn: ending => (ending.isDelivered ? valueIn(ending) : 'no response'),
  isMet: ending => ending.isDelivered && isMet(ending)
})

const FACTS = [
  ['took_effect', 'tookEffect'],
  ['answered', 'isDelivered']
] as const

const factsWanted = (data: CallsData): Condition<Ending>[] =>
  FACTS.flatMap(([name, fact]) => {
    const expected = data[name]
    if (expected === undefined) return []
    return {
      name,
      wanted: yesOrNo(expected),
      valueIn: ending => yesOrNo(ending[fact]),
      isMet: ending => ending[fact] === expected
    }
  })

function compileEnding(
  data: CallsData,
  operations: readonly OperationId[],
  report: Report,
  responses: Responses
): Condition<Ending>[] {
  const { status, response } = data
  const conditions = factsWanted(data)
  if (status !== undefined)
    conditions.push(
      ofResponse({
        name: 'status',
        wanted: [status].flat().join(' or '),
        valueIn: ending => ending.status,
        isMet: ending => isStatus(status, ending.status)
      })
    )
  if (response === undefined || operations.length === 0) return conditions
  const note = within(report, 'response')
  for (const condition of compileNames(response, bodyOf(operations, responses), note))
    conditions.push(ofResponse({ ...condition, name: `response.${condition.name}` }))
  return conditions
}

const PARTS = 'type code message param rule assumption request_id'.split(' ')
const ERROR: Schema = {
  properties: {
    error: { properties: Object.fromEntries(PARTS.map(name => [name, { type: 'string' }])) }
  }
}

function bodyOf(operations: readonly OperationId[], responses: Responses): Scope<Ending> {
  const schemas = operations.flatMap(operation => {
    const { response: table }: Tables = TABLES[operation]
    return table === undefined ? [ERROR] : [schemaOf(table), ERROR]
  })
  return {
    name: [],
    schemas,
    isTyped: true,
    responses,
    valueIn: ({ body }, name) => asValue(name.reduce(fieldIn, body())),
    unknown: (name, path, known) => say('unknown_field', 'response', path, didYouMean(name, known))
  }
}

export function shownCalls({
  on,
  match,
  took_effect,
  status,
  answered,
  response,
  no_sooner_than: least,
  no_later_than: most
}: CallsData): string {
  const conditions = [
    took_effect !== undefined && `that ${took_effect ? 'took' : 'had no'} effect`,
    status !== undefined && `with status ${[status].flat().join(' or ')}`,
    answered !== undefined && `that got ${answered ? 'a' : 'no'} response`,
    response !== undefined && `with the response ${JSON.stringify(response)}`,
    least !== undefined && `no sooner than ${least} after the previous response`,
    most !== undefined && `no later than ${most} after the previous response`
  ].filter(Boolean)
  const matchText =
    match && JSON.stringify(match.key === undefined ? match : { ...match, key: MASK })
  return [shownOn(on), match && `with ${matchText}`, conditions.join(', ')]
    .filter(Boolean)
    .join(' ')
}
