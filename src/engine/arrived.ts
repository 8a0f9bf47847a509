/** A request of the emulated API as it arrived. */
import { isUtf8 } from 'node:buffer'
import { pathBelow } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { World } from './world.js'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
/** `url` is its path from the base address on, `/next/refunds`, and its query. */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }

/** W3C Trace Context; an id of only zeros is not valid. */
export const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

export class Arrived {
  readonly world: World
  /** The state at arrival: a request that waited never touches a later one. */
  readonly state: World['state']
  readonly tally: World['tally']
  readonly id: string
  /** The path of the API as responses show it: `/next`. */
  readonly base: string
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders
  readonly now: number
  readonly at: number
  readonly path: string
  readonly authorization: string | undefined
  readonly userAgent: string | null
  readonly test: string | null

  constructor(world: World, id: string, { base, method, url, headers }: Arriving) {
    this.world = world
    this.state = world.state
    this.tally = world.tally
    this.id = id
    this.base = base
    this.method = method
    this.url = url
    this.headers = headers
    this.now = world.machine()
    this.at = world.isLoaded ? world.state.clock.now(this.now) : 0
    this.path = pathBelow(url)
    this.authorization = textOf(headers.authorization) ?? undefined
    this.userAgent = textOf(headers['user-agent'])
    const test = textOf(headers[world.settings['evidence.test_header'].toLowerCase()])
    this.test = test ? readable(decoded(test)) : null
  }
}

const textOf = (sent: RequestHeaders[string]): string | null =>
  sent === undefined ? null : String(sent)

function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

export const hasBody = (headers: RequestHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Whether only the end shows if there is a body: an empty body counts as none (A37). */
export const isOpenEnded = (headers: RequestHeaders) => headers['transfer-encoding'] !== undefined
