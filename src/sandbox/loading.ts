/** Loads scenarios into a sandbox. */
import { Clock } from '../core/clock.js'
import { type Located, refusalOf, type SourceOf } from '../scenario/documents.js'
import { firstStateOf, type Origin, requestedScenario } from '../scenario/loading.js'
import type { Body } from '../scenario/reading.js'
import type { LoadContext, Loaded } from '../scenario/scenario.js'
import { bindingsOf, type Play, playSteps } from '../scenario/steps.js'
import { Sandbox } from './sandbox.js'

/** `play` sends the requests of steps, which are only checked without it. */
export type LoadOptions = {
  dryRun?: boolean | undefined
  play?: ((candidate: Sandbox) => Play) | undefined
  warn?: LoadContext['warn']
}
export type GivenOptions = LoadOptions & Pick<LoadContext, 'variables' | 'keys'>

/** A scenario or bare fixture. Errors: `document_invalid`, `document_too_large`. */
export async function loadScenario(
  sandbox: Sandbox,
  document: Located,
  origin: Origin,
  { warn, variables, keys, ...options }: GivenOptions = {}
): Promise<Loaded> {
  const context = { ...contextOf(sandbox), warn, variables, keys }
  return begin(sandbox, await firstStateOf(document, origin, context), options)
}

/** Replaces whatever was loaded meanwhile. Errors: also `sandbox_unknown`. */
export async function loadBody(
  sandbox: Sandbox,
  body: Body,
  { left, warn, ...options }: LoadOptions & { left: () => AbortSignal }
): Promise<Loaded> {
  const library = sandbox.dependencies.library.readBy(sandbox.reading(left))
  const { document, origin, ...values } = await requestedScenario(body, library)
  const context = { ...contextOf(sandbox), library, warn, ...values }
  return begin(sandbox, await firstStateOf(document, origin, context), options)
}

function contextOf({ dependencies }: Sandbox): LoadContext {
  const { library, launch, machine } = dependencies
  return { library, launch, clockFor: start => new Clock(machine, start) }
}

async function begin(
  sandbox: Sandbox,
  loaded: Loaded,
  { dryRun = false, play }: LoadOptions
): Promise<Loaded> {
  // `sourceOf` would keep the documents in memory
  const { sourceOf, ...first } = loaded
  const candidate = new Sandbox(sandbox.dependencies)
  candidate.begin(first)
  if (play) await playFirst(candidate, play(candidate), sourceOf)
  const { store, counters } = candidate.state.saved
  sandbox.ending.throwIfAborted()
  if (dryRun) return loaded
  sandbox.begin({ ...first, store, counters })
  const { scenario, script, expectations } = first
  if (expectations.length + script.listed().length > 0) sandbox.run.history.load(scenario.name)
  return loaded
}

/** Errors: `document_invalid` with every unexpected response. */
async function playFirst(candidate: Sandbox, play: Play, sourceOf: SourceOf): Promise<void> {
  const { steps, responses } = candidate.requireLoaded()
  const bindings = { ...bindingsOf(candidate.store), error: candidate.settings['shapes.error'] }
  const outcomes = await playSteps(steps, play, bindings, undefined, responses)
  const problems = outcomes.flatMap(({ at, step, problems }) =>
    problems.map(({ code, message }) => ({
      code,
      ...sourceOf(['steps', ...at]),
      message: `${step.do}: ${message}`
    }))
  )
  if (problems.length > 0) throw await refusalOf(problems)
}
