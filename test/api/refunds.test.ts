import t from 'tap'
import { blameOf, NOW, startTestEmulator } from '../support/emulator.js'

const charge = (fields: object = {}) => ({ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000, ...fields })
const refund = (id: string, amount: number, fields: object = {}) => ({ id, transaction: 'txn_a', amount, ...fields })
const EXTRAS = { 'transactions.refundable': 'amount_plus_extras' } as const

t.test('REF-1, REF-2, REF-8, A28: a Refund carries what was sent and its Transaction its currency and payment method', async t => {
  const payment_method = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null }
  const { call } = await startTestEmulator(t, { records: { transactions: [charge({ currency: 'eur', payment_method })] } })

  const least = await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })
  const most = await call('POST /refunds', { body: 'transaction=txn_a&amount=200&reason=cold+soup&metadata[table]=12' })

  t.ok(/^rfd_[A-Za-z0-9]{24}$/.test(least.body.id))
  t.strictSame(least.body, {
    id: least.body.id,
    object: 'refund',
    created: NOW,
    transaction: 'txn_a',
    amount: 1,
    currency: 'eur',
    reason: null,
    payment_method,
    metadata: {}
  })
  t.strictSame(most.body, { ...least.body, id: most.body.id, amount: 200, reason: 'cold soup', metadata: { table: '12' } })
  for (const made of [least, most]) t.strictSame((await call(`GET /refunds/${made.body.id}`)).body, made.body)
})

t.test('REF-3, REF-5, REF-6: partial Refunds may be repeated until the whole charge is refunded', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions: [charge()] } })
  let refunded = 0
  for (const amount of [1, 399, 599]) {
    t.equal((await call('POST /refunds', { body: { transaction: 'txn_a', amount } })).body.amount, amount)
    refunded += amount
    t.equal((await call('GET /transactions/txn_a')).body.amount_refunded, refunded)
  }

  t.strictSame(blameOf(await call('POST /refunds', { body: 'transaction=txn_a&amount=2' })), [400, 'refund_exceeds_remaining', 'amount', 'REF-7'])
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })).status, 200)
  t.strictSame(blameOf(await call('POST /refunds', { body: 'transaction=txn_a' })), [400, 'charge_already_refunded', 'transaction', 'REF-6'])
  t.equal((await call('GET /transactions/txn_a')).body.amount_refunded, 1000)
})

t.test('A23: the amount can be refunded, or with amount_plus_extras the tip and donation too', async t => {
  type Sums = { amount: number; tip_amount?: number; donation_amount?: number }
  const cases: [sums: Sums, amount: number, plusExtras: number][] = [
    [{ amount: 1000 }, 1000, 1000],
    [{ amount: 1000, tip_amount: 200 }, 1000, 1200],
    [{ amount: 1000, donation_amount: 30 }, 1000, 1030],
    [{ amount: 1000, tip_amount: 200, donation_amount: 30 }, 1000, 1230],
    [{ amount: 1, tip_amount: 0, donation_amount: 0 }, 1, 1]
  ]
  for (const [sums, amount, plusExtras] of cases) {
    for (const [settings, whole] of [
      [{}, amount],
      [EXTRAS, plusExtras]
    ] as const) {
      const { call } = await startTestEmulator(t, { settings, records: { transactions: [charge(sums)] } })

      const above = await call('POST /refunds', { body: { transaction: 'txn_a', amount: whole + 1 } })
      const all = await call('POST /refunds', { body: 'transaction=txn_a' })

      t.strictSame(blameOf(above), [400, 'refund_exceeds_remaining', 'amount', 'REF-7'])
      t.equal(all.body.amount, whole)
    }
  }
  const { call } = await startTestEmulator(t, { settings: EXTRAS, records: { transactions: [charge({ amount: 0, tip_amount: 5 })] } })
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).body.amount, 5, 'a tip alone can be refunded too')
})

t.test('A23: a remainder never goes below 0, even where the setting changes under a refunded charge', async t => {
  const { call, control } = await startTestEmulator(t, { settings: {}, records: { transactions: [charge({ tip_amount: 500 })] } })
  await control('PATCH /settings', { transactions: { refundable: 'amount_plus_extras' } })
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a&amount=1200' })).status, 200)

  await control('PATCH /settings', { transactions: { refundable: 'amount' } })

  t.strictSame(blameOf(await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })), [400, 'charge_already_refunded', 'transaction', 'REF-6'])
})

t.test('REF-10: the list is most recent first, whatever the order of the others, and narrows to one Transaction', async t => {
  const { call } = await startTestEmulator(t, {
    settings: { 'pagination.order': 'oldest_first' },
    records: {
      transactions: [charge(), charge({ id: 'txn_b' }), charge({ id: 'txn_c' })],
      refunds: [
        refund('rfd_1', 1, { created: '2026-01-01' }),
        refund('rfd_4', 1, { created: '2026-01-04', transaction: 'txn_b' }),
        refund('rfd_3', 1, { created: '2026-01-03' }),
        refund('rfd_2', 1, { created: '2026-01-02' }),
        refund('rfd_2b', 1, { created: '2026-01-02' })
      ]
    }
  })
  const ids = async (query: string) => (await call('GET /refunds', { query })).body.data.map(({ id }: { id: string }) => id)

  t.strictSame(await ids(''), ['rfd_4', 'rfd_3', 'rfd_2b', 'rfd_2', 'rfd_1'])
  t.strictSame(await ids('transaction=txn_a'), ['rfd_3', 'rfd_2b', 'rfd_2', 'rfd_1'])
  t.strictSame(await ids('transaction=txn_a&limit=2&starting_after=rfd_3'), ['rfd_2b', 'rfd_2'])
  t.strictSame(await ids('transaction=txn_a&limit=2&ending_before=rfd_1'), ['rfd_2b', 'rfd_2'])
  t.strictSame(await ids('transaction=txn_b'), ['rfd_4'])
  t.strictSame(await ids('transaction=txn_c'), [])
  t.strictSame((await call('GET /refunds', { query: 'transaction=nope' })).body, {
    object: 'list',
    url: '/next/refunds',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null
  })
})

t.test('REF-9: metadata of a Refund is embedded as it now is, and nothing else of it changes', async t => {
  const { call } = await startTestEmulator(t, {
    records: { transactions: [charge()], refunds: [refund('rfd_1', 400, { reason: 'cold soup', metadata: { a: '1' } })] }
  })
  const before = (await call('GET /refunds/rfd_1')).body

  const { body } = await call('POST /refunds/rfd_1', { body: 'metadata[b]=2' })

  t.strictSame(body, { ...before, metadata: { a: '1', b: '2' } })
  const { refunds, amount_refunded } = (await call('GET /transactions/txn_a')).body
  t.strictSame([refunds.data, amount_refunded], [[body], 400])
})
