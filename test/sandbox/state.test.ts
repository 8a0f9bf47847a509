import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadScenario } from '../../src/sandbox/loading.js'
import { addKey, addRecords } from '../../src/sandbox/records.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { writeDocument } from '../../src/sandbox/saved/document.js'
import { readSandbox } from '../../src/sandbox/saved/reader.js'
import { changeSettings } from '../../src/sandbox/settings.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { exported } from '../../src/scenario/records/record.js'
import { compileEntry, type Entry } from '../../src/scenario/script/entry.js'
import { pageOf } from '../../src/store/paging.js'
import { FAMILIES, type Store } from '../../src/store/store.js'
import { NOW, smallFixture } from '../support/emulator.js'
import { placeOf } from '../support/places.js'
import { recordsOf } from '../support/records.js'
import { stateText } from '../support/saved-states.js'

const document = (data: object) => documentOf('test', data)
const SCENARIO = document({
  seed: 4,
  clock: NOW,
  settings: { pagination: { max_limit: 50 } },
  data: smallFixture({
    users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }],
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 }]
  }),
  script: [{ on: 'GET /tickets', per: 'test', calls: '2+', delay: '1ms' }]
})
const none = () => undefined
const LISTED = {
  operation: 'listTickets',
  key: null,
  params: none,
  query: none,
  body: none,
  header: none,
  about: none,
  test: 'buys',
  arrivedAt: 0,
  steps: 0
} as const
const DELAYED = (await compileEntry({ on: 'GET /tickets', delay: '1ms' }, () =>
  t.fail('it is right')
)) as Entry
const user = (more: object = {}) =>
  document({ users: [{ account: 'mch_a', name: 'U', email: 'u@example.com', ...more }] })

const ACTS: Record<string, (sandbox: Sandbox) => unknown> = {
  ticket: sandbox =>
    addRecords(sandbox, document({ tickets: [{ location: 'loc_a', reference: 'T' }] })),
  refund: sandbox =>
    addRecords(sandbox, document({ refunds: [{ transaction: 'txn_a', amount: 3 }] })),
  user: sandbox => addRecords(sandbox, user()),
  earlierUser: sandbox => addRecords(sandbox, user({ created: '2026-03-01T09:00:00Z' })),
  changedUser: sandbox => {
    const [one] = sandbox.store.users.inCreationOrder()
    if (one) sandbox.store.users.replace({ ...one, name: `${one.name}!` })
  },
  deletion: sandbox =>
    sandbox.store.users.inCreationOrder().length > 0 &&
    sandbox.store.users.remove(sandbox.store.users.someIds(1)[0] as string),
  key: sandbox => addKey(sandbox, 'mch_a'),
  advance: sandbox => sandbox.setClock({ at: sandbox.clock.now() + 60_000 }),
  run: sandbox => sandbox.setClock({ running: !sandbox.clock.running }),
  count: sandbox => sandbox.script.act(LISTED, { seed: sandbox.settings.seed, instant: 0 }),
  entry: sandbox => sandbox.script.add(DELAYED),
  entryless: sandbox => sandbox.script.remove(sandbox.script.listed()[0]?.id ?? 'scr_1'),
  seed: sandbox => changeSettings(sandbox, { seed: sandbox.settings.seed + 1 }),
  limit: sandbox =>
    changeSettings(sandbox, {
      'pagination.max_limit': sandbox.settings['pagination.max_limit'] + 1
    })
}
const acts = fc.array(fc.constantFrom(...Object.keys(ACTS)), { maxLength: 15 })
const act = async (sandbox: Sandbox, names: readonly string[]) => {
  for (const name of names) await ACTS[name]?.(sandbox)
}

const pagesOf = ({ users }: Store) =>
  users.places().flatMap(([id, place]) =>
    (['newest_first', 'oldest_first'] as const).flatMap(order =>
      (['startingAfter', 'endingBefore'] as const).map(cursor => {
        const page = pageOf(users, {
          index: 'account',
          group: 'mch_a',
          limit: 2,
          order,
          [cursor]: place
        })
        return [id, order, cursor, page.hasMore, recordsOf(page).map(({ id }) => id)].join()
      })
    )
  )

function shown(sandbox: Sandbox) {
  const { store, clock, script, settings, settingsInForce } = sandbox
  const copy = sandbox.copy()
  return {
    records: JSON.stringify(exported(store)),
    places: FAMILIES.map(family =>
      store[family]
        .places()
        .map(([id, { record, at, owners }]) => [id, record === null, at, [owners].flat()])
    ),
    pages: pagesOf(store),
    clock: [clock.now(), clock.running],
    script: script.listed(),
    settings: { ...settings },
    sources: settingsInForce.sources,
    next: [...FAMILIES.map(family => copy.stamp(family)), addKey(copy, 'mch_a')]
  }
}
const machine = { now: Date.parse(NOW) }
const sandboxes = () =>
  new Sandboxes({
    library: new Library({ fixtures: null, scenarios: null }),
    launch: { flag: {}, environment: {} },
    machine: () => machine.now
  })

async function changed(names: readonly string[]): Promise<Sandbox> {
  const { main } = sandboxes()
  await loadScenario(main, SCENARIO, { name: 'test', file: null })
  await act(main, names)
  machine.now += 250
  return main
}

const always = (holds: (names: string[], more: string[], flag: boolean) => Promise<void>) =>
  fc.assert(fc.asyncProperty(acts, acts, fc.boolean(), holds), { numRuns: 40 })

t.test('a reset restores the initial state, whatever was changed', async t => {
  const fresh = shown(await changed([]))
  await always(async names => {
    const sandbox = await changed(names)
    sandbox.reset()
    t.strictSame(shown(sandbox), fresh, names.join())
  })
})

t.test('a snapshot restores the state, and of the settings only the seed', async t => {
  await always(async (before, since, isReset) => {
    const sandbox = await changed(before)
    const { sources: _expected, settings: had, ...wanted } = shown(sandbox)
    const snapshot = sandbox.snapshot()
    await act(sandbox, since)
    if (isReset) sandbox.reset()
    const { settings: between } = shown(sandbox)
    // a running clock continues from its reading, however much later
    machine.now += 1000

    sandbox.restore(snapshot)

    const { sources: _sources, settings, ...rest } = shown(sandbox)
    t.strictSame(rest, wanted, `${before} then ${since}`)
    t.strictSame(settings, { ...between, seed: had.seed })
  })
})

t.test('a saved state continues as it was, in memory and through its file', async t => {
  const path = join((await placeOf(t)).folder, 'state.json')
  await always(async names => {
    const sandbox = await changed(names)
    const expected = shown(sandbox)
    const { requests, state } = sandbox
    const first = sandbox.requireLoaded()
    await writeDocument(path, { first, requests, state: state.saved })
    const read = await readSandbox(path, { flag: {}, environment: {} })

    for (const saved of [{ first, requests, state: state.saved }, read]) {
      const again = sandboxes().main
      again.resume(saved)
      t.strictSame(shown(again), expected, names.join())
      again.reset()
      t.equal(shown(again).records, JSON.stringify(exported(first.store)))
    }
  })
})

t.test('changes in a sandbox do not change a value read from it', async t => {
  for (const name of Object.keys(ACTS)) {
    const sandbox = await changed([])
    const [{ state }, { marks }] = [sandbox.snapshot(), sandbox.state]
    const [taken, before] = [stateText(state), stateText(sandbox.state.saved)]
    const isMarked = () => sandbox.state.marks.some((mark, nth) => mark !== marks[nth])
    t.equal(isMarked(), false)
    await act(sandbox, [name])
    t.equal(stateText(state), taken, name)
    t.not(stateText(sandbox.state.saved), before, `${name} is a change`)
    t.equal(isMarked(), true, `${name} changes the marks`)
  }
})
