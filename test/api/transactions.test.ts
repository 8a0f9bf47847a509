import t from 'tap'
import { MERCHANT, NOW, startTestEmulator } from '../support/emulator.js'

const NONE = { object: 'list', data: [], has_more: false, first_id: null, last_id: null }
const refundsOf = (id: string) => ({ ...NONE, url: `/next/refunds?transaction=${id}` })
const pay = (fields: object = {}) => ({ body: { ticket: 'tkt_a', payment_type: 'card', ...fields } })

t.test('TKT-1: a Ticket is read, alone and in a list', async t => {
  const { call } = await startTestEmulator(t, {
    records: {
      tickets: [
        { id: 'tkt_12', location: 'loc_a', reference: 'T-12', created: '2026-02-01T10:00:00Z' },
        { id: 'tkt_13', location: 'loc_a', created: '2026-02-01' }
      ]
    }
  })

  const ticket = { id: 'tkt_12', object: 'ticket', created: '2026-02-01T10:00:00.000Z', location: 'loc_a', reference: 'T-12' }
  t.strictSame((await call('GET /tickets/tkt_12')).body, ticket)
  t.strictSame((await call('GET /tickets/tkt_13')).body, { ...ticket, id: 'tkt_13', created: '2026-02-01T00:00:00.000Z', reference: null })
  t.strictSame((await call('GET /tickets')).body, {
    object: 'list',
    url: '/next/tickets',
    data: [
      { id: 'tkt_a', object: 'ticket', created: NOW, location: 'loc_a', reference: 'T-1' },
      ticket,
      { ...ticket, id: 'tkt_13', created: '2026-02-01T00:00:00.000Z', reference: null }
    ],
    has_more: false,
    first_id: 'tkt_a',
    last_id: 'tkt_13'
  })
})

t.test('TXN-1, TXN-2, A04, A22: a Transaction needs a Ticket and a payment type; the rest is null', async t => {
  const { call } = await startTestEmulator(t)

  const { status, body } = await call('POST /transactions', { key: null, ...pay() })

  t.equal(status, 200)
  t.ok(/^txn_[A-Za-z0-9]{24}$/.test(body.id))
  t.strictSame(body, {
    id: body.id,
    object: 'transaction',
    created: NOW,
    ticket: 'tkt_a',
    location: 'loc_a',
    payment_type: 'card',
    payment_method: { type: 'card', card: null, bank_account: null },
    currency: 'usd',
    amount: 0,
    tip_amount: null,
    donation_amount: null,
    adjustment_number: null,
    amounts: null,
    customer: null,
    amount_refunded: 0,
    refunds: refundsOf(body.id)
  })
  t.strictSame((await call(`GET /transactions/${body.id}`)).body, body)
  t.strictSame((await call('GET /transactions')).body, { ...NONE, url: '/next/transactions', data: [body], first_id: body.id, last_id: body.id })
})

t.test('TXN-1 to TXN-7: everything that a Transaction takes is kept as it is documented', async t => {
  const { call } = await startTestEmulator(t)

  const { body } = await call(
    'POST /transactions',
    pay({
      payment_type: 'vip',
      'bank_account[bank_name]': 'First',
      'bank_account[account_number]': '0001 2345 6789',
      'bank_account[routing_number]': '110000000',
      'card[brand]': 'visa',
      'card[number]': '4242424242424242',
      'card[expiry]': '11/39',
      'card[csc]': '123',
      'card[token]': 'tok_1',
      payload: '{"a":1}',
      currency: 'eur',
      adjustment_number: '-1.5',
      amount: '4200',
      donation_amount: '100',
      tip_amount: '700',
      'customer[name]': 'Ana',
      'customer[email]': 'ana@example.com',
      'customer[phone]': '+1 617 555 0100',
      'amounts[currency]': 'usd',
      'amounts[transaction_amount]': '1',
      'amounts[payment_amount]': '2',
      'amounts[tip_amount]': '3'
    })
  )

  t.strictSame(body, {
    id: body.id,
    object: 'transaction',
    created: NOW,
    ticket: 'tkt_a',
    location: 'loc_a',
    payment_type: 'vip',
    payment_method: { type: 'vip', card: { brand: 'visa', last4: '4242' }, bank_account: { bank_name: 'First', last4: '6789' } },
    currency: 'eur',
    amount: 4200,
    tip_amount: 700,
    donation_amount: 100,
    adjustment_number: -1.5,
    amounts: { currency: 'usd', transaction_amount: 1, payment_amount: 2, tip_amount: 3 },
    customer: { name: 'Ana', email: 'ana@example.com', phone: '+1 617 555 0100' },
    amount_refunded: 0,
    refunds: refundsOf(body.id)
  })
  t.strictSame((await call(`GET /transactions/${body.id}`)).body, body)
})

t.test('TXN-8, A29: the ten most recent Refunds are embedded, and the sum of all is given with them', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }] } })
  const made: { id: string }[] = []
  for (let count = 1; count <= 11; count++) {
    made.unshift((await call('POST /refunds', { body: { transaction: 'txn_a', amount: count } })).body)
    if (count < 10) continue
    const { body } = await call('GET /transactions/txn_a')
    const data = made.slice(0, 10)
    t.equal(body.amount_refunded, (count * (count + 1)) / 2)
    t.strictSame(body.refunds, { ...refundsOf('txn_a'), data, has_more: count > 10, first_id: data[0]?.id, last_id: data[9]?.id })
    t.strictSame((await call('GET /transactions')).body.data[0], body)
  }
})

t.test('TXN-8: the embedded Refunds are those of now, whatever was shown before and wherever it is asked', async t => {
  const { call, control, inject } = await startTestEmulator(t, {
    records: { transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }] }
  })
  const authorization = `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`
  const shown = async (base = '/next') => {
    const { refunds } = (await inject({ method: 'GET', url: `${base}/transactions/txn_a`, headers: { authorization } })).body
    return [refunds.url, refunds.data.map(({ amount, metadata }: { amount: number; metadata: object }) => [amount, metadata])]
  }
  const { id } = (await call('POST /refunds', { body: { transaction: 'txn_a', amount: 1, 'metadata[n]': 'before' } })).body
  await control('PUT /snapshots/one')
  t.strictSame(await shown(), ['/next/refunds?transaction=txn_a', [[1, { n: 'before' }]]])

  await call(`POST /refunds/${id}`, { body: { 'metadata[n]': 'after' } })
  t.strictSame(await shown(), ['/next/refunds?transaction=txn_a', [[1, { n: 'after' }]]], 'metadata that was changed')
  await control('POST /snapshots/one/restore')
  t.strictSame(await shown(), ['/next/refunds?transaction=txn_a', [[1, { n: 'before' }]]], 'as the snapshot holds it')
  await call('POST /refunds', { body: { transaction: 'txn_a', amount: 2 } })
  await control('POST /snapshots/one/restore')
  t.strictSame(await shown(), ['/next/refunds?transaction=txn_a', [[1, { n: 'before' }]]], 'and without what came after it')
  await control('POST /reset')
  t.strictSame(
    [await shown(), await shown('/sandbox/till/next'), await shown()].map(([url]) => url),
    ['/next/refunds?transaction=txn_a', '/sandbox/till/next/refunds?transaction=txn_a', '/next/refunds?transaction=txn_a']
  )
})

t.test('TXN-8: the embedded Refunds are most recent first whatever the order and length of lists', async t => {
  const { call } = await startTestEmulator(t, {
    settings: { 'pagination.order': 'oldest_first', 'pagination.default_limit': 1, 'pagination.max_limit': 1 },
    records: {
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
      refunds: [1, 3, 2].map(day => ({ id: `rfd_${day}`, transaction: 'txn_a', amount: 1, created: `2026-01-0${day}` }))
    }
  })
  const { first_id, last_id, has_more } = (await call('GET /transactions/txn_a')).body.refunds
  t.strictSame([first_id, last_id, has_more], ['rfd_3', 'rfd_1', false])
})
