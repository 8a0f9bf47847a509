import t from 'tap'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/core/settings.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

t.test('control: each setting is shown with its value, source and places', async t => {
  const { control } = await startTestEmulator(t, { settings: { port: 4020 } })
  const { status, body } = await control('GET /settings')
  t.strictSame([status, Object.keys(body.settings)], [200, Object.keys(SETTINGS)])
  const { about, schema, ...port } = body.settings.port
  t.strictSame(
    port,
    parse(`{scenario: null, assumption: null, value: 4020, source: flag,
      default: 4010, scope: process, flag: --port, variable: PORT}`)
  )
  t.strictSame(
    [about, schema],
    [SETTINGS.port.about, { type: 'integer', minimum: 0, maximum: 65_535 }]
  )
  t.hasStrict(
    body.settings['pagination.max_limit'],
    parse(`{value: 100, source: default, default: 100, scope: sandbox,
      flag: --set pagination.max_limit=, variable: PAGINATION_MAX_LIMIT,
      scenario: settings.pagination.max_limit, assumption: A10}`)
  )
  t.strictSame([body.settings.seed.flag, body.settings.seed.scenario], ['--seed', 'seed'])
})

t.test('control: the control token is never shown', async t => {
  const secret = 'open sesame'
  const { inject } = await startTestEmulator(t, { settings: { control_token: secret } })
  const headers = { host: 'localhost', authorization: `Bearer ${secret}` }
  const { text, body } = await inject({ url: '/_control/settings', headers })
  t.equal(body.settings.control_token.value, '***')
  t.notOk(text.includes(secret))
  for (const url of ['/_control', '/_control/state', '/_control/assumptions'])
    t.notOk((await inject({ url, headers })).text.includes(secret), url)
  const unset = await startTestEmulator(t)
  t.equal((await unset.control('GET /settings')).body.settings.control_token.value, null)
})

t.test('control: a load applies flag, environment, scenario and default again', async t => {
  const scenario = {
    settings: { pagination: { default_limit: 3, max_limit: 33, order: 'oldest_first' } }
  }
  const { control } = await startTestEmulator(t, {
    settings: { 'pagination.default_limit': 1 },
    environment: { 'pagination.default_limit': 2, 'pagination.max_limit': 22 },
    scenario
  })
  const shown = async () => {
    const { settings } = (await control('GET /settings')).body
    return ['pagination.default_limit', 'pagination.max_limit', 'pagination.order', 'seed'].map(
      key => `${settings[key].value} ${settings[key].source}`
    )
  }
  const atStart = ['1 flag', '22 environment', 'oldest_first scenario', '1 default']

  t.strictSame(await shown(), atStart)
  await control('PATCH /settings', {
    pagination: { default_limit: 4, max_limit: 44 },
    'pagination.order': 'newest_first',
    seed: 6
  })
  await control('PATCH /settings', 'pagination: { max_limit: 45 }', {
    'content-type': 'application/yaml'
  })
  t.strictSame(await shown(), ['4 control', '45 control', 'newest_first control', '6 control'])
  await control('POST /reset')
  t.strictSame(await shown(), atStart)
  await control('POST /load', { scenario: { seed: 5 } })
  t.strictSame(await shown(), ['1 flag', '22 environment', 'newest_first default', '5 scenario'])
})

t.test('control: a changed setting shapes the next response', async t => {
  const { call, control } = await startTestEmulator(t)
  const { status, body } = await control('PATCH /settings', {
    'statuses.created': 201,
    'errors.expose_rule': false
  })
  t.strictSame(
    [status, body.settings['statuses.created'].value, body.settings['statuses.created'].source],
    [200, 201, 'control']
  )
  t.strictSame((await control('PATCH /settings', {})).body, body)
  const yaml = { 'content-type': 'application/yaml' }
  for (const [on, text] of [
    ['PATCH /settings', 'auth: { accept_any_key: 0042 }'],
    ['PATCH /settings', 'auth.accept_any_key: 0042'],
    ['POST /records', 'tickets: [ { location: loc_a, reference: 0042 } ]']
  ] as const) {
    const { problems, error } = (await control(on, text, yaml)).body
    t.match((problems ?? error.problems)[0], { code: 'number_as_text', message: /"0042"$/ }, text)
  }
  t.equal(
    (await control('PATCH /settings', 'pagination: { default_limit: 1e1 }', yaml)).status,
    200
  )
  t.equal((await control('DELETE /settings/pagination.default_limit')).status, 204)
  t.equal(
    (await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type: 'card' } })).status,
    201
  )
  t.equal((await call('GET /tickets/none')).body.error.assumption, undefined)
})

t.test('control: a change of a setting is reset alone', async t => {
  const { call, control, state } = await startTestEmulator(t, {
    scenario: {
      clock: '2026-03-01T18:05:00Z',
      data: smallFixture(),
      settings: { pagination: { max_limit: 20 }, auth: { accept_any_key: 'mch_a' } }
    }
  })
  const shown = async (...keys: string[]) => {
    const { settings } = (await control('GET /settings')).body
    return keys.map(key => `${settings[key].value} ${settings[key].source}`)
  }
  const before = await state()
  await control('PATCH /settings', {
    'pagination.max_limit': 5,
    'statuses.created': 201,
    'auth.accept_any_key': null
  })

  const answer = await control('DELETE /settings/pagination.max_limit')

  t.strictSame([answer.status, answer.text], [204, ''])
  t.strictSame(await shown('pagination.max_limit', 'statuses.created'), [
    '20 scenario',
    '201 control'
  ])
  t.equal((await call('GET /tickets?limit=20', { key: 'sk_merchant' })).status, 200)
  t.equal((await control('DELETE /settings/statuses.created')).status, 204)
  t.equal((await control('DELETE /settings/statuses.created')).status, 204)
  t.equal((await control('DELETE /settings/auth.accept_any_key')).status, 204)
  t.strictSame(await shown('statuses.created', 'auth.accept_any_key'), [
    '200 default',
    'mch_a scenario'
  ])
  t.equal(await state(), before)
})

t.test('control: a setting that cannot be reset is refused, and nothing is changed', async t => {
  const { control } = await startTestEmulator(t)
  await control('PUT /snapshots/of-a')
  const data = { accounts: [{ ...smallFixture().accounts[0], id: 'mch_z' }] }
  await control('POST /load', {
    scenario: { data, settings: { auth: { accept_any_key: 'mch_z' } } }
  })
  await control('PATCH /settings', { 'auth.accept_any_key': null, seed: 7 })
  await control('POST /snapshots/of-a/restore')
  const before = (await control('GET /settings')).text
  for (const name of 'port pagination pagination.max_limt constructor auth.accept_any_key'.split(
    ' '
  )) {
    const { status, body } = await control(`DELETE /settings/${name}`)
    t.strictSame(
      [status, body.error.code, body.error.param],
      [400, name.startsWith('auth') ? 'account_unknown' : 'setting_invalid', 'name'],
      name
    )
    t.equal((await control('GET /settings')).text, before)
  }
  t.equal((await control('DELETE /settings/seed?x=1')).status, 400)
})

t.test('control: settings that cannot be changed are refused together', async t => {
  const { control } = await startTestEmulator(t)
  const before = (await control('GET /settings')).text
  const cases: [changes: object, paths: string][] = parse(`
    - [{port: 1}, port]
    - [{limits: {body: 1}}, limits.body]
    - [{limits.body: 1}, limits.body]
    - [{limits.x: 1}, limits.x]
    - [{control_token: x}, control_token]
    - [{constructor: 1}, constructor]
    - [{pagination: {max_limt: 1}}, pagination.max_limt]
    - [{pagination.max_limit: 0}, pagination.max_limit]
    - [{errors.expose_rule: 'yes'}, errors.expose_rule]
    - [{auth.accept_any_key: mch_b}, auth.accept_any_key]
    - [{auth: {accept_any_key: 5}}, auth.accept_any_key]
    - [{pagination: 5}, pagination]
    - [{pagination: 5, pagination.max_limit: 6}, pagination]
    - [{pagination.max_limit: 9, port: 1, auth.accept_any_key: nobody}, 'port,auth.accept_any_key']
  `)
  for (const [changes, paths] of cases) {
    const { status, body } = await control('PATCH /settings', changes)
    t.strictSame([status, body.error.code], [400, 'setting_invalid'], JSON.stringify(changes))
    t.equal(body.error.problems.map(({ path }: Json) => path).join(), paths)
    t.match(body.error.message, /Nothing was changed\.$/)
    const isOfProcess = body.error.message.includes('when you start the emulator')
    t.equal(
      isOfProcess,
      /port|token|limits.*body/.test(JSON.stringify(changes)),
      body.error.message
    )
    t.equal((await control('GET /settings')).text, before)
  }
})

t.test('control: errors of the control API keep their statuses and shape', async t => {
  const { control } = await startTestEmulator(t, {
    settings: { 'statuses.invalid': 422, 'statuses.missing': 410 }
  })
  const { status, body } = await control('POST /load?x=1', { scenario: 'default' })
  t.strictSame([status, body.error.rule, body.error.assumption], [400, undefined, undefined])
  t.equal((await control('POST /load', { scenario: 'nope' })).status, 404)
})

t.test('control: the ledger shows settings and how many responses rely on each', async t => {
  const { call, control } = await startTestEmulator(t, { settings: { 'ids.length': 12 } })
  const ledger = async () => (await control('GET /assumptions')).body.data as Json[]
  const used = async (wanted: string) => {
    const { topic, default: _, ...entry } = (await ledger()).find(({ id }) => id === wanted)
    return entry
  }
  const texts = (await ledger()).map(({ id, topic, default: fallback }) => [
    id,
    { topic, default: fallback }
  ])
  const expected = Object.entries(ASSUMPTIONS).map(([id, { topic, default: fallback }]) => [
    id,
    { topic, default: fallback }
  ])
  t.strictSame(texts, expected)
  const unused = {
    id: 'A03',
    settings: { 'ids.length': 12, seed: 1 },
    standing: false,
    times: 0,
    requests: []
  }
  t.strictSame(await used('A03'), unused)
  const { settings, standing, times } = await used('A01')
  t.strictSame([settings, standing, times], [{}, true, 0])

  for (let time = 0; time < 2; time++)
    await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type: 'card' } })
  await control('GET /state')

  t.strictSame(await used('A03'), { ...unused, times: 2, requests: ['req_1', 'req_2'] })
  t.equal((await used('A09')).times, 2, 'each shows its list of Refunds')
  await control('POST /load', { scenario: smallFixture() })
  t.equal((await used('A03')).times, 0)
})
