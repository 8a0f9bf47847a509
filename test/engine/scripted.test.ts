import t from 'tap'
import { type Call, NOW, RESELLER, smallFixture } from '../support/requests.js'
import { startWorld, stateOf } from '../support/world.js'

const CARD = '4000000000000002'
const JSON_TYPE = 'application/json; charset=utf-8'
const records = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}
/** A world with a script. */
const scripted = (script: object[], more: object = {}) => startWorld({ scenario: { clock: NOW, data: smallFixture(records), script, ...more } })
type World = Awaited<ReturnType<typeof scripted>>['world']
const countsOf = ({ state }: World) => state.script.listed().map(({ matched, applied }) => [matched, applied])

t.test('respond answers in the operation’s stead, and nothing is changed', async t => {
  const error = (type: string, code: string, message: string, more: object = {}) => ({ error: { type, code, message, ...more, request_id: 'ID' } })
  const cases: [respond: object, status: number, type: string | undefined, body: unknown][] = [
    [{ status: 503, body: '', headers: { 'Retry-After': '2' } }, 503, undefined, ''],
    [{ status: 503, retry_after: '1500ms' }, 503, JSON_TYPE, error('api_error', 'service_unavailable', 'The service is unavailable; try again later.')],
    [{ status: 402 }, 402, JSON_TYPE, error('card_error', 'card_declined', 'The card was declined.')],
    [{ status: 402, error: { code: 'expired_card' } }, 402, JSON_TYPE, error('card_error', 'expired_card', 'The card was declined.')],
    [{ status: 418, error: {} }, 418, JSON_TYPE, error('invalid_request_error', 'parameter_invalid', 'The request is not valid.')],
    [{ status: 507 }, 507, JSON_TYPE, error('api_error', 'internal_error', 'The service failed.')],
    [{ status: 302 }, 302, undefined, ''],
    [{ status: 204 }, 204, undefined, ''],
    [{ body: { id: 'rfd_x', made_up: [1, null] } }, 200, JSON_TYPE, { id: 'rfd_x', made_up: [1, null] }],
    [{ status: 201, body: [] }, 201, JSON_TYPE, []],
    [{ body: null }, 200, JSON_TYPE, null],
    [{ body: 0 }, 200, JSON_TYPE, 0],
    [{ status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } }, 502, 'text/html', '<h1>Bad Gateway</h1>'],
    [{ body: 'plain' }, 200, 'text/plain; charset=utf-8', 'plain'],
    [{ body: '' }, 200, undefined, ''],
    [{ error: { code: 'card_declined', message: 'No.' } }, 400, JSON_TYPE, error('invalid_request_error', 'card_declined', 'No.')],
    [
      { status: 402, error: { type: 'card_error', code: 'card_declined', message: 'No.', param: 'card[number]' } },
      402,
      JSON_TYPE,
      error('card_error', 'card_declined', 'No.', { param: 'card[number]' })
    ]
  ]
  const script = cases.map(([respond], index) => ({ on: 'POST /refunds', calls: index + 1, respond }))
  const { call, world } = await scripted(script, { settings: { statuses: { created: 201 } } })
  const before = stateOf(world)
  for (const [nth, [respond, status, type, expected]] of cases.entries()) {
    const { headers, text, ...answer } = call('POST /refunds', { body: 'transaction=txn_a', headers: { origin: 'https://shop.example' } })

    const { 'content-type': sent, 'retry-after': wait, ...others } = headers
    t.strictSame([answer.status, sent, wait], [status, type, status === 503 ? '2' : undefined], JSON.stringify(respond))
    t.equal(text, typeof expected === 'string' ? expected : JSON.stringify(expected).replace('ID', `req_${nth + 1}`))
    const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Request-Id, Warning' }
    t.strictSame(others, { 'request-id': `req_${nth + 1}`, ...cors })
  }
  t.equal(stateOf(world), before)
  t.equal(call('POST /refunds', { body: 'transaction=txn_a' }).status, 201, 'and the operation itself is made when no entry applies')
})

t.test('match: what a request is about is found through what it names', async t => {
  const charge = { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }
  const about = (what: object) => ({ on: '*', match: { about: what }, respond: { status: 503 } })
  const cases: [on: string, call: Call, about: object][] = [
    ['POST /transactions', { body: 'ticket=tkt_a&payment_type=external', key: null }, { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['POST /refunds', { body: 'transaction=txn_a' }, charge],
    ['GET /transactions/txn_a', {}, charge],
    ['GET /tickets/tkt_a', {}, { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /tickets', { query: 'location=loc_a' }, { location: 'loc_a', account: 'mch_a' }],
    ['GET /refunds', { query: 'transaction=txn_a' }, charge],
    ['GET /locations/loc_a', {}, { location: 'loc_a', account: 'mch_a' }],
    ['GET /accounts/mch_a', {}, { account: 'mch_a' }],
    ['GET /accounts/mch_a/users', {}, { account: 'mch_a' }],
    ['DELETE /accounts/mch_a/users/usr_none', {}, { account: 'mch_a' }],
    ['GET /refunds/rfd_a', {}, charge],
    ['GET /refunds/rfd_none', {}, { account: 'mch_a' }],
    ['GET /refunds', {}, { account: 'mch_a' }]
  ]
  const kinds = ['location', 'ticket', 'transaction', 'account'] as const
  for (const [on, options, expected] of cases) {
    const { world, executed } = await scripted(kinds.map(what => ({ ...about({ [what]: '//' }), calls: 1 })))
    for (let nth = 0; nth < 4; nth++) executed(on, options)
    t.strictSame(
      countsOf(world).map(([matched]) => matched !== 0),
      kinds.map(what => what in expected),
      on
    )
    const { call: exact } = await scripted([about(expected)])
    t.equal(exact(on, options).status, 503, `${on} ${JSON.stringify(expected)}`)
    const { call: other } = await scripted([about({ ...expected, account: 'mch_b' })])
    t.not(other(on, options).status, 503)
  }

  const expect = [{ on: 'POST /transactions', match: { about: { account: { present: false } } }, times: 1 }]
  const { call, world } = await scripted([], { expect })
  t.equal(call('POST /transactions', { body: 'ticket=tkt_none&payment_type=external', key: null }).status, 400)
  t.ok((await world.tally.verdicts(world.state.store))[0]?.holds, 'a request without a key that names nothing is about nobody')
})

t.test('match: params, query, nested names, the key, and whether what has parts was sent', async t => {
  const body = (text: string) => ({ respond: { body: text } })
  const { call } = await scripted([
    { on: 'GET /tickets/{id}', match: { params: { id: 'tkt_a' }, key: RESELLER }, ...body('by key') },
    { on: 'GET /tickets', match: { query: { created: { gte: '/^2026/' } } }, ...body('by query') },
    { on: 'POST /transactions', match: { body: { customer: { email: ['a@example.com', '/@b\\.example$/'] } } }, ...body('by list') },
    { on: 'POST /transactions', match: { body: { 'amounts[tip_amount]': 5 } }, ...body('by number') },
    { on: 'GET /locations', match: { headers: { 'X-Build': '7' } }, ...body('by a header') },
    { on: 'POST /transactions', match: { key: '/./' }, ...body('by any key') },
    { on: 'POST /transactions', match: { body: { card: { present: false } } }, ...body('without a card') }
  ])
  const pay = (form: string, key: string | null = null) => call('POST /transactions', { key, body: `ticket=tkt_a&payment_type=card&card[brand]=visa&${form}` })

  t.equal(call('GET /tickets/tkt_a', { key: RESELLER }).text, 'by key')
  t.equal(call('GET /tickets/tkt_a').body.id, 'tkt_a')
  t.equal(call('GET /tickets', { query: 'created%5Bgte%5D=2026-01-01' }).text, 'by query')
  t.equal(call('GET /tickets', { query: 'created[gte]=2025-01-01' }).status, 200)
  t.equal(call('GET /locations', { headers: { 'x-build': '7' } }).text, 'by a header')
  t.equal(call('GET /locations').body.object, 'list')
  t.equal(call('GET /tickets').body.object, 'list')
  t.equal(pay('customer[email]=x@b.example').text, 'by list')
  t.equal(pay('amounts[tip_amount]=5').text, 'by number')
  t.equal(pay('amounts[tip_amount]=50').body.object, 'transaction')
  t.equal(pay('amount=1', 'anything').text, 'by any key')
  t.equal(call('POST /transactions', { key: null, body: 'ticket=tkt_a&payment_type=card' }).text, 'without a card')
})

t.test('the script is asked after key and parameters: a request refused for those is neither counted nor matched', async t => {
  const expect = [{ on: 'POST /refunds', times: 0 }, { on: 'DELETE /locations/{id}' }]
  const { call, world } = await scripted([{ on: 'POST /refunds', respond: { status: 418 } }], { expect })
  const refused: [options: Call, status: number][] = [
    [{ key: null, body: 'transaction=txn_a' }, 401],
    [{ key: 'nope', body: 'transaction=txn_a' }, 401],
    [{ body: '{}', headers: { 'content-type': 'application/json' } }, 415],
    [{ body: 'transaction=%zz' }, 400],
    [{ body: 'transaction=txn_a&colour=red' }, 400],
    [{ body: '' }, 400],
    [{ body: 'transaction=txn_a&amount=-1' }, 400],
    [{ body: 'transaction=txn_none' }, 400]
  ]
  for (const [options, status] of refused) t.equal(call('POST /refunds', options).status, status, JSON.stringify(options))
  t.equal(call('PUT /refunds').status, 405)
  t.strictSame(countsOf(world), [[0, 0]])
  t.equal(call('POST /refunds', { body: 'transaction=txn_a&amount=100001' }).status, 418, 'what the operation itself would refuse is matched')
  t.equal(call('DELETE /locations/loc_a').status, 501)
  const seen = (await world.tally.verdicts(world.state.store)).map(({ seen }) => seen)
  t.strictSame(seen, [7, 1], 'expectations count every request whose key was right')
})

t.test('a request of an operation without entries pays nothing for the script', async t => {
  const { call, world } = await scripted([{ on: 'GET /tickets', respond: { body: 'scripted' } }])
  let asked = 0
  const act = world.state.script.act.bind(world.state.script)
  world.state.script.act = (...given) => {
    asked++
    return act(...given)
  }

  t.strictSame([call('GET /tickets/tkt_a').status, call('GET /locations').status, asked], [200, 200, 0])
  t.strictSame([call('GET /tickets').text, asked], ['scripted', 1])
})

t.test('a Retry-After holds seconds, by both clocks, or a date; anything else says nothing', async t => {
  const after = ['2', 'Sun, 01 Mar 2026 18:06:00 GMT', 'soon', '']
  const { executed } = await scripted(
    after.map((header, index) => ({ on: 'GET /tickets', calls: index + 1, respond: { status: 503, headers: { 'Retry-After': header } } }))
  )
  const [now, date] = [Date.parse(NOW), Date.parse(NOW) + 60_000]

  t.strictSame(
    [...after, 'answered'].map(() => executed('GET /tickets').outcome.pause),
    [{ machine: now + 2000, sandbox: now + 2000 }, { machine: date, sandbox: date }, null, null, null]
  )
})

t.test('A25: a card number is matched and forgotten', async t => {
  const script = [
    { on: 'POST /transactions', match: { body: { card: { number: '/^4000 ?0000 ?0000 ?0002$/' } } }, calls: 1, respond: { status: 402 } },
    { on: 'POST /transactions', match: { body: { card: { number: '/0002$/' } } }, calls: 2, fault: 'malformed_body', when: 'after' }
  ]
  const expect = [{ on: 'POST /transactions', match: { body: { 'card[number]': '/0002$/' } }, times: 2 }]
  const { executed, world } = await scripted(script, { expect })
  const pay = (number: string) => executed('POST /transactions', { key: null, body: { ticket: 'tkt_a', payment_type: 'card', 'card[number]': number } })

  const paid = [CARD, '4242424242424242', '4000 0000 0000 0002'].map(number => pay(number).outcome.name)

  const [verdict] = await world.tally.verdicts(world.state.store)
  t.strictSame([paid, verdict?.holds, countsOf(world)], [['scripted', 'answered', 'answered'], true, Array(2).fill([2, 1])])
  const kept = JSON.stringify([world.state.script.listed(), verdict]) + stateOf(world)
  for (const trace of [CARD, '4000 0000', '40000000', '4242424242', '424242424242']) t.notOk(kept.includes(trace), trace)
})
