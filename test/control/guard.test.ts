/**
 * Who may reach the control API, with which headers, and when; `safety.test.ts` tries every
 * request.
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { loadScenario } from '../../src/sandbox/loading.js'
import { documentOf } from '../../src/scenario/documents.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'
import { collectRoutes, isControl } from './routes.js'

/** Hosts that public DNS cannot point at this machine, and others. */
const SAFE = [
  '127.0.0.1 127.0.0.1:4010 10.0.0.7:4010 [::1] [::1]:4010 [::ffff:127.0.0.1] localhost localhost: localhost:4010 LOCALHOST:4010 a.localhost',
  'a.b.localhost:4010 emulator emulator:4010 Emulator under_score:4010 host.docker.internal HOST.docker.internal:4010 ci.example CI.example:80 other.example'
]
const UNSAFE = [
  'evil.example EVIL.EXAMPLE:4010 not-ci.example ci.example.evil.example 127.0.0.1.nip.example localhost.evil.example alocalhost.example',
  'host.docker.internal.evil.example gateway.docker.internal localhost. 127.0.0.1. emulator. ci.example. 127.0.0.256 [evil.example]:4010 :4010',
  'evil%2ecom evil%2Ecom:4010 localhost%00 localhost#@evil localhost# localhost/../ localhost/ localhost? localhost\\evil user@localhost user:pass@localhost',
  'localhost:80:80 localhost:x localhost:123456 evil\u00b7com l\u00f6calhost .. .localhost a..localhost localhost.. ::1 [::1 [::1%25eth0] [fe80::1%eth0]:4010',
  '[localhost] [127.0.0.1] [] 127.1 evil.notlocalhost'
]

t.test('control: a Host passes if public DNS cannot point it at this machine', async t => {
  const { control } = await startTestEmulator(t, {
    settings: { control_hosts: ['ci.example', 'Other.Example:4010', '[fe80::1]'] }
  })
  const visit = (host: string) => control('GET /settings', undefined, { host })
  for (const host of SAFE.join(' ').split(' ')) t.equal((await visit(host)).status, 200, host)
  for (const host of [...UNSAFE.join(' ').split(' '), 'localhost, evil', 'localhost evil'])
    t.equal((await visit(host)).status, 403, host)
  const { headers, body } = await visit('EVIL.example:4010')
  const { message, ...error } = body.error
  t.strictSame(error, {
    type: 'permission_error',
    code: 'host_not_allowed',
    request_id: headers['request-id']
  })
  t.match(message, / evil\.example\. /, 'it shows the name as it was compared')
})

t.test('control: no Host, which no browser sends, passes', async t => {
  const port = await (await startTestEmulator(t)).listen()
  for (const [status, ...requests] of [
    [200, '1.0', '1.1\r\nhost: localhost', '1.1\r\nhost:  localhost '],
    [
      403,
      '1.1\r\nhost: evil\uff0ecom',
      '1.1\r\nhost: \uff4cocalhost',
      '1.1\r\nhost: localhost\u3002',
      '1.1\r\nhost:'
    ],
    [
      403,
      '1.1\r\nhost: localhost\r\nhost: evil.example',
      '1.1\r\nhost: localhost\r\nHost: localhost'
    ]
  ] as const)
    for (const request of requests) {
      const socket = connect(port, '127.0.0.1')
      socket.end(`GET /_control/state HTTP/${request}\r\nconnection: close\r\n\r\n`)
      t.match(await text(socket), `HTTP/1.1 ${status}`, JSON.stringify(request))
    }
})

t.test('control: a body is JSON or YAML, as large as its limit', async t => {
  const { control, inject, state } = await startTestEmulator(t, {
    settings: { 'limits.control_body': 300, 'limits.body': 20 }
  })
  const before = await state()
  for (const url of ['/_control/load', '/_control/clock/advance'])
    t.match(
      (await inject({ method: 'POST', url, payload: '{}', headers: { 'content-type': 'json' } }))
        .body.error.message,
      /send application\/json or application\/yaml/
    )
  for (const [type, status] of [
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    ['application/yaml', 200],
    ['text/yaml', 415],
    ['nonsense', 415]
  ] as const)
    t.equal(
      (await control('POST /records', '{"accounts":[]}', { 'content-type': type })).status,
      status,
      type
    )
  t.equal(await state(), before)
  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
    t.equal(
      (
        await inject({
          method: 'POST',
          url: '/_control/reset',
          headers: { host: 'localhost', 'content-type': type }
        })
      ).status,
      200,
      type
    )

  for (const [on, body, status] of [
    ['POST /reset', ' { } ', 200],
    ['POST /reset', '{"scenario":"a"}', 400],
    ['GET /health', '[]', 400]
  ] as const) {
    const sent = await control(on, body)
    t.strictSame(
      [sent.status, sent.body.error?.code],
      [status, status === 200 ? undefined : 'body_malformed'],
      `${on} ${body}`
    )
  }

  const limitOf = async (on: string, body: string) =>
    /limits\.\w+/.exec((await control(on, body)).body.error?.message ?? '')?.[0]
  t.equal(await limitOf('POST /records', '{"accounts":[]}'.padEnd(300)), undefined)
  t.equal(await limitOf('POST /records', '{"accounts":[]}'.padEnd(301)), 'limits.control_body')
  t.equal(await limitOf('POST /verify', '{"on":"GET /refunds"}'), 'limits.body')
})

t.test('control: before the start scenario is loaded', async t => {
  const registered = collectRoutes(t)
  const { inject, sandbox, control } = await startTestEmulator(t, { loaded: false })

  const health = await control('GET /health', undefined, { host: 'evil.example' })
  t.strictSame([health.status, health.body], [503, { status: 'starting', version: '0.0.0' }])
  for (const { method, path } of [
    ...registered.filter(isControl),
    { method: 'GET', path: '/_control/nowhere' }
  ]) {
    if (path === '/_control/health') continue
    const { status, body } = await inject({
      method: method as 'GET',
      url: path,
      headers: { host: 'localhost' }
    })
    t.strictSame([status, body.error.code], [503, 'not_ready'], `${method} ${path}`)
  }
  t.equal(
    (await control('GET /state', undefined, { host: 'evil.example' })).status,
    403,
    'the guard runs first'
  )

  await loadScenario(sandbox, documentOf('test', smallFixture()), { name: 'test', file: null })
  t.strictSame(
    [(await control('GET /health')).status, (await control('GET /state')).status],
    [200, 200]
  )
})

t.test('control: an Origin passes when it is that of the Host', async t => {
  const { control } = await startTestEmulator(t)
  const visit = async (host: string, origin: string) =>
    (await control('GET /state', undefined, { host, origin })).status
  for (const host of ['localhost:4010', '127.0.0.1:4010', '[::1]:4010', 'localhost'])
    t.equal(await visit(host, `http://${host}`), 200, host)
  const others =
    'http://localhost:3000 http://localhost http://127.0.0.1:4010 https://localhost:4010 http://localhost:4010.evil.example'.split(
      ' '
    )
  for (const origin of [...others, 'null', ''])
    t.equal(await visit('localhost:4010', origin), 403, origin)
  const unknown =
    'GET /nowhere,DELETE /state,GET /reset,POST /settings,PUT /settings,POST /health,GET /state/x,POST /nowhere?a=b'
  for (const on of unknown.split(',')) {
    const { status, body } = await control(on, on.startsWith('POST') ? 'a=b' : undefined, {
      'content-type': 'application/x-www-form-urlencoded'
    })
    t.strictSame([status, body.error.code], [404, 'path_unknown'], on)
  }
  for (const [on, meant] of [
    ['GET /load', 'POST /_control/load'],
    ['POST /healt', 'GET /_control/health'],
    ['PUT /clok', 'GET /_control/clock or PUT /_control/clock'],
    ['POST /snapshots', 'GET /_control/snapshots'],
    ['GET /frobnicated', undefined]
  ]) {
    const { message } = (await control(on as string)).body.error
    t.equal(/did you mean (.*)\?/.exec(message)?.[1], meant, message)
  }
})

/** Headers with which a browser describes its page. */
const from = (site: string, mode: string, dest: string) => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest
})
const PAGES = ['GET ', 'GET /docs']
const OTHERS = 'GET /state,GET /health,GET /console/console.js,POST /reset,GET /nowhere'.split(',')

t.test('control: a page of another site or port may open a page, and nothing else', async t => {
  const { control, state } = await startTestEmulator(t)
  const before = await state()
  type Sender = [
    name: string,
    headers: Record<string, string>,
    opensPages: boolean,
    passes: boolean
  ]
  const senders: Sender[] = [
    ['a program', {}, true, true],
    ['fetch of Node.js', { 'sec-fetch-mode': 'cors' }, true, true],
    ['a typed address or a bookmark', from('none', 'navigate', 'document'), true, true],
    ['fetch and events of the console', from('same-origin', 'cors', 'empty'), true, true],
    ['a link of another site', from('cross-site', 'navigate', 'document'), true, false],
    ['a document that is not opened', from('cross-site', 'no-cors', 'document'), false, false],
    ['another site that says no more', { 'sec-fetch-site': 'cross-site' }, false, false],
    ['a site that no browser names', from('elsewhere', 'cors', 'empty'), false, false],
    ['two sites', from('same-origin, cross-site', 'cors', 'empty'), false, false],
    ['no site', from('', 'cors', 'empty'), false, false]
  ]
  for (const [sender, sent, opensPages, passes] of senders)
    for (const origin of [{}, { origin: 'http://localhost' }] as Record<string, string>[])
      for (const on of [...PAGES, ...OTHERS]) {
        const { body, headers } = await control(on, undefined, {
          host: 'localhost',
          accept: 'text/html',
          ...sent,
          ...origin
        })
        const isAllowed = PAGES.includes(on) ? opensPages : passes
        t.equal(
          body?.error?.code === 'origin_not_allowed',
          !isAllowed,
          `${sender}: ${on}, ${JSON.stringify(origin)}`
        )
        if (PAGES.includes(on) && isAllowed) t.match(headers['content-type'], /^text\/html/, on)
      }
  const form = await control('POST ', 'a=b', {
    ...from('cross-site', 'navigate', 'document'),
    'content-type': 'application/x-www-form-urlencoded'
  })
  t.equal(form.body.error.code, 'origin_not_allowed', 'a form of another site, sent to a page')
  t.equal(await state(), before)
})
