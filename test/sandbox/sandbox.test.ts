import t from 'tap'
import type { ApiError } from '../../src/core/errors.js'
import type { GivenSettings } from '../../src/core/settings.js'
import { loadScenario } from '../../src/sandbox/loading.js'
import { addRecords } from '../../src/sandbox/records.js'
import { Sandbox } from '../../src/sandbox/sandbox.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { exported } from '../../src/scenario/records/record.js'
import { NOW, smallFixture } from '../support/emulator.js'

const ORIGIN = { name: 'test', file: null }
const START = Date.parse(NOW)
const document = (data: object) => documentOf('test', data)

async function sandboxWith({
  flag = {},
  environment = {},
  loaded = true
}: {
  flag?: GivenSettings
  environment?: GivenSettings
  loaded?: boolean
} = {}) {
  const machine = { now: START }
  const library = new Library({ fixtures: null, scenarios: null })
  const sandbox = new Sandbox({
    library,
    launch: { flag, environment },
    machine: () => machine.now
  })
  if (loaded) await loadScenario(sandbox, document(smallFixture()), ORIGIN)
  return { machine, sandbox }
}

t.test('control: before the first load a sandbox has settings, and cannot be reset', async t => {
  const { sandbox } = await sandboxWith({ flag: { 'pagination.max_limit': 5 }, loaded: false })
  t.equal(sandbox.isLoaded, false)
  t.equal(sandbox.settings['pagination.max_limit'], 5)
  for (const act of [() => sandbox.scenario, () => sandbox.reset(), () => sandbox.requireLoaded()])
    t.throws(act, { code: 'not_ready' })
  await loadScenario(sandbox, document(smallFixture()), ORIGIN, { dryRun: true })
  t.equal(sandbox.isLoaded, false, 'a dry run loads nothing')
  await t.rejects(loadScenario(sandbox, document({ sede: 3 }), ORIGIN), {
    code: 'document_invalid'
  })
  t.equal(sandbox.isLoaded, false, 'nor does a refused load')
  await loadScenario(sandbox, document(smallFixture()), ORIGIN)
  t.equal(sandbox.isLoaded, true)
})

t.test('A05: a clock that runs from an instant starts there at every reset and load', async t => {
  const { machine, sandbox } = await sandboxWith()
  const scenario = document({ clock: { now: '2030-01-01T00:00:00Z' }, data: smallFixture() })
  const now = () => new Date(sandbox.clock.now()).toISOString()

  await loadScenario(sandbox, scenario, ORIGIN)
  t.equal(now(), '2030-01-01T00:00:00.000Z')
  machine.now += 1500
  t.equal(now(), '2030-01-01T00:00:01.500Z')
  t.equal(sandbox.stamp('tickets').created, '2030-01-01T00:00:01.500Z')

  sandbox.reset()
  t.equal(now(), '2030-01-01T00:00:00.000Z')
  machine.now += 10
  await loadScenario(sandbox, scenario, ORIGIN)
  t.equal(now(), '2030-01-01T00:00:00.000Z')
  await loadScenario(sandbox, document({ data: smallFixture() }), ORIGIN)
  t.equal(sandbox.clock.now(), machine.now, "without a clock the machine's own")
})

t.test('A05: a time omitted in a fixture is that of the load, and a reset keeps it', async t => {
  const { machine, sandbox } = await sandboxWith()
  machine.now += 60_000
  sandbox.reset()
  const { tickets } = await addRecords(
    sandbox,
    document({ tickets: [{ location: 'loc_a', reference: 'later' }] })
  )
  t.strictSame(
    [sandbox.store.tickets.get('tkt_a')?.created, tickets[0]?.created],
    [NOW, '2026-03-01T18:06:00.000Z']
  )
})

t.test('A03: an id that exists already is skipped', async t => {
  const { sandbox } = await sandboxWith()
  const [id, second] = [sandbox.stamp('tickets').id, sandbox.stamp('tickets').id]
  sandbox.reset()
  await addRecords(sandbox, document({ tickets: [{ id, location: 'loc_a', reference: 'taken' }] }))
  t.equal(sandbox.stamp('tickets').id, second)
})

t.test('A18: an Account named for a key is looked for in every document loaded', async t => {
  const { sandbox } = await sandboxWith({ environment: { 'auth.accept_any_key': 'mch_a' } })
  const before = JSON.stringify(exported(sandbox.store))
  const { code, problems }: ApiError = await loadScenario(
    sandbox,
    document({ name: 'empty' }),
    ORIGIN
  ).catch(error => error)
  t.strictSame([code, problems?.map(({ path }) => path)], ['document_invalid', ['']])
  t.equal(JSON.stringify(exported(sandbox.store)), before)
  t.equal(sandbox.settings['auth.accept_any_key'], 'mch_a')
})

t.test('control: overlapping loads each take effect completely', async t => {
  const { sandbox } = await sandboxWith()
  const scenario = (name: string, reference: string) =>
    document({
      name,
      seed: name.length,
      data: { ...smallFixture(), tickets: [{ id: 'tkt_a', location: 'loc_a', reference }] }
    })
  await Promise.all([
    loadScenario(sandbox, scenario('one', 'T-one'), ORIGIN),
    loadScenario(sandbox, scenario('three', 'T-three'), ORIGIN)
  ])
  const { name } = sandbox.scenario
  t.ok(['one', 'three'].includes(name))
  t.equal(sandbox.store.tickets.get('tkt_a')?.reference, `T-${name}`)
  t.equal(sandbox.settings.seed, name.length)
})
