/** hey-api with the flat document: nothing has to be configured but the address and the key. */

import { client } from './client/client.gen.js'
import { createRefund, createTransaction, listLocations, listTickets, updateLocation } from './client/index.js'
import { type Answer, session } from './session.js'

const { COMMERCE_BASE_URL = '', COMMERCE_API_KEY } = process.env
client.setConfig({ baseUrl: COMMERCE_BASE_URL, auth: `${COMMERCE_API_KEY}:` })
const answered = ({ response, data, error }: { response: Response | undefined; data?: unknown; error?: unknown }): Answer => ({
  status: response?.status ?? 0,
  body: data ?? error
})

await session({
  locations: async query => answered(await listLocations({ query })),
  tickets: async () => answered(await listTickets({ query: { location: 'loc_bistro', search_query: 'T-12', 'created[lt]': '2026-02-01', limit: 100 } })),
  pay: async () =>
    answered(
      await createTransaction({ body: { ticket: 'tkt_12', payment_type: 'card', amount: 3000, 'card[number]': '4242424242424242', 'card[brand]': 'visa' } })
    ),
  refund: async (transaction, amount) => answered(await createRefund({ body: { transaction, ...(amount && { amount }) } })),
  refundWithMetadata: async transaction =>
    answered(await createRefund({ body: { transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' } })),
  update: async () =>
    answered(await updateLocation({ path: { id: 'loc_bistro_harbor' }, body: { phone: '', 'address[city]': 'Salem', 'metadata[seats]': '72' } }))
})
