/** The journals: filtered, as scenarios that replay them, and the state around a request. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { instantOf } from '../core/instants.js'
import { maskedThroughout } from '../core/redaction.js'
import { keysToMask } from '../engine/keys.js'
import { brokenRule } from '../engine/outcome.js'
import type { Entry } from '../evidence/entry.js'
import { judgementOf } from '../evidence/judgement.js'
import { summaryOf } from '../evidence/why.js'
import { OPERATION_NAMES, operationNamed } from '../reference/operations.js'
import { optional, parameters, text, word } from '../reference/parameters.js'
import { RULE_IDS, RULE_PLACES } from '../reference/rules.js'
import { changesBy, isKnown, type RecordChange, storeAt, storesAround } from '../replay/past.js'
import { recordingOf, scenarioOf, scenarioOfCall } from '../replay/recorded-scenario.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Store } from '../store/store.js'
import { lazily } from '../work/json-pieces.js'
import { filterOfScenario, REFUSALS } from './sentences.js'
import { written } from './writing.js'

export const scope = (description: string) => ({
  scope: optional(word(['sandbox', 'run'], { description }))
})
export const FILTERS = parameters({
  on: optional(
    text({ description: 'An operation, such as `POST /refunds` or `GET /tickets/{id}`.' })
  ),
  rule: optional(
    word(RULE_IDS, {
      description: 'The id of a rule, such as `REF-7`: requests that kept or broke it.'
    })
  ),
  ...scope('`sandbox`, the default, or `run`: requests of every sandbox.'),
  status: optional(text({ description: 'A status, such as `404`, or a class, such as `4xx`.' })),
  since: optional(text({ description: 'Requests after a request id, or from an instant on.' })),
  trace: optional(
    text({ description: 'The trace id of the `traceparent` header: requests of that trace.' })
  ),
  ids: optional(text({ description: 'Ids of requests, separated by commas.' })),
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of requests, 1 to 1000; 100 by default.'
    })
  ),
  format: optional(
    word(['json', 'scenario'], {
      description:
        '`json`, the default, or `scenario`: the requests since the last load or reset as a scenario that replays them. It cannot be combined with `scope` or `limit`.'
    })
  )
})
type Filters = Omit<Static<typeof FILTERS>, 'format'>
const DEFAULT_LIMIT = 100

/** Newest first; of every sandbox with its name at each. Errors: `parameter_invalid`. */
export function requestsOf(query: Filters, sandbox: Sandbox, sandboxes: Sandboxes): object {
  const { limit = DEFAULT_LIMIT, scope, since } = query
  const isRun = scope === 'run'
  if (isRun && since !== undefined && instantOf(since) === null) throw REFUSALS.sinceOfRun(since)
  const all = isRun ? sandboxes.all() : [sandbox]
  const found = all.flatMap(sandbox => {
    const isWanted = filterOf(query, sandbox)
    const of = { keys: keysToMask(sandbox), named: isRun && { sandbox: sandbox.name } }
    return sandbox.evidence.journal
      .requests()
      .flatMap(request => (isWanted(request) ? [{ request, ...of }] : []))
  })
  if (isRun) found.sort((a, b) => a.request.now - b.request.now)
  const shown = found.reverse().slice(0, limit)
  return {
    object: 'list',
    data: lazily(shown, ({ request, keys, named }) => ({ ...named, ...summaryOf(request, keys) })),
    has_more: found.length > limit,
    dropped: all.reduce((sum, { evidence }) => sum + evidence.journal.dropped, 0)
  }
}

/** The filtered requests as a scenario in YAML. Errors: `parameter_invalid`. */
export async function recordedText(
  { scope, limit, ...filters }: Filters,
  sandbox: Sandbox,
  signal: AbortSignal
): Promise<string> {
  const [unfit] = Object.keys({ ...(scope && { scope }), ...(limit && { limit }) })
  if (unfit !== undefined) throw filterOfScenario(unfit)
  const isWanted = filterOf(filters, sandbox)
  const chosen =
    Object.keys(filters).length === 0
      ? undefined
      : sandbox.evidence.journal.requests().filter(isWanted)
  return scenarioText(sandbox, chosen, signal, scenarioOf)
}

export async function repeatedText(
  one: Entry,
  sandbox: Sandbox,
  signal: AbortSignal
): Promise<string> {
  return scenarioText(sandbox, [one], signal, async recording => {
    const scenario = await scenarioOfCall(recording)
    if (scenario === undefined) throw REFUSALS.unplayable(one.id)
    return scenario
  })
}

const scenarioText = (
  sandbox: Sandbox,
  chosen: readonly Entry[] | undefined,
  signal: AbortSignal,
  scenarioFrom: typeof scenarioOf
): Promise<string> =>
  sandbox.work(signal, async ask => {
    const recording = await recordingOf(sandbox, keysToMask(sandbox), chosen)
    return written(ask, 'scenario', await scenarioFrom(recording))
  })

const idsIn = ({ evidence }: Sandbox): string[] => evidence.journal.requests().map(({ id }) => id)

/** `param` is where the id was given. Errors: `request_unknown`. */
export function requestNamed(id: string, sandbox: Sandbox, param = 'id'): Entry {
  const found = sandbox.evidence.find(id)
  if (!found) throw REFUSALS.requestUnknown(id, idsIn(sandbox), param)
  return found
}

export const MOMENT = {
  before: optional(
    text({ description: 'The id of a request: the state just before it changed anything.' })
  ),
  after: optional(text({ description: 'The id of a request: the state just after it.' }))
}

/** Errors: `request_unknown`, `state_unknown`, `parameter_invalid` for two moments. */
export async function recordsAt(
  { before, after }: { before?: string; after?: string },
  sandbox: Sandbox,
  left: () => AbortSignal
): Promise<Store> {
  if (before !== undefined && after !== undefined) throw REFUSALS.twoMoments()
  const when = before === undefined ? 'after' : 'before'
  const id = before ?? after
  return id === undefined
    ? sandbox.store
    : inThePast(requestNamed(id, sandbox, when), sandbox, left(), call =>
        storeAt(sandbox, call, when)
      )
}

/** Errors: as of `Worker.run`; `state_unknown`. */
export async function changesOfRequest(
  call: Entry,
  sandbox: Sandbox,
  signal: AbortSignal
): Promise<RecordChange[]> {
  if (call.changes === 0) return []
  const stores = await inThePast(call, sandbox, signal, call => storesAround(sandbox, call))
  return maskedThroughout(changesBy(call, stores), keysToMask(sandbox))
}

/** Errors: as of `Worker.run`; `state_unknown`. */
const inThePast = <T>(
  call: Entry,
  sandbox: Sandbox,
  signal: AbortSignal,
  made: (call: Entry) => Promise<T>
): Promise<T> =>
  sandbox.work(signal, async () => {
    if (!isKnown(sandbox, call))
      throw REFUSALS.stateUnknown(call.id, sandbox.settings['limits.journal'])
    return made(call)
  })

/** Errors: `parameter_invalid` for a filter that names nothing. */
function filterOf(
  { on, status, since, rule, trace, ids: listed }: Filters,
  sandbox: Sandbox
): (request: Entry) => boolean {
  const operation = on === undefined ? undefined : operationNamed(on)
  if (operation === null) throw REFUSALS.operationUnknown(on as string, OPERATION_NAMES)
  if (status !== undefined && !/^[1-5](\d\d|xx)$/.test(status)) throw REFUSALS.statusWrong(status)
  const ids = since === undefined ? [] : idsIn(sandbox)
  const at = since === undefined ? Number.NEGATIVE_INFINITY : instantOf(since)
  const start = at === null ? ids.indexOf(since as string) : 0
  if (start < 0) throw REFUSALS.sinceUnknown(since as string, ids)
  const later = at === null && new Set(ids.slice(start + 1))
  const named = listed === undefined ? undefined : new Set(listed.split(','))
  return request =>
    (operation === undefined || request.operation === operation) &&
    (status === undefined || String(request.outcome.status).startsWith(status.replace('xx', ''))) &&
    (rule === undefined ||
      brokenRule(request) === rule ||
      judgementOf(request).kept.includes(RULE_PLACES.get(rule) as number)) &&
    (trace === undefined || request.caller.trace === trace) &&
    (named === undefined || named.has(request.id)) &&
    (later ? later.has(request.id) : request.at >= (at as number))
}
