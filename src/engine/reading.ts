/** A request of the emulated API, and what has been read of it so far: a value. */
import { isUtf8 } from 'node:buffer'
import { EMPTY_FORM, type FormObject } from '../core/form.js'
import { pathBelow } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import type { Account } from '../reference/accounts.js'
import type { OperationId } from '../reference/operations.js'
import type { Arrival } from '../scenario/expect/judges.js'
import { type AnyRecord, Relied, STAGE, type Stage } from './outcome.js'
import type { World } from './world.js'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
/** `url` is its path from the base address on, `/next/refunds`, and its query. */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }

/** W3C Trace Context; an id of only zeros is not valid. */
export const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

export type Reading = Readonly<Arriving> & {
  readonly id: string
  readonly world: World
  /** The state at arrival: a request that waited never touches a later one. */
  readonly state: World['state']
  readonly tally: World['tally']
  readonly settings: World['settings']
  readonly now: number
  readonly at: number
  readonly path: string
  readonly authorization: string | undefined
  readonly userAgent: string | null
  readonly test: string | null
  /** Collects assumptions. */
  readonly relied: Relied
  readonly reached: Stage
  readonly operation: OperationId | null
  readonly params: Readonly<Record<string, string>>
  /** Null where no key is required, or not read yet. */
  readonly actor: Account | null
  readonly query: FormObject
  readonly body: FormObject
  readonly isUnknown: boolean
  readonly warnings: readonly string[]
  /** Decoded, with records in place of ids. */
  readonly values: Readonly<Record<string, unknown>>
  /** The record that the path or the body names. */
  readonly record: AnyRecord | null
  /** What the scenario's expectations counted; null before. */
  readonly came: Arrival | null
}
/** A request whose operation is known. */
export type Routed = Reading & { readonly operation: OperationId }

const NOTHING = Object.freeze({})
export const NO_WARNINGS: readonly string[] = Object.freeze([])

export function arrive(
  world: World,
  { base, method, url, headers }: Arriving,
  id = world.nextRequestId()
): Reading {
  const { state, tally, settings } = world
  const { authorization, 'user-agent': userAgent } = headers
  const test = headers[testHeaderOf(settings)]
  const now = world.machine()
  return {
    base,
    method,
    url,
    headers,
    id,
    world,
    state,
    tally,
    settings,
    now,
    at: world.isLoaded ? state.clock.now(now) : 0,
    path: pathBelow(url),
    authorization: authorization === undefined ? authorization : String(authorization),
    userAgent: userAgent === undefined ? null : String(userAgent),
    test: test ? readable(decoded(String(test))) : null,
    relied: new Relied(),
    reached: STAGE.arrived,
    operation: null,
    params: NOTHING,
    actor: null,
    query: EMPTY_FORM,
    body: EMPTY_FORM,
    isUnknown: false,
    warnings: NO_WARNINGS,
    values: NOTHING,
    record: null,
    came: null
  }
}

export const testHeaderOf = (settings: Settings): string =>
  settings['evidence.test_header'].toLowerCase()

function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

export const hasBody = (headers: RequestHeaders): boolean =>
  isOpenEnded(headers) || (headers['content-length'] ?? '0') !== '0'

/** Whether only the end shows if there is a body: an empty body counts as none (A37). */
export const isOpenEnded = (headers: RequestHeaders) => headers['transfer-encoding'] !== undefined
