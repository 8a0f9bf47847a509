/**
 * openapi-generator's typescript-fetch client with the document; it cannot send metadata, so a
 * plain request does.
 */
import {
  Configuration,
  LocationsApi,
  RefundsApi,
  type ResponseError,
  TicketsApi,
  TransactionsApi
} from './client/index.js'
import { type Answer, BASE_URL, formOf, session, withKey } from './session.js'

const configuration = new Configuration({
  basePath: BASE_URL,
  username: process.env.COMMERCE_API_KEY,
  password: ''
})
const locations = new LocationsApi(configuration)
const refunds = new RefundsApi(configuration)
const read = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: await response.json()
})
/** A refusal is thrown. */
const answered = (request: Promise<{ raw: Response }>) =>
  request.then(
    ({ raw }) => read(raw),
    (error: ResponseError) => read(error.response)
  )
const post = async (path: string, form: object) =>
  read(await fetch(BASE_URL + path, { method: 'POST', body: formOf(form), ...withKey }))

await session({
  listLocations: query => answered(locations.listLocationsRaw(query)),
  listTickets: ({ search_query: searchQuery, 'created[lt]': createdLt, ...query }) =>
    answered(new TicketsApi(configuration).listTicketsRaw({ ...query, searchQuery, createdLt })),
  createTransaction: ({ payment_type: paymentType, ...body }) => {
    const card = { cardNumber: body['card[number]'], cardBrand: body['card[brand]'] }
    const { ticket, amount } = body
    const sent = { ticket, amount, paymentType, ...card }
    return answered(new TransactionsApi(configuration).createTransactionRaw(sent))
  },
  createRefund: body =>
    body['metadata[shift]'] ? post('/refunds', body) : answered(refunds.createRefundRaw(body)),
  updateLocation: async (id, { 'metadata[seats]': seats, 'address[city]': addressCity, phone }) => {
    await post(`/locations/${id}`, { 'metadata[seats]': seats })
    return answered(locations.updateLocationRaw({ id, addressCity, phone }))
  }
})
