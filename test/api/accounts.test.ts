import t from 'tap'
import { NOW, startTestEmulator } from '../support/emulator.js'

const ADDRESS = { country: 'US', line1: '1 Main St', line2: 'Suite 2', city: 'Boston', postal_code: '02108', state: 'MA' }
const NO_PARTS = { line1: null, line2: null, city: null, postal_code: null, state: null }
const ADDRESS_FORM = Object.fromEntries(Object.entries(ADDRESS).map(([name, value]) => [`address[${name}]`, value]))
const account = (id: string, fields: object = {}) => ({ id, type: 'merchant', name: 'B', email: 'b@example.com', address: { country: 'US' }, ...fields })
const user = (id: string, of = 'mch_a') => ({ id, account: of, name: 'U', email: 'u@example.com' })

t.test('LOC-1, LOC-2, ACC-1 to ACC-4, A02, A04, A21: a record is created with what was sent, the rest null', async t => {
  const { call } = await startTestEmulator(t)
  const website = 'https://cafe.example/?a=b'
  const location = { object: 'location', created: NOW, account: 'mch_a', phone: null, website: null, metadata: {} }
  const merchant = { type: 'merchant', name: 'M', email: 'm@example.com' }
  const reseller = { type: 'reseller', name: 'R', email: 'r@example.com', phone: '1' }
  const least = { country: 'DE', ...NO_PARTS }
  const of = { object: 'account', created: NOW, phone: null, reseller: null, metadata: {} }
  const cases: [path: string, prefix: string, sent: Record<string, string>, made: object][] = [
    ['/locations', 'loc', { display_name: 'A', 'address[country]': 'de' }, { ...location, display_name: 'A', address: least }],
    [
      ...(['/locations', 'loc'] as const),
      { display_name: 'Café Ünal & Sons', ...ADDRESS_FORM, phone: '+1 617', website, 'metadata[till]': '7' },
      { ...location, display_name: 'Café Ünal & Sons', address: ADDRESS, phone: '+1 617', website, metadata: { till: '7' } }
    ],
    ['/accounts', 'mch', { ...merchant, 'address[country]': 'DE' }, { ...of, ...merchant, address: least }],
    ['/accounts', 'rsl', { ...reseller, ...ADDRESS_FORM, 'metadata[tier]': 'gold' }, { ...of, ...reseller, address: ADDRESS, metadata: { tier: 'gold' } }]
  ]
  for (const [path, prefix, sent, made] of cases) {
    const { status, body } = await call(`POST ${path}`, { body: sent })
    t.equal(status, 200)
    t.match(body.id, new RegExp(`^${prefix}_[A-Za-z0-9]{24}$`))
    t.strictSame(body, { id: body.id, ...made })
    t.strictSame((await call(`GET ${path}/${body.id}`)).body, body)
  }
})

t.test('A02, A03: prefixes, length and seed are settings; the same seed and calls draw the same ids', async t => {
  const settings = {
    'ids.prefixes.merchant': 'M-',
    'ids.prefixes.reseller': '',
    'ids.prefixes.location': 'L_',
    'ids.prefixes.user': 'U',
    'ids.prefixes.transaction': 'T',
    'ids.prefixes.refund': 'R',
    'ids.length': 8
  } as const
  const one = await startTestEmulator(t)
  const same = await startTestEmulator(t)
  const other = await startTestEmulator(t, { settings: { seed: 2 } })
  const set = await startTestEmulator(t, { settings })

  const ids = await one.nextIds()
  t.strictSame(await same.nextIds(), ids)
  t.equal(new Set([...ids, ...(await other.nextIds())]).size, 12)
  t.strictSame(
    ids.map(id => id.replace(/[A-Za-z0-9]{24}$/, '#')),
    ['loc_#', 'mch_#', 'rsl_#', 'usr_#', 'txn_#', 'rfd_#']
  )
  t.strictSame(
    (await set.nextIds()).map(id => id.replace(/[A-Za-z0-9]{8}$/, '#')),
    ['L_#', 'M-#', '#', 'U#', 'T#', 'R#']
  )
})

t.test('A03: an id that is taken, or was, is skipped', async t => {
  const drawn = await startTestEmulator(t)
  const body = { name: 'A', email: 'a@example.com' }
  const [first, second] = [await drawn.call('POST /accounts/mch_a/users', { body }), await drawn.call('POST /accounts/mch_a/users', { body })]

  const { call } = await startTestEmulator(t, { records: { users: [user(first.body.id)] } })
  await call(`DELETE /accounts/mch_a/users/${first.body.id}`)

  t.equal((await call('POST /accounts/mch_a/users', { body })).body.id, second.body.id)
})

t.test('A05: created is the moment of the call, in UTC with milliseconds', async t => {
  const { call } = await startTestEmulator(t, {
    scenario: { clock: '2026-03-01T10:00:00.5+02:00', data: { api_keys: [{ key: 'sk_merchant', account: 'mch_a' }], accounts: [account('mch_a')] } }
  })

  t.equal((await call('POST /accounts/mch_a/users', { body: { name: 'A', email: 'a@example.com' } })).body.created, '2026-03-01T08:00:00.500Z')
})

t.test('A31: what an Account may do goes by its type as it is now', async t => {
  const { call } = await startTestEmulator(t)
  const location = { body: 'display_name=A&address[country]=US' }
  const merchant = { body: { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'US' } }

  await call('POST /accounts/mch_a', { body: 'type=reseller' })
  t.equal((await call('POST /locations', location)).status, 403)
  t.equal((await call('POST /accounts', merchant)).body.reseller, 'mch_a')

  await call('POST /accounts/mch_a', { body: 'type=' })
  t.equal((await call('POST /locations', location)).status, 403, 'an Account of no type is no merchant')

  await call('POST /accounts/mch_a', { body: 'type=merchant' })
  t.equal((await call('POST /locations', location)).status, 200)
})

t.test('USR-1, USR-4: a User is shown under the Account of its path until it is deleted', async t => {
  const { call } = await startTestEmulator(t, { records: { accounts: [account('mch_b')] } })

  const { body } = await call('POST /accounts/mch_b/users', { body: { name: 'Ana', email: 'ana@example.com' } })
  t.ok(/^usr_[A-Za-z0-9]{24}$/.test(body.id))
  t.strictSame(body, { id: body.id, object: 'user', created: NOW, account: 'mch_b', name: 'Ana', email: 'ana@example.com' })
  const page = { object: 'list', url: '/next/accounts/mch_b/users', has_more: false }
  t.strictSame((await call('GET /accounts/mch_b/users')).body, { ...page, data: [body], first_id: body.id, last_id: body.id })

  const deleted = await call(`DELETE /accounts/mch_b/users/${body.id}`)
  t.strictSame([deleted.status, deleted.text, deleted.headers['content-type']], [204, '', undefined])
  t.strictSame((await call('GET /accounts/mch_b/users')).body, { ...page, data: [], first_id: null, last_id: null })
})
