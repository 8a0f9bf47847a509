import t from 'tap'
import { tookEffect } from '../../src/engine/outcome.js'
import { execute } from '../../src/engine/play.js'
import { run } from '../../src/engine/run.js'
import { authorization, NOW, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const REFUND = 'transaction=txn_a&amount=400'
const LOCATION = 'display_name=A&address[country]=US'
const scripted = (script: object[], more: object = {}) =>
  startWorld({
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script, ...more }
  })

t.test('FORM-1, A32: a body is form-encoded', async t => {
  const { call, blame } = await startWorld()
  const type = 'application/x-www-form-urlencoded'
  const post = (headers: Record<string, string>) =>
    call('POST /locations', { body: LOCATION, headers })

  for (const right of [
    `${type}; charset=utf-8`,
    `${type};charset=UTF-8`,
    type.toUpperCase(),
    `${type} ; charset=utf-8`
  ])
    t.equal(post({ 'content-type': right }).status, 200, right)
  for (const wrong of [
    'application/json; charset=utf-8',
    `${type}X`,
    'foo',
    'a b/c',
    '/',
    ' ',
    ''
  ]) {
    const { status, body } = post({ 'content-type': wrong })
    t.strictSame(
      [status, body.error.code, body.error.rule],
      [415, 'content_type_unsupported', 'FORM-1'],
      wrong
    )
    const sent = wrong.trim() && `The Content-Type is ${wrong}; send ${type}`
    t.ok(body.error.message.includes(sent || `; send ${type}`), wrong)
  }
  for (const headers of [{ 'content-type': 'foo' }, { 'content-encoding': 'gzip' }] as Record<
    string,
    string
  >[]) {
    t.equal(
      call('GET /locations', { headers }).status,
      200,
      `a GET with ${JSON.stringify(headers)}`
    )
    t.equal(
      call('POST /locations/loc_a', { headers: { ...headers, 'content-length': '0' } }).status,
      200,
      'a POST without a body'
    )
  }
  const json = { body: '{}', headers: { 'content-type': 'application/json' } }
  t.strictSame(blame('GET /tickets', json), [400, 'body_unexpected', null, 'A37'])
  t.strictSame(
    blame('POST /locations', { body: LOCATION, headers: { 'content-encoding': 'gzip' } }),
    [415, 'content_type_unsupported', null, 'A32']
  )
  const chunked = call('GET /locations', {
    body: 'x',
    headers: { 'transfer-encoding': 'chunked' }
  })
  t.strictSame([chunked.status, chunked.body.error.assumption], [400, 'A37'])
  t.equal(
    chunked.body.error.message,
    'A GET takes no body; list parameters go in the query string.'
  )
  t.match(call('DELETE /accounts/mch_a/users/usr_a', json).body.error.message, / go in the path/)
  t.match(call('GET /locations?starting_after=%20').body.error.message, /the id " "/)
})

t.test('A36: a body is UTF-8: other bytes and charsets are refused, U+FFFD is data', async t => {
  const { call } = await startWorld()
  const post = (name: string, charset = '') => {
    const type = `application/x-www-form-urlencoded${charset && `; charset=${charset}`}`
    const { status, body } = call('POST /locations', {
      body: `address[country]=US&display_name=${name}`,
      headers: { 'content-type': type }
    })
    return status === 200
      ? body.display_name
      : [status, body.error.code, body.error.param, body.error.assumption, body.error.message]
  }
  const refused = (message: string) => [400, 'form_malformed', undefined, 'A36', message]

  t.strictSame([post('Café'), post('%EF%BF%BD')], ['Café', '\uFFFD'])
  t.strictSame(post('\uFFFD'), refused('The form: the bytes are not UTF-8.'))
  for (const charset of ['utf-8', 'UTF8', '"utf-8"', 'utf-8; x=y'])
    t.equal(post('A', charset), 'A', charset)
  for (const charset of ['iso-8859-1', 'utf-16', '"latin1"'])
    t.strictSame(
      post('A', charset),
      refused(`The charset of the body is ${charset.replaceAll('"', '')}; send UTF-8.`),
      charset
    )
})

t.test('execute: every outcome of a request has its name', async t => {
  const fault = 'empty_response'
  const respond = { status: 402 }
  const rows: [
    what: string,
    on: string,
    entry: object | null,
    body: string | undefined,
    ends: unknown[]
  ][] = [
    ['answered', 'POST /refunds', null, REFUND, ['answered', 200, null, true]],
    ['read', 'GET /tickets/tkt_a', null, undefined, ['answered', 200, null, false]],
    [
      'refused by the operation',
      'POST /refunds',
      null,
      'transaction=txn_a&amount=1001',
      ['refused', 400, null, false]
    ],
    ['refused before', 'POST /refunds', { respond }, 'transaction=', ['refused', 400, null, false]],
    ['disabled', 'DELETE /locations/loc_a', null, undefined, ['answered', 501, null, false]],
    [
      'scripted',
      'POST /refunds',
      { respond: { status: 200 } },
      REFUND,
      ['scripted', 200, null, false]
    ],
    [
      'held and delayed: nothing waits',
      'POST /refunds',
      { hold: { gate: 'a' }, delay: '10m' },
      REFUND,
      ['answered', 200, null, true]
    ],
    ['lost before', 'POST /refunds', { fault }, REFUND, ['lost_before', 502, fault, false]],
    [
      'a scripted answer lost',
      'POST /refunds',
      { fault, respond },
      REFUND,
      ['lost_before', 402, fault, false]
    ],
    [
      'lost after',
      'POST /refunds',
      { fault, when: 'after' },
      REFUND,
      ['lost_after', 200, fault, true]
    ],
    [
      'a read lost after',
      'GET /tickets/tkt_a',
      { fault, when: 'after' },
      undefined,
      ['lost_after', 200, fault, false]
    ],
    [
      'a refusal lost after',
      'POST /refunds',
      { fault, when: 'after' },
      'transaction=txn_a&amount=1001',
      ['refused', 400, fault, false]
    ]
  ]
  for (const [what, on, entry, body, ends] of rows) {
    const { executed, world } = await scripted(
      entry === null ? [] : [{ on: on.replace(/tkt_a|loc_a/, '{id}'), ...entry }]
    )
    const exchange = executed(on, { ...(body && { body }) })
    const { name, status, fault } = exchange.outcome
    t.strictSame([name, status, fault, tookEffect(exchange)], ends, what)
    t.equal(exchange.outcome.isDelivered, fault === null, what)
    t.equal(world.state.store.refunds.size, on === 'POST /refunds' && ends[3] ? 1 : 0, what)
  }
})

t.test('execute: a malformed body is as long as the original, and is not JSON', async t => {
  const { executed } = await scripted([
    { on: 'GET /tickets/{id}', fault: 'malformed_body', when: 'after' }
  ])
  const { payload, outcome } = executed('GET /tickets/tkt_a').response
  t.equal(String(payload).length, outcome.length)
  t.throws(() => JSON.parse(String(payload)), SyntaxError)
})

t.test('execute: without the script a request is neither scripted nor counted', async t => {
  const expect = [{ on: 'GET /tickets', times: 3 }]
  const { executed, world } = await scripted([{ on: 'GET /tickets', respond: { status: 418 } }], {
    expect
  })
  const seen = async () => [
    world.state.script.listed()[0]?.matched,
    (await world.tally.verdicts(world.state.store))[0]?.seen
  ]

  for (const query of ['', 'limit=x', 'a=%zz'])
    executed('GET /tickets', { query }, { isScripted: false })
  t.strictSame(
    [executed('GET /tickets', {}, { isScripted: false }).outcome.status, await seen()],
    [200, [0, 0]]
  )

  for (const query of ['', 'limit=x', 'a=%zz']) executed('GET /tickets', { query })
  t.strictSame(
    [executed('GET /tickets', { key: null }).outcome.status, await seen()],
    [401, [1, 3]],
    'one without a right key is none, however it is executed'
  )
})

t.test('A08: before the first load operations get 503; an unknown path 404', async t => {
  const { blame } = await startWorld({ loaded: false })
  for (const on of ['GET /locations', 'POST /transactions', 'DELETE /locations/loc_a'])
    t.strictSame(blame(on).slice(0, 2), [503, 'not_ready'], on)
  t.equal(blame('GET /nowhere')[0], 404)
})

t.test('execute: a defect is not a refusal: it is rethrown', async t => {
  const { world } = await startWorld()
  Object.assign(world, {
    stamp: () => {
      throw new TypeError('a defect')
    }
  })
  const body = 'ticket=tkt_a&payment_type=external&amount=1'
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length)
  }
  t.throws(() => execute(world, { method: 'POST', url: '/next/transactions', headers, body }), {
    message: 'a defect'
  })
})

t.test('a request that waited is ready again before its operation', async t => {
  const { world } = await scripted([{ on: 'GET /tickets', delay: '1s' }])
  const headers = { authorization: authorization() }
  const request = { base: '/next', method: 'GET', url: '/next/tickets', headers, body: null }
  const steps: string[] = []
  const noted = (step: string) => {
    steps.push(step)
    return Promise.resolve(true)
  }
  const how = { pass: () => noted('waits'), ready: () => noted('is ready') }
  const { outcome, script } = await run(world, request, how)
  t.strictSame(
    [steps, outcome.status, script?.action.id],
    [['is ready', 'waits', 'is ready'], 200, 'scr_1']
  )
})

t.test('a request whose key is no longer valid after its wait is refused', async t => {
  const { world } = await scripted([{ on: 'GET /tickets', delay: '1s' }])
  const headers = { authorization: authorization() }
  const request = { base: '/next', method: 'GET', url: '/next/tickets', headers, body: null }
  const pass = async () => {
    world.state.store.keys.clear()
    return true
  }
  const { outcome, script } = await run(world, request, { pass })
  t.strictSame([outcome.status, script?.action.id], [401, 'scr_1'])
})
