/**
 * Bodies are counted before they are read: their total is bounded, shared fairly among sandboxes,
 * and released.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { settingsInForce } from '../../src/core/settings.js'
import { Shares } from '../../src/core/shares.js'
import { Arrivals } from '../../src/server/arrivals.js'
import { Bodies } from '../../src/server/bodies.js'
import {
  authorization,
  type Emulator,
  type SandboxClient,
  sandboxClient
} from '../sandbox/client.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import { opened, partsOf } from '../support/socket.js'

const KIB = 1024
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const JSON_HEAD = 'Content-Type: application/json\r\nHost: localhost'
const FORM_HEAD = `Content-Type: application/x-www-form-urlencoded\r\nHost: localhost\r\nAuthorization: ${authorization()}`

type Arrival = { sandbox: object; release: (() => void) | null; isClosed: boolean }

/**
 * Bodies with limits of 100 KiB for all and 50 KiB for a sandbox by default; `limit` bounds each.
 */
function bodiesOf(limit = 64 * KIB, each = 50) {
  const { values } = settingsInForce({ flag: { 'limits.body': KIB } })
  const shares = new Shares({ what: 'bytes', setting: 'limits.body', each, all: 2 * each }, values)
  const bodies = new Bodies(shares)
  const incoming = (length: number | null, sandbox: object) => {
    const arrival: Arrival = { sandbox, release: null, isClosed: false }
    const headers =
      length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
    return { arrival, headers, routeOptions: { bodyLimit: limit } } as never as Parameters<
      Bodies['admit']
    >[0] & { arrival: Arrival }
  }
  /** How many bytes a sandbox may still use, to the KiB. */
  const room = (sandbox: object) => {
    for (let size = 50 * KIB; size > 0; size -= KIB) {
      try {
        shares.take(sandbox, size)()
        return size / KIB
      } catch {}
    }
    return 0
  }
  return { bodies, incoming, room }
}

const streamOf = (...sizes: number[]) =>
  Readable.from(sizes.map((size, nth) => Buffer.alloc(size, nth + 97)))
const codeOf = (promise: Promise<unknown>) => promise.then(() => 'read').catch(error => error.code)

t.test('bodies: what is read is what was sent, and how many bytes count', async t => {
  const cases: [title: string, length: number | null, sizes: number[], left: number | string][] = [
    ['none', 0, [], 50],
    ['as large as headers may be', 16 * KIB, [16 * KIB], 50],
    ['larger by a byte', 16 * KIB + 1, [16 * KIB, 1], 33],
    ['exactly the share', 50 * KIB, [25 * KIB, 25 * KIB], 0],
    ['more than the share', 50 * KIB + 1, [], 'limit_reached'],
    ['exactly the limit, and more than the share', 64 * KIB, [], 'limit_reached'],
    ['larger than the limit', 64 * KIB + 1, [], 'FST_ERR_CTP_BODY_TOO_LARGE'],
    ['shorter than announced', 10, [9], 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'],
    ['longer than announced', 10, [9, 2], 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'],
    ['chunked: none', null, [], 50],
    ['chunked: small', null, [KIB, 7 * KIB], 50],
    ['chunked: with room for more', null, [8 * KIB + 1], 33],
    ['chunked: as it comes', null, [10 * KIB, 10 * KIB, 10 * KIB], 'limit_reached'],
    ['chunked: exactly the share', null, [10 * KIB, 10 * KIB, 5 * KIB, 25 * KIB], 0],
    ['chunked: more than the share', null, [26 * KIB], 'limit_reached'],
    ['chunked: larger than the limit', null, [20 * KIB, 45 * KIB], 'FST_ERR_CTP_BODY_TOO_LARGE']
  ]
  for (const [title, length, sizes, left] of cases) {
    const { bodies, incoming, room } = bodiesOf()
    const sandbox = {}
    const request = incoming(length, sandbox)
    const reading = bodies.read(request, streamOf(...sizes))
    if (typeof left === 'string') t.equal(await codeOf(reading), left, title)
    else {
      const bytes = await reading
      t.equal(
        bytes.toString(),
        sizes.map((size, nth) => String.fromCharCode(nth + 97).repeat(size)).join(''),
        title
      )
      t.equal(room(sandbox), left, title)
    }
    request.arrival.release?.()
    request.arrival.release?.()
    t.equal(room(sandbox), 50, `${title}: everything is given back`)
  }
})

t.test('bodies: a chunked body of any size arrives as it was sent', async t => {
  const limit = 2 * KIB * KIB
  const sizes = [16 * KIB, 1, KIB * KIB - 16 * KIB - 1, 1, limit - KIB * KIB - 1]
  const { bodies, incoming } = bodiesOf(limit, 2 * KIB)
  for (let count = 1; count <= sizes.length; count++) {
    const request = incoming(null, {})
    const bytes = await bodies.read(request, streamOf(...sizes.slice(0, count)))
    t.ok(
      bytes.equals(
        Buffer.concat(sizes.slice(0, count).map((size, nth) => Buffer.alloc(size, nth + 97)))
      ),
      `${bytes.length} bytes`
    )
    request.arrival.release?.()
  }
})

t.test('bodies: bytes after the end of a request are not counted', async t => {
  for (const length of [40 * KIB, null]) {
    const { bodies, incoming, room } = bodiesOf()
    const sandbox = {}
    const request = incoming(length, sandbox)
    const payload = new Readable({ read() {} })
    const reading = codeOf(bodies.read(request, payload))
    payload.push(Buffer.alloc(20 * KIB))
    await sleep(5)
    t.ok(room(sandbox) < 50)

    request.arrival.isClosed = true
    request.arrival.release?.()
    payload.push(Buffer.alloc(20 * KIB))

    t.equal(await reading, 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    t.equal(room(sandbox), 50)
  }
})

t.test('bodies: a body that the framework reads is counted if its length is known', async t => {
  for (const [length, left] of [
    [0, 50],
    [16 * KIB, 50],
    [16 * KIB + 1, 33],
    [64 * KIB + 1, 50],
    [null, 50]
  ] as const) {
    const { bodies, incoming, room } = bodiesOf()
    const sandbox = {}
    const request = incoming(length, sandbox)
    bodies.admit(request)
    t.equal(room(sandbox), left, `${length}`)
    request.arrival.release?.()
    t.equal(room(sandbox), 50, `${length}`)
  }
  const { bodies, incoming } = bodiesOf()
  t.throws(() => bodies.admit(incoming(50 * KIB + 1, {})), { code: 'limit_reached' })
})

/** Retries until the response is the expected one. */
async function eventually<T>(ask: () => T | Promise<T>, expected: T): Promise<T> {
  for (let left = 400; left > 0; left--) {
    const answer = await ask()
    if (answer === expected) return answer
    await sleep(5)
  }
  return ask()
}
const portOf = ({ server }: Emulator['app']) => (server.address() as AddressInfo).port
/** A body with its length, or chunked without one; complete, or its first bytes. */
const framed = (length: number | null, part: string) =>
  length === null
    ? `Transfer-Encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`
    : `Content-Length: ${length}\r\n\r\n${part}`

/** Sends the head of a request and part of its body, and waits until that has arrived. */
async function begun(
  t: Test,
  app: Emulator['app'],
  on: string,
  { head = JSON_HEAD, length, sent = 1 }: { head?: string; length: number | null; sent?: number }
) {
  const connected = once(app.server, 'connection')
  const made = opened(
    t,
    portOf(app),
    `${on} HTTP/1.1\r\n${head}\r\n${framed(length, 'a'.repeat(sent))}`
  )
  const [there] = await connected
  await eventually(() => there.bytesRead > sent || there.destroyed, true)
  return made
}
type Begun = Awaited<ReturnType<typeof begun>>

const statusIn = ({ received }: Begun) => partsOf(received()).status || 0
const errorIn = ({ received }: Begun) => partsOf(received()).body.error
const documentOf = (size: number) => JSON.stringify({ scenario: 'default' }).padEnd(size)
const load = async ({ control }: SandboxClient, size: number) =>
  (await control('POST /load?dry_run', documentOf(size))).status

/**
 * A sandbox may send 100,000 bytes of documents at once, all sandboxes 200,000; of other bodies
 * 640,000 and 1,280,000.
 */
const SETTINGS = { 'limits.control_body': 100_000, 'limits.body': 20_000 }
/** A listening emulator with two sandboxes. */
async function twoSandboxes(t: Test, settings: object = {}) {
  const emulator = await startTestEmulator(t, { settings: { ...SETTINGS, ...settings } })
  await emulator.listen()
  const [base, own] = [sandboxClient(emulator, null), sandboxClient(emulator, 'own')]
  await own.control('POST /reset')
  return { ...emulator, base, own }
}

t.test('bodies: the documents in transit are limited, in each sandbox', async t => {
  const { app, base, own } = await twoSandboxes(t)
  const unfinished = await begun(t, app, 'POST /_control/load', { length: 100_000, sent: 99_000 })
  await sleep(20)
  t.equal(await load(base, 20_000), 429)
  const refused = await begun(t, app, 'POST /_control/load', { length: 20_000, sent: 19_999 })
  const left = await begun(t, app, 'POST /_control/load', { length: 20_000 })
  left.socket.destroy()
  t.equal(await eventually(() => statusIn(refused), 429), 429)
  const { code, message } = errorIn(refused)
  t.equal(code, 'limit_reached')
  t.match(
    message,
    /^There is no room for more bytes of documents: this sandbox has (100000|99000) of at most 100000, .*raise limits\.control_body\.$/
  )
  t.match(refused.received(), /^connection: close\r$/im)
  t.equal(await eventually(() => refused.socket.closed, true), true)
  t.equal(await load(base, 16_384), 200, 'a small one needs no room')
  const tooLarge = await begun(t, app, 'POST /_control/load', { length: 100_001 })
  t.equal(await eventually(() => statusIn(tooLarge), 413), 413)
  t.equal(await load(own, 100_000), 200, 'another sandbox has room of its own')

  unfinished.socket.destroy()
  t.equal(await eventually(() => load(base, 20_000), 200), 200)
  t.strictSame([await load(base, 100_000), await load(base, 100_000)], [200, 200])
})

t.test('bodies: a slow upload is aborted, and its room is freed', async t => {
  const { app, base } = await twoSandboxes(t, { 'limits.request_timeout': 300 })
  const slow = await begun(t, app, 'POST /_control/load', { length: 100_000 })
  await sleep(20)
  t.equal(await load(base, 100_000), 429)
  const going = setInterval(() => slow.socket.write('a'), 10)
  t.teardown(() => clearInterval(going))

  t.equal(await eventually(() => statusIn(slow), 408), 408)
  t.equal(await eventually(() => slow.socket.closed, true), true)
  t.equal(await load(base, 100_000), 200)
})

t.test('A35: the API bodies in transit are limited', async t => {
  const { app, base, own, state, control } = await twoSandboxes(t)
  const before = await state()
  const refund = async (size: number, { call }: SandboxClient = base) => {
    const reason = 'a'.repeat(size - 'transaction=txn_none&reason='.length)
    const { headers, body } = await call('POST /refunds', {
      body: { transaction: 'txn_none', reason }
    })
    return { ...body.error, connection: headers.connection }
  }
  const codeOf = async (...given: Parameters<typeof refund>) => (await refund(...given)).code

  const unfinished: Begun[] = []
  for (let nth = 0; nth < 32; nth++)
    unfinished.push(
      await begun(t, app, 'POST /next/refunds', { head: FORM_HEAD, length: null, sent: 19_999 })
    )
  await eventually(() => codeOf(20_000), 'limit_reached')
  const { code, assumption, connection, message } = await refund(20_000)
  t.strictSame([code, assumption, connection], ['limit_reached', 'A35', 'close'])
  t.match(
    message,
    /^There is no room for more bytes of bodies that are being read: this sandbox has 6\d\d\d\d\d of at most 640000, .*raise limits\.body\.$/
  )
  t.equal(await codeOf(16_384), 'reference_missing', 'a small one needs no room')
  t.equal(await codeOf(20_001), 'body_too_large')
  t.equal(await codeOf(20_000, own), 'reference_missing', 'another sandbox has room of its own')
  t.equal(await state(), before)
  t.equal((await control('GET /requests?limit=1')).body.data[0].refusal.code, 'body_too_large')

  for (const { socket } of unfinished) socket.destroy()
  t.equal(await eventually(() => codeOf(20_000), 'reference_missing'), 'reference_missing')
})

t.test('bodies: a body that was read takes no room while its request waits', async t => {
  const script = [{ on: 'POST /refunds', hold: { gate: 'a' } }]
  const emulator = await startTestEmulator(t, {
    settings: SETTINGS,
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script }
  })
  await emulator.listen()
  const form = `transaction=txn_a&amount=1&reason=${'a'.repeat(19_000)}`
  const held = Array.from({ length: 40 }, (_, nth) => {
    const body = nth % 2 === 0 ? framed(form.length, form) : `${framed(null, form)}0\r\n\r\n`
    return opened(t, portOf(emulator.app), `POST /next/refunds HTTP/1.1\r\n${FORM_HEAD}\r\n${body}`)
  })
  t.equal(await eventually(() => emulator.sandbox.gates.listed(['a'])[0]?.waiting.length, 40), 40)
  await emulator.control('POST /gates/a/open')
  t.equal(await eventually(() => held.filter(one => statusIn(one) === 200).length, 40), 40)
  t.ok(
    emulator.sandbox.store.refunds
      .inCreationOrder()
      .every(({ reason }) => reason?.length === 19_000)
  )
})

const MIB = 2 ** 20
t.test('responses: those in transit are limited, and released', async t => {
  const arrivals = new Arrivals({} as never, { cors: false, isLogged: false, unread: 0 })
  const hasRoom = () => {
    try {
      arrivals.requireRoom()
      return true
    } catch (error) {
      t.match(error, { code: 'limit_reached', assumption: 'A35' })
      return false
    }
  }
  let bodies = 0
  const send = (length: number, isClosed = false) => {
    const arrival: Arrival = { sandbox: {}, release: () => void bodies++, isClosed }
    arrivals.sending({ arrival, raw: {} } as never, {} as never, length)
    return arrival
  }
  const first = send(256 * MIB)
  send(MIB, true)
  t.ok(hasRoom(), 'what is closed already is not counted')
  send(16_384)
  t.ok(hasRoom(), 'a small one is not counted')
  send(16_385)
  t.notOk(hasRoom())
  first.release?.()
  t.ok(hasRoom())
  t.equal(bodies, 1, 'and the room of the body with it')
})

t.test('responses: a client that reads nothing is disconnected', async t => {
  const tickets = Array.from({ length: 160 }, (_, nth) => ({
    id: `tkt_big_${nth}`,
    location: 'loc_a',
    reference: 'x'.repeat(65_536)
  }))
  const { app, control } = await startTestEmulator(t, {
    scenario: {
      clock: NOW,
      settings: { pagination: { max_limit: 160 } },
      data: smallFixture({ tickets })
    },
    settings: { 'limits.request_timeout': 300 }
  })
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const send = (on: string) =>
    opened(
      t,
      port,
      `GET ${on} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}\r\n\r\n`
    )
  const stream = send('/_control/events')
  for (const on of ['/next/tickets?limit=160', '/_control/state']) send(on).socket.pause()
  const connections = () =>
    new Promise(resolve => app.server.getConnections((_, all) => resolve(all)))
  while ((await connections()) !== 3) await sleep(10)
  while ((await connections()) !== 1) await sleep(50)
  t.equal(stream.state(), 'open')
  let seen: boolean[] = []
  while (seen.length === 0) {
    const { data } = (await control('GET /requests?on=GET%20/tickets')).body as {
      data: { answered: boolean }[]
    }
    seen = data.map(({ answered }) => answered)
    await sleep(10)
  }
  t.strictSame(seen, [false])
})
