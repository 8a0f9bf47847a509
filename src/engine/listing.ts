/** Lists (LIST-1 to LIST-3, FILT-1 to FILT-6, SRCH-3, A09 to A13). */
import { type Bounds, boundsOf, type Instant } from '../core/instants.js'
import { withoutSlashes } from '../core/paths.js'
import { type Matching, matchOf } from '../core/search.js'
import type { Settings } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { Collection, Stored, StoredRecord } from '../store/collection.js'
import type { Position } from '../store/ordered-index.js'
import { pageOf, type Query } from '../store/paging.js'
import { ALL, collectionOf, type RecordOf } from '../store/store.js'
import { type Caller, isLimited, isOwn, visible } from './keys.js'
import type { AnyRecord, Facts } from './outcome.js'
import { REFUSALS } from './sentences.js'

export type ListValues = {
  limit?: number
  starting_after?: string
  ending_before?: string
  created?: Bounds<Instant>
}
type Narrowing = { index: string; group: string; filteredBy?: AnyRecord | null }
type Listing<F extends Family> = {
  within: Narrowing
  /** Post-hoc filter over the records retrieved for the page: a search. */
  keep?: ((record: RecordOf<F>) => boolean) | undefined
  /** `newest_first` only where the reference says most recent first (A11). */
  order?: Settings['pagination.order']
}

export type StoredList<R> = List<R> & { readonly stored: readonly Stored<R>[] }

type Listed = Caller & {
  readonly base: string
  readonly path: string
  readonly params: { readonly id?: string }
  readonly values: ListValues
}

export function listed<F extends Family>(
  request: Listed,
  family: F,
  { within, keep, order }: Listing<F>
): { result: StoredList<RecordOf<F>>; facts: Partial<Facts> } {
  const { store, settings, values, relied } = request
  const { created, starting_after, ending_before } = values
  const { index, group, filteredBy = null } = within
  const collection = collectionOf(store, family)
  const query = queryOf(request, family, within, order ?? settings['pagination.order'])
  const { stored, hasMore } = pageOf(collection, query)
  if (
    isLimited(request)
      ? family !== 'users' && index === 'account' && hides(collection, query, stored)
      : stored.some(record => !isOwn(request, family, record))
  )
    relied.add('A19')
  const isPart = hasMore || starting_after !== undefined || ending_before !== undefined
  if (order === undefined && (stored.length > 1 || isPart)) relied.add('A11')
  const visible = keep ? stored.filter(({ record }) => keep(record)) : stored
  return {
    result: {
      object: 'list',
      url: `${request.base}${withoutSlashes(request.path)}`,
      data: visible.map(({ record }) => record),
      has_more: hasMore,
      first_id: stored[0]?.record.id ?? null,
      last_id: stored.at(-1)?.record.id ?? null,
      stored: visible
    },
    facts: {
      filteredBy,
      isCompared:
        created !== undefined &&
        (stored.length > 0 || collection.group(index, group, 1).length > 0),
      retrieved: stored.length
    }
  }
}

function queryOf(
  request: Listed,
  family: Family,
  { index, group }: Narrowing,
  order: Query['order']
): Query {
  const { settings, values } = request
  const { created, starting_after, ending_before } = values
  const { gte, gt, lte, lt } = boundsOf(created ?? {})
  const [after, before] = settings['pagination.cursors']
  const startingAfter = positionOf(request, family, after, starting_after)
  const endingBefore = positionOf(request, family, before, ending_before)
  const limit = limitOf(values, settings)
  return { index, group, gte, gt, lte, lt, startingAfter, endingBefore, limit, order }
}

export const limitOf = ({ limit }: ListValues, settings: Settings): number =>
  limit ?? Math.min(settings['pagination.default_limit'], settings['pagination.max_limit'])

/** Whether a list of one Account would differ from one of everything. */
function hides<R extends StoredRecord>(
  collection: Collection<R>,
  query: Query,
  stored: readonly Stored<R>[]
): boolean {
  const all = pageOf(collection, { ...query, index: ALL, group: ALL }).stored
  return all.length !== stored.length || all.some((record, place) => record !== stored[place])
}

/**
 * The position of a record that the caller may see, or that was deleted (A10). Errors:
 * `cursor_unknown`.
 */
export function positionOf(
  request: Caller & { readonly params: { readonly id?: string } },
  family: Family,
  param: string,
  id: string | undefined
): Position | undefined {
  if (id === undefined) return undefined
  const { store, params } = request
  const collection = collectionOf(store, family)
  const position = collection.position(id)
  const isHidden = collection.get(id) !== undefined && visible(request, family, id) === undefined
  const isElsewhere = family === 'users' && !collection.isOwnedBy(id, String(params.id))
  if (position === undefined || isHidden || isElsewhere) throw REFUSALS.unknownCursor(param, id)
  return position
}

export const everything = (caller: Caller): Narrowing =>
  caller.actor !== null && isLimited(caller)
    ? { index: 'account', group: caller.actor.id }
    : { index: ALL, group: ALL }

/**
 * What a filter narrows a list to: a record, or nothing if that is missing or hidden; everything
 * without one (FILT-5, REF-10, A16).
 */
export function filtered(
  caller: Caller,
  family: 'locations' | 'transactions',
  id: string | undefined
): Narrowing {
  if (id === undefined) return everything(caller)
  const record = visible(caller, family, id)
  if (record === undefined) caller.relied.add('A16')
  const index = family === 'locations' ? 'location' : 'transaction'
  return { index, group: record?.id ?? '', filteredBy: record ?? null }
}

/** The filter of a search after the retrieval (SRCH-1, SRCH-2, A13). */
export function searching<R>(
  { relied }: Caller,
  query: string | undefined,
  how: Matching,
  textOf: (record: R) => string | null | undefined
) {
  if (query === undefined) return undefined
  return (record: R): boolean => {
    const match = matchOf(textOf(record), query, how)
    if (match === 'other_case') relied.add('A40')
    return match !== 'no'
  }
}
