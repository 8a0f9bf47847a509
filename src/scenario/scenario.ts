/** Builds the first state of a sandbox from a scenario and all that it uses. */
import { type Clock, type ClockStart, MACHINE_CLOCK } from '../core/clock.js'
import type { Problem } from '../core/errors.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { instantOf } from '../core/instants.js'
import { didYouMean } from '../core/nearest.js'
import { maskedThroughout } from '../core/redaction.js'
import {
  flattened,
  type GivenSettings,
  type SettingSource,
  type SettingVariables,
  settingsInForce
} from '../core/settings.js'
import { Store } from '../store/store.js'
import type { Report, SourceOf } from './documents.js'
import { compileExpectations } from './expect/compile.js'
import type { Expectation } from './expect/expectations.js'
import type { Library } from './library.js'
import { checkSteps } from './play/check.js'
import { suggestedIds } from './records/edits.js'
import { firstRecords } from './records/first-records.js'
import { scriptedIds, type Trial } from './records/named-records.js'
import { compileScript } from './script/entry.js'
import { Script } from './script.js'
import { say } from './sentences.js'
import type { ScenarioData } from './shape/scenario.js'
import type { Used } from './shape/sources.js'
import type { GivenVariables } from './shape/variables.js'
import { bindingsOf, type PlayData, type StepData, type StepResponses } from './steps.js'

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
  const generation = { store, ids: new Ids(), now, settings, isOpen }
  await firstRecords(used, generation)

  // others may refer to records that were left out, or are elsewhere
  const known = problems.length === 0 && !isOpen ? store : null
  const trial = { store: known, settings, scripted: scriptedIds(data.script ?? []) }
  const script = new Script(await compileScript(used, trial))
  const responses: StepResponses = new Map()
  const expectations = await compileExpectations(used, trial, responses)
  const requests = { steps, play, expect: isOpen ? [] : expect }
  await checkSteps(requests, knownNames(trial, context.keys), report)
  checkActor(trial, sources['auth.accept_any_key'], report)
  const scenario = maskedThroughout({ name: data.name ?? name, description })
  const { counters } = generation.ids
  const state = { scenario, store, counters, clock, settings: scenarioSettings }
  return { ...state, script, expectations, steps, play, responses, sourceOf }
}

/** Any key acts as an Account of the scenario. */
function checkActor({ store, settings }: Trial, source: SettingSource, report: Report): void {
  const { 'auth.accept_any_key': actor } = settings
  if (store === null || actor === null || store.accounts.get(actor)) return
  const path = source === 'scenario' ? ['settings', 'auth', 'accept_any_key'] : []
  report(path, say('missing_account', actor))
}

/** The names that steps may use: any where records may be missing. */
function knownNames(
  { store, settings }: Trial,
  keys: LoadContext['keys']
): Parameters<typeof checkSteps>[1] {
  if (store === null) return { variable: name => name, ids: () => [], otherKey: () => null }
  const isAnyKey = settings['auth.accept_any_key'] !== null
  return {
    variable: bindingsOf(store).variable,
    ids: () => suggestedIds(store),
    otherKey: key =>
      isAnyKey || keys?.has(key) || store.keys.has(key)
        ? null
        : didYouMean(key, [...store.keys.keys()])
  }
}

/** A bare instant and `running: false` freeze the clock. */
function clockStartOf(clock: ScenarioData['clock']): ClockStart {
  if (clock === undefined) return MACHINE_CLOCK
  if (typeof clock === 'string') return { at: instantOf(clock), running: false }
  return { at: instantOf(clock.now), running: clock.running ?? true }
}
