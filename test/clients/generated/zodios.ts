/**
 * openapi-zod-client with zodios and the document: requests and responses are checked by their
 * schemas.
 */
import { isAxiosError } from 'axios'
import { createApiClient } from './client.js'
import { BASE_URL, session, withKey } from './session.js'

/** Zodios returns bodies, and throws refusals. */
const client = createApiClient(BASE_URL, { axiosConfig: withKey })
const answered = (request: Promise<unknown>) =>
  request.then(
    body => ({ status: 200, body }),
    error => {
      if (!isAxiosError(error) || !error.response) throw error
      return { status: error.response.status, body: error.response.data }
    }
  )

await session({
  listLocations: queries => answered(client.listLocations({ queries })),
  listTickets: queries => answered(client.listTickets({ queries })),
  createTransaction: body => answered(client.createTransaction(body)),
  createRefund: body => answered(client.createRefund(body)),
  updateLocation: (id, body) => answered(client.updateLocation(body, { params: { id } }))
})
