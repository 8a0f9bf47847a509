import t from 'tap'
import type { Schema } from '../../src/reference/parameters.js'
import { RESOURCES } from '../../src/reference/tables.js'
import { FAMILIES } from '../../src/store/store.js'
import type { Json } from '../support/json.js'
import { NOW } from '../support/requests.js'
import { startWorld } from '../support/world.js'

t.test('A04: an answer shows what a fixture gave under extra, and nothing else that is unknown', async t => {
  const extra = { vat_number: 'X1', nested: { list: [1, null, 'a'] }, 'odd "name"': true }
  const { call } = await startWorld({
    records: {
      locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' }, extra }],
      transactions: [{ id: 'txn_b', ticket: 'tkt_a', payment_type: 'card', amount: 9, extra: { terminal: 7 } }],
      refunds: [{ id: 'rfd_b', transaction: 'txn_b', amount: 1, extra: { batch: 'b1' } }],
      users: [{ id: 'usr_b', account: 'mch_a', name: 'U', email: 'u@example.com', extra: {} }]
    }
  })

  const location = call('GET /locations/loc_b')
  const listed = call('GET /locations')
  const payment = call('GET /transactions/txn_b')
  const updated = call('POST /locations/loc_b', { body: 'phone=1' })

  t.hasStrict(location.body, extra)
  const [user] = call('GET /accounts/mch_a/users').body.data
  t.strictSame(user, { id: 'usr_b', object: 'user', created: NOW, account: 'mch_a', name: 'U', email: 'u@example.com' })
  t.notOk('extra' in location.body)
  t.strictSame(listed.body.data[0], location.body)
  t.equal(payment.body.terminal, 7)
  t.equal(payment.body.refunds.data[0].batch, 'b1')
  t.strictSame(updated.body, { ...location.body, phone: '1' })
})

t.test('A04: a record holds what its table names, in that order, whether a fixture, the API or an update made it', async t => {
  const { call, world } = await startWorld({
    records: {
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000 }],
      refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount: 100 }]
    }
  })
  const forms: [on: string, body: string][] = [
    ['POST /locations', 'display_name=A&address[country]=US'],
    ['POST /locations/loc_a', 'phone=1&address[city]=B&metadata[k]=v'],
    ['POST /accounts', 'type=merchant&name=N&email=n@example.com&address[country]=US&address[line1]=1'],
    ['POST /accounts/mch_a', 'name=M&metadata='],
    ['POST /accounts/mch_a/users', 'name=U&email=u@example.com'],
    ['POST /transactions', 'ticket=tkt_a&payment_type=vip&customer[phone]=1&bank_account[bank_name]=B&amounts[tip_amount]=1&amount=9'],
    ['POST /transactions', 'ticket=tkt_a&payment_type=card&card[brand]=visa&card[last4]=4242&customer[name]=A&amount=9'],
    ['POST /refunds', 'transaction=txn_a&amount=1&metadata[__proto__]=x'],
    ['POST /refunds/rfd_a', 'metadata[a]=b']
  ]
  for (const [on, body] of forms) t.equal(call(on, { body }).status, 200, on)

  const namesOf = ({ properties = {} }: Schema): string[] => Object.keys(properties).filter(name => name !== 'refunds')
  for (const family of FAMILIES) {
    const schema: Schema = RESOURCES[family]
    for (const record of world.state.store[family].inCreationOrder() as unknown as Record<string, Json>[]) {
      t.strictSame(Object.keys(record), namesOf(schema), record.id)
      for (const [name, part] of Object.entries(schema.properties ?? {})) {
        if (part.properties && record[name] && name !== 'amounts') t.strictSame(Object.keys(record[name]), namesOf(part), `${record.id} ${name}`)
      }
    }
  }
  t.strictSame(call('GET /refunds', { query: 'limit=1' }).body.data[0].metadata, JSON.parse('{"__proto__":"x"}'))
})
