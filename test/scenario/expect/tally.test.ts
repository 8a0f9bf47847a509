import t from 'tap'
import { parse } from 'yaml'
import { type Family, type OperationId, operationNamed } from '../../../src/reference/operations.js'
import { aboutIn } from '../../../src/scenario/about.js'
import type { Report } from '../../../src/scenario/documents.js'
import {
  compileExpectation,
  type Expectation,
  type ExpectationData
} from '../../../src/scenario/expect/expectations.js'
import type { Arrival } from '../../../src/scenario/expect/judges.js'
import { Tally, type Verdict } from '../../../src/scenario/expect/tally.js'
import { MAX_VALUES, type SentCall } from '../../../src/scenario/match/matching.js'
import { Store } from '../../../src/store/store.js'
import { coded } from '../../support/codes.js'
import type { Json } from '../../support/json.js'

/**
 * A request as a row writes it. `end` is when its response was sent, in milliseconds, by default
 * equal to `at`; null if it has not ended.
 */
type Request = {
  on?: string
  at?: number
  end?: number | null
  status?: number
  lost?: true
  effect?: boolean
  amount?: string
  ticket?: string
  test?: string
  body?: object
  changed?: string[]
}

const sent = ({
  on = 'POST /refunds',
  at = 0,
  amount,
  ticket,
  test = undefined
}: Request): SentCall => ({
  operation: on === 'nothing' ? null : (operationNamed(on) as OperationId),
  arrivedAt: at,
  key: 'sk_1',
  params: () => undefined,
  query: () => undefined,
  body: ([name]) => (name === 'amount' ? amount : undefined),
  header: () => undefined,
  test: test ?? null,
  about: what => (what === 'ticket' ? ticket : undefined)
})

const SENT = new Map([['sent', { id: 'rfd_a', amount: 400, reason: 'undefined' }]])
const RECORDS = new Store()
const records: [family: Family, record: object][] = parse(`
  - [transactions, { id: txn_a, ticket: tkt_a, amount: 1000 }]
  - [refunds, { id: rfd_a, transaction: txn_a, amount: 400 }]
  - [refunds, { id: rfd_b, transaction: txn_a, amount: 100, reason: undefined }]
`)
for (const [family, record] of records) {
  const usual = { created: '2026-03-01T18:00:00.000Z', location: 'loc_a', currency: 'usd' }
  RECORDS.put(family, { ...usual, ...record } as never)
}

const tallyOf = async (...expectations: ExpectationData[]): Promise<Tally> => {
  const compiled: Expectation[] = []
  for (const data of expectations) {
    const problems: string[] = []
    const report: Report = (_, said) => void problems.push(coded('', said))
    compiled.push((await compileExpectation(data, report, SENT)) as Expectation)
    t.strictSame(problems, [])
  }
  return new Tally(compiled)
}

function end(tally: Tally, came: Arrival, request: Request): void {
  const {
    on = 'POST /refunds',
    at = 0,
    end = at,
    status = 200,
    lost = false,
    effect,
    body,
    changed = []
  } = request
  tally.endRequest(came, {
    status,
    isDelivered: !lost,
    tookEffect: effect ?? (on.startsWith('POST') && status < 300),
    changed: changed.map(name => {
      const [family, id] = name.split('/') as [Family, string]
      return { family, id }
    }),
    endedAt: end as number,
    body: () => body as never
  })
}

/** All requests arrive in order; `end: null` has not ended, the others end at once. */
const judged = async (data: ExpectationData, requests: readonly Request[]): Promise<Verdict> => {
  const tally = await tallyOf(data)
  for (const [nth, request] of requests.entries()) {
    const came = tally.addRequest(sent(request), `req_${nth + 1}`)
    if (request.end !== null) end(tally, came, request)
  }
  const [verdict] = await tally.verdicts(RECORDS)
  return verdict as Verdict
}

const REFUND = { on: 'POST /refunds' }
/** Rows and requests are of POST /refunds unless they name another operation. */
const whole = (expected: Json): ExpectationData =>
  expected.sequence
    ? { ...expected, sequence: expected.sequence.map((call: Json) => ({ ...REFUND, ...call })) }
    : { ...REFUND, ...expected }
type Row = [expected: Json, came: Request[], verdict: string, message?: string]
const table = (title: string, yaml: string): void => {
  t.test(title, async t => {
    for (const [expected, came, wanted, message] of parse(yaml) as Row[]) {
      const { verdict, forbidden, message: said, holds } = await judged(whole(expected), came)
      const label = `${JSON.stringify(expected)} after ${JSON.stringify(came)}: ${said}`
      t.equal(forbidden ? 'forbidden' : verdict, wanted, label)
      t.equal(holds, wanted === 'met', label)
      if (forbidden) t.equal(verdict, 'unmet', label)
      if (message !== undefined) t.equal(said, message)
    }
  })
}

table(
  'how many requests: what is demanded, forbidden, and never exercised',
  `
- [{}, [{}], met, 'POST /refunds: expected at least 1 request; got 1']
- [{}, [{ on: GET /refunds }], never exercised]
- [{}, [], never exercised]
- [{ times: 2 }, [{}], unmet, 'POST /refunds: expected 2 requests; got 1']
- [{ times: 2 }, [{}, {}], met]
- [{ times: 2 }, [{}, {}, {}], forbidden, 'POST /refunds: expected 2 requests; got 3']
- [{ times: 0 }, [], never exercised]
- [{ times: 0 }, [{ on: GET /refunds }], met]
- [{ times: 0 }, [{}], forbidden]
- [{ times: 0-1 }, [{ on: GET /refunds }], met]
- [{ times: 1-3 }, [{}, {}, {}], met, 'POST /refunds: expected 1 to 3 requests; got 3']
# any request, also one that met no operation
- [{ on: '*', status: 4xx, times: 0 }, [{ status: 401 }], forbidden]
- [{ on: '*', status: 4xx, times: 0 }, [{ on: nothing, status: 404 }], forbidden]
- [{ on: '*', status: 4xx, times: 0 }, [{}], met]
- [{ on: '*', times: 2 }, [{}, { on: nothing, status: 404 }], met, 'any operation: expected 2 requests; got 2']
# a request that was refused has come
- [{ times: 1 }, [{ status: 401 }], met]
- [{ times: 1 }, [{ status: 401 }, {}], forbidden]
- [{ match: { body: { amount: 500 } }, times: 1 }, [{ amount: '500' }, { amount: '501' }], met, 'POST /refunds with {"body":{"amount":500}}: expected 1 request; got 1']
- [{ match: { body: { amount: 500 } }, times: 1 }, [{ amount: '501' }], unmet]
- [{ match: { key: sk_1 }, times: 1 }, [{}], met, 'POST /refunds with {"key":"***"}: expected 1 request; got 1']
- [{ on: '*', match: { key: sk_1 }, times: 1 }, [{ on: nothing }], never exercised]
`
)

table(
  'how requests ended',
  `
- [{ took_effect: true, times: 1 }, [{ lost: true, effect: true }], met, 'POST /refunds that took effect: expected 1 request; got 1']
- [{ took_effect: true, times: 1 }, [{ lost: true, effect: true }, {}], forbidden]
- [{ took_effect: false, times: 1 }, [{ status: 402 }], met, 'POST /refunds that had no effect: expected 1 request; got 1']
- [{ took_effect: true }, [{ end: null }], unmet]
- [{ times: 1 }, [{ end: null }], met]
- [{ answered: true, times: 1 }, [{}, { lost: true }], met, 'POST /refunds that got a response: expected 1 request; got 1']
- [{ answered: false, times: 1 }, [{ lost: true }], met, 'POST /refunds that got no response: expected 1 request; got 1']
- [{ status: [4XX, 200], times: 2 }, [{}, { status: 402 }, { status: 500 }], met, 'POST /refunds with status 4XX or 200: expected 2 requests; got 2']
- [{ status: 2xx }, [{ lost: true }], unmet]
- [{ on: GET /refunds, response: { has_more: false } }, [{ on: GET /refunds, body: { has_more: true } }], unmet]
- [{ on: GET /refunds, response: { has_more: false } }, [{ on: GET /refunds, body: { has_more: true } }, { on: GET /refunds, body: { has_more: false } }], met,
   'GET /refunds with the response {"has_more":false}: expected at least 1 request; got 1']
- [{ on: GET /refunds, response: { has_more: false } }, [{ on: GET /refunds, lost: true, body: { has_more: false } }], unmet]
- [{ on: GET /refunds, response: { has_more: false } }, [{ on: GET /refunds }], unmet]
- [{ response: { amount: { gte: 500 }, 'payment_method.card.last4': '4242' } }, [{ body: { amount: 500, payment_method: { card: { last4: '4242' } } } }], met]
- [{ response: { reason: { present: false } } }, [{ body: { reason: null } }], met]
- [{ on: GET /refunds, response: { url: x } }, [{ on: GET /refunds, body: { url: {} } }], unmet]
- [{ response: { error: { code: card_declined } } }, [{ status: 402, body: { error: { code: card_declined } } }], met]
`
)

table(
  'pauses begin when the response before was sent or lost',
  `
- [{ no_sooner_than: 1s }, [{ at: 0 }, { at: 1000 }], met, 'POST /refunds no sooner than 1s after the previous response: expected at least 2 requests; got 2']
- [{ no_sooner_than: 1s }, [{ at: 0 }], unmet]
- [{ no_sooner_than: 1s, times: 1+ }, [{ at: 0 }], met]
- [{ no_sooner_than: 1s }, [{ at: 0 }, { at: 999 }], forbidden, 'Pause before request 2, POST /refunds: expected at least 1s; got 0.999 s']
# a delay of the response is not the client's patience
- [{ no_sooner_than: 1s }, [{ at: 0, end: 1200 }, { at: 1210 }], forbidden, 'Pause before request 2, POST /refunds: expected at least 1s; got 0.01 s']
- [{ no_sooner_than: 1s }, [{ at: 0, end: 1200 }, { at: 2200 }], met]
- [{ no_sooner_than: 1s }, [{ at: 0, end: null }, { at: 2000 }], forbidden]
- [{ no_sooner_than: 1s, times: 3 }, [{ at: 5000 }, { at: 0 }, { at: 6000 }], met]
- [{ no_later_than: 5s }, [{ at: 0 }, { at: 5000 }], met, 'POST /refunds no later than 5s after the previous response: expected at least 2 requests; got 2']
- [{ no_later_than: 5s }, [{ at: 0 }, { at: 5001 }], forbidden, 'Pause before request 2, POST /refunds: expected at most 5s; got 5.001 s']
- [{ no_later_than: 5s }, [{ at: 0 }], unmet]
- [{ no_later_than: 5s, times: 0+ }, [{ at: 0 }, { at: 5001 }], forbidden]
- [{ no_sooner_than: 1s, times: 1+, per: ticket }, [{ ticket: a }], met]
- [{ no_sooner_than: 1s, no_later_than: 5s }, [{ at: 0 }, { at: 100 }], forbidden, 'Pause before request 2, POST /refunds: expected at least 1s and at most 5s; got 0.1 s']
- [{ no_sooner_than: 1s, times: 0-1 }, [{ at: 0 }, { at: 0 }], forbidden, 'POST /refunds no sooner than 1s after the previous response: expected at most 1 request; got 2']
- [{ no_sooner_than: 1s, per: ticket }, [{ at: 0, ticket: a }, { at: 10, ticket: b }, { at: 1000, ticket: a }, { at: 1010, ticket: b }], met, 'Met for each ticket (2)']
- [{ no_sooner_than: 1s, per: ticket }, [{ at: 0, ticket: a }, { at: 10, ticket: b }, { at: 1000, ticket: a }, { at: 1009, ticket: b }], forbidden,
   'Pause before request 2, POST /refunds: expected at least 1s; got 0.999 s for b']
- [{ sequence: [{}, { no_sooner_than: 1s }] }, [{ at: 0, end: 100 }, { at: 1100 }], met]
- [{ sequence: [{}, { no_sooner_than: 1s }] }, [{ at: 0, end: 100 }, { at: 1099 }], forbidden,
   'Pause before request 2, POST /refunds: expected at least 1s; got 0.999 s']
- [{ sequence: [{}, { no_sooner_than: 1s }], others: true }, [{ at: 0 }, { at: 10 }, { at: 1000 }], met]
`
)

table(
  'a sequence is exact over the operations that it names',
  `
- [&retry { sequence: [{ answered: false }, { on: GET /refunds }, {}] }, [{ lost: true }, { on: GET /refunds }, {}], met, 'As expected']
- [*retry, [{ lost: true }, { lost: true }, { on: GET /refunds }, {}], forbidden, 'Request 2 of the sequence: expected GET /refunds; got POST /refunds']
- [*retry, [{ lost: true }, { on: GET /refunds }, {}, {}], forbidden, 'Request 4 of the sequence: expected no more (others: true allows others); got POST /refunds']
- [*retry, [{ lost: true }, { on: GET /refunds }, { on: GET /refunds }, {}], forbidden]
- [*retry, [{ lost: true }, { on: GET /refunds }], unmet, 'Request 3 of the sequence: expected POST /refunds; got none']
- [*retry, [{ lost: true }, { on: GET /locations }, { on: GET /refunds }, { on: nothing }, {}], met]
- [*retry, [{ on: GET /locations }], never exercised]
- [&plain { sequence: [{ match: { body: { amount: 500 } } }, { on: GET /refunds }] }, [{ amount: '500', end: null }, { on: GET /refunds, end: null }], met]
- [*plain, [{ amount: '501' }, { on: GET /refunds }], forbidden]
- [*retry, [{ end: null }, { on: GET /refunds }, {}], unmet]
- [{ sequence: [{}, { on: GET /refunds }], others: true }, [{}, {}, { on: GET /refunds }, {}], met]
- [{ sequence: [{}, { on: GET /refunds }], others: true }, [{ on: GET /refunds }, {}], unmet]
- [{ sequence: [{}, { on: '*', status: 404 }] }, [{}, { on: nothing, status: 404 }], met]
- [{ sequence: [{}, { on: '*', status: 404 }] }, [{}, { on: nothing, status: 405 }], forbidden, 'Request 2 of the sequence: expected any operation with status 404; got a request that is not an operation']
- [{ sequence: [{}, { on: GET /refunds }], per: ticket }, [{ ticket: a }, { ticket: b }, { on: GET /refunds, ticket: a }, { on: GET /refunds, ticket: b }], met, 'Met for each ticket (2)']
- [{ sequence: [{}, { on: GET /refunds }], per: ticket }, [{ ticket: a }, { ticket: b }, { on: GET /refunds, ticket: a }], unmet,
   'Request 2 of the sequence: expected GET /refunds; got none for b']
- [{ sequence: [{}, { on: GET /refunds }], per: ticket }, [{ on: GET /refunds, ticket: a }], forbidden,
   'Request 1 of the sequence: expected POST /refunds; got GET /refunds for a']
`
)

table(
  'each value by itself, and requests without one together',
  `
- [&one { per: ticket, times: 1 }, [{ ticket: a }, { ticket: b }], met, 'Met for each ticket (2)']
- [*one, [{ ticket: a }, { ticket: b }, { ticket: b }], forbidden, 'POST /refunds for each ticket: expected 1 request; got 2 for b']
- [*one, [{ on: GET /refunds }], never exercised, 'no request was sent for any ticket; never exercised']
- [*one, [{}], met, 'Met for each ticket (1)']
- [*one, [{}, {}], forbidden, 'POST /refunds for each ticket: expected 1 request; got 2 for requests without a ticket']
- [{ per: test, times: 1 }, [{ test: a }, { test: b }], met]
- [{ per: ticket, times: 0-1 }, [{ on: GET /refunds }], met]
- [{ per: ticket, times: 0-1 }, [{ ticket: a }, { ticket: a }, { ticket: b }, { ticket: b }], forbidden,
   'POST /refunds for each ticket: expected at most 1 request; got 2 for a']
- [{ per: ticket, times: 2+ }, [{ ticket: a }, { ticket: a }, { ticket: b }], unmet, 'POST /refunds for each ticket: expected at least 2 requests; got 1 for b']
- [{ per: ticket, times: 2 }, [{ ticket: a }, { ticket: b }, { ticket: b }, { ticket: b }], forbidden,
   'POST /refunds for each ticket: expected 2 requests; got 3 for b']
`
)

t.test('records: an upper limit counts requests that changed their record', async t => {
  const rows: [refunds: object, changed: string[], verdict: string][] = parse(`
    - [{ rfd_a: null }, [refunds/rfd_a], forbidden]
    - [{ rfd_a: null }, [refunds/rfd_b], unmet]
    - [{ rfd_z: null }, [], met]
    - [{ rfd_z: {} }, [refunds/rfd_a], unmet]
    - [{ '\${sent.id}': null }, [refunds/rfd_a], forbidden]
    - [{ '\${sent.id}': { amount: 400 } }, [], met]
    - [{ rfd_a: null, '\${gone.id}': null }, [refunds/rfd_a], forbidden]
    - [{ rfd_b: { reason: { not: '\${gone.id}' } } }, [refunds/rfd_b], never exercised]
    - [{ rfd_a: { reason: { not: '\${sent.reason}' } } }, [refunds/rfd_a], met]
    - [{ rfd_a: { amount: 1 } }, [refunds/rfd_a], unmet]
    - [{ rfd_a: { amount: { not: 400 } } }, [refunds/rfd_a], forbidden]
    - [{ rfd_a: { amount: { not: 400 } } }, [refunds/rfd_b], unmet]
    - [{ rfd_a: { amount: { lt: 400 } } }, [refunds/rfd_a], forbidden]
    - [{ rfd_a: { amount: { lte: 399 } } }, [refunds/rfd_a], forbidden]
    - [{ rfd_a: { amount: { gt: 400 } } }, [refunds/rfd_a], unmet]
    - [{ rfd_a: { amount: { gt: 400, lt: 900 } } }, [refunds/rfd_a], unmet]
    - [{ count: 2 }, [], met]
    - [{ count: 1 }, [refunds/rfd_a], forbidden]
    - [{ count: 1 }, [transactions/txn_a], unmet]
    - [{ count: 3 }, [refunds/rfd_a], unmet]
    - [{ count: { lte: 1 } }, [refunds/rfd_a], forbidden]
    - [{ count: { lt: 2 } }, [refunds/rfd_a], forbidden]
    - [{ count: { gt: 2 } }, [refunds/rfd_a], unmet]
    - [{ count: { gte: 3, lt: 9 } }, [refunds/rfd_a], unmet]
    - [{ count: { gte: 1, lte: 1 } }, [refunds/rfd_a], forbidden]
    - [{ where: { amount: 100 }, count: 0 }, [refunds/rfd_a], unmet]
    - [{ where: { amount: 100 }, count: 0 }, [refunds/rfd_b], forbidden]
    - [{ where: { amount: 100 }, count: 2 }, [refunds/rfd_b], unmet]
    - [{ sum: { amount: 400 } }, [refunds/rfd_a], forbidden]
    - [{ sum: { amount: 501 } }, [refunds/rfd_a], unmet]
    - [{ every: { amount: 100 } }, [refunds/rfd_a], forbidden]
    - [{ every: { amount: 100 } }, [transactions/txn_a], unmet]
    - [{ every: { amount: { lte: 500 } } }, [], met]
  `)
  for (const [refunds, changed, wanted] of rows) {
    const state = { refunds } as object
    const { verdict, forbidden } = await judged({ state }, [{ changed }])
    const label = `${JSON.stringify(state)} after a change of ${changed}`
    t.equal(
      forbidden ? `${wanted} ${verdict}` : verdict,
      forbidden ? 'forbidden unmet' : wanted,
      label
    )
    const [asked] = await (await tallyOf({ state })).verdicts(RECORDS, true)
    if (wanted === 'forbidden') t.equal(asked?.forbidden, true, label)
  }
})

t.test('requests that end late', async t => {
  const data = { sequence: [{ on: 'POST /refunds', answered: false }, { on: 'GET /refunds' }] }
  const tally = await tallyOf(data)
  const [first, second] = [{ lost: true } as const, { on: 'GET /refunds' }]
  const came = [first, second].map(request => tally.addRequest(sent(request)))
  const [late] = await tally.verdicts(RECORDS)
  t.match(late, { seen: 0, verdict: 'unmet', wanted: /, in this order and no other requests$/ })
  t.notOk(['requests', 'tests', 'value'].some(name => name in (late as Verdict)))
  t.notOk(came.some(({ isCounted }) => isCounted))
  t.match(tally.awaited(), [{ seen: 0, calls: { data: data.sequence[0] } }])
  end(tally, came[1] as Arrival, second)
  t.match(await tally.verdicts(new Store()), [{ seen: 0, verdict: 'unmet' }], 'it is not over')
  end(tally, came[0] as Arrival, first)
  t.match(await tally.verdicts(new Store()), [{ seen: 2, verdict: 'met' }])
  t.ok(came.every(({ isCounted }) => isCounted))
  t.strictSame(tally.awaited(), [])
})

t.test('how the requests that counted are named', async t => {
  const requests = Array.from({ length: 12 }, (_, nth) => ({ test: `test ${nth % 2}` }))
  const { requests: named, tests, seen } = await judged({ on: 'POST /refunds', times: 3 }, requests)
  t.strictSame([named?.length, named?.[0], tests, seen], [10, 'req_1', ['test 0', 'test 1'], 12])
  const met = await judged({ on: 'POST /refunds', per: 'test', times: 6 }, requests)
  t.strictSame([met.requests, met.tests, met.seen], [undefined, ['test 0', 'test 1'], 6])
  const many = Array.from({ length: 101 }, (_, nth) => ({ test: `test ${nth}` }))
  t.equal((await judged({ on: 'POST /refunds' }, [{}, ...many])).tests?.length, 100)
  for (const data of [
    { on: 'POST /refunds', times: 1 },
    { sequence: [{ on: 'POST /refunds' }] }
  ] as const) {
    const none = await judged(data, [{ on: 'GET /refunds' }])
    t.notOk(['requests', 'tests', 'value'].some(name => name in none))
    t.notOk('tests' in (await judged(data, [{}])))
    const { value } = await judged({ ...data, per: 'ticket' }, [
      { ticket: 'a' },
      { ticket: 'b' },
      { ticket: 'b' }
    ])
    t.equal(value, 'b')
    t.notOk('value' in (await judged({ ...data, per: 'ticket' }, [{ on: 'GET /refunds' }])))
    const unnamed = await tallyOf(data)
    for (const nth of [0, 1]) {
      t.equal(unnamed.awaited().length, 1 - nth)
      end(unnamed, unnamed.addRequest(sent({})), {})
    }
    end(unnamed, unnamed.addRequest(sent({})), {})
    t.strictSame(unnamed.awaited(), [], 'what is forbidden is not awaited')
    t.notOk('requests' in ((await unnamed.verdicts(RECORDS))[0] as Verdict))
  }
})

t.test('pauses beyond the maximum are not judged', async t => {
  const requests = Array.from({ length: 10_001 }, (_, nth) => ({ at: Math.min(nth, 9999) }))
  const data = { on: 'POST /refunds', no_sooner_than: '1ms' }
  t.equal((await judged(data, requests)).forbidden, false)
  t.equal((await judged(data, requests.slice(1))).forbidden, true)
})

t.test('values beyond the maximum are reported', async t => {
  const requests = Array.from({ length: MAX_VALUES + 3 }, (_, nth) => ({ test: `test ${nth}` }))
  const { holds, message } = await judged({ on: 'POST /refunds', per: 'test', times: 1 }, requests)
  t.strictSame(
    [holds, message],
    [true, 'Met for each test (1000); not counted: 3 (more than 1000 values of test)']
  )
  const inOrder = await judged({ sequence: [{ on: 'POST /refunds' }], per: 'test' }, requests)
  t.equal(inOrder.message, message)
})

t.test('a reference to a step that was not sent is never met', async t => {
  const data = { on: 'POST /refunds', match: { body: { amount: '${paid.amount}' } }, times: 0 }
  const { verdict, message } = await judged(data, [{}])
  t.strictSame(
    [verdict, message],
    ['never exercised', 'It refers to ${paid}, which has not been sent; only check sends plays']
  )
  const gone = await judged({ state: { refunds: { '${paid.id}': null } } }, [{}])
  t.equal(gone.holds, false)
})

t.test('an expectation of verify is judged even if no request came', async t => {
  const tally = await tallyOf(
    { on: 'POST /refunds', times: 0 },
    { state: { refunds: { count: 0 } } }
  )
  const judgements = async (isAsked: boolean) =>
    (await tally.verdicts(new Store(), isAsked)).map(({ verdict }) => verdict)
  t.strictSame(await judgements(false), ['never exercised', 'never exercised'])
  t.strictSame(await judgements(true), ['met', 'met'])
})

t.test('without an operation, about nothing', async t => {
  t.equal(aboutIn(RECORDS, { ...sent({ on: 'nothing' }), account: null })('ticket'), undefined)
})
