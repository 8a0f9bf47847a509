/** Lists: their shape, limit, filters and search (reference §2, §4, §8). Nothing here pages on: the reference names no parameter for it. */
import assert from 'node:assert/strict'
import { CARD, type Context, createdOf, iso, OTHER_CARD } from '../context.js'
import type { Fields, Record_ } from '../service.js'
import type { Check } from '../suite.js'

/** The six lists, each with a way to make sure that it holds two records at least. */
const LISTS: readonly { name: string; path: (ctx: Context) => Promise<string> }[] = [
  { name: 'Locations', path: async ctx => twice('/locations', () => ctx.location()) },
  { name: 'Accounts', path: async ctx => twice('/accounts', () => ctx.account()) },
  {
    name: 'Users',
    path: async ctx => {
      const { id } = await ctx.account()
      return twice(`/accounts/${id}/users`, () => ctx.user(id))
    }
  },
  {
    name: 'Tickets',
    path: async ctx => {
      await ctx.tickets(2)
      return '/tickets'
    }
  },
  { name: 'Transactions', path: async ctx => twice('/transactions', () => ctx.charge()) },
  { name: 'Refunds', path: async ctx => twice('/refunds', async () => ctx.refund((await ctx.charge()).id)) }
]

async function twice(path: string, make: () => Promise<Record_>): Promise<string> {
  await make()
  await make()
  return path
}

/** The lists that the created filters narrow, each with one record of it. */
const FILTERED: readonly { name: string; one: (ctx: Context) => Promise<{ path: string; record: Record_ }> }[] = [
  {
    name: 'Users',
    one: async ctx => {
      const { id } = await ctx.account()
      return { path: `/accounts/${id}/users`, record: await ctx.user(id) }
    }
  },
  { name: 'Tickets', one: async ctx => ({ path: '/tickets', record: (await ctx.tickets(1)).at(-1) as Record_ }) },
  { name: 'Transactions', one: async ctx => ({ path: '/transactions', record: await ctx.charge() }) }
]

type Bound = 'gte' | 'gt' | 'lte' | 'lt'
/** For each filter two windows of a record's creation time: one that lets it in by this filter, one that keeps it out by this filter alone. */
const WINDOWS: Record<Bound, { rule: string; lets: (at: number) => Record<string, number>; keeps: (at: number) => Record<string, number> }> = {
  gte: { rule: 'FILT-1', lets: at => ({ gte: at, lte: at }), keeps: at => ({ gte: at + 1, lte: at + 1 }) },
  gt: { rule: 'FILT-2', lets: at => ({ gt: at - 1, lte: at }), keeps: at => ({ gt: at, lte: at + 1 }) },
  lte: { rule: 'FILT-3', lets: at => ({ gte: at, lte: at }), keeps: at => ({ gte: at - 1, lte: at - 1 }) },
  lt: { rule: 'FILT-4', lets: at => ({ gte: at, lt: at + 1 }), keeps: at => ({ gte: at - 1, lt: at }) }
}
const HOLDS: Record<string, (created: number, bound: number) => boolean> = {
  gte: (created, bound) => created >= bound,
  gt: (created, bound) => created > bound,
  lte: (created, bound) => created <= bound,
  lt: (created, bound) => created < bound
}
const queryOf = (window: Record<string, number>): Fields => Object.fromEntries(Object.entries(window).map(([name, at]) => [`created[${name}]`, iso(at)]))

const windowOf = (...records: Record_[]): Fields => {
  const instants = records.map(createdOf)
  return queryOf({ gte: Math.min(...instants), lte: Math.max(...instants) })
}

/** The record is on the page; skipped where the page was cut before it could be told. */
function assertHolds(ctx: Context, { ids, hasMore }: { ids: string[]; hasMore: boolean }, id: string): void {
  if (!ids.includes(id) && hasMore) ctx.skip(`${id} is not on the first page, and the reference names no parameter to page on with`)
  assert.ok(ids.includes(id), `${id} was expected among ${ids.join(', ') || 'no records'}`)
}

/** Two Transactions with different cards at different instants, and the window that holds them. */
async function twoCards(ctx: Context): Promise<[Record_, Record_]> {
  const cards = [CARD, OTHER_CARD]
  return ctx.twoInstants(() => ctx.charge(cards.reverse()[0]))
}
const last4Of = ({ payment_method }: Record_): string => payment_method?.card?.last4

/** A text that is the last four digits of neither card. */
const NOBODY = '0000'

export const LIST_CHECKS: readonly Check[] = [
  ...LISTS.flatMap(({ name, path }): Check[] => [
    {
      rule: 'LIST-1',
      title: `the list of ${name} answers an object with the result set and has_more`,
      run: async ctx => {
        const { ids } = await ctx.page(await path(ctx))
        assert.ok(ids.length > 0 && ids.every(id => typeof id === 'string'), 'records with an id each were expected')
      }
    },
    {
      rule: 'LIST-2',
      title: `the list of ${name} says has_more when a page leaves some out`,
      run: async ctx => {
        const { records, hasMore } = await ctx.page(await path(ctx), { limit: 1 })
        assert.equal(records.length, 1)
        assert.equal(hasMore, true)
      }
    },
    {
      rule: 'LIST-3',
      title: `the list of ${name} takes limit, the page size`,
      run: async ctx => {
        const list = await path(ctx)
        for (const limit of [1, 2]) assert.equal((await ctx.page(list, { limit })).records.length, limit)
      }
    },
    {
      rule: 'LIST-3',
      title: `the list of ${name} refuses a limit that is not an integer`,
      run: async ctx => {
        const list = await path(ctx)
        for (const limit of ['ten', '1.5']) ctx.refused(await ctx.call(`GET ${list}`, { query: { limit } }))
      }
    }
  ]),
  {
    rule: 'LIST-2',
    title: 'has_more is true up to the last record, and false once all are on the page, or there are none',
    run: async ctx => {
      const { id } = await ctx.account()
      const path = `/accounts/${id}/users`
      const seen = [await ctx.page(path)]
      for (let n = 0; n < 2; n++) await ctx.user(id)
      for (const limit of [1, 2]) seen.push(await ctx.page(path, { limit }))
      assert.deepEqual(
        seen.map(({ records, hasMore }) => [records.length, hasMore]),
        [
          [0, false],
          [1, true],
          [2, false]
        ]
      )
    }
  },
  ...FILTERED.flatMap(({ name, one }): Check[] =>
    Object.entries(WINDOWS).flatMap(([bound, { rule, lets, keeps }]): Check[] => [
      {
        rule,
        title: `created[${bound}] narrows ${name}, exactly at the instant`,
        run: async ctx => {
          const { path, record } = await one(ctx)
          const at = createdOf(record)
          for (const window of [lets(at), keeps(at)]) {
            const { records } = await ctx.page(path, queryOf(window))
            for (const found of records) {
              for (const [filter, limit] of Object.entries(window)) {
                assert.ok(HOLDS[filter]?.(createdOf(found), limit), `${found.id}, created ${found.created}, does not keep created[${filter}]=${iso(limit)}`)
              }
            }
          }
          assertHolds(ctx, await ctx.page(path, queryOf(lets(at))), record.id)
          assert.ok(!(await ctx.page(path, queryOf(keeps(at)))).ids.includes(record.id), `${record.id} was expected to be kept out`)
        }
      },
      {
        rule,
        title: `created[${bound}] on ${name} refuses what is not ISO 8601`,
        run: async ctx => {
          const { path } = await one(ctx)
          for (const value of ['yesterday', '31/12/2025', '2026-13-01']) ctx.refused(await ctx.call(`GET ${path}`, { query: { [`created[${bound}]`]: value } }))
        }
      }
    ])
  ),
  {
    rule: 'FILT-5',
    title: 'location keeps the Tickets of that Location alone',
    run: async ctx => {
      const [here, there] = (await ctx.places(2)) as [Place, Place]
      const page = await ctx.page('/tickets', { location: here.location, ...windowOf(here.ticket) })
      assertHolds(ctx, page, here.ticket.id)
      assert.ok(!page.ids.includes(there.ticket.id))

      const elsewhere = await ctx.page('/tickets', { location: there.location, ...windowOf(here.ticket) })
      assert.ok(!elsewhere.ids.includes(here.ticket.id), `${here.ticket.id} is at ${here.location}, not at ${there.location}`)
      const [all, others] = [await ctx.page('/tickets', { location: here.location }), await ctx.page('/tickets', { location: there.location })]
      assert.deepEqual(
        all.ids.filter(id => others.ids.includes(id)),
        []
      )
    }
  },
  {
    rule: 'FILT-5',
    title: 'location keeps the Transactions of that Location alone',
    run: async ctx => {
      const [here, there] = (await ctx.places(2)) as [Place, Place]
      const transaction = await ctx.charge({ ticket: here.ticket.id })
      assertHolds(ctx, await ctx.page('/transactions', { location: here.location, ...windowOf(transaction) }), transaction.id)
      const elsewhere = await ctx.page('/transactions', { location: there.location, ...windowOf(transaction) })
      assert.ok(!elsewhere.ids.includes(transaction.id), `${transaction.id} is at ${here.location}, not at ${there.location}`)
    }
  },
  {
    rule: 'FILT-5',
    title: 'a Location without Tickets has none, and no Transactions, though others have',
    run: async ctx => {
      await ctx.charge()
      const { id: location } = await ctx.location()
      for (const path of ['/tickets', '/transactions']) {
        const { records, hasMore } = await ctx.page(path, { location })
        assert.deepEqual([records, hasMore], [[], false])
      }
    }
  },
  {
    rule: 'FILT-6',
    title: 'location narrows Tickets before retrieval: a page of one is full at each Location',
    run: async ctx => {
      for (const { location } of await ctx.places(2)) {
        const { records } = await ctx.page('/tickets', { location, limit: 1 })
        assert.equal(records.length, 1, `${location} has Tickets, so its page of one holds one`)
      }
    }
  },
  {
    rule: 'FILT-6',
    title: 'created narrows Tickets before retrieval: a page of one is full at each instant',
    run: async ctx => {
      const tickets = await ctx.tickets(2)
      const instants = new Set(tickets.map(createdOf))
      if (instants.size < 2) ctx.skip('all Tickets listed were created at the same instant')
      for (const at of instants) {
        const { records } = await ctx.page('/tickets', { ...queryOf({ gte: at, lte: at }), limit: 1 })
        assert.equal(records.length, 1, `a Ticket was created at ${iso(at)}, so a page of one holds one`)
      }
    }
  },
  {
    rule: 'FILT-6',
    title: 'location narrows Transactions before retrieval: a page of one is full at each Location',
    run: async ctx => {
      const places = await ctx.places(2)
      for (const { ticket } of places) await ctx.charge({ ticket: ticket.id })
      for (const { location } of places) assert.equal((await ctx.page('/transactions', { location, limit: 1 })).records.length, 1)
    }
  },
  {
    rule: 'FILT-6',
    title: 'created narrows Transactions before retrieval: a page of one is full at each instant',
    run: async ctx => {
      for (const transaction of await ctx.twoInstants(() => ctx.charge())) {
        const { records } = await ctx.page('/transactions', { ...windowOf(transaction), limit: 1 })
        assert.equal(records.length, 1)
        assert.equal(createdOf(records[0] as Record_), createdOf(transaction))
      }
    }
  },
  {
    rule: 'SRCH-1',
    title: 'search_query keeps a Ticket whose reference it is',
    run: async ctx => {
      for (const ticket of (await ctx.tickets(1)).filter(hasReference).slice(0, 3)) {
        assertHolds(ctx, await ctx.page('/tickets', { search_query: ticket.reference, ...windowOf(ticket) }), ticket.id)
      }
    }
  },
  {
    rule: 'SRCH-1',
    title: 'search_query keeps out a Ticket whose reference does not match',
    run: async ctx => {
      const [ticket] = await ctx.tickets(1)
      const search_query = `no-such-reference-${ctx.unique()}`
      assert.deepEqual((await ctx.page('/tickets', { search_query })).ids, [])
      assert.deepEqual((await ctx.page('/tickets', { search_query, ...windowOf(ticket as Record_) })).ids, [])
    }
  },
  {
    rule: 'SRCH-2',
    title: 'search_query keeps the Transactions whose payment_method.card.last4 matches, and no others',
    run: async ctx => {
      const both = await twoCards(ctx)
      for (const [index, transaction] of both.entries()) {
        const page = await ctx.page('/transactions', { search_query: last4Of(transaction), ...windowOf(...both) })
        assertHolds(ctx, page, transaction.id)
        assert.ok(!page.ids.includes((both[1 - index] as Record_).id))
        for (const found of page.records) assert.equal(last4Of(found), last4Of(transaction))
      }
      assert.deepEqual((await ctx.page('/transactions', { search_query: NOBODY, ...windowOf(...both) })).ids, [])
    }
  },
  {
    rule: 'SRCH-2',
    title: 'the last four digits are those of the card that was charged',
    run: async ctx => {
      const { id } = await ctx.charge(OTHER_CARD)
      assert.equal(last4Of(await ctx.read(`/transactions/${id}`)), OTHER_CARD['card[last4]'])
    }
  },
  {
    rule: 'SRCH-3',
    title: 'a page of Tickets that the search emptied says has_more while a match can still be fetched',
    run: async ctx => {
      const tickets = (await ctx.tickets(2)).filter(hasReference)
      const [first] = (await ctx.page('/tickets', { limit: 1 })).records
      const later = tickets.find(({ id, reference }) => id !== first?.id && !`${first?.reference}`.toLowerCase().includes(reference.toLowerCase()))
      if (!later) return ctx.skip('no Ticket behind the first has a reference of its own')
      const { ids, hasMore } = await ctx.page('/tickets', { search_query: later.reference, limit: 1 })
      assert.deepEqual([ids, hasMore], [[], true])
    }
  },
  {
    rule: 'SRCH-3',
    title: 'a page of Transactions that the search emptied says has_more while a match can still be fetched',
    run: async ctx => {
      const both = await twoCards(ctx)
      const [first] = (await ctx.page('/transactions', { ...windowOf(...both), limit: 1 })).records
      const later = both.find(transaction => last4Of(transaction) !== last4Of(first as Record_)) as Record_
      const { ids, hasMore } = await ctx.page('/transactions', { search_query: last4Of(later), ...windowOf(...both), limit: 1 })
      assert.deepEqual([ids, hasMore], [[], true])
    }
  }
]

type Place = { location: string; ticket: Record_ }
const hasReference = ({ reference }: Record_): boolean => typeof reference === 'string' && reference !== ''
