import t from 'tap'
import { parse } from 'yaml'
import { pathOf } from '../../src/core/places.js'
import { settingsInForce } from '../../src/core/settings.js'
import { checkSteps } from '../../src/scenario/play/check.js'
import { problemsOfShape } from '../../src/scenario/shape/scenario.js'
import {
  bindingsOf,
  type Play,
  type PlayData,
  playSteps,
  type StepBindings,
  type StepCall,
  type StepData,
  type StepOutcome,
  type StepResponse
} from '../../src/scenario/steps.js'
import { type Records, Store } from '../../src/store/store.js'
import { coded, reported } from '../support/codes.js'
import type { Json } from '../support/json.js'

const RECORDS = ['tkt_60', 'txn_1', 'mch_a']
/** A step without a key uses the first merchant's. */
const BINDINGS = {
  variable: (name: string) => (RECORDS.includes(name) ? name : undefined),
  key: (name: string) => name || 'sk_first'
}
const STORE = new Store()
for (const id of RECORDS)
  STORE.accounts.insert({
    id,
    reseller: null,
    created: '2026-01-01T00:00:00.000Z'
  } as Records['accounts'])
const { values: settings } = settingsInForce({ flag: { 'auth.accept_any_key': 'mch_a' } })
const TRIAL = { store: STORE, settings }

const NONE = { steps: [], play: [], expect: [] }

const problemsOf = async (steps: unknown): Promise<string[]> => {
  const shape = problemsOfShape('scenario', { steps }).map(({ steps, ...said }) =>
    coded(pathOf(steps.slice(1)), said)
  )
  const { found, report } = reported(1)
  if (shape.length === 0) await checkSteps({ ...NONE, steps: steps as StepData[] }, TRIAL, report)
  return [...shape, ...found]
}

type Answer = Partial<StepResponse>
const codesOf = (outcomes: readonly StepOutcome[]) =>
  outcomes.map(({ problems }) => problems.map(({ at, ...said }) => coded(pathOf(at), said)))
const played = async (
  steps: StepData[],
  answers: Answer[] = [],
  bindings: StepBindings = BINDINGS
) => {
  const calls: StepCall[] = []
  const play: Play = async call => {
    calls.push(call)
    return { status: 200, body: { id: `new_${calls.length}` }, ...answers[calls.length - 1] }
  }
  const outcomes = await playSteps(steps, play, bindings)
  return { calls, outcomes, problems: codesOf(outcomes) }
}
const sentAfter = async (answer: unknown, body: StepData['body']): Promise<string[][]> => {
  const refund = { do: 'POST /refunds', body: body as NonNullable<StepData['body']> }
  const { calls, problems } = await played(
    [{ as: 'a', do: 'GET /tickets' }, refund],
    [{ body: answer as never }]
  )
  t.strictSame(problems, [[], []])
  return [...new URLSearchParams(calls[1]?.form ?? '')]
}

t.test('steps: every kind of problem, with its place', async t => {
  const list = { do: 'GET /tickets' }
  const payment = { as: 'payment', do: 'POST /transactions' }
  const ofOne: [step: Json, ...problems: string[]][] = parse(`[
    [GET /tickets, ' wrong_type'], [{}, ' required'], [{ do: GET /tickets, exepct: {} }, .exepct unknown_name],
    [{ do: GET /tickets, expect: { status: 2x } }, .expect.status wrong_characters],
    [{ do: GET /tickets, expect: { status: [] } }, .expect.status too_few_items], [{ do: GET /tickets, expect: { status: 99 } }, .expect.status too_small],
    [{ do: GET /ticket }, .do unknown_request], [{ do: PUT /tickets }, .do unknown_request],
    [{ do: GET http://localhost/next/tickets }, .do unknown_request], [{ do: GET /tickets?limit=5 }, .do unknown_request],
    [{ do: GET /tickets, body: { limit: 5 } }, .body no_section], [{ do: DELETE /accounts/a/users/u, body: {} }, .body no_section],
    [{ do: 'GET /tickets/\${tkt_60.id}' }, .do unknown_reference],
    [{ as: payment, do: POST /transactions, body: { ticket: '\${payment.id}' } }, .body.ticket unknown_reference],
    [{ do: POST /refunds, body: { reason: 'a \${} b' } }, .body.reason unknown_reference],
    [{ do: POST /refunds, body: { reason: 'a \${b' } }, .body.reason reference_not_closed], [{ do: GET /tickets, as: '' }, .as empty],
    [{ do: POST /refunds, key: '\${a}', query: { limit: ['\${b}'] }, body: { metadata: { x: 'one \${c} two \${d} \${tkt_60}' } }, expect: { body: { data: [{}, { id: '\${e}' }] } } }, .key unknown_reference, '.query.limit[0] unknown_reference', .body.metadata.x unknown_reference, .body.metadata.x unknown_reference, '.expect.body.data[1].id unknown_reference']
  ]`)
  const cases: [steps: unknown, ...problems: string[]][] = [
    [{}, 'wrong_type'],
    ...ofOne.map(([step, ...problems]): [steps: unknown, ...problems: string[]] => [
      [step],
      ...problems.map(problem => `[0]${problem}`)
    ]),
    ...['5th', 'a b', 'a.b', '-a', 'ä', '${tkt_60}'].map((as): [object, ...string[]] => [
      [{ ...list, as }],
      '[0].as not_a_variable_name'
    ]),
    [[payment, { do: '${payment.id}' }], '[1].do unknown_request'],
    [[payment, { do: 'GET /transactions/${paymnt.id}' }], '[1].do unknown_reference'],
    [[{ do: 'GET /transactions/${payment.id}' }, payment], '[0].do unknown_reference'],
    [
      [{ as: 'a', do: 'GET /ticket' }, { do: 'GET /tickets/${a.anything}' }],
      '[0].do unknown_request'
    ],
    [[payment, list, payment], '[2].as name_taken']
  ]
  for (const [steps, ...problems] of cases)
    t.strictSame(await problemsOf(steps), problems, JSON.stringify(steps))
})

t.test('steps: valid steps', async t => {
  const steps: StepData[] = [
    { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_60}', amount: 5 } },
    { as: 'page-2_x', do: 'get  /tickets ', query: { limit: 2 } },
    ...['payment.id', ' payment.id ', 'payment.unheard_of_by_the_reference'].map(name => ({
      do: `GET /transactions/\${${name}}`,
      key: 'sk_other'
    })),
    { do: 'GET /tickets/prefix_${payment.id}_${page-2_x.data.0.id}' },
    { do: 'DELETE /locations/loc_a', expect: { status: 501 } },
    {
      do: 'POST /refunds',
      body: { transaction: '${payment.id}', reason: '$ {x} $x {x} payment.id}', metadata: {} },
      expect: { body: null }
    }
  ]

  t.strictSame(await problemsOf(steps), [])
})

t.test('play: its problems, with their places', async t => {
  const cases: [play: unknown[], ...problems: string[]][] = parse(`[
    [[{ as: a }], ' needs'], [[{ do: GET /tickets, repeat: 0 }], .repeat too_small], [[{ at_once: [] }], .at_once too_few_items],
    [[{ at_once: [{ do: GET /tickets, repeat: 2 }] }], '.at_once[0].repeat unknown_name'],
    [[{ at_once: [{ do: GET /tickets }], repeat: 2, as: a }], .at_once not_together],
    [[{ do: GET /tickets, expect: { fault: hang, status: 200 } }], .expect.fault not_together], [[{ do: GET /tickets, expect: { fault: hang } }]],
    [[{ at_once: [{ do: GET /tickets, expect: { fault: hang, headers: {}, body: {} } }] }], '.at_once[0].expect.fault not_together'],
    [[{ do: GET /tickets, expect: { body: { data: [{ id: /a/, x: { gt: 5 } }], has_more: { not: true }, n: { present: true } } } }]],
    [[{ do: GET /tickets, expect: { body: { id: /(/ } } }], .expect.body.id bad_pattern],
    [[{ do: GET /tickets, expect: { headers: { retry-after: /(/ } } }], .expect.headers.retry-after bad_pattern],
    [[{ do: GET /tickets, expect: { body: { n: { present: 'no' } } } }], .expect.body.n.present wrong_type],
    [[{ do: GET /tickets, expect: { body: { n: { gt: much } } } }], .expect.body.n.gt wrong_format],
    [[{ do: GET /tickets, expect: { body: { n: { gt: 5, lt: '>9' } } } }], .expect.body.n.lt wrong_type],
    [[{ do: GET /tickets, expect: { body: [&many [/a/, /a/, /a/, /a/, /a/, /a/, /a/, /a/, /a/], *many, *many] } }], '__ pattern_limit'],
    [[{ wait: 2s, do: GET /tickets }], ' not_together'], [[{ at_once: [{ do: GET /tickets }], wait: 2s }], ' not_together'],
    [[{ at_once: [{ wait: 2s }] }], '.at_once[0] required', '.at_once[0].wait unknown_name'], [[{ do: GET /tickets }, { wait: 36h }, { do: GET /tickets }]],
    [[{ at_once: [{ do: GET /tickets }, { do: 'GET /tickets/\${b.id}' }] }], '.at_once[1].do unknown_reference'],
    [[{ at_once: [{ do: GET /tickets, as: a }, { do: 'GET /tickets/\${a.id}' }] }, { do: 'GET /tickets/\${a.id}' }], '.at_once[1].do unknown_reference'],
    [[{ do: GET /tickets, expect: { fault: reset } }], .expect.fault not_one_of], [[{ do: GET /tickets, headers: { User-Agent: iOS } }]],
    [[{ do: GET /tickets, headers: { Authorization: a, Content-Length: '5', a b: '' } }], .headers.Authorization header_of_key, .headers.Content-Length framing_header, .headers.a b not_a_header],
    [[{ at_once: [{ do: GET /tickets, as: a }] }, { do: 'GET /tickets/\${a.data.0.id}' }, { do: 'GET /tickets/\${set.id}', repeat: 3 }]]
  ]`)
  for (const [play, ...problems] of cases) {
    const shape = problemsOfShape('scenario', { play }).map(({ path, ...said }) =>
      coded(path, said)
    )
    const { found, report } = reported()
    const steps = [{ as: 'set', do: 'GET /tickets/tkt_1' }]
    if (shape.length === 0)
      await checkSteps({ ...NONE, steps, play: play as PlayData[] }, TRIAL, report)
    const placed = problems.map(problem => `play[0]${problem}`.replace('[0]__', ''))
    t.strictSame([...shape, ...found], placed, JSON.stringify(play))
  }
  const expect = [{ on: 'POST /refunds', match: { body: { reason: '${tkt_60}' } } }]
  const expecting = reported()
  await checkSteps({ ...NONE, expect }, TRIAL, expecting.report)
  t.strictSame(
    expecting.found,
    ['expect[0].match.body.reason unknown_reference'],
    'it refers to steps'
  )
})

t.test('steps: many references to nothing are reported, each once', async t => {
  const steps = Array.from({ length: 20_000 }, (_, index) => ({
    as: `a_rather_long_name_${index}`,
    do: `GET /tickets/\${a_rather_lung_name_${index}x.id}`
  }))
  const { found, report } = reported()
  await checkSteps({ ...NONE, steps }, TRIAL, report)
  t.equal(found.length, steps.length)
})

t.test('steps: a reference is part of an earlier response, or the id of a record', async t => {
  const answer =
    parse(`{ id: txn_9, amount: 600, reason: ~, open: false, empty: '', data: [{ id: a }, { id: b }],
    card: { last4: '4242', deep: { list: [[1, 2], x] } } }`)
  const values: Record<string, string> = parse(`
    \${a.id}: txn_9
    \${ a.id }: txn_9
    \${a.amount}: '600'
    \${a.reason}: ''
    \${a.open}: 'false'
    \${a.empty}: ''
    \${a.card.last4}: '4242'
    \${a.card.deep.list.0.1}: '2'
    \${a.data.1.id}: b
    \${tkt_60}: tkt_60
    \${a.id}\${a.id}: txn_9txn_9
    for \${a.id} of \${a.amount} at \${tkt_60}: for txn_9 of 600 at tkt_60
    $\${a.id}}: $txn_9}
    \${a.reason}, \${a.open}: null, false
  `)
  for (const [written, sent] of Object.entries(values))
    t.strictSame(await sentAfter(answer, { x: written }), [['x', sent]], written)
  const cases: [sent: string, written: unknown][] = [
    [
      'x[${a.id}]=txn_9&x[list][]=600&x[list][]=txn_9',
      { '${a.id}': '${a.id}', list: ['${a.amount}', '${a.id}'] }
    ],
    ['x[][]=1&x[][]=2&x[]=x', '${a.card.deep.list}'],
    ['x[][id]=a&x[][id]=b', '${a.data}']
  ]
  for (const [sent, written] of cases)
    t.strictSame(
      (await sentAfter(answer, { x: written as never })).map(pair => pair.join('=')).join('&'),
      sent
    )
})

t.test('steps: a reference alone keeps its type, also under expect', async t => {
  const first = { id: 'x', amount: 600, reason: null, list: [1, { a: true }] }
  const whole: StepData = {
    do: 'GET /refunds',
    expect: {
      body: parse(
        "{ amount: '${a.amount}', reason: '${a.reason}', list: '${a.list}', text: 'is ${a.amount}' }"
      )
    }
  }

  const answered = (body: Json) =>
    played([{ as: 'a', do: 'GET /tickets' }, whole], [{ body: first }, { body }])
  const same = await answered({ amount: 600, reason: null, list: [1, { a: true }], text: 'is 600' })
  const other = await answered({ amount: '600', reason: '', list: [1, {}], text: 'is 600' })

  t.strictSame(same.problems, [[], []])
  t.strictSame(other.problems[1], [
    '[1].expect.body.amount other_value',
    '[1].expect.body.reason other_value',
    '[1].expect.body.list[1].a other_value'
  ])
})

t.test('steps: a reference without a value is reported, and its request is not sent', async t => {
  const others = 'none id.x reason.x data.2.id data.-1 id.length constructor __proto__ data.map'
  const parts = others.split(' ').map(part => `\${a.${part}}`)
  const notReturned = [...parts, 'a text with ${a.none}', '${later.id}']
  for (const written of [...notReturned, '${tkt_other}', '${ tkt_other }']) {
    const steps = [
      { as: 'a', do: 'GET /tickets' },
      { do: 'POST /refunds', body: { transaction: written } },
      { as: 'later', do: 'GET /refunds' }
    ] as StepData[]
    const { calls, outcomes } = await played(steps, [
      { body: { id: 'x', reason: null, data: [{ id: 'a' }] } }
    ])
    const made = calls.map(({ method, path }) => `${method} ${path}`)
    t.strictSame(made, ['GET /tickets', 'GET /refunds'], 'steps that do not refer to it are made')
    t.strictSame(
      codesOf(outcomes),
      [[], [`[1] ${notReturned.includes(written) ? 'not_returned' : 'not_given'}`], []],
      written
    )
    t.strictSame(outcomes[1]?.response, { status: 0, body: null })
  }
})

t.test('steps: those that refer to a step with an unexpected response are not sent', async t => {
  const steps: StepData[] = [
    { as: 'a', do: 'POST /transactions', expect: { status: 402 } },
    { as: 'b', do: 'GET /transactions/${a.id}' },
    { do: 'GET /refunds', query: { transaction: '${b.id}', limit: '${a.id}' } },
    { do: 'GET /tickets' }
  ]

  const { calls, problems } = await played(steps)

  t.equal(calls.map(({ path }) => path).join(), '/transactions,/tickets')
  t.strictSame(problems, [
    ['[0].expect.status other_status'],
    ['[1] not_returned'],
    ['[2] not_returned', '[2] not_returned'],
    []
  ])
})

t.test('FORM-2, FORM-3: a step is sent as clients send requests: a form for a POST', async t => {
  // biome-ignore format: a table
  const cases: [step: StepData, call: Partial<StepCall>][] = [
    [{ do: 'GET /tickets' }, { method: 'GET', path: '/tickets', query: '', form: null }],
    [{ do: ' get\t/tickets ' }, { method: 'GET', path: '/tickets' }],
    [{ do: 'POST /refunds' }, { method: 'POST', path: '/refunds', query: '', form: '' }],
    [{ do: 'DELETE /accounts/mch_a/users/usr_a' }, { method: 'DELETE', path: '/accounts/mch_a/users/usr_a', form: null }],
    [{ do: 'GET /tickets/a%b?c#dä' }, { path: '/tickets/a%25b%3Fc%23d%C3%A4' }],
    [
      { do: 'GET /tickets', query: { limit: 2, created: { gte: '2026-03-01T00:00+02:00' } } },
      { query: 'limit=2&created%5Bgte%5D=2026-03-01T00%3A00%2B02%3A00' }
    ],
    [{ do: 'GET /tickets', query: { limit: null } }, { query: 'limit=' }],
    [{ do: 'POST /refunds', query: { a: 1 }, body: { b: 2 } } as StepData, { query: 'a=1', form: 'b=2' }],
    [{ do: 'POST /refunds', body: {} }, { form: '' }],
    [
      { do: 'POST /refunds', body: { a: 600, b: true, c: false, d: null, e: '', f: 'a b&c=d' } },
      { form: 'a=600&b=true&c=false&d=&e=&f=a+b%26c%3Dd' }
    ],
    [{ do: 'POST /refunds', body: { a: { b: { c: 1, d: null } }, 'e[f]': 2 } }, { form: 'a%5Bb%5D%5Bc%5D=1&a%5Bb%5D%5Bd%5D=&e%5Bf%5D=2' }],
    [{ do: 'POST /refunds', body: { a: [1, 'x', null], b: [], c: {} } }, { form: 'a%5B%5D=1&a%5B%5D=x&a%5B%5D=' }],
    [{ do: 'POST /refunds', body: JSON.parse('{"__proto__":{"constructor":"x"}}') }, { form: '__proto__%5Bconstructor%5D=x' }]
  ]
  for (const [step, call] of cases) {
    const { calls } = await played([step])
    t.strictSame(
      Object.fromEntries(Object.entries(calls[0] as StepCall).filter(([name]) => name in call)),
      call,
      JSON.stringify(step)
    )
  }
})

t.test("AUTH-2, AUTH-3: without a key a step is sent with the first merchant's", async t => {
  const cases: [key: string | null, ...steps: StepData[]][] = [
    [
      'sk_first',
      ...['GET /tickets', 'POST /refunds', 'GET /transactions', 'GET /nowhere'].map(path => ({
        do: path
      }))
    ],
    [null, { do: 'POST /transactions' }, { do: 'post /transactions' }],
    ['sk_own', { do: 'POST /transactions', key: 'sk_own' }, { do: 'GET /tickets', key: 'sk_own' }],
    ['tkt_60', { do: 'GET /tickets', key: '${tkt_60}' }]
  ]
  for (const [key, ...steps] of cases)
    for (const step of steps)
      t.equal((await played([step])).calls[0]?.key, key, JSON.stringify(step))
})

t.test('steps: expectations of a response', async t => {
  const data = '[{ id: a, n: 1 }, { id: b, n: 2 }]'
  const answer: Json = parse(
    `{ id: x, amount: 600, reason: null, open: true, at: '2026-03-01T10:00:00Z', card: { last4: '4242', brand: null }, data: ${data}, none: [] }`
  )
  const ofAnswers: [expect: Json, given: Json, ...problems: string[]][] = parse(`[
    [{}, { status: 299 }], [{}, { status: 300 }, ' other_status'], [{}, { status: 199 }, ' other_status'], [{}, { status: 0, body: null }, ' other_status'],
    [{ status: 400 }, { status: 400 }], [{ status: 201 }, { status: 200 }, .expect.status other_status],
    [{ status: 503, headers: { Retry-After: '2' } }, { status: 503, headers: { retry-after: '2', date: x } }],
    [{ headers: { Retry-After: '2', X-Other: '' } }, { headers: { retry-after: '20' } },
      .expect.headers.Retry-After other_value, .expect.headers.X-Other other_value],
    [{ headers: { Retry-After: '2' } }, {}, .expect.headers.Retry-After other_value], [{ status: 4xx }, { status: 499 }],
    [{ status: 4xx }, { status: 500 }, .expect.status other_status], [{ status: [200, 402] }, { status: 402 }],
    [{ status: [2xx, 402] }, { status: 400 }, .expect.status other_status], [{ body: {} }, { status: 400, body: {} }, ' other_status'],
    [{ body: [] }, { body: [] }], [{ body: text }, { body: text }], [{ body: null }, { body: null }], [{ fault: hang }, {}, .expect.fault other_value],
    [{ fault: hang }, { status: 0, fault: hang }], [{ body: { id: '\${gone}' } }, {}, ' not_given'],
    [{ body: { data: [{ a: [1, 2] }] } }, { body: { data: [{ a: [1, 3] }] } }, '.expect.body.data[0].a[1] other_value'],
    [{ body: { id: x } }, { body: null }, .expect.body other_value]
  ]`)
  const ofBodies: [expected: Json, ...problems: string[]][] = parse(`[
    [{}], [{ amount: 600, card: { last4: '4242' } }], [{ reason: null, card: { brand: null } }], [{ missing: null }, missing other_value],
    [{ amount: '600' }, amount other_value], [{ card: { last4: 4242 } }, card.last4 other_value], [{ open: 1 }, open other_value],
    [{ amount: null }, amount other_value], [{ card: '4242' }, card other_value], [{ amount: { x: 1 } }, amount other_value],
    [{ reason: {} }, reason other_value], [{ missing: {} }, missing other_value], [{ data: {} }, data other_value], [{ card: [] }, card other_value],
    [{ missing: [] }, missing other_value], [{ data: [{}, { id: b }], none: [] }],
    [{ data: [{ id: b }, { n: 1 }] }, 'data[0].id other_value', 'data[1].n other_value'], [{ data: [{}] }, data other_value],
    [{ none: [{}] }, none other_value], [{ constructor: {}, toString: x }, constructor other_value, toString other_value],
    [{ id: y, amount: 1 }, id other_value, amount other_value],
    [{ amount: { gt: 500, lte: 600 }, id: /^x$/, reason: { present: false }, open: { not: false }, card: { last4: ['4242', '1'], brand: { not: visa } } }],
    [{ amount: { gt: 600 } }, amount other_value], [{ amount: { gte: 1, lt: 600 } }, amount other_value], [{ id: /X/ }, id other_value],
    [{ id: { present: false } }, id other_value], [{ reason: { present: true } }, reason other_value], [{ open: { not: true } }, open other_value],
    [{ amount: { not: 600 } }, amount other_value], [{ amount: { not: { gt: 500 } } }, amount other_value], [{ amount: [500, 700] }, amount other_value],
    [{ amount: [500, 600], missing: [null], at: { gte: 2026-03-01, lt: '2026-03-02T00:00:00Z' } }], [{ at: { lt: 2026-03-01 } }, at other_value],
    [{ card: { gt: 1 } }, card other_value], [{ missing: { gt: 1 } }, missing other_value], [{ reason: [x] }, reason other_value],
    [{ amount: { gt: '\${gone}' } }, 'not_given']
  ]`)
  const cases: [expect: Json, given: Json, ...problems: string[]][] = [
    [undefined, {}],
    [undefined, { status: 204, body: null }],
    ...[
      { status: 404, body: { error: { message: 'No Ticket has the id x.' } } },
      { status: 500, body: 'text' },
      { status: 500, body: { error: { message: 5 } } }
    ].map((given): [Json, Json, string] => [undefined, given, ' other_status']),
    ...ofAnswers,
    ...ofBodies.map(([body, ...problems]): [Json, Json, ...string[]] => [
      { body },
      { body: answer },
      ...problems.map(problem =>
        problem.includes(' ') ? `.expect.body.${problem}` : ` ${problem}`
      )
    ]),
    [
      { status: 201, body: { id: 'y' } },
      { body: answer },
      '.expect.status other_status',
      '.expect.body.id other_value'
    ]
  ]
  for (const [expect, given, ...problems] of cases) {
    const outcome = await played([{ do: 'GET /tickets', ...(expect && { expect }) }], [given])
    const placed = problems.map(problem => `[0]${problem}`)
    t.strictSame(outcome.problems, [placed], JSON.stringify([expect, given]))
  }
})

t.test('play: time passes between requests where a wait says so', async t => {
  const done: unknown[] = []
  const play: Play = async ({ path }) => {
    done.push(path)
    return { status: 200, body: null }
  }
  const list = { do: 'GET /tickets' }

  const plays = [list, { wait: '2s' }, { at_once: [list] }, { wait: '1h' }]
  const outcomes = await playSteps(
    plays,
    play,
    BINDINGS,
    () => {},
    undefined,
    ms => done.push(ms)
  )

  t.strictSame(done, ['/tickets', 2000, '/tickets', 3_600_000])
  const places = outcomes.map(({ at }) => at)
  t.strictSame(places, [[0], [2, 'at_once', 0]], 'a wait has no outcome')
})

t.test('steps: each outcome is reported at once, with the request', async t => {
  const reported: StepOutcome[] = []
  const steps: StepData[] = [
    { as: 'a', do: 'POST /refunds', body: { transaction: '${txn_1}' } },
    { do: 'GET /refunds/${a.id}', expect: { status: 404 } }
  ]

  const outcomes = await playSteps(
    steps,
    async ({ path }) => ({ status: 200, body: { id: path } }),
    BINDINGS,
    outcome => {
      t.strictSame(outcome.at, [reported.length])
      reported.push(outcome)
    }
  )

  t.strictSame(outcomes, reported)
  t.strictSame(
    reported,
    parse(`
      - { at: [0], step: ~, call: { method: POST, path: /refunds, query: '', key: sk_first, form: transaction=txn_1 },
          response: { status: 200, body: { id: /refunds } }, problems: [] }
      - { at: [1], step: ~, call: { method: GET, path: /refunds//refunds, query: '', key: sk_first, form: ~ },
          response: { status: 200, body: { id: /refunds//refunds } },
          problems: [{ at: [1, expect, status], code: other_status, message: 'status: must be 404; got 200' }] }
    `).map((outcome: object, nth: number) => ({ ...outcome, step: steps[nth] }))
  )
  t.strictSame(await playSteps([], async () => t.fail('no call is made') as never, BINDINGS), [])
})

t.test('steps: the bindings of names and keys in a store', async t => {
  const store = new Store()
  const account = (id: string, type: 'merchant' | 'reseller') =>
    ({ id, type, created: '2026-01-01T00:00:00.000Z' }) as Records['accounts']
  t.equal(bindingsOf(store).key(''), null, 'without any key none is sent')
  for (const one of [
    account('rsl_r', 'reseller'),
    account('mch_a', 'merchant'),
    account('mch_b', 'merchant')
  ])
    store.accounts.insert(one)
  store.keys.set('sk_a_reseller', 'rsl_r')
  t.equal(bindingsOf(store).key(''), null, 'a reseller is no merchant')
  store.keys.set('sk_b_merchant', 'mch_b')
  store.keys.set('sk_c_merchant', 'mch_a')

  const { key, variable } = bindingsOf(store)

  t.equal(key(''), 'sk_b_merchant')
  t.equal(key('sk_a_reseller'), 'sk_a_reseller')
  t.equal(key('sk_unknown'), 'sk_unknown', 'a wrong key is sent too, to see it refused')
  for (const name of ['rsl_r', 'mch_a']) t.equal(variable(name), name)
  for (const name of ['', 'mch_c', 'mch_a.id', '__proto__', 'sk_a_reseller'])
    t.equal(variable(name), undefined, name)
})
