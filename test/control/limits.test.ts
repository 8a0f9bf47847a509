import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'
import { authorization, sandboxClient } from '../sandbox/client.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
type Seen = string | number | undefined
/** A bound with a small value, and what is seen at it and beyond it. */
type Trial = {
  value: number
  at: (emulator: Emulator, t: Test) => Promise<Seen>
  /** Left out: the same again. */
  beyond?: (emulator: Emulator, t: Test) => Promise<Seen>
  seen: readonly [at: Seen, beyond: Seen]
}
type Limit = Extract<SettingKey, `limits.${string}`>

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => body.error?.code ?? status
const ENTRY = { on: 'GET /accounts', delay: '1ms' }
const SCENARIO = { clock: NOW, data: smallFixture(), script: [{ on: 'GET /refunds', delay: '300ms' }] }

const refund = ({ call }: Emulator, body: string) => call('POST /refunds', { body }).then(codeOf)
/** A call that takes about a quarter of the smallest journal. */
const longCall = ({ call }: { call: (on: string, given: { headers: Record<string, string> }) => Promise<unknown> }) =>
  call('GET /tickets', { headers: { 'user-agent': 'x'.repeat(15_000) } })
/** Loads a scenario without effect. */
const tried = ({ control }: Emulator, scenario: object) => control('POST /load?dry_run', { scenario }).then(codeOf)
const tickets = (count: number) => Array.from({ length: count }, () => ({ location: 'loc_a', reference: 'T' }))
const LARGE = { data: { ...smallFixture(), tickets: tickets(3000) } }
const FIXTURE_RECORDS = Object.values(smallFixture()).reduce((sum, records) => sum + (Array.isArray(records) ? records.length : 0), 0)
const times = async (count: number, act: () => Promise<unknown>) => {
  for (let time = 0; time < count; time++) await act()
}
/** Opens a connection and sends text; tells what came until the connection ended or so many milliseconds have passed. */
async function connected({ app, listen }: Emulator, t: Test, text = '') {
  const address = app.server.address()
  const port = address === null ? await listen() : (address as { port: number }).port
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}
const isEnded = (socket: Socket, ms: number) => Promise.race([once(socket.resume(), 'close').then(() => 'ended'), sleep(ms, 'open', { ref: false })])
const EVENTS = 'GET /_control/events HTTP/1.1\r\nHost: localhost\r\n\r\n'
const STATUS = /^HTTP\/1.1 (\d+)/
const statusOf = async (socket: Socket) => Number(STATUS.exec(String((await once(socket, 'data'))[0]))?.[1])

const TRIALS: Record<Limit, Trial> = {
  'limits.body': {
    value: 40,
    at: emulator => refund(emulator, 'transaction=txn_none'.padEnd(40, 'x')),
    beyond: emulator => refund(emulator, 'transaction=txn_none'.padEnd(41, 'x')),
    seen: ['reference_missing', 'body_too_large']
  },
  'limits.parameters': {
    value: 2,
    at: emulator => refund(emulator, 'transaction=txn_none&amount=1'),
    beyond: emulator => refund(emulator, 'transaction=txn_none&amount=1&reason=x'),
    seen: ['reference_missing', 'form_too_large']
  },
  'limits.depth': {
    value: 1,
    at: emulator => refund(emulator, 'transaction=txn_none&metadata[a]=1'),
    beyond: emulator => refund(emulator, 'transaction=txn_none&metadata[a][b]=1'),
    seen: ['reference_missing', 'form_too_large']
  },
  'limits.control_body': {
    value: 40,
    at: ({ control }) => control('POST /load?dry_run', '{"scenario":"default"}'.padEnd(40)).then(codeOf),
    beyond: ({ control }) => control('POST /load?dry_run', '{"scenario":"default"}'.padEnd(41)).then(codeOf),
    seen: [200, 'body_too_large']
  },
  'limits.values': {
    value: 1000,
    at: emulator => tried(emulator, { data: { ...smallFixture(), tickets: tickets(200) } }),
    beyond: emulator => tried(emulator, { data: { ...smallFixture(), tickets: tickets(400) } }),
    seen: [200, 'document_invalid']
  },
  'limits.records': {
    value: 10,
    at: emulator => tried(emulator, { data: smallFixture(), generate: [{ tickets: 10 - FIXTURE_RECORDS, location: 'loc_a' }] }),
    beyond: emulator => tried(emulator, { data: smallFixture(), generate: [{ tickets: 11 - FIXTURE_RECORDS, location: 'loc_a' }] }),
    seen: [200, 'document_too_large']
  },
  'limits.entries': {
    value: 2,
    at: emulator => tried(emulator, { script: Array(2).fill({ ...ENTRY, calls: 1 }) }),
    beyond: emulator => tried(emulator, { script: Array(3).fill({ ...ENTRY, calls: 1 }) }),
    seen: [200, 'document_too_large']
  },
  'limits.loads': {
    value: 1,
    at: emulator => tried(emulator, LARGE),
    beyond: emulator => Promise.all([tried(emulator, LARGE), tried(emulator, LARGE)]).then(codes => codes[1]),
    seen: [200, 'load_limit']
  },
  'limits.load_time': {
    value: 100,
    at: emulator => tried(emulator, { data: {} }),
    beyond: emulator => tried(emulator, { data: smallFixture(), generate: [{ tickets: 200_000, location: 'loc_a' }] }),
    seen: [200, 'document_too_large']
  },
  'limits.journal': {
    value: 2,
    at: ({ call, control }) => times(2, () => call('GET /tickets')).then(async () => (await control('GET /requests')).body.dropped),
    beyond: ({ call, control }) => call('GET /tickets').then(async () => (await control('GET /requests')).body.dropped),
    seen: [0, 1]
  },
  'limits.journal_bytes': {
    value: 65_536,
    at: emulator => times(3, () => longCall(emulator)).then(() => emulator.sandbox.evidence.journal.dropped),
    beyond: emulator => longCall(emulator).then(() => emulator.sandbox.evidence.journal.dropped),
    seen: [0, 1]
  },
  'limits.journal_total': {
    value: 65_536,
    at: emulator => times(3, () => longCall(emulator)).then(() => emulator.sandbox.evidence.journal.dropped),
    beyond: emulator => longCall(sandboxClient(emulator, 'other')).then(() => emulator.sandbox.evidence.journal.dropped),
    seen: [0, 1]
  },
  'limits.streams': {
    value: 1,
    at: async (emulator, t) => statusOf(await connected(emulator, t, EVENTS)),
    seen: [200, 429]
  },
  'limits.waiting': {
    value: 1,
    at: async ({ control }) => {
      const waiting = control('POST /verify', { on: 'GET /locations', within: '500ms' })
      t.teardown(() => waiting)
      await sleep(200)
      return 'waits'
    },
    beyond: ({ control }) => control('POST /verify', { on: 'GET /locations', within: '500ms' }).then(codeOf),
    seen: ['waits', 'limit_reached']
  },
  'limits.snapshots': {
    value: 1,
    at: ({ control }) => control('PUT /snapshots/one').then(async () => codeOf(await control('PUT /snapshots/one'))),
    beyond: ({ control }) => control('PUT /snapshots/two').then(codeOf),
    seen: [201, 'limit_reached']
  },
  'limits.sandboxes': {
    value: 1,
    at: emulator => sandboxClient(emulator, 'one').control('POST /reset').then(codeOf),
    beyond: emulator => sandboxClient(emulator, 'two').control('POST /reset').then(codeOf),
    seen: [200, 'sandbox_limit']
  },
  'limits.connections': {
    value: 1,
    at: async (emulator, t) => isEnded(await connected(emulator, t), 100),
    beyond: async (emulator, t) => isEnded(await connected(emulator, t), 5000),
    seen: ['open', 'ended']
  },
  'limits.headers_timeout': {
    value: 300,
    at: async (emulator, t) => statusOf(await connected(emulator, t, 'GET /next/tickets HTTP/1.1\r\nHost: localhost\r\n\r\n')),
    beyond: async (emulator, t) => statusOf(await connected(emulator, t, 'GET /next/tickets HTTP/1.1\r\n')),
    seen: [401, 408]
  },
  'limits.request_timeout': {
    value: 300,
    at: async (emulator, t) => statusOf(await connected(emulator, t, 'GET /next/tickets HTTP/1.1\r\nHost: localhost\r\n\r\n')),
    beyond: async (emulator, t) =>
      statusOf(await connected(emulator, t, 'POST /_control/load HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{')),
    seen: [401, 408]
  },
  'limits.shutdown': {
    value: 50,
    at: async (_emulator, t) => closedDuringDelay(t, 2000),
    beyond: async (_emulator, t) => closedDuringDelay(t, 50),
    seen: [200, 'cut']
  }
}

/** What becomes of a call that takes 500 ms when the emulator is stopped meanwhile. */
async function closedDuringDelay(t: Test, patience: number): Promise<Seen> {
  const scenario = { ...SCENARIO, script: [{ on: 'GET /refunds', delay: '500ms' }] }
  const { baseUrl, close } = await runEmulator({
    scenario: `${t.testdir({ 's.json': JSON.stringify(scenario) })}/s.json`,
    settings: { port: 0, 'limits.shutdown': patience }
  })
  const answer = fetch(`${baseUrl}/refunds`, { headers: { authorization: authorization() } }).then(
    ({ status }) => status,
    () => 'cut'
  )
  await sleep(200)
  await close()
  return answer
}

const LIMITS = SETTING_KEYS.filter((key): key is Limit => key.startsWith('limits.'))

for (const key of LIMITS) {
  t.test(`${key}: what is at the bound is done, what is beyond it is refused, dropped or ended`, { bail: false }, async t => {
    const { value, at, beyond = at, seen } = TRIALS[key]
    const emulator = await startTestEmulator(t, { settings: { [key]: value }, scenario: SCENARIO })
    t.strictSame([await at(emulator, t), await beyond(emulator, t)], seen)
  })
}

t.test('what has a limit of its own: API keys, entries that requests add, and what the reader of a stream leaves unread', async t => {
  const emulator = await startTestEmulator(t, { settings: { 'limits.entries': 2 }, scenario: SCENARIO })
  const { call, control, sandbox } = emulator
  t.strictSame([codeOf(await control('POST /script', ENTRY)), codeOf(await control('POST /script', ENTRY))], [201, 'limit_reached'])

  const socket = await connected(emulator, t, EVENTS)
  await statusOf(socket)
  socket.pause()
  for (let nth = 0; nth < 200; nth++) await call('POST /refunds', { body: `reason=${'x'.repeat(50_000)}` })
  t.equal(await isEnded(socket, 5000), 'ended')

  const keys = sandbox.store.keys as Map<string, string>
  for (let nth = keys.size; nth < 9999; nth++) keys.set(`sk_${nth}`, 'mch_a')
  t.strictSame([(await control('POST /keys', { account: 'mch_a' })).status, codeOf(await control('POST /keys', { account: 'mch_a' }))], [200, 'limit_reached'])
})

t.test('docs/limits.md: every bound with its default', t => {
  const text = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(limits\.\w+)` \| (\d+) \| .+ \|$/gm)].map(([, key, fallback]) => [key, Number(fallback)])
  t.strictSame(rows.sort(), LIMITS.map(key => [key, SETTINGS[key].default]).sort())
  t.end()
})

t.test('limits: what one sandbox takes of waiting calls, streams and loads leaves another one all of its own', async t => {
  const EVENTS_OF = (path: string) => EVENTS.replace('/_control', `${path}/_control`)
  const loads = (emulator: Emulator, name: string | null, count: number) =>
    Promise.all(Array.from({ length: count }, () => sandboxClient(emulator, name).control('POST /load?dry_run', { scenario: LARGE }).then(codeOf)))
  const verify = (emulator: Emulator, name: string | null) =>
    sandboxClient(emulator, name).control('POST /verify', { on: 'GET /locations', within: '300ms' }).then(codeOf)
  const cases: [key: Limit, seen: (emulator: Emulator, t: Test) => Promise<unknown>, expected: unknown][] = [
    [
      'limits.loads',
      async emulator => Promise.all([loads(emulator, null, 3), loads(emulator, 'own', 2)]),
      [
        [200, 200, 'load_limit'],
        [200, 200]
      ]
    ],
    [
      'limits.waiting',
      async emulator => Promise.all([null, null, null, 'own', 'own', 'own'].map(name => verify(emulator, name))),
      [409, 409, 'limit_reached', 409, 409, 'limit_reached']
    ],
    [
      'limits.streams',
      async (emulator, t) => {
        const seen = []
        for (const path of ['', '', '', '/sandbox/own', '/sandbox/own', '/sandbox/own'])
          seen.push(await statusOf(await connected(emulator, t, EVENTS_OF(path))))
        return seen
      },
      [200, 200, 429, 200, 200, 429]
    ]
  ]
  for (const [key, seen, expected] of cases) {
    const emulator = await startTestEmulator(t, { settings: { [key]: 2 }, scenario: SCENARIO })
    await sandboxClient(emulator, 'own').control('POST /reset')
    t.strictSame(await seen(emulator, t), expected, key)
  }
})

t.test('A35: without memory for more, what adds something is refused with 429, and everything else goes on', async t => {
  const emulator = await startTestEmulator(t, { records: { users: [{ id: 'usr_x', account: 'mch_a', name: 'X', email: 'x@example.com' }] } })
  await emulator.control('PUT /snapshots/before')
  const before = await emulator.state()
  Object.assign(emulator.sandboxes, {
    requireRoom: () => {
      throw new ApiError('limit_reached', { message: 'There is no room.', assumption: 'A35' })
    }
  })
  const calls: [Promise<{ status: number; body: { error?: { code: string } } }>, number][] = [
    [emulator.call('POST /locations', { body: { display_name: 'X', 'address[country]': 'US' } }), 429],
    [emulator.call('POST /locations/loc_a', { body: { phone: '1' } }), 429],
    [emulator.call('GET /locations'), 200],
    [emulator.control('POST /records', { tickets: tickets(1) }), 429],
    [emulator.control('POST /records', { tickets: tickets(3000) }), 429],
    [emulator.control('POST /script', ENTRY), 429],
    [emulator.control('POST /keys', { account: 'mch_a' }), 429],
    [emulator.control('PUT /snapshots/after'), 429],
    [emulator.control('POST /load', { scenario: LARGE }), 429],
    [emulator.control('GET /run'), 200],
    [emulator.control('POST /verify', { on: 'GET /locations', at_least: 0 }), 200],
    [emulator.control('POST /snapshots/before/restore'), 200]
  ]
  for (const [call, status] of calls) t.equal((await call).status, status)
  t.equal(await emulator.state(), before)
  t.equal((await emulator.call('DELETE /accounts/mch_a/users/usr_x')).status, 204)
  t.equal((await emulator.control('POST /load', { scenario: SCENARIO })).status, 200, 'a small document takes the place of what is there')
  t.equal((await emulator.control('POST /reset')).status, 200)
})
