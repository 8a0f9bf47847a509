/** ISO 8601 instants, as filters and documents write them (FILT-1 to FILT-4, A05, A38). */
import type { AssumptionId } from '../reference/assumptions.js'

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

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Year, then month and day, or week and weekday, or day of the year. */
const DATE = /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d)|-W(\d\d)-(\d)|W(\d\d)(\d)|-?(\d{3}))$/
/** Hour, minute, second, a fraction of the last of them, sign, hours and minutes of the offset. */
const TIME =
  /^(\d\d)(?::(\d\d)(?::(\d\d))?|(\d\d)(\d\d)?)?(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/
const WEEK_OR_ORDINAL_DATE = /W|^\d{4}-?\d{3}$/
const ZONE = /[Zz+-]/

/**
 * An ISO 8601 date or date-time, in UTC if it has no zone; a day alone is its 00:00Z (A38). Null
 * for no instant, or one outside the years 0 to 9999.
 */
export function parseInstant(text: string): Instant | null {
  if (USUAL.test(text)) return { at: Date.parse(text), isTruncated: false, usesA38: false }
  const separator = text.search(/[Tt]/)
  const [date, time] =
    separator < 0 ? [text, null] : [text.slice(0, separator), text.slice(separator + 1)]
  const day = dayOf(date)
  const clock = time === null ? MIDNIGHT : timeOf(time)
  if (day === null || clock === null) return null
  const at = day + clock.ms
  if (at < EARLIEST_INSTANT || at > LATEST_INSTANT) return null
  const { isTruncated } = clock
  return {
    at,
    isTruncated,
    usesA38:
      isTruncated ||
      clock.isLeap ||
      time === null ||
      !ZONE.test(time) ||
      WEEK_OR_ORDINAL_DATE.test(date)
  }
}

/** A date-time as most are written, which `Date.parse` reads exactly. */
const USUAL =
  /^(?!00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/

function dayOf(text: string): number | null {
  const parts = DATE.exec(text)
  if (parts === null) return null
  const year = Number(parts[1])
  const month = parts[2] ?? parts[4]
  const week = parts[6] ?? parts[8]
  if (month !== undefined) return dayIn(year, Number(month) - 1, Number(parts[3] ?? parts[5]))
  if (week !== undefined) return dayOfWeek(year, Number(week), Number(parts[7] ?? parts[9]))
  const day = Number(parts[10])
  return day === 0 ? null : dayIn(year, null, day)
}

/** A day of a month, or with null of a year; null where that has no such day. */
function dayIn(year: number, month: number | null, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month ?? 0, day)
  return date.getUTCFullYear() === year &&
    (month === null || (date.getUTCMonth() === month && date.getUTCDate() === day))
    ? date.getTime()
    : null
}

/**
 * A week belongs to the year that its Thursday lies in, and the 4th of January to the first one.
 */
function dayOfWeek(year: number, week: number, weekday: number): number | null {
  const fourth = new Date(0)
  fourth.setUTCFullYear(year, 0, 4)
  const thursday = fourth.getTime() + (4 - (fourth.getUTCDay() || 7) + 7 * (week - 1)) * DAY
  if (week < 1 || new Date(thursday).getUTCFullYear() !== year || weekday < 1 || weekday > 7)
    return null
  return thursday + (weekday - 4) * DAY
}

const MIDNIGHT = { ms: 0, isTruncated: false, isLeap: false }

function timeOf(text: string): typeof MIDNIGHT | null {
  const parts = TIME.exec(text)
  if (parts === null) return null
  const minute = parts[2] ?? parts[4]
  const second = parts[3] ?? parts[5]
  const [offsetHours, offsetMinutes] = [Number(parts[8] ?? 0), Number(parts[9] ?? 0)]
  const fractionUnit = minute === undefined ? HOUR : MINUTE
  const isLeap = second === '60'
  const fraction = fractionOf(
    isLeap ? '' : (parts[6] ?? ''),
    second === undefined ? fractionUnit : SECOND
  )
  const local =
    Number(parts[1]) * HOUR +
    Number(minute ?? 0) * MINUTE +
    Number(second ?? 0) * SECOND +
    fraction.ms
  const isAfterMidnight = local > DAY || (local === DAY && fraction.isTruncated)
  if (
    isAfterMidnight ||
    Number(minute ?? 0) > 59 ||
    Number(second ?? 0) > 60 ||
    offsetHours > 23 ||
    offsetMinutes > 59
  )
    return null
  const offset = (offsetHours * HOUR + offsetMinutes * MINUTE) * (parts[7] === '-' ? 1 : -1)
  const ms = local + offset
  // inserted before midnight UTC alone
  return isLeap && ms % DAY !== 0 ? null : { ms, isTruncated: fraction.isTruncated, isLeap }
}

/** The exact milliseconds of a fraction of `unit`: a long multiplication, from the right. */
function fractionOf(digits: string, unit: number): { ms: number; isTruncated: boolean } {
  let ms = 0
  let isTruncated = false
  for (let place = digits.length - 1; place >= 0; place--) {
    const tenths = Number(digits[place]) * unit + ms
    ms = Math.floor(tenths / 10)
    isTruncated ||= tenths % 10 !== 0
  }
  return { ms, isTruncated }
}

/** Milliseconds since 1970, rounded down; null for no instant. */
export const instantOf = (text: string): number | null => parseInstant(text)?.at ?? null

/** The instant in UTC with milliseconds, as resources show it (A05). */
export const isoOf = (instant: number): string => new Date(instant).toISOString()

/** Advice for a number, which probably counts seconds or milliseconds since 1970. */
export function numberAsInstant(value: number): string {
  const at = Math.abs(value) < 1e11 ? value * SECOND : value
  return `must be an instant; got ${value}; write an instant, such as ${isoOf(Math.abs(at) <= LATEST_INSTANT ? at : 0)}`
}

/**
 * In whole milliseconds, as stored instants are (A38). A bound that was rounded down is for `gte`
 * and `lt` the next millisecond. The texts have been checked before.
 */
export function boundsOf({ gte, gt, lte, lt }: Bounds<string>): Bounds<number> {
  return { gte: boundOf(gte, 1), gt: boundOf(gt, 0), lte: boundOf(lte, 0), lt: boundOf(lt, 1) }
}

/** `truncated` is added to a bound that was rounded down. */
function boundOf(text: string | undefined, truncated: number): number | undefined {
  if (text === undefined) return undefined
  const { at, isTruncated } = parseInstant(text) as Instant
  return isTruncated ? at + truncated : at
}

const PERIODS = [
  [/^\d{4}$/, 'year'],
  [/^\d{4}-(0[1-9]|1[0-2])$/, 'month'],
  [/^\d{4}-?W(0[1-9]|[1-4]\d|5[0-3])$/, 'week']
] as const

/** What to say of a text; `assumption` is A38 for a year, a month or a week alone. */
export function instantProblem(text: string): { expected: string; assumption?: AssumptionId } {
  const expected =
    'must be an ISO 8601 date or date-time, such as 2026-03-01, 2026-03-01T18:00:00Z or 2026-03-01T20:00:00+02:00'
  const period = PERIODS.find(([pattern]) => pattern.test(text))
  if (period)
    return {
      expected: `${expected}; ${text} names a ${period[1]}, not an instant`,
      assumption: 'A38'
    }
  const isPlusLost = /^[^\sTt]*[Tt]\S* \d\d(:?\d\d)?$/.test(text)
  return {
    expected: isPlusLost
      ? `${expected}; the + of the offset arrived as a space: write it as %2B`
      : expected
  }
}
