/** How often something happens, as a document writes it: `0`, `1`, `2-3`, `4+` or `every 7`. */
import type { Report } from '../documents.js'
import { say } from '../sentences.js'

/** `to` may be infinite. */
export type Counts = { from: number; to: number }
/** Of these, every so many. */
export type Calls = Counts & { every: number }

/** Reported where the text is no count; `isOfCalls`: every 7 is one too. */
export function countsOf(text: string, isOfCalls: 0 | 1, report: Report): Calls {
  const nth = isOfCalls && /^every ([1-9]\d{0,8})$/.exec(text)?.[1]
  const [, first, dash, last] =
    /^(0|[1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  const from = Number(nth || first)
  const open = nth || text.includes('+') ? Number.POSITIVE_INFINITY : from
  const to = dash ? Number(last) : open
  if (!(from <= to)) report([], say('not_counts', isOfCalls, text))
  return { from, to, every: nth ? from : 1 }
}
