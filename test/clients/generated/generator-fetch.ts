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
  locations: query => answered(locations.listLocationsRaw(query)),
  tickets: () =>
    answered(
      new TicketsApi(configuration).listTicketsRaw({
        limit: 100,
        location: 'loc_bistro',
        searchQuery: 'T-12',
        createdLt: '2026-02-01'
      })
    ),
  pay: () => {
    const card = { cardNumber: '4242424242424242', cardBrand: 'visa' }
    return answered(
      new TransactionsApi(configuration).createTransactionRaw({
        ticket: 'tkt_12',
        paymentType: 'card',
        amount: 3000,
        ...card
      })
    )
  },
  refund: (transaction, amount) => answered(refunds.createRefundRaw({ transaction, amount })),
  refundWithMetadata: transaction =>
    post('/refunds', { transaction, amount: 1000, reason: 'cold soup', 'metadata[shift]': 'late' }),
  update: async () => {
    await post('/locations/loc_bistro_harbor', { 'metadata[seats]': '72' })
    return answered(
      locations.updateLocationRaw({ id: 'loc_bistro_harbor', addressCity: 'Salem', phone: '' })
    )
  }
})
