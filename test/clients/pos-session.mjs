/**
 * One session at a point of sale, with axios and qs: find a Ticket, split its payment over two cards, refund, look after a User.
 * Reads COMMERCE_BASE_URL and COMMERCE_API_KEY, and COMMERCE_TICKET, the reference to look for (T-12 when left out).
 */
import axios from 'axios'
import qs from 'qs'

const { COMMERCE_BASE_URL, COMMERCE_API_KEY, COMMERCE_TICKET = 'T-12' } = process.env
const options = { baseURL: COMMERCE_BASE_URL, validateStatus: null, paramsSerializer: params => qs.stringify(params) }
const withKey = axios.create({ ...options, auth: { username: COMMERCE_API_KEY, password: '' } })
const withoutKey = axios.create(options)

let steps = 0
const step = text => console.log(`${++steps}. ${text}`)
const expect = (holds, what) => {
  if (!holds) throw new Error(`expected ${what}`)
}
const carriedOut = ({ status, data, config }) => {
  expect(status >= 200 && status < 300, `a 2xx from ${config.method} ${config.url}, not ${status} ${JSON.stringify(data)}`)
  return data
}
const get = async (path, params) => carriedOut(await withKey.get(path, { params }))
const post = async (path, form, client = withKey) => carriedOut(await client.post(path, qs.stringify(form)))

/** Every record of a list, page after page until has_more is false; a page that a search emptied is not the end. */
async function all(path, params = {}) {
  const records = []
  let page
  do {
    page = await get(path, { ...params, limit: 5, starting_after: page?.last_id })
    records.push(...page.data)
  } while (page.has_more)
  return records
}

async function findTicket(locations, reference) {
  for (const { id: location } of locations) {
    const found = await all('/tickets', { location, search_query: reference })
    const ticket = found.find(ticket => ticket.reference === reference)
    if (ticket) return ticket
  }
  throw new Error(`expected a Ticket ${reference}`)
}

const locations = await all('/locations')
expect(locations.length > 0, 'a Location')
step(`${locations.length} Locations`)

const ticket = await findTicket(locations, COMMERCE_TICKET)
step(`Ticket ${ticket.id} is ${ticket.reference}`)

const pay = number => {
  const card = { number, expiry: '12/34', csc: '123' }
  return post('/transactions', { ticket: ticket.id, payment_type: 'card', currency: 'usd', amount: 2500, card }, withoutKey)
}
const [first, second] = [await pay('4242424242424242'), await pay('5555555555554444')]
step(`paid without a key, split over two cards: ${first.id} and ${second.id}`)

const transaction = await get(`/transactions/${first.id}`)
expect(transaction.payment_method.card.last4 === '4242', 'last4 to be 4242')
step(`${transaction.id} was paid with the card that ends in ${transaction.payment_method.card.last4}`)

const part = await post('/refunds', { transaction: first.id, amount: 1000, reason: 'cold soup', metadata: { till: '3', shift: 'late' } })
const rest = await post('/refunds', { transaction: first.id })
expect(part.amount === 1000 && rest.amount === 1500, 'Refunds of 1000 and 1500')
step(`refunded in two parts: ${part.amount} and the remaining ${rest.amount}`)

const third = await withKey.post('/refunds', qs.stringify({ transaction: first.id, amount: 1 }))
expect(third.status >= 400 && third.status < 500, `a third Refund to be refused, not ${third.status}`)
step('a third Refund is refused')

const { metadata: changed } = await post(`/refunds/${part.id}`, { metadata: { till: '4' } })
expect(changed.till === '4' && changed.shift === 'late', 'the till to be 4 and the shift as it was')
const { metadata: unset } = await post(`/refunds/${part.id}`, { metadata: { shift: '' } })
expect(unset.till === '4' && !unset.shift, 'the shift to be unset')
step('metadata is changed, and a key of it unset')

const [account] = await all('/accounts')
const user = await post(`/accounts/${account.id}/users`, { name: 'Ana Núñez', email: 'ana+till@example.com' })
const listed = await all(`/accounts/${account.id}/users`, { created: { gte: user.created } })
expect(
  listed.some(({ id, name }) => id === user.id && name === 'Ana Núñez'),
  'the User to be listed'
)
const gone = await withKey.delete(`/accounts/${account.id}/users/${user.id}`)
expect(gone.status === 204 && gone.data === '', `204 and an empty body, not ${gone.status}`)
step('a User is added, listed and deleted')

const disabled = await withKey.delete(`/locations/${locations[0].id}`)
expect(disabled.status === 501, `501, not ${disabled.status}`)
step('deleting a Location is answered 501')

console.log(`session complete: ${steps} steps`)
