/** Reads saved sandboxes from their documents. */
import { Ids } from '../../core/ids.js'
import { flattened, type GivenSettings, type Settings } from '../../core/settings.js'
import { ProblemList, reportTo, withoutProblems } from '../../scenario/documents.js'
import { compileExpectation, type Expectation } from '../../scenario/expect/expectations.js'
import type { SourceDocument } from '../../scenario/read/document.js'
import { editing } from '../../scenario/records/edits.js'
import { fixtureIn } from '../../scenario/records/fixture.js'
import { compileEntry } from '../../scenario/script/entry.js'
import { Script } from '../../scenario/script.js'
import { FAMILIES, Store } from '../../store/store.js'
import { inSlices } from '../../work/slices.js'
import { SAYS } from '../sentences.js'
import { missingActor, type SavedSandbox, type SavedState } from '../state.js'
import { readDocument } from './document.js'
import type { FirstData, SandboxData, StateData } from './schema.js'

/** The settings that records are checked with. */
export type SettingsFor = (scenario: GivenSettings, control?: GivenSettings) => Settings
/** By the JSON of their records: sandboxes share those that have not changed. */
export type Stores = Map<string, Store>

/** Errors: `document_invalid` with every problem of the document. */
export async function readSandbox(
  path: string,
  settingsFor: SettingsFor,
  stores: Stores = new Map()
): Promise<SavedSandbox> {
  const document = await readDocument(path)
  const data = document.data as SandboxData
  const problems = new ProblemList()
  const reader = new StateReader(document, problems, stores)
  return withoutProblems(problems, async () => {
    const { requests, settings } = data.sandbox
    const first = await reader.first(data.first, 'first', settingsFor)
    const start = data.start && (await reader.first(data.start, 'start', settingsFor))
    const inForce = settingsFor(first.settings, flattened(settings))
    const state = await reader.state(data.sandbox, 'sandbox', inForce)
    return { first, start, requests, state }
  })
}

class StateReader {
  constructor(
    private readonly document: SourceDocument,
    private readonly problems: ProblemList,
    private readonly stores: Stores
  ) {}

  async first(data: FirstData, at: string, settingsFor: SettingsFor) {
    const state = await this.state(data, at, settingsFor(flattened(data.settings)))
    const responses = new Map()
    const expectations: Expectation[] = []
    for (const [nth, expectation] of data.expectations.entries()) {
      const report = reportTo(this.problems, this.document, [at, 'expectations', nth])
      const compiled = await compileExpectation(expectation, report, responses)
      if (compiled) expectations.push(compiled)
    }
    return { ...state, scenario: data.scenario, expectations, steps: [], play: [], responses }
  }

  async state(data: StateData, at: string, settings: Settings): Promise<SavedState> {
    const { counters, clock } = data
    const script = new Script()
    for (const [nth, { id, entry, ...count }] of data.script.entries()) {
      const report = reportTo(this.problems, this.document, [at, 'script', nth, 'entry'])
      const compiled = await compileEntry(entry, report)
      if (compiled) script.put(id, compiled, count)
    }
    const store = await this.#store(data, at, settings)
    const actor = missingActor(settings, store)
    if (actor !== null) {
      const message = SAYS.notAnActor(actor)
      this.problems.push({ document: this.document, steps: [at], code: 'missing_record', message })
    }
    return { store, counters, clock, script, settings: flattened(data.settings) }
  }

  async #store({ records, deleted }: StateData, at: string, settings: Settings): Promise<Store> {
    const text = JSON.stringify([records, deleted])
    const known = this.stores.get(text)
    if (known) return known
    const store = new Store()
    const generation = { store, ids: new Ids(), now: 0, settings }
    const fixtures = [fixtureIn(this.document, records, [at, 'records'])]
    await inSlices(editing({ fixtures, removed: [] }, generation, this.problems))
    for (const family of FAMILIES)
      for (const tombstone of deleted[family]) store[family].addTombstone(tombstone)
    this.stores.set(text, store)
    return store
  }
}
