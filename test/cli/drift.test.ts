import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { SAYS } from '../../src/cli/sentences.js'
import { nested } from '../../src/core/settings.js'
import { SAYS as REPORTS } from '../../src/reports/sentences.js'
import {
  against,
  ask,
  DATA,
  differs,
  differsIn,
  KEYS,
  onlyThere,
  path,
  proxied,
  service
} from '../support/against.js'
import { ran, serving } from '../support/command.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const refund = (amount?: number, status?: number) => ({
  do: 'POST /refunds',
  body: { transaction: '${txn_a}', ...(amount && { amount }) },
  ...(status && { expect: { status } })
})

/** Whether a title is of what differs, and not a step that fails. */
const isDrift = (title: string) => !/^(play )?\d+[. ]/.test(title)

type Body = Record<string, unknown>
type Answered = { method: string; path: string; status: number; body: Body }

/** A service before another one, that changes what that answers. */
const deviating = (base: string, change: (answered: Answered) => void): string =>
  proxied(base, passing => {
    const { method, path, status, text } = passing
    const answered = { method, path, status, body: text === '' ? {} : JSON.parse(text) }
    change(answered)
    Object.assign(passing, {
      status: answered.status,
      type: 'application/json',
      text: answered.status === 204 ? '' : JSON.stringify(answered.body)
    })
  })

const EVERYTHING = {
  steps: [
    ask('payment: POST /transactions ticket=${tkt_a} payment_type=card amount=500 card[last4]=4242')
  ],
  play: [
    ask('made: POST /refunds transaction=${payment.id} amount=200'),
    { ...refund(4000), expect: { status: 422 } },
    ask('GET /tickets'),
    ask('GET /tickets limit=3'),
    ask('GET /tickets limit=500'),
    ask('GET /tickets location=${loc_a} search_query=n-1'),
    ask('POST /refunds/${made.id} amount=3'),
    ask('POST /refunds transaction=${payment.id} amuont=1 → 200'),
    ask('GET /refunds transaction=${payment.id}'),
    ask('POST /transactions ticket=${tkt_a} payment_type=external amount=1'),
    { at_once: [refund(600), refund(600)] }
  ]
}
const SETTINGS = {
  'statuses.refund_refused': 422,
  'statuses.created': 201,
  'pagination.default_limit': 4,
  'pagination.order': 'oldest_first',
  'pagination.out_of_range': 'clamp',
  'pagination.max_limit': 7,
  'errors.expose_rule': false,
  'ids.prefixes.refund': 're_',
  'ids.length': 16,
  'parameters.not_updatable': 'ignore',
  'parameters.unknown': 'ignore',
  'search.reference': 'exact',
  'transactions.default_currency': 'eur'
} as const

t.test(
  'check --against: the settings of another emulator are found, and with them nothing differs',
  async t => {
    const baseUrl = await service(t, SETTINGS)
    const root = await mkdtemp(join(tmpdir(), 'settings-'))
    t.teardown(() => rm(root, { recursive: true }))

    const first = await against(t, baseUrl, EVERYTHING, ['--write-settings', `${root}/found.yaml`])
    const other = await service(t, SETTINGS)
    const second = await against(t, other, EVERYTHING, [
      '--settings',
      `${root}/found.yaml`,
      '--write-settings',
      `${root}/none.json`
    ])
    const third = await service(t, SETTINGS)
    const within = await against(t, third, { ...EVERYTHING, settings: nested(SETTINGS) })

    t.equal(first.status, 1)
    t.strictSame(
      first.titles.filter(isDrift).sort(),
      [
        'A02 ids.prefixes.refund: re_',
        'A03 ids.length: 16',
        'A06 statuses.created: 201',
        'A07 errors.expose_rule: false',
        'A08 statuses.refund_refused: 422',
        'A10 pagination.default_limit: 4',
        'A10 pagination.max_limit: 7',
        'A10 pagination.out_of_range: clamp',
        'A11 pagination.order: oldest_first',
        'A13 search.reference: exact',
        'A14 parameters.unknown: ignore',
        'A15 parameters.not_updatable: ignore',
        'A22 transactions.default_currency: eur'
      ],
      first.stdout
    )
    t.strictSame(first.found['A08 statuses.refund_refused: 422'], [differs('status', 400, 422, 2)])
    t.ok(first.stdout.includes('\nsettings:\n  '), 'ends with a settings block')
    t.ok(
      first.stdout.includes(
        `${REPORTS.settings()}\n${await readFile(`${root}/found.yaml`, 'utf8')}`
      )
    )
    t.notOk(first.stdout.includes('sk_reseller'), 'no key is shown')
    t.strictSame(second.titles.filter(isDrift), [], second.stdout)
    t.strictSame(JSON.parse(await readFile(`${root}/none.json`, 'utf8')), { settings: {} })
    t.notOk(second.stdout.includes('settings:'))
    t.strictSame(within.titles.filter(isDrift), [], within.stdout)
    await writeFile(`${root}/kept.yaml`, 'settings: { seed: 3 }\n')
    for (const [base, scenario] of [
      [baseUrl, { seed: 'x' }],
      ['http://127.0.0.1:1', EVERYTHING]
    ] as const) {
      const failed = await against(t, base, scenario, ['--write-settings', `${root}/kept.yaml`])
      t.equal(failed.status, 1)
      t.equal(failed.stderr, `commerce-emulator: ${SAYS.not_compared(`${root}/kept.yaml`)}\n`)
    }
    t.equal(
      await readFile(`${root}/kept.yaml`, 'utf8'),
      'settings: { seed: 3 }\n',
      'without an answer a file of settings is kept'
    )
    const unwritable = await against(t, baseUrl, { steps: [] }, [
      '--write-settings',
      `${root}/none/found.yaml`
    ])
    t.ok(unwritable.stderr.includes(`${root}/none/found.yaml`))
  }
)

t.test(
  'check --against: what is the same but for ids, times, keys and address differs in nothing',
  async t => {
    const seeded = await service(t, {}, { seed: 99, clock: '2026-07-07T07:07:07.007Z' })
    const inSandbox = seeded.replace(/\/next$/, '/sandbox/one/next/')

    for (const base of [seeded, inSandbox]) {
      const { found } = await against(t, base, {
        ...EVERYTHING,
        play: [
          ...EVERYTHING.play,
          ask('GET /refunds'),
          ask('GET /transactions/${payment.id}'),
          ask('DELETE /locations/${loc_a} → 501')
        ]
      })
      t.strictSame(Object.keys(found).filter(isDrift), [], JSON.stringify(found))
    }
  }
)

type Planted = [
  change: (answered: Answered) => void,
  play: object,
  causes: string | string[],
  problem: string | Parameters<typeof differs>
]
type On = readonly [method: string, path: RegExp]
const REFUND = ['POST', /refunds$/] as const
const PAY = ['POST', /transactions$/] as const
const TICKETS = ['GET', /tickets/] as const
const UPDATE = ['POST', /locations/] as const
const CREATE = ['POST', /locations$/] as const
const DELETE = ['DELETE', /locations/] as const
const CHARGED = ['GET', /transactions\/txn_a/] as const
const PAID = ['GET', /transactions/] as const
const READ = ['GET', /locations/] as const
const FIRE = ['DELETE', /users/] as const

t.test('check --against: planted deviations, each by its cause', async t => {
  const on =
    ([method, path]: On, change: (body: Body, answered: Answered) => void) =>
    (answered: Answered) => {
      if (answered.method === method && path.test(answered.path)) change(answered.body, answered)
    }
  /**
   * Changes fields of the body, of a part of it, or of a row of its list; those that are undefined
   * go.
   */
  const set = (at: On, values: object) => on(at, body => Object.assign(body, values))
  const within = (at: On, name: string, values: object) =>
    on(at, body => Object.assign(body[name] as Body, values))
  const rows = (body: Body) => body.data as Body[]
  const row = (at: On, nth: number, values: object, more = {}) =>
    on(at, body => Object.assign(rows(body)[nth] as Body, values) && Object.assign(body, more))
  const push = (at: On, id: string) => on(at, body => rows(body).push({ id }))
  const reply = (at: On, status: number, body?: Body) =>
    on(at, (_, answered) => Object.assign(answered, { status, ...(body && { body }) }))
  const paid = (ticket: string, more = '') =>
    ask(
      `payment: POST /transactions ticket=${ticket} payment_type=card amount=500 card[last4]=4242${more}`
    )
  const payment = paid('${tkt_a}')
  const list = (limit: number, status?: number) =>
    ask(`GET /tickets limit=${limit}${status ? ` → ${status}` : ''}`)
  const gone = { expect: { status: 404 } }
  const charged = ask('GET /transactions/${txn_a}')
  const deleted = ask('DELETE /locations/${loc_a}')
  const located = ask('GET /locations/${loc_a}')
  const fired = ask('DELETE /accounts/mch_a/users/usr_a')
  const post = (path: string, body: object) => ({ do: `POST ${path}`, body })
  const update = (body: object) => post('/locations/${loc_a}', body)
  const unpaid = { ...payment, ...gone }
  const address = { country: 'US' }
  const account = { type: 'merchant', name: 'A', email: 'a@example.com', address }
  const madeLocation = { id: 'loc_x', object: 'location', account: 'rsl_r', display_name: 'X' }
  const otherTicket = {
    id: 'tkt_none',
    object: 'ticket',
    created: '2026-01-01T00:00:00.000Z',
    location: 'loc_none',
    reference: 'N'
  }
  const otherRefund = {
    id: 'rfd_of_others',
    object: 'refund',
    created: '2026-01-01T00:00:00.000Z',
    transaction: 'txn_a',
    amount: 7,
    currency: 'usd'
  }
  const PAGE = {
    object: 'page',
    url: '$url',
    data: '$members',
    has_more: '$has_more',
    first_id: '$first_id',
    last_id: '$last_id'
  }
  const by = (rule: string) => ({ error: { rule } })
  const NONE = { error: {} }
  const planted: Planted[] = [
    [set(REFUND, { reason: '' }), refund(5), 'REF-8', ['reason', null, '']],
    [set(REFUND, { amount: 999 }), refund(), 'REF-4', ['amount', 1000, 999]],
    [set(REFUND, { amount: 6 }), refund(5), 'REF-3', ['amount', 5, 6]],
    [
      set(REFUND, { processor: 'acme 4242424242424242' }),
      refund(5),
      'A04',
      ['processor', undefined, 'acme ****************']
    ],
    [
      within(PAY, 'payment_method', { network: 'x' }),
      payment,
      'A04',
      ['payment_method.network', undefined, 'x']
    ],
    [
      reply(REFUND, 200, { id: 'rfd_x', object: 'refund' }),
      refund(4000),
      'REF-7',
      ['status', 400, 200]
    ],
    [
      reply(CREATE, 200, madeLocation),
      { ...post('/locations', { display_name: 'X', address }), key: 'sk_reseller' },
      'LOC-3',
      ['status', 403, 200]
    ],
    [reply(REFUND, 409, by('REF-6')), refund(4, 409), 'REF-6', ['status', 200, 409]],
    [reply(REFUND, 409, {}), refund(4, 409), 'wrong', ['status', 200, 409]],
    [reply(REFUND, 503, NONE), refund(4, 503), 'wrong', ['status', 200, 503]],
    [reply(REFUND, 500), refund(4000, 500), 'A08', ['status', 400, 500]],
    [reply(TICKETS, 404, NONE), ask('GET /tickets/${tkt_a} → 404'), 'data', ['status', 200, 404]],
    [
      reply(PAY, 404, by('TXN-1')),
      { ...paid('tkt_a'), ...gone },
      'data',
      ['status', 200, 404, 1, 'Ticket tkt_a']
    ],
    [
      reply(REFUND, 400, { error: { code: 'reference_missing' } }),
      ask('POST /refunds transaction=txn_a → 400'),
      'data',
      ['status', 200, 400, 1, 'Transaction txn_a']
    ],
    [
      reply(REFUND, 404, { error: { code: 'gone' } }),
      refund(4000, 404),
      'data',
      ['status', 400, 404, 1, 'Transaction txn_a']
    ],
    [
      reply(FIRE, 404, NONE),
      { ...fired, ...gone },
      'data',
      ['status', 204, 404, 1, 'Account mch_a or no User usr_a']
    ],
    [reply(PAY, 404, NONE), [ask('GET /tickets/tkt_a'), unpaid], 'wrong', ['status', 200, 404, 2]],
    [reply(PAY, 404, by('TXN-1')), [list(50), unpaid], 'TXN-1', ['status', 200, 404, 2]],
    [
      reply(PAY, 404, by('TXN-1')),
      [ask('GET /tickets/tkt_0'), unpaid],
      'data',
      ['status', 200, 404, 2, 'Ticket tkt_a']
    ],
    [
      reply(UPDATE, 404, {}),
      [ask('GET /locations/loc_a'), { ...update({ phone: '1' }), ...gone }],
      'wrong',
      ['status', 200, 404, 2]
    ],
    [reply(REFUND, 404, by('REF-6')), refund(4, 404), 'REF-6', ['status', 200, 404]],
    [
      reply(['POST', /accounts$/], 404, by('ACC-2')),
      { ...post('/accounts', account), ...gone },
      'ACC-2',
      ['status', 200, 404]
    ],
    [
      reply(PAY, 200, { id: 'txn_x' }),
      [ask('GET /tickets/tkt_none → 404'), paid('tkt_none')],
      'TXN-1',
      ['status', 400, 200, 2]
    ],
    [
      reply(PAY, 404),
      { ...paid('tkt_none'), ...gone },
      'A08 statuses.reference_missing: 404',
      ['status', 400, 404]
    ],
    [reply(FIRE, 204, {}), [fired, fired], 'A08', ['status', 404, 204, 2]],
    [
      on(REFUND, (body, answered) =>
        Object.assign(answered, {
          status: 503,
          body: { error: { ...(body.error as Body), rule: undefined } }
        })
      ),
      refund(4000, 503),
      ['A08', 'A07'],
      ['status', 400, 503]
    ],
    [
      within(TICKETS, 'error', { assumption: undefined, code: 'too_many' }),
      list(500, 400),
      'A07',
      ['error.code', 'parameter_invalid', 'too_many']
    ],
    [
      within(TICKETS, 'error', { assumption: undefined }),
      list(500, 400),
      'A07 errors.expose_rule: false',
      ['error.assumption', 'A10', undefined]
    ],
    [
      within(TICKETS, 'error', { assumption: undefined, rule: 'LIST-3' }),
      list(500, 400),
      'A07',
      ['error.assumption', 'A10', undefined]
    ],
    [
      reply(TICKETS, 200, otherTicket),
      ask('GET /tickets/tkt_none'),
      'data',
      onlyThere('body', 'tkt_none')
    ],
    [reply(TICKETS, 403, NONE), ask('GET /tickets/${tkt_a} → 403'), 'wrong', ['status', 200, 403]],
    [reply(DELETE, 204), deleted, 'LOC-4', ['status', 501, 204]],
    [reply(DELETE, 500), { ...deleted, expect: { status: 500 } }, 'A08', ['status', 501, 500]],
    [reply(DELETE, 405), { ...deleted, expect: { status: 405 } }, 'A08', ['status', 501, 405]],
    [
      within(REFUND, 'error', { code: 'too_much', message: 'No.' }),
      refund(4000, 400),
      'A07',
      ['error.code', 'refund_exceeds_remaining', 'too_much']
    ],
    [
      set(REFUND, { created: '2026-03-01T10:00:00Z' }),
      refund(5),
      'A05',
      ['created', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00Z']
    ],
    [set(REFUND, { metadata: undefined }), refund(5), 'A04', ['metadata', {}, undefined]],
    [set(CHARGED, { refunds: undefined }), charged, 'TXN-8', path('refunds')],
    [
      within(CHARGED, 'refunds', { total: 3, has_more: true }),
      charged,
      'TXN-8',
      ['refunds.has_more', false, true]
    ],
    [set(CHARGED, { amount: 2 }), charged, 'data', ['amount', 1000, 2]],
    [set(TICKETS, { has_more: false }), list(2), 'data', ['has_more', true, false]],
    [
      set(['GET', /limit=2/], { has_more: false }),
      [ask('GET /tickets'), list(2)],
      'LIST-2',
      ['has_more', true, false, 2]
    ],
    [
      set(TICKETS, { has_more: true }),
      list(50),
      ['A10 pagination.max_limit: 13, pagination.out_of_range: clamp', 'data'],
      ['has_more', false, true]
    ],
    [set(TICKETS, { has_more: true }), list(13), 'data', ['has_more', false, true]],
    [
      set(TICKETS, { has_more: undefined, first_id: undefined, total: 13 }),
      list(2),
      ['LIST-2', 'A09'],
      ['has_more', true, undefined]
    ],
    [
      set(TICKETS, { first_id: '' }),
      [list(2), ask('GET /locations/loc_a')],
      'A09',
      ['first_id', 'tkt_a', '']
    ],
    [
      set(TICKETS, { url: '/tickets', object: 'page' }),
      list(2),
      `A09 shapes.list: ${JSON.stringify(PAGE)}`,
      '1'
    ],
    [set(TICKETS, { data: null }), list(1), 'wrong', path('data')],
    [push(TICKETS, 'tkt_3'), list(2), 'LIST-3', differsIn('data', 2, 3)],
    [
      on(['GET', /refunds/], body => rows(body).reverse()),
      [refund(1), refund(2), ask('GET /refunds transaction=${txn_a}')],
      'REF-10',
      path('data[0]', 3)
    ],
    [
      on(TICKETS, body => rows(body).splice(0, 2, ...rows(body).slice(0, 2).reverse())),
      list(3),
      'A11',
      path('data[0]')
    ],
    [
      push(TICKETS, 'tkt_3'),
      ask('GET /tickets created[lt]=2020-01-01'),
      'wrong',
      differsIn('data', 0, 1)
    ],
    [
      push(PAID, 'txn_a'),
      ask('GET /transactions search_query=9999 location=${loc_a}'),
      'wrong',
      differsIn('data', 0, 1)
    ],
    [
      on(TICKETS, body => {
        rows(body).splice(1, 0, { ...rows(body)[1], id: 'tkt_more' })
        row(
          TICKETS,
          0,
          { id: 'tkt_of_others' },
          { first_id: 'tkt_of_others' }
        )({ method: 'GET', path: 'tickets', status: 200, body })
      }),
      list(50),
      'data',
      onlyThere('data[0]', 'tkt_of_others')
    ],
    [
      set(UPDATE, { phone: '1' }),
      [located, update({ display_name: 'B' })],
      'UPD-1',
      ['phone', null, '1', 2]
    ],
    [set(UPDATE, { phone: '1' }), update({ display_name: 'B' }), 'data', ['phone', null, '1']],
    [set(UPDATE, { phone: '1' }), update({ phone: '' }), 'UPD-2', ['phone', null, '1']],
    [set(UPDATE, { phone: '2' }), update({ phone: '1' }), 'wrong', ['phone', '1', '2']],
    [
      set(UPDATE, { metadata: { a: '1' } }),
      update({ metadata: '' }),
      'META-3',
      ['metadata.a', undefined, '1']
    ],
    [
      set(UPDATE, { metadata: { a: '1' } }),
      update({ metadata: { a: '' } }),
      'META-2',
      ['metadata.a', undefined, '1']
    ],
    [
      set(UPDATE, { metadata: {} }),
      update({ metadata: { a: '1' } }),
      'A17',
      ['metadata.a', '1', undefined]
    ],
    [
      set(REFUND, { metadata: {} }),
      ask('POST /refunds transaction=${txn_a} amount=1 metadata[a]=1'),
      'META-1',
      ['metadata.a', '1', undefined]
    ],
    [set(READ, { metadata: { a: '1' } }), located, 'data', ['metadata.a', undefined, '1']],
    [
      set(REFUND, { payment_method: null, currency: 'eur', transaction: 'txn_b', object: 'x' }),
      refund(1),
      ['wrong', 'A28'],
      ['object', 'refund', 'x']
    ],
    [
      set(CREATE, { account: 'rsl_r', phone: '1' }),
      post('/locations', { display_name: 'B', address }),
      ['A21', 'wrong'],
      ['account', 'mch_a', 'rsl_r']
    ],
    [
      set(PAY, { currency: 'EURO', amount: 1 }),
      ask('POST /transactions ticket=${tkt_a} payment_type=external'),
      ['A22', 'A24'],
      ['currency', 'usd', 'EURO']
    ],
    [set(REFUND, { id: 7 }), refund(1), 'wrong', path('id')],
    [
      set(REFUND, { id: 'refund_with_a_long_prefix_abc' }),
      refund(1),
      ['A02', 'A03'],
      [SAYS.part_of_id('prefix', 'id'), 'rfd_', 'refund_with_a_long_prefix_']
    ],
    [reply(REFUND, 202), refund(1), 'A06', ['status', 200, 202]],
    [reply(TICKETS, 203), ask('GET /tickets/${tkt_a}'), 'A08', ['status', 200, 203]],
    [
      reply(FIRE, 200, { deleted: true }),
      [
        ask('user: POST /accounts/${mch_a}/users name=Ana email=ana@example.com'),
        ask('DELETE /accounts/${mch_a}/users/${user.id}')
      ],
      ['USR-4', 'wrong'],
      ['status', 204, 200, 2]
    ],
    [reply(UPDATE, 200, {}), update({ metadata: { a: { b: '1' } } }), 'A17', ['status', 400, 200]],
    [
      row(TICKETS, 2, { id: 'tkt_0' }, { last_id: 'tkt_0' }),
      list(3),
      'data',
      ['data[2].reference', 'N-0', 'N-7']
    ],
    [
      push(TICKETS, 'tkt_0'),
      ask('GET /tickets search_query=zzz location=${loc_a} limit=50'),
      'wrong',
      differsIn('data', 0, 1)
    ],
    [
      row(TICKETS, 0, { seat: 4, reference: 'x'.repeat(300) }),
      list(1),
      ['A04', 'data'],
      ['data[0].seat', undefined, 4]
    ],
    [
      on(TICKETS, body => rows(body).map(ticket => Object.assign(ticket, { reference: 'x' }))),
      list(12),
      'data',
      path('data[0].reference')
    ],
    [
      on(PAID, body => {
        const [{ refunds, ...payment }] = body.data as [{ refunds: { url: string } }]
        const url = refunds.url.replace('txn_a', 'txn_of_others')
        const data = [{ ...payment, id: 'txn_of_others', refunds: { ...refunds, url } }]
        Object.assign(body, {
          data,
          has_more: true,
          first_id: 'txn_of_others',
          last_id: 'txn_of_others'
        })
      }),
      ask('GET /transactions location=${loc_a} limit=1'),
      'data',
      onlyThere('data[0]', 'txn_of_others')
    ],
    [
      set(PAID, { data: [], first_id: null, last_id: null }),
      ask('GET /transactions location=${loc_a}'),
      'data',
      differsIn('data', 1, 0)
    ],
    [set(READ, { account: 'acct_1' }), [located, located], 'data', ['account', 'mch_a', 'acct_1']],
    [
      on(CHARGED, body => {
        const data = [
          { ...otherRefund, reason: null, metadata: {}, payment_method: body.payment_method }
        ]
        Object.assign(Object.assign(body, { amount_refunded: 7 }).refunds as object, {
          data,
          first_id: otherRefund.id,
          last_id: otherRefund.id
        })
      }),
      charged,
      'data',
      ['amount_refunded', 0, 7]
    ],
    [
      within(CHARGED, 'refunds', { data: [] }),
      [refund(1), charged],
      'TXN-8',
      differsIn('refunds.data', 1, 0, 2)
    ],
    [
      set(TICKETS, { first_id: 'tkt_of_others' }),
      ask('GET /tickets search_query=zzz location=${loc_a}'),
      'data',
      ['has_more', false, true]
    ],
    [set(TICKETS, { first_id: 'tkt_0' }), list(2), 'A09', path('first_id')],
    [
      within(UPDATE, 'address', { country: 'us' }),
      update({ address: { country: 'us' } }),
      'wrong',
      ['address.country', 'US', 'us']
    ],
    [
      set(PAY, { payment_method: null, amounts: { a: 1 }, currency: 'gbp', location: null }),
      paid('${tkt_a}', ' currency=eur'),
      ['wrong', 'A25', 'TXN-6', 'A24'],
      ['location', 'loc_a', null]
    ],
    [() => {}, ask('GET /accounts/${loc_a}/users → 404'), [], ''],
    [reply(TICKETS, 431, NONE), ask(`GET /tickets/${'x'.repeat(16_385)} → 431`), 'wrong', '1: ']
  ]
  const behind = await service(t)
  for (const [index, [change, play, titles, problem]] of planted.entries()) {
    const found = await against(t, `${deviating(behind, change)}/sandbox/case-${index}/next`, {
      play: [play].flat()
    })

    const title = `case ${index}: ${JSON.stringify(found.found)}`
    const causes = [titles].flat()
    const says = typeof problem === 'string' ? problem : differs(...problem)
    t.strictSame(found.titles, causes, title)
    t.ok(causes.length === 0 || found.found[causes[0] as string]?.[0]?.startsWith(says), title)
    t.equal(found.status, Number(causes.some(cause => cause !== 'data')), title)
  }
})

t.test(
  'check --against: settings that agree only together, and calls of which the answer says which value',
  async t => {
    const clamping = {
      'pagination.max_limit': 7,
      'pagination.out_of_range': 'clamp',
      'auth.visibility': 'scoped',
      'auth.accept_any_key': 'mch_a'
    }
    const [clamped, limited] = [
      await service(t, clamping),
      await service(t, { 'pagination.max_limit': 5 })
    ]
    let calls = 0
    // the first refusal names another number
    const corrected = deviating(limited, ({ status, body }) => {
      if (status === 400 && calls++ === 0)
        Object.assign(body.error as Body, { message: 'At most 8.' })
    })
    const noted = ask('POST /refunds transaction=${txn_a} amount=1 metadata[note]=')
    const MAX = ['A10 pagination.max_limit: 5']
    const cases: [base: string, play: object[], titles: string[], args?: string[]][] = [
      [
        clamped,
        [ask('GET /tickets limit=10')],
        ['A10 pagination.max_limit: 7, pagination.out_of_range: clamp']
      ],
      [limited, [ask('GET /tickets limit=9 → 400'), ask('GET /tickets limit=5')], MAX],
      [
        `${corrected}/next`,
        [ask('GET /tickets limit=9 → 400'), ask('GET /tickets limit=6 → 400')],
        MAX
      ],
      [
        clamped,
        [{ ...ask('GET /tickets/${tkt_a}'), key: 'sk_unknown' }],
        ['A18 auth.accept_any_key: mch_a'],
        ['--key', 'sk_unknown=sk_other_there']
      ],
      // a default limit that the largest one makes needless is left out
      [limited, [ask('GET /tickets'), ask('GET /tickets limit=9 → 400')], MAX],
      // an empty value is no id of another record
      [
        limited,
        [ask('GET /accounts/${mch_a}/users → 404'), ask('GET /tickets/${tkt_a}'), noted],
        [],
        ['--var', 'mch_a=']
      ]
    ]
    for (const [base, play, titles, args = []] of cases) {
      const found = await against(t, base, { play }, args)
      t.strictSame(found.titles, titles, JSON.stringify(play))
      t.notOk(found.stdout.includes('sk_other_there'))
    }
  }
)

t.test(
  'check --against: a setting that calls need different values of is a contradiction, with the calls of each side',
  async t => {
    const behind = await service(t, { 'pagination.default_limit': 5, 'statuses.created': 201 })
    const base = deviating(behind, answered => {
      // one page is shorter than the others
      if (answered.path.includes('created'))
        Object.assign(answered.body, {
          data: (answered.body.data as object[]).slice(0, 3),
          last_id: (answered.body.data as Body[])[2]?.id
        })
    })
    const list = (query = {}) => ({ do: 'GET /tickets', query })
    const filtered = list({ 'created[gt]': '2020-01-01' })

    const { titles, found, stdout, status } = await against(t, `${base}/next`, {
      play: [list(), filtered, refund(1), list()]
    })
    const agreeing = await against(t, behind, { play: [list(), filtered] })
    const root = t.testdir({
      'five.json': JSON.stringify({ data: DATA, play: [list(), refund(1)] }),
      'three.json': JSON.stringify({ data: DATA, play: [filtered, refund(2)] }),
      'wrong.json': '{"seed":"x"}',
      'found.json': ''
    })
    const files = ['five', 'three', 'wrong'].map(name => `${root}/${name}.json`)
    const apart = await ran([
      'check',
      ...files,
      '--against',
      `${base}/next`,
      ...KEYS,
      '--var',
      'txn_a=txn_a',
      '--write-settings',
      `${root}/found.json`
    ])

    const contradiction = SAYS.contradiction('pagination.default_limit')
    t.strictSame(
      [status, titles],
      [1, ['contradiction pagination.default_limit', 'A06 statuses.created: 201']]
    )
    t.strictSame(found['contradiction pagination.default_limit'], [
      SAYS.needs('2', { 'pagination.default_limit': 3 }),
      SAYS.needs('1', { 'pagination.default_limit': 5 }),
      SAYS.needs('4', { 'pagination.default_limit': 5 })
    ])
    t.ok(stdout.includes('settings:\n  statuses:\n    created: 201\n\n'), stdout)
    t.strictSame(agreeing.titles, ['A10 pagination.default_limit: 5'])
    t.equal(apart.status, 1)
    t.ok(
      apart.stdout.includes(
        ['five', 'three']
          .map(name =>
            SAYS.needs(`${root}/${name}.json`, {
              'pagination.default_limit': name === 'five' ? 5 : 3
            })
          )
          .reduce((text, line) => `${text}      ${line}\n`, `\n  ✗ ${contradiction}\n`)
      ),
      apart.stdout
    )
    t.strictSame(JSON.parse(await readFile(`${root}/found.json`, 'utf8')), {
      settings: { statuses: { created: 201 } }
    })
  }
)

t.test(
  'check --against: the script takes no part, unless the service answers as it does',
  async t => {
    const script = [{ on: 'POST /refunds', calls: 1, respond: { status: 503 } }]
    const play = [{ ...refund(1), expect: { status: 503 } }, refund(1000)]
    const plain = await service(t)
    const scripted = await service(t, {}, { script })

    const alone = await against(t, plain, { script, play })
    const both = await against(t, scripted, { script, play })
    const lost = await against(t, plain, {
      script: [{ on: 'POST /refunds', fault: 'hang' }],
      play: [{ ...refund(1), expect: { fault: 'hang' } }]
    })

    t.strictSame(
      [alone.status, alone.titles],
      [1, ['play 1. POST /refunds', 'play 2. POST /refunds', 'script']]
    )
    t.strictSame(
      [both.status, both.titles],
      [0, []],
      'what was refused there has made nothing here'
    )
    const html = proxied(scripted, passing =>
      Object.assign(passing, passing.status === 503 && { text: '<p>', type: 'text/html' })
    )
    const unreadable = await against(t, `${html}/sandbox/html/next`, {
      script,
      play: play.slice(0, 1)
    })
    t.strictSame([unreadable.status, unreadable.titles], [1, ['wrong']])
    t.strictSame(lost.titles, ['play 1. POST /refunds', 'script'])
  }
)

t.test(
  'check --against: the records in the end are read from the service, as far as the API can say',
  async t => {
    const renamed = { ...CHARGE, id: 'txn_there' }
    const behind = await service(t, {}, { data: { ...DATA, transactions: [renamed] } })
    const expect = [
      {
        state: {
          transactions: {
            txn_a: { amount_refunded: 5, ticket: 'tkt_a' },
            txn_none: null,
            txn_gone: {}
          },
          refunds: { count: 2, where: { transaction: 'txn_a' } },
          tickets: { count: 13, where: { location: 'loc_a' } },
          accounts: { mch_a: { type: 'reseller' } },
          users: {
            usr_a: { name: 'Bo', account: 'mch_a' },
            usr_none: null,
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
      expect: [{ state: { users: { usr_x: {}, count: 1 } } }]
    })
    const answering = (status: number, text: string, type = 'application/json') =>
      serving(t, (_request, response) =>
        response.writeHead(status, { 'content-type': type }).end(text)
      )
    const refusing = await answering(403, '{"error":{"message":"no"}}')
    const unread = await against(t, refusing, {
      expect: [
        {
          state: {
            users: { count: 1, where: { account: 'mch_a' } },
            refunds: { count: 1 },
            tickets: { tkt_a: {} }
          }
        }
      ]
    })
    const endless = await answering(200, '{"data":[{"id":"x"}],"has_more":true}')
    const tooMany = await against(t, endless, { expect: [{ state: { refunds: { count: 1 } } }] })

    t.strictSame(problems(read), [
      'transactions.txn_gone: there is no such Transaction',
      'refunds: wanted 2 with {"transaction":"txn_a"}; got 1',
      'accounts.mch_a.type: wanted reseller; got merchant',
      'users: wanted 2 with {"account":"mch_a"}; got 1',
      'users.usr_a.name: wanted Bo; got Ana'
    ])
    const ofTickets = {
      state: { transactions: { every: { ticket: { location: { display_name: 'B' } } } } }
    }
    const linked = await against(t, behind, {
      play: [refund(5)],
      expect: [
        {
          state: {
            refunds: {
              where: { transaction: { ticket: { location: { not: '${record.id}' } } } },
              count: 2
            }
          }
        },
        ofTickets
      ]
    })
    const withTickets = (status: number) =>
      `${deviating(behind, answered => answered.path.includes('/tickets/') && Object.assign(answered, { status }))}/next`
    const every = (got: string) =>
      `transactions: every one must have ${JSON.stringify(ofTickets.state.transactions.every)}; 1 of 1 does not: ticket.location.display_name: wanted B; got ${got} in txn_there`
    const links: [base: string, problem: string][] = [
      [behind, every('A')],
      [withTickets(404), every('nothing')],
      [withTickets(403), SAYS.refused_reading('/tickets/tkt_a', 403, '')]
    ]

    t.strictSame(problems(linked), [
      'refunds: wanted 2 with {"transaction":{"ticket":{"location":{"not":"${record.id}"}}}}; got 1'
    ])
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
  }
)
