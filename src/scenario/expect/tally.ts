/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import type { SentCall } from '../match/matching.js'
import { missText } from '../match/near-misses.js'
import { say } from '../sentences.js'
import type { Calls, Ending } from './calls.js'
import { type Expectation, nextOf, type StateExpectation } from './expectations.js'
import type { IsChanged } from './final-state.js'
import { type Arrival, RequestJudge, unexercised, type Verdict, verdictOf } from './judges.js'

export type { Verdict } from './judges.js'

const MAX_CHANGED = 10_000

export class Tally {
  readonly isEmpty: boolean
  readonly #judges: readonly (RequestJudge | StateExpectation)[]
  readonly #requestJudges: readonly RequestJudge[]
  #requests = 0
  /** The records that requests changed, `family/id`. */
  readonly #changed = new Map<string, true>()

  constructor(readonly expectations: readonly Expectation[]) {
    this.isEmpty = expectations.length === 0
    this.#judges = expectations.map(expectation =>
      'differences' in expectation ? expectation : new RequestJudge(expectation)
    )
    this.#requestJudges = this.#judges.filter(judge => judge instanceof RequestJudge)
  }

  addRequest(call: SentCall, id: string | null = null): Arrival {
    this.#requests++
    const { operation, test, arrivedAt } = call
    const of = { id, operation, test, arrivedAt }
    const arrival: Arrival = { ...of, endedAt: null, isCounted: false, whenEnded: [] }
    for (const judge of this.#requestJudges) judge.see(call, arrival)
    return arrival
  }

  endRequest(arrival: Arrival, ending: Ending): void {
    arrival.endedAt = ending.endedAt
    for (const { family, id } of ending.changed)
      keep(this.#changed, `${family}/${id}`, true, MAX_CHANGED)
    for (const end of arrival.whenEnded.splice(0)) end(ending)
  }

  /** Requests that are still expected, of a sequence the next one. */
  awaited(): { wanted: string; calls: Calls; seen: number }[] {
    return this.#requestJudges.flatMap(judge => {
      const { holds, forbidden, wanted, seen = 0 } = judge.verdict()
      const calls = nextOf(judge.expectation, seen)
      return holds || forbidden || calls === undefined ? [] : { wanted, seen, calls }
    })
  }

  /** `isForced`: judged even without requests. */
  async verdicts(store: Store, isForced = false): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const isChanged: IsChanged = (family, id) => isForced || this.#changed.has(`${family}/${id}`)
    for (const judge of this.#judges) {
      const verdict =
        judge instanceof RequestJudge
          ? judge.verdict()
          : await stateVerdict(judge, store, isChanged)
      verdicts.push(isForced || this.#requests > 0 ? verdict : unexercised(verdict))
      await pause()
    }
    return verdicts
  }
}

/** `isChanged` by a request: what no request changed is not forbidden. */
export async function stateVerdict(
  expectation: StateExpectation,
  store: Store,
  isChanged: IsChanged = () => true
): Promise<Verdict> {
  const differences = await expectation.differences(store, isChanged)
  const isMet = differences.length === 0
  return verdictOf(expectation, isMet, {
    forbidden: differences.some(({ forbids }) => forbids),
    message: isMet ? say('as_expected').message : differences.map(missText).join('; ')
  })
}
