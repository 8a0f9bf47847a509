/** hey-api with the document: only the address and the key are configured. */
import { client } from './client/client.gen.js'
import {
  createRefund,
  createTransaction,
  listLocations,
  listTickets,
  updateLocation
} from './client/index.js'
import { type Answer, BASE_URL, session } from './session.js'

client.setConfig({ baseUrl: BASE_URL, auth: `${process.env.COMMERCE_API_KEY}:` })
type Result = { response: Response | undefined; data?: unknown; error?: unknown }
const answered = ({ response, data, error }: Result): Answer => ({
  status: response?.status ?? 0,
  body: data ?? error
})

await session({
  listLocations: async query => answered(await listLocations({ query })),
  listTickets: async query => answered(await listTickets({ query })),
  createTransaction: async body => answered(await createTransaction({ body })),
  createRefund: async body => answered(await createRefund({ body })),
  updateLocation: async (id, body) => answered(await updateLocation({ path: { id }, body }))
})
