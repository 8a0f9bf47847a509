/** Judges the requests of a period by an expectation of requests, and what is said of it. */
import type { OperationId } from '../../reference/operations.js'
import { areMet } from '../match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall, shownOn } from '../match/matching.js'
import type { NearMiss } from '../match/near-misses.js'
import { say } from '../sentences.js'
import type { Per } from '../shape/entry.js'
import type { CallsData, ExpectationData } from '../shape/expectation.js'
import type { Apart, Calls, Ending } from './calls.js'
import {
  type CountExpectation,
  type Expectation,
  type SequenceExpectation,
  shownTimes
} from './expectations.js'

/** `never exercised`: nothing came that it could be judged by; it fails as `unmet` does. */
type Judgement = 'met' | 'unmet' | 'never exercised'
export type Verdict = {
  expectation: ExpectationData
  wanted: string
  verdict: Judgement
  holds: boolean
  /** Whether something came that is forbidden, which no other period makes up for. */
  forbidden: boolean
  message: string
  /** The first value that it does not hold for, which `seen` and the requests are of. */
  value?: string
  /** How many requests counted; of a sequence, how many of its requests came in order. */
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
type Given = { isMet: boolean; isExercised?: boolean } & Judged &
  Pick<Verdict, 'seen' | 'near_misses'>

/** One that refers to a step that was not sent is not met. */
export function verdictOf(
  { data, wanted, unsent }: Expectation,
  { isMet, isExercised = true, ...given }: Given
): Verdict {
  const missing = unsent()
  const holds = isMet && missing.length === 0
  const verdict = { expectation: data, wanted, ...given, holds }
  if (missing.length > 0 && !given.forbidden)
    return { ...verdict, verdict: 'never exercised', message: say('not_sent', missing).message }
  if (holds) return { ...verdict, verdict: 'met' }
  return isExercised ? { ...verdict, verdict: 'unmet' } : unexercised(verdict)
}

/** A request that came, and what to do when it has ended. */
export type Came = {
  readonly id: string | null
  readonly operation: OperationId | null
  readonly test: string | null
  readonly at: number
  /** When its response was sent or lost; null before. */
  ended: number | null
  readonly whenEnded: ((ending: Ending) => void)[]
}

type Waiting = { came: Came; from: number; fits: readonly boolean[]; ending: Ending | null }
const newGroup = () => ({
  seen: 0,
  named: [] as string[],
  tests: new Set<string>(),
  last: null as Came | null,
  /** Where pauses are expected, those that counted. */
  timed: [] as Came[],
  waiting: [] as Waiting[],
  /** The first that a sequence leaves no room for, with its pause if only that is wrong. */
  stray: null as { came: Came; gap: number | null } | null
})
export type Group = ReturnType<typeof newGroup>
const NONE = newGroup()

export const judgedValue = (per: Per, call: SentCall): string =>
  countedValue(per, call) ?? `requests without a ${per}`
const MAX_NAMED = 10
const MAX_TESTS = 100
const MAX_TIMED = 10_000

export const isOf = (
  { operations }: Pick<Calls, 'operations'>,
  { operation }: Pick<SentCall, 'operation'>
): boolean => operations === null || operations.has(operation as OperationId)
export const ofValue = (value: string | undefined) => (value === undefined ? '' : ` for ${value}`)

export abstract class CallsJudge<
  E extends CountExpectation | SequenceExpectation = CountExpectation | SequenceExpectation
> {
  readonly expectation: E
  readonly #groups = new Map<string, Group>()
  readonly counted = new WeakSet<Came>()
  isExercised = false
  #uncounted = 0

  constructor(expectation: E) {
    this.expectation = expectation
  }

  /** How many requests must count. */
  abstract readonly least: number
  abstract see(call: SentCall, came: Came): void
  abstract stepAfter(seen: number): Calls
  abstract judged(group: Group, value?: string): Judged

  /** Undefined where there are too many. */
  groupOf(call: SentCall): Group | undefined {
    const { per } = this.expectation.data
    const value = per === undefined ? '' : judgedValue(per, call)
    let group = this.#groups.get(value)
    if (group === undefined && this.#groups.size < MAX_VALUES) {
      group = newGroup()
      this.#groups.set(value, group)
    }
    if (group === undefined) this.#uncounted++
    return group
  }

  count(group: Group, came: Came): void {
    this.counted.add(came)
    group.seen++
    group.last = came
    if (came.id !== null && group.named.length < MAX_NAMED) group.named.push(came.id)
    if (came.test !== null && group.tests.size < MAX_TESTS) group.tests.add(came.test)
  }

  #verdictOf(group: Group, value?: string): Verdict {
    const { isExercised } = this
    const { seen, named, tests } = group
    const judged = this.judged(group, value)
    const isMet = seen >= this.least && !judged.forbidden
    const verdict = verdictOf(this.expectation, { isMet, isExercised, ...judged, seen })
    return {
      ...verdict,
      ...(value !== undefined && { value }),
      ...(!verdict.holds && named.length > 0 && { requests: [...named] }),
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
    return { ...(verdicts[0] as Verdict), value: undefined, seen, tests, message }
  }
}

export const gapBetween = (before: Came, { at }: Came): number =>
  before.ended === null ? 0 : Math.max(0, at - before.ended)

export const isInPace = (gap: number, { least, most }: Apart): boolean =>
  gap >= least && gap <= most

export function paceMessage(
  what: string,
  gap: number,
  { no_sooner_than: least, no_later_than: most }: CallsData,
  value: string | undefined
): string {
  const wanted = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  return say('off_pace', what, gap, ofValue(value), wanted.join(' and ')).message
}

export class CountJudge extends CallsJudge<CountExpectation> {
  stepAfter(): Calls {
    return this.expectation.calls
  }

  see(call: SentCall, came: Came): void {
    const { calls } = this.expectation
    if (!isOf(calls, call)) return
    this.isExercised = true
    if (!areMet(calls.matches, call)) return
    const counted = () => {
      const group = this.groupOf(call)
      if (group === undefined) return
      this.count(group, came)
      if (calls.apart !== null && group.timed.length < MAX_TIMED) group.timed.push(came)
    }
    if (calls.ended.length === 0) counted()
    else
      came.whenEnded.push(ending => {
        if (areMet(calls.ended, ending)) counted()
      })
  }

  get least(): number {
    return this.expectation.times.from
  }

  judged({ seen, timed }: Group, value?: string): Judged {
    const { times, shown, calls, data } = this.expectation
    const isMore = seen > times.to
    const off = isMore ? null : offPace(timed, calls.apart as Apart)
    const message =
      off === null
        ? say('count', shown, shownTimes(times), seen, ofValue(value)).message
        : paceMessage(`Request ${off.nth}, ${shownOn(data.on)},`, off.gap, data, value)
    return { forbidden: isMore || off !== null, message }
  }
}

function offPace(timed: readonly Came[], apart: Apart): { nth: number; gap: number } | null {
  const inOrder = timed.toSorted((a, b) => a.at - b.at)
  for (const [index, came] of inOrder.slice(1).entries()) {
    const gap = gapBetween(inOrder[index] as Came, came)
    if (!isInPace(gap, apart)) return { nth: index + 2, gap }
  }
  return null
}
