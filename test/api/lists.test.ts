import t from 'tap'
import { type Answer, type Blame, RESELLER, startTestEmulator } from '../support/emulator.js'

const account = (id: string, fields: object = {}) => ({ id, type: 'merchant', name: 'B', email: 'b@example.com', address: { country: 'US' }, ...fields })
const location = (id: string, of: string, fields: object = {}) => ({ id, account: of, display_name: id, address: { country: 'US' }, ...fields })
const ticket = (id: string, fields: object = {}) => ({ id, location: 'loc_a', reference: id.toUpperCase(), ...fields })
const payment = (id: string, fields: object = {}) => ({ id, ticket: 'tkt_a', payment_type: 'card', amount: 100, ...fields })
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id)
const dayOf = (day: number) => `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`
/** Tickets t1 to tN, one a day; that of the small fixture is older than all. */
const fixtureOf = (count: number) => ({
  api_keys: [{ key: 'sk_merchant', account: 'mch_a' }],
  accounts: [account('mch_a', { created: dayOf(1) })],
  locations: [location('loc_a', 'mch_a', { created: dayOf(1) }), location('loc_b', 'mch_a', { created: dayOf(2) })],
  tickets: Array.from({ length: count }, (_, index) => ticket(`t${index + 1}`, { created: dayOf(index + 1) }))
})
const tickets = (from: number, to: number) => Array.from({ length: Math.abs(from - to) + 1 }, (_, index) => `t${from > to ? from - index : from + index}`)

t.test('LIST-1, A09: a list of nothing is a list too, and url is the path as it is called', async t => {
  const { call, inject } = await startTestEmulator(t, {
    scenario: { data: { api_keys: [{ key: 'sk_merchant', account: 'mch_a' }], accounts: [account('mch_a')] } }
  })
  for (const path of ['/locations', '/accounts/mch_a/users', '/tickets', '/transactions', '/refunds']) {
    for (const query of ['', 'limit=1']) {
      const { status, body } = await call(`GET ${path}`, { query })

      t.equal(status, 200)
      t.strictSame(body, { object: 'list', url: `/next${path}`, data: [], has_more: false, first_id: null, last_id: null })
    }
  }
  t.equal((await call('GET /accounts/')).body.url, '/next/accounts')
  const authorization = `Basic ${Buffer.from('sk_merchant:').toString('base64')}`
  t.equal((await inject({ method: 'GET', url: '/next/accounts?limit=1', headers: { authorization } })).body.url, '/next/accounts')
})

t.test('LIST-2, LIST-3, A10: a page has limit records, 10 when left out, and says whether more can be fetched', async t => {
  const { call } = await startTestEmulator(t, { scenario: { data: fixtureOf(12) } })
  const cases: [query: string, ids: string[], hasMore: boolean][] = [
    ['', tickets(12, 3), true],
    ['limit=1', tickets(12, 12), true],
    ['limit=11', tickets(12, 2), true],
    ['limit=12', tickets(12, 1), false],
    ['limit=13', tickets(12, 1), false],
    ['limit=100', tickets(12, 1), false],
    ['limit=007', tickets(12, 6), true]
  ]
  for (const [query, ids, hasMore] of cases) {
    const answer = await call('GET /tickets', { query })

    t.strictSame(idsOf(answer), ids, query)
    t.strictSame([answer.body.has_more, answer.body.first_id, answer.body.last_id], [hasMore, ids[0], ids.at(-1)])
  }
})

t.test('A10, A11: cursors page both ways in either order, has_more speaking of the direction asked for', async t => {
  const cases: [query: string, newest: [string[], boolean], oldest: [string[], boolean]][] = [
    ['limit=2', [tickets(5, 4), true], [tickets(1, 2), true]],
    ['limit=2&starting_after=t4', [tickets(3, 2), true], [['t5'], false]],
    ['limit=2&starting_after=t3', [tickets(2, 1), false], [tickets(4, 5), false]],
    ['limit=2&starting_after=t2', [['t1'], false], [tickets(3, 4), true]],
    ['limit=2&starting_after=t1', [[], false], [tickets(2, 3), true]],
    ['limit=2&starting_after=t5', [tickets(4, 3), true], [[], false]],
    ['limit=2&ending_before=t1', [tickets(3, 2), true], [[], false]],
    ['limit=2&ending_before=t2', [tickets(4, 3), true], [['t1'], false]],
    ['limit=2&ending_before=t3', [tickets(5, 4), false], [tickets(1, 2), false]],
    ['limit=2&ending_before=t4', [['t5'], false], [tickets(2, 3), true]],
    ['limit=2&ending_before=t5', [[], false], [tickets(3, 4), true]],
    ['limit=9&ending_before=t1', [tickets(5, 2), false], [[], false]],
    ['limit=2&starting_after=t4&ending_before=', [tickets(3, 2), true], [['t5'], false]]
  ]
  const newest = await startTestEmulator(t, { scenario: { data: fixtureOf(5) } })
  const oldest = await startTestEmulator(t, { settings: { 'pagination.order': 'oldest_first' }, scenario: { data: fixtureOf(5) } })
  for (const [query, ...expected] of cases) {
    for (const [index, { call }] of [newest, oldest].entries()) {
      const answer = await call('GET /tickets', { query })
      const [ids, hasMore] = expected[index] as [string[], boolean]

      t.strictSame(idsOf(answer), ids, `${query} ${index === 0 ? 'newest' : 'oldest'} first`)
      t.strictSame([answer.body.has_more, answer.body.first_id, answer.body.last_id], [hasMore, ids[0] ?? null, ids.at(-1) ?? null])
    }
  }
})

t.test('A10: a cursor counts by its position, outside the filter and after it was deleted too', async t => {
  const users = ['u1', 'u2', 'u3'].map((id, index) => ({ id, account: 'mch_a', name: id, email: 'u@example.com', created: dayOf(index + 1) }))
  const data = { ...fixtureOf(4), users, tickets: [...fixtureOf(4).tickets, ticket('tb', { location: 'loc_b', created: dayOf(2) })] }
  const { call } = await startTestEmulator(t, { scenario: { data } })
  const shown = async (path: string, query: string) => idsOf(await call(`GET ${path}`, { query }))
  t.strictSame(await shown('/tickets', 'location=loc_b&starting_after=t3'), ['tb'])
  t.strictSame(await shown('/tickets', 'location=loc_a&ending_before=tb'), ['t4', 't3'])
  t.strictSame(await shown('/tickets', `created[gte]=${dayOf(3)}&ending_before=t1`), ['t4', 't3'])

  t.equal((await call('DELETE /accounts/mch_a/users/u2')).status, 204)
  t.strictSame(await shown('/accounts/mch_a/users', 'starting_after=u2'), ['u1'])
  t.strictSame(await shown('/accounts/mch_a/users', 'ending_before=u2'), ['u3'])
})

t.test('A11, A05: records of the same instant are in reverse order of creation', async t => {
  const same = ['s1', 's2', 's3'].map(id => ticket(id, { created: dayOf(9) }))
  const data = {
    ...fixtureOf(1),
    tickets: [...same.slice(0, 2), ticket('late', { created: dayOf(10) }), ticket('early', { created: dayOf(8) }), ...same.slice(2)]
  }
  const { call } = await startTestEmulator(t, { scenario: { data } })
  t.strictSame(idsOf(await call('GET /tickets')), ['late', 's3', 's2', 's1', 'early'])
  t.strictSame(idsOf(await call('GET /tickets', { query: 'ending_before=s2' })), ['late', 's3'])
})

t.test('SRCH-3, A12: a search filters the page after it was retrieved; an emptied page can be gone on from', async t => {
  const data = {
    ...fixtureOf(0),
    tickets: Array.from({ length: 25 }, (_, index) => ticket(`t${index + 1}`, { reference: index === 2 ? 'needle' : 'hay', created: dayOf(index + 1) }))
  }
  const { call } = await startTestEmulator(t, { scenario: { data } })

  const first = await call('GET /tickets', { query: 'search_query=needle' })
  const second = await call('GET /tickets', { query: `search_query=needle&starting_after=${first.body.last_id}` })
  const third = await call('GET /tickets', { query: `search_query=needle&starting_after=${second.body.last_id}` })
  const back = await call('GET /tickets', { query: `search_query=needle&ending_before=${third.body.first_id}` })

  t.strictSame(first.body, { object: 'list', url: '/next/tickets', data: [], has_more: true, first_id: 't25', last_id: 't16' })
  t.strictSame(second.body, { object: 'list', url: '/next/tickets', data: [], has_more: true, first_id: 't15', last_id: 't6' })
  t.strictSame([idsOf(third), third.body.has_more, third.body.first_id, third.body.last_id], [['t3'], false, 't5', 't1'])
  t.strictSame([idsOf(back), back.body.has_more, back.body.first_id, back.body.last_id], [[], true, 't15', 't6'])
  const narrowed = await call('GET /tickets', { query: `search_query=needle&created[lte]=${dayOf(5)}` })
  t.strictSame(idsOf(narrowed), ['t3'], 'created narrows before retrieval')
})

t.test('A11: the order of lists is a setting, of every family but Refunds', async t => {
  const records = {
    accounts: [account('mch_b')],
    users: ['u1', 'u2'].map(id => ({ id, account: 'mch_a', name: id, email: 'u@example.com' })),
    locations: [location('loc_b', 'mch_a')],
    tickets: [ticket('tkt_b')],
    transactions: [payment('x1'), payment('x2')],
    refunds: [
      { id: 'r1', transaction: 'x1', amount: 1 },
      { id: 'r2', transaction: 'x1', amount: 1 }
    ]
  }
  const newest = await startTestEmulator(t, { records })
  const oldest = await startTestEmulator(t, { records, settings: { 'pagination.order': 'oldest_first' } })
  const lists: [path: string, newestFirst: string[]][] = [
    ['/locations', ['loc_b', 'loc_a']],
    ['/accounts', ['mch_b', 'rsl_r', 'mch_a']],
    ['/accounts/mch_a/users', ['u2', 'u1']],
    ['/tickets', ['tkt_b', 'tkt_a']],
    ['/transactions', ['x2', 'x1']],
    ['/refunds', ['r2', 'r1']]
  ]
  for (const [path, ids] of lists) {
    t.strictSame(idsOf(await newest.call(`GET ${path}`)), ids, path)
    t.strictSame(idsOf(await oldest.call(`GET ${path}`)), path === '/refunds' ? ids : ids.toReversed(), path)
  }
})

/** Three merchants, one of them the reseller's, each with one record of every family. */
const shared = {
  api_keys: [
    { key: 'sk_merchant', account: 'mch_a' },
    { key: RESELLER, account: 'rsl_r' }
  ],
  accounts: [
    account('mch_a'),
    account('mch_b'),
    account('rsl_r', { type: 'reseller' }),
    account('mch_c', { reseller: 'rsl_r' }),
    account('rsl_x', { type: 'reseller' })
  ],
  users: ['a', 'b', 'c'].flatMap(of => [1, 2, 3].map(n => ({ id: `usr_${of}${n}`, account: `mch_${of}`, name: 'U', email: 'u@example.com' }))),
  locations: ['a', 'b', 'c'].map(of => location(`loc_${of}`, `mch_${of}`)),
  tickets: ['a', 'b', 'c'].map(of => ticket(`tkt_${of}`, { location: `loc_${of}` })),
  transactions: ['a', 'b', 'c'].map(of => payment(`txn_${of}`, { ticket: `tkt_${of}` })),
  refunds: ['a', 'b', 'c'].map(of => ({ id: `rfd_${of}`, transaction: `txn_${of}`, amount: 10 }))
}

t.test('A19: scoped, a merchant sees its own Account and what hangs on it, a reseller its own Account and those it created', async t => {
  const { call } = await startTestEmulator(t, { settings: { 'auth.visibility': 'scoped' }, scenario: { data: shared } })
  const KEYS = ['sk_merchant', RESELLER]
  const lists: [path: string, merchant: string[] | null, reseller: string[] | null][] = [
    ['/accounts', ['mch_a'], ['mch_c', 'rsl_r']],
    ['/accounts/mch_a/users', ['usr_a3', 'usr_a2', 'usr_a1'], null],
    ['/accounts/mch_b/users', null, null],
    ['/accounts/mch_c/users', null, ['usr_c3', 'usr_c2', 'usr_c1']],
    ['/accounts/rsl_r/users', null, []],
    ['/transactions', ['txn_a'], []],
    ['/transactions?location=loc_a', ['txn_a'], []],
    ['/transactions?location=loc_b', [], []],
    ['/refunds', ['rfd_a'], []],
    ['/refunds?transaction=txn_a', ['rfd_a'], []],
    ['/refunds?transaction=txn_b', [], []]
  ]
  for (const [path, ...seen] of lists) {
    for (const [index, key] of KEYS.entries()) {
      const { status, body } = await call(`GET ${path}`, { key })
      t.strictSame([status, body.error?.code ?? idsOf({ body } as Answer)], seen[index] ? [200, seen[index]] : [404, 'resource_missing'], `${key} ${path}`)
    }
  }
  const own = [
    ['/accounts/mch_a', '/locations/loc_a', '/tickets/tkt_a', '/transactions/txn_a', '/refunds/rfd_a'],
    ['/accounts/mch_c', '/accounts/rsl_r']
  ]
  const others = [
    '/accounts/mch_b',
    '/accounts/rsl_x',
    ...['b', 'c'].flatMap(of => [`/locations/loc_${of}`, `/tickets/tkt_${of}`, `/transactions/txn_${of}`, `/refunds/rfd_${of}`])
  ]
  for (const path of [...own.flat(), ...others]) {
    for (const [index, key] of KEYS.entries()) t.equal((await call(`GET ${path}`, { key })).status, own[index]?.includes(path) ? 200 : 404, `${key} ${path}`)
  }
})

t.test('A19: scoped, what is hidden cannot be changed, referred to or paged from', async t => {
  const { call, refusal } = await startTestEmulator(t, { settings: { 'auth.visibility': 'scoped' }, scenario: { data: shared } })
  const user = { body: 'name=A&email=a@example.com' }
  const missing: Blame = [404, 'resource_missing', 'id', 'A08']
  const cases: [key: string, on: string, options: object, blame: Blame][] = [
    ['sk_merchant', 'POST /accounts/mch_b', { body: 'phone=1' }, missing],
    ['sk_merchant', 'POST /refunds/rfd_b', { body: 'metadata[k]=v' }, missing],
    ['sk_merchant', 'POST /accounts/mch_b/users', user, missing],
    ['sk_merchant', 'DELETE /accounts/mch_b/users/usr_b1', {}, [404, 'resource_missing', 'account_id', 'A08']],
    ['sk_merchant', 'DELETE /accounts/mch_a/users/usr_b1', {}, [404, 'resource_missing', 'user_id', 'A08']],
    ['sk_merchant', 'GET /tickets', { query: 'ending_before=tkt_c' }, [400, 'cursor_unknown', 'ending_before', 'A10']],
    ['sk_merchant', 'GET /accounts/mch_a/users', { query: 'starting_after=usr_b1' }, [400, 'cursor_unknown', 'starting_after', 'A10']],
    [RESELLER, 'POST /locations/loc_c', { body: 'phone=1' }, missing],
    [RESELLER, 'POST /refunds', { body: 'transaction=txn_c' }, [400, 'reference_missing', 'transaction', 'REF-1']],
    [RESELLER, 'POST /accounts/mch_a/users', user, missing]
  ]
  for (const [key, on, options, blame] of cases) t.strictSame(await refusal(on, { key, ...options }), blame, `${key} ${on}`)

  t.equal((await call('POST /accounts/mch_c', { key: RESELLER, body: 'phone=1' })).status, 200)
  t.equal((await call('POST /accounts/mch_c/users', { key: RESELLER, ...user })).status, 200)
  t.strictSame(
    idsOf(await call('GET /accounts/mch_c/users', { key: RESELLER, query: 'starting_after=usr_c2' })),
    ['usr_c1'],
    'who sees an Account pages through its Users'
  )
  t.equal((await call('DELETE /accounts/mch_c/users/usr_c2', { key: RESELLER })).status, 204)
  t.strictSame(idsOf(await call('GET /accounts/mch_c/users', { key: RESELLER, query: 'starting_after=usr_c2' })), ['usr_c1'])
  const created = await call('POST /accounts', { key: RESELLER, body: 'type=merchant&name=N&email=n@example.com&address[country]=US' })
  t.equal((await call(`GET /accounts/${created.body.id}`, { key: RESELLER })).status, 200, 'an Account that it creates is its own to see')
  t.equal((await call('POST /transactions', { key: null, body: 'ticket=tkt_b&payment_type=card' })).status, 200, 'the call without a key sees every Ticket')
})
