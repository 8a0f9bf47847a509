/** The JSON text of records, kept with each until it changes: an answer is texts put together. */
import { listFrame, recordText, transactionText } from '../core/writing.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RecordText, Stored } from '../store/collection.js'
import { pageOf } from '../store/paging.js'
import { collectionOf, type RecordOf, type Store } from '../store/store.js'

/** Refunds that are embedded in a Transaction (TXN-8). */
const EMBEDDED = 10

/** The text of a stored record. */
export function textOf<F extends Family>(family: F, stored: Stored<RecordOf<F>>, store: Store): RecordText {
  if (stored.text !== null) return stored.text
  const text: RecordText = family === 'transactions' ? transactionIn(store, stored.record) : [recordText(family as Exclude<Family, 'transactions'>, stored.record)]
  collectionOf(store, family).keepText(stored, text)
  return text
}

/** A Transaction with its most recent Refunds (TXN-8, A29). It is replaced whenever one of them changes, so its text is right as long as it is kept. */
function transactionIn(store: Store, record: { id: string }): RecordText {
  const page = pageOf(store.refunds, { index: 'transaction', group: record.id, limit: EMBEDDED, order: 'newest_first' })
  const ids = page.stored.map(({ position }) => position.id)
  const refunds = { url: `/refunds?transaction=${record.id}`, has_more: page.hasMore, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
  return transactionText(record, refunds, page.stored.map(stored => textOf('refunds', stored, store)[0]))
}

/** The body of an answer: a record, or a list of several. */
export function bodyOf(shown: object, texts: readonly RecordText[], base: string): string {
  if (!('has_more' in shown)) return joined(texts[0] as RecordText, base)
  const [before, after] = listFrame(shown as List<unknown>)
  let members = ''
  for (const [place, text] of texts.entries()) members += place === 0 ? joined(text, base) : `,${joined(text, base)}`
  return before + members + after
}

const joined = ([head, tail]: RecordText, base: string): string => (tail === undefined ? head : head + base + tail)
