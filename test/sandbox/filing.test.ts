import fc from 'fast-check'
import t from 'tap'
import type { Step } from '../../src/core/checking.js'
import { Ids } from '../../src/core/ids.js'
import { settingsInForce } from '../../src/core/settings.js'
import { type Filed, type FiledRecords, filed, filedSchemas, objectOf, scriptIn, storeIn } from '../../src/sandbox/filing.js'
import { documentOf, type Found } from '../../src/scenario/documents.js'
import { exportedText } from '../../src/scenario/export.js'
import { fixtureIn, put } from '../../src/scenario/fixture.js'
import { compileScript, Script } from '../../src/scenario/script.js'
import { pageOf } from '../../src/store/paging.js'
import { FAMILIES, Store } from '../../src/store/store.js'
import { NOW, world } from '../support/emulator.js'

const settings = settingsInForce({}).values
const document = documentOf('state.json', {})
const CLOCK = { at: null, running: true }

function storeOf(records: object): Store {
  const store = new Store()
  const { problems } = put(fixtureIn(document, records as Record<string, unknown>), store, { ids: new Ids(), now: Date.parse(NOW), settings })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return store
}

/** A state as it comes back from a file: all of it through JSON. */
function again(store: Store, { base, families }: { base?: Store; families?: readonly (typeof FAMILIES)[number][] } = {}) {
  const state = filed({ store, counters: {}, clock: CLOCK, script: new Script() })
  const records = JSON.parse(exportedText(store, families)) as FiledRecords
  const found: Found[] = []
  const at: Step[] = ['worlds', 0]
  const back = storeIn(records, JSON.parse(JSON.stringify(state)) as Filed, { document, at, settings, found }, base)
  return { back, found }
}

t.test('users deleted, made and changed in any order: from a file come the same pages, at every cursor', async t => {
  const act = fc.oneof(
    fc.record({ do: fc.constant('make' as const), minute: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ do: fc.constant('delete' as const), nth: fc.nat(30) }),
    fc.record({ do: fc.constant('change' as const), nth: fc.nat(30) })
  )

  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), acts => {
      const first = storeOf(world({ users: [1, 2, 3].map(n => ({ id: `usr_${n}`, account: 'mch_a', name: `${n}`, email: 'a@example.com', created: NOW })) }))
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

      const isChanged = store.users.revision !== first.users.revision
      const { back, found } = again(store, { base: first, families: isChanged ? ['users'] : [] })

      t.strictSame(found, [])
      for (const id of ids) {
        if (back.users.isTaken(id) !== store.users.isTaken(id)) return false
        for (const order of ['newest_first', 'oldest_first'] as const) {
          for (const name of ['startingAfter', 'endingBefore']) {
            const pages = [store, back].map(({ users }) => pageOf(users, { index: 'account', group: 'mch_a', limit: 3, order, [name]: users.position(id) }))
            const [expected, page] = pages.map(({ records, hasMore }) => JSON.stringify([hasMore, records.map(({ id }) => id)]))
            if (page !== expected) return false
          }
        }
      }
      return exportedText(back) === exportedText(store)
    }),
    { numRuns: 200 }
  )
})

t.test('families that a file leaves out are those of the base, deleted ids included; keys never are', async t => {
  const base = storeOf(world({ users: [{ id: 'usr_1', account: 'mch_a', name: 'One', email: 'a@example.com' }] }))
  base.users.remove('usr_1')
  base.keys.set('sk_more', 'mch_a')
  const store = base.clone()
  store.keys.delete('sk_merchant')
  const { tickets } = storeOf(world({ tickets: [{ id: 'tkt_b', location: 'loc_a', reference: 'B' }] }))
  const ticket = tickets.get('tkt_b')
  if (ticket) store.tickets.insert(ticket)

  const { back, found } = again(store, { base, families: ['tickets'] })

  t.strictSame(found, [])
  t.strictSame([...back.keys], [...store.keys])
  t.equal(exportedText(back), exportedText(store))
  t.equal(back.users.isTaken('usr_1'), true)
  t.strictSame(back.users.removed(), base.users.removed(), 'once')
  for (const family of FAMILIES) t.equal(back[family].revision === base[family].revision, family !== 'tickets', family)
  t.equal(base.tickets.size, 1, 'the base is not changed')
})

t.test('problems of records and of script entries have their place in the file', async t => {
  const found: Found[] = []
  const state: Filed = {
    counters: {},
    clock: CLOCK,
    deleted: {},
    script: [
      { id: 'scr_4', entry: { on: 'GET /tickets', delay: '1s' }, fitted: 7, acted: 6 },
      { id: 'scr_9', entry: { on: 'GET /tickets', delay: 'soon' }, fitted: 0, acted: 0 }
    ]
  }
  const reading = { document, at: ['worlds', 2], settings, found }

  storeIn({ tickets: [{ id: 'tkt_x', location: 'loc_x', reference: 'X' }] }, state, reading)
  const script = await scriptIn(state, reading)

  t.strictSame(
    found.map(({ document: { name }, steps }) => [name, steps]),
    [
      ['state.json', ['worlds', 2, 'records', 'tickets', 0, 'location']],
      ['state.json', ['worlds', 2, 'script', 1, 'entry', 'delay']]
    ]
  )
  t.strictSame(script.listed(), state.script.slice(0, 1))
})

t.test('a script comes back with its ids, counts and order, and a new entry has an id of its own', async t => {
  const script = new Script(
    await compileScript(
      [
        { on: 'GET /tickets', calls: 1, delay: '1s' },
        { on: 'POST /refunds', fault: 'hang' }
      ],
      () => t.fail('it is right')
    )
  )
  script.remove('scr_1')
  const [third] = await compileScript([{ on: 'GET /tickets', delay: '2s' }], () => t.fail('it is right'))
  if (third) script.add(third)
  script.put('scr_2', (await compileScript([{ on: 'POST /refunds', fault: 'hang' }], () => {}))[0] as NonNullable<typeof third>, { fitted: 3, acted: 2 })

  const state = JSON.parse(JSON.stringify(filed({ store: new Store(), counters: { user: 3 }, clock: CLOCK, script }))) as Filed
  const back = await scriptIn(state, { document, at: [], settings, found: [] })

  t.strictSame(state, { counters: { user: 3 }, clock: CLOCK, script: script.listed(), deleted: {} })
  t.strictSame(back.listed(), script.listed())
  if (third) t.equal(back.add(third), 'scr_4')
})

t.test('what another setting allowed to be refunded fits, more than the whole charge does not', async t => {
  const transaction = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 100, tip_amount: 20, donation_amount: 3 }
  const given = (amount: number) => ({ ...world({ transactions: [transaction], refunds: [{ id: 'rfd_a', transaction: 'txn_a', amount }] }) })
  const state: Filed = { counters: {}, clock: CLOCK, deleted: {}, script: [] }
  for (const [amount, problems] of [
    [100, 0],
    [123, 0],
    [124, 1]
  ] as const) {
    const found: Found[] = []
    const store = storeIn(given(amount), state, { document, at: [], settings, found })
    t.equal(found.length, problems, `${amount}`)
    t.equal(store.transactions.get('txn_a')?.amount_refunded, amount)
  }
})

t.test('the schemas ask for all of a state', async t => {
  const schema = objectOf(filedSchemas())

  t.strictSame(schema.required, ['records', 'counters', 'clock', 'script', 'deleted'])
  t.strictSame(Object.keys((schema.properties.deleted as { properties: object }).properties), FAMILIES)
})
