/** Sends requests over HTTP as a client would, within limits. */
import { FORM_TYPE } from '../../core/form.js'
import { basicAuthorization, withoutSlashes } from '../../core/paths.js'
import type { Fault } from '../../scenario/script.js'
import { type Play, readResponse, type StepResponse } from '../../scenario/steps.js'
import { reasonOf, SAYS } from '../sentences.js'

const MAX_BYTES = 16_777_216
const HANG_MS = 1000

const noResponse = (message: string, fault: Fault | null = null): StepResponse => ({
  status: 0,
  body: { error: { message } },
  fault
})
export const NOT_SENT = noResponse(SAYS.not_sent())

/**
 * Redirects are not followed, so that no key goes elsewhere. Status 0: no readable response. After a
 * failed connection no further request is sent.
 */
export function playOver(base: string, timeout: number): Play {
  let isUnreachable = false
  return async ({ method, path, query, key, form, headers }, fault) => {
    if (isUnreachable) return NOT_SENT
    const wait = fault === 'hang' ? Math.min(HANG_MS, timeout) : timeout
    const url = `${withoutSlashes(base)}${path}${query === '' ? '' : `?${query}`}`
    let response: Response | null = null
    try {
      response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(wait),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(key !== null && { authorization: basicAuthorization(key) }),
          ...(form !== null && { 'content-type': FORM_TYPE }),
          ...headers
        },
        ...(form !== null && { body: form })
      })
      const text = await textOf(response)
      return text === null
        ? noResponse(SAYS.too_long(MAX_BYTES))
        : readResponse(response.status, Object.fromEntries(response.headers), text)
    } catch (thrown) {
      const loss = lossBy(thrown as FetchError, response !== null, wait)
      isUnreachable = loss.fault === null
      return loss
    }
  }
}

/** Null if it is too long. */
async function textOf({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // leaving the loop ends the connection
    if (bytes > MAX_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

type FetchError = Error & { cause?: { code?: string; message: string } }

const FAULTS: Readonly<Record<string, Fault>> = {
  ECONNRESET: 'connection_reset',
  UND_ERR_SOCKET: 'empty_response'
}

function lossBy(error: FetchError, hasBegun: boolean, timeout: number): StepResponse {
  if (error.name === 'TimeoutError') return noResponse(SAYS.timed_out(timeout), 'hang')
  const { code = '', message }: NonNullable<FetchError['cause']> = error.cause ?? error
  const why = reasonOf('reach', { code, message: '' })
  return noResponse(
    SAYS.no_response(why === '' ? code || message : `${why} (${code})`),
    hasBegun ? 'truncated_body' : (FAULTS[code] ?? null)
  )
}
