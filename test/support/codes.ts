/**
 * What was found in a document as tests compare it: places and codes, whatever the sentences say.
 */
import { pathOf } from '../../src/core/places.js'
import type { Report } from '../../src/scenario/documents.js'

/**
 * `tickets[3].location missing_record`; the code alone where the whole document is meant, and
 * `other` for a sentence without one.
 */
export const coded = (path: string, said: { code?: string | undefined } | string): string =>
  [path, (typeof said !== 'string' && said.code) || 'other'].filter(Boolean).join(' ')

/** Takes what is reported; the first steps of each place are left out. */
export function reported(skipped = 0): { found: string[]; report: Report } {
  const found: string[] = []
  return {
    found,
    report: (steps, said) => void found.push(coded(pathOf(steps.slice(skipped)), said))
  }
}
