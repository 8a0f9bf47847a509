/** A response, and what happened on the way: an immutable value. */
import { ApiError, CATALOGUE, type Problem, statusOf } from '../core/errors.js'
import { filled } from '../core/templates.js'
import { type Guarded, redacted } from './keys.js'
import {
  type Facts,
  factsOf,
  hasPerformed,
  type Outcome,
  type ResponseHeaders,
  type Scripted
} from './outcome.js'
import type { Reading } from './reading.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

export type Response = {
  readonly reading: Reading
  readonly outcome: Outcome
  readonly facts: Facts
  readonly script: Scripted | null
  readonly headers: ResponseHeaders | null
  readonly payload: string | Buffer
  /** The sandbox's number of changes when the response was decided. */
  readonly place: number
  readonly changes: number
}
type Decided = Pick<Outcome, 'name' | 'status'> &
  Partial<Pick<Outcome, 'reached' | 'result' | 'members'> & Omit<Response, 'reading' | 'outcome'>>

export function respond(
  reading: Reading,
  {
    name,
    status,
    reached = reading.reached,
    result = null,
    members = null,
    payload = '',
    headers = null,
    facts = factsOf(reading.relied, reading.record),
    script = null,
    place = reading.world.inputs.place,
    changes = 0
  }: Decided
): Response {
  const outcome: Outcome = {
    name,
    reached,
    status,
    refusal: null,
    result,
    members,
    list: reading.settings['shapes.list'],
    text: '',
    length: typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length,
    fault: null,
    pause: null,
    isDelivered: true
  }
  return { reading, outcome, facts, script, headers, payload, place, changes }
}

/** No response: the client left, or the emulator stops. */
export const giveUp = (reading: Reading, script: Scripted | null = null): Response =>
  respond(reading, { name: 'lost_before', status: 200, script })

/** The response with another outcome, and its text as the body. */
export const rewritten = (
  response: Response,
  outcome: Partial<Outcome> & Pick<Outcome, 'text'>,
  headers: ResponseHeaders | null
): Response => ({
  ...response,
  outcome: { ...response.outcome, ...outcome, length: Buffer.byteLength(outcome.text) },
  payload: outcome.text,
  headers
})

/** Refuses a request. Errors: defects are rethrown. */
export const refuse = (
  reading: Reading,
  error: unknown,
  headers: ResponseHeaders | null = null
): Response => refuseInstead(giveUp(reading), error, headers)

/** Refuses a request that has a response: a change that could not be written was still made. */
export function refuseInstead(
  response: Response,
  error: unknown,
  headers: ResponseHeaders | null = null
): Response {
  if (!(error instanceof ApiError)) throw error
  const { reading, outcome } = response
  const { settings, relied, id } = reading
  const { code, rule = null, assumption = null, param = null, facts = null } = error
  if (assumption) relied.add(assumption)
  const by = settings['errors.expose_rule'] && (rule ? { rule } : assumption && { assumption })
  const body = { ...shownError(error, reading), ...by, request_id: id }
  const refused = {
    status: statusOf(code, settings),
    refusal: { code, rule, assumption, param, facts },
    text: JSON.stringify(filled(settings['shapes.error'], body)),
    fault: null,
    pause: null
  }
  if (code === 'data_not_written' && hasPerformed({ outcome }))
    return rewritten(response, { ...refused, name: 'not_written' }, error.headers)
  const name = code === 'operation_disabled' ? 'answered' : 'refused'
  const nothing = { result: null, members: null }
  return rewritten(response, { ...refused, ...nothing, name }, { ...headers, ...error.headers })
}

type Secrets = { world: Guarded; authorization?: string | undefined }

/** Masks card numbers and API keys. */
export function shownError({ code, message, param, problems }: ApiError, secrets: Secrets) {
  const show = (text: string) => redacted(text, secrets.world, secrets.authorization)
  return {
    type: CATALOGUE[code].type,
    code,
    message: show(message),
    param: param && show(param),
    problems: problems && shownProblems(problems, secrets)
  }
}

export const shownProblems = (
  problems: readonly Problem[],
  { world, authorization }: Secrets
): Problem[] =>
  problems.map(problem => ({
    ...problem,
    path: redacted(problem.path, world, authorization),
    message: redacted(problem.message, world, authorization)
  }))

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Request-Id, Warning'
}

/** Without Content-Length. */
export function headersOf({ reading, outcome, headers: extra }: Response): ResponseHeaders {
  const { id, headers: sent, warnings, settings } = reading
  const headers: ResponseHeaders = outcome.length === 0 ? {} : { 'content-type': JSON_TYPE }
  headers['request-id'] = id
  if (sent.origin !== undefined && settings.cors) Object.assign(headers, CORS_HEADERS)
  if (warnings.length > 0) headers.warning = warnings.map(warningHeader)
  if (extra !== null) Object.assign(headers, extra)
  return headers
}

const warningHeader = (message: string) =>
  `299 - ${JSON.stringify(message.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`
