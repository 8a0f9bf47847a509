/**
 * Every control request, several at once, with a full journal, many records and documents at their
 * limits: the process survives, nobody waits long for another, and memory is freed. How long the
 * serving thread works without a break is measured in processor time.
 */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import { type Answer, type Client, clientOf, type Running, started } from './support/emulator.js'
import { startNeighbour } from './support/neighbour.js'
import { figure } from './support/options.js'

const RECORDS = figure('RECORDS', { short: 1000, long: 240_000 })
const AT_ONCE = figure('AT_ONCE', { short: 2, long: 6 })
const BUSY_MS = figure('BUSY_MS', { short: 10_000, long: 250 })
const NEIGHBOUR_MS = figure('NEIGHBOUR_MS', { short: 60_000, long: 250 })
const LARGEST = figure('LARGEST', { short: 300_000, long: 67_000_000 })
const MEMBERS = figure('MEMBERS', { short: 2000, long: 10_000 })
const JOURNAL = figure('JOURNAL', { short: 120, long: 1000 })
const NODE_FLAGS = [
  '--max-old-space-size=768',
  '--require',
  fileURLToPath(new URL('./support/busy.cjs', import.meta.url))
]
const SLOW = figure('SLOW', { short: 50, long: 500 })
const HUNG = figure('HUNG', { short: 20, long: 200 })
const HAS_FIGURES = existsSync('/proc/thread-self/schedstat')

const json = (value: unknown) => JSON.stringify(value)
const BISTRO = { fixtures: ['bistro'] }
const PATTERN = '/^(?:[a-z]{1,20}-?){1,9}$/'

type Row = { name: string; on: string; body?: string; type?: string }

function largeText(bytes: number, wrap: (tickets: object[]) => unknown): string {
  const one = { location: 'loc_bistro', reference: 'r'.repeat(200) }
  return json(wrap(Array(Math.min(RECORDS, Math.floor(bytes / json(one).length))).fill(one)))
}

/** The body of each control request that changes or names something. */
function rowsFor(
  ticket: string,
  last: string
): Record<string, Omit<Row, 'on' | 'name'>[] | string[]> {
  const entry = { on: 'POST /transactions', match: { body: { 'customer[name]': PATTERN } } }
  const where = { customer: { name: PATTERN }, amount: { gt: 1 } }
  const expect = Array(MEMBERS).fill({ on: 'POST /refunds', match: { body: { reason: 'x' } } })
  const tickets = '    - { location: loc_bistro }\n'.repeat(LARGEST / 100)
  const bodies = (...all: object[]) => all.map(one => ({ body: json(one) }))
  return {
    'POST /load': [
      { body: largeText(LARGEST, tickets => ({ scenario: { ...BISTRO, data: { tickets } } })) },
      { body: `fixtures: [bistro]\ndata:\n  tickets:\n${tickets}`, type: 'application/yaml' },
      ...bodies({ scenario: { ...BISTRO, expect } })
    ],
    'POST /records': [{ body: largeText(LARGEST, tickets => ({ tickets })) }],
    'POST /keys': bodies({ account: 'mch_bistro' }),
    'POST /script': bodies({ ...entry, delay: '1ms' }),
    'POST /gates/NAME/open': ['POST /gates/none/open'],
    'PUT /clock': bodies({ running: true }),
    'POST /clock/advance': bodies({ by: '1s' }),
    'PUT /snapshots/NAME': ['PUT /snapshots/a'],
    'POST /snapshots/NAME/restore': ['POST /snapshots/a/restore'],
    'GET /requests': ['limit=1000', 'limit=1000&scope=run', 'format=scenario'].map(
      query => `GET /requests?${query}`
    ),
    'GET /scenarios/NAME': ['GET /scenarios/default'],
    'GET /requests/ID': [`GET /requests/${last}`, `GET /requests/${last}?format=scenario`],
    'GET /state': ['GET /state', 'GET /state?format=yaml'],
    'GET /run': ['GET /run', ...['html', 'junit', 'markdown'].map(to => `GET /run?format=${to}`)],
    'POST /explain': bodies({
      method: 'POST',
      path: '/transactions',
      body: { ticket, payment_type: 'external', amount: 1 }
    }),
    'POST /verify': [
      {},
      ...bodies(
        { ...entry, match: { body: { 'customer[name]': { not: PATTERN } } } },
        { state: { transactions: { count: 1, where } } },
        { sequence: Array(MEMBERS).fill({ on: 'POST /transactions' }) }
      )
    ],
    'PATCH /settings': bodies({ 'pagination.max_limit': 50 })
  }
}

function matrix(ticket: string, last: string): Row[] {
  const given = rowsFor(ticket, last)
  const calls = CONTROL_GROUPS.flatMap(({ rows }) => Object.keys(rows)).filter(
    on => !on.startsWith('DELETE') && on !== 'GET /events'
  )
  // the journal and records remain until the last request
  const isLast = (on: string) => ['POST /load', 'POST /reset'].includes(on)
  calls.sort((one, other) => Number(isLast(one)) - Number(isLast(other)))
  return calls.flatMap(on =>
    (given[on] ?? [{}]).map((one, nth): Row => {
      const named = typeof one === 'string' ? one : on
      const [method, path] = named.split(' ') as [string, string]
      const name = named === on && nth > 0 ? `${on} ${nth + 1}` : named
      return {
        name,
        on: `${method} /_control${path === '/' ? '' : path}`,
        ...(typeof one !== 'string' && one)
      }
    })
  )
}

async function busyIn({ child }: Running, file: string): Promise<number> {
  if (!HAS_FIGURES) return 0
  await rm(file, { force: true })
  child.kill('SIGWINCH')
  for (const since = Date.now(); !existsSync(file) && Date.now() - since < 60_000; ) await sleep(20)
  return Number(await readFile(file, 'utf8'))
}

async function fill({ call }: Client): Promise<{ ticket: string; last: string }> {
  await call('POST /_control/load', '{"scenario":"default"}')
  const ticket = (await call('GET /next/tickets?limit=1')).body.data[0].id
  for (let from = 0; from < RECORDS; from += 20_000) {
    const customer = { name: 'abcdefgh' }
    const payment = { ticket, payment_type: 'external', amount: 1000, customer }
    const transactions = Array(Math.min(20_000, RECORDS - from)).fill(payment)
    const { status, text } = await call('POST /_control/records', json({ transactions }))
    if (status !== 200) throw new Error(text.slice(0, 1000))
  }
  const metadata = Array.from(
    { length: 20 },
    (_, nth) => `metadata[k${nth}]=${'v'.repeat(300)}`
  ).join('&')
  for (let nth = 0; nth < JOURNAL; nth++)
    await call(
      'POST /next/transactions',
      `ticket=${ticket}&payment_type=external&amount=100&customer[name]=abcdefgh&${metadata}`
    )
  const { body } = await call('GET /_control/requests?limit=1')
  return { ticket, last: body.data[0].id }
}

const heapOf = async ({ call }: Client) =>
  Number(
    /^nodejs_heap_size_used_bytes (\S+)$/m.exec((await call('GET /_control/metrics')).text)?.[1]
  ) /
  1024 ** 2

t.test(`each control request, ${AT_ONCE} at once, ${RECORDS} records: others continue`, async t => {
  const running = await started([], NODE_FLAGS)
  const { port, child, end } = running
  const file = join(tmpdir(), `busy-${child.pid}`)
  t.teardown(() => rm(file, { force: true }))
  const [base, ...clients] = [
    clientOf(port, null),
    ...Array.from({ length: AT_ONCE }, () => clientOf(port, 'heavy'))
  ] as [Client, ...Client[]]
  const before = await heapOf(base)
  const { ticket, last } = await fill(clients[0] as Client)
  const neighbour = startNeighbour()
  t.teardown(neighbour.stop)
  neighbour.call('one', port)
  const longest = async () => Math.max(...((await neighbour.taken()).one?.times ?? []), 0)
  await sleep(500)
  const calm = await longest()
  await busyIn(running, file)

  for (const { name, on, body, type } of matrix(ticket, last)) {
    const answers = await Promise.all(clients.map(({ call }) => call(on, body, type)))
    const busy = await busyIn(running, file)
    const waited = await longest()
    const statuses = [...new Set(answers.map(({ status }: Answer) => status))]
    const figures = `${name}: ${statuses.join(', ')}; busy ${busy.toFixed(0)} ms, a neighbour waited ${waited.toFixed(0)} ms (calm: ${calm.toFixed(0)} ms)`
    t.comment(figures)
    t.ok(busy < BUSY_MS && waited < Math.max(NEIGHBOUR_MS, calm * 3), figures)
    t.strictSame(
      answers.filter(({ status }) => status >= 500).map(({ text }) => text),
      []
    )
  }

  const { status } = await base.call('DELETE /_control/sandboxes/heavy')
  t.equal(status, 204)
  let after = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < 200 && after > before + 60; nth++) {
    await base.call('GET /_control/openapi.json')
    after = Math.min(after, await heapOf(base))
  }
  t.ok(after <= before + 60, `heap ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`)
  for (const { close } of [base, ...clients]) close()
  t.equal(await end('SIGTERM'), 0)
})

t.test(`${SLOW} slow senders, ${HUNG} hung requests: a neighbour hardly waits longer`, async t => {
  const { port, end } = await started()
  const [base, hung] = [clientOf(port, null), clientOf(port, 'hung')]
  const neighbour = startNeighbour()
  t.teardown(neighbour.stop)
  neighbour.call('one', port)
  const longest = async () => {
    await neighbour.taken()
    await sleep(1000)
    return Math.max(...((await neighbour.taken()).one?.times ?? [Number.POSITIVE_INFINITY]))
  }
  const calm = await longest()
  await hung.call('POST /_control/script', '{"on":"GET /refunds","fault":"hang"}')
  const head = 'POST /sandbox/crowd/next/transactions HTTP/1.1\r\nhost: localhost\r\n'
  const form = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 100000\r\n\r\na='
  const sockets = Array.from({ length: SLOW }, (_, nth) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(head + (nth % 2 === 0 ? 'x-slow: ' : form))
    return socket
  })
  const dribble = setInterval(() => {
    for (const socket of sockets) socket.write('a')
  }, 250)
  let ended = 0
  for (let n = 0; n < HUNG; n++) {
    const { call, close } = clientOf(port, 'hung')
    const over = () => {
      ended++
      close()
    }
    call('GET /next/refunds').then(over, over)
  }
  const sandboxes = async () => (await base.call('GET /_control/sandboxes')).body.data
  const inFlight = async (name: string): Promise<number> =>
    (await sandboxes()).find((one: { name: string }) => one.name === name)?.in_flight ?? 0
  while ((await inFlight('hung')) < HUNG) await sleep(50)

  const crowded = await longest()

  t.ok(crowded < Math.max(NEIGHBOUR_MS, calm * 3), `${calm} ms alone, ${crowded} ms among them`)
  t.equal(ended, 0, 'hung requests hang on')
  clearInterval(dribble)
  for (const socket of sockets) socket.destroy()
  await base.call('DELETE /_control/sandboxes/hung')
  while (ended < HUNG || (await inFlight('crowd')) > 0) await sleep(20)
  t.equal((await sandboxes()).length, 2, 'the crowd and the neighbour')
  for (const { close } of [base, hung]) close()
  t.equal(await end('SIGTERM'), 0)
})
