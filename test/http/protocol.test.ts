import { connect } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { readable } from '../../src/http/answers.js'
import { answerUnreadable, refusalFrom } from '../../src/server/errors.js'
import { createLogger } from '../../src/server/logging.js'
import type { Schema } from '../../src/reference/parameters.js'
import { RESOURCES } from '../../src/reference/tables.js'
import { FAMILIES } from '../../src/store/store.js'
import { type Blame, blameOf, MERCHANT, NOW, RESELLER, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const FORM = 'application/x-www-form-urlencoded'
const LOCATION_FORM = 'display_name=A&address[country]=US'
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`
const records = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}

t.test('FORM-1, A32: a body is form-encoded; its type is looked at only when there is a body', async t => {
  const { call } = await startTestEmulator(t)
  for (const type of [`${FORM}; charset=utf-8`, `${FORM};charset=UTF-8`, FORM.toUpperCase(), `${FORM} ; charset=utf-8`]) {
    t.equal((await call('POST /locations', { body: LOCATION_FORM, headers: { 'content-type': type } })).status, 200, type)
  }
  for (const type of ['application/json; charset=utf-8', 'application/x-www-form-urlencodedX', 'foo', 'a b/c', '/', ' ', '']) {
    const answer = await call('POST /locations', { body: LOCATION_FORM, headers: { 'content-type': type } })
    t.strictSame(blameOf(answer), [415, 'content_type_unsupported', null, 'FORM-1'], type)
    if (type.startsWith('application'))
      t.equal(
        answer.body.error.message,
        `The body is ${type}; bodies are form-encoded: send application/x-www-form-urlencoded, nested values as address[city]=Boston.`
      )
  }
  for (const headers of [{ 'content-type': 'foo' }, { 'content-encoding': 'gzip' }] as Record<string, string>[]) {
    t.equal((await call('GET /locations', { headers })).status, 200, `a GET with ${JSON.stringify(headers)}`)
    t.equal((await call('POST /locations/loc_a', { headers: { ...headers, 'content-length': '0' } })).status, 200, 'a POST without a body')
  }
  t.equal((await call('DELETE /accounts/mch_a/users/nope', { headers: { 'content-type': FORM } })).status, 404, 'a DELETE with a type and no body')
})

t.test('FORM-1: a body that names no type is refused', async t => {
  const { inject } = await startTestEmulator(t)

  const answer = await inject({
    method: 'POST',
    url: '/next/locations',
    payload: Buffer.from(LOCATION_FORM),
    headers: { authorization: basic(`${MERCHANT}:`) }
  })

  t.strictSame(blameOf(answer), [415, 'content_type_unsupported', null, 'FORM-1'])
  t.equal(answer.body.error.message.slice(0, 30), 'The body is no content type; b')
})

t.test('A35: a body larger than limits.body is refused with 413', async t => {
  const { call, refusal } = await startTestEmulator(t, { settings: { 'limits.body': 100 } })
  const ofLength = (length: number) => `${LOCATION_FORM}&phone=`.padEnd(length, '1')

  t.equal((await call('POST /locations', { body: ofLength(100) })).status, 200)
  t.strictSame(await refusal('POST /locations', { body: ofLength(101) }), [413, 'body_too_large', null, 'A35'])
})

t.test('A36: a body is UTF-8, whatever charset is declared', async t => {
  const { inject } = await startTestEmulator(t)
  const authorization = basic(`${MERCHANT}:`)
  const post = (name: Buffer, type = FORM) =>
    inject({
      method: 'POST',
      url: '/next/locations',
      payload: Buffer.concat([Buffer.from('address[country]=US&display_name='), name]),
      headers: { authorization, 'content-type': type }
    })
  const malformed: Blame = [400, 'form_malformed', null, 'A36']

  t.equal((await post(Buffer.from('Café'))).body.display_name, 'Café', 'raw bytes that are UTF-8')
  for (const bytes of [[0xe9], [0xc3], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xff]]) {
    const answer = await post(Buffer.from(bytes))
    t.strictSame([blameOf(answer), answer.body.error.message], [malformed, 'The bytes of the body are not UTF-8.'], String(bytes))
  }
  for (const charset of ['utf-8', 'UTF8', '"utf-8"', 'utf-8; x=y']) t.equal((await post(Buffer.from('A'), `${FORM}; charset=${charset}`)).status, 200, charset)
  for (const charset of ['iso-8859-1', 'utf-16', '"latin1"']) {
    const answer = await post(Buffer.from('A'), `${FORM}; charset=${charset}`)
    t.strictSame([blameOf(answer), answer.body.error.message], [malformed, `The body is declared as ${charset.replaceAll('"', '')}; send UTF-8.`], charset)
  }
})

t.test('A32, A37: a GET takes no body, however it is sent', async t => {
  const { call, refusal } = await startTestEmulator(t)
  const answer = await call('GET /locations', { body: 'x', headers: { 'transfer-encoding': 'chunked' } })
  t.strictSame(blameOf(answer), [400, 'body_unexpected', null, 'A37'])
  t.equal(answer.body.error.message, 'A GET takes no body; list parameters go in the query string.')
  t.strictSame(await refusal('GET /tickets', { body: '{}', headers: { 'content-type': 'application/json' } }), [415, 'content_type_unsupported', null, 'A32'])
})

t.test('A08: a body shorter than its Content-Length is refused', async t => {
  const { refusal } = await startTestEmulator(t)

  t.strictSame(await refusal('POST /locations', { body: LOCATION_FORM, headers: { 'content-length': '99' } }), [400, 'request_malformed', null, 'A08'])
})

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
  const { call } = await startTestEmulator(t, { settings: { cors: false } })
  for (const [path, allow] of PATHS) {
    for (const [method, address] of [
      ['PATCH', path],
      ['OPTIONS', `${path}/`],
      ['PROPFIND', `${path}?a=%zz`]
    ]) {
      const answer = await call(`${method} ${address}`, { key: null })
      t.strictSame([answer.status, answer.headers.allow], [405, allow], `${method} ${address}`)
    }
    const head = await call(`HEAD ${path}`)
    t.strictSame([head.status, head.text, head.headers.allow], [405, '', allow], `HEAD ${path}`)
  }
  t.equal((await call('PUT /tickets')).body.error.message, 'Tickets are read-only: /tickets takes GET, not PUT.')
  t.equal((await call('PUT /refunds')).body.error.message, '/refunds takes POST, GET, not PUT.')
  t.strictSame(blameOf(await call('OPTIONS /tickets')), [405, 'method_not_allowed', null, 'A08'], 'what reads is no write of a Ticket')
})

t.test('A08: a path that the reference does not have is a 404, whatever the method', async t => {
  const { call } = await startTestEmulator(t, { settings: { cors: false } })
  for (const path of ['', '/', '/location', '/Locations', '/locations/loc_a/x', '/users', '/accounts/mch_a/users/usr_a/x', '//locations', '/_control']) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
      const answer = await call(`${method} ${path}`, { key: null })
      t.strictSame([...blameOf(answer), answer.headers.allow], [404, 'path_unknown', null, 'A08', undefined], `${method} ${path}`)
    }
    const head = await call(`HEAD ${path}`)
    t.strictSame([head.status, head.text], [404, ''])
  }
  t.equal(
    (await call('GET /caf%C3%A9')).body.error.message,
    'No endpoint has the path /café; the families are /locations, /accounts, /accounts/{id}/users, /tickets, /transactions and /refunds.'
  )
})

t.test('BASE-1: a path without the base gets a hint of it, whatever its body', async t => {
  const { inject } = await startTestEmulator(t)
  for (const [path] of PATHS) {
    const { body } = await inject({ method: 'POST', url: path, payload: '{broken', headers: { 'content-type': 'application/json' } })
    t.equal(body.error.message, `The base address ends in /next: call /next${path}.`)
  }
  for (const path of ['/nextfoo', '/nowhere', '/v1/locations', '/_controlled']) {
    const { body } = await inject({ method: 'POST', url: path, payload: 'a=1', headers: { 'content-type': FORM } })
    t.equal(body.error.message, `There is nothing at ${path}; every path is relative to the base address, which is /next here.`)
  }
  const root = await inject({ method: 'GET', url: '/' })
  t.strictSame(root.body, { name: 'commerce-emulator', version: '0.0.0', api: '/next', control: '/_control' })
  for (const [path, console] of [
    ['/', '/_control'],
    ['/sandbox/own/', '/sandbox/own/_control']
  ] as const) {
    const { status, headers } = await inject({ method: 'GET', url: path, headers: { accept: 'text/html,*/*;q=0.8' } })
    t.strictSame([status, headers.location, headers.vary], [302, console, 'accept'], 'a browser is sent to the console')
  }
  for (const accept of ['application/json', 'text/html']) {
    for (const url of ['/', '/?a=b', '/sandbox/own']) {
      const [get, head] = [await inject({ method: 'GET', url, headers: { accept } }), await inject({ method: 'HEAD', url, headers: { accept } })]
      const { 'request-id': _get, date: _then, ...headers } = get.headers
      const { 'request-id': _head, date: _now, ...same } = head.headers
      t.strictSame([head.status, head.text, same], [get.status, '', headers], `HEAD ${url} with Accept: ${accept}`)
    }
  }
  for (const method of ['HEAD', 'POST', 'OPTIONS'] as const) {
    const { status, text } = await inject({ method, url: method === 'HEAD' ? '/nowhere' : '/' })
    t.strictSame([status, text === ''], [404, method === 'HEAD'], `${method} is answered nowhere else, and no other method there`)
  }
})

t.test('A08: paths are read as addresses are', async t => {
  const { call, inject } = await startTestEmulator(t, { records })

  t.equal((await call('GET /locations/')).body.url, '/next/locations', 'a slash at the end is no other path')
  t.equal((await call('GET /locations/loc_a/')).body.id, 'loc_a')
  t.equal((await call('GET /accounts/mch_a/users/')).body.data.length, 1)
  t.equal((await call('GET /locations/%6Coc_a')).body.id, 'loc_a')
  t.equal((await call('GET /locations?')).status, 200)
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
    const answer = await call(`GET /locations/${id}`)

    t.strictSame(blameOf(answer), [404, 'resource_missing', 'id', 'A08'])
    t.equal(answer.body.error.message, `No Location has the id ${shown}.`)
  }
  t.strictSame(blameOf(await call(`GET /locations/${'x'.repeat(16_385)}`)), [404, 'path_unknown', null, 'A08'])
  for (const path of ['%ff', '%zz', '%', '%E2%82', '%C3%28']) {
    for (const url of [`/next/locations/${path}`, `/next/nowhere/${path}`, `/${path}`]) {
      const answer = await inject({ method: 'GET', url, headers: { authorization: basic(`${MERCHANT}:`) } })

      t.ok([400, 404].includes(answer.status), `${url} ${answer.status}`)
      t.equal(answer.body.error.request_id, answer.headers['request-id'])
    }
    t.strictSame(blameOf(await call(`GET /locations/${path}`)), [400, 'request_malformed', null, 'A08'], path)
  }
  t.equal(readable('/a%20b%0Ac'), '/a b?c')
  t.equal(readable('/%ff'), '/?')
})

t.test('AUTH-1, AUTH-3, A18: the key is the user name of HTTP Basic, the password is empty', async t => {
  const { inject } = await startTestEmulator(t)
  const refusedAs: Record<string, (string | undefined)[]> = {
    'api_key_missing AUTH-3': [undefined, basic(':')],
    'api_key_malformed AUTH-1': [
      ...['', 'Basic', 'Basic ', 'Basic !!!', 'Basic ====', `Basic ${MERCHANT}:`],
      ...[Buffer.from(`${MERCHANT}:`).toString('base64'), `Bearer ${Buffer.from(`${MERCHANT}:`).toString('base64')}`],
      ...[MERCHANT, `${MERCHANT}: `, `${MERCHANT}::`, `${MERCHANT}:\n`].map(basic)
    ],
    'api_key_unknown A18': [`${MERCHANT} :`, `${MERCHANT.toUpperCase()}:`].map(basic)
  }
  const get = (authorization?: string) => inject({ method: 'GET', url: '/next/locations', headers: { ...(authorization !== undefined && { authorization }) } })
  for (const [expected, values] of Object.entries(refusedAs)) {
    for (const authorization of values) {
      const answer = await get(authorization)
      const [status, code, param, by] = blameOf(answer)
      t.strictSame([status, `${code} ${by}`, param, answer.body.error.type], [401, expected, null, 'authentication_error'], String(authorization))
      t.equal(answer.headers['www-authenticate'], 'Basic realm="commerce", charset="UTF-8"')
    }
  }
  for (const scheme of ['basic', 'BASIC', 'Basic ']) t.equal((await get(basic(`${MERCHANT}:`).replace('Basic', scheme))).status, 200, scheme)
})

t.test('A34: every answer carries a Request-Id, and API calls alone count', async t => {
  const { inject, call, control } = await startTestEmulator(t, { records })
  const cases: [on: string, options: object, status: number][] = [
    ['GET /locations', {}, 200],
    ['GET /nowhere', {}, 404],
    ['PUT /locations', {}, 405],
    ['GET /locations', { key: null }, 401],
    ['DELETE /locations/loc_a', {}, 501],
    ['POST /locations', { body: '{}', headers: { 'content-type': 'application/json' } }, 415],
    ['POST /locations', { body: 'x=1' }, 400],
    ['DELETE /accounts/mch_a/users/usr_a', {}, 204],
    ['OPTIONS /locations', {}, 204],
    ['GET /locations/%ff', {}, 400],
    ['HEAD /locations', {}, 405]
  ]
  for (const [index, [on, options, status]] of cases.entries()) {
    const answer = await call(on, options)

    t.equal(answer.status, status, on)
    t.equal(answer.headers['request-id'], `req_${index + 1}`, on)
    if (answer.body.error) t.equal(answer.body.error.request_id, `req_${index + 1}`)
    t.equal((await control('GET /health')).headers['request-id'], `ctl_${index + 1}`)
  }
  t.equal((await inject({ method: 'GET', url: '/' })).headers['request-id'], 'ctl_12')
  t.equal((await inject({ method: 'GET', url: '/locations' })).headers['request-id'], 'req_12')
})

t.test('A33: the emulated API answers pages of any origin, the control API none', async t => {
  const { call, inject, control } = await startTestEmulator(t)
  const origin = 'https://shop.example'
  const preflight = await call('OPTIONS /transactions', {
    key: null,
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
  })

  t.equal(preflight.status, 204)
  t.equal(preflight.text, '')
  t.equal(preflight.headers['access-control-allow-origin'], '*')
  t.equal(preflight.headers['access-control-allow-methods'], 'GET, POST, DELETE')
  t.equal(preflight.headers['access-control-allow-headers'], 'authorization,content-type')

  for (const [on, options, status] of [
    ['GET /locations', {}, 200],
    ['GET /locations', { key: null }, 401],
    ['GET /nowhere', {}, 404],
    ['POST /locations', { body: 'x=1' }, 400]
  ] as [string, object, number][]) {
    const answer = await call(on, { ...options, headers: { origin } })

    t.equal(answer.status, status)
    t.equal(answer.headers['access-control-allow-origin'], '*', on)
    t.equal(answer.headers['access-control-expose-headers'], 'Request-Id, Warning')
  }
  for (const answer of [await control('GET /health'), await control('OPTIONS /state'), await inject({ method: 'GET', url: '/', headers: { origin } })]) {
    t.equal(answer.headers['access-control-allow-origin'], undefined)
  }

  const closed = await startTestEmulator(t, { settings: { cors: false } })
  const answer = await closed.call('OPTIONS /transactions', { key: null, headers: { origin, 'access-control-request-method': 'POST' } })
  t.strictSame(blameOf(answer), [405, 'method_not_allowed', null, 'A08'])
  t.equal((await closed.call('GET /locations', { headers: { origin } })).headers['access-control-allow-origin'], undefined)
})

t.test('A07: an error has its one shape, and names its rule or assumption unless errors.expose_rule is off', async t => {
  const open = await startTestEmulator(t, { records })
  const closed = await startTestEmulator(t, { records, settings: { 'errors.expose_rule': false } })

  t.strictSame((await open.call('POST /refunds', { body: 'transaction=txn_a&amount=901' })).body, {
    error: {
      type: 'invalid_request_error',
      code: 'refund_exceeds_remaining',
      message: 'txn_a was charged 1000 usd, 100 of it has been refunded, 900 remain; 901 was asked.',
      param: 'amount',
      rule: 'REF-7',
      request_id: 'req_1'
    }
  })
  const limit = { type: 'invalid_request_error', code: 'parameter_invalid', message: 'limit: 1 to 100 was expected, not 0.', param: 'limit', assumption: 'A10' }
  t.strictSame((await open.call('GET /locations', { query: 'limit=0' })).body, { error: { ...limit, request_id: 'req_2' } })
  const message = 'Deleting Locations is disabled: the service always aborts it.'
  t.strictSame((await open.call('DELETE /locations/loc_a')).body, {
    error: { type: 'not_implemented_error', code: 'operation_disabled', message, rule: 'LOC-4', request_id: 'req_3' }
  })
  for (const answer of [
    await closed.call('POST /refunds', { body: 'transaction=txn_a&amount=901' }),
    await closed.call('GET /locations', { query: 'limit=0' }),
    await closed.call('GET /locations/%ff')
  ]) {
    t.notOk('rule' in answer.body.error || 'assumption' in answer.body.error)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  }
})

t.test('A07, A25: problems of a control call are listed, without the keys that they contain', async t => {
  const { control } = await startTestEmulator(t)

  const { status, body, text } = await control('PATCH /settings', { [MERCHANT]: 1, seed: CARD })

  t.equal(status, 400)
  t.strictSame(body.error.problems.map(({ path }: { path: string }) => path).sort(), ['***', 'seed'])
  t.notOk(text.includes(MERCHANT) || text.includes(CARD))
})

t.test('A04: an answer shows what a fixture gave under extra, and nothing else that is unknown', async t => {
  const extra = { vat_number: 'X1', nested: { list: [1, null, 'a'] }, 'odd "name"': true }
  const { call } = await startTestEmulator(t, {
    records: {
      locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' }, extra }],
      transactions: [{ id: 'txn_b', ticket: 'tkt_a', payment_type: 'card', amount: 9, extra: { terminal: 7 } }],
      refunds: [{ id: 'rfd_b', transaction: 'txn_b', amount: 1, extra: { batch: 'b1' } }],
      users: [{ id: 'usr_b', account: 'mch_a', name: 'U', email: 'u@example.com', extra: {} }]
    }
  })

  const location = await call('GET /locations/loc_b')
  const listed = await call('GET /locations')
  const payment = await call('GET /transactions/txn_b')
  const updated = await call('POST /locations/loc_b', { body: 'phone=1' })

  t.hasStrict(location.body, extra)
  const [user] = (await call('GET /accounts/mch_a/users')).body.data
  t.strictSame(user, { id: 'usr_b', object: 'user', created: NOW, account: 'mch_a', name: 'U', email: 'u@example.com' })
  t.notOk('extra' in location.body)
  t.strictSame(listed.body.data[0], location.body)
  t.equal(payment.body.terminal, 7)
  t.equal(payment.body.refunds.data[0].batch, 'b1')
  t.strictSame(updated.body, { ...location.body, phone: '1' })
})

t.test('A08: before the start scenario is loaded every API call waits with 503', async t => {
  const { call, inject } = await startTestEmulator(t, { loaded: false })

  for (const on of ['GET /locations', 'POST /transactions', 'DELETE /locations/loc_a']) {
    const answer = await call(on)
    t.strictSame([answer.status, answer.body.error.code], [503, 'not_ready'], on)
  }
  t.equal((await call('GET /nowhere')).status, 404)
  t.equal((await inject({ method: 'GET', url: '/locations' })).status, 404)
})

t.test('A08: a defect of the emulator is a 500 that says nothing of its inside, and is logged', async t => {
  const { call, control, sandbox, logs } = await startTestEmulator(t)
  const fail = () => {
    throw new Error('inside')
  }
  sandbox.store.locations.insert = fail
  sandbox.reset = fail

  const api = await call('POST /locations', { body: LOCATION_FORM })
  const controlled = await control('POST /reset')

  for (const answer of [api, controlled]) {
    t.strictSame([answer.status, answer.body.error.code, answer.body.error.type], [500, 'internal_error', 'internal_error'])
    t.notOk(answer.text.includes('inside'))
  }
  t.equal(logs.filter(line => JSON.parse(line).err?.message === 'inside').length, 2)
  t.equal(refusalFrom(Object.assign(new Error('x'), { code: 'FST_ERR_OTHER' }) as never, sandbox.settings).code, 'internal_error')
  t.equal((await call('GET /locations')).status, 200)
})

/** Writes text to a socket and answers all that comes back until it closes; `then` may act on the socket meanwhile. */
const exchange = (port: number, text: string, then: (socket: ReturnType<typeof connect>) => void = () => {}) =>
  new Promise<string>(resolve => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text)
      then(socket)
    })
    socket.on('data', data => {
      received += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })

/** The status, headers and body of one answer as it came over the socket. */
function parsed(received: string) {
  const [head = '', text = ''] = received.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(fields.map(field => [field.split(': ')[0]?.toLowerCase(), field.split(': ').slice(1).join(': ')]))
  return { status: Number(line.split(' ')[1]), reason: line.split(' ').slice(2).join(' '), headers, text, body: text.startsWith('{') ? JSON.parse(text) : text }
}

const KEY = `Authorization: ${basic(`${MERCHANT}:`)}\r\n`
const POST = `POST /next/locations HTTP/1.1\r\nHost: localhost\r\n${KEY}Content-Type: ${FORM}\r\n`

async function stillAnswers(t: Test, port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/next/locations`, { headers: { authorization: basic(`${MERCHANT}:`), connection: 'close' } })
  t.equal(response.status, 200, 'the server still answers')
}

t.test('A08: what is not HTTP that can be read is refused in the same shape', async t => {
  const { listen, sandbox } = await startTestEmulator(t)
  const port = await listen()
  const unreadable = ['Bad Request', [400, 'request_malformed', null, 'A08']] as [string, Blame]
  const tooLarge = ['Request Header Fields Too Large', [431, 'headers_too_large', null, 'A08']] as [string, Blame]
  const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`
  const cases: [what: string, text: string, reason: string, blame: Blame][] = [
    ['a bad request line', 'HELLO\r\n\r\n', ...unreadable],
    ['an unknown method', get('/next/locations').replace('GET', 'FOO'), ...unreadable],
    ['a bad header', get('/', 'bad header\r\n'), ...unreadable],
    ['bytes beyond ASCII in a query', get('/next/tickets?search_query=Café'), ...unreadable],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00', ...unreadable],
    ['a bad chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, ...unreadable],
    ['large headers', get('/next/locations', `X: ${'x'.repeat(20_000)}\r\n`), ...tooLarge],
    ['a long path', get(`/next/locations/${'x'.repeat(20_000)}`), ...tooLarge],
    ['an Expect', `${POST}Expect: foo\r\nContent-Length: 3\r\n\r\n`, 'Expectation Failed', [417, 'expectation_failed', null, 'A08']]
  ]
  for (const [what, text, reason, blame] of cases) {
    const answer = parsed(await exchange(port, text))

    t.strictSame([blameOf(answer as never), answer.reason], [blame, reason], what)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    t.equal(answer.headers.connection, 'close')
    t.equal(answer.body.error.request_id, answer.headers['request-id'])
    await stillAnswers(t, port)
  }
  await sandbox.changeSettings({ errors: { expose_rule: false }, statuses: { invalid: 422 } })
  const answer = parsed(await exchange(port, 'HELLO\r\n\r\n'))
  t.equal(answer.status, 400, 'what cannot be read is a 400 whatever the settings')
  t.notOk('assumption' in answer.body.error)
})

t.test('A08: HTTP/1.1 without a Host is refused in the same shape; HTTP/1.0 needs none', async t => {
  const { listen } = await startTestEmulator(t)
  const port = await listen()

  const answer = parsed(await exchange(port, `GET /next/locations HTTP/1.1\r\n${KEY}Connection: close\r\n\r\n`))

  t.strictSame(blameOf(answer as never), [400, 'request_malformed', null, 'A08'])
  t.equal(answer.body.error.request_id, answer.headers['request-id'])
  t.equal(parsed(await exchange(port, `GET /next/locations HTTP/1.0\r\n${KEY}\r\n`)).status, 200)
})

t.test('A09: a request line with the whole address is answered like one with the path alone', async t => {
  const { listen } = await startTestEmulator(t)
  const port = await listen()

  const answer = parsed(await exchange(port, `GET http://emulator:4010/next/locations?limit=1 HTTP/1.1\r\nHost: emulator\r\n${KEY}Connection: close\r\n\r\n`))

  t.equal(answer.status, 200)
  t.equal(answer.body.url, '/next/locations')
})

t.test("A18: a caller's own key is masked in an error even where no scenario declares it", async t => {
  const { call } = await startTestEmulator(t, { settings: { 'auth.accept_any_key': 'mch_a' } })

  const { body } = await call('GET /tickets/sk_live_unknown_1', { key: 'sk_live_unknown_1' })
  const short = await call('GET /tickets/id', { key: 'id' })

  t.equal(body.error.message, 'No Ticket has the id ***.')
  t.equal(short.body.error.message, 'No Ticket has the id id.')
})

t.test('A08: Expect: 100-continue is kept', async t => {
  const { listen } = await startTestEmulator(t)
  const port = await listen()

  const received = await exchange(port, `${POST}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${LOCATION_FORM.length}\r\n\r\n`, socket =>
    socket.once('data', () => socket.write(LOCATION_FORM))
  )

  t.equal(received.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n'), true)
})

t.test('A35: a body announced or sent too large is a 413, and nothing is kept of it', async t => {
  const { listen, state } = await startTestEmulator(t, { settings: { 'limits.body': 100 } })
  const port = await listen()
  const before = await state()
  const chunk = `c8\r\n${'x'.repeat(200)}\r\n`

  for (const text of [
    `${POST}Connection: close\r\nContent-Length: 200\r\n\r\n${'x'.repeat(200)}`,
    `${POST}Connection: close\r\nContent-Length: 2000000\r\n\r\nx`,
    `${POST}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`
  ]) {
    t.strictSame(blameOf(parsed(await exchange(port, text)) as never), [413, 'body_too_large', null, 'A35'])
    await stillAnswers(t, port)
  }
  t.equal(await state(), before)
})

t.test('A08: a request that does not arrive in time is a 408', async t => {
  const { listen, state } = await startTestEmulator(t, { settings: { 'limits.request_timeout': 200 } })
  const port = await listen()
  const before = await state()

  for (const text of ['GET /next/locations HTTP/1.1\r\nHost: localhost\r\n', `${POST}Content-Length: 100\r\n\r\ndisplay_name=A`]) {
    const started = Date.now()
    const answer = parsed(await exchange(port, text))

    t.strictSame(blameOf(answer as never), [408, 'request_timeout', null, 'A08'])
    t.ok(Date.now() - started < 5000, 'soon after the time is over')
    await stillAnswers(t, port)
  }
  t.equal(await state(), before)

  const patient = await startTestEmulator(t, { settings: { 'limits.request_timeout': 0 } })
  const open = await patient.listen()
  const received = await exchange(open, 'GET /next/locations HTTP/1.1\r\nHost: localhost\r\n', socket => {
    setTimeout(() => socket.write(`${KEY}Connection: close\r\n\r\n`), 600)
  })
  t.equal(parsed(received).status, 200, '0 waits as long as it takes')
})

t.test('A08: a connection that ends in the middle of a body changes nothing and is no defect', async t => {
  const { listen, state, logs } = await startTestEmulator(t)
  const port = await listen()
  const before = await state()
  const unfinished = `${POST}Content-Length: ${LOCATION_FORM.length + 1}\r\n\r\n${LOCATION_FORM}`

  const reset = await exchange(port, unfinished, socket => setTimeout(() => socket.resetAndDestroy(), 30))
  const ended = await exchange(port, unfinished, socket => setTimeout(() => socket.end(), 30))

  t.equal(reset, '')
  t.strictSame(blameOf(parsed(ended) as never), [400, 'request_malformed', null, 'A08'])
  await stillAnswers(t, port)
  t.equal(await state(), before)
  t.strictSame(
    logs.filter(line => JSON.parse(line).level >= 40),
    []
  )
})

t.test('A08: what cannot be read is answered once, and only where an answer can still be sent', async t => {
  const { sandbox } = await startTestEmulator(t)
  const socketThat = (writable: boolean) => {
    const sent: string[] = []
    const socket = { writable, destroyed: false, destroy: () => Object.assign(socket, { destroyed: true }), end: (text: string) => sent.push(text) }
    return { socket, sent }
  }
  for (const [error, writable, answered] of [
    [{ code: 'ECONNRESET' }, true, false],
    [{ code: 'HPE_INVALID_METHOD' }, false, false],
    [{ code: 'HPE_INVALID_METHOD' }, true, true],
    [{}, true, true]
  ] as const) {
    const { socket, sent } = socketThat(writable)

    answerUnreadable(error, socket as never, { sandbox })

    t.strictSame([socket.destroyed, sent.length], [!answered, answered ? 1 : 0])
  }
})

const CARD = '4242424242424242'
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')
const SECRETS: [what: string, secret: string, forbidden: RegExp][] = [
  ['a card number', CARD, /4242\D?4242/],
  ['a card number in groups', '4242 4242 4242 4242', /4242\D{0,3}4242/],
  ['a card number in groups', '4242-4242-4242-4242', /4242\D{0,3}4242/],
  ['another card number', '378282246310005', /3782822463/],
  ['an API key', MERCHANT, new RegExp(MERCHANT)],
  ['another API key', RESELLER, new RegExp(RESELLER)]
]

t.test('A25: card numbers and API keys come back in no error, header or log line, wherever they were sent', async t => {
  const payment = 'ticket=tkt_a&payment_type=card'
  const everyCharacter = (text: string) => [...Buffer.from(text)].map(byte => `%${byte.toString(16)}`).join('')
  const places: [on: string, options: object][] = []
  for (const [, secret] of SECRETS) {
    const encoded = encodeURIComponent(secret)
    const bodies = [
      ...['amount', 'tip_amount', 'adjustment_number', 'amounts[tip_amount]'].map(name => `${payment}&${name}=${encoded}.`),
      ...['currency', 'amounts[currency]', 'card[last4]', 'customer[email]'].map(name => `${payment}&${name}=${encoded}`),
      `ticket=${encoded}&payment_type=card`,
      `ticket=tkt_a&payment_type=${encoded}`,
      `${payment}&amount=key%3D${encoded}`,
      `${payment}&amount=(${encoded})`,
      `${payment}&amount=${'-'.repeat(32)}${encoded}`,
      `${payment}&amount=${'-'.repeat(35)}${encoded}${'-'.repeat(35)}`,
      `${payment}&${encoded}=1`,
      `${payment}&${encoded}[]=1`,
      `${payment}&card[${encoded}]=1`,
      `${payment}&card[number][${encoded}]=1`,
      `${payment}&${encoded}[a][b]=1`,
      `${payment}&a[b][c][d][e][${encoded}]=1`,
      `${payment}&${encoded}=1&${encoded}=2`,
      `${payment}&a=1&a[${encoded}]=2`,
      `${payment}&${encoded}=%zz`,
      `${payment}&card[number]=${encoded}%zz`,
      `%zz ${encoded}=1`,
      `%zz ${everyCharacter(secret)}=1`,
      `%zz=${encoded}`,
      `%zz${'-'.repeat(32)}${encoded}=1`,
      `card[${encoded}=1`,
      `${payment}&card=${encoded}`,
      `${payment}&card[number]=${encoded}&amount=x`,
      `${payment}&payload=${encoded}&amount=x`
    ]
    places.push(
      ...bodies.map((body): [string, object] => ['POST /transactions', { body }]),
      ['POST /locations', { body: `${LOCATION_FORM}&metadata[${encoded}][x]=1` }],
      ['POST /locations', { body: `${LOCATION_FORM}&metadata[k][${encoded}]=1` }],
      ['POST /locations', { body: `${LOCATION_FORM}&metadata=${encoded}` }],
      ['POST /locations', { body: `display_name=A&address[country]=${encoded}` }],
      ['POST /locations', { body: `display_name=A&address[${encoded}]=1` }],
      ['POST /locations', { body: LOCATION_FORM, query: `${encoded}=1` }],
      ['POST /refunds', { body: `transaction=${encoded}` }],
      ['POST /refunds', { body: `transaction=txn_a&amount=${encoded}` }],
      ['POST /refunds/rfd_a', { body: `${encoded}=1` }],
      ['POST /accounts', { body: `type=${encoded}&name=A&email=a@example.com&address[country]=US` }],
      ['GET /locations', { query: `limit=${encoded}` }],
      ['GET /locations', { query: `starting_after=${encoded}` }],
      ['GET /locations', { query: `${encoded}=1` }],
      ['GET /locations', { query: `a=1&a=${encoded}&%zz ${encoded}` }],
      ['GET /tickets', { query: `created[gte]=${encoded}` }],
      ['GET /locations/loc_a', { query: `key=1&${encoded}` }],
      ['POST /locations', { body: `{"card":"${secret}"}`, headers: { 'content-type': `application/json; x=${secret}` } }],
      ['POST /locations', { body: 'x', headers: { 'content-type': secret } }],
      ['POST /locations', { body: 'x', headers: { 'content-encoding': secret } }],
      ['GET /locations', { key: null, headers: { authorization: secret } }],
      ['GET /locations', { key: null, headers: { authorization: `Bearer ${secret}` } }],
      ['GET /locations', { key: `x${secret}` }],
      ['GET /locations', { key: `${secret}:${secret}` }],
      ['DELETE /locations/loc_a', { headers: { 'x-note': secret } }]
    )
    for (const part of [encoded, everyCharacter(secret), `key=${encoded}`, `${encoded}.`, `a%2F${encoded}%2Fb`]) {
      places.push(
        [`GET /locations/${part}`, {}],
        [`POST /locations/${part}`, {}],
        [`PUT /locations/${part}`, {}],
        [`PUT /tickets/${part}`, {}],
        [`GET /nowhere/${part}`, {}],
        [`GET /accounts/${part}/users`, {}],
        [`DELETE /accounts/mch_a/users/${part}`, {}],
        [`DELETE /accounts/${part}/users/${part}`, {}],
        [`GET /locations/${part}%zz`, {}],
        [`GET /../locations/${part}`, {}],
        [`GET /../nowhere/${part}`, {}]
      )
    }
  }
  for (const settings of [{}, { 'parameters.unknown': 'warn' as const }]) {
    const { call, inject, logs } = await startTestEmulator(t, { records, settings })
    for (const [on, options] of places) {
      const [method, path] = on.split(' ') as ['GET', string]
      logs.length = 0
      const outside = path.startsWith('/..')
      const answer = outside ? await inject({ method, url: path.slice(3) }) : await call(on, options)

      const output = [answer.status >= 400 ? answer.text : '', JSON.stringify(answer.headers), ...logs].join('\n')
      for (const [what, , forbidden] of SECRETS) {
        if (forbidden.test(output)) t.fail(`${what} came back from ${on} ${JSON.stringify(options)}`, { output })
      }
      if (!('parameters.unknown' in settings) && answer.status < 400) t.fail(`${on} ${JSON.stringify(options)} was not refused`)
    }
  }
  t.ok(places.length > 600, `${places.length} places, all without a trace`)
})

t.test('A25: what is used and forgotten appears in no answer, log line or state', async t => {
  const { call, state, logs } = await startTestEmulator(t)
  const secrets = {
    'card[number]': '4000 0000 0000 0002',
    'card[expiry]': '11/39',
    'card[csc]': '9371',
    'card[token]': 'tok_secret',
    'bank_account[account_number]': '000123456789',
    'bank_account[routing_number]': '110000000',
    payload: 'payload_secret'
  }
  const misplaced = { 'card[brand]': `visa ${CARD}`, 'bank_account[bank_name]': CARD }

  const paid = await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type: 'vip', 'customer[phone]': '1', ...secrets, ...misplaced } })
  const read = await call(`GET /transactions/${paid.body.id}`)

  t.strictSame(paid.body.payment_method, {
    type: 'vip',
    card: { brand: 'visa ****************', last4: '0002' },
    bank_account: { bank_name: '****************', last4: '6789' }
  })
  const output = [paid.text, read.text, await state(), ...logs].join('\n')
  for (const secret of [...Object.values(secrets), '4000000000000002', CARD]) t.notOk(output.includes(secret), secret)
})

t.test('A25: logs are lines for people on a terminal and JSON elsewhere, at their level', async t => {
  const collected = () => {
    const lines: string[] = []
    return { lines, stream: new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }) }
  }
  const machine = collected()
  const json = await createLogger('info', false, machine.stream as never)
  json.info('logged')
  json.debug('not logged')
  t.equal(machine.lines.length, 1)
  t.equal(JSON.parse(machine.lines[0] as string).msg, 'logged')

  const terminal = new PassThrough()
  const pretty = await createLogger('warn', true, terminal as never)
  pretty.warn({ call: { id: 'req_1' } }, 'logged')
  pretty.info('not logged')
  const [line] = (await new Promise<Buffer>(resolve => terminal.once('data', resolve))).toString().split('\n')
  t.equal((line as string).replaceAll(COLOUR, '').replace(/\d/g, '0'), '[00:00:00.000] WARN: logged')
})

t.test('A25: a call is logged in one line: method, path, status, time and id, never its query or body', async t => {
  const { call, control, logs } = await startTestEmulator(t)

  await call('GET /locations', { query: 'limit=1&starting_after=loc_a' })
  await call('POST /locations', { body: LOCATION_FORM })
  await call('GET /caf%C3%A9%0A')
  await control('GET /health')

  const lines = logs.map(line => JSON.parse(line)).filter(({ call }) => call)
  t.strictSame(
    lines.map(({ level, call: { id, method, path, status } }) => [level, id, method, path, status]),
    [
      [30, 'req_1', 'GET', '/next/locations', 200],
      [30, 'req_2', 'POST', '/next/locations', 200],
      [30, 'req_3', 'GET', '/next/café?', 404],
      [20, 'ctl_1', 'GET', '/_control/health', 200]
    ]
  )
  t.equal(lines[0].msg.replace(/[\d.]+ ms/, 'N ms'), 'GET /next/locations 200 N ms req_1')

  const silent = await startTestEmulator(t, { logged: false })
  t.equal((await silent.call('GET /locations')).status, 200)
  t.strictSame(silent.logs, [])
})

t.test('A04: a record holds what its table names, in that order, whether a fixture, the API or an update made it', async t => {
  const { call, sandbox } = await startTestEmulator(t, { records })
  const forms: [on: string, body: string][] = [
    ['POST /locations', LOCATION_FORM],
    ['POST /locations/loc_a', 'phone=1&address[city]=B&metadata[k]=v'],
    ['POST /accounts', 'type=merchant&name=N&email=n@example.com&address[country]=US&address[line1]=1'],
    ['POST /accounts/mch_a', 'name=M&metadata='],
    ['POST /accounts/mch_a/users', 'name=U&email=u@example.com'],
    ['POST /transactions', 'ticket=tkt_a&payment_type=vip&customer[phone]=1&bank_account[bank_name]=B&amounts[tip_amount]=1&amount=9'],
    ['POST /transactions', 'ticket=tkt_a&payment_type=card&card[brand]=visa&card[last4]=4242&customer[name]=A&amount=9'],
    ['POST /refunds', 'transaction=txn_a&amount=1&metadata[__proto__]=x'],
    ['POST /refunds/rfd_a', 'metadata[a]=b']
  ]
  for (const [on, body] of forms) t.equal((await call(on, { body })).status, 200, on)

  const namesOf = ({ properties = {} }: Schema): string[] => Object.keys(properties).filter(name => name !== 'refunds')
  for (const family of FAMILIES) {
    const schema: Schema = RESOURCES[family]
    for (const record of sandbox.store[family].inCreationOrder() as unknown as Record<string, Json>[]) {
      t.strictSame(Object.keys(record), namesOf(schema), record.id)
      for (const [name, part] of Object.entries(schema.properties ?? {})) {
        if (part.properties && record[name] && name !== 'amounts') t.strictSame(Object.keys(record[name]), namesOf(part), `${record.id} ${name}`)
      }
    }
  }
  t.strictSame((await call('GET /refunds', { query: 'limit=1' })).body.data[0].metadata, JSON.parse('{"__proto__":"x"}'))
})

t.test('a route with a schema of its own is refused at once: the tables decode, and records are written as they are', async t => {
  const { app } = await startTestEmulator(t, { loaded: false })
  app.get('/with-schema', { schema: { querystring: { type: 'object' } } }, async () => '')
  await t.rejects(async () => {
    await app.ready()
  }, /a route has a schema/)
})
