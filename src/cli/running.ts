/** Reads the run of a running emulator over its control API. */
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import type { RunDocument } from '../control/run.js'
import { ApiError } from '../core/errors.js'

const TIMEOUT_MS = 30_000

/** Where an emulator is, by its own address, its base address or that of its control API. Errors: `setting_invalid` for an address that is none of HTTP. */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw unreadable(`${address} is no address of HTTP; give the emulator's, such as http://localhost:4010`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(next|_control)$/, '')}`
}

/** The run so far. `token` is the control token. Errors: `setting_invalid` with why it cannot be read. */
export async function runOf(url: string, token: string | null): Promise<RunDocument> {
  const address = `${originOf(url)}/_control/run`
  const { status, body } = await answerOf(address, token).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw unreadable(`the run cannot be read at ${address}: ${code === 'ECONNREFUSED' ? 'nothing listens there' : message}`)
  })
  const answer = parsed(body) as { object?: unknown; error?: { message?: unknown } } | null
  if (status === 200 && answer?.object === 'run') return answer as RunDocument
  const why = answer?.error?.message
  throw unreadable(`the run cannot be read at ${address}: it answered ${status}, ${typeof why === 'string' ? why : 'not as commerce-emulator does'}`)
}

const unreadable = (message: string) => new ApiError('setting_invalid', { message })

/** `fetch` refuses some ports outright, that an emulator may listen on. */
function answerOf(address: string, token: string | null): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const get = address.startsWith('https:') ? getHttps : getHttp
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    get(address, { agent: false, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }, response => {
      text(response).then(body => resolve({ status: response.statusCode as number, body }), reject)
    }).on('error', reject)
  })
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
