import t from 'tap'
import { isExact, moneyOf, settled } from '../../src/core/money.js'
import { type GivenSettings, type Settings, settingsInForce } from '../../src/core/settings.js'

const settings = (given: GivenSettings = {}): Settings => settingsInForce({ flag: given }).values

t.test('A22 A24: what a payment settles', async t => {
  const nothing = {
    currency: 'usd',
    amount: 0,
    tip_amount: null,
    donation_amount: null,
    amounts: null
  }
  const top = { currency: 'eur', amount: 10, tip_amount: 2, donation_amount: 3 }
  const parts = { transaction_amount: 7, payment_amount: 8 }
  const less = { currency: 'gbp', transaction_amount: 5, tip_amount: 4 }
  const zero = { currency: 'eur', amount: 0, tip_amount: 0 }
  // biome-ignore format: a table
  const cases: [title: string, sent: object, settled: object][] = [
    ['nothing', {}, {}], ['nulls', { currency: null, amount: null, tip_amount: null, donation_amount: null, amounts: null }, {}],
    ['the top level', top, top], ['transaction_amount', { amounts: parts }, { amount: 7, amounts: parts }],
    ['payment_amount', { amounts: { payment_amount: 8 } }, { amount: 8, amounts: { payment_amount: 8 } }],
    [
      'tip and currency', { amounts: { tip_amount: 1, currency: 'gbp' } },
      { tip_amount: 1, currency: 'gbp', amounts: { tip_amount: 1, currency: 'gbp' } }
    ],
    ['the top level wins', { ...zero, amounts: less }, { ...zero, amounts: less }], ['an empty amounts', { amounts: {} }, { amounts: {} }]
  ]
  for (const [title, sent, expected] of cases)
    t.strictSame(
      settled(sent as Parameters<typeof settled>[0], settings()),
      { ...nothing, ...expected },
      title
    )
  t.equal(settled({}, settings({ 'transactions.default_currency': 'chf' })).currency, 'chf')
})

t.test('A23: what can be refunded of a charge, and what remains', async t => {
  const charge = {
    id: 'txn_1',
    currency: 'usd',
    amount: 1000,
    tip_amount: 200 as number | null,
    donation_amount: 30 as number | null,
    amount_refunded: 400
  }
  const extras = settings({ 'transactions.refundable': 'amount_plus_extras' })

  t.equal(moneyOf({ ...charge, tip_amount: null, donation_amount: null }, extras).charged, 1000)
  t.strictSame(moneyOf(charge, settings()), {
    transaction: 'txn_1',
    currency: 'usd',
    charged: 1000,
    refunded: 400,
    remaining: 600
  })
  t.strictSame(moneyOf(charge, extras), {
    transaction: 'txn_1',
    currency: 'usd',
    charged: 1230,
    refunded: 400,
    remaining: 830
  })
  t.equal(moneyOf({ ...charge, amount_refunded: 1000 }, settings()).remaining, 0)
  t.equal(
    moneyOf({ ...charge, amount_refunded: 1200 }, settings()).remaining,
    0,
    'it never goes below 0, even when the setting was changed after the Refunds'
  )
})

t.test('A27: the sum of the parts must be held exactly', async t => {
  const most = Number.MAX_SAFE_INTEGER
  const cases: [amount: number, tip: number | null, donation: number | null, exact: boolean][] = [
    [0, null, null, true],
    [most, null, null, true],
    [most, 0, 0, true],
    [most, 1, null, false],
    [most, null, 1, false],
    [most - 2, 1, 1, true],
    [most, most, most, false]
  ]
  for (const [amount, tip_amount, donation_amount, exact] of cases)
    t.equal(
      isExact({ amount, tip_amount, donation_amount }),
      exact,
      `${amount} ${tip_amount} ${donation_amount}`
    )
})
