/** oazapfts with the document; its queries are in camel case. */
import * as client from './client.js'
import { type Answer, BASE_URL, session, withKey } from './session.js'

Object.assign(client.defaults, { baseUrl: BASE_URL, ...withKey })
const answered = ({ status, data }: { status: number; data: unknown }): Answer => ({
  status,
  body: data
})

await session({
  listLocations: async query => answered(await client.listLocations(query)),
  listTickets: async ({ search_query: searchQuery, 'created[lt]': createdLt, ...query }) =>
    answered(await client.listTickets({ ...query, searchQuery, createdLt })),
  createTransaction: async body => answered(await client.createTransaction(body)),
  createRefund: async body => answered(await client.createRefund(body)),
  updateLocation: async (id, body) => answered(await client.updateLocation(id, body))
})
