/** Refunds: create, read, update metadata, list (reference §4). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { judge } from '../../core/judge.js'
import { moneyOf } from '../../core/money.js'
import { patched } from '../../core/patch.js'
import { REFUND_RULES } from '../../core/refund-rules.js'
import { listed } from '../../http/listing.js'
import { operation } from '../../http/operations.js'

export const refundRoutes: FastifyPluginAsyncTypebox = async app => {
  app.post('/refunds', operation('createRefund'), async ({ sandbox, seen, trace, body }) => {
    const transaction = seen.inBody('transactions', body.transaction, { param: 'transaction', rule: 'REF-1' })
    const money = { ...moneyOf(transaction, sandbox.settings), asked: body.amount ?? null }
    trace.assumed('A23')
    judge(REFUND_RULES, money)
    trace.held(body.amount === undefined ? 'REF-4' : 'REF-5', money)
    trace.held('REF-2')
    if (body.reason === undefined) trace.held('REF-8')
    trace.assumed('A28')

    const { currency, payment_method } = transaction
    return sandbox.store.insertRefund({
      ...sandbox.stamp('refunds'),
      object: 'refund',
      transaction: transaction.id,
      amount: body.amount ?? money.remaining,
      currency,
      reason: body.reason ?? null,
      payment_method,
      metadata: body.metadata ?? {}
    })
  })

  app.get('/refunds/:id', operation('readRefund'), async ({ seen, params }) => seen.inPath('refunds', params.id))

  app.post('/refunds/:id', operation('updateRefund'), async ({ sandbox, seen, trace, params, body }) => {
    const refund = seen.inPath('refunds', params.id)
    trace.held('REF-9')
    return sandbox.store.replaceRefund(patched(refund, body))
  })

  app.get('/refunds', operation('listRefunds'), async request => {
    const { seen, trace, query } = request
    trace.held('REF-10')
    return listed(request, 'refunds', { within: seen.narrowed('transactions', query.transaction), order: 'newest_first' })
  })
}
