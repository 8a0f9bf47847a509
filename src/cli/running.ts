/** What commands ask a running emulator over its control API. */
import { emulatorAddress } from '../client/address.js'
import { contentOf } from '../client/connection.js'
import { httpTransport } from '../client/http.js'
import { ApiError } from '../core/errors.js'
import { CONTROL } from '../core/paths.js'
import { visible } from '../core/visible.js'
import type { RunDocument } from '../reports/run.js'
import { Failure } from './failures.js'
import { reasonOf, SAYS } from './sentences.js'

/** In milliseconds. */
const TIMEOUT = 30_000
const HEALTH_TIMEOUT = 3000
/** A request in a report, `SANDBOX#PERIOD/req_1`; the sandbox at the base address has no name. */
const IN_RUN = /^([\w.-]*)#\d+\//

type Running = { url: string; token: string | null }

/** Of any address of an emulator. Errors: `setting_invalid` for what is not an HTTP address. */
export function originOf(address: string): string {
  const url = emulatorAddress(address)
  if (url === null)
    throw new ApiError('setting_invalid', { message: SAYS.emulator_address(address) })
  return url.href.replace(/\/$/, '')
}

/** Errors: a `Failure` that says why the run cannot be read. */
export const runOf = (emulator: Running): Promise<RunDocument> =>
  read('the run', emulator, `${CONTROL}/run`, text => {
    const run = contentOf(text)
    return run?.object === 'run' ? run : null
  })

/** As YAML; `id` may be the name in a report. Errors: a `Failure`. */
export function scenarioOf(id: string, emulator: Running): Promise<string> {
  const [, sandbox = ''] = IN_RUN.exec(id) ?? []
  const prefix = sandbox === '' ? '' : `/sandbox/${sandbox}`
  return read(
    id,
    emulator,
    `${prefix}${CONTROL}/requests/${encodeURIComponent(id)}?format=scenario`,
    text => text
  )
}

async function read<T>(
  what: string,
  { url, token }: Running,
  path: string,
  contentIn: (text: string) => T | null
): Promise<T> {
  const origin = originOf(url)
  const fail = (why: string) => new Failure(SAYS.not_readable(what, `${origin}${path}`, why))
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const { status, text } = await get(origin, path, TIMEOUT, headers).catch(error => {
    throw fail(reasonOf('reach', error))
  })
  const content = status === 200 ? contentIn(text) : null
  if (content !== null) return content
  const why = contentOf(text)?.error?.message
  throw fail(SAYS.responded(status, typeof why === 'string' ? why : SAYS.not_an_emulator()))
}

/** Writes the response, or why there was none. `host` is what the emulator is bound to. */
export async function healthcheck(
  { port, host }: { port: number; host: string },
  write: (line: string) => void
): Promise<boolean> {
  const origin = `http://${reachableHost(host)}:${port}`
  const path = `${CONTROL}/health`
  try {
    const { status, text } = await get(origin, path, HEALTH_TIMEOUT)
    write(SAYS.health(`${origin}${path}`, status, visible(text)))
    return status === 200
  } catch (error) {
    const isLate = (error as NodeJS.ErrnoException).code === 'ABORT_ERR'
    write(
      SAYS.unhealthy(
        `${origin}${path}`,
        isLate ? SAYS.no_response_within(HEALTH_TIMEOUT / 1000) : reasonOf('reach', error as Error)
      )
    )
    return false
  }
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Without `fetch`, which refuses some ports that an emulator may listen on. */
async function get(
  origin: string,
  path: string,
  timeout: number,
  headers: Record<string, string> = {}
) {
  const transport = await httpTransport(new URL(origin))
  return transport.send({ method: 'GET', path, headers, timeout }).finally(() => transport.close())
}
