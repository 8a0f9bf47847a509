/** A neighbour beside slow senders and answers that hang: it hardly waits longer. That slow senders are dropped in time is shown by the tests of limits. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Client, clientOf, started } from './support/emulator.js'
import { figure, median, SEED } from './support/options.js'

const SLOW = figure('SLOW', { short: 50, long: 500 })
const HUNG = figure('HUNG', { short: 20, long: 200 })
const PHASES = figure('PHASES', { short: 1, long: 5 })
const CALLS = figure('CALLS', { short: 100, long: 400 })
/** The allowed ratio of a neighbour's median latency to that on an idle emulator. */
const MAX_TIMES = 3
/** The interval at which a slow sender sends a byte. */
const DRIBBLE_MS = 250

const HEAD = 'POST /sandbox/crowd/next/transactions HTTP/1.1\r\nhost: localhost\r\n'
const BODY = `${HEAD}content-type: application/x-www-form-urlencoded\r\ncontent-length: 100000\r\n\r\nticket=`

/** Connections that send a byte now and then: half of them never end their headers, the other half never end their body. Returns a function that closes them. */
async function slowSenders(port: number): Promise<() => void> {
  const sockets: Socket[] = []
  for (let nth = 0; nth < SLOW; nth++) {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(nth % 2 === 0 ? `${HEAD}x-slow: ` : BODY)
    sockets.push(socket)
  }
  const dribble = setInterval(() => {
    for (const socket of sockets) socket.write('a')
  }, DRIBBLE_MS)
  return () => {
    clearInterval(dribble)
    for (const socket of sockets) socket.destroy()
  }
}

const sandboxes = async ({ call }: Client): Promise<{ name: string; in_flight: number }[]> => (await call('GET /_control/sandboxes')).body.data
const inFlight = async (client: Client, name: string) => (await sandboxes(client)).find(sandbox => sandbox.name === name)?.in_flight ?? 0

/** Makes calls that are never answered, and waits until all have arrived. Returns a function that counts those that ended. */
async function hang(port: number, base: Client): Promise<() => number> {
  const first = clientOf(port, 'hung')
  await first.call('GET /next/tickets')
  await first.call('POST /_control/script', '{"on":"GET /refunds","fault":"hang"}')
  first.close()
  let ended = 0
  for (let n = 0; n < HUNG; n++) {
    const client = clientOf(port, 'hung')
    client
      .call('GET /next/refunds')
      .catch(() => {})
      .finally(() => {
        ended++
        client.close()
      })
  }
  while ((await inFlight(base, 'hung')) < HUNG) await sleep(50)
  return () => ended
}

/** The milliseconds of each call of a neighbour: reads and Refunds in turn. */
async function latencies({ call }: Client): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const since = performance.now()
    const { status, text } = n % 2 === 0 ? await call('GET /next/tickets?limit=5') : await call('POST /next/refunds', 'transaction=txn_1&amount=1')
    times.push(performance.now() - since)
    if (status !== 200) throw new Error(text)
    await sleep(1)
  }
  return times
}

t.test(`${SLOW} slow senders and ${HUNG} hung answers: a neighbour hardly waits longer`, async t => {
  t.comment(`ENDURANCE_SEED=${SEED}`)
  const { port, end } = await started(t)
  const [base, neighbour] = [clientOf(port, null), clientOf(port, 'neighbour')]
  await neighbour.call('POST /_control/records', '{"transactions":[{"id":"txn_1","ticket":"tkt_60","payment_type":"external","amount":1000000}]}')
  await latencies(neighbour)

  const alone: number[] = []
  const crowded: number[] = []
  const isTooLong = () => median(crowded) > median(alone) * MAX_TIMES
  // other work on the machine may disturb one of the two measurements, so one that is too long is repeated
  for (let phase = 0; phase < PHASES || (isTooLong() && phase < PHASES * 3); phase++) {
    alone.push(...(await latencies(neighbour)))
    const close = await slowSenders(port)
    const ended = await hang(port, base)
    crowded.push(...(await latencies(neighbour)))
    t.equal(ended(), 0, 'hung answers hang on')
    close()
    await base.call('DELETE /_control/sandboxes/hung')
    while (ended() < HUNG) await sleep(20)
  }

  const [without, among] = [median(alone), median(crowded)]
  t.notOk(isTooLong(), `median ${without.toFixed(2)} ms alone, ${among.toFixed(2)} ms among them: × ${(among / without).toFixed(2)}`)
  while ((await inFlight(base, 'crowd')) > 0) await sleep(20)
  t.equal((await sandboxes(base)).length, 2, 'none of them is left')
  neighbour.close()
  base.close()
  t.equal(await end('SIGTERM'), 0)
})
