import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commerce, openTicket } from './commerce.mjs'
import { Till } from './till.mjs'

const till = new Till(commerce)

test('a payment is refunded in part, and never beyond what was paid', async () => {
  const { id } = await till.pay(await openTicket(), 3000)

  await till.refund(id, 1000)

  await assert.rejects(till.refund(id, 2001), { code: 'refund_exceeds_remaining' })
  assert.equal((await till.payment(id)).amount_refunded, 1000)
})

test('a declined card pays nothing', async () => {
  const ticket = await openTicket()
  const error = { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
  await commerce.script.add({ on: 'POST /transactions', calls: 1, respond: { status: 402, error } })

  await assert.rejects(till.pay(ticket, 3000), { status: 402, code: 'card_declined' })

  assert.equal((await till.pay(ticket, 3000)).amount, 3000)
  await commerce.verify({ on: 'POST /transactions', times: 2 })
})

test('each test begins in the same state', async () => {
  await openTicket('T-own')

  const { tickets } = await commerce.state()
  assert.equal(tickets.filter(({ reference }) => reference === 'T-own').length, 1)
})
