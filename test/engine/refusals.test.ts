import t from 'tap'
import { readable } from '../../src/core/redaction.js'
import { shownGot } from '../../src/core/sentences.js'
import { recordsIn } from '../../src/engine/outcome.js'
import { execute } from '../../src/engine/play.js'
import { ASSUMPTION_PLACES } from '../../src/reference/assumptions.js'
import { MERCHANT, RESELLER, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const records = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}
const ALLOWED = {
  'POST, GET': ['/locations', '/accounts', '/accounts/mch_a/users', '/transactions', '/refunds'],
  'GET, POST, DELETE': ['/locations/loc_a', '/accounts/mch_a'],
  'GET, POST': ['/refunds/rfd_a'],
  GET: ['/tickets', '/tickets/tkt_a', '/transactions/txn_a'],
  DELETE: ['/accounts/mch_a/users/usr_a']
}
const PATHS = Object.entries(ALLOWED).flatMap(([allow, paths]) =>
  paths.map(path => [path, allow] as const)
)

t.test('A08, TKT-1: a known path is a 405 with Allow for any other method', async t => {
  const { call, blame } = await startWorld()
  for (const [path, allow] of PATHS) {
    const hasGet = allow.includes('GET')
    for (const [on, expected] of [
      [`PATCH ${path}`, [405, allow]],
      [`PROPFIND ${path}?a=%zz`, [405, allow]],
      [`get ${path}`, [405, allow]],
      [`OPTIONS ${path}/`, [204, allow]],
      [`HEAD ${path}`, hasGet ? [401, undefined] : [405, allow]]
    ] as const) {
      const { status, headers } = call(on, { key: null })
      t.strictSame([status, headers.allow], expected, on)
    }
  }
  t.equal(
    call('POST /tickets').body.error.message,
    "Tickets are read-only: /tickets takes GET, not POST. The emulator's own POST /_control/records adds them for a test."
  )
  t.equal(
    call('PUT /tickets').body.error.message,
    "Tickets are read-only: /tickets takes GET, not PUT. The emulator's own POST /_control/records adds them for a test."
  )
  t.equal(call('PUT /refunds').body.error.message, '/refunds takes POST, GET, not PUT.')
  for (const method of ['PROPFIND', 'put', 'FOO'])
    t.strictSame(
      blame(`${method} /tickets`),
      [405, 'method_not_allowed', null, 'A08'],
      `${method} is not a write of a Ticket`
    )
  t.equal(call('HEAD /tickets').status, 200)
})

t.test('A08: a path that the reference does not have is a 404, whatever the method', async t => {
  const { call, blame } = await startWorld()
  for (const path of [
    '',
    '/',
    '/location',
    '/Locations',
    '/locations/loc_a/x',
    '/users',
    '/accounts/mch_a/users/usr_a/x',
    '//locations',
    '/_control'
  ])
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD'])
      t.strictSame(
        blame(`${method} ${path}`, { key: null }),
        [404, 'path_unknown', null, 'A08'],
        `${method} ${path}`
      )
  const known = '/locations, /accounts, /accounts/{id}/users, /tickets, /transactions or /refunds.'
  const { headers, body } = call('GET /caf%C3%A9')
  t.equal(headers.allow, undefined)
  t.equal(body.error.message, `No endpoint has the path /café; paths begin with ${known}`)
  for (const path of ['/next/tickets', '/next/next/tickets'])
    t.equal(
      call(`POST ${path}`).body.error.message,
      'The base address /next is in the path more than once: send this to /next/tickets.'
    )
  t.match(call('GET /nextdoor').body.error.message, /^No endpoint has the path \/nextdoor;/)
})

const basic = (credentials: string) => `Basic ${btoa(credentials)}`

t.test('AUTH-1, AUTH-3, A18: the key is the user name of HTTP Basic', async t => {
  const { call } = await startWorld()
  const key = btoa(`${MERCHANT}:`)
  const wrong = [MERCHANT, `${MERCHANT}: `, `${MERCHANT}::`, `${MERCHANT}:\n`].map(basic)
  const refusedAs: Record<string, (string | undefined)[]> = {
    'api_key_missing AUTH-3': [undefined, basic(':')],
    'api_key_malformed AUTH-1': [
      '',
      'Basic',
      'Basic ',
      'Basic !!!',
      'Basic ====',
      `Basic ${MERCHANT}:`,
      key,
      `Bearer ${key}`,
      ...wrong
    ],
    'api_key_unknown A18': [`${MERCHANT} :`, `${MERCHANT.toUpperCase()}:`].map(basic)
  }
  const get = (authorization?: string) =>
    call('GET /locations', {
      key: null,
      headers: { ...(authorization !== undefined && { authorization }) }
    })
  for (const [expected, values] of Object.entries(refusedAs))
    for (const authorization of values) {
      const { status, headers, body } = get(authorization)
      const { code, rule, assumption, param, type } = body.error
      t.strictSame(
        [status, `${code} ${rule ?? assumption}`, param, type],
        [401, expected, undefined, 'authentication_error'],
        String(authorization)
      )
      t.equal(headers['www-authenticate'], 'Basic realm="commerce", charset="UTF-8"')
    }
  for (const scheme of ['basic', 'BASIC', 'Basic '])
    t.equal(get(basic(`${MERCHANT}:`).replace('Basic', scheme)).status, 200, scheme)
})

t.test('A18: a key that no scenario declares is masked in an error too, unless short', async t => {
  const { call } = await startWorld({ settings: { 'auth.accept_any_key': 'mch_a' } })
  for (const [key, shown] of Object.entries({ sk_live_unknown_1: '***', id: 'id' }))
    t.equal(
      call(`GET /tickets/${key}`, { key }).body.error.message,
      `No Ticket has the id ${shown}.`
    )
})

const LATER = { created: '2026-03-01T18:04:00.000Z', address: { country: 'US' } }
const SHARED = {
  accounts: [{ id: 'mch_b', type: 'merchant', name: 'B', email: 'b@example.com', ...LATER }],
  locations: [{ id: 'loc_b', account: 'mch_b', display_name: 'B', ...LATER }]
}

t.test('A19: a list relies on it if it would differ otherwise', async t => {
  const cases: [
    visibility: 'open' | 'scoped',
    key: string,
    on: string,
    query: string,
    shown: string[],
    relies: boolean
  ][] = [
    ['open', MERCHANT, 'GET /locations', '', ['loc_a', 'loc_b'], true],
    ['open', MERCHANT, 'GET /locations', 'limit=1', ['loc_a'], false],
    ['open', MERCHANT, 'GET /tickets', '', ['tkt_a'], false],
    ['open', RESELLER, 'GET /tickets', '', ['tkt_a'], true],
    ['open', MERCHANT, 'GET /tickets', 'location=loc_b', [], true],
    ['scoped', MERCHANT, 'GET /locations', '', ['loc_a'], true],
    ['scoped', MERCHANT, 'GET /locations', 'limit=1', ['loc_a'], false],
    ['scoped', 'sk_b', 'GET /locations', 'limit=1', ['loc_b'], true],
    ['scoped', MERCHANT, 'GET /tickets', '', ['tkt_a'], false],
    ['scoped', RESELLER, 'GET /tickets', '', [], true],
    ['scoped', MERCHANT, 'GET /tickets', 'location=loc_a', ['tkt_a'], false],
    ['scoped', MERCHANT, 'GET /tickets', 'location=loc_b', [], true],
    ['scoped', MERCHANT, 'GET /accounts/mch_a/users', '', [], false]
  ]
  for (const [visibility, key, on, query, shown, relies] of cases) {
    const data = smallFixture(SHARED)
    const scenario = {
      settings: { auth: { visibility } },
      data: { ...data, api_keys: [...data.api_keys, { key: 'sk_b', account: 'mch_b' }] }
    }
    const { executed } = await startWorld({ scenario })

    const exchange = executed(on, { key, query })

    const what = `${visibility} ${key} ${on} ${query}`
    const ids = recordsIn(exchange).map(({ id }) => id)
    t.strictSame(
      [ids.sort(), exchange.facts.relied.has(ASSUMPTION_PLACES.A19)],
      [shown, relies],
      what
    )
  }
})

t.test('A35: a body of more than limits.body is refused before it is read', async t => {
  const { call } = await startWorld({ settings: { 'limits.body': 14 } })
  for (const [body, is] of [
    ['transaction=x1', 'reference_missing'],
    ['transaction=é', 'reference_missing'],
    ['transaction=é1', 'body_too_large']
  ] as const)
    t.equal(call('POST /refunds', { body }).body.error.code, is, body)
})

t.test('BASE-1: a path without the base gets a hint', async t => {
  const { world } = await startWorld()
  const refusalOf = (url: string) =>
    JSON.parse(execute(world, { method: 'POST', url, headers: {}, body: null }).outcome.text).error
  for (const [path] of PATHS)
    t.hasStrict(refusalOf(path), {
      code: 'path_unknown',
      rule: 'BASE-1',
      message: `The base address ends in /next: send this to /next${path}.`
    })
  for (const path of ['/nextfoo', '/nowhere', '/v1/locations', '/_controlled'])
    t.equal(
      refusalOf(path).message,
      `There is nothing at ${path}; every path is relative to the base address, which is /next here. The control API is at /_control.`
    )
})

t.test('A08: paths are read as addresses are', async t => {
  const { call, blame } = await startWorld({ records })

  t.equal(
    call('GET /locations/').body.url,
    '/next/locations',
    'a slash at the end is no other path'
  )
  t.equal(call('GET /locations/loc_a/').body.id, 'loc_a')
  t.equal(call('GET /accounts/mch_a/users/').body.data.length, 1)
  t.equal(call('GET /locations/%6Coc_a').body.id, 'loc_a')
  t.equal(call('GET /locations?').status, 200)
  for (const id of [
    'nope',
    'a%2Fb',
    '%2F',
    '%20',
    '..%2F..',
    'caf%C3%A9',
    '__proto__',
    'x'.repeat(1000)
  ]) {
    t.strictSame(blame(`GET /locations/${id}`), [404, 'resource_missing', 'id', 'A08'])
    t.equal(
      call(`GET /locations/${id}`).body.error.message,
      `No Location has the id ${shownGot(decodeURIComponent(id))}.`
    )
  }
  t.strictSame(
    blame(`GET /locations/${'x'.repeat(16_385)}`),
    [404, 'path_unknown', null, 'A08'],
    'longer than any id'
  )
  for (const path of ['%ff', '%zz', '%', '%E2%82', '%C3%28'])
    t.strictSame(blame(`GET /locations/${path}`), [400, 'request_malformed', null, 'A08'], path)
  t.strictSame([readable('/a%20b%0Ac'), readable('/%ff')], ['/a b?c', '/%ff'])
})

t.test('A07: errors have one shape', async t => {
  const [open, closed] = [
    await startWorld({ records }),
    await startWorld({ records, settings: { 'errors.expose_rule': false } })
  ]
  const TOO_MUCH = ['POST /refunds', { body: 'transaction=txn_a&amount=901' }] as const
  const NO_LIMIT = ['GET /locations', { query: 'limit=0' }] as const

  t.strictSame(open.call(...TOO_MUCH).body.error, {
    type: 'invalid_request_error',
    code: 'refund_exceeds_remaining',
    message:
      'txn_a was charged 1000 usd, 100 of it has been refunded, 900 remain; the request asks for 901.',
    param: 'amount',
    rule: 'REF-7',
    request_id: 'req_1'
  })
  const limit = {
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    message: 'limit must be 1 to 100; got 0.',
    param: 'limit',
    assumption: 'A10'
  }
  t.strictSame(open.call(...NO_LIMIT).body.error, { ...limit, request_id: 'req_2' })
  const message = 'Deleting Locations is disabled: the service always responds with 501.'
  t.strictSame(open.call('DELETE /locations/loc_a').body, {
    error: {
      type: 'not_implemented_error',
      code: 'operation_disabled',
      message,
      rule: 'LOC-4',
      request_id: 'req_3'
    }
  })
  for (const { headers, body } of [
    closed.call(...TOO_MUCH),
    closed.call(...NO_LIMIT),
    closed.call('GET /locations/%ff')
  ]) {
    t.notOk('rule' in body.error || 'assumption' in body.error)
    t.strictSame(
      [headers['content-type'], headers['request-id']],
      ['application/json; charset=utf-8', body.error.request_id]
    )
  }
})
