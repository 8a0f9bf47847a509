import t from 'tap'
import { readable } from '../../src/core/redaction.js'
import { execute } from '../../src/engine/execute.js'
import { startWorld } from '../support/world.js'

const records = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}
const PATHS: [path: string, allow: string][] = [
  ['/locations', 'POST, GET'],
  ['/locations/loc_a', 'GET, POST, DELETE'],
  ['/accounts', 'POST, GET'],
  ['/accounts/mch_a', 'GET, POST, DELETE'],
  ['/accounts/mch_a/users', 'POST, GET'],
  ['/accounts/mch_a/users/usr_a', 'DELETE'],
  ['/tickets/tkt_a', 'GET'],
  ['/tickets', 'GET'],
  ['/transactions/txn_a', 'GET'],
  ['/transactions', 'POST, GET'],
  ['/refunds', 'POST, GET'],
  ['/refunds/rfd_a', 'GET, POST']
]

t.test('A08, TKT-1: a known path is a 405 with Allow for a method that the reference does not give it', async t => {
  const { call, blame } = await startWorld()
  for (const [path, allow] of PATHS) {
    for (const on of [`PATCH ${path}`, `OPTIONS ${path}/`, `PROPFIND ${path}?a=%zz`, `HEAD ${path}`]) {
      const { status, headers } = call(on, { key: null })
      t.strictSame([status, headers.allow], [405, allow], on)
    }
  }
  t.equal(
    call('POST /tickets').body.error.message,
    'Tickets are read-only: /tickets takes GET, not POST. The emulator\'s own POST /_control/records adds them for a test, such as {"tickets":[{"location":"loc_bistro"}]}.'
  )
  t.equal(call('PUT /tickets').body.error.message, 'Tickets are read-only: /tickets takes GET, not PUT.')
  t.equal(call('PUT /refunds').body.error.message, '/refunds takes POST, GET, not PUT.')
  t.strictSame(blame('OPTIONS /tickets'), [405, 'method_not_allowed', null, 'A08'], 'what reads is no write of a Ticket')
  t.strictSame(blame('HEAD /tickets'), [405, 'method_not_allowed', null, 'A39'])
})

t.test('A08: a path that the reference does not have is a 404, whatever the method', async t => {
  const { call, blame } = await startWorld()
  for (const path of ['', '/', '/location', '/Locations', '/locations/loc_a/x', '/users', '/accounts/mch_a/users/usr_a/x', '//locations', '/_control'])
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD'])
      t.strictSame(blame(`${method} ${path}`, { key: null }), [404, 'path_unknown', null, 'A08'], `${method} ${path}`)
  for (const [path, meant] of [
    ['/next', '/next'],
    ['/next/next/locations', '/next/locations'],
    ['/next/nextdoor', '/next/nextdoor']
  ])
    t.equal(call(`GET ${path}`).body.error.message, `The base address /next is in the path more than once: call ${meant}.`)
  const { headers, body } = call('GET /caf%C3%A9')
  t.equal(headers.allow, undefined)
  t.equal(
    body.error.message,
    'No endpoint has the path /café; the families are /locations, /accounts, /accounts/{id}/users, /tickets, /transactions and /refunds.'
  )
})

t.test('BASE-1: a path without the base gets a hint of it', async t => {
  const { world } = await startWorld()
  const refusalOf = (url: string) => JSON.parse(execute(world, { method: 'POST', url, headers: {}, body: null }).text).error
  for (const [path] of PATHS)
    t.hasStrict(refusalOf(path), { code: 'path_unknown', rule: 'BASE-1', message: `The base address ends in /next: call /next${path}.` })
  for (const path of ['/nextfoo', '/nowhere', '/v1/locations', '/_controlled'])
    t.equal(
      refusalOf(path).message,
      `There is nothing at ${path}; every path is relative to the base address, which is /next here. The control API is at /_control.`
    )
})

t.test('A08: paths are read as addresses are', async t => {
  const { call, blame } = await startWorld({ records })

  t.equal(call('GET /locations/').body.url, '/next/locations', 'a slash at the end is no other path')
  t.equal(call('GET /locations/loc_a/').body.id, 'loc_a')
  t.equal(call('GET /accounts/mch_a/users/').body.data.length, 1)
  t.equal(call('GET /locations/%6Coc_a').body.id, 'loc_a')
  t.equal(call('GET /locations?').status, 200)
  for (const [id, shown] of [
    ['nope', 'nope'],
    ['a%2Fb', 'a/b'],
    ['%2F', '/'],
    ['%20', ' '],
    ['..%2F..', '../..'],
    ['caf%C3%A9', 'café'],
    ['__proto__', '__proto__'],
    ['x'.repeat(1000), 'x'.repeat(1000)]
  ] as const) {
    t.strictSame(blame(`GET /locations/${id}`), [404, 'resource_missing', 'id', 'A08'])
    t.equal(call(`GET /locations/${id}`).body.error.message, `No Location has the id ${shown}.`)
  }
  t.strictSame(blame(`GET /locations/${'x'.repeat(16_385)}`), [404, 'path_unknown', null, 'A08'], 'longer than any id')
  for (const path of ['%ff', '%zz', '%', '%E2%82', '%C3%28']) t.strictSame(blame(`GET /locations/${path}`), [400, 'request_malformed', null, 'A08'], path)
  t.strictSame([readable('/a%20b%0Ac'), readable('/%ff')], ['/a b?c', '/%ff'])
})

t.test('A07: an error has its one shape, and names its rule or assumption unless errors.expose_rule is off', async t => {
  const [open, closed] = [await startWorld({ records }), await startWorld({ records, settings: { 'errors.expose_rule': false } })]
  const TOO_MUCH = ['POST /refunds', { body: 'transaction=txn_a&amount=901' }] as const
  const NO_LIMIT = ['GET /locations', { query: 'limit=0' }] as const

  t.strictSame(open.call(...TOO_MUCH).body.error, {
    type: 'invalid_request_error',
    code: 'refund_exceeds_remaining',
    message: 'txn_a was charged 1000 usd, 100 of it has been refunded, 900 remain; the request asks for 901.',
    param: 'amount',
    rule: 'REF-7',
    request_id: 'req_1'
  })
  const limit = { type: 'invalid_request_error', code: 'parameter_invalid', message: 'limit must be 1 to 100; got 0.', param: 'limit', assumption: 'A10' }
  t.strictSame(open.call(...NO_LIMIT).body.error, { ...limit, request_id: 'req_2' })
  const message = 'Deleting Locations is disabled: the service always aborts it.'
  t.strictSame(open.call('DELETE /locations/loc_a').body, {
    error: { type: 'not_implemented_error', code: 'operation_disabled', message, rule: 'LOC-4', request_id: 'req_3' }
  })
  for (const { headers, body } of [closed.call(...TOO_MUCH), closed.call(...NO_LIMIT), closed.call('GET /locations/%ff')]) {
    t.notOk('rule' in body.error || 'assumption' in body.error)
    t.strictSame([headers['content-type'], headers['request-id']], ['application/json; charset=utf-8', body.error.request_id])
  }
})
