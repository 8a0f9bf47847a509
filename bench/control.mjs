/**
 * The control: what bare Fastify needs for the same answers, so that ratios mean the same on every
 * machine.
 * One route each, response schemas, forms decoded by qs, no logging, no state, no checks.
 *   node bench/control.mjs [FILE]
 * FILE holds answers of an emulator in JSON: { page, narrowed, refund }; without it the lists are
 * empty.
 */
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import qs from 'qs'

const text = { type: 'string' }
const whole = { type: 'integer' }
const orNull = schema => ({ ...schema, nullable: true })
const object = properties => ({ type: 'object', properties })
const listOf = items =>
  object({
    object: text,
    url: text,
    data: { type: 'array', items },
    has_more: { type: 'boolean' },
    first_id: orNull(text),
    last_id: orNull(text)
  })

const METHOD = object({
  type: text,
  card: orNull(object({ brand: orNull(text), last4: orNull(text) })),
  bank_account: orNull(
    object({ bank_name: orNull(text), account_number: orNull(text), routing_number: orNull(text) })
  )
})
const REFUND = object({
  id: text,
  object: text,
  created: text,
  transaction: text,
  amount: whole,
  currency: text,
  reason: orNull(text),
  payment_method: METHOD,
  metadata: { type: 'object', additionalProperties: text }
})
const TRANSACTION = object({
  id: text,
  object: text,
  created: text,
  ticket: text,
  location: text,
  payment_type: text,
  payment_method: METHOD,
  currency: text,
  amount: whole,
  tip_amount: orNull(whole),
  donation_amount: orNull(whole),
  adjustment_number: orNull({ type: 'number' }),
  amounts: orNull(
    object({ currency: text, transaction_amount: whole, payment_amount: whole, tip_amount: whole })
  ),
  customer: orNull(object({ name: orNull(text), email: orNull(text), phone: orNull(text) })),
  amount_refunded: whole,
  refunds: listOf(REFUND)
})
const answers = schema => ({ schema: { response: { '2xx': schema } } })

const EMPTY = {
  object: 'list',
  url: '/next/transactions',
  data: [],
  has_more: false,
  first_id: null,
  last_id: null
}
const {
  page = EMPTY,
  narrowed = EMPTY,
  refund = null
} = process.argv[2] ? JSON.parse(readFileSync(process.argv[2], 'utf8')) : {}
const transactions = new Map(page.data.map(transaction => [transaction.id, transaction]))

let made = 0
const newId = prefix => `${prefix}_${String(++made).padStart(24, '0')}`

const app = Fastify()
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, body, done) => done(null, qs.parse(body))
)

app.get('/next/transactions/:id', answers(TRANSACTION), async request =>
  transactions.get(request.params.id)
)

app.get('/next/transactions', answers(listOf(TRANSACTION)), async request =>
  request.query.location === undefined ? page : narrowed
)

app.post('/next/transactions', answers(TRANSACTION), async ({ body }) => {
  const id = newId('txn')
  return {
    id,
    object: 'transaction',
    created: new Date().toISOString(),
    ticket: body.ticket,
    location: 'loc_bistro',
    payment_type: body.payment_type,
    payment_method: {
      type: body.payment_type,
      card: { brand: body.card.brand, last4: body.card.last4 },
      bank_account: null
    },
    currency: body.currency,
    amount: Number(body.amount),
    tip_amount: Number(body.tip_amount),
    donation_amount: Number(body.donation_amount),
    adjustment_number: null,
    amounts: null,
    customer: { name: body.customer.name, email: body.customer.email, phone: body.customer.phone },
    amount_refunded: 0,
    refunds: { ...EMPTY, url: `/next/refunds?transaction=${id}` }
  }
})

app.post('/next/refunds', answers(REFUND), async ({ body }) => ({
  ...refund,
  id: newId('rfd'),
  created: new Date().toISOString(),
  transaction: body.transaction,
  amount: Number(body.amount),
  reason: body.reason
}))

/** Stops it. */
export const close = () => app.close()
/** Its address; it listens as soon as this module is imported. */
export const address = (await app.listen({ port: 0, host: '127.0.0.1' })).replace(
  '127.0.0.1',
  'localhost'
)
process.once('SIGTERM', close)
console.log(`ready on ${address}`)
