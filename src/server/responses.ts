/** Sends the responses of the emulated API, or loses them as a script says. */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyError, FastifyReply } from 'fastify'
import type { ApiError } from '../core/errors.js'
import { hasReached, isWhole, type ResponseHeaders, STAGE } from '../engine/outcome.js'
import { giveUp, headersOf, type Response, refuseInstead } from '../engine/response.js'
import { breakResponse } from '../engine/scripted.js'
import { endable, type Gates } from '../sandbox/gates.js'
import type { DataFolder } from '../sandbox/saved/data-folder.js'
import type { Arrivals } from './arrivals.js'
import { refusalFrom } from './errors.js'
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
    this.send(refuseInstead(response ?? giveUp(reading), refusal, headers), reply)
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

/** Faults and holds of a script, on the connection. */
export class Faults {
  /** Ends what hangs or is held; from then on, connections close after their response. */
  readonly #cut = endable()
  /** Ends delays. */
  readonly #stop = endable()

  get isStopping(): boolean {
    return this.#cut.signal.aborted
  }

  /** Loses a response as its fault says. A hang ends when the state is replaced. */
  lose(
    { raw, request }: FastifyReply,
    { outcome: { fault }, payload }: Response,
    headers: ResponseHeaders
  ): void {
    const { socket } = request.raw
    const ending = AbortSignal.any([this.#cut.signal, request.arrival.sandbox.replacing])
    if (fault === 'hang' && !ending.aborted) {
      const end = () => raw.destroy()
      ending.addEventListener('abort', end)
      raw.once('close', () => ending.removeEventListener('abort', end))
      return
    }
    // an injected request has no connection
    if (fault === 'hang' || !(socket instanceof Socket)) raw.destroy()
    else if (fault === 'connection_reset') socket.resetAndDestroy()
    else {
      const body = Buffer.from(String(payload))
      if (fault === 'truncated_body' && body.length > 0) {
        raw.writeHead(raw.statusCode, headers).flushHeaders()
        raw.write(body.subarray(0, body.length / 2))
      }
      socket.destroySoon()
    }
  }

  /** Waits until the state is replaced at most. Returns whether the emulator still runs. */
  async delay(milliseconds: number, replacing: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([this.#stop.signal, replacing])
    await wait(milliseconds, null, { signal }).catch(() => {})
    return !this.#stop.signal.aborted
  }

  /** Holds until the gate opens, the client leaves, the time is over, or the emulator stops. */
  async hold(
    { goesOn, leave, longest }: ReturnType<Gates['arrive']>,
    raw: ServerResponse
  ): Promise<boolean> {
    const giveUp = () => leave(false)
    if (this.isStopping || raw.destroyed) giveUp()
    this.#cut.signal.addEventListener('abort', giveUp)
    raw.once('close', giveUp)
    const timer = longest === null ? undefined : setTimeout(leave, longest, true)
    const isGoingOn = await goesOn
    clearTimeout(timer)
    raw.off('close', giveUp)
    this.#cut.signal.removeEventListener('abort', giveUp)
    return isGoingOn
  }

  cut(): void {
    this.#cut.abort()
  }

  end(): void {
    this.#stop.abort()
  }
}
