/** How an emulator is started in process, and how one that runs is connected to. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Connection } from '../../src/client/connection.js'
import { type ConnectOptions, connect, EmulatorError, type EmulatorOptions, startEmulator } from '../../src/index.js'
import { freePort } from '../support/ports.js'

const ACCOUNT = { id: 'mch_a', type: 'merchant', name: 'A', email: 'a@example.com', address: { country: 'US' } } as const
const FIXTURE = { accounts: [ACCOUNT] } as const

async function started(t: Test, options?: EmulatorOptions) {
  const emulator = await startEmulator(options)
  t.teardown(emulator.close)
  return emulator
}
/** A server of the test, and the port that it listens on. */
async function served(t: Test, answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const errorOf = (work: Promise<unknown>): Promise<EmulatorError> =>
  work.then(
    () => {
      throw new Error('It was not refused.')
    },
    error => {
      if (error instanceof EmulatorError) return error
      throw error
    }
  )
const partsOf = ({ code, param, problems, status }: EmulatorError) => ({ code, param, problems: problems.length, status })

t.test('api: without options it starts on a free port in the default scenario, and says where it is and with which keys', async t => {
  const { url, baseUrl, controlUrl, key, keys } = await started(t)

  const { port } = new URL(url)
  t.not(port, '')
  t.strictSame([url, baseUrl, controlUrl], [`http://localhost:${port}`, `http://localhost:${port}/next`, `http://localhost:${port}/_control`])
  t.equal(key, 'sk_test_merchant')
  t.strictSame(keys[0], { key: 'sk_test_merchant', account: 'mch_bistro' })
  const answer = await fetch(`${baseUrl}/tickets`, { headers: { authorization: `Basic ${btoa(`${key}:`)}` } })
  t.equal(answer.status, 200)
})

t.test('api: port, settings, scenario and now are what it starts with', async t => {
  const port = await freePort()
  const own = await started(t, { port, scenario: FIXTURE, settings: { pagination: { max_limit: 5 }, 'statuses.created': 201 }, now: () => 0 })
  const inSettings = await started(t, { settings: { port: 0, scenario: 'empty' } })
  const folder = t.testdir({ 'own.json': JSON.stringify({ name: 'own', data: FIXTURE }) })
  const file = await started(t, { scenario: `${folder}/own.json` })

  t.equal(own.url, `http://localhost:${port}`)
  const { settings } = await own.control('GET /settings')
  t.strictSame([settings['pagination.max_limit'].value, settings['statuses.created'].value], [5, 201])
  t.equal((await own.clock.now()).now, '1970-01-01T00:00:00.000Z')
  t.strictSame([own.key, own.keys], ['', []], 'a fixture may have no key')
  t.equal((await own.inject('GET /tickets')).body.error.code, 'api_key_missing')
  t.equal((await inSettings.reset()).scenario.name, 'empty')
  t.equal((await file.reset()).scenario.name, 'own')
})

t.test('api: a document is taken as its JSON, so a date is an instant, and what becomes of it later makes no difference', async t => {
  const scenario = {
    clock: new Date('2026-03-01T00:00:00Z') as unknown as string,
    description: undefined as unknown as string,
    data: { accounts: [{ ...ACCOUNT }] }
  }
  const { clock, reset, state } = await started(t, { scenario })
  scenario.data.accounts.length = 0

  await reset()

  t.strictSame(await clock.now(), { now: '2026-03-01T00:00:00.000Z', running: false })
  t.equal((await state()).accounts.length, 1)
})

t.test('api: with a control token each call of the object has it', async t => {
  const { url, reset, sandbox } = await started(t, { scenario: FIXTURE, settings: { control_token: 'open sesame, open' } })

  t.equal((await reset()).scenario.name, 'inline')
  t.equal((await sandbox('own').reset()).scenario.name, 'inline')
  const connected = await connect({ url, token: 'open sesame, open' })
  t.equal((await connected.reset()).scenario.name, 'inline')
  await connected.close()
  for (const more of [{}, { token: 'open' }]) t.equal((await errorOf(connect({ url, ...more }))).code, 'token_required')
})

t.test('api: the log goes where it is asked to go', async t => {
  const lines: [level: string, ...line: unknown[]][] = []
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line])
  const own = { info: write('info'), warn: write('warn'), error: write('error') }
  const ofPino: string[] = []
  const quiet = pino({ level: 'warn' }, { write: line => ofPino.push(line) })

  for (const logger of [own, { ...own, debug: write('debug'), level: 'info' }, quiet, console]) {
    const { inject, control } = await started(t, { scenario: FIXTURE, ...(logger !== console && { logger }) })
    await inject('GET /tickets', { key: null })
    await control('GET /health')
  }

  const texts = lines.map(([level, ...line]) => `${level} ${line.at(-1)}`.replace(/ [\d.]+ ms/, ''))
  const started_ = ['info loading the scenario; until it is ready, http://127.0.0.1:PORT responds with 503', 'info listening on http://localhost:PORT']
  t.strictSame(
    texts.map(text => text.replace(/:\d+/, ':PORT')),
    [...started_, 'info GET /next/tickets 401 api_key_missing AUTH-3 req_1', ...started_, 'info GET /next/tickets 401 api_key_missing AUTH-3 req_1']
  )
  t.strictSame(ofPino, [])
  const silent = await started(t, { scenario: FIXTURE, logger: { ...own, level: 'silent' } })
  await silent.inject('GET /tickets')
  t.equal(lines.length, 6)
})

t.test('api: await using closes it at the end of the block', async t => {
  let at = ''
  {
    await using emulator = await startEmulator({ scenario: FIXTURE })
    at = emulator.controlUrl
    t.equal((await fetch(`${at}/health`)).status, 200)
  }
  await t.rejects(fetch(`${at}/health`))
})

t.test('api: what cannot be started is refused by name, with every problem, and nothing is left running', async t => {
  const port = await served(t, () => {})
  const document = { tickets: [{ location: 'loc_a' }, { reference: 'T-1' }] }
  const cases: [options: object, is: object][] = [
    [{ scenaro: 'default' }, { code: 'option_invalid', param: 'scenaro' }],
    [{ seed: 7 }, { code: 'option_invalid', param: 'seed' }],
    [{ apiKeys: [] }, { code: 'option_invalid', param: 'apiKeys' }],
    [
      { port: 0, settings: { port: 0 } },
      { code: 'option_invalid', param: 'port' }
    ],
    [
      { port: -1, settings: { sede: 1 } },
      {
        code: 'setting_invalid',
        problems: 2
      }
    ],
    [{ scenario: document }, { code: 'document_invalid', problems: 2 }],
    [{ scenario: 5 }, { code: 'option_invalid', param: 'scenario' }],
    [{ scenario: 'defalt' }, { code: 'scenario_unknown' }],
    [{ port }, { code: 'EADDRINUSE' }],
    [{ settings: { fixtures_dir: '/nowhere' } }, { code: 'ENOENT' }]
  ]
  for (const [options, is] of cases) {
    const error = await errorOf(startEmulator(options))
    t.hasStrict({ ...partsOf(error) }, is, JSON.stringify(options))
    t.match(error.stack, /start\.test/, 'it says where it was started')
  }
})

t.test('api: while the data file cannot be written, what changes the state is refused, and closing says so', async t => {
  const folder = t.testdir({ data: {} })
  const { sandbox, inject, close } = await startEmulator({ scenario: FIXTURE, settings: { data: `${folder}/data/state.json` } })
  const own = sandbox('own')
  await own.reset()
  rmSync(`${folder}/data`, { recursive: true })

  t.equal((await errorOf(own.reset())).code, 'data_not_written')
  t.equal((await errorOf(own.close())).code, 'data_not_written')
  t.equal((await inject('GET /tickets', { key: null })).status, 401)
  t.equal((await errorOf(close())).code, 'data_not_written')
})

t.test('api: connect takes any address of an emulator, and is bound to the sandbox that it names', async t => {
  const { url, sandbox } = await started(t)
  const own = sandbox('own')
  await own.load(FIXTURE)
  const addresses: [url: string, is: string, key: string][] = [
    [url, '', 'sk_test_merchant'],
    [`${url}/`, '', 'sk_test_merchant'],
    [`${url}/next`, '', 'sk_test_merchant'],
    [`${url}/_control/`, '', 'sk_test_merchant'],
    [`${url}/sandbox/own/next`, '/sandbox/own', ''],
    [`${url}/sandbox/new`, '/sandbox/new', 'sk_test_merchant']
  ]
  for (const [given, is, key] of addresses) {
    const emulator = await connect({ url: given })
    t.strictSame([emulator.url, emulator.key], [`${url}${is}`, key], given)
    t.equal(emulator.sandbox('other').baseUrl, `${url}/sandbox/other/next`)
    await emulator.close()
  }
  t.equal((await own.state()).accounts.length, 1, 'closing a connection deletes no sandbox')
})

t.test('api: connect keeps the path of a proxy', async t => {
  const paths: unknown[] = []
  const port = await served(t, ({ method, url }, answer) => {
    paths.push([method, url])
    answer.setHeader('set-cookie', ['a=1', 'b=2']).end('{"data":[]}')
  })

  const emulator = await connect({ url: `http://127.0.0.1:${port}/emulator/next/` })
  const { headers } = await emulator.sandbox('own').inject('GET /tickets')

  t.equal(emulator.baseUrl, `http://127.0.0.1:${port}/emulator/next`)
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

t.test('api: what cannot be connected to is refused', async t => {
  const port = await freePort()
  const web = await served(t, (_request, answer) => void answer.end('<h1>Welcome</h1>'))
  const empty = await served(t, (_request, answer) => void answer.writeHead(204).end())
  const broken = await served(t, (_request, answer) => void answer.writeHead(500).end('<h1>Sorry</h1>'))
  const other = await served(t, (_request, answer) => void answer.writeHead(302, { location: '/' }).end('{}'))
  const starting = await served(t, (_request, answer) => void answer.writeHead(503).end('{"error":{"code":"not_ready","message":"Starting."}}'))
  const cases: [options: object, is: object][] = [
    [
      { url: `http://127.0.0.1:${port}`, timeout: 0 },
      {
        code: 'no_answer',
        status: undefined
      }
    ],
    [{ url: `https://127.0.0.1:${web}`, timeout: 0 }, { code: 'no_answer' }],
    [{ url: `http://[::1]:${port}`, timeout: 0 }, { code: 'no_answer' }],
    [
      { url: `http://127.0.0.1:${starting}`, timeout: 60 },
      { code: 'not_ready', status: 503 }
    ],
    [{ url: `http://127.0.0.1:${web}` }, { code: 'answer_unreadable' }],
    [
      { url: `http://127.0.0.1:${other}` },
      {
        code: 'answer_unreadable',
        status: 302
      }
    ],
    [{ url: `http://127.0.0.1:${empty}` }, { code: 'answer_unreadable' }],
    [{ url: `http://127.0.0.1:${broken}` }, { code: 'answer_unreadable', status: 500 }],
    ...['localhost:4010', 'ftp://localhost', undefined].map((url): [object, object] => [{ url }, { code: 'option_invalid', param: 'url' }]),
    [{ url: 'http://localhost', tokn: 'x' }, { code: 'option_invalid' }]
  ]
  for (const [options, is] of cases) t.hasStrict({ ...partsOf(await errorOf(connect(options as ConnectOptions))) }, is, JSON.stringify(options))
})

t.test('api: a failure of the connection without a message is told by its code', async t => {
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })
  const connection = new Connection('http://name', { send: () => Promise.reject(several), close: async () => {} }, null)

  t.match((await errorOf(connection.send({ method: 'GET', path: '/', headers: {} }))).message, /: ECONNREFUSED\.$/)
})
