/** A request of the emulated API, and what has been read of it so far. */
import { isUtf8 } from 'node:buffer'
import { EMPTY_FORM, type FormObject } from '../core/form.js'
import { pathBelow } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { Account } from '../reference/accounts.js'
import type { OperationId } from '../reference/operations.js'
import type { Arrival } from '../scenario/expect/judges.js'
import type { Store } from '../store/store.js'
import { redacted } from './keys.js'
import { type AnyRecord, Relied, STAGE, type Stage } from './outcome.js'
import type { World } from './world.js'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
/** `url` is its path from the base address on, `/next/refunds`, and its query. */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }
export type Values = Readonly<Record<string, unknown>>

/** W3C Trace Context; an id of only zeros is not valid. */
export const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

const NOTHING = Object.freeze({})
const NO_WARNINGS: readonly string[] = Object.freeze([])

/** Written only by the engine. */
export class Draft {
  /** The state at arrival: a request that waited never touches a later one. */
  readonly state: World['state']
  readonly tally: World['tally']
  readonly settings: World['settings']
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
  readonly relied = new Relied()
  reached: Stage = STAGE.arrived
  operation: OperationId | null = null
  params: Readonly<Record<string, string>> = NOTHING
  /** Null where no key is required, or not read yet. */
  actor: Account | null = null
  query: FormObject = EMPTY_FORM
  body: FormObject = EMPTY_FORM
  /** Decoded, with records in place of ids. */
  values: Values = NOTHING
  record: AnyRecord | null = null
  isUnknown = false
  warnings = NO_WARNINGS
  /** What the scenario's expectations counted; null before. */
  came: Arrival | null = null

  constructor(
    readonly world: World,
    { base, method, url, headers }: Arriving,
    readonly id = world.nextRequestId()
  ) {
    this.state = world.state
    this.tally = world.tally
    this.settings = world.settings
    this.base = base
    this.method = method
    this.url = url
    this.headers = headers
    this.now = world.machine()
    this.at = world.isLoaded ? world.state.clock.now(this.now) : 0
    this.path = pathBelow(url)
    const { authorization, 'user-agent': userAgent } = headers
    this.authorization = authorization === undefined ? authorization : String(authorization)
    this.userAgent = userAgent === undefined ? null : String(userAgent)
    const test = headers[world.settings['evidence.test_header'].toLowerCase()]
    this.test = test ? readable(decoded(String(test))) : null
  }

  get store(): Store {
    return this.world.state.store
  }

  /** Notes unknown parameters. */
  warn(message: string): void {
    this.isUnknown = true
    if (this.settings['parameters.unknown'] === 'warn')
      this.warnings = [...this.warnings, redacted(message, this.world, this.authorization)]
  }
}

export type Reading = Readonly<Draft>
/** An admitted request. */
export type Admitted = Reading & { readonly operation: OperationId }

function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

export const hasBody = (headers: RequestHeaders): boolean =>
  isOpenEnded(headers) || (headers['content-length'] ?? '0') !== '0'

/** Whether only the end shows if there is a body: an empty body counts as none (A37). */
export const isOpenEnded = (headers: RequestHeaders) => headers['transfer-encoding'] !== undefined
