import t from 'tap'
import { Collection, type Stored } from '../../src/store/collection.js'
import { LayeredMap } from '../../src/store/layered-map.js'
import { EARLIEST, isAfter, LATEST, OrderedIndex, type Position } from '../../src/store/ordered-index.js'
import { pageOf, type Query } from '../../src/store/paging.js'
import { ALL, FAMILIES, type Records, Store } from '../../src/store/store.js'
import { recordsOf, storedRefund, storedTransaction } from '../support/records.js'

type Thing = { readonly id: string; readonly created: string; readonly place: string }
const GROUPS = { account: () => 'mch_a', all: () => 'all' as const, place: (thing: Thing) => thing.place }
const iso = (at: number) => new Date(at).toISOString()
const thing = (id: string, at = 0, place = 'a'): Thing => ({ id, created: iso(at), place })
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const all = (collection: Collection<Thing>, place?: string) =>
  ids(recordsOf(pageOf(collection, { index: place ? 'place' : 'all', group: place ?? 'all', limit: 1000, order: 'oldest_first' })))

t.test('bounds: the later instant is after, then the later number', async t => {
  t.equal(isAfter({ at: 2, nth: 0 }, { at: 1, nth: 9 }), true)
  t.equal(isAfter({ at: 1, nth: 2 }, { at: 1, nth: 1 }), true)
  t.equal(isAfter({ at: 1, nth: 1 }, { at: 1, nth: 1 }), false)
  t.equal(isAfter({ at: 1, nth: 9 }, { at: 2, nth: 0 }), false)
  t.equal(isAfter(LATEST, { at: Number.MAX_SAFE_INTEGER, nth: 0 }), true)
  t.equal(isAfter({ at: -8.64e15, nth: 0 }, EARLIEST), true)
})

t.test('collection: records that came out of order are in their places', async t => {
  const collection = new Collection<Thing>(GROUPS)
  for (const at of [5, 3, 1, 4, 2]) collection.insert(thing(`t${at}`, at, at % 2 === 0 ? 'even' : 'odd'))
  const copy = collection.clone(GROUPS)
  for (const at of [9, 7, 8]) copy.insert(thing(`t${at}`, at, 'odd'))
  t.strictSame(all(copy), ['t1', 't2', 't3', 't4', 't5', 't7', 't8', 't9'])
  t.strictSame(all(copy, 'odd'), ['t1', 't3', 't5', 't7', 't8', 't9'])
  t.strictSame(all(collection), ['t1', 't2', 't3', 't4', 't5'])
})

t.test('ordered index: a range stays within its group and its bounds, from either end', async t => {
  const index = new OrderedIndex<Position>()
  const at = (n: number, nth = n): Position => ({ at: n, nth })
  for (const n of [3, 1, 2, 5, 4]) {
    index.change('add', 'b', at(n))
    index.change('add', 'a', at(n))
    index.change('add', 'c', at(n))
  }
  const range = (given: { after?: number; before?: number; descending?: boolean; count?: number; group?: string }) =>
    index
      .range(given.group ?? 'b', {
        after: given.after === undefined ? EARLIEST : at(given.after),
        before: given.before === undefined ? LATEST : at(given.before),
        descending: given.descending ?? false,
        count: given.count ?? 10
      })
      .map(({ at }) => at)

  const cases: [given: Parameters<typeof range>[0], found: number[]][] = [
    [{}, [1, 2, 3, 4, 5]],
    [{ descending: true }, [5, 4, 3, 2, 1]],
    [{ count: 2 }, [1, 2]],
    [{ count: 2, descending: true }, [5, 4]],
    [{ count: 0 }, []],
    [{ after: 2 }, [3, 4, 5]],
    [{ after: 2, descending: true }, [5, 4, 3]],
    [{ before: 4 }, [1, 2, 3]],
    [{ before: 4, descending: true }, [3, 2, 1]],
    [{ after: 1, before: 5, count: 2 }, [2, 3]],
    [{ after: 1, before: 5, count: 2, descending: true }, [4, 3]],
    [{ after: 5 }, []],
    [{ before: 1, descending: true }, []],
    [{ after: 4, before: 2 }, []],
    [{ after: 4, before: 2, descending: true }, []],
    [{ group: 'none' }, []],
    [{ group: '', descending: true }, []],
    [{ group: 'zz', descending: true }, []]
  ]
  for (const [given, found] of cases) t.strictSame(range(given), found, JSON.stringify(given))

  index.change('remove', 'b', at(3))
  t.strictSame(range({}), [1, 2, 4, 5])
  t.strictSame(range({ group: 'a' }), [1, 2, 3, 4, 5], 'the other groups keep theirs')
})

t.test('ordered index: a change of one copy does not change the other', async t => {
  const index = new OrderedIndex<Position>()
  for (let n = 0; n < 600; n++) index.change('add', 'g', { at: n, nth: n })
  const count = (of: OrderedIndex<Position>) => of.range('g', { after: EARLIEST, before: LATEST, descending: false, count: 1000 }).length

  const copy = index.clone()
  copy.change('add', 'g', { at: 1000, nth: 1000 })
  copy.change('add', 'g', { at: 1001, nth: 1001 })
  index.change('remove', 'g', { at: 5, nth: 5 })

  t.strictSame([count(index), count(copy)], [599, 602])
})

t.test('ordered index: what comes between others, leaves and is replaced, in long lists and until nothing is left', async t => {
  type Named = Position & { name: string }
  const index = new OrderedIndex<Named>()
  const names = (descending = false) => index.range('g', { after: EARLIEST, before: LATEST, descending, count: 5000 }).map(({ name }) => name)
  const entry = (n: number, name = String(n)): Named => ({ at: n, nth: 0, name })
  for (let n = 0; n < 1000; n += 2) index.change('add', 'g', entry(n))
  for (let n = 999; n > 0; n -= 2) index.change('add', 'g', entry(n))
  const expected = Array.from({ length: 1000 }, (_, n) => String(n))
  t.strictSame(names(), expected)
  t.strictSame(names(true), expected.toReversed())

  const copy = index.clone()
  for (const n of [0, 500, 999]) index.change('replace', 'g', entry(n, `new ${n}`))
  for (const n of [0, 500, 999]) expected[n] = `new ${n}`
  t.strictSame(names(), expected)
  t.equal(copy.range('g', { after: EARLIEST, before: LATEST, descending: false, count: 1 })[0]?.name, '0', 'a copy keeps the former')

  for (let n = 0; n < 1000; n++) index.change('remove', 'g', entry(n))
  t.strictSame(names(), [])
  index.change('add', 'g', entry(1))
  t.strictSame(names(), ['1'])
})

t.test('ordered index: entries that come in any order, few or many, are in their places', async t => {
  const random = seeded(5)
  for (const count of [1, 64, 700, 3000]) {
    const index = new OrderedIndex<Position>()
    const model = Array.from({ length: 600 + count }, (_, nth) => ({ at: nth < 600 ? 1000 : random(1000), nth }))
    for (const position of model) index.change('add', 'g', position)

    t.strictSame(
      index.clone().range('g', { after: EARLIEST, before: LATEST, descending: false, count: 5000 }),
      model.toSorted((a, b) => a.at - b.at || a.nth - b.nth),
      String(count)
    )
  }
})

t.test('layered map: a copy and its original do not see each other, through many copies', async t => {
  const maps = [new LayeredMap<{ n: number }>()]
  const models = [new Map<string, number>()]
  const random = seeded(11)
  for (let step = 0; step < 3000; step++) {
    const place = random(maps.length)
    const [map, model] = [maps[place] as LayeredMap<{ n: number }>, models[place] as Map<string, number>]
    const key = `k${random(60)}`
    if (step % 100 === 99 && maps.length < 12) {
      maps.push(map.clone())
      models.push(new Map(model))
    } else {
      map.set(key, { n: step })
      model.set(key, step)
    }
  }
  for (const [place, map] of maps.entries()) {
    const model = models[place] as Map<string, number>
    t.strictSame(new Map(Array.from(map.entries(), ([key, { n }]) => [key, n])), model)
    t.equal([...map.entries()].length, model.size, 'each once')
    for (let n = 0; n < 60; n++) t.equal(map.get(`k${n}`)?.n, model.get(`k${n}`))
  }
})

t.test('collection: the bytes of a record are kept until it changes, or those of many others were kept after it', async t => {
  const collection = new Collection<Thing>(GROUPS)
  const bytes = { whole: Buffer.from('x'), shape: null }
  const kept = (id: string) => collection.stored(id)?.bytes ?? null
  for (const id of ['a', 'b']) collection.insert(thing(id))
  for (const id of ['a', 'b']) collection.keepBytes(collection.stored(id) as Stored<Thing>, bytes)
  t.strictSame([kept('a'), kept('b')], [bytes, bytes])

  collection.replace(thing('a', 0, 'a'))
  t.strictSame([kept('a'), kept('b')], [null, bytes])
  const copy = collection.clone(GROUPS)
  copy.amend(thing('b'))
  t.strictSame([kept('b'), copy.stored('b')?.bytes], [bytes, null], 'a copy changes for itself')

  for (let n = 0; n < 4096; n++) collection.keepBytes(collection.stored(collection.insert(thing(`r${n}`)).id) as Stored<Thing>, bytes)
  t.strictSame([kept('b'), kept('r4095')], [null, bytes])
})

t.test('A05: a record that is replaced keeps its place in the order of creation', async t => {
  const collection = new Collection<Thing>(GROUPS)
  for (const id of ['x', 'm', 'a']) collection.insert(thing(id, 5))

  collection.replace(thing('x', 5, 'b'))

  t.equal(collection.get('x')?.place, 'b')
  t.strictSame(all(collection), ['x', 'm', 'a'], 'equal instants order by creation, not by id')
  t.strictSame([all(collection, 'a'), all(collection, 'b')], [['m', 'a'], ['x']], 'it left its former group')
  t.strictSame(ids(collection.inCreationOrder()), ['x', 'm', 'a'])
  t.equal(collection.size, 3)

  collection.replace(thing('m', 9))
  t.strictSame(all(collection), ['x', 'a', 'm'], 'another instant moves it in the list')
  t.strictSame(ids(collection.inCreationOrder()), ['x', 'm', 'a'], 'but not in the order of creation')
  t.throws(() => collection.replace(thing('none')), new Error('there is no record none'))
})

t.test('collection: a record that is replaced is found in all the groups that it is in now', async t => {
  const collection = new Collection<Thing>({ ...GROUPS, place: ({ place }) => place.split('+') })
  const found = (group: string) => ids(recordsOf(pageOf(collection, { index: 'place', group, limit: 10, order: 'oldest_first' })))
  collection.insert(thing('x', 5, 'a'))

  for (const [place, expected] of [
    ['a+b', [['x'], ['x'], []]],
    ['a', [['x'], [], []]],
    ['c', [[], [], ['x']]],
    ['c', [[], [], ['x']]],
    ['b+c', [[], ['x'], ['x']]]
  ] as const) {
    collection.replace(thing('x', 5, place))
    t.strictSame(['a', 'b', 'c'].map(found), expected, place)
    t.equal(collection.get('x')?.place, place)
  }
})

t.test('A10: the id of a deleted record stays taken and stays a cursor', async t => {
  const collection = new Collection<Thing>(GROUPS)
  for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) collection.insert(thing(id, index))
  const before = collection.position('b')

  collection.remove('b')

  t.equal(collection.get('b'), undefined)
  t.equal(collection.size, 3)
  t.strictSame(all(collection), ['a', 'c', 'd'])
  t.strictSame([collection.position('b')?.at, collection.position('b')?.nth], [before?.at, before?.nth])
  t.strictSame(
    ['a', 'b', 'c', 'e'].map(id => collection.has(id)),
    [true, true, true, false]
  )
  t.equal(collection.position('e'), undefined)
  const query = { index: 'all', group: 'all', limit: 10, order: 'oldest_first' } as const
  t.strictSame(ids(recordsOf(pageOf(collection, { ...query, startingAfter: collection.position('b') }))), ['c', 'd'])
  t.strictSame(ids(recordsOf(pageOf(collection, { ...query, endingBefore: collection.position('b') }))), ['a'])
  t.throws(() => collection.remove('b'), new Error('there is no record b'))

  const { revision } = collection
  const [tombstone] = collection.tombstones()
  t.strictSame(tombstone, { id: 'b', at: 1, after: 1, owners: ['mch_a'] })
  collection.insert(thing('b', 1))
  t.strictSame(all(collection), ['a', 'b', 'c', 'd'])
  t.equal(collection.position('b')?.nth, 4, 'a record that comes back has a place of its own')
  t.equal(collection.changedSince(revision), null, 'which its id alone does not tell')
  collection.addTombstone({ id: 'b', at: 9, after: 0, owners: [] })
  t.strictSame([collection.position('b')?.at, collection.size, collection.tombstones()], [1, 4, []], 'a record that is there is not deleted')
})

t.test('collection: a copy and its original do not see each other', async t => {
  const original = new Collection<Thing>(GROUPS)
  for (let n = 0; n < 200; n++) original.insert(thing(`r${n}`, n))
  const before = all(original)

  const copy = original.clone(GROUPS)
  copy.insert(thing('copied', 500))
  copy.replace(thing('r3', 3, 'b'))
  copy.remove('r4')
  t.strictSame(all(original), before)
  t.strictSame([original.get('copied'), original.get('r3')?.place, original.has('copied'), original.size], [undefined, 'a', false, 200])

  original.insert(thing('own', 600))
  original.replace(thing('r5', 5, 'c'))
  original.remove('r6')
  t.strictSame([copy.get('own'), copy.get('r5')?.place, copy.get('r6')?.id, copy.has('own'), copy.size], [undefined, 'a', 'r6', false, 200])
  t.strictSame(all(copy), [...before.filter(id => id !== 'r4'), 'copied'])
  t.strictSame(all(copy, 'b'), ['r3'])
  t.strictSame(ids(copy.inCreationOrder()).slice(-1), ['copied'])
  t.strictSame(ids(original.inCreationOrder()).slice(-1), ['own'], 'both number on from where they parted')
})

t.test('collection: records are found by id, and some ids for a suggestion', async t => {
  const collection = new Collection<Thing>(GROUPS)
  t.strictSame(collection.someIds(5), [])
  for (const record of ['b', 'a', 'c'].map(id => thing(id))) t.equal(collection.get(collection.insert(record).id), record)
  t.strictSame([collection.get('none'), collection.size], [undefined, 3])
  t.strictSame(collection.someIds(2), ['b', 'a'])
  t.strictSame(collection.someIds(9), ['b', 'a', 'c'])
})

/** Numbers below a limit, the same for the same seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Model = { id: string; at: number; nth: number; place: string }

/** The same page, by filtering and sorting an array. */
function modelPage(records: readonly Model[], query: Query): { ids: string[]; hasMore: boolean } {
  const { index, group, gte, gt, lte, lt, startingAfter, endingBefore, limit, order } = query
  const compare = (a: { at: number; nth: number }, b: { at: number; nth: number }) => (a.at - b.at || a.nth - b.nth) * (order === 'newest_first' ? -1 : 1)
  const list = records
    .filter(({ place }) => index === 'all' || place === group)
    .filter(({ at }) => (gte === undefined || at >= gte) && (gt === undefined || at > gt) && (lte === undefined || at <= lte) && (lt === undefined || at < lt))
    .sort(compare)
  if (endingBefore) {
    const before = list.filter(record => compare(record, endingBefore) < 0)
    return { ids: ids(before.slice(-limit)), hasMore: before.length > limit }
  }
  const after = list.filter(record => !startingAfter || compare(record, startingAfter) > 0)
  return { ids: ids(after.slice(0, limit)), hasMore: after.length > limit }
}

t.test('LIST-2 FILT-1 FILT-2 FILT-3 FILT-4 FILT-6 A10 A11: pages are those of a simple model, over many random queries', async t => {
  const random = seeded(42)
  let pages = 0
  let full = 0
  let wrong = 0
  for (let round = 0; round < 40; round++) {
    const collection = new Collection<Thing>(GROUPS)
    const model: Model[] = []
    const count = random(60)
    const spread = 1 + random(20)
    for (let nth = 0; nth < count; nth++) {
      const record = { id: `r${nth}`, at: 1000 + random(spread), nth, place: 'abc'.charAt(random(3)) }
      collection.insert(thing(record.id, record.at, record.place))
      model.push(record)
    }
    const positions = model.map(({ at, nth, id }) => ({ at, nth, id }))
    for (let n = random(10); n > 0 && model.length > 0; n--) {
      const [gone] = model.splice(random(model.length), 1) as [Model]
      collection.remove(gone.id)
    }
    for (let n = random(10); n > 0 && model.length > 0; n--) {
      const moved = model[random(model.length)] as Model
      moved.place = 'abc'.charAt(random(3))
      collection.replace(thing(moved.id, moved.at, moved.place))
    }

    for (let round = 0; round < 60; round++) {
      const bound = () => (random(4) === 0 ? 999 + random(spread + 2) : undefined)
      const cursor = positions.length > 0 ? positions[random(positions.length)] : undefined
      const kind = random(3)
      const place = random(5)
      const query: Query = {
        index: place < 3 ? 'place' : 'all',
        group: place < 3 ? 'abc'.charAt(place) : 'all',
        gte: bound(),
        gt: bound(),
        lte: bound(),
        lt: bound(),
        startingAfter: kind === 0 ? cursor : undefined,
        endingBefore: kind === 1 ? cursor : undefined,
        limit: 1 + random(12),
        order: random(2) === 0 ? 'newest_first' : 'oldest_first'
      }
      const page = pageOf(collection, query)
      const { hasMore } = page
      const records = recordsOf(page)
      const expected = modelPage(model, query)
      pages++
      if (expected.ids.length > 0 && expected.hasMore) full++
      if (JSON.stringify([ids(records), hasMore]) !== JSON.stringify([expected.ids, expected.hasMore])) {
        wrong++
        t.strictSame({ ids: ids(records), hasMore }, expected, JSON.stringify(query))
      }
    }
  }
  t.equal(wrong, 0)
  t.equal(pages, 2400)
  t.ok(full > 200, 'many of them are pages with more beyond')
})

t.test('LIST-2: paging through, forth and back, meets every record once and in order', async t => {
  const random = seeded(7)
  const collection = new Collection<Thing>(GROUPS)
  for (let nth = 0; nth < 137; nth++) collection.insert(thing(`r${nth}`, random(25)))

  for (const order of ['newest_first', 'oldest_first'] as const) {
    const whole = ids(recordsOf(pageOf(collection, { index: 'all', group: 'all', limit: 1000, order })))
    t.equal(whole.length, 137)
    for (const limit of [1, 10, 137]) {
      const forth: string[] = []
      for (let more = true; more; ) {
        const last = forth.at(-1)
        const page = pageOf(collection, { index: 'all', group: 'all', limit, order, startingAfter: last === undefined ? undefined : collection.position(last) })
        forth.push(...ids(recordsOf(page)))
        more = page.hasMore
      }
      t.strictSame(forth, whole, `${order} by ${limit}`)

      const back: string[] = [whole.at(-1) as string]
      for (let more = true; more; ) {
        const page = pageOf(collection, { index: 'all', group: 'all', limit, order, endingBefore: collection.position(back[0] as string) })
        back.unshift(...ids(recordsOf(page)))
        more = page.hasMore
      }
      t.strictSame(back, whole, `${order} back by ${limit}`)
    }
  }
})

t.test('FILT-6: a page costs about the same steps among 1,000 records and among 100,000', async t => {
  let looks = 0
  const watched = (at: number): Position => ({
    nth: at,
    get at() {
      looks++
      return at
    }
  })
  const looksAmong = (count: number, place: 'first' | 'middle' | 'last', order: Query['order']) => {
    const index = new OrderedIndex<Position>()
    for (let nth = 0; nth < count; nth++) for (const group of ['all', nth % 2 === 0 ? 'even' : 'odd']) index.change('add', group, watched(nth))
    const nth = { first: 20, middle: count / 2, last: count - 20 }[place]
    const measured = (query: Partial<Query>) => {
      looks = 0
      const page = pageOf({ index: () => index } as unknown as Collection<Thing>, { index: 'all', group: 'all', limit: 10, order, ...query })
      t.equal(page.stored.length, 10)
      return looks
    }
    return [
      measured({}),
      measured({ group: 'odd' }),
      measured({ startingAfter: { at: nth, nth } }),
      measured({ endingBefore: { at: nth, nth } }),
      measured(order === 'newest_first' ? { lt: nth } : { gt: nth }),
      measured(order === 'newest_first' ? { gte: count - 15 } : { lte: 15 })
    ]
  }

  for (const order of ['newest_first', 'oldest_first'] as const) {
    for (const place of ['first', 'middle', 'last'] as const) {
      const few = looksAmong(1000, place, order)
      for (const [index, many] of looksAmong(100_000, place, order).entries()) {
        t.ok(many <= (few[index] as number) + 30, `${order} ${place} ${index}: ${few[index]} and ${many} looks`)
      }
    }
  }
})

const NOTHING = { phone: null, metadata: {} }
const address = { country: 'US', line1: null, line2: null, city: null, postal_code: null, state: null }
const method = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null } as const
const made = (at: number) => iso(Date.UTC(2026, 2, 1) + at)

/** A store with a merchant and its reseller, a Location, a Ticket and a Transaction of 1000. */
function smallStore(): Store {
  const store = new Store()
  const account = { object: 'account', name: 'N', email: 'a@b.co', address, ...NOTHING } as const
  store.accounts.insert({ ...account, id: 'rsl_r', created: made(0), type: 'reseller', reseller: null })
  store.accounts.insert({ ...account, id: 'mch_a', created: made(1), type: 'merchant', reseller: 'rsl_r' })
  store.locations.insert({ id: 'loc_a', object: 'location', created: made(2), account: 'mch_a', display_name: 'A', address, website: null, ...NOTHING })
  store.tickets.insert({ id: 'tkt_a', object: 'ticket', created: made(3), location: 'loc_a', reference: null })
  store.transactions.insert(transaction('txn_a'))
  store.users.insert({ id: 'usr_a', object: 'user', created: made(5), account: 'mch_a', name: 'U', email: 'u@b.co' })
  store.keys.set('sk_a', 'mch_a')
  return store
}
const transaction = (id: string) => storedTransaction(id, { created: made(4), payment_type: 'card', payment_method: method })
const refund = (id: string, amount: number, of = 'txn_a') => ({ ...storedRefund(id, transaction(of), amount), created: made(6) })
const refundedOf = (store: Store, id = 'txn_a') => store.transactions.get(id)?.amount_refunded

t.test('REF-5: the store keeps amount_refunded as Refunds come and are replaced', async t => {
  const store = smallStore()
  store.transactions.insert(transaction('txn_b'))
  const before = store.transactions.get('txn_a')

  store.putRefund(refund('rfd_1', 300))
  store.putRefund(refund('rfd_2', 200))
  store.putRefund(refund('rfd_3', 50, 'txn_b'))
  t.strictSame([refundedOf(store), refundedOf(store, 'txn_b')], [500, 50])
  t.equal(before?.amount_refunded, 0, 'the record before stays as it is')

  store.put('refunds', refund('rfd_1', 100))
  t.equal(refundedOf(store), 300)
  const kept = store.transactions.get('txn_a')
  store.put('refunds', { ...refund('rfd_1', 100), reason: 'cold soup' })
  t.equal(refundedOf(store), 300)
  t.strictSame(store.transactions.get('txn_a'), kept)
  t.not(store.transactions.get('txn_a'), kept, 'the Transaction is another record as soon as any of its Refunds changes')
  store.put('refunds', refund('rfd_2', 900))
  t.equal(refundedOf(store), 1000)
  t.strictSame(ids(store.transactions.inCreationOrder()), ['txn_a', 'txn_b'])
  t.strictSame(ids(store.refunds.inCreationOrder()), ['rfd_1', 'rfd_2', 'rfd_3'])
})

t.test('store: a copy and its original do not see each other', async t => {
  const store = smallStore()
  const copy = store.clone()

  copy.putRefund(refund('rfd_1', 400))
  copy.keys.set('sk_b', 'mch_a')
  copy.users.remove('usr_a')
  copy.tickets.insert({ id: 'tkt_b', object: 'ticket', created: made(9), location: 'loc_a', reference: 'T' })
  t.strictSame([refundedOf(store), refundedOf(copy)], [0, 400])
  t.strictSame([store.refunds.size, store.keys.size, store.users.size, store.tickets.size], [0, 1, 1, 1])

  store.putRefund(refund('rfd_1', 100))
  store.keys.delete('sk_a')
  t.strictSame([refundedOf(store), refundedOf(copy)], [100, 400])
  t.strictSame([copy.refunds.get('rfd_1')?.amount, copy.keys.get('sk_a')], [400, 'mch_a'])

  const moved = copy.clone()
  moved.locations.insert({ id: 'loc_b', object: 'location', created: made(9), account: 'rsl_r', display_name: 'B', address, website: null, ...NOTHING })
  moved.tickets.insert({ id: 'tkt_c', object: 'ticket', created: made(9), location: 'loc_b', reference: null })
  t.equal(moved.tickets.isOwnedBy('tkt_c', 'rsl_r'), true, 'a copy looks its owners up in itself')
  t.equal(copy.locations.get('loc_b'), undefined)
})

t.test('A19 A21: the Accounts that each record belongs to, and the lists that they are found in', async t => {
  const store = smallStore()
  store.putRefund(refund('rfd_1', 100))
  const owners: { [F in keyof Records]: [id: string, owners: string[]][] } = {
    accounts: [
      ['rsl_r', ['rsl_r']],
      ['mch_a', ['mch_a', 'rsl_r']]
    ],
    users: [['usr_a', ['mch_a']]],
    locations: [['loc_a', ['mch_a']]],
    tickets: [['tkt_a', ['mch_a']]],
    transactions: [['txn_a', ['mch_a']]],
    refunds: [['rfd_1', ['mch_a']]]
  }
  const listed = (family: keyof Records, index: string, group: string) =>
    ids(recordsOf<{ id: string }>(pageOf(store[family] as never, { index, group, limit: 10, order: 'oldest_first' })))

  for (const family of FAMILIES) {
    for (const [id, expected] of owners[family]) {
      for (const account of ['rsl_r', 'mch_a']) t.equal(store[family].isOwnedBy(id, account), expected.includes(account), `${id} ${account}`)
      for (const owner of expected) t.ok(listed(family, 'account', owner).includes(id), `${id} of ${owner}`)
    }
    if (family !== 'users')
      t.strictSame(
        listed(family, ALL, ALL),
        owners[family].map(([id]) => id),
        family
      )
  }
  t.strictSame(listed('tickets', 'location', 'loc_a'), ['tkt_a'])
  t.strictSame(listed('transactions', 'location', 'loc_a'), ['txn_a'])
  t.strictSame(listed('refunds', 'transaction', 'txn_a'), ['rfd_1'])
  t.strictSame(listed('refunds', 'transaction', 'txn_b'), [])
})

t.test('A18: keys are kept in the order in which they came, each with its Account; a copy goes its own way', async t => {
  const store = new Store()
  for (const key of ['b', 'a', 'c', 'a']) store.keys.set(key, `mch_${key}`)
  const copy = store.clone()
  store.keys.set('d', 'mch_d')

  t.strictSame(
    [...copy.keys],
    [
      ['b', 'mch_b'],
      ['a', 'mch_a'],
      ['c', 'mch_c']
    ]
  )
})

t.test('collection: what was changed since a revision is known for the last thousand changes, of copies too, and not of another state', async t => {
  const collection = new Collection<Thing>(GROUPS)
  collection.insert(thing('a'))
  collection.insert(thing('b'))
  const { revision } = collection
  t.strictSame(collection.changedSince(revision), new Set())
  const copy = collection.clone(GROUPS)
  collection.insert(thing('c'))
  collection.replace(thing('a', 5))
  collection.amend(thing('b'))
  collection.remove('c')
  copy.insert(thing('d'))
  t.strictSame([...(collection.changedSince(revision) ?? [])].sort(), ['a', 'b', 'c'])
  t.strictSame([...(copy.changedSince(revision) ?? [])], ['d'])
  t.equal(copy.changedSince(collection.revision), null, 'a change of the other side')
  t.equal(new Collection<Thing>(GROUPS).changedSince(revision), null)

  const since = collection.revision
  for (let nth = 0; nth < 1000; nth++) collection.insert(thing(`e${nth}`))
  t.equal(collection.changedSince(since)?.size, 1000)
  for (let nth = 0; nth < 2000; nth++) collection.insert(thing(`f${nth}`))
  t.equal(collection.changedSince(since), null, 'too long ago')
  const recent = collection.revision
  for (let nth = 0; nth < 1000; nth++) collection.insert(thing(`g${nth}`))
  t.equal(collection.changedSince(recent)?.size, 1000)
})
