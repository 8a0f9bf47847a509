/**
 * Lists compared with a naive model: a page has what a scan would find, and every walk visits each
 * record once, whatever is created and deleted meanwhile.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { changeSettings } from '../../src/sandbox/settings.js'
import { Collection } from '../../src/store/collection.js'
import { pageOf, type Query } from '../../src/store/paging.js'
import { property } from '../support/property.js'
import { recordsOf } from '../support/records.js'
import { NOW } from '../support/requests.js'
import { startWorld } from '../support/world.js'

type Thing = { readonly id: string; readonly created: string; readonly place: string }
const GROUPS = {
  account: () => 'mch_a',
  all: () => 'all' as const,
  place: ({ place }: Thing) => place
}
const iso = (at: number) => new Date(at).toISOString()
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const instant = fc.integer({ min: 0, max: 6 })
const bound = fc.option(fc.integer({ min: -1, max: 7 }), { nil: undefined, freq: 2 })
type Range = {
  gte?: number | undefined
  gt?: number | undefined
  lte?: number | undefined
  lt?: number | undefined
}
const range: fc.Arbitrary<Range> = fc.record({ gte: bound, gt: bound, lte: bound, lt: bound })

const isWithin = ({ gte, gt, lte, lt }: Range, at: number) =>
  (gte === undefined || at >= gte) &&
  (gt === undefined || at > gt) &&
  (lte === undefined || at <= lte) &&
  (lt === undefined || at < lt)

void property(
  t,
  'LIST-2, FILT-1 to FILT-6, A10: a page is the cut that a sorted scan makes',
  {
    of: fc.record({
      things: fc.array(
        fc.record({
          at: instant,
          place: fc.constantFrom('a', 'b'),
          isRemoved: fc.nat(5).map(n => n === 0)
        }),
        { maxLength: 40, size: 'max' }
      ),
      range,
      place: fc.constantFrom('a', 'b', 'none', undefined),
      cursor: fc.option(fc.record({ nth: fc.nat(), isEnd: fc.boolean() })),
      limit: fc.integer({ min: 1, max: 12 }),
      order: fc.constantFrom('newest_first', 'oldest_first')
    }),
    runs: 400
  },
  ({ things, range, place, cursor, limit, order }) => {
    const collection = new Collection<Thing>(GROUPS)
    const all = things.map(({ at, place }, index) =>
      collection.insert({ id: `r${(index * 37) % 101}`, created: iso(at), place })
    )
    things.forEach(({ isRemoved }, index) => {
      if (isRemoved) collection.remove((all[index] as Thing).id)
    })
    const named = cursor && all[cursor.nth % all.length]
    const position = named && collection.position(named.id)
    const query: Query = {
      ...(place === undefined ? { index: 'all', group: 'all' } : { index: 'place', group: place }),
      ...range,
      ...(position && (cursor.isEnd ? { endingBefore: position } : { startingAfter: position })),
      limit,
      order
    }

    const page = pageOf(collection, query)

    const inOrder = all.toSorted((a, b) => Date.parse(a.created) - Date.parse(b.created))
    if (order === 'newest_first') inOrder.reverse()
    const start = named ? inOrder.indexOf(named) : -1
    const isKept = (thing: Thing) =>
      collection.get(thing.id) !== undefined &&
      (place === undefined || thing.place === place) &&
      isWithin(range, Date.parse(thing.created))
    const beyond = (
      named && cursor?.isEnd ? inOrder.slice(0, start) : inOrder.slice(start + 1)
    ).filter(isKept)
    deepEqual(
      ids(recordsOf(page)),
      ids(named && cursor?.isEnd ? beyond.slice(-limit) : beyond.slice(0, limit))
    )
    equal(page.hasMore, beyond.length > limit)
  }
)

const LISTS = {
  locations: { path: '/locations', body: { display_name: 'X', 'address[country]': 'US' } },
  accounts: {
    path: '/accounts',
    body: { type: 'merchant', name: 'X', email: 'x@example.com', 'address[country]': 'US' }
  },
  users: { path: '/accounts/mch_a/users', body: { name: 'X', email: 'x@example.com' } },
  transactions: {
    path: '/transactions',
    body: { ticket: 'tkt_a', payment_type: 'external', amount: 1000 }
  },
  refunds: { path: '/refunds', body: { transaction: 'txn_a', amount: 1 } }
} as const
type Listed = keyof typeof LISTS
/** Between two pages: created records, clock moves and deleted Users. */
type Between = { created: number; clock: number | null; deleted: number | null }

/** More pages than any walk below has. */
const MOST_PAGES = 100
t.test('through the engine', async t => {
  const payment = {
    id: 'txn_a',
    ticket: 'tkt_a',
    payment_type: 'external',
    payment_method: { type: 'external' },
    amount: 1_000_000
  }
  const { call, world } = await startWorld({ records: { transactions: [payment] } })
  const page = (path: string, query: Record<string, string | number>) => {
    const { status, text, body } = call(`GET ${path}`, {
      query: new URLSearchParams(query as Record<string, string>).toString()
    })
    equal(status, 200, text)
    return body as { data: { id: string }[]; has_more: boolean; first_id: string; last_id: string }
  }
  const whole = (path: string) => {
    const { data, has_more } = page(path, { limit: 100 })
    equal(has_more, false)
    return ids(data)
  }

  await property(
    t,
    'LIST-2, A10, A11: a walk in either direction visits each record that stays exactly once, and none twice, while others come and go',
    {
      of: fc.record({
        list: fc.constantFrom<Listed>(
          'locations',
          'accounts',
          'users',
          'users',
          'transactions',
          'refunds'
        ),
        first: fc.integer({ min: 1, max: 9 }),
        limit: fc.integer({ min: 1, max: 4 }),
        isBackwards: fc.boolean(),
        order: fc.constantFrom('newest_first', 'oldest_first'),
        between: fc.array(
          fc.record({
            created: fc.nat(3),
            clock: fc.option(fc.integer({ min: -3, max: 3 })),
            deleted: fc.option(fc.nat())
          }),
          { maxLength: 6 }
        )
      }),
      runs: 60
    },
    async ({ list, first, limit, isBackwards, order, between }) => {
      const { path, body } = LISTS[list]
      const change = ({ created, clock, deleted }: Between) => {
        if (clock !== null) world.setClock({ at: Date.parse(NOW) + clock * 1000, running: false })
        for (let count = 0; count < created; count++)
          equal(call(`POST ${path}`, { body }).status, 200)
        const there = list === 'users' && deleted !== null ? whole(path) : []
        const one = there[(deleted ?? 0) % (there.length || 1)]
        if (one) equal(call(`DELETE ${path}/${one}`).status, 204)
      }
      world.reset()
      await changeSettings(world, { pagination: { order } })
      change({ created: first, clock: null, deleted: null })
      const atStart = whole(path)
      const anchor = atStart.at(-1) as string

      const visited: string[] = isBackwards ? [anchor] : []
      let cursor: Record<string, string> = isBackwards ? { ending_before: anchor } : {}
      for (let turn = 0, hasMore = true; hasMore; turn++) {
        ok(turn < MOST_PAGES, `the walk does not end: ${visited}`)
        const { data, has_more, first_id, last_id } = page(path, { ...cursor, limit })
        equal(data.length === limit || !has_more, true, 'a page is full while there is more')
        visited.push(...(isBackwards ? ids(data).reverse() : ids(data)))
        hasMore = has_more
        if (hasMore)
          cursor = isBackwards ? { ending_before: first_id } : { starting_after: last_id }
        const next = between[turn]
        if (next) change(next)
      }

      equal(new Set(visited).size, visited.length, `none twice: ${visited}`)
      const there = new Set(whole(path))
      for (const id of atStart)
        ok(!there.has(id) || visited.includes(id), `${id} was not visited: ${visited}`)
    }
  )
})
