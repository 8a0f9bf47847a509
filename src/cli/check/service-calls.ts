/** Sends requests over HTTP as a client would, within limits. */
import { basicAuthorization } from '../../core/basic-authorization.js'
import { FORM_TYPE } from '../../core/form.js'
import { withoutSlashes } from '../../core/paths.js'
import type { Fault } from '../../scenario/script.js'
import { answerRead, type Play, type StepAnswer } from '../../scenario/steps.js'
import { reasonOf, SAYS } from '../sentences.js'

const MAX_BYTES = 16_777_216
const HANG_MS = 1000

export const NOT_SENT: StepAnswer = { status: 0, body: { error: { message: SAYS.not_sent() } } }

/** Redirects are not followed, so that no key goes elsewhere. Status 0: no readable response. */
export function playOver(base: string, timeout: number): Play {
  let isUnreachable = false
  return async ({ method, path, query, key, form, headers }, fault) => {
    if (isUnreachable) return NOT_SENT
    const wait = fault === 'hang' ? Math.min(HANG_MS, timeout) : timeout
    let response: Response | null = null
    try {
      response = await fetch(`${withoutSlashes(base)}${path}${query === '' ? '' : `?${query}`}`, {
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
      const body = await textOf(response)
      return answerRead(response.status, Object.fromEntries(response.headers), body)
    } catch (thrown) {
      const error = thrown as FetchError
      const message = whyNone(error, wait)
      isUnreachable = UNREACHABLE.includes(error.cause?.code)
      const fault = error instanceof UnreadableResponse ? null : faultBy(error, response !== null)
      return { status: 0, body: { error: { message } }, fault }
    }
  }
}

type FetchError = Error & { cause?: { code?: string; message?: string } }

function faultBy({ name, cause }: FetchError, hasBegun: boolean): Fault | null {
  if (name === 'TimeoutError') return 'hang'
  if (hasBegun) return 'truncated_body'
  if (cause?.code === 'ECONNRESET') return 'connection_reset'
  return cause?.code === 'UND_ERR_SOCKET' ? 'empty_response' : null
}

class UnreadableResponse extends Error {}

async function textOf({ headers, body }: Response): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    await body?.cancel()
    throw new UnreadableResponse(SAYS.compressed(encoding))
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // leaving the loop ends the connection
    if (bytes > MAX_BYTES) throw new UnreadableResponse(SAYS.too_long(MAX_BYTES))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** After these no further request is sent. */
const UNREACHABLE: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT'
]

function whyNone(error: FetchError, timeout: number): string {
  if (error instanceof UnreadableResponse) return error.message
  const { name, message, cause } = error
  if (name === 'TimeoutError') return SAYS.timed_out(timeout)
  const { code = '' } = cause ?? {}
  const why = reasonOf('reach', { code, message: '' })
  return SAYS.no_response(why === '' ? code || (cause?.message ?? message) : `${why} (${code})`)
}
