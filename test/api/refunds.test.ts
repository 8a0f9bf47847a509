import t from 'tap'
import { type Blame, blameOf, MERCHANT, NOW, startTestEmulator } from '../support/emulator.js'

const charge = (fields: object = {}) => ({ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000, ...fields })
const refund = (id: string, amount: number, fields: object = {}) => ({ id, transaction: 'txn_a', amount, ...fields })
const EXTRAS = { 'transactions.refundable': 'amount_plus_extras' } as const

t.test('REF-4: without amount the whole remainder is refunded', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions: [charge()], refunds: [{ transaction: 'txn_a', amount: 400 }] } })

  const { status, body } = await call('POST /refunds', { body: { transaction: 'txn_a' } })

  t.equal(status, 200)
  t.equal(body.amount, 600)
})

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

t.test('REF-2, A28: a Transaction of any payment type can be refunded, with a card or without', async t => {
  const { call } = await startTestEmulator(t)
  for (const payment_type of ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip']) {
    const fields = { 'customer[phone]': '1', 'customer[email]': 'a@example.com', 'bank_account[bank_name]': 'First', 'card[last4]': '1881' }
    const paid = await call('POST /transactions', { body: { ticket: 'tkt_a', payment_type, amount: 5, ...fields } })

    const { status, body } = await call('POST /refunds', { body: { transaction: paid.body.id } })

    t.equal(status, 200)
    t.strictSame(body.payment_method, paid.body.payment_method)
  }
  const cash = await call('POST /transactions', { body: 'ticket=tkt_a&payment_type=external&amount=5' })
  const { body } = await call('POST /refunds', { body: { transaction: cash.body.id } })
  t.strictSame(body.payment_method, { type: 'external', card: null, bank_account: null })
})

t.test('REF-1, REF-3, REF-6, REF-7: what cannot be refunded is refused, and nothing is changed by it', async t => {
  const emulator = await startTestEmulator(t, {
    records: {
      transactions: [
        charge(),
        charge({ id: 'txn_done', amount: 5 }),
        charge({ id: 'txn_free', amount: 0 }),
        charge({ id: 'txn_tip', amount: 0, tip_amount: 5 })
      ],
      refunds: [refund('rfd_1', 400), refund('rfd_2', 5, { transaction: 'txn_done' })]
    }
  })
  const { refusal, call } = emulator
  const cases: [body: string, blame: Blame][] = [
    ['', [400, 'parameter_missing', 'transaction', 'REF-1']],
    ['transaction=nope', [400, 'reference_missing', 'transaction', 'REF-1']],
    ['transaction=tkt_a', [400, 'reference_missing', 'transaction', 'REF-1']],
    ['transaction=txn_a&amount=0', [400, 'parameter_invalid', 'amount', 'REF-3']],
    ['transaction=txn_a&amount=-1', [400, 'parameter_invalid', 'amount', 'REF-3']],
    ['transaction=txn_a&amount=1.5', [400, 'parameter_invalid', 'amount', 'REF-3']],
    ['transaction=txn_a&amount=601', [400, 'refund_exceeds_remaining', 'amount', 'REF-7']],
    ['transaction=txn_a&amount=9007199254740991', [400, 'refund_exceeds_remaining', 'amount', 'REF-7']],
    ['transaction=txn_done', [400, 'charge_already_refunded', 'transaction', 'REF-6']],
    ['transaction=txn_done&amount=1', [400, 'charge_already_refunded', 'transaction', 'REF-6']],
    ['transaction=txn_done&amount=6', [400, 'charge_already_refunded', 'transaction', 'REF-6']],
    ['transaction=txn_free', [400, 'charge_has_no_amount', 'transaction', 'REF-1']],
    ['transaction=txn_free&amount=1', [400, 'charge_has_no_amount', 'transaction', 'REF-1']],
    ['transaction=txn_tip&amount=1', [400, 'charge_has_no_amount', 'transaction', 'REF-1']]
  ]
  for (const [body, blame] of cases) t.strictSame(await refusal('POST /refunds', { body }), blame, body)

  for (const [body, message] of [
    ['transaction=nope', 'transaction: no Transaction has the id nope.'],
    ['transaction=txn_a&amount=601', 'txn_a was charged 1000 usd, 400 of it has been refunded, 600 remain; 601 was asked.'],
    ['transaction=txn_done', 'txn_done was charged 5 usd, and all of it has been refunded.'],
    ['transaction=txn_free', 'txn_free settled nothing, so there is nothing to refund.']
  ] as const) {
    t.equal((await call('POST /refunds', { body })).body.error.message, message)
  }
  const untouched = await startTestEmulator(t, { records: { transactions: [charge()] } })
  t.strictSame(await emulator.nextIds(), await untouched.nextIds(), 'no id was drawn')
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

t.test('REF-9, A15: only metadata can be updated', async t => {
  const records = { transactions: [charge()], refunds: [refund('rfd_1', 400, { reason: 'cold soup', metadata: { a: '1' } })] }
  const { call, refusal } = await startTestEmulator(t, { records })
  const before = (await call('GET /refunds/rfd_1')).body

  for (const [body, param] of [
    ['amount=1', 'amount'],
    ['amount=400', 'amount'],
    ['amount=', 'amount'],
    ['amount[]=x', 'amount'],
    ['reason=x', 'reason'],
    ['reason=', 'reason'],
    ['transaction=txn_a', 'transaction'],
    ['metadata[a]=2&reason=x', 'reason'],
    ['reason=x&amount=1&transaction=txn_a', 'transaction']
  ] as const) {
    t.strictSame(await refusal('POST /refunds/rfd_1', { body }), [400, 'parameter_not_updatable', param, 'REF-9'], body)
  }
  t.strictSame(await refusal('POST /refunds/rfd_1', { body: 'currency=usd' }), [400, 'parameter_unknown', 'currency', 'A14'])
  t.equal((await call('POST /refunds/rfd_1', { body: 'amount=1' })).body.error.message, 'amount cannot be changed by an update; only metadata can.')

  t.strictSame((await call('POST /refunds/rfd_1', { body: 'metadata[b]=2' })).body, { ...before, metadata: { a: '1', b: '2' } })
  t.strictSame((await call('GET /transactions/txn_a')).body.refunds.data, [{ ...before, metadata: { a: '1', b: '2' } }], 'embedded as it now is')
  t.equal((await call('GET /transactions/txn_a')).body.amount_refunded, 400)

  const lenient = await startTestEmulator(t, { records, settings: { 'parameters.not_updatable': 'ignore' } })
  const updated = await lenient.call('POST /refunds/rfd_1', { body: 'amount=1&reason=&transaction=nope&metadata[b]=2' })
  t.strictSame([updated.status, updated.body], [200, { ...before, metadata: { a: '1', b: '2' } }])
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

t.test('REF-7: fifty Refunds at once never come to more than the charge', async t => {
  const { listen, call } = await startTestEmulator(t, { records: { transactions: [charge()] } })
  const base = `http://127.0.0.1:${await listen()}/next`
  const authorization = `Basic ${Buffer.from(`${MERCHANT}:`).toString('base64')}`
  const post = async (amount: number) => {
    const response = await fetch(`${base}/refunds`, {
      method: 'POST',
      headers: { authorization, connection: 'close' },
      body: new URLSearchParams({ transaction: 'txn_a', amount: String(amount) })
    })
    return { status: response.status, body: (await response.json()) as { amount: number; error: { code: string } } }
  }

  const answers = await Promise.all(Array.from({ length: 50 }, () => post(30)))

  const made = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 400)
  t.strictSame([made.length, refused.length], [33, 17])
  t.ok(refused.every(({ body }) => body.error.code === 'refund_exceeds_remaining'))
  t.equal((await call('GET /transactions/txn_a')).body.amount_refunded, 990)
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).body.amount, 10)
  const listed = (await call('GET /refunds', { query: 'transaction=txn_a&limit=100' })).body.data as { id: string; amount: number }[]
  t.equal(
    listed.reduce((sum, { amount }) => sum + amount, 0),
    1000
  )
  t.equal(new Set(listed.map(({ id }) => id)).size, 34)
})
