/** Requests of the journal, by filters and by id. */
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { instantOf } from '../../core/instants.js'
import { keysToMask } from '../../engine/keys.js'
import type { Entry } from '../../evidence/entry.js'
import { summaryOf } from '../../evidence/why.js'
import { OPERATION_NAMES, operationNamed } from '../../reference/operations.js'
import { optional, parameters, word } from '../../reference/parameters.js'
import { RULE_IDS } from '../../reference/rules.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { Sandboxes } from '../../sandbox/sandboxes.js'
import { lazily } from '../../work/json-pieces.js'
import { described, format, scope } from '../schemas.js'
import { REFUSALS } from '../sentences.js'

export const FILTERS = parameters({
  on: optional(described('An operation, such as `POST /refunds` or `GET /tickets/{id}`.')),
  rule: optional(
    word(RULE_IDS, {
      description: 'The id of a rule, such as `REF-7`: requests that passed or violated it.'
    })
  ),
  ...scope('`sandbox`, the default, or `run`: requests of every sandbox.'),
  status: optional(described('A status, such as `404`, or a class, such as `4xx`.')),
  since: optional(described('Requests after this request id, or since this instant.')),
  ids: optional(described('Ids of requests, separated by commas.')),
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of requests, 1 to 1000; 100 by default.'
    })
  ),
  ...format(
    ['json', 'scenario'],
    '`json`, the default, or `scenario`: the requests since the last load or reset as a scenario that replays them. It cannot be combined with `scope` or `limit`.'
  )
})
export type Filters = Omit<Static<typeof FILTERS>, 'format'>

/** Newest first; requests of a run name their sandbox. Errors: `parameter_invalid`. */
export function requestsOf(query: Filters, sandbox: Sandbox, sandboxes: Sandboxes): object {
  const { limit = 100, scope, since } = query
  const isRun = scope === 'run'
  if (isRun && since !== undefined && instantOf(since) === null) throw REFUSALS.sinceOfRun(since)
  const all = isRun ? sandboxes.all() : [sandbox]
  const matching = all.flatMap(sandbox => {
    const isWanted = filterOf(query, sandbox)
    const of = { keys: keysToMask(sandbox), named: isRun && { sandbox: sandbox.name } }
    return sandbox.evidence.journal
      .requests()
      .flatMap(request => (isWanted(request) ? [{ request, ...of }] : []))
  })
  if (isRun) matching.sort((a, b) => a.request.now - b.request.now)
  return {
    object: 'list',
    data: lazily(matching.reverse().slice(0, limit), ({ request, keys, named }) => ({
      ...named,
      ...summaryOf(request, keys)
    })),
    has_more: matching.length > limit,
    dropped: all.reduce((sum, { evidence }) => sum + evidence.journal.dropped, 0)
  }
}

const idsIn = ({ evidence }: Sandbox): string[] => evidence.journal.requests().map(({ id }) => id)

/** Errors: `request_unknown`, at `param`. */
export function requestNamed(id: string, sandbox: Sandbox, param = 'id'): Entry {
  const request = sandbox.evidence.find(id)
  if (!request) throw REFUSALS.requestUnknown(id, idsIn(sandbox), param)
  return request
}

/** Errors: `parameter_invalid` for a filter that names nothing. */
export function filterOf(
  { on, status, since, rule, ids: listed }: Filters,
  sandbox: Sandbox
): (request: Entry) => boolean {
  const operation = on === undefined ? undefined : operationNamed(on)
  if (operation === null) throw REFUSALS.operationUnknown(String(on), OPERATION_NAMES)
  if (status !== undefined && !/^[1-5](\d\d|xx)$/.test(status)) throw REFUSALS.statusWrong(status)
  const at = since === undefined ? Number.NEGATIVE_INFINITY : instantOf(since)
  const ids = at === null ? idsIn(sandbox) : []
  const start = ids.indexOf(String(since))
  if (at === null && start < 0) throw REFUSALS.sinceUnknown(String(since), ids)
  const later = new Set(ids.slice(start + 1))
  const named = listed === undefined ? undefined : new Set(listed.split(','))
  return request =>
    (operation === undefined || request.operation === operation) &&
    (status === undefined || String(request.outcome.status).startsWith(status.replace('xx', ''))) &&
    (rule === undefined ||
      request.judgement.violated === rule ||
      request.judgement.passed.includes(rule)) &&
    (named === undefined || named.has(request.id)) &&
    (at === null ? later.has(request.id) : request.at >= at)
}
