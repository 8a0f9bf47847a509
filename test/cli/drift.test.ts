/**
 * A service behind a proxy that changes one response at a time: a defect fails and is named, a
 * setting that explains it is proposed, other data is a warning, and an equivalent response is
 * fine.
 */
import t from 'tap'
import { parse } from 'yaml'
import { Comparison, IdPairs } from '../../src/cli/check/compare.js'
import { playOver } from '../../src/cli/check/service-calls.js'
import { SAYS } from '../../src/cli/sentences.js'
import { pathOf } from '../../src/core/places.js'
import { nested } from '../../src/core/settings.js'
import { LIST_TEMPLATE } from '../../src/core/templates.js'
import type { Json } from '../../src/scenario/steps.js'
import { against, ask, DATA, type Passing, proxied, service } from '../support/against.js'
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
  ['no content type', 8, PAYMENT, whole({ type: '' })],
  ['another character set', 8, PAYMENT, whole({ type: 'application/json; charset=latin1' })],
  ['a number as text', 3, REFUND, { amount: '200' }],
  ['a number as text, of before the run', 2, CHARGED, { amount: '1000' }],
  ['a number with a fraction', 3, REFUND, { amount: 200.5 }],
  ['null in place of an object', 3, REFUND, { metadata: null }],
  ['an id that is not text', 3, REFUND, { id: 7 }],
  ['created in another form', 3, REFUND, { created: '2026-05-01T08:00:00Z' }],
  ['created in no form', 3, REFUND, { created: 'today' }],
  ['amount_refunded that is not the sum', 8, PAYMENT, { amount_refunded: 301 }],
  ['a missing field, of before the run', 1, TICKET, body => delete (body as Body).reference],
  ['a missing field', 3, REFUND, { metadata: undefined }],
  ['a surplus field', 3, REFUND, { processor: 'acme' }],
  ['a surplus field in a part', 8, PAYMENT, inPart('payment_method', { network: 'x' })],
  ['a surplus field of a list', 10, REFUNDS, { total: 2 }],
  ['a wrong object of a list', 10, REFUNDS, { object: 'page' }],
  ['no list in a list', 10, REFUNDS, { data: null }],
  ['a list without a member more', 10, REFUNDS, { has_more: undefined }],
  ['a record twice', 10, REFUNDS, body => rows(body).push(one(body))],
  ['more than the limit', 11, 'GET limit=1', body => rows(body).push({ id: 'rfd_x' })],
  ['a record of this run missing', 10, REFUNDS, body => rows(body).pop()],
  ['a record nobody made', 10, REFUNDS, body => rows(body).push({ ...one(body), id: 'rfd_x' })],
  ['another first_id', 10, REFUNDS, { first_id: 'rfd_x' }],
  ['has_more true', 10, REFUNDS, { has_more: true }],
  ['a refusal that is made', 12, REFUND, reply(200, { id: 'rfd_x', object: 'refund' }), 4],
  ['another status of a refusal', 12, REFUND, whole({ status: 402 }), 4],
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
  ['the Transaction of another Refund', 3, REFUND, { transaction: 'txn_a' }],
  ['no reference', 3, REFUND, { transaction: '' }],
  [
    'another sub-field of an address',
    14,
    'GET /locations/\\w+$',
    inPart('address', { city: 'Bonn' })
  ],
  ['a User of another Account', 18, 'GET users', inRow(0, { account: 'rsl_r' })],
  ['a value nested very deeply', 3, REFUND, deep]
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
const AFTER_USER = 'GET /accounts/${mch_a}/users starting_after=${user.id}'
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
  // values of records that the run did not create
  [CHARGED, { amount: 2 }, charged, ['! data'], SAYS.differs('amount', '1000', '2')],
  [CHARGED, withRefund, charged, ['! data']],
  [CHARGED, { created: '2020-03-01T10:00:00.000Z' }, charged, []],
  [READ, { account: 'acct_1' }, [located, located], ['! data']],
  [READ, { metadata: { a: '1' } }, located, ['! data']],
  [TICKETS, body => rows(body).reverse(), list, ['! data']],
  [TICKETS, body => rows(body).pop(), list, ['! data'], SAYS.differs('data', '2 items', '1')],
  [TICKETS, { has_more: false }, list, ['! data']],
  [TICKETS, { total: 2 }, list, ['wrong']],
  [TICKETS, inRow(1, { id: 'tkt_x' }, { last_id: 'tkt_x' }), list, []],
  [TICKETS, inRow(0, { seat: 4, reference: 'x'.repeat(300) }), list, ['wrong', '! data']],
  [
    TICKETS,
    (body: Body) => rows(body).map(row => Object.assign(row, { reference: 'x' })),
    'GET /tickets limit=12',
    ['! data'],
    SAYS.more(2)
  ],
  [
    'GET users',
    { has_more: true },
    ['user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com', AFTER_USER],
    ['! data']
  ],
  // what the service refuses
  [
    TICKET,
    reply(404),
    'GET /tickets/${tkt_a} → 404',
    ['wrong'],
    SAYS.differs('status', '200', '404')
  ],
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
  [TICKET, reply(200, otherTicket), 'GET /tickets/${tkt_a}', ['wrong']],
  // what a request sends
  [WRITE, { phone: '1' }, update({ display_name: 'B' }), ['! data']],
  [WRITE, { phone: '1' }, update({ phone: '' }), ['wrong']],
  [WRITE, { phone: '2' }, update({ phone: '1' }), ['wrong'], SAYS.differs('phone', '"1"', '"2"')],
  [WRITE, { metadata: { a: '1', b: '2' } }, update({ metadata: { a: '1' } }), ['! data']],
  [
    WRITE,
    { metadata: {} },
    update({ metadata: { a: '1' } }),
    ['wrong'],
    SAYS.differs('metadata.a', '"1"', 'nothing')
  ],
  [
    REFUND,
    { processor: 'acme 4242424242424242' },
    refund(5),
    ['wrong'],
    SAYS.differs('processor', 'nothing', '"acme ****************"')
  ],
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
  ['pagination.default_limit=1', ['GET /tickets']],
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

    const explained = titles.filter(title => !title.startsWith('play '))
    const words = explained.map(title => title.replace('! ', '').split(', or with --set '))
    t.ok(words.length === 1 && words[0]?.includes(setting), `${setting}: ${JSON.stringify(found)}`)
    const isFailed = titles.some(title => !title.startsWith('! '))
    t.equal(status, Number(isFailed), setting)
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

t.test('check --against: settings are proposed, and explain all differences', async t => {
  const base = await service(t, SETTINGS)
  const sandbox = (name: string) => base.replace(/next$/, `sandbox/${name}/next`)
  const drift = ({ titles }: { titles: string[] }) => titles.filter(isDrift)

  const first = await against(t, sandbox('one'), EVERYTHING)
  const second = await against(t, sandbox('two'), { ...EVERYTHING, settings: nested(SETTINGS) })

  t.equal(first.status, 1)
  const named = drift(first).map(title => title.replace('! ', ''))
  t.strictSame(named.sort(), proposed(SETTINGS), JSON.stringify(first.found))
  t.notOk(first.stdout.includes('sk_reseller'), 'no key is shown')
  t.strictSame(drift(second), [], second.stdout)
})

t.test('check --against: the script is not compared', async t => {
  const script = [{ on: 'POST /refunds', calls: 1, respond: { status: 503 } }]
  const play = [refund(1, 503), refund(1000)]
  const plain = await service(t)
  const scripted = await service(t, {}, { script })
  const cases: [base: string, play: object[], status: number, titles: string[]][] = [
    [plain, play, 1, ['play 1. POST /refunds', 'play 2. POST /refunds']],
    // the service refused it, so nothing was created
    [scripted, play, 0, []]
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
  t.strictSame(found, { wrong: [`1: ${SAYS.differs('seats', '4', 'nothing')}`] })
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
    'GET /tickets location=${loc_a} limit=50',
    'POST /refunds transaction=${payment.id} amount=1',
    'GET /refunds',
    'GET /refunds limit=1',
    'GET /transactions limit=50',
    'user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com',
    'GET /accounts/${mch_a}/users limit=1',
    'GET /accounts/${mch_a}/users limit=2 starting_after=${user.id}',
    'DELETE /accounts/${mch_a}/users/${user.id}',
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
      true
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
      [lists.status, lists.titles.filter(title => title !== '! data')],
      [0, []],
      `${title}: ${JSON.stringify(lists.found)}`
    )
    t.strictSame(
      [status, Object.keys(found)],
      [0, isWarned ? ['! data'] : []],
      `${title}: ${JSON.stringify(found)}`
    )
  }
})
const HEADERS = { 'content-type': 'application/json' }
const OOPS = { oops: { text: '$message', id: '$request_id' }, message: 'a' }
/** What the service and the emulator send, and the places that differ. */
const COMPARED: [title: string, there: Json, here: Json, places: string[], error?: object][] = [
  ...parse(`
    - [members without an id, [{id: 1}, a], [{id: 2}, a], ['[0].id']]
    - [ids that are paired, [{id: a, ticket: b}, {id: b}], [{id: tkt_1, ticket: tkt_2}, {id: tkt_2}], []]
    - [another record, [{id: tkt_2}], [{id: tkt_1}], ['[0].id']]
    - [fewer members, [1], [1, 2], ['']]
    - [a list for an object, {a: []}, {a: {}}, [a]]
    - [no reference, {ticket: ''}, {ticket: tkt_1}, [ticket]]
    - [an id that changes, {ticket: x, location: x}, {ticket: tkt_1, location: tkt_2}, [location]]
    - [an id twice, {ticket: x, location: y}, {ticket: tkt_1, location: tkt_1}, [location]]
    - [types, {a: '1', b: null, c: []}, {a: 1, b: {}, c: {}}, [a, b, c]]
    - [surplus and missing, {a: {b: 1}}, {a: {c: 1}}, [a.c, a.b]]
    - [lists below other addresses, {url: /v1/refunds, data: []}, {url: /next/refunds, data: []}, []]
    - [times, {created: '2026-01-01T00:00:00.000Z'}, {created: '2020-01-01T00:00:00.123Z'}, []]
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
    const pairs = new IdPairs(id => id.startsWith('tkt_'))
    const comparison = new Comparison({
      pairs,
      shapes: { 'shapes.list': LIST_TEMPLATE, 'shapes.error': error as Body },
      sent: new Set(),
      isEarlier: false
    })
    const paths = comparison.responses(of(there), of(here)).map(({ steps }) => pathOf(steps))
    t.strictSame(paths, places, title)
  }
  t.end()
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
  t.match(nobody.found[STEP]?.[0], /^status: must be a 2xx; no response came/)
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
    t.strictSame(answer, { status: 0, body: { error: { message } } })
  }
})
