/**
 * Errors of the framework and of what cannot be read as HTTP, in the shape of all refusals (A07,
 * A08).
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode, statusOf } from '../core/errors.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { controlError, errorText, JSON_TYPE } from '../engine/answers.js'
import { REFUSALS } from '../engine/sentences.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { logDefect } from './logging.js'
import { SAYS } from './sentences.js'

/**
 * The setting that bounds the body of a request: one of the emulated API, or of a control request
 * that brings a document.
 */
type BodyLimit = 'limits.body' | 'limits.control_body'

const unreadable = (message: string) =>
  new ApiError('request_malformed', { message, assumption: 'A08' })

/** What the framework's own errors are called here. */
const FRAMEWORK: Readonly<Record<string, (settings: Settings, bodyLimit?: BodyLimit) => ApiError>> =
  {
    FST_ERR_CTP_INVALID_MEDIA_TYPE: REFUSALS.notAType,
    FST_ERR_MAX_PARAM_LENGTH: REFUSALS.longPart,
    FST_ERR_CTP_BODY_TOO_LARGE: (settings, limit = 'limits.body') =>
      REFUSALS.tooLarge(settings[limit], limit),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => unreadable(SAYS.wrong_length()),
    ECONNRESET: () => unreadable(SAYS.body_cut_off()),
    FST_ERR_BAD_URL: REFUSALS.badPath
  }

const DEFAULTS = settingsInForce({}).values

/** Any thrown error as a refusal; what is not known here is a defect of the emulator. */
export function refusalFrom(
  error: FastifyError | ApiError,
  settings: Settings,
  bodyLimit?: BodyLimit
): ApiError {
  if (error instanceof ApiError) return error
  const known = FRAMEWORK[error.code]
  if (known) return known(settings, bodyLimit)
  return new ApiError('internal_error', { message: SAYS.defect() })
}

/**
 * The body of a refusal of the control API: the same shape and the default statuses, whatever the
 * sandbox's settings say. A document has a limit of its own.
 */
export function controlRefusal(
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply
) {
  const { sandbox, id } = request.arrival
  const { settings } = sandbox
  const refusal = refusalFrom(
    error,
    settings,
    request.routeOptions.config.takesDocument ? 'limits.control_body' : 'limits.body'
  )
  if (refusal.code === 'internal_error') logDefect(request.log, error)
  reply.code(statusOf(refusal.code, DEFAULTS)).headers(refusal.headers)
  return controlError(refusal, { world: sandbox, requestId: id })
}

type Early = { sandbox: Sandbox }

function early(
  code: EarlyCode,
  { sandbox }: Early
): { status: number; headers: Record<string, string>; body: string } {
  const requestId = sandbox.nextRequestId()
  const error = new ApiError(code, { message: SAYS[code](), assumption: 'A08' })
  const body = errorText(error, { world: sandbox, requestId }, sandbox.settings)
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'request-id': requestId,
    connection: 'close'
  }
  return { status: statusOf(code, sandbox.settings), headers, body }
}

type EarlyCode = keyof typeof SAYS & ErrorCode
const UNREADABLE: Readonly<Record<string, EarlyCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout'
}

/** Refuses what could not be read as HTTP at all, on the bare socket. */
export function answerUnreadable(error: { code?: string }, socket: Socket, at: Early): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const code = UNREADABLE[error.code ?? ''] ?? 'request_malformed'
  const { status, headers, body } = early(code, at)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // one that takes its time does not end by itself
  if (code === 'request_timeout') socket.destroySoon()
}

/** Refuses an `Expect` that is not supported. */
export function answerExpectation(
  _request: IncomingMessage,
  response: ServerResponse,
  at: Early
): void {
  const { status, headers, body } = early('expectation_failed', at)
  response.writeHead(status, headers).end(body)
}
