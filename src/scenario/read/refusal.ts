/** Refusals of documents: for problems, and for size. */
import { MAX_PROBLEMS } from '../../core/checking.js'
import { ApiError, type Problem } from '../../core/errors.js'
import type { Step } from '../../core/places.js'
import { sentence } from '../../core/sentences.js'
import { type Settings, settingsInForce } from '../../core/settings.js'
import { say } from '../sentences.js'
import { present } from '../shape/checked.js'

/** Counted from 1. */
export type Place = { line: number; column: number }
/** A part of a document, or its name, whose place is wanted. */
export type Wanted = { steps: readonly Step[]; isOfName?: boolean | undefined }
export type DocumentLimits = Pick<Settings, 'limits.values' | 'limits.records' | 'limits.entries'>

/** Characters; parsed YAML takes a hundred times the memory of its text. */
export const MAX_YAML = 4 * 2 ** 20
export const DEFAULT_LIMITS: DocumentLimits = settingsInForce({}).values

export const tooLarge = (
  limit: 'limits.records' | 'limits.entries',
  limits: DocumentLimits,
  what: string
): ApiError =>
  new ApiError('document_too_large', {
    message: `${what}; ${limit} allows ${limits[limit]}. Raise it when you start the emulator. Nothing was changed.`
  })

/** Errors: `document_too_large`. */
export function checkCount(what: string, count: number, limits: DocumentLimits): void {
  if (count > limits['limits.records'])
    throw tooLarge('limits.records', limits, `${what} ${count} records`)
}

/** `bistro.yaml:4:7 tickets[3].location: …`, as far as each part is known. */
export function problemLine({ file, line, column, path, message }: Omit<Problem, 'code'>): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':')
  return [place, path && `${path}:`, message].filter(Boolean).join(' ')
}

export function documentInvalid(all: Problem[], isMore = all.length > MAX_PROBLEMS): ApiError {
  const problems = isMore
    ? [...all.slice(0, MAX_PROBLEMS), { path: '', ...say('more_problems', MAX_PROBLEMS) }]
    : all
  const first = present(problems[0])
  const count =
    problems.length === 1
      ? 'The document has a problem'
      : `The document has ${problems.length} problems, the first`
  return new ApiError('document_invalid', {
    message: `${count}: ${sentence(problemLine(first))} Nothing was changed.`,
    problems
  })
}
