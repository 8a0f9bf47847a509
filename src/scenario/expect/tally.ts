/** Judges the requests of a period by expectations; `evidence/run-history.ts` judges whole runs. */
import { keep } from '../../core/remembered.js'
import type { Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import type { SentCall } from '../match/matching.js'
import { missText, type NearMiss } from '../match/near-misses.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'
import type { Calls, Ending } from './calls.js'
import {
  type Expectation,
  type ExpectationData,
  nextOf,
  type StateExpectation
} from './expectations.js'
import type { IsChanged } from './final-state.js'
import { type Arrival, type Judged, RequestJudge } from './judges.js'

export type Verdict = Omit<Judged, 'isMet' | 'isExercised'> & {
  expectation: ExpectationData
  wanted: string
  /** `never exercised`: no request to judge by; it fails as `unmet` does. */
  verdict: 'met' | 'unmet' | 'never exercised'
  holds: boolean
  near_misses?: NearMiss[]
}

const MAX_CHANGED = 10_000

export class Tally {
  readonly isEmpty: boolean
  readonly #judges = new Map<Expectation, RequestJudge>()
  #requests = 0
  /** The records that requests changed, `family/id`. */
  readonly #changed = new Map<string, true>()

  constructor(readonly expectations: readonly Expectation[]) {
    this.isEmpty = expectations.length === 0
    for (const expectation of expectations)
      if ('times' in expectation) this.#judges.set(expectation, new RequestJudge(expectation))
  }

  addRequest(call: SentCall, id: string | null = null): Arrival {
    this.#requests++
    const { operation, test, arrivedAt } = call
    const of = { id, operation, test, arrivedAt }
    const arrival: Arrival = { ...of, endedAt: null, isCounted: false, whenEnded: [] }
    for (const judge of this.#judges.values()) judge.see(call, arrival)
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
    return [...this.#judges.values()].flatMap(judge => {
      const { isMet, forbidden, seen = 0 } = judge.judged()
      const { wanted } = judge.expectation
      const calls = nextOf(judge.expectation, seen)
      return isMet || forbidden || calls === undefined ? [] : { wanted, seen, calls }
    })
  }

  /** `isForced`: judged even without requests. */
  async verdicts(store: Store, isForced = false): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const isUsed = isForced || this.#requests > 0
    const isChanged: IsChanged = (family, id) => isForced || this.#changed.has(`${family}/${id}`)
    for (const expectation of this.expectations) {
      const judged =
        'differences' in expectation
          ? await judgedState(expectation, store, isChanged)
          : present(this.#judges.get(expectation)).judged()
      verdicts.push(verdictOf(expectation, judged, isUsed))
      await pause()
    }
    return verdicts
  }
}

/** `isChanged` by a request: what no request changed is not forbidden. */
async function judgedState(
  { differences }: StateExpectation,
  store: Store,
  isChanged: IsChanged
): Promise<Judged> {
  const different = await differences(store, isChanged)
  const isMet = different.length === 0
  const message = isMet ? say('as_expected').message : different.map(missText).join('; ')
  const forbidden = different.some(({ forbids }) => forbids)
  return { isMet, isExercised: true, forbidden, message }
}

/** Judged by all records, whether a request changed them or not. */
export const stateVerdict = async (expectation: StateExpectation, store: Store): Promise<Verdict> =>
  verdictOf(expectation, await judgedState(expectation, store, () => true), true)

/** Not met if it refers to a step that was not sent. `isUsed`: some request came. */
function verdictOf(
  { data, wanted, unsent }: Expectation,
  { isMet, isExercised, ...judged }: Judged,
  isUsed: boolean
): Verdict {
  const missing = unsent()
  const verdict = { expectation: data, wanted, ...judged, holds: false }
  if (missing.length > 0 && !judged.forbidden)
    return { ...verdict, verdict: 'never exercised', message: say('not_sent', missing).message }
  if (isMet && isUsed) return { ...verdict, verdict: 'met', holds: true }
  if (isExercised && isUsed) return { ...verdict, verdict: 'unmet' }
  const { message } = say('never_exercised', judged.message)
  return { ...verdict, verdict: 'never exercised', message }
}
