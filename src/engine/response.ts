/** A response, and what happened on the way: an immutable value. */
import { ApiError, statusOf } from '../core/errors.js'
import type { Reading } from './admit.js'
import { errorText, JSON_TYPE } from './error-text.js'
import {
  type Facts,
  factsOf,
  type Outcome,
  type ResponseHeaders,
  type Scripted,
  STAGE,
  type Stage
} from './outcome.js'

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
export type Course = Pick<Response, 'facts' | 'script' | 'place' | 'changes'> & {
  readonly reached: Stage
}

export const courseOf = (
  { reached: stage, record, relied, request }: Reading,
  {
    reached = stage,
    facts = factsOf(relied, record),
    script = null,
    place = request.world.inputs.place,
    changes = 0
  }: Partial<Course> = {}
): Course => ({ reached, facts, script, place, changes })

type Decided = Pick<Outcome, 'name' | 'status'> &
  Partial<Pick<Outcome, 'refusal' | 'result' | 'members' | 'text' | 'pause'>>

export function respond(
  reading: Reading,
  { name, status, refusal = null, result = null, members = null, text = '', pause = null }: Decided,
  { reached, facts, script, place, changes }: Course,
  payload: Response['payload'] = text,
  headers: ResponseHeaders | null = null
): Response {
  const outcome = {
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
  } as Outcome
  return { reading, outcome, facts, script, headers, payload, place, changes }
}

/** No response: the client left, or the emulator stops. */
export const giveUp = (reading: Reading, course = courseOf(reading)): Response =>
  respond(reading, { name: 'lost_before', status: 200 }, course)

/** Refuses a request that had got `before`. Errors: defects are rethrown. */
export function refuse(
  reading: Reading,
  error: unknown,
  before: Course | Response = courseOf(reading),
  headers: ResponseHeaders | null = null
): Response {
  if (!(error instanceof ApiError)) throw error
  const { request, settings, relied } = reading
  const { code, rule = null, assumption = null, param = null, facts = null } = error
  if (assumption) relied.add(assumption)
  const { world, id, authorization } = request
  const text = errorText(error, { world, authorization, requestId: id }, settings)
  const status = statusOf(code, settings)
  const refusal = { code, rule, assumption, param, facts }
  const course = 'outcome' in before ? { ...before, reached: before.outcome.reached } : before
  const name = code === 'operation_disabled' ? 'answered' : 'refused'
  const response = respond(reading, { name, status, refusal, text }, course, text, {
    ...headers,
    ...error.headers
  })
  // a change that could not be written was still made
  if (code === 'data_not_written' && 'outcome' in before && isPerformed(before))
    return {
      ...response,
      outcome: {
        ...before.outcome,
        ...NOT_WRITTEN,
        status,
        refusal,
        text,
        length: response.outcome.length
      }
    }
  return course.reached < STAGE.running && course.changes === 0
    ? { ...response, place: world.inputs.place }
    : response
}

const NOT_WRITTEN = { name: 'not_written', fault: null, pause: null } as const
const isPerformed = ({ outcome: { name, reached } }: Response): boolean =>
  name === 'answered' || (name === 'scripted' && reached === STAGE.running)

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Request-Id, Warning'
}

/** Without Content-Length. */
export function headersOf({ reading, outcome, headers: extra }: Response): ResponseHeaders {
  const { request, warnings, settings } = reading
  const headers: ResponseHeaders = outcome.length === 0 ? {} : { 'content-type': JSON_TYPE }
  headers['request-id'] = request.id
  if (request.headers.origin !== undefined && settings.cors) Object.assign(headers, CORS_HEADERS)
  if (warnings.length > 0) headers.warning = warnings.map(warningHeader)
  if (extra !== null) Object.assign(headers, extra)
  return headers
}

const warningHeader = (message: string) =>
  `299 - ${JSON.stringify(message.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`
