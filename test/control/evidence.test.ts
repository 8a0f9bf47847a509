import { getEventListeners } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import { LATENCY_BOUNDS } from '../../src/evidence/totals.js'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

type Emulator = Awaited<ReturnType<typeof startTestEmulator>>
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const ids = async ({ control }: Emulator, query: string): Promise<string[]> => (await control(`GET /requests${query}`)).body.data.map(({ id }: Json) => id)

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

t.test('journal: it is listed newest first, and filtered by operation, status, id, instant and number', async t => {
  const emulator = await startTestEmulator(t)
  const { call, control } = emulator
  await call('GET /tickets')
  await call('GET /tickets/tkt_none', { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } })
  await control('PUT /clock', { now: '2026-03-02T00:00:00Z' })
  await call('GET /tickets')
  await call('GET /tickets', { key: null })
  await call('GET /nothing')

  for (const [query, expected] of [
    ['', [5, 4, 3, 2, 1]],
    ['?on=GET%20/tickets', [4, 3, 1]],
    ['?on=get%20/tickets/{id}', [2]],
    ['?on=POST%20/refunds', []],
    ['?status=404', [5, 2]],
    ['?status=4xx', [5, 4, 2]],
    ['?status=2xx&on=GET%20/tickets', [3, 1]],
    ['?since=req_3', [5, 4]],
    ['?since=req_5', []],
    ['?since=req_2&status=200', [3]],
    ['?since=2026-03-02', [5, 4, 3]],
    ['?since=2026-03-02T00:00:01Z', []],
    ['?since=2026-03-01T00:00:00Z&status=404', [5, 2]],
    [`?trace=${TRACE}`, [2]],
    ['?trace=00f067aa0ba902b7', []],
    ['?limit=2', [5, 4]]
  ] as const) {
    t.strictSame(
      await ids(emulator, query),
      expected.map(number => `req_${number}`),
      query
    )
  }
  const { object, has_more, dropped } = (await control('GET /requests?limit=5')).body
  t.strictSame([object, has_more, dropped, (await control('GET /requests?limit=4')).body.has_more], ['list', false, 0, true])
})

t.test('journal: a filter, id or format that does not exist is refused', async t => {
  const { call, control } = await startTestEmulator(t)
  t.equal((await control('GET /requests/req_1')).body.error.code, 'request_unknown')
  await call('GET /tickets')

  for (const [on, code, param] of [
    ['GET /requests/req_9', 'request_unknown', 'id'],
    ['GET /requests?since=req_9', 'parameter_invalid', 'since'],
    ['GET /requests?scope=run&since=req_1', 'parameter_invalid', 'since'],
    ['GET /requests?on=POST%20/refund', 'parameter_invalid', 'on'],
    ['GET /requests?on=nothing%20like%20any%20of%20them', 'parameter_invalid', 'on'],
    ['GET /requests?rule=REF-77', 'parameter_invalid', 'rule'],
    ['GET /requests?status=teapot', 'parameter_invalid', 'status'],
    ['GET /requests?status=6xx', 'parameter_invalid', 'status'],
    ['GET /requests?limit=1001', 'parameter_invalid', 'limit'],
    ['GET /requests?operation=x', 'parameter_unknown', 'operation'],
    ['GET /requests/req_1?format=xml', 'parameter_invalid', 'format'],
    ['GET /coverage?format=xml', 'parameter_invalid', 'format'],
    ['DELETE /coverage?scope=all', 'parameter_invalid', 'scope'],
    ['GET /findings?format=junit', 'parameter_invalid', 'format'],
    ['GET /assumptions?scope=all', 'parameter_invalid', 'scope'],
    ['GET /metrics?a=b', 'parameter_unknown', 'a'],
    ['GET /events?a=b', 'parameter_unknown', 'a'],
    ['DELETE /requests?a=b', 'parameter_unknown', 'a']
  ] as const) {
    const { error } = (await control(on)).body
    t.strictSame([error.code, error.param], [code, param], on)
  }
})

t.test('journal: it is cleared, alone and by a reset', async t => {
  const emulator = await startTestEmulator(t)
  await emulator.call('GET /tickets', { query: 'search_query=a' })

  const { status, text } = await emulator.control('DELETE /requests')
  const cleared = await ids(emulator, '')
  const findings = (await emulator.control('GET /findings')).body.data.length
  await emulator.call('GET /tickets')
  await emulator.control('POST /reset')

  t.strictSame([status, text, cleared, findings], [204, '', [], 1])
  t.strictSame(await ids(emulator, ''), [])
})

t.test('journal: a call is explained as JSON, or as text', async t => {
  const { call, control } = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=1400' })

  const [text, json, plain] = [
    await control('GET /requests/req_1?format=text'),
    await control('GET /requests/req_1?format=json'),
    await control('GET /requests/req_1')
  ]

  t.strictSame([text.status, text.headers['content-type']], [200, 'text/plain; charset=utf-8'])
  t.ok(text.text.startsWith(`req_1  POST /refunds  refused, 400, changed nothing  (${NOW})\n`))
  t.strictSame(json.body, plain.body)
  const { outcome, status, answered, took_effect, refusal, why } = json.body
  t.strictSame([outcome, status, answered, took_effect], ['refused', 400, true, false])
  t.strictSame(refusal, { code: 'refund_exceeds_remaining', rule: 'REF-7', assumption: null, param: 'amount' })
  t.strictSame(Object.keys(why), ['rules', 'assumptions', 'changed_by'])
  t.strictSame(Object.keys(why.rules.at(-1)), ['rule', 'verdict', 'text', 'facts'])
})

t.test('journal: overflow, by count and by bytes, costs coverage, findings, assumptions and expect nothing', async t => {
  const note = 'n'.repeat(30_000)
  for (const [setting, value, kept] of [
    ['limits.journal', 2, 2],
    ['limits.journal_bytes', 65_536, 1]
  ] as const) {
    const emulator = await startTestEmulator(t, {
      settings: { [setting]: value },
      scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), expect: [{ on: 'POST /refunds', times: 5 }] }
    })
    const { call, control } = emulator
    for (let time = 0; time < 5; time++) await call('POST /refunds', { body: { transaction: 'txn_a', amount: 10, reason: note } })
    await call('GET /tickets', { query: 'search_query=a' })
    for (let time = 0; time < 3; time++)
      await call('POST /accounts', { body: { type: 'merchant', name: note, email: 'a@example.com', 'address[country]': 'US' } })

    const { data, dropped } = (await control('GET /requests')).body
    const { rules } = (await control('GET /coverage')).body

    t.strictSame([data.length, dropped], [kept, 9 - kept], setting)
    t.equal(rules.find(({ rule }: Json) => rule === 'REF-5').satisfied, 5)
    t.strictSame(
      (await control('GET /findings')).body.data.map(({ finding, requests }: Json) => [finding, requests]),
      [['search-without-narrowing', ['req_6']]]
    )
    t.equal((await control('POST /verify')).status, 200)
    const { times, requests } = (await control('GET /assumptions')).body.data.find(({ id }: Json) => id === 'A23')
    t.strictSame([times, requests], [5, ['req_1', 'req_2', 'req_3', 'req_4', 'req_5']])
  }
})

t.test('findings: they are listed as text too', async t => {
  const { call, control } = await startTestEmulator(t)
  const text = async () => (await control('GET /findings?format=text')).text
  const none = await text()

  await call('GET /tickets', { query: 'search_query=a' })

  t.equal(none, 'No findings.\n')
  t.ok((await text()).startsWith('warning: search-without-narrowing (1×, req_1)\n'))
  t.ok((await control('GET /findings?format=text&scope=run')).text.startsWith('warning: '))
  t.strictSame(Object.keys((await control('GET /findings?format=json')).body), ['data'])
})

t.test('coverage: as text and JUnit with their media types', async t => {
  const { control } = await startTestEmulator(t)

  const types = await Promise.all(['json', 'text', 'junit'].map(async format => (await control(`GET /coverage?format=${format}`)).headers['content-type']))

  t.strictSame(types, ['application/json; charset=utf-8', 'text/plain; charset=utf-8', 'application/xml; charset=utf-8'])
})

/** An open event stream and what has come of it. */
const openEvents = (port: number, query = '') =>
  new Promise<{ answer: IncomingMessage; seen: () => string; until: (text: string, times?: number) => Promise<void>; ended: Promise<void> }>(resolve => {
    get(`http://127.0.0.1:${port}/_control/events${query}`, answer => {
      let seen = ''
      const ended = new Promise<void>(end => answer.once('close', () => end()))
      answer.setEncoding('utf8').on('data', chunk => {
        seen += chunk
      })
      answer.on('error', () => {})
      const until = async (text: string, times = 1) => {
        while (seen.split(text).length <= times) await new Promise(next => answer.once('data', next))
      }
      resolve({ answer, seen: () => seen, until, ended })
    })
  })

t.test('events: each call comes as a server-sent event, to every listener, until the emulator stops', async t => {
  const emulator = await startTestEmulator(t)
  const port = await emulator.listen()
  const [one, other] = [await openEvents(port), await openEvents(port)]
  await Promise.all([one.until('\n\n'), other.until('\n\n')])

  await emulator.call('POST /transactions', { body: 'ticket=tkt_a&payment_type=card&card[number]=4242424242424242', key: null })
  await one.until('}\n\n')
  await other.until('}\n\n')
  other.answer.destroy()
  await other.ended
  await emulator.call('GET /tickets')
  await one.until('id: req_2')
  await emulator.app.close()
  await one.ended

  const [, event = ''] = one.seen().split('\n\n')
  const [id, type, data = ''] = event.split('\n')
  t.strictSame(
    [one.answer.statusCode, one.answer.headers['content-type'], one.answer.headers['cache-control']],
    [200, 'text/event-stream; charset=utf-8', 'no-store']
  )
  t.strictSame([id, type], ['id: req_1', 'event: request'])
  const { on, body } = JSON.parse(data.slice('data: '.length))
  t.strictSame([on, body.card], ['POST /transactions', { number: '***' }])
  t.notOk(one.seen().includes('4242424242424242'))
  t.notOk(other.seen().includes('req_2'))
  t.ok(one.answer.complete, 'the stream ends as a whole answer')
})

t.test('events: a quiet stream beats, and a listener that left is let go', async t => {
  t.intercept(globalThis, 'setInterval', { value: ((beat: () => void) => setTimeout(beat, 5)) as never, writable: true, configurable: true })
  const emulator = await startTestEmulator(t)
  const { listeners } = emulator.sandbox.run
  const endings = () => getEventListeners(emulator.sandbox.ending, 'abort').length
  const before = endings()
  const stream = await openEvents(await emulator.listen())

  await stream.until(': \n\n')
  const during = listeners.size
  stream.answer.destroy()
  await stream.ended
  for (let left = 100; left > 0 && listeners.size > 0; left--) await new Promise(next => setTimeout(next, 5))

  t.strictSame([during, listeners.size, endings()], [1, 0, before])
})

type Sample = { name: string; labels: Record<string, string>; value: number }
/** Reads Prometheus text: what every line of it has to be. */
function samplesOf(text: string, fail: (line: string) => void): Sample[] {
  return text.split('\n').flatMap(line => {
    if (line === '' || /^# (HELP|TYPE) [a-zA-Z_:][\w:]* .+$/.test(line)) return []
    const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? []
    if (name === '' || (Number.isNaN(Number(value)) && !['Nan', 'NaN', '+Inf'].includes(value))) fail(line)
    return [{ name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of])), value: Number(value) }]
  })
}

t.test('metrics: Prometheus text with requests, records, scripted requests and cumulative latencies, over every reset', async t => {
  const emulator = await startTestEmulator(t, { scenario: { clock: NOW, data: smallFixture(), script: [{ on: 'GET /locations', delay: '30ms' }] } })
  const { call, control } = emulator
  await call('GET /tickets')
  await call('GET /nothing')
  await call('GET /locations')
  await control('POST /reset')
  await call('GET /tickets')

  const { headers, text } = await control('GET /metrics')
  await call('GET /refunds')
  const later = samplesOf((await control('GET /metrics')).text, () => {})

  const samples = samplesOf(text, line => t.fail(`not Prometheus text: ${line}`))
  const of = (name: string, operation?: string) =>
    samples.filter(sample => sample.name === `commerce_${name}` && (operation === undefined || sample.labels.operation === operation))
  const counts = (all: Sample[]) => all.map(({ labels, value }) => [...Object.values(labels), value])
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const calls: (string | number)[][] = [
    ['GET /tickets', '200', 2],
    ['none', '404', 1],
    ['GET /locations', '200', 1]
  ]
  t.strictSame(counts(of('calls_total')), calls)
  const isCount = ({ name }: Sample) => name === 'commerce_calls_total'
  t.strictSame(counts(later.filter(isCount)), [...calls, ['GET /refunds', '200', 1]], 'reading counts nothing twice')
  t.strictSame(counts(of('script_actions_total')), [[1]])
  t.strictSame(Object.fromEntries(counts(of('records'))), { accounts: 2, users: 0, locations: 1, tickets: 1, transactions: 0, refunds: 0 })
  t.ok(text.includes('# TYPE commerce_call_duration_seconds histogram\n'))
  t.equal(samples.filter(({ name }) => name === 'process_cpu_seconds_total').length, 1, 'with the metrics of the process')
  const buckets = of('call_duration_seconds_bucket', 'GET /locations').map(({ labels, value }) => [labels.le, value] as const)
  t.strictSame(
    buckets.map(([bound]) => bound),
    [...LATENCY_BOUNDS.map(bound => String(bound / 1000)), '+Inf']
  )
  t.strictSame(
    [0.01, 10].map(bound => buckets.find(([le]) => le === String(bound))?.[1]),
    [0, 1],
    'cumulative, in seconds'
  )
  t.strictSame([buckets.at(-1)?.[1], of('call_duration_seconds_count', 'GET /locations')[0]?.value], [1, 1])
  t.ok((of('call_duration_seconds_sum', 'GET /locations')[0]?.value ?? 0) >= 0.025)
  t.notOk(text.includes(MERCHANT))
})

t.test('requests: over a run, the calls of every sandbox come with its name, newest first', async t => {
  const { call, control, inject } = await startTestEmulator(t)
  const headers = { authorization: `Basic ${Buffer.from('sk_merchant:').toString('base64')}` }
  await call('GET /tickets')
  await inject({ method: 'GET', url: '/sandbox/till/next/locations', headers })
  await call('GET /tickets/tkt_none')

  const of = async (query: string) => (await control(`GET /requests${query}`)).body
  const named = ({ data }: { data: { sandbox?: string | null; id: string; on: string }[] }) => data.map(({ sandbox, id, on }) => [sandbox, id, on])
  t.strictSame(named(await of('?scope=run')).sort(), [
    [null, 'req_1', 'GET /tickets'],
    [null, 'req_2', 'GET /tickets/{id}'],
    ['till', 'req_1', 'GET /locations']
  ])
  t.strictSame((await of('?scope=run&limit=2')).has_more, true)
  t.strictSame(named(await of('?scope=run&status=4xx')), [[null, 'req_2', 'GET /tickets/{id}']])
  t.strictSame(named(await of('?scope=run&since=2026-03-01T18:05:00Z')).length, 3)
  t.strictSame(named(await of('?scope=run&since=2026-03-01T18:05:01Z')), [])
  t.strictSame(named(await of('?scope=sandbox')), [
    [undefined, 'req_2', 'GET /tickets/{id}'],
    [undefined, 'req_1', 'GET /tickets']
  ])
})

t.test('requests: a rule narrows them to the calls that kept or broke it', async t => {
  const { call, control } = await startTestEmulator(t)
  const { body: paid } = await call('POST /transactions', { body: 'ticket=tkt_a&payment_type=external&amount=500' })
  for (const amount of [200, 400]) await call('POST /refunds', { body: { transaction: paid.id, amount } })
  await call('GET /nothing')

  const idsOf = async (rule: string) => (await control(`GET /requests?rule=${rule}`)).body.data.map(({ id }: { id: string }) => id)
  t.strictSame(await idsOf('REF-7'), ['req_3', 'req_2'])
  t.strictSame(await idsOf('REF-4'), [])
  t.strictSame(await idsOf('AUTH-3'), ['req_3', 'req_2'])
})

t.test('events: over a run they name the sandbox, and say when a journal is cleared', async t => {
  const emulator = await startTestEmulator(t)
  const port = await emulator.listen()
  const [run, own] = [await openEvents(port, '?scope=run'), await openEvents(port)]
  const headers = { authorization: `Basic ${Buffer.from('sk_merchant:').toString('base64')}` }
  await Promise.all([run.until('\n\n'), own.until('\n\n')])

  await emulator.inject({ method: 'GET', url: '/sandbox/till/next/locations', headers })
  await emulator.call('GET /tickets')
  await emulator.control('POST /reset')
  await emulator.inject({ method: 'DELETE', url: '/sandbox/till/_control/requests', headers: { host: 'localhost' } })
  await emulator.inject({ method: 'DELETE', url: '/_control/sandboxes/till', headers: { host: 'localhost' } })
  await emulator.call('GET /locations')
  await Promise.all([run.until('GET /locations"', 2), own.until('GET /locations"')])

  const events = (text: string) =>
    [...text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, type, data = '']) => {
      const { sandbox, id } = JSON.parse(data)
      return [type, sandbox, id]
    })
  t.strictSame(events(run.seen()), [
    ['request', 'till', 'req_1'],
    ['request', null, 'req_1'],
    ['clear', null, undefined],
    ['clear', 'till', undefined],
    ['request', null, 'req_1']
  ])
  t.strictSame(events(own.seen()), [
    ['request', undefined, 'req_1'],
    ['clear', undefined, undefined],
    ['request', undefined, 'req_1']
  ])
  run.answer.destroy()
  own.answer.destroy()
})
