/** Scenarios: a document and its fixtures made into the first state of a world, or refused with everything that is wrong with them. */
import type { Step } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { instantOf } from '../core/instants.js'
import { flattened, type GivenSettings, processSettingProblem, type Settings, settingsInForce } from '../core/settings.js'
import { Store } from '../store/store.js'
import { type Found, refusalOf, type SourceDocument } from './documents.js'
import { duplicatesIn, type Fixture, fixtureIn, merged, put } from './fixture.js'
import type { Library } from './library.js'
import { checkFixture, checkScenario, fixtureSchema, scenarioSchema } from './schemas.js'

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
}
type ScenarioData = {
  name?: string
  description?: string
  fixtures?: string[]
  seed?: number
  clock?: string | { now: string; running?: boolean }
  settings?: object
  data?: Record<string, unknown>
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
  { library, launch, clockFor }: { library: Library; launch: Launch; clockFor: (start: ClockStart) => Clock }
): Promise<FirstState> {
  const bare = isBareFixture(document.data)
  const misfits = (bare ? checkFixture : checkScenario)(document.data)
  if (misfits.length > 0) throw await refusalOf(misfits.map(({ steps, message }) => ({ document, steps, message: misplaced(steps) ?? message })))

  const data: ScenarioData = bare ? { data: document.data as Record<string, unknown> } : (document.data as ScenarioData)
  const { fixtures, problems } = await fixturesOf(document, data, file, library)
  fixtures.push(fixtureIn(document, data.data ?? {}, bare ? [] : ['data']))
  problems.push(...fixtures.flatMap(duplicatesIn))

  const given = givenSettings(data)
  const settings: Settings = settingsInForce({ ...launch, scenario: given }).values
  const clock = clockStartOf(data.clock)
  const store = new Store()
  const ids = new Ids()
  problems.push(...put(merged(fixtures), store, { ids, now: clockFor(clock).now(), settings }).problems)
  if (settings['auth.accept_any_key'] !== null && !store.accounts.get(settings['auth.accept_any_key'])) {
    problems.push({ document, steps: [], message: `auth.accept_any_key names ${settings['auth.accept_any_key']}, which is no Account of it` })
  }
  if (problems.length > 0) throw await refusalOf(problems)
  return { scenario: { name: data.name ?? name, description: data.description ?? null }, store, counters: ids.counters, clock, settings: given }
}

async function fixturesOf(
  document: SourceDocument,
  data: ScenarioData,
  file: string | null,
  library: Library
): Promise<{ fixtures: Fixture[]; problems: Found[] }> {
  const fixtures: Fixture[] = []
  const problems: Found[] = []
  for (const [index, reference] of (data.fixtures ?? []).entries()) {
    const found = await library.fixture(reference, file)
    if (typeof found === 'string') {
      problems.push({ document, steps: ['fixtures', index], message: found })
      continue
    }
    const misfits = checkFixture(found.data)
    problems.push(...misfits.map(({ steps, message }) => ({ document: found, steps, message })))
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
