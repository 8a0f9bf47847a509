/** Lists: a page of a family as a list object (LIST-1 to LIST-3, FILT-1 to FILT-6, SRCH-3, A09 to A13). */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { instantOf } from '../core/instants.js'
import type { Settings } from '../core/settings.js'
import type { Trace } from '../core/trace.js'
import type { Family } from '../reference/operations.js'
import type { List } from '../reference/parameters.js'
import type { Position } from '../store/ordered-index.js'
import { type Page, pageOf } from '../store/paging.js'
import type { RecordOf } from '../store/store.js'
import { pathBelow } from './entrance.js'

/** The query of any list, decoded. */
type ListQuery = {
  limit?: number
  starting_after?: string
  ending_before?: string
  created?: { gte?: string; gt?: string; lte?: string; lt?: string }
}
type Listing<F extends Family> = {
  /** The index and group that narrow the list before retrieval. */
  within: { index: string; group: string }
  /** Post-hoc filter over the records retrieved for the page: a search. */
  keep?: ((record: RecordOf<F>) => boolean) | undefined
  /** `oldest_first` only where the reference does not say most recent first (A11). */
  order?: Settings['pagination.order']
}

/** A page of a family. Errors: `parameter_invalid` for a limit out of range or two cursors, `cursor_unknown`. */
export function listed<F extends Family>(request: FastifyRequest, family: F, { within, keep, order }: Listing<F>): List<RecordOf<F>> {
  const { sandbox, trace } = request
  const query = request.query as ListQuery
  const { gte, gt, lte, lt } = query.created ?? {}
  const page = pageOf(sandbox.store[family] as never, {
    ...within,
    ...instants({ gte, gt, lte, lt }),
    ...cursors(request, family, query),
    limit: limitOf(query.limit, sandbox.settings, trace),
    order: order ?? sandbox.settings['pagination.order']
  }) as Page<RecordOf<F>>
  trace.assumed('A09')
  trace.assumed('A11')
  trace.held('LIST-1')
  trace.held('LIST-2', { retrieved: page.records.length, has_more: page.hasMore })
  if (query.created || (query as { location?: string }).location !== undefined) trace.held('FILT-6')

  const list = listObject(`${request.base}${pathBelow(request.url).replace(/\/+$/, '')}`, page)
  if (!keep) return list
  trace.assumed('A12')
  trace.assumed('A13')
  trace.held('SRCH-3', { retrieved: page.records.length })
  return { ...list, data: page.records.filter(keep) }
}

/** A page as a list object; `url` is the list's path, as the caller addresses it. */
export function listObject<R extends { id: string }>(url: string, { records, hasMore }: Page<R>): List<R> {
  const ids = records.map(({ id }) => id)
  return {
    object: 'list',
    url,
    data: records,
    has_more: hasMore,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null
  }
}

function instants<K extends string>(filters: Record<K, string | undefined>): Record<K, number | undefined> {
  const read = Object.entries(filters as Record<string, string | undefined>).map(([name, value]) => [name, value === undefined ? undefined : instantOf(value)])
  return Object.fromEntries(read)
}

function limitOf(asked: number | undefined, settings: Settings, trace: Trace): number {
  const largest = settings['pagination.max_limit']
  if (asked === undefined) {
    trace.assumed('A10')
    return Math.min(settings['pagination.default_limit'], largest)
  }
  if (asked >= 1 && asked <= largest) return asked
  if (settings['pagination.out_of_range'] === 'reject') {
    throw new ApiError('parameter_invalid', { message: `limit: 1 to ${largest} was expected, not ${asked}.`, param: 'limit', assumption: 'A10' })
  }
  trace.assumed('A10')
  return Math.min(Math.max(asked, 1), largest)
}

/** The position that a cursor names: one at most, and of a record that the caller may see or that was deleted (A10). */
function cursors(
  { sandbox, seen }: FastifyRequest,
  family: Family,
  { starting_after, ending_before }: ListQuery
): { startingAfter?: Position; endingBefore?: Position } {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw new ApiError('parameter_invalid', { message: 'starting_after and ending_before cannot be sent together.', param: 'ending_before', assumption: 'A10' })
  }
  const positionOf = (param: string, id: string): Position => {
    const position = sandbox.store[family].position(id)
    const isHidden = sandbox.store[family].get(id) !== undefined && seen.get(family, id) === undefined
    if (position === undefined || isHidden) {
      throw new ApiError('cursor_unknown', { message: `${param}: no record of this list has the id ${id}.`, param, assumption: 'A10' })
    }
    return position
  }
  if (starting_after !== undefined) return { startingAfter: positionOf('starting_after', starting_after) }
  return ending_before === undefined ? {} : { endingBefore: positionOf('ending_before', ending_before) }
}
