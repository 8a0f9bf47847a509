/** Expectations of requests, their order, and the records at the end; `Tally` judges them. */
import { say as check } from '../../core/sentences.js'
import { canBeAbout } from '../about.js'
import { type Report, within } from '../documents.js'
import { type Counts, countsOf } from '../match/counts.js'
import { below, type Context } from '../match/fields.js'
import { shownOn } from '../match/matching.js'
import { admitPatterns, patternsIn } from '../match/patterns.js'
import { headOf, namesIn, textsOf } from '../play/references.js'
import { checkMatch, checkState, type Trial } from '../records/named-records.js'
import { say } from '../sentences.js'
import {
  type CountData,
  type ExpectationData,
  PAUSES,
  type SequenceData,
  type StateData
} from '../shape/expectation.js'
import type { Used } from '../shape/sources.js'
import type { StepResponses } from '../steps.js'
import { type Calls, compileCalls, shownCalls } from './calls.js'
import { compileState, type StateTest } from './final-state.js'

export type {
  CallsData,
  CountData,
  ExpectationData,
  SequenceData,
  StateData
} from '../shape/expectation.js'

/** `unsent`: the requests that it refers to and that were not sent. */
type Expected = { wanted: string; steps: readonly Calls[]; unsent: () => readonly string[] }
/** A count has one step; `times` is how many requests must count. */
export type CallsExpectation = Expected & {
  data: CountData | SequenceData
  times: Counts
  description: string
}
export type StateExpectation = Expected & { data: { state: StateData }; differences: StateTest }
export type Expectation = CallsExpectation | StateExpectation

const ANY = Number.POSITIVE_INFINITY

/** The expectations of a scenario. */
export async function compileExpectations(
  { data: { expect = [] }, report, warn }: Used,
  trial: Trial,
  responses: StepResponses
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const [index, data] of expect.entries()) {
    const note = within(report, 'expect', index)
    const expectation = await compileExpectation(data, note, responses, patterns)
    patterns += patternsIn(data)
    if (expectation === null) continue
    compiled.push(expectation)
    // only a warning: a request to a missing record can be expected too
    for (const [nth, { data: calls }] of expectation.steps.entries()) {
      const path = 'sequence' in data ? ['sequence', nth] : []
      checkMatch(calls, trial, within(warn, 'expect', index, ...path))
    }
    if ('state' in data) checkState(data.state, trial, note)
  }
  return compiled
}

/** Null, with the problems reported. `patterns`: how many those before it have. */
export async function compileExpectation(
  data: ExpectationData,
  report: Report,
  responses?: Context['responses'],
  patterns = 0
): Promise<Expectation | null> {
  if (!(await admitPatterns(data, patterns, report))) return null
  const context = { report, responses }
  const names = new Set(textsOf(data, true).flatMap(namesIn).map(headOf))
  const unsent = () => [...names].filter(name => responses?.has(name) !== true)
  if ('on' in data) return { ...compileCount(data, context), unsent }
  if ('sequence' in data) return { ...compileSequence(data, context), unsent }
  const wanted = `these records at the end: ${JSON.stringify(data.state)}`
  const differences = compileState(data.state, below(context, 'state'))
  return { data, steps: [], unsent, wanted, differences }
}

type Compiled = Omit<CallsExpectation, 'unsent'>

function compileCount(source: CountData, context: Context): Compiled {
  const { report } = context
  const calls = compileCalls(source, context)
  const data: CountData = calls.data
  const { per } = data
  const isPaused = calls.apart !== null
  const times = countsOf(
    `${data.times ?? (isPaused ? '2+' : '1+')}`,
    false,
    within(report, 'times')
  )
  const isVacuous = !isPaused && times.from < 2 && times.to === ANY
  if (isVacuous && per !== undefined)
    report(['per'], check('needs', ['a pause, or times other than 0+ and 1+'], 'per'))
  else if (isVacuous && times.from === 0) report(['times'], say('allows_anything'))
  checkPer(per, [calls], report)
  const description = `${shownCalls(data)}${forEach(per)}`
  const wanted = `${description}: ${shownTimes(times)}`
  return { data, steps: [calls], times, description, wanted }
}

function compileSequence(data: SequenceData, context: Context): Compiled {
  const { report } = context
  const { per, others, sequence } = data
  const steps = sequence.map((call, index) => compileCalls(call, below(context, 'sequence', index)))
  for (const word of PAUSES)
    if (sequence[0]?.[word] !== undefined)
      report(['sequence', 0, word], check('needs', ['a previous request'], word))
  checkPer(per, steps, report)
  const description = steps.map(({ data }) => shownCalls(data)).join(', then ')
  return {
    data: { ...data, sequence: steps.map(({ data }) => data) },
    steps,
    times: { from: steps.length, to: ANY },
    description,
    wanted: `${description}, in this order${forEach(per)}${others ? '' : ' and no other requests'}`
  }
}

function checkPer(per: CountData['per'], steps: readonly Calls[], report: Report): void {
  if (per === undefined || per === 'key' || per === 'test') return
  for (const { operations, data } of steps)
    if (operations?.size && ![...operations].some(canBeAbout(per)))
      report(['per'], say('has_none', shownOn(data.on), per))
}

const forEach = (per: CountData['per']) => (per === undefined ? '' : ` for each ${per}`)

export function shownTimes({ from, to }: Counts): string {
  const requests = (count: number) => `${count} request${count === 1 ? '' : 's'}`
  if (from === to) return requests(to)
  if (to === ANY) return `at least ${requests(from)}`
  return `${from === 0 ? 'at most' : `${from} to`} ${requests(to)}`
}

/** The request that is expected after those that counted. */
export const nextOf = ({ data, steps }: CallsExpectation, seen: number): Calls | undefined =>
  steps['on' in data ? 0 : seen]
