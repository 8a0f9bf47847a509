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
  else if (clock === null) report([], say('unknown_zone', shortened(zone), didYouMean(zone, Intl.supportedValuesOf('timeZone'))))
  return at => {
    // times of two digits each are in the order of their letters
    const time = (clock as Intl.DateTimeFormat).format(at)
    return from < until ? time >= from && time < until : time >= from || time < until
  }
}

function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  } catch {
    return null
  }
}
