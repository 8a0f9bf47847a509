/** Judges the requests of a period by one expectation. */
import type { OperationId } from '../../reference/operations.js'
import { areMet } from '../match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall, shownOn } from '../match/matching.js'
import type { NearMiss } from '../match/near-misses.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { Per } from '../shape/entry.js'
import type { CallsData, ExpectationData } from '../shape/expectation.js'
import type { Apart, Calls, Ending } from './calls.js'
import {
  type CountExpectation,
  type Expectation,
  type SequenceExpectation,
  shownTimes
} from './expectations.js'

/** `never exercised`: no request to judge by; it fails as `unmet` does. */
type Judgement = 'met' | 'unmet' | 'never exercised'
export type Verdict = {
  expectation: ExpectationData
  wanted: string
  verdict: Judgement
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

export const unexercised = (verdict: Omit<Verdict, 'verdict'>): Verdict => ({
  ...verdict,
  verdict: 'never exercised',
  holds: false,
  message: say('never_exercised', verdict.message).message
})

export type Judged = Pick<Verdict, 'forbidden' | 'message'>
type Judging = { isMet: boolean; isExercised?: boolean } & Judged &
  Pick<Verdict, 'seen' | 'near_misses'>

/** Not met if it refers to a step that was not sent. */
export function verdictOf(
  { data, wanted, unsent }: Expectation,
  { isMet, isExercised = true, ...judged }: Judging
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
  readonly whenEnded: ((ending: Ending) => void)[]
}

type Waiting = { arrival: Arrival; from: number; fits: readonly boolean[]; ending: Ending | null }
export class Group {
  seen = 0
  readonly ids: string[] = []
  readonly tests = new Set<string>()
  last: Arrival | null = null
  /** Where pauses are expected, those that counted. */
  readonly timed: Arrival[] = []
  waiting: Waiting[] = []
  /** The first that a sequence leaves no room for, with its pause if only that is wrong. */
  stray: { arrival: Arrival; gap: number | null } | null = null
}
const NONE = new Group()

export const judgedValue = (per: Per, call: SentCall): string =>
  countedValue(per, call) ?? `requests without a ${per}`
const MAX_IDS = 10
const MAX_TESTS = 100
const MAX_TIMED = 10_000

export const isOf = (
  { operations }: Pick<Calls, 'operations'>,
  { operation }: Pick<SentCall, 'operation'>
): boolean => operations === null || (operation !== null && operations.has(operation))
export const ofValue = (value: string | undefined) => (value === undefined ? '' : ` for ${value}`)

export abstract class CallsJudge<
  E extends CountExpectation | SequenceExpectation = CountExpectation | SequenceExpectation
> {
  readonly expectation: E
  readonly #groups = new Map<string, Group>()
  readonly counted = new WeakSet<Arrival>()
  isExercised = false
  #uncounted = 0

  constructor(expectation: E) {
    this.expectation = expectation
  }

  abstract readonly least: number
  abstract see(call: SentCall, arrival: Arrival): void
  abstract stepAfter(seen: number): Calls
  abstract judged(group: Group, value?: string): Judged

  groupOf(call: SentCall): Group | undefined {
    const { per } = this.expectation.data
    const value = per === undefined ? '' : judgedValue(per, call)
    let group = this.#groups.get(value)
    if (group === undefined && this.#groups.size < MAX_VALUES) {
      group = new Group()
      this.#groups.set(value, group)
    }
    if (group === undefined) this.#uncounted++
    return group
  }

  count(group: Group, arrival: Arrival): void {
    this.counted.add(arrival)
    group.seen++
    group.last = arrival
    if (arrival.id !== null && group.ids.length < MAX_IDS) group.ids.push(arrival.id)
    if (arrival.test !== null && group.tests.size < MAX_TESTS) group.tests.add(arrival.test)
  }

  #verdictOf(group: Group, value?: string): Verdict {
    const { isExercised } = this
    const { seen, ids, tests } = group
    const judged = this.judged(group, value)
    const isMet = seen >= this.least && !judged.forbidden
    const verdict = verdictOf(this.expectation, { isMet, isExercised, ...judged, seen })
    return {
      ...verdict,
      ...(value !== undefined && { value }),
      ...(!verdict.holds && ids.length > 0 && { requests: [...ids] }),
      ...(tests.size > 0 && { tests: [...tests] })
    }
  }

  verdict(): Verdict {
    const { per } = this.expectation.data
    if (per === undefined) return this.#verdictOf(this.#groups.get('') ?? NONE)
    if (this.#groups.size > 0) return this.#verdictOfValues(per)
    const none = this.#verdictOf(NONE)
    return 'times' in this.expectation && this.expectation.times.from === 0
      ? none
      : unexercised({ ...none, message: say('no_value', per).message })
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

export const gapBetween = (before: Arrival, { arrivedAt }: Arrival): number =>
  before.endedAt === null ? 0 : Math.max(0, arrivedAt - before.endedAt)

export const isInPace = (gap: number, { least, most }: Apart): boolean =>
  gap >= least && gap <= most

export function paceMessage(
  what: string,
  gap: number,
  { no_sooner_than: least, no_later_than: most }: CallsData,
  value: string | undefined
): string {
  const bounds = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  return say('off_pace', what, gap, ofValue(value), bounds.join(' and ')).message
}

export class CountJudge extends CallsJudge<CountExpectation> {
  stepAfter(): Calls {
    return this.expectation.calls
  }

  see(call: SentCall, arrival: Arrival): void {
    const { calls } = this.expectation
    if (!isOf(calls, call)) return
    this.isExercised = true
    if (!areMet(calls.matches, call)) return
    const counted = () => {
      const group = this.groupOf(call)
      if (group === undefined) return
      this.count(group, arrival)
      if (calls.apart !== null && group.timed.length < MAX_TIMED) group.timed.push(arrival)
    }
    if (calls.ended.length === 0) counted()
    else
      arrival.whenEnded.push(ending => {
        if (areMet(calls.ended, ending)) counted()
      })
  }

  get least(): number {
    return this.expectation.times.from
  }

  judged({ seen, timed }: Group, value?: string): Judged {
    const { times, description, calls, data } = this.expectation
    const isMore = seen > times.to
    const off = isMore || calls.apart === null ? null : offPace(timed, calls.apart)
    const message =
      off === null
        ? say('count', description, shownTimes(times), seen, ofValue(value)).message
        : paceMessage(`Request ${off.nth}, ${shownOn(data.on)},`, off.gap, data, value)
    return { forbidden: isMore || off !== null, message }
  }
}

function offPace(timed: readonly Arrival[], apart: Apart): { nth: number; gap: number } | null {
  const inOrder = timed.toSorted((a, b) => a.arrivedAt - b.arrivedAt)
  for (const [index, arrival] of inOrder.slice(1).entries()) {
    const gap = gapBetween(present(inOrder[index]), arrival)
    if (!isInPace(gap, apart)) return { nth: index + 2, gap }
  }
  return null
}
