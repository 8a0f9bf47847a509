/** The session of the README with fetch. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY. */
import { deepEqual } from 'node:assert/strict'

const { COMMERCE_BASE_URL, COMMERCE_API_KEY } = process.env
const withKey = { authorization: `Basic ${btoa(`${COMMERCE_API_KEY}:`)}` }
const get = async (path, query) => (await fetch(`${COMMERCE_BASE_URL}${path}?${new URLSearchParams(query)}`, { headers: withKey })).json()
const post = async (path, form, headers = withKey) =>
  (await fetch(COMMERCE_BASE_URL + path, { method: 'POST', headers, body: new URLSearchParams(form) })).json()

deepEqual((await get('/locations', { limit: 1 })).has_more, true)
const found = await get('/tickets', { location: 'loc_bistro', search_query: 'T-12', 'created[lt]': '2026-02-01', limit: 100 })
deepEqual(
  found.data.map(({ id }) => id),
  ['tkt_12']
)
const card = { 'card[number]': '4242424242424242', 'card[brand]': 'visa' }
const { id: transaction, payment_method } = await post('/transactions', { ticket: 'tkt_12', payment_type: 'card', amount: 3000, ...card }, {})
deepEqual(payment_method.card, { brand: 'visa', last4: '4242' })
const part = await post('/refunds', { transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' })
deepEqual([part.amount, part.metadata], [1000, { shift: 'late' }])
deepEqual((await post('/refunds', { transaction, amount: 2500 })).error.code, 'refund_exceeds_remaining')
deepEqual((await post('/refunds', { transaction })).amount, 2000)
deepEqual((await post('/locations', { display_name: 'Bar', 'address[contry]': 'US' })).error.param, 'address[contry]')
console.log('session complete')
