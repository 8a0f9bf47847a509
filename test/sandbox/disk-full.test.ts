import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { start } from '../../src/cli/commands/start.js'
import { addRecords } from '../../src/sandbox/records.js'
import type { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { DataFolder } from '../../src/sandbox/saved/data-folder.js'
import { REFUSALS } from '../../src/sandbox/sentences.js'
import { documentOf } from '../../src/scenario/documents.js'
import { NOW, smallFixture, startTestEmulator } from '../support/emulator.js'
import type { Json } from '../support/json.js'
import { placeOf } from '../support/places.js'
import { callsText, type RecordedDisk, recordedDisk } from '../support/recorded-disk.js'
import { documentIn, documentsIn, fileIn } from '../support/saved-states.js'

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

/** A data folder, and what gives it its sandboxes. */
async function taken(folder: string, files?: RecordedDisk['files']) {
  let sandboxes: Sandboxes | undefined
  const data = await DataFolder.take(folder, () => sandboxes?.present() ?? [], files)
  return { data, keep: (present: Sandboxes) => (sandboxes = present) }
}

async function started(t: Test, { machine = {} }: { machine?: object } = {}) {
  const { data: folder } = await placeOf(t)
  const file = fileIn(folder)
  const disk = recordedDisk()
  const { data, keep } = await taken(folder, disk.files)
  t.teardown(() => data.close().catch(() => {}))
  const scenario = {
    clock: { now: NOW, ...machine },
    data: smallFixture({ transactions: [CHARGE] }),
    script: SCRIPT
  }
  const emulator = await startTestEmulator(t, { scenario, data })
  keep(emulator.sandboxes)
  await data.saved()
  const held = async () => (await documentIn(folder)).state.records as Json
  const refund = (more = '') =>
    emulator.call('POST /refunds', { body: `transaction=txn_a&amount=1${more}` })
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

t.test('data_not_written: the request that met the full disk took effect and says so', async t => {
  const { folder, file, disk, call, control, refund, kept, held, sandbox, data } = await started(t)
  t.equal((await refund()).status, 200)
  const before = await readFile(file)

  disk.room = 100
  const first = await refund()

  t.strictSame([errorOf(first), sandbox.store.refunds.size, data.isFailing], [NOT_WRITTEN, 2, true])
  t.equal(first.body.error.message, REFUSALS.inMemoryOnly(folder, NO_ROOM).message)
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
      [NOT_WRITTEN, REFUSALS.notWritable(folder, NO_ROOM).message],
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
    [data.isFailing, (await held()).refunds.length, sandbox.store.refunds.size],
    [false, 3, 3]
  )
})

t.test('data_not_written: changes in memory only are written once there is room', async t => {
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
  t.strictSame([data.isFailing, (await held()).refunds.length], [false, 2])
})

t.test('data_not_written: changes count as made; a delayed request does not run', async t => {
  const { folder, disk, refund, sandbox, control } = await started(t)
  const slow = refund('&reason=slow')
  await sleep(50)
  disk.room = 0
  const together = await Promise.all([refund(), refund(), refund()])

  t.strictSame(together.map(errorOf), Array(3).fill(NOT_WRITTEN))
  t.ok(
    together.every(
      ({ body }) => body.error.message === REFUSALS.inMemoryOnly(folder, NO_ROOM).message
    )
  )
  t.equal(sandbox.store.refunds.size, 3)
  const late = await slow
  t.strictSame([errorOf(late), sandbox.store.refunds.size], [NOT_WRITTEN, 3])
  t.equal(late.body.error.message, REFUSALS.notWritable(folder, NO_ROOM).message)
  const [entry] = (await control('GET /requests?on=POST+/refunds&limit=1')).body.data
  t.strictSame([entry.outcome, entry.took_effect], ['refused', false])

  disk.room = Number.POSITIVE_INFINITY
  t.strictSame([(await refund('&reason=slow')).status, sandbox.store.refunds.size], [200, 4])
})

t.test('closing writes a last time, or reports that changes are not on disk', async t => {
  const { folder, sandbox, data } = await started(t)
  sandbox.nextRequestId()
  await data.close()
  t.equal((await documentIn(folder)).requests, sandbox.requests)

  const other = await started(t)
  other.disk.room = 0
  await other.refund()
  const { code, message } = REFUSALS.lastNotWritten(other.folder, NO_ROOM)
  await t.rejects(other.data.close(), { code, message })
})

t.test('the document of a sandbox goes with it', async t => {
  const { folder, disk, sandboxes, data } = await started(t)
  sandboxes.keep(sandboxes.use('one'))
  await data.saved()
  t.equal((await documentsIn(folder)).length, 2)
  await sandboxes.delete('one')
  await data.saved()
  t.equal((await documentsIn(folder)).length, 1)

  // the new name is on disk, and the folder cannot be synced
  const { files } = disk
  const { open } = files
  files.open = (...given) =>
    given[1] === 'r' ? Promise.reject(new Error('no sync')) : open(...given)
  sandboxes.keep(sandboxes.use('two'))
  await t.rejects(data.saved(), { code: 'data_not_written' })
  t.equal((await documentsIn(folder)).length, 2)
  files.open = open
  await sandboxes.delete('two')
  await data.saved()
  t.equal((await documentsIn(folder)).length, 1, 'or it would be there again after a restart')
})

t.test('a folder that was continued and never written since: a change is reported', async t => {
  const first = await started(t)
  await first.data.close()
  for (const isChanged of [false, true]) {
    const disk = recordedDisk()
    const { data, keep } = await taken(first.folder, disk.files)
    const emulator = await startTestEmulator(t, { loaded: false, data })
    keep(emulator.sandboxes)
    emulator.sandboxes.resume(await data.read({ flag: {}, environment: {} }))
    data.resumed()
    disk.room = 0
    if (isChanged)
      t.strictSame(
        errorOf(await emulator.call('POST /locations/loc_a', { body: 'phone=1' })),
        NOT_WRITTEN
      )

    const failure = await data.close().catch(error => error.message)

    if (isChanged) t.match(failure, /not on disk\.$/)
    else t.equal(failure, undefined)
  }
})

t.test('a record that a fixture brings back under a deleted id comes after the others', async t => {
  const { sandbox, data, held } = await started(t)
  const user = (id: string) => ({ id, account: 'mch_a', name: id, email: 'u@example.com' })
  await addRecords(sandbox, documentOf('test', { users: ['usr_1', 'usr_2'].map(user) }))
  await data.saved()
  sandbox.store.users.remove('usr_1')
  await addRecords(sandbox, documentOf('test', { users: [user('usr_1')] }))
  await data.saved()
  const { users } = await held()
  t.strictSame(
    users.map(({ id }: Json) => id),
    ['usr_2', 'usr_1']
  )
})

t.test('where nothing has changed nothing is written', async t => {
  const { data, disk } = await started(t)
  const before = disk.calls.length
  await data.saved()
  await data.close()
  t.equal(disk.calls.length, before)
})

t.test('a file is created for its user alone, under its own name', async t => {
  const { folder, file, disk, refund, data } = await started(t)
  await refund()
  await data.close()

  const calls = callsText(disk.calls, folder)
    .map(call => call.replace(/\d+\+\d+/, 'N'))
    .filter((call, nth, all) => call !== all[nth - 1])
  const whole = [
    'create _base.json.*.tmp',
    'write _base.json.*.tmp N',
    'sync _base.json.*.tmp',
    'rename _base.json.*.tmp _base.json',
    'syncFolder .'
  ]
  t.strictSame(calls, [...whole, ...whole])
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.strictSame((await readdir(folder)).sort(), ['_base.json'])

  await chmod(file, 0o644)
  const { data: again, keep } = await taken(folder)
  t.equal((await stat(file)).mode & 0o777, 0o644, 'reading leaves it')
  const emulator = await startTestEmulator(t, { data: again })
  keep(emulator.sandboxes)
  await again.saved()
  await again.close()
  t.equal((await stat(file)).mode & 0o777, 0o600, 'a write tightens what was open')
})

t.test('leftovers of a killed process are removed at the start, and nothing else', async t => {
  const { data } = await placeOf(t)
  const left = ['_base.json.0123456789abcdef.tmp', 'one.json.fedcba9876543210.tmp']
  const others = [
    '_base.json',
    '_base.json.0123456789abcdef.tmp.x',
    '_base.json.0123.tmp',
    'notes.tmp',
    'x.json'
  ]
  await mkdir(data)
  for (const name of [...left, ...others]) await writeFile(join(data, name), 'x')
  const unreadable = { ...recordedDisk().files, readdir: () => Promise.reject(new Error('no')) }
  await t.rejects(
    DataFolder.take(data, () => [], unreadable),
    REFUSALS.notLockable(data, 'no')
  )
  await (await DataFolder.take(data, () => [])).close()
  t.strictSame((await readdir(data)).sort(), others.sort())
})

t.test(
  'a document that somebody removed or changed is complete again after the next change',
  async t => {
    const { file, refund, held } = await started(t)
    for (const [nth, act] of [() => rm(file), () => writeFile(file, 'x')].entries()) {
      await act()
      t.equal((await refund()).status, 200)
      t.equal((await held()).refunds.length, nth + 1)
    }
  }
)

t.test('start: what could not be written at the end is on stderr', async t => {
  const { folder, data } = await placeOf(t)
  let close: (given: object) => Promise<void> = async () => {}
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const settings = { data, port: 0, log_level: 'silent' } as const
  const beforeEnd = (_options: object, given: typeof close) => {
    close = given
  }
  await start({ settings, environment: {} }, { stdout, stderr } as never, beforeEnd as never)
  const [, baseUrl] = / ready on (\S+)/.exec(String(stdout.read())) as unknown as [string, string]
  await rm(folder, { recursive: true })
  const body = new URLSearchParams({ ticket: 'tkt_60', payment_type: 'external', amount: '5' })
  t.equal((await fetch(`${baseUrl}/transactions`, { method: 'POST', body })).status, 503)

  await t.rejects(close({}), { code: 'data_not_written' })
  t.match(String(stderr.read()), /^commerce-emulator: .+ENOENT: .+ not on disk\.\n$/)
})
