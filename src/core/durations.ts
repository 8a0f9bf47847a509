/** Lengths of time, as documents write them: `250ms`, `2s`, `36h`, `7d`, or ISO 8601 as `PT36H`. */
import { Duration } from 'luxon'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST = 100 * 366 * UNITS.d

/** Milliseconds, or null when the text is no length of time up to a hundred years. */
export function durationOf(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = unit === undefined ? isoDuration(text) : Number(number) * UNITS[unit as keyof typeof UNITS]
  return ms === null || ms > LONGEST ? null : Math.round(ms)
}

function isoDuration(text: string): number | null {
  if (!/^P\S*\d\S*$/.test(text)) return null
  const ms = Duration.fromISO(text).toMillis()
  return Number.isNaN(ms) || ms < 0 ? null : ms
}

export const DURATION_EXPECTED = 'a length of time was expected, such as 250ms, 2s, 36h, 7d or PT36H'
