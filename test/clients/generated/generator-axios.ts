/** openapi-generator's typescript-axios client and the flat document; it sends no metadata, so a call of its own does. */
import axios, { type AxiosResponse } from 'axios'
import { Configuration, CreateTransactionPaymentTypeEnum, LocationsApi, RefundsApi, TicketsApi, TransactionsApi } from './client/index.js'
import { type Answer, session } from './session.js'

const basePath = process.env.COMMERCE_BASE_URL ?? ''
const auth = { username: process.env.COMMERCE_API_KEY ?? '', password: '' }
const http = axios.create({ validateStatus: null })
const configuration = new Configuration({ basePath, ...auth })
const locations = new LocationsApi(configuration, basePath, http)
const refunds = new RefundsApi(configuration, basePath, http)
const answered = ({ status, data }: AxiosResponse): Answer => ({ status, body: data })
const post = async (path: string, form: Record<string, string>) => answered(await http.post(basePath + path, new URLSearchParams(form), { auth }))

await session({
  locations: async ({ limit }) => answered(await locations.listLocations(limit)),
  tickets: async () =>
    answered(
      await new TicketsApi(configuration, basePath, http).listTickets(
        100,
        undefined,
        undefined,
        'loc_bistro',
        'T-12',
        undefined,
        undefined,
        undefined,
        '2026-02-01'
      )
    ),
  pay: async () => {
    const none = undefined
    const { Card } = CreateTransactionPaymentTypeEnum
    const transactions = new TransactionsApi(configuration, basePath, http)
    return answered(
      await transactions.createTransaction('tkt_12', Card, none, none, none, 'visa', none, '4242424242424242', none, none, none, none, none, none, 3000)
    )
  },
  refund: async (transaction, amount) => answered(await refunds.createRefund(transaction, amount)),
  refundWithMetadata: transaction => post('/refunds', { transaction, amount: '1000', reason: 'cold soup', 'metadata[shift]': 'late' }),
  update: async () => {
    await post('/locations/loc_bistro_harbor', { 'metadata[seats]': '72' })
    return answered(await locations.updateLocation('loc_bistro_harbor', undefined, undefined, undefined, undefined, 'Salem', undefined, undefined, ''))
  }
})
