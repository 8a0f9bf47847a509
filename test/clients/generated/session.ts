/** The session of the README, through a generated TypeScript client. */
// biome-ignore lint/suspicious/noExplicitAny: the session asserts the shape of a response
type Json = any
/** A response: its status, and its body whatever its type in the client. */
export type Answer = { status: number; body: Json }
type Tickets = { location: string; search_query: string; 'created[lt]': string; limit: number }
type Payment = {
  ticket: string
  payment_type: 'card'
  amount: number
  'card[number]': string
  'card[brand]': string
}
type Refund = { transaction: string; amount?: number; reason?: string; 'metadata[shift]'?: string }
type Location = { phone: string; 'address[city]': string; 'metadata[seats]': string }
export type Calls = {
  listLocations: (query: { limit: number }) => Promise<Answer>
  listTickets: (query: Tickets) => Promise<Answer>
  createTransaction: (body: Payment) => Promise<Answer>
  createRefund: (body: Refund) => Promise<Answer>
  updateLocation: (id: string, body: Location) => Promise<Answer>
}

const expect = (what: string, found: unknown[], wanted: unknown[]) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: must be ${JSON.stringify(wanted)}; got ${JSON.stringify(found)}`)
}

export async function session(client: Calls): Promise<void> {
  const { createRefund } = client
  const page = await client.listLocations({ limit: 1 })
  expect('Locations', [page.status, page.body.data.length, page.body.has_more], [200, 1, true])
  const place = { location: 'loc_bistro', search_query: 'T-12' }
  const found = await client.listTickets({ ...place, 'created[lt]': '2026-02-01', limit: 100 })
  expect('Tickets', [found.status, found.body.data[0].id], [200, 'tkt_12'])

  const card = { 'card[number]': '4242424242424242', 'card[brand]': 'visa' }
  const payment = { ticket: 'tkt_12', payment_type: 'card', amount: 3000, ...card } as const
  const { status, body } = await client.createTransaction(payment)
  const { amount, payment_method, id: transaction } = body
  const shown = { brand: 'visa', last4: '4242' }
  expect('the payment', [status, amount, payment_method?.card], [200, 3000, shown])
  const soup = { amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' }
  const part = await createRefund({ transaction, ...soup })
  const { reason, metadata } = part.body
  expect('a part', [part.status, reason, metadata], [200, 'cold soup', { shift: 'late' }])
  const refused = await createRefund({ transaction, amount: 2500 })
  expect('too much', [refused.status, refused.body.error?.code], [400, 'refund_exceeds_remaining'])
  const rest = await createRefund({ transaction })
  expect('the rest', [rest.status, rest.body.amount], [200, 2000])

  const change = { phone: '', 'address[city]': 'Salem', 'metadata[seats]': '72' }
  const changed = await client.updateLocation('loc_bistro_harbor', change)
  const { phone, address, metadata: now } = changed.body
  expect('the update', [phone, address?.city, now?.seats], [null, 'Salem', '72'])
  console.log('session complete')
}

export const BASE_URL = process.env.COMMERCE_BASE_URL ?? ''
export const withKey = {
  headers: { authorization: `Basic ${btoa(`${process.env.COMMERCE_API_KEY}:`)}` }
}
export const formOf = (values: object = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])
  )
