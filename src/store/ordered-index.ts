/** Records kept in list order within groups, so that a page is found without a scan, and cloned in constant time. */
import { LayeredMap } from './layered-map.js'

/** The place of a record in its list: by creation instant (ms), then by the order in which records came (A05). As a bound of a range it is exclusive. */
export type Position = { readonly at: number; readonly nth: number }
/** A run of entries; only the index that owns it changes it in place. */
type Chunk<E> = { readonly owner: object; entries: E[] }
/** `late` are entries that came after later ones; they take their places at the next read, since a load brings many of them. */
type Group<E> = { readonly owner: object; chunks: Chunk<E>[]; late: E[] }

export const EARLIEST: Position = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Position = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.nth > b.nth)

/** Entries of a chunk, at most. */
const MOST = 256
/** Late entries that take their places one by one; more of them are sorted in together. */
const FEW = 64

export class OrderedIndex<E extends Position> {
  readonly #groups: LayeredMap<Group<E>>
  /** What this index may change in place is marked with it. */
  #owner = {}
  /** The groups that have late entries. */
  readonly #late = new Set<string>()

  constructor(groups = new LayeredMap<Group<E>>()) {
    this.#groups = groups
  }

  /** A copy that shares what neither side changes. */
  clone(): OrderedIndex<E> {
    for (const group of [...this.#late]) this.#settle(group)
    this.#owner = {}
    return new OrderedIndex(this.#groups.clone())
  }

  add(group: string, entry: E): void {
    const { chunks, late } = this.#ownGroup(group)
    const last = chunks.at(-1)
    if (last === undefined || isAfter(entry, last.entries.at(-1) as E)) {
      if (last === undefined || last.entries.length >= MOST) chunks.push({ owner: this.#owner, entries: [entry] })
      else this.#ownChunk(chunks, chunks.length - 1).push(entry)
      return
    }
    late.push(entry)
    this.#late.add(group)
  }

  /** Gives the late entries of all groups their places, a group at each step. */
  *settling(): Generator<void, void> {
    for (const group of [...this.#late]) {
      this.#settle(group)
      yield
    }
  }

  /** Gives the late entries of a group their places. */
  #settle(name: string): void {
    if (!this.#late.delete(name)) return
    const group = this.#ownGroup(name)
    const { late } = group
    group.late = []
    if (late.length <= FEW) for (const entry of late) this.#insert(group.chunks, entry)
    else group.chunks = this.#chunksOf([...group.chunks.flatMap(({ entries }) => entries), ...late].sort((a, b) => a.at - b.at || a.nth - b.nth))
  }

  #insert(chunks: Chunk<E>[], entry: E): void {
    const { chunk, at } = placeOf(chunks, other => isAfter(other, entry))
    const entries = this.#ownChunk(chunks, chunk)
    entries.splice(at, 0, entry)
    if (entries.length > MOST) chunks.splice(chunk + 1, 0, { owner: this.#owner, entries: entries.splice(MOST / 2) })
  }

  #chunksOf(sorted: readonly E[]): Chunk<E>[] {
    return Array.from({ length: Math.ceil(sorted.length / MOST) }, (_, n) => ({ owner: this.#owner, entries: sorted.slice(n * MOST, (n + 1) * MOST) }))
  }

  /** Puts an entry in the place of the one that has its position. */
  replace(group: string, entry: E): void {
    this.#settle(group)
    const { chunks } = this.#ownGroup(group)
    const { chunk, at } = placeOf(chunks, other => !isAfter(entry, other))
    this.#ownChunk(chunks, chunk)[at] = entry
  }

  /** Removes the entry that has a position. */
  remove(group: string, position: Position): void {
    this.#settle(group)
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
    this.#settle(group)
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
    const own: Group<E> = { owner: this.#owner, chunks: group?.chunks.slice() ?? [], late: [] }
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
