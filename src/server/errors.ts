/** Errors of the framework and of what cannot be read as HTTP (A07, A08). */
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, statusOf } from '../core/errors.js'
import { CONTROL, isUnder } from '../core/paths.js'
import { type Settings, settingsInForce } from '../core/settings.js'
import { requireBase } from '../engine/admit.js'
import { shownError } from '../engine/response.js'
import { REFUSALS } from '../engine/sentences.js'
import { logDefect } from './logging.js'
import { SAYS } from './sentences.js'

type BodyLimit = 'limits.body' | 'limits.control_body'

const unreadable = (message: string) =>
  new ApiError('request_malformed', { message, assumption: 'A08' })

const FRAMEWORK: Readonly<Record<string, (settings: Settings, bodyLimit?: BodyLimit) => ApiError>> =
  {
    FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
      new ApiError('content_type_unsupported', { message: SAYS.no_media_type(), rule: 'FORM-1' }),
    FST_ERR_MAX_PARAM_LENGTH: REFUSALS.longPath,
    FST_ERR_CTP_BODY_TOO_LARGE: (settings, limit = 'limits.body') =>
      REFUSALS.tooLarge(settings[limit], limit),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => unreadable(SAYS.wrong_length()),
    ECONNRESET: () => unreadable(SAYS.body_cut_off()),
    FST_ERR_BAD_URL: REFUSALS.badPath
  }

const DEFAULTS = settingsInForce({}).values

/** An unknown error is a defect of the emulator. */
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
  const { takesDocument } = request.routeOptions.config
  const limit = takesDocument ? 'limits.control_body' : 'limits.body'
  const refusal = refusalFrom(error, sandbox.settings, limit)
  if (refusal.code === 'internal_error') logDefect(request.log, error)
  reply.code(statusOf(refusal.code, DEFAULTS)).headers(refusal.headers)
  return { error: { ...shownError(refusal, { world: sandbox }), request_id: id } }
}

type ParseError = { code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number }

/** Why a request could not be read. */
export const UNREADABLE = new WeakMap<
  IncomingMessage,
  { method: string | undefined; refusal: ApiError | null }
>()

const REQUEST_LINE = /^(\S+) (?:https?:\/\/[^/\s]+)?(\/\S*) HTTP\/1\.\d\r?$/gm

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

type Connection = Socket & { _httpMessage?: ServerResponse | null }

/** Refuses what could not be read as HTTP, as a request without parameters. */
export function refuseUnreadable(error: ParseError, socket: Connection, server: Server): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const text = error.rawPacket?.toString('latin1') ?? ''
  const refusal = unread(error, text)
  const { _httpMessage: pending } = socket
  if (pending?.req.complete)
    // it comes after a request that is still open
    pending.once('close', () => refuseUnreadable(error, socket, server))
  else if (pending) refuseBody(pending, error, refusal)
  // the end of a body whose request already has its response
  else if (/CHUNK/.test(String(error.code))) socket.destroySoon()
  else refuseRequest(error, text, socket, refusal, server)
}

function refuseBody(pending: ServerResponse, { code }: ParseError, refusal: ApiError): void {
  const { req: request } = pending
  pending.shouldKeepAlive = false
  // whether its client has left is not known
  if (code === 'HPE_INVALID_EOF_STATE') pending.emit('close')
  else UNREADABLE.set(request, { method: String(request.method), refusal })
  if (request.listenerCount('error') > 0) request.emit('error', refusal)
}

function refuseRequest(
  { code, bytesParsed }: ParseError,
  text: string,
  socket: Socket,
  refusal: ApiError,
  server: Server
): void {
  const lines = [...text.matchAll(REQUEST_LINE)]
  const line = lines.findLast(({ index }) => index <= Number(bytesParsed))
  const [, method = '-', url = '/next/'] = line ?? []
  const request = new IncomingMessage(socket)
  // a method that the router knows and no route has
  Object.assign(request, { method: 'TRACE', url })
  const isMethod = code === 'HPE_INVALID_METHOD' && method !== '-'
  UNREADABLE.set(request, { method, refusal: isMethod ? null : refusal })
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    response.emit('close')
    // a slow client would keep the connection open
    if (refusal.code === 'request_timeout') socket.destroySoon()
    else socket.end()
  })
  server.emit('request', request, response)
}

/** Refuses what Node leaves to us: CONNECT, and what else a client may expect. */
export function refuseUnusualRequests(server: Server): void {
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => {})
    refuseUnreadable({ code: 'CONNECT' }, socket, server)
  })
  server.on('checkExpectation', (request, response) => {
    UNREADABLE.set(request, { method: request.method, refusal: early('expectation_failed') })
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
}

/** Refuses a request without a Host, and a path outside the base and the control API. */
export function rejectUnroutable({ url, headers, raw, is404, arrival }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') throw unreadable(SAYS.no_host())
  if (is404 && !isUnder(CONTROL, url)) requireBase(arrival.reading)
}
