/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import { nameOf } from '../../reference/operations.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { areMet } from '../match/conditions.js'
import { type SentCall, shownOn } from '../match/matching.js'
import { MAX_NEAR_MISSES } from '../match/near-misses.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { Calls, Ending } from './calls.js'
import type { Expectation, SequenceExpectation, StateExpectation } from './expectations.js'
import { recordsOf } from './final-state.js'
import {
  type Arrival,
  CallsJudge,
  CountJudge,
  type Group,
  gapBetween,
  isInPace,
  isOf,
  type Judged,
  ofValue,
  paceMessage,
  unexercised,
  type Verdict,
  verdictOf
} from './judges.js'

export { judgedValue, type Verdict } from './judges.js'

class SequenceJudge extends CallsJudge<SequenceExpectation> {
  stepAfter(seen: number): Calls {
    const { steps } = this.expectation
    return present(steps[Math.min(seen, steps.length - 1)])
  }

  see(call: SentCall, arrival: Arrival): void {
    const { steps } = this.expectation
    if (!steps.some(step => isOf(step, call))) return
    this.isExercised = true
    const group = this.groupOf(call)
    if (group === undefined || group.stray !== null) return
    const from = group.seen
    const fits = steps
      .slice(from, from + group.waiting.length + 1)
      .map(step => isOf(step, call) && areMet(step.matches, call))
    const waiting: Group['waiting'][number] = { arrival, from, fits, ending: null }
    group.waiting.push(waiting)
    arrival.whenEnded.push(ending => {
      waiting.ending = ending
      this.#goOn(group)
    })
    this.#goOn(group)
  }

  #goOn(group: Group): void {
    const { steps, others } = this.expectation
    for (let next = group.waiting[0]; next !== undefined; next = group.waiting[0]) {
      const { arrival, from, fits, ending } = next
      const step = fits[group.seen - from] ? steps[group.seen] : undefined
      if (step?.ended.length && ending === null) return
      const isStep = step !== undefined && (ending === null || areMet(step.ended, ending))
      // the first step has no pause
      const gap = isStep && step.apart ? gapBetween(present(group.last), arrival) : null
      if (isStep && (gap === null || isInPace(gap, present(step.apart)))) this.count(group, arrival)
      else if (!others) {
        group.stray = { arrival, gap }
        group.waiting = []
        return
      }
      group.waiting.shift()
    }
  }

  get least(): number {
    return this.expectation.steps.length
  }

  judged({ seen, stray }: Group, value?: string): Judged {
    return { forbidden: stray !== null, message: this.#messageOf(seen, stray, value) }
  }

  #messageOf(seen: number, stray: Group['stray'], value: string | undefined): string {
    const { sequence } = this.expectation.data
    const { length } = sequence
    const next = sequence[seen]
    const suffix = ofValue(value)
    const operation = stray?.arrival.operation
    const arrival = operation == null ? 'another request' : nameOf(operation)
    if (next === undefined)
      return (
        stray === null ? say('in_order', length) : say('after_sequence', arrival, length, suffix)
      ).message
    const step = `Request ${seen + 1} of the sequence, ${shownOn(next.on)},`
    if (stray === null) return say('out_of_order', step, suffix).message
    return stray.gap === null
      ? say('came_instead', step, arrival, suffix).message
      : paceMessage(step, stray.gap, next, value)
  }
}

const MAX_CHANGED = 10_000

export class Tally {
  readonly expectations: readonly Expectation[]
  readonly #judges = new Map<Expectation, CallsJudge>()
  readonly isEmpty: boolean
  #requests = 0
  /** The records that requests changed, `family/id`. */
  readonly #changed = new Map<string, true>()

  constructor(expectations: readonly Expectation[]) {
    this.expectations = expectations
    this.isEmpty = expectations.length === 0
    for (const expectation of expectations) {
      if ('calls' in expectation) this.#judges.set(expectation, new CountJudge(expectation))
      if ('steps' in expectation) this.#judges.set(expectation, new SequenceJudge(expectation))
    }
  }

  addRequest(call: SentCall, id: string | null = null): Arrival {
    this.#requests++
    const { operation, test, arrivedAt } = call
    const arrival: Arrival = { id, operation, test, arrivedAt, endedAt: null, whenEnded: [] }
    for (const judge of this.#judges.values()) judge.see(call, arrival)
    return arrival
  }

  endRequest(arrival: Arrival, ending: Ending): void {
    arrival.endedAt = ending.endedAt
    for (const { family, id } of ending.changed)
      keep(this.#changed, `${family}/${id}`, true, MAX_CHANGED)
    for (const end of arrival.whenEnded) end(ending)
  }

  /** Requests that are still expected, of a sequence the next one. */
  awaited(): { wanted: string; calls: Calls; seen: number }[] {
    return [...this.#judges.values()].flatMap(judge => {
      const { holds, forbidden, wanted, seen = 0 } = judge.verdict()
      return holds || forbidden ? [] : [{ wanted, seen, calls: judge.stepAfter(seen) }]
    })
  }

  hasCounted(arrival: Arrival): boolean {
    return [...this.#judges.values()].some(judge => judge.counted.has(arrival))
  }

  /** `isAsked`: judged even without requests. */
  async verdicts(store: Store, isAsked = false): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const isExercised = isAsked || this.#requests > 0
    for (const expectation of this.expectations) {
      const verdict =
        'differences' in expectation
          ? await this.#verdictOfState(expectation, store, isAsked)
          : present(this.#judges.get(expectation)).verdict()
      verdicts.push(isExercised ? verdict : unexercised(verdict))
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
    const isMet = differences.length === 0
    return verdictOf(expectation, {
      isMet,
      forbidden: differences.some(({ forbids }) => forbids),
      message: isMet
        ? say('records_hold').message
        : differences.map(({ message }) => message).join('; '),
      ...(near.length > 0 && { near_misses: near.slice(0, MAX_NEAR_MISSES) })
    })
  }
}
