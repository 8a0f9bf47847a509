import t from 'tap'
import { RESELLER, startTestEmulator } from '../support/emulator.js'

const charge = (id: string, amount: number) => ({ id, ticket: 'tkt_a', payment_type: 'card', amount })
const records = {
  transactions: [charge('txn_a', 1000), charge('txn_done', 5), charge('txn_free', 0)],
  refunds: [
    { id: 'rfd_1', transaction: 'txn_a', amount: 400 },
    { id: 'rfd_2', transaction: 'txn_done', amount: 5 }
  ]
}

t.test('A07: a refusal says in words what was wrong, with the figures', async t => {
  const { call } = await startTestEmulator(t, { records })
  const cases: [on: string, options: object, message: string][] = [
    ['POST /locations', { body: 'address[country]=US' }, 'display_name is required. The name shown.'],
    ['POST /accounts', {}, 'type is required. One of merchant, reseller.'],
    [
      'POST /locations',
      { key: RESELLER, body: 'display_name=A&address[country]=US' },
      'Only merchant Accounts create Locations; the key acts as rsl_r, whose type is reseller.'
    ],
    ['GET /tickets/nope', {}, 'No Ticket has the id nope.'],
    ['DELETE /accounts/mch_a/users/usr_b', {}, 'No User has the id usr_b.'],
    ['POST /transactions', { body: 'ticket=nope&payment_type=card' }, 'ticket: no Ticket has the id nope.'],
    ['POST /refunds', { body: 'transaction=nope' }, 'transaction: no Transaction has the id nope.'],
    ['POST /refunds', { body: 'transaction=txn_a&amount=601' }, 'txn_a was charged 1000 usd, 400 of it has been refunded, 600 remain; 601 was asked.'],
    ['POST /refunds', { body: 'transaction=txn_done' }, 'txn_done was charged 5 usd, and all of it has been refunded.'],
    ['POST /refunds', { body: 'transaction=txn_free' }, 'txn_free settled nothing, so there is nothing to refund.'],
    ['POST /refunds/rfd_1', { body: 'amount=1' }, 'amount cannot be changed by an update; only metadata can.'],
    ['GET /tickets', { query: 'starting_after=nope' }, 'starting_after: no record of this list has the id nope.'],
    [
      'GET /tickets',
      { query: 'created[gte]=2026-01-03T12:00:00+01:00' },
      "created[gte] must be an ISO 8601 date or date-time, such as 2026-03-01 or 2026-03-01T18:00:00Z; a space is where a + was meant: write the offset's + as %2B; got 2026-01-03T12:00:00 01:00."
    ]
  ]
  for (const [on, options, message] of cases) t.equal((await call(on, options)).body.error.message, message, on)
})
