/** How requests end, over a socket, and how the journal shows it. */
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { playIn } from '../../src/engine/play.js'
import { loadScenario } from '../../src/sandbox/loading.js'
import { documentOf } from '../../src/scenario/documents.js'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { opened } from '../support/socket.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const KEY = `authorization: Basic ${btoa(`${MERCHANT}:`)}`
const FORM = 'content-type: application/x-www-form-urlencoded'

const entries = async ({ control }: Emulator): Promise<Json[]> =>
  (await control('GET /requests')).body.data
const fateOf = ({ outcome, status, answered, took_effect }: Json) => [
  outcome,
  status,
  answered,
  took_effect
]
const REFUND = 'transaction=txn_a&amount=400'
const scripted = (t: Test, script: object[], saved?: () => Promise<void>) =>
  startTestEmulator(t, {
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script },
    ...(saved && { saved })
  })

async function until(emulator: Emulator, count: number): Promise<Json[]> {
  const { evidence } = emulator.sandbox
  for (let left = 300; left > 0 && evidence.journal.size < count; left--) await wait(10)
  return entries(emulator)
}
const get = (path: string) => `GET /next${path} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n\r\n`
const post = (path: string, body: string, length = body.length) =>
  `POST /next${path} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n${FORM}\r\ncontent-length: ${length}\r\n\r\n${body}`

t.test('journal: an entry has what was sent, by whom', async t => {
  const emulator = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  const body = { transaction: 'txn_a', amount: 400, 'metadata[table]': 'the twelfth' }

  const { body: made } = await emulator.call('POST /refunds', {
    body,
    headers: { 'user-agent': 'till/1.0' }
  })
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
    trace: null,
    outcome: 'answered',
    status: 200,
    answer: made,
    answered: true,
    took_effect: true,
    script: null,
    refusal: null
  })
  t.strictSame(second.refusal, {
    code: 'parameter_unknown',
    rule: null,
    assumption: 'A14',
    param: 'card'
  })
  t.strictSame(
    [...fateOf(second), second.answer.error.code],
    ['refused', 400, true, false, 'parameter_unknown']
  )
  t.strictSame(third.query, { limit: '1', created: { gte: 'x' }, list: ['a', 'b'] })
})

t.test('journal: requests without an operation are kept too; control requests', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: { clock: NOW, data: smallFixture(), steps: [{ do: 'GET /tickets' }] }
  })

  await emulator.call('GET /tickets', { key: null })
  await emulator.call('GET /nothing/at/all')
  await emulator.call('PUT /tickets')
  for (const url of '/elsewhere?a=b /nextdoor/tickets /next /next/ /next/tickets/%ff /'.split(' '))
    await emulator.inject({ method: 'GET', url })
  await emulator.call('OPTIONS /transactions', {
    key: null,
    headers: { origin: 'http://shop.example', 'access-control-request-method': 'POST' }
  })
  await emulator.control('GET /coverage')

  const all = (await entries(emulator)).reverse()
  t.strictSame(
    all.map(({ id, on, path, outcome, status }) => [id, on, path, outcome, status]),
    [
      ['req_1', 'GET /tickets', '/tickets', 'refused', 401],
      ['req_2', null, '/nothing/at/all', 'refused', 404],
      ['req_3', null, '/tickets', 'refused', 405],
      ['req_4', null, '/elsewhere', 'refused', 404],
      ['req_5', null, '/nextdoor/tickets', 'refused', 404],
      ['req_6', null, '/', 'refused', 404],
      ['req_7', null, '/', 'refused', 404],
      ['req_8', null, '/tickets/%ff', 'refused', 400],
      ['req_9', null, '/transactions', 'answered', 204]
    ]
  )
  for (const { params, account, user_agent } of all)
    t.strictSame([params, account, user_agent], [{}, null, 'lightMyRequest'])
})

t.test('journal: a request before the start scenario is refused and kept', async t => {
  const { sandbox, call } = await startTestEmulator(t, { loaded: false })

  const { status } = await call('GET /tickets', { query: 'a=b' })
  const [early] = sandbox.evidence.journal.requests()
  t.strictSame(
    [status, early?.at, early?.outcome.status, early?.outcome.refusal?.code, early?.outcome.name],
    [503, 0, 503, 'not_ready', 'refused']
  )

  await loadScenario(
    sandbox,
    documentOf('test', { clock: NOW, data: smallFixture() }),
    { name: 'test', file: null },
    { play: playIn }
  )
  t.equal(sandbox.evidence.journal.size, 0)
  t.equal((await call('GET /tickets')).status, 200)
})

const slow = { delay: '500ms' }
const lost = { fault: 'empty_response' }
const TOO_MUCH = post('/refunds', 'transaction=txn_a&amount=1001')
/**
 * The script entry for a Refund, the request, its outcome, and the number of Refunds afterwards.
 * `left` means that the client does not wait.
 */
const FATES: [
  what: string,
  entry: object | null,
  request: string,
  fate: unknown[],
  refunds: number
][] = [
  ['delayed', slow, post('/refunds', REFUND), ['answered', 200, true, true], 1],
  ['delayed and refused', slow, TOO_MUCH, ['refused', 400, true, false], 0],
  ['a refusal lost after', { ...lost, when: 'after' }, TOO_MUCH, ['refused', 400, false, false], 0],
  ['left while it waits', slow, post('/refunds', REFUND), ['lost_after', 200, false, true], 1],
  ['left while it waits to be refused', slow, TOO_MUCH, ['refused', 400, false, false], 0],
  [
    'left while a scripted answer waits',
    { ...slow, respond: { status: 402 } },
    post('/refunds', REFUND),
    ['lost_before', 402, false, false],
    0
  ],
  [
    'left before it would be lost',
    { ...slow, ...lost },
    post('/refunds', REFUND),
    ['lost_before', 502, false, false],
    0
  ],
  [
    'left before it would be lost after',
    { ...slow, fault: 'hang', when: 'after' },
    post('/refunds', REFUND),
    ['lost_after', 200, false, true],
    1
  ],
  [
    'left in the middle of its body',
    null,
    post('/refunds', REFUND, 900),
    ['refused', 400, false, false],
    0
  ]
]

t.test('journal: the outcome of a request, and whether it took effect', t =>
  Promise.all(
    FATES.map(async ([what, entry, request, fate, refunds]) => {
      const isLeft = what.startsWith('left')
      const emulator = await scripted(t, entry === null ? [] : [{ on: 'POST /refunds', ...entry }])
      const { socket } = opened(t, await emulator.listen(), request)

      if (isLeft) {
        for (let left = 200; left > 0 && emulator.sandbox.inFlight === 0; left--) await wait(5)
        await wait(20)
        socket.destroy()
      }
      const [call, ...others] = await until(emulator, 1)

      t.strictSame([call.on, ...fateOf(call)], ['POST /refunds', ...fate], what)
      t.strictSame(
        [others, emulator.sandbox.state.store.refunds.size, emulator.sandbox.inFlight],
        [[], refunds, 0],
        what
      )
      const logged = emulator.logs.map(line => JSON.parse(line))
      t.notOk(
        logged.some(({ level }) => level >= 50),
        what
      )
      if (isLeft)
        t.equal(
          logged.find(line => line.call?.id === 'req_1').call.lost,
          'connection_closed',
          `${what}: not by a fault`
        )
    })
  )
)

t.test('journal: an emulator that stops loses a waiting request before its operation', async t => {
  const emulator = await scripted(t, [{ on: 'POST /refunds', delay: '10m' }])
  const call = t.rejects(emulator.call('POST /refunds', { body: REFUND }), {
    code: 'LIGHT_ECONNRESET'
  })
  await wait(30)

  await emulator.app.close()
  await call

  const [entry] = emulator.sandbox.evidence.journal.requests()
  t.strictSame(
    [entry?.outcome.name, entry?.outcome.isDelivered, emulator.sandbox.state.store.refunds.size],
    ['lost_before', false, 0]
  )
})

t.test('journal: pipelined requests are all kept', async t => {
  const emulator = await scripted(t, [{ on: 'GET /locations', delay: '300ms' }])
  const port = await emulator.listen()
  const requests = [get('/locations'), get('/tickets'), post('/refunds', REFUND)].join('')

  opened(t, port, requests)
  await until(emulator, 3)
  const { socket } = opened(t, port, requests.replace('=400', '=300'))
  await wait(50)
  socket.destroy()
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

t.test('journal: a request that waited for another is kept once', async t => {
  const emulator = await scripted(t, [{ on: 'POST /refunds', ...slow }])
  const { socket } = opened(t, await emulator.listen(), get('/tickets') + post('/refunds', REFUND))

  await until(emulator, 1)
  await wait(20)
  socket.destroy()
  const all = await until(emulator, 2)
  await wait(50)

  t.strictSame(all.map(fateOf), [
    ['lost_after', 200, false, true],
    ['answered', 200, true, false]
  ])
  t.strictSame([emulator.sandbox.inFlight, emulator.sandbox.evidence.journal.size], [0, 2])
})

t.test('data_not_written: what did not run is refused: of a scripted', async t => {
  let isFull = true
  const saved = async () => {
    if (isFull)
      throw new ApiError('data_not_written', { message: 'The data folder could not be written.' })
  }
  const acts = { scripted: { respond: { status: 402 } }, lost: { fault: 'malformed_body' } }
  const acting = Object.entries(acts).map(([reason, act]) => ({
    on: 'POST /refunds',
    match: { body: { reason } },
    ...act
  }))
  const emulator = await scripted(
    t,
    [...acting, { on: 'GET /tickets', calls: 9, delay: '1ms' }],
    saved
  )
  const { call, sandbox } = emulator
  for (const body of [
    `${REFUND}&reason=scripted`,
    `${REFUND}&reason=lost`,
    'transaction=txn_a&amount=1001'
  ]) {
    const { status, body: answer } = await call('POST /refunds', { body })
    t.strictSame([status, answer.error.code], [503, 'data_not_written'], body)
  }
  const others = [
    await call('POST /refunds', { body: 'transaction=' }),
    await call('GET /tickets'),
    await call('GET /locations')
  ]
  isFull = false

  t.strictSame(
    [...others.map(({ status }) => status), sandbox.state.store.refunds.size],
    [400, 503, 200, 0]
  )
  t.strictSame((await entries(emulator)).map(fateOf), [
    ['answered', 200, true, false],
    ['not_written', 503, true, false],
    ['refused', 400, true, false],
    ...Array(3).fill(['refused', 503, true, false])
  ])
  t.notOk(emulator.logs.some(line => JSON.parse(line).level >= 50))
})

t.test('journal: an error while recording a request reaches no client and is logged', async t => {
  const { sandbox, call, logs } = await startTestEmulator(t)
  sandbox.evidence.journal.listen(() => {
    throw new Error('a listener that fails')
  })

  t.equal((await call('GET /tickets')).status, 200)
  t.equal((await call('GET /tickets')).status, 200)
  const defects = logs
    .map(line => JSON.parse(line))
    .filter(({ err }) => err?.message === 'a listener that fails')
  t.strictSame([defects.map(({ msg }) => msg), sandbox.inFlight], [['defect', 'defect'], 0])
})

t.test('journal: requests are in the order of their responses', async t => {
  const { sandbox, call } = await scripted(t, [{ on: 'GET /locations', delay: '20ms' }])
  const heard: string[] = []
  sandbox.evidence.journal.listen(({ id }) => heard.push(id))

  const answered: unknown[] = []
  const paths = ['/tickets', '/locations', '/accounts', '/nothing', '/tickets/tkt_none', '/refunds']
  await Promise.all(
    paths.map(async path => answered.push((await call(`GET ${path}`)).headers['request-id']))
  )

  t.strictSame([answered.length, answered.at(-1)], [6, 'req_2'], 'the delayed one is the last')
  const kept = sandbox.evidence.journal.requests().map(({ id }) => id)
  t.strictSame([kept, heard], [answered, answered])
  const { headers } = await call('GET /tickets')
  t.equal(heard.at(-1), headers['request-id'], 'in the turn of its answer')
})

t.test('journal: if a response could not be written, the refusal is kept', async t => {
  const { sandbox, call } = await startTestEmulator(t)
  const { locations } = sandbox.state.store
  const unwritable = {
    toJSON() {
      throw new Error('This cannot be written.')
    }
  }
  locations.replace({
    ...(locations.get('loc_a') as NonNullable<ReturnType<typeof locations.get>>),
    extra: unwritable as never
  })

  const { status, text } = await call('GET /locations/loc_a')

  const entry = sandbox.evidence.journal.get('req_1')
  t.strictSame([status, entry?.outcome.text, entry?.outcome.name], [500, text, 'refused'])
})
