/**
 * Loads that are never completed: their memory is bounded, and freed once their connections end.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { SETTINGS } from '../../src/core/settings.js'
import { clientOf, started } from './support/emulator.js'
import { figure } from './support/options.js'

const LOADS = figure('LOADS', { short: 6, long: 40 })
const ROUNDS = figure('ROUNDS', { short: 2, long: 20 })
const MIB = 2 ** 20
const SIZE = SETTINGS['limits.control_body'].default
/** Maximum bytes of all incoming documents, and of a process that receives them. */
const MOST_MIB = (2 * SIZE) / MIB + 100
/** Memory that remains after large bodies: code, a grown heap, and socket buffers. */
const KEPT_MIB = 100
const CHUNK = Buffer.alloc(65_536, ' ')
const FRAMED = Buffer.concat([
  Buffer.from(`${CHUNK.length.toString(16)}\r\n`),
  CHUNK,
  Buffer.from('\r\n')
])

const residentOf = async (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Sends a load without its end. Resolves with the socket and the status, empty if none came. */
async function unfinished(
  port: number,
  sandbox: string,
  isChunked: boolean
): Promise<{ socket: Socket; status: string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const closed = new Promise(close => socket.once('close', close))
  let status = ''
  socket.on('data', chunk => {
    status ||= String(chunk).slice('HTTP/1.1 '.length, 'HTTP/1.1 429'.length)
  })
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${SIZE}`
  socket.write(
    `POST ${sandbox}/_control/load HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`
  )
  for (
    let sent = CHUNK.length;
    sent < SIZE && status === '' && !socket.destroyed;
    sent += CHUNK.length
  )
    if (!socket.write(isChunked ? FRAMED : CHUNK))
      await Promise.race([once(socket, 'drain').catch(() => {}), closed])
  // the response to a refused load may be lost while its client still sends
  return { socket, status: socket.destroyed ? status || '429' : status }
}

t.test(
  `${LOADS} loads of ${SIZE / MIB} MiB that are never completed, ${ROUNDS} times: memory is bounded, and freed`,
  { skip: process.platform !== 'linux' },
  async t => {
    const { port, child, end } = await started([], ['--max-old-space-size=768'])
    const client = clientOf(port, null)
    for (const name of ['one', 'two']) await clientOf(port, name).call('POST /_control/reset')
    const pid = child.pid as number
    const before = await residentOf(pid)
    let highest = 0
    for (let round = 0; round < ROUNDS; round++) {
      const begun = await Promise.all(
        Array.from({ length: LOADS }, (_, nth) =>
          unfinished(port, ['', '/sandbox/one', '/sandbox/two'][nth % 3] as string, round % 2 === 1)
        )
      )
      highest = Math.max(highest, await residentOf(pid))
      t.equal((await client.call('GET /next/tickets')).status, 200, 'calls are answered')
      t.equal(
        (await client.call('POST /_control/load?dry_run', '{"scenario":"default"}')).status,
        200,
        'small loads too'
      )
      t.equal(
        begun.every(({ status }) => status === '' || status === '429'),
        true
      )
      for (const { socket } of begun) socket.destroy()
    }
    await sleep(500)
    const after = await residentOf(pid)
    t.comment(
      `resident: ${before.toFixed(0)} MiB before, at most ${highest.toFixed(0)}, ${after.toFixed(0)} after`
    )

    t.ok(
      highest - before <= MOST_MIB,
      `${(highest - before).toFixed(0)} MiB more of at most ${MOST_MIB}`
    )
    t.ok(
      after - before <= KEPT_MIB,
      `${(after - before).toFixed(0)} MiB remain of at most ${KEPT_MIB}`
    )
    t.equal(
      (
        await client.call(
          'POST /_control/load',
          JSON.stringify({ scenario: 'default' }).padEnd(SIZE)
        )
      ).status,
      200,
      'there is room for a whole one'
    )
    client.close()
    t.equal(await end('SIGTERM'), 0)
  }
)
