import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteOnRefund, payByCard, readPayment, refund, refundsOf } from './till.mjs'

const payment = async amount =>
  (await payByCard('tkt_60', { amount, tip_amount: 0, brand: 'visa', last4: '4242' })).id

test('a refund in parts, the rest without an amount, and no more', async () => {
  const id = await payment(5000)

  const soup = await refund(id, { amount: 2000, reason: 'cold soup', metadata: { shift: 'late' } })
  const rest = await refund(id)

  assert.equal(soup.amount, 2000)
  assert.equal(soup.reason, 'cold soup')
  assert.equal(rest.amount, 3000)
  assert.equal(rest.reason, null)
  assert.equal((await readPayment(id)).amount_refunded, 5000)
  await assert.rejects(refund(id), { code: 'charge_already_refunded' })
})

test('more than was paid is not given back', async () => {
  await assert.rejects(refund(await payment(5000), { amount: 5001 }), {
    status: 400,
    code: 'refund_exceeds_remaining'
  })
})

test('the refunds of a payment are listed, the last first, and can be noted on', async () => {
  const id = await payment(5000)
  const first = await refund(id, { amount: 100 })
  const second = await refund(id, { amount: 200 })

  assert.deepEqual(
    (await refundsOf(id)).data.map(refund => refund.id),
    [second.id, first.id]
  )
  assert.deepEqual((await noteOnRefund(first.id, { by: 'Ana' })).metadata, { by: 'Ana' })
})

test('a payment that there is not cannot be refunded', async () => {
  await assert.rejects(refund('txn_none', { amount: 100 }), { status: 400 })
})
