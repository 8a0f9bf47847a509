/** Makes calls over HTTP as a client would, with bounds on what is read and waited for. */
import { basicAuthorization } from '../../core/basic-authorization.js'
import { FORM_TYPE } from '../../core/form.js'
import type { Fault } from '../../scenario/script.js'
import { answerRead, type Play, type StepAnswer } from '../../scenario/steps.js'

/** In bytes and milliseconds. */
export type CallBounds = { mostBytes?: number; timeout?: number }

/** The defaults of `check --against`. */
const DEFAULT_ANSWER_BYTES = 16_777_216
const DEFAULT_TIMEOUT = 30_000
/** The wait for a call that is expected to hang. */
const HANG_MS = 1000

/** In place of an answer where no call was sent. */
export const NOT_SENT: StepAnswer = { status: 0, body: { error: { message: 'it was not sent, since the service cannot be reached' } } }

/** Redirects are not followed, so that no key goes elsewhere. Where no answer can be read, the result is an error with status 0. */
export function playOver(base: string, { mostBytes = DEFAULT_ANSWER_BYTES, timeout = DEFAULT_TIMEOUT }: CallBounds): Play {
  let isUnreachable = false
  return async ({ method, path, query, key, form }, fault) => {
    if (isUnreachable) return NOT_SENT
    const longest = fault === 'hang' ? Math.min(HANG_MS, timeout) : timeout
    let answer: Response | null = null
    try {
      answer = await fetch(`${base.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(longest),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(key !== null && { authorization: basicAuthorization(key) }),
          ...(form !== null && { 'content-type': FORM_TYPE })
        },
        ...(form !== null && { body: form })
      })
      return answerRead(answer.status, Object.fromEntries(answer.headers), await textOf(answer, mostBytes))
    } catch (error) {
      const message = reasonOf(error as FetchError, longest)
      isUnreachable = UNREACHABLE.includes((error as FetchError).cause?.code)
      return { status: 0, body: { error: { message } }, fault: error instanceof UnreadableAnswer ? null : faultBy(error as FetchError, answer !== null) }
    }
  }
}

type FetchError = Error & { cause?: { code?: string; message?: string } }

/** By what the client saw. */
function faultBy({ name, cause }: FetchError, hasBegun: boolean): Fault | null {
  if (name === 'TimeoutError') return 'hang'
  if (hasBegun) return 'truncated_body'
  if (cause?.code === 'ECONNRESET') return 'connection_reset'
  return cause?.code === 'UND_ERR_SOCKET' ? 'empty_response' : null
}

class UnreadableAnswer extends Error {}

/** Errors: `UnreadableAnswer` for an answer that is compressed or too long. */
async function textOf({ headers, body }: Response, mostBytes: number): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    await body?.cancel()
    throw new UnreadableAnswer(`the answer is compressed (Content-Encoding: ${encoding}), though Accept-Encoding: identity was sent`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // leaving the loop ends the connection
    if (bytes > mostBytes) throw new UnreadableAnswer(`the answer is longer than ${mostBytes} bytes; --max-answer reads more`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'that host cannot be reached',
  ENETUNREACH: 'that network cannot be reached',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the call was sent',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  CERT_HAS_EXPIRED: 'its certificate has expired'
}

/** What no further call gets past. */
const UNREACHABLE: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

function reasonOf(error: FetchError, timeout: number): string {
  if (error instanceof UnreadableAnswer) return error.message
  const { name, message, cause } = error
  if (name === 'TimeoutError') return `no answer came within ${timeout} ms; --timeout waits longer`
  const code = cause?.code ?? ''
  return `no answer came: ${code in IN_WORDS ? `${IN_WORDS[code]} (${code})` : code || (cause?.message ?? message)}`
}
