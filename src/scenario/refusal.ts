import { MAX_PROBLEMS } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import { sentence } from '../core/nearest.js'
import { say } from './document-sentences.js'

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
