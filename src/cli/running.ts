/** Reads a running emulator over its control API. */
import { emulatorAddress } from '../client/address.js'
import { contentOf } from '../client/connection.js'
import { httpTransport } from '../client/http.js'
import { ApiError } from '../core/errors.js'
import { CONTROL } from '../core/paths.js'
import type { RunDocument } from '../reports/run.js'
import { type Environment, option } from './command.js'
import { Failure } from './failures.js'
import { settingsOfEnvironment } from './launch.js'
import { reasonOf, SAYS } from './sentences.js'

export type AddressFlags = { url?: string; token?: string | undefined }
export type RunningAddress = { url: string; token: string | null }

export const TOKEN = option('--token <token>', 'The control token. (variable: CONTROL_TOKEN)')
export const ADDRESS = [
  option(
    '--url <url>',
    "The emulator's address. (default: http://localhost:4010; variable: COMMERCE_URL)"
  ),
  TOKEN
]
const TIMEOUT_MS = 30_000

export async function runningAt(
  { url, token }: AddressFlags,
  environment: Environment
): Promise<RunningAddress> {
  return {
    url: url ?? (environment.COMMERCE_URL || 'http://localhost:4010'),
    token: token ?? (await settingsOfEnvironment(environment)).control_token ?? null
  }
}

/** Errors: `setting_invalid` if the address is not HTTP. */
export function originOf(address: string): string {
  const url = emulatorAddress(address)
  if (url === null)
    throw new ApiError('setting_invalid', { message: SAYS.emulator_address(address) })
  return url.href.replace(/\/$/, '')
}

export async function runOf(emulator: RunningAddress): Promise<RunDocument> {
  const run = (text: string) => {
    const content = contentOf(text)
    return content?.object === 'run' ? content : null
  }
  return readFrom(emulator, 'the run', `${CONTROL}/run`, run)
}

/** The content of a response with status 200. Errors: a `Failure`, also for null. */
export async function readFrom<T>(
  { url, token }: RunningAddress,
  what: string,
  path: string,
  contentIn: (text: string) => T | null
): Promise<T> {
  const origin = originOf(url)
  const fail = (why: string) => new Failure(SAYS.not_readable(what, `${origin}${path}`, why))
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const { status, text } = await getFrom(origin, path, TIMEOUT_MS, headers).catch(error => {
    throw fail(reasonOf('reach', error))
  })
  const content = status === 200 ? contentIn(text) : null
  if (content !== null) return content
  const why = contentOf(text)?.error?.message
  throw fail(SAYS.responded(status, typeof why === 'string' ? why : SAYS.not_an_emulator()))
}

/** Without `fetch`, which refuses some ports that an emulator may listen on. */
export async function getFrom(
  origin: string,
  path: string,
  timeout: number,
  headers: Record<string, string> = {}
): Promise<{ status: number; text: string }> {
  const transport = await httpTransport(new URL(origin))
  return transport.send({ method: 'GET', path, headers, timeout }).finally(() => transport.close())
}
