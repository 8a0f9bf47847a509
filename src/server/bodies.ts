/** Counts the bytes of bodies while they are in memory. */
import type { Readable } from 'node:stream'
import { errorCodes, type FastifyRequest } from 'fastify'
import type { Shares } from '../core/shares.js'

/** A smaller body is not counted. */
export const SMALL = 16_384

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
    let size = 0
    const releases: (() => void)[] = []
    arrival.release = () => {
      for (const release of releases) release()
    }
    const grow = (room: number) => {
      if (room > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
      const counted = releases.length === 0 ? 0 : bytes.length
      if (room > SMALL) releases.push(this.shares.take(arrival.sandbox, room - counted))
      bytes = Buffer.concat([bytes], room)
    }
    if (length !== undefined) grow(Number(length))
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      const needed = size + chunk.length
      if (arrival.isClosed) throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()
      if (needed > bytes.length) grow(Math.max(needed, Math.min(2 * needed, limit)))
      size += chunk.copy(bytes, size)
    }
    if (length !== undefined && size !== Number(length))
      throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()
    return bytes.subarray(0, size)
  }
}
