/** What has changed a sandbox since its first state, to make earlier states again. */
import { byteSize } from '../core/memory.js'
import { pause } from '../work/slices.js'
import { LiveState, type SandboxState } from './state.js'

export type Input = (state: LiveState) => void
type Span = { state: SandboxState; from: number; inputs: Input[]; times: number[]; bytes: number }
type Source = { present: () => SandboxState; now: () => number }

/** Maximum bytes of all inputs; bytes of one in addition to what it keeps. */
const MOST = 2 ** 24
const LEAST = 256

export class Inputs {
  /** The inputs that are to be known lie after this one, unless they are too large. */
  #older: Span
  #newer: Span | null = null
  readonly #size: number
  readonly #source: Source
  /** The state that was asked for last by its time. */
  #past: { span: Span; place: number; state: LiveState } | null = null
  place: number

  /** `size`: how many inputs at least can be made again; `from`: the place of the first. */
  constructor(state: SandboxState, size: number, source: Source, from = 0) {
    this.place = from
    this.#older = { state, from, inputs: [], times: [], bytes: 0 }
    this.#size = size
    this.#source = source
  }

  get earliest(): number {
    return this.#older.from
  }

  /** The state has the effect already; `kept` is what the input keeps, or how many bytes. */
  add(input: Input, kept: unknown = 0): void {
    const span = this.#newer ?? this.#older
    span.inputs.push(input)
    span.times.push(this.#source.now())
    span.bytes += LEAST + (typeof kept === 'number' ? kept : byteSize(JSON.stringify(kept)))
    this.place++
    if (span.inputs.length >= this.#size || span.bytes > MOST / 2) {
      if (this.#newer !== null) this.#older = this.#newer
      const state = this.#source.present()
      this.#newer = { state, from: this.place, inputs: [], times: [], bytes: 0 }
    }
    if (this.#newer === null || this.#older.bytes + this.#newer.bytes <= MOST) return
    this.#older = this.#newer
    this.#newer = null
  }

  /** The state before the input of a place, from `earliest` on. */
  async stateAt(place: number, machine: () => number): Promise<LiveState> {
    const { state: begun, from, inputs } = this.#spanOf(place)
    const state = new LiveState(begun, machine)
    for (const input of inputs.slice(0, place - from)) {
      input(state)
      await pause()
    }
    return state
  }

  /** The state at a time of the sandbox's clock, or the first that is known. */
  stateOn(at: number, machine: () => number): LiveState {
    let { place } = this
    while (place > this.earliest && this.#timeOf(place - 1) > at) place--
    const span = this.#spanOf(place)
    if (this.#past?.span !== span || this.#past.place > place)
      this.#past = { span, place: span.from, state: new LiveState(span.state, machine) }
    const past = this.#past
    for (; past.place < place; past.place++)
      (span.inputs[past.place - span.from] as Input)(past.state)
    return past.state
  }

  #spanOf(place: number): Span {
    return this.#newer !== null && this.#newer.from <= place ? this.#newer : this.#older
  }

  #timeOf(place: number): number {
    const { from, times } = this.#spanOf(place)
    return times[place - from] as number
  }
}
