/** Scenarios: a document and its fixtures made into the first state of a world, or refused with everything that is wrong with them. */
import type { Step } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { instantOf } from '../core/instants.js'
import { flattened, type GivenSettings, processSettingProblem, type Settings, settingsInForce } from '../core/settings.js'
import { FAMILIES, Store } from '../store/store.js'
import { type DocumentProblem, refusalOf, type SourceDocument } from './documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from './expectations.js'
import { duplicatesIn, type Fixture, fixtureIn, merged, type Progress, put } from './fixture.js'
import { checkGenerate, type GenerateData, type Generating, generated, loadFaker } from './generate.js'
import type { Library } from './library.js'
import { checkFixture, checkScenario, fixtureSchema, scenarioSchema } from './schemas.js'
import { compileScript, type EntryData, Script } from './script.js'
import { checkSteps, type Standing, type StepData } from './steps.js'

/** Settings given on the command line and in the environment, which a scenario's own stand behind. */
export type Launch = { flag: GivenSettings; environment: GivenSettings }
/** The state that a world starts in and goes back to. */
export type FirstState = {
  scenario: { name: string; description: string | null }
  store: Store
  counters: IdCounters
  clock: ClockStart
  /** The settings that the scenario itself gives. */
  settings: GivenSettings
  script: Script
  expectations: readonly Expectation[]
  /** The calls that are still to be played before the state is ready. */
  steps: readonly StepData[]
}
type ScenarioData = {
  name?: string
  description?: string
  fixtures?: string[]
  seed?: number
  clock?: string | { now: string; running?: boolean }
  settings?: object
  data?: Record<string, unknown>
  generate?: GenerateData[]
  script?: EntryData[]
  steps?: StepData[]
  expect?: ExpectationData[]
}
type Origin = {
  /** What the scenario is called when it does not say so itself. */
  name: string
  /** The file that relative paths start from; null for a document that came over HTTP. */
  file: string | null
}

const FIXTURE_NAMES = Object.keys(fixtureSchema().properties as object)
const SCENARIO_NAMES = Object.keys((scenarioSchema() as { properties: object }).properties)

/** A document that holds records at its top and nothing of a scenario is a bare fixture. */
export function isBareFixture(data: unknown): boolean {
  const names = typeof data === 'object' && data !== null ? Object.keys(data) : []
  return names.some(name => FIXTURE_NAMES.includes(name)) && !names.some(name => SCENARIO_NAMES.includes(name))
}

/**
 * Makes the first state that a scenario (or bare fixture) document describes. Nothing else is touched.
 * Errors: `document_invalid` with every problem of the document and of the fixtures that it names.
 */
export async function firstStateOf(
  document: SourceDocument,
  { name, file }: Origin,
  { library, launch, clockFor, progress }: { library: Library; launch: Launch; clockFor: (start: ClockStart) => Clock; progress?: Progress | undefined }
): Promise<FirstState> {
  const bare = isBareFixture(document.data)
  const misfits = (bare ? checkFixture : checkScenario)(document.data)
  if (misfits.length > 0) throw await refusalOf(misfits.map(({ steps, message }) => ({ document, steps, message: misplaced(steps) ?? message })))

  const data: ScenarioData = bare ? { data: document.data as Record<string, unknown> } : (document.data as ScenarioData)
  const { fixtures, problems: misread } = await fixturesOf(document, data, file, library)
  fixtures.push(fixtureIn(document, data.data ?? {}, bare ? [] : ['data']))

  const given = givenSettings(data)
  const settings: Settings = settingsInForce({ ...launch, scenario: given }).values
  const clock = clockStartOf(data.clock)
  const drawing = { ids: new Ids(), now: clockFor(clock).now(), settings, progress }
  const store = new Store()
  const problems = [...misread, ...fixtures.flatMap(duplicatesIn), ...put(merged(fixtures), store, drawing).problems]
  const at = (section: string) => (steps: readonly Step[], message: string) => void problems.push({ document, steps: [section, ...steps], message })
  if (data.generate) await generate(data.generate, problems.length === 0 ? { ...drawing, store } : null, document, problems)
  const script = new Script(await compileScript(data.script ?? [], at('script')))
  const expectations = await compileExpectations(data.expect ?? [], at('expect'))
  checkSteps(data.steps ?? [], { variable: recordIds(store) }, at('steps'))
  const actor = settings['auth.accept_any_key']
  if (actor !== null && !store.accounts.get(actor))
    problems.push({ document, steps: [], message: `auth.accept_any_key names ${actor}, which is no Account of it` })
  if (problems.length > 0) throw await refusalOf(problems)
  const scenario = { name: data.name ?? name, description: data.description ?? null }
  return { scenario, store, counters: drawing.ids.counters, clock, settings: given, script, expectations, steps: data.steps ?? [] }
}

/** What steps may name in a world: its records by id, its keys, and for no key the first that acts as a merchant. */
export function standingIn(store: Store): Standing {
  const first = [...store.keys].find(([, account]) => store.accounts.get(account)?.type === 'merchant')
  return { variable: recordIds(store), key: name => (name === '' ? (first?.[0] ?? null) : name) }
}

/** `${tkt_12}` stands for itself where a record has that id. */
const recordIds =
  (store: Store) =>
  (name: string): string | undefined =>
    FAMILIES.some(family => store[family].get(name)) ? name : undefined

async function compileExpectations(
  expectations: readonly ExpectationData[],
  report: (steps: readonly Step[], message: string) => void
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  for (const [index, data] of expectations.entries()) {
    const expectation = await compileExpectation(data, (steps, message) => report([index, ...steps], message))
    if (expectation !== null) compiled.push(expectation)
  }
  return compiled
}

/** Fills the store with generated records, an entry after the other. Where the records before have problems (null), entries are only checked. */
async function generate(
  entries: readonly GenerateData[],
  drawing: Omit<Generating, 'faker'> | null,
  document: SourceDocument,
  problems: DocumentProblem[]
): Promise<void> {
  const generating = drawing && { ...drawing, faker: await loadFaker() }
  generating?.faker.seed(generating.settings.seed)
  for (const [index, data] of entries.entries()) {
    const under = ['generate', index]
    const report = (steps: readonly Step[], message: string) => void problems.push({ document, steps: [...under, ...steps], message })
    if (!checkGenerate(data, report) || generating === null) continue
    const records = generated(data, generating, report)
    if (records !== null) problems.push(...put(fixtureIn(document, records, under), generating.store, generating).problems)
  }
}

async function fixturesOf(
  document: SourceDocument,
  data: ScenarioData,
  file: string | null,
  library: Library
): Promise<{ fixtures: Fixture[]; problems: DocumentProblem[] }> {
  const fixtures: Fixture[] = []
  const problems: DocumentProblem[] = []
  for (const [index, reference] of (data.fixtures ?? []).entries()) {
    const found = await library.fixture(reference, file)
    if (typeof found === 'string') {
      problems.push({ document, steps: ['fixtures', index], message: found })
      continue
    }
    const misfits = checkFixture(found.data)
    for (const { steps, message } of misfits) problems.push({ document: found, steps, message })
    if (misfits.length === 0) fixtures.push(fixtureIn(found, found.data as Record<string, unknown>))
  }
  return { fixtures, problems }
}

/** A process setting may not stand in a scenario. */
const misplaced = ([first, ...name]: readonly Step[]) => (first === 'settings' ? processSettingProblem(name.join('.')) : undefined)

function givenSettings({ seed, settings = {} }: ScenarioData): GivenSettings {
  return { ...flattened(settings), ...(seed === undefined ? {} : { seed }) }
}

/** A bare instant stands still, as does `running: false`; `{now}` alone runs on from there. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
