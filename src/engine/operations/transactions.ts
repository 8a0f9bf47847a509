/** Transactions, payments against a Ticket: read, create without a key, list (reference §4). */
import { settled } from '../../core/money.js'
import { paymentMethodOf } from '../../core/payment-method.js'
import { judge, TRANSACTION_RULES } from '../../core/rules.js'
import { filtered, listed, searching } from '../listing.js'
import type { Handlers } from '../world.js'

export const transactionOperations: Handlers<
  'readTransaction' | 'createTransaction' | 'listTransactions'
> = {
  readTransaction: ({ record }) => ({ result: record }),

  createTransaction({ world, store, settings, values }) {
    const { ticket, payment_type, customer } = values
    const { currency, amount, tip_amount, donation_amount, amounts } = settled(values, settings)
    const has = {
      has_phone: customer?.phone !== undefined,
      has_email: customer?.email !== undefined,
      has_currency:
        (values.currency ?? amounts?.currency ?? settings['transactions.default_currency']) !==
        'required',
      has_amount:
        settings['transactions.without_amount'] === 'zero' ||
        (values.amount ?? amounts?.transaction_amount ?? amounts?.payment_amount) !== undefined
    }
    judge(TRANSACTION_RULES, { payment_type, amount, tip_amount, donation_amount, ...has })

    const { id, created } = world.stamp('transactions')
    const transaction = store.transactions.insert({
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
      customer: customer ? { name: null, email: null, phone: null, ...customer } : null,
      amount_refunded: 0
    })
    return { result: transaction }
  },

  listTransactions(request) {
    const { location, search_query } = request.values
    return listed(request, 'transactions', {
      within: filtered(request, 'locations', location),
      keep: searching(
        request,
        search_query,
        request.settings['search.last4'],
        ({ payment_method }) => payment_method.card?.last4
      )
    })
  }
}
