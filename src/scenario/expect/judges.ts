/** Judges the requests of a period by one expectation. */
import { nameOf, type OperationId } from '../../reference/operations.js'
import { areMet } from '../match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall, shownOn } from '../match/matching.js'
import type { NearMiss } from '../match/near-misses.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { Per } from '../shape/entry.js'
import type { Calls, Ending } from './calls.js'
import {
  type CallsExpectation,
  type Expectation,
  type ExpectationData,
  shownTimes
} from './expectations.js'

export type Verdict = {
  expectation: ExpectationData
  wanted: string
  /** `never exercised`: no request to judge by; it fails as `unmet` does. */
  verdict: 'met' | 'unmet' | 'never exercised'
  holds: boolean
  /** No other period makes up for it. */
  forbidden: boolean
  message: string
  /** The first value of `per` that fails; `seen` and the requests are those of this value. */
  value?: string
  /** How many requests counted, of a sequence those in order. */
  seen?: number
  requests?: string[]
  near_misses?: NearMiss[]
  tests?: string[]
}
type Judged = Pick<Verdict, 'forbidden' | 'message'>

export const unexercised = (verdict: Omit<Verdict, 'verdict'>): Verdict => ({
  ...verdict,
  verdict: 'never exercised',
  holds: false,
  message: say('never_exercised', verdict.message).message
})

/** Not met if it refers to a step that was not sent. */
export function verdictOf(
  { data, wanted, unsent }: Expectation,
  isMet: boolean,
  judged: Judged & Pick<Verdict, 'seen' | 'near_misses'>,
  isExercised = true
): Verdict {
  const missing = unsent()
  const holds = isMet && missing.length === 0
  const verdict = { expectation: data, wanted, ...judged, holds }
  if (missing.length > 0 && !judged.forbidden)
    return { ...verdict, verdict: 'never exercised', message: say('not_sent', missing).message }
  if (holds) return { ...verdict, verdict: 'met' }
  return isExercised ? { ...verdict, verdict: 'unmet' } : unexercised(verdict)
}

/** A request, and what to do when it has ended. */
export type Arrival = {
  readonly id: string | null
  readonly operation: OperationId | null
  readonly test: string | null
  readonly arrivedAt: number
  /** When its response was sent or lost; null before. */
  endedAt: number | null
  isCounted: boolean
  readonly whenEnded: ((ending: Ending) => void)[]
}

/** The requests with a value of `per`, or all. */
class Group {
  readonly forValue: string
  seen = 0
  /** The first that counted, or where they are timed more of them. */
  readonly counted: Arrival[] = []
  readonly tests = new Set<string>()
  /** Those of a sequence in their order, with the steps that they can be. */
  waiting: { arrival: Arrival; steps: readonly Calls[] }[] = []
  /** What is wrong with the first that a sequence leaves no room for. */
  stray: string | null = null

  constructor(readonly value?: string) {
    this.forValue = value === undefined ? '' : ` for ${value}`
  }
}

const MAX_IDS = 10
const MAX_TESTS = 100
const MAX_TIMED = 10_000

export const judgedValue = (per: Per, call: SentCall): string =>
  countedValue(per, call) ?? `requests without a ${per}`

export const isOf = (
  { operations }: Pick<Calls, 'operations'>,
  { operation }: Pick<SentCall, 'operation'>
): boolean => operations === null || (operation !== null && operations.has(operation))

/** Judges by an expectation of requests. */
export class RequestJudge {
  readonly #groups = new Map<string | undefined, Group>()
  #isExercised = false
  #uncounted = 0

  constructor(readonly expectation: CallsExpectation) {}

  see(call: SentCall, arrival: Arrival): void {
    const { data, steps } = this.expectation
    if (!steps.some(step => isOf(step, call))) return
    this.#isExercised = true
    if ('sequence' in data) this.#addToSequence(call, arrival)
    else this.#addToCount(call, arrival)
  }

  #groupOf(call: SentCall): Group | undefined {
    const { per } = this.expectation.data
    const value = per && judgedValue(per, call)
    if (!this.#groups.has(value) && this.#groups.size < MAX_VALUES)
      this.#groups.set(value, new Group(value))
    const group = this.#groups.get(value)
    if (group === undefined) this.#uncounted++
    return group
  }

  #count(group: Group, arrival: Arrival, most: number): void {
    const { test } = arrival
    arrival.isCounted = true
    group.seen++
    if (group.counted.length < most) group.counted.push(arrival)
    if (test !== null && group.tests.size < MAX_TESTS) group.tests.add(test)
  }

  #addToCount(call: SentCall, arrival: Arrival): void {
    const { matches, ended, apart } = present(this.expectation.steps[0])
    const count = () => {
      const group = this.#groupOf(call)
      if (group) this.#count(group, arrival, apart === null ? MAX_IDS : MAX_TIMED)
    }
    if (!areMet(matches, call)) return
    if (ended.length === 0) count()
    else
      arrival.whenEnded.push(ending => {
        if (areMet(ended, ending)) count()
      })
  }

  #addToSequence(call: SentCall, arrival: Arrival): void {
    const group = this.#groupOf(call)
    if (group === undefined || group.stray !== null) return
    const { seen, waiting } = group
    const steps = this.expectation.steps
      .slice(seen, seen + waiting.length + 1)
      .filter(step => isOf(step, call) && areMet(step.matches, call))
    const last = { arrival, steps }
    waiting.push(last)
    arrival.whenEnded.push(ending => {
      last.steps = last.steps.filter(step => areMet(step.ended, ending))
      this.#goOn(group)
    })
    this.#goOn(group)
  }

  /** Counts the requests that have ended, or need not have. */
  #goOn(group: Group): void {
    const { data, steps } = this.expectation
    for (let next = group.waiting[0]; next !== undefined; next = group.waiting[0]) {
      const { arrival } = next
      const step = next.steps.find(fitting => fitting === steps[group.seen])
      if (step?.ended.length && arrival.endedAt === null) return
      const gap = step?.apart ? gapBetween(present(group.counted.at(-1)), arrival) : null
      if (step && isInPace(gap, step)) this.#count(group, arrival, steps.length)
      else if (!('others' in data && data.others)) {
        group.stray = strayMessage(this.expectation, group, arrival, gap)
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  #verdictOf(group: Group): Verdict {
    const { expectation } = this
    const { value, seen, counted, tests } = group
    const judged = { ...judgedBy(expectation, group), seen }
    const isMet = seen >= expectation.times.from && !judged.forbidden
    const verdict = verdictOf(expectation, isMet, judged, this.#isExercised)
    const requests = verdict.holds ? [] : counted.slice(0, MAX_IDS).flatMap(({ id }) => id ?? [])
    return {
      ...verdict,
      ...(value !== undefined && { value }),
      ...(requests.length > 0 && { requests }),
      ...(tests.size > 0 && { tests: [...tests] })
    }
  }

  verdict(): Verdict {
    const { data, times } = this.expectation
    const verdicts = Array.from(this.#groups.values(), group => this.#verdictOf(group))
    const [verdict = this.#verdictOf(new Group())] = verdicts
    if (data.per === undefined) return verdict
    if (verdicts.length > 0) return this.#verdictOfValues(data.per, verdicts)
    return times.from === 0
      ? verdict
      : unexercised({ ...verdict, message: say('no_value', data.per).message })
  }

  #verdictOfValues(per: Per, verdicts: readonly Verdict[]): Verdict {
    const failed = verdicts.filter(({ holds }) => !holds)
    const first = failed.find(({ forbidden }) => forbidden) ?? failed[0]
    let { message } = first
      ? say('others', first.message, failed.length - 1)
      : say('met_for', verdicts.length, per)
    if (this.#uncounted > 0)
      message = say('uncounted', message, this.#uncounted, per, MAX_VALUES).message
    if (first !== undefined) return { ...first, message }
    const tests = [...new Set(verdicts.flatMap(({ tests = [] }) => tests))]
    const seen = Math.max(...verdicts.map(({ seen = 0 }) => seen))
    return { ...present(verdicts[0]), value: undefined, seen, tests, message }
  }
}

const gapBetween = (before: Arrival, { arrivedAt }: Arrival): number =>
  before.endedAt === null ? 0 : Math.max(0, arrivedAt - before.endedAt)

const isInPace = (gap: number | null, { apart }: Calls): boolean =>
  gap === null || apart === null || (gap >= apart.least && gap <= apart.most)

function judgedBy({ data, steps, times, description }: CallsExpectation, group: Group): Judged {
  const { seen, counted, stray, forValue } = group
  if ('sequence' in data) {
    const step = steps[seen]
    const message = step
      ? say('out_of_order', placeOf(step, seen), forValue)
      : say('in_order', seen)
    return { forbidden: stray !== null, message: stray ?? message.message }
  }
  const calls = present(steps[0])
  const isMore = seen > times.to
  const inOrder = counted.toSorted((a, b) => a.arrivedAt - b.arrivedAt)
  const gaps = inOrder.slice(1).map((next, nth) => gapBetween(present(inOrder[nth]), next))
  const nth = isMore ? -1 : gaps.findIndex(gap => !isInPace(gap, calls))
  if (nth >= 0) {
    const request = `Request ${nth + 2}, ${shownOn(calls.data.on)},`
    return { forbidden: true, message: paceMessage(request, present(gaps[nth]), calls, group) }
  }
  const { message } = say('count', description, shownTimes(times), seen, forValue)
  return { forbidden: isMore, message }
}

const placeOf = ({ data }: Calls, seen: number): string =>
  `Request ${seen + 1} of the sequence, ${shownOn(data.on)},`

function strayMessage(
  { steps }: CallsExpectation,
  group: Group,
  { operation }: Arrival,
  gap: number | null
): string {
  const { seen, forValue } = group
  const step = steps[seen]
  const came = operation === null ? 'a request that is not an operation' : nameOf(operation)
  if (step === undefined) return say('after_sequence', came, steps.length, forValue).message
  return gap === null
    ? say('other_request', seen + 1, shownOn(step.data.on), came, forValue).message
    : paceMessage(placeOf(step, seen), gap, step, group)
}

function paceMessage(what: string, gap: number, { data }: Calls, { forValue }: Group): string {
  const { no_sooner_than: least, no_later_than: most } = data
  const bounds = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  return say('off_pace', what, gap, forValue, bounds.join(' and ')).message
}
