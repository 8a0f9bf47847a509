/**
 * Mistakes of the client, with the requests that show them; from what happened, not from how a
 * response was judged.
 */
import { hash } from 'node:crypto'
import { holdsCardNumber } from '../core/card-numbers.js'
import { FormList, type FormNode, nodeIn, valueIn } from '../core/form.js'
import { readable } from '../core/redaction.js'
import { keep } from '../core/remembered.js'
import type { Reading } from '../engine/admit.js'
import { hasBody } from '../engine/arrived.js'
import { keyIn, keysToMask } from '../engine/keys.js'
import { limitOf } from '../engine/listing.js'
import { type AnyRecord, hasPerformed, hasReached, type Pause, STAGE } from '../engine/outcome.js'
import { isUnset } from '../engine/sentences.js'
import { operationOf } from '../reference/operations.js'
import { CURSORS } from '../reference/parameters.js'
import type { Changers } from './changers.js'
import type { Entry } from './entry.js'
import { amountSent, hasValue } from './judgement.js'
import { LostAnswers, pageShown } from './lost.js'

const error = (about: string, advice: string) => ({ severity: 'error' as const, about, advice })
const warning = (about: string, advice: string) => ({ severity: 'warning' as const, about, advice })
export const FINDINGS = {
  'stopped-at-empty-page': error(
    'A search page came back empty with has_more true, and the client never asked for the next.',
    'search_query filters after retrieval: continue with starting_after=last_id until has_more is false.'
  ),
  'double-refund-risk': error(
    'The same Refund was posted again after its response was lost.',
    'Look first: GET /refunds?transaction=ID shows whether it was made.'
  ),
  'double-payment-risk': error(
    'The same Transaction was posted again after its response was lost.',
    'Look first: GET /transactions?location=ID shows whether it was made.'
  ),
  'key-leaked': error(
    'An API key was sent in metadata, a search or the User-Agent.',
    'Send it in Authorization alone, and replace it: it may have been stored or logged.'
  ),
  'change-not-made': error(
    'A script entry could not change the records as it says, and changed nothing.',
    'Its script.problem says why: correct the entry, or what was done to the records before.'
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
    'Leave it out, so that payments can be made where a key should not be.'
  ),
  'card-number-sent': warning(
    'A full card number was sent.',
    'Send card[token] instead, so that the number does not pass through your systems.'
  ),
  'foreign-record': warning(
    "A key read or changed a record of another merchant's Account.",
    'Use the key of its own Account; auth.visibility: scoped hides the records of others.'
  ),
  'empty-amount': warning(
    'amount was sent empty with a Refund or payment.',
    'Send the amount, or leave it out: an empty one is refused for a Refund, and makes a payment of 0.'
  ),
  'zero-payment': warning(
    'A Transaction was created without any amount, so it settled nothing.',
    'Send amount, in the smallest sub-unit of the currency.'
  ),
  'retry-after-ignored': warning(
    'A request was sent again before the time that Retry-After gave.',
    'Wait as long as Retry-After says before the next try.'
  ),
  'repeated-though-made': warning(
    'A payment or Refund was posted again after a look had shown that it was made.',
    'Post it again only where it is meant as another one.'
  ),
  'stopped-before-the-end': warning(
    'A list was paged through with a cursor, and left while has_more was true.',
    'Continue with starting_after=last_id until has_more is false.'
  ),
  'refused-and-repeated': warning(
    'A refused request was sent again, unchanged.',
    'The response will be the same: correct the request, or show the refusal to the user.'
  )
}
export type FindingId = keyof typeof FINDINGS
/** Each is shown by a request and by the one that repeats it. */
export const REPEATS: ReadonlySet<FindingId> = new Set([
  'double-refund-risk',
  'double-payment-risk',
  'repeated-though-made',
  'refused-and-repeated'
])
export type Severity = (typeof FINDINGS)[FindingId]['severity']
export type Finding = {
  finding: FindingId
  severity: Severity
  about: string
  advice: string
  times: number
  requests: string[]
}
/** `times` is -1 where it takes back what an earlier request showed. */
export type Found = { finding: FindingId; requests: readonly string[]; times: 1 | -1 }
const NOTHING: readonly Found[] = []

export const MAX_NAMED = 20
const MAX_REMEMBERED = 1000

export type Use = { times: number; requests: string[] }
export const unused = (): Use => ({ times: 0, requests: [] })

export function named({ requests }: Use, request: string): boolean {
  if (requests.length === MAX_NAMED || requests.includes(request)) return false
  requests.push(request)
  return true
}

export class FindingCounts {
  readonly #uses = new Map<FindingId, Use>()

  add({ finding, times }: Found, requests: readonly string[]): readonly string[] {
    const use = this.#uses.get(finding) ?? unused()
    this.#uses.set(finding, use)
    use.times += times
    if (times === 1) return requests.filter(id => named(use, id))
    use.requests = use.requests.filter(id => !requests.includes(id))
    return []
  }

  isNamed(request: string): boolean {
    return [...this.#uses.values()].some(({ requests }) => requests.includes(request))
  }

  list(cursor: string): Finding[] {
    return (Object.keys(FINDINGS) as FindingId[]).flatMap(finding => {
      const { times, requests } = this.#uses.get(finding) ?? unused()
      const { severity, about, advice } = FINDINGS[finding]
      const own = advice.replace(CURSORS[0], () => cursor)
      return times === 0
        ? []
        : [{ finding, severity, about, advice: own, times, requests: [...requests] }]
    })
  }
}

/** A page of a list that a client has to go on from; `next` are the requests that do so. */
type OpenPage = { finding: FindingId; id: string; list: string; limit: number; next: string[] }

type Changes = Pick<Changers, 'count' | 'before'>

const RISKS = {
  createRefund: 'double-refund-risk',
  createTransaction: 'double-payment-risk'
} as const

export class Findings {
  #found: readonly Found[] = NOTHING
  /** Pages that no request continued from yet, by what such a request looks like. */
  readonly #open = new Map<string, OpenPage>()
  readonly #lost = new LostAnswers()
  /** `changes` is how many there were when a script declined it; null where the API refused it. */
  readonly #refused = new Map<string, { id: string; changes: number | null }>()
  #isDeclining = false
  readonly #pauses = new Map<string, Pause>()

  /** Returns what a request shows, before it is masked; `changes` are those of its sandbox. */
  look(call: Entry, reading: Reading, changes: Changes): readonly Found[] {
    this.#found = NOTHING
    const { id, operation, body, outcome } = call
    if (call.script?.problem) this.#report('change-not-made', [id])
    if (reading.isUnknown) this.#report('unknown-parameter', [id])
    if (anyText(body, isUnset) || anyText(call.query, isUnset)) this.#report('unset-value', [id])
    if (isCardNumberSent(reading)) this.#report('card-number-sent', [id])
    if (isKeyLeaked(reading)) this.#report('key-leaked', [id])
    if (isForeign(call, reading)) this.#report('foreign-record', [id])
    if (operation === 'createTransaction') this.#lookAtPayment(call)
    const isLost =
      !outcome.isDelivered ||
      outcome.fault !== null ||
      outcome.name === 'not_written' ||
      (outcome.status >= 500 && outcome.name === 'scripted' && hasPerformed(call))
    if (operation !== null && operationOf(operation).kind === 'list')
      this.#lookAtList(call, reading, isLost)
    if (Object.hasOwn(RISKS, operation ?? '') && body.get('amount') === '')
      this.#report('empty-amount', [id])
    const again =
      isLost || this.#lost.known.size > 0 ? this.#lost.look(call, reading, isLost) : null
    if (again !== null) {
      const { request, operation, isSeen } = again
      this.#report(isSeen ? 'repeated-though-made' : RISKS[operation], [request, id])
    }
    if (outcome.pause !== null || this.#pauses.size > 0) this.#lookAtPause(call, reading)
    this.#lookAtRefusal(call, reading, isLost, changes)
    return this.#found
  }

  #report(finding: FindingId, requests: readonly string[], times: 1 | -1 = 1): void {
    this.#found = [...this.#found, { finding, requests, times }]
  }

  leave(call: Entry, reading: Reading): void {
    this.#lost.note(call, reading)
  }

  clear(): void {
    for (const part of [this.#open, this.#lost.known, this.#refused, this.#pauses]) part.clear()
    this.#isDeclining = false
  }

  #lookAtPayment(call: Entry): void {
    const { id, body, caller } = call
    if (caller.isKeySent) this.#report('key-sent-needlessly', [id])
    if (!hasPerformed(call)) return
    if (amountSent(call) === undefined) this.#report('zero-payment', [id])
    if (hasValue(body.get('bank_account')) && valueIn(body, 'payment_type') !== 'vip')
      this.#report('unused-parameter', [id])
  }

  #lookAtList(call: Entry, reading: Reading, isLost: boolean): void {
    const { id, operation, path, query, settings } = call
    const isSearch =
      (operation === 'listTickets' || operation === 'listTransactions') &&
      valueIn(query, 'search_query') !== undefined
    if (
      isSearch &&
      hasPerformed(call) &&
      valueIn(query, 'location') === undefined &&
      !hasValue(query.get('created'))
    )
      this.#report('search-without-narrowing', [id])
    const [after, before] = settings['pagination.cursors'].map(name => valueIn(query, name))
    const isBegun = after === undefined && before === undefined
    if (isBegun && !isSearch && this.#open.size === 0) return
    const filters = FILTERS.map(name => valueIn(query, ...name.split('.')))
    const list = JSON.stringify([path, callerOf(reading), filters])
    const limit = limitOf(reading.values, settings)
    const keyOf = (starting?: string, ending?: string) => JSON.stringify([list, starting, ending])
    this.#continue(this.#open.get(keyOf(after, before)))
    if (isBegun && hasPerformed(call))
      for (const page of this.#open.values())
        if (page.list === list && page.limit < limit) this.#continue(page)
    const page = isLost ? null : pageShown(call)
    if (!page?.has_more) return
    const { data, first_id, last_id } = page
    const isEmpty = isSearch && data.length === 0
    if (isBegun && !isEmpty) return
    const finding = isEmpty ? 'stopped-at-empty-page' : 'stopped-before-the-end'
    // some go on from the last record that a search shows
    const shown = before === undefined ? [last_id, data.at(-1)?.id] : [first_id, data[0]?.id]
    const next = shown
      .filter(id => typeof id === 'string')
      .map(id => (before === undefined ? keyOf(id) : keyOf(undefined, id)))
    for (const key of next) this.#continue(this.#open.get(key))
    for (const key of next)
      keep(this.#open, key, { finding, id, list, limit, next }, MAX_REMEMBERED)
    this.#report(finding, [id])
  }

  #continue(page: OpenPage | undefined): void {
    if (page === undefined) return
    for (const key of page.next) this.#open.delete(key)
    this.#report(page.finding, [page.id], -1)
  }

  #lookAtPause(call: Entry, reading: Reading): void {
    const { id, at, now, operation, path, query, body, outcome } = call
    if (operation === null) return
    const about = ABOUT.map(name => valueIn(body, name) ?? valueIn(query, name))
    const own = JSON.stringify([operation, path, callerOf(reading), about])
    const before = this.#pauses.get(own)
    if (before !== undefined && now < before.machine && at < before.sandbox)
      this.#report('retry-after-ignored', [id])
    this.#pauses.delete(own)
    const { pause, isDelivered } = outcome
    if (pause !== null && isDelivered) keep(this.#pauses, own, pause, MAX_REMEMBERED)
  }

  /** Refused again, or sent again with nothing changed since a script declined it. */
  #lookAtRefusal(call: Entry, reading: Reading, isLost: boolean, changes: Changes): void {
    const { refusal, name, status, pause } = call.outcome
    const isRefused =
      refusal !== null &&
      !EMULATOR_FAULTS.includes(refusal.code) &&
      (call.method !== 'GET' || status !== 404)
    const isDeclined = name === 'scripted' && DECLINED.includes(status) && pause === null
    this.#isDeclining ||= isDeclined
    if (!isRefused && !this.#isDeclining) return
    const own = signatureOf(call, reading)
    const before = this.#refused.get(own)
    if (
      before !== undefined &&
      (before.changes === null ? isRefused : before.changes === changes.before(call.id))
    )
      this.#report('refused-and-repeated', [before.id, call.id])
    const count = isDeclined ? changes.count : null
    if (isLost || !(isRefused || isDeclined)) this.#refused.delete(own)
    else keep(this.#refused, own, { id: call.id, changes: count }, MAX_REMEMBERED)
  }
}

const DECLINED: readonly number[] = [402, 409, 422]
const EMULATOR_FAULTS =
  'internal_error not_ready data_not_written limit_reached state_replaced'.split(' ')
const FILTERS =
  'search_query location transaction created.gte created.gt created.lte created.lt'.split(' ')
const ABOUT = ['ticket', 'transaction', 'location', 'account']

const callerOf = ({ request: { authorization, test, userAgent } }: Reading): string =>
  JSON.stringify([keyIn(authorization), test, userAgent])

export function signatureOf(call: Entry, { request }: Reading): string {
  const { method, path, query, body, id } = call
  const { authorization, test, userAgent, headers, url } = request
  const undecoded = hasBody(headers) ? id : url
  const sent = hasReached(call, STAGE.decoded) ? [flat(query), flat(body)] : undecoded
  return hash(
    'sha256',
    JSON.stringify([method, path, authorization, test, userAgent, sent]),
    'base64'
  )
}

function flat(node: FormNode): unknown {
  if (typeof node === 'string') return node
  if (node instanceof FormList) return node.items
  return [...node].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, flat(part)])
}

type Owned = AnyRecord & { account?: string; location?: string; transaction: string }
/** Whether a key reached a record of a merchant that is neither its Account nor below it. */
function isForeign(call: Entry, { actor, request }: Reading): boolean {
  const { found } = call.facts
  if (actor === null || found === null || !hasPerformed(call)) return false
  const { accounts, locations, transactions } = request.state.store
  const { object, id, account, location, transaction } = found as Owned
  const place = location ?? transactions.get(transaction)?.location
  // the Location may have been deleted since
  const owner = object === 'account' ? id : (account ?? locations.get(place ?? '')?.account)
  return owner !== undefined && owner !== actor.id && accounts.get(owner)?.reseller !== actor.id
}

function isKeyLeaked({ body, query, request: { userAgent, world } }: Reading): boolean {
  const words = keysToMask(world)
  const isKey = (text: string) => words.maskedIn(text) !== text
  return (
    isKey(valueIn(query, 'search_query') ?? '') ||
    isKey(userAgent ?? '') ||
    anyText(body.get('metadata') ?? '', isKey, true)
  )
}

/** Whether a whole card number was sent as one, valid or not, or one of a known issuer anywhere. */
function isCardNumberSent({ body, request: { url, headers } }: Reading): boolean {
  for (const name in headers) if (holdsCardNumber(String(headers[name]))) return true
  const number = body.has('card') && nodeIn(body, ['card', 'number'])
  const isSentAsOne =
    typeof number === 'string' && number.replace(/\D/g, '').length >= MIN_CARD_DIGITS
  return isSentAsOne || anyText(body, holdsCardNumber, true) || holdsCardNumber(readable(url))
}
const MIN_CARD_DIGITS = 12

/** Whether any value of a form is such a text, or any name if those count. */
function anyText(node: FormNode, is: (text: string) => boolean, isNamed = false): boolean {
  if (typeof node === 'string') return is(node)
  if (node instanceof FormList) return node.items.some(item => anyText(item, is, isNamed))
  for (const [name, part] of node)
    if ((isNamed && is(name)) || anyText(part, is, isNamed)) return true
  return false
}
