/**
 * Records and lists as JSON (A04, A09), in bytes: those of a record are kept with it until it
 * changes, so that a response only puts bytes together.
 */

import { remembered } from '../core/remembered.js'
import type { Template } from '../core/templates.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RecordBytes, Shape, Stored } from './collection.js'
import { type Page, pageOf } from './paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from './store.js'

/**
 * Records hold what their resource tables name, in that order; what a fixture gave beyond the table
 * follows in a response.
 */
type Written = { readonly id: string; readonly extra?: Readonly<Record<string, unknown>> }
type Refunds = Page<Records['refunds']>

/** Refunds that are embedded in a Transaction (TXN-8). */
export const EMBEDDED = 10
const NO_REFUNDS: Refunds = { stored: [], hasMore: false }
const COMMA = ','.charCodeAt(0)

/** The bytes of a stored record, with a list in it in this shape. */
export function bytesOf<F extends Family>(
  family: F,
  stored: Stored<RecordOf<F>>,
  store: Store,
  shape: Shape
): Buffer {
  const kept = stored.bytes
  if (
    kept !== null &&
    (kept.shape === null || (kept.shape.base === shape.base && kept.shape.list === shape.list))
  )
    return kept.whole
  const bytes = written(family, stored.record, store, shape)
  collectionOf(store, family).keepBytes(stored, bytes)
  return bytes.whole
}

/**
 * A record in bytes. A Transaction is replaced whenever one of its Refunds changes, so its bytes
 * are right as long as they are kept.
 */
function written(family: Family, record: Written, { refunds }: Store, shape: Shape): RecordBytes {
  if (family !== 'transactions') return { whole: Buffer.from(recordText(record)), shape: null }
  const page = pageOf(refunds, {
    index: 'transaction',
    group: record.id,
    limit: EMBEDDED,
    order: 'newest_first'
  })
  return { whole: Buffer.from(transactionText(record, page, shape)), shape }
}

/**
 * The body of the response to a request that created or changed a record. It is not kept: most
 * records are never read. A new Transaction has no Refunds.
 */
export function changedBody(record: Written, family: Family, shape: Shape): string {
  return family === 'transactions' ? transactionText(record, NO_REFUNDS, shape) : recordText(record)
}

/** The JSON of a Transaction with its most recent Refunds (TXN-8, A29). */
function transactionText(
  transaction: Written,
  { stored, hasMore }: Refunds,
  { base, list }: Shape
): string {
  const [first_id, last_id] = [stored[0]?.record.id ?? null, stored.at(-1)?.record.id ?? null]
  const [before, after] = listFrame(
    { url: `${base}/refunds?transaction=${transaction.id}`, has_more: hasMore, first_id, last_id },
    list
  )
  return recordText(
    transaction,
    `,"refunds":${before}${stored.map(({ record }) => recordText(record)).join(',')}${after}`
  )
}

/** The JSON of a record, with what is shown between its own fields and those beyond the table. */
function recordText(record: Written, shown = ''): string {
  if (record.extra === undefined) return `${JSON.stringify(record).slice(0, -1)}${shown}}`
  const { extra, ...own } = record
  const rest = JSON.stringify(extra)
  return `${JSON.stringify(own).slice(0, -1)}${shown}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`
}

type Frame = Omit<List<unknown>, 'data' | 'object'>
/** The texts around the values of a list, in turn with the names of these. */
type Pieces = readonly string[]
/** A template as texts, cut up once: what is before its members, and what is after them. */
const piecesOf = remembered((template: Template): { before: Pieces; after: Pieces } => {
  const text = JSON.stringify(template).replace(
    /[^ -~]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
  const pieces = text.split(/"\$(\w+)"(?!:)/)
  const place = pieces.indexOf('members')
  return { before: pieces.slice(0, place), after: pieces.slice(place + 1) }
})

function joined(pieces: Pieces, values: Frame): string {
  let text = pieces[0] as string
  for (let place = 1; place < pieces.length; place += 2)
    text += JSON.stringify(values[pieces[place] as keyof Frame]) + pieces[place + 1]
  return text
}

/** What is written before and after the members of a list (LIST-1, A09). */
function listFrame(list: Frame, template: Template): readonly [string, string] {
  const { before, after } = piecesOf(template)
  return [`${joined(before, list)}[`, `]${joined(after, list)}`]
}

/**
 * The body of a response that shows a record, or a list of several, whose bytes are given. The text
 * around the members of a list is ASCII.
 */
export function bodyOf(shown: object, members: readonly Buffer[], template: Template): Buffer {
  if (!('has_more' in shown)) return members[0] as Buffer
  const [before, after] = listFrame(shown as List<unknown>, template)
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

/**
 * Memory for lists is handed out from large pieces: to ask for each list's own costs more than to
 * fill it. A piece is given back once no list in it is used.
 */
const PIECE = 65_536
let piece = Buffer.alloc(0)
let used = 0

function taken(length: number): Buffer {
  if (length > PIECE / 4) return Buffer.allocUnsafe(length)
  if (used + length > piece.length) [piece, used] = [Buffer.allocUnsafeSlow(PIECE), 0]
  used += length
  return piece.subarray(used - length, used)
}
