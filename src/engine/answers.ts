/** What all responses share: headers, and the shape of a refusal (A07, A08). */
import { type ApiError, CATALOGUE, type Problem } from '../core/errors.js'
import { controlOfBase } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { filled } from '../core/templates.js'
import { operationsAt } from '../reference/operations.js'
import type { Arrived } from './arrived.js'
import { type Guarded, redacted } from './keys.js'
import { type Blame, REFUSALS } from './sentences.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

export const methodsAt = (path: string) =>
  operationsAt(path)
    .map(({ method }) => method)
    .join(', ')

type ErrorContext = { world: Guarded; authorization?: string | undefined; requestId: string }

/** What an error says, with card numbers and API keys masked. */
function shownError({ code, message, param }: ApiError, { world, authorization }: ErrorContext) {
  const show = (text: string) => redacted(text, world, authorization)
  return {
    type: CATALOGUE[code].type,
    code,
    message: show(message),
    ...(param !== undefined && { param: show(param) })
  }
}

export function errorText(error: ApiError, context: ErrorContext, settings: Settings): string {
  const { rule, assumption } = error
  const by = settings['errors.expose_rule'] && (rule ? { rule } : { assumption })
  return JSON.stringify(
    filled(settings['shapes.error'], {
      ...shownError(error, context),
      ...by,
      request_id: context.requestId
    })
  )
}

export function controlError(error: ApiError, context: ErrorContext) {
  const problems =
    error.problems &&
    shownProblems(error.problems, text => redacted(text, context.world, context.authorization))
  return {
    error: {
      ...shownError(error, context),
      ...(problems && { problems }),
      request_id: context.requestId
    }
  }
}

const shownProblems = (problems: readonly Problem[], show: (text: string) => string): Problem[] =>
  problems.map(problem => ({
    ...problem,
    path: show(problem.path),
    message: show(problem.message)
  }))

export const shownWarnings = (
  warnings: readonly Problem[],
  { world, authorization }: Pick<ErrorContext, 'world' | 'authorization'>
): Problem[] => shownProblems(warnings, text => redacted(text, world, authorization))

const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
/** The refusal of a path below the base without an operation (404), or without this method (405). */
export function noOperation({ method, path, base }: Arrived): ApiError {
  const there = operationsAt(path)
  if (there.length === 0) return REFUSALS.noPath(readable(path), base)
  const isTicket = there.some(({ family }) => family === 'tickets')
  const by: Blame = isTicket && WRITES.includes(method) ? { rule: 'TKT-1' } : { assumption: 'A08' }
  return REFUSALS.noMethod(
    readable(path),
    methodsAt(path),
    method,
    by,
    isTicket ? controlOfBase(base) : null
  )
}

export const outsideBase = (path: string, base: string): ApiError =>
  REFUSALS[operationsAt(path).length > 0 ? 'baseForgotten' : 'outsideBase'](readable(path), base)
