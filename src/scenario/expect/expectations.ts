/** Expectations of requests, their order, and the records at the end; `Tally` judges them. */
import { say as check } from '../../core/sentences.js'
import { canBeAbout } from '../about.js'
import { type Report, within } from '../documents.js'
import { type Counts, countsOf } from '../match/counts.js'
import type { Context } from '../match/fields.js'
import { shownOn } from '../match/matching.js'
import { admitPatterns } from '../match/patterns.js'
import { headOf, namesIn, textsOf } from '../play/references.js'
import { say } from '../sentences.js'
import {
  type CountData,
  type ExpectationData,
  PAUSES,
  type SequenceData,
  type StateData
} from '../shape/expectation.js'
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

/** Null, with the problems reported. `patterns`: how many those before it have. */
export async function compileExpectation(
  data: ExpectationData,
  report: Report,
  responses?: Context['responses'],
  patterns = 0
): Promise<Expectation | null> {
  if (!(await admitPatterns(data, patterns, report))) return null
  const names = new Set(textsOf(data, true).flatMap(namesIn).map(headOf))
  const unsent = () => [...names].filter(name => responses?.has(name) !== true)
  if ('on' in data) return { ...compileCount(data, { report, responses }), unsent }
  if ('sequence' in data) return { ...compileSequence(data, { report, responses }), unsent }
  const wanted = `these records at the end: ${JSON.stringify(data.state)}`
  const differences = compileState(data.state, { report: within(report, 'state'), responses })
  return { data, steps: [], unsent, wanted, differences }
}

type Compiled = Omit<CallsExpectation, 'unsent'>

function compileCount(source: CountData, context: Context): Compiled {
  const { report } = context
  const { per } = source
  const calls = compileCalls(source, [], context)
  const data: CountData = calls.data
  const isPaused = calls.apart !== null
  const written = data.times ?? (isPaused ? '2+' : '1+')
  const times = countsOf(`${written}`, 0, within(report, 'times'))
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
  const { per, others } = data
  const steps = data.sequence.map((step, index) => compileCalls(step, ['sequence', index], context))
  for (const word of PAUSES)
    if (data.sequence[0]?.[word] !== undefined)
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
