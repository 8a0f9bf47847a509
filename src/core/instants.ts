/**
 * Instants of ISO 8601, as filters and documents write them (FILT-1 to FILT-4, A05, A38), and
 * durations: `250ms`, `2s`, `36h`, `7d`, or ISO 8601 as `PT36H`.
 */
import type { AssumptionId } from '../reference/assumptions.js'
import { shownGot } from './sentences.js'

export type Instant = {
  /** Milliseconds since 1970, rounded down. */
  at: number
  /** A finer fraction was cut off: it lies between `at` and the next millisecond. */
  isTruncated: boolean
  /**
   * A38 decided the meaning: a day alone, no zone, an ordinal or week date, a finer fraction, or a
   * leap second.
   */
  usesA38: boolean
}
export type Bounds<T> = { [B in 'gte' | 'gt' | 'lte' | 'lt']?: T | undefined }

/** The last instant that is stored: the end of the year 9999. */
export const LATEST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const EARLIEST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const { m: MINUTE, h: HOUR, d: DAY } = UNITS
/** Year, then month and day, week and weekday, or day of the year; with dashes or without. */
const DATE = String.raw`(?<year>\d{4})(?:(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)|(?<dash2>-?)W(?<week>\d\d)\k<dash2>(?<weekday>[1-7])|-?(?<yearday>\d{3}))`
const TIME = String.raw`(?<hour>[01]\d|2[0-4])(?:(?<colon>:?)(?<minute>[0-5]\d)(?:\k<colon>(?<second>[0-5]\d|60))?)?(?:[.,](?<fraction>\d{1,99}))?`
const ZONE = String.raw`[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?`
const INSTANT = new RegExp(`^${DATE}(?:[Tt]${TIME}(?<zone>${ZONE})?)?$`)
/** A day or date-time as most are written, which `Date.parse` reads exactly. */
const USUAL =
  /^(?!00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z)?$/

type Parts = Readonly<Record<string, string | undefined>>

/**
 * An ISO 8601 date or date-time, in UTC if it has no zone; a day alone is its 00:00Z (A38). Null
 * for no instant, or one outside the years 0 to 9999.
 */
export function parseInstant(text: string): Instant | null {
  if (USUAL.test(text))
    return { at: Date.parse(text), isTruncated: false, usesA38: !text.endsWith('Z') }
  const parts: Parts | undefined = INSTANT.exec(text)?.groups
  const day = parts && dayOf(parts)
  if (parts === undefined || day == null) return null
  const { hour = 0, minute = 0, second = 0, fraction = '', zone, month } = parts
  const isLeap = second === '60'
  const coarseUnit = parts.minute === undefined ? HOUR : MINUTE
  const unit = parts.second === undefined ? coarseUnit : 1000
  const { ms, isTruncated } = isLeap || fraction === '' ? NO_FRACTION : fractionOf(fraction, unit)
  const time = Number(hour) * HOUR + Number(minute) * MINUTE + Number(second) * 1000 + ms
  const at = day + time - offsetOf(parts)
  const isTooLate = time > DAY || (time === DAY && isTruncated)
  // a leap second is inserted before midnight UTC alone
  if (isTooLate || (isLeap && at % DAY !== 0) || at < EARLIEST_INSTANT || at > LATEST_INSTANT)
    return null
  return {
    at,
    isTruncated,
    usesA38: isTruncated || isLeap || zone === undefined || month === undefined
  }
}

const NO_FRACTION = { ms: 0, isTruncated: false }

/** The exact milliseconds of a fraction of a unit, rounded down. */
function fractionOf(digits: string, unit: number): typeof NO_FRACTION {
  const whole = 10n ** BigInt(digits.length)
  const product = BigInt(digits) * BigInt(unit)
  return { ms: Number(product / whole), isTruncated: product % whole > 0n }
}

function offsetOf({ sign, hours, minutes = '0' }: Parts): number {
  const offset = sign === undefined ? 0 : Number(hours) * HOUR + Number(minutes) * MINUTE
  return sign === '-' ? -offset : offset
}

/** Null for a day that its month, or its year, does not have. */
function dayOf({ year, month, day, week, weekday, yearday }: Parts): number | null {
  const date = new Date(0)
  if (week !== undefined) {
    // the 4th of January is in the first week of a year, the Thursday of a week in its year
    date.setUTCFullYear(Number(year), 0, 4)
    const thursday = date.setUTCDate(8 - (date.getUTCDay() || 7) + 7 * (Number(week) - 1))
    const isOfYear = week !== '00' && date.getUTCFullYear() === Number(year)
    return isOfYear ? thursday + (Number(weekday) - 4) * DAY : null
  }
  const index = month === undefined ? 0 : Number(month) - 1
  date.setUTCFullYear(Number(year), index, Number(day ?? yearday))
  const isOfYear = yearday !== '000' && date.getUTCFullYear() === Number(year)
  const isOfMonth = month === undefined || date.getUTCMonth() === index
  return isOfYear && isOfMonth ? date.getTime() : null
}

/** Milliseconds since 1970, rounded down; null for no instant. */
export const instantOf = (text: string): number | null => parseInstant(text)?.at ?? null

/** The instant in UTC with milliseconds, as resources show it (A05). */
export const isoOf = (instant: number): string => new Date(instant).toISOString()

/**
 * In whole milliseconds, as stored instants are (A38). A bound that was rounded down is for `gte`
 * and `lt` the next millisecond.
 */
export const boundsOf = ({ gte, gt, lte, lt }: Bounds<Instant>): Bounds<number> => ({
  gte: gte && gte.at + Number(gte.isTruncated),
  gt: gt?.at,
  lte: lte?.at,
  lt: lt && lt.at + Number(lt.isTruncated)
})

const IS_PERIOD = /^\d{4}(?:-(?:0[1-9]|1[0-2])|-?W(?:0[1-9]|[1-4]\d|5[0-3]))?$/

/** What to say of a text; `assumption` is A38 for a year, a month or a week alone. */
export function instantProblem(text: string): { expected: string; assumption?: AssumptionId } {
  const expected =
    'must be an ISO 8601 date or date-time, such as 2026-03-01, 2026-03-01T18:00:00Z or 2026-03-01T20:00:00+02:00'
  if (IS_PERIOD.test(text))
    return {
      expected: `${expected}; ${text} is a whole year, month or week, not an instant`,
      assumption: 'A38'
    }
  const isPlusLost = /^[^\sTt]*[Tt]\S* \d\d(:?\d\d)?$/.test(text)
  return {
    expected: isPlusLost
      ? `${expected}; the + of the offset arrived as a space: write it as %2B`
      : expected
  }
}

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
