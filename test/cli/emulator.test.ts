import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type RunOptions, runEmulator } from '../../src/emulator.js'
import { MERCHANT, smallFixture } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const authorization = `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`
const get = async (url: string) => {
  const answer = await fetch(url, { headers: { authorization } })
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
  const cases: [options: RunOptions, name: string, description?: string][] = [
    [{ scenario: 'lunch', settings }, 'lunch', 'A busy lunch.'],
    [{ settings: { ...settings, scenario: 'lunch' } }, 'lunch', 'A busy lunch.'],
    [{ settings, environment: { scenario: 'lunch' } }, 'lunch', 'A busy lunch.'],
    [{ scenario: 'mine', settings }, 'mine'],
    [{ scenario: `${root}/own.yaml` }, 'own'],
    [{ scenario: `${root}/fixtures/mine.yaml` }, `${root}/fixtures/mine.yaml`],
    [{ scenario: { name: 'given', data: smallFixture() } }, 'given'],
    [{ scenario: smallFixture() }, 'inline']
  ]
  for (const [options, name, description = null] of cases) {
    const { scenario, apiKeys, baseUrl, close } = await runEmulator(options)
    t.strictSame([scenario, apiKeys], [{ name, description }, keys])
    t.equal((await get(`${baseUrl}/tickets/tkt_a`)).body.reference, 'T-1')
    await close()
  }
})

t.test('cli: the address that is shown works on this machine, whatever host is bound', async t => {
  const hosts: [host: string, shown: string][] = [
    ['0.0.0.0', 'localhost'],
    ['::', 'localhost'],
    ['::1', '[::1]'],
    ['localhost', 'localhost'],
    ['127.0.0.2', '127.0.0.2'],
    ['::ffff:127.0.0.1', '[::ffff:127.0.0.1]']
  ]
  for (const [host, shown] of hosts) {
    const { controlUrl, app, close } = await runEmulator({
      scenario: smallFixture(),
      settings: { host }
    })
    t.equal(
      controlUrl,
      `http://${shown}:${(app.server.address() as AddressInfo).port}/_control`,
      host
    )
    t.equal((await get(`${controlUrl}/health`)).status, 200)
    await close()
  }
})

t.test('cli: closing waits up to limits.shutdown, then cuts requests off', async t => {
  const slow = (baseUrl: string) => {
    const call = request(`${baseUrl}/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' }
    })
    call.write('ticket=tkt_a&')
    const outcome = once(call, 'response').then(
      ([response]) => response.resume().statusCode,
      error => error.code
    )
    return { call, outcome }
  }
  const patient = await runEmulator({
    scenario: smallFixture(),
    settings: { 'limits.shutdown': 60_000 }
  })
  const finished = slow(patient.baseUrl)
  const brief = await runEmulator({
    scenario: smallFixture(),
    settings: { 'limits.shutdown': 200 }
  })
  const cut = slow(brief.baseUrl)
  while (patient.sandbox.inFlight + brief.sandbox.inFlight < 2) await sleep(10)

  const closing = patient.close()
  await sleep(50)
  await t.rejects(fetch(`${patient.baseUrl}/tickets`), 'no new calls')
  finished.call.end('payment_type=card')
  t.equal(await finished.outcome, 200)
  await closing
  await brief.close()
  t.equal(await cut.outcome, 'ECONNRESET')
})
