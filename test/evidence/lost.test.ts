/**
 * What no client can show over HTTP, or only in a race: which requests count as lost payments, and
 * until when.
 */
import t from 'tap'
import { Findings } from '../../src/evidence/findings.js'
import { LostAnswers } from '../../src/evidence/lost.js'
import { Store } from '../../src/store/store.js'
import { form, type Given, judgedRequest } from '../support/judged-request.js'
import { RESELLER, smallFixture } from '../support/requests.js'
import { startWorld } from '../support/world.js'

const CREATED = '1970-01-01T00:00:00.000Z'
const CHARGE = {
  object: 'transaction',
  id: 'txn_a',
  location: 'loc_a',
  created: CREATED,
  amount_refunded: 0
}
const refundOf = (id: string) => ({
  object: 'refund',
  id,
  transaction: 'txn_a',
  amount: 1,
  created: CREATED
})
/** A Refund of 5 that was made. */
const REFUND: Given = {
  operation: 'createRefund',
  body: form('amount=5'),
  found: CHARGE as never,
  shown: refundOf('rfd_0') as never
}

t.test('lost answers: a request that makes no payment is not remembered', t => {
  for (const [what, given] of Object.entries({
    'a Ticket that is looked at': {
      operation: 'readTicket',
      found: { id: 'tkt_a', location: 'loc_a' }
    },
    'a Refund of no Transaction': { ...REFUND, found: null },
    'a payment of no Ticket': { operation: 'createTransaction' },
    'no operation': { operation: null }
  })) {
    const lost = new LostAnswers()
    lost.look(judgedRequest(given as Given), true)
    t.equal(lost.known.size, 0, what)
  }
  t.end()
})

t.test('lost answers: a payment is lost until the same is answered', t => {
  const payment: Given = {
    operation: 'createTransaction',
    found: { id: 'tkt_a', location: 'loc_a' } as never,
    shown: CHARGE as never
  }
  for (const [what, given] of Object.entries({ 'a Refund': REFUND, 'a payment': payment })) {
    const lost = new LostAnswers()
    t.equal(
      lost.look(judgedRequest({ ...given, outcome: 'lost_before', shown: null }), true),
      null,
      what
    )
    t.equal(
      lost.look(judgedRequest({ ...given, id: 'req_2', outcome: 'refused', shown: null }), false),
      'req_1',
      `${what} that is refused`
    )
    t.equal(
      lost.look(judgedRequest({ ...given, id: 'req_3' }), false),
      'req_1',
      `${what} that is answered`
    )
    t.equal(lost.known.size, 0, what)
  }
  t.end()
})

t.test('lost answers: a request does not repeat itself when its client left before it ended', t => {
  const lost = new LostAnswers()
  lost.note(judgedRequest(REFUND))

  t.equal(lost.look(judgedRequest(REFUND), true), null)
  t.equal(lost.look(judgedRequest({ ...REFUND, id: 'req_2' }), false), 'req_1')
  t.end()
})

t.test(
  'lost answers: a Refund that was made stands in its Transaction until ten were made after it, however late it ends',
  t => {
    for (const [later, isSeen] of [
      [9, true],
      [10, false]
    ] as const) {
      const store = new Store()
      store.locations.insert({ id: 'loc_a', account: 'mch_a', created: CREATED } as never)
      store.transactions.insert(CHARGE as never)
      for (let nth = 0; nth <= later; nth++) store.putRefund(refundOf(`rfd_${nth}`) as never)
      const lost = new LostAnswers()
      lost.look(judgedRequest({ ...REFUND, identifiedIn: store }), true)

      lost.look(
        judgedRequest({
          operation: 'readTransaction',
          identifiedIn: store,
          shown: CHARGE as never
        }),
        false
      )

      t.equal(lost.known.size === 0, isSeen, `${later} later ones`)
    }
    t.end()
  }
)

t.test(
  'lost answers: what is older than the request is a look only where it shows the record',
  t => {
    const lost = new LostAnswers()
    const past = new Store()
    lost.look(judgedRequest({ ...REFUND, shown: refundOf('rfd_0') as never }), true)
    const older = (shown: object, operation: 'readTransaction' | 'listRefunds') => {
      lost.look(judgedRequest({ operation, past, shown: shown as never }), false)
      return lost.known.size
    }

    t.strictSame(
      [older(CHARGE, 'readTransaction'), older({ object: 'list', data: [] }, 'listRefunds')],
      [1, 1]
    )
    t.equal(older({ object: 'list', data: [refundOf('rfd_0')] }, 'listRefunds'), 0)
    t.end()
  }
)

t.test(
  'lost answers, foreign-record: a request whose records were deleted before it was over says nothing of them',
  async t => {
    const script = [{ on: 'POST /transactions', fault: 'connection_reset', when: 'after' }]
    const { world, executed } = await startWorld({ scenario: { data: smallFixture(), script } })
    const read = executed('GET /tickets/tkt_a', { key: RESELLER })
    const paid = executed('POST /transactions', {
      key: null,
      body: 'ticket=tkt_a&payment_type=external&amount=5'
    })
    paid.isDelivered = false
    const findings = () => new Findings().look(read).map(({ finding }) => finding)
    t.strictSame(findings(), ['foreign-record'])
    world.deleteRecord('transactions', (paid.outcome.shown as { id: string }).id)
    for (const [family, id] of [
      ['tickets', 'tkt_a'],
      ['locations', 'loc_a']
    ] as const)
      world.deleteRecord(family, id)

    t.strictSame(findings(), [])
    const lost = new LostAnswers()
    t.equal(lost.look(paid, true), null)
    t.equal(lost.known.size, 1)
  }
)

t.test('lost answers: a list that was made before the Refund does not show it', t => {
  const lost = new LostAnswers()
  lost.look(judgedRequest(REFUND), true)

  lost.look(
    judgedRequest({ operation: 'listRefunds', shown: { object: 'list', data: [] } as never }),
    false
  )

  t.equal(lost.known.size > 0, true)
  t.end()
})
