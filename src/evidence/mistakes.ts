/** Mistakes of the client: what a request shows by itself, and together with those before it. */
import { hash } from 'node:crypto'
import { holdsCardNumber } from '../core/card-numbers.js'
import { type FormNode, valueIn } from '../core/form.js'
import { readable } from '../core/redaction.js'
import { keep } from '../core/remembered.js'
import { keysToMask } from '../engine/keys.js'
import { limitOf } from '../engine/listing.js'
import { type AnyRecord, hasPerformed, hasReached, type Pause, STAGE } from '../engine/outcome.js'
import { hasBody, type Reading } from '../engine/reading.js'
import { isUnset } from '../engine/sentences.js'
import { operationOf } from '../reference/operations.js'
import type { Entry } from './entry.js'
import type { FindingId, Raised } from './findings.js'
import { amountSent, hasValue } from './judgement.js'
import { isLosable, LOSABLE, LostAnswers, pageShown } from './lost.js'
import { pairsIn } from './why.js'

const MAX_REMEMBERED = 1000

/** A page without a next request yet; `next` are its cursors. */
type OpenPage = { finding: FindingId; id: string; list: string; limit: number; next: string[] }

/** Those of the records of a sandbox. */
type Changes = { readonly count: number; before: (request: string) => number }

type Mistake = (call: Entry, reading: Reading) => boolean
/** What a request shows by itself. */
const MISTAKES: readonly (readonly [FindingId, Mistake])[] = [
  ['change-not-made', ({ script }) => script !== null && script.problem !== null],
  ['unknown-parameter', (_, { isUnknown }) => isUnknown],
  ['unset-value', ({ body, query }) => anyText(body, isUnset) || anyText(query, isUnset)],
  ['card-number-sent', (_, reading) => isCardNumberSent(reading)],
  ['key-leaked', (_, reading) => isKeyLeaked(reading)],
  ['foreign-record', isForeign],
  ['key-sent-needlessly', call => isPayment(call) && call.caller.isKeySent],
  ['zero-payment', call => isPaid(call) && amountSent(call) === undefined],
  [
    'unused-parameter',
    call => isPaid(call) && !isOfVip(call) && hasValue(call.body.get('bank_account'))
  ],
  ['empty-amount', ({ operation, body }) => isLosable(operation) && body.get('amount') === ''],
  ['search-without-narrowing', call => isSearch(call) && !isNarrowed(call) && hasPerformed(call)]
]

const isPayment = ({ operation }: Entry) => operation === 'createTransaction'
const isPaid = (call: Entry) => isPayment(call) && hasPerformed(call)
const isOfVip = ({ body }: Entry) => valueIn(body, 'payment_type') === 'vip'
const isNarrowed = ({ query }: Entry) =>
  valueIn(query, 'location') !== undefined || hasValue(query.get('created'))

const isSearch = ({ operation, query }: Entry) =>
  (operation === 'listTickets' || operation === 'listTransactions') &&
  valueIn(query, 'search_query') !== undefined

type Owned = AnyRecord & { account?: string; location?: string; transaction: string }
/** Whether the record is of a merchant that is neither the key's Account nor below it. */
function isForeign(call: Entry, { actor, world }: Reading) {
  const { record } = call.facts
  if (actor === null || record === null || !hasPerformed(call)) return false
  const { accounts, locations, transactions } = world.state.store
  const { object, id, account, location, transaction } = record as Owned
  const place = location ?? transactions.get(transaction)?.location
  // the Location may have been deleted since
  const owner = object === 'account' ? id : (account ?? locations.get(String(place))?.account)
  return owner !== undefined && owner !== actor.id && accounts.get(owner)?.reseller !== actor.id
}

function isKeyLeaked({ body, query, userAgent, world }: Reading) {
  const words = keysToMask(world)
  const isKey = (text: string) => words.maskedIn(text) !== text
  return (
    isKey([valueIn(query, 'search_query'), userAgent].join('\n')) ||
    anyText(body.get('metadata') ?? '', isKey, true)
  )
}

/** A whole card number as one, valid or not, or one of a known issuer anywhere. */
function isCardNumberSent({ body, url, headers }: Reading) {
  const number = valueIn(body, 'card', 'number')?.replace(/\D/g, '')
  for (const name in headers) if (holdsCardNumber(String(headers[name]))) return true
  return (
    (number !== undefined && number.length >= MIN_CARD_DIGITS) ||
    anyText(body, holdsCardNumber, true) ||
    holdsCardNumber(readable(url))
  )
}
const MIN_CARD_DIGITS = 12

function anyText(node: FormNode, is: (text: string) => boolean, isNamed = false) {
  if (typeof node === 'string') return is(node)
  if (Array.isArray(node)) return node.some(is)
  for (const [name, part] of node)
    if ((isNamed && is(name)) || anyText(part, is, isNamed)) return true
  return false
}

export class Findings {
  #raised: Raised[] = []
  #open = new Map<string, OpenPage>()
  readonly lost = new LostAnswers()
  /** `changes` is how many there were when a script declined it; null where the API refused it. */
  #refused = new Map<string, { id: string; changes: number | null }>()
  #isDeclining = false
  #pauses = new Map<string, Pause>()

  /** What a request shows, before it is masked; `changes` are those of its sandbox. */
  look(call: Entry, reading: Reading, changes: Changes): readonly Raised[] {
    this.#raised = []
    const { id, operation, outcome } = call
    const { isDelivered, fault, name, status } = outcome
    for (const [finding, isMistake] of MISTAKES)
      if (isMistake(call, reading)) this.#raise(finding, [id])
    const isBroken = status >= 500 && name === 'scripted' && hasPerformed(call)
    const isLost = !isDelivered || fault !== null || name === 'not_written' || isBroken
    if (operation !== null && operationOf(operation).kind === 'list')
      this.#lookAtList(call, reading, isLost)
    const lost = this.lost.look(call, reading, isLost)
    if (lost !== null) {
      const { risk } = LOSABLE[lost.operation]
      this.#raise(lost.isSeen ? 'repeated-though-made' : risk, [lost.request, id])
    }
    this.#lookAtPause(call, reading)
    this.#lookAtRefusal(call, reading, isLost, changes)
    return this.#raised
  }

  #raise(finding: FindingId, requests: readonly string[], times: 1 | -1 = 1) {
    this.#raised.push({ finding, requests, times })
  }

  #lookAtList(call: Entry, reading: Reading, isLost: boolean) {
    const { id, query, settings } = call
    const [after, before] = settings['pagination.cursors'].map(name => valueIn(query, name))
    const isBegun = after === undefined && before === undefined
    const isBegunAgain = isBegun && hasPerformed(call)
    if (isBegun && !isSearch(call) && this.#open.size === 0) return
    const filters = FILTERS.map(name => pairsIn(query.get(name) ?? '').sort())
    const list = signed(call, reading, filters)
    const limit = limitOf(reading.values, settings)
    const cursor = JSON.stringify([after, before])
    this.#continue(list, page => page.next.includes(cursor) || (isBegunAgain && page.limit < limit))
    const page = isLost ? null : pageShown(call)
    if (!page?.has_more) return
    const { data, first_id, last_id } = page
    const isEmpty = isSearch(call) && data.length === 0
    if (isBegun && !isEmpty) return
    // some clients continue from the last record shown
    const ends = before === undefined ? [last_id, data.at(-1)?.id] : [first_id, data[0]?.id]
    const next = ends
      .filter(end => typeof end === 'string')
      .map(end => JSON.stringify(before === undefined ? [end, null] : [null, end]))
    this.#continue(list, page => page.next.some(cursor => next.includes(cursor)))
    const finding = isEmpty ? 'stopped-at-empty-page' : 'stopped-before-the-end'
    keep(this.#open, id, { finding, id, list, limit, next }, MAX_REMEMBERED)
    this.#raise(finding, [id])
  }

  #continue(list: string, isContinued: (page: OpenPage) => boolean): void {
    for (const page of this.#open.values()) {
      if (page.list !== list || !isContinued(page)) continue
      this.#open.delete(page.id)
      this.#raise(page.finding, [page.id], -1)
    }
  }

  #lookAtPause(call: Entry, reading: Reading) {
    const { id, at, now, operation, query, body, outcome } = call
    const { pause, isDelivered } = outcome
    if (operation === null || (pause === null && this.#pauses.size === 0)) return
    const about = ABOUT.map(name => valueIn(body, name) ?? valueIn(query, name))
    const key = signed(call, reading, about)
    const before = replace(this.#pauses, key, isDelivered ? pause : null)
    if (before !== undefined && now < before.machine && at < before.sandbox)
      this.#raise('retry-after-ignored', [id])
  }

  /** Refused again, or sent again with nothing changed since a script declined it. */
  #lookAtRefusal(call: Entry, reading: Reading, isLost: boolean, changes: Changes) {
    const { id, method, outcome } = call
    const { refusal, name, status, pause } = outcome
    const isRefused =
      refusal !== null &&
      !EMULATOR_FAULTS.includes(refusal.code) &&
      (method !== 'GET' || status !== 404)
    const isDeclined = name === 'scripted' && DECLINED.includes(status) && pause === null
    this.#isDeclining ||= isDeclined
    if (!isRefused && !this.#isDeclining) return
    const now = { id, changes: isDeclined ? changes.count : null }
    const isKept = !isLost && (isRefused || isDeclined)
    const before = replace(this.#refused, signatureOf(call, reading), isKept ? now : null)
    if (before === undefined) return
    if (before.changes === null ? isRefused : before.changes === changes.before(id))
      this.#raise('refused-and-repeated', [before.id, id])
  }
}

const DECLINED: readonly number[] = [402, 409, 422]
const EMULATOR_FAULTS =
  'internal_error not_ready data_not_written limit_reached state_replaced'.split(' ')
const FILTERS = ['search_query', 'location', 'transaction', 'created']
const ABOUT = ['ticket', 'transaction', 'location', 'account']

/** Returns the value before; null removes it. */
function replace<V>(map: Map<string, V>, key: string, value: V | null): V | undefined {
  const before = map.get(key)
  map.delete(key)
  if (value !== null) keep(map, key, value, MAX_REMEMBERED)
  return before
}

/** A request as the same caller repeats it. */
function signed({ operation, path }: Entry, reading: Reading, sent: unknown) {
  const { authorization, test, userAgent } = reading
  return JSON.stringify([operation, path, authorization, test, userAgent, sent])
}

export function signatureOf(call: Entry, reading: Reading) {
  const { method, query, body, id } = call
  const { headers, url } = reading
  const undecoded = hasBody(headers) ? id : url
  const sent = hasReached(call, STAGE.decoded)
    ? [query, body].map(form => pairsIn(form).sort())
    : undecoded
  return hash('sha256', signed(call, reading, [method, sent]), 'base64')
}
