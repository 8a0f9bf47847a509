/** How much a document may hold. */
import { ApiError } from '../core/errors.js'
import { type Settings, settingsInForce } from '../core/settings.js'

export type DocumentLimits = Pick<Settings, 'limits.values' | 'limits.records' | 'limits.entries'>

/** Levels of a document: none of ours has more than a dozen. */
export const MAX_NESTING = 64

export const DEFAULT_LIMITS: DocumentLimits = settingsInForce({}).values

/** What is wrong with the size of a text; null where nothing is. */
export function sizeProblem(
  { nesting, values }: { nesting: number; values: number },
  limits: DocumentLimits
): string | null {
  if (nesting > MAX_NESTING) return `it is nested deeper than ${MAX_NESTING} levels`
  return values > limits['limits.values']
    ? `it holds more than ${limits['limits.values']} values (limits.values)`
    : null
}

/** The refusal of a document that goes beyond a limit; `what` says how. */
export const tooLarge = (
  limit: 'limits.records' | 'limits.entries',
  limits: DocumentLimits,
  what: string
): ApiError =>
  new ApiError('document_too_large', {
    message: `${what}; ${limit} allows ${limits[limit]}. Raise it when you start the emulator. Nothing was changed.`
  })

/** Checks the number of records of a document or sandbox. Errors: `document_too_large`. */
export function checkCount(what: string, count: number, limits: DocumentLimits): void {
  if (count > limits['limits.records'])
    throw tooLarge('limits.records', limits, `${what} ${count} records`)
}
