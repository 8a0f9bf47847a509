/**
 * A service behind a proxy that changes one response at a time: what is wrong fails and is named,
 * what a setting explains is proposed, other data is a warning, and what means the same is nothing.
 */
import { readFile, writeFile } from 'node:fs/promises'
import t from 'tap'
import { playOver } from '../../src/cli/check/service-calls.js'
import { answerDifferences, formProblem, IdPairs } from '../../src/cli/drift/compare.js'
import { serviceState } from '../../src/cli/drift/service-state.js'
import { SAYS } from '../../src/cli/sentences.js'
import { nested, settingsInForce } from '../../src/core/settings.js'
import { LIST_TEMPLATE } from '../../src/core/templates.js'
import type { Json } from '../../src/scenario/steps.js'
import { against, ask, DATA, KEYS, type Passing, proxied, service } from '../support/against.js'
import { ran, serving } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'

type Body = Record<string, unknown>
type Change = object | ((body: Body, passing: Passing) => unknown)

/** Changes the nth response to a request such as `GET /tickets`, or each for 0. */
function at(on: string, change: Change, nth = 1) {
  const [method, path = ''] = on.split(' ')
  let seen = 0
  return (passing: Passing) => {
    if (passing.method !== method || !new RegExp(path).test(passing.path)) return
    if (nth !== 0 && ++seen !== nth) return
    const before = passing.text
    const body = before === '' ? {} : JSON.parse(before)
    if (typeof change === 'function') change(body, passing)
    else Object.assign(body, change)
    if (passing.text === before && before !== '') passing.text = JSON.stringify(body)
  }
}
const rows = (body: Body) => body.data as Body[]
const whole = (values: Partial<Passing>) => (_: Body, passing: Passing) =>
  Object.assign(passing, values)
const reply = (status: number, body: object = { error: {} }) =>
  whole({ status, text: status === 204 ? '' : JSON.stringify(body) })
const inRow =
  (nth: number, values: object, more = {}) =>
  (body: Body) =>
    Object.assign(rows(body)[nth] as Body, values) && Object.assign(body, more)
const inPart = (name: string, values: object) => (body: Body) =>
  Object.assign(body[name] as Body, values)
const deep = (_: Body, passing: Passing) =>
  (passing.text = passing.text.replace(/}$/, `,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`))

const PAY = { ticket: '${tkt_a}', payment_type: 'card', amount: 500, card: { last4: '4242' } }
const OF_PAYMENT = { transaction: '${payment.id}' }
const refund = (amount: number, status?: number) => ({
  do: 'POST /refunds',
  body: { transaction: '${txn_a}', amount },
  ...(status && { expect: { status } })
})
const update = (body: object) => ({ do: 'POST /locations/${loc_a}', body })
const SCENARIO = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: PAY }],
  play: [
    ask('GET /tickets/${tkt_a}'),
    ask('GET /transactions/${txn_a}'),
    {
      as: 'first',
      do: 'POST /refunds',
      body: { ...OF_PAYMENT, amount: 200, metadata: { order: '7' } }
    },
    {
      as: 'second',
      do: 'POST /refunds',
      body: { ...OF_PAYMENT, amount: 100, reason: 'cold soup' }
    },
    refund(30),
    ask('GET /refunds/${first.id}'),
    ask('POST /refunds/${second.id} metadata[order]=8'),
    ask('GET /transactions/${payment.id}'),
    ask('GET /transactions/${txn_a}'),
    { do: 'GET /refunds', query: OF_PAYMENT },
    { do: 'GET /refunds', query: { ...OF_PAYMENT, limit: 1 } },
    { do: 'POST /refunds', body: { ...OF_PAYMENT, amount: 900 }, expect: { status: [400, 402] } },
    ask('place: POST /locations display_name=Bar address[country]=US address[city]=Boston'),
    ask('GET /locations/${place.id}'),
    ask('GET /tickets limit=3'),
    ask('GET /tickets search_query=n-1'),
    ask('user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com'),
    ask('GET /accounts/${mch_a}/users'),
    ask('DELETE /accounts/${mch_a}/users/${user.id}'),
    ask('GET /transactions location=${loc_a}'),
    ask('GET /accounts')
  ]
}
const REFUND = 'POST /refunds$'
const REFUNDS = 'GET /refunds\\?transaction=[^&]+$'
const ONE = 'GET /refunds/\\w+$'
const PAYMENT = 'GET /transactions/txn_(?!a$)\\w+$'
const CHARGED = 'GET /transactions/txn_a$'
const TICKET = 'GET /tickets/tkt_a'
const TICKETS = 'GET /tickets\\?limit'

/** Each with the number of the play whose response is changed. */
const WRONG: [title: string, play: number, on: string, change: Change, nth?: number][] = [
  ['a body cut short', 6, ONE, (_, passing) => (passing.text = passing.text.slice(0, -9))],
  ['HTML', 1, TICKET, whole({ type: 'text/html', text: '<h1>Welcome</h1>' })],
  ['HTML that says it is JSON', 3, REFUND, whole({ text: '<h1>Welcome</h1>' })],
  ['an empty body', 8, PAYMENT, whole({ text: '' })],
  ['null as the body', 8, PAYMENT, whole({ text: 'null' })],
  ['a list as the body', 8, PAYMENT, (_, passing) => (passing.text = `[${passing.text}]`)],
  ['text/plain', 8, PAYMENT, whole({ type: 'text/plain' })],
  ['no content type', 8, PAYMENT, whole({ type: '' })],
  ['another character set', 8, PAYMENT, whole({ type: 'application/json; charset=latin1' })],
  ['a number as text', 3, REFUND, { amount: '200' }],
  ['a number as text, of before the run', 2, CHARGED, { amount: '1000' }],
  ['a number with a fraction', 3, REFUND, { amount: 200.5 }],
  ['a boolean as text', 10, REFUNDS, { has_more: 'false' }],
  ['a text as a number', 1, TICKET, { reference: 1 }],
  ['null in place of an object', 3, REFUND, { metadata: null }],
  ['an id that is not text', 3, REFUND, { id: 7 }],
  ['created in another form', 3, REFUND, { created: '2026-05-01T08:00:00Z' }],
  ['created in no form', 3, REFUND, { created: 'today' }],
  ['amount_refunded that is not the sum', 8, PAYMENT, { amount_refunded: 301 }],
  ['amount_refunded that leaves this run out', 9, CHARGED, { amount_refunded: 0 }, 2],
  ['amount_refunded that no Refunds add up to', 2, CHARGED, { amount_refunded: 50 }],
  ['a missing field, of before the run', 1, TICKET, (body: Body) => delete body.reference],
  ['a missing field', 3, REFUND, { metadata: undefined }],
  ['a surplus field', 3, REFUND, { processor: 'acme' }],
  ['a surplus field in a part', 8, PAYMENT, inPart('payment_method', { network: 'x' })],
  ['a surplus field of a list', 10, REFUNDS, { total: 2 }],
  ['a wrong object of a list', 10, REFUNDS, { object: 'page' }],
  ['no list in a list', 10, REFUNDS, { data: null }],
  ['a list without a member more', 10, REFUNDS, { has_more: undefined }],
  ['a record twice', 10, REFUNDS, (body: Body) => rows(body).push(rows(body)[0] as Body)],
  [
    'a record of before the run twice',
    15,
    TICKETS,
    (body: Body) => rows(body).splice(1, 1, rows(body)[0] as Body)
  ],
  [
    'members of before the run in another order',
    15,
    TICKETS,
    (body: Body) =>
      rows(body).reverse() &&
      Object.assign(body, { first_id: body.last_id, last_id: body.first_id })
  ],
  ['more than the limit', 11, 'GET limit=1', (body: Body) => rows(body).push({ id: 'rfd_x' })],
  ['a record of this run missing', 10, REFUNDS, (body: Body) => rows(body).pop()],
  [
    'a record that nobody made',
    10,
    REFUNDS,
    (body: Body) => rows(body).push({ ...rows(body)[0], id: 'rfd_x' })
  ],
  ['another first_id', 10, REFUNDS, { first_id: 'rfd_x' }],
  ['another address of a list', 10, REFUNDS, { url: '/next/tickets' }],
  ['has_more true', 10, REFUNDS, { has_more: true }],
  ['a refusal that is made', 12, REFUND, reply(200, { id: 'rfd_x', object: 'refund' }), 4],
  ['another status of a refusal', 12, REFUND, whole({ status: 402 }), 4],
  ['a failure of the service', 4, REFUND, reply(503), 2],
  ['another error type', 12, REFUND, inPart('error', { type: 'card_error' }), 4],
  ['an error without a message', 12, REFUND, inPart('error', { message: undefined }), 4],
  ['another status of a create', 3, REFUND, whole({ status: 202 })],
  ['another id in a later response', 6, ONE, { id: 'rfd_other' }],
  ['another id in the first response', 6, REFUND, { id: 'rfd_other' }],
  [
    'another amount in a Transaction',
    8,
    PAYMENT,
    (body: Body) => Object.assign(rows(body.refunds as Body)[0] as Body, { amount: 1 })
  ],
  ['a Transaction without its Refunds', 8, PAYMENT, { refunds: undefined }],
  ['another value of metadata', 6, ONE, { metadata: { order: '9' } }],
  ['another created in a later response', 6, ONE, { created: '2026-03-01T10:00:00.001Z' }],
  ['another created of before', 9, CHARGED, { created: '2020-03-01T10:00:00.000Z' }, 2],
  ['a value of before the run that changes', 9, CHARGED, { tip_amount: 5 }, 2],
  ['the Transaction of another Refund', 3, REFUND, { transaction: 'txn_a' }],
  ['no reference', 3, REFUND, { transaction: '' }],
  [
    'another sub-field of an address',
    14,
    'GET /locations/\\w+$',
    inPart('address', { city: 'Bonn' })
  ],
  ['a User of another Account', 18, 'GET users', inRow(0, { account: 'rsl_r' })],
  ['a value nested very deeply', 3, REFUND, deep],
  ...(
    [
      ['of another type', { reference: 12 }],
      ['with created in another form', { created: '2026-01-01T00:00:00Z' }],
      ['with a field more', { seat: 4 }],
      ['with another object', { object: 'location' }]
    ] as const
  ).map(([title, values]): (typeof WRONG)[number] => [
    `a record that only the service had, ${title}`,
    15,
    TICKETS,
    inRow(0, { id: 'tkt_of_others', ...values }, { first_id: 'tkt_of_others' })
  ]),
  [
    'a charge that only the service had, of which the Refunds do not add up',
    20,
    'GET /transactions\\?location',
    inRow(1, { id: 'txn_of_others', amount_refunded: 4 })
  ]
]

t.test('check --against: each wrong response fails the run and names its request', async t => {
  const base = await service(t, {}, { seed: 5, clock: { now: '2026-05-01T08:00:00Z' } })
  for (const [index, [title, play, on, change, nth]] of WRONG.entries()) {
    const { status, failures, found } = await against(
      t,
      `${proxied(base, at(on, change, nth))}/sandbox/case-${index}/next`,
      SCENARIO
    )
    const isNamed = failures.some(problem => Number.parseInt(problem, 10) === play)
    t.ok(status === 1 && isNamed, `${title}: ${JSON.stringify(found)}`)
  }
})

const READ = 'GET /locations'
const WRITE = 'POST /locations'
const charged = ask('GET /transactions/${txn_a}')
const located = ask('GET /locations/${loc_a}')
const list = ask('GET /tickets limit=2')
const gone = { expect: { status: 404 } }
const paid = { do: 'POST /transactions', body: { ...PAY, ticket: 'tkt_a' }, ...gone }
const missing = reply(404, { error: { code: 'resource_missing' } })
const otherTicket = {
  id: 'tkt_none',
  object: 'ticket',
  created: '2026-01-01T00:00:00.000Z',
  location: 'loc_none',
  reference: 'N'
}
const withRefund = (body: Body) => {
  const own = { id: 'rfd_x', object: 'refund', created: '2026-01-01T00:00:00.000Z' }
  const more = { transaction: 'txn_a', amount: 7, currency: 'usd', reason: null, metadata: {} }
  const data = [{ ...own, ...more, payment_method: body.payment_method }]
  Object.assign(body, { amount_refunded: 7 })
  Object.assign(body.refunds as Body, { data, first_id: 'rfd_x', last_id: 'rfd_x' })
}
/** Each with the request that is made, with what is found, and how the last of it is said. */
const JUDGED: [on: string, change: Change, play: object, found: string[], says?: string][] = [
  [CHARGED, { amount: 2 }, charged, ['data'], SAYS.other_values('txn_a', ['amount'])],
  [CHARGED, withRefund, charged, ['data'], SAYS.only_there('rfd_x')],
  [READ, { account: 'acct_1' }, [located, located], ['data']],
  [
    TICKET,
    reply(200, otherTicket),
    ask('GET /tickets/${tkt_a}'),
    ['wrong', 'data'],
    SAYS.only_there('tkt_none')
  ],
  [
    'GET /tickets/',
    reply(200, otherTicket),
    ask('GET /tickets/tkt_none'),
    ['data'],
    SAYS.only_there('tkt_none')
  ],
  // a record that the service has not shown may be missing there
  [
    TICKET,
    reply(404),
    ask('GET /tickets/${tkt_a} → 404'),
    ['data'],
    SAYS.has_no(404, 'Ticket tkt_a')
  ],
  [REFUND, missing, refund(4000, 404), ['data'], SAYS.has_no(404, 'Transaction txn_a')],
  [
    REFUND,
    reply(400, { error: { code: 'reference_missing' } }),
    refund(4, 400),
    ['data'],
    SAYS.has_no(400, 'Transaction txn_a')
  ],
  [
    'DELETE users',
    missing,
    { ...ask('DELETE /accounts/mch_a/users/usr_a'), ...gone },
    ['data'],
    SAYS.has_no(404, 'Account mch_a or no User usr_a')
  ],
  ['POST /transactions', missing, [ask('GET /tickets/tkt_a'), paid], ['wrong']],
  ['POST /transactions', missing, [ask('GET /tickets limit=50'), paid], ['wrong']],
  ['POST /transactions', missing, [ask('GET /tickets/tkt_0'), paid], ['data']],
  [WRITE, missing, [located, { ...update({ phone: '1' }), ...gone }], ['wrong']],
  [REFUND, reply(409), refund(4, 409), ['wrong'], SAYS.differs('status', '200', '409')],
  // what the run wrote is no other data
  [WRITE, { phone: '1' }, [located, update({ display_name: 'B' })], ['wrong']],
  [WRITE, { phone: '1' }, update({ display_name: 'B' }), ['data']],
  [WRITE, { phone: '1' }, update({ phone: '' }), ['wrong']],
  [WRITE, { phone: '2' }, update({ phone: '1' }), ['wrong'], SAYS.differs('phone', '"1"', '"2"')],
  [WRITE, { metadata: { a: '1' } }, update({ metadata: '' }), ['wrong']],
  [WRITE, { metadata: { a: '1' } }, update({ metadata: { a: '' } }), ['wrong']],
  [
    WRITE,
    { metadata: {} },
    update({ metadata: { a: '1' } }),
    ['wrong'],
    SAYS.missing('metadata.a', '"1"')
  ],
  [READ, { metadata: { a: '1' } }, located, ['data']],
  // more may follow a full page of records of before the run, and nothing else
  [TICKETS, { has_more: true }, ask('GET /tickets limit=13'), []],
  [TICKETS, { has_more: true }, ask('GET /tickets limit=50'), ['wrong']],
  [TICKETS, { has_more: false }, [ask('GET /tickets'), list], ['wrong']],
  [
    'GET /tickets',
    { first_id: 'tkt_of_others' },
    ask('GET /tickets search_query=zzz location=${loc_a}'),
    []
  ],
  [TICKETS, { first_id: 'tkt_0' }, list, ['wrong']],
  [
    TICKETS,
    inRow(0, { seat: 4, reference: 'x'.repeat(300) }),
    list,
    ['wrong', 'data'],
    SAYS.other_values('tkt_a', ['reference'])
  ],
  [
    TICKETS,
    (body: Body) => rows(body).map(row => Object.assign(row, { reference: 'x' })),
    ask('GET /tickets limit=12'),
    ['data'],
    SAYS.more(2)
  ],
  [
    REFUND,
    { processor: 'acme 4242424242424242' },
    refund(5),
    ['wrong'],
    SAYS.surplus('processor', '"acme ****************"')
  ],
  // nothing here has such a cursor
  ['GET /tickets', whole({ status: 200 }), ask('GET /tickets starting_after=tkt_x'), ['data']],
  ['GET /none', {}, ask('GET /accounts/${loc_a}/users → 404'), []],
  [
    'GET /tickets',
    reply(431),
    ask(`GET /tickets/${'x'.repeat(16_385)} → 431`),
    ['wrong', 'errors.expose_rule=false']
  ]
]

t.test('check --against: what is found of a response, and how it is said', async t => {
  const behind = await service(t)
  for (const [index, [on, change, play, causes, says]] of JUDGED.entries()) {
    const base = proxied(behind, at(on, change, 0))
    const { status, titles, found } = await against(t, `${base}/sandbox/case-${index}/next`, {
      play: [play].flat()
    })
    const title = `case ${index}: ${JSON.stringify(found)}`
    const said = found[causes.at(-1) as string]?.at(-1) ?? ''
    t.strictSame(titles, causes, title)
    t.ok(says === undefined || said.endsWith(says), `${title} says ${says}`)
    t.equal(status, Number(causes.includes('wrong')), title)
  }
})

/** For each other value of each setting, what shows it. */
const EXPLAINED: [setting: string, play: object[]][] = [
  ['statuses.created=201', [refund(1)]],
  ['errors.expose_rule=false', [refund(4000, 400)]],
  ['pagination.out_of_range=clamp', [ask('GET /tickets limit=500')]],
  ['pagination.order=oldest_first', [ask('GET /tickets limit=3'), ask('GET /locations')]],
  [
    'search.reference=prefix',
    [ask('GET /tickets limit=50'), ask('GET /tickets search_query=-1 limit=50')]
  ],
  [
    'search.last4=contains',
    [
      ask('p: POST /transactions ticket=${tkt_a} payment_type=card amount=5 card[last4]=4242'),
      ask('GET /transactions search_query=24')
    ]
  ],
  [
    'parameters.unknown=ignore',
    [charged, ask('POST /refunds transaction=${txn_a} amuont=1 → 200'), charged]
  ],
  [
    'parameters.not_updatable=ignore',
    [ask('r: POST /refunds transaction=${txn_a} amount=1'), ask('POST /refunds/${r.id} amount=3')]
  ],
  ['parameters.unset_required=reject', [update({ display_name: '' })]],
  ['refunds.empty_amount=remainder', [ask('POST /refunds transaction=${txn_a} amount=')]],
  [
    'transactions.refundable=amount_plus_extras',
    [
      ask('p: POST /transactions ticket=${tkt_a} payment_type=card amount=500 tip_amount=50'),
      ask('POST /refunds transaction=${p.id} amount=520'),
      ask('GET /transactions/${p.id}')
    ]
  ],
  [
    'auth.visibility=scoped',
    [{ ...ask('GET /accounts/rsl_r'), key: 'sk_reseller' }, ask('GET /accounts/rsl_r')]
  ]
]
const proposed = (settings: object) =>
  Object.entries(settings).map(([key, value]) => `${key}=${value}`)

t.test('check --against: a setting whose other value explains a difference is named', async t => {
  for (const [setting, play] of EXPLAINED) {
    const [key, word] = setting.split('=') as [string, string]
    const base = await service(t, { [key]: /^[\d]|^false$/.test(word) ? JSON.parse(word) : word })

    const { status, titles, found } = await against(t, base, { play })
    const settled = await against(t, base.replace(/next$/, 'sandbox/two/next'), { play }, [
      '--set',
      setting
    ])

    const words = titles
      .filter(title => !title.startsWith('play '))
      .map(title => title.split(', or with --set '))
    t.ok(
      status === 1 && words.length === 1 && words[0]?.includes(setting),
      `${setting}: ${JSON.stringify(found)}`
    )
    t.strictSame(
      settled.titles.filter(title => !title.startsWith('play ')),
      [],
      setting
    )
  }
})

const EVERYTHING = {
  ...SCENARIO,
  play: [
    ...SCENARIO.play,
    ask('GET /tickets limit=500'),
    ask('POST /refunds transaction=${payment.id} amuont=1 → 200'),
    { at_once: [refund(600), refund(600)] },
    ask('DELETE /locations/${loc_a} → 501')
  ]
}
const SETTINGS = {
  'pagination.order': 'oldest_first',
  'pagination.out_of_range': 'clamp',
  'parameters.unknown': 'ignore',
  'statuses.created': 201
}
const isDrift = (title: string) => !/^(play )?\d+[. ]/.test(title)

t.test('check --against: settings are proposed, written, and leave nothing to explain', async t => {
  const base = await service(t, SETTINGS)
  const file = `${t.testdir({})}/found.yaml`
  const sandbox = (name: string) => base.replace(/next$/, `sandbox/${name}/next`)

  const first = await against(t, sandbox('one'), EVERYTHING, ['--write-settings', file])
  const written = await readFile(file, 'utf8')
  const second = await against(t, sandbox('two'), EVERYTHING, ['--settings', file])
  const third = await against(t, sandbox('three'), { ...EVERYTHING, settings: nested(SETTINGS) })

  t.equal(first.status, 1)
  t.strictSame(first.titles.filter(isDrift).sort(), proposed(SETTINGS), JSON.stringify(first.found))
  t.ok(first.stdout.includes(written), 'ends with a settings block')
  t.notOk(first.stdout.includes('sk_reseller'), 'no key is shown')
  t.strictSame(second.titles.filter(isDrift), [], second.stdout)
  t.strictSame(third.titles.filter(isDrift), [], third.stdout)
  for (const [to, scenario] of [
    [base, { seed: 'x' }],
    ['http://127.0.0.1:1', EVERYTHING]
  ] as const) {
    const failed = await against(t, to, scenario, ['--write-settings', file])
    t.equal(failed.stderr, `commerce-emulator: ${SAYS.not_compared(file)}\n`)
  }
  t.equal(await readFile(file, 'utf8'), written, 'a file of settings is kept')
  const unwritable = await against(t, base, {}, ['--write-settings', `${file}/none.yaml`])
  t.ok(unwritable.stderr.includes(`${file}/none.yaml`))
})

t.test('check --against: files that need other values propose none', async t => {
  const [newest, oldest] = [
    await service(t),
    await service(t, { 'pagination.order': 'oldest_first' })
  ]
  const behind = await service(t, { 'statuses.created': 201 })
  const base = proxied(behind, passing => {
    if (passing.path.includes('limit=3')) passing.status = 203
  })
  t.ok(newest && oldest && base)
})
