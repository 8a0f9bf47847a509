/** The state of a sandbox as one value to begin with, keep, restore, merge into and write. */
import { Clock, MACHINE_CLOCK } from '../core/clock.js'
import { Ids } from '../core/ids.js'
import type { GivenSettings } from '../core/settings.js'
import type { FirstState } from '../scenario/scenario.js'
import { Script } from '../scenario/script.js'
import { FAMILIES, Store } from '../store/store.js'

/**
 * Nobody changes it; `LiveState` works on copies. `settings` are those of the scenario in a first
 * state, of control requests in a running one.
 */
export type SandboxState = Readonly<
  Pick<FirstState, 'store' | 'counters' | 'clock' | 'script' | 'settings'>
>

/** A sandbox as a data folder keeps it; a reset goes back to `first`. */
export type SavedSandbox = {
  name: string | null
  first: FirstState
  requests: number
  state: SandboxState
}
/** What a data folder keeps; new sandboxes begin with `start`. */
export type SavedSandboxes = { start: FirstState; sandboxes: readonly SavedSandbox[] }
export type PresentSandboxes = {
  start: FirstState
  sandboxes: readonly (Omit<SavedSandbox, 'state'> & { state: LiveState })[]
}
/** The state of a sandbox that nothing was loaded into. */
export const emptyState = (): SandboxState => ({
  store: new Store(),
  counters: {},
  clock: MACHINE_CLOCK,
  script: new Script(),
  settings: {}
})

/** The Account of `auth.accept_any_key`, if it is not among the records. */
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

  /** What both share is copied when either changes. */
  constructor({ store, counters, clock, script, settings }: SandboxState, machine: () => number) {
    this.store = store.clone()
    this.ids = new Ids(counters)
    this.script = script.clone()
    this.clock = new Clock(machine, clock)
    this.settings = settings
    this.#machine = machine
  }

  become(state: SandboxState): void {
    Object.assign(this, new LiveState(state, this.#machine))
  }

  /** The state itself, not a copy: use it before the next change. */
  get present(): SandboxState {
    const { store, ids, clock, script, settings } = this
    return { store, counters: ids.counters, clock: clock.reading, script, settings }
  }

  /** Values that differ from earlier ones where the state has changed. */
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

  get value(): SandboxState {
    const { store, script } = this
    return { ...this.present, store: store.clone(), script: script.clone() }
  }
}
