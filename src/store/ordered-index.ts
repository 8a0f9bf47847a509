/** Records kept in list order within groups, so that a page is found without a scan, and cloned in constant time. */
import { LayeredMap } from './layered-map.js'

/** The place of a record in its list: by creation instant (ms), then by the order in which records came (A05). As an end of a range: all after it, or before it. */
export type Position = { readonly at: number; readonly nth: number }
/** A run of entries; only the index that owns it changes it in place. */
type Chunk<E> = { readonly owner: object; entries: E[] }
type Group<E> = { readonly owner: object; chunks: Chunk<E>[] }

export const EARLIEST: Position = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Position = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.nth > b.nth)

/** Entries of a chunk, at most. */
const MOST = 256

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

  add(group: string, entry: E): void {
    const { chunks } = this.#ownGroup(group)
    const last = chunks.at(-1)
    if (last === undefined || isAfter(entry, last.entries.at(-1) as E)) {
      if (last === undefined || last.entries.length >= MOST) chunks.push({ owner: this.#owner, entries: [entry] })
      else this.#ownChunk(chunks, chunks.length - 1).push(entry)
      return
    }
    const { chunk, at } = placeOf(chunks, other => isAfter(other, entry))
    const entries = this.#ownChunk(chunks, chunk)
    entries.splice(at, 0, entry)
    if (entries.length > MOST) chunks.splice(chunk + 1, 0, { owner: this.#owner, entries: entries.splice(MOST / 2) })
  }

  /** Puts an entry in the place of the one that has its position. */
  replace(group: string, entry: E): void {
    const { chunks } = this.#ownGroup(group)
    const { chunk, at } = placeOf(chunks, other => !isAfter(entry, other))
    this.#ownChunk(chunks, chunk)[at] = entry
  }

  /** Removes the entry that has a position. */
  remove(group: string, position: Position): void {
    const { chunks } = this.#ownGroup(group)
    const { chunk, at } = placeOf(chunks, other => !isAfter(position, other))
    const entries = this.#ownChunk(chunks, chunk)
    entries.splice(at, 1)
    if (entries.length > 0) return
    chunks.splice(chunk, 1)
    if (chunks.length === 0) this.#groups.delete(group)
  }

  /** Up to `count` entries of a group that lie after `after` and before `before`, the nearest to the end that the direction starts from first. */
  range(group: string, { after, before, descending, count }: { after: Position; before: Position; descending: boolean; count: number }): E[] {
    const chunks = this.#groups.get(group)?.chunks ?? []
    const found: E[] = []
    const step = descending ? -1 : 1
    let { chunk, at } = descending ? placeOf(chunks, entry => !isAfter(before, entry)) : placeOf(chunks, entry => isAfter(entry, after))
    if (descending) at--
    for (; chunk >= 0 && chunk < chunks.length; chunk += step) {
      const { entries } = chunks[chunk] as Chunk<E>
      for (let place = at; place >= 0 && place < entries.length; place += step) {
        const entry = entries[place] as E
        if (found.length === count || !isAfter(entry, after) || !isAfter(before, entry)) return found
        found.push(entry)
      }
      at = descending ? (chunks[chunk - 1]?.entries.length ?? 0) - 1 : 0
    }
    return found
  }

  #ownGroup(name: string): Group<E> {
    const group = this.#groups.get(name)
    if (group?.owner === this.#owner) return group
    const own = { owner: this.#owner, chunks: group?.chunks.slice() ?? [] }
    this.#groups.set(name, own)
    return own
  }

  #ownChunk(chunks: Chunk<E>[], place: number): E[] {
    const chunk = chunks[place] as Chunk<E>
    if (chunk.owner === this.#owner) return chunk.entries
    const own = { owner: this.#owner, entries: chunk.entries.slice() }
    chunks[place] = own
    return own.entries
  }
}

/** The first place whose entry passes a test that all later ones pass too; the end of the last chunk where none does. */
function placeOf<E>(chunks: readonly Chunk<E>[], passes: (entry: E) => boolean): { chunk: number; at: number } {
  const chunk = firstOf(chunks.length - 1, place => passes((chunks[place] as Chunk<E>).entries.at(-1) as E))
  const entries = chunks[chunk]?.entries ?? []
  return { chunk, at: firstOf(entries.length, place => passes(entries[place] as E)) }
}

/** The first number below `end` that passes, by halving; `end` where none does. */
function firstOf(end: number, passes: (place: number) => boolean): number {
  let low = 0
  let high = Math.max(0, end)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(middle)) high = middle
    else low = middle + 1
  }
  return low
}
