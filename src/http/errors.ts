/** Every refusal ends here: thrown by a handler, by the framework, or met before a request could be read at all; all in the one shape (A07, A08). */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode, statusOf } from '../core/errors.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { hasRun, type Outcome } from '../evidence/judged-call.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { operationsAt } from '../reference/operations.js'
import type { RuleId } from '../reference/rules.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { errorBody, JSON_TYPE, readable } from './answers.js'
import type { Call } from './call.js'
import { logDefect } from './logging.js'
import { BASE, pathBelow } from './paths.js'
import { countCall } from './script.js'

/** The setting that bounds the body of a call: one of the emulated API, or of a control call that brings a document. */
type BodyLimit = 'limits.body' | 'limits.control_body'
type Known = { code: ErrorCode; message: (settings: Settings, bodyLimit: BodyLimit) => string; rule?: RuleId; assumption?: AssumptionId }

/** What the framework's own errors are called here. */
const FRAMEWORK: Readonly<Record<string, Known>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'content_type_unsupported',
    message: () => 'The Content-Type header is not a media type, which is written type/subtype.',
    rule: 'FORM-1'
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'path_unknown', message: () => 'A part of the path is longer than any id.', assumption: 'A08' },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'body_too_large',
    message: (settings, bodyLimit) => `The body is larger than ${bodyLimit} allows: ${settings[bodyLimit]} bytes.`,
    assumption: 'A35'
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'request_malformed', message: () => 'The body is not as long as its Content-Length says.', assumption: 'A08' },
  ECONNRESET: { code: 'request_malformed', message: () => 'The connection ended in the middle of the body.', assumption: 'A08' },
  FST_ERR_BAD_URL: { code: 'request_malformed', message: () => 'The percent-encoding of the path is broken.', assumption: 'A08' }
}

const DEFAULTS = settingsInForce({}).values

/** Any thrown error as a refusal; what is not known here is a defect of the emulator. */
export function refusalFrom(error: FastifyError | ApiError, settings: Settings, bodyLimit: BodyLimit = 'limits.body'): ApiError {
  if (error instanceof ApiError) return error
  const known = FRAMEWORK[error.code]
  if (known) return new ApiError(known.code, { ...known, message: known.message(settings, bodyLimit) })
  return new ApiError('internal_error', { message: 'The emulator failed; its log says where. Please report it with the call that caused it.' })
}

/** Answers a refusal of the emulated API; a disabled operation has run, and a change that could not be written was made all the same. */
export function answerRefusal(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply): void {
  const { call } = request
  const { sandbox, settings } = call
  const refusal = refusalFrom(error, settings)
  if (refusal.code === 'internal_error') logDefect(request.log, error)
  countCall(call)
  const { code, rule = null, assumption = null, param = null, facts = null } = refusal
  if (assumption) call.trace.rely(assumption)
  call.refusal = { code, rule, assumption, param, facts }
  call.fate = fateOf(code, call)
  // this answer is not the one that the script broke
  call.lost = null
  const exposeRule = settings['errors.expose_rule']
  call.text = JSON.stringify(errorBody(refusal, { sandbox, authorization: call.authorization, requestId: call.id, exposeRule }))
  reply.answer(statusOf(code, settings), call.text, refusal.headers)
}

function fateOf(code: ErrorCode, call: Call): Outcome {
  if (code === 'operation_disabled') return 'answered'
  // the counts of a script are written too, of calls whose operation did not run
  return code === 'data_not_written' && hasRun(call) ? 'not_written' : 'refused'
}

/** Answers a refusal of the control API: the same shape and the default statuses, whatever the sandbox's settings say. A document has a limit of its own. */
export function answerControlError(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply): void {
  const { sandbox, settings, id } = request.call
  const isDocument = request.routeOptions.bodyLimit === settings['limits.control_body']
  const refusal = refusalFrom(error, settings, isDocument ? 'limits.control_body' : 'limits.body')
  if (refusal.code === 'internal_error') logDefect(request.log, error)
  reply
    .code(statusOf(refusal.code, DEFAULTS))
    .headers(refusal.headers)
    .send(errorBody(refusal, { sandbox, requestId: id, exposeRule: false }))
}

const FAMILIES = '/locations, /accounts, /accounts/{id}/users, /tickets, /transactions and /refunds'

/** The refusal of a path below the base that has no operation (404), or none with this method (405 with `Allow`; TKT-1 for a Ticket). */
export function noOperation({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): ApiError {
  const path = pathBelow(url)
  const there = operationsAt(path)
  const shown = readable(path)
  if (there.length === 0) {
    return new ApiError('path_unknown', { message: `No endpoint has the path ${shown}; the families are ${FAMILIES}.`, assumption: 'A08' })
  }
  const allowed = there.map(operation => operation.method).join(', ')
  const isTicket = there.some(({ family }) => family === 'tickets')
  const isWrite = method !== 'HEAD' && method !== 'OPTIONS'
  return new ApiError('method_not_allowed', {
    message: `${isTicket ? 'Tickets are read-only: ' : ''}${shown} takes ${allowed}, not ${method}.`,
    headers: { allow: allowed },
    ...(isTicket && isWrite ? { rule: 'TKT-1' } : { assumption: method === 'HEAD' ? 'A39' : 'A08' })
  })
}

/** The refusal of a path outside the API and the control API (BASE-1). */
export function outsideBase(path: string, base: string): ApiError {
  const isLost = operationsAt(path).length > 0
  const message = isLost
    ? `The base address ends in /next: call ${base}${readable(path)}.`
    : `There is nothing at ${base.slice(0, -BASE.length)}${readable(path)}; every path is relative to the base address, which is ${base} here.`
  return new ApiError('path_unknown', { message, rule: 'BASE-1' })
}

type Early = { sandbox: Sandbox }

function early(code: ErrorCode, message: string, { sandbox }: Early): { status: number; headers: Record<string, string>; body: string } {
  const requestId = sandbox.nextRequestId()
  const error = new ApiError(code, { message, assumption: 'A08' })
  const body = JSON.stringify(errorBody(error, { sandbox, requestId, exposeRule: sandbox.settings['errors.expose_rule'] }))
  const headers = { 'content-type': JSON_TYPE, 'content-length': String(Buffer.byteLength(body)), 'request-id': requestId, connection: 'close' }
  return { status: statusOf(code, sandbox.settings), headers, body }
}

const UNREADABLE: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'The request line and headers are larger than 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'The request did not arrive in time.' }
}

/** Answers what could not be read as HTTP at all, on the bare socket. */
export function answerUnreadable(error: { code?: string }, socket: Socket, at: Early): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, message } = UNREADABLE[error.code ?? ''] ?? { code: 'request_malformed', message: 'The request is not HTTP/1.1 that can be read.' }
  const { status, headers, body } = early(code, message, at)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** Answers an `Expect` that is not offered. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse, at: Early): void {
  const { status, headers, body } = early('expectation_failed', 'The Expect header may only ask for 100-continue.', at)
  response.writeHead(status, headers).end(body)
}
