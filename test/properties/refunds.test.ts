/**
 * Refunds compared with a plain model, a map of what was charged and refunded: no requests, in any
 * order, refund more than a charge.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type Answer, startTestEmulator } from '../support/emulator.js'
import { property } from '../support/property.js'

const nth = fc.oneof(fc.constant(0), fc.nat(20))
const sum = fc.option(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(1000)), { freq: 3 })
/** A request; `nth` picks one of the Transactions or Refunds created so far. */
const call = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pay' as const), amount: sum, tip: sum, donation: sum })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      nth,
      amount: fc.option(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40 })), {
        freq: 15
      })
    })
  },
  fc.record({
    do: fc.constant('refund wrongly' as const),
    nth,
    amount: fc.constantFrom('0', '-1', '1.5', '1e1', '0x1', 'all', '9007199254740992', ' 1')
  }),
  fc.record({ do: fc.constant('refund nothing known' as const) }),
  fc.record({ do: fc.constant('update' as const), nth, value: fc.constantFrom('', 'x', '5') }),
  fc.record({
    do: fc.constant('update wrongly' as const),
    nth,
    name: fc.constantFrom('amount', 'transaction', 'reason', 'currency')
  })
)

type Call = typeof call extends fc.Arbitrary<infer C> ? C : never
type Charge = { charged: number; refunded: number }
type Model = {
  charges: Map<string, Charge>
  refunds: Map<string, { transaction: string; amount: number }>
}
const pick = <V>(values: readonly V[], nth: number): V | undefined => values[nth % values.length]

function refusalOf({ charged, refunded }: Charge, amount: number | null): string | null {
  if (charged === 0) return 'charge_has_no_amount'
  if (refunded === charged) return 'charge_already_refunded'
  return amount !== null && amount > charged - refunded ? 'refund_exceeds_remaining' : null
}

t.test('through the API', async t => {
  const { call: send, control } = await startTestEmulator(t, { logged: false })
  const post = (path: string, body: Record<string, unknown>) =>
    send(`POST ${path}`, {
      body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    })
  const refusedWith = ({ status, body }: Answer, code: string) =>
    deepEqual([status, body.error?.code], [400, code])

  async function make(call: Call, model: Model, withExtras: boolean): Promise<void> {
    const { charges, refunds } = model
    if (call.do === 'pay') {
      const { amount, tip, donation } = call
      const { status, body } = await post('/transactions', {
        ticket: 'tkt_a',
        payment_type: 'external',
        amount,
        tip_amount: tip,
        donation_amount: donation
      })
      equal(status, 200)
      charges.set(body.id, {
        charged: (amount ?? 0) + (withExtras ? (tip ?? 0) + (donation ?? 0) : 0),
        refunded: 0
      })
      return
    }
    if (call.do === 'refund nothing known')
      return refusedWith(
        await post('/refunds', { transaction: 'txn_none', amount: 1 }),
        'reference_missing'
      )
    if (call.do === 'update' || call.do === 'update wrongly') {
      const id = pick([...refunds.keys()], call.nth)
      if (id === undefined) return
      if (call.do === 'update')
        return equal((await post(`/refunds/${id}`, { 'metadata[k]': call.value })).status, 200)
      const code = call.name === 'currency' ? 'parameter_unknown' : 'parameter_not_updatable'
      return refusedWith(
        await post(`/refunds/${id}`, { [call.name]: '1', 'metadata[k]': 'lost' }),
        code
      )
    }
    const transaction = pick([...charges.keys()], call.nth)
    if (transaction === undefined) return
    const answer = await post('/refunds', { transaction, amount: call.amount })
    if (call.do === 'refund wrongly') return refusedWith(answer, 'parameter_invalid')
    const charge = charges.get(transaction) as Charge
    const refusal = refusalOf(charge, call.amount)
    if (refusal !== null) return refusedWith(answer, refusal)
    const amount = call.amount ?? charge.charged - charge.refunded
    deepEqual(
      [answer.status, answer.body.amount, answer.body.transaction],
      [200, amount, transaction]
    )
    refunds.set(answer.body.id, { transaction, amount })
    charge.refunded += amount
  }

  async function compare({ charges, refunds }: Model): Promise<void> {
    const { data } = (await send('GET /transactions', { query: 'limit=100' })).body
    equal(data.length, charges.size)
    for (const { id, amount_refunded, refunds: embedded } of data) {
      const { charged, refunded } = charges.get(id) as Charge
      const { data: all } = (await send('GET /refunds', { query: `transaction=${id}&limit=100` }))
        .body
      ok(amount_refunded >= 0 && amount_refunded <= charged, `${amount_refunded} of ${charged}`)
      equal(amount_refunded, refunded)
      equal(
        all.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0),
        refunded
      )
      const own = [...refunds].filter(([, refund]) => refund.transaction === id).map(([id]) => id)
      deepEqual(
        all.map((refund: { id: string }) => refund.id),
        own.toReversed()
      )
      deepEqual(embedded.data, all.slice(0, 10), 'the ten most recent are embedded')
      equal(embedded.has_more, all.length > 10)
    }
  }
  const begin = async (withExtras: boolean) => {
    await control('POST /reset')
    await control('PATCH /settings', {
      transactions: { refundable: withExtras ? 'amount_plus_extras' : 'amount' }
    })
  }

  await property(
    t,
    'REF-1, REF-3 to REF-7, TXN-8: any calls are answered as the model says, and 0 <= refunded <= charged',
    {
      of: fc.tuple(fc.array(call, { minLength: 1, maxLength: 50, size: 'max' }), fc.boolean()),
      runs: 20
    },
    async ([calls, withExtras]) => {
      const model: Model = { charges: new Map(), refunds: new Map() }
      await begin(withExtras)

      for (const call of calls) await make(call, model, withExtras)

      await compare(model)
    }
  )
})
