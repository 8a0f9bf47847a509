import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { CONTROL_HEADERS } from '../../src/control/guard.js'
import { documentOf } from '../../src/scenario/documents.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'
import { startWithFolders } from './folders.js'
import { collectRoutes, isControl, type Route } from './routes.js'

const HEALTH = '/_control/health'
const TOKEN = 'open sesame'
/** What can be called without the token, since it shows nothing of any sandbox. */
const OPEN = [HEALTH, '/_control/console/:file', '/_control/session']

t.test('control: every control route of the app is guarded', async t => {
  const registered = collectRoutes(t)
  const { app, state } = await startTestEmulator(t)
  const routes = registered.filter(isControl)
  const before = await state()
  const call = async ({ method, path }: Route, headers: Record<string, string>) => {
    const { statusCode, payload } = await app.inject({ method: method as 'GET', url: path, headers })
    return { status: statusCode, code: JSON.parse(payload).error?.code }
  }

  t.strictSame(
    routes.map(({ method, path }) => `${method} ${path}`).sort(),
    [
      'DELETE /_control/coverage',
      'DELETE /_control/requests',
      'DELETE /_control/sandboxes/:name',
      'DELETE /_control/script',
      'DELETE /_control/script/:id',
      'DELETE /_control/session',
      'DELETE /_control/settings/:name',
      'DELETE /_control/snapshots/:name',
      'GET /_control',
      'GET /_control/assumptions',
      'GET /_control/changes',
      'GET /_control/clock',
      'GET /_control/console/:file',
      'GET /_control/coverage',
      'GET /_control/docs',
      'GET /_control/docs/:file',
      'GET /_control/events',
      'GET /_control/findings',
      'GET /_control/gates',
      'GET /_control/health',
      'GET /_control/keys',
      'GET /_control/metrics',
      'GET /_control/openapi.json',
      'GET /_control/requests',
      'GET /_control/requests/:id',
      'GET /_control/run',
      'GET /_control/sandboxes',
      'GET /_control/scenarios',
      'GET /_control/schema/fixture.json',
      'GET /_control/schema/scenario.json',
      'GET /_control/schema/script.json',
      'GET /_control/script',
      'GET /_control/session',
      'GET /_control/settings',
      'GET /_control/snapshots',
      'GET /_control/state',
      'PATCH /_control/settings',
      'POST /_control/clock/advance',
      'POST /_control/explain',
      'POST /_control/gates/:name/open',
      'POST /_control/keys',
      'POST /_control/load',
      'POST /_control/records',
      'POST /_control/reset',
      'POST /_control/script',
      'POST /_control/session',
      'POST /_control/snapshots/:name/restore',
      'POST /_control/verify',
      'PUT /_control/clock',
      'PUT /_control/snapshots/:name'
    ],
    'every route is seen'
  )
  for (const route of [...routes, { method: 'GET', path: '/_control/nowhere' }]) {
    const on = `${route.method} ${route.path}`

    const ofOtherHost = await call(route, { host: 'evil.example' })
    const ofOtherOrigin = await call(route, { host: 'localhost', origin: 'http://evil.example' })

    if (route.path === HEALTH) t.equal(ofOtherHost.status, 200, `${on} answers under any Host`)
    else t.strictSame(ofOtherHost, { status: 403, code: 'host_not_allowed' }, `${on} refuses another Host`)
    t.strictSame(ofOtherOrigin, { status: 403, code: 'origin_not_allowed' }, `${on} refuses another Origin`)
  }
  t.equal(await state(), before, 'nothing was changed')
})

t.test('control: with CONTROL_TOKEN every control route but health, the files of the console and its sessions needs it', async t => {
  const registered = collectRoutes(t)
  const { app, state } = await startTestEmulator(t, { settings: { control_token: TOKEN } })
  const routes = registered.filter(isControl)
  const call = ({ method, path }: Route, headers: Record<string, string> = {}) =>
    app.inject({ method: method as 'GET', url: path, headers: { host: 'localhost', ...headers } })

  // wrong tokens are answered later and later, so all of them wait at once
  const refusals = routes.map(route =>
    Promise.all([call(route), call(route, { authorization: `Bearer ${TOKEN}x` }), call(route, { authorization: `Basic ${TOKEN}` })])
  )
  for (const [index, [without, wrong, basic]] of (await Promise.all(refusals)).entries()) {
    const route = routes[index] as Route
    // a stream of events never ends; another test shows that the right token opens it
    const right = route.path === '/_control/events' ? { statusCode: 200 } : await call(route, { authorization: `Bearer ${TOKEN}` })

    const statuses = [without.statusCode, wrong.statusCode, basic.statusCode]
    if (OPEN.includes(route.path)) t.notOk(statuses.includes(401) && route.method !== 'POST', `${route.method} ${route.path}`)
    else t.strictSame(statuses, [401, 401, 401], `${route.method} ${route.path}`)
    t.not(right.statusCode, 401, `${route.method} ${route.path} with the token`)
  }
  const refused = await call({ method: 'GET', path: '/_control/state' })
  t.equal(refused.headers['www-authenticate'], 'Bearer realm="commerce-emulator control"')
  t.strictSame(refused.json().error, {
    type: 'authentication_error',
    code: 'token_required',
    message: 'This control API needs Authorization: Bearer TOKEN, with the value of CONTROL_TOKEN.',
    request_id: refused.headers['request-id']
  })
  t.equal(JSON.parse(await state()).error.code, 'token_required')
})

t.test('control: a Host passes when no public DNS server could point it at this machine', async t => {
  const { control } = await startTestEmulator(t, { settings: { control_hosts: ['ci.example', 'Other.Example:4010', '[fe80::1]'] } })
  const hosts: [host: string, status: number][] = [
    ['127.0.0.1', 200],
    ['127.0.0.1:4010', 200],
    ['10.0.0.7:4010', 200],
    ['[::1]', 200],
    ['[::1]:4010', 200],
    ['localhost', 200],
    ['localhost:4010', 200],
    ['LOCALHOST:4010', 200],
    ['a.localhost', 200],
    ['a.b.localhost:4010', 200],
    ['emulator', 200],
    ['emulator:4010', 200],
    ['Emulator', 200],
    ['host.docker.internal', 200],
    ['HOST.docker.internal:4010', 200],
    ['ci.example', 200],
    ['CI.example:80', 200],
    ['other.example', 200],
    ['evil.example', 403],
    ['EVIL.EXAMPLE:4010', 403],
    ['not-ci.example', 403],
    ['ci.example.evil.example', 403],
    ['127.0.0.1.nip.example', 403],
    ['localhost.evil.example', 403],
    ['alocalhost.example', 403],
    ['host.docker.internal.evil.example', 403],
    ['gateway.docker.internal', 403],
    ['localhost.', 403],
    ['127.0.0.1.', 403],
    ['emulator.', 403],
    ['ci.example.', 403],
    ['127.0.0.256', 403],
    ['[evil.example]:4010', 403],
    ['localhost:', 200],
    ['[::ffff:127.0.0.1]', 200],
    ['under_score:4010', 200],
    [':4010', 403],
    ['evil%2ecom', 403],
    ['evil%2Ecom:4010', 403],
    ['localhost%00', 403],
    ['localhost#@evil', 403],
    ['localhost#', 403],
    ['localhost/../', 403],
    ['localhost/', 403],
    ['localhost?', 403],
    ['localhost\\evil', 403],
    ['user@localhost', 403],
    ['user:pass@localhost', 403],
    ['localhost, evil', 403],
    ['localhost evil', 403],
    ['localhost:80:80', 403],
    ['localhost:x', 403],
    ['localhost:123456', 403],
    ['evil\u00b7com', 403],
    ['l\u00f6calhost', 403],
    ['..', 403],
    ['.localhost', 403],
    ['a..localhost', 403],
    ['localhost..', 403],
    ['::1', 403],
    ['[::1', 403],
    ['[::1%25eth0]', 403],
    ['[fe80::1%eth0]:4010', 403],
    ['[localhost]', 403],
    ['[127.0.0.1]', 403],
    ['[]', 403],
    ['127.1', 403]
  ]
  for (const [host, status] of hosts) t.equal((await control('GET /settings', undefined, { host })).status, status, host)

  const refused = await control('GET /settings', undefined, { host: 'EVIL.example:4010' })

  t.strictSame(refused.body.error, {
    type: 'permission_error',
    code: 'host_not_allowed',
    message: 'The Host evil.example may not reach the control API. Use an IP address, localhost or a single-label name, or add the name to CONTROL_HOSTS.',
    request_id: refused.headers['request-id']
  })
})

t.test('control: a call without a Host, which no browser makes, passes', async t => {
  const { app } = await startTestEmulator(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')

  socket.end('GET /_control/health HTTP/1.0\r\n\r\n')

  t.ok((await text(socket)).startsWith('HTTP/1.1 200 OK\r\n'))
  const other = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  other.end('GET /_control/state HTTP/1.0\r\n\r\n')
  t.ok((await text(other)).startsWith('HTTP/1.1 200 OK\r\n'))
})

t.test('control: an Origin passes when it is that of the Host in the request', async t => {
  const { control } = await startTestEmulator(t)
  const pairs: [host: string, origin: string, status: number][] = [
    ['localhost:4010', 'http://localhost:4010', 200],
    ['127.0.0.1:4010', 'http://127.0.0.1:4010', 200],
    ['[::1]:4010', 'http://[::1]:4010', 200],
    ['localhost', 'http://localhost', 200],
    ['localhost:4010', 'http://localhost:3000', 403],
    ['localhost:4010', 'http://localhost', 403],
    ['localhost:4010', 'http://127.0.0.1:4010', 403],
    ['localhost:4010', 'https://localhost:4010', 403],
    ['localhost:4010', 'null', 403],
    ['localhost:4010', '', 403],
    ['localhost:4010', 'http://localhost:4010.evil.example', 403]
  ]
  for (const [host, origin, status] of pairs) t.equal((await control('GET /state', undefined, { host, origin })).status, status, `${origin} at ${host}`)

  const refused = await control('POST /reset', undefined, { host: 'localhost:4010', origin: 'http://evil.example' })

  t.equal(refused.body.error.code, 'origin_not_allowed')
})

t.test('A33: the control API refuses preflight requests', async t => {
  const { inject } = await startTestEmulator(t)
  const preflight = (origin: string) =>
    inject({ method: 'OPTIONS', url: '/_control/reset', headers: { host: 'localhost', origin, 'access-control-request-method': 'POST' } })

  const other = await preflight('http://evil.example')
  const own = await preflight('http://localhost')

  t.equal(other.status, 403)
  t.equal(own.status, 404)
  t.equal(other.headers['access-control-allow-origin'], undefined)
  t.equal(own.headers['access-control-allow-origin'], undefined)
})

t.test('control: a body is JSON or YAML; any other is refused with 415, unread', async t => {
  const { control, inject, state } = await startTestEmulator(t)
  const before = await state()
  const types: [type: string, status: number][] = [
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    ['application/yaml', 200],
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['text/yaml', 415],
    ['multipart/form-data; boundary=x', 415],
    ['nonsense', 415]
  ]
  const body = '{"accounts":[]}'
  for (const [type, status] of types) t.equal((await control('POST /records', body, { 'content-type': type })).status, status, type)

  const form = await control('POST /reset', 'scenario=default', { 'content-type': 'application/x-www-form-urlencoded' })
  const untyped = await inject({ method: 'POST', url: '/_control/records', headers: { host: 'localhost' }, payload: body })

  t.equal(form.status, 415)
  t.equal(form.body.error.code, 'content_type_unsupported')
  t.equal(untyped.status, 415)
  t.equal(untyped.body.error.code, 'content_type_unsupported')
  t.equal(await state(), before)
})

t.test('control: a call without a body may name any content type', async t => {
  const { inject } = await startTestEmulator(t)

  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
    const { status } = await inject({ method: 'POST', url: '/_control/reset', headers: { host: 'localhost', 'content-type': type } })
    t.equal(status, 200, type)
  }
})

t.test('control: documents have a size limit of their own', async t => {
  const { control, call, state } = await startTestEmulator(t, { settings: { 'limits.control_body': 300, 'limits.body': 20 } })
  const before = await state()

  const fits = await control('POST /records', `{"accounts":[]${' '.repeat(200)}}`)
  const tooLarge = await control('POST /records', `{"accounts":[]${' '.repeat(400)}}`)
  const ofNoDocument = await control('POST /verify', `{"script":"all_used"}${' '.repeat(20)}`)
  const ofTheApi = await call('POST /refunds', { body: `transaction=${'x'.repeat(100)}` })

  t.equal(fits.status, 200)
  t.equal(tooLarge.status, 413)
  t.equal(tooLarge.body.error.message, 'The body is larger than limits.control_body allows: 300 bytes.')
  t.equal(ofNoDocument.body.error.message, 'The body is larger than limits.body allows: 20 bytes.')
  t.equal(ofTheApi.status, 413)
  t.equal(await state(), before)
})

t.test('control: before the start scenario is loaded, health says so and every other call is refused with 503', async t => {
  const registered = collectRoutes(t)
  const { app, sandbox, control } = await startWithFolders(t, { start: null })
  const routes = registered.filter(route => isControl(route) && route.path !== HEALTH)
  const options = ({ method, path }: Route): InjectOptions => ({ method: method as 'GET', url: path, headers: { host: 'localhost' } })

  const health = await control('GET /health')

  t.equal(health.status, 503)
  t.strictSame(health.body, { status: 'starting', version: '1.2.3' })
  t.equal((await control('GET /health', undefined, { host: 'evil.example' })).status, 503)
  for (const route of [...routes, { method: 'GET', path: '/_control/nowhere' }]) {
    const { statusCode, payload } = await app.inject(options(route))
    t.equal(statusCode, 503, `${route.method} ${route.path}`)
    t.strictSame(
      [JSON.parse(payload).error.code, JSON.parse(payload).error.message],
      ['not_ready', 'The start scenario is still being loaded; try again in a moment.']
    )
  }
  t.equal((await control('GET /state', undefined, { host: 'evil.example' })).status, 403, 'the guard runs first')

  await sandbox.load(documentOf('test', smallFixture()), { name: 'test', file: null })

  t.equal((await control('GET /health')).status, 200)
  t.equal((await control('GET /state')).status, 200)
})

t.test('control: a path or method that the control API does not have is a 404, whatever body comes with it', async t => {
  const { control, inject } = await startTestEmulator(t)
  const calls = ['GET /nowhere', 'DELETE /state', 'GET /reset', 'POST /settings', 'PUT /settings', 'POST /health', 'GET /state/x']

  for (const on of calls) {
    const { status, body } = await control(on)
    t.equal(status, 404, on)
    t.equal(body.error.code, 'path_unknown')
  }
  const withForm = await inject({
    method: 'POST',
    url: '/_control/nowhere?a=b',
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'a=b'
  })
  t.equal(withForm.status, 404)
})

t.test('A34: control calls have their own request ids and leave those of the API alone', async t => {
  const { call, control } = await startTestEmulator(t)

  const first = await call('GET /tickets/tkt_a')
  const between = [await control('GET /state'), await control('GET /health'), await control('GET /nowhere'), await control('GET ')]
  const refused = await control('GET /state', undefined, { host: 'evil.example' })
  const second = await call('GET /tickets/tkt_a')

  t.equal(first.headers['request-id'], 'req_1')
  t.equal(second.headers['request-id'], 'req_2')
  t.strictSame(
    between.map(({ headers }) => headers['request-id']),
    ['ctl_1', 'ctl_2', 'ctl_3', 'ctl_4']
  )
  t.equal(refused.headers['request-id'], 'ctl_5')
  t.equal(refused.body.error.request_id, 'ctl_5')
})

t.test('control: letters and dots beyond ASCII in a Host, and two Hosts, are refused on the wire too', async t => {
  const { app } = await startTestEmulator(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const cases: [host: string, answer: string][] = [
    ['host: localhost', 'HTTP/1.1 200'],
    ['host:  localhost ', 'HTTP/1.1 200'],
    ['host: evil\uff0ecom', 'HTTP/1.1 403'],
    ['host: \uff4cocalhost', 'HTTP/1.1 403'],
    ['host: localhost\u3002', 'HTTP/1.1 403'],
    ['host: localhost\r\nhost: evil.example', 'HTTP/1.1 403'],
    ['host: localhost\r\nHost: localhost', 'HTTP/1.1 403'],
    ['host:', 'HTTP/1.1 403']
  ]
  for (const [host, answer] of cases) {
    const socket = connect(port, '127.0.0.1')
    socket.end(`GET /_control/state HTTP/1.1\r\n${host}\r\nconnection: close\r\n\r\n`)
    t.equal((await text(socket)).slice(0, answer.length), answer, JSON.stringify(host))
  }
})

/** The headers by which a browser says which page made a request, how, and what for. */
const from = (site: string, mode: string, dest: string) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
const PAGES = ['GET ', 'GET /docs']
const OTHERS = ['GET /state', 'GET /health', 'GET /metrics', 'GET /session', 'GET /console/console.js', 'POST /reset', 'DELETE /script', 'GET /nowhere']

t.test('control: a page of another site or port may open a page, and nothing else, whatever its Origin', async t => {
  const { control, state } = await startTestEmulator(t)
  const before = await state()
  const senders: [sender: string, headers: Record<string, string>, opensPages: boolean, passes: boolean][] = [
    ['a program', {}, true, true],
    ['fetch of Node.js', { 'sec-fetch-mode': 'cors' }, true, true],
    ['a typed address or a bookmark', from('none', 'navigate', 'document'), true, true],
    ['a link of the console', from('same-origin', 'navigate', 'document'), true, true],
    ['fetch and events of the console', from('same-origin', 'cors', 'empty'), true, true],
    ['the icon, scripts and styles of the console', from('same-origin', 'no-cors', 'image'), true, true],
    ['a link of another site', from('cross-site', 'navigate', 'document'), true, false],
    ['a link of another port', from('same-site', 'navigate', 'document'), true, false],
    ['a frame of another site', from('cross-site', 'navigate', 'iframe'), false, false],
    ['a frame of another port', from('same-site', 'navigate', 'frame'), false, false],
    ['an object of another site', from('cross-site', 'navigate', 'object'), false, false],
    ['an image of another site', from('cross-site', 'no-cors', 'image'), false, false],
    ['an image of another port', from('same-site', 'no-cors', 'image'), false, false],
    ['a script of another site', from('cross-site', 'no-cors', 'script'), false, false],
    ['a style of another site', from('cross-site', 'no-cors', 'style'), false, false],
    ['fetch of another site', from('cross-site', 'cors', 'empty'), false, false],
    ['fetch of another site that reads nothing', from('cross-site', 'no-cors', 'empty'), false, false],
    ['a document that is not opened', from('cross-site', 'no-cors', 'document'), false, false],
    ['another site that says no more', { 'sec-fetch-site': 'cross-site' }, false, false],
    ['a site that no browser names', from('elsewhere', 'cors', 'empty'), false, false],
    ['two sites', from('same-origin, cross-site', 'cors', 'empty'), false, false],
    ['no site', from('', 'cors', 'empty'), false, false]
  ]
  for (const [sender, sent, opensPages, passes] of senders) {
    for (const origin of [undefined, 'http://localhost']) {
      const headers = { host: 'localhost', accept: 'text/html', ...sent, ...(origin !== undefined && { origin }) }
      for (const on of [...PAGES, ...OTHERS]) {
        const { body } = await control(on, undefined, headers)
        const isAllowed = PAGES.includes(on) ? opensPages : passes
        t.equal(body?.error?.code === 'origin_not_allowed', !isAllowed, `${sender}: ${on}, Origin ${origin}`)
      }
    }
  }
  const form = await control('POST ', 'a=b', { ...from('cross-site', 'navigate', 'document'), 'content-type': 'application/x-www-form-urlencoded' })

  t.strictSame([form.status, form.body.error.code], [403, 'origin_not_allowed'], 'a form of another site, sent to a page')
  t.equal(await state(), before)
})

t.test('control: a page that another site opens in a browser is the console, and a program gets none', async t => {
  const { control } = await startTestEmulator(t)
  const link = { ...from('cross-site', 'navigate', 'document'), accept: 'text/html' }

  for (const on of PAGES) t.match((await control(on, undefined, link)).headers['content-type'], /^text\/html/, on)
})

t.test('control: every answer, refusals and streams too, is for no cache, no other type, no frame and no other origin', async t => {
  const registered = collectRoutes(t)
  const { inject, listen } = await startTestEmulator(t)
  const port = await listen()
  const protectionOf = (headers: Record<string, unknown>) => Object.keys(CONTROL_HEADERS).map(name => headers[name])
  const wanted = ['no-store', 'nosniff', 'DENY', 'same-origin']
  const routes = [
    ...registered.filter(isControl),
    { method: 'GET', path: '/_control/nowhere' },
    { method: 'GET', path: '/_control/%ff' },
    { method: 'GET', path: '/sandbox/none/_control/state' }
  ]

  for (const { method, path } of routes) {
    const url = path.replace(/:file/, path.includes('docs') ? 'swagger-ui.css' : 'console.js').replace(/:\w+/g, 'known')
    for (const headers of [{ host: 'localhost' }, { host: 'evil.example' }, { host: 'localhost', accept: 'text/html' }]) {
      if (path === '/_control/events' && headers.host === 'localhost') continue
      const answer = await inject({ method: method as 'GET', url, headers })
      t.strictSame(protectionOf(answer.headers), wanted, `${method} ${url} ${JSON.stringify(headers)}: ${answer.status}`)
      if (/html/.test(String(answer.headers['content-type']))) t.match(answer.headers['content-security-policy'], /frame-ancestors 'none'/, url)
    }
  }
  const { headers, body } = await fetch(`http://127.0.0.1:${port}/_control/events`)
  await body?.cancel()
  t.strictSame(protectionOf(Object.fromEntries(headers)), wanted, 'events')
})
