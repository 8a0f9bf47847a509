/** Arriving requests: their sandboxes, their ids, and how they end. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { BASE, CONTROL, isUnder, pathOf } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import { arrive, type Reading } from '../engine/reading.js'
import { giveUp, type Response } from '../engine/response.js'
import { close, entryOf, finish } from '../evidence/entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { checkedName } from '../sandbox/saved/names.js'
import { SMALL } from './bodies.js'
import { UNREADABLE } from './errors.js'
import { logDefect, logRequest, logWarnings } from './logging.js'
import { isFromOtherPage } from './pages.js'
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

/** A request on its connection. */
class Arrival {
  readonly since = performance.now()
  /** Whether the API is processing it, even without its client. */
  isPending = false
  isClosed = false
  /** Releases the memory of its body, once. */
  release: (() => void) | null = null
  isOver = false
  response: Response | null = null
  /** What has been read of it so far. */
  reading: Reading
  /** Whether it is evidence. A request with `ownId` is not for the API. */
  readonly isRecorded: boolean

  constructor(
    public sandbox: Sandbox,
    { raw, method: sent, url, headers }: FastifyRequest,
    prefix: string,
    ownId?: string
  ) {
    const method = UNREADABLE.get(raw)?.method ?? sent
    this.reading = arrive(sandbox, { base: prefix + BASE, method, url, headers }, ownId)
    this.isRecorded = ownId === undefined
  }

  get id(): string {
    return this.reading.id
  }

  get base(): string {
    return this.reading.base
  }
}

/** Whether no load or reset has begun another period. */
const isOfPeriod = ({ tally, world }: Reading) => tally === world.tally

/** Maximum bytes of all responses being sent, without small responses. */
const MAX_SENDING = 2 ** 28

const ORIGIN = /^https?:\/\/[^/?]*/i
const PREFIX = /^(\/sandbox\/([^/?]*))(.*)$/s
/** Percent-encoded characters that need no encoding. */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

type Address = { prefix: string; name: string | null }
const AT_BASE: Address = { prefix: '', name: null }
const ADDRESSES = new WeakMap<IncomingMessage, Address>()

/** The url without its origin, `/sandbox/NAME` and needless encoding. */
export function withoutSandbox(request: IncomingMessage): string {
  const { url = '/' } = request
  const local = url.startsWith('/') ? url : url.replace(ORIGIN, '')
  if (url.startsWith('/next/') && !url.includes('%')) return url
  const path = pathOf(local)
  const plain = path.replace(UNRESERVED, encoded => decodeURIComponent(encoded)) || '/'
  const [, prefix, name = '', rest = ''] = PREFIX.exec(plain) ?? []
  if (prefix !== undefined) ADDRESSES.set(request, { prefix, name })
  const below = prefix === undefined ? plain : rest
  return `${below.startsWith('/') ? '' : '/'}${below}${local.slice(path.length)}`
}

/** `cors`: pages of other sites can use the API; `unread`: maximum ms without reading. */
type ArrivalOptions = { cors: boolean; isLogged: boolean; unread: number }

export class Arrivals {
  #controlRequests = 0
  #sending = 0

  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly options: ArrivalOptions
  ) {}

  /** Errors: `limit_reached` (A35) if there is no memory for more responses. */
  requireRoom(): void {
    if (this.#sending > MAX_SENDING)
      throw new ApiError('limit_reached', { message: SAYS.unread(MAX_SENDING), assumption: 'A35' })
  }

  /** Counts a response until it closes. A response that its client does not read is aborted. */
  sending({ arrival, raw: { socket } }: FastifyRequest, raw: ServerResponse, length: number): void {
    if (arrival.isClosed || length <= SMALL) return
    const { release } = arrival
    this.#sending += length
    arrival.release = () => {
      release?.()
      this.#sending -= length
    }
    const { unread } = this.options
    if (socket instanceof Socket) raw.setTimeout(unread, () => raw.destroy(new Error()))
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
      const { response, sandbox } = arrival
      const over = response ?? giveUp(arrival.reading)
      if (!arrival.isPending) this.#end(request, reply)
      else if (isOfPeriod(over.reading))
        sandbox.evidence.leave(entryOf(over, false, 0), over.reading)
    }
    reply.raw.on('close', close)
    // a response that waits behind another misses the end of the connection
    if (isWaiting) socket.setMaxListeners(0).once('close', close)
    return refusal
  }

  /** The API has finished. A sandbox without a valid request ends. */
  settle(request: FastifyRequest, reply: FastifyReply): void {
    const { arrival } = request
    if (!arrival.sandbox.isKept) this.sandboxes.release(arrival.sandbox)
    if (!arrival.isPending) return
    arrival.isPending = false
    if (arrival.isClosed || arrival.response?.outcome.fault === 'hang') this.#end(request, reply)
  }

  /** The sandbox of a control request. Errors: those of `Sandboxes.use` and `find`. */
  sandboxOf(
    { raw, arrival }: FastifyRequest,
    { creates, listsOthers }: { creates: boolean; listsOthers: boolean }
  ): Sandbox {
    const { name } = ADDRESSES.get(raw) ?? AT_BASE
    // until the start scenario is loaded, only health is served
    if (name === null || !arrival.sandbox.isLoaded) return arrival.sandbox
    checkedName(name, readable(name))
    return creates ? this.sandboxes.use(name) : this.sandboxes.find(name, { listsOthers })
  }

  #end(request: FastifyRequest, { raw }: FastifyReply): void {
    const { arrival, log } = request
    if (arrival.isOver) return
    arrival.isOver = true
    const { sandbox, since, isRecorded } = arrival
    try {
      const response = arrival.response ?? giveUp(arrival.reading)
      const { reading } = response
      const ms = Math.round((performance.now() - since) * 10) / 10
      // an injected request has no connection
      const isEnded =
        raw.writableFinished || (raw.writableEnded && !(raw.req.socket instanceof Socket))
      const isSent = isEnded && raw.errored === null
      const entry = (isRecorded ? finish : close)(response, isSent, ms)
      const unread = UNREADABLE.get(request.raw)?.refusal
      if (unread) logWarnings(log, [unread.message])
      if (this.options.isLogged) logRequest(request, raw, entry)
      if (isRecorded && isOfPeriod(reading)) sandbox.evidence.record(entry, reading)
    } catch (error) {
      // a defect in recording must not end the process
      logDefect(log, error)
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
      : new Arrival(sandbox, request, prefix)
  }

  /** A request to the control API, or to no API. */
  #outsideApi(request: FastifyRequest, prefix: string): Arrival {
    return new Arrival(this.sandboxes.main, request, prefix, `ctl_${++this.#controlRequests}`)
  }

  /** A named sandbox. Null for the overview, and outside the API if it does not exist. */
  #named(name: string, request: FastifyRequest): Sandbox | null {
    checkedName(name, readable(name))
    const { url, headers } = request
    if (!isUnder(BASE, url)) return pathOf(url) === '/' ? null : (this.sandboxes.get(name) ?? null)
    // a page of another site can make a browser send it
    const isForeign =
      headers['sec-fetch-site'] === 'cross-site' &&
      !(this.options.cors && headers['sec-fetch-mode'] === 'cors')
    return isForeign
      ? this.sandboxes.find(name, { listsOthers: false })
      : this.sandboxes.use(name, isFromOtherPage(request))
  }
}
