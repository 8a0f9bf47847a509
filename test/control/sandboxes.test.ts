import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { GivenSettings } from '../../src/core/settings.js'
import {
  authorization,
  NOW,
  namesIn,
  type SandboxClient,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'

const OWN = { scenario: { name: 'own', data: smallFixture() } }
const withScript = (...script: object[]) => ({ clock: NOW, data: smallFixture(), script })
const HANGS = { on: 'GET /refunds', fault: 'hang' }

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(5)
}

/** An emulator on a port, where requests can hang. */
async function startListening(
  t: Test,
  settings: GivenSettings,
  scenario: object = { clock: NOW, data: smallFixture() }
) {
  const emulator = await startTestEmulator(t, { settings, scenario })
  const port = await emulator.listen()
  const inFlightIn = async (name: string) =>
    (await emulator.control('GET /sandboxes')).body.data.find(
      (one: { name: string }) => one.name === name
    )?.in_flight as number | undefined
  const isIdle = (name: string) => until(async () => (await inFlightIn(name)) === 0)
  /**
   * Sends a request that gets no response yet. Returns its result so far, and a function that
   * aborts it.
   */
  const hanging = async (name: string | null, path = '/next/refunds') => {
    const leaving = new AbortController()
    const result = { over: false, status: 0, text: '' }
    const url = `http://127.0.0.1:${port}${name === null ? '' : `/sandbox/${name}`}${path}`
    const done = fetch(url, { headers: { authorization: authorization() }, signal: leaving.signal })
      .then(async ({ status, body }) => {
        result.status = status
        for await (const chunk of body ?? []) result.text += Buffer.from(chunk)
      })
      .catch(() => {})
      .finally(() => {
        result.over = true
      })
    t.teardown(() => leaving.abort())
    if (name !== null && path !== '/_control/events')
      await until(async () => (await inFlightIn(name)) === 1)
    return { result, done, abort: () => leaving.abort() }
  }
  /** Sends the first part of a load; `finish` sends the rest. */
  const halfSent = async (name: string) => {
    const text = JSON.stringify(OWN)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text)
    }
    const call = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/sandbox/${name}/_control/load`,
      headers
    })
    const answer = once(call, 'response').then(
      ([response]) => response.resume().statusCode as number,
      () => null
    )
    t.teardown(() => call.destroy())
    const arrived = once(emulator.app.server, 'request')
    call.write(text.slice(0, 5))
    await arrived
    const finish = () => {
      call.end(text.slice(5))
      return answer
    }
    return { finish, cut: () => call.destroy() }
  }
  const use = (name: string, headers = {}) =>
    sandboxClient(emulator, name).call('GET /tickets', { headers })
  return { ...emulator, inFlightIn, isIdle, hanging, halfSent, use }
}

t.test('sandboxes: they are listed with their addresses, scenario and counts', async t => {
  const emulator = await startTestEmulator(t)
  const [a, b] = ['worker-2', 'Worker-1'].map(name => sandboxClient(emulator, name)) as [
    SandboxClient,
    SandboxClient
  ]
  await a.call('GET /tickets')
  await a.call('POST /locations', { body: { display_name: 'New', 'address[country]': 'US' } })
  await b.control('POST /load', { scenario: { name: 'own', data: {} } })
  const listed = (name: string, more: object) => ({
    name,
    api: `/sandbox/${name}/next`,
    control: `/sandbox/${name}/_control`,
    ...more
  })
  const first = listed('Worker-1', { scenario: 'own', records: 0, requests: 0, in_flight: 0 })
  const second = listed('worker-2', { scenario: 'test', records: 5, requests: 2, in_flight: 0 })
  t.strictSame((await emulator.control('GET /sandboxes')).body, { data: [first, second] })
  t.strictSame((await a.control('GET /sandboxes')).body, {
    data: [first, { ...second, in_flight: 1 }]
  })
  t.equal((await emulator.control('GET /sandboxes?limit=1')).body.error.code, 'parameter_unknown')
})

t.test('sandboxes: an API request with a valid path and key creates one', async t => {
  const emulator = await startTestEmulator(t, {
    scenario: { data: smallFixture(), expect: [{ on: 'POST /refunds', times: 1 }] }
  })
  const calls: [name: string, on: string, given: object, status: number, isMade: boolean][] =
    parse(`
    - [nokey, GET /tickets, {key: null}, 401, false]
    - [wrong-key, GET /tickets, {key: sk_none}, 401, false]
    - [nowhere, GET /none, {}, 404, false]
    - [method, DELETE /tickets/tkt_a, {}, 405, false]
    - [head, HEAD /tickets, {}, 200, true]
    - [preflight, OPTIONS /tickets, {headers: {origin: http://shop.example, access-control-request-method: GET}}, 204, false]
    - [image, GET /tickets, {headers: {sec-fetch-site: cross-site, sec-fetch-mode: no-cors}}, 404, false]
    - [form, POST /transactions, {key: null, headers: {sec-fetch-site: cross-site, sec-fetch-mode: navigate}}, 404, false]
    - [found, GET /tickets, {}, 200, true]
    - [missing, GET /tickets/none, {}, 404, true]
    - [disabled, DELETE /locations/loc_a, {}, 501, true]
    - [invalid, POST /refunds, {}, 400, true]
    - [needless, POST /transactions, {key: null}, 400, true]
    - [page, GET /tickets, {headers: {sec-fetch-site: cross-site, sec-fetch-mode: cors}}, 200, true]
    - [own-page, GET /tickets, {headers: {sec-fetch-site: same-origin, sec-fetch-mode: no-cors}}, 200, true]
  `)
  for (const [name, on, given, status, isMade] of calls) {
    if (name === 'found') {
      t.match(
        (await emulator.control('GET /metrics')).text,
        'commerce_calls_total{operation="GET /tickets",status="401"} 2'
      )
      t.ok(emulator.sandboxes.main.run.history.isEmpty, 'and is no period of its own')
    }
    t.equal((await sandboxClient(emulator, name).call(on, given)).status, status, `${name}: ${on}`)
    t.equal((await namesIn(emulator)).includes(name), isMade, name)
  }
  const { body } = await sandboxClient(emulator, 'foun').call('GET /tickets', {
    headers: { 'sec-fetch-site': 'cross-site' }
  })
  t.notMatch(body.error.message, 'found', 'nothing is said of others')
})

t.test('sandboxes: with cors off, no page of another site creates one', async t => {
  const { call } = sandboxClient(await startTestEmulator(t, { settings: { cors: false } }), 'a')
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
  t.equal((await call('GET /tickets', { headers })).status, 404)
  await call('GET /tickets')
  t.equal((await call('GET /tickets', { headers })).status, 200, 'one that there is may be called')
})

const PAGE = {
  origin: 'http://shop.example',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty'
}

t.test('limits.sandboxes: sandboxes that only pages used make room', async t => {
  const shop = 'origin: http://shop.example'
  const pages: [page: string, headers: Record<string, string>, isPage: boolean][] = parse(`
    - [of another site, {${shop}, sec-fetch-site: cross-site, sec-fetch-mode: cors}, true]
    - [of another port, {${shop}, sec-fetch-site: same-site, sec-fetch-mode: cors}, true]
    - [an image of another port, {sec-fetch-site: same-site, sec-fetch-mode: no-cors}, true]
    - [of a site that browsers do not name, {${shop}}, true]
    - [of the emulator, {sec-fetch-site: same-origin, sec-fetch-mode: cors}, false]
    - [of the emulator behind TLS, {origin: https://localhost, sec-fetch-site: same-origin, sec-fetch-mode: cors}, false]
    - [of the emulator that browsers do not name, {origin: http://localhost}, false]
    - [a program, {}, false]
  `)
  const emulator = await startTestEmulator(t, { settings: { 'limits.sandboxes': 3 } })
  const get = async (name: string, more: Record<string, string> = {}) =>
    (
      await sandboxClient(emulator, name).call('GET /tickets', {
        headers: { host: 'localhost', ...more }
      })
    ).status
  for (const [page, headers, isPage] of pages) {
    t.equal(await get('worker'), 200)
    for (const name of ['p1', 'p2']) t.equal(await get(name, headers), 200, `${page}: ${name}`)
    t.strictSame(await namesIn(emulator), ['p1', 'p2', 'worker'], page)
    t.equal(await get('worker-2'), isPage ? 200 : 429, `${page}: CI goes on`)
    t.strictSame(
      await namesIn(emulator),
      isPage ? ['p2', 'worker', 'worker-2'] : ['p1', 'p2', 'worker'],
      page
    )
    for (const name of await namesIn(emulator)) await emulator.sandboxes.delete(name)
  }
})

t.test('limits.sandboxes: a page replaces only sandboxes that pages alone have used', async t => {
  for (const evictsIdle of [false, true]) {
    const emulator = await startTestEmulator(t, {
      settings: { 'limits.sandboxes': 2, 'sandboxes.evict_idle': evictsIdle }
    })
    const get = (name: string, headers = {}) =>
      sandboxClient(emulator, name).call('GET /tickets', { headers })
    await get('worker')

    for (const name of ['p1', 'p2', 'p3']) t.equal((await get(name, PAGE)).status, 200)
    t.strictSame(await namesIn(emulator), ['p3', 'worker'])
    t.equal(
      (
        await sandboxClient(emulator, 'p3').control('POST /script', {
          on: 'GET /tickets',
          delay: '1ms'
        })
      ).status,
      201
    )
    const refused = await get('p4', PAGE)

    t.strictSame([refused.status, refused.body.error.code], [429, 'sandbox_limit'])
    t.equal((await get('p3', PAGE)).status, 200, 'a page goes on in one that there is')
    t.equal((await get('worker-2')).status, evictsIdle ? 200 : 429)
    t.strictSame(await namesIn(emulator), evictsIdle ? ['p3', 'worker-2'] : ['p3', 'worker'])
  }
})

const REFUSED: [on: string, body: object | string, type?: string][] = [
  ['POST /load', { scenario: { data: smallFixture(), steps: [{ do: 'GET /tickets/tkt_none' }] } }],
  ...parse(`
    - [POST /load, '{']
    - [POST /load, {scenario: {sede: 1}}]
    - [POST /reset?odd=1, '']
    - [POST /keys, {account: mch_none}]
    - [PATCH /settings, {odd: 1}]
    - [PUT /clock, {}]
    - [POST /snapshots/none/restore, '']
    - [POST /script, {}]
    - [POST /records, {tickets: [{location: loc_none}]}]
    - [POST /records, 'tickets: [', application/yaml]
    - [DELETE /records/locations/loc_a, '']
  `)
]

t.test('sandboxes: a refused control request and a dry run create none', async t => {
  const emulator = await startTestEmulator(t)
  const there = sandboxClient(emulator, 'there')
  await there.call('POST /locations', { body: { display_name: 'New', 'address[country]': 'US' } })
  const state = async () => (await there.control('GET /state')).text
  const before = await state()

  for (const { name, control } of [sandboxClient(emulator, 'not-there'), there]) {
    for (const [on, body, type] of REFUSED) {
      const { status } = await control(on, body, type === undefined ? {} : { 'content-type': type })
      t.ok(status >= 400 && status < 500, `${on} ${JSON.stringify(body)} in ${name}: ${status}`)
      t.strictSame(await namesIn(emulator), ['there'], on)
    }
    const { status, body } = await control('POST /load?dry_run', OWN)
    t.strictSame(
      [status, body.dry_run, body.scenario.name, await namesIn(emulator)],
      [200, true, 'own', ['there']]
    )
  }
  t.equal(await state(), before)
  t.equal((await there.call('GET /tickets')).headers['request-id'], 'req_2')
})

t.test('sandboxes: of concurrent loads, one that succeeds is enough to create it', async t => {
  const emulator = await startTestEmulator(t)
  const bad = { scenario: { sede: 1 } }
  for (const [name, ...bodies] of [
    ['none', bad, bad, bad],
    ['late', bad, OWN, bad],
    ['soon', OWN, bad]
  ] as const) {
    const { control } = sandboxClient(emulator, name)

    const answers = await Promise.all(bodies.map(body => control('POST /load', body)))

    t.equal(
      answers.map(({ status }) => status).join(),
      bodies.map(body => (body === bad ? 400 : 200)).join()
    )
    t.equal((await control('GET /health')).body.scenario, name === 'none' ? undefined : 'own')
  }
  t.strictSame(await namesIn(emulator), ['late', 'soon'])
})

t.test('sandboxes: an aborted load creates none', async t => {
  const emulator = await startListening(t, { 'limits.sandboxes': 1 })
  const status = async () =>
    (await sandboxClient(emulator, 'other').control('POST /load?dry_run', { scenario: 'default' }))
      .status
  const { cut } = await emulator.halfSent('cut')
  t.equal(await status(), 429, 'it has the only place')
  cut()
  await until(async () => (await status()) === 200)
  t.equal(await status(), 200)
  t.strictSame(await namesIn(emulator), [])
})

t.test('sandboxes.evict_idle: a sandbox with a request in flight stays', async t => {
  const scenario = withScript(HANGS, { on: 'GET /accounts', delay: '10m' })
  const emulator = await startListening(
    t,
    { 'limits.sandboxes': 4, 'sandboxes.evict_idle': true },
    scenario
  )
  const { hanging, halfSent, isIdle, use } = emulator
  await hanging('hung')
  const delayed = await hanging('delayed', '/next/accounts')
  const loading = await halfSent('loading')
  await use('idle')

  t.equal((await use('new')).status, 200)
  t.strictSame(await namesIn(emulator), ['delayed', 'hung', 'new'])
  await hanging('new')
  const refused = await use('newer')
  t.strictSame([refused.status, refused.body.error.code], [429, 'sandbox_limit'])
  t.equal(await loading.finish(), 200)
  t.equal((await sandboxClient(emulator, 'loading').control('GET /health')).body.scenario, 'own')
  await isIdle('loading')
  t.equal((await use('newer')).status, 200)
  t.strictSame(await namesIn(emulator), ['delayed', 'hung', 'new', 'newer'])

  delayed.abort()
  await isIdle('delayed')
  for (const name of ['newer', 'newest']) t.equal((await use(name)).status, 200)
  t.strictSame(await namesIn(emulator), ['hung', 'new', 'newer', 'newest'])
})

t.test('sandboxes: deleting one closes its hung requests and event streams', async t => {
  const emulator = await startListening(t, {}, withScript(HANGS))
  const { hanging, control, inFlightIn, logs, use } = emulator
  for (const name of ['gone', 'stays']) await use(name)
  const names = ['gone', 'stays', null]
  const [hung, stays, ofMain] = (await Promise.all(names.map(name => hanging(name)))).map(
    ({ result }) => result
  ) as [Json, Json, Json]
  const streams = (
    await Promise.all(['gone', ...names].map(name => hanging(name, '/_control/events')))
  ).map(({ result }) => result)
  await until(() => streams.every(({ text }) => text !== ''))

  const deleted = await control('DELETE /sandboxes/gone')

  t.strictSame([deleted.status, deleted.text], [204, ''])
  await until(() => hung.over && streams[0]?.over === true && streams[1]?.over === true)
  t.strictSame([hung.over, hung.status, stays.over, ofMain.over], [true, 0, false, false])
  t.equal(streams.map(({ over }) => over).join(), 'true,true,false,false')
  await sandboxClient(emulator, 'stays').call('GET /tickets/tkt_a')
  await until(() => streams[2]?.text.includes('/tickets/tkt_a') === true)
  t.ok(streams[2]?.text.includes('/tickets/tkt_a'), 'the other streams stay open')
  t.notOk(streams[3]?.text.includes('/tickets/tkt_a'))
  t.equal(await inFlightIn('stays'), 2, 'the hung call and the stream')
  t.notOk(logs.some(line => JSON.parse(line).level >= 50))
})

t.test('sandboxes: a delayed request of a deleted sandbox gets a response', async t => {
  const emulator = await startListening(t, {}, withScript({ on: 'GET /accounts', delay: '300ms' }))
  const { result, done } = await emulator.hanging('late', '/next/accounts')
  t.equal((await emulator.control('DELETE /sandboxes/late')).status, 204)
  await done
  t.equal(result.status, 409)
  t.strictSame(await namesIn(emulator), [])
})

t.test('sandboxes: deleting one needs the name of an existing one', async t => {
  const emulator = await startTestEmulator(t)
  const { control } = emulator
  for (const name of ['a', 'b', 'c']) await sandboxClient(emulator, name).call('GET /tickets')
  for (const [path, ...is] of [
    ['/nothing', 404, 'sandbox_unknown', 'name'],
    ['/con', 400, 'name_invalid', 'name'],
    ['/con1', 404, 'sandbox_unknown', 'name'],
    ['/a?force=1', 400, 'parameter_unknown', 'force'],
    ['', 404, 'path_unknown', undefined]
  ] as const) {
    const { status, body } = await control(`DELETE /sandboxes${path}`)
    t.strictSame([status, body.error.code, body.error.param], is, path)
  }
  t.equal((await control('DELETE /sandboxes/%61')).status, 204)
  t.equal((await sandboxClient(emulator, 'b').control('DELETE /sandboxes/b')).status, 204)
  t.equal((await sandboxClient(emulator, 'c').control('DELETE /sandboxes/b')).status, 404)
  t.strictSame(await namesIn(emulator), ['c'])
})
