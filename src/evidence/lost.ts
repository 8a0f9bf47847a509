/**
 * Lost payments and Refunds, until the client looks or gets a response. It looked when it was shown
 * the record, or a list where it stands, or would stand. What it sends again meanwhile may be
 * created twice.
 */
import { boundsOf } from '../core/instants.js'
import { paymentMethodOf } from '../core/payment-method.js'
import { keep } from '../core/remembered.js'
import { matches } from '../core/search.js'
import {
  type AnyRecord,
  type Exchange,
  hasPerformed,
  hasRun,
  listShown,
  recordsShown
} from '../engine/exchange.js'
import { type ListValues, limitOf } from '../engine/listing.js'
import { isLimited } from '../engine/visibility.js'
import { EMBEDDED } from '../store/bytes.js'
import { EARLIEST, isAfter, LATEST, type Position } from '../store/ordered-index.js'
import type { Store } from '../store/store.js'
import { amountSent } from './judgement.js'

/** Lost requests that are remembered. */
const MAX_LOST = 1000

type Creation = 'createRefund' | 'createTransaction'
type Lost = {
  request: string
  operation: Creation
  made: string | null
  /** Where the record stands in lists, or would stand. */
  place: Position
  transaction: string | null
  location: string
  account: string | undefined
  last4: string | null
}

export class LostAnswers {
  /** By what makes a payment the same. */
  readonly known = new Map<string, Lost>()

  /** Returns the lost request that it repeats, or null. */
  look(call: Exchange, isLost: boolean): string | null {
    const own = paymentOf(call)
    const before = own === null ? undefined : this.known.get(own)
    if (isLost) this.note(call, own)
    else if (hasPerformed(call))
      for (const [payment, lost] of this.known)
        if (payment === own || isShownIn(lost, call)) this.known.delete(payment)
    return before === undefined || before.request === call.id ? null : before.request
  }

  note(call: Exchange, payment = paymentOf(call)): void {
    if (payment !== null) keep(this.known, payment, lostOf(call), MAX_LOST)
  }
}

/**
 * The same for the same payment: operation, Ticket or Transaction, and amount. Null for other
 * requests.
 */
function paymentOf(call: Exchange): string | null {
  const { operation, found } = call
  if ((operation !== 'createRefund' && operation !== 'createTransaction') || found === null)
    return null
  const amount = amountSent(call)
  return JSON.stringify([operation, found.id, amount === undefined ? null : Number(amount)])
}

function lostOf(call: Exchange): Lost {
  const { id: request, at, values, outcome } = call
  const operation = call.operation as Creation
  const store = call.identifiedIn as Store
  const found = call.found as AnyRecord & { location: string }
  const collection = operation === 'createRefund' ? store.refunds : store.transactions
  const made = hasRun(call) ? (outcome.shown as AnyRecord).id : null
  return {
    request,
    operation,
    made,
    // one that was not made would stand before those that come later
    place: (made === null ? undefined : collection.position(made)) ?? {
      at,
      nth: collection.next - 0.5
    },
    transaction: operation === 'createRefund' ? found.id : null,
    location: found.location,
    account: store.locations.get(found.location)?.account,
    last4:
      operation === 'createRefund'
        ? null
        : (paymentMethodOf(values as Parameters<typeof paymentMethodOf>[0]).card?.last4 ?? null)
  }
}

function isShownIn(lost: Lost, call: Exchange): boolean {
  const shown = recordsShown(call)
  if (shown.some(({ id }) => id === lost.made)) return true
  // what is older than the request says nothing of it
  if (call.past !== null) return false
  if (shown.some(({ id }) => id === lost.transaction)) return isEmbedded(lost, call)
  const isItsList =
    call.operation === (lost.operation === 'createRefund' ? 'listRefunds' : 'listTransactions')
  return isItsList && lost.made === null && wouldBeListed(lost, call)
}

function isEmbedded({ transaction, place }: Lost, { identifiedIn }: Exchange): boolean {
  const query = { after: place, before: LATEST, descending: false, count: EMBEDDED }
  return (
    (identifiedIn as Store).refunds.index('transaction').range(transaction as string, query)
      .length < EMBEDDED
  )
}

/** Whether a list would show the record, by its filters, cursor and last record. */
function wouldBeListed(
  { operation, place, transaction, location, account, last4 }: Lost,
  call: Exchange
): boolean {
  const { settings, actor } = call
  const { refunds, transactions } = call.identifiedIn as Store
  const [collection, order] =
    operation === 'createRefund'
      ? ([refunds, 'newest_first'] as const)
      : ([transactions, settings['pagination.order']] as const)
  const values = call.values as ListValues & {
    location?: string
    transaction?: string
    search_query?: string
  }
  const {
    gte = EARLIEST.at,
    gt = EARLIEST.at,
    lte = LATEST.at,
    lt = LATEST.at
  } = boundsOf(values.created ?? {})
  const isFiltered =
    (values.location !== undefined && values.location !== location) ||
    (values.transaction !== undefined && values.transaction !== transaction) ||
    (values.search_query !== undefined &&
      !matches(last4, values.search_query, settings['search.last4'])) ||
    (isLimited(call) && account !== actor?.id) ||
    place.at < gte ||
    place.at <= gt ||
    place.at > lte ||
    place.at >= lt
  if (isFiltered) return false
  const comesFirst = (one: Position, other: Position) =>
    order === 'newest_first' ? isAfter(one, other) : isAfter(other, one)
  const placeOf = (id: string) => collection.position(id) as Position
  const { starting_after, ending_before } = values
  if (starting_after !== undefined && !comesFirst(placeOf(starting_after), place)) return false
  if (ending_before !== undefined && !comesFirst(place, placeOf(ending_before))) return false
  if (call.retrieved < limitOf(values, settings)) return true
  const { first_id, last_id } = listShown(call) as { first_id: string; last_id: string }
  return ending_before === undefined
    ? comesFirst(place, placeOf(last_id))
    : comesFirst(placeOf(first_id), place)
}
