/** The states of documents that were read: checked, and made again from their parts. */
import type { Checker } from '../core/checking.js'
import { Ids } from '../core/ids.js'
import { flattened, type GivenSettings, type Settings } from '../core/settings.js'
import {
  documentOf,
  ProblemList,
  refuseProblems,
  reportTo,
  withoutProblems
} from '../scenario/documents.js'
import { compileExpectation, type Expectation } from '../scenario/expect/expectations.js'
import { fixtureIn } from '../scenario/records/fixture.js'
import { FixtureImporter } from '../scenario/records/importer.js'
import { compileEntry } from '../scenario/script/entry.js'
import { Script } from '../scenario/script.js'
import { Answers } from '../scenario/steps.js'
import { FAMILIES, Store } from '../store/store.js'
import { SAYS } from './sentences.js'
import { missingActor, type SavedSandbox, type SavedState } from './state.js'
import type { FirstData, StateData, StateDocument } from './state-document.js'
import { SANDBOX_CHECKER, SNAPSHOT_CHECKER } from './state-schema.js'

type FirstState = SavedSandbox['first']

/** The settings that records are checked with, from those saved with their state. */
type SettingsFor = (scenario: GivenSettings, control?: GivenSettings) => Settings
type Place = { document: ReturnType<typeof documentOf>; at: string; problems: ProblemList }

/** Errors: `document_invalid` with every problem of a document. */
export class StateReader {
  readonly #settingsFor: SettingsFor
  /** By their texts: most sandboxes begin with the same one. */
  readonly #firsts = new Map<string, FirstState>()

  constructor(settingsFor: SettingsFor) {
    this.#settingsFor = settingsFor
  }

  sandboxIn(
    path: string,
    data: StateDocument
  ): Promise<{ start: FirstState; sandbox: Omit<SavedSandbox, 'name'> }> {
    return this.#checked(path, data, SANDBOX_CHECKER, async place => {
      const first = await this.#firstState(data.first, place('first'))
      const start = data.start && (await this.#firstState(data.start, place('start')))
      const { requests, ...saved } = data.sandbox as NonNullable<StateDocument['sandbox']>
      const state = await this.#state(saved, place('sandbox'), first)
      return { start: start ?? first, sandbox: { first, requests, state } }
    })
  }

  snapshotIn(path: string, data: StateDocument): Promise<FirstState> {
    return this.#checked(path, data, SNAPSHOT_CHECKER, place =>
      this.#firstState(data.first, place('first'))
    )
  }

  async #checked<T>(
    path: string,
    data: StateDocument,
    checker: Checker,
    make: (place: (at: string) => Place) => Promise<T>
  ): Promise<T> {
    const document = documentOf(path, data)
    await refuseProblems(document, checker)
    const problems = new ProblemList()
    return withoutProblems(problems, () => make(at => ({ document, at, problems })))
  }

  async #firstState(data: FirstData, place: Place): Promise<FirstState> {
    const text = JSON.stringify(data)
    const known = this.#firsts.get(text)
    if (known) return known
    const { scenario, expectations: wanted = [], ...saved } = data
    const state = await this.#state(saved, place)
    const answers = new Answers([])
    const { document, problems, at } = place
    const expectations: Expectation[] = []
    for (const [nth, one] of wanted.entries()) {
      const report = reportTo(problems, document, [at, 'expectations', nth])
      const expectation = await compileExpectation(one, report, answers)
      if (expectation) expectations.push(expectation)
    }
    const first = { scenario, ...state, expectations, steps: [], play: [], answers }
    this.#firsts.set(text, first)
    return first
  }

  /** The families that its records leave out are those of `base`. */
  async #state(
    { settings: written, counters, clock, script: entries, records, deleted }: StateData,
    { document, problems, at }: Place,
    base?: FirstState
  ): Promise<SavedState> {
    const given = flattened(written) as GivenSettings
    const settings = base ? this.#settingsFor(base.settings, given) : this.#settingsFor(given)
    const script = new Script()
    for (const [index, { id, entry: data, ...count }] of entries.entries()) {
      const report = reportTo(problems, document, [at, 'script', index, 'entry'])
      const entry = await compileEntry(data, report)
      if (entry) script.put(id, entry, count)
    }
    const own = FAMILIES.filter(family => records[family] !== undefined)
    const store = new Store(base?.store, own)
    store.keys.clear()
    new FixtureImporter(store, { ids: new Ids(), now: 0, settings }, problems).import(
      fixtureIn(document, records, [at, 'records'])
    )
    for (const family of FAMILIES)
      for (const tombstone of deleted[family] ?? []) store[family].addTombstone(tombstone)
    const actor = missingActor(settings, store)
    if (actor !== null) {
      const message = SAYS.notAnActor(actor)
      problems.push({ document, steps: [at], code: 'missing_record', message })
    }
    return { store, counters, clock, script, settings: given }
  }
}
