/** Judges the requests of a period by one expectation. */
import { nameOf, type OperationId } from '../../reference/operations.js'
import { areMet } from '../match/conditions.js'
import { countedValue, MAX_VALUES, type SentCall, shownOn } from '../match/matching.js'
import { type Miss, miss, missText } from '../match/near-misses.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { Per } from '../shape/entry.js'
import { type Calls, type Ending, shownCalls } from './calls.js'
import { type CallsExpectation, shownTimes } from './expectations.js'

/** What a judge says of a period. */
export type Judged = {
  isMet: boolean
  isExercised: boolean
  /** No other period makes up for it. */
  forbidden: boolean
  message: string
  /** The first value of `per` that fails; `seen` and the requests are those of this value. */
  value?: string
  /** How many requests counted, of a sequence those in order. */
  seen?: number
  requests?: string[]
  tests?: string[]
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
  /** Why a sequence leaves no room for a request. */
  stray: Miss | null = null

  constructor(readonly value?: string) {}
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
  /** How many of the requests that counted are kept: pauses lie between them. */
  readonly #kept: number
  #isExercised = false
  #uncounted = 0

  constructor(readonly expectation: CallsExpectation) {
    const { data, steps } = expectation
    this.#kept = 'on' in data && steps.every(({ apart }) => apart === null) ? MAX_IDS : MAX_TIMED
  }

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

  #count(group: Group, arrival: Arrival): void {
    const { test } = arrival
    arrival.isCounted = true
    group.seen++
    if (group.counted.length < this.#kept) group.counted.push(arrival)
    if (test !== null && group.tests.size < MAX_TESTS) group.tests.add(test)
  }

  #addToCount(call: SentCall, arrival: Arrival): void {
    const { matches, ended } = present(this.expectation.steps[0])
    if (!areMet(matches, call)) return
    const count = (ending?: Ending) => {
      const group = ending && !areMet(ended, ending) ? undefined : this.#groupOf(call)
      if (group) this.#count(group, arrival)
    }
    if (ended.length === 0) count()
    else arrival.whenEnded.push(count)
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
      const step = steps[group.seen]
      const fits = step !== undefined && next.steps.includes(step)
      if (fits && step.ended.length > 0 && arrival.endedAt === null) return
      const stray = fits
        ? offPace(step, group.seen + 1, group.counted.at(-1), arrival)
        : missOfStep(group, step, cameAs(arrival))
      if (stray === null) this.#count(group, arrival)
      else if (!('others' in data && data.others)) {
        group.stray = stray
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  judged(): Judged {
    const { expectation } = this
    const { per } = expectation.data
    const isExercised = this.#isExercised
    const all = Array.from(this.#groups.values(), group => ({
      isExercised,
      ...judgedBy(expectation, group)
    }))
    const [first = { isExercised, ...judgedBy(expectation, new Group()) }] = all
    if (per === undefined || (all.length === 0 && first.isMet)) return first
    if (all.length === 0)
      return { ...first, isExercised: false, message: say('no_value', per).message }
    const failed = all.find(({ forbidden }) => forbidden) ?? all.find(({ isMet }) => !isMet)
    const { requests, value, ...met } = first
    const judged = failed ?? {
      ...met,
      seen: Math.max(...all.map(({ seen = 0 }) => seen)),
      tests: [...new Set(all.flatMap(({ tests = [] }) => tests))],
      message: say('met_for', all.length, per).message
    }
    if (this.#uncounted === 0) return judged
    const { message } = say('uncounted', judged.message, this.#uncounted, per, MAX_VALUES)
    return { ...judged, message }
  }
}

/** Null for a pause that is right. */
function offPace(
  { data, apart }: Calls,
  nth: number,
  before: Arrival | undefined,
  { arrivedAt }: Arrival
): Miss | null {
  const gap = before?.endedAt == null ? 0 : Math.max(0, arrivedAt - before.endedAt)
  if (apart === null || (gap >= apart.least && gap <= apart.most)) return null
  const { on, no_sooner_than: least, no_later_than: most } = data
  const wanted = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  const pause = `Pause before request ${nth}, ${shownOn(on)}`
  return miss(pause, wanted.join(' and '), `${gap / 1000} s`)
}

const missOfStep = ({ seen }: Group, step: Calls | undefined, got: string): Miss => {
  const wanted = step ? shownCalls(step.data) : 'no more (others: true allows others)'
  return miss(`Request ${seen + 1} of the sequence`, wanted, got)
}

const cameAs = ({ operation }: Arrival): string =>
  operation === null ? 'a request that is not an operation' : nameOf(operation)

/** The message of a count says how many requests counted, met or not. */
function judgedBy(
  { data, steps, times, description }: CallsExpectation,
  group: Group
): Omit<Judged, 'isExercised'> {
  const { seen, value, counted, tests } = group
  const isMore = seen > times.to
  const wrong = group.stray ?? (isMore ? null : firstPause(present(steps[0]), group))
  const forbidden = isMore || wrong !== null
  const isMet = seen >= times.from && !forbidden
  const short =
    'on' in data
      ? miss(description, shownTimes(times), `${seen}`)
      : missOfStep(group, steps[seen], 'none')
  const message = `${missText(wrong ?? short)}${value === undefined ? '' : ` for ${value}`}`
  const requests = isMet ? [] : counted.slice(0, MAX_IDS).flatMap(({ id }) => id ?? [])
  return {
    isMet,
    forbidden,
    message: isMet && 'sequence' in data ? say('as_expected').message : message,
    seen,
    ...(value !== undefined && { value }),
    ...(requests.length > 0 && { requests }),
    ...(tests.size > 0 && { tests: [...tests] })
  }
}

/** The first that is too short or too long. */
function firstPause(calls: Calls, { counted }: Group): Miss | null {
  const inOrder = counted.toSorted((a, b) => a.arrivedAt - b.arrivedAt)
  const next = inOrder.slice(1)
  return (
    next.flatMap((arrival, nth) => offPace(calls, nth + 2, inOrder[nth], arrival) ?? [])[0] ?? null
  )
}
