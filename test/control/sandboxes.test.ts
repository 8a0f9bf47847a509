import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { GivenSettings } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'
import { REFUSALS } from '../../src/sandbox/sentences.js'
import { authorization, type Emulator, namesIn, type SandboxClient, sandboxClient } from '../sandbox/client.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'

const TICKET = { tickets: [{ id: 'tkt_b', location: 'loc_a', reference: 'T-2' }] }
const UNKNOWN = ' A request to its API with a valid path and key creates it, and so does a control request that changes something.'

/** Waits until a condition holds, or for 20 s; the assertion that follows fails then. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const since = Date.now(); Date.now() - since < 20_000 && !(await holds()); ) await sleep(20)
}

/** An emulator on a port, where calls can hang. */
async function startListening(t: Test, settings: GivenSettings = {}, scenario: object = { clock: NOW, data: smallFixture() }) {
  const emulator = await startTestEmulator(t, { settings, scenario })
  const port = await emulator.listen()
  const inFlightIn = async (name: string) =>
    (await emulator.control('GET /sandboxes')).body.data.find((one: { name: string }) => one.name === name)?.in_flight as number | undefined
  /** Makes a call that is not answered yet. Returns its result so far, and a function that aborts it. */
  const hanging = async (name: string | null, path = '/next/refunds') => {
    const call = get({ port, host: '127.0.0.1', path: `${name === null ? '' : `/sandbox/${name}`}${path}`, headers: { authorization: authorization() } })
    const result = { over: false, status: 0, done: Promise.resolve() }
    result.done = new Promise(resolve => {
      call.on('response', (response: IncomingMessage) => {
        result.status = response.statusCode ?? 0
        response
          .on('error', () => {})
          .on('close', resolve)
          .resume()
      })
      call.on('error', () => resolve())
    })
    void result.done.then(() => {
      result.over = true
    })
    t.teardown(() => call.destroy())
    if (name !== null) await until(async () => (await inFlightIn(name)) === 1)
    return { result, abort: () => call.destroy() }
  }
  /** Sends the first part of a load or records call; `finish` sends the rest. */
  const halfSent = async (name: string, path: string, body: object) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const call = request({ port, host: '127.0.0.1', method: 'POST', path: `/sandbox/${name}/_control${path}`, headers })
    const answer = once(call, 'response').then(
      ([response]) => response.resume().statusCode as number,
      () => null
    )
    t.teardown(() => call.destroy())
    const arrived = once(emulator.app.server, 'request')
    call.write(text.slice(0, 5))
    await arrived
    return {
      finish: () => {
        call.end(text.slice(5))
        return answer
      },
      cut: () => call.destroy()
    }
  }
  return { ...emulator, port, inFlightIn, hanging, halfSent }
}

t.test('sandboxes: they are listed with their addresses, scenario and counts', async t => {
  const emulator = await startTestEmulator(t)
  const { control } = emulator
  t.strictSame((await control('GET /sandboxes')).body, { data: [] })
  const [a, b] = ['worker-2', 'Worker-1'].map(name => sandboxClient(emulator, name)) as [SandboxClient, SandboxClient]
  await a.call('GET /tickets')
  await a.call('POST /locations', { body: { display_name: 'New', 'address[country]': 'US' } })
  await b.control('POST /load', { scenario: { name: 'own', data: {} } })

  const { status, body } = await control('GET /sandboxes')

  t.equal(status, 200)
  t.strictSame(body, {
    data: [
      { name: 'Worker-1', api: '/sandbox/Worker-1/next', control: '/sandbox/Worker-1/_control', scenario: 'own', records: 0, requests: 0, in_flight: 0 },
      { name: 'worker-2', api: '/sandbox/worker-2/next', control: '/sandbox/worker-2/_control', scenario: 'test', records: 5, requests: 2, in_flight: 0 }
    ]
  })
  const within = (await a.control('GET /sandboxes')).body.data
  t.strictSame(
    within.map(({ name, in_flight }: { name: string; in_flight: number }) => [name, in_flight]),
    [
      ['Worker-1', 0],
      ['worker-2', 1]
    ],
    'a sandbox returns the same list, with this call in flight'
  )
  t.equal((await control('GET /sandboxes?limit=1')).body.error.code, 'parameter_unknown')
})

t.test('sandboxes: an API call whose path and key are right makes one, whatever its status', async t => {
  const emulator = await startTestEmulator(t)
  const calls: [name: string, on: string, given: object, status: number, isMade: boolean][] = [
    ['found', 'GET /tickets', {}, 200, true],
    ['missing', 'GET /tickets/none', {}, 404, true],
    ['disabled', 'DELETE /locations/loc_a', {}, 501, true],
    ['invalid', 'POST /refunds', {}, 400, true],
    ['needless', 'POST /transactions', { key: null }, 400, true],
    ['page', 'GET /tickets', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' } }, 200, true],
    ['own-page', 'GET /tickets', { headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' } }, 200, true],
    ['nokey', 'GET /tickets', { key: null }, 401, false],
    ['wrong-key', 'GET /tickets', { key: 'sk_none' }, 401, false],
    ['nowhere', 'GET /none', {}, 404, false],
    ['method', 'DELETE /tickets/tkt_a', {}, 405, false],
    ['head', 'HEAD /tickets', {}, 405, false],
    ['preflight', 'OPTIONS /tickets', { headers: { origin: 'http://shop.example', 'access-control-request-method': 'GET' } }, 204, false],
    ['image', 'GET /tickets', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } }, 404, false],
    ['form', 'POST /transactions', { key: null, headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } }, 404, false]
  ]
  for (const [name, on, given, status, isMade] of calls) {
    t.equal((await sandboxClient(emulator, name).call(on, given)).status, status, `${name}: ${on}`)
    t.equal((await namesIn(emulator)).includes(name), isMade, name)
  }
  const { body } = await sandboxClient(emulator, 'foun').call('GET /tickets', { headers: { 'sec-fetch-site': 'cross-site' } })
  t.equal(body.error.message, `There is no sandbox foun.${UNKNOWN}`, 'and nothing is said of others')
})

t.test('sandboxes: with cors off, no page of another site makes one', async t => {
  const emulator = await startTestEmulator(t, { settings: { cors: false } })
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
  t.equal((await sandboxClient(emulator, 'a').call('GET /tickets', { headers })).status, 404)
  await sandboxClient(emulator, 'a').call('GET /tickets')
  t.equal((await sandboxClient(emulator, 'a').call('GET /tickets', { headers })).status, 200, 'one that there is may be called')
})

const PAGE = { origin: 'http://shop.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }

t.test('limits.sandboxes: a page of another site or port cannot fill it: what pages alone have used makes room', async t => {
  const pages: [page: string, headers: Record<string, string>, isPage: boolean][] = [
    ['of another site', PAGE, true],
    ['of another port', { ...PAGE, 'sec-fetch-site': 'same-site' }, true],
    ['an image of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, true],
    ['of another site, where browsers do not name it', { origin: 'http://shop.example' }, true],
    ['of the emulator', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, false],
    ['of the emulator behind TLS', { ...PAGE, 'sec-fetch-site': 'same-origin', origin: 'https://localhost' }, false],
    ['of the emulator, where browsers do not name it', { origin: 'http://localhost' }, false],
    ['none: a program', {}, false]
  ]
  for (const [page, headers, isPage] of pages) {
    const emulator = await startTestEmulator(t, { settings: { 'limits.sandboxes': 3 } })
    const get = async (name: string, more: Record<string, string> = {}) =>
      (await sandboxClient(emulator, name).call('GET /tickets', { headers: { host: 'localhost', ...more } })).status
    t.equal(await get('worker'), 200)

    for (const name of ['p1', 'p2']) t.equal(await get(name, headers), 200, `${page}: ${name}`)
    t.strictSame(await namesIn(emulator), ['p1', 'p2', 'worker'], page)
    t.equal(await get('worker-2'), isPage ? 200 : 429, `${page}: CI goes on`)
    t.strictSame(await namesIn(emulator), isPage ? ['p2', 'worker', 'worker-2'] : ['p1', 'p2', 'worker'], page)
  }
})

t.test('limits.sandboxes: a page takes the place only of what pages alone have used, with sandboxes.evict_idle too', async t => {
  for (const evictsIdle of [false, true]) {
    const emulator = await startTestEmulator(t, { settings: { 'limits.sandboxes': 2, 'sandboxes.evict_idle': evictsIdle } })
    const get = (name: string, headers = {}) => sandboxClient(emulator, name).call('GET /tickets', { headers })
    await get('worker')

    for (const name of ['p1', 'p2', 'p3']) t.equal((await get(name, PAGE)).status, 200)
    t.strictSame(await namesIn(emulator), ['p3', 'worker'])
    t.equal((await sandboxClient(emulator, 'p3').control('POST /script', { on: 'GET /tickets', delay: '1ms' })).status, 201, 'now a program uses it')
    const refused = await get('p4', PAGE)

    t.strictSame([refused.status, refused.body.error.code], [429, 'sandbox_limit'])
    t.equal(refused.body.error.message, REFUSALS.tooManySandboxes(2, 'page').message)
    t.equal((await get('p3', PAGE)).status, 200, 'a page goes on in one that there is')
    t.equal((await get('worker-2')).status, evictsIdle ? 200 : 429)
    t.strictSame(await namesIn(emulator), evictsIdle ? ['p3', 'worker-2'] : ['p3', 'worker'])
  }
})

t.test('sandboxes.evict_idle: those of pages go first, however lately they were used, unless they are busy', async t => {
  const scenario = { clock: NOW, data: smallFixture(), script: [{ on: 'GET /refunds', fault: 'hang' }] }
  const emulator = await startListening(t, { 'limits.sandboxes': 3, 'sandboxes.evict_idle': true }, scenario)
  const get = (name: string, headers = {}) => sandboxClient(emulator, name).call('GET /tickets', { headers })
  await get('worker')
  await get('busy', PAGE)
  await emulator.hanging('busy')
  await get('page', PAGE)

  await get('worker-2')
  t.strictSame(await namesIn(emulator), ['busy', 'worker', 'worker-2'])
  await get('worker-3')
  t.strictSame(await namesIn(emulator), ['busy', 'worker-2', 'worker-3'])
})

t.test('sandboxes.evict_idle: where the idle one becomes busy before a load is over, both stay until there is room', async t => {
  const scenario = { clock: NOW, data: smallFixture(), script: [{ on: 'GET /accounts', fault: 'hang' }] }
  const emulator = await startListening(t, { 'limits.sandboxes': 1, 'sandboxes.evict_idle': true }, scenario)
  await sandboxClient(emulator, 'a').call('GET /tickets')
  const load = await emulator.halfSent('b', '/load', { scenario: { data: smallFixture() } })
  const hung = await emulator.hanging('a', '/next/accounts')

  t.equal(await load.finish(), 200)
  t.strictSame(await namesIn(emulator), ['a', 'b'])
  hung.abort()
  await until(async () => (await emulator.inFlightIn('a')) === 0)
  t.equal((await sandboxClient(emulator, 'c').call('GET /tickets')).status, 200)
  t.strictSame(await namesIn(emulator), ['c'], 'no more than the limit')
})

t.test('sandboxes: what a call without a right key did in one is counted in the run, and is no period of its own', async t => {
  const emulator = await startTestEmulator(t, { scenario: { data: smallFixture(), expect: [{ on: 'POST /refunds', times: 1 }] } })
  await sandboxClient(emulator, 'a').call('GET /tickets', { key: 'sk_none' })
  t.match((await emulator.control('GET /metrics')).text, 'commerce_calls_total{operation="GET /tickets",status="401"} 1')
  t.ok(emulator.sandboxes.main.run.history.isEmpty)
})

t.test('sandboxes: every control call that changes something makes one', async t => {
  const emulator = await startTestEmulator(t)
  const calls: [on: string, body?: object | string][] = [
    ['POST /reset'],
    ['POST /load', { scenario: { data: smallFixture() } }],
    ['POST /records', TICKET],
    ['POST /keys', { account: 'mch_a' }],
    ['PATCH /settings', { 'pagination.max_limit': 5 }],
    ['PUT /clock', { running: false }],
    ['POST /clock/advance', { by: '1h' }],
    ['POST /script', { on: 'GET /tickets', delay: '1ms' }],
    ['DELETE /script'],
    ['PUT /snapshots/one']
  ]
  for (const [index, [on, body]] of calls.entries()) {
    const { control } = sandboxClient(emulator, `w${index}`)
    const { status } = await control(on, body)
    t.ok(status < 300, `${on}: ${status}`)
    t.ok((await namesIn(emulator)).includes(`w${index}`), on)
    t.equal((await control('GET ')).status, 200)
  }
})

t.test('sandboxes: load and records make one, and begin in the start scenario', async t => {
  const emulator = await startTestEmulator(t)
  const [loaded, added, yaml] = ['loaded', 'added', 'yaml'].map(name => sandboxClient(emulator, name)) as [SandboxClient, SandboxClient, SandboxClient]

  const load = await loaded.control('POST /load', { scenario: { name: 'own', data: smallFixture(TICKET) } })
  const records = await added.control('POST /records', TICKET)
  const inYaml = await yaml.control('POST /load', 'name: yours\ndata: {}', { 'content-type': 'application/yaml' })

  t.strictSame([load.status, records.status, inYaml.status], [200, 200, 200])
  t.strictSame(await namesIn(emulator), ['added', 'loaded', 'yaml'])
  const overview = async ({ control }: SandboxClient) => {
    const { scenario, counts } = (await control('GET ')).body
    return [scenario.name, counts.tickets]
  }
  t.strictSame(
    [await overview(loaded), await overview(added), await overview(yaml)],
    [
      ['own', 2],
      ['test', 2],
      ['yours', 0]
    ]
  )
  t.equal((await added.call('GET /tickets/tkt_b')).headers['request-id'], 'req_1', 'control calls are not calls of its API')
})

t.test('sandboxes: a control call that changes nothing makes none', async t => {
  const emulator = await startTestEmulator(t)
  await sandboxClient(emulator, 'there').call('GET /tickets')
  const { control } = sandboxClient(emulator, 'their')
  for (const on of ['GET ', 'GET /state', 'GET /events', 'POST /verify', 'DELETE /requests', 'DELETE /coverage', 'DELETE /snapshots/one', 'GET /sandboxes']) {
    const { status, body } = await control(on)
    t.strictSame(
      [status, body.error.type, body.error.code, body.error.param, body.error.message],
      [404, 'not_found_error', 'sandbox_unknown', 'name', `There is no sandbox their; did you mean there?${UNKNOWN}`],
      on
    )
  }
  const { status, body } = await control('GET /health')
  t.strictSame([status, body.error.message], [404, `There is no sandbox their.${UNKNOWN}`], 'health needs no token, so it names no other')
  t.strictSame(await namesIn(emulator), ['there'])
})

const REFUSED: [title: string, on: string, body: object | string, type?: string][] = [
  ['a broken body', 'POST /load', '{'],
  ['a body of another type', 'POST /load', 'scenario=default', 'application/x-www-form-urlencoded'],
  ['a bad scenario', 'POST /load', { scenario: { sede: 1 } }],
  ['a scenario that does not exist', 'POST /load', { scenario: 'none-such' }],
  ['steps that fail', 'POST /load', { scenario: { data: smallFixture(), steps: [{ do: 'GET /tickets/tkt_none' }] } }],
  ['a reset with a parameter', 'POST /reset?odd=1', ''],
  ['a key for nobody', 'POST /keys', { account: 'mch_none' }],
  ['a setting that there is not', 'PATCH /settings', { odd: 1 }],
  ['a clock that stands at nothing', 'PUT /clock', {}],
  ['a snapshot that there is not', 'POST /snapshots/none/restore', ''],
  ['a script entry of nothing', 'POST /script', {}],
  ['an unknown parameter', 'POST /load?odd=1', { scenario: 'default' }],
  ['records that do not fit', 'POST /records', { tickets: [{ location: 'loc_none' }] }],
  ['an empty body', 'POST /records', ''],
  ['records in broken YAML', 'POST /records', 'tickets: [', 'application/yaml']
]

t.test('sandboxes: a refused control call makes none, and leaves an existing one alone', async t => {
  const emulator = await startTestEmulator(t)
  const there = sandboxClient(emulator, 'there')
  await there.call('POST /locations', { body: { display_name: 'New', 'address[country]': 'US' } })
  const state = async () => (await there.control('GET /state')).text
  const before = await state()

  for (const [title, on, body, type] of REFUSED) {
    for (const { name, control } of [sandboxClient(emulator, 'not-there'), there]) {
      const { status } = await control(on, body, type === undefined ? {} : { 'content-type': type })
      t.ok(status >= 400 && status < 500, `${title} in ${name}: ${status}`)
      t.strictSame(await namesIn(emulator), ['there'], title)
    }
  }
  t.equal(await state(), before)
  t.equal((await there.call('GET /tickets')).headers['request-id'], 'req_2')
})

t.test('sandboxes: a dry run makes none', async t => {
  const emulator = await startTestEmulator(t)
  const { control } = sandboxClient(emulator, 'dry')

  for (const flag of ['?dry_run', '?dry_run=1', '?dry_run=true']) {
    const { status, body } = await control(`POST /load${flag}`, { scenario: { name: 'own', data: smallFixture() } })
    t.strictSame([status, body.dry_run, body.scenario.name], [200, true, 'own'])
    t.strictSame(await namesIn(emulator), [], flag)
  }
  t.equal((await control('POST /load?dry_run=0', { scenario: { name: 'own', data: smallFixture() } })).status, 200)
  t.equal((await control('POST /load?dry_run', { scenario: { name: 'other', data: smallFixture() } })).status, 200)
  t.equal((await control('GET /health')).body.scenario, 'own', 'an existing one is left as it was')
})

t.test('sandboxes: of concurrent loads, one that succeeds is enough to make it', async t => {
  const bad = { scenario: { sede: 1 } }
  const good = { scenario: { name: 'own', data: smallFixture() } }
  for (const [bodies, made] of [
    [[bad, bad], []],
    [[bad, bad, bad, bad, bad], []],
    [[bad, good, bad], ['both']],
    [[good, bad], ['both']]
  ] as [object[], string[]][]) {
    const emulator = await startTestEmulator(t)
    const { control } = sandboxClient(emulator, 'both')

    const answers = await Promise.all(bodies.map(body => control('POST /load', body)))

    t.strictSame(
      answers.map(({ status }) => status),
      bodies.map(body => (body === bad ? 400 : 200))
    )
    t.strictSame(await namesIn(emulator), made)
    if (made.length > 0) t.equal((await control('GET /health')).body.scenario, 'own')
  }
})

t.test('sandboxes: a load that fails removes neither a sandbox that was used meanwhile nor one that was made again since', async t => {
  const emulator = await startListening(t)
  const { halfSent, control } = emulator
  const bad = { scenario: { sede: 1 } }

  const alone = await halfSent('alone', '/load', bad)
  t.strictSame(await namesIn(emulator), [], 'it is not there before the load has succeeded')
  t.equal(await alone.finish(), 400)
  t.strictSame(await namesIn(emulator), [])

  const used = await halfSent('used', '/load', bad)
  await sandboxClient(emulator, 'used').call('GET /tickets')
  t.equal(await used.finish(), 400)
  t.strictSame(await namesIn(emulator), ['used'])

  const first = await halfSent('replaced', '/load', bad)
  await sandboxClient(emulator, 'replaced').call('GET /tickets')
  t.equal((await control('DELETE /sandboxes/replaced')).status, 204)
  await sandboxClient(emulator, 'replaced').call('GET /tickets')
  t.equal(await first.finish(), 400)
  t.strictSame(await namesIn(emulator), ['replaced', 'used'])

  const [one, two] = [await halfSent('two', '/records', TICKET), await halfSent('other', '/load', bad)]
  const again = sandboxClient(emulator, 'two').control('POST /load', bad)
  t.equal((await again).status, 400)
  t.notOk((await namesIn(emulator)).includes('two'), 'the other load is still running')
  t.strictSame([await one.finish(), await two.finish()], [200, 400])
  t.strictSame(await namesIn(emulator), ['replaced', 'two', 'used'])
})

t.test('sandboxes: a load whose connection breaks off makes none', async t => {
  const emulator = await startListening(t, { 'limits.sandboxes': 1 })
  const status = async () => (await sandboxClient(emulator, 'other').control('POST /load?dry_run', { scenario: 'default' })).status

  const { cut } = await emulator.halfSent('cut', '/load', { scenario: { data: smallFixture() } })
  t.equal(await status(), 429, 'it has the only place')
  cut()
  await until(async () => (await status()) === 200)

  t.equal(await status(), 200)
  t.strictSame(await namesIn(emulator), [])
})

t.test('sandboxes.evict_idle: a sandbox with a call in flight stays, be it delayed, hung or a load; the refusal says when all are busy', async t => {
  const scenario = {
    clock: NOW,
    data: smallFixture(),
    script: [
      { on: 'GET /refunds', fault: 'hang' },
      { on: 'GET /accounts', delay: '10m' }
    ]
  }
  const emulator = await startListening(t, { 'limits.sandboxes': 4, 'sandboxes.evict_idle': true }, scenario)
  const { hanging, halfSent, inFlightIn } = emulator
  await hanging('hung')
  const delayed = await hanging('delayed', '/next/accounts')
  const loading = await halfSent('loading', '/load', { scenario: { name: 'own', data: smallFixture() } })
  const use = (name: string) => sandboxClient(emulator, name).call('GET /tickets')
  await use('idle')

  t.equal((await use('new')).status, 200)
  t.strictSame(await namesIn(emulator), ['delayed', 'hung', 'new'], 'the only idle sandbox was removed, though it was used last')
  await hanging('new')
  const refused = await use('newer')
  t.strictSame([refused.status, refused.body.error.code, refused.body.error.message], [429, 'sandbox_limit', REFUSALS.tooManySandboxes(4, 'busy').message])
  t.equal(await loading.finish(), 200)
  t.equal((await sandboxClient(emulator, 'loading').control('GET /health')).body.scenario, 'own')
  await until(async () => (await inFlightIn('loading')) === 0)
  t.equal((await use('newer')).status, 200)
  t.strictSame(await namesIn(emulator), ['delayed', 'hung', 'new', 'newer'])

  delayed.abort()
  await until(async () => (await inFlightIn('delayed')) === 0)
  for (const name of ['newer', 'newest']) t.equal((await use(name)).status, 200)
  t.strictSame(await namesIn(emulator), ['hung', 'new', 'newer', 'newest'], 'a call that its client aborted is no longer in flight')
})

t.test('sandboxes: deleting one closes its hung calls and event streams, and nothing else', async t => {
  const scenario = { clock: NOW, data: smallFixture(), script: [{ on: 'GET /refunds', fault: 'hang' }] }
  const emulator = await startListening(t, {}, scenario)
  const { hanging, control, inFlightIn, logs } = emulator
  for (const name of ['gone', 'stays']) await sandboxClient(emulator, name).call('GET /tickets')
  const stream = async (name: string | null) => {
    const call = get({ port: emulator.port, host: '127.0.0.1', path: `${name === null ? '' : `/sandbox/${name}`}/_control/events` })
    t.teardown(() => call.destroy())
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    const seen = { text: '', ended: false }
    response.on('data', chunk => {
      seen.text += chunk
    })
    response
      .on('error', () => {})
      .on('end', () => {
        seen.ended = true
      })
    return seen
  }
  const hungIn = [(await hanging('gone')).result, (await hanging('stays')).result, (await hanging(null)).result] as const
  const streams = [await stream('gone'), await stream('gone'), await stream('stays'), await stream(null)]
  await until(() => streams.every(({ text }) => text !== ''))

  const deleted = await control('DELETE /sandboxes/gone')

  t.strictSame([deleted.status, deleted.text], [204, ''])
  await until(() => hungIn[0].over && streams[0]?.ended === true && streams[1]?.ended === true)
  t.strictSame(
    hungIn.map(({ over, status }) => [over, status]),
    [
      [true, 0],
      [false, 0],
      [false, 0]
    ]
  )
  t.strictSame(
    streams.map(({ ended }) => ended),
    [true, true, false, false]
  )
  await sandboxClient(emulator, 'stays').call('GET /tickets/tkt_a')
  await until(() => streams[2]?.text.includes('/tickets/tkt_a') === true)
  t.ok(streams[2]?.text.includes('/tickets/tkt_a'), 'the other streams stay open')
  t.notOk(streams[3]?.text.includes('/tickets/tkt_a'), 'each stream has the events of its own sandbox')
  t.equal(await inFlightIn('stays'), 2, 'the hung call and the stream')
  t.strictSame(
    logs.filter(line => JSON.parse(line).level >= 50),
    []
  )
})

t.test('sandboxes: the totals of the run outlive a deleted sandbox', async t => {
  const emulator = await startTestEmulator(t, { records: { tickets: [...'bcde'].map(id => ({ id: `tkt_${id}`, location: 'loc_a', reference: id })) } })
  const { control } = emulator
  const { call } = sandboxClient(emulator, 'gone')
  await call('GET /tickets', { query: 'search_query=none&limit=1&location=loc_a' })
  await call('POST /refunds', { body: { transaction: 'txn_none' } })
  const totals = async () => [
    (await control('GET /coverage?scope=run')).text,
    (await control('GET /findings?scope=run')).text,
    (await control('GET /assumptions?scope=run')).text,
    (await control('GET /metrics')).text
      .split('\n')
      .filter(line => line.startsWith('commerce_calls_total'))
      .join()
  ]
  const before = await totals()
  t.ok(before[1]?.includes('"stopped-at-empty-page"') && before[1].includes('gone#1/req_1'), 'the run has the finding')

  t.equal((await control('DELETE /sandboxes/gone')).status, 204)
  t.strictSame(await totals(), before)
  await call('GET /tickets')

  t.ok((await control('GET /findings?scope=run')).text === before[1], 'also after a new sandbox of that name')
})

t.test('sandboxes: a call that is still delayed in a deleted sandbox is answered, and does not bring it back', async t => {
  const scenario = { clock: NOW, data: smallFixture(), script: [{ on: 'GET /accounts', delay: '700ms' }] }
  const emulator = await startListening(t, {}, scenario)
  const { result } = await emulator.hanging('late', '/next/accounts')

  t.equal((await emulator.control('DELETE /sandboxes/late')).status, 204)
  await result.done

  t.equal(result.status, 200)
  t.strictSame(await namesIn(emulator), [])
})

t.test('sandboxes: deleting one needs the name of an existing one', async t => {
  const emulator = await startTestEmulator(t)
  const { control } = emulator
  for (const name of ['a', 'b', 'c']) await sandboxClient(emulator, name).call('GET /tickets')
  const errorOf = async (on: string) => {
    const { status, body } = await control(on)
    return [status, body.error.code, body.error.param, body.error.message]
  }

  t.strictSame(await errorOf('DELETE /sandboxes/nothing'), [404, 'sandbox_unknown', 'name', `There is no sandbox nothing; there are a, b, c.${UNKNOWN}`])
  const rest = 'is not a name: a name must be 1 to 64 letters, digits, ., _ and -, beginning with a letter or digit.'
  t.strictSame(await errorOf('DELETE /sandboxes/a%2Fb'), [400, 'name_invalid', 'name', `a/b ${rest}`])
  t.strictSame(await errorOf('DELETE /sandboxes/4242%204242%204242%204242'), [400, 'name_invalid', 'name', `**** **** **** **** ${rest}`])
  t.equal((await errorOf('DELETE /sandboxes/a?force=1'))[1], 'parameter_unknown')
  t.equal((await errorOf('DELETE /sandboxes'))[1], 'path_unknown')
  t.equal((await control('DELETE /sandboxes/%61')).status, 204)
  t.equal((await sandboxClient(emulator, 'b').control('DELETE /sandboxes/b')).status, 204, 'a sandbox can be deleted at its own address')
  t.equal((await sandboxClient(emulator, 'c').control('DELETE /sandboxes/b')).status, 404)
  t.strictSame(await namesIn(emulator), ['c'])
})

t.test('metrics: calls, records and script actions are counted over every sandbox', async t => {
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: smallFixture(), script: [{ on: 'GET /refunds', respond: { status: 503 } }] } })
  const { control } = emulator
  const [main, a, b] = [null, 'a', 'b'].map(name => sandboxClient(emulator, name)) as [SandboxClient, SandboxClient, SandboxClient]
  for (const { call } of [main, a, a, b]) await call('GET /tickets/tkt_a')
  for (const { call } of [a, b]) await call('GET /refunds')
  await b.call('POST /locations', { body: { display_name: 'New', 'address[country]': 'US' } })
  const figures = async ({ control }: Pick<Emulator, 'control'>) =>
    (await control('GET /metrics')).text
      .split('\n')
      .filter(line => /^commerce_(calls_total|records|sandboxes|script_actions_total|call_duration_seconds_count)\b/.test(line))

  const wanted = [
    'commerce_calls_total{operation="GET /tickets/{id}",status="200"} 4',
    'commerce_calls_total{operation="GET /refunds",status="503"} 2',
    'commerce_calls_total{operation="POST /locations",status="200"} 1',
    'commerce_records{family="accounts"} 6',
    'commerce_records{family="users"} 0',
    'commerce_records{family="locations"} 4',
    'commerce_records{family="tickets"} 3',
    'commerce_records{family="transactions"} 0',
    'commerce_records{family="refunds"} 0',
    'commerce_sandboxes 2',
    'commerce_script_actions_total 2',
    'commerce_call_duration_seconds_count{operation="GET /tickets/{id}"} 4',
    'commerce_call_duration_seconds_count{operation="GET /refunds"} 2',
    'commerce_call_duration_seconds_count{operation="POST /locations"} 1'
  ]
  t.strictSame(await figures(emulator), wanted)
  t.strictSame(await figures(a), wanted, 'the same at a sandbox’s address')
  await control('DELETE /sandboxes/b')
  t.strictSame(
    (await figures(emulator)).filter(line => / locations|sandboxes|POST|"locations"/.test(line)),
    ['commerce_calls_total{operation="POST /locations",status="200"} 1', 'commerce_records{family="locations"} 2', 'commerce_sandboxes 1', wanted.at(-1)]
  )
})

t.test('cli: with --watch a new sandbox begins with the changed scenario; existing ones stay as they were', async t => {
  const scenario = (name: string) => JSON.stringify({ name, data: smallFixture() })
  const root = t.testdir({ 'own.json': scenario('first') })
  const emulator = await runEmulator({ scenario: `${root}/own.json`, settings: { watch: true } })
  t.teardown(emulator.close)
  const origin = emulator.baseUrl.replace('/next', '')
  const use = async (name: string) => {
    await fetch(`${origin}/sandbox/${name}/_control/reset`, { method: 'POST' })
    return ((await (await fetch(`${origin}/sandbox/${name}/_control/health`)).json()) as { scenario: string }).scenario
  }
  t.equal(await use('old'), 'first')
  const headers = { 'content-type': 'application/json' }
  await fetch(`${emulator.controlUrl}/load`, { method: 'POST', headers, body: '{"scenario":{"name":"other"}}' })
  t.equal(await use('between'), 'first', 'a load at the base address does not change the start scenario')

  await writeFile(`${root}/own.json`, scenario('second'))
  await until(() => emulator.sandboxes.main.scenario.name === 'second')

  t.strictSame([await use('new'), await use('old'), await use('between')], ['second', 'first', 'first'])
})
