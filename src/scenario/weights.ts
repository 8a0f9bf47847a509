/**
 * What generated records are drawn from where some things are more frequent than others: names,
 * amounts, hours.
 */
import type { Faker } from '@faker-js/faker'
import { instantOf } from '../core/instants.js'
import { isObject } from '../core/quick-check.js'
import type { Said } from '../core/sentences.js'
import { clockOf, notAZone } from './hours.js'
import { type GenerateData, MONTHS, WEEKDAYS } from './schemas.js'
import { say } from './sentences.js'

type Created = NonNullable<GenerateData['created']>
type Placed = [steps: string[], said: Said]

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Milliseconds of a period whose hours have weights: ten years. */
const MAX_WEIGHTED = 3653 * 24 * HOUR

export function problemsOfTime({ created }: GenerateData): Placed[] {
  if (created === undefined) return []
  const { hours = {}, zone, from, to } = created
  const [first, last] = [instantOf(from) as number, instantOf(to) as number]
  if (first > last) return [[['created'], say('reversed', `from ${from}`, `to ${to}`)]]
  if (zone !== undefined && clockOf(zone) === null) return [[['created', 'zone'], notAZone(zone)]]
  const wrong = Object.keys(hours).filter(name => hoursIn(name) === null)
  if (wrong.length > 0)
    return wrong.map(name => [['created', 'hours', name], say('not_an_hour', name)])
  const covered = new Set<number>()
  for (const name of Object.keys(hours)) {
    const [begin, end] = hoursIn(name) as [number, number]
    for (let hour = begin; hour < end; hour++) {
      if (covered.has(hour))
        return [[['created', 'hours', name], say('listed_twice', `the hour ${hour}`)]]
      covered.add(hour)
    }
  }
  if (!isWeighted(created)) return []
  if (last - first > MAX_WEIGHTED) return [[['created'], say('period_too_long')]]
  return hoursOf(created, first, last).total > 0 ? [] : [[['created'], say('no_weight')]]
}

export function problemsOfAmounts({ amount, amounts }: GenerateData): Placed[] {
  if (amount !== undefined && amounts !== undefined)
    return [[['amount'], say('not_together', 'amount', ['amounts'])]]
  const wrong = Object.keys(amounts ?? {}).filter(name => !/^[1-9]\d{0,8}$/.test(name))
  if (wrong.length > 0) return wrong.map(name => [['amounts', name], say('not_an_amount', name)])
  if (amount === undefined) return []
  const { min, max, around = min } = amount
  if (min > max) return [[['amount'], say('reversed', `min ${min}`, `max ${max}`)]]
  return around < min || around > max
    ? [[['amount', 'around'], say('not_between', around, min, max)]]
    : []
}

/** Weights of which none is above 0. */
export function problemsOfWeights(data: GenerateData): Placed[] {
  return (['location', 'payment_types', 'amounts'] as const).flatMap(name => {
    const weights = data[name]
    return isObject(weights) && ofWeights(weights as Weights).total === 0
      ? [[[name], say('no_weight')]]
      : []
  })
}

/**
 * A whole number of a range, drawn as `faker.number.int` draws it, which takes four times as long.
 */
export const drawWhole = ({ number }: Faker, min: number, max: number): number =>
  min === max ? min : Math.floor(number.float() * (max - min + 1) + min)
/**
 * The first hour of a name such as `11-14` or `9`, and the one after its last; null for another
 * name.
 */
function hoursIn(name: string): [number, number] | null {
  const [, first, last = Number(first) + 1] = /^(\d\d?)(?:-(\d\d?))?$/.exec(name) ?? []
  const [from, to] = [Number(first), Number(last)]
  return from < to && to <= 24 ? [from, to] : null
}

/** Things to draw from, each with the sum of the weights up to it. */
export type Weighted<T> = { things: readonly T[]; sums: Float64Array; total: number }

function weighted<T>(things: readonly T[], weightOf: (thing: T) => number): Weighted<T> {
  let total = 0
  const sums = new Float64Array(things.length)
  for (const [index, thing] of things.entries()) {
    total += weightOf(thing)
    sums[index] = total
  }
  return { things, sums, total }
}

type Weights = Readonly<Record<string, number>>
/** Names with their weights; those of a list weigh the same. */
export const ofWeights = (given: readonly string[] | Weights): Weighted<string> =>
  Array.isArray(given)
    ? weighted(given, () => 1)
    : weighted(Object.keys(given), name => (given as Weights)[name] as number)

export function drawWeighted<T>({ number }: Faker, { things, sums, total }: Weighted<T>): T {
  const wanted = number.float() * total
  let [low, high] = [0, things.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] as number) > wanted) high = middle
    else low = middle + 1
  }
  return things[low] as T
}

export const isWeighted = ({ hours, weekdays, months }: Created) =>
  Boolean(hours ?? weekdays ?? months)

/** Draws instants of a period whose hours have weights. */
export function weightedInstants(
  created: Created,
  [first, last]: readonly [number, number],
  faker: Faker
): () => number {
  const hours = hoursOf(created, first, last)
  return () => {
    const start = drawWeighted(faker, hours)
    return drawWhole(faker, Math.max(first, start), Math.min(last, start + HOUR - 1))
  }
}

/** The hours of a period, each with its weight and where it begins. */
function hoursOf(
  { hours = {}, weekdays = {}, months = {}, zone }: Created,
  first: number,
  last: number
) {
  const clock = zone === undefined ? null : clockOf(zone)
  const localTime = (at: number) => new Date(clock === null ? at : `${clock(at)}Z`)
  const ofHour = Array.from({ length: 24 }, (_, hour) => {
    const named = Object.entries(hours).find(([name]) => {
      const [from, to] = hoursIn(name) as [number, number]
      return hour >= from && hour < to
    })
    return named?.[1] ?? 1
  })
  // in some zones hours begin at half past
  const shift = localTime(Math.floor(first / HOUR) * HOUR).getUTCMinutes() * MINUTE
  const begin = Math.floor((first + shift) / HOUR)
  const starts = Array.from(
    { length: Math.floor((last + shift) / HOUR) - begin + 1 },
    (_, index) => (begin + index) * HOUR - shift
  )
  return weighted(starts, start => {
    const date = localTime(start)
    const [weekday, month] = [WEEKDAYS[(date.getUTCDay() + 6) % 7], MONTHS[date.getUTCMonth()]] as [
      (typeof WEEKDAYS)[number],
      (typeof MONTHS)[number]
    ]
    const share = Math.min(start + HOUR - 1, last) - Math.max(start, first) + 1
    return (
      (ofHour[date.getUTCHours()] as number) *
      (weekdays[weekday] ?? 1) *
      (months[month] ?? 1) *
      share
    )
  })
}
