/** Expectations of requests, their order, and records in the end. A `Tally` judges them. */
import { durationOf } from '../../core/durations.js'
import { MASK } from '../../core/mask.js'
import { didYouMean } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { say as check } from '../../core/sentences.js'
import { isChange, type OperationId, operationOf } from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { TABLES, type Tables } from '../../reference/tables.js'
import { pause } from '../../work/slices.js'
import { canBeAbout } from '../about.js'
import { type Report, within } from '../documents.js'
import { type Condition, compileNames } from '../match/conditions.js'
import { type Counts, compileStatus, countsOf } from '../match/counts.js'
import { asValue, fieldIn, type Subject, type Value } from '../match/fields.js'
import {
  compileMatch,
  type MatchData,
  type Matcher,
  operationsOn,
  shownOn,
  unlessReported
} from '../match/matching.js'
import { shownValue } from '../match/near-misses.js'
import { isWithinPatterns } from '../match/patterns.js'
import { namesIn, textsIn } from '../play/references.js'
import type { RecordName } from '../records/edits.js'
import { withDigests } from '../script/digests.js'
import { say } from '../sentences.js'
import type { Names, Per } from '../shape/entry.js'
import type { CallsData, CountData, ExpectationData, SequenceData } from '../shape/expectation.js'
import type { Json } from '../shape/parts.js'
import { compileState, type StateData, type StateTest } from './final-state.js'

export type { CallsData, CountData, ExpectationData } from '../shape/expectation.js'
/** How a request ended; `at` is a time of the sandbox's clock, `body` undefined where it is no JSON. */
export type Ending = {
  status: number
  isDelivered: boolean
  tookEffect: boolean
  changed: readonly RecordName[]
  at: number
  body: () => Json | undefined
}
export type EndingCondition = {
  name: string
  wanted: string
  got: (ending: Ending) => string
  holds: (ending: Ending) => boolean
}
/** Milliseconds from the end of the response before to the arrival of a request. */
export type Apart = { least: number; most: number }
/**
 * `operations` is null for any request, met or not; `ended` is empty where how they end does not
 * matter.
 */
export type Calls = {
  data: CallsData
  operations: ReadonlySet<OperationId> | null
  matches: Matcher
  ended: readonly EndingCondition[]
  apart: Apart | null
}
/** `unsent`: which steps it refers to that were not sent. */
type Said = { wanted: string; unsent: () => readonly string[] }
export type CountExpectation = Said & {
  data: CountData
  calls: Calls
  times: Counts
  shown: string
}
export type SequenceExpectation = Said & {
  data: SequenceData
  steps: readonly Calls[]
  others: boolean
}
export type StateExpectation = Said & { data: { state: StateData }; differences: StateTest }
export type Expectation = CountExpectation | SequenceExpectation | StateExpectation

/** By the names of steps; null where an expectation cannot refer to them. */
type Answered = ReadonlyMap<string, Json> | null

/** Null with its problems reported. `patterns`: those of the expectations before. */
export const compileExpectation = (
  data: ExpectationData,
  report: Report,
  answers: Answered = null,
  patterns = 0
): Promise<Expectation | null> =>
  unlessReported(report, async note => {
    const ways = ['on', 'sequence', 'state'].filter(way => way in data)
    if (ways.length !== 1) note([], say('not_exactly_one', ['on', 'sequence', 'state'], ways))
    else if (isWithinPatterns(data, patterns, said => note([], said))) {
      const isKnown = callsIn(data).map(
        ({ at, calls }) => operationsOn(calls.on, within(note, ...at)).length > 0
      )
      if (!isKnown.includes(false)) return compiled(data, note, answers)
    }
    return null
  })

export function callsIn(data: ExpectationData): { at: readonly Step[]; calls: CallsData }[] {
  if ('on' in data) return [{ at: [], calls: data }]
  return 'sequence' in data
    ? data.sequence.map((calls, index) => ({ at: ['sequence', index], calls }))
    : []
}

function unsentOf(data: ExpectationData, answers: Answered): Said['unsent'] {
  const names = textsIn(data, [], { areNamesRead: true })
    .flatMap(({ text }) => namesIn(text))
    .map(name => name.split('.')[0] as string)
  const steps = [...new Set(names)].filter(name => name !== 'record')
  return () => steps.filter(name => answers?.has(name) !== true)
}

async function compiled(
  data: ExpectationData,
  note: Report,
  answers: Answered
): Promise<Expectation> {
  const unsent = unsentOf(data, answers)
  if ('on' in data) return { ...(await compiledCount(data, note, answers)), unsent }
  if ('sequence' in data) return { ...(await compiledSequence(data, note, answers)), unsent }
  for (const word of ['per', 'others'] as const)
    if (word in data) note([word], say('needs', word, 'on or sequence'))
  const wanted = `these records at the end: ${JSON.stringify(data.state)}`
  const differences = await compileState(data.state, within(note, 'state'), answers)
  return { data, unsent, wanted, differences }
}

async function compiledSequence(
  data: SequenceData,
  note: Report,
  answers: Answered
): Promise<Omit<SequenceExpectation, 'unsent'>> {
  const { per, others = false } = data
  const steps: Calls[] = []
  for (const [index, step] of data.sequence.entries()) {
    const report = within(note, 'sequence', index)
    if (index === 0)
      for (const word of PAUSES)
        if (step[word] !== undefined) report([word], say('needs', word, 'a request before it'))
    steps.push(await compileCalls(step, report, answers))
    await pause()
  }
  checkPer(per, steps, note)
  const shown = steps.map(({ data }) => shownCalls(data)).join(', then ')
  return {
    data: { ...data, sequence: steps.map(({ data }) => data) },
    steps,
    others,
    wanted: `${shown}, in this order${forEach(per)}${others ? '' : ' and no others'}`
  }
}

async function compiledCount(
  data: CountData,
  note: Report,
  answers: Answered
): Promise<Omit<CountExpectation, 'unsent'>> {
  const { per } = data
  if ('others' in data) note(['others'], say('needs', 'others', 'sequence'))
  const isPaused = hasPause(data)
  const times = countsOf(`${data.times ?? (isPaused ? '2+' : '1+')}`, 0, within(note, 'times'))
  const isVacuous = times.from < 2 && times.to === Number.POSITIVE_INFINITY
  if (per !== undefined && isVacuous && !isPaused)
    note(['per'], say('needs', 'per', 'a pause, or times other than 0+ and 1+'))
  else if (times.from === 0 && isVacuous && !isPaused) note(['times'], say('allows_anything'))
  const calls = await compileCalls(data, note, answers)
  checkPer(per, [calls], note)
  const shown = `${shownCalls(calls.data)}${forEach(per)}`
  return { data: calls.data, calls, times, shown, wanted: `${shown}: ${shownTimes(times)}` }
}

const PAUSES = ['no_sooner_than', 'no_later_than'] as const
const hasPause = (data: CallsData) => PAUSES.some(word => data[word] !== undefined)

/** A value that none of the operations can have would be judged for nothing. */
function checkPer(per: Per | undefined, steps: readonly Calls[], note: Report): void {
  if (per === undefined || per === 'key' || per === 'test') return
  for (const { operations, data } of steps)
    if (operations !== null && ![...operations].some(canBeAbout(per)))
      note(['per'], say('has_none', shownOn(data.on), per))
}

async function compileCalls(written: CallsData, note: Report, answers: Answered): Promise<Calls> {
  const data = written.match ? { ...written, match: withDigests(written.match) } : written
  const operations = operationsOn(data.on)
  if (data.took_effect === true && !operations.some(id => isChange(operationOf(id))))
    note(['took_effect'], say('no_effect', shownOn(data.on)))
  const matches = await compileMatch(operations, data.match, note, { answers })
  const [least = 0, most = Number.POSITIVE_INFINITY] = PAUSES.map(word =>
    data[word] === undefined ? undefined : (durationOf(data[word]) as number)
  )
  if (least > most) note(['no_later_than'], say('reversed', 'no_sooner_than', 'no_later_than'))
  return {
    data,
    operations: data.on === '*' && data.match === undefined ? null : new Set(operations),
    matches,
    ended: await compileEnding(data, note, answers),
    apart: hasPause(data) ? { least, most } : null
  }
}

async function compileEnding(
  { on, took_effect, status, answered, response }: CallsData,
  report: Report,
  answers: Answered
): Promise<EndingCondition[]> {
  const conditions: EndingCondition[] = []
  for (const [name, wanted, fact] of [
    ['took_effect', took_effect, 'tookEffect'],
    ['answered', answered, 'isDelivered']
  ] as const)
    if (wanted !== undefined)
      conditions.push({
        name,
        wanted: yesOrNo(wanted),
        got: ending => yesOrNo(ending[fact]),
        holds: ending => ending[fact] === wanted
      })
  if (answered === false)
    for (const word of ['status', 'response'] as const)
      if ({ status, response }[word] !== undefined) report([word], say('no_response', word))
  if (status !== undefined) {
    const isWanted = compileStatus(status, within(report, 'status'))
    const wanted = [status].flat().join(' or ')
    conditions.push(ofResponse('status', wanted, ({ status }) => status, isWanted))
  }
  if (response !== undefined) {
    const operations = operationsOn(on)
    const fields = await compileFields(response, operations, within(report, 'response'), answers)
    for (const { name, wanted, test } of fields)
      conditions.push(
        ofResponse(
          `response.${name.join('.')}`,
          wanted,
          ({ body }) => asValue(name.reduce(fieldIn, body())),
          test
        )
      )
  }
  return conditions
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')

/** None holds where no response came. */
const ofResponse = <V extends Value>(
  name: string,
  wanted: string,
  valueIn: (ending: Ending) => V,
  isWanted: (value: V) => boolean
): EndingCondition => ({
  name,
  wanted,
  got: ending => (ending.isDelivered ? shownValue(valueIn(ending)) : 'no response'),
  holds: ending => ending.isDelivered && isWanted(valueIn(ending))
})

function compileFields(
  response: Names,
  operations: readonly OperationId[],
  report: Report,
  answers: Answered
): Promise<Condition[]> {
  if (Object.keys(response).length === 0) report([], check('empty'))
  const schemas = operations.flatMap(operation => {
    const { answer } = TABLES[operation] as Tables
    return answer === undefined ? [ERROR] : [schemaOf(answer), ERROR]
  })
  const fields = { properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) }
  const unknown: Subject['unknown'] = (name, known) =>
    say('unknown_field', 'response', name.join('.'), didYouMean(name.at(-1) as string, known))
  return compileNames(response, { answers, schemas, fields, name: [], unknown }, report)
}

const PARTS = 'type code message param rule assumption request_id'.split(' ')
const ERROR: Schema = {
  properties: {
    error: { properties: Object.fromEntries(PARTS.map(name => [name, { type: 'string' }])) }
  }
}

function shownCalls({
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
    took_effect !== undefined && `that took ${took_effect ? 'effect' : 'no effect'}`,
    status !== undefined && `with status ${[status].flat().join(' or ')}`,
    answered !== undefined && `that got ${answered ? 'a' : 'no'} response`,
    response !== undefined && `answered with ${JSON.stringify(response)}`,
    least !== undefined && `no sooner than ${least} after the response before`,
    most !== undefined && `no later than ${most} after the response before`
  ].filter(Boolean)
  return [shownOn(on), match && `with ${JSON.stringify(withoutKey(match))}`, conditions.join(', ')]
    .filter(Boolean)
    .join(' ')
}

const withoutKey = ({ key, ...match }: MatchData): object => ({
  ...match,
  ...(key !== undefined && { key: MASK })
})

const forEach = (per: Per | undefined) => (per === undefined ? '' : ` for each ${per}`)

export function shownTimes({ from, to }: Counts): string {
  const shown = (count: number) => `${count} request${count === 1 ? '' : 's'}`
  if (from === to) return shown(to)
  if (to === Number.POSITIVE_INFINITY) return `at least ${shown(from)}`
  return `${from === 0 ? 'at most' : `${from} to`} ${shown(to)}`
}
