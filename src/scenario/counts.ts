/** How often something happens, as a document writes it: `0`, `1`, `2-3` or `4+`. */
import type { Report } from './documents.js'
import { say } from './sentences.js'

/** `to` may be infinite. */
export type Counts = { from: number; to: number }

/** Reported where the text is no count, or below `least`. */
export function countsOf(text: string, least: 0 | 1, report: Report): Counts {
  const [, first, dash, last] =
    /^(0|[1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  const from = Number(first)
  const open = text.includes('+') ? Number.POSITIVE_INFINITY : from
  const to = dash ? Number(last) : open
  if (!(least <= from && from <= to)) report([], say('not_counts', least, text))
  return { from, to }
}
