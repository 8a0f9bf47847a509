/** orval with the flat document: `formUrlEncoded` of its configuration names a function that writes forms, since its own leaves out metadata. */
import * as client from './client.js'
import { type Answer, session } from './session.js'

const withKey = { headers: { authorization: `Basic ${btoa(`${process.env.COMMERCE_API_KEY}:`)}` } }
const answered = ({ status, data }: { status: number; data: unknown }): Answer => ({ status, body: data })

await session({
  locations: async query => answered(await client.listLocations(query, withKey)),
  tickets: async () => answered(await client.listTickets({ location: 'loc_bistro', search_query: 'T-12', 'created[lt]': '2026-02-01', limit: 100 }, withKey)),
  pay: async () =>
    answered(
      await client.createTransaction({ ticket: 'tkt_12', payment_type: 'card', amount: 3000, 'card[number]': '4242424242424242', 'card[brand]': 'visa' })
    ),
  refund: async (transaction, amount) => answered(await client.createRefund({ transaction, ...(amount && { amount }) }, withKey)),
  refundWithMetadata: async transaction =>
    answered(await client.createRefund({ transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' }, withKey)),
  update: async () => answered(await client.updateLocation('loc_bistro_harbor', { phone: '', 'address[city]': 'Salem', 'metadata[seats]': '72' }, withKey))
})
