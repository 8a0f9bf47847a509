import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { OPERATIONS, type OperationId } from '../../src/reference/operations.js'
import { documentOf } from '../../src/scenario/documents.js'
import { FAULTS } from '../../src/scenario/schemas.js'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const KEY = `authorization: Basic ${btoa(`${MERCHANT}:`)}`
const FORM = 'content-type: application/x-www-form-urlencoded'

const entries = async ({ control }: Emulator): Promise<Json[]> => (await control('GET /requests')).body.data
/** What became of a call, as the journal shows it. */
const fateOf = ({ outcome, status, answered, took_effect }: Json) => [outcome, status, answered, took_effect]
const REFUND = 'transaction=txn_a&amount=400'
/** An emulator with one charge and a script. */
const scripted = (t: Parameters<typeof startTestEmulator>[0], script: object[], saved?: () => Promise<void>) =>
  startTestEmulator(t, { scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script }, ...(saved && { saved }) })

/** Waits until the journal holds so many calls. */
async function until(emulator: Emulator, count: number): Promise<Json[]> {
  const { evidence } = emulator.sandbox
  for (let left = 300; left > 0 && evidence.journal.size < count; left--) await wait(10)
  return entries(emulator)
}
/** Writes requests to one connection and leaves after so many milliseconds, after so many answers, or when the other side does. */
const write = (port: number, text: string, leave: number | { answers: number } = 2000) =>
  new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = setTimeout(() => socket.destroy(), typeof leave === 'number' ? leave : 10_000)
    let seen = ''
    socket.on('error', () => {})
    socket.on('data', chunk => {
      seen += chunk
      if (typeof leave === 'object' && seen.split('HTTP/1.1 ').length > leave.answers) socket.destroy()
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
const get = (path: string) => `GET /next${path} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n\r\n`
const post = (path: string, body: string, length = body.length) =>
  `POST /next${path} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n${FORM}\r\ncontent-length: ${length}\r\n\r\n${body}`

t.test('journal: an entry holds what was sent, by whom, what was answered and what became of it', async t => {
  const emulator = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  const body = { transaction: 'txn_a', amount: 400, 'metadata[table]': 'the twelfth' }

  const { body: made } = await emulator.call('POST /refunds', { body, headers: { 'user-agent': 'till/1.0' } })
  await emulator.call('POST /refunds', { body: { ...body, card: '' } })
  await emulator.call('GET /refunds', { query: 'limit=1&created[gte]=x&list[]=a&list[]=b' })
  const [third, second, { ms, ...first }] = (await entries(emulator)) as [Json, Json, Json]

  t.equal(typeof ms, 'number')
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
    test: null,
    outcome: 'answered',
    status: 200,
    answer: made,
    answered: true,
    took_effect: true,
    script: null,
    refusal: null
  })
  t.strictSame(second.refusal, { code: 'parameter_unknown', rule: null, assumption: 'A14', param: 'card' })
  t.strictSame([...fateOf(second), second.answer.error.code], ['refused', 400, true, false, 'parameter_unknown'])
  t.strictSame(third.query, { limit: '1', created: { gte: 'x' }, list: ['a', 'b'] })
})

t.test('journal: calls that meet no operation are kept too; control calls, steps and the overview are not', async t => {
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: smallFixture(), steps: [{ do: 'GET /tickets' }] } })

  await emulator.call('GET /tickets', { key: null })
  await emulator.call('GET /nothing/at/all')
  await emulator.call('PUT /tickets')
  for (const url of ['/elsewhere?a=b', '/nextdoor/tickets', '/next', '/next/', '/next/tickets/%ff', '/']) await emulator.inject({ method: 'GET', url })
  await emulator.call('OPTIONS /transactions', { key: null, headers: { origin: 'http://shop.example', 'access-control-request-method': 'POST' } })
  await emulator.control('GET /coverage')

  const all = await entries(emulator)
  t.strictSame(
    all.reverse().map(({ id, on, path, params, outcome, status, account, user_agent }) => [id, on, path, params, outcome, status, account, user_agent]),
    [
      ['req_1', 'GET /tickets', '/tickets', {}, 'refused', 401, null, 'lightMyRequest'],
      ['req_2', null, '/nothing/at/all', {}, 'refused', 404, null, 'lightMyRequest'],
      ['req_3', null, '/tickets', {}, 'refused', 405, null, 'lightMyRequest'],
      ['req_4', null, '/elsewhere', {}, 'refused', 404, null, 'lightMyRequest'],
      ['req_5', null, '/nextdoor/tickets', {}, 'refused', 404, null, 'lightMyRequest'],
      ['req_6', null, '/', {}, 'refused', 404, null, 'lightMyRequest'],
      ['req_7', null, '/', {}, 'refused', 404, null, 'lightMyRequest'],
      ['req_8', null, '/tickets/?', {}, 'refused', 400, null, 'lightMyRequest'],
      ['req_9', null, '/transactions', {}, 'answered', 204, null, 'lightMyRequest']
    ]
  )
})

t.test('journal: a call before the start scenario is refused and kept until it is loaded, and does not disturb the loading', async t => {
  const { app, sandbox, call } = await startTestEmulator(t, { loaded: false })

  const { status } = await call('GET /tickets', { query: 'a=b' })
  const [early] = sandbox.evidence.journal.requests()
  t.strictSame([status, early?.status, early?.at, early?.refusal?.code, early?.outcome], [503, 503, 0, 'not_ready', 'refused'])

  await sandbox.load(documentOf('test', { clock: NOW, data: smallFixture() }), { name: 'test', file: null }, { play: app.playIn })
  t.equal(sandbox.evidence.journal.size, 0)
  t.equal((await call('GET /tickets')).status, 200)
})

t.test('journal: each fault loses the answer, before the operation ran or after it took effect', async t => {
  for (const fault of FAULTS) {
    for (const when of ['before', 'after'] as const) {
      const emulator = await scripted(t, [{ name: 'lost', on: 'POST /refunds', calls: 1, fault, when }])
      const port = await emulator.listen()

      await write(port, post('/refunds', REFUND), 100)
      const [entry, ...others] = await until(emulator, 1)

      const expected = when === 'after' ? ['lost_after', 200, false, true] : ['lost_before', 502, false, false]
      t.strictSame(fateOf(entry), expected, `${fault} ${when}`)
      t.strictSame(entry.script, { id: 'scr_1', name: 'lost', fault })
      t.equal('amount' in entry.answer, when === 'after', 'the answer that was lost is kept')
      t.strictSame(others, [], 'it is kept once')
      t.equal(emulator.sandbox.store.refunds.size, when === 'after' ? 1 : 0)
    }
  }
})

const slow = { delay: '250ms' }
const lost = { fault: 'empty_response' }
/** The script entry for a call, the call, what became of it, and how many Refunds there are then. A left one is by a client that does not wait. */
const FATES: [what: string, on: string, entry: object | null, request: string, fate: unknown[], refunds: number, leaves?: number][] = [
  ['answered', 'POST /refunds', null, post('/refunds', REFUND), ['answered', 200, true, true], 1],
  ['read', 'GET /tickets/{id}', null, get('/tickets/tkt_a'), ['answered', 200, true, false], 0],
  ['refused by the operation', 'POST /refunds', null, post('/refunds', 'transaction=txn_a&amount=1001'), ['refused', 400, true, false], 0],
  ['disabled', 'DELETE /locations/{id}', null, get('/locations/loc_a').replace('GET', 'DELETE'), ['answered', 501, true, false], 0],
  ['scripted', 'POST /refunds', { respond: { status: 200, body: { id: 'rfd_x' } } }, post('/refunds', REFUND), ['scripted', 200, true, false], 0],
  ['delayed', 'POST /refunds', slow, post('/refunds', REFUND), ['answered', 200, true, true], 1],
  ['delayed and refused', 'POST /refunds', slow, post('/refunds', 'transaction=txn_a&amount=1001'), ['refused', 400, true, false], 0],
  ['a read lost after', 'GET /tickets/{id}', { ...lost, when: 'after' }, get('/tickets/tkt_a'), ['lost_after', 200, false, false], 0],
  ['a refusal lost after', 'POST /refunds', { ...lost, when: 'after' }, post('/refunds', 'transaction=txn_a&amount=1001'), ['refused', 400, false, false], 0],
  ['a scripted answer lost', 'POST /refunds', { ...lost, respond: { status: 402 } }, post('/refunds', REFUND), ['lost_before', 402, false, false], 0],
  ['left while it waits', 'POST /refunds', slow, post('/refunds', REFUND), ['lost_after', 200, false, true], 1, 60],
  ['left while it waits to be refused', 'POST /refunds', slow, post('/refunds', 'transaction=txn_a&amount=1001'), ['refused', 400, false, false], 0, 60],
  [
    'left while a scripted answer waits',
    'POST /refunds',
    { ...slow, respond: { status: 402 } },
    post('/refunds', REFUND),
    ['lost_before', 402, false, false],
    0,
    30
  ],
  ['left before it would be lost', 'POST /refunds', { ...slow, ...lost }, post('/refunds', REFUND), ['lost_before', 502, false, false], 0, 60],
  [
    'left before it would be lost after',
    'POST /refunds',
    { ...slow, fault: 'hang', when: 'after' },
    post('/refunds', REFUND),
    ['lost_after', 200, false, true],
    1,
    30
  ],
  ['left in the middle of its body', 'POST /refunds', null, post('/refunds', REFUND, 900), ['refused', 400, false, false], 0, 60]
]

t.test('journal: what became of a call, and whether it took effect', async t => {
  for (const [what, on, entry, request, fate, refunds, leaves = 500] of FATES) {
    const emulator = await scripted(t, entry === null ? [] : [{ on, ...entry }])
    const port = await emulator.listen()

    await write(port, request, leaves)
    const [call, ...others] = await until(emulator, 1)

    t.strictSame([call.on, ...fateOf(call)], [on, ...fate], what)
    t.strictSame([others, emulator.sandbox.store.refunds.size, emulator.sandbox.inFlight], [[], refunds, 0], what)
    const logged = emulator.logs.map(line => JSON.parse(line))
    t.strictSame(
      logged.filter(({ level }) => level >= 50),
      [],
      what
    )
    if (what.startsWith('left')) t.equal(logged.find(line => line.call?.id === 'req_1').call.lost, 'connection_closed', `${what}: not by a fault`)
  }
})

t.test('journal: an emulator that stops while a call waits loses it before its operation', async t => {
  const emulator = await scripted(t, [{ on: 'POST /refunds', delay: '10m' }])
  const call = t.rejects(emulator.call('POST /refunds', { body: REFUND }), { code: 'LIGHT_ECONNRESET' })
  await wait(30)

  await emulator.app.close()
  await call

  const [entry] = emulator.sandbox.evidence.journal.requests()
  t.strictSame([entry?.outcome, entry?.isDelivered, emulator.sandbox.store.refunds.size], ['lost_before', false, 0])
})

t.test('journal: of requests sent one behind the other, each is kept, also when the client leaves before the first is answered', async t => {
  const emulator = await scripted(t, [{ on: 'GET /locations', delay: '80ms' }])
  const port = await emulator.listen()
  const requests = [get('/locations'), get('/tickets'), post('/refunds', REFUND)].join('')

  await write(port, requests, { answers: 3 })
  await until(emulator, 3)
  await write(port, requests.replace('=400', '=300'), 30)
  const all = await until(emulator, 6)

  t.strictSame(all.map(entry => [entry.on, entry.answered, entry.took_effect]).sort(), [
    ['GET /locations', false, false],
    ['GET /locations', true, false],
    ['GET /tickets', false, false],
    ['GET /tickets', true, false],
    ['POST /refunds', false, true],
    ['POST /refunds', true, true]
  ])
  t.equal(emulator.sandbox.inFlight, 0)
})

t.test('journal: a call that waited behind another one is kept once, when its client leaves while it waits for itself', async t => {
  const emulator = await scripted(t, [{ on: 'POST /refunds', ...slow }])
  const port = await emulator.listen()

  await write(port, get('/tickets') + post('/refunds', REFUND), 80)
  const all = await until(emulator, 2)
  await wait(50)

  t.strictSame(all.map(fateOf), [
    ['lost_after', 200, false, true],
    ['answered', 200, true, false]
  ])
  t.strictSame([emulator.sandbox.inFlight, emulator.sandbox.evidence.journal.size], [0, 2])
})

t.test('journal: a call that hangs in a sandbox ends with it', async t => {
  const emulator = await scripted(t, [{ on: 'GET /tickets', fault: 'hang' }])
  const port = await emulator.listen()
  const left = write(port, get('/tickets').replace('/next', '/sandbox/own/next'), 5000)
  for (
    let tries = 0;
    tries < 100 && !(await emulator.inject({ url: '/sandbox/own/_control/script', headers: { host: 'localhost' } })).body.data?.[0].applied;
    tries++
  ) {
    await wait(10)
  }
  const since = performance.now()

  t.equal((await emulator.control('DELETE /sandboxes/own')).status, 204)
  await left

  t.ok(performance.now() - since < 2000, 'at once')
})

/** A data file that cannot be written while it is full. */
function fullDisk() {
  const disk = { isFull: true }
  const saved = async () => {
    if (disk.isFull) throw new ApiError('data_not_written', { message: 'The data file could not be written.' })
  }
  return { disk, saved }
}

t.test('data_not_written: the call took effect, is shown so, and repeating it blindly is a risk', async t => {
  const { disk, saved } = fullDisk()
  const emulator = await startTestEmulator(t, { records: { transactions: [CHARGE] }, saved })
  const { call, control, sandbox } = emulator

  const first = await call('POST /refunds', { body: REFUND })
  disk.isFull = false
  const second = await call('POST /refunds', { body: REFUND })

  t.strictSame([first.status, first.body.error.code, second.status, sandbox.store.refunds.size], [503, 'data_not_written', 200, 2])
  const { why, ...entry } = (await control('GET /requests/req_1')).body
  t.strictSame(fateOf(entry), ['not_written', 503, true, true])
  t.strictSame([entry.answer, entry.refusal], [first.body, { code: 'data_not_written', rule: null, assumption: null, param: null }])
  const verdicts = why.rules.map(({ rule, verdict }: Json) => `${rule} ${verdict}`)
  t.ok(verdicts.includes('REF-5 kept') && verdicts.includes('REF-7 kept') && verdicts.every((verdict: string) => verdict.endsWith(' kept')), String(verdicts))
  t.strictSame((await control('GET /requests/req_2')).body.why.changed_by, ['req_1'])
  t.ok((await control('GET /requests/req_1?format=text')).text.includes('ran, but the data file could not be written, 503, took effect'))
  t.strictSame(
    (await control('GET /findings')).body.data.map(({ finding, requests }: Json) => [finding, requests]),
    [['double-refund-risk', ['req_1', 'req_2']]]
  )
})

t.test('data_not_written: what did not run is refused: of a scripted, lost or refused call the counts alone cannot be written', async t => {
  const entry = { on: 'POST /refunds', match: { body: { reason: 'scripted' } }, respond: { status: 402 } }
  const broken = { on: 'POST /refunds', match: { body: { reason: 'lost' } }, fault: 'malformed_body' }
  const { disk, saved } = fullDisk()
  const emulator = await scripted(t, [entry, broken, { on: 'GET /tickets', calls: 9, delay: '1ms' }], saved)
  const { call, sandbox } = emulator
  for (const body of [`${REFUND}&reason=scripted`, `${REFUND}&reason=lost`, 'transaction=txn_a&amount=1001']) {
    const { status, body: answer } = await call('POST /refunds', { body })
    t.strictSame([status, answer.error.code], [503, 'data_not_written'], body)
  }
  const { status: invalid } = await call('POST /refunds', { body: 'transaction=' })
  const { status } = await call('GET /tickets')
  const { status: unscripted } = await call('GET /locations')
  disk.isFull = false

  t.strictSame([invalid, status, unscripted, sandbox.store.refunds.size], [400, 503, 200, 0])
  t.strictSame((await entries(emulator)).map(fateOf), [
    ['answered', 200, true, false],
    ['not_written', 503, true, false],
    ['refused', 400, true, false],
    ...Array(3).fill(['refused', 503, true, false])
  ])
  t.strictSame(
    emulator.logs.filter(line => JSON.parse(line).level >= 50),
    []
  )
})

t.test('journal: whatever fails while a call is recorded reaches no client and is logged', async t => {
  const { sandbox, call, logs } = await startTestEmulator(t)
  sandbox.evidence.journal.listen(() => {
    throw new Error('a listener that fails')
  })

  t.equal((await call('GET /tickets')).status, 200)
  t.equal((await call('GET /tickets')).status, 200)
  t.strictSame([logs.filter(line => line.includes('a listener that fails')).length, sandbox.inFlight], [2, 0])
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
    const data = smallFixture()
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

t.test('evidence.journal and evidence.coverage can be turned off, each by itself and both', async t => {
  for (const off of [['journal'], ['coverage'], ['journal', 'coverage']]) {
    const settings = Object.fromEntries(off.map(part => [`evidence.${part}`, false]))
    const { call, control } = await startTestEmulator(t, { settings })

    await call('GET /tickets', { query: 'search_query=a' })
    await call('GET /tickets/tkt_none')
    await call('GET /tickets/tkt_none')

    const journal = (await control('GET /requests')).body
    const findings = (await control('GET /findings')).body.data.map(({ finding }: Json) => finding)
    const relied = (await control('GET /assumptions')).body.data.filter(({ times }: Json) => times > 0).length
    t.strictSame([journal.data.length, journal.dropped], off.includes('journal') ? [0, 3] : [3, 0], String(off))
    t.equal(relied > 0, !off.includes('coverage'), String(off))
    t.strictSame(findings, off.includes('coverage') ? [] : ['search-without-narrowing', 'refused-and-repeated'], String(off))
    t.ok((await control('GET /metrics')).text.includes('commerce_calls_total{operation="GET /tickets/{id}",status="404"} 2'), String(off))
  }
})

t.test('journal: calls are kept in the order of their answers, and whoever listens hears of each at once', async t => {
  const { sandbox, call } = await scripted(t, [{ on: 'GET /locations', delay: '20ms' }])
  const heard: string[] = []
  sandbox.evidence.journal.listen(({ id }) => heard.push(id))

  const answered: unknown[] = []
  const paths = ['/tickets', '/locations', '/accounts', '/nothing', '/tickets/tkt_none', '/refunds']
  await Promise.all(paths.map(async path => answered.push((await call(`GET ${path}`)).headers['request-id'])))

  t.strictSame([answered.length, answered.at(-1)], [6, 'req_2'], 'the delayed one is the last')
  t.strictSame(
    sandbox.evidence.journal.requests().map(({ id }) => id),
    answered
  )
  t.strictSame(heard, answered)
  const { headers } = await call('GET /tickets')
  t.equal(heard.at(-1), headers['request-id'], 'in the turn of its answer')
})

t.test('A25: the key of a call is masked whoever knows it: any key that is taken, and one that was good when the call came', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      data: smallFixture(),
      script: [
        { on: 'GET /tickets/{id}', calls: 2, delay: '60ms' },
        { on: 'GET /accounts/{id}', fault: 'hang' }
      ]
    }
  })
  const { sandbox, call } = emulator
  const port = await emulator.listen()
  const use = (key: string) => call(`GET /tickets/${key}`, { key, headers: { 'user-agent': `till ${key}` } })
  const shown = async () => (await entries(emulator)).map(({ path, params, user_agent, account, status }) => [path, params, user_agent, account, status])

  await sandbox.changeSettings({ auth: { accept_any_key: 'mch_a' } })
  await use('sk_of_a_stranger')
  t.strictSame(await shown(), [['/tickets/***', { id: '***' }, 'till ***', 'mch_a', 404]])

  await sandbox.changeSettings({ auth: { accept_any_key: null } })
  const { key } = sandbox.addKey('mch_a')
  const late = use(key)
  await wait(20)
  sandbox.reset()
  t.equal((await late).status, 401)
  t.strictSame(await shown(), [['/tickets/***', { id: '***' }, 'till ***', null, 401]])

  const { key: other } = sandbox.addKey('mch_a')
  const hung = write(port, get(`/accounts/${other}`).replace(KEY, `authorization: Basic ${btoa(`${other}:`)}`), 150)
  const [entry] = await until(emulator, 2)
  t.strictSame([entry.path, entry.params, entry.outcome, sandbox.inFlight], ['/accounts/***', { id: '***' }, 'lost_before', 1], 'while it hangs')
  await hung
  t.equal((await entries(emulator)).length, 2, 'and once alone')
  t.notOk(emulator.logs.some(line => line.includes(key) || line.includes('sk_of_a_stranger')))
})

/** Records of which every operation that reads has something to answer with. */
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

t.test('journal: what an operation answered is shown as it was sent, also when the records were changed since', async t => {
  const emulator = await startTestEmulator(t, { records: READ_RECORDS })
  const { sandbox, call } = emulator
  const reading = (Object.keys(OPERATIONS) as OperationId[]).filter(operation => OPERATIONS[operation].method === 'GET')
  t.strictSame(Object.keys(READS).sort(), [...reading].sort(), 'every operation that reads')
  const sent = new Map<string, string>()
  const make = async (on: string, options: object) => {
    const { status, headers, text } = await call(on, options)
    t.ok(status < 300, on)
    if (text !== '') sent.set(String(headers['request-id']), text)
  }
  for (const operation of reading) for (const [path, query = ''] of READS[operation] ?? []) await make(`GET ${path}`, { query })
  for (const [on, body] of CHANGES) await make(on, body ? { body } : {})
  for (const on of ['POST /locations/loc_x', 'POST /accounts/mch_x', 'POST /refunds/rfd_0']) await make(on, { body: 'metadata[again]=x' })

  const shown = new Map((await entries(emulator)).map(({ id, answer }) => [id, answer]))
  for (const [id, text] of sent) {
    t.strictSame(shown.get(id), JSON.parse(text), id)
    const { text: kept, length } = sandbox.evidence.journal.get(id) as NonNullable<ReturnType<typeof sandbox.evidence.journal.get>>
    t.strictSame([kept, length], [text, Buffer.byteLength(text)], id)
  }
})

t.test('journal: the text of any other answer is kept, masked where a key stands in it', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      data: smallFixture({ locations: [{ id: 'loc_key', account: 'mch_a', display_name: `Till ${MERCHANT}`, address: { country: 'US' } }] }),
      script: [{ on: 'GET /refunds', respond: { body: `not JSON, ${MERCHANT}` } }]
    }
  })
  for (const on of ['GET /tickets/tkt_none', 'GET /nothing', 'GET /refunds', 'GET /locations/loc_key']) {
    const { body } = await emulator.call(on)
    const [{ answer }] = (await entries(emulator)) as [Json]
    t.strictSame(answer, typeof body === 'string' ? body.replace(MERCHANT, '***') : JSON.parse(JSON.stringify(body).replace(MERCHANT, '***')), on)
  }
  t.equal(emulator.sandbox.evidence.journal.get('req_3')?.text, 'not JSON, ***')
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

  t.strictSame(
    (await entries(emulator)).reverse().map(({ path, params }) => [path, params]),
    [
      ['/tickets/tkt_a', { id: 'tkt_a' }],
      ['/tickets/tkt_a/', { id: 'tkt_a' }],
      ['/tickets/a/b', { id: 'a/b' }],
      ['/tickets/a b', { id: 'a b' }],
      ['/tickets/****************', { id: '****************' }],
      ['/accounts/a/b/users/c?d', { account_id: 'a/b', user_id: 'c?d' }]
    ]
  )
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

  const entry = sandbox.evidence.journal.get('req_1')
  t.strictSame([status, entry?.text, entry?.outcome], [500, text, 'refused'])
})

t.test('journal: values and names are kept as they were sent, whatever has to be escaped; of JSON in a value the secrets are masked', async t => {
  const emulator = await startTestEmulator(t)
  const odd = ['a"b', 'back\\slash', 'two\nlines', 'tab\t', 'été', '🧾', '</script>', '\u2028', "it's", '{"a":[1]}', '', 'true', 'null', '1e3']
  const names = ['__proto__', 'constructor', 'toString', 'back\\slash', 'été 🧾', 'two\nlines']
  const pairs = [...odd.map((value, index) => [`metadata[v${index}]`, value]), ...names.map(name => [`metadata[${name}]`, name])] as [string, string][]
  const lists = odd.map(value => ['search_query[]', value]) as [string, string][]

  await emulator.call('POST /locations', { body: new URLSearchParams(pairs).toString() })
  await emulator.call('GET /tickets', { query: new URLSearchParams([...lists, ['odd "name"', 'x'], ['limit{', 'y']]).toString() })
  await emulator.call('POST /locations', { body: { display_name: 'A', 'metadata[note]': '{"csc":"123","amount":"7"}', 'metadata[plain]': 'x' } })
  const [secret, list, nested] = await entries(emulator)

  t.strictSame(
    Object.entries(nested.body.metadata),
    pairs.map(([name, value]) => [name.slice('metadata['.length, -1), value])
  )
  t.strictSame(list.query, { search_query: odd, '***': '***' })
  t.strictSame(secret.body, { display_name: 'A', metadata: { note: '{"csc":"***","amount":"7"}', plain: 'x' } })
})
