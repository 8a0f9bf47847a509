/** Builds the first state of a sandbox from a scenario and all that it uses. */
import type { Problem } from '../core/errors.js'
import { Ids } from '../core/ids.js'
import { Store } from '../store/store.js'
import {
  type DocumentProblem,
  listedProblems,
  reportTo,
  type SourceOf,
  withoutProblems
} from './documents.js'
import { compileExpectations, type Expectation } from './expect/expectations.js'
import { firstRecords } from './generate/first-records.js'
import type { Library } from './library.js'
import { checkSteps } from './play/check.js'
import { checkActor, scriptedIds } from './records/named-records.js'
import { compileScript } from './script/entry.js'
import { Script } from './script.js'
import { type Setup, type SetupContext, setupIn } from './setup.js'
import type { Checked, Used } from './shape/sources.js'
import type { GivenVariables } from './shape/variables.js'
import type { PlayData, StepData, StepResponses } from './steps.js'

export type { Launch } from './setup.js'
export type FirstState = Setup & {
  store: Store
  counters: Ids['counters']
  script: Script
  expectations: readonly Expectation[]
  /** Requests still to be played before the state is ready. */
  steps: readonly StepData[]
  play: readonly PlayData[]
  responses: StepResponses
}
export type Loaded = FirstState & { sourceOf: SourceOf }
export type LoadContext = SetupContext & {
  library: Library
  variables?: GivenVariables | undefined
  /** API keys of another service, which steps and plays may name too. */
  keys?: ReadonlyMap<string, unknown> | undefined
  warn?: ((warnings: readonly Problem[]) => void) | undefined
}

/** Errors: `document_invalid`, `document_too_large`. */
export async function buildState(
  checked: Checked,
  name: string,
  context: LoadContext
): Promise<Loaded> {
  const { document, sourceOf } = checked
  const warnings: DocumentProblem[] = []
  const warn = reportTo(warnings, document, sourceOf)
  const loaded = await withoutProblems(problems => {
    const report = reportTo(problems, document, sourceOf)
    return built({ ...checked, problems, warnings, report, warn }, name, context)
  })
  if (warnings.length > 0) context.warn?.(await listedProblems(warnings))
  return loaded
}

async function built(used: Used, name: string, context: LoadContext): Promise<Loaded> {
  const { data, problems, report, sourceOf } = used
  const { steps = [], play = [], expect = [], script: entries = [] } = data
  const { setup, now, values: settings, sources } = setupIn(data, name, context)
  const store = new Store()
  const ids = new Ids()
  await firstRecords(used, { store, ids, now, settings }, context.library.limits)

  // others may refer to records that were left out
  const known = problems.length === 0 ? store : null
  const trial = { store: known, settings, scripted: scriptedIds(entries) }
  const script = new Script(await compileScript(used, trial))
  const responses: StepResponses = new Map()
  const expectations = await compileExpectations(used, trial, responses)
  await checkSteps({ steps, play, expect }, { ...trial, keys: context.keys }, report)
  checkActor(trial, sources['auth.accept_any_key'] === 'scenario', report)
  const { counters } = ids
  return { ...setup, store, counters, script, expectations, steps, play, responses, sourceOf }
}
