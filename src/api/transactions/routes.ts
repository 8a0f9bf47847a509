/** Transactions, payments against a Ticket: read, create without a key, list (reference §4). */
import type { FastifyInstance } from 'fastify'
import { judge } from '../../core/judge.js'
import { settled } from '../../core/money.js'
import { filtered, listed, searching } from '../../http/listing.js'
import { operation } from '../../http/operations.js'
import { paymentMethodOf } from './payment-method.js'
import { TRANSACTION_RULES } from './rules.js'

export function transactionRoutes(api: FastifyInstance): void {
  api.get(
    '/transactions/:id',
    operation('readTransaction', ({ scope, params }) => scope.inPath('transactions', params.id))
  )

  api.post(
    '/transactions',
    operation('createTransaction', call => {
      const { sandbox, scope, settings, values } = call
      const ticket = scope.inBody('tickets', values.ticket, { param: 'ticket', rule: 'TXN-1' })
      const { payment_type, customer } = values
      const { currency, amount, tip_amount, donation_amount, amounts } = settled(values, settings)
      const has = { has_phone: customer?.phone !== undefined, has_email: customer?.email !== undefined }
      judge(TRANSACTION_RULES, { payment_type, amount, tip_amount, donation_amount, ...has })

      const { id, created } = sandbox.stamp('transactions')
      return sandbox.store.transactions.insert({
        id,
        object: 'transaction',
        created,
        ticket: ticket.id,
        location: ticket.location,
        payment_type,
        payment_method: paymentMethodOf(values),
        currency,
        amount,
        tip_amount,
        donation_amount,
        adjustment_number: values.adjustment_number ?? null,
        amounts,
        customer: customer ? { name: customer.name ?? null, email: customer.email ?? null, phone: customer.phone ?? null } : null,
        amount_refunded: 0
      })
    })
  )

  api.get(
    '/transactions',
    operation('listTransactions', call => {
      const { location, search_query } = call.values
      const how = call.settings['search.last4']
      return listed(call, 'transactions', {
        within: filtered(call, 'locations', location),
        keep: searching(call, search_query, how, ({ payment_method }) => payment_method.card?.last4)
      })
    })
  )
}
