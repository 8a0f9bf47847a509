/** One call of the emulated API, from its first moment to its place in the journal. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EMPTY_FORM, FormList, type FormNode, type FormObject, nodeIn } from '../core/form.js'
import { beginningOf, heldBy } from '../core/memory.js'
import { redactForm, withoutSecrets } from '../core/redaction.js'
import type { RefundFacts } from '../core/refund-rules.js'
import type { SecretWords } from '../core/secret-words.js'
import type { Settings } from '../core/settings.js'
import { Trace } from '../core/trace.js'
import type { AnyRecord, JudgedCall, Outcome, Pause, Refusal, ScriptAction } from '../evidence/judged-call.js'
import type { Account } from '../reference/accounts.js'
import { type OperationId, operationOf } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Action, EntryData, Fault } from '../scenario/script.js'
import { bodyOf, changedBody } from '../store/bytes.js'
import type { Store } from '../store/store.js'
import { type AnswerHeaders, keysToMask, readable } from './answers.js'
import { keyIn } from './authentication.js'
import { NO_VALUES, type Values } from './parameters.js'
import { pathBelow } from './paths.js'
import { Scope } from './scope.js'

declare module 'fastify' {
  interface FastifyRequest {
    call: Call
  }
  interface FastifyContextConfig {
    operation?: OperationId
    /** A control call that makes the sandbox that it names, when there is none: one that changes something. */
    makesSandbox?: true
    /** A control call that needs no token, and shows nothing of any sandbox. */
    open?: true
    /** A control call that answers browsers with a page. */
    page?: true
  }
}

/** Who makes a call: a client, a step of a scenario, or a trial on a copy of a sandbox; `control` is any call of the control API, or outside of every sandbox. */
export type Origin = 'client' | 'step' | 'trial' | 'control'
/** Where a call came in: its sandbox and the path that the sandbox's API is under, as it appears in answers: `/next`. */
export type Arrival = { id: string; sandbox: Sandbox; base: string; origin: Origin }

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})
/** A path in which nothing is encoded. */
const IS_PLAIN = /^[\w/.-]*$/
/** About the memory that a call holds in addition to its texts, in bytes. */
const OVERHEAD = 2000
/** Characters of the name of a test that are kept. */
const LONGEST_TEST = 200
/** From so many digits on, `card[number]` is taken for a whole number, whether or not it passes any check. */
const LEAST_CARD_DIGITS = 12

export class Call implements JudgedCall {
  readonly id: string
  readonly base: string
  readonly method: string
  /** Whether the emulator makes it itself, as a step or a trial: it is not logged, keeps no sandbox, and waits for no data file. */
  readonly isInner: boolean
  /** Whether a script may act on it. */
  readonly isScriptable: boolean
  /** Whether it goes into the evidence: the call of a client. */
  readonly isRecorded: boolean
  readonly at: number
  readonly now: number
  readonly #since: number
  /** Null as long as the call goes on. */
  #settings: Settings | null = null
  /** What distinguishes the call from others as long as it is not decoded: its address, or its id where it has a body. Dropped once the call is recorded. */
  #undecoded: string
  sandbox: Sandbox
  operation: OperationId | null
  params: Readonly<Record<string, string>>
  path: string
  userAgent: string | null
  test: string | null
  readonly hasAuthorization: boolean
  /** The Authorization header; dropped once the call is recorded. */
  authorization: string | undefined

  /** The Account of the key; null where none is asked for. */
  actor: Account | null = null
  readonly trace = new Trace()
  readonly scope = new Scope(this)
  query: FormObject = EMPTY_FORM
  body: FormObject = EMPTY_FORM
  isDecoded = false
  isValid = false
  /** The parameters, decoded by the table of the operation. */
  values: Values = NO_VALUES
  /** Whether the caller is known. */
  isIdentified = false
  /** The records that the caller was looked up in. */
  #identifiedIn: Store | null = null
  /** Whether the scenario's expectations have counted it. */
  isCounted = false

  found: AnyRecord | null = null
  filteredBy: AnyRecord | null = null
  retrieved = 0
  money: RefundFacts | null = null
  shown: AnyRecord | List<AnyRecord> | null = null
  /** The bytes of the records that are shown; null where the call made or changed the one that it shows. */
  #members: readonly Buffer[] | null = null

  /** Headers of the answer in addition to those that every answer has. */
  headers: AnswerHeaders | null = null

  /** Whether it was matched against the script, which counts the calls of an entry. */
  isMatched = false
  /** What the script does to it. */
  action: Action | null = null
  /** How the script lost the answer. */
  lost: Fault | null = null
  /** Whether the steps of the API have not come to an end yet; they go on even when the client has left. */
  isPending = false
  /** Whether it is recorded, so that nothing more is expected of it. */
  isOver = false
  /** Whether its response is closed, sent or not. */
  isClosed = false
  /** Null until it is known what became of it; a preflight has none. */
  fate: Outcome | null = null
  status = 0
  /** A body that does not show what the operation returned: that of a refusal or of a script. */
  #body = ''
  length = 0
  isDelivered = false
  refusal: Refusal | null = null
  ms = 0

  unknownParameter = false
  pause: Pause | null = null
  /** A control call that has no use for the sandbox that it made, or changed nothing: a dry run. */
  leavesNothing = false

  constructor({ method, url, headers, params, routeOptions }: FastifyRequest, { id, sandbox, base, origin }: Arrival) {
    this.id = id
    this.base = base
    this.method = method
    this.isInner = origin === 'step' || origin === 'trial'
    this.isScriptable = origin !== 'step'
    this.isRecorded = origin === 'client'
    this.now = sandbox.machineNow()
    this.at = sandbox.isLoaded ? sandbox.clock.now(this.now) : 0
    this.#since = performance.now()
    this.#undecoded = hasBody(headers) ? id : url
    this.sandbox = sandbox
    this.operation = routeOptions.config?.operation ?? null
    this.params = this.operation === null ? NO_PARAMS : (params as Record<string, string>)
    this.path = pathBelow(url)
    this.userAgent = headers['user-agent'] ?? null
    this.test = this.isRecorded || origin === 'trial' ? testIn(headers, sandbox.settings['evidence.test_header']) : null
    this.hasAuthorization = headers.authorization !== undefined
    this.authorization = headers.authorization
  }

  /** Those of its sandbox; once the call is over, those that it was judged by. */
  get settings(): Settings {
    return this.#settings ?? this.sandbox.settings
  }

  get account(): string | null {
    return this.actor?.id ?? null
  }

  /** The caller is known: it acts as an Account, or without one where no key is asked for. */
  identify(actor: Account | null): void {
    this.isIdentified = true
    this.#identifiedIn = this.sandbox.store
    this.actor = actor
  }

  /** A load, a reset or a restored snapshot has replaced the state since the caller was looked up, the keys among it. */
  get isStateReplaced(): boolean {
    return this.sandbox.store !== this.#identifiedIn
  }

  /** The operation has returned a record or a list; `members` are the bytes of the records, null for a record that it made or changed. */
  show(shown: AnyRecord | List<AnyRecord>, members: readonly Buffer[] | null): void {
    this.shown = shown
    this.#members = members
  }

  /** The body of the answer. It is put together only when it is read: the journal keeps no copy of what the records keep. */
  get text(): string {
    if (this.shown === null || this.#body !== '') return this.#body
    if (this.#members !== null) return bodyOf(this.shown, this.#members).toString()
    return changedBody(this.shown as AnyRecord, operationOf(this.operation as OperationId).family, this.base)
  }

  /** What it shows counts as much as its JSON, though records share it. */
  get held(): number {
    const { path, userAgent, test, query, body, length } = this
    return (
      OVERHEAD + 2 * heldBy(path) + heldBy(userAgent ?? '') + heldBy(test ?? '') + query.held + body.held + (this.#body === '' ? length : heldBy(this.#body))
    )
  }

  set text(body: string) {
    this.#body = body
  }

  get outcome(): Outcome {
    return this.fate ?? 'answered'
  }

  get script(): ScriptAction | null {
    if (this.action === null) return null
    const { name = null, fault = null } = this.action.entry.data
    return { id: this.action.id, name, fault }
  }

  get entry(): EntryData | null {
    return this.action?.entry.data ?? null
  }

  /** Whether a whole card number was sent as one. */
  get cardNumberSent(): boolean {
    const number = nodeIn(this.body, ['card', 'number'])
    return typeof number === 'string' && number.replace(/\D/g, '').length >= LEAST_CARD_DIGITS
  }

  /** The response is closed: the client got the answer, or it was lost on the way. */
  close({ raw }: FastifyReply): void {
    this.isDelivered = this.lost === null && isSent(raw)
    this.#settings = this.sandbox.settings
    this.status = raw.statusCode
    this.ms = Math.round((performance.now() - this.#since) * 10) / 10
    if (!this.isDelivered && this.fate === 'answered') this.fate = 'lost_after'
    if (!this.isDelivered && this.fate === 'scripted') this.fate = 'lost_before'
  }

  /** A digest that is the same for the same call by the same caller; of a body that was not read, no two are known to be the same. */
  signature(): string {
    const { method, path, authorization, isDecoded, query, body } = this
    return hash('sha256', JSON.stringify([method, path, authorization, isDecoded ? [flat(query), flat(body)] : this.#undecoded]), 'base64')
  }

  /** Drops what may not be kept: credentials, card numbers and API keys, wherever they are (A25). */
  redact(): void {
    const isKeyKnown = this.actor !== null && !this.isStateReplaced && this.settings['auth.accept_any_key'] === null
    const keys = keysToMask(this.sandbox, isKeyKnown ? undefined : this.authorization)
    const show = (text: string) => withoutSecrets(readable(text), keys)
    const path = IS_PLAIN.test(this.path) ? withoutSecrets(this.path, keys) : show(this.path)
    if (path !== this.path) this.params = Object.fromEntries(Object.entries(this.params).map(([name, value]) => [name, show(value)]))
    this.path = path
    if (this.userAgent !== null) this.userAgent = show(this.userAgent)
    if (this.test !== null) this.test = beginningOf(show(this.test), LONGEST_TEST)
    redactForm(this.query, keys)
    redactForm(this.body, keys)
    if (this.refusal?.param) this.refusal = { ...this.refusal, param: withoutSecrets(this.refusal.param, keys) }
    if (this.#body !== '') this.#body = keys.maskedIn(this.#body)
    this.authorization = undefined
    this.#undecoded = ''
    this.values = NO_VALUES
  }

  get secretWords(): SecretWords {
    return keysToMask(this.sandbox)
  }

  /** The key that was sent, right or not; null where none was. */
  get key(): string | null {
    return keyIn(this.authorization)
  }
}

/** Whether a response was sent to the end. One that was injected has no connection, so it arrives as soon as it is ended. */
const isSent = (raw: FastifyReply['raw']): boolean => raw.writableFinished || (raw.writableEnded && !(raw.req.socket instanceof Socket))

/** Whether a request carries a body, by what its headers say. */
export const hasBody = (headers: FastifyRequest['headers']): boolean => headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** The test that a header names: text of UTF-8, percent-encoded or not; null where there is none. */
function testIn(headers: FastifyRequest['headers'], header: string): string | null {
  const sent = headers[header.toLowerCase()]
  if (sent === undefined || sent === '') return null
  // the framework reads headers as Latin-1
  const bytes = Buffer.from(String(sent), 'latin1')
  return isUtf8(bytes) ? bytes.toString() : String(sent)
}

/** A form as data that is the same for the same parameters in any order. */
const flat = (node: FormNode): unknown => {
  if (typeof node === 'string') return node
  if (node instanceof FormList) return node.items
  return node.parts
    .entries()
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, flat(part)])
}
