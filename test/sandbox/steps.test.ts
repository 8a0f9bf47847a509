import t from 'tap'
import { NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'

t.test('steps: they are sent at load through the real rules', async t => {
  const users = [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }]
  const scenario = {
    clock: NOW,
    data: smallFixture({
      users,
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }]
    }),
    script: [{ on: 'POST /refunds', respond: { status: 418 } }],
    expect: [{ on: 'POST /refunds', times: 0 }],
    steps: [
      {
        as: 'payment',
        do: 'POST /transactions',
        body: {
          ticket: '${tkt_a}',
          payment_type: 'vip',
          amount: 500,
          customer: { phone: '1' },
          currency: null
        }
      },
      {
        as: 'refund',
        do: 'POST /refunds',
        body: { transaction: '${payment.id}', amount: 200 },
        expect: { status: 200, body: { amount: 200 } }
      },
      {
        do: 'POST /locations',
        key: RESELLER,
        body: { display_name: 'X', address: { country: 'US' } },
        expect: { status: 403 }
      },
      { do: 'DELETE /accounts/mch_a/users/usr_a', expect: { status: 204 } }
    ]
  }
  const { call, control, logs, state } = await startTestEmulator(t, { scenario })
  const before = await state()
  const { body } = await call('GET /refunds')

  t.strictSame(
    [
      body.data[0].amount,
      (await call(`GET /transactions/${body.data[0].transaction}`)).body.amount_refunded
    ],
    [200, 200]
  )
  t.equal((await call('GET /accounts/mch_a/users')).body.data.length, 0)
  t.equal((await control('POST /verify')).status, 200, 'they are not counted')
  t.equal((await control('GET /script')).body.data[0].matched, 0, 'nor scripted')
  t.equal(logs.filter(line => line.includes('POST /next')).length, 0, 'nor logged')
  t.equal(
    (await control('GET /assumptions')).body.data.find(({ id }: { id: string }) => id === 'A28')
      .times,
    0
  )
  t.equal((await call('GET /tickets')).headers['request-id'], 'req_4')
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 418)

  await control('POST /reset')
  t.equal(await state(), before, 'a reset goes back to behind them')
  const dry = await control('POST /load?dry_run', { scenario })
  t.strictSame([dry.status, dry.body.dry_run, await state()], [200, true, before])
})
