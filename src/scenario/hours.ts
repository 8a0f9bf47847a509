/** Hours of every day, such as `22:00-06:00 Europe/Berlin`; without a time zone in UTC. */
import { didYouMean, shortened } from '../core/nearest.js'
import type { Report } from './documents.js'
import { say } from './sentences.js'

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d'
const HOURS = new RegExp(`^(${TIME}) *- *(${TIME}|24:00)(?: +([A-Za-z]\\S*))?$`)

/** Whether an instant is within these hours; the last minute is not. */
export function hoursOf(text: string, report: Report): (at: number) => boolean {
  const [, from = '', until = '', zone = 'UTC'] = HOURS.exec(text.trim()) ?? []
  const clock = clockOf(zone)
  if (from === '') report([], say('not_hours', shortened(text)))
  else if (from === until) report([], say('no_time', `${text} ends as soon as it begins`))
  else if (clock === null) report([], notAZone(zone))
  return at => {
    // times of two digits each are in the order of their letters
    const time = (clock as Clock)(at).slice('2026-03-01T'.length)
    return from < until ? time >= from && time < until : time >= from || time < until
  }
}

export const notAZone = (zone: string) =>
  say('unknown_zone', shortened(zone), didYouMean(zone, Intl.supportedValuesOf('timeZone')))

/** The local time of an instant, such as `2026-03-01T18:05`. */
type Clock = (at: number) => string

/** The clock of a time zone; null where there is no such zone. */
export function clockOf(timeZone: string): Clock | null {
  try {
    // Swedish has dates and times as ISO 8601 does
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'short'
    })
    return at => format.format(at).replace(' ', 'T')
  } catch {
    return null
  }
}
