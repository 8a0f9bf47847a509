/** ISO 8601 instants, as filters and documents write them (FILT-1 to FILT-4, A05). */
import { DateTime } from 'luxon'

const SHAPE = /^(\d{4}-\d{2}-\d{2}|\d{8})(T[\d:.,]+([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?$/
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')
/** The last instant that is kept: the end of the year 9999. */
export const LATEST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Milliseconds since 1970 of a date, or of a date-time with `Z`, an offset or neither (then UTC); null when the text is none of these. */
export function instantOf(text: string): number | null {
  if (!SHAPE.test(text)) return null
  const at = DateTime.fromISO(text, { zone: 'utc' }).toMillis()
  return Number.isNaN(at) || at < EARLIEST || at > LATEST_INSTANT ? null : at
}

/** The instant as answers write it: UTC with milliseconds. */
export const isoOf = (at: number): string => new Date(at).toISOString()

/** Why the text is no instant, for the person who sent it. */
export function instantProblem(text: string): string {
  const expected = 'an ISO 8601 date or date-time was expected, such as 2026-03-01 or 2026-03-01T18:00:00Z'
  return /T\S* \d{2}:?\d{2}$/.test(text) ? `${expected}; the space stands where a + was meant: write the offset's + as %2B` : expected
}
