import t from 'tap'
import { type Answer, MERCHANT, RESELLER } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const account = (id: string, fields: object = {}) => ({
  id,
  type: 'merchant',
  name: 'B',
  email: 'b@example.com',
  address: { country: 'US' },
  ...fields
})
const location = (id: string, of: string) => ({
  id,
  account: of,
  display_name: id,
  address: { country: 'US' }
})
const ticket = (id: string, fields: object = {}) => ({
  id,
  location: 'loc_a',
  reference: id.toUpperCase(),
  ...fields
})
const payment = (id: string, fields: object = {}) => ({
  id,
  ticket: 'tkt_a',
  payment_type: 'card',
  amount: 100,
  ...fields
})
const idsOf = ({ body }: Pick<Answer, 'body'>): string[] =>
  body.data.map(({ id }: { id: string }) => id)
const dayOf = (day: number) => `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`

t.test('SRCH-3, A10, A12: a search filters a page of ten after retrieval', async t => {
  const tickets = Array.from({ length: 25 }, (_, nth) =>
    ticket(`t${nth + 1}`, { reference: nth === 2 ? 'needle' : 'hay', created: dayOf(nth + 1) })
  )
  const { call } = await startWorld({ records: { tickets } })
  const pages: [query: string, ids: string[], hasMore: boolean, first: string, last: string][] = [
    ['', [], true, 't25', 't16'],
    ['&starting_after=t16', [], true, 't15', 't6'],
    ['&starting_after=t6', ['t3'], false, 't5', 't1'],
    ['&ending_before=t5', [], true, 't15', 't6'],
    [`&created[lte]=${dayOf(5)}`, ['t3'], false, 't5', 't1']
  ]
  for (const [query, ids, ...ends] of pages) {
    const answer = call('GET /tickets', {
      query: `created[lt]=2026-02-01&search_query=needle${query}`
    })
    const { has_more, first_id, last_id } = answer.body
    t.strictSame([idsOf(answer), has_more, first_id, last_id], [ids, ...ends], query)
  }
  const asked = (length: number) =>
    call('GET /tickets', { query: `limit=1&location=loc_a&search_query=${'é'.repeat(length)}` })
  t.equal(asked(1000).status, 200)
  t.match(asked(1001).body.error, {
    message: 'search_query must have at most 1000 characters; got 1001 characters.',
    assumption: 'A35'
  })
})

t.test('A11, TXN-8: the order of all lists except Refunds is a setting', async t => {
  const records = {
    accounts: [account('mch_b')],
    users: ['u1', 'u2'].map(id => ({ id, account: 'mch_a', name: id, email: 'u@example.com' })),
    locations: [location('loc_b', 'mch_a')],
    tickets: [ticket('tkt_b')],
    transactions: [payment('x1'), payment('x2')],
    refunds: [1, 3, 2].map(day => ({
      id: `r${day}`,
      transaction: 'x1',
      amount: 1,
      created: dayOf(day)
    }))
  }
  const newest = await startWorld({ records })
  const oldest = await startWorld({ records, settings: { 'pagination.order': 'oldest_first' } })
  const lists: [path: string, newestFirst: string[]][] = [
    ['/locations', ['loc_b', 'loc_a']],
    ['/accounts', ['mch_b', 'rsl_r', 'mch_a']],
    ['/accounts/mch_a/users', ['u2', 'u1']],
    ['/tickets', ['tkt_b', 'tkt_a']],
    ['/transactions', ['x2', 'x1']],
    ['/refunds', ['r3', 'r2', 'r1']]
  ]
  for (const [path, ids] of lists) {
    t.strictSame(idsOf(newest.call(`GET ${path}`)), ids, path)
    t.strictSame(
      idsOf(oldest.call(`GET ${path}`)),
      path === '/refunds' ? ids : ids.toReversed(),
      path
    )
  }
  const short = await startWorld({
    records,
    settings: {
      'pagination.order': 'oldest_first',
      'pagination.default_limit': 1,
      'pagination.max_limit': 1
    }
  })
  t.strictSame(
    idsOf({ body: short.call('GET /transactions/x1').body.refunds }),
    ['r3', 'r2', 'r1'],
    'the embedded ones, whatever the length of lists'
  )
})

/** Three merchants, one created by the reseller, each with one record of every family. */
const OWNERS = ['a', 'b', 'c']
const shared = {
  api_keys: [
    { key: MERCHANT, account: 'mch_a' },
    { key: RESELLER, account: 'rsl_r' }
  ],
  accounts: [
    account('mch_a'),
    account('mch_b'),
    account('rsl_r', { type: 'reseller' }),
    account('mch_c', { reseller: 'rsl_r' }),
    account('rsl_x', { type: 'reseller' })
  ],
  users: OWNERS.flatMap(of =>
    [1, 2, 3].map(n => ({
      id: `usr_${of}${n}`,
      account: `mch_${of}`,
      name: 'U',
      email: 'u@example.com'
    }))
  ),
  locations: OWNERS.map(of => location(`loc_${of}`, `mch_${of}`)),
  tickets: OWNERS.map(of => ticket(`tkt_${of}`, { location: `loc_${of}` })),
  transactions: OWNERS.map(of => payment(`txn_${of}`, { ticket: `tkt_${of}` })),
  refunds: OWNERS.map(of => ({ id: `rfd_${of}`, transaction: `txn_${of}`, amount: 10 }))
}
const SCOPED = { settings: { 'auth.visibility': 'scoped' }, scenario: { data: shared } } as const

t.test('A19: scoped, a merchant sees its own Account and what belongs to it', async t => {
  const { call } = await startWorld(SCOPED)
  const KEYS = [MERCHANT, RESELLER]
  const lists: [path: string, merchant: string[] | null, reseller: string[] | null][] = [
    ['/accounts', ['mch_a'], ['mch_c', 'rsl_r']],
    ['/accounts/mch_a/users', ['usr_a3', 'usr_a2', 'usr_a1'], null],
    ['/accounts/mch_b/users', null, null],
    ['/accounts/mch_c/users', null, ['usr_c3', 'usr_c2', 'usr_c1']],
    ['/accounts/rsl_r/users', null, []],
    ['/transactions', ['txn_a'], ['txn_c']],
    ['/transactions?location=loc_a', ['txn_a'], []],
    ['/transactions?location=loc_b', [], []],
    ['/transactions?location=loc_c', [], ['txn_c']],
    ['/refunds', ['rfd_a'], ['rfd_c']],
    ['/refunds?transaction=txn_a', ['rfd_a'], []],
    ['/refunds?transaction=txn_b', [], []],
    ['/refunds?transaction=txn_c', [], ['rfd_c']]
  ]
  const pathsOf = (of: string) => [
    `/accounts/mch_${of}`,
    `/locations/loc_${of}`,
    `/tickets/tkt_${of}`,
    `/transactions/txn_${of}`,
    `/refunds/rfd_${of}`
  ]
  const own = [pathsOf('a'), ['/accounts/rsl_r', ...pathsOf('c')]]
  for (const [index, key] of KEYS.entries()) {
    for (const [path, ...seen] of lists) {
      const { status, body } = call(`GET ${path}`, { key })
      t.strictSame(
        [status, body.error?.code ?? idsOf({ body })],
        seen[index] ? [200, seen[index]] : [404, 'resource_missing'],
        `${key} ${path}`
      )
    }
    for (const path of [...own.flat(), ...pathsOf('b'), '/accounts/rsl_x'])
      t.equal(
        call(`GET ${path}`, { key }).status,
        own[index]?.includes(path) ? 200 : 404,
        `${key} ${path}`
      )
  }
})

t.test('A19: whoever created an Account sees it and what belongs to it', async t => {
  const cases: [visibility: 'open' | 'scoped', key: string, reseller: string | null][] = [
    ['scoped', MERCHANT, 'mch_a'],
    ['scoped', RESELLER, 'rsl_r'],
    ['open', MERCHANT, null],
    ['open', RESELLER, 'rsl_r']
  ]
  for (const [visibility, key, reseller] of cases) {
    const settings = { 'auth.visibility': visibility } as const
    const { call } = await startWorld({ ...SCOPED, settings })
    const ask = (on: string, body?: string) => call(on, { key, ...(body && { body }) })
    for (const type of ['merchant', 'reseller']) {
      const made = ask(
        'POST /accounts',
        `type=${type}&name=A&email=a@example.com&address[country]=US`
      )
      const { id } = made.body
      const user = ask(`POST /accounts/${id}/users`, 'name=U&email=u@example.com').body
      t.strictSame(
        [
          made.body.reseller,
          ask(`GET /accounts/${id}`).status,
          idsOf(ask('GET /accounts')).includes(id),
          ask(`POST /accounts/${id}`, 'phone=1').body.reseller,
          idsOf(ask(`GET /accounts/${id}/users`)),
          call(`GET /accounts/${id}`, { key: key === MERCHANT ? RESELLER : MERCHANT }).status
        ],
        [reseller, 200, true, reseller, [user.id], visibility === 'open' ? 200 : 404],
        `${visibility} ${key} ${type}`
      )
    }
  }
})
