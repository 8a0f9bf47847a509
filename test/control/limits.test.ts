import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ApiError } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../../src/core/settings.js'
import { runEmulator } from '../../src/emulator.js'
import {
  authorization,
  type Emulator,
  NOW,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'

type Seen = string | number | undefined
type Ask = (emulator: Emulator, t: Test) => Promise<Seen>
/** A small limit, the responses at it and beyond it, and what is requested until it is reached. */
type Trial = [value: number, at: Seen, beyond: Seen, ask: Ask, askBeyond?: Ask]
type Limit = Extract<SettingKey, `limits.${string}`>

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  body.error?.code ?? status
const ENTRY = { on: 'GET /accounts', delay: '1ms' }
const SCENARIO = {
  clock: NOW,
  data: smallFixture(),
  script: [{ on: 'GET /refunds', delay: '1s' }]
}
const tickets = (count: number) =>
  Array.from({ length: count }, () => ({ location: 'loc_a', reference: 'T' }))
const FIXTURE_RECORDS = Object.values(smallFixture()).flat().length

/** Repeats a request with one value, then another. */
const both = <T>(
  ask: (emulator: Emulator, given: T, t: Test) => Promise<Seen>,
  at: T,
  beyond: T
): [Ask, Ask] => [(emulator, t) => ask(emulator, at, t), (emulator, t) => ask(emulator, beyond, t)]
const refund = ({ call }: Emulator, body: string) =>
  call('POST /refunds', { body: `transaction=txn_none${body}` }).then(codeOf)
/** Loads a scenario without effect. */
const tried = ({ control }: Emulator, scenario: object | string) =>
  control('POST /load?dry_run', typeof scenario === 'string' ? scenario : { scenario }).then(codeOf)
const generated = (count: number) => ({
  data: smallFixture(),
  generate: [{ tickets: count, location: 'loc_a' }]
})
const entries = (count: number) => ({ script: Array(count).fill({ ...ENTRY, calls: 1 }) })
/** A request that takes about a quarter of the smallest journal. */
const longCall = ({ call }: Pick<Emulator, 'call'>) =>
  call('GET /tickets', { headers: { 'user-agent': 'x'.repeat(15_000) } })
/** How many requests the journal has dropped after more of them. */
const dropped =
  (count: number, request: (emulator: Emulator) => Promise<unknown>): Ask =>
  async emulator => {
    for (let time = 0; time < count; time++) await request(emulator)
    return emulator.sandbox.evidence.journal.dropped
  }
/** Opens a connection and sends text. */
async function connected({ app, listen }: Emulator, t: Test, text = '') {
  const address = app.server.address()
  const port = address === null ? await listen() : (address as { port: number }).port
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}
const isEnded = (socket: Socket, ms: number) =>
  Promise.race([
    once(socket.resume(), 'close').then(() => 'ended'),
    sleep(ms, 'open', { ref: false })
  ])
const sent = async (emulator: Emulator, text: string, t: Test) =>
  Number(
    /^HTTP\/1.1 (\d+)/.exec(
      String((await once(await connected(emulator, t, text), 'data'))[0])
    )?.[1]
  )
const verified = ({ control }: Pick<Emulator, 'control'>, within: string) =>
  control('POST /verify', { on: 'GET /locations', within }).then(codeOf)
const waits: Ask = (emulator, t) => {
  const waiting = verified(emulator, '400ms')
  t.teardown(() => waiting)
  return sleep(100, 'waits')
}
const made = (emulator: Emulator, name: string) =>
  sandboxClient(emulator, name).control('POST /reset').then(codeOf)

const HEAD = 'GET /next/tickets HTTP/1.1\r\nHost: localhost\r\n'
const LOAD =
  'POST /_control/load HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'
const eventsOf = (prefix = '') =>
  `GET ${prefix}/_control/events HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** The outcome of a one-second request when the emulator is stopped meanwhile. */
async function stopped(_emulator: Emulator, patience: number): Promise<Seen> {
  const { baseUrl, close } = await runEmulator({
    scenario: SCENARIO,
    settings: { port: 0, 'limits.shutdown': patience }
  })
  const answer = fetch(`${baseUrl}/refunds`, { headers: { authorization: authorization() } }).then(
    ({ status }) => status,
    () => 'cut'
  )
  const script = baseUrl.replace(/next$/, '_control/script')
  const isDelayed = async () =>
    ((await (await fetch(script)).json()) as { data: { applied: number }[] }).data[0]?.applied === 1
  while (!(await isDelayed())) await sleep(5)
  await close()
  return answer
}

const TRIALS: Record<Limit, Trial> = {
  'limits.body': [
    40,
    'reference_missing',
    'body_too_large',
    ...both(refund, 'x'.repeat(20), 'x'.repeat(21))
  ],
  'limits.parameters': [
    2,
    'reference_missing',
    'form_too_large',
    ...both(refund, '&amount=1', '&amount=1&reason=x')
  ],
  'limits.depth': [
    1,
    'reference_missing',
    'form_too_large',
    ...both(refund, '&metadata[a]=1', '&metadata[a][b]=1')
  ],
  'limits.control_body': [
    40,
    200,
    'body_too_large',
    ...both(tried, '{"scenario":"default"}'.padEnd(40), '{"scenario":"default"}'.padEnd(41))
  ],
  'limits.values': [
    1000,
    200,
    'document_invalid',
    ...both(
      tried,
      { data: { tickets: [] } },
      { data: { ...smallFixture(), tickets: tickets(400) } }
    )
  ],
  'limits.records': [
    10,
    200,
    'document_too_large',
    ...both(tried, generated(10 - FIXTURE_RECORDS), generated(11 - FIXTURE_RECORDS))
  ],
  'limits.entries': [2, 200, 'document_too_large', ...both(tried, entries(2), entries(3))],
  'limits.journal': [
    2,
    0,
    1,
    dropped(2, ({ call }) => call('GET /tickets')),
    dropped(1, ({ call }) => call('GET /tickets'))
  ],
  'limits.journal_bytes': [65_536, 0, 1, dropped(3, longCall), dropped(1, longCall)],
  'limits.waiting': [1, 'waits', 'limit_reached', waits, e => verified(e, '400ms')],
  'limits.sandboxes': [1, 200, 'sandbox_limit', ...both(made, 'one', 'two')],
  'limits.connections': [
    1,
    'open',
    'ended',
    ...both(async (emulator, ms, t) => isEnded(await connected(emulator, t), ms), 100, 5000)
  ],
  'limits.request_timeout': [300, 401, 408, ...both(sent, `${HEAD}\r\n`, LOAD)],
  'limits.shutdown': [50, 200, 'cut', ...both(stopped, 60_000, 50)]
}
const LIMITS = SETTING_KEYS.filter((key): key is Limit => key.startsWith('limits.'))

for (const key of LIMITS)
  t.test(
    `${key}: a request at the limit succeeds, beyond it is refused, dropped or ended`,
    { bail: false },
    async t => {
      const [value, at, beyond, ask, askBeyond = ask] = TRIALS[key]
      const emulator = await startTestEmulator(t, {
        settings: { [key]: value },
        scenario: SCENARIO
      })
      t.strictSame([await ask(emulator, t), await askBeyond(emulator, t)], [at, beyond])
    }
  )

t.test('other limits: API keys, entries that requests add', async t => {
  const emulator = await startTestEmulator(t, {
    settings: { 'limits.entries': 2 },
    scenario: SCENARIO
  })
  const { call, control, sandbox } = emulator
  const twice = async (on: string, body: object) => [
    (await control(on, body)).status,
    codeOf(await control(on, body))
  ]
  t.strictSame(await twice('POST /script', ENTRY), [201, 'limit_reached'])

  const socket = await connected(emulator, t, eventsOf())
  await once(socket, 'data')
  socket.pause()
  for (let nth = 0; nth < 200; nth++)
    await call('POST /refunds', { body: `reason=${'x'.repeat(50_000)}` })
  t.equal(await isEnded(socket, 5000), 'ended')

  const keys = sandbox.store.keys as Map<string, string>
  for (let nth = keys.size; nth < 9999; nth++) keys.set(`sk_${nth}`, 'mch_a')
  t.strictSame(await twice('POST /keys', { account: 'mch_a' }), [200, 'limit_reached'])
})

t.test('docs/limits.md: every limit with its default', t => {
  const text = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(limits\.\w+)` \| (\d+) \| .+ \|$/gm)].map(
    ([, key, fallback]) => [key, Number(fallback)]
  )
  t.strictSame(rows.sort(), LIMITS.map(key => [key, SETTINGS[key].default]).sort())
  t.end()
})

t.test('limits: waiting requests of one sandbox', async t => {
  const settings = { 'limits.waiting': 2 }
  const emulator = await startTestEmulator(t, { settings, scenario: SCENARIO })
  await made(emulator, 'own')
  const names = [null, null, null, 'own', 'own', 'own']
  const streams: Seen[] = []
  for (const name of names)
    streams.push(await sent(emulator, eventsOf(name === null ? '' : '/sandbox/own'), t))
  t.strictSame(streams, [200, 200, 429, 200, 200, 429])
  const waiting = names.map(name => verified(sandboxClient(emulator, name), '300ms'))
  const each = [409, 409, 'limit_reached']
  t.strictSame(await Promise.all(waiting), [...each, ...each])
})

t.test('A35: without memory for more, a request that adds something gets 429', async t => {
  const emulator = await startTestEmulator(t, {
    records: { users: [{ id: 'usr_x', account: 'mch_a', name: 'X', email: 'x@example.com' }] }
  })
  const { call, control, state } = emulator
  await control('PUT /snapshots/before')
  const before = await state()
  const noRoom = new ApiError('limit_reached', {
    message: 'There is no room.',
    assumption: 'A35'
  })
  Object.assign(emulator.sandboxes, {
    requireRoom: () => {
      throw noRoom
    }
  })
  const adding = [
    call('POST /locations', { body: { display_name: 'X', 'address[country]': 'US' } }),
    call('POST /locations/loc_a', { body: { phone: '1' } }),
    control('POST /records', { tickets: tickets(1) }),
    control('POST /records', { tickets: tickets(3000) }),
    control('POST /script', ENTRY),
    control('POST /keys', { account: 'mch_a' }),
    control('PUT /snapshots/after')
  ]
  const others = [
    call('GET /locations'),
    control('GET /run'),
    control('POST /verify', { on: 'GET /locations', times: '0-9' })
  ]
  for (const { status } of await Promise.all(adding)) t.equal(status, 429)
  for (const { status } of await Promise.all([
    ...others,
    control('POST /snapshots/before/restore')
  ]))
    t.equal(status, 200)
  t.equal(await state(), before)
  t.equal((await call('DELETE /accounts/mch_a/users/usr_x')).status, 204)
  t.equal((await control('POST /load', { scenario: SCENARIO })).status, 200)
  t.equal((await control('POST /reset')).status, 200)
})
