import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type Emulator, NOW, smallFixture, startTestEmulator } from '../support/emulator.js'

const YAML = { 'content-type': 'application/yaml' }
const records = {
  transactions: [{ id: 'txn_a', ticket: 'tkt_a', payment_type: 'card', amount: 100_000 }]
}
const scenario = {
  clock: NOW,
  seed: 4,
  data: smallFixture(records),
  script: [{ on: 'POST /refunds', calls: 2, respond: { status: 402 } }]
}

async function shown({ control, state, sandbox }: Emulator): Promise<unknown[]> {
  const { seed, clock, counts } = (await control('GET ')).body
  return [await state(), seed, clock, counts, sandbox.script.listed()]
}

/** Changes everything that a snapshot holds. */
async function changed({ call, control }: Emulator): Promise<void> {
  await control('PUT /clock', { now: '2031-01-01', running: false })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=5' })
  await control('POST /keys', { account: 'rsl_r' })
  await control('POST /script', {
    on: 'GET /tickets',
    match: { query: { limit: 1 } },
    delay: '1ms'
  })
  await call('GET /tickets', { query: 'limit=1' })
}

t.test('clock: it is shown, set, frozen, started and advanced', async t => {
  const { call, control, sandbox } = await startTestEmulator(t, {
    scenario: { data: smallFixture() }
  })
  const set = async (body: object | string, on = 'PUT /clock') => {
    const { now, running, error } = (await control(on, body, typeof body === 'string' ? YAML : {}))
      .body
    return error ? [error.code, error.param] : [now, running]
  }
  const advance = (by: string) => set({ by }, 'POST /clock/advance')

  t.strictSame(
    (await control('GET /clock')).body,
    { now: NOW, running: true },
    "without a clock in the scenario it is the machine's"
  )
  t.strictSame(await set({ running: false }), [NOW, false])
  t.strictSame(await set({ now: '2027-02-28T23:59:59.5+01:00' }), [
    '2027-02-28T22:59:59.500Z',
    false
  ])
  t.equal(
    (await call('POST /accounts/mch_a/users', { body: { name: 'U', email: 'u@example.com' } })).body
      .created,
    '2027-02-28T22:59:59.500Z'
  )
  t.strictSame(await set({ now: '1999-12-31', running: true }), ['1999-12-31T00:00:00.000Z', true])
  t.strictSame(await advance('PT36H'), ['2000-01-01T12:00:00.000Z', true])
  t.strictSame(await set('now: 9999-12-31T23:59:59Z'), ['9999-12-31T23:59:59.000Z', true])
  t.strictSame(await advance('999ms'), ['9999-12-31T23:59:59.999Z', true])
  t.strictSame(await advance('1ms'), ['body_malformed', 'by'])
  t.equal(sandbox.clock.now(), Date.parse('9999-12-31T23:59:59.999Z'))
  await control('POST /reset')
  t.strictSame((await control('GET /clock')).body, { now: NOW, running: true })
})

t.test('clock: an invalid time is refused and leaves the clock as it is', async t => {
  const { control } = await startTestEmulator(t)
  for (const [code, on, ...bodies] of [
    ['body_malformed', 'PUT /clock', undefined, {}],
    ['document_invalid', 'PUT /clock', { now: '10000-01-01' }, { running: 'yes' }, { nwo: NOW }],
    ['parameter_unknown', 'PUT /clock?now=1', { now: NOW }],
    ['document_invalid', 'POST /clock/advance', {}, { by: 36 }, { by: 'soon' }],
    ['parameter_unknown', 'POST /clock/advance?by=1h', { by: '1h' }]
  ] as const)
    for (const sent of bodies) {
      const { status, body } = await control(on, sent)
      t.strictSame([status, body.error.code], [400, code], JSON.stringify(sent))
    }
  // the advice works
  for (const [on, sent, advice] of [
    ['POST /clock/advance', { by: 10 }, 'write 10s or 10ms'],
    ['POST /clock/advance', { by: '10' }, 'write 10s or 10ms'],
    ['PUT /clock', { now: 1767225600000 }, 'such as 2026-03-01, 2026-03-01T18:00:00Z'],
    ['POST /verify', { on: 'GET /tickets', within: 5 }, 'write 5s or 5ms']
  ] as const)
    t.match((await control(on, sent)).body.error.message, advice, JSON.stringify(sent))
  t.strictSame((await control('GET /clock')).body, { now: NOW, running: false })
})

t.test('snapshots: restoring one brings back records, keys, ids, seed', async t => {
  for (const folder of [null, `${t.testdir()}/made/when/wanted`]) {
    const emulator = await startTestEmulator(t, { scenario, settings: { snapshots_dir: folder } })
    const { control } = emulator
    await changed(emulator)
    const before = await shown(emulator)
    const put = await control('PUT /snapshots/lunch')
    t.strictSame(
      [put.status, put.body],
      [
        201,
        {
          name: 'lunch',
          scenario: 'test',
          clock: { now: '2031-01-01T00:00:00.000Z', running: false }
        }
      ]
    )
    await control('POST /keys', { account: 'mch_a' })
    await control('DELETE /script')
    const would = await emulator.nextIds()
    const check = async (emulator: Emulator, title: string) => {
      const { call, control } = emulator
      t.strictSame((await control('GET /snapshots')).body, { data: [{ name: 'lunch' }] })
      const restored = await control('POST /snapshots/lunch/restore')
      t.strictSame([restored.status, restored.body], [200, put.body], title)
      t.strictSame(await shown(emulator), before)
      const { key } = (await control('POST /keys', { account: 'mch_a' })).body
      t.equal((await call('GET /tickets', { key })).status, 200)
      t.equal((await call('POST /refunds', { body: 'transaction=txn_a' })).status, 402)
      t.strictSame((await control('GET /script')).body.data[0], {
        ...(before[4] as object[])[0],
        matched: 2,
        applied: 1
      })
      t.equal(
        (await control('POST /script', { on: 'GET /locations', delay: '1ms' })).body.id,
        'scr_3'
      )
      await control('DELETE /script')
      t.strictSame(await emulator.nextIds(), would, 'the ids that would have been drawn')
    }

    await check(emulator, 'at once')
    await control('POST /reset')
    await check(emulator, 'after a reset')
    await control('POST /load', { scenario: { name: 'other', seed: 9, data: { accounts: [] } } })
    await check(emulator, 'after a load')
    t.equal((await control('GET ')).body.scenario.name, 'other')
    await control('POST /reset')
    t.equal((await control('GET ')).body.seed, 9)
    if (folder === null) continue
    await emulator.app.close()
    const second = await startTestEmulator(t, { settings: { snapshots_dir: folder } })
    await check(second, 'in another process')
    t.equal((await second.control('DELETE /snapshots/lunch')).status, 204)
    const turns = Array.from({ length: 30 }, (_, index) =>
      second.control(index % 5 === 4 ? 'DELETE /snapshots/a' : 'PUT /snapshots/a')
    )
    t.strictSame([...new Set((await Promise.all(turns)).map(({ status }) => status))], [201, 204])
    t.strictSame(await readdir(folder), [], 'the last call was a delete')
    t.equal((await second.control('PUT /snapshots/a')).status, 201)
    t.strictSame(await readdir(folder), ['a.json'], 'nothing else is left in the folder')
    t.match(await readFile(join(folder, 'a.json'), 'utf8'), /^\{"format":7,.*\}$/)
  }
})

t.test('snapshots: a running clock continues from its time in the snapshot', async t => {
  const { control, sandbox } = await startTestEmulator(t, {
    scenario: { clock: { now: '2026-05-01' }, data: smallFixture() }
  })
  await control('POST /clock/advance', { by: '1h' })
  await control('PUT /snapshots/a')
  await control('POST /reset')

  await control('POST /snapshots/a/restore')

  t.strictSame((await control('GET /clock')).body, {
    now: '2026-05-01T01:00:00.000Z',
    running: true
  })
  await control('POST /load', { scenario: { data: smallFixture() } })
  await control('PUT /snapshots/machine')
  t.strictSame(sandbox.snapshot().state.clock, { at: null, running: true })
  await control('PUT /clock', { now: '2030-01-01' })
  await control('POST /snapshots/machine/restore')
  t.strictSame(
    (await control('GET /clock')).body,
    { now: NOW, running: true },
    "and the machine's is the machine's again"
  )
})

t.test('snapshots: they are listed by name and deleted', async t => {
  for (const folder of [null, t.testdir()]) {
    const { control, state } = await startTestEmulator(t, { settings: { snapshots_dir: folder } })
    const codeOf = async (on: string) => {
      const { status, body } = await control(on)
      return [status, body.error?.code, body.error?.param]
    }
    const names = async () =>
      (await control('GET /snapshots')).body.data.map(({ name }: { name: string }) => name)
    for (const name of ['b', 'a.1', 'A-0_z', `x${'y'.repeat(63)}`])
      t.equal((await control(`PUT /snapshots/${name}`)).status, 201, name)
    const before = await state()

    t.equal((await control('DELETE /snapshots/b')).status, 204)
    for (const on of ['DELETE /snapshots/b', 'POST /snapshots/c/restore'])
      t.strictSame(await codeOf(on), [404, 'snapshot_unknown', 'name'], on)
    t.strictSame(await names(), ['A-0_z', 'a.1', `x${'y'.repeat(63)}`])
    const each = (name: string, query = '') => [
      `PUT /snapshots/${name}${query}`,
      `DELETE /snapshots/${name}${query}`,
      `POST /snapshots/${name}/restore${query}`
    ]
    const bad = [...'.a -a _a %20 a%2Fb ..x a%5Cb caf%C3%A9 a%00'.split(' '), `x${'y'.repeat(64)}`]
    for (const on of bad.flatMap(name => each(name)))
      t.strictSame(await codeOf(on), [400, 'name_invalid', 'name'], on)
    for (const on of each('a', '?x=1'))
      t.strictSame(await codeOf(on), [400, 'parameter_unknown', 'x'], on)
    t.equal(await state(), before)
  }
})

t.test('snapshots: the refusal of a file that is not a snapshot names it', async t => {
  const snapshots_dir = t.testdir()
  const settings = { snapshots_dir }
  const { control } = await startTestEmulator(t, { scenario, settings })
  await control('PUT /snapshots/good')
  const text = await readFile(join(snapshots_dir, 'good.json'), 'utf8')
  const files: [name: string, content: string][] = [
    ['empty', ''],
    ['cut-off', text.slice(0, -3)],
    ['foreign', '{"tickets":[]}']
  ]
  for (const [name, content] of files) await writeFile(join(snapshots_dir, `${name}.json`), content)
  for (const name of ['.hidden.json', 'my snapshot.json', 'notes.txt', '-x.json'])
    await writeFile(join(snapshots_dir, name), '{}')
  const { control: other, state } = await startTestEmulator(t, { settings })
  const before = await state()

  const listed = (await other('GET /snapshots')).body.data.map(({ name }: { name: string }) => name)
  t.equal(listed.join(), 'cut-off,empty,foreign,good')
  for (const [name] of files) {
    const { status, body } = await other(`POST /snapshots/${name}/restore`)

    t.strictSame(
      [status, body.error.code, body.error.message.includes(`/${name}.json `)],
      [400, 'document_invalid', true],
      body.error.message
    )
    t.equal(await state(), before)
  }
  t.equal((await other('DELETE /snapshots/cut-off')).status, 204)
  t.equal((await other('PUT /snapshots/empty')).status, 201)
  t.equal((await other('POST /snapshots/good/restore')).status, 200)

  await rm(snapshots_dir, { recursive: true })
  t.strictSame((await control('GET /snapshots')).body, { data: [{ name: 'good' }] })
  await writeFile(snapshots_dir, '')
  t.equal((await control('PUT /snapshots/lost')).status, 503)
  t.equal((await control('POST /snapshots/lost/restore')).status, 404)
})

t.test('snapshots: without the Account that any key acts as, restoring is refused', async t => {
  const { control, state } = await startTestEmulator(t, { scenario })
  await control('PUT /snapshots/a')
  const accounts = [
    { id: 'mch_z', type: 'merchant', name: 'Z', email: 'z@example.com', address: { country: 'US' } }
  ]
  await control('POST /load', {
    scenario: { data: { accounts }, settings: { auth: { accept_any_key: 'mch_z' } } }
  })
  const before = await state()
  t.equal((await control('POST /snapshots/a/restore')).body.error.code, 'account_unknown')
  t.equal(await state(), before)
})
