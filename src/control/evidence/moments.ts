/** The journal as scenarios that replay it, and the state around a request. */
import type { Entry } from '../../evidence/entry.js'
import { optional } from '../../reference/parameters.js'
import { storeAt } from '../../replay/past.js'
import { scenarioOf, scenarioOfCall } from '../../replay/recorded-scenario.js'
import { recordingOf } from '../../replay/recording.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Store } from '../../store/store.js'
import { described } from '../schemas.js'
import { notTogether, REFUSALS } from '../sentences.js'
import { written } from '../writing.js'
import { type Filters, filterOf, requestNamed } from './filters.js'

/** The filtered requests as a scenario in YAML. Errors: `parameter_invalid`. */
export async function recordedText(
  { scope, limit, ...filters }: Filters,
  sandbox: Sandbox,
  signal: AbortSignal
): Promise<string> {
  const [unfit] = Object.keys({ ...(scope && { scope }), ...(limit && { limit }) })
  if (unfit !== undefined) throw notTogether(unfit, 'format=scenario')
  const isWanted = filterOf(filters, sandbox)
  const isWhole = Object.keys(filters).length === 0
  const requests = isWhole ? undefined : sandbox.evidence.journal.requests().filter(isWanted)
  return scenarioText(sandbox, requests, signal, scenarioOf)
}

export const repeatedText = (
  request: Entry,
  sandbox: Sandbox,
  signal: AbortSignal
): Promise<string> =>
  scenarioText(sandbox, [request], signal, async recording => {
    const scenario = await scenarioOfCall(recording)
    if (scenario === undefined) throw REFUSALS.unplayable(request.id)
    return scenario
  })

const scenarioText = (
  sandbox: Sandbox,
  requests: readonly Entry[] | undefined,
  signal: AbortSignal,
  scenarioFrom: typeof scenarioOf
): Promise<string> =>
  sandbox.work(signal, async ask => {
    const recording = await recordingOf(sandbox, requests)
    return written(ask, 'scenario', await scenarioFrom(recording))
  })

export const MOMENT = {
  before: optional(described('The id of a request: returns the state just before it.')),
  after: optional(described('The id of a request: returns the state just after it.'))
}

/** Errors: `request_unknown`, `state_unknown`, `parameter_invalid` for two moments. */
export async function recordsAt(
  { before, after }: { before?: string; after?: string },
  sandbox: Sandbox,
  left: () => AbortSignal
): Promise<Store> {
  if (before !== undefined && after !== undefined) throw notTogether('after', 'before')
  const when = before === undefined ? 'after' : 'before'
  const id = before ?? after
  if (id === undefined) return sandbox.store
  const request = requestNamed(id, sandbox, when)
  return inThePast(request, sandbox, left, () => storeAt(sandbox, request, when))
}

/** Errors: as of `Worker.run`; `state_unknown`. */
export const inThePast = <T>(
  request: Entry,
  sandbox: Sandbox,
  left: () => AbortSignal,
  read: () => Promise<T>
): Promise<T> =>
  sandbox.work(left(), async () => {
    if (request.place < sandbox.inputs.earliest)
      throw REFUSALS.stateUnknown(request.id, sandbox.settings['limits.journal'])
    return read()
  })
