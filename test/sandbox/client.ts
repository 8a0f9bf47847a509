/** Calls of a sandbox by its name, as `startTestEmulator` makes them of the one at the base address. */
import type { InjectOptions } from 'fastify'
import { type Answer, MERCHANT, type startTestEmulator } from '../support/emulator.js'

export type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
type Call = { body?: Record<string, unknown>; query?: string; key?: string | null; headers?: Record<string, string> }
export type SandboxClient = ReturnType<typeof sandboxClient>

export const authorization = (key = MERCHANT) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`

/** A sandbox of an emulator; null for the one at the base address. */
export function sandboxClient({ inject }: Pick<Emulator, 'inject'>, name: string | null) {
  const prefix = name === null ? '' : `/sandbox/${name}`

  const call = (on: string, { body, query, key = MERCHANT, headers = {} }: Call = {}): Promise<Answer> => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    const pairs = Object.entries(body ?? {}).map(([field, value]) => [field, String(value)] as [string, string])
    return inject({
      method,
      url: `${prefix}/next${path}${query === undefined ? '' : `?${query}`}`,
      headers: {
        ...(key !== null && { authorization: authorization(key) }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(body && { payload: new URLSearchParams(pairs).toString() })
    })
  }
  const control = (on: string, body?: object | string, headers: Record<string, string> = {}): Promise<Answer> => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    return inject({
      method,
      url: `${prefix}/_control${path}`,
      headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) })
    })
  }
  return { name, prefix, call, control }
}

/** The names of all sandboxes. */
export const namesIn = async ({ control }: Pick<Emulator, 'control'>): Promise<string[]> =>
  (await control('GET /sandboxes')).body.data.map(({ name }: { name: string }) => name)
