/** Sorted groups of records, so that a page is found without a scan. */

/** By creation instant (ms), then by the order of creation (A05). Bounds are exclusive. */
export type Position = { readonly at: number; readonly nth: number }
export type Range = { after: Position; before: Position; descending: boolean; count: number }

export const EARLIEST: Position = { at: Number.NEGATIVE_INFINITY, nth: Number.NEGATIVE_INFINITY }
export const LATEST: Position = { at: Number.POSITIVE_INFINITY, nth: Number.POSITIVE_INFINITY }
export const isAfter = (a: Position, b: Position): boolean =>
  a.at > b.at || (a.at === b.at && a.nth > b.nth)

export class OrderedIndex<E extends Position> {
  /** `unsorted`: groups to sort before the next read; most records arrive in order. */
  constructor(
    private readonly groups = new Map<string, E[]>(),
    private readonly unsorted = new Set<string>()
  ) {}

  copy(): OrderedIndex<E> {
    const groups = new Map<string, E[]>()
    for (const [name, entries] of this.groups) groups.set(name, entries.slice())
    return new OrderedIndex(groups, new Set(this.unsorted))
  }

  change(how: 'add' | 'replace' | 'remove', name: string, entry: E): void {
    if (how !== 'add') {
      const entries = this.#inOrder(name)
      entries.splice(placeOf(entries, entry), 1, ...(how === 'replace' ? [entry] : []))
      return
    }
    const entries = this.groups.get(name)
    const last = entries?.at(-1)
    if (last !== undefined && isAfter(last, entry)) this.unsorted.add(name)
    if (entries) entries.push(entry)
    else this.groups.set(name, [entry])
  }

  /** Up to `count` entries between two positions, from the first, or with `descending` the last. */
  range(group: string, { after, before, descending, count }: Range): E[] {
    const entries = this.#inOrder(group)
    const from = placeOf(entries, after, true)
    const to = placeOf(entries, before)
    return descending
      ? entries.slice(Math.max(from, to - count), Math.max(from, to)).reverse()
      : entries.slice(from, Math.min(to, from + count))
  }

  #inOrder(name: string): E[] {
    const entries = this.groups.get(name) ?? []
    if (this.unsorted.delete(name)) entries.sort((a, b) => (isAfter(a, b) ? 1 : -1))
    return entries
  }
}

/** The first place whose entry is not before a position, or with `isBeyond` is after it. */
function placeOf<E extends Position>(
  entries: readonly E[],
  position: Position,
  isBeyond = false
): number {
  let low = 0
  for (let high = entries.length; low < high; ) {
    const middle = (low + high) >>> 1
    const entry = entries[middle] as E
    if (isBeyond ? isAfter(entry, position) : !isAfter(position, entry)) high = middle
    else low = middle + 1
  }
  return low
}
