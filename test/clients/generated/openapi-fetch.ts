/** openapi-typescript and openapi-fetch with the document. */
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'
import { type Answer, BASE_URL, session, withKey } from './session.js'

const type = { 'content-type': 'application/x-www-form-urlencoded' }
const client = createClient<paths>({ baseUrl: BASE_URL, headers: { ...withKey.headers, ...type } })
type Result = { response: Response; data?: unknown; error?: unknown }
const answered = ({ response, data, error }: Result): Answer => ({
  status: response.status,
  body: data ?? error
})

await session({
  listLocations: async query => answered(await client.GET('/locations', { params: { query } })),
  listTickets: async query => answered(await client.GET('/tickets', { params: { query } })),
  createTransaction: async body => answered(await client.POST('/transactions', { body })),
  createRefund: async body => answered(await client.POST('/refunds', { body })),
  updateLocation: async (id, body) =>
    answered(await client.POST('/locations/{id}', { params: { path: { id } }, body }))
})
