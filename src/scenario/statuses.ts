/** Statuses that a document wants of an answer: `402`, `2xx` for any of them, or a list of such. */
import type { Report } from './documents.js'
import type { Statuses } from './schemas.js'

/** A test of whether a status is wanted; what is no status is reported. */
export function compileStatus(wanted: Statuses, report: Report): (status: number) => boolean {
  const tests = [wanted].flat().map((one, index) => statusTest(one, message => report(Array.isArray(wanted) ? [index] : [], message)))
  return status => tests.some(test => test(status))
}

function statusTest(wanted: number | string, report: (message: string) => void): (status: number) => boolean {
  const [, hundreds] = /^([1-5])xx$/i.exec(String(wanted)) ?? []
  if (hundreds !== undefined) return status => Math.floor(status / 100) === Number(hundreds)
  if (!/^[1-5]\d\d$/.test(String(wanted))) report(`must be a status, such as 402 or 2xx; got ${wanted}`)
  return status => status === Number(wanted)
}
