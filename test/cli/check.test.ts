import { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { check } from '../../src/cli/check/check.js'
import type { CheckOptions } from '../../src/cli/check/plays.js'
import { SAYS } from '../../src/cli/sentences.js'
import { runEmulator } from '../../src/emulator.js'
import { type CheckedFile, isFailed, isWarned } from '../../src/reports/points.js'
import { FAULTS } from '../../src/scenario/shape/entry.js'
import { ran, serving } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'
import { freePort } from '../support/ports.js'

const keyOf = (authorization = '') =>
  Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
const OPTIONS: CheckOptions = {
  launch: { flag: {}, environment: {} },
  against: null,
  keys: new Map(),
  variables: new Map(),
  timeout: 30_000
}
const to = (
  against: string,
  keys: Record<string, string> = {},
  variables: Record<string, string> = {}
): CheckOptions => ({
  ...OPTIONS,
  against,
  keys: new Map(Object.entries(keys)),
  variables: new Map(Object.entries(variables))
})
/** Points by step or code, each with the places and first words of its problems. */
const shownOf = (checked: readonly CheckedFile[]): string[] =>
  checked.flatMap(({ points }) =>
    points.flatMap(point => {
      const good = isWarned(point) ? '!' : '✓'
      const sign = isFailed(point) ? '✗' : good
      const problems = point.problems.map(
        ({ line, column, path, message }) =>
          `${line}:${column} ${[path, message].filter(Boolean).join(': ')}`
      )
      return [`${sign} ${point.code === 'step' ? point.message : point.code}`, ...problems]
    })
  )

const GOOD = {
  data: smallFixture(),
  script: [{ on: 'POST /refunds', respond: { status: 503 } }],
  steps: parse(`
    - {as: payment, do: POST /transactions, body: {ticket: '\${tkt_a}', payment_type: card, amount: 50}}
    - {do: POST /refunds, body: {transaction: '\${payment.id}', amount: 20}, expect: {body: {amount: 20}}}
    - {do: GET /tickets, key: sk_reseller, query: {limit: 1}}
  `),
  expect: [
    { on: 'POST /refunds', match: { body: { amount: 20 }, key: 'sk_merchant' }, times: 1 },
    { on: 'GET /tickets', match: { query: { limit: 1 }, key: 'sk_reseller' } },
    { on: 'GET /tickets/{id}', times: 0 }
  ]
}
const GOOD_POINTS = [
  '✓ 1. POST /transactions',
  '✓ 2. POST /refunds',
  '✓ 3. GET /tickets',
  '✓ expects',
  '✓ expects',
  '✓ expects'
]
const BAD = {
  data: smallFixture(),
  steps: [
    { as: 'gone', do: 'GET /tickets/tkt_none' },
    { do: 'GET /tickets/${gone.id}' },
    { do: 'GET /tickets/tkt_a', expect: { body: { reference: 'T-2', location: null } } }
  ],
  expect: [{ on: 'GET /tickets/{id}', match: { params: { id: 'tkt_a' } }, times: 2 }]
}
const ranAgainst = (base: string, file: string, ...args: string[]) =>
  ran(['check', file, '--against', base, ...args])
const checkOf = async (
  folder: string,
  options: CheckOptions,
  ...scenarios: object[]
): Promise<CheckedFile[]> => {
  const files = scenarios.map((_, index) => `${folder}/${index}.json`)
  await Promise.all(
    scenarios.map((scenario, index) => writeFile(files[index] as string, JSON.stringify(scenario)))
  )
  return check(files, options)
}

t.test('check: plays are sent as a client would, so the script applies to them', async t => {
  const data = smallFixture({
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }]
  })
  const refund = (amount?: number) => ({
    do: 'POST /refunds',
    body: { transaction: 'txn_a', ...(amount && { amount }) }
  })
  const outage = { on: 'POST /refunds', for: '10s', respond: { status: 503 } }
  const cases: [title: string, scenario: object, points: (string | RegExp)[]][] = [
    [
      'declined, then made; a step is no play',
      {
        script: [{ on: 'POST /refunds', calls: 1, respond: { status: 503, retry_after: '1s' } }],
        steps: [{ as: 'first', ...refund(100) }],
        play: [
          {
            ...refund(200),
            expect: { status: 503, body: { error: { code: 'service_unavailable' } } }
          },
          refund(200),
          { do: 'GET /refunds/${first.id}' }
        ],
        expect: [
          { on: 'POST /refunds', times: 2 },
          { on: 'POST /refunds', took_effect: true, times: 1 },
          { state: { transactions: { txn_a: { amount_refunded: 300 } } } }
        ]
      },
      [
        '✓ 1. POST /refunds',
        '✓ play 1. POST /refunds',
        '✓ play 2. POST /refunds',
        '✓ play 3. GET /refunds/${first.id}',
        ...Array(3).fill('✓ expects'),
        '! must_not_cause',
        /^\d/
      ]
    ],
    [
      'records in the end',
      {
        play: [refund(10)],
        expect: [
          { on: 'POST /refunds', times: 0 },
          { state: { refunds: { count: 2 } } },
          { state: { transactions: { txn_a: { amount_refunded: 20 } } } }
        ]
      },
      [
        '✓ play 1. POST /refunds',
        '✗ expects',
        new RegExp(SAYS.counted(1)),
        '✗ expects',
        /^1:\d+ refunds: expected 2; got 1/,
        '✗ expects',
        /^1:\d+ transactions\.txn_a\.amount_refunded: expected 20; got 10/
      ]
    ],
    [
      'every fault, before and after',
      {
        script: [
          ...FAULTS.map((fault, index) => ({ on: 'POST /refunds', calls: index + 1, fault })),
          ...FAULTS.map((fault, index) => ({
            on: 'POST /refunds',
            calls: index + 6,
            fault,
            when: 'after'
          }))
        ],
        play: [...FAULTS, ...FAULTS].map(fault => ({ ...refund(10), expect: { fault } })),
        expect: [
          { on: 'POST /refunds', took_effect: true, times: 5 },
          { on: 'POST /refunds', answered: false, times: 10 }
        ]
      },
      [
        ...Array.from({ length: 10 }, (_, index) => `✓ play ${index + 1}. POST /refunds`),
        '✓ expects',
        '✓ expects'
      ]
    ],
    [
      'a response without a body, which cannot be cut short',
      {
        data: {
          ...data,
          users: [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
        },
        script: parse(`
          - {on: 'DELETE /accounts/{account_id}/users/{user_id}', fault: truncated_body, when: after}
        `),
        play: [{ do: 'DELETE /accounts/mch_a/users/usr_a', expect: { fault: 'empty_response' } }]
      },
      ['✓ play 1. DELETE /accounts/mch_a/users/usr_a']
    ],
    [
      'a body that is truncated, and responses whose time is not the client’s',
      {
        clock: { now: '2026-03-01T18:05:00Z' },
        script: [
          { on: 'POST /refunds', fault: 'truncated_body', when: 'after' },
          { on: 'GET /locations', delay: '40s', fault: 'truncated_body' },
          { on: 'GET /tickets', delay: '30s' }
        ],
        play: [
          { ...refund(10), expect: { fault: 'truncated_body' } },
          { do: 'GET /locations', expect: { fault: 'truncated_body' } },
          { do: 'GET /tickets' },
          { ...refund(2000), expect: { fault: 'truncated_body' } }
        ],
        expect: parse(`
          - {on: POST /refunds, took_effect: true, times: 1}
          - {sequence: [{on: GET /locations}, {on: GET /tickets, no_later_than: 20s}, {on: POST /refunds, no_later_than: 20s}], others: true}
        `)
      },
      [
        ...['POST /refunds', 'GET /locations', 'GET /tickets', 'POST /refunds'].map(
          (on, nth) => `✓ play ${nth + 1}. ${on}`
        ),
        '✓ expects',
        '✓ expects'
      ]
    ],
    [
      'a fault that is another one, and one that is none',
      {
        script: [{ on: 'POST /refunds', calls: 1, fault: 'hang' }],
        play: [1, 2].map(() => ({ ...refund(10), expect: { fault: 'hang' } }))
      },
      ['✓ play 1. POST /refunds', '✗ play 2. POST /refunds', /^1:\d+ fault: /]
    ],
    [
      'a change of records that cannot be made',
      {
        script: [{ on: 'POST /refunds', change: { delete: ['txn_a'] }, when: 'after' }],
        play: [refund(10)]
      },
      [
        '✓ play 1. POST /refunds',
        '! must_apply',
        /^1:\d+ it was never applied/,
        '✗ must_not_cause',
        /^1:\d+ .* change\.delete\[0\]: txn_a cannot be deleted: rfd_/
      ]
    ],
    [
      'a Refund that is sent again after its loss: told at the repeat, not at the right one',
      {
        script: [{ on: 'POST /refunds', calls: 1, fault: 'hang', when: 'after' }],
        play: [{ ...refund(10), expect: { fault: 'hang' } }, refund(10)]
      },
      [
        '✓ play 1. POST /refunds',
        '✓ play 2. POST /refunds',
        '! must_not_cause',
        /^1:\d+ play 1\. POST \/refunds, play 2\. POST \/refunds: /
      ]
    ],
    [
      'a response that never comes',
      { script: [{ on: 'POST /refunds', fault: 'hang' }], play: [refund(10)] },
      ['✗ play 1. POST /refunds', /^1:\d+ status: /]
    ],
    [
      'closed for ten seconds, which check does not wait itself',
      {
        script: [outage],
        play: [
          { ...refund(10), expect: { status: '5xx' } },
          { wait: '9s' },
          { ...refund(10), expect: { status: [429, 503] } },
          { wait: '1s' },
          refund(10)
        ]
      },
      ['✓ play 1. POST /refunds', '✓ play 3. POST /refunds', '✓ play 5. POST /refunds']
    ],
    [
      'retries that come too soon, and one that does not come',
      {
        clock: '2026-03-01',
        play: [refund(10), { wait: '500ms' }, refund(10)],
        expect: [
          { on: 'POST /refunds', no_sooner_than: '1s' },
          { on: 'GET /refunds', no_sooner_than: '1s' }
        ]
      },
      [
        '✓ play 1. POST /refunds',
        '✓ play 3. POST /refunds',
        '✗ expects',
        /^1:\d+ Pause before request 2, POST \/refunds: .*got 0\.5 s \(play 1\. POST \/refunds, play 3\. POST \/refunds\)/,
        '✗ expects',
        new RegExp(SAYS.counted(0))
      ]
    ],
    [
      'until the end of time',
      {
        clock: '9999-12-31T00:00:00Z',
        play: [
          { wait: '2d' },
          { ...refund(10), expect: { body: { created: '9999-12-31T23:59:59.999Z' } } }
        ]
      },
      ['✓ play 2. POST /refunds']
    ],
    [
      'again and again, then two at once that wait for each other',
      {
        script: [{ on: 'POST /refunds', calls: '3+', hold: { until: 2 } }],
        play: [{ ...refund(100), repeat: 2 }, { at_once: [refund(), refund()] }],
        expect: [{ on: 'POST /refunds', took_effect: true, times: 3 }]
      },
      [
        '✓ play 1. POST /refunds',
        '✓ play 1. POST /refunds',
        /play 2 at_once/,
        /play 2 at_once/,
        /^1:\d+ status: /,
        '✓ expects'
      ]
    ]
  ]
  for (const [title, scenario, points] of cases) {
    const shown = shownOf(await checkOf(t.testdir(), OPTIONS, { data, ...scenario }))
    for (const [index, point] of points.entries())
      t.ok(
        typeof point === 'string' ? shown[index] === point : point.test(shown[index] as string),
        `${title}: ${point} in ${shown}`
      )
  }
})

const LOST = ['connection_reset', 'empty_response', 'truncated_body'] as const

t.test(
  'check: plays are sent to a running service, but those whose response a script loses',
  async t => {
    const data = smallFixture({
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
      users: [{ id: 'usr_a', account: 'mch_a', name: 'Ana', email: 'ana@example.com' }]
    })
    const service = await runEmulator({ scenario: { data } })
    t.teardown(() => service.close())
    const refund = { do: 'POST /refunds', body: { transaction: 'txn_a', amount: 1 } }
    const headers = { 'User-Agent': 'Shop/1 (iOS)', 'Test-Name': 'pays' }
    const play = [
      { ...refund, headers },
      { wait: '60ms' },
      ...LOST.map(fault => ({ ...refund, expect: { fault } }))
    ]
    const expect = [
      { on: 'POST /refunds', match: { headers }, per: 'test', took_effect: true, times: 1 },
      { on: 'POST /refunds', response: { amount: 1 }, times: 1 },
      { state: { refunds: { count: 1 }, users: { usr_a: { name: 'Ana' } } } }
    ]

    const waits: unknown[] = []
    const { setTimeout: real } = timers
    const intercept = (value: typeof real) => {
      Object.assign(timers, { setTimeout: value })
      syncBuiltinESMExports()
    }
    intercept(((ms: number, ...more: []) => {
      waits.push(ms)
      return real(ms, ...more)
    }) as typeof real)
    t.teardown(() => intercept(real))
    const checked = await checkOf(t.testdir(), to(service.baseUrl, { '': 'sk_merchant' }), {
      data,
      play,
      expect
    })

    t.ok(waits.includes(60), 'a wait is a real one')
    t.equal(service.sandbox.evidence.journal.requests()[0]?.caller.userAgent, headers['User-Agent'])
    t.strictSame(checked[0]?.notes, [SAYS.sent(1, service.baseUrl), SAYS.skipped(3)])
    t.strictSame(shownOf(checked), [
      '✓ play 1. POST /refunds',
      '✓ expects',
      '✓ expects',
      '! expects',
      `1:1299 ${SAYS.state_unread()}`
    ])
  }
)

t.test('check: the steps are played in process', async t => {
  const right = await checkOf(t.testdir(), OPTIONS, GOOD, smallFixture())
  const wrong = await checkOf(
    t.testdir(),
    { ...OPTIONS, keys: new Map([['', 'of another service']]) },
    BAD,
    GOOD
  )

  t.strictSame(shownOf(right), [...GOOD_POINTS, '✗ sends', `1:1 ${SAYS.no_steps()}`])
  const [failed] = wrong
  t.strictSame(
    failed?.points.map(point => [
      isFailed(point),
      ...point.problems.map(
        ({ line, column, message }) => `${line}:${column} ${message.split(':')[0]}`
      )
    ]),
    [
      [true, '1:515 status'],
      [true, '1:558 ${gone.id} has no value'],
      [true, '1:648 body.reference', '1:665 body.location'],
      [true, `1:684 ${SAYS.counted(1)}`]
    ]
  )
  t.strictSame(shownOf(wrong.slice(1)), GOOD_POINTS)
  const nowhere = {
    data: smallFixture(),
    steps: [{ do: 'GET /accounts/${mch_a}/users' }],
    expect: [{ on: 'GET /accounts/{id}/users' }]
  }
  const nowhereWith = (variables: Record<string, string>) =>
    checkOf(t.testdir(), { ...OPTIONS, variables: new Map(Object.entries(variables)) }, nowhere)
  t.notOk((await nowhereWith({})).some(({ points }) => points.some(isFailed)))
  t.equal(
    (await nowhereWith({ mch_a: '' }))[0]?.points.at(-1)?.problems[0]?.message,
    SAYS.counted(0),
    'a request of no operation is not counted'
  )
  const unknown = await nowhereWith({ mch_a: 'mch_a', loc_a: 'x', loc_aa: 'x' })
  t.strictSame(
    unknown
      .slice(1)
      .flatMap(({ points }) => points.map(({ message, problems }) => [message, problems.length])),
    [['--var loc_aa', 1]]
  )
  const other = await checkOf(
    t.testdir(),
    { ...OPTIONS, variables: new Map(Object.entries({ 'gone.id': 'tkt_a', tkt_a: 'tkt_none' })) },
    GOOD
  )
  t.ok(
    other[0]?.points[0]?.problems[0]?.message.includes('tkt_none'),
    'a variable takes precedence over a record'
  )
})

t.test('check: a document that cannot be loaded is a failed point', async t => {
  const root = t.testdir({
    'wrong.yaml': 'sede: 3\nexpect:\n  - { on: GET /tickets }\n',
    'broken.yaml': 'a: [',
    'outer.yaml': 'fixtures: [parts/inner.yaml]',
    'steps.yaml': 'steps:\n  - { do: "GET /tickets/${tkt_z}" }\n',
    parts: { 'inner.yaml': 'tickets:\n  - { location: loc_z, reference: A }' }
  })
  const cases: [name: string, code: string, places: string[]][] = [
    ['wrong.yaml', 'valid', ['wrong.yaml:1:1 sede']],
    ['broken.yaml', 'valid', ['broken.yaml:1:4 ']],
    ['outer.yaml', 'valid', ['parts/inner.yaml:2:17 tickets[0].location']],
    ['steps.yaml', 'valid', ['steps.yaml:2:11 steps[0].do']],
    ['none.yaml', 'valid', ['undefined:undefined:undefined ']]
  ]
  for (const [name, code, places] of cases) {
    const checked = await check([`${root}/${name}`], OPTIONS)
    t.strictSame(
      checked.flatMap(({ points }) => points.map(point => [point.code, isFailed(point)])),
      [[code, true]],
      name
    )
    const problems = checked.flatMap(({ points }) => points.flatMap(point => point.problems))
    t.strictSame(
      problems.map(
        ({ file, line, column, path }) =>
          `${file?.replace(`${root}/`, '')}:${line}:${column} ${path}`
      ),
      places,
      name
    )
  }
  const defect = new TypeError('x is not a function')
  let looks = 0
  const flag = {
    get seed(): number {
      if (++looks > 2) throw defect
      return 1
    }
  }
  await t.rejects(
    check([`${root}/outer.yaml`], { ...OPTIONS, launch: { flag, environment: {} } }),
    defect
  )
})

t.test('check: a running service is sent only the steps', async t => {
  const root = t.testdir({ 'good.json': JSON.stringify(GOOD) })
  const file = `${root}/good.json`
  const data = {
    ...smallFixture(),
    api_keys: [
      { key: 'sk_there', account: 'mch_a' },
      { key: 'rk_there', account: 'rsl_r' }
    ],
    tickets: [{ id: 'tkt_there', location: 'loc_a', reference: 'T' }]
  }
  const lines: string[] = []
  const { pino } = await import('pino')
  const { baseUrl, close } = await runEmulator({
    scenario: data,
    logger: pino({}, { write: line => lines.push(line) })
  })
  t.teardown(close)
  const ticket = ['--var', 'tkt_a=tkt_there']
  const reseller = ['--key', 'sk_reseller=rk_there']
  const given: [args: string[], environment: Record<string, string>][] = [
    [['--key', 'sk_merchant=sk_there', ...reseller], {}],
    [['--key', 'sk_there', ...reseller], {}],
    [reseller, { COMMERCE_API_KEY: 'sk_there' }],
    [['--key', 'sk_there', ...reseller], { COMMERCE_API_KEY: 'wrong' }]
  ]
  for (const [args, environment] of given) {
    lines.length = 0
    for (const base of [baseUrl, `${baseUrl}/`]) {
      const { status, stdout, stderr } = await ran(
        ['check', file, '--against', base, ...ticket, ...args],
        environment
      )

      t.strictSame([status, stderr], [0, ''], args.join(' '))
      t.strictSame(
        stdout.split('\n').flatMap(line => (/^ {2}[✓✗!]/.test(line) ? [line.slice(2, 5)] : [])),
        ['✓ 1', '✓ 2', '✓ 3', '✓ e', '✓ e', '✓ e', '! t']
      )
      t.ok(stdout.includes(`\n  ${SAYS.sent(3, base)}\n`))
      t.ok(
        stdout.includes(
          `${file}:1:786 3. GET /tickets: ${SAYS.differs('data[0].reference', '"T-1"', '"T"')}\n\n6 passed, 0 failed, 1 warning\n`
        )
      )
    }
    const calls = lines
      .map(line => JSON.parse(line).call)
      .map(({ method, path }) => `${method} ${path}`)
    t.strictSame(
      calls,
      [...GOOD.steps, ...GOOD.steps].map(step => step.do.replace(' ', ' /next'))
    )
  }
})

t.test('check: variables and keys are checked before the first request', async t => {
  const state = { state: { refunds: { count: 1 } } }
  const paying = { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}' } }
  const together = [
    { do: 'GET /tickets', query: { location: '${loc_a}' } },
    { do: 'GET /tickets/${payment.ticket}', key: 'sk_reseller' }
  ]
  const merchant = SAYS.no_key('sk_merchant')
  const cases: [title: string, scenario: object, args: string[], problems: string[]][] = [
    [
      'all of them',
      {
        data: smallFixture(),
        steps: [paying],
        play: [{ wait: '1s' }, { at_once: together }],
        expect: [{ on: 'GET /tickets' }, state]
      },
      ['--key', 'other=sk_other'],
      [SAYS.no_value('tkt_a'), SAYS.no_value('loc_a'), merchant, SAYS.no_key('sk_reseller')]
    ],
    [
      'a variable, where the keys are given',
      {
        data: smallFixture(),
        steps: [paying],
        play: [{ do: 'GET /tickets', key: '${payment.id}' }]
      },
      [],
      [SAYS.no_value('tkt_a')]
    ],
    [
      'a scenario without a merchant',
      { steps: [{ do: 'GET /tickets' }] },
      ['--key', 'sk_there'],
      [SAYS.no_merchant_key()]
    ]
  ]
  let calls = 0
  const base = await serving(t, (_request, response) => {
    calls++
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"unknown"}')
  })
  for (const [title, scenario, args, problems] of cases) {
    const file = `${t.testdir({ 'own.json': JSON.stringify(scenario) })}/own.json`

    const { status, stdout } = await ranAgainst(base, file, ...args)

    const said = stdout.split('\n').slice(1, 3 + problems.length)
    const messages = said.slice(2).map(line => /^ {6}\S+own\.json:1:\d+ (.*)$/.exec(line)?.[1])
    t.strictSame(
      [status, ...said.slice(0, 2), ...messages],
      [1, `  ${SAYS.nothing_sent(base)}`, `  ✗ ${SAYS.all_given()}`, ...problems],
      title
    )
  }
  const lines = `${t.testdir({ 'own.yaml': 'fixtures: [bistro]\nsteps:\n  - do: GET /tickets\n    query:\n      location: ${loc_bistro}\n' })}/own.yaml`
  const { stdout } = await ranAgainst(base, lines, '--key', 'k')
  t.ok(stdout.includes(`own.yaml:5:17 ${SAYS.no_value('loc_bistro')}`), stdout)
  t.equal(calls, 0, 'nothing was sent')
  const late = `${t.testdir({
    'own.json': JSON.stringify({
      data: smallFixture(),
      steps: [
        { ...paying, body: {} },
        { do: 'GET /tickets', key: '${payment.id}' }
      ]
    })
  })}/own.json`
  const { status, stderr } = await ranAgainst(base, late)
  t.strictSame([status, stderr, calls], [1, `commerce-emulator: ${SAYS.no_key('unknown')}\n`, 1])
})

t.test('check: a key is sent only to the given address', async t => {
  const root = t.testdir({
    'list.yaml':
      'steps:\n  - { do: GET /tickets, key: sk_own }\n  - { do: POST /refunds, key: sk_own, body: { transaction: txn_a } }\n',
    'keyless.yaml':
      'fixtures: [bistro]\nsteps:\n  - { do: POST /transactions, body: { ticket: tkt_a, payment_type: card }, expect: { status: 307 } }\n  - { do: GET /tickets }\n'
  })
  const reached: string[] = []
  const target = await serving(t, ({ url, headers }, response) => {
    reached.push(`${url} ${keyOf(headers.authorization)}`)
    response.end('{}')
  })
  const asked: string[] = []
  const redirecting = await serving(t, ({ url, headers, method }, response) => {
    asked.push(`${method} ${url} ${keyOf(headers.authorization)}`)
    response.writeHead(method === 'GET' ? 302 : 307, { location: `${target}/elsewhere` }).end()
  })

  const { status, stdout } = await ranAgainst(
    `${redirecting}/v1`,
    `${root}/list.yaml`,
    '--key',
    'sk_own=secret'
  )
  const keyless = await ranAgainst(`${redirecting}/v1`, `${root}/keyless.yaml`, '--key', 'secret')

  t.equal(status, 1)
  t.strictSame(stdout.replaceAll(`${root}/`, '').split('\n').slice(2, 6), [
    '  ✗ 1. GET /tickets',
    '      list.yaml:2:5 status: must be a 2xx; got 302',
    '  ✗ 2. POST /refunds',
    '      list.yaml:3:5 status: must be a 2xx; got 307'
  ])
  t.strictSame(asked.slice(0, 2), ['GET /v1/tickets secret:', 'POST /v1/refunds secret:'])
  t.strictSame(
    asked.slice(2),
    ['POST /v1/transactions ', 'GET /v1/tickets secret:'],
    'where no key is needed none is sent'
  )
  t.ok(keyless.stdout.includes('✓ 1. POST /transactions'))
  t.strictSame(reached, [], 'no redirect is followed')
})

t.test('check: a service that does not respond, or not with JSON', async t => {
  const root = t.testdir({
    'one.yaml':
      'steps:\n  - { do: GET /tickets, expect: { body: { object: list } } }\nfixtures: [bistro]\n'
  })
  const problemsOf = async (base: string) => {
    const { status, stdout } = await ranAgainst(base, `${root}/one.yaml`, '--key', 'k')
    t.equal(status, 1)
    return stdout
      .replaceAll(`${root}/`, '')
      .split('\n')
      .map(line => line.trim())
      .filter(line => /^one\.yaml:2:\d+ (status|body)/.test(line))
  }
  const port = await freePort()
  const html = await serving(t, (_request, response) => response.end('<h1>Welcome</h1>'))
  const nothing = await serving(t, (_request, response) => response.end())
  const resetting = await serving(t, request => request.socket.resetAndDestroy())

  const none = (why: string) => [
    `one.yaml:2:5 status: must be a 2xx; ${SAYS.no_response(why)}`,
    'one.yaml:2:51 body.object: must be "list"; got nothing'
  ]
  t.strictSame(
    await problemsOf(`http://127.0.0.1:${port}`),
    none('nothing listens at that address (ECONNREFUSED)')
  )
  t.strictSame(await problemsOf('http://127.0.0.1:6000'), none('bad port'))
  t.ok(/ \((ECONNRESET|UND_ERR_SOCKET)\)$/.test((await problemsOf(resetting))[0] as string))
  t.strictSame(await problemsOf(html), [
    'one.yaml:2:41 body: must be an object; got "<h1>Welcome</h1>"'
  ])
  t.strictSame(await problemsOf(nothing), ['one.yaml:2:41 body: must be an object; got null'])
})

t.test('check: if a service cannot be reached, no further request is sent', async t => {
  const file = `${t.testdir({ 'three.yaml': 'steps:\n  - { do: GET /tickets }\n  - { do: GET /tickets }\nplay:\n  - { do: GET /tickets }\nfixtures: [bistro]\n' })}/three.yaml`

  const { status, stdout } = await ranAgainst(
    `http://127.0.0.1:${await freePort()}`,
    file,
    '--key',
    'k'
  )

  t.equal(status, 1)
  t.equal(stdout.match(/ECONNREFUSED/g)?.length, 1)
  t.ok(stdout.includes('\n  1 request sent to '), 'what was not sent is not counted')
  t.ok(stdout.includes(SAYS.not_sent()))
})

t.test('check: options that contradict each other are refused before any play', async t => {
  const wrongVar = (text: string, why: string) =>
    `option '--var <name=value>' argument '${text}' is invalid. ${why}`
  const cases: [args: string[], message: string][] = [
    [['x.yaml', '--against', 'localhost'], SAYS.address()],
    [['x.yaml', '--against', 'ftp://localhost'], SAYS.address()],
    [['x.yaml', '--against', 'http://user@127.0.0.1'], SAYS.address()],
    [['x.yaml', '--against', 'http://:secret@127.0.0.1'], SAYS.address()],
    [['x.yaml', '--against', 'http://localhost/next?a=1'], SAYS.address()],
    [['x.yaml', '--against', 'http://localhost/next#a'], SAYS.address()],
    [['x.yaml', '--key', 'sk_a'], SAYS.only_against()],
    [['x.yaml', '--var', 'tkt_a'], wrongVar('tkt_a', SAYS.pair())],
    [['x.yaml', '--var', 'a=b', '--var', '=b'], wrongVar('=b', SAYS.pair())],
    [['x.yaml', '--var', 'a=b', '--var', 'a=c'], wrongVar('a=c', SAYS.twice())]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = await ran(['check', ...args])
    t.strictSame(
      [status, stdout, stderr.split('\n(run')[0]],
      [2, '', `error: ${message}`],
      args.join(' ')
    )
  }
})
