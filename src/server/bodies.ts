/** Counts the bytes of bodies while they are in memory. */
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { MessageChannel } from 'node:worker_threads'
import { errorCodes, type FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import type { Shares } from '../core/shares.js'

/** A smaller body is not counted. */
const SMALL = 16_384
/** Bytes that a body of unknown length gets first and next; then all. */
const STEPS = [SMALL, 1_048_576]

const nowhere = new MessageChannel().port1
nowhere.close()
/** Frees memory at once: the process would collect it much later. */
function discard({ buffer }: Buffer<ArrayBuffer>): void {
  if (buffer.byteLength > 0) nowhere.postMessage(null, [buffer])
}

type Incoming = Pick<FastifyRequest, 'headers' | 'arrival' | 'routeOptions'>

export class Bodies {
  constructor(private readonly shares: Shares) {}

  /** Counts a body that the framework reads. Errors: of the shares. */
  admit({ headers, arrival, routeOptions }: Incoming): void {
    const length = Number(headers['content-length'])
    const { bodyLimit = Number.POSITIVE_INFINITY } = routeOptions
    if (length > SMALL && length <= bodyLimit)
      arrival.release = this.shares.take(arrival.sandbox, length)
  }

  /** Into one piece of memory. Errors: of the shares; of the framework for a wrong length. */
  async read({ headers, arrival, routeOptions }: Incoming, payload: Readable): Promise<Buffer> {
    const { bodyLimit: limit = Number.POSITIVE_INFINITY } = routeOptions
    const { 'content-length': length } = headers
    let bytes = Buffer.alloc(0)
    let counted = 0
    const releases: (() => void)[] = []
    const releaseAll = () => {
      for (const release of releases) release()
      discard(bytes)
    }
    const count = (size: number) => {
      if (size > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
      if (arrival.isClosed) throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()
      if (size <= Math.max(SMALL, counted)) return
      releases.push(this.shares.take(arrival.sandbox, size - counted))
      arrival.release = releaseAll
      counted = size
    }
    if (length !== undefined) {
      try {
        count(Number(length))
      } catch (error) {
        // most clients send a whole body before they read why it was refused
        if (error instanceof ApiError) await finished(payload.resume()).catch(() => undefined)
        throw error
      }
      bytes = resized(bytes, Number(length))
    }
    let read = 0
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      const size = read + chunk.length
      count(size)
      if (size > bytes.length) bytes = resized(bytes, roomFor(size, limit))
      read += chunk.copy(bytes, read)
    }
    if (length !== undefined && read !== Number(length))
      throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()
    if (read < bytes.length) bytes = resized(bytes, read)
    return bytes
  }
}

const roomFor = (size: number, limit: number): number =>
  Math.min(STEPS.find(step => size <= step) ?? limit, limit)

function resized(bytes: Buffer<ArrayBuffer>, size: number): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(size)
  bytes.copy(copy)
  discard(bytes)
  return copy
}
