/** Positions kept in list order within groups, so that a page is found without a scan, and cloned in constant time. */
import { LayeredMap } from './layered-map.js'

/** The place of a record in its list: by creation instant (ms), then by the order in which records came (A05). */
export type Position = { readonly at: number; readonly nth: number; readonly id: string }
/** An open end of a range: everything after (or before) this instant and number. */
export type Bound = { readonly at: number; readonly nth: number }
/** A run of positions; only the index that owns it changes it in place. */
type Chunk = { readonly owner: object; positions: Position[] }
type Group = { readonly owner: object; chunks: Chunk[] }
type Place = { chunk: number; at: number }

export const EARLIEST: Bound = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Bound = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Bound, b: Bound): boolean => a.at > b.at || (a.at === b.at && a.nth > b.nth)

/** Positions in a chunk, at most. */
const MOST = 256

export class OrderedIndex {
  readonly #groups: LayeredMap<Group>
  /** What this index may change in place is marked with it. */
  #owner = {}

  constructor(groups = new LayeredMap<Group>()) {
    this.#groups = groups
  }

  /** A copy that shares what neither side changes. */
  clone(): OrderedIndex {
    this.#owner = {}
    return new OrderedIndex(this.#groups.clone())
  }

  add(group: string, position: Position): void {
    const { chunks } = this.#ownGroup(group)
    const last = chunks.at(-1)
    if (last === undefined || isAfter(position, last.positions.at(-1) as Position)) {
      if (last === undefined || last.positions.length >= MOST) chunks.push({ owner: this.#owner, positions: [position] })
      else this.#ownChunk(chunks, chunks.length - 1).push(position)
      return
    }
    const { chunk, at } = placeOf(chunks, other => isAfter(other, position))
    const positions = this.#ownChunk(chunks, chunk)
    positions.splice(at, 0, position)
    if (positions.length > MOST) chunks.splice(chunk + 1, 0, { owner: this.#owner, positions: positions.splice(MOST / 2) })
  }

  /** Removes a position that was added. */
  remove(group: string, position: Position): void {
    const { chunks } = this.#ownGroup(group)
    const { chunk, at } = placeOf(chunks, other => !isAfter(position, other))
    const positions = this.#ownChunk(chunks, chunk)
    positions.splice(at, 1)
    if (positions.length > 0) return
    chunks.splice(chunk, 1)
    if (chunks.length === 0) this.#groups.delete(group)
  }

  /** Up to `count` positions of a group that lie after `after` and before `before`, the nearest to the end that the direction starts from first. */
  range(group: string, { after, before, descending, count }: { after: Bound; before: Bound; descending: boolean; count: number }): Position[] {
    const chunks = this.#groups.get(group)?.chunks ?? []
    const found: Position[] = []
    const step = descending ? -1 : 1
    let { chunk, at } = descending ? placeOf(chunks, position => !isAfter(before, position)) : placeOf(chunks, position => isAfter(position, after))
    if (descending) at--
    for (; chunk >= 0 && chunk < chunks.length; chunk += step) {
      const { positions } = chunks[chunk] as Chunk
      for (let place = at; place >= 0 && place < positions.length; place += step) {
        const position = positions[place] as Position
        if (found.length === count || !isAfter(position, after) || !isAfter(before, position)) return found
        found.push(position)
      }
      at = descending ? (chunks[chunk - 1]?.positions.length ?? 0) - 1 : 0
    }
    return found
  }

  #ownGroup(name: string): Group {
    const group = this.#groups.get(name)
    if (group?.owner === this.#owner) return group
    const own = { owner: this.#owner, chunks: group?.chunks.slice() ?? [] }
    this.#groups.set(name, own)
    return own
  }

  #ownChunk(chunks: Chunk[], place: number): Position[] {
    const chunk = chunks[place] as Chunk
    if (chunk.owner === this.#owner) return chunk.positions
    const own = { owner: this.#owner, positions: chunk.positions.slice() }
    chunks[place] = own
    return own.positions
  }
}

/** The first place whose position passes a test that all later ones pass too; the end of the last chunk where none does. */
function placeOf(chunks: readonly Chunk[], passes: (position: Position) => boolean): Place {
  const chunk = firstOf(chunks.length - 1, place => passes((chunks[place] as Chunk).positions.at(-1) as Position))
  const positions = chunks[chunk]?.positions ?? []
  return { chunk, at: firstOf(positions.length, place => passes(positions[place] as Position)) }
}

/** The first number below `end` that passes, by halving; `end` where none does. */
function firstOf(end: number, passes: (place: number) => boolean): number {
  let [low, high] = [0, Math.max(0, end)]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(middle)) high = middle
    else low = middle + 1
  }
  return low
}
