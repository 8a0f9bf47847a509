/** What is noted of a call while it is judged, and the figures that rules saw. */
import { ASSUMPTION_IDS, type AssumptionId } from '../reference/assumptions.js'

/** Figures by name. */
export type Facts = Readonly<Record<string, unknown>>

const PLACES = new Map<AssumptionId, number>(ASSUMPTION_IDS.map((id, place) => [id, place]))
const WORD = 32

/** The assumptions that acted on a call, 64 at most, as bits: a call costs no list for them. */
export class Trace {
  #low = 0
  #high = 0

  /** An assumption acted: the answer would be another one if it were. */
  rely(assumption: AssumptionId): void {
    const place = PLACES.get(assumption) as number
    if (place < WORD) this.#low |= 1 << place
    else this.#high |= 1 << (place - WORD)
  }

  reliesOn(assumption: AssumptionId): boolean {
    const place = PLACES.get(assumption) as number
    return ((place < WORD ? this.#low >>> place : this.#high >>> (place - WORD)) & 1) === 1
  }
}
