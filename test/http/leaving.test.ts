/** Clients that leave while their answer waits, and answers that would be larger than clients read. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { startTestEmulator } from '../support/emulator.js'

t.test("script: a call that is answered in the operation's stead is not made after all when its client leaves", async t => {
  let isWaiting = () => {}
  let goOn = () => {}
  const waiting = new Promise<void>(resolve => {
    isWaiting = resolve
  })
  const written = new Promise<void>(resolve => {
    goOn = resolve
  })
  const saved = () => {
    isWaiting()
    return written
  }
  const script = [{ on: 'POST /transactions', respond: { status: 402 } }]
  const { sandbox, listen } = await startTestEmulator(t, { scenario: { fixtures: ['bistro'], script }, saved })
  const before = sandbox.store.transactions.size
  const body = 'ticket=tkt_60&payment_type=external&amount=1'
  const socket = connect(await listen(), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /next/transactions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )

  await waiting
  socket.resetAndDestroy()
  while (sandbox.inFlight > 0) await wait(5)
  goOn()
  await wait(20)
  t.equal(sandbox.store.transactions.size, before)
})

t.test('A14: of many parameters that are not known, the first ten are told in Warning headers', async t => {
  const { call } = await startTestEmulator(t, { settings: { 'parameters.unknown': 'warn' } })
  const query = Array.from({ length: 40 }, (_, nth) => `unknown_${nth}=1`).join('&')

  const { status, headers } = await call('GET /tickets', { query })
  t.equal(status, 200)
  t.equal((headers.warning as string[]).length, 10)
  t.equal((headers.warning as string[])[0]?.includes('unknown_0'), true)
})

t.test('card numbers are masked in script entries and verdicts, as text and as numbers', async t => {
  const { control } = await startTestEmulator(t)
  const number = '4929808368734402'

  const added = await control('POST /script', `{"on":"POST /refunds","match":{"body":{"amount":${number}}},"respond":{"status":400}}`)
  t.equal(added.status, 201)
  t.equal((await control('GET /script')).text.includes(number), false)
  const verdict = await control('POST /verify', { on: 'GET /refunds/{id}', times: 1, match: { account: number } })
  t.equal(verdict.status, 409)
  t.equal(verdict.text.includes(number), false)
  t.equal((await control('PATCH /settings', '{"pagination.order":{"":[["`"],true],"id":"00"}}')).status, 400)
})
