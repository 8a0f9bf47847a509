/** Counts and statuses as a document writes them: `2-3`, `4+`, `every 7`; `402`, `2xx`. */
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import type { Statuses } from '../shape/expectation.js'

export type Counts = { from: number; to: number }
export type Calls = Counts & { every: number }

export function countsOf(text: string, isOfCalls: boolean, report: Report): Calls {
  const nth = isOfCalls && /^every ([1-9]\d{0,8})$/.exec(text)?.[1]
  const [, first, dash, last] =
    /^(0|[1-9]\d{0,8})(?:(-)([1-9]\d{0,8})|\+)?$/.exec(text.replaceAll(' ', '')) ?? []
  const from = Number(nth || first)
  const open = nth || text.includes('+') ? Number.POSITIVE_INFINITY : from
  const to = dash ? Number(last) : open
  if (!(from <= to)) report([], say('not_counts', isOfCalls, text))
  return { from, to, every: nth ? from : 1 }
}

/** Any success if nothing is wanted. */
export const isStatus = (wanted: Statuses | undefined, status: number): boolean =>
  [wanted ?? '2xx']
    .flat()
    .some(word => [`${status}`, `${Math.floor(status / 100)}xx`].includes(`${word}`.toLowerCase()))
