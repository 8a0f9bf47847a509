/** What is noted of a call while it is judged, and the figures that rules saw. */
import { ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'

/** Figures by name. */
export type Facts = Readonly<Record<string, unknown>>

const WORD = 32

/** The assumptions that a call relied on, 64 at most, as bits: a call costs no list for them. */
export class Trace {
  #low = 0
  #high = 0

  /** Notes that an assumption was relied on: with a different assumption the answer would be different. */
  rely(assumption: AssumptionId): void {
    const place = ASSUMPTION_PLACES.get(assumption) as number
    if (place < WORD) this.#low |= 1 << place
    else this.#high |= 1 << (place - WORD)
  }

  /** Whether the assumption at a place of the ledger was relied on. */
  has(place: number): boolean {
    return ((place < WORD ? this.#low >>> place : this.#high >>> (place - WORD)) & 1) === 1
  }
}
