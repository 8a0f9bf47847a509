/** The state of a sandbox: everything that calls change in it, as one value to begin with, keep, restore, merge into and write to a file. */
import { Clock, MACHINE_CLOCK } from '../core/clock.js'
import { Ids } from '../core/ids.js'
import type { GivenSettings } from '../core/settings.js'
import type { FirstState } from '../scenario/scenario.js'
import { Script } from '../scenario/script.js'
import { Store } from '../store/store.js'

/**
 * The state at one moment: records and keys, id counters, clock, script with its counts, and the settings given along with it (by the scenario in a first
 * state, by control calls in a running one). Nobody changes it; `LiveState` works on copies.
 */
export type SandboxState = Readonly<Pick<FirstState, 'store' | 'counters' | 'clock' | 'script' | 'settings'>>

/** The state of a sandbox that nothing was loaded into. */
export const emptyState = (): SandboxState => ({ store: new Store(), counters: {}, clock: MACHINE_CLOCK, script: new Script(), settings: {} })

/** A state that calls work on. */
export class LiveState {
  readonly store: Store
  readonly ids: Ids
  script: Script
  clock: Clock
  settings: GivenSettings
  readonly #machine: () => number

  /** Copies a state; what both share is copied when either changes. `machine` is the machine's time in milliseconds. */
  constructor({ store, counters, clock, script, settings }: SandboxState, machine: () => number) {
    this.store = store.clone()
    this.ids = new Ids(counters)
    this.script = script.clone()
    this.clock = new Clock(machine, clock)
    this.settings = settings
    this.#machine = machine
  }

  /** Takes a copy of another state in place of its own. */
  become(state: SandboxState): void {
    Object.assign(this, new LiveState(state, this.#machine))
  }

  /** The state at this moment without a copy of it: until the next change. */
  get present(): SandboxState {
    const { store, ids, clock, script, settings } = this
    return { store, counters: ids.counters, clock: clock.reading, script, settings }
  }

  /** A copy of the state at this moment. */
  get value(): SandboxState {
    const { store, script } = this
    return { ...this.present, store: store.clone(), script: script.clone() }
  }
}
