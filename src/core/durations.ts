/** Lengths of time, as documents write them: `250ms`, `2s`, `36h`, `7d`, or ISO 8601 as `PT36H`. */
import { shownGot } from './sentences.js'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** The longest that documents can write, in milliseconds. */
export const MAX_DURATION = 100 * 366 * UNITS.d

const NUMBER = '(\\d+(?:[.,]\\d+)?)'
const SHORT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const ISO = new RegExp(
  `^P(?=.)(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=.)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`
)
const ISO_UNITS = [7 * UNITS.d, UNITS.d, UNITS.h, UNITS.m, UNITS.s]

/** Milliseconds; null when the text is not a duration of up to a hundred years. */
export function durationOf(text: string): number | null {
  const [, number, unit] = SHORT.exec(text) ?? []
  const [, ...parts] = ISO.exec(text) ?? []
  const ofParts = ISO_UNITS.map((unit, at) => Number(parts[at]?.replace(',', '.') ?? 0) * unit)
  // NaN for neither form
  const ms =
    parts.length > 0
      ? ofParts.reduce((sum, part) => sum + part)
      : Number(number) * UNITS[unit as keyof typeof UNITS]
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
  const expected = `must be a duration, such as 250ms, 2s, 36h, 7d or PT36H; got ${shownGot(value)}`
  return /^\d+(\.\d+)?$/.test(text)
    ? `${expected} without a unit: write ${text}s or ${text}ms`
    : expected
}
