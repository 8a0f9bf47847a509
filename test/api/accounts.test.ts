import t from 'tap'
import { type Blame, blameOf, NOW, RESELLER, startTestEmulator } from '../support/emulator.js'

const ADDRESS = { country: 'US', line1: '1 Main St', line2: 'Suite 2', city: 'Boston', postal_code: '02108', state: 'MA' }
const NO_PARTS = { line1: null, line2: null, city: null, postal_code: null, state: null }
const ADDRESS_FORM = Object.fromEntries(Object.entries(ADDRESS).map(([name, value]) => [`address[${name}]`, value]))
const account = (id: string, fields: object = {}) => ({ id, type: 'merchant', name: 'B', email: 'b@example.com', address: { country: 'US' }, ...fields })
const user = (id: string, of = 'mch_a') => ({ id, account: of, name: 'U', email: 'u@example.com' })

t.test('LOC-1, LOC-2, A04, A21: a Location is created with what was sent, the rest null, and belongs to the merchant of the key', async t => {
  const { call } = await startTestEmulator(t)

  const least = await call('POST /locations', { body: { display_name: 'Bistro', 'address[country]': 'us' } })
  const most = await call('POST /locations', {
    body: { display_name: 'Café Ünal & Sons', ...ADDRESS_FORM, phone: '+1 617 555 0100', website: 'https://cafe.example/?a=b', 'metadata[till]': '7' }
  })

  t.equal(least.status, 200)
  t.ok(/^loc_[A-Za-z0-9]{24}$/.test(least.body.id))
  t.strictSame(least.body, {
    id: least.body.id,
    object: 'location',
    created: NOW,
    account: 'mch_a',
    display_name: 'Bistro',
    address: { country: 'US', ...NO_PARTS },
    phone: null,
    website: null,
    metadata: {}
  })
  t.strictSame(most.body, {
    id: most.body.id,
    object: 'location',
    created: NOW,
    account: 'mch_a',
    display_name: 'Café Ünal & Sons',
    address: ADDRESS,
    phone: '+1 617 555 0100',
    website: 'https://cafe.example/?a=b',
    metadata: { till: '7' }
  })
  for (const created of [least, most]) t.strictSame((await call(`GET /locations/${created.body.id}`)).body, created.body)
})

t.test('LOC-1, LOC-2: a Location needs a display_name and a country, and keeps them', async t => {
  const { refusal, call } = await startTestEmulator(t)
  const cases: [body: string, blame: Blame][] = [
    ['address[country]=US', [400, 'parameter_missing', 'display_name', 'LOC-1']],
    ['display_name=A', [400, 'parameter_missing', 'address[country]', 'LOC-2']],
    ['display_name=A&address[city]=Boston', [400, 'parameter_missing', 'address[country]', 'LOC-2']],
    ['display_name=A&address[country]=XX', [400, 'parameter_invalid', 'address[country]', 'ADDR-2']]
  ]
  for (const [body, blame] of cases) t.strictSame(await refusal('POST /locations', { body }), blame)
  t.equal((await call('POST /locations', { body: 'address[country]=US' })).body.error.message, 'display_name is required. The name shown.')
})

t.test('LOC-3: only merchant Accounts create Locations', async t => {
  const { call, refusal } = await startTestEmulator(t)

  t.strictSame(await refusal('POST /locations', { key: RESELLER, body: 'display_name=A&address[country]=US' }), [403, 'merchant_required', null, 'LOC-3'])
  const { body } = await call('POST /locations', { key: RESELLER, body: 'display_name=A&address[country]=US' })
  t.equal(body.error.type, 'permission_error')
  t.equal(body.error.message, 'Only merchant Accounts create Locations; the key acts as rsl_r, whose type is reseller.')
  t.equal((await call('POST /locations/loc_a', { key: RESELLER, body: 'phone=1' })).body.phone, '1', 'the rule speaks of creating alone')
})

t.test('LOC-4, ACC-5: deleting a Location or an Account always aborts with 501', async t => {
  const { refusal } = await startTestEmulator(t)

  for (const id of ['loc_a', 'nope']) t.strictSame(await refusal(`DELETE /locations/${id}`), [501, 'operation_disabled', null, 'LOC-4'])
  for (const id of ['mch_a', 'nope']) t.strictSame(await refusal(`DELETE /accounts/${id}`), [501, 'operation_disabled', null, 'ACC-5'])
})

t.test('ADDR-1: every sub-field of an address can be sent, kept and changed by itself', async t => {
  const { call } = await startTestEmulator(t)
  for (const [name, value] of Object.entries(ADDRESS)) {
    const { body } = await call('POST /locations/loc_a', { body: { [`address[${name}]`]: value } })

    t.equal(body.address[name], value)
  }
  t.strictSame((await call('GET /locations/loc_a')).body.address, ADDRESS)
  t.strictSame((await call('POST /accounts/mch_a', { body: ADDRESS_FORM })).body.address, ADDRESS)
})

t.test('ACC-1 to ACC-4, A02, A04: an Account is created with what was sent, the rest null', async t => {
  const { call } = await startTestEmulator(t)

  const merchant = await call('POST /accounts', { body: { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'DE' } })
  const reseller = await call('POST /accounts', {
    body: { type: 'reseller', name: 'R', email: 'r@example.com', ...ADDRESS_FORM, phone: '1', 'metadata[tier]': 'gold' }
  })

  t.ok(/^mch_[A-Za-z0-9]{24}$/.test(merchant.body.id))
  t.strictSame(merchant.body, {
    id: merchant.body.id,
    object: 'account',
    created: NOW,
    type: 'merchant',
    name: 'M',
    email: 'm@example.com',
    address: { country: 'DE', ...NO_PARTS },
    phone: null,
    reseller: null,
    metadata: {}
  })
  t.ok(/^rsl_[A-Za-z0-9]{24}$/.test(reseller.body.id))
  t.strictSame(reseller.body, {
    id: reseller.body.id,
    object: 'account',
    created: NOW,
    type: 'reseller',
    name: 'R',
    email: 'r@example.com',
    address: ADDRESS,
    phone: '1',
    reseller: null,
    metadata: { tier: 'gold' }
  })
  for (const created of [merchant, reseller]) t.strictSame((await call(`GET /accounts/${created.body.id}`)).body, created.body)
})

t.test('ACC-1 to ACC-4: an Account needs type, name, email and a country', async t => {
  const { refusal, call } = await startTestEmulator(t)
  const whole = { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'US' }
  for (const [param, rule] of [
    ['type', 'ACC-1'],
    ['name', 'ACC-2'],
    ['email', 'ACC-3'],
    ['address[country]', 'ACC-4']
  ] as const) {
    const { [param]: _, ...rest } = whole

    t.strictSame(await refusal('POST /accounts', { body: rest }), [400, 'parameter_missing', param, rule])
  }
  t.equal((await call('POST /accounts')).body.error.message, 'type is required. One of merchant, reseller.')
})

t.test("A21: an Account created with a reseller's key carries that reseller", async t => {
  const { call } = await startTestEmulator(t)
  const body = { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'US' }

  t.equal((await call('POST /accounts', { key: RESELLER, body })).body.reseller, 'rsl_r')
  t.equal((await call('POST /accounts', { body })).body.reseller, null)
})

t.test('UPD-1, A31: every field of an Account can be changed, its type too; the id keeps its prefix', async t => {
  const { call } = await startTestEmulator(t)
  const before = (await call('GET /accounts/mch_a')).body

  const changed = await call('POST /accounts/mch_a', { body: { name: 'New', email: 'new@example.com', phone: '9', 'metadata[k]': 'v' } })
  t.strictSame(changed.body, { ...before, name: 'New', email: 'new@example.com', phone: '9', metadata: { k: 'v' } })

  const retyped = await call('POST /accounts/mch_a', { body: 'type=reseller' })
  t.strictSame(retyped.body, { ...changed.body, type: 'reseller' })
  t.strictSame(blameOf(await call('POST /locations', { body: 'display_name=A&address[country]=US' })), [403, 'merchant_required', null, 'LOC-3'])
  t.equal((await call('POST /accounts', { body: { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'US' } })).body.reseller, 'mch_a')

  await call('POST /accounts/mch_a', { body: 'type=merchant' })
  t.equal((await call('POST /locations', { body: 'display_name=A&address[country]=US' })).status, 200)
})

t.test('USR-1, USR-2, USR-3: a User is created under the Account of the path', async t => {
  const { call, refusal } = await startTestEmulator(t, { records: { accounts: [account('mch_b')] } })

  const { status, body } = await call('POST /accounts/mch_b/users', { body: { name: 'Ana', email: 'ana@example.com' } })
  t.equal(status, 200)
  t.ok(/^usr_[A-Za-z0-9]{24}$/.test(body.id))
  t.strictSame(body, { id: body.id, object: 'user', created: NOW, account: 'mch_b', name: 'Ana', email: 'ana@example.com' })
  t.strictSame((await call('GET /accounts/mch_b/users')).body, {
    object: 'list',
    url: '/next/accounts/mch_b/users',
    data: [body],
    has_more: false,
    first_id: body.id,
    last_id: body.id
  })
  t.strictSame((await call('GET /accounts/mch_a/users')).body.data, [])

  t.strictSame(await refusal('POST /accounts/mch_a/users', { body: 'email=a@example.com' }), [400, 'parameter_missing', 'name', 'USR-2'])
  t.strictSame(await refusal('POST /accounts/mch_a/users', { body: 'name=A' }), [400, 'parameter_missing', 'email', 'USR-3'])
  t.strictSame(await refusal('POST /accounts/nope/users', { body: 'name=A&email=a@example.com' }), [404, 'resource_missing', 'id', 'USR-1'])
  t.strictSame(await refusal('GET /accounts/nope/users'), [404, 'resource_missing', 'id', 'USR-1'])
})

t.test('USR-4, USR-1: deleting a User answers 204 with an empty body, once, and only under its own Account', async t => {
  const { call, refusal } = await startTestEmulator(t, {
    records: { accounts: [account('mch_b')], users: [user('usr_1'), user('usr_2'), user('usr_b', 'mch_b')] }
  })

  t.strictSame(await refusal('DELETE /accounts/mch_a/users/usr_b'), [404, 'resource_missing', 'user_id', 'USR-1'])
  t.strictSame(await refusal('DELETE /accounts/mch_a/users/nope'), [404, 'resource_missing', 'user_id', 'USR-1'])
  t.strictSame(await refusal('DELETE /accounts/nope/users/usr_1'), [404, 'resource_missing', 'id', 'USR-1'])

  const deleted = await call('DELETE /accounts/mch_a/users/usr_1')
  t.strictSame([deleted.status, deleted.text], [204, ''])
  t.equal(deleted.headers['content-type'], undefined)
  t.strictSame(
    (await call('GET /accounts/mch_a/users')).body.data.map(({ id }: { id: string }) => id),
    ['usr_2']
  )
  t.strictSame(await refusal('DELETE /accounts/mch_a/users/usr_1'), [404, 'resource_missing', 'user_id', 'USR-1'])
  t.equal((await call('DELETE /accounts/mch_a/users/usr_b')).body.error.message, 'mch_a has no User with the id usr_b.')
})

t.test('A08: a resource that the path names and that does not exist is a 404', async t => {
  const { refusal, call } = await startTestEmulator(t)
  const update = { body: 'metadata[k]=v' }
  for (const [on, options] of [
    ['GET /locations/nope', {}],
    ['POST /locations/nope', update],
    ['GET /accounts/nope', {}],
    ['POST /accounts/nope', update],
    ['GET /tickets/nope', {}],
    ['GET /transactions/nope', {}],
    ['GET /refunds/nope', {}],
    ['POST /refunds/nope', update],
    ['GET /locations/mch_a', {}],
    ['GET /accounts/loc_a', {}]
  ] as const) {
    t.strictSame(await refusal(on, options), [404, 'resource_missing', 'id', 'A08'], on)
  }
  const { body } = await call('GET /tickets/nope')
  t.equal(body.error.type, 'not_found_error')
  t.equal(body.error.message, 'No Ticket has the id nope.')
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

t.test('A16: what was unset comes back as null, and can be set again', async t => {
  const { call } = await startTestEmulator(t, { settings: { 'parameters.unset_required': 'allow' } })

  await call('POST /accounts/mch_a', { body: 'name=&phone=1' })
  t.hasStrict((await call('GET /accounts/mch_a')).body, { name: null, phone: '1' })
  await call('POST /accounts/mch_a', { body: 'name=Again&phone=' })
  t.hasStrict((await call('GET /accounts/mch_a')).body, { name: 'Again', phone: null })
})
