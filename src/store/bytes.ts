/** Records and lists as JSON (A04, A09), in bytes: those of a record are kept with it until it changes, so that an answer is bytes put together. */
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RecordBytes, Stored } from './collection.js'
import { type Page, pageOf } from './paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from './store.js'

/** Records hold what their resource tables name, in that order; what a fixture gave beyond the table follows in an answer. */
type Written = { readonly id: string; readonly extra?: Readonly<Record<string, unknown>> }
type Refunds = Page<Records['refunds']>

/** Refunds that are embedded in a Transaction (TXN-8). */
export const EMBEDDED = 10
const NO_REFUNDS: Refunds = { stored: [], hasMore: false }
const COMMA = ','.charCodeAt(0)
const LIST_START = '{"object":"list","url":"'
/** What the address of a Transaction's Refunds follows. In a text every quotation mark has a backslash before it, so no text holds this. */
const REFUNDS_START = `,"refunds":${LIST_START}`

/** The bytes of a stored record, with the addresses in it under a base address. */
export function bytesOf<F extends Family>(family: F, stored: Stored<RecordOf<F>>, store: Store, base: string): Buffer {
  const kept = stored.bytes
  if (kept !== null && (kept.base === null || kept.base === base)) return kept.whole
  const bytes = kept === null ? written(family, stored.record, store, base) : rebased(kept.whole, kept.base as string, base)
  collectionOf(store, family).keepBytes(stored, bytes)
  return bytes.whole
}

/** A record in bytes. A Transaction is replaced whenever one of its Refunds changes, so its bytes are right as long as they are kept. */
function written(family: Family, record: Written, { refunds }: Store, base: string): RecordBytes {
  if (family !== 'transactions') return { whole: Buffer.from(recordText(record)), base: null }
  const page = pageOf(refunds, { index: 'transaction', group: record.id, limit: EMBEDDED, order: 'newest_first' })
  return { whole: Buffer.from(transactionText(record, page, base)), base }
}

/** The bytes of a Transaction under another base address. */
function rebased(whole: Buffer, from: string, to: string): RecordBytes {
  const start = whole.indexOf(REFUNDS_START) + REFUNDS_START.length
  return { whole: Buffer.concat([whole.subarray(0, start), Buffer.from(to), whole.subarray(start + from.length)]), base: to }
}

/** The body of an answer to a call that made or changed a record. It is not kept, since most records are made and never read; a new Transaction has no Refunds. */
export function changedBody(record: Written, family: Family, base: string): string {
  return family === 'transactions' ? transactionText(record, NO_REFUNDS, base) : recordText(record)
}

/** The JSON of a Transaction with its most recent Refunds (TXN-8, A29). */
function transactionText(transaction: Written, { stored, hasMore }: Refunds, base: string): string {
  const [first_id, last_id] = [stored[0]?.record.id ?? null, stored.at(-1)?.record.id ?? null]
  const [before, after] = listFrame({ url: `${base}/refunds?transaction=${transaction.id}`, has_more: hasMore, first_id, last_id })
  return recordText(transaction, `,"refunds":${before}${stored.map(({ record }) => recordText(record)).join(',')}${after}`)
}

/** The JSON of a record, with what is shown between its own fields and those beyond the table. */
function recordText(record: Written, shown = ''): string {
  if (record.extra === undefined) return `${JSON.stringify(record).slice(0, -1)}${shown}}`
  const { extra, ...own } = record
  const rest = JSON.stringify(extra)
  return `${JSON.stringify(own).slice(0, -1)}${shown}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`
}

/** What is written before and after the members of a list (LIST-1, A09). */
function listFrame({ url, has_more, first_id, last_id }: Omit<List<unknown>, 'data' | 'object'>): readonly [string, string] {
  const ends = `"first_id":${JSON.stringify(first_id)},"last_id":${JSON.stringify(last_id)}`
  return [`${LIST_START}${JSON.stringify(url).slice(1)},"data":[`, `],"has_more":${has_more},${ends}}`]
}

/** The body of an answer that shows a record, or a list of several, whose bytes are given. The text around the members of a list is ASCII: addresses and ids. */
export function bodyOf(shown: object, members: readonly Buffer[]): Buffer {
  if (!('has_more' in shown)) return members[0] as Buffer
  const [before, after] = listFrame(shown as List<unknown>)
  let length = before.length + after.length + Math.max(0, members.length - 1)
  for (const member of members) length += member.length
  const body = taken(length)
  let at = body.write(before, 'latin1')
  for (const member of members) {
    if (at > before.length) body[at++] = COMMA
    body.set(member, at)
    at += member.length
  }
  body.write(after, at, 'latin1')
  return body
}

/** Memory for lists is handed out from large pieces: to ask for each list's own costs more than to fill it. A piece is given back once no list in it is used. */
const PIECE = 65_536
let piece = Buffer.alloc(0)
let used = 0

function taken(length: number): Buffer {
  if (length > PIECE / 4) return Buffer.allocUnsafe(length)
  if (used + length > piece.length) [piece, used] = [Buffer.allocUnsafeSlow(PIECE), 0]
  used += length
  return piece.subarray(used - length, used)
}
