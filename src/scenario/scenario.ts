/** Scenarios: a document and what it uses made into the first state of a sandbox, or refused. */

import { MAX_PROBLEMS } from '../core/checking.js'
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import type { Problem } from '../core/errors.js'
import { type IdCounters, Ids, kindOf } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { didYouMean, nearest } from '../core/nearest.js'
import type { Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { maskedThroughout } from '../core/redaction.js'
import {
  flattened,
  type GivenSettings,
  SETTINGS,
  type SettingVariables,
  settingsInForce
} from '../core/settings.js'
import { ACCOUNT_TYPES } from '../reference/accounts.js'
import { type Family, nameOf, operationAt } from '../reference/operations.js'
import type { StoredRecord } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'
import { inSlices, pause } from '../work/slices.js'
import {
  type DocumentProblem,
  documentOf,
  listedProblems,
  ProblemList,
  type Report,
  reportTo,
  type Written,
  within,
  withoutProblems
} from './documents.js'
import { checkEdit, idsMade, suggestedIds, type Trial } from './edits.js'
import { callsIn, compileExpectation, type Expectation } from './expect/expectations.js'
import {
  FixtureImporter,
  fixtureIn,
  type GenerationContext,
  recordsIn,
  SECTIONS
} from './fixture.js'
import { checkGenerate, fakerOf, generate, generatedBy } from './generate.js'
import type { Library } from './library.js'
import { checkCount, tooLarge } from './limits.js'
import { compileMatch, type MatchData } from './match/matching.js'
import { patternsIn } from './match/patterns.js'
import {
  type MissingFinder,
  missingFinderFor,
  recordsNamedBy,
  recordsNamedByState
} from './named-records.js'
import type { Progress } from './progress.js'
import type { SourceDocument } from './read/document.js'
import type { ScenarioData } from './schemas.js'
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
import { SCENARIO_NAMES } from './shape.js'
import { groupNamesIn, readSharedScript } from './shared-script.js'
import { type Parts, partsOf, type Used, usedBy, withGroups } from './sources.js'
import {
  Answers,
  checkSteps,
  expectsSuccess,
  isWait,
  type PlayData,
  placedCalls,
  type StepBindings,
  type StepData,
  splitCall
} from './steps.js'
import { checkGiven, type GivenVariables } from './variables.js'

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
const ANYWHERE = ['name', 'description']

/** Whether at least half of the names of data are, or resemble, those of a scenario or fixture. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data).filter(name => !ANYWHERE.includes(name)) : []
  const known = [...SCENARIO_NAMES, ...SECTIONS]
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
 * `document_invalid` with the problems of its shape and that of what it uses, or else of its
 * meaning; `document_too_large`.
 */
export async function firstStateOf(
  document: SourceDocument,
  { name, file }: Origin,
  context: LoadContext
): Promise<Loaded> {
  const lists = { documents: [document], problems: new ProblemList(), warnings: [] }
  const { library, variables: given } = context
  const used = await withoutProblems(
    lists.problems,
    () => usedBy(document, lists, { file, library, given }),
    lists.documents
  )
  const first = await withoutProblems(
    lists.problems,
    () => buildState(used, name, context),
    lists.documents
  )
  const warnings: DocumentProblem[] = lists.warnings.slice(0, MAX_PROBLEMS)
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
  const { groups } = await withoutProblems(problems, async () => {
    const wanted = groupNamesIn(document.data as { groups: unknown })
    const read = await readSharedScript(document, wanted, {
      given: given === undefined ? [] : [given],
      problems,
      reportGiven
    })
    if (given !== undefined) checkGiven(given, read.variables, reportGiven)
    return read
  })
  return withoutProblems(problems, async () => {
    for (const partOf of groups.values()) {
      const lists = { documents: [], problems, warnings: [] }
      const alone = documentOf(document.name, {}, document.limits)
      const { part, written } = partOf('data')
      const own = fixtureIn(document, part ?? {}, written([]).steps)
      await buildState(
        {
          ...withGroups(partsOf(alone, {}, lists), [{ partOf, index: 0 }]),
          fixtures: [own],
          isOpen: true
        },
        '',
        context
      )
    }
  })
}

/** `isOpen`: what is not in it may be elsewhere. */
type Whole = Used & { isOpen?: boolean }

async function buildState(used: Whole, name: string, context: LoadContext): Promise<Loaded> {
  const { data, problems, report, warn, written, isOpen = false } = used
  const { launch, clockFor, progress, keys, seed } = context
  const given = { ...givenSettings(data), ...(seed !== undefined && { seed }) }
  const { values: settings, sources } = settingsInForce({ ...launch, scenario: given })
  const clock = clockStartOf(data.clock)
  const store = new Store()
  const generation = { ids: new Ids(), now: clockFor(clock).now(), settings, progress, isOpen }
  const importer = new FixtureImporter(store, generation, problems, used.warnings)
  checkEntries(used)
  checkTotal(used)
  await inSlices(importer.importing(used.fixtures))
  await generateAll(used, store, generation)

  // a record with a problem may be what others mean
  const isKnown = problems.length === 0 && !isOpen
  const made = idsMade(data.script ?? [])
  const isMissing = (id: string, families: readonly Family[]) =>
    isKnown && !made.has(id) && families.every(family => store[family].get(id) === undefined)
  const prefixesOf = (families: readonly Family[]) =>
    families.flatMap(family =>
      ACCOUNT_TYPES.map(type => settings[`ids.prefixes.${kindOf(family, type)}`])
    )
  const isDrawn = (id: string, families: readonly Family[]) =>
    prefixesOf(families).some(prefix => id.startsWith(prefix))
  const trial = { store, generation, isMissing, isDrawn }
  const findMissing = missingFinderFor({
    ...trial,
    isDrawn: (id, families) =>
      prefixesOf(families).some(
        prefix => id.startsWith(prefix) && id.length === prefix.length + settings['ids.length']
      )
  })
  const script = new Script(await scriptOf(used, findMissing, trial))
  const { steps = [], play = [], expect = [] } = data
  const answers = new Answers([...steps, ...play])
  const expectations = await compileExpectations(
    used,
    findMissing,
    answers,
    clock.running || play.some(isWait)
  )
  warnOfFuture(used, store, generation.now)
  const isAnyKey = settings['auth.accept_any_key'] !== null
  const { variable } = bindingsOf(store)
  let ids: readonly string[] | undefined
  await checkSteps(
    { steps, play, expect: isOpen ? [] : expect },
    {
      variable: name => (isKnown ? variable(name) : name),
      hasUsualLists: settings['shapes.list'] === SETTINGS['shapes.list'].default,
      // collected when the first one is wrong
      ids: () => (ids ??= suggestedIds(store)),
      otherKey: key =>
        isAnyKey || !isKnown || keys?.has(key) || store.keys.has(key)
          ? null
          : didYouMean(key, [...store.keys.keys()])
    },
    report,
    warn
  )
  await warnOfPlays(used, findMissing)
  const actor = settings['auth.accept_any_key']
  if (actor !== null && isKnown && store.accounts.get(actor) === undefined) {
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

/** Warns of a clock before the records of the state: what is made next would be older. */
function warnOfFuture({ data, warn }: Parts, store: Store, now: number): void {
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

/** Warns of plays that can only be refused, though that is not expected. */
async function warnOfPlays(
  { data: { play = [] }, warn }: Parts,
  findMissing: MissingFinder
): Promise<void> {
  for (const { step, at } of placedCalls(play)) {
    const { do: call, expect, query, body } = step
    const met = call === undefined ? null : operationAt(...splitCall(call))
    if (met === null || !expectsSuccess(expect)) continue
    const params = Object.keys(met.params).length === 0 ? undefined : met.params
    const match = { params, query, body } as MatchData
    const note: Report = ([, section, ...name], said) =>
      warn(
        section === 'params' ? ['play', ...at, 'do'] : ['play', ...at, section as Step, ...name],
        say('is_refused', said.message)
      )
    await compileMatch([met.operation], match, note, { onlyRight: true, answers: new Map() })
    for (const { steps, said, isDrawn } of findMissing(
      recordsNamedBy({ on: nameOf(met.operation), match })
    ))
      if (!isDrawn) note(steps, said)
  }
}

/** `isRunning`: time passes between requests. */
async function compileExpectations(
  { data: { expect = [] }, report, warn }: Parts,
  findMissing: MissingFinder,
  answers: Answers,
  isRunning: boolean
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const [index, data] of expect.entries()) {
    const note = within(report, 'expect', index)
    const warnOf = within(warn, 'expect', index)
    const expectation = await compileExpectation(data, note, answers, patterns)
    patterns += patternsIn(data)
    if (expectation !== null) compiled.push(expectation)
    // only a warning: a request may name a missing record, and be expected to be refused
    for (const { at, calls } of callsIn(data)) {
      for (const { steps, said } of findMissing(recordsNamedBy(calls)))
        warnOf([...at, ...steps], said)
      if (calls.no_sooner_than !== undefined && !isRunning)
        warnOf([...at, 'no_sooner_than'], say('clock_stands'))
    }
    const ofState = 'state' in data ? recordsNamedByState(data.state) : []
    for (const { steps, said, canBeMade, isDrawn } of findMissing(ofState))
      (canBeMade && isDrawn ? warnOf : note)(steps, said)
  }
  return compiled
}

async function scriptOf(
  { data: { script = [] }, report: reportAll, warn, sourceOf, isOpen }: Whole,
  findMissing: MissingFinder,
  trial: Trial
): Promise<Entry[]> {
  const { 'limits.waiting': maxHeld } = trial.generation.settings
  const waiting: { data: EntryData; report: Report }[] = []
  let patterns = 0
  const placed: PlacedEntry[] = []
  for (const [index, data] of script.entries()) {
    const report = within(reportAll, 'script', index)
    const warnOf = within(warn, 'script', index)
    const entry = await compileEntry(data, report, patterns)
    patterns += patternsIn(data.match)
    waiting.push({ data, report })
    const { until = 0 } = data.hold ?? {}
    if (until > maxHeld) warnOf(['hold', 'until'], say('hold_too_many', maxHeld, until))
    for (const { steps, said, canBeMade } of findMissing(recordsNamedBy(data)))
      (canBeMade ? warnOf : report)(steps, said)
    if (entry === null) continue
    if (entry.edit !== null) checkEdit(data, entry.edit, trial, report, warnOf)
    placed.push({ entry, ...sourceOf(index), report })
    await pause()
  }
  checkShadowed(placed)
  if (!isOpen) checkWaiting(waiting)
  return placed.map(({ entry }) => entry)
}

/** Only where all before it is right: what records belong to may be what is wrong. */
async function generateAll(
  { data: { generate: entries = [] }, problems, report, isOpen }: Whole,
  store: Store,
  generation: GenerationContext
): Promise<void> {
  const known = isOpen || problems.length > 0 ? null : store
  for (const [index, data] of entries.entries())
    checkGenerate(data, known, within(report, 'generate', index))
  if (entries.length === 0 || problems.length > 0 || isOpen) return
  const faker = await fakerOf(generation.settings.seed)
  for (const [index, data] of entries.entries()) {
    await generate(data, { ...generation, store, faker }, within(report, 'generate', index))
    if (problems.length > 0) return
  }
}

/** Errors: `document_too_large` for a list. */
function checkEntries({ document: { limits }, data }: Parts): void {
  for (const [name, list] of Object.entries(data)) {
    if (!Array.isArray(list)) continue
    let count = list.length
    for (const { sequence = [], at_once = [] } of list) count += sequence.length + at_once.length
    if (count > limits['limits.entries'])
      throw tooLarge(
        'limits.entries',
        limits,
        `The document has ${count} items under ${name}${data.use === undefined ? '' : ', those of use included'}`
      )
  }
}

/** Counts records before any is made. Errors: `document_too_large`. */
function checkTotal({ document: { limits }, data, fixtures }: Used): void {
  const given = recordsIn(fixtures)
  const generated = generatedBy(data.generate ?? [])
  const steps = data.steps?.length ?? 0
  const parts = [
    given && `${given} given`,
    generated && `${generated} generated`,
    steps && `${steps} made by steps`
  ].filter(Boolean)
  checkCount(`The document adds ${parts.join(', ')}: together`, given + generated + steps, limits)
}

const givenSettings = ({ seed, settings = {} }: ScenarioData): GivenSettings => ({
  ...flattened(settings),
  ...(seed !== undefined && { seed })
})

/** A bare instant and `running: false` freeze the clock; `{now}` alone runs on from there. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
