/**
 * Three emulators behind nginx, for real: the built command three times, and deploy/nginx.conf with
 * other addresses and paths. `apt-get install nginx`, then `npm run test:scale`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { started } from '../endurance/support/emulator.js'
import type { Json } from '../support/json.js'
import { freePort } from '../support/ports.js'
import { authorization } from '../support/requests.js'

const NOBODY = 65534
const SANDBOXES = 300
const PROCESSES = [0, 1, 2]
const PATIENCE = 30_000
const KEY = { authorization: authorization('sk_test_merchant') }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }

t.setTimeout(15 * 60_000)
if (spawnSync('nginx', ['-v']).error) {
  t.fail('nginx is not installed: apt-get install nginx')
  t.endAll()
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'scale-'))
chmodSync(folder, 0o755)
mkdirSync(join(folder, 'nginx'))
chmodSync(join(folder, 'nginx'), 0o777)

/** An emulator with its data folder; a restart uses the same port. */
const startEmulator = (number: number, port = 0) =>
  started(['--port', String(port), '--data', join(folder, `state-${number}`)])

/** nginx with the shipped configuration, as nobody if this process is root. */
async function startBalancer(ports: number[]): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort()
  const text = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/\bemulator-(\d):4010\b/g, (_, number) => `127.0.0.1:${ports[number]}`)
    .replace('listen 4010;', `listen 127.0.0.1:${port};`)
    .replaceAll(' /tmp/', ` ${folder}/nginx/`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, text)
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  return { port, child: spawn('nginx', ['-c', file, '-g', 'daemon off;'], user) }
}

type Sent = { headers?: Record<string, string>; body?: string | undefined; ms?: number }
type Answer = {
  status: number | null
  headers: IncomingHttpHeaders
  text: string
  body: Json
  /** How the connection ended without a whole response. */
  lost: string | null
}
const agent = new Agent({ keepAlive: true, maxSockets: 100 })

function send(port: number, on: string, { headers = {}, body, ms = PATIENCE }: Sent = {}) {
  const [method, path] = on.split(' ')
  const signal = AbortSignal.timeout(ms)
  const options = { host: '127.0.0.1', port, method, path, headers, agent, signal }
  return new Promise<Answer>(resolve => {
    const sent = request(options, answer => {
      let text = ''
      const done = (lost: string | null) => {
        const isJson = lost === null && /^[[{].*[\]}]$/s.test(text) && !text.endsWith('{')
        const { statusCode, headers } = answer
        const body = isJson ? JSON.parse(text) : null
        resolve({ status: statusCode as number, headers, text, lost, body })
      }
      answer.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      answer.once('end', () => done(null)).once('error', ({ message }) => done(message))
    })
    sent.once('error', error => {
      const lost = (error as NodeJS.ErrnoException).code as string
      resolve({ status: null, headers: {}, text: '', lost, body: null })
    })
    sent.end(body)
  })
}

const emulators = await Promise.all(PROCESSES.map(number => startEmulator(number)))
const balancer = await startBalancer(emulators.map(({ port }) => port))
t.teardown(async () => {
  agent.destroy()
  balancer.child.kill('SIGTERM')
  await Promise.all(emulators.map(({ end }) => end('SIGKILL')))
  rmSync(folder, { recursive: true })
})
const call = (on: string, sent?: Sent) => send(balancer.port, on, sent)
const inSandbox = (name: string, on: string, sent?: Sent) =>
  call(on.replace(' ', ` /sandbox/${name}`), sent)
const control = (name: string, on: string, body?: object) =>
  inSandbox(name, on.replace(' ', ' /_control'), {
    headers: JSON_TYPE,
    body: body && JSON.stringify(body)
  })
const get = (name: string, path: string) => inSandbox(name, `GET /next${path}`, { headers: KEY })

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const start = Date.now(); !(await holds()); await wait(50))
    if (Date.now() - start > PATIENCE) throw new Error(`${what}: not within ${PATIENCE} ms.`)
}
await until('balancer', async () => (await call('GET /_balancer/health')).status === 200)

const names = Array.from({ length: SANDBOXES }, (_, nth) => `pipeline-${nth % 20}.worker_${nth}`)
/** Results of each sandbox, by name; the agent limits how many run at once. */
const ofEach = async <R>(work: (name: string) => Promise<R>) =>
  new Map(await Promise.all(names.map(async name => [name, await work(name)] as const)))

async function held(): Promise<Json[]> {
  const paths = PROCESSES.map(number => `/_balancer/process/${number}/_control/sandboxes`)
  const lists = await Promise.all(paths.map(path => call(`GET ${path}`)))
  return lists.map(({ status, body }) =>
    status === 200 ? body.data.map(({ name }: Json) => name).sort() : status
  )
}
const amountOf = (name: string) => 1000 + names.indexOf(name)
/** What a sandbox has beyond the start scenario: a Location and a Transaction that name it. */
async function own(name: string) {
  const places = (await get(name, '/locations?limit=100')).body
  const payments = (await get(name, '/transactions?limit=1')).body
  const named = places?.data.map((place: Json) => place.display_name)
  return [
    places?.url,
    named?.filter((shown: string) => shown.startsWith('pipeline-')),
    payments?.data[0].amount
  ]
}
const expected = (name: string) => [`/sandbox/${name}/next/locations`, [name], amountOf(name)]

let before: Json[] = []
await t.test('300 sandboxes in parallel, each in one process: its data is its own', async t => {
  await ofEach(async name => {
    const place = `display_name=${name}&address[country]=US`
    await inSandbox(name, 'POST /next/locations', { headers: { ...KEY, ...FORM }, body: place })
    const payment = `ticket=tkt_60&payment_type=card&amount=${amountOf(name)}`
    await inSandbox(name, 'POST /next/transactions', { headers: FORM, body: payment })
  })
  for (const [name, seen] of await ofEach(own)) t.strictSame(seen, expected(name), name)
  for (const [name, { body }] of await ofEach(name => control(name, 'GET /requests')))
    t.equal(body?.data.length, 4, `${name}: its control calls reach the process that holds it`)
  before = await held()
  t.strictSame(before.flat().sort(), [...names].sort())
  for (const list of before) t.ok(list.length >= SANDBOXES * 0.15, `${list.length} in a process`)
})

await t.test('a process is killed and started again: only its sandboxes are missing', async t => {
  const killed = 1
  const others = before.filter((_, number) => number !== killed).flat()
  const [first] = before[killed]
  await control(first, 'POST /script', { on: 'GET /tickets', fault: 'hang' })
  const hanging = get(first, '/tickets')
  const hung = async () => (await control(first, 'GET /requests?on=GET%20/tickets')).body.data
  await until('the call hangs', async () => (await hung()).length === 1)

  await emulators[killed]?.end('SIGKILL')
  t.match(await hanging, { status: null, lost: 'ECONNRESET' }, 'a call under way gets no answer')
  const answers = await ofEach(name => get(name, '/transactions?limit=1'))
  for (const name of others)
    t.equal(answers.get(name)?.body?.data[0].amount, amountOf(name), `${name} is as it was`)
  for (const name of before[killed]) t.equal(answers.get(name)?.status, 502, name)
  const { body, headers } = answers.get(first) as Answer
  const down = { code: 'process_down', request_id: headers['request-id'] }
  t.match(body.error, { type: 'internal_error', ...down })
  t.match(body.error.message, `sandbox ${first} cannot be reached`)
  for (const answer of [
    await control(first, 'GET /clock'),
    await call(`GET /_balancer/process/${killed}/_control/health`)
  ])
    t.match(answer, { status: 502, body: { error: { code: 'process_down' } } })
  t.strictSame(await held(), before.with(killed, 502), 'nothing has moved')

  emulators[killed] = await startEmulator(killed, emulators[killed]?.port)
  for (const [name, seen] of await ofEach(own)) t.strictSame(seen, expected(name), name)
  t.strictSame(await held(), before, 'each is where it was')
})

await t.test('an address without a sandbox, a bad name, and the processes themselves', async t => {
  const refused = (status: number, code: string) => ({ status, body: { error: { code } } })
  const cases: [on: string, answer: object][] = [
    ['GET /next/locations', refused(421, 'sandbox_not_named')],
    ['POST /next/refunds', refused(421, 'sandbox_not_named')],
    ['GET /sandbox/.a/next', refused(400, 'name_invalid')],
    ['GET /_control/sandboxes/-', refused(400, 'name_invalid')],
    ['GET /_balancer/process/9/_control/health', refused(404, 'path_unknown')],
    ['GET /_balancer/process/0/next/locations', { status: 404 }],
    ['GET /_balancer/process/2/_control/health', { status: 200, body: { status: 'ready' } }],
    ['GET /sandbox/short-lived/next/locations', { status: 200 }],
    ['DELETE /_control/sandboxes/short-lived', { status: 204 }]
  ]
  for (const [on, answer] of cases) t.match(await call(on, { headers: KEY }), answer, on)
  t.strictSame(await held(), before)
})

await t.test('an answer is that of the process, unchanged', async t => {
  const [name] = before[0]
  const origin = 'http://shop.example'
  const read = '/tickets?search_query=T%2D12&created%5Blt%5D=2026-02-01 /tickets/a%2Fb //tickets'
  const posted = ['transaction=txn_none&amount=-1', '%zz', 'x'.repeat(1_100_000)]
  const cors = { origin, 'access-control-request-method': 'POST' }
  const calls: [on: string, sent?: Sent][] = [
    ...`${read} /x/../tickets`
      .split(' ')
      .map((path): [string, Sent] => [`GET /next${path}`, { headers: KEY }]),
    ...posted.map((body): [string, Sent] => [
      'POST /next/refunds',
      { headers: { ...KEY, ...FORM }, body }
    ]),
    ['DELETE /next/locations/loc_bistro', { headers: KEY }],
    ['GET ?a'],
    ['OPTIONS /next/transactions', { headers: cors }],
    ['GET /next/locations', { headers: { ...KEY, 'x-long': 'x'.repeat(20_000) } }],
    ['GET /_control/clock', { headers: { host: 'rebound.example' } }],
    ['GET /_control/clock', { headers: { host: 'balancer', origin } }],
    ['GET /_control', { headers: { accept: 'text/html' } }]
  ]
  /** Without what belongs to a connection or a single request. */
  const shown = ({ status, headers, text, lost }: Answer) => {
    const id = String(headers['request-id'])
    const own = /^(date|connection|keep-alive|transfer-encoding|content-length|request-id)$/
    const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)))
    return { status, lost, rest, text: text.replaceAll(id, 'ID').replace(/"now":"[^"]*"/, '') }
  }
  for (const [on, sent] of calls) {
    const port = emulators[0]?.port as number
    const direct = await send(port, on.replace(' ', ` /sandbox/${name}`), sent)
    t.strictSame(shown(await inSandbox(name, on, sent)), shown(direct), `${on} ${direct.status}`)
  }
  const post = (bytes: number) =>
    inSandbox(name, 'POST /_control/records', {
      headers: JSON_TYPE,
      body: `{"locations":[]}${' '.repeat(bytes - 16)}`
    })
  t.match(await post(2 ** 24), { status: 200 }, 'as large as limits.control_body')
  t.match(await post(2 ** 24 + 1), { status: 413, body: { error: { code: 'body_too_large' } } })
})

await t.test('events arrive as they happen, and verify waits', async t => {
  const [name] = before[0]
  let heard = ''
  const path = `/sandbox/${name}/_control/events`
  const listening = request({ host: '127.0.0.1', port: balancer.port, path }).end()
  const [answer] = await once(listening, 'response')
  answer.on('data', (chunk: Buffer) => {
    heard += chunk
  })
  answer.on('error', () => {})
  await until('the greeting', async () => heard.startsWith(': '))
  const on = { on: 'GET /tickets/{id}', match: { params: { id: 'tkt_12' } } }
  const verdict = control(name, 'POST /verify', { ...on, within: '30s' })
  await wait(300)
  const { headers } = await get(name, '/tickets/tkt_12')
  const event = `id: ${headers['request-id']}\nevent: request\n`
  await until('the event', async () => heard.includes(event))
  listening.destroy()
  t.match(await verdict, { status: 200, body: { holds: true } })
})

await t.test('faults as a client sees them', async t => {
  const name = before[2].at(-1)
  const lost = { status: null, lost: 'ECONNRESET' }
  const error = { code: 'bad_gateway', message: 'As the service would.' }
  const cases: [entry: object, answer: object, made: number, ms?: number][] = [
    [{ fault: 'connection_reset', when: 'after' }, lost, 1],
    [{ fault: 'empty_response', when: 'after' }, lost, 1],
    [{ fault: 'truncated_body', when: 'after' }, { status: 200, lost: 'aborted' }, 1],
    [{ fault: 'malformed_body', when: 'after' }, { status: 200, text: /^\{"id.*\{$/ }, 1],
    [{ fault: 'hang' }, { status: null, lost: 'ABORT_ERR' }, 0, 500],
    [{ respond: { status: 502, error } }, { status: 502, body: { error } }, 0],
    [{ delay: '2s' }, { status: 200 }, 1]
  ]
  const made = async () =>
    (await get(name, '/refunds?limit=100')).body.data.filter((one: Json) => one.reason === 'lost')
  for (const [entry, answer, more, ms = PATIENCE] of cases) {
    const count = (await made()).length
    await control(name, 'DELETE /script')
    await control(name, 'POST /script', { on: 'POST /refunds', calls: 1, ...entry })
    const body = 'transaction=txn_119&amount=1&reason=lost'
    const headers = { ...KEY, ...FORM }
    t.match(await inSandbox(name, 'POST /next/refunds', { headers, body, ms }), answer)
    t.equal((await made()).length, count + more, `${JSON.stringify(entry)}: sent once`)
  }
})
process.on('exit', () => console.log(`# ${t.counts.pass} passed, ${t.counts.fail} failed`))
