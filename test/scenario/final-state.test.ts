import t from 'tap'
import { parse } from 'yaml'
import { compileExpectation } from '../../src/scenario/expectations.js'
import type { StateRecords } from '../../src/scenario/final-state.js'
import { SCENARIO_CHECKER } from '../../src/scenario/schemas.js'
import { coded, reported } from '../support/codes.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }

t.test('expect: the records in the end, by id and by count', async t => {
  const cases: [state: object, before: boolean, after: boolean][] = parse(`[
    [{ transactions: { txn_a: { amount_refunded: 400 } } }, false, true], [{ transactions: { txn_b: {} } }, false, false],
    [{ transactions: { txn_b: null } }, true, true], [{ transactions: { txn_a: null } }, false, false],
    [{ transactions: { txn_a: { payment_method: { type: card } } } }, true, true], [{ refunds: { count: 1 } }, false, true],
    [{ refunds: { count: 1, where: { transaction: txn_a, amount: 400 } } }, false, true], [{ refunds: { count: 0, where: { amount: 401 } } }, true, true],
    [{ refunds: { count: 0 } }, true, false], [{ refunds: { count: 2 }, transactions: { txn_a: { amount: 1 } } }, false, false]
  ]`)
  const expect = cases.map(([state]) => ({ state }))
  const emulator = await startTestEmulator(t, { scenario: { data: smallFixture({ transactions: [CHARGE] }), expect } })
  const held = async () => (await emulator.control('POST /verify')).body.expectations.map(({ holds }: { holds: boolean }) => holds)

  t.equal((await held()).join(), cases.map(([, before]) => before).join())
  await emulator.call('POST /refunds', { body: 'transaction=txn_a&amount=400' })
  t.equal((await held()).join(), cases.map(([, , after]) => after).join())
  const { status, body } = await emulator.control('POST /verify', { state: { transactions: { txn_a: { amount_refunded: 400 } } } })
  t.strictSame([status, body], [200, { holds: true, message: 'The records are as expected.' }])
  const wrong = await emulator.control('POST /verify', { state: { refunds: { count: 2 } }, within: '10ms' })
  t.strictSame([wrong.status, wrong.body.message], [409, 'refunds: wanted 2; got 1'])
})

const RECORDS: Readonly<Record<string, Json[]>> = parse(`
  locations: [{ id: loc_a, display_name: A, address: { country: US, city: null }, phone: null, metadata: { table: '5' } }]
  transactions:
    - { id: txn_a, created: '2026-03-01T10:00:00.000Z', payment_type: card, amount: 4999, tip_amount: null, donation_amount: 300,
        payment_method: { card: { last4: '0341' } } }
    - { id: txn_b, created: '2026-03-02T10:00:00.000Z', payment_type: vip, amount: 5000, tip_amount: 700, payment_method: { card: null } }
  refunds: []
`)
const SOME_RECORDS: StateRecords = {
  record: (family, id) => RECORDS[family]?.find(record => record.id === id),
  all: family => RECORDS[family] as Json[]
}

/** How the records differ from an expected state, or what is wrong with it. */
async function differencesOf(state: object): Promise<string[]> {
  const problems = (await SCENARIO_CHECKER.problems({ expect: [{ state }] })).map(({ path, ...said }) => coded(path, said))
  if (problems.length > 0) return problems
  const { found, report } = reported()
  const expectation = await compileExpectation({ state }, report)
  return expectation !== null && 'differences' in expectation
    ? (await expectation.differences(SOME_RECORDS)).map(({ at, message }) => `${at.join('.')} ${message}`)
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
    t.strictSame(await differencesOf({ transactions: { count: 1, where: { id: 'txn_a', ...fields } } }), [], `where ${shown}`)
  }
  const wrong: [fields: object, difference: string][] = [
    [{ amount: { gte: 5000 } }, 'amount: wanted >= 5000; got 4999'],
    [{ amount: { gt: 4999, lt: 6000 } }, 'amount: wanted > 4999 and < 6000; got 4999'],
    [{ amount: [1, 2] }, 'amount: wanted one of 1, 2; got 4999'],
    [{ payment_type: '/^v/' }, 'payment_type: wanted /^v/; got card'],
    [{ payment_type: { not: 'card' } }, 'payment_type: wanted not card; got card'],
    [{ tip_amount: { gt: 0 } }, 'tip_amount: wanted > 0; got nothing'],
    [{ tip_amount: '/./' }, 'tip_amount: wanted /./; got nothing'],
    [{ tip_amount: { present: true } }, 'tip_amount: wanted a value; got nothing'],
    [{ amount: { present: false } }, 'amount: wanted no value; got 4999'],
    [{ donation_amount: null }, 'donation_amount: wanted no value; got 300'],
    [{ payment_method: { card: null } }, 'payment_method.card: wanted no value; got an object or a list'],
    [{ payment_method: { bank_account: { last4: '0341' } } }, 'payment_method.bank_account.last4: wanted 0341; got nothing'],
    [{ created: '2026-03-01T10:00:01Z' }, 'created: wanted 2026-03-01T10:00:01Z; got 2026-03-01T10:00:00.000Z'],
    [{ created: { lt: '2026-03-01' } }, 'created: wanted < 2026-03-01; got 2026-03-01T10:00:00.000Z']
  ]
  for (const [fields, difference] of wrong) {
    const [name = ''] = difference.split(':')
    t.strictSame(await differencesOf({ transactions: { txn_a: fields } }), [`state.transactions.txn_a.${name} transactions.txn_a.${difference}`])
  }
  const location = { address: { country: 'us', city: null }, metadata: { table: '5', order: null }, phone: null }
  t.strictSame(await differencesOf({ locations: { loc_a: location } }), [], 'a country is stored in upper case; metadata that is not there is null')
})

t.test('expect: a field that can never be what is wanted is refused, and what means nothing', async t => {
  const states: [state: object, ...problems: string[]][] = parse(`[
    [{}, state no_family], [{ refunds: {} }, state.refunds no_record], [{ refunds: { sum: 5000 } }, 'expect[0].state.refunds.sum wrong_type'],
    [{ transactions: { count: 1, where: { payment_type: visa } } }, state.transactions.where.payment_type never_matches],
    [{ transactions: { count: 1, where: { payment_type: { not: [visa] } } } }, state.transactions.where.payment_type.not always_matches],
    [{ transactions: { count: 1, where: { customer: { name: { gt: A } } } } }, state.transactions.where.customer.name.gt not_comparable],
    [{ locations: { loc_a: { metadata: { table: 5 } } } }, state.locations.loc_a.metadata.table never_matches],
    [{ accounts: { mch_a: { nme: A } } }, state.accounts.mch_a.nme unknown_field]
  ]`)
  const ofCharge: [fields: object, problem: string][] = parse(`[
    [{ amount: '4999' }, amount never_matches], [{ amount: '>4999' }, amount never_matches], [{ amount: null }, amount never_matches],
    [{ amount: -1 }, amount never_matches], [{ amount: { lt: 0 } }, amount nothing_between], [{ amount: { gt: 5, lt: 3 } }, amount nothing_between],
    [{ amount: { gt: '5' } }, amount.gt wrong_type], [{ amount: { lt: 5, present: false } }, amount compares_nothing],
    [{ created: { gt: noon } }, created.gt wrong_format], [{ amount: [] }, amount matches_nothing], [{ payment_method: card }, payment_method never_matches],
    [{ payment_method: { card: { las4: '0341' } } }, payment_method.card.las4 unknown_field],
    [{ payment_method: { card: { last4: 341 } } }, payment_method.card.last4 never_matches], [{ ticket: '\${pay.ticket}' }, ticket other]
  ]`)
  for (const [fields, problem] of ofCharge) states.push([{ transactions: { txn_a: fields } }, `state.transactions.txn_a.${problem}`])
  for (const [state, ...problems] of states) t.strictSame(await differencesOf(state), problems, JSON.stringify(state))
})
