import t from 'tap'
import { nearMissText } from '../../src/scenario/match/near-misses.js'
import { smallFixture, startTestEmulator } from '../support/emulator.js'

const YAML = { 'content-type': 'application/yaml' }
const DECLINED = {
  on: 'POST /refunds',
  calls: '2+',
  respond: { status: 402, error: { code: 'declined', message: 'No.' } }
}
const CHARGE = { id: 'txn_a', ticket: 'tkt_a', payment_type: 'external', amount: 100 }
const scenario = {
  data: smallFixture({ transactions: [CHARGE] }),
  script: [{ name: 'slow', on: 'GET /tickets', delay: '1ms' }, DECLINED]
}
type Listed = { id: string; entry: object }

t.test('script: entries are listed in order', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const [slow] = scenario.script
  const shown = (first: number, second: number, applied: number) => [
    { id: 'scr_1', entry: slow, matched: first, applied: first },
    { id: 'scr_2', entry: DECLINED, matched: second, applied }
  ]
  t.strictSame((await control('GET /script')).body, { data: shown(0, 0, 0) })
  await call('GET /tickets')
  for (let times = 0; times < 3; times++)
    await call('POST /refunds', { body: 'transaction=txn_a&amount=900' })
  await call('POST /refunds', { body: 'transaction=txn_none' })
  t.strictSame((await control('GET /script')).body, { data: shown(1, 3, 2) })
})

t.test('script: an entry lists its near misses until it is applied', async t => {
  const on = 'POST /refunds'
  const large = { on, match: { body: { amount: { gte: 50 } } }, respond: { status: 402 } }
  const { call, control } = await startTestEmulator(t, {
    scenario: { data: smallFixture({ transactions: [CHARGE] }), script: [DECLINED, large] }
  })
  const listed = async () =>
    (await control('GET /script')).body.data.map(({ entry: _, ...listed }: Listed) => listed)
  const refund = (amount: number) => call(on, { body: { transaction: 'txn_a', amount } })
  const nearly = (name: string, condition: string, wanted: string, got: string) => ({
    in: name,
    misses: [{ condition, wanted, got }]
  })

  await refund(49)
  const [first, second] = await listed()
  t.strictSame(first, {
    id: 'scr_1',
    matched: 1,
    applied: 0,
    near_misses: [nearly('req_1', 'calls', '2+', '1 that matched')]
  })
  t.strictSame(second, {
    id: 'scr_2',
    matched: 0,
    applied: 0,
    near_misses: [nearly('req_1', 'amount', '>= 50', '49')]
  })

  for (const amount of [48, 47, 46, 45]) await refund(amount)
  const near_misses = [45, 46, 47].map((amount, place) =>
    nearly(`req_${5 - place}`, 'amount', '>= 50', String(amount))
  )
  const [, never] = await listed()
  t.strictSame(never, { id: 'scr_2', matched: 0, applied: 0, near_misses })
  await control('DELETE /script/scr_1')
  await refund(50)
  await control('POST /script', { on: 'GET /tickets', delay: '1ms' })
  const [once, far] = await listed()
  t.strictSame(once, { id: 'scr_2', matched: 1, applied: 1 }, 'one that was applied has none')
  t.strictSame(far, { id: 'scr_3', matched: 0, applied: 0 })

  await control('POST /script', { ...DECLINED, match: { body: { amount: 51 } } })
  t.equal((await listed())[2].near_misses.length, 3)
  await control('DELETE /requests')
  t.strictSame((await listed())[2], { id: 'scr_4', matched: 0, applied: 0 })
})

t.test('script: an added entry may wait for an existing one', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const entry = { on: 'GET /tickets', after: 'slow', respond: { status: 503 } }
  const codeOf = async (after: string) =>
    (await control('POST /script', { ...entry, after })).body.error?.problems[0].code
  t.strictSame([await codeOf('slw'), await codeOf('slow')], ['unknown_entry', undefined])
  t.equal((await call('GET /tickets')).status, 200)
  await control('DELETE /script/scr_1')
  t.equal(
    (await call('GET /tickets')).status,
    200,
    'what was applied once is not known of one that is removed'
  )
  t.equal(
    (await control('POST /script', { on: 'GET /locations', delay: '1ms' })).status,
    201,
    'one that waits in vain concerns no other'
  )
})

t.test('script: a request from before an entry is not a near miss for being early', async t => {
  const { call, control } = await startTestEmulator(t, {
    scenario: { data: smallFixture({ transactions: [CHARGE] }) }
  })
  await call('POST /refunds', { body: 'transaction=txn_a&amount=5' })
  for (const entry of [
    {},
    { calls: '2+' },
    { per: 'transaction', calls: 2 },
    { chance: 0 },
    { match: { body: { amount: 5 } } },
    { match: { body: { amount: 6 } } }
  ]) {
    const near = JSON.stringify(entry).includes('6') ? ['amount: expected 6; got 5 in req_1'] : []
    await control('POST /script', { on: 'POST /refunds', respond: { status: 402 }, ...entry })
    const [listed] = (await control('GET /script')).body.data
    t.strictSame((listed.near_misses ?? []).map(nearMissText), near, JSON.stringify(entry))
    await control('DELETE /script')
  }
})

t.test('script: an added entry comes after the others, and can be removed', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const body = (text: string) => ({ on: 'GET /tickets', respond: { body: text } })

  const first = await control('POST /script', body('first'))
  const second = await control('POST /script', 'on: GET /tickets\nrespond: { body: second }', YAML)

  t.strictSame(
    [first.status, first.body],
    [201, { id: 'scr_3', entry: body('first'), matched: 0, applied: 0 }]
  )
  t.strictSame([second.status, second.body.id], [201, 'scr_4'])
  t.equal((await call('GET /tickets')).body.object, 'list', 'an entry before them acts')
  const removed = await control('DELETE /script/scr_1')
  t.strictSame([removed.status, removed.text], [204, ''])
  t.equal((await call('GET /tickets')).text, 'first')
  t.equal((await control('DELETE /script/scr_3')).status, 204)
  t.equal((await call('GET /tickets')).text, 'second')
  t.equal(
    (await control('GET /script')).body.data.map(({ id }: Listed) => id).join(),
    'scr_2,scr_4'
  )
  t.equal((await control('POST /script', body('third'))).body.id, 'scr_5')

  const { status, body: unknown } = await control('DELETE /script/scr_1')
  t.strictSame([status, unknown.error.code, unknown.error.param], [404, 'entry_unknown', 'id'])
  const all = await control('DELETE /script')
  t.strictSame([all.status, all.text, (await control('GET /script')).body], [204, '', { data: [] }])
  t.equal((await control('DELETE /script/scr_2')).status, 404)
  t.equal((await call('GET /tickets')).body.object, 'list')
})

t.test('script: an entry that can never apply is refused, each problem with its place', async t => {
  const { control } = await startTestEmulator(t, { scenario })
  const before = (await control('GET /script')).text
  const cases: [body: object | string, places: string[], headers?: Record<string, string>][] = [
    [{}, ['body 1 ', 'body 1 ']],
    [
      {
        on: 'POST /refunds',
        respond: { status: 204, error: { code: 'x', message: 'x' } },
        calls: 'many'
      },
      ['body 1 respond.status', 'body 1 calls']
    ],
    ['on: [', ['body 1 '], YAML]
  ]
  for (const [entry, places, headers] of cases) {
    const { status, body } = await control('POST /script', entry, headers)
    t.strictSame([status, body.error.code], [400, 'document_invalid'], JSON.stringify(entry))
    t.equal(
      body.error.problems
        .map(({ file, path, line }: Record<string, unknown>) => `${file} ${line} ${path}`)
        .join(),
      places.join()
    )
  }
  for (const body of [undefined, '{'])
    t.equal((await control('POST /script', body)).body.error.code, 'body_malformed')
  for (const on of [
    'POST /script?dry_run=1',
    'DELETE /script?all=1',
    'DELETE /script/scr_1?all=1',
    'POST /verify?within=2s'
  ]) {
    const { status, body } = await control(on, on.startsWith('POST /s') ? DECLINED : undefined)
    t.strictSame([status, body.error.code], [400, 'parameter_unknown'], on)
  }
  t.equal((await control('GET /script')).text, before)
})

t.test('control: without a body, verify judges what the scenario expects: 200 or 409', async t => {
  const expect = [
    { on: 'POST /refunds', times: 2 },
    { on: 'GET /tickets', match: { query: { location: 'loc_a' } }, times: '0-1' }
  ]
  const { call, control } = await startTestEmulator(t, {
    scenario: { data: smallFixture(), expect }
  })
  const verdict = async (body?: string) => {
    const { status, body: answer } = await control('POST /verify', body)
    return [
      status,
      answer.holds,
      ...answer.expectations.flatMap(({ seen, holds }: { seen: number; holds: boolean }) => [
        seen,
        holds
      ])
    ]
  }

  t.strictSame(await verdict(), [409, false, 0, false, 0, false], 'nothing came')
  await call('POST /refunds', { body: 'transaction=txn_none' })
  await call('POST /refunds', { key: 'nope', body: 'transaction=txn_none' })
  await call('GET /tickets', { query: 'location=loc_a&limit=many' })
  t.strictSame(
    await verdict('  '),
    [200, true, 2, true, 1, true],
    'refused requests count, those without a right key too'
  )
  await call('GET /tickets', { query: 'location=loc_a' })
  t.strictSame(await verdict(), [409, false, 2, true, 2, false])
  await control('POST /reset')
  t.strictSame(await verdict(), [409, false, 0, false, 0, false], 'a reset sets the counts back')
  await control('POST /load', { scenario: { data: smallFixture() } })
  t.strictSame(await verdict(), [200, true])
})

t.test('script: an entry added as the first is tried before the others', async t => {
  const { call, control } = await startTestEmulator(t, { scenario })
  const respond = (status: number) => ({ on: 'GET /tickets', calls: 1, respond: { status } })

  await control('POST /script', respond(500))
  await control('POST /script?first=0', respond(501))
  t.equal((await control('POST /script?first=1', respond(402))).body.id, 'scr_5')
  t.equal((await control('POST /script?first=maybe', respond(402))).status, 400)
  t.strictSame(
    (await control('GET /script')).body.data.map(({ id }: Listed) => id),
    ['scr_5', 'scr_1', 'scr_2', 'scr_3', 'scr_4']
  )
  t.equal((await call('GET /tickets')).status, 402)
  await control('PUT /snapshots/first')
  await control('DELETE /script')
  await control('POST /snapshots/first/restore')
  t.equal((await control('GET /script')).body.data[0].id, 'scr_5', 'a snapshot keeps the order')
})
