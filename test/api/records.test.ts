/**
 * Records in responses: complete, with what was sent and no unknown fields, however they were
 * created.
 */
import t from 'tap'
import type { Schema } from '../../src/reference/parameters.js'
import { RESOURCES } from '../../src/reference/tables.js'
import { FAMILIES } from '../../src/store/store.js'
import { startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { MERCHANT, NOW, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const ADDRESS = {
  country: 'US',
  line1: '1 Main St',
  line2: 'Suite 2',
  city: 'Boston',
  postal_code: '02108',
  state: 'MA'
}
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const NONE = { object: 'list', data: [], has_more: false, first_id: null, last_id: null }
const refundsOf = (id: string) => ({ ...NONE, url: `/next/refunds?transaction=${id}` })
const ticket = (id: string, created: string, more: object = {}) => ({
  id,
  location: 'loc_a',
  created,
  ...more
})

t.test('A02, A04, A05, A21: a record has what was sent, the rest is null', async t => {
  const least = {
    country: 'DE',
    line1: null,
    line2: null,
    city: null,
    postal_code: null,
    state: null
  }
  const website = 'https://cafe.example/?a=b'
  const location = {
    object: 'location',
    created: NOW,
    account: 'mch_a',
    phone: null,
    website: null,
    metadata: {}
  }
  const account = { object: 'account', created: NOW, phone: null, reseller: null, metadata: {} }
  const merchant = { type: 'merchant', name: 'M', email: 'm@example.com' }
  const reseller = { type: 'reseller', name: 'R', email: 'r@example.com', phone: '1' }
  const user = { name: 'Ana', email: 'ana@example.com' }
  const paid = {
    object: 'transaction',
    created: NOW,
    ticket: 'tkt_a',
    location: 'loc_a',
    amount_refunded: 0
  }
  const card = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null }
  const refunded = {
    object: 'refund',
    created: NOW,
    transaction: 'txn_a',
    currency: 'eur',
    payment_method: card
  }
  const bank_account = {
    bank_name: 'First',
    account_number: '0001 2345 6789',
    routing_number: '110000000'
  }
  const sentCard = {
    brand: 'visa',
    number: '4242424242424242',
    expiry: '11/39',
    csc: '123',
    token: 'tok_1'
  }
  const amounts = { currency: 'usd', transaction_amount: 1, payment_amount: 2, tip_amount: 3 }
  const customer = { ...user, phone: '+1 617 555 0100' }
  const sums = {
    currency: 'eur',
    adjustment_number: -1.5,
    amount: 4200,
    donation_amount: 100,
    tip_amount: 700
  }
  const nested = (of: Record<string, object>) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, parts]) =>
        Object.entries(parts).map(([part, value]) => [`${name}[${part}]`, value])
      )
    )
  const unpaid = {
    currency: 'usd',
    amount: 0,
    tip_amount: null,
    donation_amount: null,
    adjustment_number: null,
    amounts: null,
    customer: null
  }
  const cases: [path: string, prefix: string, sent: Record<string, unknown>, made: object][] = [
    [
      '/locations',
      'loc',
      { display_name: 'A', 'address[country]': 'de' },
      { ...location, display_name: 'A', address: least }
    ],
    [
      ...(['/locations', 'loc'] as const),
      {
        display_name: 'Café Ünal & Sons',
        ...nested({ address: ADDRESS }),
        phone: '+1 617',
        website,
        'metadata[till]': '7'
      },
      {
        ...location,
        display_name: 'Café Ünal & Sons',
        address: ADDRESS,
        phone: '+1 617',
        website,
        metadata: { till: '7' }
      }
    ],
    [
      '/accounts',
      'mch',
      { ...merchant, 'address[country]': 'DE' },
      { ...account, ...merchant, address: least }
    ],
    [
      '/accounts',
      'rsl',
      { ...reseller, ...nested({ address: ADDRESS }), 'metadata[a]': 'b' },
      { ...account, ...reseller, address: ADDRESS, metadata: { a: 'b' } }
    ],
    [
      '/accounts/mch_a/users',
      'usr',
      user,
      { object: 'user', created: NOW, account: 'mch_a', ...user }
    ],
    [
      ...(['/transactions', 'txn'] as const),
      { ticket: 'tkt_a', payment_type: 'card' },
      {
        ...paid,
        payment_type: 'card',
        payment_method: { type: 'card', card: null, bank_account: null },
        ...unpaid
      }
    ],
    [
      ...(['/transactions', 'txn'] as const),
      {
        ticket: 'tkt_a',
        payment_type: 'vip',
        payload: '{"a":1}',
        ...sums,
        ...nested({ customer, amounts, bank_account, card: sentCard })
      },
      {
        ...paid,
        payment_type: 'vip',
        payment_method: {
          ...card,
          type: 'vip',
          bank_account: { bank_name: 'First', last4: '6789' }
        },
        ...sums,
        amounts,
        customer
      }
    ],
    [
      '/refunds',
      'rfd',
      { transaction: 'txn_a', amount: 1 },
      { ...refunded, amount: 1, reason: null, metadata: {} }
    ],
    [
      ...(['/refunds', 'rfd'] as const),
      { transaction: 'txn_a', amount: 200, reason: 'cold soup', 'metadata[table]': '12' },
      { ...refunded, amount: 200, reason: 'cold soup', metadata: { table: '12' } }
    ]
  ]
  const data = smallFixture({
    transactions: [{ ...CHARGE, currency: 'eur', payment_method: card }]
  })
  const { call } = await startWorld({
    scenario: { clock: NOW.replace('18:05:00.000Z', '20:05:00+02:00'), data }
  })
  for (const [path, prefix, sent, made] of cases) {
    const { status, body } = call(`POST ${path}`, { body: sent })
    t.equal(status, 200)
    t.match(body.id, new RegExp(`^${prefix}_[A-Za-z0-9]{24}$`))
    t.strictSame(
      body,
      { id: body.id, ...made, ...(prefix === 'txn' && { refunds: refundsOf(body.id) }) },
      path
    )
    if (prefix !== 'usr') t.strictSame(call(`GET ${path}/${body.id}`).body, body)
    t.strictSame(call(`GET ${path}`, { query: 'limit=1' }).body.data, [body])
  }
})

t.test('TKT-1: a Ticket is read, alone and in a list', async t => {
  const tickets = [
    ticket('tkt_12', '2026-02-01T10:00:00Z', { reference: 'T-12' }),
    ticket('tkt_13', '2026-02-01')
  ]
  const { call } = await startWorld({ records: { tickets } })
  const shown = ['2026-02-01T10:00:00.000Z', '2026-02-01T00:00:00.000Z'].map((created, nth) => ({
    ...{ id: `tkt_1${nth + 2}`, object: 'ticket', created, location: 'loc_a' },
    reference: nth === 0 ? 'T-12' : null
  }))
  for (const one of shown) t.strictSame(call(`GET /tickets/${one.id}`).body, one)
  const list = { ...NONE, url: '/next/tickets', data: shown, first_id: 'tkt_12', last_id: 'tkt_13' }
  t.strictSame(call('GET /tickets', { query: 'created[lt]=2026-03-01' }).body, list)
})

t.test('A02, A03: prefixes, length and seed are settings', async t => {
  const prefixes = {
    merchant: 'M-',
    reseller: '',
    location: 'L_',
    user: 'U',
    transaction: 'T',
    refund: 'R'
  }
  const settings = {
    'ids.length': 8,
    ...Object.fromEntries(
      Object.entries(prefixes).map(([kind, prefix]) => [`ids.prefixes.${kind}`, prefix])
    )
  }
  const idsWith = async (settings: object) => (await startTestEmulator(t, { settings })).nextIds()
  const ids = await idsWith({})
  const shape = (ids: string[], length: number) =>
    ids.map(id => id.replace(new RegExp(`[A-Za-z0-9]{${length}}$`), '#')).join(' ')

  t.strictSame(await idsWith({}), ids)
  t.equal(new Set([...ids, ...(await idsWith({ seed: 2 }))]).size, 12)
  t.equal(shape(ids, 24), 'loc_# mch_# rsl_# usr_# txn_# rfd_#')
  t.equal(shape(await idsWith(settings), 8), 'L_# M-# # U# T# R#')
})

t.test('A31: what an Account may do depends on its current type', async t => {
  const { call } = await startWorld()
  const location = () =>
    call('POST /locations', { body: 'display_name=A&address[country]=US' }).status
  const become = (type: string) => call('POST /accounts/mch_a', { body: { type } })

  become('reseller')
  t.equal(location(), 403)
  const merchant = { type: 'merchant', name: 'M', email: 'm@example.com', 'address[country]': 'US' }
  t.equal(call('POST /accounts', { body: merchant }).body.reseller, 'mch_a')
  become('')
  t.equal(location(), 403, 'an Account of no type is no merchant')
  become('merchant')
  t.equal(location(), 200)
})

t.test('TXN-8, A29: the ten most recent Refunds are embedded', async t => {
  const { call } = await startWorld({ records: { transactions: [CHARGE] } })
  const made: { id: string }[] = []
  for (let count = 1; count <= 11; count++) {
    made.unshift(call('POST /refunds', { body: { transaction: 'txn_a', amount: count } }).body)
    if (count < 10) continue
    const { body } = call('GET /transactions/txn_a')
    const data = made.slice(0, 10)
    t.equal(body.amount_refunded, (count * (count + 1)) / 2)
    t.strictSame(body.refunds, {
      ...refundsOf('txn_a'),
      data,
      has_more: count > 10,
      first_id: data[0]?.id,
      last_id: data[9]?.id
    })
    t.strictSame(call('GET /transactions').body.data[0], body)
  }
})

t.test('TXN-8: the embedded Refunds are current', async t => {
  const { call, control, inject } = await startTestEmulator(t, {
    records: { transactions: [CHARGE] }
  })
  const shown = async (base = '/next') => {
    const { refunds } = (
      await inject({
        method: 'GET',
        url: `${base}/transactions/txn_a`,
        headers: { authorization: `Basic ${btoa(`${MERCHANT}:`)}` }
      })
    ).body
    return [refunds.url, ...refunds.data.map(({ amount, metadata }: Json) => [amount, metadata.n])]
  }
  const url = '/next/refunds?transaction=txn_a'
  const { id } = (
    await call('POST /refunds', {
      body: { transaction: 'txn_a', amount: 1, 'metadata[n]': 'before' }
    })
  ).body
  await control('PUT /snapshots/one')
  t.strictSame(await shown(), [url, [1, 'before']])

  await call(`POST /refunds/${id}`, { body: { 'metadata[n]': 'after' } })
  t.strictSame(await shown(), [url, [1, 'after']], 'metadata that was changed')
  await control('POST /snapshots/one/restore')
  t.strictSame(await shown(), [url, [1, 'before']], 'as the snapshot holds it')
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 2 } })
  await control('POST /snapshots/one/restore')
  t.strictSame(await shown(), [url, [1, 'before']], 'and without what came after it')
  await control('POST /reset')
  t.strictSame(
    [await shown(), await shown('/sandbox/till/next'), await shown()],
    [[url], [`/sandbox/till${url}`], [url]]
  )
})

t.test('A04: a response shows what a fixture sets under extra', async t => {
  const extra = { vat_number: 'X1', nested: { list: [1, null, 'a'] }, 'odd "name"': true }
  const { call } = await startWorld({
    records: {
      locations: [
        { id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' }, extra }
      ],
      transactions: [{ ...CHARGE, extra: { terminal: 7 } }],
      refunds: [{ id: 'rfd_b', transaction: 'txn_a', amount: 1, extra: { batch: 'b1' } }],
      users: [{ id: 'usr_b', account: 'mch_a', name: 'U', email: 'u@example.com', extra: {} }]
    }
  })
  const location = call('GET /locations/loc_b').body
  const payment = call('GET /transactions/txn_a').body

  t.hasStrict(location, extra)
  t.notOk('extra' in location)
  t.strictSame(call('GET /locations').body.data[0], location)
  t.strictSame([payment.terminal, payment.refunds.data[0].batch], [7, 'b1'])
  const [user] = call('GET /accounts/mch_a/users').body.data
  t.strictSame(user, {
    id: 'usr_b',
    object: 'user',
    created: NOW,
    account: 'mch_a',
    name: 'U',
    email: 'u@example.com'
  })
  t.strictSame(call('POST /locations/loc_b', { body: 'phone=1' }).body, {
    ...location,
    phone: '1'
  })
})

t.test('A04: a record holds what its table names, in that order, whether a fixture', async t => {
  const { call, world } = await startWorld({
    records: {
      transactions: [CHARGE],
      refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
    }
  })
  const forms: [on: string, body: string][] = [
    ['POST /locations', 'display_name=A&address[country]=US'],
    ['POST /locations/loc_a', 'phone=1&address[city]=B&metadata[k]=v'],
    [
      'POST /accounts',
      'type=merchant&name=N&email=n@example.com&address[country]=US&address[line1]=1'
    ],
    ['POST /accounts/mch_a', 'name=M&metadata='],
    ['POST /accounts/mch_a/users', 'name=U&email=u@example.com'],
    [
      'POST /transactions',
      'ticket=tkt_a&payment_type=vip&customer[phone]=1&bank_account[bank_name]=B&amounts[tip_amount]=1&amount=9'
    ],
    [
      'POST /transactions',
      'ticket=tkt_a&payment_type=card&card[brand]=visa&card[last4]=4242&customer[name]=A&amount=9'
    ],
    ['POST /refunds', 'transaction=txn_a&amount=1&metadata[__proto__]=x'],
    ['POST /refunds/rfd_a', 'metadata[a]=b']
  ]
  for (const [on, body] of forms) t.equal(call(on, { body }).status, 200, on)

  const namesOf = ({ properties = {} }: Schema): string[] =>
    Object.keys(properties).filter(name => name !== 'refunds')
  for (const family of FAMILIES) {
    const schema: Schema = RESOURCES[family]
    for (const record of world.state.store[family].inCreationOrder() as unknown as Record<
      string,
      Json
    >[]) {
      t.strictSame(Object.keys(record), namesOf(schema), record.id)
      for (const [name, part] of Object.entries(schema.properties ?? {}))
        if (part.properties && record[name] && name !== 'amounts')
          t.strictSame(Object.keys(record[name]), namesOf(part), `${record.id} ${name}`)
    }
  }
  t.strictSame(
    call('GET /refunds', { query: 'limit=1' }).body.data[0].metadata,
    JSON.parse('{"__proto__":"x"}')
  )
})
