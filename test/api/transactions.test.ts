import t from 'tap'
import { type Blame, MERCHANT, NOW, startTestEmulator } from '../support/emulator.js'

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

t.test('TXN-1, TXN-2: an unknown Ticket and an unknown payment type are refused, every known type is taken', async t => {
  const { call, refusal } = await startTestEmulator(t)
  const cases: [body: string, blame: Blame][] = [
    ['payment_type=card', [400, 'parameter_missing', 'ticket', 'TXN-1']],
    ['ticket=nope&payment_type=card', [400, 'reference_missing', 'ticket', 'TXN-1']],
    ['ticket=loc_a&payment_type=card', [400, 'reference_missing', 'ticket', 'TXN-1']],
    ['ticket=tkt_a', [400, 'parameter_missing', 'payment_type', 'TXN-2']],
    ['ticket=tkt_a&payment_type=cash', [400, 'parameter_invalid', 'payment_type', 'TXN-2']]
  ]
  for (const [body, blame] of cases) t.strictSame(await refusal('POST /transactions', { key: null, body }), blame, body)
  t.equal((await call('POST /transactions', { body: 'ticket=nope&payment_type=card' })).body.error.message, 'ticket: no Ticket has the id nope.')

  for (const payment_type of ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip']) {
    const { body } = await call('POST /transactions', { key: null, ...pay({ payment_type, 'customer[phone]': '1', 'customer[email]': 'a@example.com' }) })

    t.strictSame([body.payment_type, body.payment_method.type], [payment_type, payment_type])
  }
})

t.test('TXN-3, TXN-4: vip needs customer[phone], apple_pay needs customer[email]', async t => {
  const { call, refusal } = await startTestEmulator(t)
  const phone: Blame = [400, 'parameter_missing', 'customer[phone]', 'TXN-3']
  const email: Blame = [400, 'parameter_missing', 'customer[email]', 'TXN-4']
  for (const [fields, blame] of [
    [{ payment_type: 'vip' }, phone],
    [{ payment_type: 'vip', 'customer[email]': 'a@example.com', 'customer[name]': 'A' }, phone],
    [{ payment_type: 'vip', 'customer[phone]': '' }, phone],
    [{ payment_type: 'apple_pay' }, email],
    [{ payment_type: 'apple_pay', 'customer[phone]': '1' }, email],
    [{ payment_type: 'apple_pay', 'customer[email]': '' }, email]
  ] as const) {
    t.strictSame(await refusal('POST /transactions', pay(fields)), blame)
  }

  const vip = await call('POST /transactions', pay({ payment_type: 'vip', 'customer[phone]': '1' }))
  const apple = await call('POST /transactions', pay({ payment_type: 'apple_pay', 'customer[email]': 'a@example.com' }))
  t.strictSame(vip.body.customer, { name: null, email: null, phone: '1' })
  t.strictSame(apple.body.customer, { name: null, email: 'a@example.com', phone: null })
})

t.test('TXN-5, A26: bank_account is used with vip, and accepted without use with any other type', async t => {
  const { call, control } = await startTestEmulator(t)
  const bank = { 'bank_account[bank_name]': 'First', 'bank_account[account_number]': '123456789', 'customer[phone]': '1', 'customer[email]': 'a@example.com' }

  for (const payment_type of ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal']) {
    t.equal((await call('POST /transactions', pay({ payment_type, ...bank }))).body.payment_method.bank_account, null, payment_type)
  }
  t.strictSame((await call('POST /transactions', pay({ payment_type: 'vip', ...bank }))).body.payment_method.bank_account, {
    bank_name: 'First',
    last4: '6789'
  })

  const { body } = await control('GET /assumptions')
  t.equal(body.data.find(({ id }: { id: string }) => id === 'A26').answers_leaning_on_it, 6)
})

t.test('A25: of a card and a bank account the last four digits are kept', async t => {
  const { call } = await startTestEmulator(t)
  const cards: [fields: object, card: object | null][] = [
    [{}, null],
    [{ 'card[brand]': 'visa' }, { brand: 'visa', last4: null }],
    [{ 'card[last4]': '1111' }, { brand: null, last4: '1111' }],
    [
      { 'card[last4]': '1111', 'card[number]': '4242424242424242' },
      { brand: null, last4: '1111' }
    ],
    [{ 'card[number]': '4000 0566-5566 5556' }, { brand: null, last4: '5556' }],
    [{ 'card[number]': '1234' }, { brand: null, last4: '1234' }],
    [{ 'card[number]': '123' }, { brand: null, last4: null }],
    [{ 'card[number]': 'none' }, { brand: null, last4: null }],
    [{ 'card[token]': 'tok_1' }, { brand: null, last4: null }],
    [{ 'card[number]': '', 'card[brand]': '' }, null],
    [{ card: '' }, null]
  ]
  for (const [fields, card] of cards) {
    t.strictSame((await call('POST /transactions', pay(fields))).body.payment_method, { type: 'card', card, bank_account: null }, JSON.stringify(fields))
  }
  const vip = { payment_type: 'vip', 'customer[phone]': '1' }
  const banks: [fields: object, bank: object | null][] = [
    [{}, null],
    [{ 'bank_account[bank_name]': 'First' }, { bank_name: 'First', last4: null }],
    [{ 'bank_account[account_number]': 'DE89 3704 0044 0532 0130 00' }, { bank_name: null, last4: '3000' }],
    [{ 'bank_account[account_number]': '12' }, { bank_name: null, last4: null }],
    [{ bank_account: '' }, null]
  ]
  for (const [fields, bank_account] of banks) {
    t.strictSame(
      (await call('POST /transactions', pay({ ...vip, ...fields }))).body.payment_method,
      { type: 'vip', card: null, bank_account },
      JSON.stringify(fields)
    )
  }
})

t.test('A22: the currency is usd when none is sent, or what the setting says', async t => {
  const usd = await startTestEmulator(t)
  const eur = await startTestEmulator(t, { settings: { 'transactions.default_currency': 'eur' } })

  t.equal((await usd.call('POST /transactions', pay())).body.currency, 'usd')
  t.equal((await eur.call('POST /transactions', pay())).body.currency, 'eur')
  t.equal((await eur.call('POST /transactions', pay({ currency: 'jpy' }))).body.currency, 'jpy')
})

t.test('A24: a top-level parameter wins over amounts, which is echoed as it was sent', async t => {
  const { call } = await startTestEmulator(t)
  type Settled = { amount: number; tip_amount: number | null; currency: string; amounts: object | null }
  const cases: [fields: object, settled: Settled][] = [
    [{}, { amount: 0, tip_amount: null, currency: 'usd', amounts: null }],
    [{ amount: 5 }, { amount: 5, tip_amount: null, currency: 'usd', amounts: null }],
    [{ 'amounts[transaction_amount]': 7 }, { amount: 7, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 7 } }],
    [{ 'amounts[payment_amount]': 8 }, { amount: 8, tip_amount: null, currency: 'usd', amounts: { payment_amount: 8 } }],
    [
      { 'amounts[transaction_amount]': 7, 'amounts[payment_amount]': 8 },
      { amount: 7, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 7, payment_amount: 8 } }
    ],
    [
      { 'amounts[transaction_amount]': 0, 'amounts[payment_amount]': 8 },
      { amount: 0, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 0, payment_amount: 8 } }
    ],
    [
      { amount: 5, 'amounts[transaction_amount]': 7 },
      { amount: 5, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 7 } }
    ],
    [
      { amount: 0, 'amounts[transaction_amount]': 7 },
      { amount: 0, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 7 } }
    ],
    [
      { amount: '', 'amounts[transaction_amount]': 7 },
      { amount: 7, tip_amount: null, currency: 'usd', amounts: { transaction_amount: 7 } }
    ],
    [{ 'amounts[tip_amount]': 2 }, { amount: 0, tip_amount: 2, currency: 'usd', amounts: { tip_amount: 2 } }],
    [
      { tip_amount: 1, 'amounts[tip_amount]': 2 },
      { amount: 0, tip_amount: 1, currency: 'usd', amounts: { tip_amount: 2 } }
    ],
    [
      { tip_amount: 0, 'amounts[tip_amount]': 2 },
      { amount: 0, tip_amount: 0, currency: 'usd', amounts: { tip_amount: 2 } }
    ],
    [{ 'amounts[currency]': 'eur' }, { amount: 0, tip_amount: null, currency: 'eur', amounts: { currency: 'eur' } }],
    [
      { currency: 'jpy', 'amounts[currency]': 'eur' },
      { amount: 0, tip_amount: null, currency: 'jpy', amounts: { currency: 'eur' } }
    ],
    [{ amounts: '' }, { amount: 0, tip_amount: null, currency: 'usd', amounts: null }],
    [{ 'amounts[tip_amount]': '' }, { amount: 0, tip_amount: null, currency: 'usd', amounts: null }]
  ]
  for (const [fields, expected] of cases) {
    const created = (await call('POST /transactions', pay(fields))).body
    const read = (await call(`GET /transactions/${created.id}`)).body

    const { amount, tip_amount, currency, amounts } = created
    t.strictSame({ amount, tip_amount, currency, amounts }, expected, JSON.stringify(fields))
    t.strictSame(read, created)
  }
})

t.test('TXN-7, A27: the parts of a charge come together to no more than 2^53-1', async t => {
  const { call, refusal } = await startTestEmulator(t)
  const most = 9_007_199_254_740_991

  t.equal((await call('POST /transactions', pay({ amount: most }))).body.amount, most)
  t.equal((await call('POST /transactions', pay({ amount: most - 2, tip_amount: 1, donation_amount: 1 }))).body.amount, most - 2)
  for (const fields of [
    { amount: most, tip_amount: 1 },
    { amount: most, donation_amount: 1 },
    { amount: most - 1, tip_amount: 1, donation_amount: 1 },
    { 'amounts[transaction_amount]': most, 'amounts[tip_amount]': 1 }
  ]) {
    t.strictSame(await refusal('POST /transactions', pay(fields)), [400, 'parameter_invalid', 'amount', 'TXN-7'], JSON.stringify(fields))
  }
})

t.test('TXN-8, A29: the ten most recent Refunds are embedded, and the sum of all stands beside them', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }] } })
  const made: object[] = []
  for (let count = 1; count <= 12; count++) {
    made.unshift((await call('POST /refunds', { body: { transaction: 'txn_a', amount: count } })).body)
    const { body } = await call('GET /transactions/txn_a')
    const embedded = made.slice(0, 10) as { id: string }[]

    t.equal(body.amount_refunded, (count * (count + 1)) / 2)
    t.strictSame(body.refunds, {
      object: 'list',
      url: '/next/refunds?transaction=txn_a',
      data: embedded,
      has_more: count > 10,
      first_id: embedded[0]?.id,
      last_id: embedded.at(-1)?.id
    })
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

t.test('TXN-8: the embedded Refunds are most recent first whatever the order of lists', async t => {
  const { call } = await startTestEmulator(t, {
    settings: { 'pagination.order': 'oldest_first', 'pagination.default_limit': 1, 'pagination.max_limit': 1 },
    records: {
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
      refunds: [
        { id: 'rfd_1', transaction: 'txn_a', amount: 1, created: '2026-01-01' },
        { id: 'rfd_3', transaction: 'txn_a', amount: 1, created: '2026-01-03' },
        { id: 'rfd_2', transaction: 'txn_a', amount: 1, created: '2026-01-02' }
      ]
    }
  })

  const { body } = await call('GET /transactions/txn_a')

  t.strictSame(
    body.refunds.data.map(({ id }: { id: string }) => id),
    ['rfd_3', 'rfd_2', 'rfd_1']
  )
  t.equal(body.refunds.has_more, false)
})

t.test('A01 to A34: an answer leans on the assumptions that shaped it, and on no other of these', async t => {
  const records = {
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
    users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }]
  }
  const watched = ['A06', 'A10', 'A11', 'A12', 'A13', 'A14', 'A16', 'A20', 'A21', 'A22', 'A23', 'A24', 'A25', 'A26', 'A28', 'A31']
  const cases: [on: string, options: object, leaning: string[]][] = [
    ['GET /locations/loc_a', {}, []],
    ['GET /locations', {}, ['A10', 'A11']],
    ['GET /locations', { query: 'limit=5' }, ['A11']],
    ['GET /tickets', { query: 'limit=5&search_query=T' }, ['A11', 'A12', 'A13']],
    ['GET /locations', { query: 'limit=0' }, ['A10']],
    ['GET /locations', { query: 'x=1' }, ['A14']],
    ['POST /locations', { body: 'display_name=A&address[country]=US' }, ['A06', 'A21']],
    ['POST /accounts/mch_a', { body: 'type=merchant' }, ['A31']],
    ['POST /accounts/mch_a', { body: 'phone=' }, ['A16']],
    ['POST /transactions', { key: null, ...pay({ amount: 1, currency: 'usd' }) }, ['A06']],
    ['POST /transactions', pay({ amount: 1, currency: 'usd' }), ['A06', 'A20']],
    ['POST /transactions', { key: null, ...pay({ amount: 1 }) }, ['A06', 'A22']],
    ['POST /transactions', { key: null, ...pay({ 'amounts[tip_amount]': 1, currency: 'usd' }) }, ['A06', 'A24']],
    ['POST /transactions', { key: null, ...pay({ 'card[brand]': 'visa', currency: 'usd' }) }, ['A06', 'A25']],
    ['POST /transactions', { key: null, ...pay({ 'bank_account[bank_name]': 'B', currency: 'usd' }) }, ['A06', 'A25', 'A26']],
    ['POST /refunds', { body: 'transaction=txn_a&amount=1' }, ['A06', 'A23', 'A28']],
    ['DELETE /accounts/mch_a/users/usr_a', {}, []]
  ]
  for (const [on, options, leaning] of cases) {
    const { call, control } = await startTestEmulator(t, { records })

    await call(on, options)

    const { body } = await control('GET /assumptions')
    const counted = body.data
      .filter(({ answers_leaning_on_it }: { answers_leaning_on_it: number }) => answers_leaning_on_it > 0)
      .map(({ id }: { id: string }) => id)
    t.strictSame(
      counted.filter((id: string) => watched.includes(id)),
      leaning,
      `${on} ${JSON.stringify(options)}`
    )
  }
})
