import t from 'tap'
import type { FindingId } from '../../src/evidence/findings.js'
import { MAX_CALLS, MAX_REFUSED, type RunEntry, RunRequests } from '../../src/evidence/run.js'
import { MAX_TESTS, TestTotals } from '../../src/evidence/totals.js'
import { judgedRequest, judgement } from '../support/judged-request.js'

const REFUSED = { outcome: 'refused', status: 404, refusal: { code: 'resource_missing', rule: null, assumption: null, param: null, facts: null } } as const
const entryOf = (request: string, more: Partial<RunEntry> = {}) =>
  ({ id: request, test: null, on: 'GET /tickets', method: 'GET', path: '/tickets', outcome: 'answered', status: 200, ...more }) as RunEntry

t.test('calls of a run: each is listed with a line, a refused one in full', t => {
  const calls = new RunRequests()
  calls.add(judgedRequest({ test: 'one' }), '#1/req_1', () => t.fail('an entry of a call that was answered') as never)
  calls.add(judgedRequest({ ...REFUSED, operation: null, path: '/nowhere' }), '#1/req_2', () => entryOf('#1/req_2'))
  calls.keep('#1/req_1', () => entryOf('#1/req_1'))
  calls.keep('#1/req_1', () => t.fail('an entry that is there already') as never)

  t.strictSame(
    [...calls.list()],
    [
      { request: '#1/req_1', test: 'one', on: 'GET /tickets', method: 'GET', path: '/tickets', outcome: 'answered', status: 200, entry: entryOf('#1/req_1') },
      { request: '#1/req_2', test: null, on: null, method: 'GET', path: '/nowhere', outcome: 'refused', status: 404, entry: entryOf('#1/req_2') }
    ]
  )
  t.strictSame(calls.omitted, { calls: 0, entries: 0 })
  t.end()
})

t.test('calls of a run: what comes beyond the limits is counted', t => {
  const calls = new RunRequests()
  for (let call = 0; call < MAX_CALLS + 3; call++) calls.add(judgedRequest(), `#1/req_${call}`, () => entryOf(''))
  t.strictSame([[...calls.list()].length, calls.omitted], [MAX_CALLS, { calls: 3, entries: 0 }])
  for (let call = 0; call < MAX_REFUSED + 2; call++) calls.add(judgedRequest(REFUSED), `#2/req_${call}`, () => entryOf(`#2/req_${call}`))

  const listed = [...calls.list()]
  t.strictSame([listed.length, calls.omitted], [MAX_CALLS + MAX_REFUSED, { calls: MAX_REFUSED + 5, entries: 2 }])
  t.strictSame(
    listed.slice(MAX_CALLS, MAX_CALLS + 1).map(({ request, entry }) => [request, entry?.id]),
    [['#2/req_0', '#2/req_0']],
    'a call that is kept in full is listed all the same'
  )
  t.end()
})

t.test('calls of a run: an entry of more than 64 KiB is not kept, nor more than 8 MiB of all; a long path is cut', t => {
  const calls = new RunRequests()
  const path = `/${'p'.repeat(500)}`
  calls.add(judgedRequest({ path }), '#1/req_0', () => entryOf(''))
  t.equal([...calls.list()][0]?.path, `${path.slice(0, 200)}…`)

  const wrapping = JSON.stringify(entryOf('#1/req_0', { path: '' })).length
  calls.keep('#1/req_0', () => entryOf('#1/req_0', { path: 'x'.repeat(65_536 - wrapping + 1) }))
  t.strictSame([[...calls.list()][0]?.entry, calls.omitted.entries], [null, 1])
  for (let call = 0; call < 129; call++) {
    const request = `#2/req_${String(call).padStart(4, '0')}`
    calls.keep(request, () => entryOf(request, { path: 'x'.repeat(65_536 - JSON.stringify(entryOf(request, { path: '' })).length) }))
  }
  t.strictSame([[...calls.list()].length, calls.omitted.entries], [129, 2])
  t.end()
})

t.test('tests of a run: calls, refusals, rules and findings of each, in the order in which they came', t => {
  const tests = new TestTotals()
  tests.add(judgedRequest({ test: 'pays' }), judgement(['LIST-1', 'BASE-1']))
  tests.add(judgedRequest(), null)
  tests.add(judgedRequest({ ...REFUSED, test: 'pays' }), judgement(['BASE-1'], 'REF-7'))
  const add = (finding: FindingId, test: string, times: 1 | -1 = 1) => tests.addFound({ finding, requests: [], times }, test)
  for (const finding of ['zero-payment', 'stopped-at-empty-page', 'zero-payment', 'unknown-parameter'] as const) add(finding, 'pays')
  add('unknown-parameter', 'pays', -1)
  add('zero-payment', 'searches')

  t.strictSame(tests.list(), [
    {
      test: 'pays',
      calls: 2,
      refused: 1,
      kept: ['BASE-1', 'LIST-1'],
      broken: ['REF-7'],
      findings: [
        { finding: 'stopped-at-empty-page', times: 1 },
        { finding: 'zero-payment', times: 2 }
      ]
    },
    { test: null, calls: 1, refused: 0, kept: [], broken: [], findings: [] },
    { test: 'searches', calls: 0, refused: 0, kept: [], broken: [], findings: [{ finding: 'zero-payment', times: 1 }] }
  ])
  t.end()
})

t.test('tests of a run: so many are told apart, and calls of further ones are counted', t => {
  const tests = new TestTotals()
  for (let test = 0; test < MAX_TESTS + 2; test++) tests.add(judgedRequest({ test: String(test) }), null)
  tests.addFound({ finding: 'zero-payment', requests: [], times: 1 }, String(MAX_TESTS))
  tests.add(judgedRequest({ test: '7' }), null)

  const listed = tests.list()
  t.strictSame([listed.length, listed[7]?.calls, tests.omitted], [MAX_TESTS, 2, 2])
  t.end()
})

t.test('run: a request that was not kept in full is given up without a trace', async t => {
  const calls = new RunRequests()

  calls.drop('#1/req_1')

  t.strictSame([[...calls.list()], calls.omitted], [[], { calls: 0, entries: 0 }])
})
