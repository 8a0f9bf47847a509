import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { CommerceEmulatorContainer } from './commerce-emulator-container.mjs'

/** @type {import('./commerce-emulator-container.mjs').StartedCommerceEmulatorContainer} */
let commerce

before(async () => {
  commerce = await new CommerceEmulatorContainer().withScenario('default').start()
})
beforeEach(() => commerce.reset())
after(() => commerce?.stop())

test('a payment by card is charged in cents', async () => {
  const body = new URLSearchParams({
    ticket: 'tkt_60',
    payment_type: 'card',
    amount: '4200',
    'card[brand]': 'visa',
    'card[last4]': '4242'
  })

  const response = await fetch(`${commerce.getBaseUrl()}/transactions`, { method: 'POST', body })

  assert.equal(response.status, 200)
  assert.equal((await response.json()).amount, 4200)
})
