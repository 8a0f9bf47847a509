import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { execute } from '../../src/engine/play.js'
import { close } from '../../src/evidence/entry.js'
import { yamlText } from '../../src/scenario/yaml.js'
import {
  authorization,
  blameOf,
  type Emulator,
  MERCHANT,
  RESELLER,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { rows } from '../support/rows.js'

const YAML = { 'content-type': 'application/yaml' }
const SCENARIO = { clock: '2026-03-01T18:05:00Z', data: smallFixture() }

const manyTickets = (length: number) =>
  Array.from({ length }, (_, nth) => ({ id: `tkt_many${nth}`, location: 'loc_a', reference: 'T' }))

/** Requests that draw an id of every kind and a key; returns all responses as bytes. */
async function drawn({ call, control }: Emulator): Promise<string> {
  const answers = [
    await control('POST /keys', { account: 'rsl_r' }),
    await control('POST /records', { tickets: [{ location: 'loc_a', reference: 'drawn' }] })
  ]
  for (const [path, body] of rows<[path: string, body: string]>(`
    /accounts type=merchant&name=B&email=b@example.com&address[country]=US
    /accounts type=reseller&name=C&email=c@example.com&address[country]=US
    /accounts/mch_a/users name=Ana&email=ana@example.com
    /locations display_name=B&address[country]=US
    /transactions ticket=tkt_a&payment_type=card&amount=100
  `))
    answers.push(await call(`POST ${path}`, { body }))
  const body = { transaction: answers.at(-1)?.body.id, amount: 30 }
  const refund = await call('POST /refunds', { body })
  const all = [...answers, refund, await control('GET /state'), await control('GET ')]
  return all
    .map(
      ({ status, text, headers }) =>
        `${status} ${String(headers['request-id']).replace(/^ctl_\d+/, 'ctl')} ${text}`
    )
    .join('\n')
}

t.test('control: the overview shows scenario, seed, clock', async t => {
  const { control } = await startTestEmulator(t, {
    scenario: { ...SCENARIO, name: 'mine', description: 'All mine.', seed: 9 }
  })

  const { status, body } = await control('GET ')

  const { links: linked, ...rest } = body
  t.equal(status, 200)
  t.strictSame(rest, {
    name: 'commerce-emulator',
    version: '0.0.0',
    scenario: { name: 'mine', description: 'All mine.' },
    seed: 9,
    clock: { now: '2026-03-01T18:05:00.000Z', running: false },
    calls: 0,
    counts: { accounts: 2, users: 0, locations: 1, tickets: 1, transactions: 0, refunds: 0 }
  })
  const names =
    'health,scenarios,state,script,clock,snapshots,requests,coverage,findings,run,metrics,sandboxes,openapi,docs,settings,assumptions'
  t.equal(Object.keys(linked).join(), `api,${names}`)
  t.strictSame((await control('GET /')).body, body)
  const links: string[] = Object.values<string | string[]>(linked).flat()
  for (const link of links.filter(link => link.startsWith('/_control')))
    t.equal((await control(`GET ${link.slice('/_control'.length)}`)).status, 200, link)
})

t.test('A03: with one seed and a frozen clock the same requests give the same bytes', async t => {
  const [first, second] = [
    await startTestEmulator(t, { scenario: SCENARIO }),
    await startTestEmulator(t, { scenario: SCENARIO })
  ]

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

t.test('control: a scenario or fixture is loaded by name, inline, or as YAML', async t => {
  const accounts =
    'accounts: [{ id: mch_y, type: merchant, name: Y, email: y@example.com, address: { country: US } }]'
  const { control } = await startTestEmulator(t, {
    folders: {
      scenarios: {
        'default.yaml': 'name: start',
        'lunch.yaml': 'description: A busy lunch.\nfixtures: [y]\nseed: 4',
        'named.json': '{"name":"own name"}'
      },
      fixtures: { 'y.yaml': `# yaml-language-server: $schema=x\n# Only Y.\n${accounts}` }
    }
  })
  const loads: [body: object | string, name: string, accounts: number, seed: number][] = parse(`
    - [{scenario: lunch}, lunch, 1, 4]
    - [{scenario: named}, own name, 0, 1]
    - [{scenario: y}, y, 1, 1]
    - [{scenario: {fixtures: [y], data: {accounts: &accounts [{id: mch_i, type: merchant, name: I, email: i@example.com, address: {country: US}}]}}}, inline, 2, 1]
    - [{scenario: {name: sent, seed: 8}}, sent, 0, 8]
    - [{scenario: {accounts: *accounts }}, inline, 1, 1]
    - [{scenario: {}}, inline, 0, 1]
    - ["name: from yaml\\nfixtures: [y]", from yaml, 1, 1]
    - ['${accounts}', inline, 1, 1]
    - ['{"name":"json as yaml"}', json as yaml, 0, 1]
  `)
  for (const [body, name, accounts, seed] of loads) {
    const headers = typeof body === 'string' ? YAML : {}
    const { status, body: answer } = await control('POST /load', body, headers)
    t.equal(status, 200, JSON.stringify(body))
    t.strictSame(answer, {
      scenario: { name, description: name === 'lunch' ? 'A busy lunch.' : null },
      dry_run: false
    })
    const overview = (await control('GET ')).body
    t.strictSame(
      [overview.scenario, overview.counts.accounts, overview.seed],
      [answer.scenario, accounts, seed]
    )
  }
})

t.test('control: a number that loses characters is refused in a scenario in JSON', async t => {
  const { control } = await startTestEmulator(t)
  for (const [reference, status] of [
    ['1.10', 400],
    ['"1.10"', 200]
  ] as const) {
    const ticket = { id: 'tkt_z', location: 'loc_a', reference: 'REFERENCE' }
    const scenario = { data: smallFixture({ tickets: [ticket] }) }
    const text = JSON.stringify({ scenario }).replace('"REFERENCE"', reference)
    const loaded = await control('POST /load', text, { 'content-type': 'application/json' })
    t.equal(loaded.status, status, reference)
    if (status === 400) t.match(loaded.body.error.problems[0], { path: /\.reference$/ })
  }
})

t.test('control: a dry run checks and changes nothing', async t => {
  const { control, state } = await startTestEmulator(t, { scenario: SCENARIO })
  const before = await state()
  const load = async (query: string) =>
    (await control(`POST /load?${query}`, { scenario: { name: 'other' } })).body
  for (const query of ['dry_run=1', 'dry_run=true', 'dry_run', 'dry_run=']) {
    t.strictSame(
      await load(query),
      { scenario: { name: 'other', description: null }, dry_run: true },
      query
    )
    t.equal((await control(`POST /load?${query}`, { scenario: 'nope' })).status, 404)
    t.strictSame([await state(), (await control('GET ')).body.scenario.name], [before, 'test'])
  }
  for (const query of ['dry_run=0', 'dry_run=false'])
    t.equal((await load(query)).dry_run, false, query)
  t.equal((await control('GET ')).body.scenario.name, 'other')
})

t.test('control: every refusal says what is wrong and where, and changes nothing', async t => {
  const emulator = await startTestEmulator(t, { scenario: SCENARIO })
  const { control, state } = emulator
  const before = await state()
  const refusals: [on: string, sent: object | string | null, code: string, blamed?: string][] =
    parse(String.raw`
    - [POST /load, null, body_malformed]
    - [POST /load, '{"scenario":', body_malformed]
    - [POST /load, {scenario: defualt}, scenario_unknown]
    - [POST /load, {scenario: ../package.json}, scenario_unknown]
    - [POST /load, {scenari: default}, document_invalid, body scenari 1 2]
    - [POST /load, {scenario: 3}, document_invalid, body scenario 1 13]
    - [POST /load, 'null', document_invalid, 'body  1 1']
    - [POST /load, "{\n\t\"scenario\": {\n    \"sede\": 3 } }", document_invalid, body sede 3 5]
    - [YAML /load, 'name: [x', document_invalid, 'body  1 7']
    - [YAML /load, "fixtures: [bistor]\nsettings:\n  port: 1\n", document_invalid, 'body fixtures[0] 1 12, body settings.port 3 3']
    - [YAML /load, 'scenario: lunch', document_invalid, body scenario 1 1]
    - [POST /load?dryrun=1, {scenario: default}, parameter_unknown, dryrun]
    - [POST /load?dry_run=yes, {scenario: default}, parameter_invalid, dry_run]
    - [POST /load?dry_run=1&dry_run=1, {scenario: default}, form_malformed, dry_run]
    - [POST /reset?hard=1, null, parameter_unknown, hard]
    - [PATCH /settings?seed=3, {seed: 3}, parameter_unknown, seed]
    - [GET /state?format=xml, null, parameter_invalid, format]
    - [POST /records, null, body_malformed]
    - [POST /records, {name: x}, document_invalid, body name 1 2]
    - [POST /records, [], document_invalid, 'body  1 1']
    - [YAML /records, '12345678901234567890', document_invalid, 'body  1 1']
    - [YAML /records, "tickets:\n  - { location: loc_a, reference: drawn }\n  - { location: loc_b }", document_invalid, 'body tickets[1].location 3 17']
    - [POST /keys, null, body_malformed]
    - [POST /keys, {account: mch_b}, account_unknown, account]
    - [POST /keys, {account: mch_a, key: sk_x}, document_invalid, body key 1 20]
    - [PATCH /settings, null, body_malformed]
  `)
  for (const [on, sent, code, blamed] of refusals) {
    const answer = await control(
      on.replace('YAML', 'POST'),
      sent ?? undefined,
      on.startsWith('YAML') ? YAML : {}
    )
    const { request_id, message, param, problems, ...error } = answer.body.error
    const [status, type] =
      code === 'scenario_unknown' ? [404, 'not_found_error'] : [400, 'invalid_request_error']
    t.strictSame([answer.status, error], [status, { type, code }], `${on} ${JSON.stringify(sent)}`)
    t.equal(request_id, answer.headers['request-id'])
    t.notMatch(message, /\?\./, 'the sentence ends once')
    const places = problems?.map(({ file, path, line, column }: Json) =>
      [file, path, line, column].join(' ')
    )
    t.equal(param ?? places?.join(', '), blamed)
    t.equal(await state(), before)
  }
  const fresh = await startTestEmulator(t, { scenario: SCENARIO })
  t.equal(await drawn(emulator), await drawn(fresh), 'no id was drawn and no answer counted')
})

t.test('control: records are merged into the running state and returned as they are', async t => {
  const { call, control, state } = await startTestEmulator(t)
  const sent = {
    tickets: [{ location: 'loc_a', reference: 'T-2', extra: { table: 4 } }],
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100 }],
    refunds: [{ transaction: 'txn_a', amount: 30 }],
    api_keys: [{ key: 'sk_new', account: 'rsl_r' }]
  }

  const { status, body } = await control('POST /records', sent)

  t.strictSame(
    [status, Object.keys(body).join()],
    [200, 'api_keys,accounts,users,locations,tickets,transactions,refunds']
  )
  t.strictSame(
    [body.api_keys, body.accounts, body.users, body.locations],
    [sent.api_keys, [], [], []]
  )
  const [ticket] = body.tickets
  const { id, ...rest } = ticket
  t.strictSame(rest, {
    object: 'ticket',
    created: '2026-03-01T18:05:00.000Z',
    location: 'loc_a',
    reference: 'T-2',
    extra: { table: 4 }
  })
  t.match(id, /^tkt_[A-Za-z0-9]{24}$/)
  t.equal(body.transactions[0].amount_refunded, 30, 'with what has been refunded')
  t.equal(body.refunds[0].transaction, 'txn_a')
  t.strictSame((await call(`GET /tickets/${ticket.id}`)).body.table, 4)
  t.equal((await call('GET /tickets', { key: 'sk_new' })).status, 200)
  t.equal((await call('POST /refunds', { body: { transaction: 'txn_a' } })).body.amount, 70)

  const before = await state()
  const replaced = await control(
    'POST /records',
    'tickets: [{ id: tkt_a, location: loc_a, reference: renamed }]',
    YAML
  )

  t.equal(replaced.body.tickets[0].reference, 'renamed')
  t.equal(await state(), before.replace('"reference":"T-1"', '"reference":"renamed"'))
})

t.test('control: a record is deleted once no other refers to it', async t => {
  const records = parse(`
    accounts: [{id: mch_b, type: merchant, name: B, email: b@example.com, address: {country: US}, reseller: rsl_r}]
    users: [{id: usr_b, account: mch_b, name: Ana, email: ana@example.com}]
    locations: [{id: loc_b, account: mch_b, display_name: B, address: {country: US, city: Boston}, metadata: {a: '1', b: '2'}}]
    tickets: [{id: tkt_b, location: loc_b}, {id: tkt_c, location: loc_a, extra: {table: 4}}]
    transactions: [{id: txn_a, ticket: tkt_a, payment_type: card, amount: 100, tip_amount: 5}]
    refunds: [{id: rfd_a, transaction: txn_a, amount: 60}]
  `)
  const scenario = { clock: '2026-03-01T18:05:00Z', data: smallFixture(records) }
  const { call, control, state } = await startTestEmulator(t, { scenario })
  const before = await state()
  const wrong: [path: string, code: string, blamed: string][] = parse(`
    - [ticket/tkt_a, record_unknown, family]
    - [tickets/tkt_none, record_unknown, id]
    - [accounts/mch_a, record_in_use, 'loc_a, an API key refer']
    - [accounts/rsl_r, record_in_use, 'mch_b, an API key refer']
    - [accounts/mch_b, record_in_use, 'usr_b, loc_b refer']
    - [locations/loc_b, record_in_use, tkt_b refers]
    - [tickets/tkt_a, record_in_use, txn_a refers]
    - [transactions/txn_a, record_in_use, rfd_a refers]
  `)
  for (const [path, code, blamed] of wrong) {
    const { error } = (await control(`DELETE /records/${path}`)).body
    t.equal(error.code, code, path)
    if (code === 'record_in_use')
      t.ok(error.message.includes(`cannot be deleted: ${blamed} to it`), error.message)
    else t.equal(error.param, blamed, path)
    t.equal(await state(), before)
  }

  // each can be deleted once nothing refers to it
  const order =
    'refunds/rfd_a transactions/txn_a tickets/tkt_a tickets/tkt_b locations/loc_b users/usr_b accounts/mch_b'.split(
      ' '
    )
  for (const one of order) {
    t.equal((await control(`DELETE /records/${one}`)).status, 204, one)
    t.equal((await control(`DELETE /records/${one}`)).status, 404, `${one} is gone`)
    if (one === 'refunds/rfd_a')
      t.equal((await call('GET /transactions/txn_a')).body.amount_refunded, 0, 'its amount remains')
  }
  t.strictSame(
    [(await call('GET /tickets/tkt_a')).status, (await call('GET /tickets')).body.data.length],
    [404, 1]
  )
  t.equal(
    (await call('GET /tickets', { query: 'starting_after=tkt_a' })).status,
    200,
    'A10: a cursor stays one'
  )
  await control('PATCH /settings', { 'auth.accept_any_key': 'rsl_r' })
  t.match(
    (await control('DELETE /records/accounts/rsl_r')).body.error.message,
    /an API key, auth\.accept_any_key refer to it/
  )
  await control('POST /records', { tickets: [{ id: 'tkt_a', location: 'loc_a' }] })
  t.equal((await call('GET /tickets/tkt_a')).status, 200, 'and it can be made anew')
})

t.test('A18: a new key is drawn, acts as its Account and is listed', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = emulator
  const own = sandboxClient(emulator, 'own')
  await own.control('POST /load', { scenario: { tickets: [] } })

  const { body: reseller } = await control('POST /keys', { account: 'rsl_r' })
  const { body: merchant } = await control('POST /keys', 'account: mch_a', YAML)
  const create = (key: string) =>
    call('POST /locations', { key, body: { display_name: 'B', 'address[country]': 'US' } })

  t.match(reseller.key, /^sk_test_[A-Za-z0-9]{24}$/)
  t.strictSame(
    [(await create(reseller.key)).status, (await create(merchant.key)).body.account],
    [403, 'mch_a']
  )
  t.strictSame((await control('GET /keys')).body, {
    data: [
      { key: MERCHANT, account: 'mch_a' },
      { key: RESELLER, account: 'rsl_r' },
      reseller,
      merchant
    ]
  })
  t.strictSame((await own.control('GET /keys')).body, { data: [] })
  t.equal((await control('GET /keys?account=mch_a')).body.error.code, 'parameter_unknown')
})

t.test('control: the state is a fixture: loaded again, it is the same state', async t => {
  const emulator = await startTestEmulator(
    t,
    parse(`
    records:
      accounts:
        - {id: mch_m, type: merchant, name: '12', email: m@example.com, address: {country: gb, line2: yes}, metadata: {a: 'null', __proto: '1'}}
      users: [{id: usr_a, account: mch_a, name: no, email: u@example.com}]
      transactions: [{id: txn_a, ticket: tkt_a, payment_type: card, amount: 100, payment_method: {card: {brand: visa, last4: '0042'}}}]
      refunds: [{id: rfd_a, transaction: txn_a, amount: 30, extra: {note: [a, {b: 1}]}}]
  `)
  )
  const { control, state } = emulator
  await drawn(emulator)
  const json = await control('GET /state?format=json')
  const yaml = await control('GET /state?format=yaml')

  for (const [name, { headers }] of Object.entries({ json, yaml }))
    t.equal(headers['content-type'], `application/${name}; charset=utf-8`)
  t.equal(json.text, await state())
  t.equal((await control('GET /state?format=')).text, json.text)
  t.strictSame(parse(yaml.text), json.body)
  await control('POST /records', { tickets: manyTickets(1001) })
  t.equal((await control('GET /state?format=yaml')).text, yamlText(JSON.parse(await state())))
  await control('POST /reset')
  t.equal(json.body.api_keys.length, 3)
  for (const body of [{ scenario: json.body }, yaml.text]) {
    t.equal((await control('POST /load', body, typeof body === 'string' ? YAML : {})).status, 200)
    t.equal(await state(), json.text)
  }
})

t.test('control: loadable scenarios are listed with their descriptions', async t => {
  const { control } = await startTestEmulator(
    t,
    parse(`
    folders:
      scenarios:
        default.yaml: 'description: Mine.'
        bare.yml: '{}'
        broken.yaml: 'a: ['
        notes.txt: no scenario
        named.yaml: 'name: Of the guests'
        same.yaml: 'name: same'
        varied.yaml: 'vars: { last4: "0341", count: 3 }'
        wrong.yaml: "name: [a]\\nvars: { \\"a name\\": 1, last4: [] }"
      fixtures: {y.yaml: "# yaml-language-server: $schema=x\\n# Only Y.\\naccounts: []", default.json: '{}'}
  `)
  )

  const { status, body } = await control('GET /scenarios')

  t.equal(status, 200)
  const expected: Json[] = parse(`
    - {name: bare, kind: scenario, description: null}
    - {name: broken, kind: scenario, description: null}
    - {name: default, kind: scenario, description: Mine.}
    - {name: named, kind: scenario, description: null, title: Of the guests}
    - {name: same, kind: scenario, description: null}
    - {name: varied, kind: scenario, description: null, vars: {last4: '0341', count: 3}}
    - {name: wrong, kind: scenario, description: null, vars: {a name: 1}}
    - {name: y, kind: fixture, description: Only Y.}
  `)
  const own = ['notes', ...expected.map(({ name }) => name)]
  t.strictSame(
    body.data.filter(({ name }: Json) => own.includes(name)),
    expected
  )
  for (const { name } of body.data.filter(
    ({ name }: { name: string }) => !['broken', 'wrong'].includes(name)
  ))
    t.equal((await control('POST /load?dry_run=1', { scenario: name })).status, 200, name)
})

t.test('control: a scenario and a fixture are read as they are written', async t => {
  const { control } = await startTestEmulator(t, {
    folders: {
      scenarios: {
        'default.yaml': '# Mine.\nname: own\nscript: []\n',
        'broken.yaml': 'a: [',
        'a name.json': '{"name":"j"}',
        'card.yaml':
          'match: { body: { "card[number]": "4242424242424242" } } # 4242 4242 4242 4242',
        'huge.yaml': `#${'x'.repeat(2 ** 18)}`
      },
      fixtures: { 'default.yaml': 'accounts: []', 'y.yaml': '# Only Y.\naccounts: []' }
    }
  })
  const read = async (name: string) => {
    const { status, text, body, headers } = await control(`GET /scenarios/${name}`)
    return status === 200 ? [headers['content-type'], text] : [status, body.error.code]
  }
  const yaml = 'application/yaml; charset=utf-8'

  t.strictSame(await read('default'), [yaml, '# Mine.\nname: own\nscript: []\n'])
  t.strictSame(await read('broken'), [yaml, 'a: ['])
  t.strictSame(await read('y'), [yaml, '# Only Y.\naccounts: []'])
  t.strictSame(await read('a%20name'), ['application/json; charset=utf-8', '{"name":"j"}'])
  t.strictSame(await read('card'), [
    yaml,
    'match: { body: { "card[number]": "***" } } # **** **** **** ****'
  ])
  t.strictSame(await read('huge'), [413, 'document_too_large'])
  for (const name of ['none', 'default.yaml', '..%2fdefault', '%2fetc%2fpasswd', '__proto__'])
    t.strictSame(await read(name), [404, 'scenario_unknown'], name)
  for (const { name } of (await control('GET /scenarios')).body.data) {
    const { text, headers } = await control(`GET /scenarios/${name}`)
    const isWhole = name !== 'huge' && name !== 'broken' && !text.includes('***')
    if (isWhole && headers['content-type'] === yaml)
      t.equal((await control('POST /load?dry_run=1', text, YAML)).status, 200, name)
  }
})

const RECORDS = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 10 }]
}
const TRAVELLED = {
  ...SCENARIO,
  data: smallFixture(RECORDS),
  script: [
    { on: 'POST /refunds', calls: 2, fault: 'connection_reset', when: 'after' },
    { on: 'POST /transactions', hold: { gate: 'door' } },
    { on: 'GET /accounts', respond: { status: 503 } },
    { on: 'GET /tickets', hold: { gate: 'door' }, respond: { status: 503 } }
  ]
}
/**
 * Requests, each with the families that it creates (+), changes (~) or deletes (-) from, and
 * control requests between them.
 */
const ACTS: [on: string, given?: object, changes?: string][] = [
  ...parse(`
    - [POST /refunds, {body: {transaction: txn_a, amount: 100}}, +refunds ~transactions]
    - [POST /records, {tickets: [{id: tkt_b, location: loc_a}], refunds: [{transaction: txn_a, amount: 5}]}]
    - [POST /refunds, {body: {transaction: txn_a, amount: 50}}, +refunds ~transactions]
    - [POST /clock/advance, {by: 36h}]
    - [PUT /snapshots/one]
    - [POST /accounts/mch_a/users, {body: {name: V, email: v@example.com}}, +users]
    - [DELETE /accounts/mch_a/users/usr_a, {}, -users]
    - [POST /keys, {account: mch_a}]
    - [POST /refunds, {body: {transaction: txn_a, amount: 1000}}, '']
    - [POST /refunds/rfd_a, {body: {'metadata[k]': v}}, ~refunds ~transactions]
    - [POST /refunds/rfd_a, {body: {'metadata[k]': v}}, '']
    - [POST /snapshots/one/restore]
    - [GET /refunds, {}, '']
    - [GET /accounts, {}, '']
    - [PATCH /settings, {ids.length: 30}]
    - [POST /locations, {body: {display_name: B, 'address[country]': US}}, +locations]
  `),
  ['POST /records', { tickets: manyTickets(1200) }],
  ...parse(`
    - [POST /records, {tickets: [{id: tkt_many7, location: loc_a}]}]
    - [DELETE /records/tickets/tkt_many8]
    - [POST /script, {on: 'GET /accounts/{id}', change: {data: {tickets: [{id: tkt_new, location: loc_a}]}, delete: [tkt_many9]}}]
    - [GET /accounts/mch_a, {}, -tickets +tickets]
    - [GET /nothing, {}, '']
    - [DELETE /accounts/mch_a, {}, '']
  `)
]
const signOf = ({ before, after }: Json) => {
  if (before === null) return '+'
  return after === null ? '-' : '~'
}

t.test('control: the state before and after a request is what GET /state said then', async t => {
  const { call, control } = await startTestEmulator(t, { scenario: TRAVELLED })
  const state = async (moment = '') => (await control(`GET /state${moment}`)).text
  const sent: { before: string; after: string; changes: string }[] = []
  for (const [on, given, changes] of ACTS) {
    const before = await state()
    // one of the responses is lost
    if (changes !== undefined) await call(on, given).catch(() => {})
    else t.equal((await control(on, given)).status < 300, true, on)
    if (changes !== undefined) sent.push({ before, after: await state(), changes })
  }

  for (const [nth, { before, after, changes }] of sent.entries()) {
    const id = `req_${nth + 1}`
    t.equal(await state(`?before=${id}`), before, `before ${id}`)
    t.equal(await state(`?after=${id}`), after, `after ${id}`)
    t.strictSame(parse(await state(`?format=yaml&before=${id}`)), JSON.parse(before))
    t.equal(before === after, changes === '')
    const { text, body } = await control(`GET /requests/${id}/changes`)
    t.equal(
      body.data.map((change: Json) => `${signOf(change)}${change.family}`).join(' '),
      changes,
      id
    )
    t.equal((await control(`GET /requests/${id}/changes`)).text, text, 'the same bytes again')
  }
  t.equal(await state(), sent.at(-1)?.after, 'nothing is changed')
  const [{ before, after }] = (await control('GET /requests/req_1/changes')).body.data.slice(1)
  t.strictSame(
    [before, after].map(({ amount_refunded: total, refunds }) => `${total} ${refunds.data.length}`),
    ['10 1', '110 2']
  )
  await control('POST /load', { scenario: JSON.parse(await state('?before=req_4')) })
  t.equal(await state(), sent[3]?.before, 'it can be loaded')
})

t.test('control: held requests take effect when they continue', async t => {
  const { call, control } = await startTestEmulator(t, { scenario: TRAVELLED })
  const held = [1, 2].map(amount =>
    call('POST /transactions', {
      body: { ticket: 'tkt_a', payment_type: 'external', amount }
    }).then(({ status }) => status)
  )
  const scripted = call('GET /tickets').then(({ status }) => status)
  while ((await control('GET /gates')).body.data[0].waiting.length < 3) await sleep(1)
  await control('POST /records', { tickets: [{ id: 'tkt_b', location: 'loc_a' }] })
  await control('POST /gates/door/open', { release: 'reverse' })
  t.strictSame(await Promise.all([...held, scripted]), [200, 200, 503])

  const amounts = []
  const moments = 'before=req_3 before=req_2 after=req_2 before=req_1 after=req_1'
  for (const moment of moments.split(' ')) {
    const { tickets, transactions } = (await control(`GET /state?${moment}`)).body
    amounts.push(
      [tickets.length, ...transactions.slice(1).map(({ amount }: Json) => amount)].join()
    )
  }
  t.strictSame(amounts, ['2,2,1', '2', '2,2', '2,2', '2,2,1'])
})

t.test('control: a state that is not kept is refused', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: TRAVELLED,
    settings: { 'limits.journal': 100 }
  })
  const { call, control, sandbox } = emulator
  const other = sandboxClient(emulator, 'other')
  await other.control('POST /reset')
  const refused = async (on: string, { control }: Pick<Emulator, 'control'> = emulator) =>
    blameOf(await control(`GET ${on}`))
      .slice(0, 3)
      .join(' ')
  await call('POST /refunds', {
    body: {
      transaction: 'txn_a',
      amount: 1,
      'metadata[key]': MERCHANT,
      'metadata[card]': '4242424242424242'
    }
  })
  const { text } = await control('GET /requests/req_1/changes')
  t.notMatch(text, new RegExp(`${MERCHANT}|4242424242424242`))
  t.equal(JSON.parse(text).data.length, 2)
  const response = execute(sandbox, {
    method: 'DELETE',
    url: '/next/accounts/mch_a/users/usr_a',
    headers: { authorization: authorization() },
    body: null
  })

  for (const [on, ...is] of [
    ['/state?before=req_1&after=req_1', 400, 'parameter_invalid', 'after'],
    ['/state?before=req_9', 404, 'request_unknown', 'before'],
    ['/state?after=req_9', 404, 'request_unknown', 'after'],
    ['/state?format=yaml&after=x', 404, 'request_unknown', 'after'],
    ['/state?since=req_1', 400, 'parameter_unknown', 'since'],
    ['/requests/req_9/changes', 404, 'request_unknown', 'id'],
    ['/requests/req_1/changes?x=1', 400, 'parameter_unknown', 'x']
  ])
    t.equal(await refused(on as string), is.join(' '), on as string)
  t.equal(await refused('/state?before=req_1', other), '404 request_unknown before')

  await call('GET /refunds')
  for (let time = 0; time < 300; time++) sandbox.setClock({ by: 1 })
  t.equal((await control('GET /requests/req_1')).status, 200)
  for (const on of ['/state?before=req_1', '/state?after=req_3', '/requests/req_1/changes'])
    t.equal(await refused(on), '404 state_unknown ', `${on}: too long ago`)
  t.strictSame((await control('GET /requests/req_3/changes')).body, { data: [] })

  await control('POST /reset')
  t.equal(await refused('/state?before=req_1'), '404 request_unknown before', 'before a reset')
  sandbox.evidence.record(close(response, true, 0), response.reading)
  for (const on of ['/state?before=req_2', '/requests/req_2/changes'])
    t.equal(await refused(on), '404 state_unknown ', `${on}: it ended after the reset`)
})

t.test("load: a seed in place of the scenario's, also after a reset", async t => {
  const emulator = await startTestEmulator(t)
  const { control } = emulator
  const load = (more: object, scenario: object | string = SCENARIO) =>
    control('POST /load', { scenario, ...more })
  const made: string[] = []
  const own = { ...SCENARIO, seed: 7 }
  for (const [more, scenario] of [[{}], [{ seed: 7 }], [{}, own], [{ seed: 1 }, own]] as const) {
    t.equal((await load(more, scenario)).status, 200)
    made.push(await drawn(emulator))
    t.equal((await control('POST /reset')).status, 200)
    t.equal(await drawn(emulator), made.at(-1), 'the same after a reset')
  }
  t.strictSame([made[1] === made[0], made[2] === made[1], made[3] === made[0]], [false, true, true])
  t.equal((await load({ seed: 8 }, JSON.stringify(SCENARIO, null, 1))).status, 200, 'of a text')
  t.equal((await control('GET /')).body.seed, 8)
  for (const seed of [-1, 1.5, '7', null]) t.equal((await load({ seed })).status, 400)
})
