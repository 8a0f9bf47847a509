/** Makes requests from inside the process: those of steps, and those that people ask about. */
import { basicAuthorization } from '../core/basic-authorization.js'
import { FORM_TYPE } from '../core/form.js'
import { BASE } from '../core/paths.js'
import type { Action } from '../scenario/script.js'
import { type Play, readResponse, type StepCall, type StepResponse } from '../scenario/steps.js'
import { formIn, readingOf } from './admit.js'
import type { Arriving } from './arrived.js'
import { headersOf, type Response, refuse } from './response.js'
import { runNow, start } from './run.js'
import { breakAnswer } from './scripted.js'
import type { World } from './world.js'

/** `body` is the text of its form, null where it has none. */
export type ApiRequest = Pick<Arriving, 'method' | 'url' | 'headers'> & { body: string | null }

/** Executes a request that waits for nothing; `given` replaces what the script does. */
export function execute(
  world: World,
  { body, ...arriving }: ApiRequest,
  { base = BASE, given }: { base?: string; given?: Action | null } = {}
): Response {
  const reading = readingOf(world, { ...arriving, base })
  const early = start(reading)
  if (early !== null) return early
  try {
    return breakAnswer(runNow(reading, formIn(body ?? '', reading), given))
  } catch (error) {
    return refuse(reading, error)
  }
}

export type InnerRequest = Omit<StepCall, 'query'> & { query?: string }

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

export const answerSeen = (response: Response): StepResponse =>
  readResponse(
    response.outcome.status,
    headersOf(response) as Record<string, string>,
    String(response.payload)
  )

/** Plays steps without script and expectations; an action can be given. */
export const playIn =
  (world: World, given: Action | null = null): Play =>
  call =>
    answerSeen(execute(world, requestOf(call), { given }))
