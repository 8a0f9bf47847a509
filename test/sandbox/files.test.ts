import { constants } from 'node:buffer'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DISK, type FileSystem, replaceFile, syncFolder } from '../../src/sandbox/disk.js'
import { amendmentLine, linesRead } from '../../src/sandbox/lines.js'
import type { Json } from '../support/json.js'
import { recordedDisk } from '../support/recorded-disk.js'
import { fileText } from '../support/saved-lines.js'

async function fileOf(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'files-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return { folder, file: join(folder, 'a.json') }
}

const STATE = { settings: {}, counters: {}, clock: { at: null, running: true }, script: [] }
const [U1, U2] = [{ id: 'u1' }, { id: 'u2' }]
const FIRST = { scenario: { name: 'x', description: null }, expectations: [], ...STATE, records: { api_keys: [], users: [U1, U2] } }
const DATA = { first_states: [FIRST], sandboxes: [{ name: null, from: 0, requests: 0, ...STATE, records: { api_keys: [] } }], start: 0 }
const WHOLE = fileText(DATA)
const seedLine = (seed: number, ...more: object[]) =>
  amendmentLine([{ sandbox: null, requests: seed, settings: { seed } }, ...more].map(amendment => JSON.stringify(amendment)))
const read = async (...texts: (string | Buffer)[]) => linesRead(texts.map(text => Buffer.from(text)))
const seedIn = async (text: string) => ((await read(text)).data.sandboxes as Json)[0].settings.seed

t.test('lines: a file holds what it was written with, however its bytes come', async t => {
  const { data, dropped } = await read(...WHOLE)

  t.strictSame(JSON.parse(JSON.stringify(data)), {
    ...DATA,
    first_states: [{ ...FIRST, deleted: { users: [] } }],
    sandboxes: [{ ...DATA.sandboxes[0], deleted: {} }]
  })
  t.strictSame(dropped, { line: 0, bytes: 0 })
})

t.test('lines: parts are replaced, records put in their places, deleted ones keep theirs; a family that is not there begins as in the first state', async t => {
  const deleted = { at: 0, owners: ['mch_a'] }
  const records = { sandbox: null, family: 'users', records: [{ id: 'u2', deleted }, { id: 'u1', name: 'new' }, { id: 'u3' }] }
  const { data } = await read(WHOLE, seedLine(1), seedLine(2, records))

  t.strictSame(data.sandboxes, [
    {
      ...DATA.sandboxes[0],
      requests: 2,
      settings: { seed: 2 },
      records: { users: [{ id: 'u1', name: 'new' }, { id: 'u3' }], api_keys: [] },
      deleted: { users: [{ id: 'u2', ...deleted, after: 1 }] }
    }
  ] as unknown as typeof data.sandboxes)

  const all = [
    { family: 'users', all: true },
    { family: 'users', records: [U2] }
  ].map(one => ({ sandbox: null, ...one }))
  const ended = { sandbox: 'two', ended: true }
  const later = await read(WHOLE, seedLine(1, { sandbox: 'two', from: 0 }, ...all), seedLine(2, { sandbox: null, from: 0 }, ended, { start: 7 }))
  t.strictSame(
    [later.data.start, later.data.sandboxes.map(({ name, settings, records }) => [name, settings, records.users])] as unknown,
    [7, [[null, undefined, undefined]]],
    'one that begins anew has nothing of what it had'
  )
})

t.test(
  'lines: one that is torn at the end is left out wherever it is torn, and told; one that is damaged above a whole one is refused with its place',
  async t => {
    const [first, second] = [seedLine(1), seedLine(2)]
    const line = WHOLE.split('\n').length + 1
    for (let cut = 0; cut < second.length - 1; cut++) {
      const rest = second.length - cut
      for (const torn of [
        second.slice(0, cut),
        second.slice(0, cut) + '\0'.repeat(rest),
        '\0'.repeat(rest) + second.slice(rest),
        `${second.slice(0, cut)}\n}}`
      ]) {
        if (torn === second) continue
        const { data, dropped } = await read(WHOLE + first + torn)
        const bytes = torn.replaceAll('\n', '').length
        t.strictSame([data.sandboxes[0]?.settings, dropped], [{ seed: 1 }, { line: bytes > 0 ? line : 0, bytes }], JSON.stringify(torn))
      }
    }
    t.equal(await seedIn(WHOLE + first + second.trimEnd()), 2, 'without the end of its line it is whole')
    t.equal(await seedIn(WHOLE), undefined)
    for (const [lines, place] of [
      [first.replace('"seed":1', '"seed":3') + second, line - 1],
      [`${first}x\n${second}`, line],
      [`\n${first}`, line - 1]
    ] as const) {
      await t.rejects(read(WHOLE + lines), { message: `line ${place} is damaged, and there are lines below it that are not` })
    }
    const lines = WHOLE.split(/(?<=\n)/)
    for (let count = 1; count < lines.length; count++) {
      await t.rejects(read(lines.slice(0, count).join('')), { message: 'it was cut off: its lines do not hold a whole state' })
    }
  }
)

t.test('lines: a file that is longer than the longest string is read', async t => {
  const long = seedLine(2, { sandbox: null, family: 'users', records: [{ id: 'u3', name: 'x'.repeat(2 ** 20) }] })
  const damaged = Buffer.alloc(2 ** 26)
  const chunks = [...[WHOLE, seedLine(1), long].map(text => Buffer.from(text)), ...Array(8).fill(damaged)]
  t.ok(chunks.reduce((sum, { length }) => sum + length, 0) > constants.MAX_STRING_LENGTH)

  const { data, dropped } = await linesRead(chunks)

  t.strictSame([data.sandboxes[0]?.records.users?.length, dropped.bytes], [3, 8 * damaged.length])
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

  t.strictSame([await readFile(file, 'utf8'), (await readdir(folder)).length], ['before', 2])
})

t.test('a file whose sync or truncation failed is not added to any more', async t => {
  for (const [code, failure] of [
    ['EIO', { failsToSync: true }],
    ['ENOSPC', { room: 2, failsToTruncate: true }]
  ] as const) {
    const { file } = await fileOf(t)
    const disk = recordedDisk()
    const written = await replaceFile(file, ['first\n'], disk.files)
    t.equal(await written.added(), 0)
    Object.assign(disk, failure)
    await t.rejects(written.append('second\n'), { code })
    Object.assign(disk, { failsToSync: false, failsToTruncate: false, room: 1000 })
    t.equal(await written.added(), null)
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
