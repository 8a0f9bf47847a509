import t from 'tap'
import { parse } from 'yaml'
import {
  authorization,
  MERCHANT,
  NOW,
  smallFixture,
  startTestEmulator
} from '../support/emulator.js'
import type { Json } from '../support/json.js'

const HEADERS = { authorization: authorization() }

t.test('control: GET /run holds the run of every sandbox, reset and load', async t => {
  const script = [{ name: 'never', on: 'GET /accounts', delay: '1ms' }]
  const scenario = {
    name: 'shop',
    clock: NOW,
    data: smallFixture(),
    script,
    expect: [{ on: 'POST /refunds', times: 1 }]
  }
  const { inject, control, call } = await startTestEmulator(t, { scenario })
  const visit = (url: string, test: string) =>
    inject({ method: 'GET', url, headers: { ...HEADERS, 'test-name': test } })
  t.strictSame((await control('GET /run')).body.expectations.length, 1)
  for (const one of [
    { name: 'idle', expect: scenario.expect },
    { name: 'expects nothing' },
    scenario
  ])
    await control('POST /load', { scenario: one })

  await visit('/next/tickets/tkt_none', 'reads a Ticket')
  await control('POST /reset')
  await visit('/sandbox/till/next/tickets/tkt_none', 'reads a Ticket')
  await visit('/sandbox/till/next/tickets?search_query=T', 'searches')
  await call('POST /transactions', {
    key: null,
    body: { ticket: 'tkt_a', payment_type: 'external', amount: 5 }
  })
  const { status, body } = await control('GET /run')

  t.equal(status, 200)
  const {
    coverage,
    findings,
    assumptions,
    requests,
    tests,
    version,
    unused_scenarios: idle,
    unused_script_entries: unused,
    expectations: unmet,
    ...rest
  } = body
  t.strictSame(
    rest,
    parse(`{object: run, scenario: {name: shop, description: null}, calls: 4, reached: 4,
      sandboxes: [{sandbox: null, periods: 2}, {sandbox: till, periods: 1}],
      omitted: {requests: 0, entries: 0, by_test: 0}}`)
  )
  t.strictSame(
    [coverage, findings],
    [
      (await control('GET /coverage?scope=run')).body,
      (await control('GET /findings?scope=run')).body.data
    ]
  )
  const used = (await control('GET /assumptions?scope=run')).body.data.filter(
    ({ times }: Json) => times > 0
  )
  const shown = ({ id: assumption, settings, standing, ...one }: Json) => ({ assumption, ...one })
  t.strictSame(idle, ['idle'])
  t.strictSame([assumptions, unused.length, typeof version], [used.map(shown), 1, 'string'])
  const texts = (list: Json[], ...names: string[]) =>
    list.map(one => names.map(name => String(one[name])).join(' | '))
  t.strictSame(texts(unmet, 'sandbox', 'tests', 'seen'), ['null |  | 0', 'till |  | 0'])
  t.strictSame(texts(requests, 'request', 'test', 'outcome'), [
    '#1/req_1 | reads a Ticket | refused',
    'till#1/req_1 | reads a Ticket | refused',
    'till#1/req_2 | searches | answered',
    '#2/req_1 | null | answered'
  ])
  t.equal(
    requests.map(({ entry }: Json) => entry?.id).join(),
    '#1/req_1,till#1/req_1,till#1/req_2,'
  )
  t.strictSame(texts(tests, 'test', 'calls', 'refused'), [
    'reads a Ticket | 2 | 2',
    'searches | 1 | 0',
    'null | 1 | 0'
  ])
  t.strictSame((await control('GET /run')).body, body, 'asking changes nothing')
  t.equal((await control('GET /run?scope=run')).status, 400)
})

t.test('control: GET /run as the report of judge, without criteria', async t => {
  const { control, call } = await startTestEmulator(t)
  const paid = await call('POST /transactions', {
    key: null,
    body: { ticket: 'tkt_a', payment_type: 'external', amount: 500 }
  })
  await call('POST /refunds', { body: { transaction: paid.body.id, amount: 900 } })
  const { body: kept } = await control('GET /requests/req_2')
  const run = await control('GET /run')
  t.strictSame(kept.why.changed_by, ['req_1'])
  t.strictSame(run.body.requests[1].entry, {
    ...kept,
    id: '#1/req_2',
    why: { ...kept.why, changed_by: ['#1/req_1'] }
  })

  for (const [format, type, beginning, not] of [
    ['html', 'text/html', /^<!doctype html>/i, /FAILED/],
    ['junit', 'application/xml', /^<\?xml/, /<failure/],
    ['markdown', 'text/markdown', /^#/, /FAILED/]
  ] as const) {
    const { status, headers, text } = await control(`GET /run?format=${format}`)
    t.strictSame([status, headers['content-type']], [200, `${type}; charset=utf-8`])
    t.match(text, beginning)
    t.notMatch(text, not)
  }
  t.strictSame((await control('GET /run?format=json')).body, run.body)
  t.match((await control('GET /run?format=htm')).body.error, {
    code: 'parameter_invalid',
    param: 'format'
  })
})

const NAMES: [sent: string, shown: string | null][] = [
  ['pays a Ticket', 'pays a Ticket'],
  ['', null],
  ['a%20%C3%BC%20b', 'a ü b'],
  [Buffer.from('prüft').toString('latin1'), 'prüft'],
  ['pr\u00fcft', 'prüft'],
  ['100 % sure, %zz', '100 % sure, %zz'],
  ['line%0Afeed%1B[2J', 'line?feed?[2J'],
  [`pays with 4242424242424242 and ${MERCHANT}`, 'pays with **************** and ***'],
  ['n'.repeat(200), 'n'.repeat(200)],
  ['n'.repeat(201), `${'n'.repeat(200)}…`],
  [`${'n'.repeat(190)} 4242424242424242`, `${'n'.repeat(190)} *********…`]
]
t.test('control: Test-Name, or the header of evidence.test_header in any case', async t => {
  const { call, control } = await startTestEmulator(t)
  const shownAs = async (headers: Record<string, string>) => {
    t.equal((await call('GET /tickets/tkt_a', { headers })).status, 200)
    return (await control('GET /requests?limit=1')).body.data[0].test
  }
  for (const [sent, shown] of NAMES) t.equal(await shownAs({ 'test-name': sent }), shown, sent)
  const found = (await control('GET /findings')).body.data
  t.strictSame(
    found.map(({ finding }: Json) => finding),
    ['card-number-sent']
  )
  t.equal((await control('PATCH /settings', { 'evidence.test_header': 'X-Test' })).status, 200)
  t.equal(await shownAs({ 'test-name': 'one', 'x-TEST': 'two' }), 'two')
  for (const header of ['', 'a b', 'a:b', 'x'.repeat(65)])
    t.equal(
      (await control('PATCH /settings', { 'evidence.test_header': header })).status,
      400,
      header
    )
})
