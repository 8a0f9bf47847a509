/** The bodies of answers. The bytes of a record are kept with it until it changes, so that an answer is bytes put together. */
import { listFrame, recordText, transactionText } from '../core/writing.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RecordBytes, Stored } from './collection.js'
import { pageOf } from './paging.js'
import { collectionOf, type RecordOf, type Store } from './store.js'

/** Refunds that are embedded in a Transaction (TXN-8). */
const EMBEDDED = 10
const COMMA = ','.charCodeAt(0)

/** The bytes of a stored record, with the addresses in it under a base address. */
export function bytesOf<F extends Family>(family: F, stored: Stored<RecordOf<F>>, store: Store, base: string): Buffer {
  const kept = stored.bytes
  if (kept !== null && (kept.at === null || kept.base === base)) return kept.whole
  const bytes = kept === null ? written(family, stored.record, store, base) : rebased(kept, base)
  collectionOf(store, family).keepBytes(stored, bytes)
  return bytes.whole
}

/** A record in bytes. A Transaction is replaced whenever one of its Refunds changes, so its bytes are right as long as they are kept. */
function written(family: Family, record: RecordOf<Family>, store: Store, base: string): RecordBytes {
  if (family !== 'transactions') return { whole: Buffer.from(recordText(record)), base, at: null }
  const [head, tail] = transactionIn(store, record)
  return { whole: Buffer.from(head + base + tail), base, at: Buffer.byteLength(head) }
}

/** The same bytes under another base address. */
function rebased({ whole, base, at }: RecordBytes, to: string): RecordBytes {
  const start = at as number
  return { whole: Buffer.concat([whole.subarray(0, start), Buffer.from(to), whole.subarray(start + base.length)]), base: to, at }
}

/** A Transaction with its most recent Refunds (TXN-8, A29), in two pieces. */
function transactionIn(store: Store, transaction: { id: string }): readonly [string, string] {
  const { stored, hasMore } = pageOf(store.refunds, { index: 'transaction', group: transaction.id, limit: EMBEDDED, order: 'newest_first' })
  const refunds = stored.map(({ record }) => record)
  const frame = { url: `/refunds?transaction=${transaction.id}`, has_more: hasMore, first_id: refunds[0]?.id ?? null, last_id: refunds.at(-1)?.id ?? null }
  return transactionText(
    transaction,
    frame,
    refunds.map(refund => recordText(refund))
  )
}

/** The body of an answer that shows a record, or a list of several, whose bytes are given. */
export function bodyOf(shown: object, members: readonly Buffer[]): Buffer {
  return 'has_more' in shown ? listBody(listFrame(shown as List<unknown>), members) : (members[0] as Buffer)
}

/** The body of an answer to a call that made or changed a record. It is not kept, since most records are made and never read; a new Transaction has no Refunds. */
export function changedBody(record: { id: string }, family: Family, base: string): string {
  if (family !== 'transactions') return recordText(record)
  const [head, tail] = transactionText(record, { ...NO_REFUNDS, url: `/refunds?transaction=${record.id}` }, [])
  return head + base + tail
}

const NO_REFUNDS = { has_more: false, first_id: null, last_id: null }

/** Hands out memory from large pieces: to ask for each list's own costs more than to fill it. A piece is given back once nothing that was put into it is used. */
class Slab {
  #piece = Buffer.alloc(0)
  #used = 0

  take(length: number): Buffer {
    if (length > PIECE / 4) return Buffer.allocUnsafe(length)
    if (this.#used + length > this.#piece.length) {
      this.#piece = Buffer.allocUnsafeSlow(PIECE)
      this.#used = 0
    }
    this.#used += length
    return this.#piece.subarray(this.#used - length, this.#used)
  }
}
const PIECE = 65_536
const SLAB = new Slab()

/** The text around the members of a list is ASCII: addresses and ids. */
function listBody([before, after]: readonly [string, string], members: readonly Buffer[]): Buffer {
  let length = before.length + after.length + Math.max(0, members.length - 1)
  for (const member of members) length += member.length
  const body = SLAB.take(length)
  let at = body.write(before, 'latin1')
  for (let place = 0; place < members.length; place++) {
    const member = members[place] as Buffer
    if (place > 0) body[at++] = COMMA
    body.set(member, at)
    at += member.length
  }
  body.write(after, at, 'latin1')
  return body
}
