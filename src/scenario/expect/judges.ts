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
  type CallsData,
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
  seen = 0
  /** The first that counted, or where they are timed more of them. */
  readonly counted: Arrival[] = []
  readonly tests = new Set<string>()
  /** Those of a sequence in their order, with the steps that they can be. */
  waiting: { arrival: Arrival; steps: readonly Calls[] }[] = []
  /** The first that a sequence leaves no room for, with its pause if only that is wrong. */
  stray: { arrival: Arrival; gap: number | null } | null = null
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
  readonly #groups = new Map<string, Group>()
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
    const value = per === undefined ? '' : judgedValue(per, call)
    const group = this.#groups.get(value)
    if (group !== undefined) return group
    if (this.#groups.size < MAX_VALUES) {
      this.#groups.set(value, new Group())
      return this.#groups.get(value)
    }
    this.#uncounted++
    return undefined
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
        group.stray = { arrival, gap }
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  #verdictOf(group: Group, value?: string): Verdict {
    const { expectation } = this
    const { seen, counted, tests } = group
    const judged = { ...judgedBy(expectation, group, value), seen }
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
    if (data.per === undefined) return this.#verdictOf(this.#groups.get('') ?? new Group())
    if (this.#groups.size > 0) return this.#verdictOfValues(data.per)
    const none = this.#verdictOf(new Group())
    return times.from === 0
      ? none
      : unexercised({ ...none, message: say('no_value', data.per).message })
  }

  #verdictOfValues(per: Per): Verdict {
    const verdicts = Array.from(this.#groups, ([value, group]) => this.#verdictOf(group, value))
    const failed = verdicts.filter(({ holds }) => !holds)
    const first = failed.find(({ forbidden }) => forbidden) ?? failed[0]
    let { message } = first
      ? say('others', first.message, failed.length - 1)
      : say('holds_for', verdicts.length, per)
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

const judgedBy = (expectation: CallsExpectation, group: Group, value?: string): Judged => {
  const { data } = expectation
  const suffix = value === undefined ? '' : ` for ${value}`
  return 'sequence' in data
    ? { forbidden: group.stray !== null, message: orderMessage(data.sequence, group, suffix) }
    : judgedCount(expectation, group, suffix)
}

function judgedCount(
  { steps, times, description }: CallsExpectation,
  { seen, counted }: Group,
  suffix: string
): Judged {
  const calls = present(steps[0])
  const isMore = seen > times.to
  const inOrder = counted.toSorted((a, b) => a.arrivedAt - b.arrivedAt)
  const gaps = inOrder.slice(1).map((next, nth) => gapBetween(present(inOrder[nth]), next))
  const nth = isMore ? -1 : gaps.findIndex(gap => !isInPace(gap, calls))
  if (nth < 0) {
    const { message } = say('count', description, shownTimes(times), seen, suffix)
    return { forbidden: isMore, message }
  }
  const request = `Request ${nth + 2}, ${shownOn(calls.data.on)},`
  return { forbidden: true, message: paceMessage(request, present(gaps[nth]), calls.data, suffix) }
}

function orderMessage(
  sequence: readonly CallsData[],
  { seen, stray }: Group,
  suffix: string
): string {
  const { length } = sequence
  const next = sequence[seen]
  const operation = stray?.arrival.operation
  const came = operation == null ? 'another request' : nameOf(operation)
  if (next === undefined) {
    const ended = stray ? say('after_sequence', came, length, suffix) : say('in_order', length)
    return ended.message
  }
  const step = `Request ${seen + 1} of the sequence, ${shownOn(next.on)},`
  if (stray === null) return say('out_of_order', step, suffix).message
  return stray.gap === null
    ? say('came_instead', step, came, suffix).message
    : paceMessage(step, stray.gap, next, suffix)
}

function paceMessage(
  what: string,
  gap: number,
  { no_sooner_than: least, no_later_than: most }: CallsData,
  suffix: string
): string {
  const bounds = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  return say('off_pace', what, gap, suffix, bounds.join(' and ')).message
}
