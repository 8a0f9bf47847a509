import t from 'tap'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const NOTHING = {
  records: {},
  keys: { added: 0, deleted: 0 },
  script: { added: [], removed: [], matched: 0 },
  settings: []
}
const scenario = {
  clock: '2026-03-01T18:05:00Z',
  data: smallFixture({
    users: [{ id: 'usr_a', account: 'mch_a', name: 'U', email: 'u@example.com' }]
  }),
  script: [{ on: 'GET /tickets', delay: '1ms' }]
}
const FROZEN = { now: '2026-03-01T18:05:00.000Z', running: false }

t.test('control: differences from the initial state are counted', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const changes = async () => (await control('GET /changes')).body
  const unchanged = { ...NOTHING, clock: { began: FROZEN, changed: false } }
  const addUser = () =>
    call('POST /accounts/mch_a/users', { body: { name: 'V', email: 'v@example.com' } })
  t.strictSame(await changes(), unchanged)
  await call(`DELETE /accounts/mch_a/users/${(await addUser()).body.id}`)
  t.strictSame(await changes(), unchanged, 'a record that came and went since is no change')

  const { id } = (
    await call('POST /transactions', {
      body: { ticket: 'tkt_a', payment_type: 'external', amount: 500 }
    })
  ).body
  await call('POST /locations/loc_a', { body: { display_name: 'B' } })
  await call('DELETE /accounts/mch_a/users/usr_a')
  await call('GET /tickets')
  await control('POST /keys', { account: 'mch_a' })
  await control('POST /clock/advance', { by: '1h' })
  await control('POST /script', { on: 'GET /locations', delay: '1ms' })
  await control('PATCH /settings', { pagination: { max_limit: 5 } })
  const transactions = { added: 1, changed: 0, deleted: 0 }
  t.strictSame(await changes(), {
    records: {
      users: { added: 0, changed: 0, deleted: 1 },
      locations: { added: 0, changed: 1, deleted: 0 },
      transactions
    },
    keys: { added: 1, deleted: 0 },
    clock: { began: FROZEN, changed: true },
    script: { added: ['scr_2'], removed: [], matched: 1 },
    settings: ['pagination.max_limit']
  })
  await call('POST /refunds', { body: { transaction: id, amount: 100 } })
  await call('POST /locations/loc_a', { body: { display_name: 'A' } })
  await addUser()
  await control('DELETE /script')
  await control('PUT /clock', { now: FROZEN.now })
  const later = await changes()
  t.strictSame(later.records, {
    users: { added: 1, changed: 0, deleted: 1 },
    transactions,
    refunds: { added: 1, changed: 0, deleted: 0 }
  })
  t.strictSame(
    [later.clock.changed, later.script],
    [false, { added: [], removed: ['scr_1'], matched: 0 }]
  )
  await control('POST /reset')
  t.strictSame(await changes(), unchanged)
  t.equal((await control('GET /changes?x=1')).status, 400)
})

t.test('control: a running clock has changed once it is set, frozen or restored', async t => {
  const { control } = await startTestEmulator(t)
  const shown = async () => (await control('GET /changes')).body.clock
  for (const [clock, began] of [
    [undefined, { now: null, running: true }],
    [{ now: '2026-05-01' }, { now: '2026-05-01T00:00:00.000Z', running: true }],
    ['2026-05-01', { now: '2026-05-01T00:00:00.000Z', running: false }]
  ] as const) {
    await control('POST /load', {
      scenario: { ...(clock !== undefined && { clock }), data: smallFixture() }
    })
    t.strictSame(await shown(), { began, changed: false }, JSON.stringify(clock))
    for (const change of [{ now: '2026-05-02' }, { running: clock === '2026-05-01' }]) {
      await control('PUT /clock', change)
      t.strictSame(await shown(), { began, changed: true }, JSON.stringify(change))
      await control('POST /reset')
      t.strictSame(await shown(), { began, changed: false })
    }
  }
})

t.test('control: a restored state of another load is compared record by record', async t => {
  const { control } = await startTestEmulator(t, { scenario })
  await control('PUT /snapshots/before')
  const tickets = [{ id: 'tkt_b', location: 'loc_a', reference: 'T-2' }]
  await control('POST /load', {
    scenario: { ...scenario, data: { ...scenario.data, tickets, api_keys: [] } }
  })
  await control('POST /snapshots/before/restore')
  const { records, keys, script } = (await control('GET /changes')).body
  t.strictSame(
    [records, keys, script],
    [{ tickets: { added: 1, changed: 0, deleted: 1 } }, { added: 2, deleted: 0 }, NOTHING.script]
  )
})
