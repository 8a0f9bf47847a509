import t from 'tap'
import { Collection, type Stored } from '../../src/store/collection.js'
import { EARLIEST, LATEST, OrderedIndex, type Position } from '../../src/store/ordered-index.js'
import { pageOf, type Query } from '../../src/store/paging.js'
import { ALL, FAMILIES, type Records, Store } from '../../src/store/store.js'
import { recordsOf, storedRefund, storedTransaction } from '../support/records.js'

type Thing = { readonly id: string; readonly created: string; readonly place: string }
const GROUPS = {
  account: () => 'mch_a',
  all: () => 'all' as const,
  place: (thing: Thing) => thing.place
}
const iso = (at: number) => new Date(at).toISOString()
const thing = (id: string, at = 0, place = 'a'): Thing => ({ id, created: iso(at), place })
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const all = (collection: Collection<Thing>, place?: string) =>
  ids(
    recordsOf(
      pageOf(collection, {
        index: place ? 'place' : 'all',
        group: place ?? 'all',
        limit: 1000,
        order: 'oldest_first'
      })
    )
  )

t.test(
  'ordered index: a list emptied on one copy is complete on the other, and can be filled again',
  async t => {
    const index = new OrderedIndex<Position>()
    const entries = Array.from({ length: 1000 }, (_, nth) => ({ at: (nth * 7) % 1000, nth }))
    const placesIn = (of: OrderedIndex<Position>) =>
      of
        .range('g', { after: EARLIEST, before: LATEST, descending: false, count: 2000 })
        .map(({ at }) => at)
    for (const entry of entries) index.change('add', 'g', entry)
    const copy = index.copy()
    for (const entry of entries) index.change('remove', 'g', entry)
    index.change('add', 'g', { at: 5, nth: 0 })
    t.strictSame([placesIn(index), placesIn(copy)], [[5], entries.map((_, nth) => nth)])
  }
)

t.test('collection: the bytes of a record are kept until it changes', async t => {
  const collection = new Collection<Thing>(GROUPS)
  const bytes = { whole: Buffer.from('x'), shape: null }
  const kept = (id: string) => collection.stored(id)?.bytes ?? null
  for (const id of ['a', 'b']) collection.insert(thing(id))
  for (const id of ['a', 'b']) collection.keepBytes(collection.stored(id) as Stored<Thing>, bytes)
  t.strictSame([kept('a'), kept('b')], [bytes, bytes])

  collection.replace(thing('a', 0, 'a'))
  t.strictSame([kept('a'), kept('b')], [null, bytes])
  const copy = new Collection(GROUPS, collection)
  copy.replace(thing('b'))
  t.strictSame([kept('b'), copy.stored('b')?.bytes], [bytes, null], 'a copy changes for itself')

  for (let n = 0; n < 4096; n++)
    collection.keepBytes(
      collection.stored(collection.insert(thing(`r${n}`)).id) as Stored<Thing>,
      bytes
    )
  t.strictSame([kept('b'), kept('r4095')], [null, bytes])
})

t.test('A05: records are found by id, some ids for a suggestion', async t => {
  const collection = new Collection<Thing>(GROUPS)
  t.strictSame([collection.someIds(5), collection.get('x')], [[], undefined])
  for (const record of ['x', 'm', 'a'].map(id => thing(id, 5)))
    t.equal(collection.get(collection.insert(record).id), record)
  t.strictSame(
    [collection.size, collection.someIds(2), collection.someIds(9)],
    [3, ['x', 'm'], ['x', 'm', 'a']]
  )
  collection.replace(thing('x', 5, 'b'))
  t.strictSame(
    [all(collection, 'a'), all(collection, 'b')],
    [['m', 'a'], ['x']],
    'it left its former group'
  )
  collection.replace(thing('m', 9))
  t.strictSame(all(collection), ['x', 'a', 'm'], 'another instant moves it in the list')
  t.strictSame(
    ids(collection.inCreationOrder()),
    ['x', 'm', 'a'],
    'but not in the order of creation'
  )
  t.throws(() => collection.replace(thing('none')), new Error('there is no record none'))
})

t.test('collection: a replaced record is found in all its current groups', async t => {
  const collection = new Collection<Thing>({ ...GROUPS, place: ({ place }) => place.split('+') })
  const found = (group: string) =>
    ids(recordsOf(pageOf(collection, { index: 'place', group, limit: 10, order: 'oldest_first' })))
  collection.insert(thing('x', 5, 'a'))
  for (const place of ['a+b', 'a', 'c', 'c', 'b+c']) {
    collection.replace(thing('x', 5, place))
    for (const group of ['a', 'b', 'c'])
      t.strictSame(found(group), place.includes(group) ? ['x'] : [], `${place} ${group}`)
    t.equal(collection.get('x')?.place, place)
  }
})

t.test('A10: the id of a deleted record stays reserved, and its place stays a cursor', async t => {
  const collection = new Collection<Thing>(GROUPS)
  for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) collection.insert(thing(id, index))
  collection.remove('b')

  t.strictSame(
    [collection.get('b'), collection.has('b'), collection.size, all(collection)],
    [undefined, true, 3, ['a', 'c', 'd']]
  )
  t.throws(() => collection.remove('b'), new Error('there is no record b'))
  const placeOf = ([id, { record, at }]: ReturnType<typeof collection.places>[number]) =>
    `${id}${record === null ? ' deleted' : ''} ${at}`
  t.strictSame(collection.places().map(placeOf), ['a 0', 'b deleted 1', 'c 2', 'd 3'])

  collection.insert(thing('b', 1))
  t.strictSame(all(collection), ['a', 'b', 'c', 'd'])
  t.equal(collection.position('b')?.nth, 4, 'a record that comes back has a place of its own')
})

t.test(
  'FILT-6: a page costs about the same steps among 1,000 records and among 100,000',
  async t => {
    let looks = 0
    const watched = (at: number): Position => ({
      nth: at,
      get at() {
        looks++
        return at
      }
    })
    const looksAmong = (count: number) => {
      const index = new OrderedIndex<Position>()
      for (let nth = 0; nth < count; nth++)
        for (const group of ['all', nth % 2 === 0 ? 'even' : 'odd'])
          index.change('add', group, watched(nth))
      return (nth: number, order: Query['order']) => {
        const cursor = { at: nth, nth }
        const near =
          order === 'newest_first' ? [{ lt: nth }, { gte: count - 15 }] : [{ gt: nth }, { lte: 15 }]
        return [
          {},
          { group: 'odd' },
          { startingAfter: cursor },
          { endingBefore: cursor },
          ...near
        ].map(query => {
          looks = 0
          const page = pageOf({ index: () => index } as unknown as Collection<Thing>, {
            index: 'all',
            group: 'all',
            limit: 10,
            order,
            ...query
          })
          t.equal(page.stored.length, 10)
          return looks
        })
      }
    }

    const [amongFew, amongMany] = [looksAmong(1000), looksAmong(100_000)]
    for (const order of ['newest_first', 'oldest_first'] as const) {
      for (const [place, ofMany] of [
        [20, 20],
        [500, 50_000],
        [980, 99_980]
      ] as const) {
        const few = amongFew(place, order)
        for (const [index, many] of amongMany(ofMany, order).entries()) {
          t.ok(
            many <= (few[index] as number) + 30,
            `${order} ${place} ${index}: ${few[index]} and ${many} looks`
          )
        }
      }
    }
  }
)

const NOTHING = { phone: null, metadata: {} }
const address = {
  country: 'US',
  line1: null,
  line2: null,
  city: null,
  postal_code: null,
  state: null
}
const method = { type: 'card', card: { brand: 'visa', last4: '4242' }, bank_account: null } as const
const made = (at: number) => iso(Date.UTC(2026, 2, 1) + at)

/** A store with a merchant and its reseller, a Location, a Ticket and a Transaction of 1000. */
function smallStore(): Store {
  const store = new Store()
  const account = { object: 'account', name: 'N', email: 'a@b.co', address, ...NOTHING } as const
  store.accounts.insert({
    ...account,
    id: 'rsl_r',
    created: made(0),
    type: 'reseller',
    reseller: null
  })
  store.accounts.insert({
    ...account,
    id: 'mch_a',
    created: made(1),
    type: 'merchant',
    reseller: 'rsl_r'
  })
  store.locations.insert({
    id: 'loc_a',
    object: 'location',
    created: made(2),
    account: 'mch_a',
    display_name: 'A',
    address,
    website: null,
    ...NOTHING
  })
  store.tickets.insert({
    id: 'tkt_a',
    object: 'ticket',
    created: made(3),
    location: 'loc_a',
    reference: null
  })
  store.transactions.insert(transaction('txn_a'))
  store.users.insert({
    id: 'usr_a',
    object: 'user',
    created: made(5),
    account: 'mch_a',
    name: 'U',
    email: 'u@b.co'
  })
  store.keys.set('sk_a', 'mch_a')
  return store
}
const transaction = (id: string) =>
  storedTransaction(id, { created: made(4), payment_type: 'card', payment_method: method })
const refund = (id: string, amount: number) => ({
  ...storedRefund(id, transaction('txn_a'), amount),
  created: made(6)
})

t.test(
  'REF-5: the store updates amount_refunded as Refunds are added and replaced; earlier records stay unchanged',
  async t => {
    const store = smallStore()
    const before = store.transactions.get('txn_a')
    store.putRefund(refund('rfd_1', 300))
    store.put('refunds', refund('rfd_1', 100))
    const kept = store.transactions.get('txn_a')
    t.strictSame([before?.amount_refunded, kept?.amount_refunded], [0, 100])
    store.put('refunds', { ...refund('rfd_1', 100), reason: 'cold soup' })
    t.strictSame(store.transactions.get('txn_a'), kept)
    t.not(
      store.transactions.get('txn_a'),
      kept,
      'the Transaction is another record as soon as any of its Refunds changes'
    )
  }
)

t.test('store: a copy looks its owners up in itself', async t => {
  const store = smallStore()
  const copy = store.clone()
  copy.locations.insert({
    id: 'loc_b',
    object: 'location',
    created: made(9),
    account: 'rsl_r',
    display_name: 'B',
    address,
    website: null,
    ...NOTHING
  })
  copy.tickets.insert({
    id: 'tkt_c',
    object: 'ticket',
    created: made(9),
    location: 'loc_b',
    reference: null
  })
  t.equal(copy.tickets.isOwnedBy('tkt_c', 'rsl_r'), true)
  t.equal(store.locations.get('loc_b'), undefined)
})

t.test('A19: the records of an Account follow it to another reseller', async t => {
  const store = smallStore()
  store.putRefund(refund('rfd_1', 100))
  const owned = [
    ['locations', 'loc_a'],
    ['tickets', 'tkt_a'],
    ['transactions', 'txn_a'],
    ['refunds', 'rfd_1']
  ] as const
  const ownedBy = (account: string) =>
    owned.map(([family, id]) => [
      store[family].isOwnedBy(id, account),
      store[family].group('account', account).length
    ])
  const moved = store.accounts.get('mch_a') as Records['accounts']
  const other = { ...(store.accounts.get('rsl_r') as Records['accounts']), id: 'rsl_s' }
  store.put('accounts', other)

  store.put('accounts', { ...moved, reseller: 'rsl_s' })
  // the Refund replaces its Transaction
  store.put('refunds', refund('rfd_1', 200))

  t.strictSame(
    ownedBy('rsl_s'),
    owned.map(() => [true, 1])
  )
  t.strictSame(
    ownedBy('rsl_r'),
    owned.map(() => [false, 0])
  )
  t.strictSame(
    ownedBy('mch_a'),
    owned.map(() => [true, 1])
  )
})

t.test('A19 A21: the Accounts that each record belongs to', async t => {
  const store = smallStore()
  store.putRefund(refund('rfd_1', 100))
  const records: { [F in keyof Records]: string[] } = {
    accounts: ['rsl_r', 'mch_a'],
    users: ['usr_a'],
    locations: ['loc_a'],
    tickets: ['tkt_a'],
    transactions: ['txn_a'],
    refunds: ['rfd_1']
  }
  const listed = (family: keyof Records, index: string, group: string) =>
    ids(
      recordsOf<{ id: string }>(
        pageOf(store[family] as never, { index, group, limit: 10, order: 'oldest_first' })
      )
    )

  for (const family of FAMILIES) {
    for (const id of records[family]) {
      const expected = { rsl_r: ['rsl_r'], usr_a: ['mch_a'] }[id] ?? ['mch_a', 'rsl_r']
      for (const account of ['rsl_r', 'mch_a'])
        t.equal(
          store[family].isOwnedBy(id, account),
          expected.includes(account),
          `${id} ${account}`
        )
      for (const owner of expected)
        t.ok(listed(family, 'account', owner).includes(id), `${id} of ${owner}`)
    }
    if (family !== 'users') t.strictSame(listed(family, ALL, ALL), records[family], family)
  }
  t.strictSame(
    [listed('tickets', 'location', 'loc_a'), listed('transactions', 'location', 'loc_a')],
    [['tkt_a'], ['txn_a']]
  )
  t.strictSame(
    [listed('refunds', 'transaction', 'txn_a'), listed('refunds', 'transaction', 'txn_b')],
    [['rfd_1'], []]
  )
})
