import t from 'tap'
import { parse } from 'yaml'
import { mapValues } from '../../../src/reference/rules.js'
import { compileExpectation } from '../../../src/scenario/expect/expectations.js'
import { missText } from '../../../src/scenario/match/near-misses.js'
import { digestOf } from '../../../src/scenario/script/digests.js'
import { problemsOfShape } from '../../../src/scenario/shape/scenario.js'
import { coded, reported } from '../../support/codes.js'
import { smallFixture, startTestEmulator } from '../../support/emulator.js'
import type { Json } from '../../support/json.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }

t.test('expect: the records at the end, by id and by count', async t => {
  const cases: [state: object, before: boolean, after: boolean][] = parse(`[
    [{ transactions: { txn_a: { amount_refunded: 400 } } }, false, true], [{ transactions: { txn_${'b'.repeat(24)}: {} } }, false, false],
    [{ transactions: { txn_bbbbbbbbbbbbbbbbbbbbbbbb: null } }, true, true], [{ transactions: { txn_a: null } }, false, false],
    [{ refunds: { count: 1, where: { transaction: txn_a, amount: 400 } } }, false, true],
    [{ transactions: { where: { amount_refunded: { gt: 0 } }, count: 0, every: { ticket: { location: loc_a } } } }, true, false],
    [{ refunds: { count: 2 }, transactions: { txn_a: { amount: 1 } } }, false, false]
  ]`)
  const expect = cases.map(([state]) => ({ state }))
  const emulator = await startTestEmulator(t, {
    scenario: { data: smallFixture({ transactions: [CHARGE] }), expect }
  })
  const held = async () =>
    (await emulator.control('POST /verify')).body.expectations.map(
      ({ holds }: { holds: boolean }) => holds
    )

  t.equal((await held()).join(), cases.map(() => false).join(), 'nothing came')
  await emulator.call('GET /transactions/txn_a')
  t.equal((await held()).join(), cases.map(([, before]) => before).join())
  await emulator.call('POST /refunds', { body: 'transaction=txn_a&amount=400' })
  t.equal((await held()).join(), cases.map(([, , after]) => after).join())
  const { status, body } = await emulator.control('POST /verify', {
    state: { transactions: { txn_a: { amount_refunded: 400 } } }
  })
  t.strictSame([status, body], [200, { holds: true, verdict: 'met', message: 'As expected' }])
  const wrong = await emulator.control('POST /verify', {
    state: { refunds: { count: 2 }, transactions: { txn_a: null } },
    within: '10ms'
  })
  const gone = 'transactions.txn_a (count): expected 0; got 1'
  t.strictSame([wrong.status, wrong.body.message], [409, `refunds: expected 2; got 1; ${gone}`])
})

const RECORDS: Readonly<Record<string, Json[]>> = parse(`
  accounts: [{ id: mch_a, name: Bistro, reseller: rsl_a, metadata: { tier: gold } }, { id: rsl_a, name: Reseller, reseller: null }]
  locations:
    - { id: loc_a, account: mch_a, display_name: A, address: { country: US, city: null }, phone: null, metadata: { table: '5', max: '4999', 'a.b': x } }
    - { id: loc_b, account: mch_a, metadata: { max: '5,000' } }
  tickets: [{ id: tkt_a, location: loc_a, reference: A }, { id: tkt_b, location: loc_b, reference: null }]
  transactions:
    - { id: txn_a, created: '2026-03-01T10:00:00.000Z', payment_type: card, amount: 4999, tip_amount: null, donation_amount: 300,
        payment_method: { card: { last4: '0341' } }, ticket: tkt_a, location: loc_a, currency: usd, amount_refunded: 999 }
    - { id: txn_b, created: '2026-03-02T10:00:00.000Z', payment_type: vip, amount: 5000, tip_amount: 700, payment_method: { card: null },
        ticket: tkt_b, location: loc_b, currency: usd, amount_refunded: 0 }
    - { id: txn_c, created: '2026-03-03T10:00:00.000Z', payment_type: emv, amount: 50, ticket: tkt_b, location: loc_b, currency: eur, amount_refunded: 0 }
    - { id: txn_d, created: '2026-03-04T10:00:00.000Z', payment_type: emv, amount: 60, ticket: tkt_b, location: loc_b, currency: eur, amount_refunded: 0 }
  refunds: [{ id: rfd_a, transaction: txn_a, amount: 999, currency: usd }]
`)
const SOME_RECORDS: Json = mapValues(RECORDS, records => ({
  get: (id: string) => records.find(record => record.id === id),
  inCreationOrder: () => records
}))

/** Differences between the records and an expected state, or its problems. */
async function differencesOf(state: object): Promise<string[]> {
  const problems = problemsOfShape('scenario', { expect: [{ state }] }).map(({ path, ...said }) =>
    coded(path, said)
  )
  if (problems.length > 0) return problems
  const { found, report } = reported()
  const expectation = await compileExpectation({ state }, report)
  return found.length === 0 && expectation !== null && 'differences' in expectation
    ? (await expectation.differences(SOME_RECORDS as never, () => true)).map(missText)
    : found
}

t.test('expect: fields of records take the conditions of a match, in where and by id', async t => {
  const right: object[] = parse(`[
    { amount: 4999 }, { amount: { lt: 5000 } }, { amount: { gte: 4999, lte: 4999 } }, { amount: [1, 4999] }, { amount: /^49/ }, { payment_type: /^CA/i },
    { payment_type: [card, emv] }, { payment_type: { not: [vip, emv] } }, { tip_amount: null }, { tip_amount: [null, 700] },
    { tip_amount: { present: false } }, { tip_amount: { not: 700 } }, { tip_amount: { present: false, not: 700 } },
    { payment_method: { card: { last4: '0341' } } }, { 'payment_method[card][last4]': { not: '4242' } }, { payment_method: { card: { present: true } } },
    { created: '2026-03-01T11:00:00+01:00' }, { created: { gt: 2026-03-01, lt: 2026-03-02 } }
  ]`)
  for (const fields of right) {
    const shown = JSON.stringify(fields)
    t.strictSame(await differencesOf({ transactions: { txn_a: fields } }), [], shown)
    t.strictSame(
      await differencesOf({ transactions: { count: 1, where: { id: 'txn_a', ...fields } } }),
      [],
      `where ${shown}`
    )
  }
  // biome-ignore format: a table
  const wrong: [fields: object, difference: string][] = [
    [{ amount: { gte: 5000 } }, 'amount: expected >= 5000; got 4999'],
    [{ amount: { gt: 4999, lt: 6000 } }, 'amount: expected > 4999 and < 6000; got 4999'],
    [{ amount: [1, 2] }, 'amount: expected one of 1, 2; got 4999'], [{ payment_type: '/^v/' }, 'payment_type: expected /^v/; got card'],
    [{ payment_type: { not: 'card' } }, 'payment_type: expected not card; got card'],
    [{ tip_amount: { gt: 0 } }, 'tip_amount: expected > 0; got nothing'], [{ tip_amount: '/./' }, 'tip_amount: expected /./; got nothing'],
    [{ tip_amount: { present: true } }, 'tip_amount: expected a value; got nothing'],
    [{ amount: { present: false } }, 'amount: expected no value; got 4999'],
    [{ donation_amount: null }, 'donation_amount: expected no value; got 300'],
    [{ payment_method: { card: null } }, 'payment_method.card: expected no value; got an object or a list'],
    [{ payment_method: { bank_account: { last4: '0341' } } }, 'payment_method.bank_account.last4: expected 0341; got nothing'],
    [{ created: '2026-03-01T10:00:01Z' }, 'created: expected 2026-03-01T10:00:01Z; got 2026-03-01T10:00:00.000Z'],
    [{ created: { lt: '2026-03-01' } }, 'created: expected < 2026-03-01; got 2026-03-01T10:00:00.000Z']
  ]
  for (const [fields, difference] of wrong) {
    t.strictSame(await differencesOf({ transactions: { txn_a: fields } }), [
      `transactions.txn_a.${difference}`
    ])
  }
  const location = {
    address: { country: 'us', city: null },
    metadata: { table: '5', order: null, toString: null, max: { not: digestOf('4999') } },
    phone: null
  }
  t.strictSame(
    await differencesOf({ locations: { loc_a: location } }),
    [],
    'a country is stored in upper case; metadata that is not there is null'
  )
})

t.test("expect: sums and values of a family's records", async t => {
  const right: object[] = parse(`[
    { count: { gte: 1, lte: 4 } }, { count: { not: 3 } }, { where: { ticket: { reference: A } }, count: 1 }, { where: { location: { account: mch_a } }, count: 4 },
    { where: { ticket.location.account.reseller: rsl_a }, count: 4 }, { where: { location: { account: { reseller: { reseller: null } } } }, count: 4 },
    { where: { ticket: { location: { account: { metadata: { tier: gold } } } } }, count: 4 }, { where: { 'ticket[location]': loc_a }, count: 1 },
    { where: { 'location.metadata[a.b]': x }, count: 1 }, { where: { location: { metadata: { a.b: x } } }, count: 1 },
    { where: { currency: usd }, sum: { amount: 9999, amount_refunded: { gte: 999, lt: 1000 }, tip_amount: 700 } },
    { where: { amount: 1 }, count: 0, sum: { amount: 0 } },
    { where: { payment_type: card, amount: 5000 }, count: 0 }, { where: { amount: 1 }, every: { amount: 2 } }, { every: { created: { lte: 2026-03-05 } } }
  ]`)
  for (const state of right)
    t.strictSame(await differencesOf({ transactions: state }), [], JSON.stringify(state))
  t.strictSame(
    await differencesOf({ refunds: { sum: { amount: 999, 'transaction.amount': 4999 } } }),
    []
  )

  const wrong: [state: object, ...differences: string[]][] = parse(`[
    [{ count: { gt: 4 } }, 'transactions: expected > 4; got 4'],
    [{ where: { ticket: { reference: B } }, count: { gte: 1 } }, 'transactions with {"ticket":{"reference":"B"}}: expected >= 1; got 0'],
    [{ where: { currency: eur }, count: 2, sum: { amount: 111 } }, 'transactions with {"currency":"eur"}: sum of amount: expected 111; got 110'],
    [{ sum: { amount: 1 } }, 'transactions: sum of amount: expected one currency (add it to where); got eur and usd'],
    [{ where: { amount: 1 }, count: { gte: 1 } }, 'transactions with {"amount":1}: expected >= 1; got 0'],
    [{ where: { currency: eur }, every: { payment_type: card, amount: 50 } },
      'transactions.txn_c.payment_type: expected card; got emv', 'transactions.txn_d.payment_type: expected card; got emv', 'transactions.txn_d.amount: expected 50; got 60'],
    [{ every: { amount: { lte: 10, not: 4999 } } }, 'transactions.txn_a.amount: expected <= 10 and not 4999; got 4999',
      'transactions.txn_b.amount: expected <= 10 and not 4999; got 5000', 'transactions.txn_c.amount: expected <= 10 and not 4999; got 50'],
    [{ where: { payment_type: card }, every: { amount: 1 } }, 'transactions.txn_a.amount: expected 1; got 4999']
  ]`)
  for (const [state, ...differences] of wrong) {
    t.strictSame(await differencesOf({ transactions: state }), differences, JSON.stringify(state))
  }
})

t.test('expect: a field that can never be what is wanted is refused', async t => {
  const states: [state: object, ...problems: string[]][] = parse(`[
    [{}, 'expect[0].state empty'], [{ refunds: { sum: 5000 } }, 'expect[0].state.refunds.sum wrong_type'],
    [{ transactions: { count: 1, where: { payment_type: visa } } }, state.transactions.where.payment_type never_matches],
    [{ transactions: { count: 1, where: { payment_type: { not: [visa] } } } }, state.transactions.where.payment_type.not never_matches],
    [{ transactions: { count: 1, where: { customer: { name: { gt: A } } } } }, state.transactions.where.customer.name.gt not_comparable],
    [{ locations: { loc_a: { metadata: { table: 5 } } } }, state.locations.loc_a.metadata.table never_matches],
    [{ accounts: { mch_a: { nme: A } } }, state.accounts.mch_a.nme unknown_field], [{ refunds: { where: { amount: 5 } } }, 'expect[0].state.refunds.where needs'],
    [{ refunds: { sum: {}, every: {} } }, 'expect[0].state.refunds.sum empty', 'expect[0].state.refunds.every empty'],
    [{ refunds: { count: { get: 1 } } }, 'expect[0].state.refunds.count.get unknown_name'],
    [{ transactions: { txn_a: { amount: [] } } }, 'expect[0].state.transactions.txn_a.amount too_few_items'],
    [{ refunds: { sum: { 'transaction[customer': 1 } } }, 'state.refunds.sum.transaction[customer unknown_field'],
    [{ refunds: { sum: { transaction.customer: 1, transaction.refunds: 1 } } }, state.refunds.sum.transaction.customer never_matches, state.refunds.sum.transaction.refunds unknown_field],
    [{ refunds: { sum: { reason: 1, amount * 2: 1, amount - transaction.amount: 1 } } }, state.refunds.sum.reason never_matches, 'state.refunds.sum.amount * 2 unknown_field', state.refunds.sum.amount - transaction.amount unknown_field],
    [{ refunds: { every: { transaction: { tickt: A } } } }, state.refunds.every.transaction.tickt unknown_field],
    [{ refunds: { every: { metadata: { transaction: { id: txn_a } } } } }, state.refunds.every.metadata.transaction.id unknown_field]
  ]`)
  const ofCharge: [fields: object, problem: string][] = parse(`[
    [{ amount: '4999' }, amount never_matches], [{ amount: '>4999' }, amount never_matches], [{ amount: null }, amount never_matches],
    [{ amount: -1 }, amount never_matches],
    [{ amount: { gt: '5' } }, amount.gt wrong_type],
    [{ created: { gt: noon } }, created.gt wrong_format], [{ payment_method: card }, payment_method never_matches],
    [{ payment_method: { card: { las4: '0341' } } }, payment_method.card.las4 unknown_field],
    [{ payment_method: { card: { last4: 341 } } }, payment_method.card.last4 never_matches], [{ ticket: '\${pay.ticket}' }, ticket reference_without_value]
  ]`)
  for (const [fields, problem] of ofCharge)
    states.push([{ transactions: { txn_a: fields } }, `state.transactions.txn_a.${problem}`])
  for (const [state, ...problems] of states)
    t.strictSame(await differencesOf(state), problems, JSON.stringify(state))
})
