/** What the console's data view computes from the state. */
import t from 'tap'
import { comparison } from '../../src/console/ui/app/comparison.js'
import { differences } from '../../src/console/ui/components/values.js'
import {
  childrenOf,
  countIn,
  familiesById,
  matching,
  moneyIn,
  nameOf,
  newestFirst
} from '../../src/console/ui/views/data/records.js'
import { isMoney, moneyShown } from '../../src/core/money.js'
import { smallFixture } from '../support/emulator.js'

const created = '2026-03-01T18:00:00.000Z'
const records = smallFixture({
  transactions: [
    {
      id: 'txn_a',
      created,
      ticket: 'tkt_a',
      location: 'loc_a',
      payment_type: 'external',
      currency: 'usd',
      amount: 4200,
      tip_amount: 700
    }
  ],
  refunds: [
    {
      id: 'rfd_a',
      created,
      transaction: 'txn_a',
      amount: 1000,
      currency: 'usd',
      reason: 'cold soup'
    },
    { id: 'rfd_b', created, transaction: 'txn_b', amount: 50, currency: 'usd' }
  ]
})
const state = records as unknown as Parameters<typeof moneyIn>[0]
const [transaction] = state.transactions as unknown as [Parameters<typeof nameOf>[0]]

t.test('console: records lead to what belongs to them', async t => {
  const families = familiesById(state)
  t.strictSame(
    ['tkt_a', 'rfd_b', 'txn_b'].map(id => families.get(id)),
    ['tickets', 'refunds', undefined]
  )
  t.strictSame(
    childrenOf(state, 'locations', 'loc_a').map(([family, records]) => [
      family,
      records.map(({ id }) => id)
    ]),
    [
      ['tickets', ['tkt_a']],
      ['transactions', ['txn_a']]
    ]
  )
  t.strictSame(childrenOf(state, 'refunds', 'rfd_a'), [])
})

t.test('console: a record is found by words anywhere in it, without regard to case', async t => {
  const cases: [search: string, found: boolean][] = [
    ['', true],
    ['TXN_A', true],
    ['external 4200', true],
    ['external 4201', false],
    ['tip_amount', true]
  ]
  for (const [search, found] of cases) t.equal(matching(search)(transaction), found, search)
})

t.test('console: records are listed newest first, equal instants in reverse order', async t => {
  const of = (id: string, at: string) => ({ id, created: at })

  t.strictSame(
    newestFirst([of('a', created), of('b', '2026-03-02T00:00:00.000Z'), of('c', created)]).map(
      ({ id }) => id
    ),
    ['b', 'c', 'a']
  )
})

t.test('console: the money of a Transaction follows transactions.refundable (A23)', async t => {
  t.match(moneyIn(state, transaction, 'amount'), { charged: 4200, refunded: 1000, remaining: 3200 })
  t.match(moneyIn(state, transaction, 'amount_plus_extras'), {
    charged: 4900,
    refunded: 1000,
    remaining: 3900
  })
  t.strictSame(
    [countIn('refunds', 0), countIn('refunds', 1), countIn('tickets', 1200)],
    ['0 refunds', '1 refund', '1,200 tickets']
  )
  t.equal(nameOf(transaction), 'external, $42.00')
  t.equal(
    nameOf({ id: 'rfd_a', created, amount: 1000, currency: 'usd', reason: 'cold soup' }),
    '$10.00, cold soup'
  )
  t.equal(nameOf({ id: 'loc_a', created, display_name: 'A' }), 'A', 'a record without an amount')
})

t.test(
  'console: money is shown by the digits of its currency, and without one as a number',
  async t => {
    const cases: [amount: number, currency: unknown, shown: string][] = [
      [4200, 'usd', '$42.00'],
      [5, 'usd', '$0.05'],
      [-1234567, 'eur', '-€12,345.67'],
      [3000, 'jpy', '¥3,000'],
      [1234, 'kwd', 'KWD\u00a01.234'],
      [9007199254740991, 'usd', '$90,071,992,547,409.91'],
      [4200, null, '4,200'],
      [4200, 'not one', '4,200 not one']
    ]
    for (const [amount, currency, shown] of cases) t.equal(moneyShown(amount, currency), shown)
    const [amounts, others] = [
      'amount tip_amount amount_refunded amounts.transaction_amount',
      'amounts amount[x] refunds amounted currency'
    ].map(names => names.split(' '))
    t.strictSame([...(amounts ?? []), ...(others ?? [])].filter(isMoney), amounts)
  }
)

t.test('console: the fields in which two values differ', async t => {
  t.strictSame(differences({ a: 0, b: 1 }, { a: 200, b: 1 }), [
    { path: 'a', before: 0, after: 200 }
  ])
  t.strictSame(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }], c: null }), [
    { path: 'a.1.b', before: 2, after: 3 },
    { path: 'c', before: undefined, after: null }
  ])
})

t.test('console: two sandboxes are compared record by record', async t => {
  const changed = (changes: object) => ({ ...state, ...changes }) as typeof state
  const other = changed({
    refunds: state.refunds.slice(1),
    transactions: state.transactions.map(one => ({ ...one, amount: 1 }))
  })
  const again = changed({
    refunds: state.refunds.map(one => ({ ...one, id: `${one.id}2`, created: 'later' })),
    transactions: state.transactions.map(one => ({ ...one, created: 'later' }))
  })
  const compared = (...[one, two, isExact]: Parameters<typeof comparison>) => {
    const { same, before, after } = comparison(one, two, isExact)
    return [same, Object.keys(before).join(), Object.keys(after).join()]
  }
  const rest = comparison(changed({ refunds: [], transactions: [] }), state).same

  t.strictSame(compared(state, other), [
    rest + 1,
    'Transaction txn_a,Refund rfd_a',
    'Transaction txn_a'
  ])
  t.strictSame(compared(other, state)[2], 'Transaction txn_a,Refund rfd_a')
  t.strictSame(compared(state, again), [rest + 3, '', ''], 'ids and creation times say nothing')
  t.strictSame(
    compared(state, again, true),
    [
      rest,
      'Transaction txn_a,Refund rfd_a,Refund rfd_b',
      'Transaction txn_a,Refund rfd_a2,Refund rfd_b2'
    ],
    'unless they are asked for'
  )
  const [first] = state.refunds
  const twice = (...ids: string[]) => changed({ refunds: ids.map(id => ({ ...first, id })) })
  t.strictSame(
    compared(twice('rfd_1', 'rfd_2'), twice('rfd_3', 'rfd_4', 'rfd_5')),
    [rest + 3, '', 'Refund rfd_3'],
    'each record is the same as one other'
  )
})
