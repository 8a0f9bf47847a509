/** One page of a list: narrowed by an index and by instants, then cut at a cursor and a limit (LIST-2, FILT-6, A10 to A12). */
import type { Collection, StoredRecord } from './collection.js'
import { type Bound, EARLIEST, isAfter, LATEST, type Position } from './ordered-index.js'

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
export type Page<R> = { records: R[]; hasMore: boolean }

const startOf = (at: number): Bound => ({ at, nth: EARLIEST.nth })
const endOf = (at: number): Bound => ({ at, nth: LATEST.nth })

/** The records of a page in list order, and whether more lie beyond it in the direction of paging. */
export function pageOf<R extends StoredRecord>(collection: Collection<R>, query: Query): Page<R> {
  const { gte, gt, lte, lt, startingAfter, endingBefore, limit } = query
  const newestFirst = query.order === 'newest_first'
  const lower = [gte === undefined ? null : startOf(gte), gt === undefined ? null : endOf(gt), newestFirst ? endingBefore : startingAfter]
  const upper = [lte === undefined ? null : endOf(lte), lt === undefined ? null : startOf(lt), newestFirst ? startingAfter : endingBefore]
  const after = lower.reduce<Bound>((bound, other) => (other && isAfter(other, bound) ? other : bound), EARLIEST)
  const before = upper.reduce<Bound>((bound, other) => (other && isAfter(bound, other) ? other : bound), LATEST)

  const backwards = endingBefore !== undefined
  const found = collection.index(query.index).range(query.group, { after, before, descending: newestFirst !== backwards, count: limit + 1 })
  const positions = found.slice(0, limit)
  if (backwards) positions.reverse()
  return { records: positions.map(({ id }) => collection.get(id) as R), hasMore: found.length > limit }
}
