import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { changeSettings } from '../../src/sandbox/settings.js'
import { refusalFrom, refuseUnreadable } from '../../src/server/errors.js'
import { SAYS } from '../../src/server/sentences.js'
import { type Blame, blameOf, MERCHANT, startTestEmulator } from '../support/emulator.js'
import { exchanged, partsOf } from '../support/socket.js'

const FORM = 'application/x-www-form-urlencoded'
const LOCATION_FORM = 'display_name=A&address[country]=US'
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

t.test('BASE-1: the origin leads to the API and the control API', async t => {
  const { inject } = await startTestEmulator(t)
  const root = await inject({ method: 'GET', url: '/' })
  t.strictSame(root.body, {
    name: 'commerce-emulator',
    version: '0.0.0',
    api: '/next',
    control: '/_control'
  })
  for (const [path, console] of [
    ['/', '/_control'],
    ['/sandbox/own/', '/sandbox/own/_control']
  ] as const) {
    const { status, headers } = await inject({
      method: 'GET',
      url: path,
      headers: { accept: 'text/html,*/*;q=0.8' }
    })
    t.strictSame([status, headers.location, headers.vary], [302, console, 'accept'])
  }
  for (const accept of ['application/json', 'text/html']) {
    const ofControl = [
      '',
      '/health',
      '/state',
      '/requests?limit=1',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/nowhere',
      '/reset'
    ].map(path => `/_control${path}`)
    for (const url of ['/', '/?a=b', '/sandbox/own', ...ofControl]) {
      const [get, head] = [
        await inject({ method: 'GET', url, headers: { accept } }),
        await inject({ method: 'HEAD', url, headers: { accept } })
      ]
      const lasting = (headers: object) =>
        Object.entries(headers).filter(
          ([name]) => !/^(request-id|date|content-length|transfer-encoding)$/.test(name)
        )
      t.strictSame(
        [head.status, head.text, lasting(head.headers)],
        [get.status, '', lasting(get.headers)],
        `HEAD ${url} with Accept: ${accept}`
      )
    }
  }
  const stream = await inject({ method: 'HEAD', url: '/_control/events' })
  t.strictSame(
    [stream.status, stream.headers['content-type'], stream.text],
    [200, 'text/event-stream; charset=utf-8', '']
  )
  for (const method of ['HEAD', 'POST', 'OPTIONS'] as const) {
    const { status, text } = await inject({ method, url: method === 'HEAD' ? '/nowhere' : '/' })
    t.strictSame(
      [status, text === ''],
      [404, method === 'HEAD'],
      `${method} is answered nowhere else, and no other method there`
    )
  }
})

t.test('BASE-1, FORM-1, A32: an unknown path is a 404 whatever its body', async t => {
  const { inject } = await startTestEmulator(t)
  const post = (url: string, payload: string | Buffer, headers: Record<string, string>) =>
    inject({ method: 'POST', url, payload, headers })

  const nowhere = await post('/locations', '{broken', { 'content-type': 'application/json' })
  t.strictSame(blameOf(nowhere), [404, 'path_unknown', null, 'BASE-1'])
  const untyped = await post('/next/locations', Buffer.from(LOCATION_FORM), {
    authorization: basic(`${MERCHANT}:`)
  })
  t.strictSame(blameOf(untyped), [415, 'content_type_unsupported', null, 'FORM-1'])
  t.equal(untyped.body.error.message.slice(0, 30), 'No Content-Type was sent; send')
})

t.test('A08: HEAD has no body; a path that is not percent-encoded names nothing', async t => {
  const { call, control } = await startTestEmulator(t, { settings: { cors: false } })
  for (const path of ['/tickets', '/tickets?limit=1', '/tickets/tkt_a', '/no']) {
    const [get, { status, text, headers }] = [await call(`GET ${path}`), await call(`HEAD ${path}`)]
    t.strictSame([status, text], [get.status, ''], path)
    t.ok(status === 404 || headers['content-length'] === get.headers['content-length'], path)
  }
  for (const [on, status] of [
    ['PROPFIND /tickets', 405],
    ['OPTIONS /tickets', 204],
    ['OPTIONS /nowhere', 404]
  ] as const) {
    const answer = await call(on)
    t.strictSame(
      [answer.status, answer.headers.allow],
      [status, status === 404 ? undefined : 'GET']
    )
  }
  t.strictSame(blameOf(await control(`GET /requests/${'x'.repeat(16_385)}`)).slice(0, 2), [
    404,
    'path_unknown'
  ])
  for (const path of ['%ff', '%zz', '%', '%E2%82', '%C3%28']) {
    const answer = await call(`GET /locations/${path}`)
    t.strictSame(blameOf(answer), [400, 'request_malformed', null, 'A08'], path)
    t.ok([400, 404].includes((await call(`GET /../nowhere/${path}`)).status), path)
    t.equal(answer.body.error.request_id, answer.headers['request-id'])
  }
})

t.test('localhost is both loopbacks, or the address that is bound is said', async t => {
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1']) {
    const { url, close } = await runEmulator({ settings: { host } })
    const { port, hostname } = new URL(url)
    t.equal(hostname, host === '::1' ? '[::1]' : 'localhost', host)
    for (const own of host === '::1' ? ['[::1]'] : ['127.0.0.1', '[::1]'])
      t.equal((await fetch(`http://${own}:${port}/_control/health`)).status, 200, own)
    await close()
    await t.rejects(fetch(`http://[::1]:${port}/`), 'the port is closed')
  }
  const full = await runEmulator({ settings: { 'limits.connections': 1 } })
  const health = `${full.url.replace('localhost', '[::1]')}/_control/health`
  await t.rejects(Promise.all([fetch(health), fetch(health)]), 'the limit holds there too')
  await full.close()
  const other = createServer().listen(0, '::1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const { url, close } = await runEmulator({ settings: { port } })
  t.equal(url, `http://127.0.0.1:${port}`)
  await close()
})

t.test('A33: the emulated API serves pages of any origin, the control API none', async t => {
  const { call, inject, control } = await startTestEmulator(t)
  const headers = {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type'
  }
  const allowed = (answer: { headers: Record<string, unknown> }) =>
    ['origin', 'methods', 'headers'].map(name => answer.headers[`access-control-allow-${name}`])
  const preflight = await call('OPTIONS /transactions', { key: null, headers })

  t.strictSame(
    [preflight.status, preflight.text, allowed(preflight)],
    [204, '', ['*', 'GET, POST, DELETE', 'authorization,content-type']]
  )
  for (const [on, options] of [
    ['GET /locations', {}],
    ['GET /locations', { key: null }],
    ['GET /nowhere', {}],
    ['POST /locations', { body: 'x=1' }]
  ] as [string, object][]) {
    const answer = await call(on, { ...options, headers })
    t.equal(answer.headers['access-control-allow-origin'], '*', on)
    t.equal(answer.headers['access-control-expose-headers'], 'Request-Id, Warning')
  }
  const others = [
    await control('GET /health'),
    await control('OPTIONS /state'),
    await inject({ method: 'GET', url: '/', headers })
  ]
  t.strictSame(others.flatMap(allowed).filter(Boolean), [])
  t.equal(
    (
      await inject({
        method: 'OPTIONS',
        url: '/_control/reset',
        headers: { ...headers, host: 'localhost' }
      })
    ).status,
    403
  )

  const closed = await startTestEmulator(t, { settings: { cors: false } })
  const plain = await closed.call('OPTIONS /transactions', { key: null, headers })
  t.strictSame(
    [plain.status, plain.headers.allow, allowed(plain)],
    [204, 'POST, GET', [undefined, undefined, undefined]]
  )
  t.strictSame(allowed(await closed.call('GET /locations', { headers })), [
    undefined,
    undefined,
    undefined
  ])
})

t.test('A07, A25: problems of a control request are listed without keys', async t => {
  const { control } = await startTestEmulator(t)

  const { status, body, text } = await control('PATCH /settings', {
    [MERCHANT]: 1,
    seed: '4242424242424242'
  })

  t.equal(status, 400)
  t.strictSame(body.error.problems.map(({ path }: { path: string }) => path).sort(), [
    '***',
    'seed'
  ])
  t.notOk(text.includes(MERCHANT) || text.includes('4242424242424242'))
})

t.test('A08: a defect of the emulator is a 500 that shows no internals', async t => {
  const { call, control, sandbox, logs } = await startTestEmulator(t)
  const fail = () => {
    throw new Error('inside')
  }
  await control('POST /script', { on: 'POST /locations', calls: 2, delay: '1ms' })
  sandbox.state.store.locations.insert = fail
  sandbox.reset = fail

  const api = await call('POST /locations', { body: LOCATION_FORM })
  const delayed = await call('POST /locations', { body: LOCATION_FORM })
  const controlled = await control('POST /reset')

  for (const answer of [api, delayed, controlled]) {
    t.strictSame(
      [answer.status, answer.body.error.code, answer.body.error.type],
      [500, 'internal_error', 'internal_error']
    )
    t.notOk(answer.text.includes('inside'))
  }
  t.equal(logs.filter(line => JSON.parse(line).err?.message === 'inside').length, 3)
  t.equal(
    refusalFrom(Object.assign(new Error('x'), { code: 'FST_ERR_OTHER' }) as never, sandbox.settings)
      .code,
    'internal_error'
  )
  t.equal((await call('GET /locations')).status, 200)
})

const KEY = `Authorization: ${basic(`${MERCHANT}:`)}\r\n`
const POST = `POST /next/locations HTTP/1.1\r\nHost: localhost\r\n${KEY}Content-Type: ${FORM}\r\n`

async function stillAnswers(t: Test, port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/next/locations`, {
    headers: { authorization: basic(`${MERCHANT}:`), connection: 'close' }
  })
  t.equal(response.status, 200, 'the server still answers')
}

t.test('A08: a request that is not HTTP is refused in the same shape', async t => {
  const { listen, sandbox, control, logs } = await startTestEmulator(t)
  const port = await listen()
  const bad = (cause: string, on = '- /') =>
    [on, 'Bad Request', `: ${cause}.`, [400, 'request_malformed', null, 'A08']] as const
  const tooLarge = [
    'GET /locations',
    'Request Header Fields Too Large',
    'larger than 16 KiB.',
    [431, 'headers_too_large', null, 'A08']
  ] as const
  const noMethod = (on: string) =>
    [on, 'Method Not Allowed', '', [405, 'method_not_allowed', null, 'A08']] as const
  const get = (path: string, header = '') =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`
  const here = get('/next/locations')
  const lengths = bad(SAYS.two_lengths(), 'POST /locations')
  const cases: [
    what: string,
    text: string,
    ...expected: readonly [on: string, reason: string, message: string, blame: Readonly<Blame>]
  ][] = [
    ['a bad request line', 'HELLO\r\n\r\n', ...bad('Invalid method encountered')],
    ['an unknown method', here.replace('GET', 'FOO'), ...noMethod('FOO /locations')],
    ['a method in lower case', here.replace('GET', 'get'), ...noMethod('get /locations')],
    [
      'an unknown method of an absolute address',
      here.replace('GET ', 'FOO http://localhost'),
      ...noMethod('FOO /locations')
    ],
    ['a bad header', get('/next/x', 'bad header\r\n'), ...bad('Invalid header token', 'GET /x')],
    [
      'bytes beyond ASCII in a query',
      get('/next/tickets?search_query=Café'),
      ...bad('Invalid char in url query', 'GET /tickets')
    ],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00', ...bad(SAYS.is_tls())],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...bad(SAYS.is_http2())],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n', ...bad(SAYS.is_connect())],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, ...lengths],
    ['CL with TE', `${POST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, ...lengths],
    [
      'a bad chunk',
      `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      ...bad('Invalid character in chunk size', 'POST /locations')
    ],
    ['large headers', get('/next/locations', `X: ${'x'.repeat(17_000)}\r\n`), ...tooLarge],
    [
      'an Expect',
      `${POST}Expect: foo\r\nContent-Length: 3\r\n\r\n`,
      'POST /locations',
      'Expectation Failed',
      SAYS.expectation_failed(),
      [417, 'expectation_failed', null, 'A08']
    ]
  ]
  for (const [what, text, on, reason, message, blame] of cases) {
    const answer = partsOf(await exchanged(port, text))

    t.strictSame([blameOf(answer as never), answer.reason], [blame, reason], what)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    t.equal(answer.headers.connection, 'close')
    t.equal(answer.headers.allow, blame[0] === 405 ? 'POST, GET' : undefined)
    const { request_id: id, message: said } = answer.body.error
    t.equal(id, answer.headers['request-id'])
    t.ok(said.endsWith(message), `${what}: ${said}`)
    const { method, path, query, body, status } = (await control(`GET /requests/${id}`)).body
    t.strictSame([`${method} ${path}`, query, body, status], [on, {}, {}, blame[0]], what)
    t.ok(
      logs.some(line => line.includes(`"id":"${id}"`)),
      what
    )
    t.ok(blame[0] === 405 || logs.some(line => JSON.parse(line).msg === said), what)
    await stillAnswers(t, port)
  }
  const two = await exchanged(port, `${get('/next/x')}${here.replace('GET', 'FOO')}`)
  t.strictSame(two.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 404', 'HTTP/1.1 405'], 'in order')
  const own = partsOf(await exchanged(port, here.replace('GET /next', 'FOO /_control')))
  t.match(own.body.error, { code: 'path_unknown', message: / no FOO \/_control\/locations; / })
  const typed = POST.replace(FORM, 'text/plain')
  const late = await exchanged(port, `${typed}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n`)
  t.strictSame(late.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 415'], 'one response for a request')
  await changeSettings(sandbox, { errors: { expose_rule: false }, statuses: { invalid: 422 } })
  const answer = partsOf(await exchanged(port, 'HELLO\r\n\r\n'))
  t.equal(answer.status, 400, 'what cannot be read is a 400 whatever the settings')
  t.notOk('assumption' in answer.body.error)
})

t.test('A08: HTTP/1.1 without a Host is refused in the same shape', async t => {
  const { listen } = await startTestEmulator(t)
  const port = await listen()

  const answer = partsOf(
    await exchanged(port, `GET /next/locations HTTP/1.1\r\n${KEY}Connection: close\r\n\r\n`)
  )
  t.strictSame(blameOf(answer as never), [400, 'request_malformed', null, 'A08'])
  t.equal(answer.body.error.request_id, answer.headers['request-id'])
  t.equal(partsOf(await exchanged(port, `GET /next/locations HTTP/1.0\r\n${KEY}\r\n`)).status, 200)
  const head = `${POST}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${LOCATION_FORM.length}\r\n\r\n`
  const received = await exchanged(port, head, socket =>
    socket.once('data', () => socket.write(LOCATION_FORM))
  )
  t.ok(received.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n'))
})

t.test('A37: a body of no bytes is no body', async t => {
  const { listen } = await startTestEmulator(t)
  const port = await listen()
  const chunked = (body: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`
  const whole = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`
  const missing: Blame = [400, 'parameter_missing', 'display_name', 'LOC-1']
  const json = 'application/json'
  const cases: [method: string, type: string | null, body: string, blame: Blame | null][] = [
    ['GET', null, chunked(''), null],
    ['GET', json, chunked(''), null],
    ['GET', 'nonsense', whole(''), null],
    ['GET', json, chunked('{}'), [400, 'body_unexpected', null, 'A37']],
    ['GET', FORM, whole('limit=1'), [400, 'body_unexpected', null, 'FORM-3']],
    ...[null, FORM, json].map((type): (typeof cases)[number] => [
      'POST',
      type,
      chunked(''),
      missing
    ]),
    ['POST', json, chunked('{}'), [415, 'content_type_unsupported', null, 'FORM-1']],
    ['POST', null, whole('a=1'), [415, 'content_type_unsupported', null, 'FORM-1']]
  ]
  for (const [method, type, body, blame] of cases) {
    const head = `${method} /next/locations HTTP/1.1\r\nHost: localhost\r\n${KEY}Connection: close\r\n${type === null ? '' : `Content-Type: ${type}\r\n`}`
    const answer = partsOf(await exchanged(port, head + body))
    t.strictSame(
      blame === null ? answer.status : blameOf(answer as never),
      blame ?? 200,
      `${method} ${type} ${body}`
    )
  }
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
    t.strictSame(blameOf(partsOf(await exchanged(port, text)) as never), [
      413,
      'body_too_large',
      null,
      'A35'
    ])
    await stillAnswers(t, port)
  }
  t.equal(await state(), before)
})

t.test('A08: late headers or a late body get a 408', async t => {
  const head = 'GET /next/locations HTTP/1.1\r\nHost: localhost\r\n'
  const end = `${KEY}Connection: close\r\n\r\n`
  const body = `${POST}Connection: close\r\nContent-Length: ${LOCATION_FORM.length}\r\n\r\n`
  const cases: [request: number, sent: string, after: string, is: Blame | number][] = [
    [200, head, '', [408, 'request_timeout', null, 'A08']],
    [200, `${body}display_name=A`, '', [408, 'request_timeout', null, 'A08']],
    [60_000, body, LOCATION_FORM, 200],
    [60_000, head, end, 200],
    [0, head, end, 200]
  ]
  await Promise.all(
    cases.map(async ([request, sent, after, is]) => {
      const settings = { 'limits.request_timeout': request }
      const { listen, state } = await startTestEmulator(t, { settings })
      const [port, before] = [await listen(), await state()]
      const answer = partsOf(
        await exchanged(port, sent, socket => after && setTimeout(() => socket.write(after), 1300))
      )

      t.strictSame(
        typeof is === 'number' ? answer.status : blameOf(answer as never),
        is,
        `${request} ${sent}`
      )
      if (typeof is === 'number') return
      await stillAnswers(t, port)
      t.equal(await state(), before)
    })
  )
})

t.test('A08: a body that ends before its Content-Length is refused', async t => {
  const { listen, state, logs, refusal } = await startTestEmulator(t)
  const port = await listen()
  const malformed = [400, 'request_malformed', null, 'A08']
  t.strictSame(
    await refusal('POST /locations', {
      body: LOCATION_FORM,
      headers: { 'content-length': '99' }
    }),
    malformed
  )
  const before = await state()
  const unfinished = `${POST}Content-Length: ${LOCATION_FORM.length + 1}\r\n\r\n${LOCATION_FORM}`

  const reset = await exchanged(port, unfinished, socket =>
    setTimeout(() => socket.resetAndDestroy(), 30)
  )
  const ended = await exchanged(port, unfinished, socket => setTimeout(() => socket.end(), 30))

  t.strictSame([reset, blameOf(partsOf(ended) as never)], ['', malformed])
  await stillAnswers(t, port)
  t.equal(await state(), before)
  t.notOk(logs.some(line => JSON.parse(line).level >= 40))
})

t.test('A08: a request that cannot be read gets no response if none can be sent', async t => {
  const { app } = await startTestEmulator(t)
  for (const [code, writable] of [
    ['ECONNRESET', true],
    ['HPE_INVALID_METHOD', false]
  ] as const) {
    const socket = {
      writable,
      destroyed: false,
      destroy: () => Object.assign(socket, { destroyed: true })
    }
    refuseUnreadable({ code }, socket as never, app.server)
    t.ok(socket.destroyed)
  }
})
