/** Transactions, payments against a Ticket: read, create without a key, list (reference §4). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { judge } from '../../core/judge.js'
import { settled } from '../../core/money.js'
import { matches } from '../../core/search.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'
import { paymentMethodOf } from './payment-method.js'
import { TRANSACTION_RULES } from './rules.js'
import { transactionView } from './view.js'

export const transactionRoutes: FastifyPluginAsyncTypebox = async app => {
  app.get('/transactions/:id', operation('readTransaction'), async ({ sandbox, seen, trace, base, params }) => {
    trace.held('TXN-8')
    return transactionView(seen.inPath('transactions', params.id), sandbox, base)
  })

  app.post('/transactions', operation('createTransaction'), async ({ sandbox, seen, trace, base, body }) => {
    const ticket = seen.inBody('tickets', body.ticket, { param: 'ticket', rule: 'TXN-1' })
    const sums = settled(body, sandbox.settings)
    const { payment_type, customer } = body
    const { amount, tip_amount, donation_amount } = sums
    const facts = { payment_type, amount, tip_amount, donation_amount }
    judge(TRANSACTION_RULES, { ...facts, has_phone: customer?.phone !== undefined, has_email: customer?.email !== undefined })
    trace.held('AUTH-2')
    if (body.bank_account) trace.held('TXN-5', { payment_type, used: payment_type === 'vip' })
    if (body.bank_account && payment_type !== 'vip') trace.assumed('A26')
    if (body.amounts) trace.assumed('A24')
    if (body.card || body.bank_account) trace.assumed('A25')
    if (body.currency === undefined) trace.assumed('A22')

    const record = sandbox.store.transactions.insert({
      ...sandbox.stamp('transactions'),
      object: 'transaction',
      ticket: ticket.id,
      location: ticket.location,
      payment_type,
      payment_method: paymentMethodOf(body),
      ...sums,
      adjustment_number: body.adjustment_number ?? null,
      customer: customer ? { name: customer.name ?? null, email: customer.email ?? null, phone: customer.phone ?? null } : null,
      amount_refunded: 0
    })
    return transactionView(record, sandbox, base)
  })

  app.get('/transactions', operation('listTransactions'), async request => {
    const { sandbox, seen, base, query } = request
    const { location, search_query } = query
    const how = sandbox.settings['search.last4']
    const list = listed(request, 'transactions', {
      within: seen.narrowed('locations', location),
      keep: search_query === undefined ? undefined : ({ payment_method }) => matches(payment_method.card?.last4, search_query, how)
    })
    return { ...list, data: list.data.map(record => transactionView(record, sandbox, base)) }
  })
}
