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
import type { Came } from '../scenario/expect/tally.js'
import type { RecordName } from '../scenario/records/edits.js'
import type { Action, Fault } from '../scenario/script.js'
import { bodyOf, changedBody } from '../store/bytes.js'
import type { Shape } from '../store/collection.js'
import type { Store } from '../store/store.js'
import { keyIn, keysToMask } from './keys.js'
import type { World } from './world.js'

/** How far a request came; `recorded`: nothing is left that may not be kept. */
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

/** `answered`: a 2xx or the documented 501; `scripted`: a script entry gave or changed it. */
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
/** Until when not to send the request again, by either clock. */
export type Pause = { machine: number; sandbox: number }
export type AnyRecord = Readonly<Record<string, unknown>> & { readonly id: string }
/** A record or a list; null where nothing is returned. */
export type Shown = AnyRecord | List<AnyRecord> | null
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
export type AnswerHeaders = Record<string, string | string[]>

export type Outcome = {
  readonly name: OutcomeName
  readonly reached: Stage
  readonly status: number
  readonly refusal: Refusal | null
  readonly shown: Shown
  /** The bytes of the records shown; null where the request made or changed the record. */
  readonly members: readonly Buffer[] | null
  readonly list: Template
  readonly text: string
  readonly fault: Fault | null
  readonly pause: Pause | null
}
/** Without `reached`, the stage of the request counts. */
type Decided = Pick<Outcome, 'name' | 'status'> & Partial<Outcome>
/** Before a decision. Every outcome has the same shape, for speed. */
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
export type Values = Readonly<Record<string, unknown>>
export const NO_VALUES: Values = Object.freeze({})
const MAX_TEST_LENGTH = 200

const OVERHEAD = 2000

/** `url` is its path from the base address on, `/next/refunds`, and its query. */
export type Arriving = { base: string; method: string; url: string; headers: RequestHeaders }

const WORD = 32
/** Whether a request relied on the assumption at a place of the ledger. */
export const hasNoted = ({ low, high }: Pick<Exchange, 'low' | 'high'>, place: number): boolean =>
  ((place < WORD ? low >>> place : high >>> (place - WORD)) & 1) === 1

/** By the places of the ledgers, in the order of their checks. */
export type Judgement = {
  readonly kept: readonly number[]
  readonly broken: RuleId | null
  readonly relied: readonly number[]
}

/** W3C Trace Context; an id of only zeros is not valid. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

export class Exchange {
  readonly world: World
  /** Those of its arrival: a request that waited never touches a later period. */
  readonly state: World['state']
  readonly tally: World['tally']
  readonly id: string
  /** The path of the API as responses show it: `/next`. */
  readonly base: string
  readonly method: string
  /** Dropped, with the headers, once the request is recorded. */
  url: string
  headers: RequestHeaders
  readonly now: number
  readonly at: number
  /** Among the changes of its sandbox, when its operation ran or the response was decided. */
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
  test: string | null
  readonly trace: string | null
  readonly hasAuthorization: boolean

  authorization: string | undefined
  /** Null where no key is asked for, or it is not known yet. */
  actor: Account | null = null
  account: string | null = null
  /** The records in which the caller was found; dropped once recorded. */
  identifiedIn: Store | null = null
  query: FormObject = EMPTY_FORM
  body: FormObject = EMPTY_FORM
  /** Decoded, with records in place of the ids that name them. */
  values: Values = NO_VALUES
  /** A parameter was sent that the operation does not have. */
  unknownParameter = false
  /** What the scenario's expectations know of it; null before it came to them. */
  came: Came | null = null
  /** What the script does to it, what that changed, and why it could not. */
  action: Action | null = null
  changed: readonly RecordName[] = NO_RECORDS
  problem: string | null = null
  /** Earlier records that it reads in place of the present; dropped once recorded. */
  past: Store | null = null
  /** How many changes it made, the script's included. */
  changes = 0

  /** The record in the path or named by the body, as it was before the operation. */
  found: AnyRecord | null = null
  /** The record that a filter of a list names. */
  filteredBy: AnyRecord | null = null
  /** Whether a record was compared with a filter by `created`. */
  isCompared = false
  retrieved = 0
  money: RefundFacts | null = null

  /** The assumptions that were relied on, as bits by their places in the ledger. */
  low = 0
  high = 0
  warnings: readonly string[] = NO_WARNINGS
  answerHeaders: AnswerHeaders | null = null
  payload: string | Buffer = ''
  length = 0
  /** Bytes of memory, about, once it is recorded. */
  held = 0
  judgement: Judgement | null = null
  isDelivered = false
  ms = 0
  /** When its response was sent or lost, by the sandbox's clock in milliseconds. */
  ended = 0

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

  get isOfPresentPeriod(): boolean {
    return this.tally === this.world.tally
  }

  /** Notes an assumption without which the response would be different. */
  rely(assumption: AssumptionId): void {
    const place = ASSUMPTION_PLACES.get(assumption) as number
    if (place < WORD) this.low |= 1 << place
    else this.high |= 1 << (place - WORD)
  }

  /** The body of the response. It is built when read: the journal keeps no copy of records. */
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

  /** Also for the documented 501. A change that could not be written was still made. */
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

  lost(fault: Fault): void {
    this.outcome = { ...this.outcome, fault }
  }

  /** The request is over; an outcome that did not arrive is marked as lost. */
  close(isDelivered: boolean, ms: number): void {
    const { outcome } = this
    this.isDelivered =
      isDelivered &&
      (outcome.fault === null || (outcome.fault === 'malformed_body' && this.length > 0))
    this.ms = ms
    this.ended = this.at === 0 ? 0 : this.state.clock.now(this.world.machine())
    this.settings = this.world.settings
    if (this.stage < STAGE.answered) this.#end({ name: 'lost_before', status: 200 }, '')
    else if (!this.isDelivered && (outcome.name === 'answered' || outcome.name === 'scripted'))
      this.outcome = { ...outcome, name: hasPerformed(this) ? 'lost_after' : 'lost_before' }
  }

  /** The same for the same request by the same caller, until it is redacted. */
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

  /** Drops credentials, card numbers and API keys, wherever they are (A25). */
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
const reachedBy = ({ stage, outcome }: Ended): Stage =>
  stage < STAGE.answered ? stage : outcome.reached
export const hasReached = (exchange: Ended, wanted: Stage): boolean => reachedBy(exchange) >= wanted

/** Whether the operation responded, even if that was lost: a 2xx, or the documented 501. */
export const hasRun = ({ stage, outcome: { name } }: Ended): boolean =>
  stage >= STAGE.answered &&
  (name === 'answered' || name === 'lost_after' || name === 'not_written')

/** Whether the operation finished; a script entry may have changed its response. */
export const hasPerformed = (exchange: Ended): boolean =>
  hasRun(exchange) ||
  (exchange.outcome.name === 'scripted' && exchange.outcome.reached === STAGE.running)

/** Whether it changed a record. An update that changes nothing shows the one that it found. */
export const tookEffect = (
  exchange: Pick<Exchange, 'stage' | 'outcome' | 'operation' | 'found'>
): boolean =>
  exchange.operation !== null &&
  hasPerformed(exchange) &&
  isChange(operationOf(exchange.operation)) &&
  exchange.outcome.shown !== exchange.found

/** The rule that it broke; null if an assumption refused it, or nothing did. */
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

/** A new Refund changes its Transaction too. */
export function recordsChanged(call: Exchange): readonly RecordName[] {
  const own = recordsChangedByOperation(call)
  return call.changed.length === 0
    ? own
    : [...own, ...call.changed.filter(({ id }) => own.every(one => one.id !== id))]
}

function recordsChangedByOperation(call: Exchange): RecordName[] {
  if (call.operation === null || !tookEffect(call)) return []
  const { family, kind } = operationOf(call.operation)
  if (kind === 'delete') return [{ family, id: (call.found as AnyRecord).id }]
  return recordsShown(call).flatMap(({ id, transaction }): RecordName[] => {
    const shown = { family, id }
    return family === 'refunds'
      ? [shown, { family: 'transactions', id: transaction as string }]
      : [shown]
  })
}
