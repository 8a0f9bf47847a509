/**
 * The session of the README with stripe-node's `rawRequest`, which also sends forms with brackets.
 * Reads COMMERCE_BASE_URL and COMMERCE_API_KEY.
 */
import { deepEqual } from 'node:assert/strict'
import Stripe from 'stripe'

const { COMMERCE_BASE_URL, COMMERCE_API_KEY } = process.env
const { hostname: host, port, pathname } = new URL(COMMERCE_BASE_URL)
const options = { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false }
const basic = `Basic ${btoa(`${COMMERCE_API_KEY}:`)}`
const authenticator = async request => {
  request.headers.Authorization = basic
}
const withKey = new Stripe(null, { ...options, authenticator })
const withoutKey = new Stripe(null, { ...options, authenticator: async () => {} })
const call = (method, path, params, client = withKey) =>
  client.rawRequest(method, pathname + path, params)
const query = params => `?${new URLSearchParams(params)}`

deepEqual((await call('GET', `/locations${query({ limit: 1 })}`)).has_more, true)
const found = await call(
  'GET',
  `/tickets${query({ location: 'loc_bistro', search_query: 'T-12', 'created[lt]': '2026-02-01', limit: 100 })}`
)
deepEqual(
  found.data.map(({ id }) => id),
  ['tkt_12']
)
const card = { number: '4242424242424242', brand: 'visa' }
const { id: transaction, payment_method } = await call(
  'POST',
  '/transactions',
  { ticket: 'tkt_12', payment_type: 'card', amount: 3000, card },
  withoutKey
)
deepEqual(payment_method.card, { brand: 'visa', last4: '4242' })
const part = await call('POST', '/refunds', {
  transaction,
  amount: 1000,
  reason: 'cold soup',
  metadata: { shift: 'late' }
})
deepEqual([part.amount, part.metadata], [1000, { shift: 'late' }])
const refusal = await call('POST', '/refunds', { transaction, amount: 2500 }).catch(error => error)
deepEqual(
  [refusal.statusCode, refusal.code, refusal.param],
  [400, 'refund_exceeds_remaining', 'amount']
)
deepEqual((await call('POST', '/refunds', { transaction })).amount, 2000)
const mistyped = await call('POST', '/locations', {
  display_name: 'Bar',
  address: { contry: 'US' }
}).catch(error => error)
deepEqual(mistyped.param, 'address[contry]')
console.log('session complete')
