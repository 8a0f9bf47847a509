import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { type Entry, textOf } from '../../src/evidence/journal.js'
import { nameOf, OPERATIONS, type OperationId } from '../../src/reference/operations.js'
import { documentOf } from '../../src/scenario/documents.js'
import { FAULTS } from '../../src/scenario/script.js'
import { MERCHANT, NOW, startTestEmulator, world } from '../support/emulator.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const KEY = `authorization: Basic ${btoa(`${MERCHANT}:`)}`
const FORM = 'content-type: application/x-www-form-urlencoded'

const entries = async ({ control }: Emulator): Promise<any[]> => (await control('GET /requests')).body.data
const fateOf = ({ status, answered, took_effect, script }: any) => [status, answered, took_effect, script?.fault ?? null]
/** Waits until the journal holds so many calls; fails the test when they do not come. */
async function until(emulator: Emulator, count: number): Promise<any[]> {
  for (let left = 200; left > 0 && emulator.sandbox.evidence.journal.size < count; left--) await wait(10)
  return entries(emulator)
}
/** Writes a request and leaves after so many milliseconds, or when the other side does. */
const write = (port: number, text: string, leave = 2000) =>
  new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = setTimeout(() => socket.destroy(), leave)
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
const post = (path: string, body: string, length = body.length) =>
  `POST /next${path} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n${FORM}\r\ncontent-length: ${length}\r\n\r\n${body}`

t.test('journal: an entry holds what was sent, by whom, what was answered and what it did', async t => {
  const emulator = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  const body = { transaction: 'txn_a', amount: 400, 'metadata[table]': 'the twelfth', card: '' }

  await emulator.call('POST /refunds', { body: { transaction: 'txn_a', amount: 400, 'metadata[table]': 'the twelfth' }, headers: { 'user-agent': 'till/1.0' } })
  await emulator.call('POST /refunds', { body })
  await emulator.call('GET /refunds', { query: 'limit=1&created[gte]=x&list[]=a&list[]=b' })
  const [third, second, { ms, answer, ...first }] = (await entries(emulator)) as [any, any, any]

  t.equal(typeof ms, 'number')
  t.equal(answer.amount, 400)
  t.strictSame(first, {
    id: 'req_1',
    at: NOW,
    on: 'POST /refunds',
    method: 'POST',
    path: '/refunds',
    params: {},
    account: 'mch_a',
    query: {},
    body: { transaction: 'txn_a', amount: '400', metadata: { table: 'the twelfth' } },
    user_agent: 'till/1.0',
    status: 200,
    answered: true,
    took_effect: true,
    script: null,
    refusal: null
  })
  t.strictSame(second.refusal, { code: 'parameter_unknown', rule: null, assumption: 'A14', param: 'card' })
  t.strictSame([second.took_effect, second.answer.error.code], [false, 'parameter_unknown'])
  t.strictSame(third.query, { limit: '1', created: { gte: 'x' }, list: ['a', 'b'] })
})

t.test('journal: calls that are refused before an operation is found are kept too, control calls and steps are not', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: { clock: NOW, data: world(), steps: [{ do: 'GET /tickets' }] }
  })

  await emulator.call('GET /tickets', { key: null })
  await emulator.call('GET /nothing/at/all')
  await emulator.call('PUT /tickets')
  await emulator.inject({ method: 'GET', url: '/elsewhere' })
  await emulator.inject({ method: 'GET', url: '/next' })
  await emulator.inject({ method: 'GET', url: '/next/tickets/%ff' })
  await emulator.inject({ method: 'GET', url: '/' })
  await emulator.control('GET /coverage')

  t.strictSame(
    (await entries(emulator)).map(({ id, on, path, params, status, account, user_agent }) => [id, on, path, params, status, account, user_agent]),
    [
      ['req_6', null, '/tickets/?', {}, 400, null, 'lightMyRequest'],
      ['req_5', null, '/', {}, 404, null, 'lightMyRequest'],
      ['req_4', null, '/elsewhere', {}, 404, null, 'lightMyRequest'],
      ['req_3', null, '/tickets', {}, 405, null, 'lightMyRequest'],
      ['req_2', null, '/nothing/at/all', {}, 404, null, 'lightMyRequest'],
      ['req_1', 'GET /tickets', '/tickets', {}, 401, null, 'lightMyRequest']
    ]
  )
})

t.test('journal: a call that comes before the start scenario is refused, and kept until it is loaded', async t => {
  const emulator = await startTestEmulator(t, { loaded: false })

  const { status } = await emulator.call('GET /tickets', { query: 'a=b' })

  const [entry] = emulator.sandbox.evidence.journal.entries()
  t.strictSame([status, entry?.status, entry?.at, entry?.refusal?.code], [503, 503, 0, 'not_ready'])
})

t.test('journal: a lost answer took effect and was not answered, whatever the fault; before the operation it took none', async t => {
  for (const fault of FAULTS) {
    for (const when of ['after', 'before'] as const) {
      const emulator = await startTestEmulator(t, {
        scenario: { clock: NOW, data: world({ transactions: [CHARGE] }), script: [{ name: 'lost', on: 'POST /refunds', calls: 1, fault, when }] }
      })
      const port = await emulator.listen()

      await write(port, post('/refunds', 'transaction=txn_a&amount=400'), 100)
      const [entry, ...others] = await until(emulator, 1)

      t.strictSame(fateOf(entry), [when === 'after' ? 200 : 502, false, when === 'after', fault], `${fault} ${when}`)
      t.strictSame(entry.script, { id: 'scr_1', name: 'lost', fault })
      t.equal(entry.answer[when === 'after' ? 'amount' : 'error'] === undefined, false, 'the answer that was lost is kept')
      t.strictSame(others, [], 'it is kept once')
      t.equal(emulator.sandbox.store.refunds.size, when === 'after' ? 1 : 0)
    }
  }
})

t.test('journal: a scripted answer took no effect, a delayed call did, and a refused one did not', async t => {
  const script = [
    { on: 'POST /refunds', calls: 1, respond: { status: 200, body: { id: 'rfd_scripted' } } },
    { name: 'slow', on: 'POST /refunds', calls: 2, delay: '1ms' }
  ]
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: world({ transactions: [CHARGE] }), script } })

  for (const _ of [1, 2, 3]) await emulator.call('POST /refunds', { body: 'transaction=txn_a&amount=600' })

  const [third, second, first] = await entries(emulator)
  t.strictSame(fateOf(first), [200, true, false, null])
  t.strictSame(first.script, { id: 'scr_1', name: null, fault: null })
  t.strictSame([second.took_effect, second.script], [true, { id: 'scr_2', name: 'slow', fault: null }])
  t.strictSame([third.took_effect, third.script, third.status], [false, null, 400])
})

t.test('journal: a client that leaves while it waits, or in the middle of its body, is kept once, unanswered', async t => {
  const script = [
    { on: 'POST /transactions', delay: '120ms' },
    { on: 'POST /refunds', delay: '120ms', fault: 'hang', when: 'after' }
  ]
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: world({ transactions: [CHARGE] }), script } })
  const port = await emulator.listen()

  await write(port, post('/transactions', 'ticket=tkt_a&payment_type=external&amount=5'), 30)
  await write(port, post('/refunds', 'transaction=txn_a&amount=400'), 30)
  await write(port, post('/locations', 'display_name=L', 900), 30)
  await until(emulator, 3)
  await wait(150)

  const kept = (await entries(emulator)).sort((a, b) => (a.id < b.id ? -1 : 1)).map(entry => [entry.on, ...fateOf(entry)])
  t.strictSame(kept, [
    ['POST /transactions', 200, false, true, null],
    ['POST /refunds', 200, false, true, 'hang'],
    ['POST /locations', 400, false, false, null]
  ])
  t.strictSame([emulator.sandbox.store.transactions.size, emulator.sandbox.store.refunds.size], [2, 1])
})

t.test('why: a call names the calls that last changed what it was judged by', async t => {
  const emulator = await startTestEmulator(t, {
    records: { transactions: [CHARGE, { ...CHARGE, id: 'txn_b' }], users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }] }
  })
  const { call, control } = emulator
  const refund = (body: string) => call('POST /refunds', { body })
  const whyOf = async (id: string) => (await control(`GET /requests/${id}`)).body.why

  await refund('transaction=txn_b')
  const { body: made } = await refund('transaction=txn_a&amount=400')
  await call(`POST /refunds/${made.id}`, { body: 'metadata[a]=b' })
  await refund('transaction=txn_a&amount=700')
  await call('POST /accounts/mch_a', { body: 'type=reseller' })
  await call('POST /locations', { body: 'display_name=L&address[country]=US' })
  await call('DELETE /accounts/mch_a/users/usr_a')
  await call('DELETE /accounts/mch_a/users/usr_a')

  const { judged, ...why } = await whyOf('req_4')
  t.strictSame(judged.slice(-1), [
    {
      rule: 'REF-7',
      text: 'a Refund above the remainder is an error',
      held: false,
      facts: { transaction: 'txn_a', currency: 'usd', charged: 1000, refunded: 400, remaining: 600, asked: 700 }
    }
  ])
  t.strictSame(judged.map(({ rule }: any) => rule).slice(0, 3), ['BASE-1', 'AUTH-1', 'AUTH-3'])
  t.strictSame([why.first_failed, why.changed_by], ['REF-7', ['req_2']])
  t.ok(why.assumptions.find(({ assumption, topic }: any) => assumption === 'A18' && topic === 'keys'))
  t.strictSame((await whyOf('req_3')).changed_by, ['req_2'], 'the Refund of the path')
  const refused = await whyOf('req_6')
  t.strictSame([refused.first_failed, refused.changed_by], ['LOC-3', ['req_5']], 'the Account of the key')
  t.strictSame((await whyOf('req_8')).changed_by, ['req_5', 'req_7'], 'the User that is gone')
  t.strictSame((await whyOf('req_1')).changed_by, [])
  await control('POST /reset')
  await refund('transaction=txn_a')
  t.strictSame((await whyOf('req_1')).changed_by, [])
})

/** What must come out of no control call, each in the shape that a client may send it in. */
const PAN = '4242424242424242'
const SECRETS = {
  pan: PAN,
  grouped: '4242 4242 4242 4242',
  dashed: '4242-4242-4242-4242',
  csc: 'csc-7373',
  expiry: 'exp-0931',
  token: 'tok_secret_1',
  payload: 'payload-secret-1',
  account: 'acct-00012345',
  routing: 'route-011000015'
}
const KEYS = [MERCHANT, 'sk_unknown_key', 'sk_1']
const e = encodeURIComponent
const json = JSON.stringify({
  card: { number: PAN, csc: SECRETS.csc, expiry: SECRETS.expiry, token: SECRETS.token },
  payload: `${SECRETS.payload}=${SECRETS.token}`
})
const everywhere = (name: (inner: string) => string) =>
  [
    `${name('number')}=${e(SECRETS.grouped)}`,
    `${name('csc')}=${SECRETS.csc}`,
    `${name('expiry')}=${SECRETS.expiry}`,
    `${name('token')}=${SECRETS.token}`,
    `${name('payload')}=${SECRETS.payload}`,
    `${name('account_number')}=${SECRETS.account}`,
    `${name('routing_number')}=${SECRETS.routing}`
  ].join('&')
const PAYMENT = 'ticket=tkt_a&payment_type=vip&customer[phone]=1&amount=5'
const OWN_PLACES = `card[number]=${PAN}&card[csc]=${SECRETS.csc}&card[expiry]=${SECRETS.expiry}&card[token]=${SECRETS.token}&payload=${SECRETS.payload}&bank_account[account_number]=${SECRETS.account}&bank_account[routing_number]=${SECRETS.routing}`
const WRONG_PLACES = everywhere(name => name)
type Call = [on: string, options: Parameters<Emulator['call']>[1]]
const LEAKS: Record<string, Call> = {
  'the parameters that they belong in': ['POST /transactions', { body: `${PAYMENT}&${OWN_PLACES}` }],
  'those parameters, refused': ['POST /transactions', { body: `${PAYMENT}&${OWN_PLACES}&amount=x` }],
  'objects and lists in their place': [
    'POST /transactions',
    { body: `${PAYMENT}&card[csc][a]=${SECRETS.csc}&card[token][]=${SECRETS.token}&payload[a][b]=${SECRETS.payload}` }
  ],
  'parameters that are not there': ['POST /transactions', { body: `${PAYMENT}&${WRONG_PLACES}&card_number=${PAN}&CVC=${SECRETS.csc}&card-number=${PAN}` }],
  metadata: ['POST /locations', { body: `display_name=L&address[country]=US&${everywhere(name => `metadata[${name}]`)}&metadata[note]=${PAN}` }],
  'metadata as JSON': ['POST /locations', { body: `display_name=L&address[country]=US&metadata[blob]=${e(json)}` }],
  'text of other parameters': [
    'POST /locations',
    { body: `display_name=${e(SECRETS.dashed)}&address[country]=US&address[city]=${PAN}&phone=${MERCHANT}&website=sk_1` }
  ],
  'the names of parameters': ['POST /transactions', { body: `${PAN}=1&card[${e(SECRETS.grouped)}]=1&metadata[${MERCHANT}]=1` }],
  "a list's query": ['GET /tickets', { query: `${WRONG_PLACES}&${everywhere(name => `card[${name}]`)}&search_query=${PAN}&key=${MERCHANT}` }],
  'a search': ['GET /tickets', { query: `search_query=${e(SECRETS.grouped)}&location=${MERCHANT}` }],
  'the query of a POST': ['POST /transactions', { query: `card[number]=${PAN}&card[token]=${SECRETS.token}`, body: PAYMENT }],
  'the path': [`GET /tickets/${PAN}`, {}],
  'the path, encoded': [`GET /tickets/${e(SECRETS.grouped)}`, {}],
  'the path, every digit encoded': [`GET /tickets/${[...PAN].map(digit => `%3${digit}`).join('')}`, {}],
  'a path that is not there': [`GET /cards/${SECRETS.dashed}/${MERCHANT}`, {}],
  'a path with a broken encoding': [`GET /tickets/${PAN}%ff${MERCHANT}`, {}],
  'the user agent': ['GET /tickets', { headers: { 'user-agent': `till ${PAN} ${e(SECRETS.grouped)} ${MERCHANT}` } }],
  'a JSON body': ['POST /transactions', { body: json, headers: { 'content-type': 'application/json' } }],
  'JSON sent as a form': ['POST /transactions', { body: json }],
  'encoded JSON sent as a form': ['POST /transactions', { body: e(json) }],
  'a list of JSON sent as a form': ['POST /transactions', { body: `[${json}]` }],
  'a body with a broken encoding': ['POST /transactions', { body: `${OWN_PLACES}&card[number]=${PAN}%zz` }],
  'a body with a broken name': ['POST /transactions', { body: `${OWN_PLACES}&card[${PAN}=1` }],
  'a body that is one name': ['POST /transactions', { body: PAN }],
  'a key that is not known': ['GET /tickets', { key: 'sk_unknown_key', query: 'location=sk_unknown_key' }],
  'a key of another scheme': ['GET /tickets', { headers: { authorization: `Bearer ${MERCHANT}` } }],
  'a key with a password': ['GET /tickets', { headers: { authorization: `Basic ${btoa(`${MERCHANT}:${PAN}`)}` } }]
}

t.test('A25: card data and API keys that a client put anywhere come out of no control call and no log', async t => {
  const all = [...Object.values(SECRETS), ...KEYS, SECRETS.grouped.replaceAll(' ', '%20'), '4242+4242']
  for (const [place, [on, options]] of Object.entries(LEAKS)) {
    const data = world()
    const scenario = {
      clock: NOW,
      data: { ...data, api_keys: [...data.api_keys, { key: 'sk_1', account: 'mch_a' }] },
      expect: [{ on: 'GET /tickets', times: 0 }]
    }
    const emulator = await startTestEmulator(t, { scenario })
    const heard: string[] = []
    emulator.sandbox.evidence.journal.listen(({ id }) => heard.push(id))

    await emulator.call(on, options)
    const outs = [
      await emulator.control('GET /requests'),
      await emulator.control('GET /requests/req_1'),
      await emulator.control('GET /requests/req_1?format=text'),
      await emulator.control('GET /findings'),
      await emulator.control('GET /coverage'),
      await emulator.control('GET /assumptions'),
      await emulator.control('GET /metrics'),
      await emulator.control('POST /verify'),
      await emulator.control('POST /verify', { on: on.replace(/^(GET .tickets).*/, '$1').replace(/^GET .cards.*/, 'GET /tickets'), at_least: 1 })
    ].map(({ text }) => text)

    t.strictSame(heard, ['req_1'], place)
    for (const text of [...outs, ...emulator.logs]) {
      const leaked = all.filter(secret => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
      t.strictSame(leaked, [], `${place}: ${leaked.length > 0 ? text : ''}`)
    }
  }
})

t.test('evidence.journal, evidence.coverage and evidence.trace can be turned off, each by itself', async t => {
  for (const off of ['journal', 'coverage', 'trace'] as const) {
    const emulator = await startTestEmulator(t, { settings: { [`evidence.${off}`]: false } })
    const { call, control } = emulator

    await call('GET /tickets', { query: 'search_query=a' })
    await call('GET /tickets/tkt_none')
    await call('GET /tickets/tkt_none')

    const journal = (await control('GET /requests')).body
    const coverage = (await control('GET /coverage')).body.seen
    const findings = (await control('GET /findings')).body.data.map(({ finding }: any) => finding)
    const leaning = (await control('GET /assumptions')).body.data.filter((one: any) => one.answers_leaning_on_it > 0).length
    t.strictSame([journal.data.length, journal.dropped], off === 'journal' ? [0, 3] : [3, 0], off)
    t.equal(coverage > 0, off === 'journal', off)
    t.equal(leaning > 0, off === 'journal', off)
    t.strictSame(findings, off === 'coverage' ? [] : ['search-without-narrowing', 'refused-and-repeated'], off)
    if (off === 'trace') t.strictSame((await control('GET /requests/req_2')).body.why, { judged: [], first_failed: null, assumptions: [], changed_by: [] })
    t.ok((await control('GET /metrics')).text.includes('commerce_calls_total{operation="GET /tickets/{id}",status="404"} 2'), off)
  }
})

t.test('evidence: with journal and coverage off a call is only measured', async t => {
  const { call, control } = await startTestEmulator(t, { settings: { 'evidence.journal': false, 'evidence.coverage': false } })

  await call('GET /tickets')

  t.strictSame((await control('GET /requests')).body, { object: 'list', data: [], has_more: false, dropped: 1 })
  t.ok((await control('GET /metrics')).text.includes('commerce_calls_total{operation="GET /tickets",status="200"} 1'))
})

t.test('A33: a preflight is no operation, and is kept', async t => {
  const emulator = await startTestEmulator(t)

  const { status } = await emulator.inject({
    method: 'OPTIONS',
    url: '/next/transactions',
    headers: { origin: 'http://shop.example', 'access-control-request-method': 'POST' }
  })

  t.equal(status, 204)
  t.strictSame(
    (await entries(emulator)).map(({ on, method, path, status, took_effect }) => [on, method, path, status, took_effect]),
    [[null, 'OPTIONS', '/transactions', 204, false]]
  )
})

/** Whether the event loop has gone on since; injected calls alone do not make it. */
function turnWatch(): () => boolean {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  return () => hasTurned
}

t.test('journal: what is read in the turn of a call shows the call', async t => {
  const { sandbox, call } = await startTestEmulator(t)
  const { run, evidence } = sandbox
  await call('GET /tickets', { query: 'search_query=a', key: MERCHANT })
  const reads: Record<string, () => unknown> = {
    journal: () => evidence.journal.size,
    coverage: () => evidence.totals.coverage.report().rules.find(({ rule }) => rule === 'SRCH-1')?.satisfied,
    assumptions: () => evidence.totals.assumptions.get('A09')?.times,
    findings: () => evidence.totals.findings.list()[0]?.times,
    'coverage of the run': () => run.coverage.report().rules.find(({ rule }) => rule === 'SRCH-1')?.satisfied,
    'assumptions of the run': () => run.assumptions.get('A09')?.times,
    'findings of the run': () => run.findings.list()[0]?.times,
    calls: () => run.calls.get('listTickets')?.get(200),
    latencies: () => run.latencies.get('listTickets')?.buckets.reduce((sum, count) => sum + count)
  }
  let calls = 1
  for (const [what, read] of Object.entries(reads)) {
    const hasTurned = turnWatch()
    await call('GET /tickets', { query: 'search_query=a' })
    calls++

    t.equal(read(), calls, what)
    t.notOk(hasTurned(), 'in the same turn')
  }
})

t.test('journal: calls of one turn are kept in the order of their answers, and listeners hear of them in it', async t => {
  const { sandbox, call } = await startTestEmulator(t, {
    scenario: { clock: NOW, data: world(), script: [{ on: 'GET /locations', calls: '1', delay: '20ms' }] }
  })
  await call('GET /tickets')
  const heard: string[] = []
  sandbox.evidence.journal.listen(({ id }) => heard.push(id))

  const answered: unknown[] = []
  const paths = ['/tickets', '/locations', '/accounts', '/nothing', '/tickets/tkt_none', '/refunds']
  await Promise.all(paths.map(async path => answered.push((await call(`GET ${path}`)).headers['request-id'])))
  const kept = sandbox.evidence.journal.entries().map(({ id }) => id)

  t.strictSame(kept.slice(1), answered)
  t.strictSame([answered.length, answered.at(-1)], [6, 'req_3'], 'the delayed one is the last')
  t.strictSame(heard, answered)
})

t.test('journal: calls that are injected one after the other are heard of, though the turn does not end', async t => {
  const { sandbox, call } = await startTestEmulator(t)
  await call('GET /tickets/tkt_a')
  let heard = 0
  sandbox.evidence.journal.listen(() => heard++)
  const hasTurned = turnWatch()

  for (let calls = 0; calls < 150; calls++) await call('GET /tickets/tkt_a')

  t.notOk(hasTurned())
  t.equal(heard, 100)
  t.equal(sandbox.evidence.journal.size, 151)
  t.equal(heard, 150)
})

t.test('A25: a call is masked by what the world knew when it came, whatever follows in the same turn', async t => {
  const followed: Record<string, (emulator: Emulator, start: ReturnType<Emulator['sandbox']['snapshot']>) => void> = {
    'a snapshot is restored that lacks the key': ({ sandbox }, start) => sandbox.restore(start),
    'any key is no longer taken': ({ sandbox }) => sandbox.changeSettings({ auth: { accept_any_key: null } }),
    'the evidence is settled': ({ sandbox }) => sandbox.evidence.settle()
  }
  for (const [what, follow] of Object.entries(followed)) {
    const emulator = await startTestEmulator(t, { settings: { 'auth.accept_any_key': 'mch_a' } })
    const { sandbox, call } = emulator
    const start = sandbox.snapshot()
    const { key } = sandbox.addKey('mch_a')
    const stranger = 'sk_of_a_stranger'
    await call('GET /tickets')
    const hasTurned = turnWatch()

    await call(`GET /tickets/${key}`, { key, query: `location=${key}`, headers: { 'user-agent': key } })
    await call(`GET /tickets/${stranger}`, { key: stranger, query: `location=${stranger}`, headers: { 'user-agent': stranger } })
    follow(emulator, start)
    const inTurn = !hasTurned()
    const data = await entries(emulator)

    t.ok(inTurn, what)
    t.strictSame(
      data.slice(0, 2).map(({ path, query, user_agent }) => [path, query, user_agent]),
      Array(2).fill(['/tickets/***', { location: '***' }, '***']),
      what
    )
    t.notOk(JSON.stringify(data).includes(key), what)
    t.notOk(JSON.stringify(data).includes(stranger), what)
  }
})

t.test('journal: a call that was refused before the start scenario was loaded does not disturb the loading', async t => {
  const { app, sandbox, call } = await startTestEmulator(t, { loaded: false })
  await call('GET /tickets')
  sandbox.evidence.settle()

  await call('GET /tickets')
  await sandbox.load(documentOf('test', { clock: NOW, data: world() }), { name: 'test', file: null }, { play: app.playIn })

  t.strictSame([sandbox.evidence.journal.size, sandbox.run.calls.get('none')?.get(503) ?? sandbox.run.calls.get('listTickets')?.get(503)], [0, 2])
  t.equal((await call('GET /tickets')).status, 200)
})

/** A world of which every operation that reads has something to answer with. */
const EXTRA = { note: 'l’été — "50 %"', tags: ['a', { deep: [null, 1.5, false] }], empty: {} }
const READ_RECORDS = {
  accounts: [
    {
      id: 'mch_x',
      type: 'merchant',
      name: 'Été & Söhne "X"\n',
      email: 'x@example.com',
      phone: '+1 617 555 0100',
      reseller: 'rsl_r',
      address: { line1: '1 Main St', line2: 'Apt "2"', city: 'Boston', state: 'MA', postal_code: '02110', country: 'US' },
      metadata: { shift: 'late', 'odd name': '[x]' },
      extra: EXTRA
    }
  ],
  users: [
    { id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com', extra: EXTRA },
    { id: 'usr_b', account: 'mch_a', name: 'V', email: 'v@example.com' }
  ],
  locations: [
    {
      id: 'loc_x',
      account: 'mch_a',
      display_name: 'X',
      address: { city: 'Boston', country: 'US' },
      website: 'https://x.example',
      metadata: { a: 'b' },
      extra: EXTRA
    }
  ],
  tickets: [{ id: 'tkt_x', location: 'loc_x', reference: null, extra: EXTRA }],
  transactions: [
    {
      id: 'txn_a',
      ticket: 'tkt_x',
      payment_type: 'card',
      amount: 100_000,
      tip_amount: 0,
      adjustment_number: 1.5,
      amounts: { currency: 'usd', tip_amount: 5 },
      customer: { name: 'Ana', email: 'ana@example.com', phone: null },
      payment_method: { card: { last4: '4242', brand: 'visa' } },
      extra: EXTRA
    },
    { id: 'txn_b', ticket: 'tkt_a', payment_type: 'external', amount: 5 }
  ],
  refunds: Array.from({ length: 12 }, (_, index) => ({
    id: `rfd_${index}`,
    transaction: 'txn_a',
    amount: 1 + index,
    metadata: { n: `${index}` },
    extra: EXTRA
  }))
}
const READS: Partial<Record<OperationId, [path: string, query?: string][]>> = {
  readLocation: [['/locations/loc_x'], ['/locations/loc_a']],
  listLocations: [['/locations'], ['/locations', 'limit=1']],
  readAccount: [['/accounts/mch_x'], ['/accounts/rsl_r']],
  listAccounts: [['/accounts'], ['/accounts/', 'limit=2']],
  listUsers: [['/accounts/mch_a/users'], ['/accounts/rsl_r/users']],
  readTicket: [['/tickets/tkt_x'], ['/tickets/tkt_a']],
  listTickets: [['/tickets'], ['/tickets', 'location=loc_x&search_query=none'], ['/tickets', 'search_query=T-1&created[gte]=2000-01-01']],
  readTransaction: [['/transactions/txn_a'], ['/transactions/txn_b']],
  listTransactions: [['/transactions'], ['/transactions', 'search_query=4242&location=loc_x']],
  readRefund: [['/refunds/rfd_0']],
  listRefunds: [['/refunds'], ['/refunds', 'transaction=txn_a&limit=3&starting_after=rfd_5'], ['/refunds', 'transaction=txn_none']]
}
/** Changes every record that was read. */
const CHANGES: [on: string, body?: Record<string, unknown>][] = [
  ['POST /locations/loc_x', { display_name: 'Y', metadata: '' }],
  ['POST /locations/loc_a', { display_name: 'B', 'address[city]': 'Worcester' }],
  ['POST /accounts/mch_x', { name: 'Y', 'address[line2]': '', 'metadata[shift]': '' }],
  ['POST /accounts/rsl_r', { phone: '1' }],
  ['DELETE /accounts/mch_a/users/usr_a'],
  ['POST /accounts/mch_a/users', { name: 'W', email: 'w@example.com' }],
  ['POST /transactions', { ticket: 'tkt_x', payment_type: 'external', amount: 7 }],
  ['POST /refunds', { transaction: 'txn_a', amount: 400 }],
  ['POST /refunds', { transaction: 'txn_b' }],
  ['POST /refunds/rfd_0', { 'metadata[n]': 'changed' }]
]
/** What is still answered as it was: Tickets cannot be changed, and of these lists nothing was. */
const UNCHANGED = [
  'GET /accounts/{id}/users by /accounts/rsl_r/users?',
  'GET /tickets/{id} by /tickets/tkt_x?',
  'GET /tickets/{id} by /tickets/tkt_a?',
  'GET /tickets by /tickets?',
  'GET /tickets by /tickets?location=loc_x&search_query=none',
  'GET /tickets by /tickets?search_query=T-1&created[gte]=2000-01-01',
  'GET /refunds by /refunds?transaction=txn_a&limit=3&starting_after=rfd_5',
  'GET /refunds by /refunds?transaction=txn_none'
]

t.test('journal: the answer of a call that shows a record is written again as it was sent, also when the records were changed since', async t => {
  const emulator = await startTestEmulator(t, { records: READ_RECORDS })
  const { sandbox, call } = emulator
  const reading = (Object.keys(OPERATIONS) as OperationId[]).filter(operation => OPERATIONS[operation].method === 'GET')
  t.strictSame(Object.keys(READS).sort(), [...reading].sort(), 'every operation that reads')
  const sent: [title: string, id: string, text: string][] = []
  for (const operation of reading) {
    for (const [path, query = ''] of READS[operation] ?? []) {
      const { status, headers, text } = await call(`GET ${path}`, { query })
      t.equal(status, 200, `${path}?${query}`)
      sent.push([`${nameOf(operation)} by ${path}?${query}`, String(headers['request-id']), text])
    }
  }
  const areAsSent = (when: string) => {
    for (const [title, id, text] of sent) {
      const entry = sandbox.evidence.journal.get(id) as Entry
      t.equal(typeof entry.answer, 'object', `${title}: its text is not kept`)
      t.equal(entry.length, text.length, `${title}: it counts as long as it is`)
      t.equal(textOf(entry), text, `${title}, ${when}`)
    }
  }

  areAsSent('before any change')
  const made = CHANGES.filter(([on]) => on.startsWith('POST'))
  for (const [on, body] of CHANGES) {
    const { status, headers, text } = await call(on, { ...(body && { body }) })
    t.ok(status < 300, on)
    if (on.startsWith('POST')) sent.push([on, String(headers['request-id']), text])
  }
  areAsSent('after every record was changed')
  for (const [on, body] of made) t.ok((await call(on.replace('txn_b', 'txn_a'), { ...(body && { body: { ...body, amount: 1 } }) })).status < 500, on)
  areAsSent('after what was made was changed too')

  const shown = new Map((await entries(emulator)).map(({ id, answer }) => [id, answer]))
  for (const [title, id, text] of sent) t.strictSame(shown.get(id), JSON.parse(text), `${title}, as the journal shows it`)
  const same: string[] = []
  for (const [title, , text] of sent.slice(0, -made.length)) {
    const [, path, query] = / by (.+)\?(.*)$/.exec(title) as string[]
    if ((await call(`GET ${path}`, { query: query ?? '' })).text === text) same.push(title)
  }
  t.strictSame(same, UNCHANGED, 'all the others are answered otherwise by now')
})

t.test('journal: the answer of any other call is kept as its text, masked where a key stands in it', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      data: world({ locations: [{ id: 'loc_key', account: 'mch_a', display_name: `Till ${MERCHANT}`, address: { country: 'US' } }] }),
      script: [
        { on: 'GET /accounts', delay: '1ms' },
        { on: 'GET /refunds', respond: { body: { data: [] } } }
      ]
    }
  })
  const { sandbox, call } = emulator

  for (const [what, on, options] of [
    ['a refused call', 'GET /tickets/tkt_none', {}],
    ['a path that is not there', 'GET /nothing', {}],
    ['a delayed call', 'GET /accounts', {}],
    ['a scripted answer', 'GET /refunds', {}]
  ] as const) {
    const { text, headers } = await call(on, options)
    t.equal(sandbox.evidence.journal.get(String(headers['request-id']))?.answer, text, what)
  }
  const { text, headers } = await call('GET /locations/loc_key')
  t.equal(sandbox.evidence.journal.get(String(headers['request-id']))?.answer, text.replace(MERCHANT, '***'), 'an answer with a key in it')
})

t.test('journal: a path is shown below the base address; one that is not below it, whole', async t => {
  const emulator = await startTestEmulator(t)
  for (const url of ['/next/tickets?limit=1', '/next', '/next/', '/nextdoor/tickets?limit=1', '/other']) await emulator.inject({ method: 'GET', url })

  const shown = (await entries(emulator)).map(({ path }) => path)

  t.strictSame(shown.reverse(), ['/tickets', '/', '/', '/nextdoor/tickets', '/other'])
})

t.test('journal: path parameters are as they were sent, also where the path does not show where they end', async t => {
  const emulator = await startTestEmulator(t)
  for (const on of [
    'GET /tickets/tkt_a',
    'GET /tickets/tkt_a/',
    'GET /tickets/a%2Fb',
    'GET /tickets/a%20b',
    'GET /tickets/4242424242424242',
    'DELETE /accounts/a%2Fb/users/c%0Ad'
  ]) {
    await emulator.call(on)
  }

  const shown = (await entries(emulator)).map(({ path, params }) => [path, params])

  t.strictSame(shown.reverse(), [
    ['/tickets/tkt_a', { id: 'tkt_a' }],
    ['/tickets/tkt_a/', { id: 'tkt_a' }],
    ['/tickets/a/b', { id: 'a/b' }],
    ['/tickets/a b', { id: 'a b' }],
    ['/tickets/****************', { id: '****************' }],
    ['/accounts/a/b/users/c?d', { account_id: 'a/b', user_id: 'c\nd' }]
  ])
})

t.test('journal: what JSON in a value says under a secret name is masked, beside values that need nothing', async t => {
  const emulator = await startTestEmulator(t)
  await emulator.call('POST /locations', { body: { display_name: 'A', 'metadata[note]': '{"csc":"123","amount":"7"}', 'metadata[plain]': 'x' } })

  const [{ body }] = await entries(emulator)

  t.strictSame(body, { display_name: 'A', metadata: { note: '{"csc":"***","amount":"7"}', plain: 'x' } })
})

t.test('journal: of a call whose answer could not be written, the refusal is kept', async t => {
  const { sandbox, call } = await startTestEmulator(t)
  const { locations } = sandbox.store
  const unwritable = {
    toJSON() {
      throw new Error('This cannot be written.')
    }
  }
  locations.replace({ ...(locations.get('loc_a') as NonNullable<ReturnType<typeof locations.get>>), extra: unwritable as never })

  const { status, text } = await call('GET /locations/loc_a')

  t.equal(status, 500)
  t.equal(sandbox.evidence.journal.get('req_1')?.answer, text)
})

t.test('journal: values and names are kept as they were sent, whatever has to be escaped', async t => {
  const emulator = await startTestEmulator(t)
  const odd = ['a"b', 'back\\slash', 'two\nlines', 'tab\t', 'été', '🧾', '</script>', '\u2028', "it's", '{"a":[1]}', '', 'true', 'null', '1e3']
  const names = ['__proto__', 'constructor', 'toString', 'back\\slash', 'été 🧾', 'two\nlines']
  const pairs = [...odd.map((value, index) => [`metadata[v${index}]`, value]), ...names.map(name => [`metadata[${name}]`, name])] as [string, string][]
  const lists = odd.map(value => ['search_query[]', value]) as [string, string][]

  await emulator.call('POST /locations', { body: new URLSearchParams(pairs).toString() })
  await emulator.call('GET /tickets', { query: new URLSearchParams([...lists, ['odd "name"', 'x'], ['limit{', 'y']]).toString() })
  const [list, post] = await entries(emulator)

  t.strictSame(
    Object.entries(post.body.metadata),
    pairs.map(([name, value]) => [name.slice('metadata['.length, -1), value])
  )
  t.strictSame(list.query, { search_query: odd, '***': '***' })
})
