/**
 * The state before any change is rebuilt from what was noted: records, keys, counters of ids,
 * script with its counts, clock and settings.
 */
import { equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { drawnFraction } from '../../src/core/ids.js'
import { execute } from '../../src/engine/play.js'
import type { Entry as Ended } from '../../src/evidence/entry.js'
import { close } from '../../src/evidence/entry.js'
import { storeAt, storesAround } from '../../src/replay/past.js'
import { addKey, addRecords, deleteRecord } from '../../src/sandbox/records.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { changeSettings, unsetSetting } from '../../src/sandbox/settings.js'
import { emptyState } from '../../src/sandbox/state.js'
import { documentOf } from '../../src/scenario/documents.js'
import { compileEntry, type Entry } from '../../src/scenario/script/entry.js'
import type { Store } from '../../src/store/store.js'
import { apiCall, type Call, RECORDS } from '../support/calls.js'
import { property } from '../support/property.js'
import { NOW, smallFixture } from '../support/requests.js'
import { stateText } from '../support/saved-states.js'
import { startWorld } from '../support/world.js'

const ACTS = 600
const DRAWN = 20
/**
 * Script entries: a response instead of the operation, responses lost before and after it, and
 * entries that only count.
 */
const ENTRIES = [
  { on: 'POST /accounts', chance: 0.4, respond: { status: 503 } },
  { on: 'POST /refunds', chance: 0.3, fault: 'connection_reset' },
  { on: '*', chance: 0.1, fault: 'empty_response', when: 'after' },
  { on: 'POST /transactions', calls: '2+', delay: '1ms' },
  {
    on: 'GET /refunds',
    chance: 0.5,
    change: { data: { tickets: [{ location: 'loc_a' }] }, delete: ['rfd_none'] }
  },
  { on: 'GET /tickets', change: { data: { tickets: [{ location: 'loc_a' }] } }, when: 'after' },
  { on: '*', per: 'account', calls: '2-3', for: '10s', delay: '1ms' }
] as const
const SCENARIO = { seed: 4, clock: NOW, data: smallFixture(RECORDS), script: ENTRIES }
const NAMES = ['one', 'two']

const ADDED = {
  accounts: [
    { id: 'acc_n', type: 'merchant', name: 'N', email: 'n@example.com', address: { country: 'DE' } }
  ],
  transactions: [{ id: 'txn_n', ticket: 'tkt_a', payment_type: 'external', amount: 90 }]
}

type Draw = (below: number) => number
/** Control changes; repeated ones are more frequent. */
const CHANGES: ((sandbox: Sandbox, draw: Draw) => unknown)[] = [
  (sandbox, draw) =>
    addRecords(
      sandbox,
      documentOf('test', {
        tickets: Array.from({ length: 1 + draw(3) }, () => ({ location: 'loc_a', reference: 'T' }))
      })
    ),
  async sandbox => {
    const api_keys = [{ key: `sk_test_${sandbox.inputs.place}`, account: 'acc_n' }]
    const data = { api_keys, ...ADDED, refunds: [{ transaction: 'txn_n', amount: 30 }] }
    const refund = { refunds: [{ transaction: 'txn_n', amount: 1 }] }
    await addRecords(sandbox, documentOf('test', data)).catch(() =>
      addRecords(sandbox, documentOf('test', refund)).catch(() => {})
    )
  },
  sandbox => {
    const ticket = { id: 'tkt_a', location: 'loc_a', reference: `T-${sandbox.inputs.place}` }
    return addRecords(sandbox, documentOf('test', { tickets: [ticket] }))
  },
  async sandbox => {
    const [refund] = sandbox.store.refunds.someIds(1)
    if (refund !== undefined) deleteRecord(sandbox, 'refunds', refund)
  },
  sandbox => addKey(sandbox, 'mch_a'),
  (sandbox, draw) =>
    sandbox.setClock({ at: Date.parse(NOW) + 1000 * draw(1000), running: draw(2) === 0 }),
  (sandbox, draw) => sandbox.setClock({ by: draw(60_000) }),
  async (sandbox, draw) =>
    sandbox.addEntry(
      (await compileEntry(ENTRIES[draw(ENTRIES.length)] as Entry['data'], () => {})) as Entry,
      draw(2) === 0
    ),
  (sandbox, draw) =>
    sandbox.removeEntries(draw(5) === 0 ? undefined : sandbox.script.listed()[draw(4)]?.id),
  (sandbox, draw) => changeSettings(sandbox, { seed: draw(3), 'ids.length': 24 + draw(2) }),
  (sandbox, draw) =>
    changeSettings(sandbox, { 'auth.accept_any_key': draw(2) === 0 ? 'mch_a' : null }),
  (sandbox, draw) =>
    unsetSetting(
      sandbox,
      (['seed', 'ids.length', 'auth.accept_any_key'] as const)[draw(3)] as string
    ),
  (sandbox, draw) => sandbox.snapshots.put(NAMES[draw(2)] as string, sandbox.snapshot()),
  async (sandbox, draw) => {
    const name = NAMES[draw(2)] as string
    if ((await sandbox.snapshots.names()).includes(name))
      sandbox.restore(await sandbox.snapshots.get(name))
  }
]

const recordsOf = (store: Store) => stateText({ ...emptyState(), store })

function send(sandbox: Sandbox, { on, headers, body }: Call) {
  const [method, path] = on.split(' ') as [string, string]
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const response = execute(sandbox, {
    method,
    url: `/next${path}`,
    headers: { ...headers, ...length },
    body: body ?? null
  })
  const entry = close(response, true, 0)
  sandbox.evidence.record(entry, response.reading)
  return entry
}

const outcomes = new Set<string>()
let effects = 0
for (const [limit, isCut] of [
  [100_000, false],
  [20, true]
] as const) {
  const title = isCut
    ? 'where earlier ones were dropped, the state is made again at every place that is known'
    : 'it is the same byte for byte at any place'
  await property(t, title, { of: fc.nat(), runs: 3 }, async seed => {
    const { world } = await startWorld({
      scenario: SCENARIO,
      settings: { 'limits.journal': limit }
    })
    const draw: Draw = below => Math.floor(drawnFraction(seed, 'act', ++drawn) * below)
    let drawn = 0
    const calls = fc.sample(apiCall, { numRuns: ACTS, seed })
    const first = world.inputs.earliest
    const taken: {
      place: number
      exchange: Ended | null
      text: string
      before: string
      after: string
    }[] = []
    for (const [nth, call] of calls.entries()) {
      const { place } = world.inputs
      const isTaken = nth % Math.floor(ACTS / DRAWN) === 0
      const [text, before] = isTaken
        ? [stateText(world.state.saved), recordsOf(world.store)]
        : ['', '']
      const exchange = draw(3) === 0 ? null : send(world, call)
      if (isTaken) taken.push({ place, exchange, text, before, after: recordsOf(world.store) })
      if (exchange !== null) outcomes.add(exchange.outcome.name)
      else await CHANGES[draw(CHANGES.length)]?.(world, draw)
    }

    const { earliest, place } = world.inputs
    equal(stateText((await world.inputs.stateAt(place)).saved), stateText(world.state.saved))
    const known = taken.filter(({ place }) => place >= earliest)
    for (const { place, exchange, text, before, after } of known) {
      const { saved } = await world.inputs.stateAt(place)
      equal(stateText(saved), text, `place ${place}`)
      if (exchange === null) continue
      // an operation runs after the script has counted its request
      equal(
        stateText({ ...(await world.inputs.stateAt(exchange.place)).saved, script: saved.script }),
        text,
        `place ${exchange.place}`
      )
      equal(recordsOf(await storeAt(world, exchange, 'before')), before)
      equal(recordsOf(await storeAt(world, exchange, 'after')), after)
      if (exchange.changes > 0)
        equal((await storesAround(world, exchange)).map(recordsOf).join(), [before, after].join())
      effects += Number(exchange.changes > 0)
    }
    equal(earliest > first, isCut)
    equal(known.length < taken.length, isCut)
    equal(known.length > 0, true)
  })
}
t.strictSame([...outcomes].sort(), ['answered', 'lost_after', 'lost_before', 'refused', 'scripted'])
t.ok(effects > 0, 'and some of them took effect')

const LONG = 'x'.repeat(16_000)
/** Each changes something a little, or a lot. */
const GROWS: Record<string, (sandbox: Sandbox, text: string) => unknown> = {
  'a request': (sandbox, text) => {
    const ticket = sandbox.store.tickets.get('tkt_a') as { reference: string | null }
    sandbox.changed('tickets', 'tkt_a', { ...ticket, reference: text } as never, 'req_1', text)
  },
  'records that are added': (sandbox, text) =>
    addRecords(
      sandbox,
      documentOf('test', { tickets: [{ id: 'tkt_n', location: 'loc_a', reference: text }] })
    ),
  'an entry': async (sandbox, text) => {
    const data = { on: '*', respond: { status: 503, body: text } } as Entry['data']
    sandbox.addEntry((await compileEntry(data, () => {})) as Entry, false)
  },
  settings: (sandbox, text) =>
    changeSettings(sandbox, { shapes: { error: { error: { message: '$message', text } } } }),
  'the counts of an entry': (sandbox, text) =>
    sandbox.counted('scr_1', {
      matched: 1,
      applied: 1,
      values: [{ value: text, matched: 1, applied: 1 }]
    }),
  'a state that is restored': (sandbox, text) => {
    if (text.length > 1 && sandbox.store.size < 32)
      for (let nth = 0; nth < 32; nth++)
        sandbox.state.store.put('tickets', {
          ...sandbox.store.tickets.get('tkt_a'),
          id: `tkt_${nth}`
        } as never)
    sandbox.restore(sandbox.snapshot())
  }
}
t.test('inputs: the earliest states are forgotten beyond 16 MiB', async t => {
  for (const [title, grow] of Object.entries(GROWS))
    for (const [text, count, isForgotten] of [
      [LONG, 1300, true],
      [LONG, 400, false],
      ['x', 90, false]
    ] as const) {
      const { world } = await startWorld({
        scenario: SCENARIO,
        settings: { 'limits.journal': 2000 }
      })
      const { earliest, place } = world.inputs
      for (let nth = 0; nth < count; nth++) await grow(world, text)
      const { inputs } = world
      t.equal(inputs.place, place + count, title)
      t.equal(inputs.earliest > earliest, isForgotten, `${title}: ${count}`)
      t.ok(inputs.earliest < inputs.place, `${title}: the last ones are known`)
    }
})
t.test('inputs: a too large input is forgotten with everything before it', async t => {
  const { world } = await startWorld({ scenario: SCENARIO })
  const { inputs } = world
  inputs.add(() => {}, 2 ** 24)
  t.equal(inputs.earliest, inputs.place)

  let made = 0
  for (let nth = 0; nth < 20; nth++) inputs.add(() => made++, 2 ** 19)
  for (const time of [Infinity, 0, Infinity, Infinity]) inputs.stateOn(time)
  t.equal(made, 40, 'a state that was asked for is the way to later ones, not to earlier ones')
})
