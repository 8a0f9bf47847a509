/** Sends requests over HTTP as a client would, within limits. */
import { FORM_TYPE } from '../../core/form.js'
import { basicAuthorization, withoutSlashes } from '../../core/paths.js'
import { type Play, readResponse, type StepResponse } from '../../scenario/steps.js'
import { reasonOf, SAYS } from '../sentences.js'

const MAX_BYTES = 16_777_216

const noResponse = (message: string): StepResponse => ({ status: 0, body: { error: { message } } })
export const NOT_SENT = noResponse(SAYS.not_sent())

/**
 * Redirects are not followed, so that no key goes elsewhere. Status 0: no readable response. After a
 * failed connection no further request is sent.
 */
export function playOver(base: string, timeout: number): Play {
  let isUnreachable = false
  return async ({ method, path, query, key, form, headers }) => {
    if (isUnreachable) return NOT_SENT
    const url = `${withoutSlashes(base)}${path}${query === '' ? '' : `?${query}`}`
    let hasBegun = false
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(key !== null && { authorization: basicAuthorization(key) }),
          ...(form !== null && { 'content-type': FORM_TYPE }),
          ...headers
        },
        ...(form !== null && { body: form })
      })
      hasBegun = true
      const text = await textOf(response)
      return text === null
        ? noResponse(SAYS.too_long(MAX_BYTES))
        : readResponse(response.status, Object.fromEntries(response.headers), text)
    } catch (thrown) {
      const error = thrown as FetchError
      const isTimeout = error.name === 'TimeoutError'
      const { code = '', message }: NonNullable<FetchError['cause']> = error.cause ?? error
      isUnreachable = !hasBegun && !isTimeout && !LOSSES.includes(code)
      return noResponse(isTimeout ? SAYS.timed_out(timeout) : reasonOfLoss(code, message))
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

/** The service was reached. */
const LOSSES = ['ECONNRESET', 'UND_ERR_SOCKET']

function reasonOfLoss(code: string, message: string): string {
  const why = reasonOf('reach', { code, message: '' })
  return SAYS.no_response(why === '' ? code || message : `${why} (${code})`)
}
