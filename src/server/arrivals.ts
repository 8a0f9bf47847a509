/** The requests that arrive: their sandboxes, ids and ends. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { BASE, CONTROL, isUnder, pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { type Reading, readingOf } from '../engine/admit.js'
import type { Arrived } from '../engine/arrived.js'
import { giveUp, type Response } from '../engine/response.js'
import { count } from '../engine/run.js'
import { close, entryOf } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { checkedName } from '../sandbox/saved/names.js'
import { UNREADABLE } from './errors.js'
import { logDefect, logRequest, logWarnings } from './logging.js'
import { isOfOtherPage } from './pages.js'
import { SAYS } from './sentences.js'

declare module 'fastify' {
  interface FastifyRequest {
    arrival: Arrival
  }
  interface FastifyContextConfig {
    /** Whether the body is a document: `limits.control_body` is its limit. */
    takesDocument?: boolean
  }
}

export class Arrival {
  readonly since = performance.now()
  /** Whether the API works on it, even after the client has left. */
  isPending = false
  isClosed = false
  /** Releases the room of its body, once. */
  release: (() => void) | null = null
  isOver = false
  response: Response | null = null
  readonly request: Arrived

  constructor(
    public sandbox: Sandbox,
    readonly reading: Reading,
    /** Whether it goes into the evidence of its sandbox. */
    readonly isRecorded: boolean
  ) {
    this.request = reading.request
  }

  get id(): string {
    return this.request.id
  }

  get base(): string {
    return this.request.base
  }

  get isOfPresentPeriod(): boolean {
    const { tally, world } = this.request
    return tally === world.tally
  }

  get ended(): Response {
    return this.response ?? giveUp(this.reading)
  }
}

/** Maximum bytes of all responses on their way; smaller ones are not counted. */
const MAX_SENDING = 2 ** 28
const SMALL = 16_384

const ORIGIN = /^https?:\/\/[^/?]*/i
const PREFIX = /^(\/sandbox\/([^/?]*))(.*)$/s
/** Characters that need not be percent-encoded. */
const NEEDLESS = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

type Address = { prefix: string; name: string | null }
const AT_BASE: Address = { prefix: '', name: null }
const ADDRESSES = new WeakMap<IncomingMessage, Address>()

/** The url without its origin, `/sandbox/NAME` and needless encoding. */
export function withoutSandbox(request: IncomingMessage): string {
  const { url = '/' } = request
  const local = url.startsWith('/') ? url : url.replace(ORIGIN, '')
  const path = pathOf(local)
  const isPlain = path !== '' && !path.includes('%')
  const plain = isPlain
    ? local
    : `${path.replace(NEEDLESS, encoded => decodeURIComponent(encoded)) || '/'}${local.slice(path.length)}`
  const match = PREFIX.exec(plain)
  if (match === null) return plain
  const [, prefix = '', name = '', rest = ''] = match
  ADDRESSES.set(request, { prefix, name })
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** `cors`: pages of other sites may use the API; `unread`: ms that a client may read nothing. */
type ArrivalOptions = { cors: boolean; isLogged: boolean; unread: number }

export class Arrivals {
  #controlRequests = 0
  #sending = 0

  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly options: ArrivalOptions
  ) {}

  /** Errors: `limit_reached` (A35) where there is no room for a response of so many bytes. */
  requireRoom(length = SMALL + 1): void {
    if (length > SMALL && this.#sending + length > MAX_SENDING)
      throw new ApiError('limit_reached', { message: SAYS.unread(MAX_SENDING), assumption: 'A35' })
  }

  /** Counts a response until it closes, and ends one that its client does not read. */
  sending({ arrival, raw: { socket } }: FastifyRequest, raw: ServerResponse, length: number): void {
    if (arrival.isClosed || length <= SMALL) return
    const { release } = arrival
    this.#sending += length
    arrival.release = () => {
      release?.()
      this.#sending -= length
    }
    if (!(socket instanceof Socket)) return
    const { unread } = this.options
    const step = Math.min(unread, 1000)
    let since = 0
    let last = 0
    raw.setTimeout(step, () => {
      if (raw.writableLength > 0) {
        const now = performance.now()
        // Node does not call for a step in which something was read
        if (now - last > 1.5 * step) since = now - step
        last = now
        if (now - since >= unread) raw.destroy(new Error())
      }
      raw.setTimeout(step)
    })
  }

  /** Begins a request. Returns why it is refused, or null. */
  open(request: FastifyRequest, reply: FastifyReply): ApiError | null {
    let refusal = UNREADABLE.get(request.raw)?.refusal ?? null
    try {
      request.arrival = this.#arrival(request)
    } catch (error) {
      refusal = error as ApiError
      request.arrival = this.#outsideApi(request, '')
    }
    const { arrival } = request
    arrival.sandbox.inFlight++
    const { socket } = request.raw
    const isWaiting = reply.raw.socket === null
    const close = () => {
      if (isWaiting) socket.off('close', close)
      if (arrival.isClosed) return
      arrival.isClosed = true
      arrival.release?.()
      arrival.sandbox.inFlight--
      if (!arrival.isPending) this.#end(request, reply)
      else if (arrival.isOfPresentPeriod)
        arrival.sandbox.evidence.leave(entryOf(arrival.ended, false, 0), arrival.reading)
    }
    reply.raw.on('close', close)
    // a response that waits behind another misses the end of the connection
    if (isWaiting) socket.setMaxListeners(0).once('close', close)
    return refusal
  }

  /** The API is done; a sandbox that no valid request has kept ends. */
  settle(request: FastifyRequest, reply: FastifyReply): void {
    const { arrival } = request
    if (!arrival.sandbox.isKept) this.sandboxes.release(arrival.sandbox)
    if (!arrival.isPending) return
    arrival.isPending = false
    if (arrival.isClosed || arrival.response?.outcome.fault === 'hang') this.#end(request, reply)
  }

  /** The sandbox of a control request. Errors: as of `Sandboxes.use` and `find`. */
  sandboxOf(
    { raw, arrival }: FastifyRequest,
    { makes, namesOthers }: { makes: boolean; namesOthers: boolean }
  ): Sandbox {
    const { name } = ADDRESSES.get(raw) ?? AT_BASE
    // until the start scenario is loaded, only health is served
    if (name === null || !arrival.sandbox.isLoaded) return arrival.sandbox
    checkedName(name, readable(name))
    return makes ? this.sandboxes.use(name) : this.sandboxes.find(name, { namesOthers })
  }

  #end(request: FastifyRequest, { raw }: FastifyReply): void {
    const { arrival } = request
    if (arrival.isOver) return
    arrival.isOver = true
    const { ended: response, sandbox, since, isRecorded } = arrival
    try {
      if (isRecorded) count(response.reading)
      const ms = Math.round((performance.now() - since) * 10) / 10
      const entry = close(response, isSent(raw), ms)
      const unread = UNREADABLE.get(request.raw)?.refusal
      if (unread) logWarnings(request.log, [unread.message])
      if (this.options.isLogged) logRequest(request, raw, entry)
      if (isRecorded && arrival.isOfPresentPeriod) sandbox.evidence.record(entry, response.reading)
    } catch (error) {
      // a defect in recording must not end the process
      logDefect(request.log, error)
    }
  }

  #arrival(request: FastifyRequest): Arrival {
    const { prefix, name } = ADDRESSES.get(request.raw) ?? AT_BASE
    const { url } = request
    if (isUnder(CONTROL, url) || (name === null && pathOf(url) === '/'))
      return this.#outsideApi(request, prefix)
    const sandbox = name === null ? this.sandboxes.main : this.#named(name, request)
    return sandbox === null
      ? this.#outsideApi(request, prefix)
      : new Arrival(sandbox, readingOf(sandbox, arrivingOf(request, prefix)), true)
  }

  /** Of the control API or of none, so it is not recorded. */
  #outsideApi(request: FastifyRequest, prefix: string): Arrival {
    const { main } = this.sandboxes
    const id = `ctl_${++this.#controlRequests}`
    return new Arrival(main, readingOf(main, arrivingOf(request, prefix), id), false)
  }

  /** A named sandbox; null for the overview, or outside the API if there is none. */
  #named(name: string, request: FastifyRequest): Sandbox | null {
    checkedName(name, readable(name))
    const { url, headers } = request
    if (!isUnder(BASE, url)) return pathOf(url) === '/' ? null : (this.sandboxes.get(name) ?? null)
    // a page of another site can make a browser send it
    const isUnasked =
      headers['sec-fetch-site'] === 'cross-site' &&
      !(this.options.cors && headers['sec-fetch-mode'] === 'cors')
    return isUnasked
      ? this.sandboxes.find(name, { namesOthers: false })
      : this.sandboxes.use(name, isOfOtherPage(request))
  }
}

function arrivingOf({ raw, method, url, headers }: FastifyRequest, prefix: string) {
  return { base: prefix + BASE, method: UNREADABLE.get(raw)?.method ?? method, url, headers }
}

/** Whether a response was sent whole; an injected request has no connection. */
const isSent = (raw: FastifyReply['raw']): boolean =>
  raw.errored === null &&
  (raw.writableFinished || (raw.writableEnded && !(raw.req.socket instanceof Socket)))
