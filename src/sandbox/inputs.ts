/** The changes of a sandbox since its first state, to rebuild earlier states. */
import type { IdCounters } from '../core/ids.js'
import { byteSize } from '../core/sentences.js'
import type { ImportedRecords, RecordName } from '../scenario/records/edits.js'
import type { RecordOf, Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import type { State } from './state.js'

export type Input = (state: State) => void
/** Null for a deleted record. */
export type RecordChange = RecordName & { record: RecordOf<RecordName['family']> | null }
type Kept = { input: Input; at: number; bytes: number }

/** Maximum bytes of all inputs; minimum of one. */
const MAX_BYTES = 2 ** 24
const MIN_BYTES = 256

export class Inputs {
  readonly #kept: Kept[] = []
  /** The result of the last `stateOn`. */
  #past: { place: number; state: State } | null = null
  #bytes = 0

  /** Keeps up to `max` inputs; `place` is that of the next, `now` the sandbox's clock. */
  constructor(
    private readonly first: State,
    private readonly max: number,
    private readonly now: () => number,
    public place = 0
  ) {}

  get earliest(): number {
    return this.place - this.#kept.length
  }

  /** After its effect; `size` is what the input keeps, its JSON, or its number of bytes. */
  add(input: Input, size: unknown = 0): void {
    const sizeOf = () => byteSize(typeof size === 'string' ? size : JSON.stringify(size))
    const bytes = MIN_BYTES + (typeof size === 'number' ? size : sizeOf())
    this.#kept.push({ input, at: this.now(), bytes })
    this.#bytes += bytes
    this.place++
    while (this.#bytes > MAX_BYTES || this.#kept.length > this.max) {
      const earliest = this.#kept.shift() as Kept
      earliest.input(this.first)
      this.#bytes -= earliest.bytes
    }
  }

  /** The state before the input of a place, from `earliest` on, but for a running clock. */
  async stateAt(place: number): Promise<State> {
    const inputs = this.#kept.slice(0, place - this.earliest)
    const state = this.first.copy()
    for (const { input } of inputs) {
      input(state)
      await pause()
    }
    return state
  }

  /** The state at a time of the sandbox's clock, or the earliest. */
  stateOn(time: number): State {
    const { earliest } = this
    const place = earliest + 1 + this.#kept.findLastIndex(({ at }) => at <= time)
    let past = this.#past
    if (past === null || past.place < earliest || past.place > place)
      past = { place: earliest, state: this.first.copy() }
    for (const { input } of this.#kept.slice(past.place - earliest, place - earliest))
      input(past.state)
    past.place = place
    this.#past = past
    return past.state
  }
}

export const changing =
  (
    changes: readonly RecordChange[],
    counters: IdCounters,
    keys: ImportedRecords['api_keys'] = []
  ): Input =>
  ({ store, ids }) => {
    ids.counters = counters
    for (const { key, account } of keys) store.keys.set(key, account)
    for (const { family, id, record } of changes)
      if (record === null) store.remove(family, id)
      else store.put(family, record)
  }

export const replacing =
  (records: Store, counters: IdCounters): Input =>
  state => {
    state.store = records.clone()
    state.ids.counters = counters
  }
