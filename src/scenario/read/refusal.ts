/** Refusals of documents: for what is wrong in them, and for their size. */
import { MAX_PROBLEMS } from '../../core/checking.js'
import { ApiError, type Problem } from '../../core/errors.js'
import { sentence } from '../../core/nearest.js'
import type { Step } from '../../core/places.js'
import { type Settings, settingsInForce } from '../../core/settings.js'
import { say } from '../sentences.js'

/** A line and a column, counted from 1. */
export type Place = { line: number; column: number }
/** `ofNames` says for which parts the place of the name is wanted. */
export type Locate<Places> = (
  places: readonly (readonly Step[])[],
  ofNames?: readonly boolean[]
) => Places
export type DocumentLimits = Pick<Settings, 'limits.values' | 'limits.records' | 'limits.entries'>

/** Levels of a document: none of ours has more than a dozen. */
export const MAX_NESTING = 64
export const DEFAULT_LIMITS: DocumentLimits = settingsInForce({}).values

export function sizeProblem(
  { nesting, values }: { nesting: number; values: number },
  limits: DocumentLimits
): string | null {
  if (nesting > MAX_NESTING) return `it is nested deeper than ${MAX_NESTING} levels`
  const most = limits['limits.values']
  return values > most ? `it holds more than ${most} values (limits.values)` : null
}

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

/** `bistro.yaml:4:7 tickets[3].location: …`, as far as each part is known. */
export function problemLine({ file, line, column, path, message }: Omit<Problem, 'code'>): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, path && `${path}:`, message].filter(Boolean).join(' ')
}

export function documentInvalid(found: Problem[], isMore = found.length > MAX_PROBLEMS): ApiError {
  const problems = isMore
    ? [...found.slice(0, MAX_PROBLEMS), { path: '', ...say('more_problems', MAX_PROBLEMS) }]
    : found
  const [first] = problems as [Problem, ...Problem[]]
  const count =
    problems.length === 1
      ? 'The document has a problem'
      : `The document has ${problems.length} problems, the first`
  return new ApiError('document_invalid', {
    message: `${count}: ${sentence(problemLine(first))} Nothing was changed.`,
    problems
  })
}
