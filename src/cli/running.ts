/** Reads the run of a running emulator over its control API. */
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import type { RunDocument } from '../control/run.js'
import { ApiError } from '../core/errors.js'

const TIMEOUT_MS = 30_000

/** The emulator's address, its base address or that of its control API, without what comes after the origin and a path prefix. */
export function originOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/(next|_control)$/, '')
}

/** The run so far. `token` is the control token. Errors: `setting_invalid` with why it cannot be read. */
export async function runOf(url: string, token: string | null): Promise<RunDocument> {
  const address = `${originOf(url)}/_control/run`
  const { status, body } = await answerOf(address, token).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw unreadableRun(address, code === 'ECONNREFUSED' ? 'nothing listens there' : message)
  })
  const answer = parsed(body) as { object?: unknown; error?: { message?: unknown } } | null
  if (status === 200 && answer?.object === 'run') return answer as RunDocument
  if (status === 401) throw unreadableRun(address, 'it needs the control token; give it by --token or CONTROL_TOKEN')
  throw unreadableRun(address, `it answered ${status}${typeof answer?.error?.message === 'string' ? `: ${answer.error.message}` : ', and no run of commerce-emulator'}`)
}

const unreadableRun = (address: string, why: string) => new ApiError('setting_invalid', { message: `the run cannot be read at ${address}: ${why}` })

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
