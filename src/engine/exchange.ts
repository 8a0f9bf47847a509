/** A request of the emulated API and what becomes of it. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { EMPTY_FORM, FormList, type FormNode, type FormObject } from '../core/form.js'
import { beginningOf, byteSize } from '../core/memory.js'
import { pathBelow } from '../core/paths.js'
import { readable, redactForm, withoutSecrets } from '../core/redaction.js'
import type { Facts, RefundFacts } from '../core/rules.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Settings } from '../core/settings.js'
import { LIST_TEMPLATE, type Template } from '../core/templates.js'
import type { Account } from '../reference/accounts.js'
import { ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import { isChange, type OperationId, operationOf } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import type { RecordName } from '../scenario/edits.js'
import type { Action, Fault } from '../scenario/script.js'
import { bodyOf, changedBody } from '../store/bytes.js'
import type { Shape } from '../store/collection.js'
import type { Store } from '../store/store.js'
import { keyIn, keysToMask } from './keys.js'
import type { World } from './world.js'

/**
 * How far a request came. `routed`: it has an operation. `identified`: its caller is known.
 * `decoded`: its forms are read. `admitted`: its parameters are
 * right, so it comes to the script. `running`: the operation decides. Then it is `answered`, and at
 * last `recorded`, which leaves nothing that may not be kept.
 */
export const STAGE = {
  arrived: 0,
  routed: 1,
  identified: 2,
  decoded: 3,
  admitted: 4,
  running: 5,
  answered: 6,
  recorded: 7
} as const
export type Stage = (typeof STAGE)[keyof typeof STAGE]

/**
 * What became of a request. `answered`: its operation gave the response, a 2xx or the documented
 * 501. `scripted`: a script entry gave or changed it.
 * `lost_before`, `lost_after`: the response was lost before or after the operation ran.
 * `not_written`: the operation ran, but the data file was not written.
 */
export type OutcomeName =
  | 'refused'
  | 'answered'
  | 'scripted'
  | 'lost_before'
  | 'lost_after'
  | 'not_written'
export type Refusal = {
  code: string
  rule: RuleId | null
  assumption: AssumptionId | null
  param: string | null
  facts: Facts | null
}
export type Pause = { machine: number; sandbox: number }
export type AnyRecord = Readonly<Record<string, unknown>> & { readonly id: string }
/** What an operation returned: a record or a list; null where it returns nothing. */
export type Shown = AnyRecord | List<AnyRecord> | null
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
export type AnswerHeaders = Record<string, string | string[]>

export type Outcome = {
  readonly name: OutcomeName
  /** How far the request had come when it was decided. */
  readonly reached: Stage
  readonly status: number
  readonly refusal: Refusal | null
  readonly shown: Shown
  /**
   * The bytes of the records that are shown; null where the request made or changed the one that it
   * shows.
   */
  readonly members: readonly Buffer[] | null
  /** The template of a list that is shown. */
  readonly list: Template
  readonly text: string
  /** How the script lost the response. */
  readonly fault: Fault | null
  /** What the Retry-After of the response asks for. */
  readonly pause: Pause | null
}
/**
 * An outcome as it is decided: what is left out is nothing, and `reached` the stage of the request.
 */
type Decided = Pick<Outcome, 'name' | 'status'> & Partial<Outcome>
/** As long as nothing is decided; every outcome has its shape. */
const UNDECIDED: Outcome = {
  name: 'lost_before',
  reached: STAGE.arrived,
  status: 0,
  refusal: null,
  shown: null,
  members: null,
  list: LIST_TEMPLATE,
  text: '',
  fault: null,
  pause: null
}

const NO_RECORDS: readonly RecordName[] = Object.freeze([])
const NO_WARNINGS: readonly string[] = Object.freeze([])
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})
/** Decoded values by the names of their parameters. */
export type Values = Readonly<Record<string, unknown>>
export const NO_VALUES: Values = Object.freeze({})
const MAX_TEST_LENGTH = 200

const OVERHEAD = 2000

/**
 * A request as it arrives: `url` is its path from the base address on, `/next/refunds`, and its
 * query.
 */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }

const WORD = 32
export const hasNoted = ({ low, high }: Pick<Exchange, 'low' | 'high'>, place: number): boolean =>
  ((place < WORD ? low >>> place : high >>> (place - WORD)) & 1) === 1

/**
 * What a request shows, by the places of the ledgers: the rules that it kept, in the order of their
 * checks, and the assumptions its response relies on.
 */
export type Judgement = {
  readonly kept: readonly number[]
  readonly broken: RuleId | null
  readonly relied: readonly number[]
}

/** The trace id of a `traceparent` header (W3C Trace Context); an id of only zeros is not valid. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

export class Exchange {
  readonly world: World
  /**
   * The state and the expectations that it came to. What waits ends with them: it never touches
   * those of a later period.
   */
  readonly state: World['state']
  readonly tally: World['tally']
  readonly id: string
  /** The path that the API of its sandbox is under, as it appears in responses: `/next`. */
  readonly base: string
  readonly method: string
  /** Dropped, with the headers, once the request is recorded. */
  url: string
  headers: RequestHeaders
  readonly now: number
  readonly at: number
  /**
   * Its place among the changes of its sandbox: where its operation ran, else where its response
   * was decided.
   */
  place: number
  stage: Stage = STAGE.arrived
  outcome: Outcome = UNDECIDED
  settings: Settings
  /** Below the base address, without the query; redacted once it is recorded. */
  path: string
  /** Null where the reference has no such operation. */
  operation: OperationId | null = null
  params: Readonly<Record<string, string>> = NO_PARAMS
  userAgent: string | null
  /** The test that sent it, by its own words; null where it named none. */
  test: string | null
  /** The trace that it belongs to; null where it named none. */
  readonly trace: string | null
  readonly hasAuthorization: boolean

  /** The Authorization header; dropped once the request is recorded. */
  authorization: string | undefined
  /** The Account of the key, and its id; null where none is asked for, or it is not known yet. */
  actor: Account | null = null
  account: string | null = null
  /** The records that the caller was looked up in; dropped once the request is recorded. */
  identifiedIn: Store | null = null
  query: FormObject = EMPTY_FORM
  body: FormObject = EMPTY_FORM
  /**
   * The parameters, decoded by the table of the operation, with records in place of the ids that
   * name them.
   */
  values: Values = NO_VALUES
  /** A parameter was sent that the operation does not have. */
  unknownParameter = false
  /** Whether the scenario's expectations have counted it. */
  isCounted = false
  /**
   * What the script does to it, the records that this changed, and why it could not change them.
   */
  action: Action | null = null
  changed: readonly RecordName[] = NO_RECORDS
  problem: string | null = null
  /**
   * The earlier records that it reads; null for those of the present. Dropped once the request is
   * recorded.
   */
  past: Store | null = null
  /** How many changes it made in its sandbox, from its place on, the script's among them. */
  changes = 0

  /**
   * The record that it is about, as it was before the operation: the one in the path, or the one
   * that the body names.
   */
  found: AnyRecord | null = null
  /** The record that a filter of a list names. */
  filteredBy: AnyRecord | null = null
  /** Whether at least one record was compared with a filter by `created`. */
  isCompared = false
  retrieved = 0
  /** What a Refund was judged by, before it was made. */
  money: RefundFacts | null = null

  /** The assumptions that were relied on, as bits by their places in the ledger. */
  low = 0
  high = 0
  warnings: readonly string[] = NO_WARNINGS
  answerHeaders: AnswerHeaders | null = null
  /** The body of the response on its way; dropped once the request is recorded. */
  payload: string | Buffer = ''
  length = 0
  /**
   * About how many bytes of memory it holds, once it is recorded. What it shows counts as much as
   * its JSON, though records share it.
   */
  held = 0
  judgement: Judgement | null = null
  isDelivered = false
  ms = 0

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
    this.place = world.inputs.place
    this.settings = world.settings
    this.path = pathBelow(url)
    this.userAgent = (headers['user-agent'] as string | undefined) ?? null
    const sent = headers[this.settings['evidence.test_header'].toLowerCase()]
    this.test = sent === undefined || sent === '' ? null : readable(textOf(String(sent)))
    this.trace =
      headers.traceparent === undefined
        ? null
        : (TRACEPARENT.exec(String(headers.traceparent))?.[1] ?? null)
    this.authorization = headers.authorization as string | undefined
    this.hasAuthorization = this.authorization !== undefined
  }

  /** Whether no load, reset or deletion has begun another period since it came. */
  get isOfPresentPeriod(): boolean {
    return this.tally === this.world.tally
  }

  /**
   * Notes that the request relies on an assumption: with a different assumption its response would
   * be different.
   */
  rely(assumption: AssumptionId): void {
    const place = ASSUMPTION_PLACES.get(assumption) as number
    if (place < WORD) this.low |= 1 << place
    else this.high |= 1 << (place - WORD)
  }

  /**
   * The body of the response, as it was sent. It is built only when it is read: the journal keeps
   * no copy of what the records keep.
   */
  get text(): string {
    const { shown, members, list, text, fault } = this.outcome
    const whole = () => {
      if (shown === null || text !== '' || this.length === 0) return text
      if (members !== null) return bodyOf(shown, members, list).toString()
      return changedBody(shown as AnyRecord, operationOf(this.operation as OperationId).family, {
        base: this.base,
        list
      })
    }
    return fault === 'malformed_body' ? malformed(whole()) : whole()
  }

  get store(): Store {
    return this.past ?? this.world.state.store
  }

  get shape(): Shape {
    return { base: this.base, list: this.settings['shapes.list'] }
  }

  header(name: string): string | null | undefined {
    if (name === 'user-agent') return this.userAgent ?? undefined
    if (name === this.settings['evidence.test_header'].toLowerCase()) return this.test ?? undefined
    const sent = this.headers[name]
    return sent === undefined && this.stage === STAGE.recorded ? null : sent && String(sent)
  }

  get secretWords(): SecretWords {
    return keysToMask(this.world)
  }

  get key(): string | null {
    return keyIn(this.authorization)
  }

  answered(
    status: number,
    shown: Shown,
    members: readonly Buffer[] | null,
    payload: string | Buffer
  ): void {
    this.#end({ name: 'answered', status, shown, members }, payload)
  }

  /**
   * The request was refused, or aborted with the documented 501, which its operation gives. A
   * change that cannot be written was made all the same.
   */
  refused(status: number, refusal: Refusal, text: string): void {
    if (refusal.code === 'data_not_written' && hasPerformed(this))
      this.#end({ ...this.outcome, name: 'not_written', status, refusal, text, fault: null }, text)
    else
      this.#end(
        {
          name: refusal.code === 'operation_disabled' ? 'answered' : 'refused',
          reached: reachedBy(this),
          status,
          refusal,
          text
        },
        text
      )
  }

  /**
   * A script entry gave the response, in place of the operation or by changing the operation's
   * response.
   */
  scripted(status: number, text: string, pause: Pause | null): void {
    const { reached, shown } =
      this.stage < STAGE.answered ? { reached: this.stage, shown: null } : this.outcome
    this.#end({ name: 'scripted', reached, status, shown, text, pause }, text)
  }

  #end(decided: Decided, payload: string | Buffer): void {
    const {
      name,
      reached = this.stage,
      status,
      refusal = null,
      shown = null,
      members = null,
      text = '',
      fault = null,
      pause = null
    } = decided
    const list = this.settings['shapes.list']
    this.outcome = { name, reached, status, refusal, shown, members, list, text, fault, pause }
    if (reached < STAGE.running && this.changes === 0) this.place = this.world.inputs.place
    this.stage = STAGE.answered
    this.payload = payload
    this.length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
  }

  /** The script loses the response. */
  lost(fault: Fault): void {
    this.outcome = { ...this.outcome, fault }
  }

  /**
   * The response is sent or lost, and the request is over: an outcome that did not arrive is marked
   * as lost.
   */
  close(isDelivered: boolean, ms: number): void {
    const { outcome } = this
    this.isDelivered =
      isDelivered &&
      (outcome.fault === null || (outcome.fault === 'malformed_body' && this.length > 0))
    this.ms = ms
    this.settings = this.world.settings
    if (this.stage < STAGE.answered) this.#end({ name: 'lost_before', status: 200 }, '')
    else if (!this.isDelivered && (outcome.name === 'answered' || outcome.name === 'scripted'))
      this.outcome = { ...outcome, name: hasPerformed(this) ? 'lost_after' : 'lost_before' }
  }

  /**
   * A digest, the same for the same request by the same caller; bodies that were not read never
   * count as the same. Known until it is redacted.
   */
  signature(): string {
    const { method, path, authorization, test, userAgent, query, body, headers, id, url } = this
    const undecoded = hasBody(headers) ? id : url
    const sent = hasReached(this, STAGE.decoded) ? [flat(query), flat(body)] : undecoded
    return hash(
      'sha256',
      JSON.stringify([method, path, authorization, test, userAgent, sent]),
      'base64'
    )
  }

  /**
   * Drops what may not be kept: credentials, card numbers and API keys, wherever they are (A25).
   */
  redact(): void {
    const isKeyKnown =
      this.actor !== null &&
      this.world.state.store === this.identifiedIn &&
      this.settings['auth.accept_any_key'] === null
    const keys = keysToMask(this.world, isKeyKnown ? undefined : this.authorization)
    const show = (text: string) => withoutSecrets(readable(text), keys)
    const path = show(this.path)
    if (path !== this.path)
      this.params = Object.fromEntries(
        Object.entries(this.params).map(([name, value]) => [name, show(value)])
      )
    this.path = path
    if (this.userAgent !== null) this.userAgent = show(this.userAgent)
    if (this.test !== null)
      this.test = beginningOf(withoutSecrets(this.test, keys), MAX_TEST_LENGTH)
    // a cursor is not a secret, whatever its name
    const isPaged = this.operation !== null && operationOf(this.operation).kind === 'list'
    redactForm(this.query, keys, isPaged ? this.settings['pagination.cursors'] : undefined)
    redactForm(this.body, keys)
    const { refusal, text } = this.outcome
    if (text !== '') {
      const param = refusal?.param ? withoutSecrets(refusal.param, keys) : null
      this.outcome = {
        ...this.outcome,
        text: keys.maskedIn(text),
        refusal: refusal && { ...refusal, param }
      }
    }
    const { userAgent, test, query, body } = this
    const shown = text === '' ? this.length : byteSize(this.outcome.text)
    this.held =
      OVERHEAD +
      2 * byteSize(path) +
      byteSize(userAgent ?? '') +
      byteSize(test ?? '') +
      query.held +
      body.held +
      shown
    this.headers = NO_HEADERS
    this.authorization = undefined
    this.identifiedIn = null
    this.past = null
    this.url = ''
    this.values = NO_VALUES
    this.payload = ''
    this.stage = STAGE.recorded
  }
}

const NO_HEADERS: RequestHeaders = Object.freeze({})

/** A body as long as the right one that no JSON parser takes. */
export const malformed = (body: string): string => (body === '' ? '' : `${body.slice(0, -1)}{`)

export const hasBody = (headers: RequestHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

type Ended = Pick<Exchange, 'stage' | 'outcome'>
/** How far a request came before its outcome was decided. */
const reachedBy = ({ stage, outcome }: Ended): Stage =>
  stage < STAGE.answered ? stage : outcome.reached
export const hasReached = (exchange: Ended, wanted: Stage): boolean => reachedBy(exchange) >= wanted

/**
 * Whether the operation gave the response, even if that was lost: a 2xx of its own, or the
 * documented 501.
 */
export const hasRun = ({ stage, outcome: { name } }: Ended): boolean =>
  stage >= STAGE.answered &&
  (name === 'answered' || name === 'lost_after' || name === 'not_written')

/** Whether the operation finished; a script entry may have changed its response. */
export const hasPerformed = (exchange: Ended): boolean =>
  hasRun(exchange) ||
  (exchange.outcome.name === 'scripted' && exchange.outcome.reached === STAGE.running)

/**
 * Whether the request changed a record: an update that changes nothing shows the one that it found.
 */
export const tookEffect = (
  exchange: Pick<Exchange, 'stage' | 'outcome' | 'operation' | 'found'>
): boolean =>
  exchange.operation !== null &&
  hasPerformed(exchange) &&
  isChange(operationOf(exchange.operation)) &&
  exchange.outcome.shown !== exchange.found

/**
 * The rule that a refused request broke; null where an assumption refused it, or it was not
 * refused.
 */
export const brokenRule = ({
  outcome: { name, refusal }
}: Pick<Exchange, 'outcome'>): RuleId | null =>
  name === 'refused' ? (refusal?.rule ?? null) : null

export const listShown = ({
  outcome: { shown }
}: Pick<Exchange, 'outcome'>): List<AnyRecord> | null =>
  (shown as { object?: unknown } | null)?.object === 'list' ? (shown as List<AnyRecord>) : null

export const recordsShown = (exchange: Pick<Exchange, 'outcome'>): readonly AnyRecord[] =>
  listShown(exchange)?.data ??
  (exchange.outcome.shown === null ? [] : [exchange.outcome.shown as AnyRecord])

function textOf(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

export type ScriptAction = {
  id: string
  name: string | null
  fault: Fault | null
  applied?: boolean
  problem?: string
}
export const scriptAction = ({
  action,
  outcome,
  problem
}: Pick<Exchange, 'action' | 'outcome' | 'problem'>): ScriptAction | null =>
  action && {
    id: action.id,
    name: action.entry.data.name ?? null,
    fault: action.entry.data.fault ?? outcome.fault,
    ...(!action.isApplied && { applied: false }),
    ...(problem !== null && { problem })
  }

const flat = (node: FormNode): unknown => {
  if (typeof node === 'string') return node
  if (node instanceof FormList) return node.items
  return [...node].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, flat(part)])
}
