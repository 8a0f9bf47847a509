import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { start } from '../../src/cli/start.js'
import { DataFile } from '../../src/sandbox/data-file.js'
import { readLines } from '../../src/sandbox/lines.js'
import { REFUSALS } from '../../src/sandbox/sentences.js'
import { documentOf } from '../../src/scenario/documents.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { placeOf } from '../support/places.js'
import { callsText, recordedDisk } from '../support/recorded-disk.js'

const CHARGE = {
  id: 'txn_a',
  ticket: 'tkt_a',
  payment_type: 'card',
  payment_method: { card: { brand: 'visa', last4: '4242' } },
  amount: 1000
}
const SCRIPT = [
  { on: 'GET /tickets', calls: 99, delay: '1ms' },
  { on: 'POST /refunds', match: { body: { reason: 'slow' } }, delay: '300ms' }
]

async function started(
  t: Test,
  { maxLines, machine = {} }: { maxLines?: number; machine?: object } = {}
) {
  const { folder, file } = await placeOf(t)
  const disk = recordedDisk()
  const data = await DataFile.take(file, {
    files: disk.files,
    ...(maxLines !== undefined && { maxLines })
  })
  t.teardown(() => data.close())
  const scenario = {
    clock: { now: NOW, ...machine },
    data: smallFixture({ transactions: [CHARGE] }),
    script: SCRIPT
  }
  const emulator = await startTestEmulator(t, { scenario, data })
  data.writeFrom(() => emulator.sandboxes.present)
  await data.saved()
  const held = async () => (await readLines(file)).data.sandboxes[0] as Json
  const refund = (more = '') =>
    emulator.call('POST /refunds', { body: `transaction=txn_a&amount=1${more}` })
  /** What a data file keeps of the sandbox at the base address, as text. */
  const kept = async () =>
    JSON.stringify([
      await emulator.state(),
      emulator.sandbox.script.listed(),
      (await emulator.control('GET /clock')).body
    ])
  return { ...emulator, folder, file, disk, data, held, refund, kept }
}

const errorOf = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error.type,
  body.error.code
]
const NO_ROOM = 'ENOSPC: failed on purpose, write'
const NOT_WRITTEN = [503, 'internal_error', 'data_not_written']

t.test('data_not_written: the call that met the full disk took effect and says so', async t => {
  const { file, disk, call, control, refund, kept, held, sandbox, data } = await started(t)
  t.equal((await refund()).status, 200)
  const before = await readFile(file)

  disk.room = 100
  const first = await refund()

  t.strictSame([errorOf(first), sandbox.store.refunds.size, data.isFailing], [NOT_WRITTEN, 2, true])
  t.equal(first.body.error.message, REFUSALS.inMemoryAlone(file, NO_ROOM).message)
  t.strictSame(await readFile(file), before, 'the part that was written is taken back')

  const state = await kept()
  const ask = (on: string, body?: string | object) =>
    on.startsWith('control ')
      ? control(on.slice(8), body)
      : call(on, { ...(body !== undefined && { body: body as string }) })
  const changes: [on: string, body?: string | object][] = [
    ['POST /refunds', 'transaction=txn_a&amount=1'],
    ['POST /refunds', 'transaction=txn_a&amount=100000'],
    ['POST /transactions', 'ticket=tkt_a&payment_type=external&amount=1'],
    ['POST /locations/loc_a', 'phone=1'],
    ['GET /tickets'],
    ['control POST /reset'],
    ['control POST /load', { scenario: 'empty' }],
    ['control POST /records', { tickets: [{ location: 'loc_a', reference: 'T-9' }] }],
    ['control POST /keys', { account: 'mch_a' }],
    ['control PATCH /settings', { seed: 3 }],
    ['control PUT /clock', { now: '2030-01-01T00:00:00Z' }],
    ['control POST /clock/advance', { by: '1h' }],
    ['control POST /script', { on: 'GET /refunds', delay: '1ms' }],
    ['control DELETE /script'],
    ['control DELETE /sandboxes/nobody']
  ]
  for (const [on, body] of changes) {
    const answer = await ask(on, body)
    t.strictSame(
      [errorOf(answer), answer.body.error.message],
      [NOT_WRITTEN, REFUSALS.notWritable(file, NO_ROOM).message],
      on
    )
    t.equal(await kept(), state, `${on} changes nothing`)
  }
  for (const [status, on, body] of [
    [200, 'GET /refunds'],
    [200, 'GET /transactions/txn_a'],
    [400, 'POST /refunds', 'transaction='],
    [501, 'DELETE /locations/loc_a'],
    [200, 'control GET /state'],
    [200, 'control POST /load?dry_run', { scenario: 'empty' }],
    [200, 'control POST /verify', { on: 'GET /refunds', times: 1 }],
    [201, 'control PUT /snapshots/a'],
    [204, 'control DELETE /coverage']
  ] as [number, string, object?][])
    t.equal((await ask(on, body)).status, status, on)
  t.strictSame(await readFile(file), before)

  disk.room = Number.POSITIVE_INFINITY
  t.equal((await refund()).status, 200, 'once there is room the next call is answered')
  t.strictSame(
    [data.isFailing, (await held()).records.refunds.length, sandbox.store.refunds.size],
    [false, 3, 3]
  )
})

t.test('data_not_written: what is in memory alone is written once there is room', async t => {
  const { setTimeout: real } = globalThis
  t.intercept(globalThis, 'setTimeout', {
    value: ((act: () => void, ms: number) => real(act, ms / 20)) as never
  })
  const { disk, refund, held, data } = await started(t)
  await refund()
  disk.room = 0
  t.strictSame(errorOf(await refund()), NOT_WRITTEN)
  await sleep(150)
  t.equal(data.isFailing, true, 'it was tried again')
  disk.room = Number.POSITIVE_INFINITY
  while (data.isFailing) await sleep(5)
  t.strictSame([data.isFailing, (await held()).records.refunds.length], [false, 2])
})

t.test('data_not_written: changes are told as made, and a delayed call does not run', async t => {
  const { file, disk, refund, sandbox, control } = await started(t)
  const slow = refund('&reason=slow')
  await sleep(50)
  disk.room = 0
  const together = await Promise.all([refund(), refund(), refund()])

  t.strictSame(together.map(errorOf), Array(3).fill(NOT_WRITTEN))
  t.ok(
    together.every(
      ({ body }) => body.error.message === REFUSALS.inMemoryAlone(file, NO_ROOM).message
    )
  )
  t.equal(sandbox.store.refunds.size, 3)
  const late = await slow
  t.strictSame([errorOf(late), sandbox.store.refunds.size], [NOT_WRITTEN, 3])
  t.equal(late.body.error.message, REFUSALS.notWritable(file, NO_ROOM).message)
  const [entry] = (await control('GET /requests?on=POST+/refunds&limit=1')).body.data
  t.strictSame([entry.outcome, entry.took_effect], ['refused', false])

  disk.room = Number.POSITIVE_INFINITY
  t.strictSame([(await refund('&reason=slow')).status, sandbox.store.refunds.size], [200, 4])
})

t.test('a file that has become long is replaced', async t => {
  const { folder, file, disk, refund, held, call, sandbox } = await started(t, { maxLines: 2000 })
  const put = async (body: string) => (await call('POST /locations/loc_a', { body })).status
  const renames = () => disk.calls.filter(({ call }) => call === 'rename').length
  for (let nth = 0; nth < 20; nth++) await put(`metadata[a]=${'x'.repeat(300)}${nth}`)
  const replaced = renames()
  t.ok(replaced > 1, `${replaced} times`)

  const [whole = 0] = disk.calls.flatMap(call => (call.call === 'write' ? call.bytes.length : []))
  for (let nth = 0; nth < 40; nth++) {
    disk.room = whole - 100
    t.equal(await put(`phone=${nth}`), 200)
  }
  t.equal(renames(), replaced)
  t.ok((await stat(file)).size > 2 * 2000, 'it is longer than it would be with room')
  t.equal((await readdir(folder)).filter(name => !name.includes('.lock-')).join(), 'shop.json')

  disk.room = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < 60 && renames() === replaced; nth++) await refund()
  t.equal(renames(), replaced + 1, 'with room it is replaced again')
  t.equal((await held()).records.refunds.length, sandbox.store.refunds.size)
})

t.test('closing writes a last time, or says which changes are not on disk', async t => {
  type Given = Awaited<ReturnType<typeof started>>
  const told: Record<string, (given: Given) => unknown> = {
    'the number of its requests': ({ sandbox }) => sandbox.nextRequestId(),
    '1 record, API keys': ({ sandbox }) => {
      sandbox.addKey('mch_a')
      return sandbox.addRecords(
        documentOf('test', { tickets: [{ location: 'loc_a', reference: 'T-2' }] })
      )
    },
    '2 records, settings': async ({ refund, sandbox, sandboxes }) => {
      await refund()
      await sandbox.changeSettings({ seed: 9 })
      sandboxes.keep(sandboxes.use('one'))
    }
  }
  for (const [what, change] of Object.entries(told)) {
    const given = await started(t)
    given.disk.room = 0
    await change(given)
    const parts = [
      `the sandbox at the base address (${what})`,
      ...(what.startsWith('2') ? ['sandbox one (everything)'] : [])
    ]
    const { code, message } = REFUSALS.lastNotWritten(given.file, NO_ROOM, parts)
    await t.rejects(given.data.close({ writesLast: true }), { code, message })
  }
})

t.test('closing without room for a second file writes a line that fits', async t => {
  const { disk, refund, sandboxes, sandbox, file, data } = await started(t)
  const read = sandboxes.use('read')
  sandboxes.keep(read)
  await refund()
  read.nextRequestId()
  await sandboxes.delete('read')
  sandbox.nextRequestId()
  disk.room = 300
  await data.close({ writesLast: true })
  const [base, ...others] = (await readLines(file)).data.sandboxes as Json[]
  t.strictSame([base.requests, others], [sandbox.requests, []])

  const written = await started(t)
  await written.refund()
  await written.data.saved()
  const before = await readFile(written.file)
  written.disk.room = 0
  await written.data.close({ writesLast: true })
  t.strictSame(await readFile(written.file), before)
})

t.test('a file that was gone on from and never written since: what changed is told', async t => {
  const first = await started(t)
  await first.data.close({ writesLast: true })
  for (const isChanged of [false, true]) {
    const disk = recordedDisk()
    const data = await DataFile.take(first.file, { files: disk.files })
    const emulator = await startTestEmulator(t, { loaded: false, data })
    emulator.sandboxes.resume(await data.read({ flag: {}, environment: {} }))
    data.writeFrom(() => emulator.sandboxes.present)
    data.resumed()
    disk.room = 0
    if (isChanged)
      t.strictSame(
        errorOf(await emulator.call('POST /locations/loc_a', { body: 'phone=1' })),
        NOT_WRITTEN
      )

    const failure = await data.close({ writesLast: true }).catch(error => error.message)

    if (isChanged) t.match(failure, /not on disk: the sandbox at the base address \(1 record\)\.$/)
    else t.equal(failure, undefined)
  }
})

t.test('a record that a fixture brings back under a deleted id comes after the others', async t => {
  const { sandbox, data, held } = await started(t)
  const user = (id: string) => ({ id, account: 'mch_a', name: id, email: 'u@example.com' })
  await sandbox.addRecords(documentOf('test', { users: ['usr_1', 'usr_2'].map(user) }))
  await data.saved()
  sandbox.store.users.remove('usr_1')
  await sandbox.addRecords(documentOf('test', { users: [user('usr_1')] }))
  await data.saved()
  const { records, deleted } = await held()
  t.strictSame([records.users.map(({ id }: Json) => id), deleted.users], [['usr_2', 'usr_1'], []])
})

t.test('of a sandbox that was not called the clock alone is written at the end', async t => {
  const { file, data, disk } = await started(t, { machine: { running: true } })
  const before = disk.calls.length
  await data.saved()
  t.equal(disk.calls.length, before, 'nothing has changed')
  await data.close({ writesLast: true })
  t.match((await readFile(file, 'utf8')).split('\n').at(-2), /"data":\[\{"start":0\}\]\}$/)
})

t.test('a file is made for its user alone, under a name of its own', async t => {
  const { folder, file, disk, refund, data } = await started(t)
  await refund()
  await data.close({ writesLast: true })

  const calls = callsText(disk.calls, folder).map(call => call.replace(/\d+\+\d+/, 'N'))
  const whole = [
    'create shop.json.*.tmp',
    'write shop.json.*.tmp N',
    'sync shop.json.*.tmp',
    'rename shop.json.*.tmp shop.json',
    'syncFolder .'
  ]
  t.strictSame(calls, [...whole, 'write shop.json.*.tmp N', 'sync shop.json.*.tmp', ...whole])
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.strictSame(await readdir(folder), ['shop.json'])

  await chmod(file, 0o644)
  const again = await DataFile.take(file)
  t.equal((await stat(file)).mode & 0o777, 0o644, 'reading leaves it')
  const emulator = await startTestEmulator(t, { data: again })
  again.writeFrom(() => emulator.sandboxes.present)
  await again.saved()
  await again.close()
  t.equal((await stat(file)).mode & 0o777, 0o600, 'a write tightens what was open')
})

t.test('what a killed process left of this file alone is removed at the start', async t => {
  const { folder, file } = await placeOf(t)
  const left = ['shop.json.0123456789abcdef.tmp', 'shop.json.fedcba9876543210.tmp']
  const others =
    '.shop.json.tmp shop.json.0123456789abcdef.tmp.x shop.json.0123.tmp shop.json.tmp shop2.json.0123456789abcdef.tmp x.tmp'.split(
      ' '
    )
  for (const name of [...left, ...others]) await writeFile(join(folder, name), 'x')
  await (await DataFile.take(file)).close()
  t.strictSame((await readdir(folder)).sort(), others.sort())
})

t.test('a file that somebody removed, replaced or changed is written whole again', async t => {
  const { file, refund, held } = await started(t)
  const acts: Record<string, () => Promise<unknown>> = {
    removed: () => rm(file),
    replaced: () => rm(file).then(() => writeFile(file, 'x')),
    longer: () => writeFile(file, '\nx', { flag: 'a' }),
    shorter: () => writeFile(file, '')
  }
  for (const [nth, [title, act]] of Object.entries(acts).entries()) {
    await refund()
    await act()
    t.strictSame(
      [(await refund()).status, (await held()).records.refunds.length],
      [200, 2 * nth + 2],
      title
    )
  }
})

t.test('start: what could not be written at the end is on stderr', async t => {
  const { folder, file } = await placeOf(t)
  let close: (given: object) => Promise<void> = async () => {}
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const settings = { data: file, port: 0, log_level: 'silent' } as const
  const beforeEnd = (_options: object, given: typeof close) => {
    close = given
  }
  await start({ settings, environment: {} }, { stdout, stderr } as never, beforeEnd as never)
  const [, baseUrl] = / ready on (\S+)/.exec(String(stdout.read())) as unknown as [string, string]
  await rm(folder, { recursive: true })
  const body = new URLSearchParams({ ticket: 'tkt_60', payment_type: 'external', amount: '5' })
  t.equal((await fetch(`${baseUrl}/transactions`, { method: 'POST', body })).status, 503)

  await t.rejects(close({}), { code: 'data_not_written' })
  t.match(
    String(stderr.read()),
    /^commerce-emulator: .+ENOENT: .+ the sandbox at the base address \(everything\)\.\n$/
  )
})
