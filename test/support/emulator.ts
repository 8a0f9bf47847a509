/** An emulator for a test: requests are injected into the app, without a port. */
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Test } from 'tap'
import { buildApp } from '../../src/app.js'
import type { Data } from '../../src/server/responses.js'
import { type Answer, answerOf, type Blame, blameOf, type Call, sentBy } from './requests.js'
import { type Begin, prepared } from './world.js'

export {
  type Answer,
  authorization,
  type Blame,
  blameOf,
  type Call,
  MERCHANT,
  NOW,
  RESELLER,
  smallFixture
} from './requests.js'

type Options = Omit<Begin, 'own'> & {
  /** Folders of scenarios and fixtures; it starts in the scenario `default`. */
  folders?: { scenarios: Record<string, string>; fixtures?: Record<string, string> }
  /** The app's logger, false for none; by default every line is in `logs`. */
  logged?: false | Logger
  saved?: () => Promise<void>
  /** The data folder, instead of `saved`. */
  data?: Data
}

/** Sends requests in a sandbox; null for the base sandbox. */
export function sandboxClient(
  { inject }: { inject: (options: InjectOptions) => Promise<Answer> },
  name: string | null
) {
  const prefix = name === null ? '' : `/sandbox/${name}`
  /** A request of the emulated API, as `sentBy` writes it. */
  const call = (on: string, options: Call = {}): Promise<Answer> => {
    const { method, url, body, ...request } = sentBy(on, options)
    return inject({
      ...request,
      url: prefix + url,
      method: method as NonNullable<InjectOptions['method']>,
      ...(body !== null && { payload: body })
    })
  }
  /** A control request; a body is sent as JSON, or unchanged if it is text with a content type. */
  const control = (
    on: string,
    body?: object | string,
    headers: Record<string, string> = {}
  ): Promise<Answer> => {
    const [method, path] = on.split(' ') as [InjectOptions['method'], string]
    return inject({
      method,
      url: `${prefix}/_control${path}`,
      headers: {
        host: 'localhost',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) })
    })
  }
  return { name, prefix, call, control }
}
export type SandboxClient = ReturnType<typeof sandboxClient>
export type Emulator = Awaited<ReturnType<typeof startTestEmulator>>

export const namesIn = async ({ control }: Pick<Emulator, 'control'>): Promise<string[]> =>
  (await control('GET /sandboxes')).body.data.map(({ name }: { name: string }) => name)

/**
 * Starts an emulator with settings and with records added to the small fixture; closed when the
 * test ends.
 */
export async function startTestEmulator(
  t: Test,
  {
    logged,
    saved,
    data = saved && { saved, isFailing: false, writable: saved },
    folders,
    ...begin
  }: Options = {}
) {
  const root = folders && t.testdir({ fixtures: {}, ...folders })
  const { start, ...made } = prepared({
    ...begin,
    ...(root && { own: { fixtures: `${root}/fixtures`, scenarios: `${root}/scenarios` } })
  })
  const { sandboxes } = made
  const sandbox = sandboxes.main
  const logs: string[] = []
  const logger = logged ?? pino({ level: 'trace' }, { write: line => logs.push(line) })
  const app = await buildApp({ ...made, version: '0.0.0', ...(logger && { logger }), data })
  t.teardown(() => app.close())
  await start()

  const inject = async (options: InjectOptions): Promise<Answer> => {
    const { statusCode, headers, payload } = await app.inject(options)
    return answerOf(statusCode, headers, payload)
  }
  const { call, control } = sandboxClient({ inject }, null)
  /** The whole state as text, to show that a refused request changed nothing. */
  const state = async () => (await control('GET /state')).text
  const listen = async (): Promise<number> => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port
  }
  /** A request that must be refused without any change. */
  const refusal = async (on: string, options: Call = {}): Promise<Blame> => {
    const before = await state()
    const answer = await call(on, options)
    t.equal(
      await state(),
      before,
      `nothing is changed by ${on} ${options.query ?? ''} ${JSON.stringify(options.body) ?? ''}`
    )
    return blameOf(answer)
  }
  /** The next ids: of one new record of each kind that the API creates. */
  const nextIds = async (): Promise<string[]> => {
    const address = { 'address[country]': 'US' }
    const bodies: [on: string, body: Record<string, unknown>][] = [
      ['POST /locations', { display_name: 'Next', ...address }],
      ['POST /accounts', { type: 'merchant', name: 'Next', email: 'next@example.com', ...address }],
      ['POST /accounts', { type: 'reseller', name: 'Next', email: 'next@example.com', ...address }],
      ['POST /accounts/mch_a/users', { name: 'Next', email: 'next@example.com' }],
      ['POST /transactions', { ticket: 'tkt_a', payment_type: 'external', amount: 1 }]
    ]
    const ids: string[] = []
    for (const [on, body] of bodies) ids.push((await call(on, { body })).body.id)
    return [...ids, (await call('POST /refunds', { body: { transaction: ids.at(-1) } })).body.id]
  }
  return { app, sandbox, sandboxes, logs, inject, call, control, state, listen, refusal, nextIds }
}
