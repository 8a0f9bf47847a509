import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type RunningEmulator, type RunOptions, runEmulator } from '../../src/emulator.js'
import { createLogger } from '../../src/server/logging.js'
import { MERCHANT, NOW, smallFixture } from '../support/emulator.js'
import type { Json } from '../support/json.js'

/** Starts in process; closed when the test ends. */
async function started(t: Test, options: RunOptions = {}): Promise<RunningEmulator> {
  const emulator = await runEmulator(options)
  t.teardown(() => emulator.close())
  return emulator
}
const authorization = `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`
const get = async (url: string, headers: Record<string, string> = { authorization }) => {
  const answer = await fetch(url, { headers })
  return { status: answer.status, body: (await answer.json()) as Json }
}

t.test('cli: in process the scenario is a name, a path, a fixture or a document', async t => {
  const root = t.testdir({
    fixtures: { 'mine.yaml': JSON.stringify(smallFixture()) },
    scenarios: { 'lunch.yaml': 'description: A busy lunch.\nfixtures: [mine]' },
    'own.yaml': 'name: own\nfixtures: [fixtures/mine.yaml]'
  })
  const settings = { fixtures_dir: `${root}/fixtures`, scenarios_dir: `${root}/scenarios` }
  const keys = [
    { key: MERCHANT, account: 'mch_a' },
    { key: 'sk_reseller', account: 'rsl_r' }
  ]
  const cases: [options: RunOptions, scenario: object][] = [
    [
      { scenario: 'lunch', settings },
      { name: 'lunch', description: 'A busy lunch.' }
    ],
    [{ settings: { ...settings, scenario: 'lunch' } }, { name: 'lunch', description: 'A busy lunch.' }],
    [
      { settings, environment: { scenario: 'lunch' } },
      { name: 'lunch', description: 'A busy lunch.' }
    ],
    [
      { scenario: 'mine', settings },
      { name: 'mine', description: null }
    ],
    [{ scenario: `${root}/own.yaml` }, { name: 'own', description: null }],
    [{ scenario: `${root}/fixtures/mine.yaml` }, { name: `${root}/fixtures/mine.yaml`, description: null }],
    [{ scenario: { name: 'given', data: smallFixture() } }, { name: 'given', description: null }],
    [{ scenario: smallFixture() }, { name: 'inline', description: null }]
  ]
  for (const [options, scenario] of cases) {
    const emulator = await runEmulator(options)
    t.strictSame([emulator.scenario, emulator.apiKeys], [scenario, keys], JSON.stringify(scenario))
    t.equal((await get(`${emulator.baseUrl}/tickets/tkt_a`)).body.reference, 'T-1')
    await emulator.close()
  }
})

t.test('cli: in process settings are given by key or nested, and take precedence over the environment and the scenario', async t => {
  const scenario = { settings: { statuses: { missing: 410 }, pagination: { max_limit: 33, default_limit: 3 } }, data: smallFixture() }
  const nested = { pagination: { max_limit: 11 } } as object
  const { controlUrl, baseUrl } = await started(t, {
    scenario,
    settings: { ...nested, 'statuses.created': 201 },
    environment: { 'pagination.max_limit': 22, 'pagination.default_limit': 2 },
    now: () => Date.parse(NOW)
  })

  const { settings } = (await get(`${controlUrl}/settings`)).body

  t.strictSame(
    ['pagination.max_limit', 'pagination.default_limit', 'statuses.missing', 'statuses.created'].map(key => [settings[key].value, settings[key].source]),
    [
      [11, 'flag'],
      [2, 'environment'],
      [410, 'scenario'],
      [201, 'flag']
    ]
  )
  t.equal((await get(`${baseUrl}/tickets/none`)).status, 410)
  t.equal((await get(`${baseUrl}/tickets/tkt_a`)).body.created, NOW, 'now is the time that was given')
})

t.test('cli: the address that is shown works on this machine, whatever host is bound', async t => {
  const hosts: [host: string, shown: string][] = [
    ['127.0.0.1', 'localhost'],
    ['0.0.0.0', 'localhost'],
    ['::', 'localhost'],
    ['::1', '[::1]'],
    ['localhost', 'localhost'],
    ['127.0.0.2', '127.0.0.2'],
    ['::ffff:127.0.0.1', '[::ffff:127.0.0.1]']
  ]
  for (const [host, shown] of hosts) {
    const { controlUrl, app } = await started(t, { scenario: smallFixture(), settings: { host } })
    t.equal(controlUrl, `http://${shown}:${(app.server.address() as AddressInfo).port}/_control`, host)
    t.equal((await get(`${controlUrl}/health`)).status, 200)
  }
})

t.test('cli: closing waits for calls in flight up to limits.shutdown, then cuts them', async t => {
  const slow = (baseUrl: string) => {
    const call = request(`${baseUrl}/transactions`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    call.write('ticket=tkt_a&')
    const outcome = once(call, 'response').then(
      ([response]) => response.resume().statusCode,
      error => error.code
    )
    return { call, outcome }
  }
  const patient = await runEmulator({ scenario: smallFixture(), settings: { 'limits.shutdown': 5000 } })
  const finished = slow(patient.baseUrl)
  const brief = await runEmulator({ scenario: smallFixture(), settings: { 'limits.shutdown': 200 } })
  const cut = slow(brief.baseUrl)
  await sleep(100)

  const closing = patient.close()
  await sleep(50)
  await t.rejects(fetch(`${patient.baseUrl}/tickets`), 'no new calls')
  finished.call.end('payment_type=card')
  t.equal(await finished.outcome, 200)
  await closing
  const before = Date.now()
  await brief.close()
  const took = Date.now() - before

  t.ok(took >= 190 && took < 2000, `cut after ${took} ms`)
  t.equal(await cut.outcome, 'ECONNRESET')
})

t.test('A25: a call is logged with method, path, status, time and id; never its body, its query, a key or a card number', async t => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const logger = await createLogger('info', false, stream)
  const { app } = await started(t, { scenario: { clock: NOW, data: smallFixture() }, logger })
  const card = '4242424242424242'
  lines.length = 0

  await app.inject({ url: `/next/tickets?search_query=${MERCHANT}`, headers: { authorization } })
  await app.inject({
    method: 'POST',
    url: '/next/transactions',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `ticket=tkt_a&payment_type=card&card[number]=${card}`
  })
  await app.inject({ url: `/next/tickets/${MERCHANT}`, headers: { authorization } })
  await app.inject({ url: '/next/tickets/4242%204242%204242%204242%0d%0a', headers: { authorization } })
  await app.inject({ url: '/_control/health' })

  const logged = lines.map(line => JSON.parse(line))
  t.strictSame(
    logged.map(({ call: { ms, ...call } }) => call),
    [
      { id: 'req_1', method: 'GET', path: '/next/tickets', status: 200 },
      { id: 'req_2', method: 'POST', path: '/next/transactions', status: 200 },
      { id: 'req_3', method: 'GET', path: '/next/tickets/***', status: 404 },
      { id: 'req_4', method: 'GET', path: '/next/tickets/**** **** **** ****??', status: 404 }
    ],
    'health is logged at debug only'
  )
  for (const { call, msg, level } of logged) {
    t.equal(level, 30)
    t.equal(typeof call.ms, 'number')
    t.equal(msg, `${call.method} ${call.path} ${call.status} ${call.ms} ms ${call.id}`)
  }
  for (const secret of [MERCHANT, card, '4242 4242', authorization.slice(6), 'payment_type']) t.notOk(lines.join('').includes(secret), secret)
})
