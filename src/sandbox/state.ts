/**
 * The state of a sandbox: everything that requests change in it, as one value to begin with, keep,
 * restore, merge into and write to a file.
 */
import { Clock, MACHINE_CLOCK } from '../core/clock.js'
import { Ids } from '../core/ids.js'
import type { GivenSettings } from '../core/settings.js'
import type { FirstState } from '../scenario/scenario.js'
import { Script } from '../scenario/script.js'
import { FAMILIES, Store } from '../store/store.js'

/**
 * The state at one moment: records and keys, id counters, clock, script with its counts, and the
 * settings given along with it (by the scenario in a first
 * state, by control requests in a running one). Nobody changes it; `LiveState` works on copies.
 */
export type SandboxState = Readonly<
  Pick<FirstState, 'store' | 'counters' | 'clock' | 'script' | 'settings'>
>

/**
 * A sandbox as a data file keeps it: its state, the first state that a reset goes back to, and how
 * many requests it got.
 */
export type SavedSandbox = {
  name: string | null
  first: FirstState
  requests: number
  state: SandboxState
}
/**
 * The sandboxes of a process as a data file keeps them, and the first state that new ones begin
 * with; `Present` as they are when they are looked at.
 */
export type SavedSandboxes = { start: FirstState; sandboxes: readonly SavedSandbox[] }
export type PresentSandboxes = {
  start: FirstState
  sandboxes: readonly (Omit<SavedSandbox, 'state'> & { state: LiveState })[]
}
/**
 * What of a state may change: its parts and families. Its marks, in this order, each stay the same
 * until that changes.
 */
export const MARKED = ['settings', 'counters', 'clock', 'script', 'api_keys', ...FAMILIES] as const

/** The state of a sandbox that nothing was loaded into. */
export const emptyState = (): SandboxState => ({
  store: new Store(),
  counters: {},
  clock: MACHINE_CLOCK,
  script: new Script(),
  settings: {}
})

/** The Account that every key is to act as, where it is not among the records; null otherwise. */
export function missingActor(
  { 'auth.accept_any_key': actor = null }: GivenSettings,
  { accounts }: Store
): string | null {
  return actor === null || accounts.get(actor) ? null : actor
}

/** A state that requests work on. */
export class LiveState {
  store: Store
  ids: Ids
  script: Script
  clock: Clock
  settings: GivenSettings
  readonly #machine: () => number

  /**
   * Copies a state; what both share is copied when either changes. `machine` is the machine's time
   * in milliseconds.
   */
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

  /** What of the state has changed shows when these are compared with earlier ones. */
  get marks(): readonly unknown[] {
    const { store, ids, clock, script, settings } = this
    return [
      settings,
      ids.counters,
      clock,
      script.revision,
      store.keys.size,
      ...FAMILIES.map(family => store[family].revision)
    ]
  }

  /** A copy of the state at this moment. */
  get value(): SandboxState {
    const { store, script } = this
    return { ...this.present, store: store.clone(), script: script.clone() }
  }
}
