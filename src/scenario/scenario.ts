/** Scenarios: a document and its fixtures made into the first state of a sandbox, or refused with everything that is wrong with them. */
import type { Checker } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { ApiError } from '../core/errors.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { instantOf } from '../core/instants.js'
import { nearest } from '../core/nearest.js'
import type { PlacedProblem, Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import {
  flattened,
  type GivenSettings,
  nested,
  processSettingProblem,
  SETTINGS,
  type SettingKey,
  type SettingVariables,
  settingsInForce
} from '../core/settings.js'
import { FAMILIES, Store } from '../store/store.js'
import { TooLargeHere } from './body.js'
import { type DocumentKind, type DocumentProblem, documentOf, ProblemList, reportTo, type SourceDocument, withoutProblems } from './documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from './expectations.js'
import { type Drawing, type Fixture, FixtureImporter, fixtureIn, recordsIn, UNREAD_FIXTURE } from './fixture.js'
import { type Flaws, flawsOf, membersOf } from './flaws.js'
import { checkGenerate, GENERATED_FAMILIES, type GenerateData, generate, generatedBy, loadFaker } from './generate.js'
import type { Library } from './library.js'
import { checkCount, tooLarge } from './limits.js'
import type { Progress } from './progress.js'
import { FIXTURE_CHECKER, fixtureSchema, ID, SANDBOX_SETTINGS_CHECKER, SCENARIO_CHECKER, scenarioSchema } from './schemas.js'
import { compileScript, type EntryData, Script } from './script.js'
import { checkSteps, type PlayData, type StepBindings, type StepData } from './steps.js'

/** Settings given on the command line and in the environment, which take precedence over a scenario's own. */
export type Launch = { flag: GivenSettings; environment: GivenSettings; variables?: SettingVariables | undefined }
/** The state that a sandbox starts in and goes back to. */
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
  /** The calls that `check` makes as a client would. */
  play: readonly PlayData[]
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
  play?: PlayData[]
  expect?: ExpectationData[]
}
export type Origin = {
  /** What the scenario is called when it does not say so itself. */
  name: string
  /** The file that relative paths start from; null for a document that came over HTTP. */
  file: string | null
}
/** A scenario document that was checked: what of it is not right is among `flaws`. */
type Checked = {
  document: SourceDocument
  /** The document, then its fixtures. */
  documents: SourceDocument[]
  data: ScenarioData
  flaws: Flaws | undefined
  problems: ProblemList
}

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const satisfies Record<DocumentKind, Checker>
const FIXTURE_NAMES = Object.keys(fixtureSchema().properties as object)
const SCENARIO_NAMES = Object.keys((scenarioSchema() as { properties: object }).properties)

/** A document that holds records at its top and nothing of a scenario is a bare fixture. */
export function isBareFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data) : []
  return names.some(name => FIXTURE_NAMES.includes(name)) && !names.some(name => SCENARIO_NAMES.includes(name))
}

/** Names that documents of any kind have. */
const ANYWHERE = ['name', 'description']

/** Whether data is meant to be a scenario or a fixture: at least half of its names are known there, or are spelled like one that is. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data).filter(name => !ANYWHERE.includes(name)) : []
  const known = [...SCENARIO_NAMES, ...FIXTURE_NAMES]
  return names.length > 0 && names.filter(name => nearest(name, known) !== null).length * 2 >= names.length
}

/** What a first state is made with; more records than `most` end the making, so that a worker makes them. */
export type Making = { library: Library; launch: Launch; clockFor: (start: ClockStart) => Clock; progress?: Progress | undefined; most?: number | undefined }

/**
 * Makes the first state that a scenario (or bare fixture) document describes. Nothing else is touched.
 * Errors: `document_invalid` with the problems of the document and of the fixtures that it names, `document_too_large`.
 */
export async function firstStateOf(document: SourceDocument, origin: Origin, making: Making): Promise<FirstState> {
  const problems = new ProblemList(document.limits)
  const documents = [document]
  return withoutProblems(problems, async () => stateIn(await checkedScenario(document, documents, problems), origin, making), documents)
}

/** The first state of a checked scenario; problems are added to those of its check. */
async function stateIn(checked: Checked, { name, file }: Origin, { library, launch, clockFor, progress, most }: Making): Promise<FirstState> {
  const { document, data, flaws, problems } = checked
  const right = <K extends keyof ScenarioData>(key: K): ScenarioData[K] => (flaws?.has(key) ? undefined : data[key])

  const given = await givenSettings(checked)
  const { values: settings, sources } = settingsInForce({ ...launch, scenario: given })
  const clock = clockStartOf(right('clock'))
  const store = new Store()
  const drawing = { ids: new Ids(), now: clockFor(clock).now(), settings, progress }
  const importer = new FixtureImporter(store, drawing, problems)
  checkEntries(checked)
  const fixtures = await fixturesOf(checked, file, library)
  checkTotal(checked, fixtures, most)
  importer.importAll(fixtures)
  await generateAll(checked, importer, store, drawing)

  const script = new Script(await compileScript(data.script, reportTo(problems, document, ['script']), flaws?.get('script')))
  const expectations = await compileExpectations(checked)
  const isKnown = (name: string) => ID.test(name) && FAMILIES.some(family => !importer.isMissing(family, name))
  checkSteps(
    { steps: { list: data.steps, flaws: flaws?.get('steps') }, play: { list: data.play, flaws: flaws?.get('play') } },
    { variable: name => (isKnown(name) ? name : undefined) },
    reportTo(problems, document)
  )
  const actor = settings['auth.accept_any_key']
  if (actor !== null && importer.isMissing('accounts', actor)) {
    const steps = sources['auth.accept_any_key'] === 'scenario' ? ['settings', 'auth', 'accept_any_key'] : []
    problems.push({ document, steps, message: `auth.accept_any_key names ${actor}, which is no Account of it` })
  }

  const scenario = { name: data.name ?? name, description: data.description ?? null }
  return { scenario, store, counters: drawing.ids.counters, clock, settings: given, script, expectations, steps: data.steps ?? [], play: data.play ?? [] }
}

/** What of a document does not match the schema of its kind. */
const problemsOfShape = async ({ data, checkedAs, limits }: SourceDocument, kind: DocumentKind): Promise<PlacedProblem[]> =>
  checkedAs === kind ? [] : CHECKERS[kind].problems(data, limits['limits.problems'])

async function checkedScenario(document: SourceDocument, documents: SourceDocument[], problems: ProblemList): Promise<Checked> {
  const isBare = isBareFixture(document.data)
  const found = await problemsOfShape(document, isBare ? 'fixture' : 'scenario')
  for (const { steps, message } of found) problems.push({ document, steps, message: processSettingIn(steps) ?? message })
  const flaws = flawsOf(found)
  const checked = { document, documents, problems }
  if (!isObject(document.data)) return { ...checked, data: {}, flaws }
  if (!isBare) return { ...checked, data: document.data, flaws }
  return { ...checked, data: { data: document.data }, flaws: flaws && new Map([['data', flaws]]) }
}

/** What to say of a setting of the process, which a scenario cannot give. */
const processSettingIn = ([first, ...name]: readonly Step[]) => (first === 'settings' ? processSettingProblem(name.join('.')) : undefined)

/** What steps may name: records by id, and the keys of a store; for no key the first that acts as a merchant. */
export function bindingsOf(store: Store): StepBindings {
  const first = [...store.keys].find(([, account]) => store.accounts.get(account)?.type === 'merchant')
  return {
    variable: id => (FAMILIES.some(family => store[family].get(id)) ? id : undefined),
    key: name => (name === '' ? (first?.[0] ?? null) : name)
  }
}

async function compileExpectations({ document, data, flaws, problems }: Checked): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  for (const { member, index, flaws: own } of membersOf<ExpectationData>(data.expect, flaws?.get('expect'))) {
    const expectation = own ? null : await compileExpectation(member, reportTo(problems, document, ['expect', index]))
    if (expectation !== null) compiled.push(expectation)
  }
  return compiled
}

/** Generates records, an entry after the other. */
async function generateAll({ document, data, flaws, problems }: Checked, importer: FixtureImporter, store: Store, drawing: Drawing): Promise<void> {
  const entries = membersOf<GenerateData>(data.generate, flaws?.get('generate'))
  if (entries.length === 0) return
  const faker = await loadFaker()
  faker.seed(drawing.settings.seed)
  for (const { member, index, flaws: own } of entries) {
    const report = reportTo(problems, document, ['generate', index])
    const isRight = own === undefined && checkGenerate(member, report)
    const isDone = isRight && generate(member, { ...drawing, store, faker, importer }, report)
    if (!isDone) importer.leaveOut(isRight ? GENERATED_FAMILIES.filter(family => member[family] !== undefined) : GENERATED_FAMILIES)
  }
}

/** The fixtures that a scenario names, in their order, and its own records. */
async function fixturesOf(checked: Checked, file: string | null, library: Library): Promise<Fixture[]> {
  const { document, data, flaws, problems } = checked
  const isList = data.fixtures === undefined || Array.isArray(data.fixtures)
  const fixtures = isList && !Object.keys(document.data ?? {}).some(isMisspelled) ? [] : [UNREAD_FIXTURE]
  /** What each name leads to: a file is read once. */
  const known = new Map<string, { fixture: Fixture; problem: string | null }>()
  for (const { member: reference, index, flaws: own } of membersOf<string>(data.fixtures, flaws?.get('fixtures'))) {
    if (own !== undefined) {
      fixtures.push(UNREAD_FIXTURE)
      continue
    }
    const named = known.get(reference) ?? (await fixtureNamed(await library.fixture(reference, file).catch(problemsOfText), checked))
    known.set(reference, named)
    if (named.problem !== null) problems.push({ document, steps: ['fixtures', index], message: named.problem })
    fixtures.push(named.fixture)
  }
  return [...fixtures, fixtureIn(document, data.data ?? {}, isBareFixture(document.data) ? [] : ['data'], flaws?.get('data'))]
}

/** Whether an unknown name of a scenario was probably meant to be one that holds records. */
function isMisspelled(name: string): boolean {
  return !SCENARIO_NAMES.includes(name) && ['fixtures', 'data'].includes(nearest(name, SCENARIO_NAMES) ?? '')
}

/** A fixture by what was found where one is named: a document, why there is none, or the problems of its text. */
async function fixtureNamed(
  found: SourceDocument | string | DocumentProblem[],
  { documents, problems }: Checked
): Promise<{ fixture: Fixture; problem: string | null }> {
  if (typeof found === 'string') return { fixture: UNREAD_FIXTURE, problem: found }
  if (Array.isArray(found)) {
    for (const problem of found) {
      documents.push(problem.document)
      problems.push(problem)
    }
    return { fixture: UNREAD_FIXTURE, problem: null }
  }
  documents.push(found)
  const ofShape = await problemsOfShape(found, 'fixture')
  for (const { steps, message } of ofShape) problems.push({ document: found, steps, message })
  return { fixture: fixtureIn(found, found.data, [], flawsOf(ofShape)), problem: null }
}

/** The problems of a file that is no YAML, to be listed with all others. Errors: every other error. */
function problemsOfText(error: unknown): DocumentProblem[] {
  if (!(error instanceof ApiError) || error.problems === undefined) throw error
  return error.problems.map(({ file, line = 1, column = 1, message }) => {
    const document = { ...documentOf(file as string, null), locate: async () => [{ line, column }] }
    return { document, steps: [], message }
  })
}

/** The lists whose members cost later calls time. Errors: `document_too_large`. */
function checkEntries({ document: { limits }, data }: Checked): void {
  for (const name of ['script', 'expect', 'play'] as const) {
    const count = Array.isArray(data[name]) ? data[name].length : 0
    if (count > limits['limits.entries']) throw tooLarge('limits.entries', limits, `The document holds ${count} members of ${name}`)
  }
}

/** Counts the records that a document brings in, before any is made. Errors: `document_too_large`, `TooLargeHere`. */
function checkTotal({ document: { limits }, data, flaws }: Checked, fixtures: readonly Fixture[], most = Number.POSITIVE_INFINITY): void {
  const given = recordsIn(fixtures)
  const generated = generatedBy(membersOf<GenerateData>(data.generate, flaws?.get('generate')).flatMap(({ member, flaws }) => (flaws ? [] : [member])))
  const steps = Array.isArray(data.steps) ? data.steps.length : 0
  const parts = [given && `${given} given`, generated && `${generated} generated`, steps && `${steps} made by steps`].filter(Boolean)
  checkCount(`The document brings in ${parts.join(', ')}, that is`, given + generated + steps, limits)
  if (given + generated + steps > most) throw new TooLargeHere()
}

/** The settings that the scenario gives, those that are not right left out. */
async function givenSettings({ data: { seed, settings }, flaws }: Checked): Promise<GivenSettings> {
  const given = flattened(isObject(settings) ? settings : {})
  const wrong = flaws?.has('settings') ? (await SANDBOX_SETTINGS_CHECKER.problems(nested(given))).map(({ path }) => path) : []
  const isRight = (key: string) => Object.hasOwn(SETTINGS, key) && SETTINGS[key as SettingKey].scope === 'sandbox' && !wrong.includes(key)
  const right: GivenSettings = Object.fromEntries(Object.entries(given).filter(([key]) => isRight(key)))
  return seed === undefined || flaws?.has('seed') ? right : { ...right, seed }
}

/** A bare instant and `running: false` freeze the clock; `{now}` alone runs on from there. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
