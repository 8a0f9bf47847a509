/** Writes the answers of the emulated API: what an operation changed is on disk first, and the script may lose what is left. */
import type { FastifyError, FastifyReply } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { type Exchange, hasReached, STAGE, tookEffect } from '../engine/exchange.js'
import { headersOf } from '../engine/headers.js'
import { refuse } from '../engine/refusals.js'
import { breakAnswer, countRequest } from '../engine/scripted.js'
import type { OperationId } from '../reference/operations.js'
import type { DataFile } from '../sandbox/data-file.js'
import type { Arrivals } from './arrivals.js'
import { refusalFrom } from './errors.js'
import type { Faults } from './faults.js'
import { logDefect } from './logging.js'

/** What outlives the process; undefined where nothing does. */
export type Data = Pick<DataFile, 'saved' | 'isFailing' | 'writable'> | undefined
type Parts = { arrivals: Arrivals; faults: Faults; data: Data }

export class Answers {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sends the outcome of a request, once what it changed is written. */
  send(reply: FastifyReply): void {
    const { data } = this.#parts
    const { arrival } = reply.request
    if (data === undefined || !arrival.isPending || !mayHaveChanged(arrival.exchange)) this.#deliver(reply)
    else
      data.saved().then(
        () => this.#deliver(reply),
        error => this.refuse(error, reply)
      )
  }

  /** Sends a refusal: thrown by the engine, or by the framework. What is not known is a defect. */
  refuse(error: FastifyError | ApiError, reply: FastifyReply): void {
    const { request } = reply
    const { exchange } = request.arrival
    const refusal = refusalFrom(error, exchange.settings)
    if (refusal.code === 'internal_error') logDefect(request.log, error)
    countRequest(exchange)
    refuse(exchange, refusal)
    this.send(reply)
  }

  /** A request that does not go on: its client has left, or the emulator stops. */
  abandon(reply: FastifyReply): void {
    reply.hijack().raw.destroy()
    this.#parts.arrivals.settle(reply.request, reply)
  }

  #deliver(reply: FastifyReply): void {
    const { request, raw } = reply
    const { exchange, isClosed } = request.arrival
    const { faults, arrivals } = this.#parts
    const { status } = exchange.outcome
    const headers = headersOf(exchange)
    if (status !== 204) headers['content-length'] = String(exchange.length)
    if (faults.isStopping) headers.connection = 'close'
    reply.hijack()
    raw.statusCode = status
    if (!isClosed) breakAnswer(exchange)
    const { payload, length } = exchange
    const { fault } = exchange.outcome
    const isSent = fault === null || (fault === 'malformed_body' && length > 0)
    if (!isSent) faults.lose(fault, reply, { status, headers, body: String(payload) }, request.arrival.sandbox.ending)
    arrivals.settle(request, reply)
    // a text of ASCII characters alone is the same in both encodings, and faster to write in this one
    if (isSent) raw.writeHead(status, headers).end(payload, payload.length === length ? 'latin1' : 'utf8')
  }
}

/** Whether a request may have changed the state of its sandbox, the counts of its script among it. */
const mayHaveChanged = (exchange: Exchange): boolean =>
  exchange.outcome.refusal?.code !== 'data_not_written' &&
  (tookEffect(exchange) || (hasReached(exchange, STAGE.admitted) && exchange.world.state.script.has(exchange.operation as OperationId)))
