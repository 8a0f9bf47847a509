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

t.test('A23: the amount can be refunded, or with amount_plus_extras the tip and donation too', async t => {
  const cases: [sums: object, whole: number, plusExtras: number][] = [
    [{ tip_amount: 200 }, 1000, 1200],
    [{ donation_amount: 30 }, 1000, 1030],
    [{ amount: 1, tip_amount: 0, donation_amount: 0 }, 1, 1]
  ]
  const refunded = async (settings: object, sums: object, amount?: number) => {
    const { call } = await startTestEmulator(t, { settings, records: { transactions: [charge(sums)] } })
    return call('POST /refunds', { body: { transaction: 'txn_a', ...(amount && { amount }) } })
  }
  for (const [sums, ...wholes] of cases) {
    for (const [index, whole] of wholes.entries()) {
      const settings = index === 0 ? {} : EXTRAS
      t.strictSame(blameOf(await refunded(settings, sums, whole + 1)), [400, 'refund_exceeds_remaining', 'amount', 'REF-7'])
      t.equal((await refunded(settings, sums)).body.amount, whole)
    }
  }
  t.equal((await refunded(EXTRAS, { amount: 0, tip_amount: 5 })).body.amount, 5, 'a tip alone can be refunded too')
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
      transactions: [charge(), charge({ id: 'txn_b' })],
      refunds: [
        refund('rfd_1', 1, { created: '2026-01-01' }),
        refund('rfd_4', 1, { created: '2026-01-04', transaction: 'txn_b' }),
        ...['rfd_3', 'rfd_2', 'rfd_2b'].map(id => refund(id, 1, { created: `2026-01-0${id[4]}` }))
      ]
    }
  })
  const ids = async (query: string) => (await call('GET /refunds', { query })).body.data.map(({ id }: { id: string }) => id)
  t.strictSame(await ids(''), ['rfd_4', 'rfd_3', 'rfd_2b', 'rfd_2', 'rfd_1'])
  t.strictSame(await ids('transaction=txn_a&limit=2&starting_after=rfd_3'), ['rfd_2b', 'rfd_2'])
  t.strictSame(await ids('transaction=txn_a&limit=2&ending_before=rfd_1'), ['rfd_2b', 'rfd_2'])
  const nothing = { object: 'list', url: '/next/refunds', data: [], has_more: false, first_id: null, last_id: null }
  t.strictSame((await call('GET /refunds', { query: 'transaction=nope' })).body, nothing)
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
