/** The session of the README, through a generated TypeScript client. */
// biome-ignore lint/suspicious/noExplicitAny: the session asserts the shape of a response
type Json = any
/** A response: its status, and its body whatever its type in the client. */
export type Answer = { status: number; body: Json }
export type Calls = {
  locations: (query: { limit: number }) => Promise<Answer>
  tickets: () => Promise<Answer>
  pay: () => Promise<Answer>
  refund: (transaction: string, amount?: number) => Promise<Answer>
  refundWithMetadata: (transaction: string) => Promise<Answer>
  update: () => Promise<Answer>
}

const expect = (what: string, found: unknown, wanted: unknown) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: must be ${JSON.stringify(wanted)}; got ${JSON.stringify(found)}`)
}

export async function session({
  locations,
  tickets,
  pay,
  refund,
  refundWithMetadata,
  update
}: Calls): Promise<void> {
  const page = await locations({ limit: 1 })
  expect('Locations', [page.status, page.body.data.length, page.body.has_more], [200, 1, true])
  const found = await tickets()
  expect('Tickets', [found.status, found.body.data.map(({ id }: Json) => id)], [200, ['tkt_12']])

  const { status, body } = await pay()
  expect(
    'the payment',
    [status, body.amount, body.payment_method?.card],
    [200, 3000, { brand: 'visa', last4: '4242' }]
  )
  const part = await refundWithMetadata(body.id)
  expect(
    'a part',
    [part.status, part.body.amount, part.body.reason, part.body.metadata],
    [200, 1000, 'cold soup', { shift: 'late' }]
  )
  const refused = await refund(body.id, 2500)
  expect('too much', [refused.status, refused.body.error?.code], [400, 'refund_exceeds_remaining'])
  const rest = await refund(body.id)
  expect('the rest', [rest.status, rest.body.amount], [200, 2000])

  const changed = await update()
  expect(
    'the update',
    [changed.status, changed.body.phone, changed.body.address?.city, changed.body.metadata],
    [200, null, 'Salem', { seats: '72', opened: '2025-12-20' }]
  )
  console.log('session complete')
}

/** The requests of a generated flat client. */
export type Flat = {
  listLocations: (query: { limit: number }) => Promise<Answer>
  listTickets: (query: {
    location: string
    search_query: string
    'created[lt]': string
    limit: number
  }) => Promise<Answer>
  createTransaction: (body: {
    ticket: string
    payment_type: 'card'
    amount: number
    'card[number]': string
    'card[brand]': string
  }) => Promise<Answer>
  createRefund: (body: {
    transaction: string
    amount?: number
    reason?: string
    'metadata[shift]'?: string
  }) => Promise<Answer>
  updateLocation: (
    id: string,
    body: { phone: string; 'address[city]': string; 'metadata[seats]': string }
  ) => Promise<Answer>
}

export const flatSession = ({
  listLocations,
  listTickets,
  createTransaction,
  createRefund,
  updateLocation
}: Flat): Promise<void> =>
  session({
    locations: listLocations,
    tickets: () =>
      listTickets({
        location: 'loc_bistro',
        search_query: 'T-12',
        'created[lt]': '2026-02-01',
        limit: 100
      }),
    pay: () =>
      createTransaction({
        ticket: 'tkt_12',
        payment_type: 'card',
        amount: 3000,
        'card[number]': '4242424242424242',
        'card[brand]': 'visa'
      }),
    refund: (transaction, amount) => createRefund({ transaction, ...(amount && { amount }) }),
    refundWithMetadata: transaction =>
      createRefund({ transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' }),
    update: () =>
      updateLocation('loc_bistro_harbor', {
        phone: '',
        'address[city]': 'Salem',
        'metadata[seats]': '72'
      })
  })

export const BASE_URL = process.env.COMMERCE_BASE_URL ?? ''
export const withKey = {
  headers: { authorization: `Basic ${btoa(`${process.env.COMMERCE_API_KEY}:`)}` }
}
/** Names and values as a form. */
export const formOf = (values: object = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])
  )
