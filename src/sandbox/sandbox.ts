/** A sandbox has a state, the first state and inputs that led to it, evidence and snapshots. */
import { type GivenSettings, type SettingsInForce, settingsInForce } from '../core/settings.js'
import { REFUSALS as REQUEST_REFUSALS } from '../engine/sentences.js'
import type { World } from '../engine/world.js'
import { Tally } from '../scenario/expect/tally.js'
import { readBy } from '../scenario/reading.js'
import type { FirstState } from '../scenario/scenario.js'
import type { Ask, Worker } from '../work/worker.js'
import { type Dependencies, evidenceOf, periodOf } from './dependencies.js'
import { type EditedSandbox, scriptedEdit } from './editing.js'
import { endable, Gates } from './gates.js'
import { changing, Inputs } from './inputs.js'
import { Snapshots } from './saved/snapshots.js'
import { REFUSALS } from './sentences.js'
import { type ClockChange, emptyState, requireActor, type SavedSandbox, State } from './state.js'

export type SandboxDependencies = Dependencies<Sandbox>
type Own = ReturnType<typeof evidenceOf>
type Script = State['script']
type Entry = Parameters<Script['add']>[0]

const MIN_INPUTS = 100
const RECORD_BYTES = 512

export class Sandbox implements World {
  #first: FirstState | undefined
  state: State
  settingsInForce: SettingsInForce
  /** Since the last load or reset. */
  inputs: Inputs
  requests = 0
  tally = new Tally([])
  gates = new Gates()
  #original: Inputs | undefined
  readonly #ending = endable()
  readonly evidence: Own['evidence']
  readonly run: Own['run']
  /** Whether it outlives the request that created it. */
  isKept = false
  /** Whether only pages of other sites used it; these are removed first. */
  isOfPages = false
  inFlight = 0
  /** Requests that may still keep it. */
  uses = 0

  /** Null is the name of the sandbox at the base address. */
  constructor(
    readonly dependencies: SandboxDependencies,
    readonly name: string | null = null,
    readonly snapshots = new Snapshots()
  ) {
    this.state = State.of(emptyState(), dependencies.machine)
    this.inputs = new Inputs(this.state.copy(), MIN_INPUTS, this.#now)
    this.settingsInForce = settingsInForce(dependencies.launch)
    const { run, evidence } = evidenceOf(dependencies, this.settings, name)
    this.run = run
    this.evidence = evidence
  }

  blank(): Sandbox {
    const { library, machine, worker } = this.dependencies
    return new Sandbox({ library, machine, worker, launch: { flag: {}, environment: {} } })
  }

  readonly #now = () => this.clock.now()

  get machine(): () => number {
    return this.dependencies.machine
  }

  get settings(): SettingsInForce['values'] {
    return this.settingsInForce.values
  }

  get store(): State['store'] {
    return this.state.store
  }

  get clock(): State['clock'] {
    return this.state.clock
  }

  get script(): Script {
    return this.state.script
  }

  get scenario(): FirstState['scenario'] {
    return this.requireLoaded().scenario
  }

  get isLoaded(): boolean {
    return this.#first !== undefined
  }

  /** Errors: `not_ready` before the first load. */
  requireLoaded(): FirstState {
    if (!this.#first) throw REFUSALS.notReady()
    return this.#first
  }

  /** The records so many ms ago, or the earliest that are known. */
  past(ms: number): State['store'] {
    return (this.#original ?? this.inputs).stateOn(this.clock.now() - ms).store
  }

  readonly changed: World['changed'] = (family, id, record, by, json) => {
    const changes = [{ family, id, record }]
    this.noteRecords(by, changes, changing(changes, this.state.ids.counters), json)
  }

  readonly counted: World['counted'] = (id, count) =>
    this.inputs.add(({ script }) => script.recount(id, count), count)

  readonly edit: World['edit'] = (edit, by) => scriptedEdit(this, edit, by)

  readonly noteRecords: EditedSandbox['noteRecords'] = (by, names, input, size) => {
    this.evidence.changers.note(this.store, by, names)
    this.inputs.add(input, size)
  }

  /** `size` is as of `Inputs.add`. */
  change<T>(input: (state: State) => T, size?: unknown): T {
    const result = input(this.state)
    this.inputs.add(input, size)
    return result
  }

  nextRequestId = (): string => `req_${++this.requests}`

  stamp: World['stamp'] = (family, type) => this.state.stamp(this.settings, family, type)

  get #worker(): Worker {
    return this.dependencies.worker as Worker
  }

  /** Runs a long job in the worker. Errors: of `Worker.run`; of the job. */
  work<T>(left: AbortSignal, job: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#worker.run(AbortSignal.any([left, this.ending]), job)
  }

  reading(left: () => AbortSignal): ReturnType<typeof readBy> {
    return readBy(this.#worker, () => AbortSignal.any([left(), this.ending]))
  }

  readonly period = () => periodOf(this)

  /** Whether it got requests since its last load or reset. */
  get isJudged(): boolean {
    return this.requests > 0
  }

  /** A period without a request is not counted. */
  #endPeriod(): void {
    if (this.isJudged) this.run.history.judge(this.period())
  }

  #forget(): void {
    if (this.isJudged) this.dependencies.beforeForgetting?.(this)
    this.#endPeriod()
    this.requests = 0
  }

  begin(first: FirstState): void {
    if (this.#first) this.#forget()
    this.#first = first
    this.reset()
  }

  reset(): void {
    const first = this.requireLoaded()
    this.#forget()
    this.evidence.clear()
    this.tally = new Tally(first.expectations)
    this.#startFrom({ ...first, settings: {} })
  }

  resume({ first, requests, state }: SavedSandbox): void {
    this.begin(first)
    this.requests = requests
    this.#startFrom(state)
  }

  #startFrom(saved: SavedSandbox['state']): void {
    this.#use(State.of(saved, this.machine))
    const max = Math.max(this.settings['limits.journal'], MIN_INPUTS)
    // a request that is recorded after a reset must not claim changes since then
    this.inputs = new Inputs(this.state.copy(), max, this.#now, this.inputs.place + 1)
  }

  #use(state: State): void {
    this.gates.end(REQUEST_REFUSALS.stateReplaced())
    this.gates = new Gates()
    this.state = state
    this.settingsInForce = this.settingsWith(state.settings)
  }

  settingsWith(control: GivenSettings): SettingsInForce {
    const scenario = this.requireLoaded().settings
    return settingsInForce({ ...this.dependencies.launch, scenario, control })
  }

  setControlSettings(settings: GivenSettings): void {
    this.change(state => Object.assign(state, { settings }), settings)
    this.settingsInForce = this.settingsWith(settings)
  }

  /** Aborted when another state replaces the present one. */
  get replacing(): AbortSignal {
    return this.gates.ending
  }

  get ending(): AbortSignal {
    return this.#ending.signal
  }

  /** Ends what waits in a deleted sandbox, and drops its evidence. */
  end(): void {
    this.#ending.abort(REFUSALS.deletedMeanwhile(this.name))
    // the refused requests of one that was never kept still count in the run
    if (!this.isKept) return
    this.#forget()
    this.evidence.clear()
    this.tally = new Tally([])
    this.#use(State.of(emptyState(), this.machine))
  }

  setClock(change: ClockChange): void {
    const clock = this.state.changedClock(change, this.machine)
    this.change(state => Object.assign(state, { clock }))
  }

  addEntry(entry: Entry, isFirst: boolean): ReturnType<Script['add']> {
    return this.change(({ script }) => script.add(entry, isFirst), entry.data)
  }

  /** Without an id, all. Returns whether there was one with the id. */
  removeEntries(id?: string): boolean {
    return (
      this.change(({ script }) => (id === undefined ? script.clear() : script.remove(id))) !== false
    )
  }

  /** A copy to try requests in, without evidence and gates. */
  copy(): Sandbox {
    const copy = new Sandbox(this.dependencies, this.name)
    copy.isKept = true
    copy.#original = this.inputs
    const { requests, state } = this
    copy.resume({ first: this.requireLoaded(), requests, state: state.saved })
    return copy
  }

  snapshot(): SavedSandbox {
    const { requests, settings } = this
    const state = { ...this.state.saved, settings: { seed: settings.seed } }
    return { first: this.requireLoaded(), requests, state }
  }

  /** Back to a snapshot, except settings and counts. Errors: `account_unknown`. */
  restore({ state: saved }: SavedSandbox): void {
    requireActor(this.settings, saved.store)
    this.#endPeriod()
    const { seed = this.settings.seed } = saved.settings
    const control = this.state.settings
    const settings = seed === this.settings.seed ? control : { ...control, seed }
    const restored = State.of({ ...saved, settings }, this.machine)
    this.#use(restored.copy())
    this.evidence.changers.restored()
    this.inputs.add(
      state => Object.assign(state, restored.copy()),
      restored.store.size * RECORD_BYTES
    )
  }
}
