/**
 * A neighbour of slow senders and hanging responses hardly waits longer. The tests of limits show
 * that slow senders are dropped in time.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Client, clientOf, started } from './support/emulator.js'
import { figure, median } from './support/options.js'

const SLOW = figure('SLOW', { short: 50, long: 500 })
const HUNG = figure('HUNG', { short: 20, long: 200 })
const PHASES = figure('PHASES', { short: 1, long: 5 })
const CALLS = figure('CALLS', { short: 100, long: 400 })
/** The allowed ratio of a neighbour's median latency to that on an idle emulator. */
const MAX_TIMES = figure('MAX_TIMES', { short: 1000, long: 3 })
/** The interval at which a slow sender sends a byte. */
const DRIBBLE_MS = 250
const HEAD = 'POST /sandbox/crowd/next/transactions HTTP/1.1\r\nhost: localhost\r\n'
const BODY = `${HEAD}content-type: application/x-www-form-urlencoded\r\ncontent-length: 100000\r\n\r\nticket=`

const inFlight = async ({ call }: Client, name: string): Promise<number> =>
  (await call('GET /_control/sandboxes')).body.data.find(
    (sandbox: { name: string }) => sandbox.name === name
  )?.in_flight ?? 0

/** Slow connections, half of them with incomplete headers, and requests without a response. */
async function crowd(port: number, base: Client) {
  const first = clientOf(port, 'hung')
  await first.call('POST /_control/script', '{"on":"GET /refunds","fault":"hang"}')
  first.close()
  const sockets = Array.from({ length: SLOW }, () =>
    connect(port, '127.0.0.1')
      .setNoDelay()
      .on('error', () => {})
  )
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  for (const [nth, socket] of sockets.entries())
    socket.write(nth % 2 === 0 ? `${HEAD}x-slow: ` : BODY)
  const dribble = setInterval(() => {
    for (const socket of sockets) socket.write('a')
  }, DRIBBLE_MS)
  let ended = 0
  for (let n = 0; n < HUNG; n++) {
    const { call, close } = clientOf(port, 'hung')
    call('GET /next/refunds')
      .catch(() => {})
      .finally(() => {
        ended++
        close()
      })
  }
  while ((await inFlight(base, 'hung')) < HUNG) await sleep(50)
  const leave = async () => {
    t.equal(ended, 0, 'hung answers hang on')
    clearInterval(dribble)
    for (const socket of sockets) socket.destroy()
    await base.call('DELETE /_control/sandboxes/hung')
    while (ended < HUNG) await sleep(20)
  }
  return leave
}

/** Milliseconds of each request of a neighbour: reads and Refunds in turn. */
async function latencies({ call }: Client): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const since = performance.now()
    const { status, text } =
      n % 2 === 0
        ? await call('GET /next/tickets?limit=5')
        : await call('POST /next/refunds', 'transaction=txn_1&amount=1')
    times.push(performance.now() - since)
    if (status !== 200) throw new Error(text)
    await sleep(1)
  }
  return times
}

t.test(`${SLOW} slow senders, ${HUNG} hung requests: a neighbour hardly waits longer`, async t => {
  const { port, end } = await started()
  const [base, neighbour] = [clientOf(port, null), clientOf(port, 'neighbour')]
  await neighbour.call(
    'POST /_control/records',
    '{"transactions":[{"id":"txn_1","ticket":"tkt_60","payment_type":"external","amount":1000000}]}'
  )
  await latencies(neighbour)

  const alone: number[] = []
  const crowded: number[] = []
  const times = () => median(crowded) / median(alone)
  // other work on the machine may disturb a measurement, so a slow one is repeated
  for (let phase = 0; phase < PHASES || (times() > MAX_TIMES && phase < PHASES * 3); phase++) {
    alone.push(...(await latencies(neighbour)))
    const leave = await crowd(port, base)
    crowded.push(...(await latencies(neighbour)))
    await leave()
  }

  t.ok(
    times() <= MAX_TIMES,
    `median ${median(alone).toFixed(2)} ms alone, ${median(crowded).toFixed(2)} ms among them`
  )
  while ((await inFlight(base, 'crowd')) > 0) await sleep(20)
  t.equal((await base.call('GET /_control/sandboxes')).body.data.length, 2, 'none of them is left')
  neighbour.close()
  base.close()
  t.equal(await end('SIGTERM'), 0)
})
