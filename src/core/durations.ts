/** Lengths of time, as documents write them: `250ms`, `2s`, `36h`, `7d`, or ISO 8601 as `PT36H`. */
import { shownGot } from './sentences.js'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** The longest that documents can write, in milliseconds. */
export const MAX_DURATION = 100 * 366 * UNITS.d

const SHORT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const NUMBER = '(\\d+(?:[.,]\\d+)?)'
const ISO = new RegExp(
  `^P(?=.)(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=.)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`
)
/** What each part of an ISO 8601 duration lasts. */
const ISO_UNITS = [7 * UNITS.d, UNITS.d, UNITS.h, UNITS.m, UNITS.s]

/** Null when the text is not a duration of up to a hundred years. */
export function durationOf(text: string): number | null {
  const [, number, unit] = SHORT.exec(text) ?? []
  const ms =
    unit === undefined ? isoDuration(text) : Number(number) * UNITS[unit as keyof typeof UNITS]
  return ms === null || ms > MAX_DURATION ? null : Math.round(ms)
}

function isoDuration(text: string): number | null {
  const [, ...parts] = ISO.exec(text) ?? []
  if (parts.length === 0) return null
  const numbers = parts.map((part = '0') => Number(part.replace(',', '.')))
  return ISO_UNITS.reduce((sum, unit, index) => sum + Number(numbers[index]) * unit, 0)
}

/** A duration in the largest unit that gives a whole number. */
export function durationText(ms: number): string {
  const [unit, each] = Object.entries(UNITS).findLast(([, each]) => ms % each === 0) as [
    string,
    number
  ]
  return `${ms / each}${unit}`
}

export const DURATION_EXPECTED = 'must be a duration, such as 250ms, 2s, 36h, 7d or PT36H'

/** The expected format; for a number, with the units it may be in. */
export function durationExpected(value: string | number): string {
  const text = String(value).trim()
  const expected = `${DURATION_EXPECTED}; got ${shownGot(value)}`
  if (/^\d+(\.\d+)?$/.test(text)) return `${expected} without a unit: write ${text}s or ${text}ms`
  return /^P[\d.,A-SU-Z]*\d[YM]/i.test(text)
    ? `${expected}; years and months differ in length: write days, such as 30d or 365d`
    : expected
}
