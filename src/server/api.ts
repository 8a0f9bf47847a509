/** The emulated API over HTTP: hands requests to the engine, and waits where a script says so. */
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { durationOf } from '../core/durations.js'
import type { ApiError } from '../core/errors.js'
import type { Form } from '../core/form.js'
import type { Settings } from '../core/settings.js'
import { type Exchange, hasBody, STAGE } from '../engine/exchange.js'
import { askScript, decode, enter, formOf, perform } from '../engine/execute.js'
import { preflightHeaders } from '../engine/headers.js'
import { answerByScript, isAnswer } from '../engine/scripted.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { type Action, gateOf, type Hold } from '../scenario/script.js'
import { FAMILIES } from '../store/store.js'
import type { Answers, Data } from './answers.js'
import type { Faults } from './faults.js'
import { logWarnings } from './logging.js'

/** What the API needs of the server; `sandboxes` keeps those that right requests have made. */
export type ApiOptions = { answers: Answers; sandboxes: Pick<Sandboxes, 'keep'>; settings: Settings; faults: Faults; data: Data }

/** Routes what is under the base address to the engine: head, body, script, operation. */
export async function addApi(api: FastifyInstance, { answers, sandboxes, settings, faults, data }: ApiOptions): Promise<void> {
  api.removeAllContentTypeParsers()
  await api.register(formbody, { parser: (text: string) => formOf(text, settings) as never })
  api.setErrorHandler((error: FastifyError | ApiError, _request, reply) => answers.refuse(error, reply))
  api.setNotFoundHandler(serve)
  for (const family of FAMILIES) for (const path of [`/${family}`, `/${family}/*`]) api.all(path, serve)

  api.addHook('onRequest', (request, reply, done) => {
    const { arrival, headers, method } = request
    const { exchange, sandbox } = arrival
    if (settings.cors && method === 'OPTIONS') {
      exchange.answerHeaders = preflightHeaders(headers)
      exchange.answered(204, null, null, '')
      answers.send(reply)
      return
    }
    arrival.isPending = true
    try {
      enter(exchange)
    } finally {
      if (exchange.stage >= STAGE.identified) sandboxes.keep(sandbox)
    }
    if (!hasBody(headers)) delete headers['content-type']
    done()
  })

  function serve(request: FastifyRequest, reply: FastifyReply): void {
    const { exchange } = request.arrival
    try {
      decode(exchange, (request.body as Form | undefined) ?? null)
    } finally {
      logWarnings(request.log, exchange.warnings)
    }
    const operation = exchange.operation as OperationId
    const isSaved = isChange(operationOf(operation)) || exchange.world.state.script.has(operation)
    if (!isSaved || !data?.isFailing) goOn(exchange, reply)
    else
      data
        .writable()
        .then(() => goOn(exchange, reply, true))
        .catch(error => answers.refuse(error, reply))
  }

  /** Asks the script, and then the operation. */
  function goOn(exchange: Exchange, reply: FastifyReply, hasWaited = false): void {
    const action = askScript(exchange)
    if (action === null) operate(exchange, reply, hasWaited)
    else act(action, exchange, reply).catch(error => answers.refuse(error, reply))
  }

  function operate(exchange: Exchange, reply: FastifyReply, hasWaited: boolean): void {
    perform(exchange, hasWaited)
    answers.send(reply)
  }

  /** Carries out what the script does: holds or delays the request, then lets it answer or operate. */
  async function act(action: Action, exchange: Exchange, reply: FastifyReply): Promise<void> {
    const { hold } = action.entry.data
    const goesOn = (!hold || (await held(action, hold, reply))) && (action.delay === 0 || (await faults.delay(action.delay)))
    if (!goesOn) return answers.abandon(reply)
    if (!isAnswer(action)) {
      if (data?.isFailing) await data.writable()
      return operate(exchange, reply, true)
    }
    answerByScript(exchange, action)
    answers.send(reply)
  }

  /** Holds a request at its gate. Resolves with whether it goes on. */
  async function held({ id }: Action, hold: Hold, { request, raw }: FastifyReply): Promise<boolean> {
    const { exchange, sandbox } = request.arrival
    const { goesOn, leave } = sandbox.gates.arrive(gateOf(id, hold), { id: exchange.id, operation: exchange.operation as OperationId }, hold)
    const longest = hold.for === undefined ? null : (durationOf(hold.for) as number)
    return faults.hold(goesOn, leave, { raw, longest, most: exchange.settings['limits.waiting'] })
  }
}
