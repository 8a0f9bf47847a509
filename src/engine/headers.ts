/** The headers of answers of the emulated API, and what lets pages of other origins read them: keys are sent explicitly, so there are no credentials to guard (A33). */
import type { AnswerHeaders, Exchange, RequestHeaders } from './exchange.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Request-Id, Warning' }

/** The type of an answer, its id (A34), and what was given for it; not its length. */
export function headersOf({ id, length, answerHeaders, warnings, headers: sent, settings }: Exchange): AnswerHeaders {
  const headers: AnswerHeaders = length === 0 ? {} : { 'content-type': JSON_TYPE }
  headers['request-id'] = id
  if (sent.origin !== undefined && settings.cors) Object.assign(headers, CORS_HEADERS)
  if (warnings.length > 0) headers.warning = warnings.map(warningHeader)
  if (answerHeaders !== null) Object.assign(headers, answerHeaders)
  return headers
}

/** A warning as HTTP writes it (A14). */
const warningHeader = (message: string) => `299 - ${JSON.stringify(message.slice(0, 300).replace(/[^\x20-\x7E]/g, '?'))}`

/** The headers of the answer to a preflight, which a browser sends to ask whether it may make a request. */
export function preflightHeaders({ 'access-control-request-headers': asked }: RequestHeaders): AnswerHeaders {
  return {
    vary: 'Access-Control-Request-Headers',
    'access-control-allow-methods': 'GET, POST, DELETE',
    ...(asked !== undefined && { 'access-control-allow-headers': asked as string })
  }
}
