/** One page of a list: narrowed, then cut at a cursor and a limit (LIST-2, FILT-6, A10 to A12). */
import type { Bounds } from '../core/instants.js'
import type { Collection, Stored, StoredRecord } from './collection.js'
import { EARLIEST, isAfter, LATEST, type Position } from './ordered-index.js'

/** The bounds of `created` are in milliseconds. */
export type Query = Bounds<number> & {
  /** The index that narrows, and its group. */
  index: string
  group: string
  /** At most one of them. */
  startingAfter?: Position | undefined
  endingBefore?: Position | undefined
  limit: number
  order: 'newest_first' | 'oldest_first'
}
export type Page<R> = { stored: Stored<R>[]; hasMore: boolean }

const later = (a: Position, b: Position): Position => (isAfter(b, a) ? b : a)
const earlier = (a: Position, b: Position): Position => (isAfter(a, b) ? b : a)

export function spanOf(query: Omit<Query, 'index' | 'group' | 'limit'>) {
  const { startingAfter, endingBefore, order } = query
  const { gte = EARLIEST.at, gt = EARLIEST.at, lte = LATEST.at, lt = LATEST.at } = query
  const [from = EARLIEST, to = LATEST] =
    order === 'newest_first' ? [endingBefore, startingAfter] : [startingAfter, endingBefore]
  return {
    after: later(later({ at: gte, nth: EARLIEST.nth }, { at: gt, nth: LATEST.nth }), from),
    before: earlier(earlier({ at: lte, nth: LATEST.nth }, { at: lt, nth: EARLIEST.nth }), to)
  }
}

/** In list order, and whether there are more in the direction of paging. */
export function pageOf<R extends StoredRecord>(collection: Collection<R>, query: Query): Page<R> {
  const { index, group, order, limit } = query
  const backwards = query.endingBefore !== undefined
  const descending = (order === 'newest_first') !== backwards
  const { after, before } = spanOf(query)
  const stored = collection
    .index(index)
    .range(group, { after, before, descending, count: limit + 1 })
  const hasMore = stored.length > limit
  if (hasMore) stored.pop()
  if (backwards) stored.reverse()
  return { stored, hasMore }
}
