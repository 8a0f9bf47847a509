import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { startCommerce } from './commerce-container.mjs'

/** @type {{ url: string, stop: () => Promise<unknown> }} */
let commerce

before(async () => {
  commerce = await startCommerce()
})
beforeEach(() => fetch(`${commerce.url}/_control/reset`, { method: 'POST' }))
after(() => commerce?.stop())

test('a payment by card is charged in cents', async () => {
  const body = new URLSearchParams({ ticket: 'tkt_60', payment_type: 'card', amount: '4200', 'card[brand]': 'visa', 'card[last4]': '4242' })

  const response = await fetch(`${commerce.url}/next/transactions`, { method: 'POST', body })

  assert.equal(response.status, 200)
  assert.equal((await response.json()).amount, 4200)
})
