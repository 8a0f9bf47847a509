/** What answers may show: errors in the one shape, and no secret in any of them (A07, A25). */
import { type ApiError, CATALOGUE } from '../core/errors.js'
import { compileKeyPattern, withoutSecrets } from '../core/redaction.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { keyIn } from './authentication.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
/** Headers of an answer by name, in lower case. */
export type AnswerHeaders = Record<string, string | string[]>

/** A caller's key that is not known is masked from this length on: a shorter one is a word like any other. */
const SHORTEST_KEY = 8

/** Text as it may be shown in an error, a header or a log: without card numbers, the sandbox's API keys and the caller's own (A25). */
export function redacted(text: string, sandbox: Sandbox, authorization?: string | undefined): string {
  return withoutSecrets(text, keysToMask(sandbox, authorization))
}

/** The API keys that are masked in what is shown: the sandbox's, and the caller's own. */
export function keysToMask({ isLoaded, store }: Sandbox, authorization?: string | undefined): readonly string[] {
  const known = isLoaded ? keysOf(store.keys) : []
  const own = keyIn(authorization) ?? ''
  return own.length < SHORTEST_KEY || known.includes(own) ? known : [...known, own]
}

/** The keys of each sandbox as a list, made anew when there are more. */
const LISTS = new WeakMap<ReadonlyMap<string, string>, readonly string[]>()

function keysOf(keys: ReadonlyMap<string, string>): readonly string[] {
  let list = LISTS.get(keys)
  if (list?.length !== keys.size) {
    list = compileKeyPattern([...keys.keys()])
    LISTS.set(keys, list)
  }
  return list as readonly string[]
}

const IS_PLAIN = /^[\w/.-]*$/

/** A path decoded, so that masking sees what is in it, and without control characters. */
export const readable = (path: string): string => (IS_PLAIN.test(path) ? path : path.replace(/(?:%[\da-f]{2})+/gi, decodedRun).replace(/\p{Cc}/gu, '?'))

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return '?'
  }
}

type ErrorContext = { sandbox: Sandbox; authorization?: string | undefined; requestId: string; exposeRule: boolean }

/** The body of an error answer. Card numbers and API keys in what the caller sent are masked. */
export function errorBody(error: ApiError, { sandbox, authorization, requestId, exposeRule }: ErrorContext) {
  const show = (text: string) => redacted(text, sandbox, authorization)
  return {
    error: {
      type: CATALOGUE[error.code].type,
      code: error.code,
      message: show(error.message),
      ...(error.param !== undefined && { param: show(error.param) }),
      ...(exposeRule && error.rule && { rule: error.rule }),
      ...(exposeRule && !error.rule && error.assumption && { assumption: error.assumption }),
      ...(error.problems && { problems: error.problems.map(problem => ({ ...problem, path: show(problem.path), message: show(problem.message) })) }),
      request_id: requestId
    }
  }
}
