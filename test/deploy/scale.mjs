/**
 * Three emulators behind nginx, for real: the built command three times, and deploy/nginx.conf with
 * other addresses and paths.
 *   apt-get install nginx && npm run build && node test/deploy/scale.mjs
 * Prints TAP and `# N passed, N failed`; exit status 1 when one failed or nginx is missing.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const CONFIGURATION = new URL('../../deploy/nginx.conf', import.meta.url)
const NOBODY = 65534
const SANDBOXES = 300
const PROCESSES = [0, 1, 2]
const PATIENCE = 30_000
const { PATH, HOME } = process.env
const KEY = { authorization: `Basic ${Buffer.from('sk_test_merchant:').toString('base64')}` }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

t.setTimeout(15 * 60_000)
process.on('exit', () => console.log(`# ${t.counts.pass} passed, ${t.counts.fail} failed`))

if (spawnSync('nginx', ['-v']).error) {
  t.fail('nginx is not installed: apt-get install nginx')
  t.endAll()
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'scale-'))
chmodSync(folder, 0o755)
mkdirSync(join(folder, 'nginx'), { mode: 0o777 })
chmodSync(join(folder, 'nginx'), 0o777)

/** An emulator with its data folder; a restart uses the same port. */
async function startEmulator(number, port = 0) {
  const args = [
    '--port',
    String(port),
    '--data',
    join(folder, `state-${number}.json`),
    '--log-level',
    'silent'
  ]
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  const end = async signal => {
    child.kill(signal)
    await ended
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const [, found] = /^commerce-emulator ready on http:\/\/localhost:(\d+)\/next$/.exec(line) ?? []
    if (found) return { port: Number(found), end }
  }
  throw new Error('The emulator did not start; build it first: npm run build.')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/**
 * nginx with the shipped configuration, run as an ordinary user, or as nobody if this process is
 * root.
 */
async function startBalancer(ports) {
  const listen = await freePort()
  const shipped = readFileSync(CONFIGURATION, 'utf8')
  const text = shipped
    .replace(/\bemulator-(\d):4010\b/g, (_, number) => `127.0.0.1:${ports[number]}`)
    .replace('listen 4010;', `listen 127.0.0.1:${listen};`)
    .replaceAll(' /tmp/', ` ${folder}/nginx/`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, text)
  const isRoot = process.getuid() === 0
  const child = spawn('nginx', ['-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY })
  })
  const said = []
  child.stderr.on('data', chunk => said.push(String(chunk)))
  const ended = once(child, 'exit').then(([status]) => {
    if (status !== 0) throw new Error(`nginx ended with status ${status}: ${said.join('')}`)
  })
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { port: listen, ended, end }
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 })

/** Sends a request; `lost` says how the connection ended without a whole response. */
function send(port, on, { headers = {}, body, ms = PATIENCE } = {}) {
  const [method, path] = on.split(' ')
  return new Promise(resolve => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, agent, signal: AbortSignal.timeout(ms) },
      answer => {
        const { statusCode: status, headers } = answer
        let text = ''
        const isJson = () => /^[[{].*[\]}]$/s.test(text) && !text.endsWith('{')
        const done = lost =>
          resolve({
            status,
            headers,
            text,
            lost,
            body: lost === null && isJson() ? JSON.parse(text) : null
          })
        answer.setEncoding('utf8')
        answer.on('data', chunk => {
          text += chunk
        })
        answer.once('end', () => done(null))
        answer.once('error', ({ code }) => done(code))
      }
    )
    sent.once('error', ({ code }) =>
      resolve({ status: null, headers: {}, text: '', lost: code, body: null })
    )
    sent.end(body)
  })
}

const emulators = await Promise.all(PROCESSES.map(number => startEmulator(number)))
const balancer = await startBalancer(emulators.map(({ port }) => port))
t.teardown(async () => {
  agent.destroy()
  await balancer.end()
  await Promise.all(emulators.map(({ end }) => end('SIGKILL')))
  rmSync(folder, { recursive: true })
})
/** A request through the balancer. */
const call = (on, options) => send(balancer.port, on, options)
const inSandbox = (name, on, options) => call(on.replace(' ', ` /sandbox/${name}`), options)
const control = (name, on, given) =>
  inSandbox(name, on.replace(' ', ' /_control'), {
    headers: JSON_TYPE,
    body: given && JSON.stringify(given)
  })

async function until(what, holds) {
  const start = Date.now()
  while (!(await holds())) {
    if (Date.now() - start > PATIENCE)
      throw new Error(`${what}: not within ${PATIENCE / 1000} seconds.`)
    await wait(50)
  }
}
await Promise.race([
  balancer.ended,
  until('the balancer answers', async () => (await call('GET /_balancer/health')).status === 200)
])

const names = Array.from(
  { length: SANDBOXES },
  (_, index) => `pipeline-${index % 20}.worker_${index}`
)
/** Results of each sandbox, by name; the agent limits how many run at once. */
const ofEach = async work =>
  new Map(await Promise.all(names.map(async name => [name, await work(name)])))
const get = (name, path) => inSandbox(name, `GET /next${path}`, { headers: KEY })

/** The sandboxes that each process lists. */
async function held() {
  const lists = await Promise.all(
    PROCESSES.map(number => call(`GET /_balancer/process/${number}/_control/sandboxes`))
  )
  return lists.map(({ status, body }) =>
    status === 200 ? body.data.map(({ name }) => name).sort() : status
  )
}

/**
 * What a sandbox has beyond the start scenario; each has one Location and one Transaction that name
 * it.
 */
async function own(name) {
  const [locations, transactions] = [
    await get(name, '/locations?limit=100'),
    await get(name, '/transactions?limit=1')
  ]
  return {
    statuses: [locations.status, transactions.status],
    url: locations.body?.url,
    locations: locations.body?.data
      ?.map(({ display_name }) => display_name)
      .filter(shown => shown?.startsWith('pipeline-')),
    amount: transactions.body?.data?.[0]?.amount
  }
}
const amountOf = name => 1000 + names.indexOf(name)
const expected = name => ({
  statuses: [200, 200],
  url: `/sandbox/${name}/next/locations`,
  locations: [name],
  amount: amountOf(name)
})

await t.test('300 sandboxes in parallel: each sees only its own data', async t => {
  await ofEach(async name => {
    const body = `display_name=${name}&address[country]=US`
    const location = await inSandbox(name, 'POST /next/locations', {
      headers: { ...KEY, ...FORM },
      body
    })
    const payment = `ticket=tkt_60&payment_type=card&amount=${amountOf(name)}`
    const transaction = await inSandbox(name, 'POST /next/transactions', {
      headers: FORM,
      body: payment
    })
    if (location.status !== 200 || transaction.status !== 200)
      t.fail(`${name}: ${location.text} ${transaction.text}`)
  })
  for (const [name, seen] of await ofEach(own)) t.strictSame(seen, expected(name), name)
  const journals = await ofEach(name => control(name, 'GET /requests'))
  t.strictSame(
    names.filter(name => journals.get(name).body?.data.length !== 4),
    [],
    'the control calls of a sandbox reach the process that holds it'
  )
})

let before
await t.test('they are distributed over the processes, each in one', async t => {
  before = await held()
  t.strictSame(before.flat().sort(), [...names].sort())
  for (const [number, list] of before.entries()) {
    t.ok(list.length >= SANDBOXES * 0.15, `process ${number} holds ${list.length} of ${SANDBOXES}`)
    const { body } = await send(emulators[number].port, 'GET /_control/sandboxes')
    t.strictSame(body.data.map(({ name }) => name).sort(), list, 'the process itself says the same')
  }
})

await t.test(
  'a process is killed and started again: only its own sandboxes are missing, and then as they were',
  async t => {
    const killed = 1
    const lost = before[killed]
    const others = before.filter((_, number) => number !== killed).flat()
    const [first] = lost
    t.match(await control(first, 'POST /script', { on: 'GET /tickets', fault: 'hang' }), {
      status: 201
    })
    const hanging = get(first, '/tickets')
    await until(
      'the call hangs',
      async () => (await control(first, 'GET /requests?on=GET%20/tickets')).body.data.length === 1
    )

    // other sandboxes continue meanwhile
    let [isOver, count] = [false, 0]
    t.teardown(() => {
      isOver = true
    })
    const failed = []
    const working = Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let turn = worker; !isOver; turn += 8) {
          const name = others[turn % others.length]
          const answer = await get(name, '/locations?limit=1')
          count++
          if (answer.status !== 200) failed.push([name, answer])
        }
      })
    )
    await until('the others work', async () => count > 50)
    await emulators[killed].end('SIGKILL')
    t.match(
      await hanging,
      { status: null, lost: 'ECONNRESET' },
      'a call that was under way gets no answer'
    )

    const counted = count
    await until('the others work on', async () => count > counted + 200)
    const answers = await ofEach(name => get(name, '/transactions?limit=1'))
    t.strictSame(
      lost.filter(name => answers.get(name).status !== 502),
      [],
      'its sandboxes are answered 502'
    )
    t.strictSame(
      others.filter(name => answers.get(name).body?.data[0].amount !== amountOf(name)),
      [],
      'every other one is as it was'
    )
    const { body, headers } = answers.get(first)
    t.match(body.error, {
      type: 'internal_error',
      code: 'process_down',
      request_id: headers['request-id']
    })
    t.match(
      body.error.message,
      `sandbox ${first} cannot be reached at 127.0.0.1:${emulators[killed].port}.`
    )
    t.match(
      await control(first, 'GET /clock'),
      { status: 502, body: { error: { code: 'process_down' } } },
      'its control too'
    )
    t.match(await call(`GET /_balancer/process/${killed}/_control/health`), {
      status: 502,
      body: { error: { code: 'process_down' } }
    })
    t.match(await call('GET /_balancer/health'), { status: 200 }, 'the balancer itself is well')
    t.strictSame(await held(), before.with(killed, 502), 'nothing has moved')

    emulators[killed] = await startEmulator(killed, emulators[killed].port)
    for (const [name, seen] of await ofEach(own)) t.strictSame(seen, expected(name), name)
    t.strictSame(await held(), before, 'each is where it was')
    isOver = true
    await working
    t.strictSame(failed, [], `${count} calls of the others, none failed`)
  }
)

await t.test(
  'an address that names no sandbox is answered with a hint, a bad name with 400',
  async t => {
    for (const path of [
      '/',
      '/next/locations',
      '/_control/reset',
      '/_control/sandboxes',
      '/sandbox',
      '/nowhere?a=/sandbox/b/next'
    ]) {
      const { status, headers, body } = await call(`GET ${path}`, { headers: KEY })
      t.match(
        { status, body },
        {
          status: 421,
          body: { error: { type: 'invalid_request_error', code: 'sandbox_not_named' } }
        },
        path
      )
      t.match(headers, {
        'content-type': 'application/json; charset=utf-8',
        'request-id': body.error.request_id
      })
    }
    t.match(
      await call('POST /next/refunds', { headers: { ...KEY, ...FORM }, body: 'transaction=txn_1' }),
      { status: 421 }
    )
    for (const name of ['', '.a', 'x'.repeat(65), 'a%20b', '..'])
      t.match(
        await get(name, ''),
        { status: 400, body: { error: { code: 'name_invalid', param: 'name' } } },
        name
      )
    t.match(await call('GET /_control/sandboxes/-', { headers: KEY }), {
      status: 400,
      body: { error: { code: 'name_invalid', param: 'name' } }
    })
    t.match(await call('GET /_balancer/process/9/_control/health'), {
      status: 404,
      body: { error: { code: 'path_unknown' } }
    })
    t.match(await call('GET /_balancer/process/0/next/locations', { headers: KEY }), {
      status: 404
    })
  }
)

await t.test("a process's own control calls, and the end of a sandbox by its name", async t => {
  t.match(await call('GET /_balancer/process/2/_control/health'), {
    status: 200,
    body: { status: 'ready' }
  })
  t.match((await call('GET /_balancer/process/2/_control/metrics')).text, /^commerce_calls_total/m)
  const name = 'short-lived'
  t.match(await get(name, '/locations'), { status: 200 })
  t.equal((await held()).filter(list => list.includes(name)).length, 1)
  t.match(await call(`DELETE /_control/sandboxes/${name}`), { status: 204 })
  t.equal((await held()).filter(list => list.includes(name)).length, 0)
})

await t.test('an answer is that of the process, unchanged', async t => {
  const [name] = before[0]
  const origin = 'http://shop.example'
  const read = [
    '/locations?limit=2',
    '/tickets?search_query=T%2D12&created%5Blt%5D=2026-02-01&limit=100',
    '/tickets/a%2Fb',
    '//tickets',
    '/x/../tickets',
    '/./tickets'
  ]
  const posted = ['transaction=txn_none&amount=-1', '%zz', 'x'.repeat(1_100_000)]
  const calls = [
    ...read.map(path => [`GET /next${path}`, { headers: KEY }]),
    ...['GET ', 'GET ?a', 'GET /', 'PUT /next/locations', 'DELETE /next/locations/loc_bistro'].map(
      on => [on, { headers: KEY }]
    ),
    ...posted.map(body => ['POST /next/refunds', { headers: { ...KEY, ...FORM }, body }]),
    ['GET /next/locations', {}],
    [
      'OPTIONS /next/transactions',
      { headers: { origin, 'access-control-request-method': 'POST' } }
    ],
    ['POST /next/refunds', { headers: { ...KEY, ...JSON_TYPE }, body: '{}' }],
    ['GET /next/locations', { headers: { ...KEY, 'x-long': 'x'.repeat(20_000) } }],
    ...[{ host: 'rebound.example' }, { host: 'balancer' }, { host: 'balancer', origin }].map(
      headers => ['GET /_control/clock', { headers }]
    ),
    ['GET /_control/requests/req_1?format=text', {}],
    ['GET /_control', { headers: { accept: 'text/html' } }],
    ['GET /_control/nowhere', {}]
  ]
  /** The headers, except those of a connection or a single request. */
  const shown = ({ status, headers, text, lost }) => {
    const {
      date,
      connection,
      'keep-alive': _,
      'transfer-encoding': __,
      'content-length': ___,
      'request-id': id,
      ...rest
    } = headers
    return {
      status,
      lost,
      headers: rest,
      hasDate: date !== undefined,
      text: id === undefined ? text : text.replaceAll(id, 'ID').replace(/"now":"[^"]*"/, '')
    }
  }
  for (const [on, options] of calls) {
    const direct = await send(emulators[0].port, on.replace(' ', ` /sandbox/${name}`), options)
    t.strictSame(shown(await inSandbox(name, on, options)), shown(direct), `${on} ${direct.status}`)
  }
})

await t.test('bodies as large as limits.control_body pass, larger ones are refused', async t => {
  const [name] = before[2]
  const largest = 16 * 2 ** 20
  const post = bytes =>
    inSandbox(name, 'POST /_control/records', {
      headers: JSON_TYPE,
      body: `{"locations":[]}${' '.repeat(bytes - 16)}`
    })
  t.match(await post(largest), { status: 200 })
  t.match(await post(largest + 1), {
    status: 413,
    body: { error: { type: 'invalid_request_error', code: 'body_too_large' } }
  })
})

await t.test('events arrive as they happen', async t => {
  const [name] = before[0]
  const heard = []
  const listening = request({
    host: '127.0.0.1',
    port: balancer.port,
    path: `/sandbox/${name}/_control/events`
  })
  listening.end()
  const [answer] = await once(listening, 'response')
  answer.on('data', chunk => heard.push(String(chunk)))
  answer.on('error', () => {})
  t.match(answer.headers['content-type'], /^text\/event-stream/)
  await until('the greeting', async () => heard.join('').startsWith(': '))
  const { headers } = await get(name, '/tickets/tkt_12')
  await until('the event', async () =>
    heard.join('').includes(`id: ${headers['request-id']}\nevent: request\n`)
  )
  t.pass('while the stream goes on')
  listening.destroy()
})

await t.test('verify waits through the balancer', async t => {
  const [name] = before[2]
  const verdict = control(name, 'POST /verify', {
    on: 'GET /tickets/{id}',
    match: { params: { id: 'tkt_7' } },
    within: '30s'
  })
  await wait(300)
  await get(name, '/tickets/tkt_7')
  t.match(await verdict, { status: 200, body: { holds: true } })
})

await t.test('faults as a client sees them', async t => {
  const [name] = before[1].slice(-1)
  const refunds = async () =>
    (await get(name, '/refunds?limit=100')).body.data.filter(({ reason }) => reason === 'lost')
  const refund = options =>
    inSandbox(name, 'POST /next/refunds', {
      headers: { ...KEY, ...FORM },
      body: 'transaction=txn_119&amount=1&reason=lost',
      ...options
    })
  const scripted = async entry => {
    await control(name, 'DELETE /script')
    t.match(
      await control(name, 'POST /script', { on: 'POST /refunds', calls: 1, ...entry }),
      { status: 201 },
      JSON.stringify(entry)
    )
  }

  await scripted({ fault: 'connection_reset', when: 'after' })
  t.match(
    await refund(),
    { status: null, lost: 'ECONNRESET' },
    'the connection ends without an answer'
  )
  t.equal((await refunds()).length, 1, 'the balancer did not try again')
  await scripted({ fault: 'empty_response', when: 'after' })
  t.match(await refund(), { status: null, lost: 'ECONNRESET' })
  t.equal((await refunds()).length, 2)

  await scripted({ fault: 'truncated_body', when: 'after' })
  const half = await refund()
  t.match(half, { status: 200, lost: 'ECONNRESET' }, 'half of the answer')
  t.equal(half.text.length, Math.floor(Number(half.headers['content-length']) / 2))

  await scripted({ fault: 'malformed_body', when: 'after' })
  const malformed = await refund()
  t.match(malformed, { status: 200, lost: null, body: null })
  t.match(malformed.text, /^\{"id":"rfd_.*\{$/)

  await scripted({ fault: 'hang' })
  t.match(
    await refund({ ms: 500 }),
    { status: null, lost: 'ABORT_ERR' },
    'nothing, until the client gives up'
  )
  await until('the emulator knows that the client left', async () => {
    const [last] = (await control(name, 'GET /requests?on=POST%20/refunds&limit=1')).body.data
    return last.answered === false && last.took_effect === false
  })

  await scripted({
    respond: { status: 502, error: { code: 'bad_gateway', message: 'As the service would.' } }
  })
  t.match(
    await refund(),
    { status: 502, body: { error: { code: 'bad_gateway' } } },
    "a scripted 502 is the emulator's own"
  )
  await scripted({ delay: '2s' })
  t.match(await refund(), { status: 200 })
})
