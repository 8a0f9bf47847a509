import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { runEmulator } from '../../src/emulator.js'
import { documentOf } from '../../src/scenario/documents.js'
import { blameOf, MERCHANT, NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'

const FORM = 'application/x-www-form-urlencoded'
const CARD = '4000000000000002'
const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`
const records = {
  users: [
    { id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' },
    { id: 'usr_b', account: 'mch_a', name: 'B', email: 'b@example.com' }
  ],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }]
}
const FAULTS = ['connection_reset', 'empty_response', 'truncated_body', 'malformed_body', 'hang'] as const
/** How a connection is left whose answer does not arrive whole. */
const LEFT = { connection_reset: 'reset', empty_response: 'closed', truncated_body: 'closed', malformed_body: 'closed', hang: 'open' }

/** A small fixture with a script. */
const scripted = (script: object[], more: object = {}) => ({ clock: NOW, data: smallFixture(records), script, ...more })

type Exchange = { socket: Socket; received: () => string; state: () => 'open' | 'closed' | 'reset' }

/** Sends one call over a connection of its own, which stays open until the emulator ends it. */
async function exchange(port: number, on: string, form = ''): Promise<Exchange> {
  const [method, path] = on.split(' ')
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let state: ReturnType<Exchange['state']> = 'open'
  socket.on('data', chunk => {
    received += chunk
  })
  socket.on('end', () => {
    state = 'closed'
  })
  socket.on('error', error => {
    state = (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? 'reset' : state
  })
  await once(socket, 'connect')
  const body = method === 'POST' ? `Content-Type: ${FORM}\r\nContent-Length: ${form.length}\r\n\r\n${form}` : '\r\n'
  socket.write(`${method} /next${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://shop.example\r\nAuthorization: ${basic(MERCHANT)}\r\n${body}`)
  return { socket, received: () => received, state: () => state }
}

/** Waits until it is true, for two seconds at most. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const since = Date.now(); !(await holds()) && Date.now() - since < 2000; ) await sleep(10)
}

/** An answer's parts, as they came over the wire. */
function partsOf(received: string) {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map(header => header.split(/: (.*)/).slice(0, 2))) as Record<string, string>
  return { status: Number(line.split(' ')[1]), headers, body }
}

/** A call with a client of Node's own. */
async function answered(port: number, path: string, { agent = new Agent(), method = 'GET', form }: { agent?: Agent; method?: string; form?: string } = {}) {
  const headers = { authorization: basic(MERCHANT), ...(form !== undefined && { 'content-type': FORM }) }
  const call = request({ port, host: '127.0.0.1', path: `/next${path}`, method, agent, headers })
  call.end(form)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const port_ = (call.socket as Socket).localPort
  return { status: response.statusCode, headers: response.headers, text: await text(response), from: port_ }
}

t.test('script: every fault loses the answer as it says, before the call or after it took effect', async t => {
  const script = FAULTS.flatMap(fault =>
    (['before', 'after'] as const).map(when => ({ on: 'POST /refunds', match: { body: { reason: `${fault} ${when}` } }, fault, when }))
  )
  const { call, control, listen, logs } = await startTestEmulator(t, { scenario: scripted(script) })
  const port = await listen()
  const refundsOf = async (reason: string) => (await call('GET /refunds')).body.data.filter((refund: { reason: string }) => refund.reason === reason)

  for (const fault of FAULTS) {
    for (const when of ['before', 'after'] as const) {
      const reason = `${fault} ${when}`
      logs.length = 0
      const { socket, received, state } = await exchange(port, 'POST /refunds', `transaction=txn_a&amount=7&reason=${reason.replace(' ', '+')}`)
      await until(() => state() !== 'open' || received().endsWith('{'))
      if (fault === 'hang') await sleep(100)
      const neighbour = await answered(port, '/tickets/tkt_a')
      const made = await refundsOf(reason)

      t.equal(neighbour.status, 200, `${reason}: a neighbour is answered`)
      t.equal(state(), fault === 'malformed_body' ? 'open' : LEFT[fault], reason)
      t.equal(made.length, when === 'after' ? 1 : 0, `${reason}: the call ${when === 'after' ? 'took' : 'did not take'} effect`)
      const right = when === 'after' ? JSON.stringify(made[0]) : ''
      const { status, headers, body } = partsOf(received())
      if (fault === 'truncated_body' || fault === 'malformed_body') {
        t.equal(status, when === 'after' ? 200 : 502)
        t.equal(headers['content-type'], 'application/json; charset=utf-8')
        t.ok(/^req_\d+$/.test(headers['request-id'] as string))
        t.equal(headers['access-control-allow-origin'], '*')
      }
      if (fault === 'truncated_body') {
        const length = Number(headers['content-length'])
        t.equal(body.length, Math.floor(length / 2), 'half of what its length says')
        if (when === 'after') t.strictSame([length, body], [right.length, right.slice(0, length / 2)])
      } else if (fault === 'malformed_body') {
        t.equal(Buffer.byteLength(body), Number(headers['content-length']), 'as long as its length says')
        t.throws(() => JSON.parse(body), SyntaxError)
        if (when === 'after') t.equal(body, `${right.slice(0, -1)}{`)
      } else t.equal(received(), '', 'not a byte')

      socket.destroy()
      await until(() => logs.some(line => line.includes('lost')))
      const [logged] = logs.map(line => JSON.parse(line)).filter(({ call }) => call?.lost)
      const { ms, id, ...rest } = logged.call
      const arrived = fault === 'truncated_body' || fault === 'malformed_body' ? status : null
      const entry = `scr_${1 + FAULTS.indexOf(fault) * 2 + (when === 'after' ? 1 : 0)}`
      t.strictSame(rest, { method: 'POST', path: '/next/refunds', status: arrived, script: entry, lost: fault })
      t.equal(logged.msg, `POST /next/refunds ${arrived ?? '-'} ${ms} ms ${id}, ${entry}, lost: ${fault}`)
      t.equal(logs.filter(line => line.includes('POST')).length, 1, 'one line')
    }
  }
  const { data } = (await control('GET /script')).body
  t.strictSame(
    data.map(({ matched, applied }: { matched: number; applied: number }) => [matched, applied]),
    script.map(() => [1, 1])
  )
})

t.test('script: a fault beside respond loses that answer', async t => {
  const body = { a: 'é', list: [1, 2, 3] }
  const { listen } = await startTestEmulator(t, {
    scenario: scripted([
      { on: 'GET /tickets', fault: 'truncated_body', respond: { status: 418, headers: { 'X-Own': 'yes' }, body } },
      { on: 'GET /locations', fault: 'malformed_body', respond: { status: 201, body: 12 } },
      { on: 'GET /refunds', fault: 'malformed_body', respond: { body: 'words' } },
      { on: 'GET /accounts', fault: 'truncated_body', respond: { body: 'x' } }
    ])
  })
  const port = await listen()
  const whole = Buffer.from(JSON.stringify(body))

  const { received, state } = await exchange(port, 'GET /tickets')
  await until(() => state() === 'closed')
  const cut = partsOf(received())
  const number = await answered(port, '/locations')
  const words = await answered(port, '/refunds')
  const short = await exchange(port, 'GET /accounts')
  await until(() => short.state() === 'closed')

  t.strictSame([cut.status, cut.headers['x-own'], cut.headers['content-length']], [418, 'yes', String(whole.length)])
  t.equal(cut.body, whole.subarray(0, whole.length / 2).toString())
  t.strictSame([number.status, number.text, number.headers['content-length']], [201, '1{', '2'])
  t.strictSame([words.status, words.text, words.headers['content-type']], [200, 'word{', 'text/plain; charset=utf-8'])
  t.strictSame([partsOf(short.received()).headers['content-length'], partsOf(short.received()).body], ['1', ''], 'of one byte nothing arrives')
})

t.test('USR-4: an answer without a body has none to break: it does not arrive at all, and the User is gone', async t => {
  for (const fault of FAULTS) {
    const { call, listen, logs } = await startTestEmulator(t, {
      scenario: scripted([{ on: 'DELETE /accounts/{account_id}/users/{user_id}', fault, when: 'after', match: { params: { user_id: 'usr_a' } } }])
    })
    const port = await listen()

    const { socket, received, state } = await exchange(port, 'DELETE /accounts/mch_a/users/usr_a')
    await until(() => state() !== 'open')
    const left = (await call('GET /accounts/mch_a/users')).body.data.map(({ id }: { id: string }) => id)

    t.strictSame([received(), state()], ['', LEFT[fault]], fault)
    t.strictSame(left, ['usr_b'])
    t.equal((await call('DELETE /accounts/mch_a/users/usr_b')).status, 204, 'another call is answered')
    socket.destroy()
    await until(() => logs.some(line => line.includes(`lost: ${fault}`)))
    t.ok(logs.some(line => line.includes(`, scr_1, lost: ${fault}"`)))
  }
})

t.test('script: a refusal of the operation is lost like any answer of it', async t => {
  const { control, listen } = await startTestEmulator(t, { scenario: scripted([{ on: 'POST /refunds', fault: 'truncated_body', when: 'after' }]) })
  const port = await listen()

  const { received, state } = await exchange(port, 'POST /refunds', 'transaction=txn_a&amount=100001')
  await until(() => state() === 'closed')

  const { status, headers, body } = partsOf(received())
  t.strictSame([state(), status, body.length], ['closed', 400, Math.floor(Number(headers['content-length']) / 2)])
  t.ok(body.startsWith('{"error":{"type":"invalid_request_error"'), body)
  t.strictSame((await control('GET /state')).body.refunds, [])
})

t.test('script: after a malformed body the connection goes on', async t => {
  const { listen } = await startTestEmulator(t, {
    scenario: scripted([{ on: 'GET /tickets/{id}', calls: 1, fault: 'malformed_body', when: 'after' }])
  })
  const port = await listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const broken = await answered(port, '/tickets/tkt_a', { agent })
  const right = await answered(port, '/tickets/tkt_a', { agent })

  t.throws(() => JSON.parse(broken.text), SyntaxError)
  t.equal(broken.headers['content-length'], String(broken.text.length))
  t.equal(JSON.parse(right.text).id, 'tkt_a')
  t.equal(right.from, broken.from, 'over the same connection')
  agent.destroy()
})

t.test('script: a client sees a lost connection as its library tells it', async t => {
  const { listen } = await startTestEmulator(t, {
    scenario: scripted(FAULTS.map((fault, index) => ({ on: 'GET /tickets/{id}', calls: index + 1, fault })))
  })
  const port = await listen()
  const url = `http://127.0.0.1:${port}/next/tickets/tkt_a`
  const headers = { authorization: basic(MERCHANT), connection: 'close' }

  await t.rejects(answered(port, '/tickets/tkt_a'), { code: 'ECONNRESET' })
  await t.rejects(fetch(url, { headers }), { message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } })
  await t.rejects(answered(port, '/tickets/tkt_a'), { code: 'ECONNRESET', message: 'aborted' })
  await t.rejects(
    fetch(url, { headers }).then(answer => answer.json()),
    SyntaxError
  )
  await t.rejects(fetch(url, { headers, signal: AbortSignal.timeout(200) }), { name: 'TimeoutError' })
})

t.test('script: an injected call has no connection: a lost answer rejects it', async t => {
  const { app, call } = await startTestEmulator(t, {
    scenario: scripted([...FAULTS.map((fault, index) => ({ on: 'GET /tickets/{id}', calls: index + 1, fault })), { on: 'GET /refunds', delay: '10m' }])
  })
  for (const fault of FAULTS.slice(0, 3)) await t.rejects(call('GET /tickets/tkt_a'), { code: 'LIGHT_ECONNRESET' }, fault)
  const malformed = await app.inject({ url: '/next/tickets/tkt_a', headers: { authorization: basic(MERCHANT) } })
  t.equal(malformed.statusCode, 502)
  t.throws(() => malformed.json(), SyntaxError)

  const hanging = call('GET /tickets/tkt_a')
  const delayed = call('GET /refunds')
  const ends = Promise.all([t.rejects(hanging, { code: 'LIGHT_ECONNRESET' }), t.rejects(delayed, { code: 'LIGHT_ECONNRESET' })])
  await sleep(50)
  await app.close()
  await ends
})

t.test('script: hanging calls end at once when the emulator closes, delayed ones get limits.shutdown', async t => {
  const scenario = scripted([
    { on: 'GET /tickets/{id}', fault: 'hang' },
    { on: 'GET /refunds', delay: '500ms' },
    { on: 'GET /accounts', delay: '600ms', fault: 'hang' },
    { on: 'POST /locations', delay: '10m' }
  ])
  const lines: string[] = []
  const { pino } = await import('pino')
  const logger = pino({ level: 'info' }, { write: line => lines.push(line) })
  const { app, close } = await runEmulator({ scenario, settings: { 'limits.shutdown': 1500 }, logger })
  const port = (app.server.address() as { port: number }).port
  const hanging = await Promise.all(Array.from({ length: 20 }, () => exchange(port, 'GET /tickets/tkt_a')))
  const later = await exchange(port, 'GET /accounts')
  const endless = await exchange(port, 'POST /locations', 'display_name=B&address[country]=US')
  const delayed = answered(port, '/refunds')
  await sleep(100)
  t.ok(
    hanging.every(({ state }) => state() === 'open'),
    'they hang'
  )

  const since = Date.now()
  const closing = close()
  await until(() => hanging.every(({ state }) => state() !== 'open'))
  t.ok(Date.now() - since < 1400, `the hanging ones ended after ${Date.now() - since} ms`)
  t.equal((await delayed).status, 200, 'a delayed one is answered')
  await until(() => later.state() !== 'open')
  t.ok(Date.now() - since < 1400, `what would hang now is cut after ${Date.now() - since} ms`)
  await closing
  const took = Date.now() - since

  t.ok(took > 1400 && took < 6000, `closed after ${took} ms`)
  await until(() => endless.state() !== 'open')
  t.equal(endless.received(), '', 'a longer one is cut')
  await until(() => lines.filter(line => line.includes('lost')).length === 22)
  const lost = lines.map(line => JSON.parse(line).call?.lost).filter(Boolean)
  t.strictSame([lost.filter(how => how === 'hang').length, lost.filter(how => how === 'connection_closed').length], [21, 1])
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length, 0, 'no connection is left')
})

t.test('script: closing does not wait for the connection of a call that was answered meanwhile', async t => {
  const { app, close } = await runEmulator({ scenario: scripted([{ on: 'GET /refunds', delay: '500ms' }]), settings: { 'limits.shutdown': 5000 } })
  const agent = new Agent({ keepAlive: true })
  const delayed = answered((app.server.address() as { port: number }).port, '/refunds', { agent })
  await sleep(200)

  const since = Date.now()
  await close()

  t.ok(Date.now() - since < 3000, `closed after ${Date.now() - since} ms`)
  t.strictSame([(await delayed).status, (await delayed).headers.connection], [200, 'close'])
  agent.destroy()
})

t.test('script: respond answers in the operation’s stead, and nothing is changed', async t => {
  const JSON_TYPE = 'application/json; charset=utf-8'
  const error = (type: string, code: string, message: string) => ({ error: { type, code, message, request_id: 'ID' } })
  const cases: [respond: object, status: number, type: string | undefined, body: unknown][] = [
    [{ status: 503, body: '', headers: { 'Retry-After': '2' } }, 503, undefined, ''],
    [{ status: 503, retry_after: '1500ms' }, 503, JSON_TYPE, error('api_error', 'service_unavailable', 'The service is unavailable; try again later.')],
    [{ status: 402 }, 402, JSON_TYPE, error('card_error', 'card_declined', 'The card was declined.')],
    [{ status: 402, error: { code: 'expired_card' } }, 402, JSON_TYPE, error('card_error', 'expired_card', 'The card was declined.')],
    [{ status: 418, error: {} }, 418, JSON_TYPE, error('invalid_request_error', 'parameter_invalid', 'The request is not valid.')],
    [{ status: 507 }, 507, JSON_TYPE, error('api_error', 'internal_error', 'The service failed.')],
    [{ status: 302 }, 302, undefined, ''],
    [{ status: 204 }, 204, undefined, ''],
    [{ body: { id: 'rfd_x', made_up: [1, null] } }, 200, 'application/json; charset=utf-8', { id: 'rfd_x', made_up: [1, null] }],
    [{ status: 201, body: [] }, 201, 'application/json; charset=utf-8', []],
    [{ body: null }, 200, 'application/json; charset=utf-8', null],
    [{ body: 0 }, 200, 'application/json; charset=utf-8', 0],
    [{ status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } }, 502, 'text/html', '<h1>Bad Gateway</h1>'],
    [{ body: 'plain' }, 200, 'text/plain; charset=utf-8', 'plain'],
    [{ body: '' }, 200, undefined, ''],
    [{ error: { code: 'card_declined', message: 'No.' } }, 400, 'application/json; charset=utf-8', error('invalid_request_error', 'card_declined', 'No.')],
    [
      { status: 402, error: { type: 'card_error', code: 'card_declined', message: 'No.', param: 'card[number]' } },
      402,
      'application/json; charset=utf-8',
      { error: { type: 'card_error', code: 'card_declined', message: 'No.', param: 'card[number]', request_id: 'ID' } }
    ]
  ]
  const { call, state, inject, logs } = await startTestEmulator(t, {
    scenario: scripted(
      cases.map(([respond], index) => ({ on: 'POST /refunds', calls: index + 1, respond })),
      { settings: { statuses: { created: 201 } } }
    )
  })
  const before = await state()
  for (const [respond, status, type, expected] of cases) {
    const answer = await inject({
      method: 'POST',
      url: '/next/refunds',
      payload: 'transaction=txn_a',
      headers: { authorization: basic(MERCHANT), 'content-type': FORM, origin: 'https://shop.example' }
    })

    const id = String(answer.headers['request-id'])
    t.equal(answer.status, status, JSON.stringify(respond))
    t.equal(answer.headers['content-type'], type)
    t.equal(answer.text, typeof expected === 'string' ? expected : JSON.stringify(expected).replace('"ID"', JSON.stringify(id)))
    t.ok(/^req_\d+$/.test(id))
    t.equal(answer.headers['access-control-allow-origin'], '*')
    t.equal(answer.headers['access-control-expose-headers'], 'Request-Id, Warning')
    t.equal(answer.headers['retry-after'], status === 503 ? '2' : undefined)
    t.ok(
      logs.some(line => JSON.parse(line).msg.endsWith(` ${id}, scr_${id.slice(4)}`)),
      'the log names the entry'
    )
  }
  t.equal(await state(), before)
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 201, 'and the operation itself is made when no entry applies')
})

t.test('match: what a call is about is found through what it names', async t => {
  const about = (what: object) => ({ on: '*', match: { about: what }, respond: { status: 503 } })
  const cases: [on: string, call: { body?: string; query?: string; key?: string | null }, about: object][] = [
    ['POST /transactions', { body: 'ticket=tkt_a&payment_type=external', key: null }, { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['POST /refunds', { body: 'transaction=txn_a' }, { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /transactions/txn_a', {}, { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /tickets/tkt_a', {}, { ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /tickets', { query: 'location=loc_a' }, { location: 'loc_a', account: 'mch_a' }],
    ['GET /refunds', { query: 'transaction=txn_a' }, { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /locations/loc_a', {}, { location: 'loc_a', account: 'mch_a' }],
    ['GET /accounts/mch_a', {}, { account: 'mch_a' }],
    ['GET /accounts/mch_a/users', {}, { account: 'mch_a' }],
    ['DELETE /accounts/mch_a/users/usr_none', {}, { account: 'mch_a' }],
    ['GET /refunds/rfd_a', {}, { transaction: 'txn_a', ticket: 'tkt_a', location: 'loc_a', account: 'mch_a' }],
    ['GET /refunds/rfd_none', {}, { account: 'mch_a' }],
    ['GET /refunds', {}, { account: 'mch_a' }]
  ]
  const data = smallFixture({ ...records, refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }] })
  const kinds = ['location', 'ticket', 'transaction', 'account'] as const
  for (const [on, call, expected] of cases) {
    const emulator = await startTestEmulator(t, {
      scenario: scripted(
        kinds.map(what => ({ ...about({ [what]: '//' }), calls: 1 })),
        { data }
      )
    })
    for (let nth = 0; nth < 4; nth++) await emulator.call(on, call)
    const counted = emulator.sandbox.script.listed().map(({ matched }, index) => [kinds[index], matched > 0])
    t.strictSame(Object.fromEntries(counted), Object.fromEntries(kinds.map(what => [what, what in expected])), on)

    const exact = await startTestEmulator(t, { scenario: scripted([about(expected)], { data }) })
    t.equal((await exact.call(on, call)).status, 503, `${on} ${JSON.stringify(expected)}`)
    const other = await startTestEmulator(t, { scenario: scripted([about({ ...expected, account: 'mch_b' })], { data }) })
    t.not((await other.call(on, call)).status, 503)
  }

  const expect = [{ on: 'POST /transactions', match: { about: { account: { present: false } } }, times: 1 }]
  const nobody = await startTestEmulator(t, { scenario: scripted([], { expect }) })
  t.equal((await nobody.call('POST /transactions', { body: 'ticket=tkt_none&payment_type=external', key: null })).status, 400)
  t.equal((await nobody.control('POST /verify')).status, 200, 'a call without a key that names nothing is about nobody')
})

t.test('match: a parameter that has parts was sent or not', async t => {
  const script = [{ on: 'POST /transactions', match: { body: { card: { present: false } } }, respond: { status: 402 } }]
  const { call } = await startTestEmulator(t, { scenario: scripted(script) })
  const pay = (more: string) => call('POST /transactions', { body: `ticket=tkt_a&payment_type=card${more}`, key: null })

  t.strictSame([(await pay('')).status, (await pay('&card[brand]=visa')).status], [402, 200])
})

t.test('script: a delay holds up its own call alone; one from min to max is drawn from the seed', async t => {
  const script = [
    { on: 'GET /tickets', delay: '300ms' },
    { on: 'GET /locations', delay: { min: '20ms', max: '200ms' } }
  ]
  const timed = async (act: () => Promise<unknown>) => {
    const since = performance.now()
    await act()
    return performance.now() - since
  }
  const { call, sandbox, control } = await startTestEmulator(t, { scenario: scripted(script) })

  const order: string[] = []
  const slow = timed(() => call('GET /tickets').then(() => order.push('slow')))
  await call('GET /tickets/tkt_a').then(() => order.push('quick'))
  const fixed = await slow

  t.ok(fixed >= 299, `a fixed one took ${fixed} ms`)
  t.strictSame(order, ['quick', 'slow'])

  const drawn = (seed: number) => {
    sandbox.reset()
    const { script } = sandbox
    const sent = {
      operation: 'listLocations',
      key: null,
      params: () => undefined,
      query: () => undefined,
      body: () => undefined,
      about: () => undefined
    } as const
    return Array.from({ length: 20 }, () => script.act(sent, { seed, at: 0 })?.delay as number)
  }
  t.strictSame(drawn(1), drawn(1))
  t.notSame(drawn(1), drawn(2))
  t.ok(drawn(1).every(ms => ms >= 20 && ms <= 200) && new Set(drawn(1)).size > 5)
  const [first, second] = drawn(1) as [number, number]
  for (const ms of [first, second]) {
    const took = await timed(() => call('GET /locations'))
    t.ok(took >= ms - 1, `${ms} ms were drawn, it took ${took} ms`)
  }
  await control('POST /reset')
  const again = await timed(() => call('GET /locations'))
  t.ok(again >= first - 1, `after a reset the first is drawn again: ${first} ms, it took ${again} ms`)
})

t.test('script: a client that gives up during a delay is logged so, and its call still takes effect', async t => {
  const { call, listen, logs } = await startTestEmulator(t, {
    scenario: scripted([
      { on: 'POST /refunds', delay: '500ms' },
      { on: 'GET /accounts', delay: '500ms', fault: 'connection_reset' }
    ])
  })
  const port = await listen()

  const { socket } = await exchange(port, 'POST /refunds', 'transaction=txn_a')
  const other = await exchange(port, 'GET /accounts')
  await sleep(50)
  socket.destroy()
  other.socket.destroy()
  await until(() => logs.filter(line => line.includes('lost')).length === 2)
  await until(async () => (await call('GET /refunds')).body.data.length === 1)

  t.equal((await call('GET /refunds')).body.data.length, 1)
  const lost = logs.map(line => JSON.parse(line)).filter(({ call }) => call?.lost)
  lost.sort((a, b) => a.call.script.localeCompare(b.call.script))
  t.strictSame(
    lost.map(({ call: { id, ms, ...call } }) => call),
    [
      { method: 'POST', path: '/next/refunds', status: null, script: 'scr_1', lost: 'connection_closed' },
      { method: 'GET', path: '/next/accounts', status: null, script: 'scr_2', lost: 'connection_closed' }
    ]
  )
  t.equal(logs.filter(line => JSON.parse(line).level > 30).length, 0, 'nothing is logged as a defect')
})

t.test("script: a call that is answered in the operation's stead is not made after all when its client leaves", async t => {
  let goOn = () => {}
  const waiting = new Promise<void>(isWaiting => {
    const written = new Promise<void>(resolve => {
      goOn = resolve
    })
    t.context.saved = () => {
      isWaiting()
      return written
    }
  })
  const { sandbox, listen } = await startTestEmulator(t, {
    scenario: scripted([{ on: 'POST /transactions', respond: { status: 402 } }]),
    saved: t.context.saved
  })
  const { socket } = await exchange(await listen(), 'POST /transactions', 'ticket=tkt_a&payment_type=external&amount=1')

  await waiting
  socket.resetAndDestroy()
  await sleep(50)
  t.equal(sandbox.evidence.journal.size, 0, 'it is not over')
  goOn()
  await until(() => sandbox.evidence.journal.size === 1)
  const [call] = sandbox.evidence.journal.requests()
  t.strictSame([sandbox.store.transactions.size, call?.outcome, call?.isDelivered], [1, 'lost_before', false])
})

t.test('script: a call whose state was replaced while it was delayed is judged anew', async t => {
  const { call, control, state } = await startTestEmulator(t, { scenario: scripted([{ on: 'POST /locations', delay: '400ms' }]) })
  const body = { display_name: 'Late', 'address[country]': 'US' }
  const account = await call('POST /accounts', { body: { type: 'merchant', name: 'B', email: 'b@example.com', 'address[country]': 'US' } })
  const keyOf = async (id: string): Promise<string> => (await control('POST /keys', { account: id })).body.key
  const keys = [await keyOf(account.body.id), await keyOf('mch_a')]

  const gone = keys.map(key => call('POST /locations', { key, body }))
  await sleep(30)
  await control('POST /reset')
  const before = await state()
  for (const refused of await Promise.all(gone)) t.strictSame(blameOf(refused), [401, 'api_key_unknown', null, 'A18'])
  t.equal(await state(), before)

  const reseller = call('POST /locations', { body })
  await sleep(30)
  await call('POST /accounts/mch_a', { body: { type: 'reseller' } })
  t.strictSame(blameOf(await reseller), [403, 'merchant_required', null, 'LOC-3'], 'by the Account as it is by then')
  await control('POST /reset')

  const known = call('POST /locations', { body })
  await sleep(30)
  await control('POST /load', { scenario: scripted([]) })
  const made = await known
  t.strictSame([made.status, made.body.account], [200, 'mch_a'])
})

t.test('script: a Retry-After holds seconds, by both clocks, or a date; anything else says nothing', async t => {
  const after = ['2', 'Sun, 01 Mar 2026 18:06:00 GMT', 'soon', '']
  const { call, sandbox } = await startTestEmulator(t, {
    scenario: scripted(after.map((header, index) => ({ on: 'GET /tickets', calls: index + 1, respond: { status: 503, headers: { 'Retry-After': header } } })))
  })

  for (const _ of after) await call('GET /tickets')
  await call('GET /tickets')

  const now = Date.parse(NOW)
  const date = now + 60_000
  t.strictSame(
    sandbox.evidence.journal.requests().map(({ pause }) => pause),
    [{ machine: now + 2000, sandbox: now + 2000 }, { machine: date, sandbox: date }, null, null, null]
  )
})

t.test('script: it is asked after key and parameters: a call refused for those is neither counted nor matched', async t => {
  const { call, control } = await startTestEmulator(t, {
    scenario: scripted([{ on: 'POST /refunds', respond: { status: 418 } }], { expect: [{ on: 'POST /refunds', times: 0 }, { on: 'DELETE /locations/{id}' }] })
  })
  const refused: [options: Parameters<typeof call>[1], status: number][] = [
    [{ key: null, body: 'transaction=txn_a' }, 401],
    [{ key: 'nope', body: 'transaction=txn_a' }, 401],
    [{ body: '{}', headers: { 'content-type': 'application/json' } }, 415],
    [{ body: 'transaction=%zz' }, 400],
    [{ body: 'transaction=txn_a&colour=red' }, 400],
    [{ body: '' }, 400],
    [{ body: 'transaction=txn_a&amount=-1' }, 400],
    [{ body: 'transaction=txn_none' }, 400]
  ]
  for (const [options, status] of refused) t.equal((await call('POST /refunds', options)).status, status, JSON.stringify(options))
  t.equal((await call('PUT /refunds')).status, 405)
  t.strictSame(
    (await control('GET /script')).body.data.map(({ matched, applied }: { matched: number; applied: number }) => [matched, applied]),
    [[0, 0]]
  )
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a&amount=100001' })).status, 418, 'what the operation itself would refuse is matched')
  t.equal((await call('DELETE /locations/loc_a')).status, 501)
  t.strictSame(
    (await control('POST /verify')).body.expectations.map(({ seen }: { seen: number }) => seen),
    [7, 1],
    'expectations count every call whose key was right'
  )
})

t.test('script: a call of an operation without entries pays nothing for it', async t => {
  const { call, sandbox } = await startTestEmulator(t, { scenario: scripted([{ on: 'GET /tickets', respond: { body: 'scripted' } }]) })
  let asked = 0
  const act = sandbox.script.act.bind(sandbox.script)
  sandbox.script.act = (...given) => {
    asked++
    return act(...given)
  }

  t.equal((await call('GET /tickets/tkt_a')).status, 200)
  t.equal((await call('GET /locations')).status, 200)
  t.equal(asked, 0)
  t.equal((await call('GET /tickets')).text, 'scripted')
  t.equal(asked, 1)
})

t.test('script: entries match params, query, nested names and the key', async t => {
  const body = (text: string) => ({ respond: { body: text } })
  const { call } = await startTestEmulator(t, {
    records,
    scenario: scripted([
      { on: 'GET /tickets/{id}', match: { params: { id: 'tkt_a' }, key: RESELLER }, ...body('by key') },
      { on: 'GET /tickets', match: { query: { created: { gte: '/^2026/' } } }, ...body('by query') },
      { on: 'POST /transactions', match: { body: { customer: { email: ['a@example.com', '/@b\\.example$/'] } } }, ...body('by list') },
      { on: 'POST /transactions', match: { body: { 'amounts[tip_amount]': 5 } }, ...body('by number') },
      { on: 'POST /transactions', match: { key: '/./' }, ...body('by any key') }
    ])
  })
  const pay = (form: string, key: string | null = null) => call('POST /transactions', { key, body: `ticket=tkt_a&payment_type=card&${form}` })

  t.equal((await call('GET /tickets/tkt_a', { key: RESELLER })).text, 'by key')
  t.equal((await call('GET /tickets/tkt_a')).body.id, 'tkt_a')
  t.equal((await call('GET /tickets', { query: 'created%5Bgte%5D=2026-01-01' })).text, 'by query')
  t.equal((await call('GET /tickets', { query: 'created[gte]=2025-01-01' })).status, 200)
  t.equal((await call('GET /tickets')).body.object, 'list')
  t.equal((await pay('customer[email]=x@b.example')).text, 'by list')
  t.equal((await pay('amounts[tip_amount]=5')).text, 'by number')
  t.equal((await pay('amounts[tip_amount]=50')).status, 200)
  t.equal((await pay('amount=1', 'anything')).text, 'by any key')
})

t.test('A25: a card number is matched and forgotten', async t => {
  const { call, control, logs, state } = await startTestEmulator(t, {
    scenario: scripted(
      [
        { on: 'POST /transactions', match: { body: { card: { number: '/^4000 ?0000 ?0000 ?0002$/' } } }, calls: 1, respond: { status: 402 } },
        { on: 'POST /transactions', match: { body: { card: { number: '/0002$/' } } }, calls: 2, fault: 'malformed_body', when: 'after' }
      ],
      { expect: [{ on: 'POST /transactions', match: { body: { 'card[number]': '/0002$/' } }, times: 2 }] }
    )
  })
  const pay = (number: string) => call('POST /transactions', { key: null, body: { ticket: 'tkt_a', payment_type: 'card', 'card[number]': number } })

  t.equal((await pay(CARD)).status, 402)
  t.equal((await pay('4242424242424242')).status, 200)
  await t.rejects(pay('4000 0000 0000 0002'), SyntaxError)

  const verdict = await control('POST /verify')
  const seen = [logs.join(''), (await control('GET /script')).text, await state(), verdict.text, (await control('GET ')).text].join('')
  t.equal(verdict.status, 200)
  for (const trace of [CARD, '4000 0000', '40000000', '4242424242', '424242424242']) t.notOk(seen.includes(trace), trace)
  t.strictSame(
    (await control('GET /script')).body.data.map(({ matched, applied }: { matched: number; applied: number }) => [matched, applied]),
    [
      [2, 1],
      [2, 1]
    ]
  )
})

t.test('steps: they are played at load through the real rules, and are in the first state', async t => {
  const scenario = {
    ...scripted([{ on: 'POST /refunds', respond: { status: 418 } }], { expect: [{ on: 'POST /refunds', times: 0 }] }),
    steps: [
      { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'vip', amount: 500, customer: { phone: '1' }, currency: null } },
      { as: 'refund', do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 200 }, expect: { status: 200, body: { amount: 200 } } },
      { do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 301 }, expect: { status: 400, body: { error: { rule: 'REF-7' } } } },
      { do: 'POST /locations', key: RESELLER, body: { display_name: 'X', address: { country: 'US' } }, expect: { status: 403 } },
      { do: 'GET /refunds', query: { transaction: '${payment.id}', limit: 1 }, expect: { body: { data: [{ id: '${refund.id}' }], has_more: false } } },
      { do: 'DELETE /accounts/mch_a/users/usr_a', expect: { status: 204 } }
    ]
  }
  const { call, control, logs, state } = await startTestEmulator(t, { scenario })
  const before = await state()
  const { body } = await call('GET /refunds')

  t.equal(body.data[0].amount, 200)
  t.equal((await call(`GET /transactions/${body.data[0].transaction}`)).body.amount_refunded, 200)
  t.equal((await call('GET /accounts/mch_a/users')).body.data.length, 1)
  t.equal((await control('POST /verify')).status, 200, 'they are not counted')
  t.strictSame(
    (await control('GET /script')).body.data.map(({ matched }: { matched: number }) => matched),
    [0],
    'nor scripted'
  )
  t.equal(logs.filter(line => line.includes('POST /next')).length, 0, 'nor logged')
  t.equal((await control('GET /assumptions')).body.data.find(({ id }: { id: string }) => id === 'A28').times, 0)
  t.equal((await call('GET /tickets')).headers['request-id'], 'req_4', 'nor do they take the ids of answers')
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 418)

  await control('POST /reset')
  t.equal(await state(), before, 'a reset goes back to behind them')
  const dry = await control('POST /load?dry_run', { scenario })
  t.strictSame([dry.status, dry.body.dry_run, await state()], [200, true, before])
})

t.test('steps: one that is answered otherwise than expected fails the load whole, with its line', async t => {
  const { control, state, call } = await startTestEmulator(t, { scenario: scripted([]) })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })
  const before = [await state(), (await control('GET /settings')).text]
  const yaml = `
data:
  accounts: [{ id: mch_z, type: merchant, name: Z, email: z@example.com, address: { country: US } }]
  api_keys: [{ key: sk_z, account: mch_z }]
steps:
  - { as: place, do: POST /locations, body: { display_name: Z, address: { country: US } } }
  - { as: none, do: "GET /tickets/tkt_none" }
  - { do: "GET /locations/\${place.id}", expect: { body: { display_name: Y, phone: null } } }
  - { do: "GET /tickets/\${none.id}" }
`
  for (const path of ['/load', '/load?dry_run=1']) {
    const { status, body } = await control(`POST ${path}`, yaml, { 'content-type': 'application/yaml' })

    t.equal(status, 400)
    t.strictSame(
      body.error.problems,
      [
        [7, 5, 'steps[1]', 'GET /tickets/tkt_none: status: a 2xx was expected, not 404 (No Ticket has the id tkt_none.)'],
        [8, 5, 'steps[2]', 'GET /locations/${place.id}: body.display_name: "Y" was expected, not "Z"'],
        [9, 5, 'steps[3]', 'GET /tickets/${none.id}: ${none.id} has no value: the step that it refers to did not return it']
      ].map(([line, column, path, message]) => ({ file: 'body', path, message, line, column }))
    )
    t.strictSame([await state(), (await control('GET /settings')).text], before, 'everything is as before')
  }
})

t.test('steps: no client can reach the sandbox that they are played in', async t => {
  const { app, sandbox, call, listen, logs } = await startTestEmulator(t, { scenario: scripted([]) })
  const port = await listen()
  const found: unknown[] = []
  const data = { ...smallFixture(), tickets: [{ id: 'tkt_new', location: 'loc_a', reference: 'New' }] }
  const document = documentOf('test', { data, steps: Array.from({ length: 3 }, () => ({ do: 'GET /tickets/tkt_new' })) })

  await sandbox.load(
    document,
    { name: 'test', file: null },
    {
      play: candidate => {
        const play = app.playIn(candidate)
        return async step => {
          const playing = play(step)
          for (const mark of ['step-1', 'step-2', 'step-3', 'step-4']) {
            const headers = { authorization: basic(MERCHANT), 'x-forwarded-for': mark, 'remote-address': mark, forwarded: `for=${mark}`, host: mark, via: mark }
            const answer = await fetch(`http://127.0.0.1:${port}/next/tickets/tkt_new`, { headers: { ...headers } })
            found.push(answer.status)
          }
          return playing
        }
      }
    }
  )

  t.strictSame(
    found,
    Array.from({ length: 12 }, () => 404)
  )
  t.equal((await call('GET /tickets/tkt_new')).status, 200, 'until it is loaded')
  const mark = await app.inject({ url: '/next/tickets/tkt_new', remoteAddress: 'step-1', headers: { authorization: basic(MERCHANT) } })
  t.ok(
    logs.some(line => line.includes(String(mark.headers['request-id']))),
    'a mark that is over means nothing'
  )
})

t.test('steps: a parameter that is dropped with a warning is not logged for them', async t => {
  const scenario = {
    ...scripted([]),
    settings: { parameters: { unknown: 'warn' } },
    steps: [{ do: 'GET /tickets', query: { colour: 'red' } }]
  }
  const { call, logs } = await startTestEmulator(t, { scenario })

  t.equal(logs.filter(line => line.includes('colour')).length, 0)
  await call('GET /tickets', { query: 'colour=red' })
  t.equal(logs.filter(line => line.includes('colour')).length, 1)
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
