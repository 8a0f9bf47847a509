/** The one error of the package. */
import { ApiError } from '../core/errors.js'
import type { Problem, RefusalCode, Verdict } from './documents.js'

/**
 * The code of a refusal; `option_invalid`; `no_answer` when a request got no response;
 * `answer_unreadable` when the response did not come from an emulator; `expectation_unmet` of
 * `verify`; `closed` after `close`; or the system's own, such as `EADDRINUSE`.
 */
export type ErrorCode =
  | RefusalCode
  | 'option_invalid'
  | 'no_answer'
  | 'answer_unreadable'
  | 'expectation_unmet'
  | 'closed'
  | 'EADDRINUSE'
  | (string & {})

type Details = {
  status?: number
  param?: string | undefined
  problems?: readonly Problem[] | undefined
  verdict?: Verdict
  cause?: unknown
}

export class EmulatorError extends Error {
  override readonly name = 'EmulatorError'
  readonly code: ErrorCode
  /** The problems of a document or of settings; empty for every other error. */
  readonly problems: readonly Problem[]
  /** The status of the control request, where one was refused. */
  declare readonly status?: number
  /** The parameter, name or option that is refused. */
  declare readonly param?: string
  /** What `verify` saw, where its expectation does not hold. */
  declare readonly verdict?: Verdict

  constructor(
    code: ErrorCode,
    message: string,
    { problems = [], status, param, verdict, cause }: Details = {}
  ) {
    super(message)
    this.code = code
    this.problems = problems
    for (const [name, value] of Object.entries({ status, param, verdict, cause }))
      if (value !== undefined) Object.assign(this, { [name]: value })
  }
}

/** Any error as an EmulatorError. */
export function errorFrom(error: unknown): EmulatorError {
  if (error instanceof ApiError) {
    const { code, message, param, problems } = error
    return new EmulatorError(code, message, { param, problems })
  }
  const { code, message } = error as NodeJS.ErrnoException
  return new EmulatorError(code ?? 'internal_error', message, { cause: error })
}
