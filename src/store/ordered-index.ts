/** Positions kept in list order within groups, so that a page is found without a scan, and cloned in constant time. */
import sorted from 'sorted-btree'

/** The place of a record in its list: by creation instant (ms), then by the order in which records came (A05). */
export type Position = { readonly at: number; readonly nth: number; readonly id: string }
/** An open end of a range: everything after (or before) this instant and number. */
export type Bound = { at: number; nth: number }
type Key = Position & { readonly group: string }

const byGroupThenPosition = (a: Key, b: Key) => {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1
  return a.at - b.at || a.nth - b.nth
}
const Tree = sorted.default
type Tree = InstanceType<typeof Tree<Key, undefined>>

export const EARLIEST: Bound = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Bound = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Bound, b: Bound): boolean => a.at > b.at || (a.at === b.at && a.nth > b.nth)

export class OrderedIndex {
  readonly #tree: Tree

  constructor(tree: Tree = new Tree<Key, undefined>(undefined, byGroupThenPosition)) {
    this.#tree = tree
  }

  /** A copy that shares what neither side changes. */
  clone(): OrderedIndex {
    return new OrderedIndex(this.#tree.clone())
  }

  add(group: string, position: Position): void {
    this.#tree.set({ group, ...position }, undefined)
  }

  remove(group: string, position: Position): void {
    this.#tree.delete({ group, ...position })
  }

  /** Up to `count` positions of a group that lie after `after` and before `before`, the nearest to the end that the direction starts from first. */
  range(group: string, { after, before, descending, count }: { after: Bound; before: Bound; descending: boolean; count: number }): Position[] {
    const found: Position[] = []
    const start: Key = { group, id: '', ...(descending ? before : after) }
    const keys = descending ? this.#tree.entriesReversed(start) : this.#tree.entries(start)
    for (const [key] of keys) {
      if (key.group !== group || found.length === count) break
      if (!isAfter(key, after)) {
        if (descending) break
        continue
      }
      if (!isAfter(before, key)) {
        if (!descending) break
        continue
      }
      found.push(key)
    }
    return found
  }
}
