/**
 * Expectations: how many requests must come and how they must end, in which order they come, and
 * what the records are in the end.
 */
import { durationOf } from '../core/durations.js'
import { MASK } from '../core/mask.js'
import type { Step } from '../core/places.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { type Counts, countsOf } from './counts.js'
import { withDigests } from './digests.js'
import type { Report } from './documents.js'
import {
  compileState,
  recordsOf,
  type StateData,
  type StateDifference,
  type StateTest
} from './final-state.js'
import { within } from './flaws.js'
import {
  compileMatch,
  countedValue,
  isMatch,
  MAX_VALUES,
  type MatchData,
  type Matcher,
  operationsOn,
  type SentCall,
  shownOn,
  unlessReported
} from './matching.js'
import { MAX_NEAR_MISSES, type NearMiss } from './near-misses.js'
import { isWithinPatterns } from './patterns.js'
import type { CallsData, CountData, ExpectationData, Json, Per, SequenceData } from './schemas.js'
import { say } from './sentences.js'
import { compileStatus } from './statuses.js'

export type { CallsData, CountData, ExpectationData } from './schemas.js'
export type Ending = { status: number; isDelivered: boolean; tookEffect: boolean }
/**
 * `apart`: milliseconds after the one before. `ended` is empty where it does not matter how they
 * end: they count at once.
 */
export type Calls = {
  data: CallsData
  operations: ReadonlySet<OperationId>
  matches: Matcher
  ended: readonly EndingCondition[]
  apart: number
}
export type EndingCondition = {
  name: string
  wanted: string
  got: (ending: Ending) => string
  holds: (ending: Ending) => boolean
}
/**
 * `isOfEndings`: requests are counted when they have ended, since it matters how; `times` is of
 * each value where it counts by one.
 */
export type Expectation =
  | { data: CountData; calls: Calls; times: Counts; isOfEndings: boolean }
  | { data: SequenceData; steps: readonly Calls[]; isOfEndings: boolean }
  | { data: { state: StateData }; isOfEndings: false; differences: StateTest }
export type Verdict = {
  expectation: ExpectationData
  wanted: string
  /** The first value that it does not hold for, which `seen` and the requests are of. */
  value?: string
  /** Requests that came; of a sequence, those in order; of a state, the places where it differs. */
  seen: number
  holds: boolean
  exceeded: boolean
  message: string
  /**
   * Where it does not hold: requests that counted or nearly did, as far as the journal has them.
   */
  requests?: string[]
  near_misses?: NearMiss[]
}

/** By the names of steps; null where an expectation cannot refer to them. */
type Answered = ReadonlyMap<string, Json> | null

/**
 * Compiles an expectation that its schema allows; null with its problems reported. Card data is
 * kept as digests. `patterns`: those of the expectations before.
 */
export const compileExpectation = (
  data: ExpectationData,
  report: Report,
  answers: Answered = null,
  patterns = 0
): Promise<Expectation | null> =>
  unlessReported(report, async note => {
    const ways = ['on', 'sequence', 'state'].filter(way => way in data)
    if (ways.length !== 1) note([], say('not_exactly_one', ['on', 'sequence', 'state'], ways))
    else if (isWithinPatterns(data, patterns, said => note([], said)))
      return compiled(data, note, answers)
    return null
  })

/** Each with its place; none where it is about records. */
export function callsIn(data: ExpectationData): { at: readonly Step[]; calls: CallsData }[] {
  if ('on' in data) return [{ at: [], calls: data }]
  return 'sequence' in data
    ? data.sequence.map((calls, index) => ({ at: ['sequence', index], calls }))
    : []
}

async function compiled(
  data: ExpectationData,
  note: Report,
  answers: Answered
): Promise<Expectation> {
  const { per } = data as Partial<SequenceData>
  if (per !== undefined && 'state' in data) note(['per'], say('needs', 'per', 'on or sequence'))
  if ('state' in data)
    return {
      data,
      isOfEndings: false,
      differences: await compileState(data.state, within(note, 'state'), answers)
    }
  if ('sequence' in data) {
    const steps: Calls[] = []
    if (data.sequence[0]?.no_sooner_than !== undefined)
      note(['sequence', 0, 'no_sooner_than'], say('needs', 'no_sooner_than', 'a request before it'))
    for (const [index, step] of data.sequence.entries()) {
      steps.push(await compileCalls(step, within(note, 'sequence', index), answers))
      await pause()
    }
    return {
      data: { ...data, sequence: steps.map(({ data }) => data) },
      steps,
      isOfEndings: steps.some(({ ended }) => ended.length > 0)
    }
  }
  const times = countsOf(`${data.times ?? '1+'}`, 0, within(note, 'times'))
  const isVacuous = times.from < 2 && times.to === Number.POSITIVE_INFINITY
  if (per !== undefined && isVacuous && data.no_sooner_than === undefined)
    note(['per'], say('needs', 'per', 'no_sooner_than, or times other than 0+ and 1+'))
  const calls = await compileCalls(data, note, answers)
  return { data: calls.data, calls, times, isOfEndings: calls.ended.length > 0 }
}

async function compileCalls(written: CallsData, note: Report, answers: Answered): Promise<Calls> {
  const data = written.match ? { ...written, match: withDigests(written.match) } : written
  const operations = operationsOn(data.on, note)
  if (
    data.took_effect === true &&
    operations.length > 0 &&
    !operations.some(operation => isChange(operationOf(operation)))
  ) {
    note(['took_effect'], say('no_effect', shownOn(data.on)))
  }
  const matches = await compileMatch(operations, data.match, note, { answers })
  return {
    data,
    operations: new Set(operations),
    matches,
    ended: compileEnding(data, note),
    apart: durationOf(data.no_sooner_than ?? '0s') as number
  }
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')
const ofEnding = (
  name: string,
  wanted: boolean | undefined,
  isSo: (ending: Ending) => boolean
): EndingCondition[] =>
  wanted === undefined
    ? []
    : [
        {
          name,
          wanted: yesOrNo(wanted),
          got: ending => yesOrNo(isSo(ending)),
          holds: ending => isSo(ending) === wanted
        }
      ]

function compileEnding({ took_effect, status, answered }: CallsData, note: Report): Calls['ended'] {
  const conditions = [
    ...ofEnding('took_effect', took_effect, ({ tookEffect }) => tookEffect),
    ...ofEnding('answered', answered, ({ isDelivered }) => isDelivered)
  ]
  if (status !== undefined) {
    if (answered === false) note(['status'], say('no_status'))
    const isWanted = compileStatus(status, within(note, 'status'))
    const got = ({ status, isDelivered }: Ending) => (isDelivered ? `${status}` : 'no response')
    conditions.push({
      name: 'status',
      wanted: [status].flat().join(' or '),
      got,
      holds: ({ status, isDelivered }) => isDelivered && isWanted(status)
    })
  }
  return conditions
}

export class Tally {
  readonly expectations: readonly Expectation[]
  readonly #counts: readonly CallCount[]
  /** Whether it matters for one of them how requests end. */
  readonly hasEndings: boolean
  readonly isEmpty: boolean

  constructor(expectations: readonly Expectation[]) {
    this.expectations = expectations
    this.#counts = expectations.map(() => ({ values: new Map(), uncounted: 0 }))
    this.isEmpty = expectations.length === 0
    this.hasEndings = expectations.some(({ isOfEndings }) => isOfEndings)
  }

  /**
   * Counts a request that comes, or has ended as `ending` says. Returns whether it counts for any.
   */
  count(call: SentCall, ending: Ending | null = null): boolean {
    let isCounted = false
    for (const [index, expectation] of this.expectations.entries()) {
      if ('differences' in expectation || expectation.isOfEndings !== (ending !== null)) continue
      const count = this.#counts[index] as CallCount
      const { per } = expectation.data
      const value = per === undefined ? NO_VALUE : countedValue(per, call)
      if (value === undefined) continue
      const came = count.values.get(value)
      const calls = 'steps' in expectation ? expectation.steps[came?.seen ?? 0] : expectation.calls
      if (calls === undefined || !isMatched(calls, call, ending)) continue
      isCounted = true
      if (came !== undefined) countAfter(came, call.at, calls.apart)
      else if (count.values.size < MAX_VALUES)
        count.values.set(value, { seen: 1, at: call.at, soon: null })
      else count.uncounted++
    }
    return isCounted
  }

  /** What is still expected, of a sequence the next request; `seen` is how many came. */
  awaited(): { wanted: string; calls: Calls; seen: number }[] {
    return this.expectations.flatMap((expectation, index) => {
      if ('differences' in expectation) return []
      const { wanted, holds, exceeded, seen } = this.#verdictOfCalls(expectation, index)
      return holds || exceeded
        ? []
        : [
            {
              wanted,
              seen,
              calls: 'steps' in expectation ? (expectation.steps[seen] as Calls) : expectation.calls
            }
          ]
    })
  }

  /** `store` holds the records as they are. */
  async verdicts(store: Store): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    for (const [index, expectation] of this.expectations.entries()) {
      if ('differences' in expectation)
        verdicts.push(
          verdictOfState(expectation.data, await expectation.differences(recordsOf(store)))
        )
      else verdicts.push(this.#verdictOfCalls(expectation, index))
      await pause()
    }
    return verdicts
  }

  /** By value: of the first that it does not hold for. */
  #verdictOfCalls(
    expectation: Exclude<Expectation, { differences: StateTest }>,
    index: number
  ): Verdict {
    const { values, uncounted } = this.#counts[index] as CallCount
    const { per } = expectation.data
    const verdictOf = (came: Came, value?: string) =>
      'steps' in expectation
        ? verdictOfSequence(expectation.data, came, value)
        : verdictOfCount(expectation, came, value)
    if (per === undefined) return verdictOf(values.get(NO_VALUE) ?? NONE)
    const verdicts = Array.from(values, ([value, came]) => verdictOf(came, value))
    const [first, ...others] = verdicts.filter(({ holds }) => !holds)
    const said =
      first === undefined
        ? say('holds_for', verdicts.length, per)
        : say('others', first.message, others.length)
    const { message } =
      uncounted === 0 ? said : say('uncounted', said.message, uncounted, per, MAX_VALUES)
    if (first !== undefined)
      return { ...first, exceeded: verdicts.some(({ exceeded }) => exceeded), message }
    const seen = Math.max(0, ...verdicts.map(verdict => verdict.seen))
    return { ...verdictOf(NONE), seen, holds: true, message }
  }
}

/** How many came, when the last, and the first that came too soon, by its place, with how soon. */
type Came = { seen: number; at: number; soon: { nth: number; gap: number } | null }
const NONE: Came = { seen: 0, at: 0, soon: null }

/** Those counted when they end need not end in the order in which they came. */
function countAfter(came: Came, at: number, apart: number): void {
  const gap = Math.abs(at - came.at)
  came.seen++
  if (gap < apart) came.soon ??= { nth: came.seen, gap }
  came.at = Math.max(came.at, at)
}

/** What came by value, and how many requests of values beyond the maximum. */
type CallCount = { readonly values: Map<string, Came>; uncounted: number }
/** In place of a value where all requests are counted together. */
const NO_VALUE = ''

/** `ending` is null where it does not matter how a request ended. */
function isMatched(
  { operations, matches, ended }: Calls,
  call: SentCall,
  ending: Ending | null
): boolean {
  if (!operations.has(call.operation) || !isMatch(matches, call)) return false
  return ended.length === 0 || (ending !== null && ended.every(({ holds }) => holds(ending)))
}

function shownCalls({
  on,
  match,
  took_effect,
  status,
  answered,
  no_sooner_than: apart
}: CallsData): string {
  const conditions = [
    took_effect !== undefined && `that took ${took_effect ? 'effect' : 'no effect'}`,
    status !== undefined && `with status ${[status].flat().join(' or ')}`,
    answered !== undefined && `that got ${answered ? 'a' : 'no'} response`,
    apart !== undefined && `no sooner than ${apart} after the one before`
  ].filter(Boolean)
  return [shownOn(on), match && `with ${JSON.stringify(withoutKey(match))}`, conditions.join(', ')]
    .filter(Boolean)
    .join(' ')
}

const withoutKey = ({ key, ...match }: MatchData): object => ({
  ...match,
  ...(key !== undefined && { key: MASK })
})

const ofValue = (value: string | undefined) => (value === undefined ? '' : ` for ${value}`)
const forEach = (per: Per | undefined) => (per === undefined ? '' : ` for each ${per}`)

/** `1 request`, `at least 2 requests`, `2 to 3 requests`. */
function shownTimes({ from, to }: Counts): string {
  if (from === to) return `${from} request${from === 1 ? '' : 's'}`
  if (to === Number.POSITIVE_INFINITY) return `at least ${from} request${from === 1 ? '' : 's'}`
  return `${from === 0 ? 'at most' : `${from} to`} ${to} request${to === 1 ? '' : 's'}`
}

function verdictOfCount(
  { data, times }: { data: CountData; times: Counts },
  { seen, soon }: Came,
  value: string | undefined
): Verdict {
  const { on, per, no_sooner_than: apart } = data
  const calls = `${shownCalls(data)}${forEach(per)}`
  const wanted = shownTimes(times)
  const isMore = seen > times.to
  const said =
    soon === null || isMore
      ? say('count', calls, wanted, seen, ofValue(value))
      : say(
          'too_soon',
          `Request ${soon.nth}, ${shownOn(on)},`,
          soon.gap,
          ofValue(value),
          `${apart}`
        )
  return {
    expectation: data,
    wanted: `${calls}: ${wanted}`,
    ...(value && { value }),
    seen,
    holds: seen >= times.from && !isMore && soon === null,
    exceeded: isMore || soon !== null,
    message: said.message
  }
}

function verdictOfSequence(
  expectation: SequenceData,
  { seen, soon }: Came,
  value: string | undefined
): Verdict {
  const { sequence, per } = expectation
  const next = sequence[seen]
  const wanted = `${sequence.map(shownCalls).join(', then ')}, in this order${forEach(per)}`
  const verdict = { expectation, wanted, ...(value && { value }), seen }
  if (soon !== null) {
    const { on, no_sooner_than: apart } = sequence[soon.nth - 1] as CallsData
    const { message } = say(
      'too_soon',
      `Request ${soon.nth} of the sequence, ${shownOn(on)},`,
      soon.gap,
      ofValue(value),
      `${apart}`
    )
    return { ...verdict, holds: false, exceeded: true, message }
  }
  const { message } =
    next === undefined
      ? say('in_order', sequence.length)
      : say('out_of_order', seen + 1, shownOn(next.on), ofValue(value))
  return { ...verdict, holds: next === undefined, exceeded: false, message }
}

function verdictOfState(
  expectation: { state: StateData },
  differences: readonly StateDifference[]
): Verdict {
  const seen = differences.length
  const message =
    seen === 0 ? say('records_hold').message : differences.map(({ message }) => message).join('; ')
  const near = [...new Set(differences.flatMap(({ near_misses = [] }) => near_misses))].slice(
    0,
    MAX_NEAR_MISSES
  )
  const wanted = `these records at the end: ${JSON.stringify(expectation.state)}`
  return {
    expectation,
    wanted,
    seen,
    holds: seen === 0,
    exceeded: false,
    message,
    ...(near.length > 0 && { near_misses: near })
  }
}
