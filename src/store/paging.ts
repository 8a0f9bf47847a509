/**
 * One page of a list: narrowed by an index and by instants, then cut at a cursor and a limit
 * (LIST-2, FILT-6, A10 to A12).
 */
import type { Collection, Stored, StoredRecord } from './collection.js'
import { EARLIEST, isAfter, LATEST, type Position } from './ordered-index.js'

export type Query = {
  /** The index that narrows, and the group within it. */
  index: string
  group: string
  /** Bounds on `created`, in milliseconds. */
  gte?: number | undefined
  gt?: number | undefined
  lte?: number | undefined
  lt?: number | undefined
  /** At most one: the page begins after this position of the list, or ends before it. */
  startingAfter?: Position | undefined
  endingBefore?: Position | undefined
  limit: number
  order: 'newest_first' | 'oldest_first'
}
export type Page<R> = { stored: Stored<R>[]; hasMore: boolean }

const later = (a: Position, b: Position): Position => (isAfter(b, a) ? b : a)
const earlier = (a: Position, b: Position): Position => (isAfter(a, b) ? b : a)

/**
 * The records of a page in list order, and whether more lie beyond it in the direction of paging.
 */
export function pageOf<R extends StoredRecord>(collection: Collection<R>, query: Query): Page<R> {
  const {
    gte = EARLIEST.at,
    gt = EARLIEST.at,
    lte = LATEST.at,
    lt = LATEST.at,
    startingAfter,
    endingBefore,
    limit
  } = query
  const newestFirst = query.order === 'newest_first'
  const backwards = endingBefore !== undefined
  const [from = EARLIEST, to = LATEST] = newestFirst
    ? [endingBefore, startingAfter]
    : [startingAfter, endingBefore]
  const after = later(later({ at: gte, nth: EARLIEST.nth }, { at: gt, nth: LATEST.nth }), from)
  const before = earlier(earlier({ at: lte, nth: LATEST.nth }, { at: lt, nth: EARLIEST.nth }), to)

  const stored = collection
    .index(query.index)
    .range(query.group, { after, before, descending: newestFirst !== backwards, count: limit + 1 })
  const hasMore = stored.length > limit
  if (hasMore) stored.pop()
  if (backwards) stored.reverse()
  return { stored, hasMore }
}
