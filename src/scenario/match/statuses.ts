/**
 * Statuses that a document wants of a response: `402`, `2xx` for any of them, or a list of such.
 */
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import type { Statuses } from '../shape/expectation.js'

/** What is not a status is reported. */
export function compileStatus(wanted: Statuses, report: Report): (status: number) => boolean {
  const patterns = [wanted].flat().map((one, index) => {
    if (!/^[1-5](\d\d|xx)$/i.test(`${one}`))
      report(Array.isArray(wanted) ? [index] : [], say('not_a_status', `${one}`))
    return `${one}`.toLowerCase()
  })
  return status =>
    patterns.some(pattern => pattern === `${status}` || pattern === `${Math.floor(status / 100)}xx`)
}
