/**
 * Lost payments that no client can show over HTTP except in a race: which requests count, and until
 * when.
 */
import t from 'tap'
import { Changers } from '../../src/evidence/evidence.js'
import { LostAnswers } from '../../src/evidence/lost.js'
import { Findings } from '../../src/evidence/mistakes.js'
import { deleteRecord } from '../../src/sandbox/records.js'
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
/** A created Refund of 5. */
const REFUND: Given = {
  operation: 'createRefund',
  body: form('amount=5'),
  record: CHARGE as never,
  result: refundOf('rfd_0') as never
}

const look = (lost: LostAnswers, given: Given, isLost: boolean) => {
  const one = judgedRequest(given)
  return lost.look(one, one.reading, isLost)
}

t.test('lost responses: a Refund is in its Transaction until ten were made after it', t => {
  for (const [later, isSeen] of [
    [9, true],
    [10, false]
  ] as const) {
    const store = new Store()
    store.locations.insert({ id: 'loc_a', account: 'mch_a', created: CREATED } as never)
    store.transactions.insert(CHARGE as never)
    for (let nth = 0; nth <= later; nth++) store.putRefund(refundOf(`rfd_${nth}`) as never)
    const lost = new LostAnswers()
    look(lost, { ...REFUND, store }, true)

    look(lost, { operation: 'readTransaction', store, result: CHARGE as never }, false)

    t.equal(lost.known.get('req_1')?.isSeen, isSeen, `${later} later ones`)
  }
  t.end()
})

t.test('lost responses: an older request counts as a check only if it shows the record', t => {
  const lost = new LostAnswers()
  look(lost, { ...REFUND, result: refundOf('rfd_0') as never }, true)
  const older = (shown: object, operation: 'readTransaction' | 'listRefunds') => {
    look(lost, { operation, isPast: true, result: shown as never }, false)
    return lost.known.get('req_1')?.isSeen
  }

  t.strictSame(
    [older(CHARGE, 'readTransaction'), older({ object: 'list', data: [] }, 'listRefunds')],
    [false, false]
  )
  t.equal(older({ object: 'list', data: [refundOf('rfd_0')] }, 'listRefunds'), true)
  t.end()
})

t.test('lost responses, foreign-record: records deleted meanwhile are not reported', async t => {
  const script = [{ on: 'POST /transactions', fault: 'connection_reset', when: 'after' }]
  const { world, executed } = await startWorld({ scenario: { data: smallFixture(), script } })
  const read = executed('GET /tickets/tkt_a', { key: RESELLER })
  const paid = executed('POST /transactions', {
    key: null,
    body: 'ticket=tkt_a&payment_type=external&amount=5'
  })
  const findings = () =>
    new Findings().look(read, read.reading, new Changers()).map(({ finding }) => finding)
  t.strictSame(findings(), ['foreign-record'])
  deleteRecord(world, 'transactions', (paid.outcome.result as { id: string }).id)
  for (const [family, id] of [
    ['tickets', 'tkt_a'],
    ['locations', 'loc_a']
  ] as const)
    deleteRecord(world, family, id)

  t.strictSame(findings(), [])
  const lost = new LostAnswers()
  t.equal(lost.look(paid, paid.reading, true), null)
  t.equal(lost.known.size, 1)
})

t.test('lost responses: a list from before the Refund does not show it', t => {
  const lost = new LostAnswers()
  look(lost, REFUND, true)

  look(lost, { operation: 'listRefunds', result: { object: 'list', data: [] } as never }, false)

  t.equal(lost.known.size > 0, true)
  t.end()
})

type Sent = [
  operation: 'createRefund' | 'createTransaction',
  amount: string,
  more?: { found?: string | null; last4?: string; id?: string; made?: number }
]
t.test('lost responses: which payment repeats a lost one', t => {
  const sent = ([
    operation,
    amount,
    { found = 'txn_a', last4, id = 'req_9', made } = {}
  ]: Sent): Given => ({
    id,
    operation,
    outcome: made === undefined ? 'lost_before' : 'answered',
    result: made === undefined ? null : ({ ...refundOf('rfd_0'), amount: made } as never),
    body: form(amount && `amount=${amount}`),
    record: found === null ? null : ({ ...CHARGE, id: found } as never),
    values: last4 === undefined ? {} : { card: { last4 } }
  })
  const five: Sent = ['createRefund', '5']
  const pays: Sent = ['createTransaction', '5']
  const card = (last4: string): Sent => ['createTransaction', '5', { last4 }]
  const rows: [lost: Sent[], seen: string[], again: Sent, repeats: string | undefined][] = [
    [[five], [], five, 'req_0'],
    [[five], [], ['createRefund', '9'], 'req_0'],
    [[five], ['req_0'], ['createRefund', '9'], undefined],
    [[five], ['req_0'], five, 'req_0'],
    [[five], ['req_0'], ['createRefund', ''], 'req_0'],
    [[five], [], ['createRefund', '5', { found: 'txn_b' }], undefined],
    [[five], [], ['createRefund', '5', { found: null }], undefined],
    [[five], [], pays, undefined],
    [[['createRefund', '', { made: 5 }]], ['req_0'], five, 'req_0'],
    [[pays], [], ['createTransaction', '6'], undefined],
    [[card('1111')], [], pays, 'req_0'],
    [[pays], [], card('1111'), 'req_0'],
    [[card('1111')], [], card('1111'), 'req_0'],
    [[card('1111')], [], card('2222'), undefined],
    [[five, five], ['req_0'], five, 'req_1'],
    [[five, five], ['req_1'], five, 'req_0'],
    [[five, five], ['req_0', 'req_1'], five, 'req_1'],
    [[five], [], ['createRefund', '5', { id: 'req_0' }], undefined]
  ]
  for (const [first, seen, again, repeats] of rows) {
    const lost = new LostAnswers()
    for (const [nth, [operation, amount, more]] of first.entries()) {
      const one = judgedRequest(sent([operation, amount, { ...more, id: `req_${nth}` }]))
      lost.note(one, one.reading)
    }
    for (const id of seen) Object.assign(lost.known.get(id) as object, { isSeen: true })
    const label = JSON.stringify([first, seen, again])
    t.equal(look(lost, sent(again), true)?.request, repeats, label)
  }
  t.end()
})
