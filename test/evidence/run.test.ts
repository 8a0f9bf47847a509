import t from 'tap'
import { Evidence } from '../../src/evidence/evidence.js'
import type { FindingId } from '../../src/evidence/findings.js'
import { MAX_CALLS, MAX_REFUSED, Run, type RunEntry, RunRequests } from '../../src/evidence/run.js'
import { type Period, RunHistory } from '../../src/evidence/run-history.js'
import { MAX_TESTS, TestTotals, type Totals } from '../../src/evidence/totals.js'
import {
  form,
  type Given,
  journalLimits,
  judgedRequest,
  judgement
} from '../support/judged-request.js'

const LIMITS = journalLimits()
const NO_CALL = {
  outcome: 'refused',
  status: 400,
  refusal: { code: 'resource_missing', rule: null, assumption: null, param: null, facts: null }
} as const
const EMPTY_PAGE = {
  object: 'list',
  url: '',
  data: [],
  has_more: true,
  first_id: 'tkt_9',
  last_id: 'tkt_9'
} as const
const CHARGE = { object: 'transaction', id: 'txn_a', location: 'loc_a' } as never
const REFUND = {
  operation: 'createRefund',
  body: form('transaction=txn_a'),
  record: CHARGE,
  outcome: 'scripted'
} as const
const LOST = { ...REFUND, outcome: 'lost_before', isDelivered: false } as const

function twoSandboxes() {
  const run = new Run()
  return { run, main: new Evidence(LIMITS, run), till: new Evidence(LIMITS, run, 'till') }
}
const record = (evidence: Evidence, given: Given) => {
  const one = judgedRequest(given)
  evidence.record(one, one.reading)
}
const search = (id: string, location: string): Given => ({
  id,
  query: form(`search_query=s&location=${location}`),
  result: EMPTY_PAGE
})
const next = (id: string, location: string): Given => ({
  id,
  query: form(`search_query=s&location=${location}&starting_after=tkt_9`),
  result: { ...EMPTY_PAGE, has_more: false }
})
const found = (totals: Totals) =>
  totals.findings().map(({ finding, times, requests }) => [finding, times, requests])

t.test('run: a request is named by its sandbox, unless at the base address, and its period', t => {
  const { run, main, till } = twoSandboxes()

  record(main, { isUnknown: true, refusal: NO_CALL.refusal, outcome: 'refused' })
  record(till, { isUnknown: true, ...search('req_1', 'loc_a') })

  t.strictSame(found(run), [
    ['stopped-at-empty-page', 1, ['till#1/req_1']],
    ['unknown-parameter', 2, ['#1/req_1', 'till#1/req_1']]
  ])
  t.strictSame(found(main.totals), [['unknown-parameter', 1, ['req_1']]])
  t.strictSame(found(till.totals), [
    ['stopped-at-empty-page', 1, ['req_1']],
    ['unknown-parameter', 1, ['req_1']]
  ])
  t.strictSame(
    [run.assumptions.get('A07'), run.assumptions.get('A09')],
    [
      { times: 1, requests: ['#1/req_1'] },
      { times: 1, requests: ['till#1/req_1'] }
    ]
  )
  t.strictSame(till.totals.assumptions.get('A09'), { times: 1, requests: ['req_1'] })
  const keptOf = ({ coverage }: Totals) =>
    coverage.report().rules.find(({ rule }) => rule === 'BASE-1')?.passed
  t.strictSame([keptOf(run), keptOf(main.totals), keptOf(till.totals)], [2, 1, 1])
  t.end()
})

t.test('run: a request is repeated only in its own sandbox, and not across a reset', t => {
  const { run, main, till } = twoSandboxes()

  record(main, NO_CALL)
  record(till, NO_CALL)
  record(main, {
    ...REFUND,
    isDelivered: false,
    outcome: 'lost_after',
    result: { id: 'rfd_1', payment_method: { card: null } }
  })
  record(till, { ...REFUND, id: 'req_2' })
  main.clear()
  record(main, NO_CALL)
  record(main, { ...REFUND, id: 'req_2' })
  t.strictSame([main.totals, till.totals, run].map(found), [[], [], []])
  for (const one of [main, till]) record(one, { ...NO_CALL, id: 'req_3' })
  main.clear()

  t.strictSame([main.totals, till.totals].map(found), [
    [],
    [['refused-and-repeated', 1, ['req_1', 'req_3']]]
  ])
  t.strictSame(found(run), [
    ['refused-and-repeated', 2, ['#2/req_1', '#2/req_3', 'till#1/req_1', 'till#1/req_3']]
  ])
  t.end()
})

t.test('run: an empty page counts as long as nobody continues from it', t => {
  const { run, main, till } = twoSandboxes()
  const stopped = (...requests: string[]) => [['stopped-at-empty-page', requests.length, requests]]

  for (const one of [main, till]) record(one, search('req_1', 'loc_a'))
  t.strictSame(found(run), stopped('#1/req_1', 'till#1/req_1'))
  record(main, next('req_2', 'loc_a'))
  t.strictSame(found(run), stopped('till#1/req_1'))
  till.clear()
  record(till, next('req_2', 'loc_a'))
  t.strictSame(found(till.totals), [])
  for (const one of [main, till]) one.clear()
  t.strictSame(found(run), stopped('till#1/req_1'), 'it counts once')

  record(till, search('req_1', 'loc_a'))
  till.clear()
  t.strictSame(
    [till.journal.size, found(till.totals), till.totals.coverage.report().seen],
    [0, [], 0]
  )
  t.strictSame(found(run), stopped('till#1/req_1', 'till#3/req_1'), 'deleted, too')
  t.end()
})

/** A sandbox's evidence, and what is recorded in it. */
function recorded() {
  const run = new Run()
  const evidence = new Evidence(LIMITS, run, 'till')
  const entries = () =>
    Object.fromEntries(
      [...run.listing().requests].map(({ request, entry }) => [request, entry?.id ?? null])
    )
  return {
    run,
    evidence,
    record: (given: Given) => record(evidence, given),
    entries
  }
}

t.test('run: requests that a finding names are kept in full, earlier ones too', t => {
  const { record, entries, evidence, run } = recorded()
  record({ id: 'req_1' })
  record({ ...LOST, id: 'req_2', test: 'refunds' })
  record({ ...LOST, id: 'req_3', test: 'refunds again' })

  const kept = {
    'till#1/req_1': null,
    'till#1/req_2': 'till#1/req_2',
    'till#1/req_3': 'till#1/req_3'
  }
  t.strictSame(entries(), kept)
  evidence.clear()
  t.strictSame(entries(), kept, 'a reset takes nothing')
  t.strictSame(
    run.listing().tests.map(({ test, findings }) => [test, findings.map(({ finding }) => finding)]),
    [
      [null, []],
      ['refunds', []],
      ['refunds again', ['double-refund-risk']]
    ]
  )
  t.end()
})

t.test('run: of a frequent finding, only the requests that it names are kept in full', t => {
  const { record, entries } = recorded()
  for (let call = 1; call <= 21; call++) record({ id: `req_${call}`, isUnknown: true })

  t.strictSame([entries()['till#1/req_20'], entries()['till#1/req_21']], ['till#1/req_20', null])
  t.end()
})

t.test('run: a request that a finding names before it has ended is kept in full then', t => {
  const { record, entries, evidence } = recorded()
  const left = judgedRequest({ ...LOST, id: 'req_1' })
  evidence.leave(left, left.reading)
  record({ ...LOST, id: 'req_2' })
  t.strictSame(entries(), { 'till#1/req_2': 'till#1/req_2' })

  record({ ...LOST, id: 'req_1' })

  t.strictSame(entries(), { 'till#1/req_2': 'till#1/req_2', 'till#1/req_1': 'till#1/req_1' })
  t.end()
})

t.test('run: an empty page that nobody continued from is kept in full, also after a reset', t => {
  const { record, entries, evidence, run } = recorded()
  const search = { query: form('search_query=s'), result: EMPTY_PAGE, test: 'searches' }
  record({ id: 'req_1', ...search })
  const caused = () =>
    run
      .listing()
      .tests.map(({ test, findings }) => [
        test,
        findings.find(({ finding }) => finding === 'stopped-at-empty-page')?.times
      ])

  t.strictSame([entries(), caused()], [{ 'till#1/req_1': 'till#1/req_1' }, [['searches', 1]]])
  for (const [nth, unknownParameter] of [
    [2, false],
    [4, true]
  ] as const) {
    const query = `search_query=${nth}&location=loc_a`
    record({ id: `req_${nth}`, ...search, query: form(query), isUnknown: unknownParameter })
    record({ id: `req_${nth + 1}`, ...search, query: form(`${query}&starting_after=tkt_9`) })
  }
  const named = [1, 2, 3, 4, 5].map(nth => `till#1/req_${nth}`)
  const kept = Object.fromEntries(named.map((name, index) => [name, index === 1 ? null : name]))
  t.strictSame([entries(), caused()], [kept, [['searches', 3]]], 'by what else names it too')
  evidence.clear()
  t.strictSame(entries(), kept)
  record({ id: 'req_1' })
  t.strictSame(run.listing().sandboxes, [{ sandbox: 'till', periods: 2 }])
  t.end()
})

const entryOf = (request: string, more: Partial<RunEntry> = {}) =>
  ({
    id: request,
    test: null,
    on: 'GET /tickets',
    method: 'GET',
    path: '/tickets',
    outcome: 'answered',
    status: 200,
    ...more
  }) as RunEntry

t.test('requests of a run: each is listed on a line, a refused one in full', t => {
  const calls = new RunRequests()
  calls.add(
    judgedRequest({ test: 'one' }),
    '#1/req_1',
    () => t.fail('an entry of a call that was answered') as never
  )
  calls.add(judgedRequest({ ...NO_CALL, operation: null, path: '/nowhere' }), '#1/req_2', () =>
    entryOf('#1/req_2')
  )
  calls.keep('#1/req_1', () => entryOf('#1/req_1'))
  calls.keep('#1/req_1', () => t.fail('an entry that is there already') as never)

  t.strictSame(
    [...calls.list()],
    [
      {
        request: '#1/req_1',
        test: 'one',
        on: 'GET /tickets',
        method: 'GET',
        path: '/tickets',
        outcome: 'answered',
        status: 200,
        entry: entryOf('#1/req_1')
      },
      {
        request: '#1/req_2',
        test: null,
        on: null,
        method: 'GET',
        path: '/nowhere',
        outcome: 'refused',
        status: 400,
        entry: entryOf('#1/req_2')
      }
    ]
  )
  const none = new RunRequests()
  none.drop('#1/req_1')
  t.strictSame(
    [calls.omitted, [...none.list()], none.omitted],
    [{ calls: 0, entries: 0 }, [], { calls: 0, entries: 0 }],
    'one that was not kept is dropped'
  )
  t.end()
})

t.test('requests of a run: those beyond the limits are counted', t => {
  const calls = new RunRequests()
  for (let call = 0; call < MAX_CALLS + 3; call++)
    calls.add(judgedRequest(), `#1/req_${call}`, () => entryOf(''))
  t.strictSame([[...calls.list()].length, calls.omitted], [MAX_CALLS, { calls: 3, entries: 0 }])
  for (let call = 0; call < MAX_REFUSED + 2; call++)
    calls.add(judgedRequest(NO_CALL), `#2/req_${call}`, () => entryOf(`#2/req_${call}`))

  const listed = [...calls.list()]
  t.strictSame(
    [listed.length, calls.omitted],
    [MAX_CALLS + MAX_REFUSED, { calls: MAX_REFUSED + 5, entries: 2 }]
  )
  const kept = listed[MAX_CALLS]
  t.strictSame(
    [kept?.request, kept?.entry?.id],
    ['#2/req_0', '#2/req_0'],
    'a call that is kept in full is listed all the same'
  )
  calls.drop('#2/req_0')
  calls.drop('#1/req_0')
  t.equal([...calls.list()].length, MAX_CALLS + MAX_REFUSED - 1, 'and no longer once it is dropped')
  t.end()
})

t.test('requests of a run: an entry of more than 64 KiB is not kept', t => {
  const calls = new RunRequests()
  const path = `/${'p'.repeat(500)}`
  calls.add(judgedRequest({ path }), '#1/req_0', () => entryOf(''))
  t.equal([...calls.list()][0]?.path, `${path.slice(0, 200)}…`)

  const wrapping = JSON.stringify(entryOf('#1/req_0', { path: '' })).length
  calls.keep('#1/req_0', () => entryOf('#1/req_0', { path: 'x'.repeat(65_536 - wrapping + 1) }))
  t.strictSame([[...calls.list()][0]?.entry, calls.omitted.entries], [null, 1])
  for (let call = 0; call < 129; call++) {
    const request = `#2/req_${String(call).padStart(4, '0')}`
    calls.keep(request, () =>
      entryOf(request, {
        path: 'x'.repeat(65_536 - JSON.stringify(entryOf(request, { path: '' })).length)
      })
    )
  }
  t.strictSame([[...calls.list()].length, calls.omitted.entries], [129, 2])
  t.end()
})

t.test('tests of a run: requests, refusals, rules and findings of each', t => {
  const tests = new TestTotals()
  tests.add(judgedRequest({ test: 'pays', judgement: judgement(['LIST-1', 'BASE-1']) }))
  tests.add(judgedRequest({ judgement: judgement([]) }))
  tests.add(judgedRequest({ ...NO_CALL, test: 'pays', judgement: judgement(['BASE-1'], 'REF-7') }))
  const add = (finding: FindingId, test: string, times: 1 | -1 = 1) =>
    tests.addFound({ finding, requests: [], times }, test)
  for (const finding of [
    'zero-payment',
    'stopped-at-empty-page',
    'zero-payment',
    'unknown-parameter'
  ] as const)
    add(finding, 'pays')
  add('unknown-parameter', 'pays', -1)
  add('zero-payment', 'searches')

  t.strictSame(tests.list(), [
    {
      test: 'pays',
      calls: 2,
      refused: 1,
      passed: ['BASE-1', 'LIST-1'],
      violated: ['REF-7'],
      findings: [
        { finding: 'stopped-at-empty-page', times: 1 },
        { finding: 'zero-payment', times: 2 }
      ]
    },
    { test: null, calls: 1, refused: 0, passed: [], violated: [], findings: [] },
    {
      test: 'searches',
      calls: 0,
      refused: 0,
      passed: [],
      violated: [],
      findings: [{ finding: 'zero-payment', times: 1 }]
    }
  ])
  t.end()
})

t.test('tests of a run: their number is limited, and requests of further ones are counted', t => {
  const tests = new TestTotals()
  for (let test = 0; test < MAX_TESTS + 2; test++) tests.add(judgedRequest({ test: String(test) }))
  tests.addFound({ finding: 'zero-payment', requests: [], times: 1 }, String(MAX_TESTS))
  tests.add(judgedRequest({ test: '7' }))

  const listed = tests.list()
  t.strictSame([listed.length, listed[7]?.calls, tests.omitted], [MAX_TESTS, 2, 2])
  t.end()
})

const entry = (name: string, applied: number, calls?: number) =>
  ({
    id: 'scr_1',
    entry: { name, on: 'GET /tickets', calls },
    matched: applied,
    applied
  }) as Period['script'][number]
const verdict = (wanted: string, seen: number, ...tests: string[]) =>
  ({
    expectation: { on: 'GET /tickets' },
    wanted,
    seen,
    verdict: seen === 1 || seen === 2 ? 'met' : 'unmet',
    holds: seen === 1 || seen === 2,
    forbidden: seen > 2,
    message: `${seen} came`,
    tests
  }) as Period['verdicts'][number]
const period = (given: Partial<Period>): Period => ({
  sandbox: null,
  scenario: 'shop',
  script: [],
  verdicts: [],
  ...given
})
const historyOf = (...periods: Partial<Period>[]) => {
  const history = new RunHistory()
  for (const given of periods) history.add(period(given))
  return history
}
const unmetIn = (history: RunHistory) => history.judged().filter(({ holds }) => !holds)
const unusedIn = (history: RunHistory) => history.unused().map(({ entry }) => entry.name)

t.test('run history: an entry that applied in any period is used, each separately', t => {
  const script = (...applied: [name: string, times: number, calls?: number][]) => ({
    script: applied.map(given => entry(...given))
  })
  const some = historyOf(
    script(['a', 0], ['b', 1], ['c', 0]),
    script(['a', 1], ['b', 0], ['c', 0], ['never meant', 0, 0])
  )
  const alike = historyOf(script(['a', 1], ['a', 0], ['a', 0]), script(['a', 1], ['a', 1]))

  t.strictSame([unusedIn(some), unusedIn(alike)], [['c'], ['a']])
  t.end()
})

t.test('run history: met in any period is met, unless too many came in one', t => {
  const unmet = (...seen: number[]) =>
    unmetIn(historyOf(...seen.map(count => ({ verdicts: [verdict('a', count)] }))))
  for (const seen of [[1], [0, 1], [1, 0], [0, 2, 0]])
    t.strictSame(unmet(...seen), [], `seen ${seen}`)
  const periods = [0, 1].map(count => ({ verdicts: [verdict('a', count)] }))
  t.strictSame(
    historyOf(...periods)
      .judged()
      .map(({ holds, verdict }) => [holds, verdict]),
    [[true, 'met']]
  )
  for (const seen of [[0], [3], [1, 3], [0, 3], [3, 1], [3, 0, 4]]) {
    const messages = unmet(...seen).map(({ message }) => message)
    t.strictSame(messages, [seen.includes(3) ? '3 came' : '0 came'], `seen ${seen}`)
  }
  t.end()
})

t.test('run history: a scenario that was loaded is used once any of its periods was', t => {
  const history = historyOf({ scenario: 'used before' })
  for (const name of ['used before', 'used after', 'never used']) history.load(name)
  const unused = history.with([period({ scenario: 'used after' })]).unusedScenarios()

  t.strictSame([unused, history.unusedScenarios()], [['never used'], ['used after', 'never used']])
  t.end()
})

t.test('run history: each sandbox is judged separately', t => {
  const history = historyOf(
    { sandbox: 'one', verdicts: [verdict('a', 1, 'first')] },
    { sandbox: 'two', verdicts: [verdict('a', 0, 'second')] },
    { sandbox: 'two', verdicts: [verdict('a', 0, 'third', 'second')] },
    { sandbox: 'three', verdicts: [verdict('a', 0, 'fourth')] },
    { sandbox: 'three', verdicts: [verdict('a', 3, 'fifth')] },
    { sandbox: 'three', verdicts: [verdict('a', 0, 'sixth')] },
    { sandbox: 'three', verdicts: [verdict('a', 4, 'seventh')] },
    { sandbox: null, verdicts: [verdict('a', 0)] }
  )
  const unmet = [
    ['two', '0 came', ['second', 'third']],
    ['three', '3 came', ['fifth', 'seventh']],
    [null, '0 came', []]
  ]
  const shown = (one: RunHistory) =>
    unmetIn(one).map(({ sandbox, message, tests }) => [sandbox, message, tests])
  t.strictSame(shown(history), unmet)

  t.strictSame(
    shown(history.with([period({ sandbox: 'two', verdicts: [verdict('a', 1)] })])),
    unmet.slice(1),
    'a period that goes on is met'
  )
  t.strictSame(shown(history), unmet, 'and is not noted')
  t.strictSame(
    history.judged().map(({ verdict, periods }) => [verdict, periods.met, periods.of]),
    [
      ['met', 1, 1],
      ['unmet', 0, 2],
      ['unmet', 0, 4],
      ['unmet', 0, 1]
    ]
  )
  t.end()
})

t.test('run history: empty at first; expectations differ by what they expect', t => {
  const history = new RunHistory()
  t.strictSame([history.isEmpty, history.unused(), history.judged()], [true, [], []])
  t.equal(history.with([]).isEmpty, true)

  history.add(period({ verdicts: [verdict('a', 0), verdict('b', 1), verdict('c', 9)] }))

  t.strictSame([history.isEmpty, unmetIn(history).map(({ wanted }) => wanted)], [false, ['a', 'c']])
  t.end()
})

t.test('run history: how many entries, expectations and characters are judged', t => {
  const history = new RunHistory()
  const counts = (of: RunHistory) => [of.unused().length, unmetIn(of).length]
  for (let nth = 0; nth < 10_050; nth++)
    history.add(
      period({ script: [entry(`entry ${nth}`, 0)], verdicts: [verdict(`call ${nth}`, 0)] })
    )
  t.strictSame(counts(history), [10_000, 10_000])

  const verdicts = [verdict('call 7', 1), verdict('call 8', 9), verdict('call 10040', 9)]
  history.add(period({ script: [entry('entry 7', 1), entry('entry 10040', 0)], verdicts }))
  t.strictSame(counts(history), [9999, 9999], 'those that were seen are judged on')
  t.equal(unmetIn(history).find(({ wanted }) => wanted === 'call 8')?.message, '9 came')

  const large = new RunHistory()
  const long = 'x'.repeat(6_000_000)
  for (const nth of [1, 2])
    large.add(
      period({ script: [entry(`${long}${nth}`, 0)], verdicts: [verdict(`${nth}${long}`, 0)] })
    )
  t.strictSame(counts(large), [1, 1])
  large.load(long)
  t.strictSame(large.unusedScenarios(), [])
  large.add(period({ script: [entry('short', 0)], verdicts: [verdict('short', 0)] }))
  t.strictSame(counts(large), [2, 2], 'there is room for less')
  const whole = new RunHistory()
  whole.load('s')
  whole.add(period({ scenario: 's', verdicts: [verdict('x'.repeat(16_777_215), 0)] }))
  t.strictSame([counts(whole), whole.unusedScenarios()], [[0, 1], []], 'up to the last character')
  t.end()
})

t.test('run history: periods by their end; a defect is reported to the reader', async t => {
  const history = new RunHistory()
  const later = new Promise<Period>(resolve =>
    setImmediate(() => resolve(period({ sandbox: 'one', verdicts: [verdict('a', 3)] })))
  )
  history.judge(later)
  history.judge(Promise.resolve(period({ sandbox: 'one', verdicts: [verdict('a', 4)] })))
  t.notOk(history.isEmpty, 'it is known before it was judged')
  await history.settled
  t.strictSame(
    unmetIn(history).map(({ message }) => message),
    ['3 came']
  )

  history.judge(Promise.reject(new Error('a defect')))
  await new Promise(resolve => setImmediate(resolve))
  await t.rejects(history.settled, { message: 'a defect' })
})
