/**
 * Mistakes of the client, with the requests that show them; from what happened, not from how a
 * response was judged.
 */
import { holdsCardNumber } from '../core/card-numbers.js'
import { FormList, type FormNode, nodeIn, valueIn } from '../core/form.js'
import { readable } from '../core/redaction.js'
import { keep } from '../core/remembered.js'
import {
  type AnyRecord,
  type Exchange,
  hasPerformed,
  hasRun,
  listShown,
  type Pause
} from '../engine/exchange.js'
import { limitOf } from '../engine/listing.js'
import { isUnset } from '../engine/sentences.js'
import type { OperationId } from '../reference/operations.js'
import { CURSORS, type List } from '../reference/parameters.js'
import type { Store } from '../store/store.js'
import { amountSent, hasValue } from './judgement.js'
import { LostAnswers } from './lost.js'

export const FINDINGS = {
  'stopped-at-empty-page': {
    severity: 'error',
    about:
      'A search page came back empty with has_more true, and the client never asked for the next.',
    advice:
      'search_query filters after retrieval: continue with starting_after=last_id until has_more is false.'
  },
  'double-refund-risk': {
    severity: 'error',
    about: 'The same Refund was posted again after its response was lost.',
    advice: 'Look first: GET /refunds?transaction=ID shows whether it was made.'
  },
  'double-payment-risk': {
    severity: 'error',
    about: 'The same Transaction was posted again after its response was lost.',
    advice: 'Look first: GET /transactions?location=ID shows whether it was made.'
  },
  'change-not-made': {
    severity: 'error',
    about: 'A script entry could not change the records as it says, and changed nothing.',
    advice:
      'The request says why, under script.problem: correct the entry, or what was done to the records before.'
  },
  'search-without-narrowing': {
    severity: 'warning',
    about: 'search_query was sent with neither location nor created.',
    advice:
      'Send location or created: they narrow before retrieval. Without them the client pages through everything.'
  },
  'unknown-parameter': {
    severity: 'warning',
    about: 'A request had a parameter that its operation does not take.',
    advice: 'Remove it, or write it as the reference does; the refusal suggests the nearest name.'
  },
  'unset-value': {
    severity: 'warning',
    about:
      'A value was the text that a language prints for a missing value or an object, such as null.',
    advice:
      'The client sent a variable without a usable value: give it one, or leave the parameter out.'
  },
  'unused-parameter': {
    severity: 'warning',
    about: 'bank_account was sent with a payment_type other than vip.',
    advice: 'It is used only with vip; leave it out.'
  },
  'key-sent-needlessly': {
    severity: 'warning',
    about: 'POST /transactions was sent with an API key.',
    advice:
      'This operation needs no key: leave it out, so that payments can be made where a key should not be.'
  },
  'card-number-sent': {
    severity: 'warning',
    about: 'A full card number was sent.',
    advice: 'Send card[token] instead, so that the number does not pass through your systems.'
  },
  'foreign-record': {
    severity: 'warning',
    about: "A key read or changed a record of another merchant's Account.",
    advice:
      'Use the key of the Account that owns the record; auth.visibility: scoped hides the records of others.'
  },
  'empty-amount': {
    severity: 'warning',
    about: 'amount was sent empty with a Refund or payment.',
    advice:
      'Send the amount, or leave it out: an empty amount is refused for a Refund, and makes a payment of 0.'
  },
  'zero-payment': {
    severity: 'warning',
    about: 'A Transaction was created without any amount, so it settled nothing.',
    advice: 'Send amount, in the smallest sub-unit of the currency.'
  },
  'retry-after-ignored': {
    severity: 'warning',
    about: 'A request was sent again before the time that Retry-After gave.',
    advice: 'Wait as long as Retry-After says before the next try.'
  },
  'refused-and-repeated': {
    severity: 'warning',
    about: 'A refused request was sent again, unchanged.',
    advice: 'The response will be the same: correct the request, or show the refusal to the user.'
  }
} as const
export type FindingId = keyof typeof FINDINGS
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

/** Names a request if there is room. Returns whether it is new. */
export function named({ requests }: Use, request: string): boolean {
  if (requests.length === MAX_NAMED || requests.includes(request)) return false
  requests.push(request)
  return true
}

export class FindingCounts {
  readonly #uses = new Map<FindingId, Use>()

  /** Returns the requests that are named from now on. */
  add({ finding, times }: Found, requests: readonly string[]): readonly string[] {
    const use = this.#uses.get(finding) ?? unused()
    this.#uses.set(finding, use)
    use.times += times
    if (times > 0) return requests.filter(id => named(use, id))
    use.requests = use.requests.filter(id => !requests.includes(id))
    return []
  }

  isNamed(request: string): boolean {
    return [...this.#uses.values()].some(({ requests }) => requests.includes(request))
  }

  /** `cursor` is what a client goes on with. */
  list(cursor: string): Finding[] {
    return (Object.keys(FINDINGS) as FindingId[]).flatMap(finding => {
      const { times, requests } = this.#uses.get(finding) ?? unused()
      const { severity, about, advice } = FINDINGS[finding]
      return times === 0
        ? []
        : [
            {
              finding,
              severity,
              about,
              advice: advice.replace(CURSORS[0], () => cursor),
              times,
              requests: [...requests]
            }
          ]
    })
  }
}

/** An empty search page; `limit` is its page size. */
type EmptyPage = { id: string; search: string; limit: number }

const RISKS: Readonly<Partial<Record<OperationId, FindingId>>> = {
  createRefund: 'double-refund-risk',
  createTransaction: 'double-payment-risk'
}

export class Findings {
  #found: readonly Found[] = NOTHING
  /**
   * Empty pages that nothing continued from yet, by what the request for the next one looks like.
   */
  readonly #emptyPages = new Map<string, EmptyPage>()
  readonly #lost = new LostAnswers()
  readonly #refused = new Map<string, string>()
  readonly #pauses = new Map<string, Pause & { id: string }>()

  /** Returns what the request shows, whatever the journal still holds. */
  look(call: Exchange): readonly Found[] {
    this.#found = NOTHING
    const { id, operation } = call
    const { refusal } = call.outcome
    if (call.problem !== null) this.#report('change-not-made', [id])
    if (call.unknownParameter) this.#report('unknown-parameter', [id])
    if (anyValue(call.body, isUnset) || anyValue(call.query, isUnset))
      this.#report('unset-value', [id])
    if (isCardNumberSent(call)) this.#report('card-number-sent', [id])
    if (isForeign(call)) this.#report('foreign-record', [id])
    if (operation === 'createTransaction') this.#lookAtPayment(call)
    if (operation === 'listTickets' || operation === 'listTransactions') this.#lookAtSearch(call)
    const risk = operation === null ? undefined : RISKS[operation]
    if (risk !== undefined && call.body.get('amount') === '') this.#report('empty-amount', [id])
    const isLost =
      !call.isDelivered || call.outcome.fault !== null || call.outcome.name === 'not_written'
    const repeated = isLost || this.#lost.known.size > 0 ? this.#lost.look(call, isLost) : null
    if (repeated !== null) this.#report(risk as FindingId, [repeated, id])
    if (call.outcome.pause !== null || this.#pauses.size > 0) this.#lookAtPause(call)
    if (refusal !== null && !EMULATOR_FAULTS.includes(refusal.code)) this.#lookAtRefusal(call)
    return this.#found
  }

  #report(finding: FindingId, requests: readonly string[], times: 1 | -1 = 1): void {
    this.#found = [...this.#found, { finding, requests, times }]
  }

  /** The client left before the response: it may repeat the request without knowing the outcome. */
  leave(call: Exchange): void {
    this.#lost.note(call)
  }

  clear(): void {
    for (const part of [this.#emptyPages, this.#lost.known, this.#refused, this.#pauses])
      part.clear()
  }

  #lookAtPayment(call: Exchange): void {
    const { id, body, hasAuthorization } = call
    if (hasAuthorization) this.#report('key-sent-needlessly', [id])
    if (hasPerformed(call) && amountSent(call) === undefined) this.#report('zero-payment', [id])
    if (
      hasPerformed(call) &&
      hasValue(body.get('bank_account')) &&
      valueIn(body, 'payment_type') !== 'vip'
    )
      this.#report('unused-parameter', [id])
  }

  #lookAtSearch(call: Exchange): void {
    const { id, operation, query, values, settings, isDelivered } = call
    if (valueIn(query, 'search_query') === undefined) return
    if (
      hasPerformed(call) &&
      valueIn(query, 'location') === undefined &&
      !hasValue(query.get('created'))
    )
      this.#report('search-without-narrowing', [id])
    const filters = ['search_query', 'location', ...COMPARISONS].map(
      name => valueIn(query, ...name.split('.')) ?? null
    )
    const search = JSON.stringify([operation, callerOf(call), filters])
    const [after, before] = settings['pagination.cursors'].map(name => valueIn(query, name))
    const limit = limitOf(values, settings)
    const keyOf = (starting: string | null | undefined, ending: string | null | undefined) =>
      JSON.stringify([search, starting ?? null, ending ?? null])
    this.#continue(keyOf(after, before))
    const isBegun = hasPerformed(call) && after === undefined && before === undefined
    for (const [key, page] of isBegun ? this.#emptyPages : [])
      if (page.search === search && page.limit < limit) this.#continue(key)
    const page = isDelivered ? pageOf(call) : null
    if (page === null || page.data.length > 0 || !page.has_more) return
    const key =
      before === undefined ? keyOf(page.last_id, undefined) : keyOf(undefined, page.first_id)
    this.#continue(key)
    keep(this.#emptyPages, key, { id, search, limit }, MAX_REMEMBERED)
    this.#report('stopped-at-empty-page', [id])
  }

  /** An empty page counts as long as no request continues from it. */
  #continue(key: string): void {
    const page = this.#emptyPages.get(key)
    if (page === undefined) return
    this.#emptyPages.delete(key)
    this.#report('stopped-at-empty-page', [page.id], -1)
  }

  #lookAtPause(call: Exchange): void {
    const { id, at, now, operation, isDelivered, outcome } = call
    const { pause } = outcome
    if (operation === null) return
    const caller = `${operation} ${callerOf(call)}`
    const before = this.#pauses.get(caller)
    if (before !== undefined && now < before.machine && at < before.sandbox)
      this.#report('retry-after-ignored', [before.id, id])
    this.#pauses.delete(caller)
    if (pause !== null && isDelivered) keep(this.#pauses, caller, { id, ...pause }, MAX_REMEMBERED)
  }

  /** A resource that is polled until it is there is no repetition. */
  #lookAtRefusal(call: Exchange): void {
    if (call.method === 'GET' && call.outcome.status === 404) return
    const own = call.signature()
    const before = this.#refused.get(own)
    if (before !== undefined) this.#report('refused-and-repeated', [before, call.id])
    keep(this.#refused, own, call.id, MAX_REMEMBERED)
  }
}

/** Refusals that are due to the emulator's own state, not to the request. */
const EMULATOR_FAULTS: readonly string[] = [
  'internal_error',
  'not_ready',
  'data_not_written',
  'limit_reached',
  'state_replaced'
]
const COMPARISONS = ['created.gte', 'created.gt', 'created.lte', 'created.lt'] as const

/** The page that a client got, from the operation or a script; null if it is none. */
function pageOf(call: Exchange): List<unknown> | null {
  if (call.outcome.name !== 'scripted') return hasRun(call) ? listShown(call) : null
  try {
    const page = JSON.parse(call.text)
    return Array.isArray(page?.data) ? page : null
  } catch {
    return null
  }
}

/** Who sent a request, as far as it shows: key, test and User-Agent. */
const callerOf = ({ key, test, userAgent }: Exchange): string =>
  JSON.stringify([key, test, userAgent])

type Owned = AnyRecord & { account?: string; location?: string; transaction: string }
/** Whether a key reached a record of a merchant that is neither its Account nor below it. */
const isForeign = (call: Exchange): boolean => {
  const { actor, found } = call
  if (actor === null || found === null || !hasPerformed(call)) return false
  const { accounts, locations, transactions } = call.identifiedIn as Store
  const { object, id, account, location, transaction } = found as Owned
  const place = location ?? transactions.get(transaction)?.location
  // the Location may have been deleted since
  const owner = object === 'account' ? id : (account ?? locations.get(place as string)?.account)
  return owner !== undefined && owner !== actor.id && accounts.get(owner)?.reseller !== actor.id
}

/** Whether `card[number]` has a whole number, valid or not, or any text has a known issuer's. */
const isCardNumberSent = ({ body, query, path }: Exchange): boolean => {
  const number = body.has('card') && nodeIn(body, ['card', 'number'])
  const isSentAsOne =
    typeof number === 'string' && number.replace(/\D/g, '').length >= MIN_CARD_DIGITS
  return isSentAsOne || [readable(path), body, query].some(node => anyValue(node, holdsCardNumber))
}
const MIN_CARD_DIGITS = 12

const anyValue = (node: FormNode, is: (text: string) => boolean): boolean => {
  if (typeof node === 'string') return is(node)
  return (node instanceof FormList ? node.items : [...node.values()]).some(part =>
    anyValue(part, is)
  )
}
