/** Reads saved sandboxes from their documents. */
import { Ids } from '../../core/ids.js'
import {
  flattened,
  type GivenSettings,
  type Settings,
  settingsInForce
} from '../../core/settings.js'
import { ProblemList, reportTo, withoutProblems } from '../../scenario/documents.js'
import { compileExpectation, type Expectation } from '../../scenario/expect/expectations.js'
import { fixtureIn } from '../../scenario/records/fixture.js'
import { FixtureImporter } from '../../scenario/records/importer.js'
import { clockStartOf, type FirstState, type Launch } from '../../scenario/scenario.js'
import { compileEntry } from '../../scenario/script/entry.js'
import { Script } from '../../scenario/script.js'
import { StepResponses } from '../../scenario/steps.js'
import { Store } from '../../store/store.js'
import { inSlices } from '../../work/slices.js'
import { SAYS } from '../sentences.js'
import { missingActor, type SavedSandbox, type SavedState } from '../state.js'
import { readDocument, type SandboxData, type StateData } from './document.js'

type Reading = {
  document: Awaited<ReturnType<typeof readDocument>>
  problems: ProblemList
  launch: Launch
  /** By the JSON of their records: sandboxes share those that have not changed. */
  stores: Map<string, Store>
}

/** Errors: `document_invalid` with every problem of the document. */
export async function readSandbox(
  path: string,
  launch: Launch,
  stores: Reading['stores'] = new Map()
): Promise<SavedSandbox> {
  const document = await readDocument(path)
  const { requests, first, start, state } = document.data as SandboxData
  const reading = { document, problems: new ProblemList(), launch, stores }
  return withoutProblems(reading.problems, async () => {
    const firstState = await readFirst(reading, first, 'first')
    return {
      requests,
      first: firstState,
      start: start && (await readFirst(reading, start, 'start')),
      state: await readState(reading, state, 'state', firstState.settings)
    }
  })
}

async function readFirst(reading: Reading, data: StateData, at: string): Promise<FirstState> {
  const { name = '', description = null, expect = [] } = data
  const state = await readState(reading, data, at)
  const responses = new StepResponses([])
  const expectations: Expectation[] = []
  for (const [nth, expectation] of expect.entries()) {
    const report = reportTo(reading.problems, reading.document, [at, 'expect', nth])
    const compiled = await compileExpectation(expectation, report, responses)
    if (compiled) expectations.push(compiled)
  }
  return { ...state, scenario: { name, description }, expectations, steps: [], play: [], responses }
}

async function readState(
  reading: Reading,
  data: StateData,
  at: string,
  scenario?: GivenSettings
): Promise<SavedState> {
  const { clock, script: entries = [], counts = [], counters = {}, data: records = {} } = data
  const { document, problems, launch } = reading
  const settings: GivenSettings = {
    ...flattened(data.settings ?? {}),
    ...(data.seed !== undefined && { seed: data.seed })
  }
  const script = new Script()
  for (const [nth, source] of entries.entries()) {
    const entry = await compileEntry(source, reportTo(problems, document, [at, 'script', nth]))
    const { id = `scr_${nth + 1}`, matched = 0, applied = 0, ...more } = counts[nth] ?? {}
    script.put(id, entry, { matched, applied, ...more })
  }
  const own = scenario === undefined ? { scenario: settings } : { scenario, control: settings }
  const { values } = settingsInForce({ ...launch, ...own })
  const store = await readRecords(reading, records, at, values)
  const actor = missingActor(values, store)
  if (actor !== null)
    reportTo(problems, document)([at], {
      code: 'missing_record',
      message: SAYS.noSuchAccount(actor, store.accounts.someIds())
    })
  return { store, counters, clock: clockStartOf(clock), script, settings }
}

async function readRecords(
  { document, problems, stores }: Reading,
  records: object,
  at: string,
  settings: Settings
): Promise<Store> {
  const text = JSON.stringify(records)
  const known = stores.get(text)
  if (known) return known
  const store = new Store()
  const importer = new FixtureImporter(store, { ids: new Ids(), now: 0, settings }, problems)
  await inSlices(importer.importing([fixtureIn(document, records, [at, 'data'])]))
  stores.set(text, store)
  return store
}
