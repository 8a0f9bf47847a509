/** Connects to an emulator that runs elsewhere, such as in a container. */
import { setTimeout as sleep } from 'node:timers/promises'
import { emulatorAddress } from './address.js'
import { Connection } from './connection.js'
import type { ApiKey } from './documents.js'
import { type Emulator, emulatorAt } from './emulator.js'
import type { EmulatorError } from './error.js'
import { httpTransport } from './http.js'
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
  const connection = new Connection(
    address.href.replace(/\/$/, ''),
    await httpTransport(address),
    token
  )
  const close = () => connection.close()
  const emulatorFor = (sandbox: string | null, keys: readonly ApiKey[], startKeys = keys) =>
    emulatorAt(connection, { sandbox, keys, startKeys, close })
  try {
    const startKeys = await keysWhenReady(emulatorFor(null, []), performance.now() + timeout)
    if (sandbox === null) return emulatorFor(null, startKeys)
    const keys = await keysOf(emulatorFor(sandbox, [])).catch(() => startKeys)
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

/** Errors: `option_invalid`. */
function placeOf(url: string): { address: URL; sandbox: string | null } {
  const address = emulatorAddress(url)
  if (address === null) throw ERRORS.notAnAddress(url)
  const [, path = address.pathname, sandbox = null] =
    /^(.*)\/sandbox\/([^/]+)$/.exec(address.pathname) ?? []
  return { address: new URL(path || '/', address), sandbox }
}
