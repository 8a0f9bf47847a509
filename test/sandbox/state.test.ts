import fc from 'fast-check'
import t from 'tap'
import { settingsInForce } from '../../src/core/settings.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { stateOf } from '../../src/sandbox/serialization.js'
import { type DocumentProblem, documentOf } from '../../src/scenario/documents.js'
import { exported } from '../../src/scenario/export.js'
import { Library } from '../../src/scenario/library.js'
import { compileEntry, type Entry } from '../../src/scenario/script.js'
import { FAMILIES } from '../../src/store/store.js'
import { NOW, smallFixture } from '../support/emulator.js'
import { savedState } from '../support/saved-lines.js'

const document = (data: object) => documentOf('test', data)
const SCENARIO = document({
  seed: 4,
  clock: NOW,
  settings: { pagination: { max_limit: 50 } },
  data: smallFixture({
    users: [{ id: 'usr_a', account: 'mch_a', name: 'A', email: 'a@example.com' }],
    transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 1000 }]
  }),
  script: [{ on: 'GET /tickets', calls: '2+', delay: '1ms' }]
})
const LISTED = {
  operation: 'listTickets',
  key: null,
  params: () => undefined,
  query: () => undefined,
  body: () => undefined,
  about: () => undefined,
  steps: 0
} as const
const DELAYED = { on: 'GET /tickets', delay: '1ms' }

/** Changes of a part of the state each. */
const ACTS: Record<string, (sandbox: Sandbox) => unknown> = {
  ticket: sandbox => sandbox.addRecords(document({ tickets: [{ location: 'loc_a', reference: 'T' }] })),
  refund: sandbox => sandbox.addRecords(document({ refunds: [{ transaction: 'txn_a', amount: 3 }] })),
  user: sandbox => sandbox.addRecords(document({ users: [{ account: 'mch_a', name: 'U', email: 'u@example.com' }] })),
  deletion: sandbox => sandbox.store.users.inCreationOrder().length > 0 && sandbox.store.users.remove(sandbox.store.users.someIds(1)[0] as string),
  key: sandbox => sandbox.addKey('mch_a'),
  advance: sandbox => sandbox.setClock({ at: sandbox.clock.now() + 60_000 }),
  run: sandbox => sandbox.setClock({ running: !sandbox.clock.running }),
  count: sandbox => sandbox.script.act(LISTED, { seed: sandbox.settings.seed, at: 0 }),
  entry: async sandbox => sandbox.script.add((await compileEntry(DELAYED, () => t.fail('it is right'))) as Entry),
  entryless: sandbox => sandbox.script.remove(sandbox.script.listed()[0]?.id ?? 'scr_1'),
  seed: sandbox => sandbox.changeSettings({ seed: sandbox.settings.seed + 1 }),
  limit: sandbox => sandbox.changeSettings({ 'pagination.max_limit': sandbox.settings['pagination.max_limit'] + 1 })
}
const acts = fc.array(fc.constantFrom(...Object.keys(ACTS)), { maxLength: 15 })
const act = async (sandbox: Sandbox, names: readonly string[]) => {
  for (const name of names) await ACTS[name]?.(sandbox)
}

/** All that a state holds as callers see it; the ids drawn next are those of a copy. */
function shown({ store, clock, script, settings, settingsInForce: { sources }, saved }: Sandbox) {
  const copy = sandboxes().main
  copy.resume(saved)
  return {
    records: JSON.stringify(exported(store)),
    deleted: FAMILIES.map(family => store[family].tombstones()),
    clock: [clock.now(), clock.running],
    script: script.listed(),
    settings: { ...settings },
    sources,
    next: [...FAMILIES.map(family => copy.stamp(family)), copy.addKey('mch_a')]
  }
}
const machine = { now: Date.parse(NOW) }
const sandboxes = () =>
  new Sandboxes({ library: new Library({ fixtures: null, scenarios: null }), launch: { flag: {}, environment: {} }, machine: () => machine.now })

async function changed(names: readonly string[]): Promise<Sandbox> {
  const { main } = sandboxes()
  await main.load(SCENARIO, { name: 'test', file: null })
  await act(main, names)
  machine.now += 250
  return main
}

t.test('a reset gives the first state back, whatever was changed', async t => {
  const fresh = shown(await changed([]))
  await fc.assert(
    fc.asyncProperty(acts, async names => {
      const sandbox = await changed(names)
      sandbox.reset()
      t.strictSame(shown(sandbox), fresh, names.join())
    }),
    { numRuns: 40 }
  )
})

t.test('a snapshot gives the state back, whatever was changed since; of the settings the seed alone', async t => {
  await fc.assert(
    fc.asyncProperty(acts, acts, fc.boolean(), async (before, since, isReset) => {
      const sandbox = await changed(before)
      const expected = shown(sandbox)
      const snapshot = sandbox.snapshot()
      await act(sandbox, since)
      if (isReset) sandbox.reset()
      const { settings: between } = shown(sandbox)
      // a running clock goes on from its reading, however much later that is
      machine.now += 1000

      sandbox.restore(snapshot)

      const { sources: _sources, settings, ...rest } = shown(sandbox)
      const { sources: _expected, settings: had, ...wanted } = expected
      t.strictSame(rest, wanted, `${before} then ${since}`)
      t.strictSame(settings, { ...between, seed: had.seed })
    }),
    { numRuns: 40 }
  )
})

t.test('a saved state goes on as it was, in memory and through its text', async t => {
  await fc.assert(
    fc.asyncProperty(acts, async names => {
      const sandbox = await changed(names)
      const expected = shown(sandbox)
      const { first, requests, state } = sandbox.saved
      const context = { document: document({}), at: [], settings: settingsInForce({}).values, problems: [] as DocumentProblem[] }
      const read = await stateOf(await savedState(state), context)
      t.strictSame(context.problems, [])

      for (const one of [state, read]) {
        const again = sandboxes().main
        again.resume({ first, requests, state: one })
        t.strictSame(shown(again), expected, names.join())
        again.reset()
        t.equal(shown(again).records, JSON.stringify(exported(first.store)))
      }
    }),
    { numRuns: 40 }
  )
})

t.test('what changes in a sandbox does not change a value that was taken of it', async t => {
  for (const name of Object.keys(ACTS)) {
    const sandbox = await changed([])
    const [{ state }, marks] = [sandbox.snapshot(), sandbox.marks]
    const [taken, before] = [await savedState(state), await savedState(sandbox.saved.state)]
    const isMarked = () => sandbox.marks.some((mark, index) => mark !== marks[index])
    t.equal(isMarked(), false)

    await act(sandbox, [name])

    t.strictSame(await savedState(state), taken, name)
    t.notSame(await savedState(sandbox.saved.state), before, `${name} is a change`)
    t.equal(isMarked(), true, `${name} changes the marks`)
  }
})
