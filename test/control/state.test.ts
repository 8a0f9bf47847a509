import t from 'tap'
import { parse } from 'yaml'
import { yamlText } from '../../src/scenario/yaml.js'
import { MERCHANT, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'
import { startWithFolders } from './folders.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const YAML = { 'content-type': 'application/yaml' }
const SCENARIO = { clock: '2026-03-01T18:05:00Z', data: smallFixture() }
const FIXTURE_NAMES = 'api_keys, accounts, users, locations, tickets, transactions, refunds'

/** Calls that draw an id of every kind and a key; answers all that came back, as bytes. */
async function drawn({ call, control }: Emulator): Promise<string> {
  const answers = [
    await control('POST /keys', { account: 'rsl_r' }),
    await control('POST /records', { tickets: [{ location: 'loc_a', reference: 'drawn' }] }),
    await call('POST /accounts', { body: { type: 'merchant', name: 'B', email: 'b@example.com', 'address[country]': 'US' } }),
    await call('POST /accounts', { body: { type: 'reseller', name: 'C', email: 'c@example.com', 'address[country]': 'US' } }),
    await call('POST /accounts/mch_a/users', { body: { name: 'Ana', email: 'ana@example.com' } }),
    await call('POST /locations', { body: { display_name: 'B', 'address[country]': 'US' } }),
    await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type: 'card', amount: 100 } })
  ]
  const refund = await call('POST /refunds', { body: { transaction: answers.at(-1)?.body.id, amount: 30 } })
  const all = [...answers, refund, await control('GET /state'), await control('GET ')]
  return all.map(({ status, text, headers }) => `${status} ${String(headers['request-id']).replace(/^ctl_\d+/, 'ctl')} ${text}`).join('\n')
}

t.test('control: health is ready, with the version and the scenario', async t => {
  const { control } = await startWithFolders(t, { scenarios: { 'default.yaml': 'name: mine' } })

  const { status, text } = await control('GET /health')

  t.equal(status, 200)
  t.equal(text, '{"status":"ready","version":"1.2.3","scenario":"mine"}')
})

t.test('control: the overview shows scenario, seed, clock, counts and links that lead somewhere', async t => {
  const { control } = await startTestEmulator(t, { scenario: { ...SCENARIO, name: 'mine', description: 'All mine.', seed: 9 } })

  const { status, body } = await control('GET ')

  t.equal(status, 200)
  t.strictSame(body, {
    name: 'commerce-emulator',
    version: '0.0.0',
    scenario: { name: 'mine', description: 'All mine.' },
    seed: 9,
    clock: { now: '2026-03-01T18:05:00.000Z', running: false },
    calls: 0,
    counts: { accounts: 2, users: 0, locations: 1, tickets: 1, transactions: 0, refunds: 0 },
    links: {
      api: '/next',
      health: '/_control/health',
      scenarios: '/_control/scenarios',
      state: '/_control/state',
      script: '/_control/script',
      clock: '/_control/clock',
      snapshots: '/_control/snapshots',
      requests: '/_control/requests',
      run: '/_control/run',
      coverage: '/_control/coverage',
      findings: '/_control/findings',
      metrics: '/_control/metrics',
      sandboxes: '/_control/sandboxes',
      openapi: '/_control/openapi.json',
      docs: '/_control/docs',
      schemas: ['/_control/schema/fixture.json', '/_control/schema/scenario.json', '/_control/schema/script.json'],
      settings: '/_control/settings',
      assumptions: '/_control/assumptions'
    }
  })
  t.strictSame((await control('GET /')).body, body)
  const links: string[] = Object.values<string | string[]>(body.links).flat()
  for (const link of links.filter(link => link.startsWith('/_control'))) {
    t.equal((await control(`GET ${link.slice('/_control'.length)}`)).status, 200, link)
  }
})

t.test('control: the clock of a scenario stands, runs from an instant, or is the machine’s', async t => {
  const clocks: [clock: unknown, shown: object][] = [
    ['2026-05-01', { now: '2026-05-01T00:00:00.000Z', running: false }],
    [
      { now: '2026-05-01', running: false },
      { now: '2026-05-01T00:00:00.000Z', running: false }
    ],
    [{ now: '2026-05-01' }, { now: '2026-05-01T00:00:00.000Z', running: true }],
    [undefined, { now: '2026-03-01T18:05:00.000Z', running: true }]
  ]
  for (const [clock, shown] of clocks) {
    const { control } = await startTestEmulator(t, { scenario: { ...(clock !== undefined && { clock }), data: smallFixture() } })
    t.strictSame((await control('GET ')).body.clock, shown, JSON.stringify(clock))
  }
})

t.test('A03: with one seed and a standing clock the same calls give the same bytes, and a reset is a fresh boot', async t => {
  const [first, second] = [await startTestEmulator(t, { scenario: SCENARIO }), await startTestEmulator(t, { scenario: SCENARIO })]

  const once = await drawn(first)
  const again = await drawn(second)
  const reset = await first.control('POST /reset')
  const afterReset = await drawn(first)
  await first.control('PATCH /settings', { 'statuses.created': 201, seed: 5 })
  await first.control('POST /load', { scenario: SCENARIO })
  const afterLoad = await drawn(first)

  t.equal(again, once)
  t.strictSame([reset.status, reset.body], [200, { scenario: { name: 'test', description: null } }])
  t.equal(afterReset, once)
  t.equal(afterLoad, once.replaceAll('"name":"test"', '"name":"inline"'))
})

t.test('A03: another seed draws other ids and keys', async t => {
  const [first, second] = [await startTestEmulator(t, { scenario: SCENARIO }), await startTestEmulator(t, { scenario: { ...SCENARIO, seed: 2 } })]
  const body = { account: 'mch_a' }

  const keys = [await first.control('POST /keys', body), await second.control('POST /keys', body)].map(answer => answer.body.key)

  t.not(keys[0], keys[1])
})

t.test('control: a reset takes back records, keys, ids, settings, answers counted and assumptions', async t => {
  const emulator = await startTestEmulator(t, { scenario: SCENARIO })
  const { call, control, state } = emulator
  const before = [await state(), (await control('GET /settings')).text, (await control('GET /assumptions')).text]
  await drawn(emulator)
  await call('DELETE /accounts/mch_a/users/usr_x')
  await control('PATCH /settings', { pagination: { max_limit: 3 } })

  await control('POST /reset')

  t.strictSame([await state(), (await control('GET /settings')).text, (await control('GET /assumptions')).text], before)
  t.equal((await call('GET /tickets/tkt_a')).headers['request-id'], 'req_1')
})

t.test('control: a scenario or fixture is loaded by name, inline, or as YAML', async t => {
  const accounts = 'accounts: [{ id: mch_y, type: merchant, name: Y, email: y@example.com, address: { country: US } }]'
  const { control } = await startWithFolders(t, {
    scenarios: { 'default.yaml': 'name: start', 'lunch.yaml': 'description: A busy lunch.\nfixtures: [y]\nseed: 4', 'named.json': '{"name":"own name"}' },
    fixtures: { 'y.yaml': `# yaml-language-server: $schema=x\n# Only Y.\n${accounts}` }
  })
  const account = { id: 'mch_i', type: 'merchant', name: 'I', email: 'i@example.com', address: { country: 'US' } }
  const loads: [body: object | string, headers: Record<string, string>, name: string, accounts: number, seed: number][] = [
    [{ scenario: 'lunch' }, {}, 'lunch', 1, 4],
    [{ scenario: 'named' }, {}, 'own name', 0, 1],
    [{ scenario: 'y' }, {}, 'y', 1, 1],
    [{ scenario: { fixtures: ['y'], data: { accounts: [account] } } }, {}, 'inline', 2, 1],
    [{ scenario: { name: 'sent', seed: 8 } }, {}, 'sent', 0, 8],
    [{ scenario: { accounts: [account] } }, {}, 'inline', 1, 1],
    [{ scenario: {} }, {}, 'inline', 0, 1],
    ['scenario: lunch', YAML, '', 0, 0],
    ['name: from yaml\nfixtures: [y]', YAML, 'from yaml', 1, 1],
    [accounts, YAML, 'inline', 1, 1],
    ['{"name":"json as yaml"}', YAML, 'json as yaml', 0, 1]
  ]
  for (const [body, headers, name, accounts, seed] of loads) {
    const { status, body: answer } = await control('POST /load', body, headers)
    if (name === '') {
      t.equal(status, 400, 'a YAML body is the document itself')
      continue
    }
    t.equal(status, 200, JSON.stringify(body))
    t.strictSame(answer, { scenario: { name, description: name === 'lunch' ? 'A busy lunch.' : null }, dry_run: false })
    const overview = (await control('GET ')).body
    t.strictSame([overview.scenario, overview.counts.accounts, overview.seed], [answer.scenario, accounts, seed])
  }
})

t.test('control: a dry run checks and changes nothing', async t => {
  const { control, state } = await startTestEmulator(t, { scenario: SCENARIO })
  const before = await state()
  const scenario = { name: 'other' }

  for (const query of ['dry_run=1', 'dry_run=true', 'dry_run', 'dry_run=']) {
    const { status, body } = await control(`POST /load?${query}`, { scenario })
    t.equal(status, 200, query)
    t.strictSame(body, { scenario: { name: 'other', description: null }, dry_run: true })
    t.equal((await control(`POST /load?${query}`, { scenario: 'nope' })).status, 404)
    t.equal(await state(), before)
    t.equal((await control('GET ')).body.scenario.name, 'test')
  }
  for (const query of ['dry_run=0', 'dry_run=false']) {
    t.equal((await control(`POST /load?${query}`, { scenario })).body.dry_run, false, query)
    t.equal((await control('GET ')).body.scenario.name, 'other')
  }
})

t.test('control: every refused call says what is wrong and where, and changes nothing, ids drawn later included', async t => {
  const emulator = await startTestEmulator(t, { scenario: SCENARIO })
  const { control, state } = emulator
  const before = await state()
  type Refusal = { on: string; body?: object | string; headers?: Record<string, string>; status?: number; code: string; message: string; more?: object }
  const problem = (path: string, message: string, line: number, column: number) => ({ file: 'body', path, message, line, column })
  const refusals: Refusal[] = [
    {
      on: 'POST /load',
      code: 'body_malformed',
      message: 'This call needs a body, as application/json or application/yaml, such as {"scenario":"default"}'
    },
    {
      on: 'POST /load',
      body: ' \n',
      code: 'body_malformed',
      message: 'This call needs a body, as application/json or application/yaml, such as {"scenario":"default"}'
    },
    { on: 'POST /load', body: '{"scenario":', code: 'body_malformed', message: 'The body is not JSON: ' },
    { on: 'POST /load', body: { scenario: 'nope' }, status: 404, code: 'scenario_unknown', message: 'No scenario is called nope. Known are: ' },
    {
      on: 'POST /load',
      body: { scenario: 'defualt' },
      status: 404,
      code: 'scenario_unknown',
      message: 'No scenario is called defualt; did you mean default? Known are: '
    },
    {
      on: 'POST /load',
      body: { scenario: '../package.json' },
      status: 404,
      code: 'scenario_unknown',
      message: 'No scenario is called ../package.json. Known are: '
    },
    {
      on: 'POST /load',
      body: { scenari: 'default' },
      code: 'document_invalid',
      message: 'The document has 2 problems, the first: body:1:1 scenario is required. Nothing was changed.',
      more: { problems: [problem('', 'scenario is required', 1, 1), problem('scenari', 'unknown name scenari; did you mean scenario?', 1, 12)] }
    },
    {
      on: 'POST /load',
      body: { scenario: 3 },
      code: 'document_invalid',
      message: 'The document has a problem: body:1:13 scenario: must be text or an object; got 3; quote it: "3". Nothing was changed.',
      more: { problems: [problem('scenario', 'must be text or an object; got 3; quote it: "3"', 1, 13)] }
    },
    {
      on: 'POST /load',
      body: 'null',
      code: 'document_invalid',
      message: 'The document has a problem: must be body:1:1 an object; got null. Nothing was changed.',
      more: { problems: [problem('', 'must be an object; got null', 1, 1)] }
    },
    {
      on: 'POST /load',
      body: '{\n  "scenario": {\n    "sede": 3,\n    "data": { "tickets": [ { "id": "t", "location": "loc_a" } ] }\n  }\n}',
      code: 'document_invalid',
      message: 'The document has 2 problems, the first: body:3:13 sede: unknown name sede; did you mean seed? Nothing was changed.',
      more: {
        problems: [problem('sede', 'unknown name sede; did you mean seed?', 3, 13), problem('data.tickets[0].location', 'no Location has the id loc_a', 4, 53)]
      }
    },
    {
      on: 'POST /load',
      body: '{\n\t"scenario": {\n\t\t"data": {\n\t\t\t"tickets": [{ "location": "loc_a" }] } } }',
      code: 'document_invalid',
      message: 'The document has a problem: body:4:30 data.tickets[0].location: no Location has the id loc_a. Nothing was changed.',
      more: { problems: [problem('data.tickets[0].location', 'no Location has the id loc_a', 4, 30)] }
    },
    {
      on: 'POST /load',
      body: 'name: [x',
      headers: YAML,
      code: 'document_invalid',
      message: 'The document has a problem: body:1:7 [ is not closed; end it with ]. Nothing was changed.',
      more: { problems: [problem('', '[ is not closed; end it with ]', 1, 7)] }
    },
    {
      on: 'POST /load',
      body: 'fixtures: [bistor, ./x.yaml]\nsettings:\n  port: 1\n  limits: { body: 3 }\n  pagination: { max_limit: 0 }\n',
      headers: YAML,
      code: 'document_invalid',
      message:
        'The document has 5 problems, the first: body:1:12 fixtures[0]: no fixture is called bistor; did you mean bistro? Known are: bistro, empty. Nothing was changed.',
      more: {
        problems: [
          problem('fixtures[0]', 'no fixture is called bistor; did you mean bistro? Known are: bistro, empty', 1, 12),
          problem('fixtures[1]', 'a document that does not come from a file may name fixtures, not paths: ./x.yaml', 1, 20),
          problem('settings.port', 'it belongs to the process; give it when the emulator is started, as with PORT or --set port=', 3, 9),
          problem('settings.limits', 'it belongs to the process; give it when the emulator is started, as with LIMITS_BODY or --set limits.body=', 4, 11),
          problem('settings.pagination.max_limit', 'must be at least 1; got 0', 5, 28)
        ]
      }
    },
    {
      on: 'POST /load',
      body: { scenario: { fixtures: ['./x.yaml'] } },
      code: 'document_invalid',
      message:
        'The document has a problem: body:1:26 fixtures[0]: a document that does not come from a file may name fixtures, not paths: ./x.yaml. Nothing was changed.',
      more: { problems: [problem('fixtures[0]', 'a document that does not come from a file may name fixtures, not paths: ./x.yaml', 1, 26)] }
    },
    {
      on: 'POST /load?dryrun=1',
      body: { scenario: 'default' },
      code: 'parameter_unknown',
      message: 'dryrun is not a parameter of this call; did you mean dry_run?',
      more: { param: 'dryrun' }
    },
    {
      on: 'POST /load?dry_run=yes',
      body: { scenario: 'default' },
      code: 'parameter_invalid',
      message: 'dry_run: must be one of 1, 0, true, false; got yes',
      more: { param: 'dry_run' }
    },
    {
      on: 'POST /load?dry_run=1&dry_run=1',
      body: { scenario: 'default' },
      code: 'form_malformed',
      message: 'dry_run: it was given twice; a parameter takes one value.',
      more: { param: 'dry_run' }
    },
    { on: 'POST /reset?hard=1', code: 'parameter_unknown', message: 'hard is not a parameter of this call', more: { param: 'hard' } },
    {
      on: 'POST /records?dry_run=1',
      body: smallFixture(),
      code: 'parameter_unknown',
      message: 'dry_run is not a parameter of this call',
      more: { param: 'dry_run' }
    },
    {
      on: 'POST /keys?account=mch_a',
      body: { account: 'mch_a' },
      code: 'parameter_unknown',
      message: 'account is not a parameter of this call',
      more: { param: 'account' }
    },
    { on: 'PATCH /settings?seed=3', body: { seed: 3 }, code: 'parameter_unknown', message: 'seed is not a parameter of this call', more: { param: 'seed' } },
    { on: 'GET /state?format=xml', code: 'parameter_invalid', message: 'format: must be one of json, yaml; got xml', more: { param: 'format' } },
    {
      on: 'POST /records',
      code: 'body_malformed',
      message: 'This call needs a body, as application/json or application/yaml, such as {"tickets":[{"location":"loc_bistro","reference":"T-1"}]}'
    },
    {
      on: 'POST /records',
      body: { name: 'x' },
      code: 'document_invalid',
      message: `The document has a problem: body:1:9 name: unknown name name; available: ${FIXTURE_NAMES}. Nothing was changed.`,
      more: { problems: [problem('name', `unknown name name; available: ${FIXTURE_NAMES}`, 1, 9)] }
    },
    {
      on: 'POST /records',
      body: [],
      code: 'document_invalid',
      message: 'The document has a problem: must be body:1:1 an object; got a list. Nothing was changed.',
      more: { problems: [problem('', 'must be an object; got a list', 1, 1)] }
    },
    {
      on: 'POST /records',
      body: 'tickets:\n  - { location: loc_a, reference: drawn }\n  - { location: loc_b }\nusers:\n  - { id: usr_1, account: mch_a, name: A, email: a@b.example }\n  - { id: usr_1, account: mch_a, name: A, email: a@b.example }\n',
      headers: YAML,
      code: 'document_invalid',
      message: 'The document has 2 problems, the first: body:3:17 tickets[1].location: no Location has the id loc_b; did you mean loc_a? Nothing was changed.',
      more: {
        problems: [
          problem('tickets[1].location', 'no Location has the id loc_b; did you mean loc_a?', 3, 17),
          problem('users[1].id', 'the id usr_1 is listed twice', 6, 11)
        ]
      }
    },
    {
      on: 'POST /keys',
      code: 'body_malformed',
      message: 'This call needs a body, as application/json or application/yaml, such as {"account":"mch_bistro"}'
    },
    {
      on: 'POST /keys',
      body: { account: 'mch_b' },
      code: 'account_unknown',
      message: 'account: no Account has the id mch_b; did you mean mch_a?',
      more: { param: 'account' }
    },
    {
      on: 'POST /keys',
      body: { account: 'nobody at all' },
      code: 'account_unknown',
      message: 'account: no Account has the id nobody at all.',
      more: { param: 'account' }
    },
    {
      on: 'POST /keys',
      body: { account: 'mch_a', key: 'sk_x' },
      code: 'document_invalid',
      message: 'The document has a problem: body:1:26 key: unknown name key; available: account. Nothing was changed.',
      more: { problems: [problem('key', 'unknown name key; available: account', 1, 26)] }
    },
    {
      on: 'PATCH /settings',
      code: 'body_malformed',
      message: 'This call needs a body, as application/json or application/yaml, such as {"pagination.max_limit":5}'
    },
    {
      on: 'PATCH /settings',
      body: [],
      code: 'document_invalid',
      message: 'The document has a problem: must be body:1:1 an object; got a list. Nothing was changed.',
      more: { problems: [problem('', 'must be an object; got a list', 1, 1)] }
    }
  ]

  for (const { on, body, headers, status = 400, code, message, more = {} } of refusals) {
    const answer = await control(on, body, headers)
    const { type, request_id, message: said, ...rest } = answer.body.error
    const name = `${on} ${typeof body === 'string' ? body : JSON.stringify(body)}`
    t.equal(answer.status, status, name)
    t.equal(type, status === 404 ? 'not_found_error' : 'invalid_request_error')
    t.equal(request_id, answer.headers['request-id'])
    t.equal(said.slice(0, message.length), message)
    t.notMatch(said, /\?\./, 'the sentence ends once')
    t.strictSame(rest, { code, ...more })
    t.equal(await state(), before)
  }
  const fresh = await startTestEmulator(t, { scenario: SCENARIO })
  t.equal(await drawn(emulator), await drawn(fresh), 'no id was drawn and no answer counted')
})

t.test('control: records are merged into the running state and answered as they stand', async t => {
  const { call, control, state } = await startTestEmulator(t)
  const sent = {
    tickets: [{ location: 'loc_a', reference: 'T-2', extra: { table: 4 } }],
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100 }],
    refunds: [{ transaction: 'txn_a', amount: 30 }],
    api_keys: [{ key: 'sk_new', account: 'rsl_r' }]
  }

  const { status, body } = await control('POST /records', sent)

  t.equal(status, 200)
  t.strictSame(Object.keys(body), ['api_keys', 'accounts', 'users', 'locations', 'tickets', 'transactions', 'refunds'])
  t.strictSame(body.api_keys, sent.api_keys)
  t.strictSame([body.accounts, body.users, body.locations], [[], [], []])
  const [ticket] = body.tickets
  t.strictSame(
    { ...ticket, id: 'drawn' },
    {
      id: 'drawn',
      object: 'ticket',
      created: '2026-03-01T18:05:00.000Z',
      location: 'loc_a',
      reference: 'T-2',
      extra: { table: 4 }
    }
  )
  t.ok(/^tkt_[A-Za-z0-9]{24}$/.test(ticket.id))
  t.equal(body.transactions[0].amount_refunded, 30, 'with what has been refunded')
  t.equal(body.refunds[0].transaction, 'txn_a')
  t.strictSame((await call(`GET /tickets/${ticket.id}`)).body.table, 4)
  t.equal((await call('GET /tickets', { key: 'sk_new' })).status, 200)
  t.equal((await call('POST /refunds', { body: { transaction: 'txn_a' } })).body.amount, 70)

  const before = await state()
  const replaced = await control('POST /records', 'tickets: [{ id: tkt_a, location: loc_a, reference: renamed }]', YAML)

  t.equal(replaced.body.tickets[0].reference, 'renamed')
  t.equal(await state(), before.replace('"reference":"T-1"', '"reference":"renamed"'))
})

t.test('A18: a new key is drawn from the seed and acts as its Account', async t => {
  const { call, control } = await startTestEmulator(t)

  const { status, body } = await control('POST /keys', { account: 'rsl_r' })
  const other = await control('POST /keys', 'account: mch_a', YAML)
  const refused = await call('POST /locations', { key: body.key, body: { display_name: 'B', 'address[country]': 'US' } })
  const allowed = await call('POST /locations', { key: other.body.key, body: { display_name: 'B', 'address[country]': 'US' } })

  t.equal(status, 200)
  t.strictSame(Object.keys(body), ['key', 'account'])
  t.ok(/^sk_test_[A-Za-z0-9]{24}$/.test(body.key))
  t.equal(body.account, 'rsl_r')
  t.not(other.body.key, body.key)
  t.equal(refused.status, 403)
  t.equal(allowed.body.account, 'mch_a')
})

t.test('control: the API keys are listed, each with its Account, those of a sandbox apart', async t => {
  const { control, inject } = await startTestEmulator(t)
  await inject({ method: 'POST', url: '/sandbox/own/_control/load', headers: { 'content-type': 'application/json' }, payload: '{"scenario":{"tickets":[]}}' })
  const added = (await control('POST /keys', { account: 'mch_a' })).body

  const { status, body } = await control('GET /keys')

  t.equal(status, 200)
  t.strictSame(body, { data: [{ key: MERCHANT, account: 'mch_a' }, { key: RESELLER, account: 'rsl_r' }, added] })
  t.strictSame((await inject({ method: 'GET', url: '/sandbox/own/_control/keys' })).body, { data: [] })
  t.equal((await inject({ method: 'GET', url: '/sandbox/none/_control/keys' })).body.error.code, 'sandbox_unknown')
  t.equal((await control('GET /keys?account=mch_a')).body.error.code, 'parameter_unknown')
})

t.test('control: the state is a fixture: loaded again, it is the same state, in JSON and in YAML', async t => {
  const emulator = await startTestEmulator(t, {
    records: {
      accounts: [
        { id: 'mch_m', type: 'merchant', name: '12', email: 'm@example.com', address: { country: 'gb', line2: 'yes' }, metadata: { a: 'null', __proto: '1' } }
      ],
      users: [{ id: 'usr_a', account: 'mch_a', name: 'no', email: 'u@example.com' }],
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100, payment_method: { card: { brand: 'visa', last4: '0042' } } }],
      refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 30, extra: { note: ['a', { b: 1 }] } }]
    }
  })
  const { control, state } = emulator
  await drawn(emulator)
  const json = await control('GET /state?format=json')
  const yaml = await control('GET /state?format=yaml')

  t.equal(json.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8')
  t.equal(json.text, await state())
  t.equal((await control('GET /state?format=')).text, json.text)
  t.strictSame(parse(yaml.text), json.body)
  await control('POST /records', { tickets: Array.from({ length: 1001 }, (_, nth) => ({ id: `tkt_more${nth}`, location: 'loc_a', reference: 'T' })) })
  t.equal((await control('GET /state?format=yaml')).text, yamlText(JSON.parse(await state())), 'many records come in several pieces')
  await control('POST /reset')
  t.strictSame(Object.keys(json.body), ['api_keys', 'accounts', 'users', 'locations', 'tickets', 'transactions', 'refunds'])
  t.equal(json.body.api_keys.length, 3)
  for (const body of [{ scenario: json.body }, yaml.text]) {
    const { status } = await control('POST /load', body, typeof body === 'string' ? YAML : {})
    t.equal(status, 200)
    t.equal(await state(), json.text)
  }
})

t.test('control: the scenarios that can be loaded are listed with what they say of themselves', async t => {
  const { control } = await startWithFolders(t, {
    scenarios: {
      'default.yaml': 'description: Mine.',
      'bare.yml': '{}',
      'broken.yaml': 'a: [',
      'notes.txt': 'no scenario',
      'named.yaml': 'name: Of the guests',
      'same.yaml': 'name: same',
      'varied.yaml': 'vars: { last4: "0341", count: 3 }',
      'wrong.yaml': 'name: [a]\nvars: { "a name": 1, last4: [] }'
    },
    fixtures: { 'y.yaml': '# yaml-language-server: $schema=x\n# Only Y.\naccounts: []', 'default.json': '{}' }
  })

  const { status, body } = await control('GET /scenarios')

  t.equal(status, 200)
  const own = body.data.filter(({ name }: { name: string }) => ['default', 'bare', 'broken', 'named', 'same', 'varied', 'wrong', 'y', 'notes'].includes(name))
  t.strictSame(own, [
    { name: 'bare', kind: 'scenario', description: null },
    { name: 'broken', kind: 'scenario', description: null },
    { name: 'default', kind: 'scenario', description: 'Mine.' },
    { name: 'named', kind: 'scenario', title: 'Of the guests', description: null },
    { name: 'same', kind: 'scenario', description: null },
    { name: 'varied', kind: 'scenario', description: null, vars: { last4: '0341', count: 3 } },
    { name: 'wrong', kind: 'scenario', description: null },
    { name: 'y', kind: 'fixture', description: 'Only Y.' }
  ])
  for (const { name } of body.data.filter(({ name }: { name: string }) => !['broken', 'wrong'].includes(name))) {
    t.equal((await control('POST /load?dry_run=1', { scenario: name })).status, 200, name)
  }
})
