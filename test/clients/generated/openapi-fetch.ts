/** openapi-typescript and openapi-fetch with the document. */
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'
import { type Answer, session } from './session.js'

const { COMMERCE_BASE_URL = '', COMMERCE_API_KEY } = process.env
const client = createClient<paths>({
  baseUrl: COMMERCE_BASE_URL,
  headers: {
    authorization: `Basic ${btoa(`${COMMERCE_API_KEY}:`)}`,
    'content-type': 'application/x-www-form-urlencoded'
  }
})
const answered = ({
  response,
  data,
  error
}: {
  response: Response
  data?: unknown
  error?: unknown
}): Answer => ({
  status: response.status,
  body: data ?? error
})

await session({
  locations: async query => answered(await client.GET('/locations', { params: { query } })),
  tickets: async () =>
    answered(
      await client.GET('/tickets', {
        params: {
          query: {
            location: 'loc_bistro',
            search_query: 'T-12',
            'created[lt]': '2026-02-01',
            limit: 100
          }
        }
      })
    ),
  pay: async () =>
    answered(
      await client.POST('/transactions', {
        body: {
          ticket: 'tkt_12',
          payment_type: 'card',
          amount: 3000,
          'card[number]': '4242424242424242',
          'card[brand]': 'visa'
        }
      })
    ),
  refund: async (transaction, amount) =>
    answered(await client.POST('/refunds', { body: { transaction, ...(amount && { amount }) } })),
  refundWithMetadata: async transaction =>
    answered(
      await client.POST('/refunds', {
        body: { transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' }
      })
    ),
  update: async () =>
    answered(
      await client.POST('/locations/{id}', {
        params: { path: { id: 'loc_bistro_harbor' } },
        body: { phone: '', 'address[city]': 'Salem', 'metadata[seats]': '72' }
      })
    )
})
