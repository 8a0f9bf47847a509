import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
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
