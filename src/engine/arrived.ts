/** A request of the emulated API as it arrived. */
import { isUtf8 } from 'node:buffer'
import { pathBelow } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { World } from './world.js'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
/** `url` is its path from the base address on, `/next/refunds`, and its query. */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }

/** W3C Trace Context; an id of only zeros is not valid. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

export type Arrived = ReturnType<typeof arrivedAs>

/** `base` is the path of the API as responses show it: `/next`. */
export function arrivedAs(world: World, id: string, { base, method, url, headers }: Arriving) {
  const { state, tally, settings } = world
  const now = world.machine()
  const test = textOf(headers[settings['evidence.test_header'].toLowerCase()])
  return {
    world,
    /** Those of its arrival: a request that waited never touches a later period. */
    state,
    tally,
    id,
    base,
    method,
    url,
    headers,
    now,
    at: world.isLoaded ? state.clock.now(now) : 0,
    path: pathBelow(url),
    authorization: textOf(headers.authorization) ?? undefined,
    userAgent: textOf(headers['user-agent']),
    test: test ? readable(decoded(test)) : null
  } as const
}

export const isOfPresentPeriod = ({ tally, world }: Arrived): boolean => tally === world.tally
export const isOfPresentState = ({ state, world }: Arrived): boolean => state === world.state

export const traceOf = ({ headers: { traceparent } }: Arrived): string | null =>
  traceparent === undefined ? null : (TRACEPARENT.exec(String(traceparent))?.[1] ?? null)

const textOf = (sent: RequestHeaders[string]): string | null =>
  sent === undefined ? null : String(sent)

function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

export const arrive = (world: World, arriving: Arriving): Arrived =>
  arrivedAs(world, world.nextRequestId(), arriving)

export const hasBody = (headers: RequestHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Whether only its end shows whether a body has any bytes: one of no bytes is none (A37). */
export const isOpenEnded = (headers: RequestHeaders) => headers['transfer-encoding'] !== undefined
