/** The calls that are measured. */
import { ask, request } from './load.mjs'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const KEY = { authorization: `Basic ${btoa('sk_test_merchant:')}` }

const NARROWED =
  'location=loc_bistro&created%5Bgte%5D=2026-01-12T00%3A00%3A00Z&created%5Blt%5D=2026-02-20T00%3A00%3A00Z&limit=10'
const PAYMENT =
  'ticket=tkt_60&payment_type=card&currency=usd&amount=4200&tip_amount=700&donation_amount=100&card%5Bbrand%5D=visa&card%5Blast4%5D=4242&card%5Bexpiry%5D=12%2F29' +
  '&customer%5Bname%5D=Ana+Ferreira&customer%5Bemail%5D=ana%40example.com&customer%5Bphone%5D=%2B1+617+555+0101'
const MUCH =
  'ticket=tkt_60&payment_type=card&amount=1000000000000&card[brand]=visa&card[last4]=4242'
const refundOf = transaction =>
  `transaction=${transaction}&amount=1&reason=cold+soup&metadata%5Bshift%5D=late`

/** The bytes of each kind of call; `refund` is given the id of a Transaction. */
export const CALLS = {
  get: () => request('GET /next/transactions/txn_120'),
  list: () => request('GET /next/transactions?limit=10'),
  narrowed: () => request(`GET /next/transactions?${NARROWED}`),
  post: () => request('POST /next/transactions', { key: null, form: PAYMENT }),
  refund: transaction => request('POST /next/refunds', { form: refundOf(transaction) })
}

/** Makes a Transaction with more than enough to refund; returns its id. */
export async function refundable(port) {
  const { id } = await ask(port, 'POST /next/transactions', { body: MUCH, headers: FORM })
  return id
}

/** Returns an emulator to its first state, with a Transaction to refund, whose id is returned. */
export async function begin(port) {
  await ask(port, 'POST /_control/reset')
  return refundable(port)
}

/** Answers of an emulator, for a control to give too. */
export async function answersOf(port) {
  const transaction = await begin(port)
  const page = await ask(port, 'GET /next/transactions?limit=10', { headers: KEY })
  const narrowed = await ask(port, `GET /next/transactions?${NARROWED}`, { headers: KEY })
  const refund = await ask(port, 'POST /next/refunds', {
    body: refundOf(transaction),
    headers: { ...KEY, ...FORM }
  })
  return { page, narrowed, refund }
}
