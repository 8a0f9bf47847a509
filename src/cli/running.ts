/** Reads the run of a running emulator over its control API. */
import { emulatorAddress } from '../client/address.js'
import { contentOf, type ReceivedAnswer } from '../client/connection.js'
import { httpTransport } from '../client/http.js'
import { ApiError } from '../core/errors.js'
import { CONTROL } from '../core/paths.js'
import type { RunDocument } from '../reports/run.js'

const TIMEOUT_MS = 30_000

/** By the address of an emulator, of its API or of its control API. Errors: `setting_invalid` for what is not an HTTP address. */
export function originOf(address: string): string {
  const url = emulatorAddress(address)
  if (url === null) throw unreadable(`${address} is not an HTTP address; give the emulator's, such as http://localhost:4010`)
  return url.href.replace(/\/$/, '')
}

/** Errors: `setting_invalid` with why the run cannot be read. */
export async function runOf(url: string, token: string | null): Promise<RunDocument> {
  const { status, text, unread } = await asked('the run', url, `${CONTROL}/run`, token)
  const answer = contentOf(text)
  if (status === 200 && answer?.object === 'run') return answer
  throw unread()
}

/** The answer of a control call. Errors: `setting_invalid` without one; `unread` makes one that says what was answered. */
export async function asked(what: string, url: string, path: string, token: string | null): Promise<{ status: number; text: string; unread: () => ApiError }> {
  const origin = originOf(url)
  const address = `${origin}${path}`
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const { status, text } = await answerAt(origin, path, TIMEOUT_MS, headers).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw unreadable(`${what} cannot be read at ${address}: ${code === 'ECONNREFUSED' ? 'nothing listens there' : message}`)
  })
  const unread = () => {
    const why = contentOf(text)?.error?.message
    return unreadable(`${what} cannot be read at ${address}: it answered ${status}, ${typeof why === 'string' ? why : 'not as commerce-emulator does'}`)
  }
  return { status, text, unread }
}

/** The answer of a GET. Without `fetch`, which refuses some ports that an emulator may listen on. */
export async function answerAt(origin: string, path: string, timeout: number, headers: Record<string, string> = {}): Promise<ReceivedAnswer> {
  const transport = await httpTransport(new URL(origin))
  return transport.send({ method: 'GET', path, headers, timeout }).finally(() => transport.close())
}

const unreadable = (message: string) => new ApiError('setting_invalid', { message })
