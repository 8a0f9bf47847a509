/** Control: the journal, why a call was answered so, verification, coverage, findings. */
import { setMaxListeners } from 'node:events'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ApiError } from '../core/errors.js'
import { instantOf } from '../core/instants.js'
import { didYouMean, sentence } from '../core/nearest.js'
import { maskedThroughout } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { brokenRule, type Exchange } from '../engine/exchange.js'
import { keysToMask } from '../engine/keys.js'
import { keptRules } from '../evidence/judgement.js'
import type { Totals } from '../evidence/totals.js'
import { explained, explainedText, summaryOf } from '../evidence/why.js'
import { OPERATION_NAMES, operationNamed } from '../reference/operations.js'
import { optional, parameters, text, word } from '../reference/parameters.js'
import { RULE_IDS, RULE_PLACES } from '../reference/rules.js'
import { type RecordedScenario, recordingOf, scenarioOf, scenarioOfCall } from '../replay/recorded-scenario.js'
import { COVERAGE_FORMATS, MEDIA_TYPES, namesOf } from '../reports/formats.js'
import { findingsText } from '../reports/text.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { queryOf } from './bodies.js'
import { Slots } from './slots.js'
import { verify } from './verify.js'

const SCOPE = optional(word(['sandbox', 'run']))
const LIST_QUERY = parameters({
  on: optional(text()),
  status: optional(text()),
  since: optional(text()),
  limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  rule: optional(word(RULE_IDS)),
  scope: SCOPE,
  format: optional(word(['json', 'scenario']))
})
const ENTRY_QUERY = parameters({ format: optional(word(['json', 'text', 'scenario'])) })
const COVERAGE_QUERY = parameters({ scope: SCOPE, format: optional(word(namesOf(COVERAGE_FORMATS))) })
const FINDINGS_QUERY = parameters({ scope: SCOPE, format: optional(word(['json', 'text'])) })
const SCOPE_QUERY = parameters({ scope: SCOPE })
const DEFAULT_LIMIT = 100
const UNPLAYABLE =
  'cannot be played again: a play calls an operation of the reference with an API key, if any, and with a form that has each name once, on records that a fixture can hold'
const YAML = 'application/yaml; charset=utf-8'

const totalsIn = ({ run, evidence }: Sandbox, scope: 'sandbox' | 'run' | undefined): Totals => (scope === 'run' ? run : evidence.totals)

/** The totals that a call asks for: the sandbox's, or with `?scope=run` the process's. */
export const totalsOf = (request: FastifyRequest): Totals => totalsIn(request.arrival.sandbox, queryOf<Static<typeof SCOPE_QUERY>>(request, SCOPE_QUERY).scope)

export const evidenceRoutes: FastifyPluginAsync<{ sandboxes: Sandboxes; settings: Settings }> = async (control, { sandboxes, settings }) => {
  const waiting = new Slots(settings['limits.waiting'], 'verify calls that wait', 'limits.waiting')
  const closing = new AbortController()
  // each call that waits listens to it
  setMaxListeners(0, closing.signal)
  control.addHook('onClose', async () => closing.abort())

  control.get('/requests', async (request, reply) => {
    const { format, ...query } = queryOf<Static<typeof LIST_QUERY>>(request, LIST_QUERY)
    const { sandbox } = request.arrival
    if (format === 'scenario') {
      const [filter] = Object.keys(query)
      if (filter !== undefined) throw invalid(filter, 'a scenario plays every call again; leave it out')
      return reply.type(YAML).send(await recordedText(await scenarioOf(recordingOf(sandbox, keysToMask(sandbox)))))
    }
    if (query.scope === 'run') return callsOfRun(query, sandboxes)
    const { journal } = sandbox.evidence
    const found = journal.requests().reverse().filter(filterOf(query, sandbox))
    const { limit = DEFAULT_LIMIT } = query
    const keys = keysToMask(sandbox)
    return { object: 'list', data: found.slice(0, limit).map(call => summaryOf(call, keys)), has_more: found.length > limit, dropped: journal.dropped }
  })

  control.delete('/requests', async (request, reply) => {
    queryOf(request)
    request.arrival.sandbox.evidence.clearJournal()
    return reply.code(204).send()
  })

  control.get<{ Params: { id: string } }>('/requests/:id', async (request, reply) => {
    const { format } = queryOf<Static<typeof ENTRY_QUERY>>(request, ENTRY_QUERY)
    const { sandbox } = request.arrival
    const { journal } = sandbox.evidence
    const found = sandbox.evidence.find(request.params.id)
    if (!found) throw unknownRequest(request.params.id, sandbox)
    const keys = keysToMask(sandbox)
    if (format === 'scenario') {
      const scenario = await scenarioOfCall(recordingOf(sandbox, keys, found))
      if (scenario === undefined) throw invalid('format', `${found.id} ${UNPLAYABLE}`)
      return reply.type(YAML).send(await recordedText(scenario))
    }
    return format === 'text' ? reply.type(MEDIA_TYPES.text).send(explainedText(found, journal, keys)) : explained(found, journal, keys)
  })

  control.post('/verify', async (request, reply) => {
    const { holds, ...verdict } = await verify(request, reply, { waiting, closing: closing.signal })
    return reply.code(holds ? 200 : 409).send(maskedThroughout({ holds, ...verdict }))
  })

  control.get('/coverage', async (request, reply) => {
    const { scope, format = 'json' } = queryOf<Static<typeof COVERAGE_QUERY>>(request, COVERAGE_QUERY)
    const report = totalsIn(request.arrival.sandbox, scope).coverage.report()
    return format === 'json' ? report : reply.type(MEDIA_TYPES[format]).send(COVERAGE_FORMATS[format](report))
  })

  control.delete('/coverage', async (request, reply) => {
    totalsOf(request).coverage.clear()
    return reply.code(204).send()
  })

  control.get('/findings', async (request, reply) => {
    const { scope, format } = queryOf<Static<typeof FINDINGS_QUERY>>(request, FINDINGS_QUERY)
    const data = totalsIn(request.arrival.sandbox, scope).findings()
    return format === 'text' ? reply.type(MEDIA_TYPES.text).send(findingsText(data)) : { data }
  })
}

/** The calls of every sandbox, newest first, each with the name of its sandbox. */
function callsOfRun(query: Static<typeof LIST_QUERY>, sandboxes: Sandboxes) {
  const { limit = DEFAULT_LIMIT, since } = query
  if (since !== undefined && instantOf(since) === null) throw invalid('since', `with scope=run an instant was expected, not ${since}`)
  const all = sandboxes.all()
  const found = all.flatMap(sandbox => {
    const isWanted = filterOf(query, sandbox)
    return sandbox.evidence.journal.requests().flatMap(call => (isWanted(call) ? [{ call, sandbox }] : []))
  })
  found.sort((a, b) => a.call.now - b.call.now).reverse()
  return {
    object: 'list',
    data: found.slice(0, limit).map(({ call, sandbox }) => ({ sandbox: sandbox.name, ...summaryOf(call, keysToMask(sandbox)) })),
    has_more: found.length > limit,
    dropped: all.reduce((sum, { evidence }) => sum + evidence.journal.dropped, 0)
  }
}

/** Which entries a list shows. Errors: `parameter_invalid` for a filter that names nothing, with what exists. */
function filterOf({ on, status, since, rule }: Static<typeof LIST_QUERY>, sandbox: Sandbox): (call: Exchange) => boolean {
  const operation = on === undefined ? undefined : operationNamed(on)
  if (operation === null) {
    throw invalid('on', `${on} is no operation of the reference${didYouMean(on as string, OPERATION_NAMES) || `; it has ${OPERATION_NAMES.join(', ')}`}`)
  }
  if (status !== undefined && !/^[1-5](\d\d|xx)$/.test(status)) {
    throw invalid('status', `a status such as 404, or a class such as 4xx, was expected, not ${status}`)
  }
  const hasStatus = (call: Exchange) =>
    status === undefined || (status.endsWith('xx') ? String(call.outcome.status)[0] === status[0] : String(call.outcome.status) === status)
  const hasRule = (call: Exchange) => rule === undefined || brokenRule(call) === rule || keptRules(call).includes(RULE_PLACES.get(rule) as number)
  const isWanted = (call: Exchange) => (operation === undefined || call.operation === operation) && hasStatus(call) && hasRule(call)
  if (since === undefined) return isWanted

  const at = instantOf(since)
  if (at !== null) return call => call.at >= at && isWanted(call)
  const ids = sandbox.evidence.journal.requests().map(({ id }) => id)
  const start = ids.indexOf(since)
  if (start < 0) throw invalid('since', `an instant or the id of a call in the journal was expected, not ${since}; ${heldBy(ids)}`)
  const later = new Set(ids.slice(start + 1))
  return call => later.has(call.id) && isWanted(call)
}

const invalid = (param: string, message: string) => new ApiError('parameter_invalid', { message: sentence(`${param}: ${message}`), param })

function unknownRequest(id: string, sandbox: Sandbox): ApiError {
  const there = heldBy(sandbox.evidence.journal.requests().map(call => call.id))
  return new ApiError('request_unknown', { message: `The journal holds no call ${id}; ${there}.`, param: 'id' })
}

const heldBy = (ids: readonly string[]) => (ids.length === 0 ? 'it is empty' : `it holds ${ids[0]} to ${ids.at(-1)}`)

/** A recorded scenario as YAML. */
async function recordedText({ data, notes }: RecordedScenario): Promise<string> {
  const { scenarioText } = await import('../scenario/yaml.js')
  return scenarioText(data, notes)
}
