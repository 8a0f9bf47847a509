import t from 'tap'
import { NO_WORDS, SecretWords } from '../../src/core/redaction.js'
import { Evidence } from '../../src/evidence/evidence.js'
import { Run } from '../../src/evidence/run.js'
import { explained, explainedText } from '../../src/evidence/why.js'
import type { Action } from '../../src/scenario/script.js'
import { MERCHANT, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { type Given, journalLimits, judgedRequest } from '../support/judged-request.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
type Verdict = { rule: string; verdict: string; facts?: object }

t.test('why: the rules in the order in which they were decided, each once', async t => {
  const { call, control } = await startTestEmulator(t, { records: { transactions: [CHARGE] } })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=400' })
  const { error } = (
    await call('POST /refunds', { body: 'transaction=txn_a&amount=700&metadata[a]=b' })
  ).body
  const [first, second] = await Promise.all(
    [1, 2].map(async nth => (await control(`GET /requests/req_${nth}`)).body)
  )

  const rulesOf = ({ why }: Json) =>
    why.rules.map(({ rule, verdict, facts }: Verdict) => [rule, verdict, facts ?? null])
  const passed = (facts: object | null, ...rules: string[]) =>
    rules.map(rule => [rule, 'passed', facts])
  const facts = {
    transaction: 'txn_a',
    currency: 'usd',
    charged: 1000,
    refunded: 0,
    remaining: 1000,
    asked: 400
  }
  const wayIn = ['BASE-1', 'AUTH-1', 'AUTH-3', 'FORM-1']
  t.strictSame(rulesOf(first), [
    ...passed(null, ...wayIn),
    ...passed(facts, 'REF-1', 'REF-3', 'REF-5'),
    ...passed(null, 'REF-8')
  ])
  const violated = { ...facts, refunded: 400, remaining: 600, asked: 700 }
  t.strictSame(rulesOf(second), [
    ...passed(null, ...wayIn, 'FORM-2'),
    ['REF-7', 'violated', violated]
  ])
  t.strictSame(
    [error.rule, second.refusal.rule, second.why.changed_by],
    ['REF-7', 'REF-7', ['req_1']]
  )
  t.strictSame(
    second.why.assumptions.map(({ assumption }: Json) => assumption),
    ['A07', 'A08', 'A18', 'A23']
  )
})

t.test('why: the figures of pages, and of what a payment does not use', async t => {
  const { call, control } = await startTestEmulator(t, {
    records: { tickets: [{ id: 'tkt_b', location: 'loc_a', reference: 'B' }] }
  })
  const factsOf = async (on: string, options: Parameters<typeof call>[1]) => {
    await call(on, options)
    const { id } = (await control('GET /requests?limit=1')).body.data[0]
    const { rules } = (await control(`GET /requests/${id}`)).body.why
    return Object.fromEntries(
      rules.flatMap(({ rule, facts }: Verdict) => (facts ? [[rule, facts]] : []))
    )
  }

  const page = { retrieved: 1, shown: 1, has_more: true }
  t.strictSame(await factsOf('GET /tickets', { query: 'limit=1&search_query=b&location=loc_a' }), {
    'LIST-2': page,
    'SRCH-1': page
  })
  t.strictSame(
    await factsOf('GET /tickets', { query: 'limit=1&search_query=t-1&location=loc_a' }),
    { 'LIST-2': { ...page, shown: 0 }, 'SRCH-3': { ...page, shown: 0 } }
  )
  t.strictSame(await factsOf('POST /locations', { body: 'display_name=B&address[country]=US' }), {
    'LOC-3': { account: 'mch_a' }
  })
  t.strictSame(
    await factsOf('POST /transactions', {
      body: 'ticket=tkt_a&payment_type=card&amount=1&bank_account[bank_name]=B',
      key: null
    }),
    { 'TXN-5': { payment_type: 'card', used: false } }
  )
})

t.test('why: a request as text, with everything known of it', async t => {
  const script = [
    { name: 'lost', on: 'POST /refunds', calls: '1', fault: 'connection_reset', when: 'after' }
  ]
  const { call, control } = await startTestEmulator(t, {
    scenario: { clock: NOW, data: smallFixture({ transactions: [CHARGE] }), script }
  })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=400&metadata[k]=v' }).catch(
    () => null
  )
  await call('POST /refunds', {
    body: 'transaction=txn_a&amount=700',
    query: 'a=b&list[]=1&list[]=2'
  })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=700' })

  const made = (await control('GET /requests/req_1?format=text')).text
  const refused = (await control('GET /requests/req_2?format=text')).text
  const tooMuch = (await control('GET /requests/req_3?format=text')).text

  t.ok(
    made.startsWith(`req_1  POST /refunds  lost after the operation ran, 200, took effect  (${NOW})
  body: transaction=txn_a amount=400 metadata[k]=v
  script: scr_1 (lost): connection_reset

Rules, in the order in which they were checked:
  passed    BASE-1  the base address ends in the segment next; every path is relative to it
`),
    made
  )
  t.ok(
    made.includes(
      '  passed    REF-5   partial Refunds may be repeated until the whole charge is refunded  [transaction txn_a, currency usd, charged 1000, refunded 0, remaining 1000, asked 400]\n'
    )
  )
  t.match(made, /\nThe response relies on:\n {2}A02 {2}id prefixes\n/)
  t.match(made, /\nResponse:\n {2}\{"id":"rfd_[^\n]+\}\n$/)
  t.ok(
    refused.startsWith(
      `req_2  POST /refunds  refused, 400, changed nothing  (${NOW})\n  query: a=b list[]=1 list[]=2\n  body: transaction=txn_a amount=700\n`
    ),
    refused
  )
  t.ok(tooMuch.includes('\nThe records in question were last changed by req_1.\n'))
})

t.test('why: a request without an operation, and one without any rule', t => {
  const evidence = new Evidence(journalLimits(), new Run())
  const textOf = (given: Given) =>
    explainedText(judgedRequest({ at: Date.parse(NOW), ...given }), evidence, NO_WORDS)

  t.equal(
    textOf({ operation: null, path: '/nothing', outcome: 'refused', status: 404 }),
    `req_1  GET /nothing  refused, 404, changed nothing  (${NOW})\n\nNo operation matched.\n\nResponse:\n  (no body)\n`
  )
  const outside = {
    code: 'path_unknown',
    rule: 'BASE-1',
    assumption: null,
    param: null,
    facts: null
  } as const
  t.ok(
    textOf({ operation: null, outcome: 'refused', refusal: outside }).includes(
      '  VIOLATED  BASE-1  the base address'
    )
  )
  t.ok(textOf({ operation: null, outcome: 'answered' }).includes('\nNo operation matched.\n'))
  t.ok(
    textOf({ fault: 'malformed_body', text: '{' }).startsWith(
      'req_1  GET /tickets  answered, 200, changed nothing, its body altered in transit  ('
    )
  )
  const action = { id: 'scr_1', entry: { data: {} }, isApplied: true } as Action
  t.ok(textOf({ action }).includes('\n  script: scr_1\n'))
  t.ok(
    textOf({ action: { ...action, isApplied: false } }).includes('\n  script: scr_1; not applied\n')
  )
  t.ok(
    textOf({ action, problem: 'no room' }).includes(
      '\n  script: scr_1; it could not change the records: no room\n'
    )
  )
  t.ok(
    textOf({ text: 'not JSON 4242424242424242' }).endsWith(
      'Response:\n  not JSON ****************\n'
    )
  )
  const answerOf = (text: string) =>
    explained(judgedRequest({ text }), evidence, new SecretWords([MERCHANT])).answer
  t.strictSame(
    [answerOf(''), answerOf('text'), answerOf(`{"a":"${MERCHANT}","card":{"token":"x"},"n":1}`)],
    [null, 'text', { a: '***', card: { token: '***' }, n: 1 }]
  )
  t.end()
})

t.test('why: the outcome of a request in words', t => {
  const evidence = new Evidence(journalLimits(), new Run())
  const refund = {
    method: 'POST',
    path: '/refunds',
    operation: 'createLocation',
    result: { id: 'loc_1', metadata: {} } as never,
    text: '{}'
  } as const
  for (const [outcome, words] of Object.entries({
    refused: 'refused, 200, changed nothing',
    answered: 'answered, 200, took effect',
    scripted: 'scripted response, 200, changed nothing',
    lost_before: 'lost before the operation ran, 200, changed nothing',
    lost_after: 'lost after the operation ran, 200, took effect',
    not_written: 'ran, but could not be saved, 200, took effect'
  })) {
    t.match(
      explainedText(
        judgedRequest({ ...refund, outcome: outcome as 'refused' }),
        evidence,
        NO_WORDS
      ),
      `  ${words}  (`,
      outcome
    )
  }
  t.end()
})
