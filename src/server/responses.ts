/** The responses of the emulated API, and its refusals. */
import type { FastifyError, FastifyReply } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { hasReached, isWhole, type ResponseHeaders, STAGE } from '../engine/outcome.js'
import { headersOf, type Response, refuse, refuseInstead } from '../engine/response.js'
import { breakResponse } from '../engine/scripted.js'
import type { DataFolder } from '../sandbox/saved/data-folder.js'
import type { Arrivals } from './arrivals.js'
import { refusalFrom } from './errors.js'
import { Faults } from './faults.js'
import { logDefect, logWarnings } from './logging.js'

export type Data = Pick<DataFolder, 'saved' | 'isFailing' | 'writable'> | undefined

/** Sends the responses of the API, once their changes are on disk. */
export class Responses {
  readonly faults = new Faults()

  constructor(private readonly parts: { arrivals: Arrivals; data: Data }) {}

  send(response: Response, reply: FastifyReply): void {
    const { data, arrivals } = this.parts
    const { arrival, log } = reply.request
    const { warnings } = response.reading
    if (arrival.response === null && warnings.length > 0) logWarnings(log, warnings)
    arrival.response = response
    if (response.outcome.name === 'lost_before') {
      reply.hijack().raw.destroy()
      arrivals.settle(reply.request, reply)
    } else if (data === undefined || !arrival.isPending || !mayHaveChanged(response))
      this.#deliver(response, reply)
    else
      data.saved().then(
        () => this.#deliver(response, reply),
        error => this.refuse(error, reply)
      )
  }

  refuse(
    error: FastifyError | ApiError,
    reply: FastifyReply,
    headers: ResponseHeaders | null = null
  ): void {
    const { arrival, log } = reply.request
    const { reading, response } = arrival
    const refusal = refusalFrom(error, reading.settings)
    if (refusal.code === 'internal_error') logDefect(log, error)
    const refused =
      response === null ? refuse(reading, refusal, headers) : refuseInstead(response, refusal)
    this.send(refused, reply)
  }

  #deliver(complete: Response, reply: FastifyReply): void {
    const { request, raw } = reply
    const { arrival } = request
    const { arrivals } = this.parts
    const response =
      complete.script !== null && !arrival.isClosed ? breakResponse(complete) : complete
    arrival.response = response
    const { payload, outcome } = response
    const { status, length } = outcome
    const headers = headersOf(response)
    if (status !== 204) headers['content-length'] = String(length)
    if (this.faults.isStopping) headers.connection = 'close'
    reply.hijack()
    raw.statusCode = status
    const isSent = isWhole(outcome)
    if (!isSent) this.faults.lose(reply, response, headers)
    arrivals.settle(request, reply)
    if (!isSent) return
    // latin1 is faster, and the same for ASCII
    raw.writeHead(status, headers).end(payload, payload.length === length ? 'latin1' : 'utf8')
    arrivals.sending(request, raw, length)
  }
}

function mayHaveChanged(response: Response): boolean {
  const { outcome, changes, reading } = response
  if (outcome.refusal?.code === 'data_not_written') return false
  if (changes > 0) return true
  const { operation, world } = reading
  const { operations } = world.state.script
  return operation !== null && hasReached(response, STAGE.admitted) && operations.has(operation)
}
