import t from 'tap'
import { pathOf } from '../../src/core/places.js'
import { flawsOf } from '../../src/scenario/flaws.js'
import { bindingsOf } from '../../src/scenario/scenario.js'
import { SCENARIO_CHECKER } from '../../src/scenario/schemas.js'
import {
  checkSteps,
  type Play,
  type PlayData,
  playSteps,
  type StepAnswer,
  type StepBindings,
  type StepCall,
  type StepData,
  type StepOutcome
} from '../../src/scenario/steps.js'
import { type Records, Store } from '../../src/store/store.js'
import { cpuTime } from '../support/cpu.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const RECORDS = ['tkt_60', 'txn_1', 'mch_a']
/** Records are known by id, and the key for a step that names none is the first merchant's. */
const BINDINGS: StepBindings = {
  variable: name => (RECORDS.includes(name) ? name : undefined),
  key: name => name || 'sk_first'
}

/** The problems that steps are refused with: those of their schema, or else those found when they are checked. */
const problemsOf = async (steps: unknown): Promise<string[]> => {
  const found = (await SCENARIO_CHECKER.problems({ steps })).map(({ steps, message }) => `${pathOf(steps.slice(1))}: ${message}`)
  if (found.length > 0) return found
  checkSteps({ steps: { list: steps as StepData[] }, play: { list: [] } }, BINDINGS, (at, message) => found.push(`${pathOf(at.slice(1))}: ${message}`))
  return found
}

type Answer = Partial<StepAnswer>
const messagesOf = (outcomes: readonly StepOutcome[]) => outcomes.map(({ problems }) => problems.map(({ message }) => message))
/** Plays steps against answers that are given one after the other; 200 with an id where none is left. */
const played = async (steps: StepData[], answers: Answer[] = [], bindings: StepBindings = BINDINGS) => {
  const calls: StepCall[] = []
  const play: Play = async call => {
    calls.push(call)
    return { status: 200, body: { id: `new_${calls.length}` }, ...answers[calls.length - 1] }
  }
  const outcomes = await playSteps(steps, play, bindings)
  return { calls, outcomes, problems: messagesOf(outcomes) }
}
/** The body of the one call of a step, after a step called `a` that was answered so. */
const sentAfter = async (answer: unknown, body: StepData['body']): Promise<string[][]> => {
  const { calls, problems } = await played(
    [
      { as: 'a', do: 'GET /tickets' },
      { do: 'POST /refunds', body: body as NonNullable<StepData['body']> }
    ],
    [{ body: answer as never }]
  )
  t.strictSame(problems, [[], []])
  return [...new URLSearchParams(calls[1]?.form ?? '')]
}

t.test('steps: every kind of problem, with its place', async t => {
  const nothing = (name: string, more = '; give the name that an earlier step has under as, or the id of a record') => `\${${name}} refers to nothing${more}`
  const list = { do: 'GET /tickets' }
  const payment = { as: 'payment', do: 'POST /transactions' }
  const cases: [title: string, steps: unknown, ...problems: string[]][] = [
    ['no list', {}, ': must be a list; got an object'],
    ['no step', ['GET /tickets'], '[0]: must be an object; got GET /tickets'],
    ['nothing to do', [{}], '[0]: do is required'],
    ['an unknown name', [{ ...list, exepct: {} }], '[0].exepct: unknown name exepct; did you mean expect?'],
    ['a query that is no object', [{ ...list, query: 'limit=5' }], '[0].query: must be an object; got limit=5'],
    ['a body that is no object', [{ do: 'POST /refunds', body: [] }], '[0].body: must be an object; got a list'],
    ['a key that is no text', [{ ...list, key: 5 }], '[0].key: must be text; got 5; quote it: "5"'],
    ['a status that is no number', [{ ...list, expect: { status: '2x' } }], '[0].expect.status: must be a status, such as 402 or 2xx; got 2x'],
    ['one status of a list', [{ ...list, expect: { status: [200, '6xx', 402] } }], '[0].expect.status[1]: must be a status, such as 402 or 2xx; got 6xx'],
    ['no status in a list', [{ ...list, expect: { status: [] } }], '[0].expect.status: must have at least one item; got 0'],
    ['a status that is none', [{ ...list, expect: { status: 99 } }], '[0].expect.status: must be at least 100; got 99'],
    ['an unknown expectation', [{ ...list, expect: { stauts: 200 } }], '[0].expect.stauts: unknown name stauts; did you mean status?'],

    ['no such path', [{ do: 'GET /ticket' }], '[0].do: GET /ticket is not an operation; did you mean GET /tickets?'],
    ['no such method', [{ do: 'PUT /tickets' }], '[0].do: PUT /tickets is not an operation; this path takes GET /tickets'],
    ['no path', [{ do: 'GET' }], '[0].do: GET is not an operation; a call is written as a method and a path, such as POST /refunds'],
    ['only spaces', [{ do: ' ' }], '[0].do:   is not an operation; a call is written as a method and a path, such as POST /refunds'],
    [
      'a whole address',
      [{ do: 'GET http://localhost/next/tickets' }],
      '[0].do: GET http://localhost/next/tickets is not an operation; the path begins below the base address, such as /refunds'
    ],
    ['a query in the path', [{ do: 'GET /tickets?limit=5' }], '[0].do: GET /tickets?limit=5 is not an operation; parameters of a list go under query'],
    [
      'a reference alone',
      [payment, { do: '${payment.id}' }],
      '[1].do: ${payment.id} is not an operation; a call is written as a method and a path, such as POST /refunds'
    ],
    ['a body on a GET', [{ ...list, body: { limit: 5 } }], '[0].body: a GET takes no body'],
    ['a body on a DELETE', [{ do: 'DELETE /accounts/a/users/u', body: {} }], '[0].body: a DELETE takes no body'],

    ['a reference to nothing', [{ do: 'GET /tickets/${nothing}' }], `[0].do: ${nothing('nothing')}`],
    [
      'a reference that was probably meant',
      [payment, { do: 'GET /transactions/${paymnt.id}' }],
      `[1].do: ${nothing('paymnt.id', '; did you mean ${payment.id}?')}`
    ],
    ['a reference to a step behind it', [{ do: 'GET /transactions/${payment.id}' }, payment], `[0].do: ${nothing('payment.id')}`],
    ['a reference to itself', [{ ...payment, body: { ticket: '${payment.id}' } }], `[0].body.ticket: ${nothing('payment.id')}`],
    ['an empty reference', [{ do: 'POST /refunds', body: { reason: 'a ${} b' } }], `[0].body.reason: ${nothing('')}`],
    ['a field of a record', [{ do: 'GET /tickets/${tkt_60.id}' }], `[0].do: ${nothing('tkt_60.id')}`],
    [
      'references everywhere',
      [
        {
          do: 'POST /refunds',
          key: '${a}',
          query: { limit: ['${b}'] },
          body: { metadata: { x: 'one ${c} two ${d} ${tkt_60}' } },
          expect: { body: { data: [{}, { id: '${e}' }] } }
        }
      ],
      `[0].key: ${nothing('a')}`,
      `[0].query.limit[0]: ${nothing('b')}`,
      `[0].body.metadata.x: ${nothing('c')}`,
      `[0].body.metadata.x: ${nothing('d')}`,
      `[0].expect.body.data[1].id: ${nothing('e')}`
    ],

    ...['5th', 'a b', 'a.b', '-a', 'ä', '${tkt_60}'].map((as): [string, object, ...string[]] => [
      `the name ${as}`,
      [{ ...list, as }],
      '[0].as: must be letters, digits, _ and -, beginning with a letter'
    ]),
    [
      'a field of an answer that no operation gives',
      [{ as: 'a', do: 'GET /ticket' }, { do: 'GET /tickets/${a.anything}' }],
      '[0].do: GET /ticket is not an operation; did you mean GET /tickets?'
    ],
    ['an empty name', [{ ...list, as: '' }], '[0].as: must not be empty'],
    ['a name given twice', [payment, list, payment], '[2].as: an earlier step is called payment too']
  ]
  for (const [title, steps, ...problems] of cases) t.strictSame(await problemsOf(steps), problems, title)
})

t.test('steps: what a step may say', async t => {
  const steps: StepData[] = [
    { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_60}', amount: 5 } },
    { as: 'page-2_x', do: 'get  /tickets ', query: { limit: 2 } },
    { do: 'GET /transactions/${payment.id}' },
    { do: 'GET /transactions/${ payment.id }', key: 'sk_other' },
    { do: 'GET /transactions/${payment.unheard_of_by_the_reference}' },
    { do: 'GET /tickets/prefix_${payment.id}_${page-2_x.data.0.id}' },
    { do: 'DELETE /locations/loc_a', expect: { status: 501 } },
    { do: 'POST /refunds', body: { transaction: '${payment.id}', reason: '$ {x} $x {x} payment.id}', metadata: {} }, expect: { body: null } }
  ]

  t.strictSame(await problemsOf(steps), [])
})

t.test('play: its problems, with their places', async t => {
  const list = { do: 'GET /tickets' }
  const cases: [play: unknown[], ...problems: string[]][] = [
    [[{ as: 'a' }], 'play[0]: must have do, at_once or wait'],
    [[{ do: 'GET /tickets', repeat: 0 }], 'play[0].repeat: must be at least 1; got 0'],
    [[{ at_once: [] }], 'play[0].at_once: must have at least one item; got 0'],
    [[{ at_once: [{ ...list, repeat: 2 }] }], 'play[0].at_once[0].repeat: unknown name repeat; available: as, do, key, query, body, expect'],
    [[{ at_once: [list], repeat: 2, as: 'a' }], 'play[0]: at_once is given alone, not with repeat, as'],
    [[{ ...list, expect: { fault: 'hang', status: 200 } }], 'play[0].expect: a lost answer has no status; fault is expected alone'],
    [
      [{ at_once: [{ ...list, expect: { fault: 'hang', headers: {}, body: {} } }] }],
      'play[0].at_once[0].expect: a lost answer has no headers and no body; fault is expected alone'
    ],
    [[{ ...list, expect: { fault: 'hang' } }]],
    [[{ wait: '2' }], 'play[0].wait: must be a length of time, such as 250ms, 2s, 36h, 7d or PT36H'],
    [[{ wait: '2s', ...list }], 'play[0]: wait is given alone, not with do'],
    [
      [{ at_once: [list], wait: '2s' }, { at_once: [{ wait: '2s' }] }],
      'play[1].at_once[0]: do is required',
      'play[1].at_once[0].wait: unknown name wait; available: as, do, key, query, body, expect'
    ],
    [[{ at_once: [list], wait: '2s' }], 'play[0]: wait is given alone, not with at_once'],
    [[list, { wait: '36h' }, list]],
    [
      [list, { at_once: [list, { do: 'GET /tickets/${b.id}' }] }],
      'play[1].at_once[1].do: ${b.id} refers to nothing; give the name that an earlier step has under as, or the id of a record'
    ],
    [
      [{ at_once: [{ ...list, as: 'a' }, { do: 'GET /tickets/${a.id}' }] }, { do: 'GET /tickets/${a.id}' }],
      'play[0].at_once[1].do: ${a.id} has no value yet: that call is made at once with this one; refer to it in a later call'
    ],
    [
      [{ ...list, expect: { fault: 'reset' } }],
      'play[0].expect.fault: must be one of connection_reset, empty_response, truncated_body, malformed_body, hang; got reset'
    ],
    [[{ at_once: [{ ...list, as: 'a' }] }, { do: 'GET /tickets/${a.data.0.id}' }, { do: 'GET /tickets/${set.id}', repeat: 3 }]]
  ]
  for (const [play, ...problems] of cases) {
    const found = (await SCENARIO_CHECKER.problems({ play })).map(({ steps, message }) => `${pathOf(steps)}: ${message}`)
    const steps = { list: [{ as: 'set', do: 'GET /tickets/tkt_1' }] }
    if (found.length === 0) checkSteps({ steps, play: { list: play as PlayData[] } }, BINDINGS, (at, message) => found.push(`${pathOf(at)}: ${message}`))
    t.strictSame(found, problems, JSON.stringify(play))
  }
})

t.test('play: what is right of calls at once is checked beside one that is not', t => {
  const play = [{ at_once: [{ do: 5 }, { do: 'GET /ticket' }] }] as unknown as PlayData[]
  const found: string[] = []

  checkSteps({ steps: { list: [] }, play: { list: play, flaws: flawsOf([{ steps: [0, 'at_once', 0, 'do'] }]) } }, BINDINGS, (at, message) =>
    found.push(`${pathOf(at)}: ${message}`)
  )

  t.strictSame(found, ['play[0].at_once[1].do: GET /ticket is not an operation; did you mean GET /tickets?'])
  t.end()
})

t.test('steps: many references to nothing are reported in time that grows with their number alone', async t => {
  const timed = (count: number) => {
    const steps = Array.from({ length: count }, (_, index) => ({ as: `a_rather_long_name_${index}`, do: `GET /tickets/\${a_rather_lung_name_${index}x.id}` }))
    const problems: string[] = []
    const begun = cpuTime()
    checkSteps({ steps: { list: steps }, play: { list: undefined } }, BINDINGS, (_at, message) => problems.push(message))
    t.equal(problems.length, count)
    return cpuTime() - begun
  }
  timed(500)

  const ratio = timed(6000) / timed(1500)

  t.ok(ratio < 9, `four times as many took ${ratio} times as long; sixteen times would be the square`)
})

t.test('steps: a reference means a part of an earlier answer, or the id of a record', async t => {
  const answer = {
    id: 'txn_9',
    amount: 600,
    reason: null,
    open: false,
    empty: '',
    card: { last4: '4242', deep: { list: [[1, 2], 'x'] } },
    data: [{ id: 'a' }, { id: 'b' }]
  }
  const cases: [written: unknown, sent: string[][]][] = [
    ['${a.id}', [['x', 'txn_9']]],
    ['${ a.id }', [['x', 'txn_9']]],
    ['${a.amount}', [['x', '600']]],
    ['${a.reason}', [['x', '']]],
    ['${a.open}', [['x', 'false']]],
    ['${a.empty}', [['x', '']]],
    ['${a.card.last4}', [['x', '4242']]],
    ['${a.card.deep.list.0.1}', [['x', '2']]],
    ['${a.data.1.id}', [['x', 'b']]],
    ['${tkt_60}', [['x', 'tkt_60']]],
    ['for ${a.id} of ${a.amount} at ${tkt_60}', [['x', 'for txn_9 of 600 at tkt_60']]],
    ['${a.id}${a.id}', [['x', 'txn_9txn_9']]],
    ['$${a.id}}', [['x', '$txn_9}']]],
    ['${a.reason}, ${a.open}', [['x', 'null, false']]],
    [
      { '${a.id}': '${a.id}', list: ['${a.amount}', '${a.id}'] },
      [
        ['x[${a.id}]', 'txn_9'],
        ['x[list][]', '600'],
        ['x[list][]', 'txn_9']
      ]
    ],
    [
      '${a.card.deep.list}',
      [
        ['x[][]', '1'],
        ['x[][]', '2'],
        ['x[]', 'x']
      ]
    ],
    [
      '${a.data}',
      [
        ['x[][id]', 'a'],
        ['x[][id]', 'b']
      ]
    ]
  ]
  for (const [written, sent] of cases) t.strictSame(await sentAfter(answer, { x: written as never }), sent, JSON.stringify(written))
})

t.test('steps: a reference alone keeps its type, in what is expected too', async t => {
  const first = { id: 'x', amount: 600, reason: null, list: [1, { a: true }] }
  const whole: StepData = { do: 'GET /refunds', expect: { body: { amount: '${a.amount}', reason: '${a.reason}', list: '${a.list}', text: 'is ${a.amount}' } } }

  const same = await played(
    [{ as: 'a', do: 'GET /tickets' }, whole],
    [{ body: first }, { body: { amount: 600, reason: null, list: [1, { a: true }], text: 'is 600' } }]
  )
  const other = await played(
    [{ as: 'a', do: 'GET /tickets' }, whole],
    [{ body: first }, { body: { amount: '600', reason: '', list: [1, {}], text: 'is 600' } }]
  )

  t.strictSame(same.problems, [[], []])
  t.strictSame(other.problems[1], ['body.amount: must be 600; got "600"', 'body.reason: must be null; got ""', 'body.list[1].a: must be true; got nothing'])
})

t.test('steps: a reference without a value is reported, and its call is not made', async t => {
  const unanswered = (name: string) => `\${${name}} has no value: the step that it refers to did not return it`
  const cases: [written: string, problem: string][] = [
    ['${a.none}', unanswered('a.none')],
    ['${a.id.x}', unanswered('a.id.x')],
    ['${a.reason.x}', unanswered('a.reason.x')],
    ['${a.data.2.id}', unanswered('a.data.2.id')],
    ['${a.data.-1}', unanswered('a.data.-1')],
    ['${a.id.length}', unanswered('a.id.length')],
    ['${a.constructor}', unanswered('a.constructor')],
    ['${a.__proto__}', unanswered('a.__proto__')],
    ['${a.data.map}', unanswered('a.data.map')],
    ['a text with ${a.none}', unanswered('a.none')],
    ['${later.id}', unanswered('later.id')],
    ['${tkt_other}', '${tkt_other} has no value: give it with --var tkt_other=VALUE'],
    ['${ tkt_other }', '${ tkt_other } has no value: give it with --var tkt_other=VALUE']
  ]
  for (const [written, problem] of cases) {
    const { calls, outcomes } = await played(
      [
        { as: 'a', do: 'GET /tickets' },
        { do: 'POST /refunds', body: { transaction: written } },
        { as: 'later', do: 'GET /refunds' }
      ],
      [{ body: { id: 'x', reason: null, data: [{ id: 'a' }] } }]
    )
    t.strictSame(
      calls.map(({ path }) => path),
      ['/tickets', '/refunds'],
      'the steps that do not refer to it are made'
    )
    t.strictSame(calls[1]?.method, 'GET')
    t.strictSame(messagesOf(outcomes), [[], [problem], []], written)
    t.strictSame(outcomes[1]?.answer, { status: 0, body: null })
  }
})

t.test('steps: after one that was answered otherwise than expected, those that refer to it are not made', async t => {
  const steps: StepData[] = [
    { as: 'a', do: 'POST /transactions', expect: { status: 402 } },
    { as: 'b', do: 'GET /transactions/${a.id}' },
    { do: 'GET /refunds', query: { transaction: '${b.id}', limit: '${a.id}' } },
    { do: 'GET /tickets' }
  ]

  const { calls, problems } = await played(steps)

  t.strictSame(
    calls.map(({ path }) => path),
    ['/transactions', '/tickets']
  )
  const unanswered = (name: string) => `\${${name}} has no value: the step that it refers to did not return it`
  t.strictSame(problems, [['status: must be 402; got 200'], [unanswered('a.id')], [unanswered('b.id'), unanswered('a.id')], []])
})

t.test('FORM-2, FORM-3: a step is sent as clients send calls: a form for a POST, a query, nested names in brackets', async t => {
  const cases: [step: StepData, call: Partial<StepCall>][] = [
    [{ do: 'GET /tickets' }, { method: 'GET', path: '/tickets', query: '', form: null }],
    [{ do: ' get\t/tickets ' }, { method: 'GET', path: '/tickets' }],
    [{ do: 'POST /refunds' }, { method: 'POST', path: '/refunds', query: '', form: '' }],
    [{ do: 'DELETE /accounts/mch_a/users/usr_a' }, { method: 'DELETE', path: '/accounts/mch_a/users/usr_a', form: null }],
    [{ do: 'GET /tickets/a%b?c#dä' }, { path: '/tickets/a%25b%3Fc%23d%C3%A4' }],
    [
      { do: 'GET /tickets', query: { limit: 2, created: { gte: '2026-03-01T00:00:00+02:00' } } },
      { query: 'limit=2&created%5Bgte%5D=2026-03-01T00%3A00%3A00%2B02%3A00' }
    ],
    [{ do: 'GET /tickets', query: { limit: null } }, { query: 'limit=' }],
    [
      { do: 'POST /refunds', query: { a: 1 }, body: { b: 2 } },
      { query: 'a=1', form: 'b=2' }
    ],
    [{ do: 'POST /refunds', body: {} }, { form: '' }],
    [{ do: 'POST /refunds', body: { a: 600, b: true, c: false, d: null, e: '', f: 'a b&c=d' } }, { form: 'a=600&b=true&c=false&d=&e=&f=a+b%26c%3Dd' }],
    [{ do: 'POST /refunds', body: { a: { b: { c: 1, d: null } }, 'e[f]': 2 } }, { form: 'a%5Bb%5D%5Bc%5D=1&a%5Bb%5D%5Bd%5D=&e%5Bf%5D=2' }],
    [{ do: 'POST /refunds', body: { a: [1, 'x', null], b: [], c: {} } }, { form: 'a%5B%5D=1&a%5B%5D=x&a%5B%5D=' }],
    [{ do: 'POST /refunds', body: JSON.parse('{"__proto__":{"constructor":"x"}}') }, { form: '__proto__%5Bconstructor%5D=x' }]
  ]
  for (const [step, call] of cases) {
    const { calls } = await played([step])
    t.strictSame(Object.fromEntries(Object.entries(calls[0] as StepCall).filter(([name]) => name in call)), call, JSON.stringify(step))
  }
})

t.test("AUTH-2, AUTH-3: without a key a step is sent with the first merchant's, a payment without one", async t => {
  const cases: [step: StepData, key: string | null][] = [
    [{ do: 'GET /tickets' }, 'sk_first'],
    [{ do: 'POST /refunds' }, 'sk_first'],
    [{ do: 'GET /transactions' }, 'sk_first'],
    [{ do: 'POST /transactions' }, null],
    [{ do: 'post /transactions' }, null],
    [{ do: 'POST /transactions', key: 'sk_own' }, 'sk_own'],
    [{ do: 'GET /tickets', key: 'sk_own' }, 'sk_own'],
    [{ do: 'GET /tickets', key: '${tkt_60}' }, 'tkt_60'],
    [{ do: 'GET /nowhere' }, 'sk_first']
  ]
  for (const [step, key] of cases) t.equal((await played([step])).calls[0]?.key, key, JSON.stringify(step))
})

t.test('steps: what is expected of an answer', async t => {
  const answer = {
    id: 'x',
    amount: 600,
    reason: null,
    open: true,
    card: { last4: '4242', brand: null },
    data: [
      { id: 'a', n: 1 },
      { id: 'b', n: 2 }
    ],
    none: []
  }
  const cases: [title: string, expect: StepData['expect'] | undefined, given: Answer, ...problems: string[]][] = [
    ['nothing, a 200', undefined, {}],
    ['nothing, a 204', undefined, { status: 204, body: null }],
    ['nothing, a 299', {}, { status: 299 }],
    ['nothing, a 300', {}, { status: 300 }, 'status: must be a 2xx; got 300'],
    ['nothing, a 199', {}, { status: 199 }, 'status: must be a 2xx; got 199'],
    ['nothing, no answer', {}, { status: 0, body: null }, 'status: must be a 2xx; got 0'],
    [
      'nothing, a refusal',
      undefined,
      { status: 404, body: { error: { message: 'No Ticket has the id x.' } } },
      'status: must be a 2xx; got 404 (No Ticket has the id x.)'
    ],
    ['a refusal of another shape', undefined, { status: 500, body: 'text' }, 'status: must be a 2xx; got 500'],
    ['a refusal of another shape', undefined, { status: 500, body: { error: null } }, 'status: must be a 2xx; got 500'],
    ['a refusal of another shape', undefined, { status: 500, body: { error: { message: 5 } } }, 'status: must be a 2xx; got 500'],
    ['a refusal of another shape', undefined, { status: 500, body: [] }, 'status: must be a 2xx; got 500'],
    ['a status that is a refusal', { status: 400 }, { status: 400 }],
    ['another status', { status: 201 }, { status: 200 }, 'status: must be 201; got 200'],
    ['a header', { status: 503, headers: { 'Retry-After': '2' } }, { status: 503, headers: { 'retry-after': '2', date: 'x' } }],
    [
      'another header, and one that is not there',
      { headers: { 'Retry-After': '2', 'X-Other': '' } },
      { headers: { 'retry-after': '20' } },
      'headers.Retry-After: must be "2"; got "20"',
      'headers.X-Other: must be ""; got nothing'
    ],
    ['a header where none are known', { headers: { 'Retry-After': '2' } }, {}, 'headers.Retry-After: must be "2"; got nothing'],
    ['one of a class', { status: '4xx' }, { status: 499 }],
    ['one of another class', { status: '4xx' }, { status: 500 }, 'status: must be 4xx; got 500'],
    ['one of a list', { status: [200, 402] }, { status: 402 }],
    ['none of a list', { status: ['2xx', 402] }, { status: 400 }, 'status: must be 2xx or 402; got 400'],
    ['a body alone needs a 2xx too', { body: {} }, { status: 400, body: {} }, 'status: must be a 2xx; got 400'],

    ['nothing of the body', { body: {} }, { body: answer }],
    ['a part of the body', { body: { amount: 600, card: { last4: '4242' } } }, { body: answer }],
    ['null', { body: { reason: null, card: { brand: null } } }, { body: answer }],
    ['null that is not there', { body: { missing: null } }, { body: answer }, 'body.missing: must be null; got nothing'],
    ['text for a number', { body: { amount: '600' } }, { body: answer }, 'body.amount: must be "600"; got 600'],
    ['a number for text', { body: { card: { last4: 4242 } } }, { body: answer }, 'body.card.last4: must be 4242; got "4242"'],
    ['1 for true', { body: { open: 1 } }, { body: answer }, 'body.open: must be 1; got true'],
    ['null for nothing', { body: { amount: null } }, { body: answer }, 'body.amount: must be null; got 600'],
    ['a value for an object', { body: { card: '4242' } }, { body: answer }, 'body.card: must be "4242"; got {"last4":"4242","brand":null}'],
    ['an object for a value', { body: { amount: { x: 1 } } }, { body: answer }, 'body.amount: must be an object; got 600'],
    ['an object for null', { body: { reason: {} } }, { body: answer }, 'body.reason: must be an object; got null'],
    ['an object for nothing', { body: { missing: {} } }, { body: answer }, 'body.missing: must be an object; got nothing'],
    ['an object for a list', { body: { data: {} } }, { body: answer }, 'body.data: must be an object; got [{"id":"a","n":1},{"id":"b","n":2}]'],
    ['a list for an object', { body: { card: [] } }, { body: answer }, 'body.card: must be a list; got {"last4":"4242","brand":null}'],
    ['a list for nothing', { body: { missing: [] } }, { body: answer }, 'body.missing: must be a list; got nothing'],
    ['a list, member by member', { body: { data: [{}, { id: 'b' }], none: [] } }, { body: answer }],
    [
      'a list in another order',
      { body: { data: [{ id: 'b' }, { n: 1 }] } },
      { body: answer },
      'body.data[0].id: must be "b"; got "a"',
      'body.data[1].n: must be 1; got 2'
    ],
    ['a shorter list', { body: { data: [{}] } }, { body: answer }, 'body.data: must have 1 item; got 2'],
    ['a longer list', { body: { none: [{}] } }, { body: answer }, 'body.none: must have 1 item; got 0'],
    ['a list as the body', { body: [] }, { body: [] }],
    ['text as the body', { body: 'text' }, { body: 'text' }],
    ['no body', { body: null }, { body: null }],
    ['a body where there is none', { body: { id: 'x' } }, { body: null }, 'body: must be an object; got null'],
    [
      'a name of a prototype',
      { body: { constructor: {}, toString: 'x' } } as never,
      { body: answer },
      'body.constructor: must be an object; got nothing',
      'body.toString: must be "x"; got nothing'
    ],
    [
      'all at once',
      { status: 201, body: { id: 'y', amount: 1 } },
      { body: answer },
      'status: must be 201; got 200',
      'body.id: must be "y"; got "x"',
      'body.amount: must be 1; got 600'
    ]
  ]
  for (const [title, expect, given, ...problems] of cases) {
    const outcome = await played([{ do: 'GET /tickets', ...(expect && { expect }) }], [given])
    t.strictSame(outcome.problems, [problems], title)
  }
})

t.test('steps: must be a problem is at the place of what', async t => {
  const cases: [expect: StepData['expect'] | undefined, given: Answer, places: string[]][] = [
    [undefined, { status: 404 }, ['[0]']],
    [
      { status: 201, body: { id: 'y', data: [{ a: [1, 2] }] } },
      { body: { id: 'y', data: [{ a: [1, 3] }] } },
      ['[0].expect.status', '[0].expect.body.data[0].a[1]']
    ],
    [{ body: { data: [1] } }, { body: { data: [] } }, ['[0].expect.body.data']],
    [{ body: { data: [] } }, { body: { data: {} } }, ['[0].expect.body.data']],
    [{ fault: 'hang' }, {}, ['[0].expect.fault']],
    [{ body: { id: '${gone}' } }, {}, ['[0]']]
  ]
  for (const [expect, given, places] of cases) {
    const { outcomes } = await played([{ do: 'GET /tickets', ...(expect && { expect }) }], [given])
    t.strictSame(
      outcomes[0]?.problems.map(({ at }) => pathOf(at)),
      places
    )
  }
})

t.test('play: time passes between calls, where a wait says so', async t => {
  const done: unknown[] = []
  const play: Play = async ({ path }) => {
    done.push(path)
    return { status: 200, body: null }
  }
  const list = { do: 'GET /tickets' }

  const outcomes = await playSteps(
    [list, { wait: '2s' }, { at_once: [list] }, { wait: 'PT1H' }],
    play,
    BINDINGS,
    () => {},
    undefined,
    ms => done.push(ms)
  )

  t.strictSame(done, ['/tickets', 2000, '/tickets', 3_600_000])
  t.strictSame(
    outcomes.map(({ at }) => at),
    [[0], [2, 'at_once', 0]],
    'a wait has no outcome'
  )
})

t.test('steps: each outcome is reported as it comes, with the call, its answer and its step', async t => {
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
  t.strictSame(reported, [
    {
      at: [0],
      step: steps[0],
      call: { method: 'POST', path: '/refunds', query: '', key: 'sk_first', form: 'transaction=txn_1' },
      answer: { status: 200, body: { id: '/refunds' } },
      problems: []
    },
    {
      at: [1],
      step: steps[1],
      call: { method: 'GET', path: '/refunds//refunds', query: '', key: 'sk_first', form: null },
      answer: { status: 200, body: { id: '/refunds//refunds' } },
      problems: [{ at: [1, 'expect', 'status'], message: 'status: must be 404; got 200' }]
    }
  ])
  t.strictSame(await playSteps([], async () => t.fail('no call is made') as never, BINDINGS), [])
})

t.test('steps: the bindings of names and keys in a store', async t => {
  const store = new Store()
  const account = (id: string, type: 'merchant' | 'reseller') => ({ id, type, created: '2026-01-01T00:00:00.000Z' }) as Records['accounts']
  t.equal(bindingsOf(store).key(''), null, 'without any key none is sent')
  for (const one of [account('rsl_r', 'reseller'), account('mch_a', 'merchant'), account('mch_b', 'merchant')]) store.accounts.insert(one)
  store.keys.set('sk_a_reseller', 'rsl_r')
  t.equal(bindingsOf(store).key(''), null, 'a reseller is no merchant')
  store.keys.set('sk_b_merchant', 'mch_b')
  store.keys.set('sk_c_merchant', 'mch_a')

  const { key, variable } = bindingsOf(store)

  t.equal(key(''), 'sk_b_merchant')
  t.equal(key('sk_a_reseller'), 'sk_a_reseller')
  t.equal(key('sk_unknown'), 'sk_unknown', 'a wrong key is sent too, to see it refused')
  for (const name of ['rsl_r', 'mch_a']) t.equal(variable(name), name)
  for (const name of ['', 'mch_c', 'mch_a.id', '__proto__', 'sk_a_reseller']) t.equal(variable(name), undefined, name)
})

t.test('steps: they are made when the scenario loads, and a step answered otherwise than expected makes the load fail whole', async t => {
  const { control, state } = await startTestEmulator(t)
  const steps: StepData[] = [
    { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'card', amount: 4200, card: { number: '4242 4242 4242 4242' } } },
    {
      as: 'part',
      do: 'POST /refunds',
      body: { transaction: '${payment.id}', amount: 1000, metadata: { of: '${payment.amount}' } },
      expect: { status: 200, body: { amount: 1000, reason: null, metadata: { of: '4200' } } }
    },
    { do: 'GET /refunds', query: { transaction: '${payment.id}' }, expect: { body: { data: [{ id: '${part.id}' }], has_more: false } } },
    { do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 3201 }, expect: { status: 400, body: { error: { rule: 'REF-7' } } } },
    { do: 'DELETE /locations/loc_a', expect: { status: 501 } },
    { do: 'POST /accounts/mch_a/users', body: { name: 'U', email: 'u@example.com' } }
  ]
  const scenario = (more: StepData[] = []) => ({ clock: '2026-03-01', data: smallFixture(), steps: [...steps, ...more] })

  const loaded = await control('POST /load', { scenario: scenario() })

  t.equal(loaded.status, 200, loaded.text)
  const { transactions, refunds, users } = JSON.parse(await state())
  t.strictSame([transactions[0].payment_method.card.last4, refunds[0].amount, refunds[0].transaction, users.length], ['4242', 1000, transactions[0].id, 1])

  const before = await state()
  const refused = await control('POST /load', {
    scenario: scenario([
      { as: 'late', do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 5000 } },
      { do: 'GET /refunds/${late.id}' },
      { do: 'GET /tickets', key: 'sk_reseller', expect: { status: 404, body: { data: [] } } }
    ])
  })
  t.equal(refused.status, 400)
  t.equal(await state(), before, 'the state stays as it was')
  t.strictSame(
    refused.body.error.problems.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`),
    [
      `steps[6]: POST /refunds: status: must be a 2xx; got 400 (${transactions[0].id} was charged 4200 usd, 1000 of it has been refunded, 3200 remain; 5000 was asked.)`,
      'steps[7]: GET /refunds/${late.id}: ${late.id} has no value: the step that it refers to did not return it',
      'steps[8]: GET /tickets: status: must be 404; got 200',
      'steps[8]: GET /tickets: body.data: must have 0 items; got 1'
    ]
  )
})
