/** How the HTTP server is bounded. */
import { connect } from 'node:net'
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
