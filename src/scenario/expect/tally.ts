/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import { nameOf } from '../../reference/operations.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { areMet } from '../match/conditions.js'
import { type SentCall, shownOn } from '../match/matching.js'
import { MAX_NEAR_MISSES } from '../match/near-misses.js'
import { say } from '../sentences.js'
import type { Apart, Calls, Ending } from './calls.js'
import type { Expectation, SequenceExpectation, StateExpectation } from './expectations.js'
import { recordsOf } from './final-state.js'
import {
  CallsJudge,
  type Came,
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

export { type Came, judgedValue, type Verdict } from './judges.js'

class SequenceJudge extends CallsJudge<SequenceExpectation> {
  stepAfter(seen: number): Calls {
    const { steps } = this.expectation
    return steps[Math.min(seen, steps.length - 1)] as Calls
  }

  see(call: SentCall, came: Came): void {
    const { steps } = this.expectation
    if (!steps.some(step => isOf(step, call))) return
    this.isExercised = true
    const group = this.groupOf(call)
    if (group === undefined || group.stray !== null) return
    const from = group.seen
    const fits = steps
      .slice(from, from + group.waiting.length + 1)
      .map(step => isOf(step, call) && areMet(step.matches, call))
    const waiting: Group['waiting'][number] = { came, from, fits, ending: null }
    group.waiting.push(waiting)
    came.whenEnded.push(ending => {
      waiting.ending = ending
      this.#goOn(group)
    })
    this.#goOn(group)
  }

  #goOn(group: Group): void {
    const { steps, others } = this.expectation
    for (let next = group.waiting[0]; next !== undefined; next = group.waiting[0]) {
      const { came, from, fits, ending } = next
      const step = fits[group.seen - from] ? steps[group.seen] : undefined
      if (step?.ended.length && ending === null) return
      const isStep = step !== undefined && areMet(step.ended, ending as Ending)
      // the first step has no pause
      const gap = isStep && step.apart ? gapBetween(group.last as Came, came) : null
      if (isStep && (gap === null || isInPace(gap, step.apart as Apart))) this.count(group, came)
      else if (!others) {
        group.stray = { came, gap }
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
    const of = ofValue(value)
    const operation = stray?.came.operation
    const came = operation == null ? 'another request' : nameOf(operation)
    if (next === undefined)
      return (stray === null ? say('in_order', length) : say('after_sequence', came, length, of))
        .message
    const step = `Request ${seen + 1} of the sequence, ${shownOn(next.on)},`
    if (stray === null) return say('out_of_order', step, of).message
    return stray.gap === null
      ? say('came_instead', step, came, of).message
      : paceMessage(step, stray.gap, next, value)
  }
}

const MAX_CHANGED = 10_000

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
      const { holds, forbidden, wanted, seen = 0 } = judge.verdict()
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
      const verdict =
        this.#judges[index]?.verdict() ??
        (await this.#verdictOfState(expectation as StateExpectation, store, isAsked))
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
