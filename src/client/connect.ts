/** Connects to an emulator that runs elsewhere, such as in a container. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { BASE, CONTROL, withoutSlashes } from '../core/paths.js'
import { Connection, joinedHeaders, type ReceivedResponse, type Transport } from './connection.js'
import type { ApiKey } from './documents.js'
import { type Emulator, emulatorAt } from './emulator.js'
import type { EmulatorError } from './error.js'
import { checkOptions, ERRORS } from './sentences.js'

export type ConnectOptions = {
  /** Such as `http://localhost:4010`, its API or control API, or one of its sandboxes. */
  url: string
  /** The value of its `control_token`, if set. */
  token?: string
  /** Milliseconds to wait until it is ready, by default 3000. */
  timeout?: number
}

const OPTIONS = ['url', 'token', 'timeout'] as const satisfies (keyof ConnectOptions)[]
const DEFAULT_TIMEOUT = 3000
const PAUSE = 50
const STARTING: readonly string[] = ['no_answer', 'not_ready']

/**
 * Connects to a running emulator once it is ready. Closing the object does not stop it. Errors:
 * `option_invalid`; `no_answer` or `not_ready` when it is not ready in time; `answer_unreadable`;
 * `token_required` and other refusals of the control API.
 */
export async function connect(options: ConnectOptions): Promise<Emulator> {
  checkOptions('connect', options, OPTIONS)
  const { url, token = null, timeout = DEFAULT_TIMEOUT } = options
  const { address, sandbox } = placeOf(url)
  const transport = await httpTransport(address)
  const connection = new Connection(withoutSlashes(address.href), transport, token)
  const close = () => connection.close()
  const emulatorFor = (sandbox: string | null, keys: ApiKey[] = [], startKeys = keys) =>
    emulatorAt(connection, { sandbox, keys, startKeys, close })
  try {
    const startKeys = await keysWhenReady(emulatorFor(null), performance.now() + timeout)
    if (sandbox === null) return emulatorFor(null, startKeys)
    const keys = await keysOf(emulatorFor(sandbox)).catch(() => startKeys)
    return emulatorFor(sandbox, keys, startKeys)
  } catch (error) {
    await close()
    throw error
  }
}

async function keysWhenReady(emulator: Emulator, deadline: number): Promise<ApiKey[]> {
  for (;;) {
    const keys = await keysOf(emulator).catch((error: EmulatorError) => {
      if (!STARTING.includes(error.code) || performance.now() > deadline) throw error
    })
    if (keys) return keys
    await sleep(PAUSE)
  }
}

async function keysOf({ control, controlUrl }: Emulator): Promise<ApiKey[]> {
  const { data } = (await control('GET /keys')) ?? {}
  if (Array.isArray(data)) return data
  throw ERRORS.notAnEmulator(controlUrl)
}

/** The address of the emulator, from any address that is its own. Errors: `option_invalid`. */
function placeOf(text: string): { address: URL; sandbox: string | null } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw ERRORS.notAnAddress(text)
  const path = withoutSlashes(url.pathname)
  const end = [BASE, CONTROL].find(end => path.endsWith(end)) ?? ''
  const [root = '', sandbox = null] = path.slice(0, path.length - end.length).split('/sandbox/')
  return { address: new URL(root, url.origin), sandbox }
}

/**
 * A transport to an address, which may have a path, on connections of its own: what a test suite
 * does to the global `fetch` does not reach them.
 */
async function httpTransport(address: URL): Promise<Transport> {
  const http = address.protocol === 'https:' ? await import('node:https') : { Agent, request }
  const agent = new http.Agent({ keepAlive: true })
  const prefix = withoutSlashes(address.pathname)

  const send: Transport['send'] = ({ method, path, headers, body = '' }) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
      http
        .request(address, {
          agent,
          method,
          path: `${prefix}${path}`,
          headers: { ...headers, ...length }
        })
        .on('error', reject)
        .on('response', response => {
          const { statusCode: status = 0, headers } = response
          text(response)
            .then(text => ({ status, headers: joinedHeaders(headers), text }))
            .then(resolve, reject)
        })
        .end(body)
    })
  return { send, close: async () => agent.destroy() }
}
