/** Sends requests over HTTP as a client would, within bounds. */
import { basicAuthorization } from '../../core/basic-authorization.js'
import { FORM_TYPE } from '../../core/form.js'
import { withoutSlashes } from '../../core/paths.js'
import type { Fault } from '../../scenario/script.js'
import { type Play, readResponse, type StepResponse } from '../../scenario/steps.js'
import { reasonOf, SAYS } from '../sentences.js'

const MAX_BYTES = 16_777_216
const HANG_MS = 1000

export const NOT_SENT: StepResponse = { status: 0, body: { error: { message: SAYS.not_sent() } } }

/** Follows no redirects: no key goes elsewhere. Status 0: no response can be read. */
export function playOver(base: string, timeout: number): Play {
  let isUnreachable = false
  return async ({ method, path, query, key, form, headers }, fault) => {
    if (isUnreachable) return NOT_SENT
    const wait = fault === 'hang' ? Math.min(HANG_MS, timeout) : timeout
    let answer: Response | null = null
    try {
      answer = await fetch(`${withoutSlashes(base)}${path}${query === '' ? '' : `?${query}`}`, {
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
      return readResponse(answer.status, Object.fromEntries(answer.headers), await textOf(answer))
    } catch (error) {
      const message = whyNone(error as Error, wait)
      isUnreachable = UNREACHABLE.includes((error as FetchError).cause?.code)
      return {
        status: 0,
        body: { error: { message } },
        fault:
          error instanceof UnreadableAnswer ? null : faultBy(error as FetchError, answer !== null)
      }
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

class UnreadableAnswer extends Error {}

async function textOf({ headers, body }: Response): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    await body?.cancel()
    throw new UnreadableAnswer(SAYS.compressed(encoding))
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // leaving the loop ends the connection
    if (bytes > MAX_BYTES) throw new UnreadableAnswer(SAYS.too_long(MAX_BYTES))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** What no further request gets past. */
const UNREACHABLE: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT'
]

function whyNone(error: Error, timeout: number): string {
  if (error instanceof UnreadableAnswer) return error.message
  const { name, message, cause } = error as FetchError
  if (name === 'TimeoutError') return SAYS.timed_out(timeout)
  const { code = '' } = cause ?? {}
  const why = reasonOf('reach', { code, message: '' })
  return SAYS.no_response(why === '' ? code || (cause?.message ?? message) : `${why} (${code})`)
}
