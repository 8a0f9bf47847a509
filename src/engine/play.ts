/** Makes requests from inside the process: those of steps, and those that people ask about. */
import { basicAuthorization } from '../core/basic-authorization.js'
import { FORM_TYPE } from '../core/form.js'
import { BASE } from '../core/paths.js'
import type { Action } from '../scenario/script.js'
import { answerRead, type Play, type StepAnswer, type StepCall } from '../scenario/steps.js'
import { headersOf } from './answers.js'
import type { Exchange } from './exchange.js'
import { type ApiRequest, execute } from './execute.js'
import type { World } from './world.js'

/** A request below the base address; key and form are null for none. */
export type InnerRequest = Omit<StepCall, 'query'> & { query?: string }

/** The same as a client would send it. */
export function requestOf({
  method,
  path,
  query = '',
  key,
  form,
  headers = {}
}: InnerRequest): ApiRequest {
  const own: Record<string, string> = { ...headers }
  if (key !== null) own.authorization ??= basicAuthorization(key)
  if (form !== null) {
    own['content-type'] ??= FORM_TYPE
    own['content-length'] = String(Buffer.byteLength(form))
  }
  return {
    method,
    url: `${BASE}${path}${query === '' ? '' : `?${query}`}`,
    headers: own,
    body: form
  }
}

/** What a client reads of a response. */
export const answerSeen = (exchange: Exchange): StepAnswer =>
  answerRead(
    exchange.outcome.status,
    headersOf(exchange) as Record<string, string>,
    String(exchange.payload)
  )

/** Plays steps without script and expectations; an action can be given. */
export const playIn =
  (world: World, action: Action | null = null): Play =>
  call =>
    answerSeen(execute(world, requestOf(call), { isScripted: false, action }))
