import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { authorization, namesIn, type SandboxClient, sandboxClient } from '../sandbox/client.js'
import { type Answer, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import { exchanged, opened } from '../support/socket.js'

const HEADERS = { host: 'localhost', authorization: authorization() }
const REFUNDED = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
  refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
}

t.test('A01: an address below /sandbox/NAME belongs to that sandbox', async t => {
  const emulator = await startTestEmulator(t)
  const { app, control } = emulator
  const cases: [url: string, status: number, shows: string, makes?: string][] = parse(`
    - [/, 200, '"api":"/next","control":"/_control"']
    - [/sandbox/x, 200, '"api":"/sandbox/x/next","control":"/sandbox/x/_control"']
    - [/sandbox/x/, 200, '"api":"/sandbox/x/next","control":"/sandbox/x/_control"']
    - [/sandbox/x?y=1, 200, '"api":"/sandbox/x/next","control":"/sandbox/x/_control"']
    - [/sandbox, 404, 'There is nothing at /sandbox; every path is relative to the base address, which is /next here.']
    - [/sandbox/x/other, 404, 'There is nothing at /sandbox/x/other; every path is relative to the base address, which is /sandbox/x/next here.']
    - [/sandbox/x/nextx, 404, 'There is nothing at /sandbox/x/nextx; ']
    - [/sandbox/x/_controlx, 404, 'There is nothing at /sandbox/x/_controlx; ']
    - [/sandbox/x/locations, 404, 'The base address ends in /next: send this to /sandbox/x/next/locations.']
    - - /sandbox/x/sandbox/y/next/locations
      - 404
      - 'There is nothing at /sandbox/x/sandbox/y/next/locations; every path is relative to the base address, which is /sandbox/x/next here. The control API is at /sandbox/x/_control.'
    - [/http://localhost:4010/next/locations, 404, '; every path is relative to the base address, which is /next here.']
    - [/Sandbox/x/next/locations, 404, 'There is nothing at /Sandbox/x/next/locations; ']
    - [//sandbox/x/next/locations, 404, 'There is nothing at //sandbox/x/next/locations; ']
    - - /sandbox/x/_control
      - 404
      - 'There is no sandbox x; there are none. A request to its API with a valid path and key creates it, and so does a control request that changes something.'
    - [/sandbox/a/next, 404, 'No endpoint has the path /; ']
    - [/sandbox/b/next/, 404, 'No endpoint has the path /; ']
    - [/sandbox/c/next?limit=1, 404, 'No endpoint has the path /; ']
    - [/sandbox/d/next/nowhere, 404, 'No endpoint has the path /nowhere; ']
    - [/sandbox/e/next//locations, 404, 'No endpoint has the path //locations; ']
    - [/sandbox/f/next/sandbox/g/next, 404, No endpoint has the path /sandbox/g/next]
    - [/sandbox/h/next/locations, 200, '"url":"/sandbox/h/next/locations"', h]
    - [/sandbox/i/next/locations/?limit=1, 200, '"url":"/sandbox/i/next/locations"', i]
    - [/sandbox/j/next/tickets/tkt_none, 404, No Ticket has the id tkt_none., j]
    - [/sandbox/h/locations, 404, 'The base address ends in /next: send this to /sandbox/h/next/locations.']
    - [/sandbox/h/_control, 200, '"api":"/sandbox/h/next","health":"/sandbox/h/_control/health"']
    - [/sandbox/h/_control/, 200, '"state":"/sandbox/h/_control/state"']
    - [/sandbox/h/_control/health, 200, '"status":"ready"']
    - [/sandbox/none/_control/health, 404, There is no sandbox none.]
    - [/sandbox/h/_control/nothing?a=b, 404, The control API has no GET /sandbox/h/_control/nothing; see the links of GET /sandbox/h/_control.]
    - [/sandbox/h/_control/docs/none, 404, The control API has no GET /sandbox/h/_control/docs/none; see the links of GET /sandbox/h/_control.]
  `)
  for (const [url, status, shows, makes] of cases) {
    const before = await namesIn(emulator)

    const { statusCode, payload } = await app.inject({ method: 'GET', url, headers: HEADERS })

    t.equal(statusCode, status, url)
    t.ok(payload.includes(shows), `${url}: ${payload}`)
    const after = await namesIn(emulator)
    t.strictSame(
      after.filter(name => !before.includes(name)),
      makes === undefined ? [] : [makes],
      `${url} makes ${makes ?? 'none'}`
    )
  }
  t.equal(
    (
      await sandboxClient(emulator, 'loaded').control('POST /load', {
        scenario: { data: smallFixture() }
      })
    ).status,
    200
  )
  t.ok((await namesIn(emulator)).includes('loaded'), 'a load makes its sandbox too')
  t.equal(
    (await control('GET /requests')).body.data.length,
    4,
    'what lies outside every base address is kept in the sandbox at the base address'
  )
  const outside = (await sandboxClient(emulator, 'h').control('GET /requests')).body.data.map(
    ({ path }: { path: string }) => path
  )
  t.strictSame(outside, ['/locations', '/locations'])
})

t.test('A01: a name is 1 to 64 letters, digits, ., _ and -', async t => {
  const emulator = await startTestEmulator(t)
  const { app, logs } = emulator
  const longest = `x${'y'.repeat(63)}`
  const get = (url: string) => app.inject({ method: 'GET', url, headers: HEADERS })
  const good = ['1.5', '7', 'Worker-1', 'a', 'a..b', 'a.b_c-d', longest]
  for (const name of good)
    t.equal((await get(`/sandbox/${name}/next/locations`)).statusCode, 200, name)
  t.strictSame(await namesIn(emulator), good)

  const card = '4242424242424242'
  const SECRETS = /4242(\D|%20)?4242|sk_merchant/
  const bad =
    ' .a a. a.. con con.txt LPT1 -a _a %20 a%20b a+b a;b a%2Fb a%5Cb a%00 a%0Ab a%3Cb%3E a% %zz %FF caf%C3%A9 %F0%9F%A7%BE 4242%204242%204242%204242 sk_merchant!'.split(
      ' '
    )
  for (const name of [...bad, `${longest}z`, `${card}!`])
    for (const below of [
      '/next/locations',
      '/next',
      '/other',
      '/',
      '',
      '?x=1',
      '/_control',
      '/_control/state',
      '/_control/nowhere'
    ]) {
      const { statusCode, payload } = await get(`/sandbox/${name}${below}`)
      t.notMatch(payload, 'null')
      const { code, message, param } = JSON.parse(payload).error
      const is =
        below === '/_control/nowhere'
          ? [404, 'path_unknown', undefined]
          : [400, 'name_invalid', 'name']
      t.strictSame([statusCode, code, param], is, `/sandbox/${name}${below}`)
      if (code === 'name_invalid') t.notMatch(message, SECRETS)
    }
  t.equal((await namesIn(emulator)).length, 7, 'none is made of them')
  const { payload } = await get('/_control/requests?limit=1000')
  t.notMatch([...logs, payload].join('\n'), SECRETS)
})

t.test('A01: needless percent-encoding does not change an address', async t => {
  const emulator = await startTestEmulator(t)
  const { app, control } = emulator
  const get = async (url: string) => {
    const { statusCode, payload } = await app.inject({ method: 'GET', url, headers: HEADERS })
    return [statusCode, payload.replace(/"request_id":"\w+"/, '')]
  }
  const pairs: [encoded: string, plain: string][] = [
    ['/sandbox/%61%2D%7a%2e%5F%30/next/locations', '/sandbox/a-z._0/next/locations'],
    ['/%73andbox/a-z._0/%6Eext/locat%69ons', '/sandbox/a-z._0/next/locations'],
    ['/sandbox/a-z._0/%5fcontrol/state', '/sandbox/a-z._0/_control/state'],
    ['/next/tickets/%74kt_a', '/next/tickets/tkt_a'],
    ['/%5Fcontrol/state', '/_control/state'],
    ['/next/tickets/%7Etkt', '/next/tickets/~tkt']
  ]
  for (const [encoded, plain] of pairs) t.strictSame(await get(encoded), await get(plain), encoded)

  t.strictSame(await namesIn(emulator), ['a-z._0'])
  const paths = (await control('GET /requests')).body.data.map(({ path }: { path: string }) => path)
  t.equal(
    paths.join(),
    '/tickets/~tkt,/tickets/~tkt,/tickets/tkt_a,/tickets/tkt_a',
    'a control call is none of the API, however it is written'
  )
  t.strictSame(
    await get('/next/tickets?search_query=%54-1'),
    await get('/next/tickets?search_query=T-1')
  )
  t.equal((await get('/next/locations/%'))[0], 400, 'what is broken stays so')
})

t.test('A01: a url in absolute form is read without its origin', async t => {
  const emulator = await startTestEmulator(t)
  const port = await emulator.listen()
  const send = (url: string) =>
    exchanged(
      port,
      `GET ${url} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}\r\nConnection: close\r\n\r\n`
    )
  const overview = '"api":"/next"'
  const cases: [url: string, status: number, shows: string][] = [
    [`http://localhost:${port}/next/locations`, 200, '"url":"/next/locations"'],
    [
      'http://localhost/sandbox/abs/next/locations?limit=1',
      200,
      '"url":"/sandbox/abs/next/locations"'
    ],
    ['HTTPS://elsewhere.example:1/sandbox/abs/_control/health', 200, '"status":"ready"'],
    ['http://localhost/sandbox/none/_control/health', 404, 'There is no sandbox none.'],
    ['http://localhost/sandbox/abs', 200, '"api":"/sandbox/abs/next"'],
    ['http://localhost/', 200, overview],
    ['http://localhost', 200, overview],
    ['http://localhost?a=/b', 200, overview],
    ['http://localhost/sandbox/b!/next/locations', 400, 'b! is not a valid name'],
    ['/sandbox/../next/locations', 400, '.. is not a valid name'],
    ['/sandbox/./next/locations', 400, '. is not a valid name'],
    ['/sandbox/%2E%2e/next/locations', 400, '.. is not a valid name'],
    [
      '/sandbox/abs/../other/next/locations',
      404,
      'There is nothing at /sandbox/abs/../other/next/locations'
    ]
  ]
  for (const [url, status, shows] of cases) {
    const answer = await send(url)
    t.ok(answer.startsWith(`HTTP/1.1 ${status} `) && answer.includes(shows), `${url}: ${answer}`)
  }
  t.strictSame(await namesIn(emulator), ['abs'])
})

t.test('A34: each sandbox counts its own responses', async t => {
  const emulator = await startTestEmulator(t)
  const [main, a, b] = [null, 'a', 'b'].map(name => sandboxClient(emulator, name)) as [
    SandboxClient,
    SandboxClient,
    SandboxClient
  ]
  const none = sandboxClient(emulator, 'none')
  const bad = sandboxClient(emulator, 'no!')
  const get = (url: string) => emulator.inject({ method: 'GET', url })
  const calls: [id: string, call: () => Promise<Answer>][] = [
    ['req_1', () => a.call('GET /tickets')],
    ['req_2', () => a.call('GET /nowhere')],
    ['req_1', () => b.call('GET /tickets', { key: null })],
    ['req_1', () => main.call('GET /tickets')],
    ['req_3', () => a.call('DELETE /tickets')],
    ['ctl_1', () => a.control('GET /state')],
    ['ctl_2', () => none.control('GET /state')],
    ['ctl_3', () => bad.call('GET /tickets')],
    ['ctl_4', () => get('/sandbox/none/tickets')],
    ['ctl_5', () => get('/sandbox/a')],
    ['req_4', () => get('/sandbox/a/tickets')],
    ['req_1', () => b.call('GET /tickets')],
    ['req_2', () => main.call('GET /tickets')]
  ]
  for (const [id, call] of calls) {
    const { headers, body } = await call()
    t.strictSame([headers['request-id'], body.error?.request_id ?? id], [id, id])
  }
  await a.control('POST /reset')
  t.equal((await a.call('GET /tickets')).headers['request-id'], 'req_1', 'a reset begins anew')
  t.equal((await main.call('GET /tickets')).headers['request-id'], 'req_3', 'in its own sandbox')
})

t.test('A09, A33: the urls of lists and embedded Refunds are below the sandbox', async t => {
  const emulator = await startTestEmulator(t, { records: REFUNDED })
  const { call, control } = sandboxClient(emulator, 'shop')
  const base = '/sandbox/shop/next'
  const headers = { origin: 'http://shop.example', 'access-control-request-method': 'POST' }

  const preflight = await call('OPTIONS /transactions', { key: null, headers })
  t.strictSame(
    [preflight.status, preflight.headers['request-id'], await namesIn(emulator)],
    [204, 'req_1', []]
  )
  const list = (await call('GET /transactions', { query: 'location=loc_a' })).body
  const made = (
    await call('POST /transactions', {
      key: null,
      body: { ticket: 'tkt_a', payment_type: 'external', amount: 5 }
    })
  ).body
  const url: string = (await call('GET /transactions/txn_a')).body.refunds.url
  const followed = await emulator.inject({ method: 'GET', url, headers: HEADERS })

  t.equal((await control('GET /requests')).body.data.length, 4, 'nor is it kept')
  t.strictSame(
    [list.url, list.data[0].refunds.url, url],
    [`${base}/transactions`, ...Array(2).fill(`${base}/refunds?transaction=txn_a`)]
  )
  t.equal((await call('GET /accounts/mch_a/users')).body.url, `${base}/accounts/mch_a/users`)
  t.equal(made.refunds.url, `${base}/refunds?transaction=${made.id}`)
  t.strictSame([followed.body.data[0].id, followed.body.url], ['rfd_a', `${base}/refunds`])
  t.equal(
    (await emulator.call('GET /transactions/txn_a')).body.refunds.url,
    '/next/refunds?transaction=txn_a'
  )
})

t.test('arrivals: a keep-alive connection keeps no listener of its requests', async t => {
  const scenario = {
    clock: NOW,
    data: smallFixture(),
    script: [{ on: 'GET /accounts', delay: '1ms' }]
  }
  const { app, listen } = await startTestEmulator(t, { scenario, logged: false })
  const request = (line: string, headers = '') =>
    `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization()}\r\n${headers}\r\n`
  const post = (path: string, type: string, body: string) =>
    request(
      `POST ${path}`,
      // a body that is refused before it is read ends the connection
      `content-type: ${type}\r\n${type === 'text/plain' ? '' : 'expect: 100-continue\r\n'}content-length: ${body.length}\r\n`
    ) + body
  const form = 'application/x-www-form-urlencoded'
  const kinds = [
    request('GET /next/tickets/tkt_a'),
    request('GET /next/accounts'),
    request('GET /sandbox/a/next/tickets'),
    request('OPTIONS /next/tickets', 'origin: http://shop.example\r\n'),
    request('GET /%ff'),
    request('GET /nowhere'),
    request('GET /_control/clock'),
    post('/next/refunds', form, 'transaction=none'),
    post('/next/refunds', 'text/plain', 'transaction=none'),
    post('/_control/verify', 'application/json', '{"on":"GET /refunds","times":0,"within":"1ms"}')
  ]
  const warnings: string[] = []
  const warned = ({ message }: Error) => void warnings.push(message)
  process.on('warning', warned)
  t.teardown(() => process.off('warning', warned))
  const port = await listen()
  const accepted = once(app.server, 'connection')
  const { socket: client, received } = opened(t, port, '')
  const [socket] = (await accepted) as [Socket]
  const answers = () => received().split(/HTTP\/1\.1 [2-5]/).length - 1
  const listeners = async () => {
    await wait(20)
    return socket.eventNames().map(event => `${String(event)}: ${socket.listenerCount(event)}`)
  }
  const send = async (texts: string[]) => {
    const all = answers() + texts.length
    client.write(texts.join(''))
    for (let left = 2000; answers() < all && left > 0; left--) await wait(1)
    t.equal(answers(), all)
  }

  for (const kind of kinds) await send([kind])
  await send([...kinds, ...kinds])
  const before = await listeners()
  for (let round = 0; round < 10; round++) await send([...kinds, ...kinds])
  for (const kind of kinds) await send(Array.from({ length: 40 }, () => kind))
  for (const kind of kinds) for (let times = 0; times < 12; times++) await send([kind])

  t.ok(answers() > 700, String(answers()))
  t.strictSame(await listeners(), before)
  t.strictSame(warnings, [])
})
