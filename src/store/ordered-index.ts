/**
 * Records kept in list order within groups, so that a page is found without a scan, and cloned in
 * constant time.
 */
import { LayeredMap } from './layered-map.js'

/**
 * The place of a record in its list: by creation instant (ms), then by the order in which records
 * came (A05). As a bound of a range it is exclusive.
 */
export type Position = { readonly at: number; readonly nth: number }
export type Range = { after: Position; before: Position; descending: boolean; count: number }
/** A run of entries; only the index that owns it changes it in place. */
type Chunk<E> = { readonly owner: object; readonly entries: E[] }
type Group<E> = { readonly owner: object; readonly chunks: Chunk<E>[] }

export const EARLIEST: Position = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Position = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Position, b: Position): boolean =>
  a.at > b.at || (a.at === b.at && a.nth > b.nth)

/** Entries of a chunk, at most: as many as V8 makes room for when so many came one by one. */
const MAX_ENTRIES = 236

export class OrderedIndex<E extends Position> {
  readonly #groups: LayeredMap<Group<E>>
  /** What this index may change in place is marked with it. */
  #owner = {}

  constructor(groups = new LayeredMap<Group<E>>()) {
    this.#groups = groups
  }

  /** A copy that shares what neither side changes. */
  clone(): OrderedIndex<E> {
    this.#owner = {}
    return new OrderedIndex(this.#groups.clone())
  }

  /**
   * Adds an entry to a group, puts it in the place of the one that has its position, or removes
   * that one.
   */
  change(how: 'add' | 'replace' | 'remove', name: string, entry: E): void {
    const owner = this.#owner
    let group = this.#groups.get(name)
    if (group?.owner !== owner) {
      // most groups stay small: a list that begins with its first entry has room for no more
      const chunks = group?.chunks.slice() ?? [{ owner, entries: [entry] }]
      this.#groups.set(name, { owner, chunks })
      if (group === undefined) return
      group = { owner, chunks }
    }
    const { chunks } = group
    const last = chunks.at(-1) as Chunk<E>
    // most records come after all others, and the last run is neither empty nor full
    if (
      how === 'add' &&
      last.owner === owner &&
      last.entries.length % MAX_ENTRIES > 0 &&
      isAfter(entry, last.entries.at(-1) as E)
    ) {
      last.entries.push(entry)
      return
    }
    const { chunk, at } = placeOf(chunks, entry)
    let { owner: held, entries } = chunks[chunk] as Chunk<E>
    if (held !== owner) {
      entries = entries.slice()
      chunks[chunk] = { owner, entries }
    }
    if (how === 'replace') entries[at] = entry
    else if (how === 'remove') entries.splice(at, 1)
    else entries.splice(at, 0, entry)
    if (entries.length > MAX_ENTRIES)
      chunks.splice(chunk + 1, 0, {
        owner,
        entries: entries.splice(at === MAX_ENTRIES ? at : MAX_ENTRIES / 2)
      })
    else if (entries.length === 0 && chunks.length > 1) chunks.splice(chunk, 1)
  }

  /**
   * Up to `count` entries of a group that lie after `after` and before `before`, the nearest to the
   * end that the direction starts from first.
   */
  range(group: string, { after, before, descending, count }: Range): E[] {
    const chunks = this.#groups.get(group)?.chunks ?? []
    const found: E[] = []
    const step = descending ? -1 : 1
    let { chunk, at } = placeOf(chunks, descending ? before : after, !descending)
    if (descending) at--
    for (; chunk >= 0 && chunk < chunks.length; chunk += step) {
      const { entries } = chunks[chunk] as Chunk<E>
      for (; at >= 0 && at < entries.length; at += step) {
        const entry = entries[at] as E
        const isWithin = descending ? isAfter(entry, after) : isAfter(before, entry)
        if (found.length === count || !isWithin) return found
        found.push(entry)
      }
      at = descending ? (chunks[chunk - 1]?.entries.length ?? 0) - 1 : 0
    }
    return found
  }
}

/**
 * The first place of an entry that is not before a position, or with `isBeyond` after it; the end of
 * the last chunk where there is none.
 */
function placeOf<E extends Position>(
  chunks: readonly Chunk<E>[],
  position: Position,
  isBeyond = false
): { chunk: number; at: number } {
  const passes = (entry: E) => (isBeyond ? isAfter(entry, position) : !isAfter(position, entry))
  let chunk = 0
  for (let high = Math.max(0, chunks.length - 1); chunk < high; ) {
    const middle = (chunk + high) >>> 1
    if (passes((chunks[middle] as Chunk<E>).entries.at(-1) as E)) high = middle
    else chunk = middle + 1
  }
  const entries = chunks[chunk]?.entries ?? []
  let at = 0
  for (let high = entries.length; at < high; ) {
    const middle = (at + high) >>> 1
    if (passes(entries[middle] as E)) high = middle
    else at = middle + 1
  }
  return { chunk, at }
}
