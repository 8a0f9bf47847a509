/** Lists against a naive model: every walk visits each record once, whatever is created and deleted in between, and filters keep what a scan would. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Collection } from '../../src/store/collection.js'
import { pageOf, type Query } from '../../src/store/paging.js'
import { NOW, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { property } from '../support/property.js'
import { recordsOf } from '../support/records.js'

type Thing = { readonly id: string; readonly created: string; readonly place: string }
const GROUPS = { account: () => 'mch_a', all: () => 'all' as const, place: ({ place }: Thing) => place }
const iso = (at: number) => new Date(at).toISOString()
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const instant = fc.integer({ min: 0, max: 6 })
const bound = fc.option(fc.integer({ min: -1, max: 7 }), { nil: undefined, freq: 2 })
type Range = { gte?: number | undefined; gt?: number | undefined; lte?: number | undefined; lt?: number | undefined }
const range: fc.Arbitrary<Range> = fc.record({ gte: bound, gt: bound, lte: bound, lt: bound })

const isWithin = ({ gte, gt, lte, lt }: Range, at: number) =>
  (gte === undefined || at >= gte) && (gt === undefined || at > gt) && (lte === undefined || at <= lte) && (lt === undefined || at < lt)

void property(
  t,
  'LIST-2, FILT-1 to FILT-6, A10: a page is the cut that a sorted scan makes',
  {
    of: fc.record({
      things: fc.array(fc.record({ at: instant, place: fc.constantFrom('a', 'b'), isRemoved: fc.nat(5).map(n => n === 0) }), { maxLength: 40, size: 'max' }),
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
    const all = things.map(({ at, place }, index) => collection.insert({ id: `r${(index * 37) % 101}`, created: iso(at), place }))
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
      collection.get(thing.id) !== undefined && (place === undefined || thing.place === place) && isWithin(range, Date.parse(thing.created))
    const beyond = (named && cursor?.isEnd ? inOrder.slice(0, start) : inOrder.slice(start + 1)).filter(isKept)
    deepEqual(ids(recordsOf(page)), ids(named && cursor?.isEnd ? beyond.slice(-limit) : beyond.slice(0, limit)))
    equal(page.hasMore, beyond.length > limit)
  }
)

const LISTS = {
  locations: { path: '/locations', body: { display_name: 'X', 'address[country]': 'US' } },
  accounts: { path: '/accounts', body: { type: 'merchant', name: 'X', email: 'x@example.com', 'address[country]': 'US' } },
  users: { path: '/accounts/mch_a/users', body: { name: 'X', email: 'x@example.com' } },
  transactions: { path: '/transactions', body: { ticket: 'tkt_a', payment_type: 'external', amount: 1000 } },
  refunds: { path: '/refunds', body: { transaction: 'txn_a', amount: 1 } }
} as const
type Listed = keyof typeof LISTS
/** What comes between two pages: records created, with the clock moved before or left, and Users deleted. */
type Between = { created: number; clock: number | null; deleted: number | null }

/** More than any of the walks below has. */
const MOST_PAGES = 100
const base = Date.parse(NOW)
const SECOND = 1000
/** Every instant in these records, in whole seconds after the start of the clock. */
const at = (seconds: number) => iso(base + seconds * SECOND)

t.test('through the API', async t => {
  const { call, control } = await startTestEmulator(t, {
    logged: false,
    records: {
      locations: [{ id: 'loc_b', account: 'mch_a', display_name: 'B', address: { country: 'US' } }],
      tickets: [{ id: 'tkt_b', location: 'loc_b', reference: 'T-2' }],
      transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', payment_method: { type: 'external' }, amount: 1_000_000 }]
    }
  })
  const page = async (path: string, query: Record<string, string | number | undefined>) => {
    const given = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value))
    const { status, text, body } = await call(`GET ${path}`, { query: given.toString() })
    equal(status, 200, text)
    return body as { data: { id: string; created: string }[]; has_more: boolean; first_id: string | null; last_id: string | null }
  }
  /** Every record of a list, in its order. */
  const whole = async (path: string) => {
    const { data, has_more } = await page(path, { limit: 100 })
    equal(has_more, false)
    return data
  }

  await property(
    t,
    'LIST-2, A10, A11: a walk in either direction visits each record that stays exactly once, and none twice, while others come and go',
    {
      of: fc.record({
        list: fc.constantFrom<Listed>('locations', 'accounts', 'users', 'users', 'transactions', 'refunds'),
        first: fc.integer({ min: 1, max: 9 }),
        limit: fc.integer({ min: 1, max: 4 }),
        isBackwards: fc.boolean(),
        order: fc.constantFrom('newest_first', 'oldest_first'),
        between: fc.array(fc.record({ created: fc.nat(3), clock: fc.option(fc.integer({ min: -3, max: 3 })), deleted: fc.option(fc.nat()) }), { maxLength: 6 })
      }),
      runs: 35
    },
    async ({ list, first, limit, isBackwards, order, between }) => {
      const { path, body } = LISTS[list]
      const change = async ({ created, clock, deleted }: Between) => {
        if (clock !== null) await control('PUT /clock', { now: at(clock), running: false })
        for (let count = 0; count < created; count++) equal((await call(`POST ${path}`, { body })).status, 200)
        const there = list === 'users' && deleted !== null ? await whole(path) : []
        const one = there[(deleted ?? 0) % (there.length || 1)]
        if (one) equal((await call(`DELETE ${path}/${one.id}`)).status, 204)
      }
      await control('POST /reset')
      await control('PATCH /settings', { pagination: { order } })
      await change({ created: first, clock: null, deleted: null })
      const atStart = ids(await whole(path))
      const anchor = atStart.at(-1) as string

      const visited: string[] = isBackwards ? [anchor] : []
      let cursor: Record<string, string> = isBackwards ? { ending_before: anchor } : {}
      for (let turn = 0, hasMore = true; hasMore; turn++) {
        ok(turn < MOST_PAGES, `the walk does not end: ${visited}`)
        const { data, has_more, first_id, last_id } = await page(path, { ...cursor, limit })
        equal(data.length === limit || !has_more, true, 'a page is full while there is more')
        visited.push(...(isBackwards ? ids(data).reverse() : ids(data)))
        hasMore = has_more
        if (hasMore) cursor = isBackwards ? { ending_before: first_id as string } : { starting_after: last_id as string }
        const next = between[turn]
        if (next) await change(next)
      }

      equal(new Set(visited).size, visited.length, `none twice: ${visited}`)
      const there = new Set(ids(await whole(path)))
      for (const id of atStart) ok(!there.has(id) || visited.includes(id), `${id} was not visited: ${visited}`)
    }
  )

  const filters = fc.record({
    location: fc.constantFrom('loc_a', 'loc_b', 'loc_none', undefined),
    search: fc.constantFrom('1', '12', 't-1', '4242', '0', undefined),
    range,
    limit: fc.integer({ min: 1, max: 5 })
  })
  const tickets = fc.array(fc.record({ at: instant, location: fc.constantFrom('loc_a', 'loc_b'), reference: fc.constantFrom('T-1', 'T-12', '120', null) }), {
    maxLength: 12
  })
  const payments = fc.array(fc.record({ at: instant, ticket: fc.constantFrom('tkt_a', 'tkt_b'), last4: fc.constantFrom('4242', '0012', '12', null) }), {
    maxLength: 12
  })
  await property(
    t,
    'FILT-1 to FILT-6, SRCH-1 to SRCH-3: each page of a filtered list holds what a scan retrieves for it and the search keeps of that',
    { of: fc.record({ tickets, payments, filters }), runs: 35 },
    async ({ tickets, payments, filters: { location, search, range, limit } }) => {
      await control('POST /reset')
      const records = {
        tickets: tickets.map(({ at: seconds, ...ticket }) => ({ ...ticket, created: at(seconds) })),
        transactions: payments.map(({ at: seconds, last4, ticket }) => ({
          ...{ ticket, payment_type: 'card', amount: 1, created: at(seconds) },
          payment_method: { type: 'card', card: last4 === null || last4.length < 4 ? null : { brand: 'visa', last4 } }
        }))
      }
      equal((await control('POST /records', records)).status, 200)
      const created = Object.fromEntries(Object.entries(range).map(([name, seconds]) => [`created[${name}]`, seconds === undefined ? undefined : at(seconds)]))
      const isKept = (record: { created: string; location: string }) =>
        (location === undefined || record.location === location) && isWithin(range, (Date.parse(record.created) - base) / SECOND)
      const found = {
        '/tickets': ({ reference }: Json) => search === undefined || (reference?.toLowerCase().includes(search.toLowerCase()) ?? false),
        '/transactions': ({ payment_method }: Json) => search === undefined || payment_method.card?.last4 === search
      }

      for (const [path, isFound] of Object.entries(found)) {
        const narrowed = ((await whole(path)) as ({ location: string } & { id: string; created: string })[]).filter(isKept)
        for (let start = 0, cursor: string | undefined; start === 0 || start < narrowed.length; start += limit) {
          const retrieved = narrowed.slice(start, start + limit)

          const { data, has_more, first_id, last_id } = await page(path, { location, search_query: search, ...created, limit, starting_after: cursor })

          deepEqual(ids(data), ids(retrieved.filter(isFound)))
          deepEqual([has_more, first_id, last_id], [narrowed.length > start + limit, retrieved[0]?.id ?? null, retrieved.at(-1)?.id ?? null])
          cursor = last_id ?? undefined
        }
      }
    }
  )
})
