/** Likely mistakes of the client, from what happened. */
import { hash } from 'node:crypto'
import { holdsCardNumber } from '../core/card-numbers.js'
import { FormList, type FormNode, valueIn } from '../core/form.js'
import { readable } from '../core/redaction.js'
import { keep } from '../core/remembered.js'
import { keysToMask } from '../engine/keys.js'
import { limitOf } from '../engine/listing.js'
import { type AnyRecord, hasPerformed, hasReached, type Pause, STAGE } from '../engine/outcome.js'
import { hasBody, type Reading } from '../engine/reading.js'
import { isUnset } from '../engine/sentences.js'
import { operationOf } from '../reference/operations.js'
import { CURSORS } from '../reference/parameters.js'
import { keysOf } from '../reference/rules.js'
import type { Changers } from './changers.js'
import type { Entry } from './entry.js'
import { amountSent, hasValue } from './judgement.js'
import { isLosable, LOSABLE, LostAnswers, pageShown } from './lost.js'
import { pairsIn } from './why.js'

const error = (about: string, advice: string) => ({ severity: 'error' as const, about, advice })
const warning = (about: string, advice: string) => ({ severity: 'warning' as const, about, advice })
export const FINDINGS = {
  'stopped-at-empty-page': error(
    'A search page came back empty with has_more true, and the client never requested the next page.',
    'search_query filters after retrieval: continue with starting_after=last_id until has_more is false.'
  ),
  'double-refund-risk': error(
    'The same Refund was posted again after its response was lost.',
    'Check first: GET /refunds?transaction=ID shows whether it exists.'
  ),
  'double-payment-risk': error(
    'The same Transaction was posted again after its response was lost.',
    'Check first: GET /transactions?location=ID shows whether it exists.'
  ),
  'key-leaked': error(
    'An API key was sent in metadata, a search or the User-Agent.',
    'Send it only in Authorization, and replace it: it may have been stored or logged.'
  ),
  'change-not-made': error(
    'A script entry could not make its change, so it changed nothing.',
    'script.problem of the request says why: correct the entry, or the earlier changes.'
  ),
  'search-without-narrowing': warning(
    'search_query was sent with neither location nor created.',
    'Send location or created: without them the client pages through everything.'
  ),
  'unknown-parameter': warning(
    'A request had a parameter that its operation does not take.',
    'Remove it, or write it as the reference does; the refusal suggests the nearest name.'
  ),
  'unset-value': warning(
    'A value was the text that a language prints for a missing value or an object, such as null.',
    'Give the variable a value, or leave the parameter out.'
  ),
  'unused-parameter': warning(
    'bank_account was sent with a payment_type other than vip.',
    'It is used only with vip; leave it out.'
  ),
  'key-sent-needlessly': warning(
    'POST /transactions was sent with an API key.',
    'Leave it out, so that payments work in clients that must not have a key.'
  ),
  'card-number-sent': warning(
    'A full card number was sent.',
    'Send card[token] instead, so that the number does not pass through your systems.'
  ),
  'foreign-record': warning(
    "A key read or changed a record of another merchant's Account.",
    'Use the key of its own Account; auth.visibility: scoped hides records of other Accounts.'
  ),
  'empty-amount': warning(
    'amount was sent empty with a Refund or payment.',
    'Send the amount, or leave it out: if empty, a Refund is refused, and a payment is of 0.'
  ),
  'zero-payment': warning(
    'A Transaction was created without any amount, so it settled nothing.',
    'Send amount, in the smallest sub-unit of the currency.'
  ),
  'retry-after-ignored': warning(
    'A request was sent again before the time in Retry-After.',
    'Wait as long as Retry-After says before you retry.'
  ),
  'repeated-though-made': warning(
    'A payment or Refund was posted again after a GET had shown it.',
    'Post it again only to make a second one.'
  ),
  'stopped-before-the-end': warning(
    'The client stopped paging through a list while has_more was true.',
    'Continue with starting_after=last_id until has_more is false.'
  ),
  'refused-and-repeated': warning(
    'A refused request was sent again, unchanged.',
    'The response will be the same: correct the request, or show the refusal to the user.'
  )
}
export type FindingId = keyof typeof FINDINGS
export const FINDING_IDS = keysOf(FINDINGS)
/** Findings of a request and the one that repeats it. */
export const REPEATS: ReadonlySet<FindingId> = new Set([
  'double-refund-risk',
  'double-payment-risk',
  'repeated-though-made',
  'refused-and-repeated'
])
export type Use = { times: number; requests: string[] }
export type Finding = Use & (typeof FINDINGS)[FindingId] & { finding: FindingId }
/** `times` is -1 to retract an earlier finding. */
export type Raised = { finding: FindingId; requests: readonly string[]; times: 1 | -1 }

export const MAX_NAMED = 20
const MAX_REMEMBERED = 1000

export const unused = (): Use => ({ times: 0, requests: [] })

export function named({ requests }: Use, request: string) {
  if (requests.length === MAX_NAMED || requests.includes(request)) return false
  requests.push(request)
  return true
}

export class FindingCounts {
  #uses = new Map<FindingId, Use>()

  add({ finding, times }: Raised, requests: readonly string[]): readonly string[] {
    const use = this.#uses.get(finding) ?? unused()
    this.#uses.set(finding, use)
    use.times += times
    if (times === 1) return requests.filter(id => named(use, id))
    use.requests = use.requests.filter(id => !requests.includes(id))
    return []
  }

  isNamed(request: string) {
    return [...this.#uses.values()].some(({ requests }) => requests.includes(request))
  }

  list(cursor: string): Finding[] {
    return FINDING_IDS.flatMap(finding => {
      const { times, requests } = this.#uses.get(finding) ?? unused()
      const advice = FINDINGS[finding].advice.replace(CURSORS[0], () => cursor)
      return times === 0
        ? []
        : [{ finding, ...FINDINGS[finding], advice, times, requests: [...requests] }]
    })
  }
}

/** What a request shows by itself. */
function findingsIn(call: Entry, reading: Reading): FindingId[] {
  const { operation, body, query, script, caller } = call
  const findings: FindingId[] = []
  if (script?.problem) findings.push('change-not-made')
  if (reading.isUnknown) findings.push('unknown-parameter')
  if (anyText(body, isUnset) || anyText(query, isUnset)) findings.push('unset-value')
  if (isCardNumberSent(reading)) findings.push('card-number-sent')
  if (isKeyLeaked(reading)) findings.push('key-leaked')
  if (isForeign(call, reading)) findings.push('foreign-record')
  if (operation === 'createTransaction') {
    const isVip = valueIn(body, 'payment_type') === 'vip'
    if (caller.isKeySent) findings.push('key-sent-needlessly')
    if (hasPerformed(call) && amountSent(call) === undefined) findings.push('zero-payment')
    if (hasPerformed(call) && hasValue(body.get('bank_account')) && !isVip)
      findings.push('unused-parameter')
  }
  if (body.get('amount') === '' && isLosable(operation)) findings.push('empty-amount')
  const isNarrowed = valueIn(query, 'location') !== undefined || hasValue(query.get('created'))
  if (!isNarrowed && isSearch(call) && hasPerformed(call)) findings.push('search-without-narrowing')
  return findings
}

const isSearch = ({ operation, query }: Entry) =>
  (operation === 'listTickets' || operation === 'listTransactions') &&
  valueIn(query, 'search_query') !== undefined

/** A page without a next request yet; `next` are its cursors. */
type OpenPage = { finding: FindingId; id: string; list: string; limit: number; next: string[] }

type Changes = Pick<Changers, 'count' | 'before'>

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
    for (const finding of findingsIn(call, reading)) this.#raise(finding, [id])
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

type Owned = AnyRecord & { account?: string; location?: string; transaction: string }
/** Whether the record is of a merchant that is neither the key's Account nor below it. */
function isForeign(call: Entry, { actor, store }: Reading) {
  const { record } = call.facts
  if (actor === null || record === null || !hasPerformed(call)) return false
  const { accounts, locations, transactions } = store
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
  if (node instanceof FormList) return node.items.some(is)
  for (const [name, part] of node)
    if ((isNamed && is(name)) || anyText(part, is, isNamed)) return true
  return false
}
