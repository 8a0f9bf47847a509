/** Errors of the framework and of what cannot be read as HTTP (A07, A08). */
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, statusOf } from '../core/errors.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { controlError } from '../engine/error-text.js'
import { REFUSALS } from '../engine/sentences.js'
import { logDefect } from './logging.js'
import { SAYS } from './sentences.js'

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
  return (
    FRAMEWORK[error.code]?.(settings, bodyLimit) ??
    new ApiError('internal_error', { message: SAYS.defect() })
  )
}

/** A refusal of the control API, whose statuses no setting changes. */
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

type ParseError = { code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number }

/** Why a request could not be read, and the method that it wrote. */
export const UNREADABLE = new WeakMap<
  IncomingMessage,
  { method: string; refusal: ApiError | null }
>()

const REQUEST_LINE = /^(\S+) (?:https?:\/\/[^/\s]+)?(\/\S*) HTTP\/1\.\d\r?$/gm

/** Why a request could not be read, as far as its first bytes tell. */
function unread({ code = '', reason }: ParseError, text: string): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return early('headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return early('request_timeout')
  let cause = String(reason)
  if (text.startsWith('\x16\x03')) cause = SAYS.is_tls()
  else if (text.startsWith('PRI * HTTP/2')) cause = SAYS.is_http2()
  else if (/CONTENT_LENGTH|TRANSFER_ENCODING/.test(code)) cause = SAYS.two_lengths()
  else if (code === 'CONNECT') cause = SAYS.is_connect()
  return unreadable(SAYS.request_malformed(cause))
}

const early = (code: 'headers_too_large' | 'request_timeout' | 'expectation_failed') =>
  new ApiError(code, { message: SAYS[code](), assumption: 'A08' })

/** What could not be read goes on as a request without parameters that is refused. */
export function answerUnreadable(
  error: ParseError,
  socket: Socket & { _httpMessage?: ServerResponse | null },
  server: Server
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const text = error.rawPacket?.toString('latin1') ?? ''
  const refusal = unread(error, text)
  const { _httpMessage: pending } = socket
  if (pending) {
    // what cannot be read is the body of its request, or comes after that
    if (pending.req.complete) pending.once('close', () => answerUnreadable(error, socket, server))
    else {
      pending.shouldKeepAlive = false
      // whether its client has left is not known
      if (error.code === 'HPE_INVALID_EOF_STATE') pending.emit('close')
      else UNREADABLE.set(pending.req, { method: String(pending.req.method), refusal })
      if (pending.req.listenerCount('error') > 0) pending.req.emit('error', refusal)
    }
    return
  }
  // the end of a body whose request is answered
  if (/CHUNK/.test(String(error.code))) {
    socket.destroySoon()
    return
  }
  const [, method = '-', url = '/next/'] =
    [...text.matchAll(REQUEST_LINE)].findLast(({ index }) => index <= Number(error.bytesParsed)) ??
    []
  const request = new IncomingMessage(socket)
  // a method that the router knows and that nothing has
  Object.assign(request, { method: 'TRACE', url })
  const isMethod = error.code === 'HPE_INVALID_METHOD' && method !== '-'
  UNREADABLE.set(request, { method, refusal: isMethod ? null : refusal })
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    response.emit('close')
    // one that takes its time does not end by itself
    if (refusal.code === 'request_timeout') socket.destroySoon()
    else socket.end()
  })
  server.emit('request', request, response)
}

/**
 * What Node leaves to us: CONNECT, an unsupported `Expect`, and `100-continue`, once nothing known
 * refuses the request.
 */
export function answerAll(app: FastifyInstance): void {
  const { server } = app
  const waiting = new WeakSet<IncomingMessage>()
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => {})
    answerUnreadable({ code: 'CONNECT' }, socket, server)
  })
  server.on('checkExpectation', (request, response) => {
    const { method = '-' } = request
    UNREADABLE.set(request, { method, refusal: early('expectation_failed') })
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
  server.on('checkContinue', (request, response) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  app.addHook('preParsing', ({ raw, headers, routeOptions }, reply, _payload, done) => {
    const { bodyLimit = Number.POSITIVE_INFINITY } = routeOptions
    if (waiting.has(raw) && !(Number(headers['content-length']) > bodyLimit))
      reply.raw.writeContinue()
    done()
  })
}
