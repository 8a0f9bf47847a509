/** A response, and what happened on the way: an immutable value. */
import { ApiError, CATALOGUE, type Problem, statusOf } from '../core/errors.js'
import { filled } from '../core/templates.js'
import { type Guarded, redacted } from './keys.js'
import {
  type Facts,
  factsOf,
  type Outcome,
  type ResponseHeaders,
  type Scripted,
  STAGE
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
/** How far a request came, as far as it differs from one that was only read. */
type Course = Partial<
  Pick<Response, 'facts' | 'script' | 'changes'> &
    Pick<Outcome, 'reached'> & { place: number | undefined }
>
type Decided = Pick<Outcome, 'name' | 'status'> &
  Course &
  Partial<
    Pick<Outcome, 'refusal' | 'result' | 'members' | 'text' | 'pause'> &
      Pick<Response, 'payload' | 'headers'>
  >

export function respond(
  reading: Reading,
  {
    name,
    status,
    reached = reading.reached,
    refusal = null,
    result = null,
    members = null,
    text = '',
    pause = null,
    payload = text,
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
    refusal,
    result,
    members,
    list: reading.settings['shapes.list'],
    text,
    length: typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length,
    fault: null,
    pause,
    isDelivered: true
  }
  return { reading, outcome, facts, script, headers, payload, place, changes }
}

/** How a request came to a response. */
export const courseOf = ({ outcome, facts, script, place, changes }: Response): Course => ({
  reached: outcome.reached,
  facts,
  script,
  place,
  changes
})

/** No response: the client left, or the emulator stops. */
export const giveUp = (reading: Reading, course: Course = {}): Response =>
  respond(reading, { ...course, name: 'lost_before', status: 200 })

/** Refuses a request. Errors: defects are rethrown. */
export function refuse(
  reading: Reading,
  error: unknown,
  course: Course = {},
  headers: ResponseHeaders | null = null
): Response {
  if (!(error instanceof ApiError)) throw error
  const { settings, relied, id } = reading
  const { code, rule = null, assumption = null, param = null, facts = null } = error
  if (assumption) relied.add(assumption)
  const by = settings['errors.expose_rule'] && (rule ? { rule } : assumption && { assumption })
  const body = { ...shownError(error, reading), ...by, request_id: id }
  const { reached = reading.reached, changes = 0, place } = course
  return respond(reading, {
    ...course,
    name: code === 'operation_disabled' ? 'answered' : 'refused',
    status: statusOf(code, settings),
    refusal: { code, rule, assumption, param, facts },
    text: JSON.stringify(filled(settings['shapes.error'], body)),
    headers: { ...headers, ...error.headers },
    place: reached < STAGE.running && changes === 0 ? undefined : place
  })
}

/** Refuses a response whose change could not be written: it was still made. */
export function refuseUnwritten(response: Response, error: ApiError): Response {
  const { reading, outcome } = response
  const refused = refuse(reading, error, courseOf(response))
  const { name, reached } = outcome
  const isPerformed = name === 'answered' || (name === 'scripted' && reached === STAGE.running)
  if (error.code !== 'data_not_written' || !isPerformed) return refused
  const { status, refusal, text, length } = refused.outcome
  const unwritten = { name: 'not_written', status, refusal, text, length } as const
  return { ...refused, outcome: { ...outcome, ...unwritten, fault: null, pause: null } }
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
