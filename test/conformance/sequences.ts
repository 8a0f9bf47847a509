/** Checks of several requests: many Refunds, concurrency, and gaps of the reference. */
import assert from 'node:assert/strict'
import { BANK, type Fields, list, pay, read, refund } from '../contract/case.js'
import { type Context, createdOf } from './context.js'
import { accepted, describeAnswer, isAccepted, listed, type Resource } from './service.js'
import type { Check } from './suite.js'

const made = async (ctx: Context, call: Parameters<Context['send']>[0]): Promise<Resource> =>
  accepted(await ctx.send(call))
const refundOf = (transaction: string, amount?: number) => refund({ transaction, amount })

function embeddedIn(transaction: unknown, refunds: readonly string[]): string[] | null {
  if (typeof transaction !== 'object' || transaction === null) return null
  if (Array.isArray(transaction)) {
    const ids = transaction.map(member => member?.id)
    return ids.length > 0 && ids.every(id => refunds.includes(id)) ? ids : null
  }
  return Object.values(transaction).reduce<string[] | null>(
    (found, part) => found ?? embeddedIn(part, refunds),
    null
  )
}

function valuesOf(name: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...valuesOf(name, value)
  ])
}

export const SEQUENCES: readonly Check[] = [
  {
    rule: 'TXN-5',
    title: 'with another payment type a bank account is not used',
    run: async ctx => {
      const answer = await ctx.send(pay(BANK))
      if (!isAccepted(answer)) return ctx.refused(answer)
      const { id } = accepted(answer)
      const { text } = await ctx.send(read(`/transactions/${id}`))
      assert.ok(!text.includes('Bank '), 'the bank account was used for a card payment')
    }
  },
  {
    rule: 'TXN-8',
    title: 'the 10 most recent Refunds are included, and the earlier ones are not',
    run: async ctx => {
      const { id } = await made(ctx, pay())
      const refunds: string[] = []
      for (let n = 0; n < 12; n++) refunds.push((await made(ctx, refundOf(id, 10))).id)
      const included = embeddedIn(await made(ctx, read(`/transactions/${id}`)), refunds)
      assert.deepEqual(included?.toSorted(), refunds.slice(-10).toSorted())
    }
  },
  {
    rule: 'REF-2',
    title: 'a Refund names no card, and its answer shows no other than the one charged',
    run: async ctx => {
      for (const last4 of ['4242', '4444']) {
        const { id } = await made(
          ctx,
          pay({ 'card[last4]': last4, 'card[number]': `400000000000${last4}` })
        )
        const shown = valuesOf('last4', await made(ctx, refundOf(id)))
        if (shown.length === 0) ctx.skip('a Refund does not show the card that its funds went to')
        assert.deepEqual([...new Set(shown)], [last4])
      }
    }
  },
  {
    rule: 'REF-7',
    title: 'fifty Refunds at once on one Transaction never exceed the charge',
    run: async ctx => {
      const { id } = await made(ctx, pay())
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => ctx.send(refundOf(id, 70)))
      )
      const refunds = answers.filter(isAccepted).map(accepted)
      const sum = refunds.reduce((total, { amount }) => total + amount, 0)
      assert.ok(sum <= 1000, `${refunds.length} Refunds of 70 were made on a charge of 1000`)
      assert.equal(new Set(refunds.map(each => each.id)).size, refunds.length)
      for (const answer of answers) if (!isAccepted(answer)) ctx.refused(answer)
      assert.equal((await made(ctx, refundOf(id))).amount, 1000 - sum)
    }
  },
  {
    rule: 'REF-9',
    title: 'amount, reason and transaction cannot be changed',
    run: async ctx => {
      const [charge, other] = [await made(ctx, pay()), await made(ctx, pay())]
      const before = await made(ctx, refund({ transaction: charge.id, reason: 'cold soup' }))
      const changes: Fields[] = [
        { amount: 200 },
        { reason: 'changed' },
        { transaction: other.id },
        { reason: '' }
      ]
      for (const body of changes) {
        // Refused or without effect: the reference does not say which
        const answer = await ctx.send({ on: `POST /refunds/${before.id}`, body })
        if (isAccepted(answer)) ctx.violated()
        else ctx.refused(answer)
        const after = await made(ctx, read(`/refunds/${before.id}`))
        for (const name of ['amount', 'reason', 'transaction'])
          assert.equal(after[name], before[name], name)
      }
    }
  },
  {
    rule: 'REF-10',
    title: 'the list is most recent first, narrowed and not',
    run: async ctx => {
      const { id } = await made(ctx, pay())
      const [earlier, later] = await twoInstants(ctx, () => made(ctx, refundOf(id, 10)))
      const { records: narrowed } = listed(await ctx.send(list('/refunds', { transaction: id })))
      assert.deepEqual(narrowed.map(each => each.id).slice(0, 2), [later.id, earlier.id])
      const answer = await ctx.send(list('/refunds'))
      const instants = listed(answer).records.map(createdOf)
      assert.deepEqual(
        instants,
        instants.toSorted((a, b) => b - a),
        describeAnswer(answer)
      )
      assert.ok(
        (instants[0] as number) >= createdOf(later),
        'the first page starts with the most recent Refund'
      )
    }
  }
]

/** Creates two records with different creation times, waiting longer each time. */
async function twoInstants(
  ctx: Context,
  make: () => Promise<Resource>
): Promise<[Resource, Resource]> {
  for (const wait of [5, 50, 1100]) {
    const first = await make()
    await new Promise(resolve => setTimeout(resolve, wait))
    const second = await make()
    if (createdOf(first) !== createdOf(second)) return [first, second]
  }
  return ctx.skip('records made a second apart carry the same creation time')
}
