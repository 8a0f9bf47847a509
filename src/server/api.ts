/** The emulated API over HTTP. */
import { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { decodeForm, type Form } from '../core/form.js'
import type { Settings } from '../core/settings.js'
import { Shares } from '../core/shares.js'
import { headersOf, refuse } from '../engine/answers.js'
import { type Exchange, hasBody, hasReached, STAGE } from '../engine/exchange.js'
import {
  askScript,
  decode,
  enter,
  isForm,
  isFormType,
  isOpenEnded,
  OPAQUE,
  perform,
  requireState
} from '../engine/execute.js'
import { answerByScript, breakAnswer, isAnswer, retractUnapplied } from '../engine/scripted.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { DataFile } from '../sandbox/data-file.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Action, Hold } from '../scenario/script.js'
import type { Arrivals } from './arrivals.js'
import { Bodies } from './bodies.js'
import { refusalFrom } from './errors.js'
import type { Faults } from './faults.js'
import { logDefect, logWarnings } from './logging.js'

type ApiOptions = {
  answers: Answers
  arrivals: Arrivals
  sandboxes: Pick<Sandboxes, 'keep' | 'requireRoom'>
  settings: Settings
  faults: Faults
  data: Data
}

/** Routes what is under the base address to the engine: head, body, script, operation. */
export async function addApi(
  api: FastifyInstance,
  { answers, arrivals, sandboxes, settings, faults, data }: ApiOptions
): Promise<void> {
  const holds = new Shares({ what: 'held requests', setting: 'limits.waiting' }, settings)
  const refusal = { assumption: 'A35', headers: { connection: 'close' } } as const
  const bodies = new Bodies(
    new Shares(
      {
        what: 'bytes of bodies that are being read',
        setting: 'limits.body',
        each: 32,
        all: 64,
        refusal
      },
      settings
    )
  )
  api.removeAllContentTypeParsers()
  await api.register(formbody, {
    parser: (text: string) => (text === '' ? null : decodeForm(text, settings)) as never
  })
  // of a body that is not read, it is enough to know whether it has a first byte
  api.addContentTypeParser(
    '*',
    async (_request: FastifyRequest, payload: FastifyRequest['raw']) => {
      const { done: isEmpty } = await payload.iterator({ destroyOnReturn: false }).next()
      return isEmpty ? null : OPAQUE
    }
  )
  api.setErrorHandler((error: FastifyError | ApiError, _request, reply) =>
    answers.refuse(error, reply)
  )
  api.setNotFoundHandler(serve)
  api.all('/*', serve)

  api.addHook('onRequest', (request, reply, done) => {
    const { arrival, headers, method } = request
    const { exchange, sandbox } = arrival
    arrival.isPending = true
    try {
      if (!enter(exchange)) return answers.send(reply)
    } finally {
      if (!sandbox.isKept && hasReached(exchange, STAGE.identified)) sandboxes.keep(sandbox)
    }
    if (!hasBody(headers) || (method !== 'POST' && !isForm(headers))) delete headers['content-type']
    done()
  })
  api.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request
    if (isOpenEnded(headers) && isFormType(headers['content-type'])) {
      bodies.read(request, payload).then(bytes => done(null, Readable.from([bytes])), done)
      return
    }
    bodies.admit(request)
    done(null, payload)
  })

  function serve(request: FastifyRequest, reply: FastifyReply): void {
    const { exchange, release } = request.arrival
    release?.()
    try {
      decode(exchange, (request.body as Form | undefined) ?? null)
    } finally {
      if (exchange.warnings.length > 0) logWarnings(request.log, exchange.warnings)
    }
    const operation = exchange.operation as OperationId
    const performed = operationOf(operation)
    if (performed.kind === 'create' || performed.kind === 'update')
      sandboxes.requireRoom(request.arrival.sandbox)
    const isScripted = exchange.world.state.script.operations.has(operation)
    const mayChange = isScripted || isChange(performed)
    if (mayChange) arrivals.requireRoom()
    const failing = data?.isFailing && mayChange ? data : undefined
    if (isScripted || failing)
      goOn(exchange, reply, failing).catch(error => answers.refuse(error, reply))
    else operate(exchange, reply, false)
  }

  async function goOn(exchange: Exchange, reply: FastifyReply, failing: Data): Promise<void> {
    if (failing) await failing.writable()
    const action = askScript(exchange)
    if (action === null) operate(exchange, reply, failing !== undefined)
    else await act(action, exchange, reply)
  }

  function operate(exchange: Exchange, reply: FastifyReply, hasWaited: boolean): void {
    perform(exchange, hasWaited)
    if (exchange.changes === 0) arrivals.requireRoom(exchange.length)
    answers.send(reply)
  }

  /** Holds or delays the request, then sends the script's response or runs the operation. */
  async function act(action: Action, exchange: Exchange, reply: FastifyReply): Promise<void> {
    const { hold } = action.entry.data
    const { replacing } = reply.request.arrival.sandbox
    const goesOn =
      (!hold || (await held(action, hold, reply))) &&
      (action.delay === 0 || (await faults.delay(action.delay, replacing)))
    requireState(exchange)
    if (!goesOn) return answers.abandon(reply)
    if (!isAnswer(action)) {
      if (data?.isFailing) await data.writable()
      return operate(exchange, reply, true)
    }
    answerByScript(exchange, action)
    answers.send(reply)
  }

  /** Resolves with whether it goes on. Errors: `limit_reached`. */
  async function held({ id }: Action, hold: Hold, { request, raw }: FastifyReply) {
    const { exchange, sandbox } = request.arrival
    if (sandbox.gates.isOpen(id, hold)) return true
    const free = holds.take(sandbox)
    return faults.hold(sandbox.gates.arrive(id, hold, exchange), raw).finally(free)
  }
}

/** What outlives the process; undefined where nothing does. */
export type Data = Pick<DataFile, 'saved' | 'isFailing' | 'writable'> | undefined

export class Answers {
  constructor(private readonly parts: Pick<ApiOptions, 'arrivals' | 'faults' | 'data'>) {}

  send(reply: FastifyReply): void {
    const { data } = this.parts
    const { arrival } = reply.request
    retractUnapplied(arrival.exchange)
    if (data === undefined || !arrival.isPending || !mayHaveChanged(arrival.exchange))
      this.#deliver(reply)
    else
      data.saved().then(
        () => this.#deliver(reply),
        error => this.refuse(error, reply)
      )
  }

  /** Refuses for what was thrown by the engine or the framework; anything else is a defect. */
  refuse(error: FastifyError | ApiError, reply: FastifyReply): void {
    const { request } = reply
    const { exchange } = request.arrival
    const refusal = refusalFrom(error, exchange.settings)
    if (refusal.code === 'internal_error') logDefect(request.log, error)
    refuse(exchange, refusal)
    this.send(reply)
  }

  /** Gives up a request whose client has left, or as the emulator stops. */
  abandon(reply: FastifyReply): void {
    reply.hijack().raw.destroy()
    this.parts.arrivals.settle(reply.request, reply)
  }

  #deliver(reply: FastifyReply): void {
    const { request, raw } = reply
    const { exchange, isClosed } = request.arrival
    const { faults, arrivals } = this.parts
    const { status } = exchange.outcome
    const headers = headersOf(exchange)
    if (status !== 204) headers['content-length'] = String(exchange.length)
    if (faults.isStopping) headers.connection = 'close'
    reply.hijack()
    raw.statusCode = status
    if (exchange.action !== null && !isClosed) breakAnswer(exchange)
    const { payload, length } = exchange
    const { fault } = exchange.outcome
    const isSent = fault === null || (fault === 'malformed_body' && length > 0)
    if (!isSent) faults.lose(reply, headers)
    arrivals.settle(request, reply)
    if (!isSent) return
    // faster, and the same for ASCII
    raw.writeHead(status, headers).end(payload, payload.length === length ? 'latin1' : 'utf8')
    arrivals.sending(request, raw, length)
  }
}

const mayHaveChanged = (exchange: Exchange): boolean =>
  exchange.outcome.refusal?.code !== 'data_not_written' &&
  (exchange.changes > 0 ||
    (hasReached(exchange, STAGE.admitted) &&
      exchange.world.state.script.operations.has(exchange.operation as OperationId)))
