/** An emulator for a test: the app that ships, injected into; no port is opened. */
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { type GivenSettings, settingsInForce } from '../../src/core/settings.js'
import { Sandbox } from '../../src/sandbox/sandbox.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'

export const MERCHANT = 'sk_merchant'
export const RESELLER = 'sk_reseller'
export const NOW = '2026-03-01T18:05:00.000Z'

/** A small world: one merchant with a Location and a Ticket, one reseller, a clock that stands. Tests name only what they add. */
export const world = (added: Record<string, object[]> = {}) => ({
  api_keys: [
    { key: MERCHANT, account: 'mch_a' },
    { key: RESELLER, account: 'rsl_r' }
  ],
  accounts: [
    { id: 'mch_a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } },
    { id: 'rsl_r', type: 'reseller', name: 'R', email: 'r@example.com', address: { country: 'US' } },
    ...(added.accounts ?? [])
  ],
  users: added.users ?? [],
  locations: [{ id: 'loc_a', account: 'mch_a', display_name: 'A', address: { country: 'US' } }, ...(added.locations ?? [])],
  tickets: [{ id: 'tkt_a', location: 'loc_a', reference: 'T-1' }, ...(added.tickets ?? [])],
  transactions: added.transactions ?? [],
  refunds: added.refunds ?? []
})

export type Answer = { status: number; headers: Record<string, unknown>; text: string; body: any }
type Call = { body?: string | Record<string, unknown>; query?: string; key?: string | null; headers?: Record<string, string> }

/** Starts an emulator with records added to the small world, and settings; closed when the test ends. */
export async function startTestEmulator(
  t: Test,
  { records = {}, settings = {}, scenario }: { records?: Record<string, object[]>; settings?: GivenSettings; scenario?: object } = {}
) {
  const launch = { flag: settings, environment: {} }
  const library = new Library({ fixtures: null, scenarios: null })
  const sandbox = new Sandbox({ library, launch, machine: () => Date.parse(NOW) })
  const app = await buildApp({ sandbox, library, settings: settingsInForce(launch).values, version: '0.0.0' })
  t.teardown(() => app.close())
  await sandbox.load(documentOf('test', scenario ?? { clock: NOW, data: world(records) }), { name: 'test', file: null })

  const inject = async (options: InjectOptions): Promise<Answer> => {
    const { statusCode, headers, payload } = await app.inject(options)
    return { status: statusCode, headers, text: payload, body: /json/.test(String(headers['content-type'])) ? JSON.parse(payload) : payload }
  }
  /** A call of the emulated API; `on` is a method and a path below the base, a body is form text or flat bracket names. */
  const call = (on: string, { body, query, key = MERCHANT, headers = {} }: Call = {}): Promise<Answer> => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    const payload =
      typeof body === 'object' ? new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string])).toString() : body
    return inject({
      method,
      url: `/next${path}${query === undefined ? '' : `?${query}`}`,
      headers: {
        ...(key !== null && { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
        ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      ...(payload !== undefined && { payload })
    })
  }
  /** A call of the control API; a body is sent as JSON, or as it is where it is text with a content type of its own. */
  const control = (on: string, body?: object | string, headers: Record<string, string> = {}): Promise<Answer> => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    return inject({
      method,
      url: `/_control${path}`,
      headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) })
    })
  }
  /** The whole state as text, to show that a refused call changed nothing. */
  const state = async () => (await control('GET /state')).text
  return { app, sandbox, inject, call, control, state }
}
