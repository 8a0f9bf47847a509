/** Lost payments and Refunds, until the client looks or gets a response. */
import { boundsOf } from '../core/instants.js'
import { paymentMethodOf } from '../core/payment-method.js'
import { keep } from '../core/remembered.js'
import { matches } from '../core/search.js'
import { isLimited } from '../engine/keys.js'
import { type ListValues, limitOf } from '../engine/listing.js'
import { type AnyRecord, hasPerformed, hasRun, listIn, recordsIn } from '../engine/outcome.js'
import type { Reading } from '../engine/reading.js'
import type { OperationId } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import { EMBEDDED } from '../store/bytes.js'
import { isAfter, LATEST } from '../store/ordered-index.js'
import { spanOf } from '../store/paging.js'
import { type Entry, jsonOf } from './entry.js'
import { amountSent } from './judgement.js'

const MAX_LOST = 1000

export const LOSABLE = {
  createRefund: { list: 'listRefunds', risk: 'double-refund-risk' },
  createTransaction: { list: 'listTransactions', risk: 'double-payment-risk' }
} as const
type Losable = keyof typeof LOSABLE
export const isLosable = (operation: OperationId | null): operation is Losable =>
  Object.hasOwn(LOSABLE, String(operation))

type Payment = NonNullable<ReturnType<typeof paymentOf>>
type Lost = ReturnType<typeof lostOf>

export class LostAnswers {
  readonly known = new Map<string, Lost>()

  /** Returns the lost request that this one repeats; null for none. */
  look(call: Entry, reading: Reading, isLost: boolean): Lost | null {
    if (!isLost && this.known.size === 0) return null
    const payment = paymentOf(call, reading)
    const repeated = [...this.known.values()].filter(lost => payment && isRepeated(lost, payment))
    // known where the client left before it ended
    const isKnown = this.known.has(call.id)
    if (isLost) this.note(call, reading, payment)
    else if (payment === null) this.#search(call, reading)
    else if (hasPerformed(call)) for (const { request } of repeated) this.known.delete(request)
    return (!isKnown && (repeated.findLast(({ isSeen }) => !isSeen) ?? repeated.at(-1))) || null
  }

  note(call: Entry, reading: Reading, payment = paymentOf(call, reading)): void {
    if (payment !== null) keep(this.known, call.id, lostOf(call, reading, payment), MAX_LOST)
  }

  #search(call: Entry, reading: Reading) {
    const page = pageShown(call)
    for (const [request, lost] of this.known) {
      const isMade = isShownMade(lost, call, reading, page)
      if (isMade) lost.isSeen = true
      else if (isMade === false) this.known.delete(request)
    }
  }
}

function paymentOf({ operation, facts, body }: Entry, { values }: Reading) {
  const { record } = facts
  if (record === null || !isLosable(operation)) return null
  const { id: about, location } = record
  const sent = amountSent({ body })
  const amount = sent === undefined ? null : Number(sent)
  const { card } = paymentMethodOf(values as Parameters<typeof paymentMethodOf>[0])
  return { operation, about, location: String(location), amount, last4: card?.last4 ?? null }
}

/** Any Refund repeats a lost one of its Transaction; once that was seen, one of its amount. */
function isRepeated(lost: Lost, { operation, about, amount, last4 }: Payment) {
  if (lost.operation !== operation || lost.about !== about) return false
  if (operation === 'createRefund') return !lost.isSeen || amount === null || amount === lost.amount
  const isSameCard = lost.last4 === null || last4 === null || lost.last4 === last4
  return lost.amount === amount && isSameCard
}

function lostOf(call: Entry, reading: Reading, payment: Payment) {
  const { id: request, at, outcome } = call
  const record = hasPerformed(call) ? (outcome.result as AnyRecord) : null
  const isRefund = payment.operation === 'createRefund'
  const amount = isRefund && record !== null ? Number(record.amount) : payment.amount
  const madeId = record?.id ?? null
  const collection = collectionOf(reading, payment.operation)
  // where it would stand had it been made
  const place = collection.position(madeId ?? '') ?? { at, nth: collection.next - 0.5 }
  return { ...payment, amount, request, madeId, isSeen: false, place }
}

const collectionOf = ({ world }: Reading, operation: Losable) =>
  world.state.store[operation === 'createRefund' ? 'refunds' : 'transactions']

export function pageShown(call: Entry): List<AnyRecord> | null {
  if (call.outcome.name !== 'scripted') return hasRun(call) ? listIn(call) : null
  const page = jsonOf(call) as Partial<List<AnyRecord>> | null | undefined
  return Array.isArray(page?.data) ? (page as List<AnyRecord>) : null
}

/** Whether a response shows that the record exists; null for neither. */
function isShownMade(
  lost: Lost,
  call: Entry,
  reading: Reading,
  page: List<AnyRecord> | null
): boolean | null {
  const { operation, madeId, about, place } = lost
  const records = page?.data ?? recordsIn(call)
  const shows = (wanted: string | null) => records.some(record => record?.id === wanted)
  if (shows(madeId)) return true
  // a stale read shows nothing
  if (call.script?.isPast) return null
  if (operation === 'createRefund' && shows(about)) {
    const { refunds } = reading.world.state.store
    const query = { after: place, before: LATEST, descending: false, count: EMBEDDED }
    const isEmbedded = refunds.index('transaction').range(about, query).length < EMBEDDED
    return isEmbedded ? refunds.get(madeId ?? '') !== undefined : null
  }
  // a list without a made record is stale
  const isOfPresent = madeId === null || call.outcome.name === 'scripted'
  const isList = page !== null && call.operation === LOSABLE[operation].list
  return isOfPresent && isList && wouldBeListed(lost, call, reading) ? false : null
}

type Asked = ListValues & { location?: string; transaction?: string; search_query?: string }
function wouldBeListed(lost: Lost, call: Entry, reading: Reading) {
  const { actor, world, values } = reading
  const { operation, place, about, location, last4 } = lost
  const { settings, facts } = call
  const asked: Asked = values
  const { starting_after, ending_before, search_query } = asked
  const collection = collectionOf(reading, operation)
  const placeOf = (id: string | null | undefined) => collection.position(id ?? '')
  // it comes before the last record that was retrieved
  const isFull = facts.retrieved >= limitOf(asked, settings)
  const page = isFull ? listIn(call) : null
  const { after, before } = spanOf({
    ...boundsOf(asked.created ?? {}),
    startingAfter: placeOf(starting_after ?? (ending_before && page?.first_id)),
    endingBefore: placeOf(ending_before ?? page?.last_id),
    order: operation === 'createRefund' ? 'newest_first' : settings['pagination.order']
  })
  return (
    (asked.location ?? location) === location &&
    (asked.transaction ?? about) === about &&
    (search_query === undefined || matches(last4, search_query, settings['search.last4'])) &&
    (!isLimited({ actor, settings }) ||
      world.state.store.locations.isOwnedBy(location, String(actor?.id))) &&
    isAfter(place, after) &&
    isAfter(before, place)
  )
}
