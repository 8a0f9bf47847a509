/**
 * Scenarios: a document and its fixtures made into the first state of a sandbox, or refused with
 * everything that is wrong with them.
 */
import { MAX_PROBLEMS } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import { ApiError, type Problem } from '../core/errors.js'
import { type IdCounters, Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { didYouMean, nearest } from '../core/nearest.js'
import type { PlacedProblem, Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout } from '../core/redaction.js'
import type { Said } from '../core/sentences.js'
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
import { ACCOUNT_TYPES } from '../reference/accounts.js'
import { type Family, RESOURCE_NAMES } from '../reference/operations.js'
import type { StoredRecord } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'
import { inSlices, pause } from '../work/slices.js'
import { TooLargeHere } from './body.js'
import {
  type DocumentProblem,
  documentOf,
  listedProblems,
  ProblemList,
  type Report,
  reportBy,
  reportTo,
  type Written,
  withoutProblems,
  writtenIn
} from './documents.js'
import { checkEdit, idsMade, suggestedIds, type Trial } from './edits.js'
import {
  callsIn,
  compileExpectation,
  type Expectation,
  type ExpectationData
} from './expectations.js'
import {
  type Fixture,
  FixtureImporter,
  fixtureIn,
  type GenerationContext,
  recordsIn,
  SECTIONS,
  UNREAD_FIXTURE
} from './fixture.js'
import { type Flaws, flawsOf, flawsOfMembers, membersOf, rightMembersOf, within } from './flaws.js'
import {
  checkGenerate,
  GENERATED_FAMILIES,
  type GenerateData,
  generate,
  generatedBy,
  loadFaker
} from './generate.js'
import type { Library } from './library.js'
import { checkCount, tooLarge } from './limits.js'
import { type MatchData, type On, operationsOn } from './matching.js'
import { type NamedRecord, recordsNamedBy, recordsNamedByState } from './named-records.js'
import { patternsIn } from './patterns.js'
import type { Progress } from './progress.js'
import type { SourceDocument } from './read/document.js'
import { problemsOf } from './read/numbers.js'
import {
  ID,
  SANDBOX_SETTINGS_CHECKER,
  type ScenarioData,
  type SharedParts,
  STATE_NAMES,
  STATE_WORDS
} from './schemas.js'
import {
  checkShadowed,
  checkWaiting,
  compileEntry,
  type Entry,
  type EntryData,
  type PlacedEntry,
  Script
} from './script.js'
import { say } from './sentences.js'
import { misspeltPart, problemsOfShape, SCENARIO_NAMES } from './shape.js'
import {
  type Group,
  groupIn,
  groupNamesIn,
  isSharedScript,
  partsOfUse,
  readSharedScript,
  type SharedScript
} from './shared-script.js'
import {
  Answers,
  checkSteps,
  isWait,
  type PlayData,
  type StepBindings,
  type StepData
} from './steps.js'
import {
  checkGiven,
  declaredVariables,
  type GivenVariables,
  readWith,
  type VariableValue
} from './variables.js'

/** Settings of the command line and the environment, which take precedence over a scenario's. */
export type Launch = {
  flag: GivenSettings
  environment: GivenSettings
  variables?: SettingVariables | undefined
}
/** The state that a sandbox starts in and goes back to. */
export type FirstState = {
  scenario: { name: string; description: string | null }
  store: Store
  counters: IdCounters
  clock: ClockStart
  settings: GivenSettings
  script: Script
  expectations: readonly Expectation[]
  /** Requests still to be played before the state is ready. */
  steps: readonly StepData[]
  /** Requests that `check` sends as a client would. */
  play: readonly PlayData[]
  /** The responses to steps and plays, once sent; expectations refer to them. */
  answers: Answers
}
/** With where its steps, plays and expectations are written. */
export type Loaded = FirstState & { written: Written }
export type Origin = {
  /** The scenario's name if it does not give one itself. */
  name: string
  file: string | null
}
/** The member of `use` that brought an entry (null: the scenario itself), and its index there. */
type Source = Pick<PlacedEntry, 'use' | 'index'>
type Checked = {
  document: SourceDocument
  documents: SourceDocument[]
  data: ScenarioData
  flaws: Flaws | undefined
  problems: ProblemList
  warnings: DocumentProblem[]
  /** Where parts of `data` are written, those of groups too. */
  written: Written
  report: Report
  warn: Report
  sourceOf: (index: number) => Source
  /** Its variables, null for one without a value, and the names that it refers to. */
  variables: ReadonlyMap<string, VariableValue | null>
  used: ReadonlySet<string>
}

const FIXTURE_NAMES: readonly string[] = SECTIONS

/** Whether a document has records at its top, and nothing of a scenario. */
export function isBareFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data) : []
  return (
    names.some(name => FIXTURE_NAMES.includes(name)) &&
    !names.some(name => SCENARIO_NAMES.includes(name))
  )
}

const ANYWHERE = ['name', 'description']

/** Whether at least half of the names of data are, or resemble, those of a scenario or fixture. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data).filter(name => !ANYWHERE.includes(name)) : []
  const known = [...SCENARIO_NAMES, ...FIXTURE_NAMES]
  return (
    names.length > 0 &&
    names.filter(name => nearest(name, known) !== null).length * 2 >= names.length
  )
}

export type LoadContext = {
  library: Library
  launch: Launch
  clockFor: (start: ClockStart) => Clock
  progress?: Progress | undefined
  /** More records end the load, so that a worker makes them. */
  maxRecords?: number | undefined
  variables?: GivenVariables | undefined
  /** In place of the scenario's. */
  seed?: number | undefined
  /** API keys of another service, which steps and plays may name too. */
  keys?: ReadonlyMap<string, unknown> | undefined
  /** Takes the warnings, once the state is made. */
  warn?: ((warnings: readonly Problem[]) => void) | undefined
}

/**
 * Makes the first state that a scenario (or bare fixture) document describes. Errors:
 * `document_invalid` with the problems of it and of its fixtures, `document_too_large`.
 */
export async function firstStateOf(
  document: SourceDocument,
  origin: Origin,
  context: LoadContext
): Promise<Loaded> {
  const lists = {
    problems: new ProblemList(),
    documents: [document],
    warnings: [] as DocumentProblem[]
  }
  const make = async () => {
    const checked = await checkedScenario(document, lists, context.variables)
    return stateIn(checked, await usedGroups(checked, origin.file, context), origin, context)
  }
  const first = await withoutProblems(lists.problems, make, lists.documents)
  const warnings = lists.warnings.slice(0, MAX_PROBLEMS)
  if (warnings.length > 0) context.warn?.(await listedProblems(warnings, lists.documents))
  return first
}

/**
 * Checks every group of a shared file by itself: what it refers to may be a part of the scenario
 * that uses it. Errors: `document_invalid`.
 */
export async function checkSharedScript(
  document: SourceDocument,
  context: LoadContext
): Promise<void> {
  const { variables: given } = context
  const problems = new ProblemList()
  const reportGiven = reportTo(problems, document, ['vars'])
  return withoutProblems(problems, async () => {
    const wanted = groupNamesIn(document.data as { groups: unknown })
    const { groups, variables } = await readSharedScript(document, wanted, {
      given: given === undefined ? [] : [given],
      problems,
      reportGiven
    })
    if (given !== undefined) checkGiven(given, variables, reportGiven)
    for (const group of groups.values()) {
      const alone = checkedOf(documentOf(document.name, {}, document.limits), {
        documents: [],
        problems,
        warnings: []
      })
      await stateIn(
        alone,
        { groups: [{ ...group, index: 0 }], isAll: false },
        { name: '', file: null },
        context
      )
    }
  })
}

async function stateIn(
  own: Checked,
  used: Used,
  { name, file }: Origin,
  context: LoadContext
): Promise<Loaded> {
  const checked = withGroups(own, used)
  const { data, flaws, problems, report, warn, written } = checked
  const { launch, clockFor, progress, keys, seed } = context
  const right = <K extends keyof ScenarioData>(key: K): ScenarioData[K] =>
    flaws?.has(key) ? undefined : data[key]

  const given = { ...(await givenSettings(checked)), ...(seed !== undefined && { seed }) }
  const { values: settings, sources } = settingsInForce({ ...launch, scenario: given })
  const clock = clockStartOf(right('clock'))
  const store = new Store()
  const generation = { ids: new Ids(), now: clockFor(clock).now(), settings, progress }
  const importer = new FixtureImporter(store, generation, problems, checked.warnings)
  checkEntries(checked)
  const fixtures = await fixturesOf(own, used, file, context.library)
  checkTotal(checked, fixtures, context.maxRecords)
  await inSlices(importer.importing(fixtures))
  await generateAll(checked, importer, store, generation)

  const made = idsMade([data.script ?? []].flat())
  const hasPrefix = (family: Family, id: string) =>
    ACCOUNT_TYPES.some(type => id.startsWith(settings[`ids.prefixes.${kindOf(family, type)}`]))
  const isMissing = (id: string, families: readonly Family[]) =>
    !made.has(id) && families.every(family => importer.isCertainlyMissing(family, id))
  const isDrawn = (id: string, families: readonly Family[]) =>
    families.some(family => hasPrefix(family, id))
  const trial = { store, generation, isMissing, isDrawn }
  const findMissing = missingFinderFor(trial)
  const script = new Script(await scriptOf(checked, findMissing, trial, used.isAll))
  const { steps = [], play = [] } = data
  const answers = new Answers([steps, play].flatMap(list => (Array.isArray(list) ? list : [])))
  const expectations = await compileExpectations(
    checked,
    findMissing,
    answers,
    clock.running || play.some(isWait)
  )
  warnOfFuture(checked, store, generation.now)
  const isAnyKey = settings['auth.accept_any_key'] !== null || flaws?.has('settings')
  const isKnown = (name: string) =>
    ID.test(name) && FAMILIES.some(family => !importer.isMissing(family, name))
  const isAllNamed = used.isAll && !isMisspelt(own, 'steps') && !isMisspelt(own, 'play')
  let ids: readonly string[] | undefined
  await checkSteps(
    {
      steps: { list: data.steps, flaws: flaws?.get('steps') },
      play: { list: data.play, flaws: flaws?.get('play') },
      expect: used.isAll ? right('expect') : []
    },
    {
      variable: name => (isKnown(name) || !isAllNamed ? name : undefined),
      hasUsualLists: settings['shapes.list'] === SETTINGS['shapes.list'].default,
      // collected when the first one is wrong
      ids: () => (ids ??= suggestedIds(store)),
      otherKey: key =>
        isAnyKey || keys?.has(key) || !importer.isMissing('api_keys', key)
          ? null
          : didYouMean(key, [...store.keys.keys()])
    },
    report,
    warn
  )
  const actor = settings['auth.accept_any_key']
  if (actor !== null && importer.isMissing('accounts', actor)) {
    report(
      sources['auth.accept_any_key'] === 'scenario' ? ['settings', 'auth', 'accept_any_key'] : [],
      say('missing_account', actor)
    )
  }

  const scenario = maskedThroughout({
    name: data.name ?? name,
    description: data.description ?? null
  })
  return {
    scenario,
    store,
    counters: generation.ids.counters,
    clock,
    settings: given,
    script,
    expectations,
    steps,
    play,
    answers,
    written
  }
}

const shapeProblems = async (
  document: SourceDocument,
  kind: 'fixture' | 'scenario',
  data = document.data
): Promise<readonly PlacedProblem[]> =>
  document.checkedAs === kind && data === document.data
    ? []
    : problemsOf(document, data, part => problemsOfShape(kind, part))

type Lists = Pick<Checked, 'documents' | 'problems' | 'warnings'>

function checkedOf(document: SourceDocument, lists: Lists): Checked {
  const [report, warn] = [reportTo(lists.problems, document), reportTo(lists.warnings, document)]
  return {
    document,
    ...lists,
    data: {},
    flaws: undefined,
    written: writtenIn(document),
    report,
    warn,
    sourceOf: index => ({ use: null, index }),
    variables: new Map(),
    used: new Set()
  }
}

async function checkedScenario(
  document: SourceDocument,
  lists: Lists,
  given: GivenVariables | undefined
): Promise<Checked> {
  const empty = checkedOf(document, lists)
  const { report } = empty
  const isBare = isBareFixture(document.data)
  const declared = !isBare && isObject(document.data) ? document.data.vars : undefined
  const variables = declaredVariables(declared, {
    given: given === undefined ? [] : [given],
    report: within(report, 'vars')
  })
  const checked = { ...empty, variables }
  if (isSharedScript(document.data)) {
    report([], say('shared_alone'))
    return checked
  }
  if (isBare) {
    const found = await shapeProblems(document, 'fixture')
    reportAll(found, report)
    const flaws = flawsOf(found)
    return {
      ...checked,
      data: { data: document.data as Record<string, unknown> },
      flaws: flaws && new Map([['data', flaws]])
    }
  }
  const { data, used, problems, flaws } = await readWith(document.data, variables, data =>
    shapeProblems(document, 'scenario', data)
  )
  for (const problem of problems) report(problem.steps, processSettingIn(problem.steps) ?? problem)
  return { ...checked, used, data: isObject(data) ? data : {}, flaws }
}

const reportAll = (found: readonly PlacedProblem[], report: Report): void => {
  for (const problem of found) report(problem.steps, problem)
}
const isMisspelt = ({ document: { data } }: Checked, part: string) =>
  Object.keys(data ?? {}).some(name => !FIXTURE_NAMES.includes(name) && misspeltPart(name) === part)
const membersIn = <T>({ data, flaws }: Checked, list: keyof ScenarioData) =>
  membersOf<T>(data[list], flaws?.get(list))
const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

function processSettingIn([first, ...name]: readonly Step[]): Said | undefined {
  const message = first === 'settings' ? processSettingProblem(name.join('.')) : undefined
  return message === undefined ? undefined : { code: 'process_setting', message }
}

/** What steps may name: records by id, and keys; for no key that of the first merchant. */
export function bindingsOf(store: Store): StepBindings {
  const first = [...store.keys].find(
    ([, account]) => store.accounts.get(account)?.type === 'merchant'
  )
  return {
    variable: id => (FAMILIES.some(family => store[family].get(id)) ? id : undefined),
    key: name => (name === '' ? (first?.[0] ?? null) : name)
  }
}

/**
 * Finds named records that do not exist. `canBeMade`: a request could still create one; `isDrawn`:
 * its id looks drawn by the API.
 */
type MissingFinder = (
  named: readonly NamedRecord[]
) => { steps: readonly Step[]; said: Said; canBeMade: boolean; isDrawn: boolean }[]

/** No request of the API creates a Ticket, so naming a missing one can only be a mistake. */
function missingFinderFor({ store, isMissing, isDrawn: isDrawnIn }: Trial): MissingFinder {
  return named =>
    named.flatMap(({ steps, id, families }) => {
      if (!isMissing(id, families)) return []
      const canBeMade = !families.includes('tickets')
      const isDrawn = isDrawnIn(id, families)
      const isOfState = steps[0] === 'state'
      const isName = isOfState && steps.length === 3 && !isDrawn
      const known = suggestedIds(store, families)
      const otherwise =
        canBeMade && (isDrawn || !isOfState)
          ? 'it matches only after a request has created it'
          : 'add it under data'
      const meant = didYouMean(id, isName ? [...STATE_WORDS, ...known] : known)
      const said = say(
        'missing_record',
        families.map(family => RESOURCE_NAMES[family]).join(' or '),
        id,
        meant || `; ${isName ? STATE_NAMES : otherwise}`
      )
      return [
        { steps, said: { ...said, isOfName: isOfState && steps.length === 3 }, canBeMade, isDrawn }
      ]
    })
}

const namedIn = ({ on, match }: { on: On; match?: MatchData | undefined }) =>
  recordsNamedBy(
    match,
    operationsOn(on, () => {})
  )

/** Warns of a clock before the records of the state: what is made next would be older. */
function warnOfFuture({ data, warn }: Checked, store: Store, now: number): void {
  const future = FAMILIES.flatMap((family): readonly StoredRecord[] =>
    store[family].inCreationOrder().filter(({ created }) => Date.parse(created) > now)
  )
  if (future.length === 0) return
  const { id, created } = future.reduce((latest, record) =>
    record.created > latest.created ? record : latest
  )
  warn(
    data.clock === undefined ? [] : ['clock'],
    say('future_records', isoOf(now), future.length, id, created)
  )
}

/** `isRunning`: time passes between requests. */
async function compileExpectations(
  { data, flaws, report, warn }: Checked,
  findMissing: MissingFinder,
  answers: Answers,
  isRunning: boolean
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const { member, index, isWhole, report: note } of rightMembersOf<ExpectationData>(
    data.expect,
    flaws?.get('expect'),
    within(report, 'expect')
  )) {
    const calls = callsIn(member)
    if (calls.some(({ calls: { on } }) => on === undefined)) continue
    const expectation = await compileExpectation(member, note, answers, patterns)
    patterns += patternsIn(member)
    if (isWhole && expectation !== null) compiled.push(expectation)
    const warnOf = within(warn, 'expect', index)
    // only a warning: a request may name a missing record, and be expected to be refused
    for (const { at, calls: named } of calls) {
      for (const { steps, said } of findMissing(namedIn(named))) warnOf([...at, ...steps], said)
      if (named.no_sooner_than !== undefined && !isRunning)
        warnOf([...at, 'no_sooner_than'], say('clock_stands'))
    }
    const ofState = 'state' in member ? recordsNamedByState(member.state) : []
    for (const { steps, said, canBeMade, isDrawn } of findMissing(ofState))
      (canBeMade && isDrawn ? warnOf : note)(steps, said)
  }
  return compiled
}

/**
 * The document that another one names, or why there is none; null, with its problems listed, where
 * it cannot be read.
 */
async function found(
  { documents, problems }: Checked,
  reading: Promise<SourceDocument | string>
): Promise<SourceDocument | string | null> {
  try {
    const source = await reading
    if (typeof source !== 'string') documents.push(source)
    return source
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, code, message } of error.problems) {
      const document = {
        ...documentOf(file as string, null),
        locate: async () => [{ line, column }]
      }
      documents.push(document)
      problems.push({ document, steps: [], code, message })
    }
    return null
  }
}

type UsedGroup = Group & { index: number }
/**
 * Groups that a scenario uses, each with its index under `use`; `isAll`: all could be read whole.
 */
type Used = { groups: readonly UsedGroup[]; isAll: boolean }

/** Reads the groups that a scenario uses, with its values of their variables. */
async function usedGroups(
  checked: Checked,
  file: string | null,
  { library, variables: given }: LoadContext
): Promise<Used> {
  const { data, flaws, problems, report, variables } = checked
  const uses = membersIn<string>(checked, 'use').flatMap(({ member, index, flaws }) =>
    flaws ? [] : { reference: member, index, ...partsOfUse(member) }
  )
  const own: GivenVariables = {
    values: Object.fromEntries([...variables].filter(([, value]) => value !== null)),
    isText: false
  }
  const reading = {
    given: given === undefined ? [own] : [own, given],
    problems,
    reportGiven: within(report, 'vars')
  }
  const files = new Map<string, SharedScript | string | null>()
  for (const name of new Set(uses.map(use => use.file))) {
    const source = await found(checked, library.sharedScript(name, file))
    const wanted = uses.flatMap(({ file, group }) =>
      file === name && group !== null ? [group] : []
    )
    files.set(
      name,
      isObject(source) ? await readSharedScript(source as SourceDocument, wanted, reading) : source
    )
  }
  const groups = new Map<string, UsedGroup>()
  for (const { reference, index, file: name, group } of uses) {
    const shared = files.get(name) as SharedScript | string | null
    if (shared === null) continue
    const used = typeof shared === 'object' && group !== null ? shared.groups.get(group) : undefined
    if (typeof shared === 'string') report(['use', index], shared)
    else if (group === null) report(['use', index], say('no_group', name, shared.names[0]))
    else if (used === undefined) report(['use', index], say('unknown_group', group, shared.names))
    else if (groups.has(reference)) report(['use', index], say('listed_twice', reference))
    else groups.set(reference, { ...used, index })
  }
  const read = [...files.values()].filter(shared => isObject(shared)) as SharedScript[]
  if (read.length === files.size && !flaws?.has('use')) {
    checkVariables(
      checked,
      given,
      read.flatMap(({ variables }) => variables)
    )
  }
  const all = [...groups.values()]
  const isAll =
    all.length === countOf(data.use) &&
    all.every(({ flaws = new Map() }) =>
      [...flaws.keys()].every(name => misspeltPart(`${name}`) === null)
    ) &&
    !isMisspelt(checked, 'use')
  return { groups: all, isAll }
}

/** Lists that groups add to; those of FIRST begin with the members of the scenario itself. */
const JOINED = ['generate', 'script', 'steps', 'play', 'expect'] as const
const FIRST: readonly string[] = ['script', 'expect']

/** Adds the parts of groups to a scenario; `data` is read apart. */
function withGroups(checked: Checked, { groups }: Used): Checked {
  if (groups.length === 0) return checked
  const { document, problems, warnings } = checked
  const own = { ...groupIn(document, [], checked.data as SharedParts, checked.flaws), index: null }
  const lists = new Map<Step | undefined, (Source & { written: Written })[]>()
  const data: Record<string, unknown> = { ...checked.data }
  const flaws = new Map(checked.flaws)
  for (const name of JOINED) {
    const members = (FIRST.includes(name) ? [own, ...groups] : [...groups, own]).flatMap(
      ({ partOf, index: use }) => {
        const { part, flaws, written } = partOf(name)
        return membersOf(part, flaws).map(one => ({ ...one, written, use }))
      }
    )
    const flawed = flawsOfMembers(members)
    if (flawed !== undefined) flaws.set(name, flawed)
    data[name] = members.map(({ member }) => member)
    lists.set(name, members)
  }
  const written: Written = steps => {
    const [list, nth, ...more] = steps
    const member = lists.get(list)?.[nth as number]
    return member === undefined ? checked.written(steps) : member.written([member.index, ...more])
  }
  const sourceOf = (index: number) => lists.get('script')?.[index] as Source
  return {
    ...checked,
    data,
    flaws,
    written,
    report: reportBy(problems, written),
    warn: reportBy(warnings, written),
    sourceOf
  }
}

/**
 * Reports given values that no variable takes, and warns of unused variables; `names` are those of
 * used files.
 */
function checkVariables(
  { variables, used, report, warn }: Checked,
  given: GivenVariables | undefined,
  names: readonly string[]
): void {
  if (given !== undefined)
    checkGiven(given, [...new Set([...variables.keys(), ...names])], within(report, 'vars'))
  for (const name of variables.keys()) {
    if (!used.has(name) && !names.includes(name)) warn(['vars', name], say('unused_variable', name))
  }
}

async function scriptOf(
  checked: Checked,
  findMissing: MissingFinder,
  trial: Trial,
  isAll: boolean
): Promise<Entry[]> {
  const { 'limits.waiting': maxHeld } = trial.generation.settings
  const { data: whole, flaws, report: reportAll, warn, sourceOf } = checked
  const waiting: { data: EntryData; report: Report }[] = []
  let patterns = 0
  const placed: PlacedEntry[] = []
  for (const { member: data, index, isWhole, report } of rightMembersOf<EntryData>(
    whole.script,
    flaws?.get('script'),
    within(reportAll, 'script')
  )) {
    if (data.on === undefined) continue
    const entry = await compileEntry(data, report, patterns)
    patterns += patternsIn(data.match)
    const warnOf = within(warn, 'script', index)
    waiting.push({ data, report })
    const { until = 0 } = data.hold ?? {}
    if (until > maxHeld) warnOf(['hold', 'until'], say('hold_too_many', maxHeld, until))
    for (const { steps, said, canBeMade } of findMissing(namedIn(data)))
      (canBeMade ? warnOf : report)(steps, said)
    if (!isWhole || entry === null) continue
    if (entry.edit !== null) checkEdit(data, entry.edit, trial, report, warnOf)
    placed.push({ entry, ...sourceOf(index), report })
    await pause()
  }
  checkShadowed(placed)
  // what a group that was not read holds is not known
  if (isAll) checkWaiting(waiting)
  return placed.map(({ entry }) => entry)
}

async function generateAll(
  checked: Checked,
  importer: FixtureImporter,
  store: Store,
  generation: GenerationContext
): Promise<void> {
  const entries = membersIn<GenerateData>(checked, 'generate')
  if (entries.length === 0) return
  const faker = await loadFaker()
  faker.seed(generation.settings.seed)
  for (const { member, index, flaws } of entries) {
    const report = within(checked.report, 'generate', index)
    const isRight = flaws === undefined && checkGenerate(member, report)
    if (isRight && generate(member, { ...generation, store, faker, importer }, report)) continue
    importer.leaveOut(GENERATED_FAMILIES.filter(family => !isRight || member[family] !== undefined))
  }
}

/** The fixtures that a scenario names, the records of its groups, and its own, in this order. */
async function fixturesOf(
  checked: Checked,
  { groups, isAll }: Used,
  file: string | null,
  library: Library
): Promise<Fixture[]> {
  const { document, data, flaws, problems, report } = checked
  const isList = data.fixtures === undefined || Array.isArray(data.fixtures)
  const fixtures = isList && isAll && !isMisspelt(checked, 'fixtures') ? [] : [UNREAD_FIXTURE]
  /** By name; a file is read once. */
  const known = new Map<string, Fixture | string>()
  const fixtureNamed = async (reference: string): Promise<Fixture | string> => {
    const source = await found(checked, library.fixture(reference, file))
    if (source === null) return UNREAD_FIXTURE
    if (typeof source === 'string') return source
    const ofShape = await shapeProblems(source, 'fixture')
    reportAll(ofShape, reportTo(problems, source))
    return fixtureIn(source, source.data, [], flawsOf(ofShape))
  }
  for (const { member: reference, index, flaws: own } of membersIn<string>(checked, 'fixtures')) {
    const fixture =
      own === undefined ? (known.get(reference) ?? (await fixtureNamed(reference))) : UNREAD_FIXTURE
    known.set(reference, fixture)
    if (typeof fixture === 'string') report(['fixtures', index], fixture)
    fixtures.push(typeof fixture === 'string' ? UNREAD_FIXTURE : fixture)
  }
  for (const group of groups) {
    const { part, flaws, written } = group.partOf('data')
    const { document, steps } = written([])
    if (part !== undefined) fixtures.push(fixtureIn(document, part, steps, flaws))
  }
  if (isBareFixture(document.data))
    return [...fixtures, fixtureIn(document, data.data, [], flaws?.get('data'))]
  // records next to `data` are a problem already; they are read since others may refer to them
  const beside = Object.fromEntries(
    Object.entries(data).filter(([name]) => FIXTURE_NAMES.includes(name))
  )
  if (Object.keys(beside).length > 0) fixtures.push(fixtureIn(document, beside, [], flaws))
  for (const [name, part] of Object.entries({ data: {}, ...data }))
    if (name === 'data' || misspeltPart(name) === 'data')
      fixtures.push(fixtureIn(document, part ?? {}, [name], flaws?.get(name)))
  return fixtures
}

/** Errors: `document_too_large` for a list. */
function checkEntries({ document: { limits }, data }: Checked): void {
  for (const [name, list] of Object.entries(data)) {
    let count = countOf(list)
    for (const part of count > 0 ? (list as Partial<Record<string, unknown>>[]) : [])
      count += countOf(part?.sequence) + countOf(part?.at_once)
    if (count > limits['limits.entries'])
      throw tooLarge(
        'limits.entries',
        limits,
        `The document has ${count} items under ${name}${data.use === undefined ? '' : ', those of use included'}`
      )
  }
}

/** Counts records before any is made. Errors: `document_too_large`, `TooLargeHere`. */
function checkTotal(
  checked: Checked,
  fixtures: readonly Fixture[],
  maxRecords = Number.POSITIVE_INFINITY
): void {
  const given = recordsIn(fixtures)
  const generated = generatedBy(
    membersIn<GenerateData>(checked, 'generate').flatMap(({ member, flaws }) =>
      flaws ? [] : [member]
    )
  )
  const steps = countOf(checked.data.steps)
  const parts = [
    given && `${given} given`,
    generated && `${generated} generated`,
    steps && `${steps} made by steps`
  ].filter(Boolean)
  checkCount(
    `The document adds ${parts.join(', ')}: together`,
    given + generated + steps,
    checked.document.limits
  )
  if (given + generated + steps > maxRecords) throw new TooLargeHere()
}

/** The right ones of the settings that the scenario gives. */
async function givenSettings({ data: { seed, settings }, flaws }: Checked): Promise<GivenSettings> {
  const given = flattened(isObject(settings) ? settings : {})
  const wrong = flaws?.has('settings')
    ? (await SANDBOX_SETTINGS_CHECKER.problems(nested(given))).map(({ path }) => path)
    : []
  const isRight = (key: string) =>
    Object.hasOwn(SETTINGS, key) &&
    SETTINGS[key as SettingKey].scope === 'sandbox' &&
    !wrong.includes(key)
  const right: GivenSettings = Object.fromEntries(
    Object.entries(given).filter(([key]) => isRight(key))
  )
  return seed === undefined || flaws?.has('seed') ? right : { ...right, seed }
}

/** A bare instant and `running: false` freeze the clock; `{now}` alone runs on from there. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
