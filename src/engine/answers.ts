/** What all responses share: headers, and the shape of a refusal (A07, A08). */
import { ApiError, CATALOGUE, type Problem, statusOf } from '../core/errors.js'
import { controlOfBase } from '../core/paths.js'
import { readable } from '../core/redaction.js'
import type { Settings } from '../core/settings.js'
import { filled } from '../core/templates.js'
import { operationsAt } from '../reference/operations.js'
import type { AnswerHeaders, Exchange } from './exchange.js'
import { type Guarded, redacted } from './keys.js'
import { type Blame, REFUSALS } from './sentences.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Request-Id, Warning'
}

/** The headers of a response, without its length. */
export function headersOf({
  id,
  length,
  answerHeaders,
  warnings,
  headers: sent,
  settings
}: Exchange): AnswerHeaders {
  const headers: AnswerHeaders = length === 0 ? {} : { 'content-type': JSON_TYPE }
  headers['request-id'] = id
  if (sent.origin !== undefined && settings.cors) Object.assign(headers, CORS_HEADERS)
  if (warnings.length > 0) headers.warning = warnings.map(warningHeader)
  if (answerHeaders !== null) Object.assign(headers, answerHeaders)
  return headers
}

const warningHeader = (message: string) =>
  `299 - ${JSON.stringify(message.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`

/** The methods of the path (A39), and what a preflight asks for. Errors: `path_unknown`. */
export function optionsHeaders(exchange: Exchange): AnswerHeaders {
  const { headers, settings, path, base } = exchange
  const { 'access-control-request-headers': asked, origin } = headers
  const allow = methodsAt(path)
  const isPreflight = settings.cors && origin !== undefined
  if (allow === '' && !isPreflight) throw REFUSALS.noPath(readable(path), base)
  exchange.rely('A39')
  return {
    ...(allow !== '' && { allow }),
    ...(isPreflight && {
      vary: 'Access-Control-Request-Headers',
      'access-control-allow-methods': 'GET, POST, DELETE',
      ...(asked !== undefined && { 'access-control-allow-headers': asked as string })
    })
  }
}

const methodsAt = (path: string) =>
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

/** Refuses a request. An error that is not a refusal is a defect, and thrown on. */
export function refuse(exchange: Exchange, error: unknown): void {
  if (!(error instanceof ApiError)) throw error
  const { world, settings, authorization, id } = exchange
  const { code, rule = null, assumption = null, param = null, facts = null } = error
  if (assumption) exchange.rely(assumption)
  // headers of a script belong to its own response only
  exchange.answerHeaders =
    exchange.action === null ? { ...exchange.answerHeaders, ...error.headers } : error.headers
  const text = errorText(error, { world, authorization, requestId: id }, settings)
  exchange.refused(statusOf(code, settings), { code, rule, assumption, param, facts }, text)
}

const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
/** The refusal of a path below the base without an operation (404), or without this method (405). */
export function noOperation({
  method,
  path,
  base
}: Pick<Exchange, 'method' | 'path' | 'base'>): ApiError {
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
