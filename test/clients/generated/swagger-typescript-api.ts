/** swagger-typescript-api with the document. */
import { Api } from './client/api.js'
import { type Answer, BASE_URL, session, withKey } from './session.js'

const api = new Api({ baseUrl: BASE_URL, baseApiParams: withKey })
type Result = { status: number; data: unknown; error: unknown }
/** A refusal is thrown. */
const answered = async (request: Promise<Result>): Promise<Answer> => {
  const { status, data, error } = await request.catch((refused: Result) => refused)
  return { status, body: data ?? error }
}

await session({
  listLocations: query => answered(api.locations.listLocations(query)),
  listTickets: query => answered(api.tickets.listTickets(query)),
  createTransaction: body => answered(api.transactions.createTransaction(body)),
  createRefund: body => answered(api.refunds.createRefund(body)),
  updateLocation: (id, body) => answered(api.locations.updateLocation(id, body))
})
