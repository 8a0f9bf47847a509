/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import type { SentCall } from '../match/matching.js'
import { MAX_NEAR_MISSES } from '../match/near-misses.js'
import { say } from '../sentences.js'
import type { Calls, Ending, Expectation, StateExpectation } from './expectations.js'
import { recordsOf } from './final-state.js'
import {
  type CallsJudge,
  type Came,
  CountJudge,
  unexercised,
  type Verdict,
  verdictOf
} from './judges.js'
import { SequenceJudge } from './sequence.js'

export { type Came, judgedValue, type Verdict } from './judges.js'

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
