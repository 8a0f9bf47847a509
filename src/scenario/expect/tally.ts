/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import { nameOf, type OperationId } from '../../reference/operations.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { countedValue, isMatch, MAX_VALUES, type SentCall, shownOn } from '../match/matching.js'
import { MAX_NEAR_MISSES, type NearMiss } from '../match/near-misses.js'
import type { CallsData, ExpectationData, Per } from '../schemas.js'
import { say } from '../sentences.js'
import {
  type Apart,
  type Calls,
  type CountExpectation,
  type Ending,
  type Expectation,
  type SequenceExpectation,
  type StateExpectation,
  shownTimes
} from './expectations.js'
import { recordsOf } from './final-state.js'

/**
 * `met`: what is demanded came, and nothing that is forbidden. `never exercised`: nothing came that
 * it could be judged by, which fails as `unmet` does.
 */
export type Judgement = 'met' | 'unmet' | 'never exercised'
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
  /** Of one that does not hold: the first requests that counted, and those that nearly did. */
  requests?: string[]
  near_misses?: NearMiss[]
  tests?: string[]
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

/** In place of a value where all requests are judged together. */
const NO_VALUE = ''
/** The value that a request is judged by; of those that have none, the same for all. */
export const judgedValue = (per: Per, call: SentCall): string =>
  countedValue(per, call) ?? `requests without a ${per}`
const MAX_NAMED = 10
const MAX_TESTS = 100
const MAX_CHANGED = 10_000
const MAX_TIMED = 10_000

export class Tally {
  readonly expectations: readonly Expectation[]
  readonly #judges: readonly (CallsJudge | null)[]
  readonly isEmpty: boolean
  #came = 0
  /** The records that requests changed, `family/id`. */
  readonly #changed = new Map<string, true>()

  constructor(expectations: readonly Expectation[]) {
    this.expectations = expectations
    this.isEmpty = expectations.length === 0
    this.#judges = expectations.map(expectation => {
      if ('calls' in expectation) return new CountJudge(expectation)
      return 'steps' in expectation ? new SequenceJudge(expectation) : null
    })
  }

  came(call: SentCall, id: string | null = null): Came {
    this.#came++
    const { operation, test, at } = call
    const came: Came = { id, operation, test, at, ended: null, whenEnded: [] }
    for (const judge of this.#judges) judge?.see(call, came)
    return came
  }

  ended(came: Came, ending: Ending): void {
    came.ended = ending.at
    for (const { family, id } of ending.changed)
      keep(this.#changed, `${family}/${id}`, true, MAX_CHANGED)
    for (const end of came.whenEnded) end(ending)
  }

  /** The requests that are still expected, of a sequence the next one; `seen` is how many came. */
  awaited(): { wanted: string; calls: Calls; seen: number }[] {
    return this.#judges.flatMap(judge => {
      if (judge === null) return []
      const { holds, forbidden, seen = 0 } = judge.verdict(true)
      const { wanted } = judge.expectation
      return holds || forbidden ? [] : [{ wanted, seen, calls: judge.stepAfter(seen) }]
    })
  }

  hasCounted(came: Came): boolean {
    return this.#judges.some(judge => judge?.counted.has(came) === true)
  }

  /** `isAsked`: it is judged though no request came. */
  async verdicts(store: Store, isAsked = false): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const hasCome = isAsked || this.#came > 0
    for (const [index, expectation] of this.expectations.entries()) {
      const judge = this.#judges[index]
      const verdict = judge
        ? judge.verdict(hasCome)
        : await this.#verdictOfState(expectation as StateExpectation, store, isAsked)
      verdicts.push(hasCome ? verdict : unexercised(verdict))
      await pause()
    }
    return verdicts
  }

  async #verdictOfState(
    expectation: StateExpectation,
    store: Store,
    isAsked: boolean
  ): Promise<Verdict> {
    const records = recordsOf(store)
    const differences = await expectation.differences(
      isAsked
        ? records
        : { ...records, isChanged: (family, id) => this.#changed.has(`${family}/${id}`) }
    )
    const near = [...new Set(differences.flatMap(({ near_misses = [] }) => near_misses))]
    const messages = differences.map(({ message }) => message)
    return verdictOf(expectation, {
      isMet: messages.length === 0,
      forbidden: differences.some(({ forbids }) => forbids),
      message: messages.length === 0 ? say('records_hold').message : messages.join('; '),
      ...(near.length > 0 && { near_misses: near.slice(0, MAX_NEAR_MISSES) })
    })
  }
}

const unexercised = (verdict: Omit<Verdict, 'verdict'>): Verdict => ({
  ...verdict,
  verdict: 'never exercised',
  holds: false,
  message: say('never_exercised', verdict.message).message
})

type Given = { isMet: boolean; isExercised?: boolean } & Pick<Verdict, 'forbidden' | 'message'> &
  Partial<Verdict>

/** One that refers to a step that was not sent is not met. */
function verdictOf(
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

type Group = { seen: number; named: string[]; tests: Set<string> }
const NONE: Group = { seen: 0, named: [], tests: new Set() }

function add(group: Group, { id, test }: Came): void {
  group.seen++
  if (id !== null && group.named.length < MAX_NAMED) group.named.push(id)
  if (test !== null && group.tests.size < MAX_TESTS) group.tests.add(test)
}

const isOf = ({ operations }: Calls, { operation }: Pick<SentCall, 'operation'>): boolean =>
  operations === null || operations.has(operation as OperationId)

/** Judges requests by one expectation, those of each value by themselves where it counts by one. */
abstract class CallsJudge<G extends Group = Group> {
  readonly expectation: CountExpectation | SequenceExpectation
  readonly groups = new Map<string, G>()
  readonly counted = new WeakSet<Came>()
  isExercised = false
  #uncounted = 0

  constructor(expectation: CountExpectation | SequenceExpectation) {
    this.expectation = expectation
  }

  abstract see(call: SentCall, came: Came): void
  abstract stepAfter(seen: number): Calls
  abstract verdictOf(group: Group, hasCome: boolean, value?: string): Verdict
  abstract readonly isNoneAllowed: boolean

  /** Undefined where there are too many. */
  groupOf(call: SentCall, made: () => G): G | undefined {
    const { per } = this.expectation.data
    const value = per === undefined ? NO_VALUE : judgedValue(per, call)
    let group = this.groups.get(value)
    if (group === undefined && this.groups.size < MAX_VALUES) {
      group = made()
      this.groups.set(value, group)
    }
    if (group === undefined) this.#uncounted++
    return group
  }

  count(group: G, came: Came): void {
    this.counted.add(came)
    add(group, came)
  }

  verdict(hasCome: boolean): Verdict {
    const { per } = this.expectation.data
    const verdictOf = (group: Group, value?: string) => {
      const verdict = this.verdictOf(group, hasCome, value)
      const { named, tests } = group
      return {
        ...verdict,
        ...(!verdict.holds && named.length > 0 && { requests: [...named] }),
        ...(tests.size > 0 && { tests: [...tests] })
      }
    }
    if (per === undefined) return verdictOf(this.groups.get(NO_VALUE) ?? NONE)
    if (this.groups.size === 0) {
      const none = verdictOf(NONE)
      return this.isNoneAllowed
        ? none
        : unexercised({ ...none, message: say('no_value', per).message })
    }
    return this.#verdictOfValues(per, verdictOf)
  }

  #verdictOfValues(per: Per, verdictOf: (group: Group, value?: string) => Verdict): Verdict {
    const verdicts = Array.from(this.groups, ([value, group]) => verdictOf(group, value))
    const forbidden = verdicts.find(({ forbidden }) => forbidden)
    const failed = verdicts.filter(({ holds }) => !holds)
    const first = forbidden ?? failed[0]
    const said =
      first === undefined
        ? say('holds_for', verdicts.length, per)
        : say('others', first.message, failed.length - 1)
    const { message } =
      this.#uncounted === 0
        ? said
        : say('uncounted', said.message, this.#uncounted, per, MAX_VALUES)
    if (first !== undefined) return { ...first, message }
    const tests = [...new Set(verdicts.flatMap(({ tests = [] }) => tests))]
    const seen = Math.max(...verdicts.map(({ seen = 0 }) => seen))
    return { ...(verdicts[0] as Verdict), value: undefined, seen, tests, message }
  }
}

/** Of requests with a pause, those that counted. */
type Counted = Group & { timed: Came[] }

class CountJudge extends CallsJudge<Counted> {
  declare readonly expectation: CountExpectation

  get isNoneAllowed(): boolean {
    return this.expectation.times.from === 0
  }

  stepAfter(): Calls {
    return this.expectation.calls
  }

  see(call: SentCall, came: Came): void {
    const { calls } = this.expectation
    if (!isOf(calls, call)) return
    this.isExercised = true
    if (!isMatch(calls.matches, call)) return
    const counted = () => {
      const group = this.groupOf(call, () => ({ seen: 0, named: [], tests: new Set(), timed: [] }))
      if (group === undefined) return
      this.count(group, came)
      if (calls.apart !== null && group.timed.length < MAX_TIMED) group.timed.push(came)
    }
    if (calls.ended.length === 0) counted()
    else
      came.whenEnded.push(ending => {
        if (calls.ended.every(({ holds }) => holds(ending))) counted()
      })
  }

  verdictOf(group: Group, hasCome: boolean, value?: string): Verdict {
    const { times, wanted, calls, data } = this.expectation
    const { seen } = group
    const isMore = seen > times.to
    const off =
      calls.apart === null ? null : offPace((group as Partial<Counted>).timed, calls.apart)
    const shown = wanted.slice(0, -`: ${shownTimes(times)}`.length)
    const { message } =
      off === null || isMore
        ? say('count', shown, shownTimes(times), seen, ofValue(value))
        : paceMessage(`Request ${off.nth}, ${shownOn(data.on)},`, off.gap, data, value)
    return verdictOf(this.expectation, {
      isMet: seen >= times.from && !isMore && off === null,
      isExercised: times.from === 0 ? hasCome : this.isExercised,
      forbidden: isMore || off !== null,
      message,
      seen,
      ...(value !== undefined && { value })
    })
  }
}

const gapBetween = (before: Came, { at }: Came): number =>
  before.ended === null ? 0 : Math.max(0, at - before.ended)

const isInPace = (gap: number, { least, most }: Apart): boolean => gap >= least && gap <= most

function offPace(timed: readonly Came[] = [], apart: Apart): { nth: number; gap: number } | null {
  const inOrder = timed.toSorted((a, b) => a.at - b.at)
  for (const [index, came] of inOrder.entries()) {
    if (index === 0) continue
    const gap = gapBetween(inOrder[index - 1] as Came, came)
    if (!isInPace(gap, apart)) return { nth: index + 1, gap }
  }
  return null
}

function paceMessage(
  what: string,
  gap: number,
  { no_sooner_than: least, no_later_than: most }: CallsData,
  value: string | undefined
) {
  const wanted = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean)
  return say('off_pace', what, gap, ofValue(value), wanted.join(' and '))
}

/** `fits`: the steps that it can be, from `from` on. */
type Waiting = { came: Came; from: number; fits: readonly boolean[]; ending: Ending | null }
/**
 * Requests that wait until those before them end, and the first that the sequence leaves no room
 * for, with its pause if only that is wrong.
 */
type Progress = Group & {
  last: Came | null
  waiting: Waiting[]
  stray: { came: Came; gap: number | null } | null
}

class SequenceJudge extends CallsJudge<Progress> {
  declare readonly expectation: SequenceExpectation
  readonly isNoneAllowed = false

  stepAfter(seen: number): Calls {
    const { steps } = this.expectation
    return steps[Math.min(seen, steps.length - 1)] as Calls
  }

  see(call: SentCall, came: Came): void {
    const { steps } = this.expectation
    if (!steps.some(step => isOf(step, call))) return
    this.isExercised = true
    const group = this.groupOf(call, () => ({
      seen: 0,
      named: [],
      tests: new Set(),
      last: null,
      waiting: [],
      stray: null
    }))
    if (group === undefined || group.stray !== null) return
    const from = group.seen
    const fits = steps
      .slice(from, from + group.waiting.length + 1)
      .map(step => isOf(step, call) && isMatch(step.matches, call))
    const waiting: Waiting = { came, from, fits, ending: null }
    group.waiting.push(waiting)
    came.whenEnded.push(ending => {
      waiting.ending = ending
      this.#goOn(group)
    })
    this.#goOn(group)
  }

  /** Takes the requests that are known to be a step, or none. */
  #goOn(group: Progress): void {
    const { steps, others } = this.expectation
    for (let next = group.waiting[0]; next !== undefined; next = group.waiting[0]) {
      const step = steps[group.seen]
      const { came, ending } = next
      const isLike = step !== undefined && next.fits[group.seen - next.from] === true
      if (isLike && step.ended.length > 0 && ending === null) return
      const isStep = isLike && step.ended.every(({ holds }) => holds(ending as Ending))
      const gap =
        isStep && step.apart !== null && group.last !== null ? gapBetween(group.last, came) : null
      if (isStep && (gap === null || isInPace(gap, step.apart as Apart))) {
        group.last = came
        this.count(group, came)
      } else if (!others) {
        group.stray = { came, gap }
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  verdictOf(group: Group, _hasCome: boolean, value?: string): Verdict {
    const { steps } = this.expectation
    const { seen, stray = null } = group as Partial<Progress> & Group
    return verdictOf(this.expectation, {
      isMet: seen === steps.length && stray === null,
      isExercised: this.isExercised,
      forbidden: stray !== null,
      message: this.#messageOf(seen, stray, value),
      seen,
      ...(value !== undefined && { value })
    })
  }

  #messageOf(seen: number, stray: Progress['stray'], value: string | undefined): string {
    const { sequence } = this.expectation.data
    const next = sequence[seen]
    const of = ofValue(value)
    if (next === undefined && stray === null) return say('in_order', sequence.length).message
    const step = next && `Request ${seen + 1} of the sequence, ${shownOn(next.on)},`
    if (stray === null) return say('out_of_order', step as string, of).message
    if (stray.gap !== null && next !== undefined)
      return paceMessage(step as string, stray.gap, next, value).message
    const { operation } = stray.came
    const came = operation === null ? 'another request' : nameOf(operation)
    return next === undefined
      ? say('after_sequence', came, sequence.length, of).message
      : say('came_instead', step as string, came, of).message
  }
}

const ofValue = (value: string | undefined) => (value === undefined ? '' : ` for ${value}`)
