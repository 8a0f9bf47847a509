/** Tickets, Transactions and Refunds (reference §2, §3, §4, §7, §8). */
import assert from 'node:assert/strict'
import { CARD, type Context, createdOf, OTHER_CARD, valuesOf } from '../context.js'
import { accepted, type Fields, isAccepted, told } from '../service.js'
import type { Check } from '../suite.js'

const PAYMENT_TYPES = ['card', 'apple_pay', 'google_pay', 'emv', 'external', 'paypal', 'vip']
/** What a payment type asks for beside itself. */
const WITH: Record<string, Fields> = {
  card: CARD,
  apple_pay: { 'customer[email]': 'ana@example.com' },
  vip: { 'customer[phone]': '+1 617 555 0100' }
}

const pay = async (ctx: Context, fields: Fields, method: Fields = {}) =>
  ctx.call('POST /transactions', { key: null, body: { ticket: await ctx.ticket(), currency: 'usd', amount: 1000, ...method, ...fields } })
const refund = (ctx: Context, transaction: string, fields: Fields = {}) => ctx.call('POST /refunds', { body: { transaction, ...fields } })

/** The Refunds embedded in a Transaction: an array, at whatever depth, whose members are among those given. */
function embeddedIn(transaction: unknown, refunds: readonly string[]): string[] | null {
  if (typeof transaction !== 'object' || transaction === null) return null
  if (Array.isArray(transaction)) {
    const ids = transaction.map(member => member?.id)
    return ids.length > 0 && ids.every(id => refunds.includes(id)) ? ids : null
  }
  return Object.values(transaction).reduce<string[] | null>((found, part) => found ?? embeddedIn(part, refunds), null)
}

/** All that remains can be refunded, and it is this much: a refused call has taken nothing. */
async function assertRemains(ctx: Context, transaction: string, amount: number): Promise<void> {
  assert.equal(accepted(await refund(ctx, transaction)).amount, amount, `${amount} were expected to remain`)
}

export const PAYMENT_CHECKS: readonly Check[] = [
  {
    rule: 'TKT-1',
    title: 'a Ticket is read, and every write to Tickets is refused',
    run: async ctx => {
      const id = await ctx.ticket()
      const before = await ctx.read(`/tickets/${id}`)
      assert.equal(before.id, id)
      createdOf(before)

      ctx.refused(await ctx.call('POST /tickets', { body: { reference: 'New' } }))
      ctx.refused(await ctx.call(`POST /tickets/${id}`, { body: { reference: 'Changed' } }))
      ctx.refused(await ctx.call(`DELETE /tickets/${id}`))
      assert.deepEqual(await ctx.read(`/tickets/${id}`), before)
    }
  },
  {
    rule: 'TXN-1',
    title: 'a payment needs the id of an existing Ticket',
    run: async ctx => {
      accepted(await pay(ctx, { payment_type: 'card' }, CARD))
      ctx.refused(await pay(ctx, { payment_type: 'card', ticket: '' }, CARD))
      ctx.refused(await pay(ctx, { payment_type: 'card', ticket: `no-such-ticket-${ctx.unique()}` }, CARD))
      ctx.refused(await ctx.call('POST /transactions', { key: null, body: { payment_type: 'card', amount: 1000, currency: 'usd', ...CARD } }))
    }
  },
  ...PAYMENT_TYPES.map(
    (payment_type): Check => ({
      rule: 'TXN-2',
      title: `payment_type ${payment_type} is taken`,
      run: async ctx => {
        accepted(await pay(ctx, { payment_type }, WITH[payment_type]))
      }
    })
  ),
  {
    rule: 'TXN-2',
    title: 'a payment without payment_type, or with another one, is refused',
    run: async ctx => {
      ctx.refused(await pay(ctx, {}, CARD))
      for (const payment_type of ['', 'cash', 'CARD', 'applepay']) ctx.refused(await pay(ctx, { payment_type }, CARD))
    }
  },
  {
    rule: 'TXN-3',
    title: 'vip is taken with customer[phone] and refused without',
    run: async ctx => {
      accepted(await pay(ctx, { payment_type: 'vip', 'customer[phone]': '+1 617 555 0100' }))
      ctx.refused(await pay(ctx, { payment_type: 'vip' }))
      ctx.refused(await pay(ctx, { payment_type: 'vip', 'customer[email]': 'ana@example.com', 'customer[name]': 'Ana' }))
    }
  },
  {
    rule: 'TXN-4',
    title: 'apple_pay is taken with customer[email] and refused without',
    run: async ctx => {
      accepted(await pay(ctx, { payment_type: 'apple_pay', 'customer[email]': 'ana@example.com' }))
      ctx.refused(await pay(ctx, { payment_type: 'apple_pay' }))
      ctx.refused(await pay(ctx, { payment_type: 'apple_pay', 'customer[phone]': '+1 617 555 0100', 'customer[name]': 'Ana' }))
    }
  },
  {
    rule: 'TXN-5',
    title: 'bank_account is taken with vip; with another payment type it is not used',
    run: async ctx => {
      const bank_name = `Bank ${ctx.unique()}`
      const account = { 'bank_account[bank_name]': bank_name, 'bank_account[account_number]': '000123456789', 'bank_account[routing_number]': '110000000' }
      accepted(await pay(ctx, { payment_type: 'vip', ...account }, WITH.vip))

      const answer = await pay(ctx, { payment_type: 'card', ...account }, CARD)
      if (!isAccepted(answer)) return ctx.refused(answer)
      const { id } = accepted(answer)
      assert.ok(!JSON.stringify(await ctx.read(`/transactions/${id}`)).includes(bank_name), 'the bank account was used for a card payment')
    }
  },
  {
    rule: 'TXN-6',
    title: 'currency is a three-letter ISO code in lower case; anything else is refused',
    run: async ctx => {
      for (const currency of ['usd', 'eur', 'jpy']) accepted(await pay(ctx, { payment_type: 'card', currency }, CARD))
      for (const currency of ['USD', 'Usd', 'us', 'dollar', '840', 'zzz']) ctx.refused(await pay(ctx, { payment_type: 'card', currency }, CARD))
    }
  },
  ...['amount', 'donation_amount', 'tip_amount'].map(
    (name): Check => ({
      rule: 'TXN-7',
      title: `${name} is an integer; anything else is refused`,
      run: async ctx => {
        accepted(await pay(ctx, { payment_type: 'card', [name]: 250 }, CARD))
        for (const value of ['2.50', '2,50', 'two', '1e3', '$3']) ctx.refused(await pay(ctx, { payment_type: 'card', [name]: value }, CARD))
      }
    })
  ),
  {
    rule: 'TXN-7',
    title: 'amount is in the smallest sub-unit: what was paid is what can be refunded, to the unit',
    run: async ctx => {
      const { id } = accepted(await pay(ctx, { payment_type: 'card', amount: 1999 }, CARD))
      await assertRemains(ctx, id, 1999)
    }
  },
  {
    rule: 'TXN-8',
    title: 'the 10 most recent Refunds are included, and the earlier ones are not',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1200 })
      const made: string[] = []
      for (let n = 0; n < 12; n++) {
        made.push((await ctx.refund(id, { amount: 100 })).id)
        if (n === 2) assert.deepEqual(embeddedIn(await ctx.read(`/transactions/${id}`), made)?.toSorted(), made.toSorted(), 'fewer than 10 are all included')
      }
      const included = embeddedIn(await ctx.read(`/transactions/${id}`), made)
      assert.deepEqual(included?.toSorted(), made.slice(-10).toSorted())
    }
  },
  {
    rule: 'REF-1',
    title: 'a Refund targets an existing Transaction; none, or an unknown one, is refused',
    run: async ctx => {
      const { id } = await ctx.charge()
      const made = accepted(await refund(ctx, id, { amount: 100 }))
      assert.equal((await ctx.read(`/refunds/${made.id}`)).transaction, id)
      ctx.refused(await ctx.call('POST /refunds', { body: { amount: 100 } }))
      ctx.refused(await refund(ctx, ''))
      ctx.refused(await refund(ctx, `no-such-transaction-${ctx.unique()}`))
    }
  },
  {
    rule: 'REF-2',
    title: 'funds return to the card charged: a Refund names no card, and its answer shows no other',
    run: async ctx => {
      for (const card of [CARD, OTHER_CARD]) {
        const { id } = await ctx.charge(card)
        const made = accepted(await refund(ctx, id))
        const shown = valuesOf('last4', await ctx.read(`/refunds/${made.id}`))
        if (shown.length === 0) ctx.skip('a Refund does not show the card that its funds went to')
        assert.deepEqual([...new Set(shown)], [card['card[last4]']])
      }
    }
  },
  {
    rule: 'REF-3',
    title: 'amount is a positive integer up to the remainder; anything else is refused and takes nothing',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      assert.equal(accepted(await refund(ctx, id, { amount: 1 })).amount, 1)
      for (const amount of ['0', '-1', '0.5', '10.00', '1e2', 'all', '1000']) ctx.refused(await refund(ctx, id, { amount }))
      assert.equal(accepted(await refund(ctx, id, { amount: 999 })).amount, 999)
    }
  },
  {
    rule: 'REF-4',
    title: 'without amount the whole charge, or what remains of it, is refunded',
    run: async ctx => {
      const [whole, rest] = [await ctx.charge({ amount: 1000 }), await ctx.charge({ amount: 1000 })]
      assert.equal(accepted(await refund(ctx, whole.id)).amount, 1000)
      await ctx.refund(rest.id, { amount: 400 })
      const { id } = accepted(await refund(ctx, rest.id))
      assert.equal((await ctx.read(`/refunds/${id}`)).amount, 600)
    }
  },
  {
    rule: 'REF-5',
    title: 'partial Refunds are repeated until the whole charge is refunded, and no further',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      for (const amount of [300, 300, 399, 1]) assert.equal(accepted(await refund(ctx, id, { amount })).amount, amount)
      const answer = await refund(ctx, id, { amount: 1 })
      assert.ok(!isAccepted(answer), told(answer))
    }
  },
  {
    rule: 'REF-6',
    title: 'a Refund on a fully refunded Transaction is refused, with an amount and without',
    run: async ctx => {
      const [atOnce, inParts] = [await ctx.charge({ amount: 1000 }), await ctx.charge({ amount: 1000 })]
      await ctx.refund(atOnce.id)
      for (const amount of [400, 600]) await ctx.refund(inParts.id, { amount })
      for (const { id } of [atOnce, inParts]) {
        ctx.refused(await refund(ctx, id))
        ctx.refused(await refund(ctx, id, { amount: 1 }))
      }
    }
  },
  {
    rule: 'REF-7',
    title: 'a Refund above the remainder is refused and takes nothing, before and after a partial one',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      ctx.refused(await refund(ctx, id, { amount: 1001 }))
      await ctx.refund(id, { amount: 400 })
      for (const amount of [601, 1000, '9007199254740993']) ctx.refused(await refund(ctx, id, { amount }))
      await assertRemains(ctx, id, 600)
    }
  },
  {
    rule: 'REF-7',
    title: 'fifty Refunds at once on one Transaction never exceed the charge',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      const answers = await Promise.all(Array.from({ length: 50 }, () => refund(ctx, id, { amount: 70 })))
      const made = answers.filter(isAccepted).map(accepted)
      const sum = made.reduce((total, { amount }) => total + amount, 0)
      assert.ok(sum <= 1000, `${made.length} Refunds of 70 were made on a charge of 1000`)
      assert.equal(new Set(made.map(({ id: refundId }) => refundId)).size, made.length)
      for (const answer of answers) if (!isAccepted(answer)) ctx.refused(answer)
      await assertRemains(ctx, id, 1000 - sum)
    }
  },
  {
    rule: 'REF-8',
    title: 'reason is null when it is left out, and kept when it is given',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      const [silent, told] = [await ctx.refund(id, { amount: 100 }), await ctx.refund(id, { amount: 100, reason: 'cold soup' })]
      assert.equal((await ctx.read(`/refunds/${silent.id}`)).reason, null)
      assert.equal((await ctx.read(`/refunds/${told.id}`)).reason, 'cold soup')
    }
  },
  {
    rule: 'REF-9',
    title: 'metadata is updated, and the rest stays as it is',
    run: async ctx => {
      const { id: transaction } = await ctx.charge({ amount: 1000 })
      const before = await ctx.refund(transaction, { amount: 100, reason: 'cold soup' })
      await ctx.post(`/refunds/${before.id}`, { 'metadata[till]': '3' })
      const { metadata, ...rest } = await ctx.read(`/refunds/${before.id}`)
      assert.deepEqual(metadata, { till: '3' })
      for (const [name, value] of Object.entries(rest)) assert.deepEqual(value, before[name], name)
    }
  },
  {
    rule: 'REF-9',
    title: 'amount, reason and transaction cannot be changed',
    run: async ctx => {
      const [charge, other] = [await ctx.charge({ amount: 1000 }), await ctx.charge({ amount: 1000 })]
      const before = await ctx.refund(charge.id, { amount: 100, reason: 'cold soup' })
      const changes: Fields[] = [{ amount: 200 }, { reason: 'changed' }, { transaction: other.id }, { reason: '' }]
      for (const body of changes) {
        // Refused or without effect: the reference says that it cannot be, not how that is answered.
        const answer = await ctx.call(`POST /refunds/${before.id}`, { body })
        if (isAccepted(answer)) ctx.violated()
        else ctx.refused(answer)
        const after = await ctx.read(`/refunds/${before.id}`)
        for (const name of ['amount', 'reason', 'transaction']) assert.equal(after[name], before[name], name)
      }
      await assertRemains(ctx, charge.id, 900)
    }
  },
  {
    rule: 'REF-10',
    title: "transaction narrows the list to that Transaction's Refunds",
    run: async ctx => {
      const [charge, other] = [await ctx.charge({ amount: 1000 }), await ctx.charge({ amount: 1000 })]
      const ids: string[] = []
      for (const transaction of [charge.id, other.id, charge.id]) {
        const made = await ctx.refund(transaction, { amount: 100 })
        if (transaction === charge.id) ids.push(made.id)
      }
      const page = await ctx.page('/refunds', { transaction: charge.id })
      assert.deepEqual(page.ids.toSorted(), ids.toSorted())
      for (const { transaction } of page.records) assert.equal(transaction, charge.id)
      assert.deepEqual((await ctx.page('/refunds', { transaction: (await ctx.charge()).id })).ids, [])
    }
  },
  {
    rule: 'REF-10',
    title: 'the list is most recent first, narrowed and not',
    run: async ctx => {
      const { id } = await ctx.charge({ amount: 1000 })
      const [earlier, later] = await ctx.twoInstants(() => ctx.refund(id, { amount: 100 }))
      const { ids } = await ctx.page('/refunds', { transaction: id })
      assert.ok(ids.indexOf(later.id) < ids.indexOf(earlier.id), `${later.id} is more recent than ${earlier.id}`)
      const { records } = await ctx.page('/refunds')
      const instants = records.map(createdOf)
      assert.deepEqual(
        instants,
        instants.toSorted((a, b) => b - a)
      )
      assert.ok(instants.length > 0 && (instants[0] as number) >= createdOf(later), 'the first page starts with the most recent Refund')
    }
  }
]
