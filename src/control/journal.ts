/** The journals in control calls: filtered, or as scenarios that play them again. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ApiError } from '../core/errors.js'
import { instantOf } from '../core/instants.js'
import { didYouMean, sentence } from '../core/nearest.js'
import { brokenRule, type Exchange } from '../engine/exchange.js'
import { keysToMask } from '../engine/keys.js'
import { judgementOf } from '../evidence/judgement.js'
import { summaryOf } from '../evidence/why.js'
import { OPERATION_NAMES, operationNamed } from '../reference/operations.js'
import { optional, parameters, text, word } from '../reference/parameters.js'
import { RULE_IDS, RULE_PLACES } from '../reference/rules.js'
import { recordingOf, scenarioOf, scenarioOfCall } from '../replay/recorded-scenario.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { lazily } from '../work/json-pieces.js'
import { WRITING, written } from '../work/writing.js'

export const FILTERS = parameters({
  on: optional(text({ description: 'An operation, such as `POST /refunds` or `GET /tickets/{id}`.' })),
  rule: optional(word(RULE_IDS, { description: 'The id of a rule, `REF-7`: calls that kept or broke it.' })),
  scope: optional(word(['sandbox', 'run'], { description: '`sandbox`, the default, or `run`: calls of every sandbox.' })),
  status: optional(text({ description: 'A status, `404`, or a class of them, `4xx`.' })),
  since: optional(text({ description: 'Calls after a request id, or from an instant on.' })),
  limit: optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'At most this many, 1 to 1000; 100 when left out.' })),
  format: optional(
    word(['json', 'scenario'], {
      description: '`json`, the default, or `scenario`: the calls since the last load or reset as a scenario that plays them again.'
    })
  )
})
type Filters = Omit<Static<typeof FILTERS>, 'format'>
const DEFAULT_LIMIT = 100
const UNPLAYABLE =
  'cannot be played again: a play calls an operation of the reference with an API key, if any, and with a form that has each name once, on records that a fixture can hold'

/** The calls of a sandbox or, with its name at each, of every one, newest first. Errors: `parameter_invalid`. */
export function callsOf(query: Filters, sandbox: Sandbox, sandboxes: Sandboxes): object {
  const { limit = DEFAULT_LIMIT, scope, since } = query
  const isRun = scope === 'run'
  if (isRun && since !== undefined && instantOf(since) === null) throw invalid('since', `with scope=run must be an instant; got ${since}`)
  const all = isRun ? sandboxes.all() : [sandbox]
  const found = all.flatMap(sandbox => {
    const isWanted = filterOf(query, sandbox)
    const of = { keys: keysToMask(sandbox), named: isRun && { sandbox: sandbox.name } }
    return sandbox.evidence.journal.requests().flatMap(call => (isWanted(call) ? [{ call, ...of }] : []))
  })
  if (isRun) found.sort((a, b) => a.call.now - b.call.now)
  const shown = found.reverse().slice(0, limit)
  return {
    object: 'list',
    data: lazily(shown, ({ call, keys, named }) => ({ ...named, ...summaryOf(call, keys) })),
    has_more: found.length > limit,
    dropped: all.reduce((sum, { evidence }) => sum + evidence.journal.dropped, 0)
  }
}

/** The calls since the last load or reset as a scenario, in YAML. Errors: `parameter_invalid` for a filter. */
export async function recordedText(filters: Filters, sandbox: Sandbox, signal: AbortSignal): Promise<Uint8Array> {
  const [filter] = Object.keys(filters)
  if (filter !== undefined) throw invalid(filter, 'a scenario plays every call again; leave it out')
  return sandbox.jobs.run(WRITING, signal, async ask => written(ask, 'scenario', await scenarioOf(await recordingOf(sandbox, keysToMask(sandbox)))))
}

/** A scenario, in YAML, in which a call is answered as it was. Errors: `parameter_invalid` for one that cannot be played. */
export async function recordedCallText(call: Exchange, sandbox: Sandbox, signal: AbortSignal): Promise<Uint8Array> {
  return sandbox.jobs.run(WRITING, signal, async ask => {
    const scenario = await scenarioOfCall(await recordingOf(sandbox, keysToMask(sandbox), call))
    if (scenario === undefined) throw invalid('format', `${call.id} ${UNPLAYABLE}`)
    return written(ask, 'scenario', scenario)
  })
}

export function callNamed(id: string, { evidence }: Sandbox): Exchange {
  const found = evidence.find(id)
  if (found) return found
  const there = heldBy(evidence.journal.requests().map(call => call.id))
  throw new ApiError('request_unknown', { message: `The journal holds no call ${id}; ${there}.`, param: 'id' })
}

/** Errors: `parameter_invalid` for a filter that names nothing. */
function filterOf({ on, status, since, rule }: Filters, sandbox: Sandbox): (call: Exchange) => boolean {
  const operation = on === undefined ? undefined : operationNamed(on)
  if (operation === null) {
    throw invalid('on', `${on} is not an operation${didYouMean(on as string, OPERATION_NAMES) || `; it has ${OPERATION_NAMES.join(', ')}`}`)
  }
  if (status !== undefined && !/^[1-5](\d\d|xx)$/.test(status)) {
    throw invalid('status', `must be a status such as 404, or a class such as 4xx; got ${status}`)
  }
  const hasStatus = (call: Exchange) =>
    status === undefined || (status.endsWith('xx') ? String(call.outcome.status)[0] === status[0] : String(call.outcome.status) === status)
  const hasRule = (call: Exchange) => rule === undefined || brokenRule(call) === rule || judgementOf(call).kept.includes(RULE_PLACES.get(rule) as number)
  const isWanted = (call: Exchange) => (operation === undefined || call.operation === operation) && hasStatus(call) && hasRule(call)
  if (since === undefined) return isWanted

  const at = instantOf(since)
  if (at !== null) return call => call.at >= at && isWanted(call)
  const ids = sandbox.evidence.journal.requests().map(({ id }) => id)
  const start = ids.indexOf(since)
  if (start < 0) throw invalid('since', `must be an instant or the id of a call in the journal; got ${since}; ${heldBy(ids)}`)
  const later = new Set(ids.slice(start + 1))
  return call => later.has(call.id) && isWanted(call)
}

const invalid = (param: string, message: string) => new ApiError('parameter_invalid', { message: sentence(`${param}: ${message}`), param })

const heldBy = (ids: readonly string[]) => (ids.length === 0 ? 'it is empty' : `it holds ${ids[0]} to ${ids.at(-1)}`)
