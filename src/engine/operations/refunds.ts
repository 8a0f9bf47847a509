/** Refunds: create, read, update metadata, list (reference §4). */
import { moneyOf } from '../../core/money.js'
import { patched } from '../../core/patch.js'
import { CARD_RULES, judge, REFUND_RULES } from '../../core/rules.js'
import { isOfCard } from '../../reference/payment-methods.js'
import { filtered, listed } from '../listing.js'
import type { Handlers } from '../world.js'

export const refundOperations: Handlers<
  'createRefund' | 'readRefund' | 'updateRefund' | 'listRefunds'
> = {
  createRefund({ world, store, settings, values }) {
    const { transaction, amount = null, reason = null, metadata = {} } = values
    const money = { ...moneyOf(transaction, settings), asked: amount }
    judge(REFUND_RULES, money)
    const { id: charge, currency, payment_method } = transaction
    if (settings['refunds.without_card'] === 'reject')
      judge(CARD_RULES, { transaction: charge, has_card: isOfCard(payment_method) })

    const { id, created } = world.stamp('refunds')
    const refund = store.putRefund({
      id,
      object: 'refund',
      created,
      transaction: charge,
      amount: amount ?? money.remaining,
      currency,
      reason,
      payment_method,
      metadata
    })
    return { result: refund, facts: { money } }
  },

  readRefund: ({ record }) => ({ result: record }),

  updateRefund: ({ store, record, values }) => ({
    result: store.putRefund(patched(record, values), record)
  }),

  listRefunds: request =>
    listed(request, 'refunds', {
      within: filtered(request, 'transactions', request.values.transaction),
      order: 'newest_first'
    })
}
