/** Records and lists as JSON (A04, A09). The bytes of a record are kept until it changes. */
import { remembered } from '../core/remembered.js'
import type { Template } from '../core/templates.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { RecordBytes, Shape, Stored } from './collection.js'
import { type Page, pageOf } from './paging.js'
import { collectionOf, type RecordOf, type Records, type Store } from './store.js'

/** The fields of its resource table in their order, then those that a fixture has beyond it. */
type Written = { readonly id: string; readonly extra?: Readonly<Record<string, unknown>> }
type Refunds = Page<Records['refunds']>

/** Refunds that are embedded in a Transaction (TXN-8). */
export const EMBEDDED = 10
const NO_REFUNDS: Refunds = { stored: [], hasMore: false }
const COMMA = ','.charCodeAt(0)

/** A Transaction is replaced when one of its Refunds changes, so kept bytes are right. */
export function bytesOf<F extends Family>(
  family: F,
  stored: Stored<RecordOf<F>>,
  store: Store,
  shape: Shape
): Buffer {
  const { bytes: known, record } = stored
  if (known !== null && isOfShape(known, shape)) return known.whole
  const hasList = family === 'transactions'
  const whole = Buffer.from(
    hasList ? transactionText(record, newestRefunds(store, record.id), shape) : recordText(record)
  )
  collectionOf(store, family).keepBytes(stored, { whole, shape: hasList ? shape : null })
  return whole
}

const isOfShape = ({ shape: known }: RecordBytes, { base, list }: Shape): boolean =>
  known === null || (known.base === base && known.list === list)

const newestRefunds = ({ refunds }: Store, transaction: string): Refunds =>
  pageOf(refunds, {
    index: 'transaction',
    group: transaction,
    limit: EMBEDDED,
    order: 'newest_first'
  })

/** Not kept, since most new records are never read. A new Transaction has no Refunds. */
export function changedBody(record: Written, family: Family, shape: Shape): string {
  return family === 'transactions' ? transactionText(record, NO_REFUNDS, shape) : recordText(record)
}

/** The JSON of a Transaction with its most recent Refunds (TXN-8, A29). */
function transactionText(
  transaction: Written,
  { stored, hasMore }: Refunds,
  { base, list }: Shape
): string {
  const first_id = stored[0]?.record.id ?? null
  const last_id = stored.at(-1)?.record.id ?? null
  const [before, after] = listFrame(
    { url: `${base}/refunds?transaction=${transaction.id}`, has_more: hasMore, first_id, last_id },
    list
  )
  return recordText(
    transaction,
    `,"refunds":${before}${stored.map(({ record }) => recordText(record)).join(',')}${after}`
  )
}

/** `refunds` stand between the fields of the table and the others. */
function recordText(record: Written, refunds = ''): string {
  if (record.extra === undefined) return `${JSON.stringify(record).slice(0, -1)}${refunds}}`
  const { extra, ...fields } = record
  const rest = JSON.stringify(extra)
  return `${JSON.stringify(fields).slice(0, -1)}${refunds}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`
}

type Frame = Omit<List<unknown>, 'data' | 'object'>
/** Texts, alternating with the names of the values between them. */
type Pieces = readonly string[]
/** A template before and after its members, split once. */
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
  let text = ''
  for (let place = 0; place < pieces.length; place++)
    text += place % 2 === 0 ? pieces[place] : JSON.stringify(values[pieces[place] as keyof Frame])
  return text
}

/** The text before and after the members of a list (LIST-1, A09). */
function listFrame(list: Frame, template: Template): readonly [string, string] {
  const { before, after } = piecesOf(template)
  return [`${joined(before, list)}[`, `]${joined(after, list)}`]
}

const isList = (resource: object): resource is List<unknown> => 'has_more' in resource

/** The body of a response from the bytes of its records. The frame of a list is ASCII. */
export function bodyOf(resource: object, records: readonly Buffer[], template: Template): Buffer {
  if (!isList(resource)) return records[0] as Buffer
  const [before, after] = listFrame(resource, template)
  let length = before.length + after.length + Math.max(0, records.length - 1)
  for (const record of records) length += record.length
  const body = allocate(length)
  let offset = body.write(before, 'latin1')
  for (const record of records) {
    if (offset > before.length) body[offset++] = COMMA
    body.set(record, offset)
    offset += record.length
  }
  body.write(after, offset, 'latin1')
  return body
}

/** Lists share large pieces of memory: to allocate each by itself costs more than to fill it. */
const PIECE = 65_536
let piece = Buffer.alloc(0)
let used = 0

function allocate(length: number): Buffer {
  if (length > PIECE / 4) return Buffer.allocUnsafe(length)
  if (used + length > piece.length) {
    piece = Buffer.allocUnsafeSlow(PIECE)
    used = 0
  }
  used += length
  return piece.subarray(used - length, used)
}
