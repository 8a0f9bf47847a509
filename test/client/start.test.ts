/** Starting an emulator in process, and connecting to a running one. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Connection } from '../../src/client/connection.js'
import {
  type ConnectOptions,
  connect,
  EmulatorError,
  type EmulatorOptions,
  startEmulator
} from '../../src/index.js'
import { serving } from '../support/command.js'
import { freePort } from '../support/ports.js'

const ACCOUNT = {
  id: 'mch_a',
  type: 'merchant',
  name: 'A',
  email: 'a@example.com',
  address: { country: 'US' }
} as const
const FIXTURE = { accounts: [ACCOUNT] } as const

async function started(t: Test, options?: EmulatorOptions) {
  const emulator = await startEmulator(options)
  t.teardown(emulator.close)
  return emulator
}
const errorOf = (work: Promise<unknown>): Promise<EmulatorError> =>
  work.then(
    () => Promise.reject(new Error('It was not refused.')),
    error => (error instanceof EmulatorError ? error : Promise.reject(error))
  )

t.test('api: without options it starts on a free port in the default scenario', async t => {
  const { url, baseUrl, controlUrl, key, keys } = await started(t)
  let at = ''

  const { port } = new URL(url)
  t.not(port, '')
  t.strictSame(
    [url, baseUrl, controlUrl],
    [
      `http://localhost:${port}`,
      `http://localhost:${port}/next`,
      `http://localhost:${port}/_control`
    ]
  )
  t.equal(key, 'sk_test_merchant')
  t.strictSame(keys[0], { key: 'sk_test_merchant', account: 'mch_bistro' })
  t.equal(
    (
      await fetch(`${baseUrl}/tickets`, {
        headers: { authorization: `Basic ${btoa(`${key}:`)}` }
      })
    ).status,
    200
  )
  {
    await using another = await startEmulator({ scenario: FIXTURE })
    at = another.controlUrl
    t.equal((await fetch(`${at}/health`)).status, 200)
  }
  await t.rejects(fetch(`${at}/health`), 'await using closes it at the end of the block')
})

t.test('api: it starts with the given port, settings, scenario and now', async t => {
  const port = await freePort()
  const own = await started(t, {
    port,
    scenario: FIXTURE,
    settings: { pagination: { max_limit: 5 }, 'statuses.created': 201 },
    now: () => 0
  })
  const inSettings = await started(t, { settings: { port: 0, scenario: 'empty' } })
  const folder = t.testdir({ 'own.json': JSON.stringify({ name: 'own', data: FIXTURE }) })
  const file = await started(t, { scenario: `${folder}/own.json` })

  t.equal(own.url, `http://localhost:${port}`)
  const { settings } = await own.control('GET /settings')
  t.strictSame(
    [settings['pagination.max_limit'].value, settings['statuses.created'].value],
    [5, 201]
  )
  t.equal((await own.clock.now()).now, '1970-01-01T00:00:00.000Z')
  t.strictSame([own.key, own.keys], ['', []], 'a fixture may have no key')
  t.equal((await own.inject('GET /tickets')).body.error.code, 'api_key_missing')
  t.equal((await inSettings.reset()).scenario.name, 'empty')
  t.equal((await file.reset()).scenario.name, 'own')
})

t.test('api: a document is taken as its JSON, once: a date is an instant', async t => {
  const [at, description] = [new Date('2026-03-01T00:00:00Z'), undefined] as unknown as [
    string,
    string
  ]
  const scenario = { clock: at, description, data: { accounts: [{ ...ACCOUNT }] } }
  const { clock, reset, state } = await started(t, { scenario })
  scenario.data.accounts.length = 0
  await reset()
  t.strictSame(await clock.now(), { now: '2026-03-01T00:00:00.000Z', running: false })
  t.equal((await state()).accounts.length, 1)
})

t.test('api: with a control token each request has it', async t => {
  const { url, reset, sandbox } = await started(t, {
    scenario: FIXTURE,
    settings: { control_token: 'open sesame, open' }
  })
  t.equal((await reset()).scenario.name, 'inline')
  t.equal((await sandbox('own').reset()).scenario.name, 'inline')
  const connected = await connect({ url, token: 'open sesame, open' })
  t.equal((await connected.reset()).scenario.name, 'inline')
  await connected.close()
  for (const more of [{}, { token: 'open' }])
    t.equal((await errorOf(connect({ url, ...more }))).code, 'token_required')
})

t.test('api: the log goes to the given logger', async t => {
  const lines: string[] = []
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push(`${level} ${line.at(-1)}`.replace(/ [\d.]+ ms/, '').replace(/:\d+/, ':PORT'))
  const own = { info: write('info'), warn: write('warn'), error: write('error') }
  const ofPino: string[] = []
  const quiet = pino({ level: 'warn' }, { write: line => ofPino.push(line) })

  for (const logger of [own, { ...own, debug: write('debug'), level: 'info' }, quiet, console]) {
    const { inject, control } = await started(t, {
      scenario: FIXTURE,
      ...(logger !== console && { logger })
    })
    await inject('GET /tickets', { key: null })
    await control('GET /health')
  }

  const starting = [
    'info loading the scenario; until it is ready, http://127.0.0.1:PORT responds with 503',
    'info listening on http://localhost:PORT'
  ]
  const expected = [...starting, 'info GET /next/tickets 401 api_key_missing AUTH-3 req_1']
  t.strictSame(lines, [...expected, ...expected])
  t.strictSame(ofPino, [])
  const silent = await started(t, { scenario: FIXTURE, logger: { ...own, level: 'silent' } })
  await silent.inject('GET /tickets')
  t.equal(lines.length, 6)
})

t.test('api: a failed start is reported by name, with every problem', async t => {
  const port = Number(new URL(await serving(t, () => {})).port)
  const document = { tickets: [{ location: 'loc_a' }, { reference: 5 }] }
  const cases: [options: object, code: string, param?: string, problems?: number][] = [
    [{ scenaro: 'default' }, 'option_invalid', 'scenaro'],
    [{ seed: 7 }, 'option_invalid', 'seed'],
    [{ apiKeys: [] }, 'option_invalid', 'apiKeys'],
    [{ port: -1, settings: { sede: 1 } }, 'setting_invalid', undefined, 2],
    [{ scenario: document }, 'document_invalid', undefined, 2],
    [{ scenario: 'defalt' }, 'scenario_unknown'],
    [{ port }, 'EADDRINUSE'],
    [{ settings: { fixtures_dir: '/nowhere' } }, 'ENOENT']
  ]
  for (const [options, code, param, problems = 0] of cases) {
    const error = await errorOf(startEmulator(options))
    t.strictSame(
      [error.code, error.param, error.problems.length],
      [code, param, problems],
      JSON.stringify(options)
    )
    t.match(error.stack, /start\.test/, 'it says where it was started')
  }
})

t.test('api: without a writable data folder changes are refused, and closing says so', async t => {
  const folder = t.testdir({ data: {} })
  const { sandbox, inject, close } = await startEmulator({
    scenario: FIXTURE,
    settings: { data: `${folder}/data/state` }
  })
  const own = sandbox('own')
  await own.reset()
  rmSync(`${folder}/data`, { recursive: true })
  t.equal((await errorOf(own.reset())).code, 'data_not_written')
  t.equal((await errorOf(own.close())).code, 'data_not_written')
  t.equal((await inject('GET /tickets', { key: null })).status, 401)
  t.equal((await errorOf(close())).code, 'data_not_written')
})

t.test('api: a faked nextTick has no effect, and is left unchanged', async () => {
  const own = process.nextTick
  const [fake, other] = [() => {}, () => {}]
  const seen: unknown[] = []
  const look = () => seen.push(process.nextTick)
  process.nextTick = fake
  const emulator = await startEmulator().finally(look)
  // two requests at a time, and other work of the test meanwhile
  for (const meanwhile of [null, own, other]) {
    process.nextTick = fake
    const requests = ['GET /tickets', 'GET /locations'].map(on => emulator.inject(on))
    look()
    if (meanwhile) process.nextTick = meanwhile
    for (const { status } of await Promise.all(requests)) seen.push(status)
    look()
  }
  await emulator.close()
  look()
  process.nextTick = own
  t.strictSame(seen, [fake, own, 200, 200, fake, own, 200, 200, own, own, 200, 200, other, other])
})

t.test('api: connect takes any address of an emulator', async t => {
  const { url, sandbox } = await started(t)
  const own = sandbox('own')
  await own.load(FIXTURE)
  for (const [given, is] of [
    ['', ''],
    ['/', ''],
    ['/next', ''],
    ['/_control/', ''],
    ['/sandbox/own/next', '/sandbox/own'],
    ['/sandbox/new', '/sandbox/new']
  ] as const) {
    const emulator = await connect({ url: `${url}${given}` })
    t.strictSame(
      [emulator.url, emulator.key],
      [`${url}${is}`, is.endsWith('own') ? '' : 'sk_test_merchant'],
      given
    )
    t.equal(emulator.sandbox('other').baseUrl, `${url}/sandbox/other/next`)
    await emulator.close()
  }
  t.equal((await own.state()).accounts.length, 1, 'closing a connection deletes no sandbox')
})

t.test('api: connect keeps the path of a proxy', async t => {
  const paths: unknown[] = []
  const proxy = await serving(t, ({ method, url }, answer) => {
    paths.push([method, url])
    answer.setHeader('set-cookie', ['a=1', 'b=2']).end('{"data":[]}')
  })

  const emulator = await connect({ url: `${proxy}/emulator/next/` })
  const { headers } = await emulator.sandbox('own').inject('GET /tickets')

  t.equal(emulator.baseUrl, `${proxy}/emulator/next`)
  t.strictSame(paths, [
    ['GET', '/emulator/_control/keys'],
    ['GET', '/emulator/sandbox/own/next/tickets']
  ])
  t.strictSame(headers, { 'set-cookie': 'a=1, b=2' })
  await emulator.close()
})

t.test('api: connect waits until the emulator is ready', async t => {
  const port = await freePort()
  const connecting = connect({ url: `http://127.0.0.1:${port}`, timeout: 20_000 })
  await sleep(100)
  await started(t, { port, scenario: FIXTURE })
  const emulator = await connecting
  t.equal((await emulator.reset()).scenario.name, 'inline')
  await emulator.close()
})

t.test('api: an address that cannot be connected to is refused', async t => {
  const port = await freePort()
  const answering = (status: number, text?: string, headers = {}) =>
    serving(t, (_request, answer) => void answer.writeHead(status, headers).end(text))
  const web = await answering(200, '<h1>Welcome</h1>')
  const cases: [options: object, code: string, status?: number, param?: string][] = [
    ...[`http://127.0.0.1:${port}`, web.replace('http', 'https'), `http://[::1]:${port}`].map(
      (url): [object, string] => [{ url, timeout: 0 }, 'no_answer']
    ),
    [
      {
        url: await answering(503, '{"error":{"code":"not_ready","message":"Starting."}}'),
        timeout: 60
      },
      'not_ready',
      503
    ],
    [{ url: web }, 'answer_unreadable'],
    [{ url: await answering(302, '{}', { location: '/' }) }, 'answer_unreadable', 302],
    [{ url: await answering(204) }, 'answer_unreadable'],
    [{ url: await answering(500, '<h1>Sorry</h1>') }, 'answer_unreadable', 500],
    ...['localhost:4010', 'ftp://localhost', undefined].map(
      (url): [object, string, undefined, string] => [{ url }, 'option_invalid', undefined, 'url']
    ),
    [{ url: 'http://localhost', tokn: 'x' }, 'option_invalid', undefined, 'tokn']
  ]
  for (const [options, ...is] of cases) {
    const { code, status, param } = await errorOf(connect(options as ConnectOptions))
    t.strictSame(
      [code, status, param],
      [...is, undefined, undefined].slice(0, 3),
      JSON.stringify(options)
    )
  }
})

t.test('api: a connection failure without a message is reported by its code', async t => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })
  const connection = new Connection(
    'http://name',
    { send: () => Promise.reject(several), close: async () => {} },
    null
  )
  t.match(
    (await errorOf(connection.send({ method: 'GET', path: '/', headers: {} }))).message,
    /: ECONNREFUSED\.$/
  )
})
