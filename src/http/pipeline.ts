/** What a call passes through, in the order of refusals (A08): path, method, key, disabled operation, content type, size, form, parameters, script, operation. */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { FORM_TYPE, type Form, valueIn } from '../core/form.js'
import type { Settings } from '../core/settings.js'
import type { Trace } from '../core/trace.js'
import { tookEffect } from '../evidence/judged-call.js'
import { type Family, isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { DataFile } from '../sandbox/data-file.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { type AnswerHeaders, JSON_TYPE, redacted } from './answers.js'
import { actorOf } from './authentication.js'
import { type Call, hasBody } from './call.js'
import { corsHeaders, preflightHeaders } from './cors.js'
import { answerRefusal, noOperation, outsideBase } from './errors.js'
import type { Faults } from './faults.js'
import { positionOf } from './listing.js'
import { logCall, logDefect, logWarnings } from './logging.js'
import { PARAMETERS, refuseDisabled } from './operations.js'
import { type DecodeContext, decodeParameters, refuseInQuery, type Table } from './parameters.js'
import { BASE, CONTROL, isUnder, pathOf } from './paths.js'
import type { SandboxRouter } from './sandbox-router.js'
import type { BodyReference } from './scope.js'
import { act, countCall, countEnding, lose, sentCall } from './script.js'

/** Decodes form text. */
export type FormDecoder = (text: string) => Form
/** Which sandboxes stay: those that a call with a right path and key has made. */
export type Kept = Pick<Sandboxes, 'keep' | 'release'>
/** What outlives the process; undefined where nothing does. */
export type Data = Pick<DataFile, 'saved' | 'isFailing' | 'writable'> | undefined

/** The first step of any request: makes its call, and closes the call when the response closes. */
export function openCall(request: FastifyRequest, reply: FastifyReply, router: SandboxRouter): ApiError | null {
  const { call, refusal } = router.route(request)
  request.call = call
  call.sandbox.inFlight++
  const { socket } = request.raw
  const isWaiting = reply.raw.socket === null
  const close = () => {
    if (isWaiting) WAITING.get(socket)?.delete(close)
    if (call.isClosed) return
    call.isClosed = true
    call.sandbox.inFlight--
    if (!call.isPending) closeCall(request, reply)
    else if (call.isRecorded && call.settings['evidence.coverage']) record(request, () => call.sandbox.evidence.leave(call))
  }
  reply.raw.on('close', close)
  // a response that waits behind another one of its connection gets no event when the connection ends
  if (isWaiting) closeWith(socket, close)
  return refusal
}

/** What to do when a connection ends, for the calls of it whose responses wait behind another one. */
const WAITING = new WeakMap<Socket, Set<() => void>>()

function closeWith(socket: Socket, close: () => void): void {
  const closing = WAITING.get(socket) ?? new Set()
  if (!WAITING.has(socket)) {
    WAITING.set(socket, closing)
    socket.once('close', () => {
      for (const close of closing) close()
    })
  }
  closing.add(close)
}

/**
 * The steps of the API have come to an end: the answer is about to be sent or is lost. The call is over where its client is gone already, or will get
 * nothing however long it waits. A sandbox that no right call has kept ends.
 */
function settle(request: FastifyRequest, reply: FastifyReply, sandboxes: Kept): void {
  const { call } = request
  if (!call.isInner) sandboxes.release(call.sandbox)
  if (!call.isPending) return
  call.isPending = false
  if (call.isClosed || call.lost === 'hang') closeCall(request, reply)
}

/** The last step: the call goes into the evidence of its sandbox, and into the log. */
function closeCall(request: FastifyRequest, reply: FastifyReply): void {
  const { call } = request
  if (call.isOver) return
  call.isOver = true
  const { sandbox, authorization } = call
  call.close(reply)
  record(request, () => countEnding(call))
  const { settings, evidence } = sandbox
  if (call.isRecorded) record(request, () => evidence.record(call, { journal: settings['evidence.journal'], coverage: settings['evidence.coverage'] }))
  record(request, () => logCall(request, reply, authorization))
}

/** Writes evidence or a log line. The answer is out: a defect in it must not end the process. */
function record({ log }: FastifyRequest, write: () => void): void {
  try {
    write()
  } catch (error) {
    logDefect(log, error)
  }
}

/** 0. Refuses what belongs to no part of the server: a sandbox that cannot exist, no Host, a path outside the base and the control API. */
export function refuseMisplaced({ url, headers, raw, is404, call }: FastifyRequest, refusal: ApiError | null): void {
  if (refusal) throw refusal
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new ApiError('request_malformed', { message: 'The Host header is missing; HTTP/1.1 requires it.', assumption: 'A08' })
  }
  if (is404 && !isUnder(BASE, url) && !isUnder(CONTROL, url)) {
    call.trace.rely('A39')
    throw outsideBase(pathOf(url), call.base)
  }
}

/** What the steps of the emulated API need. `cors` says whether pages of other origins may call it. */
export type PipelineOptions = { decodeForm: FormDecoder; faults: Faults; data: Data; cors: boolean; sandboxes: Kept }

/** The steps of the emulated API, in their order. */
export function addPipeline(api: FastifyInstance, { decodeForm, faults, data, cors, sandboxes }: PipelineOptions): void {
  const refusePath = (request: FastifyRequest) => {
    throw noOperation(request)
  }
  api.setErrorHandler(answerRefusal)
  api.setNotFoundHandler(refusePath)

  // 1. path and method, key, disabled operation, content type
  api.addHook('onRequest', (request, reply, done) => {
    const { call, headers, method } = request
    if (cors) {
      if (method === 'OPTIONS') {
        reply.answer(204, '', preflightHeaders(headers))
        return
      }
      call.headers = corsHeaders(headers)
    }
    call.isPending = true
    if (call.operation === null) refusePath(request)
    call.sandbox.requireLoaded()
    if (call.path.endsWith('/')) call.trace.rely('A39')
    identify(call)
    if (!call.isInner) sandboxes.keep(call.sandbox)
    refuseDisabled(request)
    checkBody(request)
    done()
  })

  // 2. size and form
  addFormParser(api, decodeForm)

  // 3. the parameters, by the operation's table; 4. the script, where an entry speaks of the operation; 5. the operation
  api.addHook('onRoute', route => {
    const operate = route.handler
    route.handler = function (request, reply) {
      const { call } = request
      readForms(request)
      countCall(call)
      readParameters(request)
      call.isValid = true
      const operation = call.operation as OperationId
      const { script, settings } = call.sandbox
      const isScripted = call.isScriptable && script.has(operation)
      const proceed = () => {
        identifyAgain(call)
        operate.call(this, request, reply)
      }
      if (!isScripted && !isChange(operationOf(operation))) return proceed()
      whenWritable(request, reply, data, () => {
        call.isMatched = isScripted
        const action = isScripted ? script.act(sentCall(call), { seed: settings.seed, at: call.at }) : null
        if (action === null) return proceed()
        act(action, request, reply, faults)
          .then(goesOn => {
            if (goesOn) whenWritable(request, reply, data, proceed)
            else if (reply.sent) settle(request, reply, sandboxes)
          })
          .catch(error => answerRefusal(error, request, reply))
      })
    }
  })
}

declare module 'fastify' {
  interface FastifyReply {
    /** Answers a call of the emulated API, in place of `send`: with JSON, unless `headers` say otherwise. */
    answer: (status: number, body: string | Buffer, headers?: AnswerHeaders) => void
  }
}

/** 6. The operation has answered, or the call was refused: what it changed is written, the script may lose the answer, and what is left of it is sent. */
export function createAnswer(faults: Faults, data: Data, sandboxes: Kept): FastifyReply['answer'] {
  return function answer(this: FastifyReply, status, body, headers) {
    const { request } = this
    const { call } = request
    call.length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const deliver = () => {
      const all = headersOf(call, status, headers)
      if (faults.isStopping) all.connection = 'close'
      this.hijack().raw.statusCode = status
      const left = call.action === null || call.isClosed ? body : lose(call, this, { status, headers: all, body: String(body) }, faults)
      settle(request, this, sandboxes)
      // a text of ASCII characters alone is the same in both encodings, and faster to write in this one
      if (left !== null) this.raw.writeHead(status, all).end(left, call.length === left.length ? 'latin1' : 'utf8')
    }
    if (data !== undefined && call.isPending && mayHaveChanged(call)) data.saved().then(deliver, error => answerRefusal(error, request, this))
    else deliver()
  }
}

/** Lets a call go on that changes the state of its sandbox. While the data file cannot be written it is refused before it changes anything. */
function whenWritable(request: FastifyRequest, reply: FastifyReply, data: Data, goOn: () => void): void {
  const { call } = request
  if (call.isInner || !data?.isFailing) {
    goOn()
    return
  }
  data
    .writable()
    .catch(error => {
      call.fate = 'refused'
      throw error
    })
    .then(goOn)
    .catch(error => answerRefusal(error, request, reply))
}

/** The headers of an answer: its type and length, its id (A34), and what was given for it. */
function headersOf(call: Call, status: number, given: AnswerHeaders | undefined): AnswerHeaders {
  const headers: AnswerHeaders = call.length === 0 ? {} : { 'content-type': JSON_TYPE }
  if (status !== 204) headers['content-length'] = String(call.length)
  headers['request-id'] = call.id
  return call.headers === null && given === undefined ? headers : { ...headers, ...call.headers, ...given }
}

/** Finds out who calls. Errors: those of a key that is not right (401). */
function identify(call: Call): void {
  const { key } = operationOf(call.operation as OperationId)
  call.identify(key ? actorOf(call.authorization, call.sandbox, call.trace) : null)
}

/** The operation runs for a caller who is still the same: a load or reset may have replaced the state while the call waited. Errors: as of `identify`. */
function identifyAgain(call: Call): void {
  const { actor, sandbox } = call
  if (actor === null || (!call.isStateReplaced && sandbox.store.accounts.get(actor.id) === actor)) return
  call.identify(null)
  identify(call)
}

/** Errors: `content_type_unsupported` for a compressed body. Without a body, its headers mean nothing. */
function checkBody({ headers }: FastifyRequest): void {
  if (!hasBody(headers)) {
    if (headers['content-type'] !== undefined) delete headers['content-type']
    return
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new ApiError('content_type_unsupported', { message: `A body with Content-Encoding ${encoding} is not read; send it as it is.`, assumption: 'A32' })
  }
}

/** The one content type that is read (FORM-1, A32), as bytes that have to be UTF-8 (A36). */
function addFormParser(api: FastifyInstance, decodeForm: FormDecoder): void {
  api.removeAllContentTypeParsers()
  api.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    const charset = charsetIn(request.headers['content-type'] as string)
    if (!/^utf-?8$/i.test(charset)) return done(notUtf8(`The body is declared as ${charset}; send UTF-8.`))
    return isUtf8(bytes as Buffer) ? done(null, decodeForm(bytes.toString())) : done(notUtf8('The bytes of the body are not UTF-8.'))
  })
  api.addContentTypeParser('*', (request, _payload, done) => {
    const sent = request.headers['content-type'] ?? 'no content type'
    const message = `The body is ${sent}; bodies are form-encoded: send application/x-www-form-urlencoded, nested values as address[city]=Boston.`
    request.call.trace.rely('A32')
    done(new ApiError('content_type_unsupported', { message, ...(request.method === 'POST' ? { rule: 'FORM-1' } : { assumption: 'A32' }) }))
  })
}

/** The character set that a content type names; UTF-8 where it names none. */
const charsetIn = (type: string) => (type === FORM_TYPE ? undefined : /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]) ?? 'utf-8'

const notUtf8 = (message: string) => new ApiError('form_malformed', { message, assumption: 'A36' })

/** Puts the decoded forms into the call. */
function readForms({ call, query, body }: FastifyRequest): void {
  call.query = (query as Form).root
  if (body !== undefined) call.body = (body as Form).root
}

/** Decodes and checks the parameters. Errors: those of the form, `body_unexpected`, then those of the parameter table. */
function readParameters(request: FastifyRequest): void {
  const { call, query, body } = request
  refuseBroken(body as Form | undefined, call.method === 'POST' ? 'FORM-1' : undefined)
  refuseBroken(query as Form, undefined)
  call.isDecoded = true
  const table = PARAMETERS.get(call.operation as OperationId) as Table
  const context = new CallDecoding(request)
  if (call.method === 'POST') {
    refuseInQuery(call.query, context)
    call.values = decodeParameters(table, call.body, context)
    return
  }
  if (hasBody(request.headers)) throw unexpectedBody(call, table)
  call.values = decodeParameters(table, call.query, context)
}

/** Refuses a form that could not be decoded; broken percent-encoding breaks the rule of the place, where it has one: FORM-1 speaks of POST bodies alone. */
function refuseBroken(form: Form | undefined, place: 'FORM-1' | undefined): void {
  if (!form?.problem) return
  const { code, message, param, rule = place, assumption } = form.problem
  throw new ApiError(code, { message, ...(param && { param }), ...(rule && !assumption ? { rule } : { assumption: assumption ?? 'A36' }) })
}

/** A body on a GET or DELETE: a list's parameters in it are in the wrong place (FORM-3), anything else is not expected (A37). */
function unexpectedBody({ method, body, trace }: Call, { byName }: Table): ApiError {
  const isOfList = body.parts.names().some(name => byName.has(name))
  trace.rely('A37')
  const message = `A ${method} takes no body; list parameters go in the query string.`
  return new ApiError('body_unexpected', { message, ...(isOfList ? { rule: 'FORM-3' } : { assumption: 'A37' }) })
}

/** Warnings of one answer, and lines that are logged of them, at most. */
const MOST_WARNINGS = 10

/** What decoding a call's parameters needs, from the call. */
class CallDecoding implements DecodeContext {
  readonly settings: Settings
  readonly trace: Trace
  readonly #request: FastifyRequest
  /** Of the query and of the body. */
  readonly #warnings: string[] = []

  constructor(request: FastifyRequest) {
    this.settings = request.call.settings
    this.trace = request.call.trace
    this.#request = request
  }

  unknown(messages: readonly string[]): void {
    const { call, log } = this.#request
    call.unknownParameter = true
    if (this.settings['parameters.unknown'] !== 'warn') return
    const shown = messages.slice(0, MOST_WARNINGS - this.#warnings.length).map(message => redacted(message, call.sandbox, call.authorization))
    if (!call.isInner) logWarnings(log, shown)
    for (const message of shown) this.#warnings.push(`299 - ${JSON.stringify(message.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`)
    call.headers = { ...call.headers, warning: this.#warnings }
  }

  refer(family: Family, id: string, reference: BodyReference): void {
    const { call } = this.#request
    call.found = call.scope.inBody(family, id, reference)
  }

  cursor(param: string, id: string): void {
    const { call } = this.#request
    if (param === 'ending_before' && valueIn(call.query, 'starting_after') !== undefined) {
      throw new ApiError('parameter_invalid', { message: 'starting_after and ending_before cannot be sent together.', param, assumption: 'A10' })
    }
    positionOf(call, operationOf(call.operation as OperationId).family, param, id)
  }
}

/** Whether a call may have changed the state of its sandbox, the counts of its script among it. */
function mayHaveChanged(call: Call): boolean {
  if (call.isInner || call.refusal?.code === 'data_not_written') return false
  return call.isMatched || tookEffect(call)
}
