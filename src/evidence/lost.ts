/** Lost payments and Refunds, until the client looks or gets a response. */
import { boundsOf } from '../core/instants.js'
import { paymentMethodOf } from '../core/payment-method.js'
import { keep } from '../core/remembered.js'
import { matches } from '../core/search.js'
import type { Reading } from '../engine/admit.js'
import { type ListValues, limitOf } from '../engine/listing.js'
import { type AnyRecord, hasPerformed, hasRun, listShown, recordsShown } from '../engine/outcome.js'
import { isLimited } from '../engine/visibility.js'
import type { List } from '../reference/parameters.js'
import { EMBEDDED } from '../store/bytes.js'
import { isAfter, LATEST, type Position } from '../store/ordered-index.js'
import { type Query, spanOf } from '../store/paging.js'
import type { Store } from '../store/store.js'
import { type Entry, jsonOf } from './entry.js'
import { amountSent } from './judgement.js'

const MAX_LOST = 1000

type Payment = {
  operation: 'createRefund' | 'createTransaction'
  about: string
  amount: number | null
  last4: string | null
}
type Lost = Payment & {
  request: string
  made: string | null
  isSeen: boolean
  /** Where it stands in lists, or would stand. */
  place: Position
  /** What a list is narrowed to that shows it. */
  location: string
  account: string | undefined
}

export class LostAnswers {
  readonly known = new Map<string, Lost>()

  /** Takes note of a request. Returns the lost one that it repeats; null for none. */
  look(call: Entry, reading: Reading, isLost: boolean): Lost | null {
    const own = paymentOf(call, reading)
    const repeated = own && [...this.known.values()].filter(lost => isRepeated(lost, own))
    // known where the client left before it ended
    const isKnown = this.known.has(call.id)
    if (isLost) this.note(call, reading, own)
    else if (own === null) {
      const page = pageShown(call)
      for (const [request, lost] of this.known)
        if (isMissing(lost, call, reading, page)) this.known.delete(request)
    } else if (repeated && hasPerformed(call))
      for (const { request } of repeated) this.known.delete(request)
    return (!isKnown && (repeated?.findLast(({ isSeen }) => !isSeen) ?? repeated?.at(-1))) || null
  }

  note(call: Entry, reading: Reading, own = paymentOf(call, reading)): void {
    if (own !== null) keep(this.known, call.id, lostOf(call, reading, own), MAX_LOST)
  }
}

function paymentOf(call: Entry, { values }: Reading): Payment | null {
  const { operation } = call
  const { found } = call.facts
  if ((operation !== 'createRefund' && operation !== 'createTransaction') || found === null)
    return null
  const amount = amountSent(call)
  return {
    operation,
    about: found.id,
    amount: amount === undefined ? null : Number(amount),
    last4: paymentMethodOf(values as Parameters<typeof paymentMethodOf>[0]).card?.last4 ?? null
  }
}

/** Any Refund of a Transaction repeats a lost one; once that was seen, one of its amount does. */
function isRepeated(lost: Lost, own: Payment): boolean {
  if (lost.operation !== own.operation || lost.about !== own.about) return false
  if (own.operation === 'createRefund')
    return !lost.isSeen || own.amount === null || own.amount === lost.amount
  const isOtherCard = lost.last4 !== null && own.last4 !== null && lost.last4 !== own.last4
  return lost.amount === own.amount && !isOtherCard
}

function lostOf(call: Entry, reading: Reading, own: Payment): Lost {
  const { id: request, at, outcome, facts } = call
  const { store } = reading.request.state
  const { location } = facts.found as AnyRecord & { location: string }
  const isRefund = own.operation === 'createRefund'
  const collection = isRefund ? store.refunds : store.transactions
  const shown = hasPerformed(call) ? (outcome.shown as AnyRecord) : null
  const made = shown?.id ?? null
  return {
    ...own,
    amount: isRefund && shown !== null ? (shown.amount as number) : own.amount,
    request,
    made,
    isSeen: false,
    // one that was not made would stand before those that come later
    place: (made === null ? undefined : collection.position(made)) ?? {
      at,
      nth: collection.next - 0.5
    },
    location,
    account: store.locations.get(location)?.account
  }
}

export function pageShown(call: Entry): List<AnyRecord> | null {
  if (call.outcome.name !== 'scripted') return hasRun(call) ? listShown(call) : null
  const page = jsonOf(call) as Partial<List<AnyRecord>> | null | undefined
  return Array.isArray(page?.data) ? (page as List<AnyRecord>) : null
}

/** Whether a response would show a record if it had been made, and does not. Notes one it shows. */
function isMissing(
  lost: Lost,
  call: Entry,
  reading: Reading,
  page: List<AnyRecord> | null
): boolean {
  const shown = page?.data ?? recordsShown(call)
  const isShown = (wanted: string | null) => shown.some(one => one?.id === wanted)
  const isRefund = lost.operation === 'createRefund'
  if (isShown(lost.made)) lost.isSeen = true
  // what is older than the request says nothing of it
  else if (call.script?.isPast !== true) {
    if (!isRefund || !isShown(lost.about))
      return (
        page !== null &&
        // a list that lacks one that was made is older
        (lost.made === null || call.outcome.name === 'scripted') &&
        call.operation === (isRefund ? 'listRefunds' : 'listTransactions') &&
        wouldBeListed(lost, call, reading)
      )
    const { refunds } = reading.request.state.store
    if (!isEmbedded(lost, refunds)) return false
    lost.isSeen = refunds.get(lost.made ?? '') !== undefined
    return !lost.isSeen
  }
  return false
}

function isEmbedded({ about, place }: Lost, refunds: Store['refunds']): boolean {
  const query = { after: place, before: LATEST, descending: false, count: EMBEDDED }
  return refunds.index('transaction').range(about, query).length < EMBEDDED
}

function wouldBeListed(lost: Lost, call: Entry, reading: Reading): boolean {
  const { place, about, location, account, last4 } = lost
  const { actor, request } = reading
  const { settings } = call
  const { refunds, transactions } = request.state.store
  const isRefund = lost.operation === 'createRefund'
  const collection = isRefund ? refunds : transactions
  const order = isRefund ? 'newest_first' : settings['pagination.order']
  const values = reading.values as ListValues & {
    location?: string
    transaction?: string
    search_query?: string
  }
  const { starting_after, ending_before, search_query } = values
  const placeOf = (id: string | null | undefined) => collection.position(id ?? '')
  const isWithin = (query: Partial<Query>) => {
    const { after, before } = spanOf({ ...query, order })
    return isAfter(place, after) && isAfter(before, place)
  }
  return (
    (values.location ?? location) === location &&
    (values.transaction ?? about) === about &&
    (search_query === undefined || matches(last4, search_query, settings['search.last4'])) &&
    !(isLimited({ actor, settings }) && account !== actor?.id) &&
    isWithin({
      ...boundsOf(values.created ?? {}),
      startingAfter: placeOf(starting_after),
      endingBefore: placeOf(ending_before)
    }) &&
    // it comes before the last record that was retrieved
    (call.facts.retrieved < limitOf(values, settings) ||
      isWithin(
        ending_before === undefined
          ? { endingBefore: placeOf(listShown(call)?.last_id) }
          : { startingAfter: placeOf(listShown(call)?.first_id) }
      ))
  )
}
