/** Lengths of time, as documents write them: `250ms`, `2s`, `36h`, `7d`. */
import { shownGot } from './sentences.js'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** The longest that documents can write, in milliseconds. */
export const MAX_DURATION = 100 * 366 * UNITS.d

/** Milliseconds; null when the text is not a duration of up to a hundred years. */
export function durationOf(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(number) * UNITS[unit as keyof typeof UNITS]
  return ms <= MAX_DURATION ? Math.round(ms) : null
}

/** A duration in the largest unit that gives a whole number. */
export function durationText(ms: number): string {
  const [unit, each] = Object.entries(UNITS).findLast(([, each]) => ms % each === 0) as [
    string,
    number
  ]
  return `${ms / each}${unit}`
}

export function durationExpected(value: string): string {
  const text = value.trim()
  const expected = `must be a duration, such as 250ms, 2s, 36h or 7d; got ${shownGot(value)}`
  return /^\d+(\.\d+)?$/.test(text)
    ? `${expected} without a unit: write ${text}s or ${text}ms`
    : expected
}
