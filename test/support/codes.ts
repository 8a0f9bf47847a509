/** Problems of a document as tests compare them: places and codes, without sentences. */
import { pathOf } from '../../src/core/places.js'
import type { Report } from '../../src/scenario/documents.js'

/**
 * `tickets[3].location missing_record`; only the code for the whole document, and `other` for a
 * sentence without one.
 */
export const coded = (path: string, said: { code?: string | undefined } | string): string =>
  [path, (typeof said !== 'string' && said.code) || 'other'].filter(Boolean).join(' ')

/** Collects reports, without the first steps of each place. */
export function reported(skipped = 0): { found: string[]; report: Report } {
  const found: string[] = []
  return {
    found,
    report: (steps, said) => void found.push(coded(pathOf(steps.slice(skipped)), said))
  }
}
