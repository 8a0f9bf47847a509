/**
 * An honest service behind a proxy that changes one answer at a time: none of it passes, and
 * nothing that means the same fails.
 */
import t, { type Test } from 'tap'
import { against, ask, DATA, differs, type Passing, proxied, service } from '../support/against.js'
import { smallFixture } from '../support/emulator.js'

type Body = Record<string, unknown>
type Change = (passing: Passing) => void
const PAY = { ticket: '${tkt_a}', payment_type: 'card', amount: 500, card: { last4: '4242' } }
const OF_PAYMENT = { transaction: '${payment.id}' }
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
    ask('POST /refunds transaction=${txn_a} amount=30'),
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

/** Changes the nth answer to a call, by its body or as a whole. */
const once = (
  on: string,
  path: RegExp,
  change: (body: Body, passing: Passing) => void,
  nth = 1
) => {
  let seen = 0
  return (passing: Passing) => {
    if (passing.method !== on || !path.test(passing.path) || ++seen !== nth) return
    const before = passing.text
    const body = before === '' ? {} : JSON.parse(before)
    change(body, passing)
    if (passing.text === before && before !== '') passing.text = JSON.stringify(body)
  }
}
const listOf = (body: Body) => body.data as Body[]
const set = (values: object) => (body: Body) => void Object.assign(body, values)
const deep = (text: string) =>
  text.replace(/}$/, `,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
const REFUND = /\/refunds$/
const REFUNDS = /\/refunds\?transaction=[^&]+$/
const PAYMENT = /\/transactions\/txn_(?!a$)\w+$/
const CHARGED = /\/transactions\/txn_a$/

/** Each with the number of the play whose answer is changed. */
const MUTATIONS: [title: string, play: number, change: Change][] = [
  [
    'a body cut short',
    6,
    once('GET', /\/refunds\/\w+$/, (_, passing) =>
      Object.assign(passing, { text: passing.text.slice(0, -9) })
    )
  ],
  [
    'HTML with status 200',
    1,
    once('GET', /\/tickets\/tkt_a/, (_, passing) =>
      Object.assign(passing, { type: 'text/html', text: '<h1>Welcome</h1>' })
    )
  ],
  [
    'HTML that says it is JSON',
    3,
    once('POST', REFUND, (_, passing) => Object.assign(passing, { text: '<h1>Welcome</h1>' }))
  ],
  ['an empty body', 8, once('GET', PAYMENT, (_, passing) => Object.assign(passing, { text: '' }))],
  [
    'null as the body',
    8,
    once('GET', PAYMENT, (_, passing) => Object.assign(passing, { text: 'null' }))
  ],
  [
    'a list as the body',
    8,
    once('GET', PAYMENT, (body, passing) =>
      Object.assign(passing, { text: JSON.stringify([body]) })
    )
  ],
  [
    'text/plain',
    8,
    once('GET', PAYMENT, (_, passing) => Object.assign(passing, { type: 'text/plain' }))
  ],
  [
    'no content type',
    8,
    once('GET', PAYMENT, (_, passing) => Object.assign(passing, { type: '' }))
  ],
  [
    'JSON of another character set',
    8,
    once('GET', PAYMENT, (_, passing) =>
      Object.assign(passing, { type: 'application/json; charset=latin1' })
    )
  ],
  ['a number as text', 3, once('POST', REFUND, set({ amount: '200' }))],
  [
    'a number as text, in a record of before the run',
    2,
    once('GET', CHARGED, set({ amount: '1000' }))
  ],
  ['a number with a fraction', 3, once('POST', REFUND, set({ amount: 200.5 }))],
  ['a boolean as text', 10, once('GET', REFUNDS, set({ has_more: 'false' }))],
  ['a text as a number', 1, once('GET', /\/tickets\/tkt_a/, set({ reference: 1 }))],
  ['null in place of an object', 3, once('POST', REFUND, set({ metadata: null }))],
  ['amount_refunded that is not the sum', 8, once('GET', PAYMENT, set({ amount_refunded: 301 }))],
  [
    'amount_refunded that leaves this run out, of a charge of before',
    9,
    once('GET', CHARGED, set({ amount_refunded: 0 }), 2)
  ],
  [
    'amount_refunded of a charge of before that no Refunds add up to',
    2,
    once('GET', CHARGED, set({ amount_refunded: 50 }))
  ],
  [
    'a missing field, in a record of before the run',
    1,
    once('GET', /\/tickets\/tkt_a/, body => delete body.reference)
  ],
  ['a surplus field of a list', 10, once('GET', REFUNDS, set({ total: 2 }))],
  ['a wrong object of a list', 10, once('GET', REFUNDS, set({ object: 'page' }))],
  [
    'a record twice in a list',
    10,
    once('GET', REFUNDS, body => listOf(body).push(listOf(body)[0] as Body))
  ],
  [
    'a record of before the run twice in a list',
    15,
    once('GET', /\/tickets\?limit/, body => listOf(body).splice(1, 1, listOf(body)[0] as Body))
  ],
  [
    'members of before the run reordered',
    15,
    once('GET', /\/tickets\?limit/, body => {
      listOf(body).reverse()
      Object.assign(body, { first_id: body.last_id, last_id: body.first_id })
    })
  ],
  [
    'a record of this run missing from a list',
    10,
    once('GET', REFUNDS, body => listOf(body).pop())
  ],
  [
    'a record that nobody made',
    10,
    once('GET', REFUNDS, body => listOf(body).push({ ...listOf(body)[0], id: 'rfd_x' }))
  ],
  ['another first_id', 10, once('GET', REFUNDS, set({ first_id: 'rfd_x' }))],
  ['has_more true', 10, once('GET', REFUNDS, set({ has_more: true }))],
  [
    'a refusal that is made',
    12,
    once('POST', REFUND, (_, passing) => Object.assign(passing, { status: 402 }), 4)
  ],
  [
    'another error type',
    12,
    once('POST', REFUND, body => Object.assign(body.error as Body, { type: 'card_error' }), 4)
  ],
  [
    'an error without a message',
    12,
    once('POST', REFUND, body => delete (body.error as Body).message, 4)
  ],
  ['another id in a later answer', 6, once('GET', /\/refunds\/\w+$/, set({ id: 'rfd_other' }))],
  ['another id in the first answer', 3, once('POST', REFUND, set({ id: 'rfd_other' }))],
  [
    'a Refund of another amount in its Transaction',
    8,
    once('GET', PAYMENT, body =>
      Object.assign(listOf(body.refunds as Body)[0] as Body, { amount: 1 })
    )
  ],
  [
    'another value of metadata',
    6,
    once('GET', /\/refunds\/\w+$/, set({ metadata: { order: '9' } }))
  ],
  [
    'another created in a later answer',
    6,
    once('GET', /\/refunds\/\w+$/, set({ created: '2026-03-01T10:00:00.001Z' }))
  ],
  [
    'another created of a record of before the run',
    9,
    once('GET', CHARGED, set({ created: '2020-03-01T10:00:00.000Z' }), 2)
  ],
  ['a value of before the run that changes', 9, once('GET', CHARGED, set({ tip_amount: 5 }), 2)],
  ['the Transaction of another Refund', 3, once('POST', REFUND, set({ transaction: 'txn_a' }))],
  [
    'another sub-field of an address',
    14,
    once('GET', /\/locations\/\w+$/, body => Object.assign(body.address as Body, { city: 'Bonn' }))
  ],
  [
    'a User of another Account',
    18,
    once('GET', /users/, body => Object.assign(listOf(body)[0] as Body, { account: 'rsl_r' }))
  ],
  [
    'a value nested very deeply',
    3,
    once('POST', REFUND, (_, passing) => Object.assign(passing, { text: deep(passing.text) }))
  ],
  ...(
    [
      ['of another type', { reference: 12 }],
      ['with created in another form', { created: '2026-01-01T00:00:00Z' }],
      ['with a field more', { seat: 4 }],
      ['with another object', { object: 'location' }],
      ['of a Location of this run', { location: 'loc_made' }]
    ] as const
  ).map(([title, values]): (typeof MUTATIONS)[number] => [
    `a record that only the service had, ${title}`,
    15,
    (() => {
      let made = ''
      const change = once('GET', /\/tickets\?limit/, body => {
        const location = 'location' in values ? { location: made } : {}
        Object.assign(listOf(body)[0] as Body, { id: 'tkt_of_others' }, values, location)
        Object.assign(body, { first_id: 'tkt_of_others' })
      })
      return passing => {
        if (/locations$/.test(passing.path)) made = JSON.parse(passing.text).id
        change(passing)
      }
    })()
  ]),
  [
    'a charge that only the service had, of which the Refunds do not add up',
    20,
    once('GET', /\/transactions\?location/, body =>
      Object.assign(listOf(body)[1] as Body, { id: 'txn_of_others', amount_refunded: 4 })
    )
  ]
]

/** Shows that each wrong answer fails the run of a scenario and names its call. */
async function fails(t: Test, base: string, scenario: object, mutations: typeof MUTATIONS) {
  for (const [index, [title, play, change]] of mutations.entries()) {
    const { status, found, failures } = await against(
      t,
      `${proxied(base, change)}/sandbox/case-${index}/next`,
      scenario
    )
    const isNamed = failures.some(problem => Number.parseInt(problem, 10) === play)
    t.ok(status === 1 && isNamed, `${title}: ${JSON.stringify(found)}`)
  }
}

t.test('check --against: each wrong answer fails the run and names its call', async t =>
  fails(
    t,
    await service(t, {}, { seed: 5, clock: { now: '2026-05-01T08:00:00Z' } }),
    SCENARIO,
    MUTATIONS
  )
)

t.test('check --against: whether more Refunds follow those of a charge', async t => {
  const base = await service(
    t,
    {},
    { data: { ...DATA, refunds: Array(12).fill({ transaction: 'txn_a', amount: 3 }) } }
  )
  const made = Array(10).fill(ask('POST /refunds transaction=${payment.id} amount=1'))
  const scenario = {
    steps: SCENARIO.steps,
    play: [...made, ask('GET /transactions/${payment.id}'), ask('GET /transactions/${txn_a}')]
  }
  const has = (values: object) => (body: Body) =>
    void Object.assign(body, values, { refunds: { ...(body.refunds as Body), has_more: true } })

  const honest = await against(t, base, scenario)

  t.strictSame([honest.status, honest.titles], [0, ['data']], honest.stdout)
  await fails(t, base, scenario, [
    ['has_more of the Refunds of a charge of this run', 11, once('GET', PAYMENT, has({}))],
    [
      'has_more of fewer Refunds than are shown of a charge of before',
      12,
      once('GET', CHARGED, has({ amount_refunded: 9 }))
    ]
  ])
})

t.test('check --against: what a record had before the run is taken over once', async t => {
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
  const locations = [
    {
      id: 'loc_a',
      account: 'mch_a',
      display_name: 'Here',
      address: { country: 'US' },
      extra: { seats: 4 }
    }
  ]
  const update = (body: object) => ({ do: 'POST /locations/${loc_a}', body })
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
  t.strictSame(found.data?.slice(-4), [
    differs('display_name', 'Here', 'There', 5),
    differs('address.city', null, 'Bonn', 5),
    differs('metadata.b', undefined, '2', 5),
    differs('seats', 4, 9, 5)
  ])
  t.equal(
    unnamed.status,
    0,
    `a record that others refer to has another id there: ${JSON.stringify(unnamed.found)}`
  )
})

const MORE = {
  tickets: [
    { id: 'tkt_x', location: 'loc_x', reference: 'X-1', created: '2026-02-02T00:00:00Z' },
    { id: 'tkt_y', location: 'loc_a', reference: 'N-1y' }
  ],
  locations: [{ id: 'loc_x', account: 'mch_x', display_name: 'X', address: { country: 'FR' } }],
  accounts: [
    { id: 'mch_x', type: 'merchant', name: 'X', email: 'x@example.com', address: { country: 'FR' } }
  ],
  transactions: [{ id: 'txn_x', ticket: 'tkt_x', payment_type: 'external', amount: 10 }],
  refunds: [
    { id: 'rfd_x', transaction: 'txn_x', amount: 4 },
    { id: 'rfd_a', transaction: 'txn_a', amount: 70 }
  ],
  users: [{ id: 'usr_x', account: 'mch_a', name: 'X', email: 'x@example.com' }]
}
/** The records of the scenario, some of them with other values, and others beside them. */
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
/** Lists in every way, with records of this run between those of others. */
const LISTS = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: PAY }],
  play: [
    ask('page: GET /tickets limit=2'),
    ask('next: GET /tickets limit=2 starting_after=${page.last_id}'),
    ask('GET /tickets limit=1 ending_before=${next.last_id}'),
    ask('GET /tickets search_query=1 limit=4'),
    ask('GET /tickets search_query=x location=${loc_a}'),
    ask('GET /tickets location=${loc_a} limit=50'),
    ask('GET /tickets created[gte]=2026-01-03 created[lt]=2026-02-03 limit=3'),
    ask('POST /refunds transaction=${payment.id} amount=1'),
    ask('GET /refunds'),
    ask('GET /refunds limit=1'),
    ask('GET /transactions limit=1'),
    ask('GET /transactions search_query=4242'),
    ask('GET /transactions limit=50'),
    ask('GET /accounts limit=1'),
    ask('user: POST /accounts/${mch_a}/users name=Bo email=bo@example.com'),
    ask('GET /accounts/${mch_a}/users limit=1'),
    ask('GET /accounts/${mch_a}/users limit=2 starting_after=${user.id}'),
    ask('DELETE /accounts/${mch_a}/users/${user.id}'),
    ask('GET /accounts/${mch_a}/users starting_after=${user.id}'),
    ask('place: POST /locations display_name=Bar address[country]=US'),
    ask('GET /locations'),
    ask('GET /transactions location=${place.id}'),
    ask('GET /tickets/tkt_nowhere → 404')
  ]
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

t.test('check --against: what means the same does not fail', async t => {
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
