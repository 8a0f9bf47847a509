/**
 * A sandbox: one isolated state with its evidence and snapshots, and the first state that a reset
 * goes back to.
 */

import { setMaxListeners } from 'node:events'
import { Clock } from '../core/clock.js'
import { Ids, kindOf } from '../core/ids.js'
import { isoOf, LATEST_INSTANT } from '../core/instants.js'
import { mergePatched } from '../core/merge-patch.js'
import { pathOf, problemAt, type Step } from '../core/places.js'
import { withoutSecrets } from '../core/redaction.js'
import {
  flattened,
  type GivenSettings,
  nested,
  processSettingProblem,
  SETTING_KEYS,
  SETTINGS,
  type Settings,
  type SettingsInForce,
  settingsInForce
} from '../core/settings.js'
import { REFUSALS as REQUEST_REFUSALS } from '../engine/sentences.js'
import type { World } from '../engine/world.js'
import { Evidence } from '../evidence/evidence.js'
import { JournalBudget } from '../evidence/journal.js'
import { explainedEntries, explainedVerdicts } from '../evidence/near-misses.js'
import { Run } from '../evidence/run.js'
import type { Period } from '../evidence/run-history.js'
import type { AccountType } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import {
  type DocumentProblem,
  documentOf,
  ProblemList,
  refusalOf,
  type Written,
  withoutProblems
} from '../scenario/documents.js'
import { Tally } from '../scenario/expect/tally.js'
import type { Library } from '../scenario/library.js'
import { checkCount } from '../scenario/limits.js'
import { firstStateOf } from '../scenario/loading.js'
import { below, type SourceDocument } from '../scenario/read/document.js'
import { problemsOf } from '../scenario/read/numbers.js'
import { type Body, type ReadText, readBy } from '../scenario/reading.js'
import {
  type Edit,
  type Edited,
  edited,
  type RecordName,
  referrers
} from '../scenario/records/edits.js'
import { exportedRecord } from '../scenario/records/export.js'
import { type Fixture, fixtureIn, recordsIn } from '../scenario/records/fixture.js'
import { FixtureImporter, type ImportedRecords } from '../scenario/records/importer.js'
import { requestedScenario } from '../scenario/requested.js'
import type { FirstState, Launch, LoadContext, Loaded } from '../scenario/scenario.js'
import { FIXTURE_CHECKER, SANDBOX_SETTINGS_CHECKER } from '../scenario/schemas.js'
import type { Entry } from '../scenario/script/entry.js'
import type { EntryCount, ListedEntry, Script } from '../scenario/script.js'
import { say } from '../scenario/sentences.js'
import { problemsOfShape, shapeProblems } from '../scenario/shape.js'
import { bindingsOf, type Play, playSteps } from '../scenario/steps.js'
import { FAMILIES, type RecordOf, type Records, type Store } from '../store/store.js'
import { pause } from '../work/slices.js'
import type { Ask, Worker } from '../work/worker.js'
import { type Changes, changesOf } from './changes.js'
import { Gates } from './gates.js'
import { type Input, Inputs } from './inputs.js'
import { REFUSALS, SAYS } from './sentences.js'
import { type Snapshot, Snapshots } from './snapshots.js'
import {
  emptyState,
  LiveState,
  missingActor,
  type SandboxState,
  type SavedSandbox
} from './state.js'

/**
 * `library`: where documents are; `launch`: what the command line gave; `machine`: its time in ms.
 */
export type SandboxDependencies = {
  library: Library
  launch: Launch
  machine: () => number
  run?: Run | undefined
  journals?: JournalBudget | undefined
  /** A sandbox that no request reaches needs none. */
  worker?: Worker | undefined
  /** Called with a sandbox that got requests and is about to forget them. */
  beforeForgetting?: ((sandbox: Sandbox) => void) | undefined
}
/**
 * `play` sends the requests of steps; without it they are only checked. `warn` gets likely
 * mistakes.
 */
export type LoadOptions = {
  dryRun?: boolean | undefined
  play?: ((candidate: Sandbox) => Play) | undefined
  warn?: LoadContext['warn']
}

const MIN_INPUTS = 100

export class Sandbox {
  readonly #dependencies: SandboxDependencies
  #first: FirstState | undefined
  state: LiveState
  #begunClock: Clock
  settingsInForce: SettingsInForce
  settings: Settings
  /** What has changed the state since the last load or reset. */
  inputs: Inputs
  requests = 0
  tally = new Tally([])
  gates = new Gates()
  /** Many records are made in one millisecond. */
  #lastStamp = { at: Number.NaN, created: '' }
  /** What has changed the sandbox that this is a copy of. */
  #original: Inputs | undefined
  readonly #ending = new AbortController()
  #replacing = new AbortController()
  /** Null for the sandbox at the base address. */
  readonly name: string | null
  readonly machine: () => number
  readonly evidence: Evidence
  readonly run: Run
  readonly snapshots: Snapshots
  /** Whether it stays when the request that created it is over. */
  isKept = false
  /** Whether only pages of other sites used its API: it makes room first. */
  isOfPages = false
  inFlight = 0

  /** Without `snapshots` it cannot take any: a document is only tried in it. */
  constructor(
    dependencies: SandboxDependencies,
    {
      name = null,
      snapshots = new Snapshots(null, 0)
    }: { name?: string | null; snapshots?: Snapshots } = {}
  ) {
    // every event stream listens to it
    setMaxListeners(0, this.#ending.signal)
    setMaxListeners(0, this.#replacing.signal)
    this.name = name
    this.machine = dependencies.machine
    this.snapshots = snapshots
    this.#dependencies = dependencies
    this.state = new LiveState(emptyState(), dependencies.machine)
    this.inputs = new Inputs(emptyState(), MIN_INPUTS, this.#source)
    this.#begunClock = this.state.clock
    this.settingsInForce = settingsInForce(dependencies.launch)
    const { values } = this.settingsInForce
    this.settings = values
    this.run = dependencies.run ?? new Run()
    const budget = dependencies.journals ?? new JournalBudget(values['limits.journal_total'])
    this.evidence = new Evidence(
      { entries: values['limits.journal'], bytes: values['limits.journal_bytes'], budget },
      this.run,
      name
    )
  }

  /** With the same library, without settings and records. */
  blank(): Sandbox {
    const { library, machine, worker } = this.#dependencies
    return new Sandbox({ library, machine, worker, launch: { flag: {}, environment: {} } })
  }

  get store(): Store {
    return this.state.store
  }

  get clock(): Clock {
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

  /** The state before the change of a place, but for a running clock. */
  stateAt(place: number): Promise<LiveState> {
    return this.inputs.stateAt(place, this.machine)
  }

  /** The records so many ms ago, as far back as is known. */
  past(ms: number): Store {
    return (this.#original ?? this.inputs).stateOn(this.clock.now() - ms, this.machine).store
  }

  readonly changed: World['changed'] = (family, id, record, by, json) => {
    this.#noteChange(by, [{ family, id }])
    const { counters } = this.state.ids
    this.inputs.add(({ ids, store }) => {
      ids.counters = counters
      if (record === null) store.remove(family, id)
      else store.put(family, record)
    }, json)
  }

  readonly counted = (id: string, count: EntryCount): void =>
    this.inputs.add(({ script }) => script.recount(id, count), count)

  /** Notes what changed these records, for `changed_by`. */
  #noteChange(by: string, records: readonly RecordName[]): void {
    this.evidence.changers.note(this.store, by, records)
  }

  readonly #source = { present: () => this.state.value, now: () => this.clock.now() }

  #change(change: Input, kept?: unknown): void {
    change(this.state)
    this.inputs.add(change, kept)
  }

  /** The next id of a response, from a counter of its own (A34). */
  nextRequestId(): string {
    return `req_${++this.requests}`
  }

  /** The id and creation time of a new record: drawn only once nothing can refuse it any more. */
  stamp(family: Family, type?: AccountType): { id: string; created: string } {
    const { store, ids, clock } = this.state
    const id = ids.draw(kindOf(family, type), this.settings, store[family])
    const at = clock.now()
    if (at !== this.#lastStamp.at) this.#lastStamp = { at, created: isoOf(at) }
    return { id, created: this.#lastStamp.created }
  }

  /**
   * Loads a scenario or bare fixture, or with a problem changes nothing. Errors:
   * `document_invalid`, `document_too_large`.
   */
  async load(
    document: SourceDocument,
    origin: { name: string; file: string | null },
    {
      dryRun = false,
      play,
      warn,
      variables,
      keys
    }: LoadOptions & Pick<LoadContext, 'variables' | 'keys'> = {}
  ): Promise<Loaded> {
    return this.#beginIn(
      await firstStateOf(document, origin, { ...this.#making, warn, variables, keys }),
      { dryRun, play }
    )
  }

  /**
   * Takes effect as a whole when it is done, whatever was loaded or reset meanwhile. Errors: as of
   * `load`; `sandbox_unknown` if the sandbox was deleted meanwhile.
   */
  async loadBody(
    body: Body,
    { left, warn, ...options }: LoadOptions & { left: () => AbortSignal }
  ): Promise<Loaded> {
    const library = this.#dependencies.library.readBy(this.reading(left))
    const { document, origin, ...given } = await requestedScenario(body, library)
    const made = await firstStateOf(document, origin, { ...this.#making, library, warn, ...given })
    return this.#beginIn(made, options)
  }

  get #making(): LoadContext {
    const { library, launch, machine } = this.#dependencies
    return { library, launch, clockFor: start => new Clock(machine, start) }
  }

  /** Does what would make requests wait. Errors: as of `Worker.run`; those of the job. */
  work<T>(left: AbortSignal, job: (ask: Ask) => Promise<T>): Promise<T> {
    return (this.#dependencies.worker as Worker).run(AbortSignal.any([left, this.ending]), job)
  }

  /** Reads texts while the client waits. */
  reading(left: () => AbortSignal): ReadText {
    return readBy(this.#dependencies.worker as Worker, () => AbortSignal.any([left(), this.ending]))
  }

  async #beginIn(loaded: Loaded, { dryRun = false, play }: LoadOptions): Promise<Loaded> {
    // what is written in documents would keep these
    const { written, ...first } = loaded
    const candidate = new Sandbox(this.#dependencies)
    candidate.begin(first)
    if (play) await candidate.#playFirst(play(candidate), written)
    const { store, counters } = candidate.state.value
    this.ending.throwIfAborted()
    if (dryRun) return loaded
    this.begin({ ...first, store, counters })
    const { scenario, script, expectations } = first
    // one that expects and does nothing is missed by nobody
    if (expectations.length + script.listed().length > 0) this.run.history.load(scenario.name)
    return loaded
  }

  async period(): Promise<Period> {
    const { name: sandbox, evidence, script, store, tally } = this
    // a reset may begin the next period before this one is judged
    const { prefix } = evidence
    const looked = {
      requests: evidence.journal.requests(),
      store,
      nameOf: (id: string) => prefix + id
    }
    return {
      sandbox,
      scenario: this.scenario.name,
      script: await explainedEntries(script, looked),
      verdicts: await explainedVerdicts(tally, looked)
    }
  }

  /** Whether its expectations are judged: it got requests since its last load or reset. */
  get isJudged(): boolean {
    return this.requests > 0
  }

  /** A period without a request is not counted. */
  #endPeriod(): void {
    if (this.requests > 0) this.run.history.judge(this.period())
  }

  #forget(): void {
    if (this.requests > 0) this.#dependencies.beforeForgetting?.(this)
    this.#endPeriod()
    this.requests = 0
  }

  begin(first: FirstState): void {
    if (this.#first) this.#forget()
    this.#first = first
    this.reset()
  }

  resume({ first, requests, state }: Omit<SavedSandbox, 'name'>): void {
    this.begin(first)
    this.requests = requests
    this.#startFrom(state)
  }

  /** Takes a copy of a state; what waits in the one before ends. */
  #use(state: SandboxState): void {
    this.#replacing.abort(REQUEST_REFUSALS.stateReplaced())
    this.#replacing = new AbortController()
    setMaxListeners(0, this.#replacing.signal)
    this.gates.end()
    this.gates = new Gates()
    this.state = new LiveState(state, this.machine)
    this.#apply(state.settings)
  }

  #startFrom(state: SandboxState): void {
    this.#use(state)
    // a request that is recorded only after a reset must not take a change since then for its own
    this.inputs = new Inputs(
      state,
      Math.max(this.settings['limits.journal'], MIN_INPUTS),
      this.#source,
      this.inputs.place + 1
    )
  }

  #apply(control: GivenSettings): void {
    this.settingsInForce = this.#settingsWith(control)
    this.settings = this.settingsInForce.values
  }

  #settingsWith(control: GivenSettings): SettingsInForce {
    return settingsInForce({
      ...this.#dependencies.launch,
      scenario: this.requireLoaded().settings,
      control
    })
  }

  /** Aborted when another state takes the place of the present one, or the sandbox is deleted. */
  get replacing(): AbortSignal {
    return this.#replacing.signal
  }

  /** Aborted when the sandbox is deleted. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  /** Cuts what waits in a sandbox that is deleted, and gives its evidence up. */
  end(): void {
    this.#ending.abort(REFUSALS.deletedMeanwhile(this.name))
    // the requests of one that was never kept were refused, and still count in the run
    if (!this.isKept) return
    this.#forget()
    this.evidence.clear()
    this.tally = new Tally([])
    this.#use(emptyState())
  }

  /** Errors: `document_invalid` with every step whose response was not the expected one. */
  async #playFirst(play: Play, written: Written): Promise<void> {
    const { steps, answers } = this.requireLoaded()
    const outcomes = await playSteps(
      steps,
      play,
      { ...bindingsOf(this.store), error: this.settings['shapes.error'] },
      undefined,
      answers
    )
    const found = outcomes.flatMap(({ at, step, problems }) =>
      problems.map(({ code, message }) => ({
        code,
        ...written(['steps', ...at]),
        message: `${step.do}: ${message}`
      }))
    )
    if (found.length > 0) throw await refusalOf(found)
  }

  /** Back to the loaded scenario's first state. */
  reset(): void {
    const first = this.requireLoaded()
    this.#forget()
    this.evidence.clear()
    this.tally = new Tally(first.expectations)
    this.#startFrom({ ...first, settings: {} })
    this.#begunClock = this.state.clock
  }

  changes(): Promise<Changes> {
    return changesOf(this.requireLoaded(), this.state, this.#begunClock)
  }

  /**
   * To the last instant that can be stored at most; what is left out stays. `by` moves it on, in
   * ms.
   */
  setClock({
    at,
    running = this.clock.running,
    by = 0
  }: {
    at?: number
    running?: boolean
    by?: number
  }): void {
    const now = this.machine()
    const clock = new Clock(
      this.machine,
      { at: Math.min((at ?? this.clock.now(now)) + by, LATEST_INSTANT), running },
      now
    )
    this.#change(state => {
      state.clock = clock
    })
  }

  addEntry(entry: Entry, isFirst: boolean): ListedEntry {
    const listed = this.script.add(entry, isFirst)
    const count = { matched: 0, applied: 0 }
    this.inputs.add(({ script }) => script.put(listed.id, entry, count, isFirst), entry.data)
    return listed
  }

  /** Without an id, all of them. Returns whether there was one with the id. */
  removeEntries(id?: string): boolean {
    const remove = ({ script }: LiveState) =>
      id === undefined ? script.clear() : script.remove(id)
    if (remove(this.state) === false) return false
    this.inputs.add(remove)
    return true
  }

  /** A copy to try requests in: the present state, without evidence and gates. */
  copy(): Sandbox {
    const copy = new Sandbox(this.#dependencies, { name: this.name })
    copy.isKept = true
    copy.#original = this.inputs
    copy.resume({ first: this.requireLoaded(), requests: this.requests, state: this.state.present })
    return copy
  }

  snapshot(): Snapshot {
    const { seed } = this.settings
    return { scenario: this.scenario.name, state: { ...this.state.value, settings: { seed } } }
  }

  /**
   * Back to a snapshot: records, keys, ids, seed, clock and script; other settings and what was
   * counted stay.
   * Errors: `account_unknown` where a setting names an Account that the snapshot does not have.
   */
  restore({ state }: Snapshot): void {
    const actor = missingActor(this.settings, state.store)
    if (actor !== null) throw REFUSALS.noActorInSnapshot(actor)
    this.#endPeriod()
    const { settings } = this.state
    const { seed = this.settings.seed } = state.settings
    const restored = {
      ...state,
      settings: seed === this.settings.seed ? settings : { ...settings, seed }
    }
    this.#use(restored)
    this.evidence.changers.restored()
    this.inputs.add(state => state.become(restored), restored.store.size * RECORD)
  }

  /**
   * Merges a fixture into a copy of the records, which takes their place when there are no
   * problems; `under` is its place in what was sent, `size` the bytes. Errors:
   * `document_invalid`, `document_too_large`.
   */
  async addRecords(
    document: SourceDocument,
    under: readonly Step[] = [],
    size = 0
  ): Promise<ImportedRecords> {
    const problems = new ProblemList()
    const fixture = await checkedFixture(document, under)
    return withoutProblems(problems, async () => {
      const { state, clock, settings } = this
      const revision = () =>
        JSON.stringify([
          this.state.ids.counters,
          this.store.keys.size,
          ...FAMILIES.map(family => this.store[family].revision)
        ])
      const before = revision()
      const [store, ids] = [state.store.clone(), new Ids(state.ids.counters)]
      const importer = new FixtureImporter(store, { ids, now: clock.now(), settings }, problems)
      const isLarge = recordsIn([fixture]) > MANY
      for (const _ of importer.importing([fixture])) if (isLarge) await pause()
      checkCount('The sandbox would hold', store.size, document.limits)
      const { imported } = importer
      if (problems.length > 0) return imported
      const names = namesOf(imported)
      for (let at = 0; at < names.length; at += MANY) {
        this.evidence.changers.note(store, 'POST /_control/records', names.slice(at, at + MANY))
        if (isLarge) await pause()
      }
      this.ending.throwIfAborted()
      if (this.state !== state || revision() !== before) throw REFUSALS.changedMeanwhile()
      Object.assign(this.state, { store, ids })
      this.inputs.add(
        isLarge || fixture.deleted_users.length > 0
          ? replacement(store.clone(), ids)
          : mergeOf({ imported, removed: [] }, ids),
        size || imported
      )
      return {
        ...imported,
        // Refunds of the same fixture have replaced some of its Transactions
        transactions: imported.transactions.map(
          ({ id }) => store.transactions.get(id) as Records['transactions']
        )
      }
    })
  }

  /**
   * A large one is merged in parts, between other requests. Errors: as of `addRecords`;
   * `state_changed` where the records changed meanwhile, `sandbox_unknown` where the sandbox was
   * deleted.
   */
  async addBody(body: Body, left: () => AbortSignal): Promise<ImportedRecords> {
    const { type, text, bytes } = body
    const { limits } = this.#dependencies.library
    const document = await this.reading(left)('body', text, { limits, type, kind: 'fixture' })
    return this.addRecords(document, [], bytes.length)
  }

  /**
   * Applies a JSON Merge Patch to what a fixture gives of a record. Problems have their places in
   * the patch. Errors: `record_unknown`, `document_invalid`.
   */
  patchRecord(
    name: string,
    id: string,
    patch: object,
    document: SourceDocument
  ): Promise<RecordOf<Family>> {
    const { family, record } = this.#recordNamed(name, id)
    const data = {
      [family]: [mergePatched(exportedRecord(family, record), patch) as { id?: unknown }]
    }
    const problems = new ProblemList()
    return withoutProblems(problems, async () => {
      if (data[family]?.[0]?.id !== id)
        problems.push({ document, steps: ['id'], ...say('fixed_id', id) })
      else {
        const found = FIXTURE_CHECKER.isRight(data)
          ? this.#edit(
              { fixture: fixtureIn(document, data), removed: [] },
              `PATCH /_control/records/${family}/${id}`
            ).problems
          : await problemsOfShape('fixture', data)
        // each is in the only record of the fixture
        for (const { steps, code, message } of found)
          problems.push({ document, steps: steps.slice(2), code, message })
      }
      return this.store[family].get(id) as RecordOf<Family>
    })
  }

  /** The Transactions of the Refunds among these records, which change when they are deleted. */
  #transactionsOf(records: readonly RecordName[]): RecordName[] {
    return records.flatMap(({ family, id }): RecordName[] => {
      const refund = family === 'refunds' ? this.store.refunds.get(id) : undefined
      return refund === undefined ? [] : [{ family: 'transactions', id: refund.transaction }]
    })
  }

  #edit(edit: Edit, by: string): { problems: readonly DocumentProblem[]; changed: RecordName[] } {
    const { state, clock, settings } = this
    const { 'limits.records': limit } = this.#dependencies.library.limits
    const [store, ids] = [state.store.clone(), new Ids(state.ids.counters)]
    const problems: DocumentProblem[] = []
    const done = edited(store, edit, { ids, now: clock.now(), settings }, problems)
    if (store.size > limit)
      problems.push({ document: documentOf('', null), steps: ['change'], ...say('no_room', limit) })
    const changed = [...done.removed, ...namesOf(done.imported)]
    if (problems.length === 0) {
      const transactions = this.#transactionsOf(done.removed)
      this.#change(mergeOf(done, ids), done.imported)
      this.#noteChange(by, [...changed, ...transactions])
    }
    return { problems, changed }
  }

  /** Edits records for a script entry: those that it changed, or why it could not. */
  edit(edit: Edit, by: string): { changed: readonly RecordName[]; problem: string | null } {
    const { problems, changed } = this.#edit(edit, by)
    if (problems.length === 0) return { changed, problem: null }
    return {
      changed: [],
      problem: withoutSecrets(
        problems.map(({ steps, message }) => `${pathOf(steps)}: ${message}`).join('; ')
      )
    }
  }

  /** Errors: `record_unknown`, `record_in_use`. */
  deleteRecord(name: string, id: string): void {
    const { family } = this.#recordNamed(name, id)
    const by = referrers(this.store, this.settings, family, id)
    if (by.length > 0) throw REFUSALS.recordInUse(say('in_use', id, by).message)
    const names = [{ family, id }, ...this.#transactionsOf([{ family, id }])]
    this.#change(({ store }) => store.remove(family, id))
    this.#noteChange(`DELETE /_control/records/${family}/${id}`, names)
  }

  /** Errors: `record_unknown`. */
  #recordNamed(name: string, id: string): { family: Family; record: RecordOf<Family> } {
    const family = FAMILIES.find(family => family === name)
    if (family === undefined) throw REFUSALS.noFamily(name, FAMILIES)
    const record = this.store[family].get(id)
    if (record === undefined)
      throw REFUSALS.noRecord(RESOURCE_NAMES[family], id, this.store[family].someIds())
    return { family, record }
  }

  /** Errors: `account_unknown`, `limit_reached`. */
  addKey(account: string): { key: string; account: string } {
    const { store, ids } = this.state
    if (!store.accounts.get(account)) throw REFUSALS.noAccount(this.#accountProblem(account))
    if (store.keys.size >= MAX_KEYS) throw REFUSALS.tooManyKeys(MAX_KEYS)
    const key = ids.draw('key', this.settings, store.keys)
    const { counters } = ids
    this.#change(state => {
      state.ids.counters = counters
      state.store.keys.set(key, account)
    })
    return { key, account }
  }

  /** Until the next load or reset; all or none. Errors: `setting_invalid` with every problem. */
  async changeSettings(
    changes: object,
    document: Parameters<typeof problemsOf>[0] = {}
  ): Promise<SettingsInForce> {
    const given = flattened(changes) as GivenSettings
    // right ones are in force at once
    const isRight = !document.numbers?.length && SANDBOX_SETTINGS_CHECKER.isRight(nested(given))
    const problemsIn = (part: unknown) =>
      SANDBOX_SETTINGS_CHECKER.problems(nested(flattened(part as object)))
    const found = isRight ? [] : [...(await problemsOf(document, changes, problemsIn))]
    const actor = found.some(({ path }) => path === 'auth.accept_any_key')
      ? null
      : missingActor(given, this.store)
    if (actor !== null)
      found.push(
        problemAt(['auth', 'accept_any_key'], {
          code: 'missing_record',
          message: this.#accountProblem(actor)
        })
      )
    const problems = found.map(({ path, code, message }) => ({
      path,
      code,
      message: processSettingProblem(path) ?? message
    }))
    const [first, ...others] = problems
    if (first) throw REFUSALS.wrongSettings([first, ...others])
    this.#changeSettings({ ...this.state.settings, ...given })
    return this.settingsInForce
  }

  #changeSettings(settings: GivenSettings): void {
    this.#change(state => {
      state.settings = settings
    }, settings)
    this.#apply(settings)
  }

  /**
   * Errors: `setting_invalid` for no sandbox setting; `account_unknown` where the value that holds
   * then names an Account that is not there.
   */
  unsetSetting(name: string): void {
    const known = SETTING_KEYS.filter(key => SETTINGS[key].scope === 'sandbox')
    const key = known.find(key => key === name)
    if (key === undefined)
      throw REFUSALS.noSetting(name, processSettingProblem(name) ?? SAYS.noSuchSetting(name, known))
    const { [key]: _, ...settings } = this.state.settings
    const actor = missingActor(this.#settingsWith(settings).values, this.store)
    if (actor !== null) throw REFUSALS.noActor(this.#accountProblem(actor))
    this.#changeSettings(settings)
  }

  #accountProblem(id: string): string {
    return SAYS.noSuchAccount(id, this.store.accounts.someIds())
  }
}

/** Bytes of a restored record, about. */
const RECORD = 512
/** API keys of a sandbox: masking looks for each of them. */
const MAX_KEYS = 10_000

const replacement =
  (store: Store, { counters }: Ids): Input =>
  state => {
    state.store = store.clone()
    state.ids.counters = counters
  }

const namesOf = (imported: ImportedRecords): RecordName[] =>
  FAMILIES.flatMap(family => imported[family].map(({ id }) => ({ family, id })))

/** Repeats a merge that was made in a copy. */
function mergeOf(
  { imported: { api_keys, ...imported }, removed }: Edited,
  { counters }: Ids
): Input {
  return state => {
    state.ids.counters = counters
    for (const { family, id } of removed) state.store.remove(family, id)
    for (const { key, account } of api_keys) state.store.keys.set(key, account)
    for (const family of FAMILIES)
      for (const record of imported[family]) state.store.put(family, record)
  }
}

/** More records are merged between other requests. */
const MANY = 1000

/** Errors: `document_invalid`, `document_too_large`. */
async function checkedFixture(document: SourceDocument, under: readonly Step[]): Promise<Fixture> {
  const part = below(document, under)
  const found = await shapeProblems(part, 'fixture')
  if (found.length > 0)
    throw await refusalOf(
      found.map(({ steps, ...problem }) => ({ document, ...problem, steps: [...under, ...steps] }))
    )
  const fixture = fixtureIn(document, part.data as object, under)
  checkCount('The document adds', recordsIn([fixture]), document.limits)
  return fixture
}
