/** What has changed a sandbox since its first state: requests, and control changes between them. Any earlier state can be made again from them. */
import type { Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import { LiveState, type SandboxState } from './state.js'

/**
 * What changed a state, made again by doing it to one: records by a request, the counts of script entries that a request matched, or a control change. One that
 * takes long lets other requests go on, and is done when its promise is.
 */
export type Input = (state: LiveState) => unknown
/** A state, and what came after it. */
type Span = { state: SandboxState; from: number; inputs: Input[] }

export class Inputs {
  /** The first state or a later one, and one that is later still: as many inputs as are to be known always lie after the first of them. */
  #older: Span
  #newer: Span | null = null
  readonly #size: number
  readonly #present: () => SandboxState
  /** The place of the next input. */
  place: number

  /** `size` is how many inputs at least can be made again; `present` gives a copy of the state after the last of them; `from` is the place of the first. */
  constructor(state: SandboxState, size: number, present: () => SandboxState, from = 0) {
    this.place = from
    this.#older = { state, from, inputs: [] }
    this.#size = size
    this.#present = present
  }

  /** The first place whose state can be made again. */
  get earliest(): number {
    return this.#older.from
  }

  /** Notes an input, whose effect is in the state. */
  add(input: Input): void {
    const span = this.#newer ?? this.#older
    span.inputs.push(input)
    this.place++
    if (span.inputs.length < this.#size) return
    if (this.#newer !== null) this.#older = this.#newer
    this.#newer = { state: this.#present(), from: this.place, inputs: [] }
  }

  /** The state before the input of a place, which is not before `earliest`. `machine` is the machine's time in milliseconds. */
  async stateAt(place: number, machine: () => number): Promise<LiveState> {
    const { state: begun, from, inputs } = this.#spanOf(place)
    const state = new LiveState(begun, machine)
    for (const input of inputs.slice(0, place - from)) {
      await input(state)
      await pause()
    }
    return state
  }

  /** The records before and after the input of a place, which is not before `earliest`. */
  async storesAround(place: number, machine: () => number): Promise<readonly [before: Store, after: Store]> {
    const { from, inputs } = this.#spanOf(place)
    const input = inputs[place - from] as Input
    const state = await this.stateAt(place, machine)
    const before = state.store.clone()
    await input(state)
    return [before, state.store]
  }

  #spanOf(place: number): Span {
    return this.#newer !== null && this.#newer.from <= place ? this.#newer : this.#older
  }
}
