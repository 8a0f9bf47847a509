import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dataIn, lineOf } from '../../src/sandbox/change-log.js'
import { DISK, type FileSystem, replaceFile, syncFolder, textOf } from '../../src/sandbox/json-file.js'
import type { Json } from '../support/json.js'
import { recordedDisk } from '../support/recorded-disk.js'

async function fileOf(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'files-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return { folder, file: join(folder, 'a.json') }
}

const STATE = { settings: {}, counters: {}, clock: { at: null, running: true }, script: [], deleted: {} }
const FIRST = {
  scenario: { name: 'x', description: null },
  expectations: [],
  state: { ...STATE, records: { api_keys: [], users: [{ id: 'u1' }, { id: 'u2' }] } }
}
const DOCUMENT = {
  format: 3,
  start: 0,
  first_states: [FIRST],
  sandboxes: [{ name: null, first_state: 0, requests: 0, state: { ...STATE, records: { api_keys: [] } } }]
}
const TEXT = `${JSON.stringify(DOCUMENT)}\n`
const seedLine = (seed: number, more = {}) => lineOf(JSON.stringify({ sandboxes: [{ name: null, requests: seed, changed: { settings: { seed }, ...more } }] }))
const seedIn = (text: string) => (dataIn(text) as Json).sandboxes[0].state.settings.seed

t.test('lines: a change replaces parts, puts records in their places and deletes by id; a family that is not there begins as in the first state', t => {
  const change = {
    deleted: { users: [{ id: 'u1', at: 0, after: 0, owners: [] }] },
    records: { users: [{ id: 'u2', name: 'new' }, { id: 'u3' }] },
    removed: { users: ['u1'] }
  }
  const { sandboxes } = dataIn(TEXT + seedLine(1) + seedLine(2, change)) as Json

  t.strictSame(sandboxes, [
    {
      name: null,
      first_state: 0,
      requests: 2,
      state: { ...STATE, settings: { seed: 2 }, deleted: change.deleted, records: { api_keys: [], users: [{ id: 'u2', name: 'new' }, { id: 'u3' }] } }
    }
  ])
  t.end()
})

t.test('lines: one that is torn at the end is left out wherever it is torn; one that is damaged above a whole one is refused with its place', t => {
  const [first, second] = [seedLine(1), seedLine(2)]
  for (let cut = 0; cut < second.length - 1; cut++) {
    const rest = second.length - cut
    for (const torn of [
      second.slice(0, cut),
      second.slice(0, cut) + '\0'.repeat(rest),
      '\0'.repeat(rest) + second.slice(rest),
      `${second.slice(0, cut)}\n}}`
    ]) {
      if (torn !== second) t.equal(seedIn(TEXT + first + torn), 1) || t.comment(JSON.stringify(torn))
    }
  }
  t.equal(seedIn(TEXT + first + second.trimEnd()), 2, 'without the end of its line it is whole')
  t.equal(seedIn(TEXT), undefined)
  t.equal(seedIn(TEXT.trimEnd()), undefined)
  t.equal(seedIn(JSON.stringify(DOCUMENT, null, 2)), undefined, 'laid out by hand')
  for (const [lines, place] of [
    [first.replace('"seed":1', '"seed":3') + second, 2],
    [`${first}x\n${second}`, 3],
    [`\n${first}`, 2]
  ] as const) {
    t.throws(() => dataIn(TEXT + lines), { message: `line ${place} is damaged, and there are lines below it that are not` })
  }
  t.throws(() => dataIn(`${JSON.stringify(DOCUMENT, null, 2)}\n${first}`), SyntaxError)
  t.end()
})

t.test('a file is replaced by many texts of any size, in as many writes as they need', async t => {
  const { file, folder } = await fileOf(t)
  const texts = ['é'.repeat(700_000), '', 'x', 'y'.repeat(3_000_000), 'z']
  const stingy = { ...DISK, open: async (path: string, flags: string, mode?: number) => slow(await DISK.open(path, flags, mode)) } as FileSystem

  const written = await replaceFile(file, texts, stingy)
  await written.append('é\n')
  await written.close()

  t.equal(await readFile(file, 'utf8'), `${texts.join('')}é\n`)
  t.strictSame(await readdir(folder), ['a.json'])
})

/** A handle that writes at most 300,000 bytes at a time, as the system may. */
const slow = (handle: Awaited<ReturnType<FileSystem['open']>>) => {
  const write = handle.write as (...given: unknown[]) => Promise<unknown>
  handle.write = ((bytes: Buffer, from: number, length: number, at: number) => write.call(handle, bytes, from, Math.min(length, 300_000), at)) as never
  return handle
}

t.test('a file that cannot be replaced is as it was, and nothing is left beside it', async t => {
  const { file, folder } = await fileOf(t)
  await writeFile(file, 'before')
  const disk = recordedDisk()
  disk.room = 3
  await t.rejects(replaceFile(file, ['after'], disk.files), { code: 'ENOSPC' })
  disk.room = 100
  disk.failsToSync = true
  await t.rejects(replaceFile(file, ['after'], disk.files), { code: 'EIO' })
  const unremovable = { ...disk.files, rm: () => Promise.reject(new Error('no')) }
  await t.rejects(replaceFile(file, ['after'], unremovable), { code: 'EIO' })

  t.strictSame([await textOf(file), (await readdir(folder)).length], ['before', 2])
  t.equal(await textOf(join(folder, 'none')), null)
  await t.rejects(textOf(folder), { code: 'EISDIR' })
})

t.test('a file whose sync or truncation failed is not added to any more', async t => {
  for (const [code, failure] of [
    ['EIO', { failsToSync: true }],
    ['ENOSPC', { room: 2, failsToTruncate: true }]
  ] as const) {
    const { file } = await fileOf(t)
    const disk = recordedDisk()
    const written = await replaceFile(file, ['first\n'], disk.files)
    t.equal(await written.isInPlace(), true)
    Object.assign(disk, failure)
    await t.rejects(written.append('second\n'), { code })
    Object.assign(disk, { failsToSync: false, failsToTruncate: false, room: 1000 })
    t.equal(await written.isInPlace(), false)
    await written.close()
  }
})

t.test('a folder that its file system cannot sync is left unsynced; any other failure is told', async t => {
  const { folder } = await fileOf(t)
  const failing = (code: string, atOpen: boolean) => {
    const fail = () => Promise.reject(Object.assign(new Error(code), { code }))
    return { ...DISK, open: atOpen ? fail : async () => ({ sync: fail, close: async () => {} }) } as unknown as FileSystem
  }
  for (const atOpen of [true, false]) {
    for (const code of ['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']) await t.resolves(syncFolder(folder, failing(code, atOpen)))
    await t.rejects(syncFolder(folder, failing('EIO', atOpen)), { code: 'EIO' })
  }
})
