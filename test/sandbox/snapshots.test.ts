import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { fileNameOf, isName, nameOfFile } from '../../src/sandbox/saved/names.js'
import { sandboxClient, startTestEmulator } from '../support/emulator.js'

const USER = [
  'POST /accounts/mch_a/users',
  { body: { name: 'U', email: 'u@example.com' } }
] as const
/** A request in flight ends with the state that it reached. */
const EXPECTED = [
  200,
  201,
  204,
  'resource_missing',
  'sandbox_unknown',
  'snapshot_unknown',
  'state_replaced'
]
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.json')).sort()

t.test('names: no two share a file, even if case is ignored; each is found by it', t => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/).filter(isName)
  fc.assert(
    fc.property(name, name, (one, other) => {
      const [file, another] = [fileNameOf(one), fileNameOf(other)]
      return (
        (one === other || file.toLowerCase() !== another.toLowerCase()) && nameOfFile(file) === one
      )
    })
  )
  for (const name of ['a', 'A', 'aB', 'Ab', 'AB', '0.-_'])
    t.equal(nameOfFile(fileNameOf(name)), name)
  for (const file of ['A', '~A', '~', 'a~', '~0', '~~a', '.a', '', 'a b', '~~'])
    t.equal(nameOfFile(file), null, file)
  t.ok(isName('x'.repeat(64)) && fileNameOf('X'.repeat(64)).length < 200)
  t.end()
})

t.test('snapshots: a sandbox has at most 1000 of them, and replaces one at any time', async t => {
  const { control, sandbox } = await startTestEmulator(t)
  for (let nth = 1; nth <= 1000; nth++) await sandbox.snapshots.put(`n${nth}`, sandbox.snapshot())
  t.equal((await control('PUT /snapshots/n1')).status, 201)
  const { status, body } = await control('PUT /snapshots/other')
  t.strictSame([status, body.error.code], [429, 'limit_reached'])
  t.match(body.error.message, /^A sandbox has at most 1000 snapshots; delete a snapshot\./)
})

t.test('snapshots: a file is created for its user alone', async t => {
  const folder = join(t.testdir(), 'new')
  const { control } = await startTestEmulator(t, { settings: { snapshots_dir: folder } })
  await control('PUT /snapshots/a')
  t.equal((await stat(join(folder, 'a.json'))).mode & 0o777, 0o600)
})

t.test('snapshots: if one cannot be written, the previous one stays', async t => {
  const snapshots_dir = t.testdir()
  const { control, call } = await startTestEmulator(t, { settings: { snapshots_dir } })
  await control('PUT /snapshots/a')
  const before = await readFile(join(snapshots_dir, 'a.json'))
  await call(...USER)
  await mkdir(join(snapshots_dir, 'b.json'))
  const { status, body } = await control('PUT /snapshots/b')
  t.strictSame([status, body.error.code], [503, 'data_not_written'])
  t.strictSame(await readdir(snapshots_dir), ['a.json', 'b.json'])
  t.strictSame(await readFile(join(snapshots_dir, 'a.json')), before)
  t.equal((await control('POST /snapshots/b/restore')).status, 400)
})

t.test('snapshots: a sandbox deleted while they are saved leaves nothing', async t => {
  for (const settings of [{}, { snapshots_dir: t.testdir() }]) {
    const emulator = await startTestEmulator(t, { settings })
    const { control, call } = sandboxClient(emulator, 'own')
    const root = sandboxClient(emulator, null)
    const answers: { status: number; body: { error?: { code: string } } | null }[] = []
    for (let round = 0; round < 10; round++) {
      await call('GET /tickets')
      const four = (method: string, end = '') =>
        ['s0', 's1', 's2', 's3'].map(name => control(`${method} /snapshots/${name}${end}`))
      const deleting = [...four('PUT'), root.control('DELETE /sandboxes/own'), ...four('PUT')]
      answers.push(
        ...(await Promise.all([
          ...deleting,
          call(...USER),
          ...four('POST', '/restore'),
          control('DELETE /snapshots/s1')
        ]))
      )
    }
    const outcomes = answers.map(({ status, body }) => body?.error?.code ?? status)
    const failed = outcomes.filter(is => !EXPECTED.includes(is))
    t.strictSame(failed, [])

    await call('GET /tickets')
    await control('PUT /snapshots/kept')
    await root.control('DELETE /sandboxes/own')
    await call('GET /tickets')
    t.strictSame((await control('GET /snapshots')).body, { data: [] })
    if (settings.snapshots_dir) t.strictSame(await filesIn(settings.snapshots_dir), [])
  }
})

t.test('snapshots: those of an evicted sandbox go with it', async t => {
  const snapshots_dir = t.testdir()
  const emulator = await startTestEmulator(t, {
    settings: { snapshots_dir, 'limits.sandboxes': 1, 'sandboxes.evict_idle': true }
  })
  const [one, two] = [sandboxClient(emulator, 'one'), sandboxClient(emulator, 'two')]
  await one.call('GET /tickets')
  await one.control('PUT /snapshots/a')
  t.strictSame(await filesIn(snapshots_dir), ['sandboxes/one/a.json'])
  const { snapshots: ended } = emulator.sandboxes.find('one')
  const snapshot = emulator.sandboxes.find('one').snapshot()

  await two.call('GET /tickets')
  await one.call('GET /tickets')

  t.strictSame((await one.control('GET /snapshots')).body, { data: [] })
  await ended.put('late', snapshot)
  t.strictSame(
    [await filesIn(snapshots_dir), await ended.names()],
    [[], ['late']],
    'a call of the old one writes nothing into the folder of the new one'
  )
  await one.control('PUT /snapshots/b')
  await ended.delete('late')
  t.strictSame(await filesIn(snapshots_dir), ['sandboxes/one/b.json'])
})

t.test('snapshots: a folder that cannot be deleted is reported, room is made', async t => {
  const snapshots_dir = t.testdir()
  const emulator = await startTestEmulator(t, {
    settings: { snapshots_dir, 'limits.sandboxes': 1, 'sandboxes.evict_idle': true }
  })
  const { control, call } = sandboxClient(emulator, 'one')
  const broken = new Error('the folder is busy')
  await call('GET /tickets')
  await control('PUT /snapshots/a')
  const { snapshots } = emulator.sandboxes.find('one')
  snapshots.end = () => Promise.reject(broken)

  t.equal((await sandboxClient(emulator, 'two').call('GET /tickets')).status, 200)
  await call('GET /tickets')
  emulator.sandboxes.find('one').snapshots.end = snapshots.end
  await t.rejects(emulator.sandboxes.delete('one'), broken)
  await rm(join(snapshots_dir, 'sandboxes'), { recursive: true })
})
