import t from 'tap'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'

const HEADERS = { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
type Call = { request: string; test: string | null; path: string; outcome: string; entry: Record<string, unknown> | null }

t.test('control: GET /run holds the run of every sandbox, reset and load, with each refusal in full', async t => {
  const { inject, control, call } = await startTestEmulator(t, {
    scenario: {
      name: 'shop',
      clock: NOW,
      data: smallFixture(),
      script: [{ name: 'never', on: 'GET /accounts', delay: '1ms' }],
      expect: [{ on: 'POST /refunds', times: 1 }]
    }
  })
  const visit = (url: string, test?: string) => inject({ method: 'GET', url, headers: { ...HEADERS, ...(test && { 'test-name': test }) } })
  t.strictSame((await control('GET /run')).body.unmet_expectations.length, 1, 'without any call the scenario is judged as it is')

  await visit('/next/tickets/tkt_none', 'reads a Ticket')
  await control('POST /reset')
  await visit('/sandbox/till/next/tickets/tkt_none', 'reads a Ticket')
  await visit('/sandbox/till/next/tickets?search_query=T', 'searches')
  await call('POST /transactions', { key: null, body: { ticket: 'tkt_a', payment_type: 'external', amount: 5 } })
  const { status, body } = await control('GET /run')

  t.equal(status, 200)
  const { coverage, findings, assumptions, requests, tests, version, unused_script_entries: unused, unmet_expectations: unmet, ...rest } = body
  t.strictSame(rest, {
    object: 'run',
    scenario: { name: 'shop', description: null },
    calls: 4,
    sandboxes: [
      { sandbox: null, periods: 2 },
      { sandbox: 'till', periods: 1 }
    ],
    omitted: { requests: 0, entries: 0, by_test: 0 }
  })
  t.type(version, 'string')
  t.strictSame(coverage, (await control('GET /coverage?scope=run')).body)
  t.strictSame(findings, (await control('GET /findings?scope=run')).body.data)
  t.strictSame(findings[0].requests, ['till#1/req_2'])
  const used = (await control('GET /assumptions?scope=run')).body.data.filter(({ times }: { times: number }) => times > 0)
  t.strictSame(
    assumptions,
    used.map(({ id, topic, default: fallback, times, requests }: Record<string, unknown>) => ({ assumption: id, topic, default: fallback, times, requests }))
  )
  t.equal(unused.length, 1)
  t.strictSame(
    unmet.map(({ sandbox, tests, seen }: Record<string, unknown>) => [sandbox, tests, seen]),
    [
      [null, ['reads a Ticket'], 0],
      ['till', ['reads a Ticket', 'searches'], 0]
    ]
  )
  t.strictSame(
    requests.map(({ request, test, path, outcome, entry }: Call) => [request, test, path, outcome, entry?.id ?? null]),
    [
      ['#1/req_1', 'reads a Ticket', '/tickets/tkt_none', 'refused', '#1/req_1'],
      ['till#1/req_1', 'reads a Ticket', '/tickets/tkt_none', 'refused', 'till#1/req_1'],
      ['till#1/req_2', 'searches', '/tickets', 'answered', 'till#1/req_2'],
      ['#2/req_1', null, '/transactions', 'answered', null]
    ]
  )
  t.strictSame(
    tests.map(({ test, calls, refused, findings }: Record<string, unknown>) => [test, calls, refused, findings]),
    [
      ['reads a Ticket', 2, 2, []],
      ['searches', 1, 0, [{ finding: 'search-without-narrowing', times: 1 }]],
      [null, 1, 0, []]
    ]
  )
  t.strictSame((await control('GET /run')).body, body, 'asking changes nothing')
  t.equal((await control('GET /run?scope=run')).status, 400)
})

t.test('control: GET /run as the report of judge, without gates', async t => {
  const { control, call } = await startTestEmulator(t)
  await call('GET /tickets/tkt_b')
  const formats: [format: string, type: string, beginning: RegExp, not: RegExp][] = [
    ['html', 'text/html; charset=utf-8', /^<!doctype html>/i, /FAILED/],
    ['junit', 'application/xml; charset=utf-8', /^<\?xml/, /<failure/],
    ['markdown', 'text/markdown; charset=utf-8', /^#/, /FAILED/]
  ]
  for (const [format, type, beginning, not] of formats) {
    const { status, headers, text } = await control(`GET /run?format=${format}`)

    t.equal(status, 200)
    t.equal(headers['content-type'], type)
    t.match(text, beginning)
    t.notMatch(text, not)
  }
  t.strictSame((await control('GET /run?format=json')).body, (await control('GET /run')).body)
  t.match((await control('GET /run?format=htm')).body.error, { code: 'parameter_invalid', param: 'format' })
})

t.test('control: an entry of the run is the journal’s, with calls named as in the run', async t => {
  const { control, call } = await startTestEmulator(t)
  const paid = await call('POST /transactions', { key: null, body: { ticket: 'tkt_a', payment_type: 'external', amount: 500 } })
  await call('POST /refunds', { body: { transaction: paid.body.id, amount: 900 } })
  const { body: kept } = await control('GET /requests/req_2')
  const { requests } = (await control('GET /run')).body

  t.strictSame(requests[1].entry, { ...kept, id: '#1/req_2', why: { ...kept.why, changed_by: ['#1/req_1'] } })
  t.strictSame(kept.why.changed_by, ['req_1'])
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
t.test('control: Test-Name names the test of a call in the journal; it is no parameter, and nothing secret in it is kept', async t => {
  const { inject, control } = await startTestEmulator(t)
  for (const [sent, shown] of NAMES) {
    const { status } = await inject({ method: 'GET', url: '/next/tickets/tkt_a', headers: { ...HEADERS, 'test-name': sent } })
    t.equal(status, 200)
    t.equal((await control('GET /requests?limit=1')).body.data[0].test, shown, sent)
  }
  t.strictSame((await control('GET /findings')).body.data, [])
})

t.test('control: evidence.test_header names another header, in any case', async t => {
  const { inject, control } = await startTestEmulator(t)
  const { status } = await control('PATCH /settings', { 'evidence.test_header': 'X-Test' })
  t.equal(status, 200)
  await inject({ method: 'GET', url: '/next/tickets/tkt_a', headers: { ...HEADERS, 'test-name': 'one', 'x-TEST': 'two' } })

  t.equal((await control('GET /requests')).body.data[0].test, 'two')
  for (const header of ['', 'a b', 'a:b', 'x'.repeat(65)]) t.equal((await control('PATCH /settings', { 'evidence.test_header': header })).status, 400, header)
})
