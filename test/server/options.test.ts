/** How the HTTP server is bounded. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { authorization } from '../sandbox/client.js'
import { startTestEmulator } from '../support/emulator.js'
import { received } from '../support/socket.js'

t.test('limits.headers_timeout: headers that do not arrive in time are a 408, whatever time the body has', async t => {
  const { listen } = await startTestEmulator(t, { settings: { 'limits.headers_timeout': 200, 'limits.request_timeout': 60_000 } })
  const port = await listen()
  const slowHeaders = connect(port, '127.0.0.1')
  const slowBody = connect(port, '127.0.0.1')
  const [first, second] = [received(slowHeaders), received(slowBody)]

  const form = 'display_name=Late&address[country]=US'
  slowBody.write(
    `POST /next/locations HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n`
  )
  slowHeaders.write('GET /next/locations HTTP/1.1\r\nHost: localhost\r\n')
  t.ok((await first).startsWith('HTTP/1.1 408 Request Timeout\r\n'))
  await sleep(600)
  slowBody.write(form)

  t.ok((await second).startsWith('HTTP/1.1 200 OK\r\n'), await second)
})

t.test('limits.headers_timeout: 0 waits as long as limits.request_timeout allows', async t => {
  for (const settings of [
    { 'limits.headers_timeout': 0, 'limits.request_timeout': 60_000 },
    { 'limits.headers_timeout': 0, 'limits.request_timeout': 0 }
  ]) {
    const { listen } = await startTestEmulator(t, { settings })
    const socket = connect(await listen(), '127.0.0.1')
    const answer = received(socket)
    socket.write('GET /_control/health HTTP/1.1\r\nHost: localhost\r\n')
    await sleep(1500)
    socket.write('Connection: close\r\n\r\n')
    t.ok((await answer).startsWith('HTTP/1.1 200 OK\r\n'))
  }
  const { listen } = await startTestEmulator(t, { settings: { 'limits.headers_timeout': 60_000, 'limits.request_timeout': 200 } })
  const socket = connect(await listen(), '127.0.0.1')
  socket.write('GET /_control/health HTTP/1.1\r\nHost: localhost\r\n')
  t.ok((await received(socket)).startsWith('HTTP/1.1 408 '), 'a shorter limits.request_timeout holds for the headers too')
})

t.test('limits.connections: a connection above it is closed at once and told in the log, the others go on', async t => {
  const { listen, logs } = await startTestEmulator(t, { settings: { 'limits.connections': 2 } })
  const port = await listen()
  const health = 'GET /_control/health HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const answered = async (socket: Socket) => {
    socket.write(health)
    const first = once(socket, 'data').catch(() => ['closed'])
    return String((await first)[0]).startsWith('HTTP/1.1 200 OK\r\n')
  }
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const [first, second] = [await open(), await open()]
  t.strictSame([await answered(first), await answered(second)], [true, true])

  const third = await open()
  t.equal(await received(third), '', 'it is given no answer')

  t.ok(logs.some(line => JSON.parse(line).msg === 'A connection was closed: limits.connections is reached.'))
  t.strictSame([await answered(first), await answered(second)], [true, true])
  first.end()
  await once(first, 'close')
  let last = await open()
  // the server may hear of the end a little later
  for (let tries = 0; tries < 100 && !(await Promise.race([answered(last), received(last).then(() => false)])); tries++) {
    await sleep(50)
    last = await open()
  }
  t.ok(await answered(last), 'once one is closed another is taken')
})
