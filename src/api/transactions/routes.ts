/** Transactions, payments against a Ticket: read, create without a key, list (reference §4). */
import type { FastifyInstance } from 'fastify'
import { judge } from '../../core/judge.js'
import { settled } from '../../core/money.js'
import { filtered, listed, searching } from '../../http/listing.js'
import { operation } from '../../http/operations.js'
import { paymentMethodOf } from './payment-method.js'
import { TRANSACTION_RULES } from './rules.js'
import { transactionView } from './view.js'

export function transactionRoutes(api: FastifyInstance): void {
  api.get(
    '/transactions/:id',
    operation('readTransaction', ({ sandbox, scope, base, params }) => transactionView(scope.inPath('transactions', params.id), sandbox, base))
  )

  api.post(
    '/transactions',
    operation('createTransaction', call => {
      const { sandbox, scope, settings, base, values } = call
      const ticket = scope.inBody('tickets', values.ticket, { param: 'ticket', rule: 'TXN-1' })
      const { payment_type, customer } = values
      const sums = settled(values, settings)
      const { amount, tip_amount, donation_amount } = sums
      const has = { has_phone: customer?.phone !== undefined, has_email: customer?.email !== undefined }
      judge(TRANSACTION_RULES, { payment_type, amount, tip_amount, donation_amount, ...has })

      const record = sandbox.store.transactions.insert({
        ...sandbox.stamp('transactions'),
        object: 'transaction',
        ticket: ticket.id,
        location: ticket.location,
        payment_type,
        payment_method: paymentMethodOf(values),
        ...sums,
        adjustment_number: values.adjustment_number ?? null,
        customer: customer ? { name: customer.name ?? null, email: customer.email ?? null, phone: customer.phone ?? null } : null,
        amount_refunded: 0
      })
      return transactionView(record, sandbox, base)
    })
  )

  api.get(
    '/transactions',
    operation('listTransactions', call => {
      const { sandbox, base, values } = call
      const { location, search_query } = values
      const how = call.settings['search.last4']
      const list = listed(call, 'transactions', {
        within: filtered(call, 'locations', location),
        keep: searching(call, search_query, how, ({ payment_method }) => payment_method.card?.last4)
      })
      return { ...list, data: list.data.map(record => transactionView(record, sandbox, base)) }
    })
  )
}
