import t from 'tap'
import { NOW, RESELLER, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'

const records = {
  users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }],
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }]
}
/** A small fixture with a script. */
const scripted = (script: object[], more: object = {}) => ({ clock: NOW, data: smallFixture(records), script, ...more })

t.test('steps: they are played at load through the real rules, and are in the first state', async t => {
  const scenario = {
    ...scripted([{ on: 'POST /refunds', respond: { status: 418 } }], { expect: [{ on: 'POST /refunds', times: 0 }] }),
    steps: [
      { as: 'payment', do: 'POST /transactions', body: { ticket: '${tkt_a}', payment_type: 'vip', amount: 500, customer: { phone: '1' }, currency: null } },
      { as: 'refund', do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 200 }, expect: { status: 200, body: { amount: 200 } } },
      { do: 'POST /refunds', body: { transaction: '${payment.id}', amount: 301 }, expect: { status: 400, body: { error: { rule: 'REF-7' } } } },
      { do: 'POST /locations', key: RESELLER, body: { display_name: 'X', address: { country: 'US' } }, expect: { status: 403 } },
      { do: 'GET /refunds', query: { transaction: '${payment.id}', limit: 1 }, expect: { body: { data: [{ id: '${refund.id}' }], has_more: false } } },
      { do: 'DELETE /accounts/mch_a/users/usr_a', expect: { status: 204 } }
    ]
  }
  const { call, control, logs, state } = await startTestEmulator(t, { scenario })
  const before = await state()
  const { body } = await call('GET /refunds')

  t.strictSame([body.data[0].amount, (await call(`GET /transactions/${body.data[0].transaction}`)).body.amount_refunded], [200, 200])
  t.equal((await call('GET /accounts/mch_a/users')).body.data.length, 0)
  t.equal((await control('POST /verify')).status, 200, 'they are not counted')
  t.equal((await control('GET /script')).body.data[0].matched, 0, 'nor scripted')
  t.equal(logs.filter(line => line.includes('POST /next')).length, 0, 'nor logged')
  t.equal((await control('GET /assumptions')).body.data.find(({ id }: { id: string }) => id === 'A28').times, 0)
  t.equal((await call('GET /tickets')).headers['request-id'], 'req_4', 'nor do they take the ids of answers')
  t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 418)

  await control('POST /reset')
  t.equal(await state(), before, 'a reset goes back to behind them')
  const dry = await control('POST /load?dry_run', { scenario })
  t.strictSame([dry.status, dry.body.dry_run, await state()], [200, true, before])
})

t.test('steps: one that is answered otherwise than expected fails the load whole, with its line', async t => {
  const { control, state, call } = await startTestEmulator(t, { scenario: scripted([]) })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=1' })
  const before = [await state(), (await control('GET /settings')).text]
  const yaml = `
data:
  accounts: [{ id: mch_z, type: merchant, name: Z, email: z@example.com, address: { country: US } }]
  api_keys: [{ key: sk_z, account: mch_z }]
steps:
  - { as: place, do: POST /locations, body: { display_name: Z, address: { country: US } } }
  - { as: none, do: "GET /tickets/tkt_none" }
  - { do: "GET /locations/\${place.id}", expect: { body: { display_name: Y, phone: null } } }
  - { do: "GET /tickets/\${none.id}" }
`
  for (const path of ['/load', '/load?dry_run=1']) {
    const { status, body } = await control(`POST ${path}`, yaml, { 'content-type': 'application/yaml' })

    const places = body.error.problems.map(({ line, path }: Json) => `${line} ${path}`)
    t.strictSame([status, places], [400, ['7 steps[1]', '8 steps[2]', '9 steps[3]']])
    t.strictSame([await state(), (await control('GET /settings')).text], before, 'everything is as before')
  }
})
