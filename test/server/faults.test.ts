import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { type Entry, textOf } from '../../src/evidence/entry.js'
import { FAULTS } from '../../src/scenario/shape/entry.js'
import { blameOf, MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import { opened, partsOf } from '../support/socket.js'

const FORM = 'application/x-www-form-urlencoded'
const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`
const records = {
  users: [
    { id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' },
    { id: 'usr_b', account: 'mch_a', name: 'B', email: 'b@example.com' }
  ],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }]
}
/** The end of a connection with an incomplete response. */
const LEFT = {
  connection_reset: 'reset',
  empty_response: 'closed',
  truncated_body: 'closed',
  malformed_body: 'closed',
  hang: 'open'
}

const scripted = (script: object[], more: object = {}) => ({
  clock: NOW,
  data: smallFixture(records),
  script,
  ...more
})

function exchange(t: Test, port: number, on: string, form = '') {
  const body = on.startsWith('POST')
    ? `Content-Type: ${FORM}\r\nContent-Length: ${form.length}\r\n\r\n${form}`
    : '\r\n'
  const head = `${on.replace(' ', ' /next')} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://shop.example\r\nAuthorization: ${basic(MERCHANT)}\r\n`
  return opened(t, port, head + body)
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10)
}

async function answered(
  port: number,
  path: string,
  {
    agent = new Agent(),
    method = 'GET',
    form
  }: { agent?: Agent; method?: string; form?: string } = {}
) {
  const headers = {
    authorization: basic(MERCHANT),
    ...(form !== undefined && { 'content-type': FORM })
  }
  const call = request({ port, host: '127.0.0.1', path: `/next${path}`, method, agent, headers })
  call.end(form)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const port_ = (call.socket as Socket).localPort
  return {
    status: response.statusCode,
    headers: response.headers,
    text: await text(response),
    from: port_
  }
}

function endingOf(fault: (typeof FAULTS)[number], when: 'before' | 'after') {
  const isBroken = fault === 'malformed_body'
  if (when === 'after') return [isBroken ? 'answered' : 'lost_after', 200, fault, isBroken]
  return [isBroken ? 'scripted' : 'lost_before', 502, fault, isBroken]
}

t.test('every fault loses the response as it says', async t => {
  const all = FAULTS.flatMap(fault =>
    (['before', 'after'] as const).map(when => ({ fault, when, reason: `${fault} ${when}` }))
  )
  const script = all.map(({ fault, when, reason }) => ({
    on: 'POST /refunds',
    match: { body: { reason } },
    fault,
    when
  }))
  const { listen, logs, sandbox } = await startTestEmulator(t, { scenario: scripted(script) })
  const { journal } = sandbox.evidence
  const port = await listen()

  for (const [nth, { fault, when, reason }] of all.entries()) {
    logs.length = 0
    const { socket, received, state } = exchange(
      t,
      port,
      'POST /refunds',
      `transaction=txn_a&amount=7&reason=${reason.replace(' ', '+')}`
    )
    if (fault === 'hang') await sleep(100)
    else await until(() => state() !== 'open' || received().endsWith('{'))
    t.equal(
      (await answered(port, '/tickets/tkt_a')).status,
      200,
      `${reason}: a neighbour is answered`
    )
    const made = sandbox.store.refunds.inCreationOrder().filter(refund => refund.reason === reason)

    t.equal(state(), fault === 'malformed_body' ? 'open' : LEFT[fault], reason)
    t.equal(
      made.length,
      when === 'after' ? 1 : 0,
      `${reason}: the call ${when === 'after' ? 'took' : 'did not take'} effect`
    )
    const right = when === 'after' ? JSON.stringify(made[0]) : ''
    const { status, headers, text: body } = partsOf(received())
    const arrives = fault === 'truncated_body' || fault === 'malformed_body'
    if (arrives) {
      const {
        'content-type': type,
        'access-control-allow-origin': origin,
        'request-id': id
      } = headers
      t.strictSame(
        [status, type, origin],
        [when === 'after' ? 200 : 502, 'application/json; charset=utf-8', '*']
      )
      t.match(id, /^req_\d+$/)
    } else t.equal(received(), '', 'not a byte')
    if (fault === 'truncated_body') {
      const length = Number(headers['content-length'])
      t.equal(body.length, Math.floor(length / 2), 'half of what its length says')
      if (when === 'after') t.strictSame([length, body], [right.length, right.slice(0, length / 2)])
    } else if (fault === 'malformed_body') {
      t.equal(Buffer.byteLength(body), Number(headers['content-length']))
      t.throws(() => JSON.parse(body), SyntaxError)
      if (when === 'after') t.equal(body, `${right.slice(0, -1)}{`)
    }

    socket.destroy()
    await until(() => logs.some(line => line.includes('lost')))
    const [logged] = logs.map(line => JSON.parse(line)).filter(({ call }) => call?.lost)
    const { ms, id, ...rest } = logged.call
    const [arrived, entry] = [arrives ? status : null, `scr_${nth + 1}`]
    t.strictSame(rest, {
      method: 'POST',
      path: '/next/refunds',
      status: arrived,
      script: entry,
      lost: fault
    })
    t.equal(
      logged.msg,
      `POST /next/refunds ${arrived ?? '-'} ${ms} ms ${id}, ${entry}, lost: ${fault}`
    )
    t.equal(logs.filter(line => line.includes('POST')).length, 1, 'one line')
    const [ended, ...others] = journal.requests().filter(entry => entry.id === id) as [
      Entry,
      ...Entry[]
    ]
    const { outcome } = ended
    const text = textOf(ended)
    t.strictSame(
      [outcome.name, outcome.status, outcome.fault, outcome.isDelivered, others],
      [...endingOf(fault, when), []]
    )
    if (fault === 'malformed_body') t.equal(text, body, 'what went out is kept')
    else t.equal('amount' in JSON.parse(text), when === 'after', 'the answer that was lost is kept')
  }
  for (const { matched, applied } of sandbox.script.listed())
    t.strictSame([matched, applied], [1, 1])
})

t.test('a fault with respond loses that response', async t => {
  const body = { a: 'é', list: [1, 2, 3] }
  const { listen } = await startTestEmulator(t, {
    scenario: scripted([
      {
        on: 'GET /tickets',
        fault: 'truncated_body',
        respond: { status: 418, headers: { 'X-Own': 'yes' }, body }
      },
      { on: 'GET /refunds', fault: 'malformed_body', respond: { body: 'words' } },
      { on: 'GET /accounts', fault: 'truncated_body', respond: { body: 'x' } }
    ])
  })
  const port = await listen()
  const cutAt = async (on: string) => {
    const { received, state } = exchange(t, port, on)
    await until(() => state() === 'closed')
    const { status, headers, text } = partsOf(received())
    return [status, headers['x-own'], headers['content-length'], text]
  }
  const whole = Buffer.from(JSON.stringify(body))

  t.strictSame(await cutAt('GET /tickets'), [
    418,
    'yes',
    String(whole.length),
    whole.subarray(0, whole.length / 2).toString()
  ])
  t.strictSame(
    await cutAt('GET /accounts'),
    [200, undefined, '1', ''],
    'of one byte nothing arrives'
  )
  const { status, text, headers } = await answered(port, '/refunds')
  t.strictSame([status, text, headers['content-type']], [200, 'word{', 'text/plain; charset=utf-8'])
})

t.test('USR-4: a response without a body cannot be malformed, so it is lost', async t => {
  const { call, control, listen, logs } = await startTestEmulator(t)
  const port = await listen()
  for (const fault of FAULTS) {
    const entry = {
      on: 'DELETE /accounts/{account_id}/users/{user_id}',
      fault,
      when: 'after',
      match: { params: { user_id: 'usr_a' } }
    }
    await control('POST /load', { scenario: scripted([entry]) })

    const { socket, received, state } = exchange(t, port, 'DELETE /accounts/mch_a/users/usr_a')
    if (fault === 'hang') await sleep(100)
    else await until(() => state() !== 'open')
    const left = (await call('GET /accounts/mch_a/users')).body.data.map(
      ({ id }: { id: string }) => id
    )

    t.strictSame([received(), state(), left], ['', LEFT[fault], ['usr_b']], fault)
    t.equal((await call('DELETE /accounts/mch_a/users/usr_b')).status, 204)
    socket.destroy()
    await until(() => logs.some(line => line.includes(`, scr_1, lost: ${fault}"`)))
    t.ok(logs.some(line => line.includes(`, scr_1, lost: ${fault}"`)))
  }
})

t.test('an injected request has no connection: a lost response rejects it', async t => {
  const { app, call } = await startTestEmulator(t, {
    scenario: scripted([
      ...FAULTS.map((fault, index) => ({ on: 'GET /tickets/{id}', calls: index + 1, fault })),
      { on: 'GET /refunds', delay: '10m' }
    ])
  })
  for (const fault of FAULTS.slice(0, 3))
    await t.rejects(call('GET /tickets/tkt_a'), { code: 'LIGHT_ECONNRESET' }, fault)
  const malformed = await app.inject({
    url: '/next/tickets/tkt_a',
    headers: { authorization: basic(MERCHANT) }
  })
  t.equal(malformed.statusCode, 502)
  t.throws(() => malformed.json(), SyntaxError)

  const hanging = call('GET /tickets/tkt_a')
  const delayed = call('GET /refunds')
  const ends = Promise.all([
    t.rejects(hanging, { code: 'LIGHT_ECONNRESET' }),
    t.rejects(delayed, { code: 'LIGHT_ECONNRESET' })
  ])
  await sleep(50)
  await app.close()
  await ends
})

t.test('hanging requests end at once when the emulator closes', async t => {
  const scenario = scripted([
    { on: 'GET /tickets/{id}', fault: 'hang' },
    { on: 'GET /refunds', delay: '500ms' },
    { on: 'GET /accounts', delay: '600ms', fault: 'hang' },
    { on: 'POST /locations', delay: '10m' }
  ])
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: line => lines.push(line) })
  const { app, sandbox, close } = await runEmulator({
    scenario,
    settings: { 'limits.shutdown': 1500 },
    logger
  })
  const port = (app.server.address() as { port: number }).port
  const hanging = Array.from({ length: 20 }, () => exchange(t, port, 'GET /tickets/tkt_a'))
  const later = exchange(t, port, 'GET /accounts')
  const endless = exchange(t, port, 'POST /locations', 'display_name=B&address[country]=US')
  const delayed = answered(port, '/refunds')
  await until(() => sandbox.inFlight === 23)
  t.ok(hanging.every(({ state }) => state() === 'open'))

  const closing = close()
  await until(() => hanging.every(({ state }) => state() !== 'open'))
  t.equal((await delayed).status, 200, 'a delayed one is answered')
  await until(() => later.state() !== 'open')
  t.equal(endless.state(), 'open', 'the hanging ones, and what would hang now, end before it')
  await closing

  await until(() => endless.state() !== 'open')
  t.equal(endless.received(), '', 'a longer one is cut')
  await until(() => lines.filter(line => line.includes('lost')).length === 22)
  const lost = lines.map(line => JSON.parse(line).call?.lost).filter(Boolean)
  t.strictSame(
    [
      lost.filter(how => how === 'hang').length,
      lost.filter(how => how === 'connection_closed').length
    ],
    [21, 1]
  )
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length, 0)
})

t.test('closing does not wait for the connection of a finished request', async t => {
  const { app, sandbox, close } = await runEmulator({
    scenario: scripted([{ on: 'GET /refunds', delay: '500ms' }]),
    settings: { 'limits.shutdown': 60_000 }
  })
  const agent = new Agent({ keepAlive: true })
  const delayed = answered((app.server.address() as { port: number }).port, '/refunds', { agent })
  await until(() => sandbox.inFlight === 1)

  await close()

  t.strictSame([(await delayed).status, (await delayed).headers.connection], [200, 'close'])
  agent.destroy()
})

t.test('a delay affects only its own request', async t => {
  const script = [
    { on: 'GET /tickets', delay: '2s' },
    { on: 'GET /locations', delay: { min: '2s', max: '2100ms' } }
  ]
  const { call } = await startTestEmulator(t, { scenario: scripted(script) })
  const order: string[] = []
  const slow = ['GET /tickets', 'GET /locations'].map(on => call(on).then(() => order.push(on)))
  await call('GET /tickets/tkt_a').then(() => order.push('quick'))
  await Promise.all(slow)
  t.strictSame([order[0], order.length], ['quick', 3])
})

t.test('a request with a scripted response does not run when its client leaves', async t => {
  let goOn = () => {}
  let isWaiting = () => {}
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
  const { sandbox, listen } = await startTestEmulator(t, {
    scenario: scripted([{ on: 'POST /transactions', respond: { status: 402 } }]),
    saved
  })
  const { socket } = exchange(
    t,
    await listen(),
    'POST /transactions',
    'ticket=tkt_a&payment_type=external&amount=1'
  )

  await waiting
  socket.resetAndDestroy()
  await sleep(50)
  t.equal(sandbox.evidence.journal.size, 0, 'it is not over')
  goOn()
  await until(() => sandbox.evidence.journal.size === 1)
  const [call] = sandbox.evidence.journal.requests()
  t.strictSame(
    [sandbox.state.store.transactions.size, call?.outcome.name, call?.outcome.isDelivered],
    [1, 'lost_before', false]
  )
})

t.test('a delayed request is judged by the Account as it is then', async t => {
  const { call } = await startTestEmulator(t, {
    scenario: scripted([{ on: 'POST /locations', delay: '150ms' }])
  })
  const delayed = call('POST /locations', {
    body: { display_name: 'Late', 'address[country]': 'US' }
  })
  await sleep(30)
  await call('POST /accounts/mch_a', { body: { type: 'reseller' } })
  t.strictSame(blameOf(await delayed), [403, 'merchant_required', null, 'LOC-3'])
})
