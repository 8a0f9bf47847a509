/** The text of a refusal (A07, A08). */
import { type ApiError, CATALOGUE, type Problem } from '../core/errors.js'
import type { Settings } from '../core/settings.js'
import { filled } from '../core/templates.js'
import { type Guarded, redacted } from './keys.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

type ErrorContext = { world: Guarded; authorization?: string | undefined; requestId: string }

/** Masks card numbers and API keys. */
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
