/** Expectations of requests, their order, and the records at the end; `Tally` judges them. */
import { type Report, within } from '../documents.js'
import { type Counts, countsOf } from '../match/counts.js'
import { admitPatterns } from '../match/patterns.js'
import { headOf, namesIn, textsOf } from '../play/references.js'
import { say } from '../sentences.js'
import type { Per } from '../shape/entry.js'
import type { CountData, ExpectationData, SequenceData } from '../shape/expectation.js'
import {
  type Calls,
  checkPer,
  compileCalls,
  hasPause,
  PAUSES,
  type Responses,
  shownCalls
} from './calls.js'
import { compileState, type StateData, type StateTest } from './final-state.js'

export type { CallsData, CountData, ExpectationData } from '../shape/expectation.js'

/** `unsent`: the steps that it refers to and that were not sent. */
type Expected = { wanted: string; unsent: () => readonly string[] }
export type CountExpectation = Expected & {
  data: CountData
  calls: Calls
  times: Counts
  description: string
}
export type SequenceExpectation = Expected & {
  data: SequenceData
  steps: readonly Calls[]
  others: boolean
}
export type StateExpectation = Expected & { data: { state: StateData }; differences: StateTest }
export type Expectation = CountExpectation | SequenceExpectation | StateExpectation

const WAYS = ['on', 'sequence', 'state']

/** Null, with the problems reported. `patterns`: how many those before it have. */
export async function compileExpectation(
  data: ExpectationData,
  report: Report,
  responses?: Responses,
  patterns = 0
): Promise<Expectation | null> {
  const ways = WAYS.filter(way => way in data)
  if (ways.length !== 1) report([], say('not_exactly_one', WAYS, ways))
  else if (await admitPatterns(data, patterns, report)) {
    const unsent = unsentOf(data, responses)
    if ('on' in data) return { ...compileCount(data, report, responses), unsent }
    if ('sequence' in data) return { ...compileSequence(data, report, responses), unsent }
    for (const word of ['per', 'others'] as const)
      if (word in data) report([word], say('needs', word, 'on or sequence'))
    const wanted = `these records at the end: ${JSON.stringify(data.state)}`
    const differences = compileState(data.state, within(report, 'state'), responses)
    return { data, unsent, wanted, differences }
  }
  return null
}

function unsentOf(data: ExpectationData, responses: Responses): Expected['unsent'] {
  const names = textsOf(data, true).flatMap(namesIn)
  const steps = new Set(names.map(headOf))
  return () => [...steps].filter(name => responses?.has(name) !== true)
}

function compileCount(
  data: CountData,
  report: Report,
  responses: Responses
): Omit<CountExpectation, 'unsent'> {
  const { per } = data
  if ('others' in data) report(['others'], say('needs', 'others', 'sequence'))
  const isPaused = hasPause(data)
  const times = countsOf(`${data.times ?? (isPaused ? '2+' : '1+')}`, 0, within(report, 'times'))
  const isVacuous = !isPaused && times.from < 2 && times.to === Number.POSITIVE_INFINITY
  if (isVacuous && per !== undefined)
    report(['per'], say('needs', 'per', 'a pause, or times other than 0+ and 1+'))
  else if (isVacuous && times.from === 0) report(['times'], say('allows_anything'))
  const calls = compileCalls(data, report, responses)
  checkPer(per, [calls], report)
  const description = `${shownCalls(calls.data)}${forEach(per)}`
  return {
    data: calls.data,
    calls,
    times,
    description,
    wanted: `${description}: ${shownTimes(times)}`
  }
}

function compileSequence(
  data: SequenceData,
  report: Report,
  responses: Responses
): Omit<SequenceExpectation, 'unsent'> {
  const { per, others = false } = data
  const steps = data.sequence.map((step, index) => {
    const note = within(report, 'sequence', index)
    for (const word of index === 0 ? PAUSES : [])
      if (step[word] !== undefined) note([word], say('needs', word, 'a previous request'))
    return compileCalls(step, note, responses)
  })
  checkPer(per, steps, report)
  const description = steps.map(({ data }) => shownCalls(data)).join(', then ')
  return {
    data: { ...data, sequence: steps.map(({ data }) => data) },
    steps,
    others,
    wanted: `${description}, in this order${forEach(per)}${others ? '' : ' and no other requests'}`
  }
}

const forEach = (per: Per | undefined) => (per === undefined ? '' : ` for each ${per}`)

export function shownTimes({ from, to }: Counts): string {
  const requests = (count: number) => `${count} request${count === 1 ? '' : 's'}`
  if (from === to) return requests(to)
  if (to === Number.POSITIVE_INFINITY) return `at least ${requests(from)}`
  return `${from === 0 ? 'at most' : `${from} to`} ${requests(to)}`
}
