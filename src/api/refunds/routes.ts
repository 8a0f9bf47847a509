/** Refunds: create, read, update metadata, list (reference §4). */
import type { FastifyInstance } from 'fastify'
import { judge } from '../../core/judge.js'
import { patched } from '../../core/patch.js'
import { REFUND_RULES, refundFacts } from '../../core/refund-rules.js'
import { filtered, listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export function refundRoutes(api: FastifyInstance): void {
  api.post(
    '/refunds',
    operation('createRefund', call => {
      const { sandbox, scope, settings, values } = call
      const transaction = scope.inBody('transactions', values.transaction, { param: 'transaction', rule: 'REF-1' })
      const money = refundFacts(transaction, values.amount ?? null, settings)
      call.money = money
      judge(REFUND_RULES, money)

      const { currency, payment_method } = transaction
      const { id, created } = sandbox.stamp('refunds')
      return sandbox.store.insertRefund({
        id,
        object: 'refund',
        created,
        transaction: transaction.id,
        amount: values.amount ?? money.remaining,
        currency,
        reason: values.reason ?? null,
        payment_method,
        metadata: values.metadata ?? {}
      })
    })
  )

  api.get(
    '/refunds/:id',
    operation('readRefund', ({ scope, params }) => scope.inPath('refunds', params.id))
  )

  api.post(
    '/refunds/:id',
    operation('updateRefund', call => {
      const refund = call.scope.inPath('refunds', call.params.id)
      call.found = refund
      return call.sandbox.store.replaceRefund(patched(refund, call.values))
    })
  )

  api.get(
    '/refunds',
    operation('listRefunds', call => listed(call, 'refunds', { within: filtered(call, 'transactions', call.values.transaction), order: 'newest_first' }))
  )
}
