import { getEventListeners } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import {
  type Emulator,
  MERCHANT,
  NOW,
  sandboxClient,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const ids = async ({ control }: Pick<Emulator, 'control'>, query = ''): Promise<string> =>
  (await control(`GET /requests${query}`)).body.data
    .map(({ id }: Json) => id.replace('req_', ''))
    .join()

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

t.test('journal: it lists the newest first, filtered by operation, status, id', async t => {
  const emulator = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  const { call, control } = emulator
  await call('GET /tickets', { query: 'search_query=a' })
  await call('GET /tickets/tkt_none', {
    headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }
  })
  await control('PUT /clock', { now: '2026-03-02T00:00:00Z' })
  await call('GET /tickets')
  await call('GET /tickets', { key: null })
  await call('GET /nothing')
  for (const amount of [600, 500])
    await call('POST /refunds', { body: { transaction: 'txn_a', amount } })

  for (const [query, expected] of [
    ['', '7,6,5,4,3,2,1'],
    ['?on=GET%20/tickets', '4,3,1'],
    ['?on=get%20/tickets/{id}', '2'],
    ['?on=POST%20/locations', ''],
    ['?status=404', '5,2'],
    ['?status=4xx', '7,5,4,2'],
    ['?status=2xx&on=GET%20/tickets', '3,1'],
    ['?since=req_3', '7,6,5,4'],
    ['?since=req_7', ''],
    ['?since=req_2&status=200', '6,3'],
    ['?since=2026-03-02', '7,6,5,4,3'],
    ['?since=2026-03-02T00:00:01Z', ''],
    ['?since=2026-03-01T00:00:00Z&status=404', '5,2'],
    ['?limit=2', '7,6'],
    ['?rule=REF-7', '7'],
    ['?rule=REF-4', '']
  ] as const)
    t.equal(await ids(emulator, query), expected, query)
  const { object, has_more, dropped } = (await control('GET /requests?limit=7')).body
  t.strictSame(
    [object, has_more, dropped, (await control('GET /requests?limit=6')).body.has_more],
    ['list', false, 0, true]
  )

  const { status, text } = await control('DELETE /requests')
  t.strictSame(
    [status, text, await ids(emulator), (await control('GET /findings')).body.data.length],
    [204, '', '', 1]
  )
  await call('GET /tickets')
  await control('POST /reset')
  t.equal(await ids(emulator), '')
})

t.test('journal: a filter, id or format that does not exist is refused', async t => {
  const { call, control } = await startTestEmulator(t)
  t.equal((await control('GET /requests/req_1')).body.error.code, 'request_unknown')
  await call('GET /tickets')
  t.equal((await control('GET /requests/req_9')).body.error.code, 'request_unknown')

  for (const [param, ...paths] of [
    ['since', '/requests?since=req_9', '/requests?scope=run&since=req_1'],
    ['on', '/requests?on=POST%20/refund', '/requests?on=nothing%20like%20any%20of%20them'],
    ['rule', '/requests?rule=REF-77'],
    ['status', '/requests?status=teapot', '/requests?status=6xx'],
    ['limit', '/requests?limit=1001'],
    ['format', '/requests/req_1?format=xml', '/coverage?format=junit', '/findings?format=junit'],
    ['scope', '/assumptions?scope=all']
  ] as const)
    for (const path of paths) {
      const { error } = (await control(`GET ${path}`)).body
      t.strictSame([error.code, error.param], ['parameter_invalid', param], path)
    }
  t.equal((await control('DELETE /coverage?scope=all')).body.error.code, 'parameter_invalid')
  for (const on of [
    'GET /requests',
    'GET /clock',
    'GET /schema/script.json',
    'GET /metrics',
    'GET /events',
    'DELETE /requests'
  ])
    t.equal((await control(`${on}?a=b`)).body.error.code, 'parameter_unknown', on)
})

t.test('journal: overflow, by count and by bytes, costs coverage, findings', async t => {
  const note = 'n'.repeat(30_000)
  for (const [setting, value, kept] of [
    ['limits.journal', 2, 2],
    ['limits.journal_bytes', 65_536, 1]
  ] as const) {
    const scenario = {
      clock: NOW,
      data: smallFixture({ transactions: [CHARGE] }),
      expect: [{ on: 'POST /refunds', times: 5 }]
    }
    const { call, control } = await startTestEmulator(t, {
      settings: { [setting]: value },
      scenario
    })
    for (let time = 0; time < 5; time++)
      await call('POST /refunds', { body: { transaction: 'txn_a', amount: 10, reason: note } })
    await call('GET /tickets', { query: 'search_query=a' })
    for (let time = 0; time < 3; time++)
      await call('POST /accounts', {
        body: { type: 'merchant', name: note, email: 'a@example.com', 'address[country]': 'US' }
      })

    const { data, dropped } = (await control('GET /requests')).body
    t.strictSame([data.length, dropped], [kept, 9 - kept], setting)
    t.equal(
      (await control('GET /coverage')).body.rules.find(({ rule }: Json) => rule === 'REF-5').passed,
      5
    )
    const [{ finding, requests }, ...more] = (await control('GET /findings')).body.data
    t.strictSame([finding, requests, more], ['search-without-narrowing', ['req_6'], []])
    t.equal((await control('POST /verify')).status, 200)
    const relied = (await control('GET /assumptions')).body.data.find(
      ({ id }: Json) => id === 'A23'
    )
    t.strictSame([relied.times, relied.requests.join()], [5, 'req_1,req_2,req_3,req_4,req_5'])
  }
})

t.test('formats: a request, findings and coverage come as JSON or text', async t => {
  const { call, control } = await startTestEmulator(t)
  const text = async (of: string) => (await control(`GET ${of}`)).text
  t.equal(await text('/findings?format=text'), 'No findings.\n')

  await call('GET /tickets', { query: 'search_query=a' })

  t.ok(
    (await text('/requests/req_1?format=text')).startsWith(
      `req_1  GET /tickets  answered, 200, changed nothing  (${NOW})\n`
    )
  )
  t.equal(await text('/requests/req_1?format=json'), await text('/requests/req_1'))
  t.ok(
    (await text('/findings?format=text')).startsWith(
      'warning: search-without-narrowing (1×, req_1)\n'
    )
  )
  t.ok((await text('/findings?format=text&scope=run')).startsWith('warning: '))
  t.equal(await text('/findings?format=json'), await text('/findings'))
  for (const [format, type] of [
    ['json', 'application/json'],
    ['text', 'text/plain']
  ])
    t.equal(
      (await control(`GET /coverage?format=${format}`)).headers['content-type'],
      `${type}; charset=utf-8`
    )
  t.equal(
    (await control('GET /requests/req_1?format=text')).headers['content-type'],
    'text/plain; charset=utf-8'
  )
})

/** An open event stream and what has come of it. */
const openEvents = (port: number, query = '') =>
  new Promise<{
    answer: IncomingMessage
    seen: () => string
    until: (text: string, times?: number) => Promise<void>
    ended: Promise<void>
  }>(resolve => {
    get(`http://127.0.0.1:${port}/_control/events${query}`, answer => {
      let seen = ''
      const ended = new Promise<void>(end => answer.once('close', () => end()))
      answer.setEncoding('utf8').on('data', chunk => {
        seen += chunk
      })
      answer.on('error', () => {})
      const until = async (text: string, times = 1) => {
        while (seen.split(text).length <= times)
          await new Promise(next => answer.once('data', next))
      }
      resolve({ answer, seen: () => seen, until, ended })
    })
  })

t.test('events: every listener gets each request, of a run with its sandbox', async t => {
  const emulator = await startTestEmulator(t)
  const { app, call, control } = emulator
  const till = sandboxClient(emulator, 'till')
  const port = await emulator.listen()
  const [run, own, leaving] = [
    await openEvents(port, '?scope=run'),
    await openEvents(port),
    await openEvents(port)
  ]
  await Promise.all([run, own, leaving].map(({ until }) => until('\n\n')))

  await till.call('GET /locations')
  await call('POST /transactions', {
    body: 'ticket=tkt_a&payment_type=card&card[number]=4242424242424242',
    key: null
  })
  await leaving.until('}\n\n')
  leaving.answer.destroy()
  await leaving.ended
  await call('GET /tickets')
  await control('POST /reset')
  await till.control('DELETE /requests')
  await control('DELETE /sandboxes/till')
  await call('GET /locations')
  await Promise.all([run.until('GET /locations"', 2), own.until('GET /locations"')])
  await app.close()
  await Promise.all([run.ended, own.ended])

  const { statusCode, headers, complete } = own.answer
  t.strictSame(
    [statusCode, headers['content-type'], headers['cache-control'], complete],
    [200, 'text/event-stream; charset=utf-8', 'no-store', true]
  )
  const eventsIn = (text: string) =>
    [...text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, type, data = '']) => ({
      type,
      ...JSON.parse(data)
    }))
  const shown = (text: string) =>
    eventsIn(text).map(({ type, sandbox, id }) => `${type} ${sandbox} ${id}`)
  const ofMain = ['request null req_1', 'request null req_2', 'clear null undefined']
  t.strictSame(shown(run.seen()), [
    'request till req_1',
    ...ofMain,
    'clear till undefined',
    'request null req_1'
  ])
  t.strictSame(
    shown(own.seen()),
    [...ofMain, 'request null req_1'].map(event => event.replace('null', 'undefined'))
  )
  t.strictSame(shown(leaving.seen()), ['request undefined req_1'])
  t.match(own.seen(), /^id: req_1\nevent: request$/m)
  const [{ on, body }] = eventsIn(own.seen()) as [Json]
  t.strictSame(
    [on, body.card, own.seen().includes('4242424242424242')],
    ['POST /transactions', { number: '***' }, false]
  )
})

t.test('events: a quiet stream sends heartbeats, and a listener that left is removed', async t => {
  t.intercept(globalThis, 'setInterval', {
    value: ((beat: () => void) => setTimeout(beat, 5)) as never,
    writable: true,
    configurable: true
  })
  const emulator = await startTestEmulator(t)
  const { listeners } = emulator.sandbox.run
  const endings = () => getEventListeners(emulator.sandbox.ending, 'abort').length
  const before = endings()
  const stream = await openEvents(await emulator.listen())

  await stream.until(': \n\n')
  const during = listeners.size
  stream.answer.destroy()
  await stream.ended
  for (let left = 100; left > 0 && listeners.size > 0; left--)
    await new Promise(next => setTimeout(next, 5))

  t.strictSame([during, listeners.size, endings()], [1, 0, before])
})

type Sample = { name: string; labels: Record<string, string>; value: number }
/** Reads Prometheus text as prom-client writes it. */
const samplesOf = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of])
    ),
    value: Number(value)
  }))

t.test('metrics: Prometheus text with requests', async t => {
  const script = [
    { on: 'GET /locations', delay: '30ms' },
    { on: 'GET /refunds', respond: { status: 503 } }
  ]
  const emulator = await startTestEmulator(t, {
    scenario: { clock: NOW, data: smallFixture(), script }
  })
  const { call, control } = emulator
  const [a, b] = [sandboxClient(emulator, 'a'), sandboxClient(emulator, 'b')]
  for (const path of ['/tickets', '/nothing', '/locations']) await call(`GET ${path}`)
  await control('POST /reset')
  for (const client of [{ call }, a]) await client.call('GET /tickets')
  await b.call('GET /refunds')

  const { headers, text } = await control('GET /metrics')
  const samples = samplesOf(text)
  const of = (name: string, among = samples) =>
    among.filter(sample => sample.name === `commerce_${name}`)
  const counts = (name: string, among?: Sample[]) =>
    of(name, among).map(({ labels, value }) => [...Object.values(labels), value].join(' '))
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const calls = ['GET /tickets 200 3', 'none 404 1', 'GET /locations 200 1', 'GET /refunds 503 1']
  t.strictSame(counts('calls_total'), calls)
  const kept = 'accounts 6,users 0,locations 3,tickets 3,transactions 0,refunds 0'
  t.equal(counts('records').join(), kept)
  t.ok(text.includes('# TYPE commerce_call_duration_seconds summary\n'))
  t.equal(samples.filter(({ name }) => name === 'process_cpu_seconds_total').length, 1)
  const ofLocations = (name: string) =>
    of(`call_duration_seconds_${name}`).filter(
      ({ labels }) => labels.operation === 'GET /locations'
    )
  t.equal(ofLocations('count')[0]?.value, 1)
  t.ok((ofLocations('sum')[0]?.value ?? 0) >= 0.025)
  t.notOk(text.includes(MERCHANT))

  await call('GET /accounts')
  await control('DELETE /sandboxes/b')
  const later = samplesOf((await a.control('GET /metrics')).text)
  t.strictSame(
    counts('calls_total', later),
    [...calls, 'GET /accounts 200 1'],
    'reading counts nothing twice, at the address of any sandbox'
  )
  t.equal(counts('records', later)[3], 'tickets 2')
})

t.test('requests: over a run, the requests of every sandbox have its name', async t => {
  const emulator = await startTestEmulator(t)
  await emulator.call('GET /tickets')
  await sandboxClient(emulator, 'till').call('GET /locations')
  await emulator.call('GET /tickets/tkt_none')

  const of = async (query: string) => (await emulator.control(`GET /requests${query}`)).body
  const named = async (query: string) =>
    (await of(query)).data.map(({ sandbox, id, on }: Json) => `${sandbox} ${id} ${on}`)
  const missing = 'null req_2 GET /tickets/{id}'
  t.strictSame((await named('?scope=run')).sort(), [
    'null req_1 GET /tickets',
    missing,
    'till req_1 GET /locations'
  ])
  t.equal((await of('?scope=run&limit=2')).has_more, true)
  t.strictSame(await named('?scope=run&status=4xx'), [missing])
  t.equal((await named('?scope=run&since=2026-03-01T18:05:00Z')).length, 3)
  t.strictSame(await named('?scope=run&since=2026-03-01T18:05:01Z'), [])
  t.strictSame(await named('?scope=sandbox'), [
    'undefined req_2 GET /tickets/{id}',
    'undefined req_1 GET /tickets'
  ])
})
