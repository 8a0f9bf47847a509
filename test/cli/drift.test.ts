/**
 * A service behind a proxy that changes one response at a time: a defect fails and is named, a
 * setting that explains it is proposed, other data is a warning, and an equivalent response is
 * fine.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { playOver } from '../../src/cli/check/service-calls.js'
import { formProblem, IdPairs, responseDifferences } from '../../src/cli/drift/compare.js'
import { namedIn } from '../../src/cli/drift/service-records.js'
import { serviceState } from '../../src/cli/drift/service-state.js'
import { SAYS } from '../../src/cli/sentences.js'
import { pathOf } from '../../src/core/places.js'
import { type GivenSettings, nested, settingsInForce } from '../../src/core/settings.js'
import { LIST_TEMPLATE } from '../../src/core/templates.js'
import { commonSettings, NOTHING_FOUND } from '../../src/reports/points.js'
import type { StateTest } from '../../src/scenario/expect/final-state.js'
import type { Json } from '../../src/scenario/steps.js'
import { against, ask, DATA, type Passing, proxied, service } from '../support/against.js'
import { serving } from '../support/command.js'
import { smallFixture } from '../support/emulator.js'

type Body = Record<string, unknown>
type Change = object | ((body: Body, passing: Passing) => unknown)

/** Changes the nth response to a request such as `GET /tickets`; 0 changes each. */
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
const one = (body: Body) => rows(body)[0] as Body
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
const plays = (given: (string | object)[]) =>
  given.map(one => (typeof one === 'string' ? ask(one) : one))
const SCENARIO = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: PAY }],
  play: plays([
    'GET /tickets/${tkt_a}',
    'GET /transactions/${txn_a}',
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
    'GET /refunds/${first.id}',
    'POST /refunds/${second.id} metadata[order]=8',
    'GET /transactions/${payment.id}',
    'GET /transactions/${txn_a}',
    { do: 'GET /refunds', query: OF_PAYMENT },
    { do: 'GET /refunds', query: { ...OF_PAYMENT, limit: 1 } },
    { do: 'POST /refunds', body: { ...OF_PAYMENT, amount: 900 }, expect: { status: [400, 402] } },
    'place: POST /locations display_name=Bar address[country]=US address[city]=Boston',
    'GET /locations/${place.id}',
    'GET /tickets limit=3',
    'GET /tickets search_query=n-1',
    'user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com',
    'GET /accounts/${mch_a}/users',
    'DELETE /accounts/${mch_a}/users/${user.id}',
    'GET /transactions location=${loc_a}',
    'GET /accounts'
  ])
}
const REFUND = 'POST /refunds$'
const REFUNDS = 'GET /refunds\\?transaction=[^&]+$'
const ONE = 'GET /refunds/\\w+$'
const PAYMENT = 'GET /transactions/txn_(?!a$)\\w+$'
const CHARGED = 'GET /transactions/txn_a$'
const TICKET = 'GET /tickets/tkt_a'
const TICKETS = 'GET /tickets\\?limit'

/** Each with the number of the play whose response changes. */
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
  ['a missing field, of before the run', 1, TICKET, body => delete (body as Body).reference],
  ['a missing field', 3, REFUND, { metadata: undefined }],
  ['a surplus field', 3, REFUND, { processor: 'acme' }],
  ['a surplus field in a part', 8, PAYMENT, inPart('payment_method', { network: 'x' })],
  ['a surplus field of a list', 10, REFUNDS, { total: 2 }],
  ['a wrong object of a list', 10, REFUNDS, { object: 'page' }],
  ['no list in a list', 10, REFUNDS, { data: null }],
  ['a list without a member more', 10, REFUNDS, { has_more: undefined }],
  ['a record twice', 10, REFUNDS, body => rows(body).push(one(body))],
  ['a record of before the run twice', 15, TICKETS, body => rows(body).splice(1, 1, one(body))],
  [
    'members of before the run in another order',
    15,
    TICKETS,
    body =>
      rows(body).reverse() &&
      Object.assign(body, { first_id: body.last_id, last_id: body.first_id })
  ],
  ['more than the limit', 11, 'GET limit=1', body => rows(body).push({ id: 'rfd_x' })],
  ['a record of this run missing', 10, REFUNDS, body => rows(body).pop()],
  ['a record nobody made', 10, REFUNDS, body => rows(body).push({ ...one(body), id: 'rfd_x' })],
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
/** Each with the request, the points, and the last message. */
const JUDGED: [
  on: string,
  change: Change,
  play: string | object,
  found: string[],
  says?: string
][] = [
  [CHARGED, { amount: 2 }, charged, ['data'], SAYS.other_values('txn_a', ['amount'])],
  [CHARGED, withRefund, charged, ['data'], SAYS.only_there('rfd_x')],
  [READ, { account: 'acct_1' }, [located, located], ['data']],
  [
    TICKET,
    reply(200, otherTicket),
    'GET /tickets/${tkt_a}',
    ['wrong', 'data'],
    SAYS.only_there('tkt_none')
  ],
  [
    'GET /tickets/',
    reply(200, otherTicket),
    'GET /tickets/tkt_none',
    ['data'],
    SAYS.only_there('tkt_none')
  ],
  // a record that the service has not shown may be missing
  [TICKET, reply(404), 'GET /tickets/${tkt_a} → 404', ['data'], SAYS.has_no(404, 'Ticket tkt_a')],
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
  ['POST /transactions', missing, ['GET /tickets/tkt_a', paid], ['wrong']],
  ['POST /transactions', missing, ['GET /tickets limit=50', paid], ['wrong']],
  ['POST /transactions', missing, ['GET /tickets/tkt_0', paid], ['data']],
  [WRITE, missing, [located, { ...update({ phone: '1' }), ...gone }], ['wrong']],
  [
    REFUND,
    reply(409),
    [
      { as: 'payment', do: 'POST /transactions', body: PAY },
      { do: 'POST /refunds', body: { ...OF_PAYMENT, amount: 4 }, expect: { status: 409 } }
    ],
    ['wrong'],
    SAYS.differs('status', '200', '409')
  ],
  // what the run wrote is not other data
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
  // more may follow a full page of older records only
  [TICKETS, { has_more: true }, 'GET /tickets limit=13', []],
  [TICKETS, { has_more: true }, 'GET /tickets limit=50', ['wrong']],
  [TICKETS, { has_more: false }, ['GET /tickets', list], ['wrong']],
  [
    'GET /tickets',
    { first_id: 'tkt_of_others' },
    'GET /tickets search_query=zzz location=${loc_a}',
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
    'GET /tickets limit=12',
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
  // no record here has this cursor
  ['GET /tickets', whole({ status: 200 }), 'GET /tickets starting_after=tkt_x', ['data']],
  ['GET /none', {}, 'GET /accounts/${loc_a}/users → 404', []],
  [
    'GET /tickets',
    reply(431),
    `GET /tickets/${'x'.repeat(16_385)} → 431`,
    ['wrong', 'errors.expose_rule=false']
  ]
]

t.test('check --against: the points of a response, and their messages', async t => {
  const behind = await service(t)
  for (const [index, [on, change, play, causes, says]] of JUDGED.entries()) {
    const base = proxied(behind, at(on, change, 0))
    const { status, titles, found } = await against(t, `${base}/sandbox/case-${index}/next`, {
      play: plays([play].flat())
    })
    const title = `case ${index}: ${JSON.stringify(found)}`
    const said = found[causes.at(-1) as string]?.at(-1) ?? ''
    t.strictSame(titles, causes, title)
    t.ok(says === undefined || said.endsWith(says), `${title} says ${says}`)
    t.equal(status, Number(causes.includes('wrong')), title)
  }
})

/** For each other value of each setting, requests that show it. */
const EXPLAINED: [setting: string, given: (string | object)[]][] = [
  ['statuses.created=201', [refund(1)]],
  ['errors.expose_rule=false', [refund(4000, 400)]],
  ['pagination.out_of_range=clamp', ['GET /tickets limit=500']],
  ['pagination.order=oldest_first', ['GET /tickets limit=3', 'GET /locations']],
  ['search.reference=prefix', ['GET /tickets limit=50', 'GET /tickets search_query=-1 limit=50']],
  [
    'search.last4=contains',
    [
      'p: POST /transactions ticket=${tkt_a} payment_type=card amount=5 card[last4]=4242',
      'GET /transactions search_query=24'
    ]
  ],
  [
    'parameters.unknown=ignore',
    [charged, 'POST /refunds transaction=${txn_a} amuont=1 → 200', charged]
  ],
  [
    'parameters.not_updatable=ignore',
    ['r: POST /refunds transaction=${txn_a} amount=1', 'POST /refunds/${r.id} amount=3']
  ],
  ['parameters.unset_required=reject', [update({ display_name: '' })]],
  ['refunds.without_card=reject', [refund(4)]],
  ['transactions.without_amount=reject', ['POST /transactions ticket=${tkt_a} payment_type=card']],
  ['refunds.empty_amount=remainder', ['POST /refunds transaction=${txn_a} amount=']],
  [
    'transactions.refundable=amount_plus_extras',
    [
      'p: POST /transactions ticket=${tkt_a} payment_type=card amount=500 tip_amount=50',
      'POST /refunds transaction=${p.id} amount=520',
      'GET /transactions/${p.id}'
    ]
  ],
  [
    'auth.visibility=scoped',
    [{ ...ask('GET /accounts/rsl_r'), key: 'sk_reseller' }, 'GET /accounts/rsl_r']
  ]
]
const proposed = (settings: object) =>
  Object.entries(settings).map(([key, value]) => `${key}=${value}`)

t.test('check --against: a setting whose other value explains a difference is named', async t => {
  for (const [setting, given] of EXPLAINED) {
    const play = plays(given)
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

t.test('check --against: settings are proposed, written, and explain all differences', async t => {
  const base = await service(t, SETTINGS)
  const root = await mkdtemp(join(tmpdir(), 'settings-'))
  t.teardown(() => rm(root, { recursive: true }))
  const file = `${root}/found.yaml`
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
  const json = `${root}/found.json`
  await against(t, sandbox('four'), EVERYTHING, ['--write-settings', json])
  const settings = JSON.parse(JSON.stringify(nested(SETTINGS)))
  t.strictSame(JSON.parse(await readFile(json, 'utf8')), { settings })
  const unwritable = await against(t, base, {}, ['--write-settings', `${file}/none.yaml`])
  t.ok(unwritable.stderr.includes(`${file}/none.yaml`))
})

t.test('check --against: files that need different values of a setting propose none', t => {
  const file = (settings: GivenSettings | null) => ({ ...NOTHING_FOUND, file: '', settings })
  const [one, other] = [{ 'search.last4': 'exact' }, { 'search.last4': 'prefix', seed: 1 }] as const
  t.strictSame(commonSettings([file(one), file(other), file(null)]), { seed: 1 })
  t.strictSame(commonSettings([file(one), file(one)]), one)
  t.end()
})

t.test('check --against: the script is not compared', async t => {
  const script = [{ on: 'POST /refunds', calls: 1, respond: { status: 503 } }]
  const play = [refund(1, 503), refund(1000)]
  const plain = await service(t)
  const scripted = await service(t, {}, { script })
  const html = proxied(scripted, at(REFUND, whole({ text: '<p>', type: 'text/html' })))
  const hang = [{ ...refund(1), expect: { fault: 'hang' } }]
  const cases: [base: string, play: object[], status: number, titles: string[]][] = [
    [plain, play, 1, ['play 1. POST /refunds', 'play 2. POST /refunds']],
    // the service refused it, so nothing was created
    [scripted, play, 0, []],
    [`${html}/sandbox/html/next`, play.slice(0, 1), 1, ['wrong']],
    [plain, hang, 1, ['play 1. POST /refunds']]
  ]
  for (const [base, play, status, titles] of cases) {
    const found = await against(t, base, { script, play })
    t.strictSame([found.status, found.titles], [status, titles], JSON.stringify(found.found))
  }
})

t.test('check --against: a field that only the scenario has is missing at the service', async t => {
  const [place] = DATA.locations as [object]
  const data = { ...DATA, locations: [{ ...place, extra: { seats: 4 } }] }
  const { found } = await against(t, await service(t), { data, play: [located] })
  t.strictSame(found, { wrong: [`1: ${SAYS.missing('seats', '4')}`] })
})

t.test('check --against: whether more Refunds follow those of a charge', async t => {
  const refunds = Array(12).fill({ transaction: 'txn_a', amount: 3 })
  const base = await service(t, {}, { data: { ...DATA, refunds } })
  const made = Array(10).fill(ask('POST /refunds transaction=${payment.id} amount=1'))
  const play = [...made, ask('GET /transactions/${payment.id}'), charged]
  const has = (values: object) => (body: Body) =>
    void Object.assign(body, values, { refunds: { ...(body.refunds as Body), has_more: true } })
  const cases: [on: string, change: Change, found: string[]][] = [
    ['GET nothing', {}, ['data']],
    [PAYMENT, has({}), ['wrong', 'data']],
    [CHARGED, has({ amount_refunded: 9 }), ['wrong', 'data']]
  ]
  for (const [index, [on, change, found]] of cases.entries()) {
    const to = `${proxied(base, at(on, change))}/sandbox/case-${index}/next`
    t.strictSame((await against(t, to, { steps: SCENARIO.steps, play })).titles, found, on)
  }
})

t.test('check --against: what a record had before the run is adopted once', async t => {
  const address = { country: 'US', city: 'Bonn' }
  const place = {
    id: 'loc_there',
    account: 'mch_a',
    display_name: 'There',
    address,
    metadata: { a: '1', b: '2' },
    extra: { seats: 9 }
  }
  const tickets = ['tkt_a', 'tkt_x'].map(id => ({ id, location: 'loc_there', reference: id }))
  const { transactions } = DATA
  const baseUrl = await service(t, {}, { data: { ...smallFixture(), locations: [place], tickets } })
  const locations = parse(`
    - {id: loc_a, account: mch_a, display_name: Here, address: {country: US}, extra: {seats: 4}}
  `)

  const play = [
    ask('GET /tickets limit=1'),
    ask('GET /tickets/${tkt_a}'),
    ask('GET /tickets'),
    { as: 'payment', do: 'POST /transactions', body: PAY },
    update({ address: { line1: '1 Main St' }, metadata: { a: '', c: '3' } }),
    update({ metadata: { b: '' }, phone: '1' }),
    ask('GET /locations/${loc_a}')
  ]
  const scenario = {
    data: {
      ...smallFixture(),
      locations,
      transactions,
      tickets: [{ id: 'tkt_a', location: 'loc_a', reference: 'T' }]
    },
    play
  }

  const { status, found } = await against(t, baseUrl, scenario, ['--var', 'loc_a=loc_there'])
  const unnamed = await against(t, baseUrl, { ...scenario, play: play.slice(0, 4) }, [
    '--var',
    'loc_a='
  ])

  t.equal(status, 0, JSON.stringify(found))
  t.strictSame(found.data?.slice(-1), [
    `5: ${SAYS.other_values('loc_there', ['display_name', 'seats'])}`
  ])
  t.equal(
    unnamed.status,
    0,
    `a record that others refer to has another id there: ${JSON.stringify(unnamed.found)}`
  )
})

const MORE = parse(`
  tickets: [{id: tkt_x, location: loc_x, reference: X-1, created: 2026-02-02T00:00:00Z}, {id: tkt_y, location: loc_a, reference: N-1y}]
  locations: [{id: loc_x, account: mch_x, display_name: X, address: {country: FR}}]
  accounts: [{id: mch_x, type: merchant, name: X, email: x@example.com, address: {country: FR}}]
  transactions: [{id: txn_x, ticket: tkt_x, payment_type: external, amount: 10}]
  refunds: [{id: rfd_x, transaction: txn_x, amount: 4}, {id: rfd_a, transaction: txn_a, amount: 70}]
  users: [{id: usr_x, account: mch_a, name: X, email: x@example.com}]
`)
/** The scenario's records, some with other values, and additional ones. */
const withMore = () => {
  const all = Object.entries(structuredClone({ ...DATA, refunds: [] })).map(([family, records]) => [
    family,
    [...(records as object[]), ...(MORE[family as keyof typeof MORE] ?? [])]
  ])
  const data = Object.fromEntries(all) as Record<string, Body[]>
  Object.assign(data.tickets?.find(({ id }) => id === 'tkt_a') as Body, {
    reference: 'Other',
    created: '2020-01-01T00:00:00Z'
  })
  return data
}
/** Lists of every kind, with records of this run between older ones. */
const LISTS = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: PAY }],
  play: plays([
    'page: GET /tickets limit=2',
    'next: GET /tickets limit=2 starting_after=${page.last_id}',
    'GET /tickets limit=1 ending_before=${next.last_id}',
    'GET /tickets search_query=1 limit=4',
    'GET /tickets search_query=x location=${loc_a}',
    'GET /tickets location=${loc_a} limit=50',
    'GET /tickets created[gte]=2026-01-03 created[lt]=2026-02-03 limit=3',
    'POST /refunds transaction=${payment.id} amount=1',
    'GET /refunds',
    'GET /refunds limit=1',
    'GET /transactions limit=1',
    'GET /transactions search_query=4242',
    'GET /transactions limit=50',
    'GET /accounts limit=1',
    'user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com',
    'GET /accounts/${mch_a}/users limit=1',
    'GET /accounts/${mch_a}/users limit=2 starting_after=${user.id}',
    'DELETE /accounts/${mch_a}/users/${user.id}',
    'GET /accounts/${mch_a}/users starting_after=${user.id}',
    'place: POST /locations display_name=Bar address[country]=US',
    'GET /locations',
    'GET /transactions location=${place.id}',
    'GET /tickets/tkt_nowhere → 404'
  ])
}
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, part]) => [name, reversed(part)])
  )
}
const json = (change: (body: unknown) => string) => (passing: Passing) => {
  if (passing.text !== '') passing.text = change(JSON.parse(passing.text))
}
const typed = (type: string) => (passing: Passing) => {
  if (passing.text !== '') passing.type = type
}

t.test('check --against: an equivalent response does not fail', async t => {
  const cases: [
    title: string,
    more: object,
    change: (passing: Passing) => void,
    isWarned: boolean
  ][] = [
    ['nothing changed', {}, () => {}, false],
    ['white space', {}, json(body => `\n${JSON.stringify(body, null, '\t')}\r\n`), false],
    ['the order of fields', {}, json(body => JSON.stringify(reversed(body))), false],
    ['escapes', {}, json(body => JSON.stringify(body).replaceAll('"txn_', '"\\u0074xn_')), false],
    ['no character set', {}, typed('application/json'), false],
    ['the character set in other letters', {}, typed('Application/JSON;Charset="UTF8"'), false],
    ['the character set with spaces', {}, typed('application/json ; charset = utf-8'), false],
    [
      'another message of an error',
      {},
      json(body => JSON.stringify(body).replace(/"message":"[^"]*"/, '"message":"No."')),
      false
    ],
    ['records that existed before', { data: withMore() }, () => {}, true],
    [
      'fewer records',
      { data: smallFixture({ transactions: DATA.transactions, users: [] }) },
      () => {},
      false
    ],
    ['a clock that stands', { data: withMore(), clock: '2026-03-01T10:00:00Z' }, () => {}, true]
  ]
  for (const [title, more, change, isWarned] of cases) {
    const baseUrl = await service(
      t,
      {},
      { seed: 5, clock: { now: '2026-05-01T08:00:00Z' }, ...more }
    )
    const base = proxied(baseUrl, change)

    const lists = await against(t, `${base}/sandbox/lists/next`, LISTS)
    const { status, found } = await against(t, `${base}/next`, SCENARIO)

    t.strictSame(
      [lists.status, lists.titles.filter(title => title !== 'data')],
      [0, []],
      `${title}: ${JSON.stringify(lists.found)}`
    )
    t.strictSame(
      [status, Object.keys(found)],
      [0, isWarned ? ['data'] : []],
      `${title}: ${JSON.stringify(found)}`
    )
  }
})
t.test('check --against: the records at the end are read from the service', async t => {
  const renamed = { ...DATA.transactions?.[0], id: 'txn_there' }
  const behind = await service(t, {}, { data: { ...DATA, transactions: [renamed] } })
  const expect = [
    {
      state: {
        transactions: {
          txn_a: { amount_refunded: 5, ticket: 'tkt_a' },
          txn_nonennnnnnnnnnnnnnnnnnnn: null,
          [`txn_${'g'.repeat(24)}`]: {}
        },
        refunds: { count: 2, where: { transaction: 'txn_a' } },
        tickets: { count: 13, where: { location: 'loc_a' } },
        accounts: { mch_a: { type: 'reseller' } },
        users: {
          usr_a: { name: 'Bo', account: 'mch_a' },
          usr_nonennnnnnnnnnnnnnnnnnnn: null,
          count: 2,
          where: { account: 'mch_a' }
        }
      }
    }
  ]
  const scenario = { play: [refund(5)], expect }

  const problems = ({ found }: Awaited<ReturnType<typeof against>>) =>
    Object.entries(found).find(([title]) => title.startsWith('expects'))?.[1]
  const read = await against(t, behind, scenario, ['--var', 'txn_a=txn_there'])
  const unknownUser = await against(t, behind, {
    expect: [{ state: { users: { [`usr_${'x'.repeat(24)}`]: {}, count: 1 } } }]
  })
  const answering = (status: number, text: string, type = 'application/json') =>
    serving(t, (_request, response) =>
      response.writeHead(status, { 'content-type': type }).end(text)
    )
  const refusing = await answering(403, '{"error":{"message":"no"}}')
  const unread = await against(
    t,
    refusing,
    parse(`
    expect: [{state: {users: {count: 1, where: {account: mch_a}}, refunds: {count: 1}, tickets: {tkt_a: {}}}}]
  `)
  )
  const endless = await answering(200, '{"data":[{"id":"x"}],"has_more":true}')
  const tooMany = await against(t, endless, { expect: [{ state: { refunds: { count: 1 } } }] })

  t.strictSame(problems(read), [
    `transactions.txn_${'g'.repeat(24)}: this Transaction does not exist`,
    'refunds: wanted 2 with {"transaction":"txn_a"}; got 1',
    'accounts.mch_a.type: wanted reseller; got merchant',
    'users: wanted 2 with {"account":"mch_a"}; got 1',
    'users.usr_a.name: wanted Bo; got Ana'
  ])
  const ofTickets = {
    state: { transactions: { every: { ticket: { location: { display_name: 'B' } } } } }
  }
  const withTickets = (status: number) =>
    `${proxied(behind, at('GET /tickets/', whole({ status })))}/next`
  const every = (got: string) =>
    `transactions: each must have ${JSON.stringify(ofTickets.state.transactions.every)}; 1 of 1 does not: ticket.location.display_name: wanted B; got ${got} in txn_there`
  const links: [base: string, problem: string][] = [
    [behind, every('A')],
    [withTickets(404), every('nothing')],
    [withTickets(403), SAYS.refused_reading('/tickets/tkt_a', 403, '')]
  ]

  for (const [base, problem] of links)
    t.strictSame(problems(await against(t, base, { expect: [ofTickets] })), [problem])
  t.strictSame(problems(unknownUser), [SAYS.users_of_account(), SAYS.users_of_account()])
  t.strictSame(problems(unread), [
    SAYS.refused_reading('/accounts/mch_a/users', 403, 'no'),
    SAYS.refused_reading('/refunds', 403, 'no'),
    SAYS.refused_reading('/tickets/tkt_a', 403, 'no')
  ])
  t.strictSame(problems(tooMany), [SAYS.too_many_records('/refunds', 10_000)])
  const cases: [text: string, type: string, why: string][] = [
    ['<p>', 'text/html', SAYS.not_json('text/html')],
    ['<p>', 'application/json', SAYS.cut_short()],
    ['', 'application/json', SAYS.empty_body()],
    ['{"data":[]}', 'application/json', '']
  ]
  for (const [text, type, why] of cases) {
    const counted = await against(t, await answering(200, text, type), {
      expect: [{ state: { refunds: { count: 1 }, tickets: { tkt_a: {} } } }]
    })
    t.strictSame(problems(counted), [
      SAYS.refused_reading('/refunds', 200, why),
      SAYS.refused_reading('/tickets/tkt_a', 200, why)
    ])
  }
  const shown = await against(t, await answering(200, '{"has_more":false}'), {
    play: [{ do: 'GET /tickets' }],
    expect: [{ on: 'GET /tickets', response: { has_more: false } }]
  })
  t.match(JSON.stringify(shown), '✓ expects GET /tickets')
})

const HEADERS = { 'content-type': 'application/json' }
const sides = (error: object = {}) => ({
  pairs: new IdPairs(id => id.startsWith('tkt_')),
  bases: { here: '/next', there: '/v1' },
  list: LIST_TEMPLATE,
  error: error as Record<string, unknown>
})
const OOPS = { oops: { text: '$message', id: '$request_id' }, message: 'a' }
/** What the service and the emulator send, and the places that differ. */
const COMPARED: [title: string, there: Json, here: Json, places: string[], error?: object][] = [
  ...parse(`
    - [members without an id, [{id: 1}, a], [{id: 2}, a], ['[0].id']]
    - [another record, [{id: a}], [{id: b}], ['[0]']]
    - [fewer members, [1], [1, 2], ['']]
    - [a reference that the emulator draws otherwise, {ticket: x}, {ticket: tkt_1}, []]
    - [a reference to a known record, {ticket: tkt_2}, {ticket: tkt_1}, [ticket]]
    - [an id that changes, {ticket: x, location: x}, {ticket: a, location: b}, [location]]
    - [types, {a: '1', b: null, c: []}, {a: 1, b: {}, c: {}}, [a, b, c]]
    - [surplus and missing, {a: {b: 1}}, {a: {c: 1}}, [a.c, a.b]]
    - [lists below other addresses, {url: /v1/refunds, data: []}, {url: /next/refunds, data: []}, []]
  `),
  [
    'the texts of an error, by its template',
    { oops: { text: 'b', id: 'req_2' }, message: 'b' },
    { oops: { text: 'a', id: 'req_1' }, message: 'a' },
    ['message'],
    OOPS
  ]
]

t.test('drift: two responses are compared by their places', t => {
  for (const [title, there, here, places, error] of COMPARED) {
    const of = (body: Json) => ({ status: error ? 400 : 200, body, headers: HEADERS })
    const found = responseDifferences(of(there), of(here), sides(error))
    t.strictSame(
      found.map(({ steps }) => pathOf(steps)),
      places,
      title
    )
  }
  t.equal(formProblem({ status: 204, body: null }), null)
  const call = { method: 'GET', path: '/none', query: '', key: null, form: null }
  t.strictSame(namedIn(call), [], 'a path of no operation names nothing')
  t.end()
})

t.test('drift: lists of a service are read with the names in the settings', async t => {
  const settings = settingsInForce({}).values
  const named = {
    ...settings,
    'pagination.cursors': ['after', 'before'] as const,
    'shapes.list': { rows: '$members', more: '$has_more' }
  }
  const cases: [settings: typeof settings, page: (nth: number) => Json, queries: string[]][] = [
    [named, nth => ({ rows: [{ id: `rfd_${nth}` }], more: nth === 1 }), ['', '&after=rfd_1']],
    // without ids only the first page
    [settings, () => ({ data: [], has_more: true }), ['']],
    [settings, () => ({ data: [{ name: 'a' }], has_more: true }), ['']]
  ]
  for (const [settings, page, wanted] of cases) {
    const queries: string[] = []
    const play = async ({ query }: { query: string }) => {
      queries.push(query.replace('limit=100', ''))
      return { status: 200, body: page(queries.length), headers: HEADERS }
    }
    const { pairs } = sides()
    const reading = { play, key: null, pairs, settings, accountOf: () => undefined }
    const differ: StateTest = async ({ all }) => {
      all('refunds')
      return []
    }
    t.strictSame(await serviceState({ refunds: { count: 2 } }, differ, reading), [])
    t.strictSame(queries, wanted)
  }
})

t.test('check --against: without a message by the template', async t => {
  const baseUrl = await service(t, { 'shapes.error': { reason: '$code', why: '$message' } })
  const play = [ask('GET /tickets/tkt_nowhere')]
  const STEP = 'play 1. GET /tickets/tkt_nowhere'

  const usual = await against(t, baseUrl, { play })
  const given = await against(t, baseUrl, {
    play,
    settings: { shapes: { error: { reason: '$code', why: '$message' } } }
  })
  const nobody = await against(t, 'http://127.0.0.1:1', {
    play,
    settings: { shapes: { error: { why: '$message' } } }
  })

  t.strictSame(usual.found[STEP], ['status: must be a 2xx; got 404'])
  t.match(given.found[STEP]?.[0], /^status: must be a 2xx; got 404 \(.*tkt_nowhere/)
  t.match(nobody.found[STEP]?.[0], /^status: must be a 2xx, but no response came/)
})

t.test('check: why a request that was never sent has no response', async t => {
  const cases: [base: string, method: string, message: string][] = [
    ['http://127.0.0.1:1', 'GET', SAYS.no_response('bad port')],
    ['http://127.0.0.1:1', 'TRACE', SAYS.no_response("'TRACE' HTTP method is unsupported.")],
    ['http://:', 'GET', SAYS.no_response('ERR_INVALID_URL')]
  ]
  for (const [base, method, message] of cases) {
    const answer = await playOver(base, 30_000)(
      { method, path: '/tickets', query: '', key: null, form: null },
      undefined as never
    )
    t.strictSame(answer, { status: 0, body: { error: { message } }, fault: null })
  }
})
