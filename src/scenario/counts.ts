/** How often something happens, as a document writes it: `0`, `1`, `2-3` or `4+`. */

/** From so often to so often, infinitely many included. */
export type Counts = { from: number; to: number }

/** What a text says; null where it says nothing of the kind, or never. */
export function countsIn(text: string): Counts | null {
  const [, first, dash, last] =
    /^(0|[1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  const from = Number(first)
  const open = text.includes('+') ? Number.POSITIVE_INFINITY : from
  const to = dash ? Number(last) : open
  return from <= to ? { from, to } : null
}
