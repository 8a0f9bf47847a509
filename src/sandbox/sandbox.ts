/** One isolated world: its records, keys, clock, ids and settings, and the first state that a reset goes back to. */

import { setMaxListeners } from 'node:events'
import { checkerOf } from '../core/checking.js'
import { Clock, type ClockStart } from '../core/clock.js'
import { ApiError, type Problem } from '../core/errors.js'
import { Ids, kindOf } from '../core/ids.js'
import { isoOf } from '../core/instants.js'
import { didYouMean, sentence } from '../core/nearest.js'
import {
  flattened,
  type GivenSettings,
  nested,
  processSettingProblem,
  SETTINGS,
  type Settings,
  type SettingsInForce,
  settingsInForce,
  settingsSchema
} from '../core/settings.js'
import { Evidence, Run } from '../evidence/evidence.js'
import type { Period } from '../evidence/periods.js'
import type { AccountType } from '../reference/accounts.js'
import type { Family } from '../reference/operations.js'
import { type Found, refusalOf, type SourceDocument } from '../scenario/documents.js'
import { Tally } from '../scenario/expectations.js'
import { duplicatesIn, fixtureIn, type Progress, put } from '../scenario/fixture.js'
import type { Library } from '../scenario/library.js'
import { type FirstState, firstStateOf, type Launch, standingIn } from '../scenario/scenario.js'
import { checkFixture } from '../scenario/schemas.js'
import { Script } from '../scenario/script.js'
import { type Play, playSteps } from '../scenario/steps.js'
import type { Records, Store } from '../store/store.js'
import { type Snapshot, Snapshots } from './snapshots.js'

/** What a world is made with: where documents are, what the command line gave, and the machine's time in milliseconds. */
export type Surroundings = { library: Library; launch: Launch; machine: () => number; run?: Run | undefined; progress?: Progress | undefined }

/** A world as a data file keeps it: its state, the settings that control calls changed, and how many calls were answered. */
export type KeptWorld = Omit<Snapshot, 'scenario'> & { name: string | null; first: FirstState; settings: GivenSettings; requests: number }

const checkSandboxSettings = checkerOf(() => settingsSchema(key => SETTINGS[key].scope === 'sandbox'))

export class Sandbox {
  readonly #surroundings: Surroundings
  #first: FirstState | undefined
  #store!: Store
  #ids!: Ids
  #clock!: Clock
  #inForce: SettingsInForce
  #changed: GivenSettings = {}
  #requests = 0
  #script = new Script()
  #tally = new Tally([])
  readonly #ending = new AbortController()
  /** Null for the world at the base address. */
  readonly name: string | null
  readonly evidence: Evidence
  /** The totals of the process, over every sandbox, reset and load. */
  readonly run: Run
  readonly snapshots: Snapshots
  /** Calls that are being answered. */
  inFlight = 0

  /** `snapshotsIn` is the folder of its snapshots; null keeps them in memory. */
  constructor(surroundings: Surroundings, { name = null, snapshotsIn = null }: { name?: string | null; snapshotsIn?: string | null } = {}) {
    // as many may wait for it as there are hung answers and event streams
    setMaxListeners(0, this.#ending.signal)
    this.name = name
    this.snapshots = new Snapshots(snapshotsIn)
    this.#surroundings = surroundings
    this.#inForce = settingsInForce(surroundings.launch)
    const { values } = this.#inForce
    this.run = surroundings.run ?? new Run()
    this.evidence = new Evidence({ entries: values['limits.journal'], bytes: values['limits.journal_bytes'] }, this.run, name)
  }

  get isLoaded(): boolean {
    return this.#first !== undefined
  }

  get store(): Store {
    return this.#store
  }

  get clock(): Clock {
    return this.#clock
  }

  get script(): Script {
    return this.#script
  }

  /** The scenario's own expectations, counted since the last load or reset. */
  get tally(): Tally {
    return this.#tally
  }

  get settings(): Settings {
    return this.#inForce.values
  }

  get settingsInForce(): SettingsInForce {
    return this.#inForce
  }

  get scenario(): FirstState['scenario'] {
    return this.requireLoaded().scenario
  }

  /** The loaded first state. Errors: `not_ready` before the first load. */
  requireLoaded(): FirstState {
    if (!this.#first) throw new ApiError('not_ready', { message: 'The start scenario is still being loaded; try again in a moment.' })
    return this.#first
  }

  /** How many calls were answered since the last load or reset. */
  get requests(): number {
    return this.#requests
  }

  /** The next id of an answer, from a counter of its own (A34). */
  nextRequestId(): string {
    return `req_${++this.#requests}`
  }

  /** The id and creation time of a new record: drawn only once nothing can refuse it any more. */
  stamp(family: Family, type?: AccountType): { id: string; created: string } {
    const id = this.#ids.draw(kindOf(family, type), this.settings, taken => this.#store[family].isTaken(taken))
    return { id, created: isoOf(this.#clock.now()) }
  }

  /**
   * Loads a scenario or bare fixture: everything is replaced, or, with a problem, nothing. `play` makes the calls of its steps in the world that is
   * being loaded; without it they are checked, not made. `dryRun` only checks. Errors: `document_invalid` with every problem.
   */
  async load(
    document: SourceDocument,
    origin: { name: string; file: string | null },
    { dryRun = false, play }: { dryRun?: boolean; play?: (candidate: Sandbox) => Play } = {}
  ): Promise<FirstState['scenario']> {
    const { library, launch, progress } = this.#surroundings
    const first = await firstStateOf(document, origin, { library, launch, progress, clockFor: start => this.#clockFor(start) })
    const candidate = new Sandbox(this.#surroundings)
    candidate.begin(first)
    if (play) await candidate.#playFirst(document, play(candidate))
    if (!dryRun) this.begin({ ...first, store: candidate.#store, counters: candidate.#ids.counters })
    return first.scenario
  }

  /** The script and the expectations since the last load or reset. */
  get period(): Period {
    return { script: this.#script.listed(), verdicts: this.#tally.verdicts() }
  }

  /** A period without a call says nothing. */
  #endPeriod(): void {
    if (this.#requests > 0) this.run.periods.add(this.period)
  }

  /** Stands in a first state from now on, and goes back to it on reset; what both share is copied when it changes. */
  begin(first: FirstState): void {
    if (this.#first) this.#endPeriod()
    this.#requests = 0
    this.#first = first
    this.reset()
  }

  /** All that a data file keeps of the world; `first` is the first state that it goes back to. */
  kept(): KeptWorld {
    const { scenario: _scenario, ...state } = this.snapshot()
    return { name: this.name, first: this.requireLoaded(), ...state, settings: this.#changed, requests: this.#requests }
  }

  /** Goes on where a world stopped. */
  resume({ first, store, counters, clock, script, settings, requests }: Omit<KeptWorld, 'name' | 'seed'>): void {
    this.begin(first)
    this.#store = store
    this.#ids = new Ids(counters)
    this.#clock = this.#clockFor(clock)
    this.#script = script
    this.#requests = requests
    this.#changed = settings
    this.#inForce = settingsInForce({ ...this.#surroundings.launch, scenario: first.settings, control: settings })
  }

  /** Aborted when the world is no more. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  /** The world is no more: what waits in it is cut, and its evidence is given up. */
  end(): void {
    this.#endPeriod()
    this.#ending.abort()
    this.evidence.end()
  }

  /** Plays the steps of the first state. Errors: `document_invalid` with every step that was answered otherwise than expected. */
  async #playFirst(document: SourceDocument, play: Play): Promise<void> {
    const outcomes = await playSteps(this.requireLoaded().steps, play, standingIn(this.#store))
    const found = outcomes.flatMap(({ index, title, problems }) =>
      problems.map(message => ({ document, steps: ['steps', index], message: `${title}: ${message}` }))
    )
    if (found.length > 0) throw await refusalOf(found)
  }

  /** Back to the loaded scenario's first state: records, keys, ids, settings, clock and the counter of answers. */
  reset(): void {
    const { store, counters, clock, settings, script, expectations } = this.requireLoaded()
    this.#endPeriod()
    this.evidence.clear()
    this.#store = store.clone()
    this.#ids = new Ids(counters)
    this.#clock = this.#clockFor(clock)
    this.#script = script.fresh()
    this.#tally = new Tally(expectations)
    this.#changed = {}
    this.#requests = 0
    this.#inForce = settingsInForce({ ...this.#surroundings.launch, scenario: settings })
  }

  /** Sets the clock: what is left out stays as it is. */
  setClock({ at, running }: { at?: number; running?: boolean }): void {
    const { clock } = this
    this.#clock = this.#clockFor({ at: at ?? clock.now(), running: running ?? clock.running })
  }

  /** The state as it stands, to come back to; what it shares with the running one is copied when either changes. */
  snapshot(): Snapshot {
    const { seed } = this.settings
    return {
      scenario: this.scenario.name,
      store: this.#store.clone(),
      counters: this.#ids.counters,
      clock: this.#clock.reading,
      seed,
      script: this.#script.clone()
    }
  }

  /**
   * Back to a snapshot: records, keys, ids, seed, clock and script; settings and what was counted stay.
   * Errors: `account_unknown` where a setting names an Account that the snapshot does not have.
   */
  restore({ store, counters, clock, seed, script }: Snapshot): void {
    const actor = this.settings['auth.accept_any_key']
    if (actor !== null && !store.accounts.get(actor)) {
      throw new ApiError('account_unknown', { message: `auth.accept_any_key names ${actor}, which is no Account of the snapshot. Nothing was changed.` })
    }
    this.evidence.settle()
    this.#endPeriod()
    this.#store = store.clone()
    this.#ids = new Ids(counters)
    this.#clock = this.#clockFor(clock)
    this.#script = script.clone()
    if (seed !== this.settings.seed) this.changeSettings({ seed })
  }

  /** Merges a fixture into the running state, all or nothing, and answers the records. Errors: `document_invalid` with every problem. */
  async addRecords(document: SourceDocument) {
    const misfits: Found[] = checkFixture(document.data).map(({ steps, message }) => ({ document, steps, message }))
    if (misfits.length > 0) throw await refusalOf(misfits)
    const fixture = fixtureIn(document, document.data as Record<string, unknown>)
    const store = this.#store.clone()
    const ids = new Ids(this.#ids.counters)
    const { inserted, problems } = put(fixture, store, { ids, now: this.#clock.now(), settings: this.settings })
    problems.unshift(...duplicatesIn(fixture))
    if (problems.length > 0) throw await refusalOf(problems)
    this.#store = store
    this.#ids = ids
    const asTheyStand = inserted.transactions.map(({ id }) => store.transactions.get(id) as Records['transactions'])
    return { ...inserted, transactions: asTheyStand }
  }

  /** A new API key for an Account. Errors: `account_unknown`. */
  addKey(account: string): { key: string; account: string } {
    const problem = this.#accountProblem(account)
    if (problem) throw new ApiError('account_unknown', { message: sentence(`account: ${problem}`), param: 'account' })
    const key = this.#ids.drawKey(this.settings, taken => this.#store.keys.has(taken))
    this.#store.keys.set(key, account)
    return { key, account }
  }

  /** Changes sandbox settings until the next load or reset, all or none. Errors: `setting_invalid` with every problem. */
  changeSettings(changes: object): SettingsInForce {
    const given = flattened(changes) as GivenSettings
    const problems: Problem[] = checkSandboxSettings(nested(given)).map(({ path, message }) => ({ path, message: processSettingProblem(path) ?? message }))
    const stand = given['auth.accept_any_key']
    const noAccount = typeof stand === 'string' && this.#accountProblem(stand)
    if (noAccount) problems.push({ path: 'auth.accept_any_key', message: noAccount })
    if (problems.length > 0) {
      const [{ path, message }] = problems as [Problem, ...Problem[]]
      const count = problems.length === 1 ? '' : `${problems.length} settings cannot be changed so, the first: `
      throw new ApiError('setting_invalid', { message: `${count}${sentence(`${path}: ${message}`)} Nothing was changed.`, problems })
    }
    this.#changed = { ...this.#changed, ...given }
    this.#inForce = settingsInForce({ ...this.#surroundings.launch, scenario: this.requireLoaded().settings, control: this.#changed })
    return this.#inForce
  }

  /** Why an id names no Account; null when it names one. */
  #accountProblem(id: string): string | null {
    if (this.#store.accounts.get(id)) return null
    return `no Account has the id ${id}${didYouMean(id, this.#store.accounts.someIds(1000))}`
  }

  #clockFor(start: ClockStart): Clock {
    return new Clock(this.#surroundings.machine, start)
  }
}
