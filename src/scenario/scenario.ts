/** Scenarios: a document and its fixtures made into the first state of a sandbox, or refused with everything that is wrong with them. */
import { MAX_PROBLEMS } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { ApiError, type Problem } from '../core/errors.js'
import { type IdCounters, Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { didYouMean, nearest, shortened } from '../core/nearest.js'
import type { PlacedProblem, Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout } from '../core/redaction.js'
import {
  flattened,
  type GivenSettings,
  nested,
  processSettingProblem,
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingVariables,
  settingsInForce
} from '../core/settings.js'
import { ACCOUNT_TYPES } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { StoredRecord } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'
import { inSlices, pause } from '../work/slices.js'
import { TooLargeHere } from './body.js'
import { type DocumentProblem, documentOf, listedProblems, ProblemList, type Report, reportTo, type SourceDocument, withoutProblems } from './documents.js'
import { callsIn, compileExpectation, type Expectation, type ExpectationData } from './expectations.js'
import { type Drawing, type Fixture, FixtureImporter, fixtureIn, recordsIn, SECTIONS, UNREAD_FIXTURE } from './fixture.js'
import { type Flaws, flawsOf, membersOf, rightMembersOf, within } from './flaws.js'
import { checkGenerate, GENERATED_FAMILIES, type GenerateData, generate, generatedBy, loadFaker } from './generate.js'
import type { Library } from './library.js'
import { checkCount, tooLarge } from './limits.js'
import { type MatchData, type On, operationsOn } from './matching.js'
import { type NamedRecord, recordsNamedBy, recordsNamedByState } from './named-records.js'
import type { Progress } from './progress.js'
import { ID, SANDBOX_SETTINGS_CHECKER, type ScenarioData } from './schemas.js'
import { compileScript, type Entry, entryLabel, neverApplies, Script } from './script.js'
import { shadowOf } from './shadows.js'
import { misspeltPart, problemsOfShape, SCENARIO_NAMES } from './shape.js'
import { type Group, groupNamesIn, isSharedScript, partsOfUse, readSharedScript, type SharedScript, unknownGroup } from './shared-script.js'
import { Answers, checkSteps, type PlayData, type StepBindings, type StepData } from './steps.js'
import { checkGiven, declaredVariables, type GivenVariables, readWith, type VariableValue } from './variables.js'

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
  /** What the steps were answered, and the plays where they are made; expectations refer to it. */
  answers: Answers
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
  /** The document, then those that it names. */
  documents: SourceDocument[]
  /** What it holds, with the values of its variables. */
  data: ScenarioData
  flaws: Flaws | undefined
  problems: ProblemList
  /** What is probably not meant so, but can be loaded. */
  warnings: DocumentProblem[]
  /** Take problems and warnings of the document itself. */
  report: Report
  warn: Report
  /** Its variables, null for one without a value, and the names that it refers to. */
  variables: ReadonlyMap<string, VariableValue | null>
  used: ReadonlySet<string>
}

const FIXTURE_NAMES: readonly string[] = SECTIONS

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

/** What a first state is made with. */
export type Making = {
  library: Library
  launch: Launch
  clockFor: (start: ClockStart) => Clock
  progress?: Progress | undefined
  /** More records end the making, so that a worker makes them. */
  most?: number | undefined
  /** Values of variables in place of their defaults. */
  variables?: GivenVariables | undefined
  /** API keys of another service, which steps and plays may name in addition to those of the scenario. */
  keys?: ReadonlyMap<string, unknown> | undefined
  /** Takes what is probably not meant so, once the state is made. */
  warn?: ((warnings: readonly Problem[]) => void) | undefined
}

/**
 * Makes the first state that a scenario (or bare fixture) document describes. Nothing else is touched.
 * Errors: `document_invalid` with the problems of the document and of the fixtures that it names, `document_too_large`.
 */
export async function firstStateOf(document: SourceDocument, origin: Origin, making: Making): Promise<FirstState> {
  const problems = new ProblemList()
  const documents = [document]
  const warnings: DocumentProblem[] = []
  const given = making.variables
  const first = await withoutProblems(
    problems,
    async () => stateIn(await checkedScenario(document, { documents, problems, warnings, given }), origin, making),
    documents
  )
  if (warnings.length > 0) making.warn?.(await listedProblems(warnings.slice(0, MAX_PROBLEMS), documents))
  return first
}

/** The first state of a checked scenario; problems are added to those of its check. */
async function stateIn(checked: Checked, { name, file }: Origin, { library, launch, clockFor, progress, most, variables, keys }: Making): Promise<FirstState> {
  const { data, flaws, problems, report, warn } = checked
  const right = <K extends keyof ScenarioData>(key: K): ScenarioData[K] => (flaws?.has(key) ? undefined : data[key])

  const given = await givenSettings(checked)
  const { values: settings, sources } = settingsInForce({ ...launch, scenario: given })
  const clock = clockStartOf(right('clock'))
  const store = new Store()
  const drawing = { ids: new Ids(), now: clockFor(clock).now(), settings, progress }
  const importer = new FixtureImporter(store, drawing, problems)
  checkEntries(checked)
  const used = await usedGroups(checked, { file, library, given: variables })
  const fixtures = await fixturesOf(checked, file, library)
  checkTotal(checked, fixtures, most)
  await inSlices(importer.importing(fixtures))
  await generateAll(checked, importer, store, drawing)

  const findMissing = missingFinderFor(store, importer, settings)
  const script = new Script(await scriptOf(checked, used, findMissing, settings['limits.waiting']))
  const { steps = [], play = [] } = data
  const answers = new Answers([steps, play].flatMap(list => (Array.isArray(list) ? list : [])))
  const expectations = await compileExpectations(checked, { findMissing, answers })
  warnOfFuture(checked, store, drawing.now)
  const isAnyKey = settings['auth.accept_any_key'] !== null || flaws?.has('settings')
  const isKnown = (name: string) => ID.test(name) && FAMILIES.some(family => !importer.isMissing(family, name))
  checkSteps(
    { steps: { list: data.steps, flaws: flaws?.get('steps') }, play: { list: data.play, flaws: flaws?.get('play') }, expect: right('expect') },
    {
      variable: name => (isKnown(name) ? name : undefined),
      hasUsualLists: settings['shapes.list'] === SETTINGS['shapes.list'].default,
      ids: suggestedIds(store),
      otherKey: key => (isAnyKey || keys?.has(key) || !importer.isMissing('api_keys', key) ? null : didYouMean(key, [...store.keys.keys()]))
    },
    report,
    warn
  )
  const actor = settings['auth.accept_any_key']
  if (actor !== null && importer.isMissing('accounts', actor)) {
    const steps = sources['auth.accept_any_key'] === 'scenario' ? ['settings', 'auth', 'accept_any_key'] : []
    report(steps, `auth.accept_any_key names ${actor}, which is no Account of it`)
  }

  const scenario = maskedThroughout({ name: data.name ?? name, description: data.description ?? null })
  return { scenario, store, counters: drawing.ids.counters, clock, settings: given, script, expectations, steps, play, answers }
}

/** What of a document's data does not match the schema of its kind. */
const shapeProblems = async ({ data: read, checkedAs }: SourceDocument, kind: 'fixture' | 'scenario', data = read): Promise<PlacedProblem[]> =>
  checkedAs === kind && data === read ? [] : problemsOfShape(kind, data)

const SHARED_ALONE = 'this file holds script entries to share; load a scenario that has a group of it under use'

async function checkedScenario(
  document: SourceDocument,
  { given, ...lists }: Pick<Checked, 'documents' | 'problems' | 'warnings'> & { given: GivenVariables | undefined }
): Promise<Checked> {
  const [report, warn] = [reportTo(lists.problems, document), reportTo(lists.warnings, document)]
  const isBare = isBareFixture(document.data)
  const declared = !isBare && isObject(document.data) ? document.data.vars : undefined
  const variables = declaredVariables(declared, { given: given === undefined ? [] : [given], report: within(report, 'vars') })
  const checked = { document, ...lists, report, warn, variables, used: new Set<string>() }
  if (isSharedScript(document.data)) {
    report([], SHARED_ALONE)
    return { ...checked, data: {}, flaws: undefined }
  }
  if (isBare) {
    const found = await shapeProblems(document, 'fixture')
    for (const { steps, message } of found) report(steps, message)
    const flaws = flawsOf(found)
    return { ...checked, data: { data: document.data as Record<string, unknown> }, flaws: flaws && new Map([['data', flaws]]) }
  }
  const { data, used, problems, flaws } = await readWith(document.data, variables, data => shapeProblems(document, 'scenario', data))
  for (const { steps, message } of problems) report(steps, processSettingIn(steps) ?? message)
  return { ...checked, used, data: isObject(data) ? data : {}, flaws }
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

/** Ids of a store to suggest in place of a wrong one, collected when the first one is wrong. */
function suggestedIds(store: Store): () => readonly string[] {
  let ids: readonly string[] | undefined
  return () => {
    ids ??= FAMILIES.flatMap(family => store[family].someIds(MOST_SUGGESTED))
    return ids
  }
}
const MOST_SUGGESTED = 200

/** Finds those of named records that do not exist; `canBeMade` says whether a call could still make one, `isDrawn` whether the id looks as the API draws them. */
type MissingFinder = (named: readonly NamedRecord[]) => { steps: readonly Step[]; message: string; canBeMade: boolean; isDrawn: boolean }[]

/** Looks in a store. No call of the API makes a Ticket, so that naming a missing one can only be a mistake. */
function missingFinderFor(store: Store, importer: FixtureImporter, settings: Settings): MissingFinder {
  const hasPrefix = (family: Family, id: string) => ACCOUNT_TYPES.some(type => id.startsWith(settings[`ids.prefixes.${kindOf(family, type)}`]))
  return named =>
    named.flatMap(({ steps, id, families }) => {
      if (!families.every(family => importer.isCertainlyMissing(family, id))) return []
      const known = families.flatMap(family => store[family].someIds(MOST_SUGGESTED))
      const canBeMade = !families.includes('tickets')
      const isDrawn = families.some(family => hasPrefix(family, id))
      const otherwise = canBeMade && (isDrawn || steps[0] !== 'state') ? 'it matches only once a call has made one with this id' : 'add it under data'
      const advice = didYouMean(id, known) || `; ${steps[0] === 'state' && steps.length === 3 && !isDrawn ? WORDS_OF_STATE : otherwise}`
      return [{ steps, message: `no ${families.map(family => RESOURCE_NAMES[family]).join(' or ')} has the id ${shortened(id)}${advice}`, canBeMade, isDrawn }]
    })
}

const WORDS_OF_STATE = 'count and where are known here, any other name is the id of a record'

const namedIn = ({ on, match }: { on: On; match?: MatchData | undefined }) =>
  recordsNamedBy(
    match,
    operationsOn(on, () => {})
  )

/** Warns of a clock that is before the records of the state: what is made next would be older than they are. */
function warnOfFuture({ data, warn }: Checked, store: Store, now: number): void {
  const future = FAMILIES.flatMap((family): readonly StoredRecord[] => store[family].inCreationOrder().filter(({ created }) => Date.parse(created) > now))
  if (future.length === 0) return
  const { id, created } = future.reduce((latest, record) => (record.created > latest.created ? record : latest))
  const count = future.length === 1 ? '1 record is' : `${future.length} records are`
  const message = `the clock is at ${isoOf(now)}, and ${count} from after that, the last one ${id}; with clock: ${created} no record is from the future`
  warn(data.clock === undefined ? [] : ['clock'], message)
}

async function compileExpectations(
  { data, flaws, report, warn }: Checked,
  { findMissing, answers }: { findMissing: MissingFinder; answers: Answers }
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  const all = { instructions: 0 }
  for (const { member, index, isWhole, report: reportRight } of rightMembersOf<ExpectationData>(data.expect, flaws?.get('expect'), within(report, 'expect'))) {
    const calls = callsIn(member)
    if (calls.some(({ calls: { on } }) => on === undefined)) continue
    const expectation = await compileExpectation(member, reportRight, answers, all)
    if (isWhole && expectation !== null) compiled.push(expectation)
    for (const { at, calls: named } of calls) {
      // only a warning: a call may name a missing record, and be expected to be refused
      for (const { steps, message } of findMissing(namedIn(named))) warn(['expect', index, ...at, ...steps], message)
    }
    const ofState = 'state' in member ? recordsNamedByState(member.state) : []
    for (const { steps, message, canBeMade, isDrawn } of findMissing(ofState)) {
      if (canBeMade && isDrawn) warn(['expect', index, ...steps], message)
      else reportRight(steps, message)
    }
  }
  return compiled
}

/** The document that is found where another one names a file, or a sentence that says why there is none; null, with its problems listed, for no YAML. */
async function found({ documents, problems }: Checked, reading: Promise<SourceDocument | string>): Promise<SourceDocument | string | null> {
  try {
    const source = await reading
    if (typeof source !== 'string') documents.push(source)
    return source
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, message } of error.problems) {
      const document = { ...documentOf(file as string, null), locate: async () => [{ line, column }] }
      documents.push(document)
      problems.push({ document, steps: [], message })
    }
    return null
  }
}

/** The groups of other files that a scenario uses, each with its index under `use`; their variables have the values that the scenario gives them. */
async function usedGroups(
  checked: Checked,
  { file, library, given }: { file: string | null; library: Library; given: GivenVariables | undefined }
): Promise<(Group & { index: number })[]> {
  const { document, data, flaws, problems, report, variables } = checked
  const uses = membersOf<string>(data.use, flaws?.get('use')).flatMap(({ member, index, flaws }) => (flaws ? [] : { member, index, ...partsOfUse(member) }))
  const own: GivenVariables = { values: Object.fromEntries([...variables].filter(([, value]) => value !== null)), isText: false }
  const reading = { given: given === undefined ? [own] : [own, given], problems, reportGiven: within(report, 'vars') }
  const sources = new Map<string, SourceDocument | string | null>()
  for (const { file: name } of uses) if (!sources.has(name)) sources.set(name, await found(checked, library.sharedScript(name, file)))
  const shared = new Map<string, SharedScript>()
  for (const [name, source] of sources) {
    const wanted = uses.flatMap(({ file, group }) => (file === name && group !== null ? [group] : []))
    if (typeof source === 'object' && source !== null) shared.set(name, await readSharedScript(source, wanted, reading))
  }
  const groups: (Group & { index: number })[] = []
  let count = Array.isArray(data.script) ? data.script.length : 0
  for (const { member, index, file: name, group } of uses) {
    const source = sources.get(name) as SourceDocument | string | null
    const used = group === null ? undefined : shared.get(name)?.groups.get(group)
    const isAgain = uses.some(({ member: earlier, index: at }) => at < index && earlier === member)
    if (source === null) continue
    if (typeof source === 'string') report(['use', index], source)
    else if (used === undefined) report(['use', index], missingGroup(name, group, groupNamesIn(source.data as { groups: unknown })))
    else if (isAgain) report(['use', index], `${member} is used already`)
    else {
      groups.push({ ...used, index })
      count += membersOf(used.entries, undefined).length
      if (count > document.limits['limits.entries']) throw tooLarge('limits.entries', document.limits, 'script and use hold more entries')
    }
  }
  const isRead = shared.size === sources.size && !flaws?.has('use')
  if (isRead)
    checkVariables(
      checked,
      given,
      [...shared.values()].flatMap(({ variables }) => variables)
    )
  return groups
}

const missingGroup = (file: string, group: string | null, groups: readonly string[]) =>
  group === null ? `must be a group of ${file}, such as ${file}#${groups[0] ?? 'GROUP'}` : unknownGroup(group, groups)

/** Reports given values that no variable takes, and warns of variables that nothing refers to; `names` are those of files that the scenario uses. */
function checkVariables({ variables, used, report, warn }: Checked, given: GivenVariables | undefined, names: readonly string[]): void {
  if (given !== undefined) checkGiven(given, [...new Set([...variables.keys(), ...names])], within(report, 'vars'))
  for (const name of variables.keys()) {
    if (!used.has(name) && !names.includes(name)) warn(['vars', name], `nothing refers to this variable; write \${vars.${name}} where its value belongs`)
  }
}

/** The entries of a scenario, then those of the groups that it uses; `mostHeld` is how many calls are held at once. */
async function scriptOf(checked: Checked, groups: readonly (Group & { index: number })[], findMissing: MissingFinder, mostHeld: number): Promise<Entry[]> {
  const { document, data, flaws, problems, warnings, warn } = checked
  const own = { document, under: ['script'], entries: data.script, flaws: flaws?.get('script'), index: -1 }
  const entries: Entry[] = []
  const all = { instructions: 0 }
  for (const { document, under, entries: list, flaws, index } of [own, ...groups]) {
    for (const { data: entry, entry: compiled, index: nth } of await compileScript(list, reportTo(problems, document, under), flaws, all)) {
      const [report, warnOf] = [problems, warnings].map(list => reportTo(list, document, [...under, nth])) as [Report, Report]
      const { until = 0 } = entry.hold ?? {}
      const message = `at most ${mostHeld} calls are held at once (limits.waiting), so ${until} never wait together`
      if (until > mostHeld) warnOf(['hold', 'until'], message)
      for (const { steps, message, canBeMade } of findMissing(namedIn(entry))) (canBeMade ? warnOf : report)(steps, message)
      if (compiled === null) continue
      await pause()
      const shadow = shadowOf(compiled, entries)
      if (shadow !== undefined) {
        const label = entryLabel(shadow.data, entries.indexOf(shadow))
        const message = neverApplies(shadow.data.name === undefined ? `${label} of the script` : label, entry)
        if (index < 0) warnOf([], message)
        else warn(['use', index], `${entryLabel(entry, nth)} of it ${message}`)
      }
      entries.push(compiled)
    }
  }
  return entries
}

/** Generates records, an entry after the other. */
async function generateAll({ data, flaws, report }: Checked, importer: FixtureImporter, store: Store, drawing: Drawing): Promise<void> {
  const entries = membersOf<GenerateData>(data.generate, flaws?.get('generate'))
  if (entries.length === 0) return
  const faker = await loadFaker()
  faker.seed(drawing.settings.seed)
  for (const { member, index, flaws: own } of entries) {
    const reportOwn = within(report, 'generate', index)
    const isRight = own === undefined && checkGenerate(member, reportOwn)
    const isDone = isRight && generate(member, { ...drawing, store, faker, importer }, reportOwn)
    if (!isDone) importer.leaveOut(isRight ? GENERATED_FAMILIES.filter(family => member[family] !== undefined) : GENERATED_FAMILIES)
  }
}

/** The fixtures that a scenario names, in their order, and its own records. */
async function fixturesOf(checked: Checked, file: string | null, library: Library): Promise<Fixture[]> {
  const { document, data, flaws, problems, report } = checked
  const isList = data.fixtures === undefined || Array.isArray(data.fixtures)
  const fixtures = isList && !Object.keys(document.data ?? {}).some(name => misspeltPart(name) === 'fixtures') ? [] : [UNREAD_FIXTURE]
  /** What each name leads to, a fixture or why there is none: a file is read once. */
  const known = new Map<string, Fixture | string>()
  const fixtureNamed = async (reference: string): Promise<Fixture | string> => {
    const source = await found(checked, library.fixture(reference, file))
    if (source === null) return UNREAD_FIXTURE
    if (typeof source === 'string') return source
    const ofShape = await shapeProblems(source, 'fixture')
    for (const { steps, message } of ofShape) problems.push({ document: source, steps, message })
    return fixtureIn(source, source.data, [], flawsOf(ofShape))
  }
  for (const { member: reference, index, flaws: own } of membersOf<string>(data.fixtures, flaws?.get('fixtures'))) {
    const fixture = own === undefined ? (known.get(reference) ?? (await fixtureNamed(reference))) : UNREAD_FIXTURE
    known.set(reference, fixture)
    if (typeof fixture === 'string') report(['fixtures', index], fixture)
    fixtures.push(typeof fixture === 'string' ? UNREAD_FIXTURE : fixture)
  }
  if (isBareFixture(document.data)) return [...fixtures, fixtureIn(document, data.data, [], flaws?.get('data'))]
  // records next to `data` are a problem already; they are read since others may refer to them
  const beside = Object.fromEntries(Object.entries(data).filter(([name]) => FIXTURE_NAMES.includes(name)))
  if (Object.keys(beside).length > 0) fixtures.push(fixtureIn(document, beside, [], flaws))
  for (const [name, part] of Object.entries({ data: {}, ...data }))
    if (name === 'data' || misspeltPart(name) === 'data') fixtures.push(fixtureIn(document, part ?? {}, [name], flaws?.get(name)))
  return fixtures
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
