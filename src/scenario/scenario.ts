/** Builds the first state of a sandbox from a scenario and all that it uses. */
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import type { Problem } from '../core/errors.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { instantOf, isoOf } from '../core/instants.js'
import { didYouMean } from '../core/nearest.js'
import { maskedThroughout } from '../core/redaction.js'
import {
  flattened,
  type GivenSettings,
  type SettingSource,
  type SettingVariables,
  settingsInForce
} from '../core/settings.js'
import type { StoredRecord } from '../store/collection.js'
import { FAMILIES, Store } from '../store/store.js'
import { inSlices } from '../work/slices.js'
import { type Report, type SourceOf, within } from './documents.js'
import { callsIn } from './expect/calls.js'
import { compileExpectation, type Expectation } from './expect/expectations.js'
import { generateAll, generatedBy } from './generate/generate.js'
import type { Library } from './library.js'
import { patternsIn } from './match/patterns.js'
import { checkSteps } from './play/check.js'
import { checkCount, type DocumentLimits, tooLarge } from './read/refusal.js'
import { suggestedIds } from './records/edits.js'
import { recordsIn } from './records/fixture.js'
import { FixtureImporter } from './records/importer.js'
import {
  missingOf,
  recordsNamedBy,
  recordsNamedByState,
  scriptedIds,
  type Trial
} from './records/named-records.js'
import { compileScript } from './script/entry.js'
import { Script } from './script.js'
import { say } from './sentences.js'
import type { ScenarioData } from './shape/scenario.js'
import type { Parts, Used } from './shape/sources.js'
import type { GivenVariables } from './shape/variables.js'
import { bindingsOf, type PlayData, type StepData, StepResponses } from './steps.js'

/** Settings that override a scenario's. */
export type Launch = {
  flag: GivenSettings
  environment: GivenSettings
  variables?: SettingVariables | undefined
}
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
  play: readonly PlayData[]
  responses: StepResponses
}
export type Loaded = FirstState & { sourceOf: SourceOf }
export type LoadContext = {
  library: Library
  launch: Launch
  clockFor: (start: ClockStart) => Clock
  variables?: GivenVariables | undefined
  seed?: number | undefined
  /** API keys of another service, which steps and plays may name too. */
  keys?: ReadonlyMap<string, unknown> | undefined
  warn?: ((warnings: readonly Problem[]) => void) | undefined
}

export async function buildState(used: Used, name: string, context: LoadContext): Promise<Loaded> {
  const { data, problems, report, sourceOf, isOpen = false } = used
  const { steps = [], play = [], expect = [], description = null } = data
  const { launch, seed = data.seed } = context
  const scenarioSettings = {
    ...flattened(data.settings ?? {}),
    ...(seed !== undefined && { seed })
  }
  const { values: settings, sources } = settingsInForce({ ...launch, scenario: scenarioSettings })
  const clock = clockStartOf(data.clock)
  const now = context.clockFor(clock).now()
  const store = new Store()
  const generation = { ids: new Ids(), now, settings, isOpen }
  checkSize(used, context.library.limits)
  const importer = new FixtureImporter(store, generation, problems, used.warnings)
  await inSlices(importer.importing(used.fixtures))
  await generateAll(used, store, generation)

  // others may refer to records that were left out
  const isKnown = problems.length === 0 && !isOpen
  const trial = { store, generation, isKnown, scripted: scriptedIds(data.script ?? []) }
  const script = new Script(await compileScript(used, trial))
  const responses = new StepResponses([...steps, ...play])
  const expectations = await compileExpectations(used, trial, responses)
  warnOfFuture(used, store, now)
  const requests = { steps, play, expect: isOpen ? [] : expect }
  await checkSteps(requests, knownIn(trial, context.keys), report)
  checkAcceptedKey(trial, sources['auth.accept_any_key'], report)
  const scenario = maskedThroughout({ name: data.name ?? name, description })
  const { counters } = generation.ids
  const state = { scenario, store, counters, clock, settings: scenarioSettings }
  return { ...state, script, expectations, steps, play, responses, sourceOf }
}

/** Any key acts as an Account of the scenario. */
function checkAcceptedKey(
  { store, generation: { settings }, isKnown }: Trial,
  source: SettingSource,
  report: Report
): void {
  const account = settings['auth.accept_any_key']
  if (account === null || !isKnown || store.accounts.get(account) !== undefined) return
  const path = source === 'scenario' ? ['settings', 'auth', 'accept_any_key'] : []
  report(path, say('missing_account', account))
}

function knownIn(
  { store, generation: { settings }, isKnown }: Trial,
  keys: LoadContext['keys']
): Parameters<typeof checkSteps>[1] {
  const { variable } = bindingsOf(store)
  const isAnyKey = !isKnown || settings['auth.accept_any_key'] !== null
  return {
    variable: name => (isKnown ? variable(name) : name),
    ids: () => suggestedIds(store),
    otherKey: key =>
      isAnyKey || keys?.has(key) || store.keys.has(key)
        ? null
        : didYouMean(key, [...store.keys.keys()])
  }
}

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

async function compileExpectations(
  { data: { expect = [] }, report, warn }: Parts,
  trial: Trial,
  responses: StepResponses
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const [index, data] of expect.entries()) {
    const note = within(report, 'expect', index)
    const warnOf = within(warn, 'expect', index)
    const expectation = await compileExpectation(data, note, responses, patterns)
    patterns += patternsIn(data)
    if (expectation !== null) compiled.push(expectation)
    // only a warning: a request to a missing record can be expected too
    for (const { path, calls } of callsIn(data))
      for (const { steps, problem } of missingOf(recordsNamedBy(calls), trial))
        warnOf([...path, ...steps], problem)
    const ofState = 'state' in data ? recordsNamedByState(data.state) : []
    for (const { steps, problem, canBeMade, isDrawn } of missingOf(ofState, trial))
      (canBeMade && isDrawn ? warnOf : note)(steps, problem)
  }
  return compiled
}

/** Errors: `document_too_large`. */
function checkSize({ data, fixtures }: Used, limits: DocumentLimits): void {
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
  const counts = {
    written: recordsIn(fixtures),
    generated: generatedBy(data.generate ?? []),
    'created by steps': data.steps?.length ?? 0
  }
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  checkCount(
    `The document adds ${parts.map(([how, count]) => `${count} ${how}`).join(', ')}: together`,
    parts.reduce((sum, [, count]) => sum + count, 0),
    limits
  )
}

/** A bare instant and `running: false` freeze the clock. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
