/** The running emulator that a command reads. */
import { connect } from '../client/connect.js'
import type { Emulator } from '../client/emulator.js'
import { type Environment, option } from './command.js'
import { settingsOfEnvironment } from './launch.js'

export type AddressFlags = { url?: string; token?: string | undefined }
export type RunningAddress = { url: string; token?: string }

export const TOKEN = option('--token <token>', 'The control token. (variable: CONTROL_TOKEN)')
export const ADDRESS = [
  option(
    '--url <url>',
    "The emulator's address. (default: http://localhost:4010; variable: COMMERCE_URL)"
  ),
  TOKEN
]

/** Errors: `setting_invalid` of the environment. */
export async function addressOf(
  { url, token }: AddressFlags,
  environment: Environment
): Promise<RunningAddress> {
  const controlToken = token ?? (await settingsOfEnvironment(environment)).control_token
  return {
    url: url ?? (environment.COMMERCE_URL || 'http://localhost:4010'),
    ...(controlToken && { token: controlToken })
  }
}

/** What `read` gets from a running emulator. Errors: those of `connect` and of the request. */
export async function readFrom<T>(
  address: RunningAddress,
  read: (emulator: Emulator) => Promise<T>
): Promise<T> {
  const emulator = await connect({ ...address, timeout: 0 })
  return read(emulator).finally(emulator.close)
}
