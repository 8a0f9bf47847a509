/** Slow senders and hung answers do not hold others up. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { type Emulator, isLong, startProcess } from './support/emulator.js'

const [SLOW, HUNG, CALLS] = isLong ? [500, 200, 1000] : [60, 25, 300]
const HEADERS_TIMEOUT = 4000
const MOST = 3
/** A busy machine may disturb one measurement; what holds is the best of a few. */
const ATTEMPTS = 3

/** The median latency of one client that calls again and again, in milliseconds. */
async function latency({ call }: Emulator): Promise<number> {
  const times: number[] = []
  for (let nth = 0; nth < CALLS; nth++) {
    const start = performance.now()
    await call('neighbour', 'GET /tickets/tkt_60')
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[CALLS / 2] as number
}

/** Opens connections that send a request a byte at a time and never end it. */
async function dribble(port: number, count: number): Promise<{ sockets: Socket[]; stop: () => void }> {
  const text = `GET /sandbox/slow/next/tickets HTTP/1.1\r\nhost: localhost\r\nx-slow: ${'a'.repeat(10_000)}`
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      return socket
    })
  )
  let sent = 0
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(text[sent] as string)
    sent++
  }, 50)
  const stop = () => {
    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
  }
  return { sockets, stop }
}

t.test(`${SLOW} slow connections and ${HUNG} hung answers: a neighbour waits at most ${MOST} times as long`, { timeout: 180_000 }, async t => {
  const emulator = await startProcess(t, '--set', `limits.headers_timeout=${HEADERS_TIMEOUT}`)
  const { port, call, control, end } = emulator
  await latency(emulator)

  await control('hung', 'POST /records', { tickets: [] })
  await control('hung', 'POST /script', { on: 'GET /tickets', fault: 'hang' })
  const hung = Array.from({ length: HUNG }, () => call('hung', 'GET /tickets').catch(() => 'cut'))
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 1; attempt <= ATTEMPTS && best > MOST; attempt++) {
    const alone = await latency(emulator)
    const slow = await dribble(port, SLOW)
    const crowded = await latency(emulator)
    slow.stop()
    t.comment(
      `median latency alone (but for ${HUNG} hung answers) ${alone.toFixed(3)} ms, with ${SLOW} slow senders ${crowded.toFixed(3)} ms: × ${(crowded / alone).toFixed(2)}`
    )
    best = Math.min(best, crowded / alone)
  }
  t.ok(best <= MOST, `× ${best.toFixed(2)}`)

  const slow = await dribble(port, 10)
  await Promise.all(slow.sockets.map(socket => (socket.closed ? null : once(socket.resume(), 'close'))))
  slow.stop()
  t.pass('slow senders are dropped after limits.headers_timeout')
  t.equal((await control('hung', 'GET /requests?limit=1000')).body.data.length, HUNG, 'the hung answers still hang')
  t.equal(await end('SIGTERM'), 0)
  t.strictSame(await Promise.all(hung), new Array(HUNG).fill('cut'), 'and are cut at the end')
})
