import t from 'tap'
import { startTestEmulator } from '../support/emulator.js'

const charge = (fields: object = {}) => ({ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 1000, ...fields })

t.test('REF-4: without amount the whole remainder is refunded', async t => {
  const { call } = await startTestEmulator(t, { records: { transactions: [charge()], refunds: [{ transaction: 'txn_a', amount: 400 }] } })

  const { status, body } = await call('POST /refunds', { body: { transaction: 'txn_a' } })

  t.equal(status, 200)
  t.equal(body.amount, 600)
})
