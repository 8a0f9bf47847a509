import t from 'tap'
import { MERCHANT, smallFixture, startTestEmulator } from '../support/emulator.js'

const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }
const start = (t: Parameters<typeof startTestEmulator>[0], expect: object[]) =>
  startTestEmulator(t, { scenario: { data: smallFixture({ transactions: [CHARGE] }), expect } })

t.test('expect: the records in the end, by id and by count', async t => {
  const cases: [state: object, before: string | true, after: string | true][] = [
    [{ transactions: { txn_a: { amount_refunded: 400 } } }, 'transactions.txn_a.amount_refunded: 400 was expected, not 0', true],
    [{ transactions: { txn_b: {} } }, 'transactions.txn_b: there is no such Transaction', 'transactions.txn_b: there is no such Transaction'],
    [{ transactions: { txn_b: null } }, true, true],
    [
      { transactions: { txn_a: null } },
      'transactions.txn_a: no such Transaction was expected, but there is one',
      'transactions.txn_a: no such Transaction was expected, but there is one'
    ],
    [{ transactions: { txn_a: { payment_method: { type: 'card' } } } }, true, true],
    [{ refunds: { count: 1 } }, 'refunds: 1 was expected, there are 0', true],
    [
      { refunds: { count: 1, where: { transaction: 'txn_a', amount: 400 } } },
      'refunds: 1 with {"transaction":"txn_a","amount":400} was expected, there are 0',
      true
    ],
    [{ refunds: { count: 0, where: { amount: 401 } } }, true, true],
    [{ refunds: { count: 0 } }, true, 'refunds: 0 were expected, there is 1'],
    [
      { refunds: { count: 2 }, transactions: { txn_a: { amount: 1 } } },
      'refunds: 2 were expected, there are 0; transactions.txn_a.amount: 1 was expected, not 1000',
      'refunds: 2 were expected, there is 1; transactions.txn_a.amount: 1 was expected, not 1000'
    ]
  ]
  const emulator = await start(
    t,
    cases.map(([state]) => ({ state }))
  )
  const messages = async () => {
    const { body } = await emulator.control('POST /verify')
    return body.expectations.map(({ holds, message }: { holds: boolean; message: string }) => holds || message)
  }

  t.strictSame(
    await messages(),
    cases.map(([, before]) => before)
  )
  await emulator.call('POST /refunds', { body: 'transaction=txn_a&amount=400' })

  t.strictSame(
    await messages(),
    cases.map(([, , after]) => after)
  )
  const { status, body } = await emulator.control('POST /verify', { state: { transactions: { txn_a: { amount_refunded: 400 } } } })
  t.strictSame([status, body], [200, { holds: true, message: 'The records are as expected.' }])
  const wrong = await emulator.control('POST /verify', { state: { refunds: { count: 2 } }, within: '10ms' })
  t.strictSame([wrong.status, wrong.body.message], [409, 'refunds: 2 were expected, there is 1'])
})

t.test('expect: Refunds that were made are counted, whoever got the answer', async t => {
  const script = [
    { on: 'POST /refunds', calls: 1, fault: 'hang' },
    { on: 'POST /refunds', calls: 2, fault: 'connection_reset', when: 'after' }
  ]
  const expect = [
    { on: 'POST /refunds', took_effect: true, times: 1 },
    { on: 'POST /refunds', times: 3 },
    { on: 'POST /refunds', status: '4xx', times: 1 }
  ]
  const emulator = await startTestEmulator(t, { scenario: { data: smallFixture({ transactions: [CHARGE] }), script, expect } })
  const url = `http://127.0.0.1:${await emulator.listen()}/next/refunds`
  const refund = (patience: number) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${MERCHANT}:`)}` },
      body: new URLSearchParams({ transaction: 'txn_a' }),
      signal: AbortSignal.timeout(patience)
    }).then(
      ({ status }) => status,
      () => 'lost'
    )

  t.strictSame([await refund(1000), await refund(20_000), await refund(20_000)], ['lost', 'lost', 400])
  for (let left = 100; left > 0 && emulator.sandbox.evidence.journal.size < 3; left--) await new Promise(next => setTimeout(next, 10))

  const { body } = await emulator.control('POST /verify')
  t.strictSame(
    body.expectations.map(({ seen, holds }: { seen: number; holds: boolean }) => [seen, holds]),
    [
      [1, true],
      [3, true],
      [1, true]
    ]
  )
  const again = await emulator.control('POST /verify', { on: 'POST /refunds', took_effect: true, times: 1 })
  t.strictSame([again.body.holds, again.body.requests.map(({ id }: { id: string }) => id)], [true, ['req_2']])
})
