/** Reads states from saved documents. */
import { Ids } from '../../core/ids.js'
import { flattened, type GivenSettings, type Settings } from '../../core/settings.js'
import { ProblemList, reportTo, withoutProblems } from '../../scenario/documents.js'
import { compileExpectation, type Expectation } from '../../scenario/expect/expectations.js'
import type { SourceDocument } from '../../scenario/read/document.js'
import { fixtureIn } from '../../scenario/records/fixture.js'
import { FixtureImporter } from '../../scenario/records/importer.js'
import { compileEntry } from '../../scenario/script/entry.js'
import { Script } from '../../scenario/script.js'
import { Answers } from '../../scenario/steps.js'
import { FAMILIES, Store } from '../../store/store.js'
import { inSlices } from '../../work/slices.js'
import { SAYS } from '../sentences.js'
import { missingActor, type SavedSandbox, type SavedState } from '../state.js'
import { readState } from './document.js'
import {
  type FirstData,
  SANDBOX_CHECKER,
  type SandboxData,
  SNAPSHOT_CHECKER,
  type SnapshotData,
  type StateData
} from './schema.js'

type FirstState = SavedSandbox['first']
/** The settings that records are checked with. */
type SettingsFor = (scenario: GivenSettings, control?: GivenSettings) => Settings
type Place = { document: SourceDocument; at: string; problems: ProblemList }

/** Errors: `document_invalid` with every problem of a document. */
export class StateReader {
  /** By their JSON: most sandboxes begin with the same one. */
  readonly #firsts = new Map<string, FirstState>()

  constructor(private readonly settingsFor: SettingsFor) {}

  async sandboxIn(
    path: string
  ): Promise<{ start: FirstState; sandbox: Omit<SavedSandbox, 'name'> }> {
    const document = await readState(path, SANDBOX_CHECKER)
    const problems = new ProblemList()
    return withoutProblems(problems, async () => {
      const data = document.data as SandboxData
      const place = (at: string) => ({ document, problems, at })
      const first = await this.#firstState(data.first, place('first'))
      const start = data.start && (await this.#firstState(data.start, place('start')))
      const state = await this.#state(data.sandbox, place('sandbox'), first)
      const { requests } = data.sandbox
      return { start: start ?? first, sandbox: { first, requests, state } }
    })
  }

  async snapshotIn(path: string): Promise<FirstState> {
    const document = await readState(path, SNAPSHOT_CHECKER)
    const problems = new ProblemList()
    const { first } = document.data as SnapshotData
    return withoutProblems(problems, () =>
      this.#firstState(first, { document, problems, at: 'first' })
    )
  }

  async #firstState(data: FirstData, place: Place): Promise<FirstState> {
    const text = JSON.stringify(data)
    const known = this.#firsts.get(text)
    if (known) return known
    const { scenario, expectations: written = [] } = data
    const state = await this.#state(data, place)
    const answers = new Answers([])
    const expectations: Expectation[] = []
    for (const [nth, expectation] of written.entries()) {
      const report = reportTo(place.problems, place.document, [place.at, 'expectations', nth])
      const compiled = await compileExpectation(expectation, report, answers)
      if (compiled) expectations.push(compiled)
    }
    const first = { scenario, ...state, expectations, steps: [], play: [], answers }
    this.#firsts.set(text, first)
    return first
  }

  /** Families without records are those of `base`. */
  async #state(
    data: StateData,
    { document, problems, at }: Place,
    base?: FirstState
  ): Promise<SavedState> {
    const { counters, clock, records, deleted } = data
    const ownSettings: GivenSettings = flattened(data.settings)
    const settings = base
      ? this.settingsFor(base.settings, ownSettings)
      : this.settingsFor(ownSettings)
    const script = new Script()
    for (const [nth, { id, entry, ...count }] of data.script.entries()) {
      const report = reportTo(problems, document, [at, 'script', nth, 'entry'])
      const compiled = await compileEntry(entry, report)
      if (compiled) script.put(id, compiled, count)
    }
    const ownFamilies = FAMILIES.filter(family => records[family] !== undefined)
    const store = new Store(base?.store, ownFamilies)
    store.keys.clear()
    const importer = new FixtureImporter(store, { ids: new Ids(), now: 0, settings }, problems)
    await inSlices(importer.importing([fixtureIn(document, records, [at, 'records'])]))
    for (const family of FAMILIES)
      for (const tombstone of deleted[family] ?? []) store[family].addTombstone(tombstone)
    const actor = missingActor(settings, store)
    if (actor !== null) {
      const message = SAYS.notAnActor(actor)
      problems.push({ document, steps: [at], code: 'missing_record', message })
    }
    return { store, counters, clock, script, settings: ownSettings }
  }
}
