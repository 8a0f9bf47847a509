import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findTicket,
  payByCard,
  payByGuest,
  paymentsSince,
  readPayment,
  readTicket
} from './till.mjs'

test('a bill is found by its table', async () => {
  const ticket = await findTicket('loc_bistro', 'T-60')

  assert.equal(ticket.id, 'tkt_60')
  assert.equal((await readTicket('tkt_60')).reference, 'T-60')
})

test('a bill that there is not is not found', async () => {
  assert.equal(await findTicket('loc_bistro', 'T-999'), null)
})

test('a card payment is recorded with its tip, and shows the card it was made with', async () => {
  const { id } = await payByCard('tkt_60', {
    amount: 4200,
    tip_amount: 700,
    brand: 'visa',
    last4: '4242'
  })

  const payment = await readPayment(id)
  assert.equal(payment.amount, 4200)
  assert.equal(payment.tip_amount, 700)
  assert.equal(payment.payment_method.card.last4, '4242')
})

test('an amount in whole dollars and cents is refused', async () => {
  await assert.rejects(
    payByCard('tkt_60', { amount: '42.00', tip_amount: 0, brand: 'visa', last4: '4242' }),
    { status: 400, code: 'parameter_invalid' }
  )
})

test('a guest of the house has to leave a telephone number', async () => {
  await assert.rejects(payByGuest('tkt_60', { amount: 3000 }), {
    status: 400,
    code: 'parameter_missing'
  })
  assert.equal(
    (await payByGuest('tkt_60', { amount: 3000, phone: '+1 617 555 0100' })).payment_type,
    'vip'
  )
})

test('the payments of a day are all there, however many pages they take', async () => {
  const payments = await paymentsSince('loc_bistro', '2026-02-01')

  assert.ok(payments.length > 10)
  assert.equal(new Set(payments.map(({ id }) => id)).size, payments.length)
})
