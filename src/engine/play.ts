/** Executes requests inside the process, for steps and `explain`. */
import { FORM_TYPE } from '../core/form.js'
import { BASE, basicAuthorization } from '../core/paths.js'
import type { Action } from '../scenario/script.js'
import { type Play, readResponse, type StepCall, type StepResponse } from '../scenario/steps.js'
import type { Arriving } from './reading.js'
import { headersOf, type Response } from './response.js'
import { run } from './run.js'
import { breakResponse } from './scripted.js'
import type { World } from './world.js'

export type ApiRequest = Pick<Arriving, 'method' | 'url' | 'headers'> & { body: string | null }

/** Executes a request that does not wait; `replacement` acts in place of the script. */
export const execute = (
  world: World,
  request: ApiRequest,
  { base = BASE, given: replacement }: { base?: string; given?: Action | null } = {}
): Response =>
  breakResponse(run(world, { ...request, base }, { pass: () => null, replacement }) as Response)

export type InnerRequest = Omit<StepCall, 'query'> & { query?: string }

export function requestOf({
  method,
  path,
  query = '',
  key,
  form,
  headers = {}
}: InnerRequest): ApiRequest {
  const sentHeaders: Record<string, string> = { ...headers }
  if (key !== null) sentHeaders.authorization ??= basicAuthorization(key)
  if (form !== null) {
    sentHeaders['content-type'] ??= FORM_TYPE
    sentHeaders['content-length'] = String(Buffer.byteLength(form))
  }
  return {
    method,
    url: `${BASE}${path}${query === '' ? '' : `?${query}`}`,
    headers: sentHeaders,
    body: form
  }
}

export const clientResponse = (response: Response): StepResponse =>
  readResponse(
    response.outcome.status,
    headersOf(response) as Record<string, string>,
    String(response.payload)
  )

/** Plays steps without script and expectations. */
export const playIn =
  (world: World, replacement: Action | null = null): Play =>
  call =>
    clientResponse(execute(world, requestOf(call), { given: replacement }))
