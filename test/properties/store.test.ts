/**
 * The store's copies compared with plain Maps: a change of one copy leaves the others as they are.
 */
import { deepEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Collection } from '../../src/store/collection.js'
import { pageOf } from '../../src/store/paging.js'
import { type Records, Store } from '../../src/store/store.js'
import { property } from '../support/property.js'
import { recordsOf, storedRefund, storedTransaction } from '../support/records.js'

type Thing = {
  readonly id: string
  readonly created: string
  readonly place: string
  readonly version: number
}
const GROUPS = {
  account: () => 'mch_a',
  all: () => 'all' as const,
  place: ({ place }: Thing) => place
}
const PLACES = ['a', 'b', 'c']

/** Changes of a copy; `nth` picks an existing record, `count` how many in a row. */
type Deed = {
  do: 'clone' | 'insert' | 'replace' | 'remove'
  copy: number
  nth: number
  count: number
  at: number
  place: string
}
const deed: fc.Arbitrary<Deed> = fc.record({
  do: fc.constantFrom('clone', 'insert', 'insert', 'replace', 'remove'),
  copy: fc.nat(5),
  nth: fc.nat(200),
  count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 80 })),
  at: fc.integer({ min: -2, max: 5 }),
  place: fc.constantFrom(...PLACES)
})

type Model = { things: Map<string, Thing>; removed: Set<string> }
type Copy = { collection: Collection<Thing>; model: Model }

const pick = <V>(values: readonly V[], nth: number): V | undefined => values[nth % values.length]
const iso = (at: number) => new Date(at).toISOString()

function act(
  copies: Copy[],
  { do: what, copy, nth, count, at, place }: Deed,
  draw: () => string
): void {
  const { collection, model } = pick(copies, copy) as Copy
  if (what === 'clone') {
    copies.push({
      collection: new Collection(GROUPS, collection),
      model: { things: new Map(model.things), removed: new Set(model.removed) }
    })
    return
  }
  for (let index = 0; index < count; index++) {
    const there = pick([...model.things.keys()], nth + index * 7)
    if (what === 'insert') {
      const thing = { id: draw(), created: iso(at + (index % 3)), place, version: 0 }
      collection.insert({ ...thing })
      model.things.set(thing.id, thing)
    } else if (there !== undefined && what === 'replace') {
      const { version } = model.things.get(there) as Thing
      const thing = { id: there, created: iso(at), place, version: version + 1 }
      collection.replace({ ...thing })
      model.things.set(there, thing)
    } else if (there !== undefined) {
      collection.remove(there)
      model.things.delete(there)
      model.removed.add(there)
    }
  }
}

function compare({ collection, model: { things, removed } }: Copy, drawn: readonly string[]): void {
  const inOrder = [...things.values()]
  equal(collection.size, things.size)
  deepEqual(collection.inCreationOrder(), inOrder)
  for (const [id, thing] of things) deepEqual(collection.get(id), thing)
  for (const id of removed)
    deepEqual([collection.get(id), collection.position(id) === undefined], [undefined, false])
  for (const id of drawn) equal(collection.has(id), things.has(id) || removed.has(id))

  const byInstant = inOrder.toSorted((a, b) => Date.parse(a.created) - Date.parse(b.created))
  const listed = (index: string, group: string, order: 'newest_first' | 'oldest_first') =>
    recordsOf(pageOf(collection, { index, group, limit: 10_000, order }))
  deepEqual(listed('all', 'all', 'oldest_first'), byInstant)
  deepEqual(listed('all', 'all', 'newest_first'), byInstant.toReversed())
  for (const place of PLACES)
    deepEqual(
      listed('place', place, 'oldest_first'),
      byInstant.filter(thing => thing.place === place)
    )
}

void property(
  t,
  'collection: any inserts, replacements and removals on copies and originals leave each as plain Maps say',
  { of: fc.array(deed, { minLength: 1, maxLength: 25, size: 'max' }), runs: 60 },
  deeds => {
    const drawn: string[] = []
    /** An id outside the order of creation. */
    const draw = () => {
      const id = `r${((drawn.length * 7919) % 100_003).toString(36)}`
      drawn.push(id)
      return id
    }
    const copies: Copy[] = [
      {
        collection: new Collection<Thing>(GROUPS),
        model: { things: new Map(), removed: new Set() }
      }
    ]

    for (const deed of deeds) act(copies, deed, draw)

    for (const copy of copies) compare(copy, drawn)
  }
)

function smallStore(): Store {
  const store = new Store()
  const address = {
    country: 'US',
    line1: null,
    line2: null,
    city: null,
    postal_code: null,
    state: null
  }
  const location = {
    id: 'loc_a',
    object: 'location',
    created: '2026-03-01T00:00:00.000Z',
    account: 'mch_a',
    display_name: 'A'
  } as const
  store.locations.insert({ ...location, address, phone: null, website: null, metadata: {} })
  for (const id of ['txn_a', 'txn_b']) store.transactions.insert(storedTransaction(id))
  return store
}

void property(
  t,
  'store: on every copy the sum that a Transaction keeps is that of its Refunds, and keys are its own',
  {
    of: fc.array(
      fc.record({
        do: fc.constantFrom('clone', 'refund', 'refund', 'replace', 'key'),
        copy: fc.nat(4),
        nth: fc.nat(20),
        amount: fc.integer({ min: 1, max: 9 })
      }),
      { minLength: 1, maxLength: 30, size: 'max' }
    ),
    runs: 60
  },
  deeds => {
    const copies = [
      {
        store: smallStore(),
        refunds: new Map<string, Records['refunds']>(),
        keys: new Map<string, string>()
      }
    ]
    for (const [index, { do: what, copy, nth, amount }] of deeds.entries()) {
      const one = pick(copies, copy) as (typeof copies)[number]
      const there = pick([...one.refunds.values()], nth)
      if (what === 'clone')
        copies.push({
          store: one.store.clone(),
          refunds: new Map(one.refunds),
          keys: new Map(one.keys)
        })
      else if (what === 'key') {
        one.store.keys.set(`sk_${index}`, 'mch_a')
        one.keys.set(`sk_${index}`, 'mch_a')
      } else if (what === 'refund' || there === undefined) {
        const added = storedRefund(
          `rfd_${index}`,
          storedTransaction(nth % 2 === 0 ? 'txn_a' : 'txn_b'),
          amount
        )
        one.store.putRefund({ ...added })
        one.refunds.set(added.id, added)
      } else {
        const other = storedRefund(there.id, storedTransaction(there.transaction), amount)
        one.store.put('refunds', { ...other })
        one.refunds.set(other.id, other)
      }
    }

    for (const { store, refunds, keys } of copies) {
      deepEqual([...store.keys], [...keys])
      deepEqual(store.refunds.inCreationOrder(), [...refunds.values()])
      for (const id of ['txn_a', 'txn_b']) {
        const own = [...refunds.values()].filter(({ transaction }) => transaction === id)
        equal(
          store.transactions.get(id)?.amount_refunded,
          own.reduce((sum, { amount }) => sum + amount, 0)
        )
        deepEqual(
          recordsOf(
            pageOf(store.refunds, {
              index: 'transaction',
              group: id,
              limit: 100,
              order: 'oldest_first'
            })
          ),
          own
        )
      }
    }
  }
)
