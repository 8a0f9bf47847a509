/** The state of a sandbox: everything that requests change, as one value. */
import { Clock, MACHINE_CLOCK } from '../core/clock.js'
import { Ids, kindOf } from '../core/ids.js'
import { isoOf, LATEST_INSTANT } from '../core/instants.js'
import type { GivenSettings, Settings } from '../core/settings.js'
import type { AccountType } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import type { FirstState } from '../scenario/scenario.js'
import { Script } from '../scenario/script.js'
import { FAMILIES, Store } from '../store/store.js'
import { REFUSALS, SAYS } from './sentences.js'

/** Never changed. `settings` are the scenario's in a first state, else those set since. */
export type SavedState = Readonly<
  Pick<FirstState, 'store' | 'counters' | 'clock' | 'script' | 'settings'>
>
/** `start`, of the main one: what new sandboxes begin with, where that differs. */
export type SavedSandbox = {
  first: FirstState
  start?: FirstState | undefined
  requests: number
  state: SavedState
}
/** Null is the name of the one at the base address. */
export type NamedSandbox = SavedSandbox & { name: string | null }
export type PresentSandbox = Omit<NamedSandbox, 'state'> & { state: State }
export const emptyState = (): SavedState => ({
  store: new Store(),
  counters: {},
  clock: MACHINE_CLOCK,
  script: new Script(),
  settings: {}
})

/** Of `auth.accept_any_key`, if there is no such Account. */
export function actorProblem(
  { 'auth.accept_any_key': actor = null }: GivenSettings,
  { accounts }: Store
): string | null {
  return actor === null || accounts.get(actor)
    ? null
    : SAYS.noSuchAccount(actor, accounts.someIds())
}

/** Errors: `account_unknown`. */
export function requireActor(settings: GivenSettings, store: Store): void {
  const problem = actorProblem(settings, store)
  if (problem !== null) throw REFUSALS.noActor(problem)
}

/** `by` advances the clock, in ms. */
export type ClockChange = { at?: number; running?: boolean; by?: number }

export class State {
  private constructor(
    public store: Store,
    public ids: Ids,
    public script: Script,
    public clock: Clock,
    public settings: GivenSettings
  ) {}

  /** A running clock runs from now on. */
  static of({ store, counters, clock, script, settings }: SavedState, machine: () => number) {
    return new State(
      store.clone(),
      new Ids(counters),
      script.clone(),
      new Clock(machine, clock),
      settings
    )
  }

  copy(): State {
    const { store, ids, script, clock, settings } = this
    return new State(store.clone(), new Ids(ids.counters), script.clone(), clock, settings)
  }

  get saved(): SavedState {
    const { store, ids, script, clock, settings } = this.copy()
    return { store, counters: ids.counters, clock: clock.reading, script, settings }
  }

  /** Differ from earlier ones if records, keys or counters have changed. */
  get recordMarks(): readonly unknown[] {
    const { store, ids } = this
    return [ids.counters, store.keys.size, ...FAMILIES.map(family => store[family].revision)]
  }

  get marks(): readonly unknown[] {
    const { script, clock, settings } = this
    return [settings, clock, script.revision, ...this.recordMarks]
  }

  /** For a new record that nothing can refuse any more. */
  stamp(settings: Settings, family: Family, type?: AccountType) {
    const id = this.ids.draw(kindOf(family, type), settings, this.store[family])
    return { id, created: isoOf(this.clock.now()) }
  }

  changedClock(
    { at, running = this.clock.running, by = 0 }: ClockChange,
    machine: () => number
  ): Clock {
    const now = machine()
    const start = { at: Math.min((at ?? this.clock.now(now)) + by, LATEST_INSTANT), running }
    return new Clock(machine, start, now)
  }
}

export const isSame = (marks: readonly unknown[], others: readonly unknown[]): boolean =>
  marks.every((mark, nth) => mark === others[nth])
