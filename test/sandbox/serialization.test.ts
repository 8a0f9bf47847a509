import fc from 'fast-check'
import t from 'tap'
import { Ids } from '../../src/core/ids.js'
import type { Step } from '../../src/core/places.js'
import { settingsInForce } from '../../src/core/settings.js'
import type { SavedState } from '../../src/sandbox/lines.js'
import { stateOf } from '../../src/sandbox/serialization.js'
import { emptyState, type SandboxState } from '../../src/sandbox/state.js'
import { type DocumentProblem, documentOf } from '../../src/scenario/documents.js'
import { exported } from '../../src/scenario/export.js'
import { FixtureImporter, fixtureIn } from '../../src/scenario/fixture.js'
import { compileScript, type Entry, Script } from '../../src/scenario/script.js'
import { pageOf } from '../../src/store/paging.js'
import { FAMILIES, Store } from '../../src/store/store.js'
import { NOW, smallFixture } from '../support/emulator.js'
import { recordsOf } from '../support/records.js'
import { savedState } from '../support/saved-lines.js'

const settings = settingsInForce({}).values
const document = documentOf('state.json', {})
const text = (store: Store) => JSON.stringify(exported(store))

function storeOf(records: object): Store {
  const store = new Store()
  const importer = new FixtureImporter(store, { ids: new Ids(), now: Date.parse(NOW), settings })
  importer.import(fixtureIn(document, records))
  if (importer.problems.length > 0) throw new Error(JSON.stringify(importer.problems))
  return store
}

const read = async (saved: SavedState, { at = [] as Step[], base = new Store() } = {}) => {
  const problems: DocumentProblem[] = []
  const state = await stateOf(saved, { document, at, settings, problems }, base)
  return { state, problems }
}

/** A store as it comes back from a file: all of it through lines. */
async function again(store: Store, base = new Store()) {
  const { state, problems } = await read(await savedState({ ...emptyState(), store }, { ...emptyState(), store: base }), { base })
  return { back: state.store, problems }
}

t.test('users deleted, made and changed in any order: a file gives the same pages back, at every cursor', async t => {
  const act = fc.oneof(
    fc.record({ do: fc.constant('make' as const), minute: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ do: fc.constant('delete' as const), nth: fc.nat(30) }),
    fc.record({ do: fc.constant('change' as const), nth: fc.nat(30) })
  )

  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async acts => {
      const first = storeOf(
        smallFixture({ users: [1, 2, 3].map(n => ({ id: `usr_${n}`, account: 'mch_a', name: `${n}`, email: 'a@example.com', created: NOW })) })
      )
      const store = first.clone()
      const ids = ['usr_1', 'usr_2', 'usr_3']
      for (const one of acts) {
        const id = ids[('nth' in one ? one.nth : 0) % ids.length] as string
        const user = store.users.get(id)
        if (one.do === 'make') {
          const made = `usr_${ids.push(`usr_${ids.length + 1}`)}`
          store.users.insert({
            object: 'user',
            id: made,
            account: 'mch_a',
            name: made,
            email: 'a@example.com',
            created: `2026-03-01T18:0${one.minute}:00.000Z`
          })
        } else if (user && one.do === 'delete') store.users.remove(id)
        else if (user) store.users.replace({ ...user, name: 'changed' })
      }

      const { back, problems } = await again(store, first)

      t.strictSame(problems, [])
      for (const id of ids) {
        if (back.users.has(id) !== store.users.has(id)) return false
        for (const order of ['newest_first', 'oldest_first'] as const) {
          for (const name of ['startingAfter', 'endingBefore']) {
            const pages = [store, back].map(({ users }) => pageOf(users, { index: 'account', group: 'mch_a', limit: 3, order, [name]: users.position(id) }))
            const [expected, page] = pages.map(page => JSON.stringify([page.hasMore, recordsOf(page).map(({ id }) => id)]))
            if (page !== expected) return false
          }
        }
      }
      return text(back) === text(store)
    }),
    { numRuns: 200 }
  )
})

t.test('families that a file leaves out are those of the base, deleted ids included; keys never are', async t => {
  const base = storeOf(smallFixture({ users: [{ id: 'usr_1', account: 'mch_a', name: 'One', email: 'a@example.com' }] }))
  base.users.remove('usr_1')
  base.keys.set('sk_more', 'mch_a')
  const store = base.clone()
  store.keys.delete('sk_merchant')
  const { tickets } = storeOf(smallFixture({ tickets: [{ id: 'tkt_b', location: 'loc_a', reference: 'B' }] }))
  const ticket = tickets.get('tkt_b')
  if (ticket) store.tickets.insert(ticket)

  const { back, problems } = await again(store, base)

  t.strictSame(problems, [])
  t.strictSame([...back.keys], [...store.keys])
  t.equal(text(back), text(store))
  t.equal(back.users.has('usr_1'), true)
  t.strictSame(back.users.tombstones(), base.users.tombstones(), 'once')
  for (const family of FAMILIES) t.equal(back[family].revision === base[family].revision, family !== 'tickets', family)
  t.equal(base.tickets.size, 1, 'the base is not changed')
})

t.test('problems of records and of script entries have their place in the file', async t => {
  const { state, problems } = await read(
    {
      ...(await savedState(emptyState())),
      script: [
        { id: 'scr_4', entry: { on: 'GET /tickets', delay: '1s' }, matched: 7, applied: 6 },
        { id: 'scr_9', entry: { on: 'GET /tickets', delay: 'soon' }, matched: 0, applied: 0 }
      ],
      records: { tickets: [{ id: 'tkt_x', location: 'loc_x', reference: 'X' }] }
    },
    { at: ['sandboxes', 2] }
  )

  t.strictSame(problems.map(({ document: { name }, steps }) => [name, steps.join('.')]).sort(), [
    ['state.json', 'sandboxes.2.records.tickets.0.location'],
    ['state.json', 'sandboxes.2.script.1.entry.delay']
  ])
  t.strictSame(
    state.script.listed().map(({ id, matched, applied }) => [id, matched, applied]),
    [['scr_4', 7, 6]]
  )
})

t.test('a state comes back with its settings, counters, clock and script, and a new entry has an id of its own', async t => {
  const compiled = async (on: string) => (await compileScript([{ on, delay: '2s' }], () => t.fail('it is right')))[0]?.entry as Entry
  const script = new Script([await compiled('GET /tickets'), await compiled('POST /refunds')])
  script.remove('scr_1')
  script.add(await compiled('GET /tickets'))
  script.put('scr_2', await compiled('POST /refunds'), { matched: 3, applied: 2 })
  const given: SandboxState = {
    store: storeOf(smallFixture()),
    counters: { user: 3 },
    clock: { at: 5, running: false },
    script,
    settings: { seed: 4, 'pagination.max_limit': 7 }
  }

  const { state, problems } = await read(await savedState(given))

  t.strictSame(problems, [])
  t.strictSame(await savedState(state), await savedState(given))
  t.strictSame({ ...state.settings }, given.settings)
  t.equal(state.script.add(await compiled('GET /tickets')).id, 'scr_4')
})

t.test('A23: Refunds that another setting allowed are accepted, more than the whole charge is not', async t => {
  const transaction = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 100, tip_amount: 20, donation_amount: 3 }
  for (const [amount, expected] of [
    [100, []],
    [123, []],
    [124, ['txn_a was charged 123 usd, 0 of it has been refunded, 123 remain; 124 was asked.']]
  ] as const) {
    const records = smallFixture({ transactions: [transaction], refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount }] })
    const { problems } = await read({ ...(await savedState(emptyState())), records })
    t.strictSame(
      problems.map(({ message }) => message),
      expected
    )
  }
})
