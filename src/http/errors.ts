/** Every refusal ends here: thrown by a handler, by the framework, or met before a request could be read at all; all in the one shape (A07, A08). */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode, statusOf } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { operationsAt } from '../reference/operations.js'
import { RULES, type RuleId } from '../reference/rules.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { errorBody, readable } from './answers.js'
import { countCall } from './scripting.js'

/** What the framework's own errors are called here. */
const FRAMEWORK: Readonly<Record<string, { code: ErrorCode; message: string; rule?: RuleId; assumption?: AssumptionId }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'content_type_unsupported',
    message: 'The Content-Type header is not a media type, which is written type/subtype.',
    rule: 'FORM-1'
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'path_unknown', message: 'A part of the path is longer than any id.', assumption: 'A08' },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'body_too_large',
    message: 'The body is larger than the limit allows: limits.body for the API, limits.control_body for control calls.',
    assumption: 'A08'
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'request_malformed', message: 'The body is not as long as its Content-Length says.', assumption: 'A08' },
  ECONNRESET: { code: 'request_malformed', message: 'The connection ended in the middle of the body.', assumption: 'A08' },
  FST_ERR_BAD_URL: { code: 'request_malformed', message: 'The percent-encoding of the path is broken.', assumption: 'A08' }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const DEFAULTS = settingsInForce({}).values

/** Any thrown error as a refusal; what is not known here is a defect of the emulator. */
export function refusalFrom(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error
  const known = FRAMEWORK[error.code]
  if (known) return new ApiError(known.code, known)
  return new ApiError('internal_error', { message: 'The emulator failed; its log says where. Please report it with the call that caused it.' })
}

/** Answers a refusal of the emulated API; writes the rule to the trace and a defect to the log. */
export async function answerError(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const refusal = refusalFrom(error)
  const { sandbox, trace } = request
  if (refusal.code === 'internal_error') request.log.error({ err: error }, 'defect')
  if (request.sent === null) countCall(request)
  request.refusal = refusal
  if (refusal.rule) trace[RULES[refusal.rule].violable ? 'broke' : 'held'](refusal.rule, refusal.facts)
  if (refusal.assumption) trace.assumed(refusal.assumption)
  trace.assumed('A07')
  trace.assumed('A08')
  reply.code(statusOf(refusal.code, sandbox.settings)).headers(refusal.headers).type(JSON_TYPE)
  return errorBody(refusal, {
    sandbox,
    authorization: request.headers.authorization,
    requestId: request.id,
    exposeRule: sandbox.settings['errors.expose_rule']
  })
}

/** Answers a refusal of the control API: the same shape and the default statuses, whatever the sandbox's settings say. */
export async function answerControlError(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const refusal = refusalFrom(error)
  if (refusal.code === 'internal_error') request.log.error({ err: error }, 'defect')
  reply.code(statusOf(refusal.code, DEFAULTS)).headers(refusal.headers).type(JSON_TYPE)
  return errorBody(refusal, { sandbox: request.sandbox, requestId: request.id, exposeRule: false })
}

/** The refusal of a path below the base that has no operation (404), or none with this method (405 with `Allow`; TKT-1 for a Ticket). */
export function noOperation(method: string, path: string): ApiError {
  const there = operationsAt(path)
  if (there.length === 0) {
    return new ApiError('path_unknown', {
      message: `No endpoint has the path ${readable(path)}; the families are /locations, /accounts, /accounts/{id}/users, /tickets, /transactions and /refunds.`,
      assumption: 'A08'
    })
  }
  const allowed = there.map(operation => operation.method).join(', ')
  const shown = readable(path)
  const isTicket = there.some(({ family }) => family === 'tickets')
  return new ApiError('method_not_allowed', {
    message: isTicket ? `Tickets are read-only: ${shown} takes ${allowed}, not ${method}.` : `${shown} takes ${allowed}, not ${method}.`,
    headers: { allow: allowed },
    ...(isTicket ? { rule: 'TKT-1' } : { assumption: 'A08' })
  })
}

/** The refusal of a path outside the API and the control API; one that lacks the base's `/next` is told so (BASE-1). */
export function outsideBase(path: string, prefix: string): ApiError {
  if (operationsAt(path).length > 0) {
    return new ApiError('path_unknown', { message: `The base address ends in /next: call ${prefix}/next${readable(path)}.`, rule: 'BASE-1' })
  }
  return new ApiError('path_unknown', {
    message: `There is nothing at ${prefix}${readable(path)}; the API is at ${prefix}/next, its control at ${prefix}/_control.`,
    assumption: 'A08'
  })
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
