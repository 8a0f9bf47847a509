import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { MERCHANT, NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const idsOf = ({ requests }: Json) => requests.map(({ id }: Json) => id)
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
/** An emulator, a verify request, and how many wait for the journal, now and at most. */
async function start(
  t: Test,
  { scenario = {}, settings = {} }: { scenario?: object; settings?: object } = {}
) {
  const emulator = await startTestEmulator(t, {
    settings,
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), ...scenario }
  })
  const { journal } = emulator.sandbox.evidence
  const listeners = { now: 0, most: 0 }
  const listen = journal.listen.bind(journal)
  journal.listen = listener => {
    listeners.most = Math.max(listeners.most, ++listeners.now)
    const stop = listen(listener)
    return () => {
      listeners.now--
      return stop()
    }
  }
  const listening = async (count: number) => {
    for (let left = 2000; left > 0 && listeners.now !== count; left--) await wait(1)
  }
  const verify = (asked?: object) => emulator.control('POST /verify', asked)
  return { ...emulator, verify, listeners, listening }
}

t.test('verify: counts of requests, by operation and match', async t => {
  const emulator = await start(t)
  await emulator.call('POST /refunds', {
    body: 'transaction=txn_a&amount=400&metadata[table]=12&metadata[list]='
  })
  await emulator.call('POST /refunds', { body: 'transaction=txn_a&amount=700' })
  await emulator.call('GET /tickets', { query: 'location=loc_a&created[gte]=2026-01-01' })
  await emulator.call('GET /tickets', { key: RESELLER })
  await emulator.call('GET /tickets/tkt_a')
  await emulator.call('GET /nothing')

  const asks: [asked: object, holds: boolean | null, seen: number][] = parse(`
    - [{on: POST /refunds}, true, 2]
    - [{on: POST /refunds, times: 1}, false, 2]
    - [{on: 'DELETE /locations/{id}', times: 0}, true, 0]
    - [{on: POST /refunds, match: {body: {amount: 400}}}, true, 1]
    - [{on: POST /refunds, match: {body: {metadata: {table: [11, 12]}}}, times: 1}, true, 1]
    - [{on: POST /refunds, match: {body: {metadata: {table: {x: 1}}}}}, null, 0]
    - [{on: GET /tickets, match: {query: {'created[gte]': 2026-01-01, location: loc_a}}, times: 1}, true, 1]
    - [{on: GET /tickets, match: {account: rsl_r}, times: 1}, true, 1]
    - [{on: 'GET /tickets/{id}', match: {params: {id: tkt_a}}, times: 1}, true, 1]
  `)
  for (const [asked, holds, seen] of asks) {
    const { status, body } = await emulator.verify(asked)
    if (holds === null) t.equal(status, 400, JSON.stringify(asked))
    else
      t.strictSame(
        [status, body.holds, body.seen, body.requests.length],
        [holds ? 200 : 409, holds, seen, seen],
        JSON.stringify(asked)
      )
  }
  const long = { sequence: Array.from({ length: 1001 }, () => ({ on: 'POST /refunds' })) }
  t.equal((await emulator.verify(long)).body.error.code, 'document_invalid')
  const { body } = await emulator.verify({ on: 'POST /refunds', times: 1 })
  t.equal(
    body.requests.map(({ id, status, body }: Json) => `${id} ${status} ${body.amount}`).join(),
    'req_1 200 400,req_2 400 700'
  )

  for (let time = 0; time < 22; time++) await emulator.call('GET /locations')
  const { holds, requests } = (await emulator.verify({ on: 'GET /locations', times: 22 })).body
  t.strictSame([holds, requests.length, requests[0].id], [true, 20, 'req_9'])
})

t.test('verify: sequences', async t => {
  const { call, verify } = await start(t)
  await call('POST /transactions', {
    body: 'ticket=tkt_a&payment_type=external&amount=5',
    key: null
  })
  await call('GET /tickets')
  await call('POST /refunds', { body: 'transaction=txn_a&amount=400' })
  const PAY = { on: 'POST /transactions' }
  const refund = (amount: number) => ({ on: 'POST /refunds', match: { body: { amount } } })
  for (const [sequence, status, holds, requests] of [
    [[PAY, refund(400)], 200, true, ['req_1', 'req_3']],
    [[PAY, refund(400), refund(1)], 409, false, ['req_1', 'req_3']],
    [[refund(400), PAY], 409, false, []]
  ] as const) {
    const { status: found, body } = await verify({ sequence })
    t.strictSame([found, body.holds, idsOf(body)], [status, holds, requests])
  }
  t.match(
    (await verify({ sequence: [refund(401)] })).body.message,
    'amount: expected 401; got 400 in req_3'
  )
})

t.test('verify: headers that the journal keeps', async t => {
  const { call, verify } = await start(t)
  await call('GET /tickets', { headers: { 'user-agent': 'Shop/1 (iOS)', 'test-name': 'buys' } })
  await call('GET /tickets', { headers: { 'user-agent': 'curl' } })
  await call('GET /tickets', { key: null })
  for (const [match, seen] of [
    [{ headers: { 'User-Agent': '/ios/i' } }, 1],
    [{ headers: { 'Test-Name': 'buys', 'user-agent': { not: 'curl' } } }, 1],
    [{ headers: { 'TEST-NAME': { present: false } } }, 2],
    [{ account: 'mch_a' }, 2]
  ] as const)
    t.equal((await verify({ on: 'GET *', match })).body.seen, seen, JSON.stringify(match))
  const { status, body } = await verify({ on: 'GET *', per: 'test', times: '0-2' })
  t.strictSame([status, body.holds, body.message], [200, true, 'Met for each test (2)'])
})

t.test('verify: an expectation that cannot be judged is refused with every problem', async t => {
  const { control, verify } = await start(t)
  const refusal = async (asked: object) => {
    const { status, body } = await verify(asked)
    return [
      status,
      body.error.code,
      ...(body.error.problems?.map(({ path }: Json) => path) ?? [body.error.param])
    ]
  }
  const refused: [asked: object, ...paths: string[]][] = parse(`
    - [{}, '']
    - [{within: 1s}, '']
    - [{on: GET /tickets, state: {refunds: {count: 1}}}, '']
    - [{on: GET /tickets, sequence: [{on: GET /tickets}]}, '']
    - [{on: GET /tickets, times: 2-1}, times]
    - [{on: GET /tickets, match: {key: ${MERCHANT}}}, match.key]
    - [{on: POST /transactions, match: {body: {card: {token: x, last4: '4242'}, 'card[number]': ['4', '5'], 'bank_account[bank_name]': B}}}, match.body.card.token, 'match.body.card[number]']
    - [{on: POST /refunds, match: {body: {metadata: {password: x}}}}, match.body.metadata.password]
    - [{sequence: [{on: GET /tickets}, {on: GET /tickets, match: {key: a, query: {limt: 1}}}]}, 'sequence[1].match.key', 'sequence[1].match.query.limt']
    - [{on: '* /refunds', match: {headers: {User-Agent: a, x-build: b}}}, match.headers.x-build]
    - [{on: GET /refunds, match: {key: k, headers: {Host: a}}}, match.key, match.headers.Host]
    - [{sequence: [{on: '* /refund'}]}, 'sequence[0].on']
    - [{on: GET /tickets, per: key, times: 1}, per]
    - [{sequence: [{on: GET /tickets}], per: key}, per]
    - [{on: GET /tickets, times: 1.5}, times]
    - [{on: GET /tickets, script: all_used}, script]
    - [{sequence: [{match: {}}]}, 'sequence[0]']
    - [{on: GET /tickets, within: 5}, within]
    - [{on: GET /tickets, within: 2 minutes}, within]
  `)
  for (const [asked, ...paths] of refused)
    t.strictSame(await refusal(asked), [400, 'document_invalid', ...paths], JSON.stringify(asked))
  const long = { on: 'GET /tickets', within: '2m' }
  t.strictSame(await refusal(long), [400, 'body_malformed', 'within'])
  t.equal((await control('POST /verify?within=1s')).status, 400)
  t.equal((await control('POST /verify', '{"on":')).body.error.code, 'body_malformed')
})

t.test('verify: within waits without polling, and responds at once', async t => {
  const { call, verify, listeners, listening } = await start(t)
  const sequence = [{ on: 'GET /tickets' }, { on: 'POST /refunds' }]
  const waiting = Promise.all([
    verify({ on: 'POST /refunds', times: 1, within: '30s' }),
    verify({ sequence, within: '30s' })
  ])
  await listening(2)
  await call('GET /tickets')
  await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })
  const [counted, ordered] = await waiting
  t.strictSame(
    [counted.status, counted.body.seen, ordered.status, idsOf(ordered.body)],
    [200, 1, 200, ['req_1', 'req_2']]
  )
  t.strictSame(listeners, { now: 0, most: 2 })
  t.equal((await verify({ on: 'POST /refunds', within: '30s' })).status, 200)
  t.equal(listeners.most, 2, 'what holds already waits for nothing')
})

t.test('verify: one that waits while the journal is cleared starts counting again', async t => {
  const { call, control, verify, listening } = await start(t)
  const asked = [
    { on: 'GET /tickets', times: 2 },
    { sequence: [{ on: 'GET /tickets' }, { on: 'GET /accounts' }] },
    { on: 'GET /refunds', times: 2 }
  ]
  for (const path of ['/tickets', '/refunds']) await call(`GET ${path}`)

  const waiting = Promise.all(asked.map(one => verify({ ...one, within: '300ms' })))
  await listening(3)
  await control('DELETE /requests')
  for (const path of ['/accounts', '/tickets', '/refunds']) await call(`GET ${path}`)
  await control('DELETE /requests')
  for (let time = 0; time < 2; time++) await call('GET /tickets')

  t.equal(
    (await waiting).map(({ body }) => [body.holds, body.seen]).join(),
    'true,2,false,1,false,0'
  )
})

t.test('verify: a waiting request ends with the state that it reached', async t => {
  const { control, verify, listening } = await start(t)
  await control('PUT /snapshots/one')
  for (const on of ['POST /reset', 'POST /snapshots/one/restore']) {
    const waiting = verify({ on: 'GET /tickets', within: '30s' })
    await listening(1)
    await control(on)
    const { status, body } = await waiting
    t.strictSame([status, body.error.code], [409, 'state_replaced'], on)
  }
})

t.test('verify: within gives up in time; it stops waiting for a client that left', async t => {
  const { app, verify, listen, listeners, listening } = await start(t)
  const port = await listen()
  t.equal((await verify({ on: 'POST /refunds', within: '30ms' })).status, 409)
  const [leaving, headers] = [new AbortController(), { 'content-type': 'application/json' }]
  const waits = (within: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/_control/verify`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ on: 'POST /refunds', within }),
      signal: signal ?? null
    })
  waits('60s', leaving.signal).catch(() => {})
  await listening(1)
  const during = listeners.now
  leaving.abort()
  await listening(0)
  t.strictSame([during, listeners.now], [1, 0])

  const stopped = waits('60s')
  await listening(1)
  await app.close()
  const { status, headers: answered } = await stopped
  t.strictSame([status, answered.get('connection')], [409, 'close'])
})

t.test('verify: a verdict that an overflow could falsify is 409 journal_incomplete', async t => {
  const { call, verify } = await start(t, { settings: { 'limits.journal': 2 } })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })
  for (let time = 0; time < 2; time++) await call('GET /tickets')

  for (const [asked, expected] of [
    [{ on: 'GET /tickets' }, true],
    [{ on: 'GET /tickets', times: '2+' }, true],
    [{ on: 'GET /tickets', times: '3+' }, null],
    [{ on: 'GET /tickets', times: 2 }, null],
    [{ on: 'GET /tickets', times: 1 }, false],
    [{ on: 'GET /tickets', times: '0-1' }, false],
    [{ on: 'GET /tickets', times: '0-2' }, null],
    [{ on: 'POST /refunds', times: 0 }, null],
    [{ on: 'GET /tickets', per: 'account', times: '2+' }, null],
    [{ on: 'GET /tickets', per: 'account', times: 1 }, null],
    [{ sequence: [{ on: 'GET /tickets' }, { on: 'GET /tickets' }], per: 'account' }, null],
    [{ on: 'GET /tickets', no_sooner_than: '1s' }, null],
    [{ state: { refunds: { count: 1 } } }, true],
    [{ state: { refunds: { count: 2 } } }, false],
    [{ sequence: [{ on: 'GET /tickets' }, { on: 'GET /tickets' }] }, null],
    [{ sequence: [{ on: 'GET /tickets' }, { on: 'GET /tickets' }], others: true }, null],
    [{ sequence: [{ on: 'POST /refunds' }, { on: 'GET /tickets' }] }, null]
  ] as const) {
    const { status, body } = await verify(asked)
    if (expected === null)
      t.strictSame([status, body.error?.code], [409, 'journal_incomplete'], JSON.stringify(asked))
    else t.strictSame([status, body.holds], [expected ? 200 : 409, expected], JSON.stringify(asked))
  }
  t.match(
    (await verify({ on: 'POST /refunds' })).body.error.message,
    /no longer has 1 of the requests/
  )
})

t.test('verify: a waiting request sees those that overflow the journal', async t => {
  const { call, verify, listening } = await start(t, { settings: { 'limits.journal': 1 } })
  const waiting = verify({ on: 'POST /refunds', times: 1, within: '200ms' })
  await listening(1)
  for (let time = 0; time < 3; time++) await call('GET /tickets')
  const { status, body } = await waiting
  t.strictSame([status, body.error?.code], [409, undefined])
})

t.test('verify: ?report=1 responds with 200, whatever the verdict', async t => {
  const { control } = await startTestEmulator(t, {
    scenario: { data: smallFixture(), expect: [{ on: 'GET /tickets', times: 1 }] }
  })

  for (const [query, status] of [
    ['', 409],
    ['?report=0', 409],
    ['?report=1', 200],
    ['?report=true', 200]
  ] as const) {
    const { status: got, body } = await control(`POST /verify${query}`)
    t.strictSame([got, body.holds], [status, false], query)
  }
})
