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
/** After so many bytes a state is kept, to go on from. */
const AT_ONCE = 2 ** 19

export class Inputs {
  /** From the first state or a later one to the present. */
  readonly #spans: Span[] = []
  readonly #size: number
  readonly #source: Source
  /** The state that was asked for last. */
  #past: { span: Span; place: number; state: LiveState } | null = null
  #bytes = 0
  /** The place of the next input. */
  place: number

  /**
   * `size` is how many inputs at least can be made again, unless they are too large; `from` is the
   * place of the first.
   */
  constructor(state: SandboxState, size: number, source: Source, from = 0) {
    this.place = from
    this.#size = size
    this.#source = source
    this.#begin(state)
  }

  #begin(state: SandboxState): void {
    this.#spans.push({ state, from: this.place, inputs: [], times: [], bytes: 0 })
  }

  get earliest(): number {
    return (this.#spans[0] as Span).from
  }

  /** The state has the effect already; `kept` is what the input keeps, its JSON, or its bytes. */
  add(input: Input, kept: unknown = 0): void {
    const span = this.#spans.at(-1) as Span
    const json = typeof kept === 'string' ? kept : JSON.stringify(kept)
    const bytes = LEAST + (typeof kept === 'number' ? kept : byteSize(json))
    span.inputs.push(input)
    span.times.push(this.#source.now())
    span.bytes += bytes
    this.#bytes += bytes
    this.place++
    if (span.inputs.length >= this.#size || span.bytes > AT_ONCE)
      this.#begin(this.#source.present())
    while (this.#bytes > MOST || this.place - (this.#spans[1]?.from ?? this.place) >= this.#size)
      this.#bytes -= (this.#spans.shift() as Span).bytes
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
    return this.#spans.findLast(({ from }) => from <= place) as Span
  }

  #timeOf(place: number): number {
    const { from, times } = this.#spanOf(place)
    return times[place - from] as number
  }
}
