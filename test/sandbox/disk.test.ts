import { readdir, readFile, writeFile } from 'node:fs/promises'
import t from 'tap'
import { DISK, type FileSystem, replaceFile, syncFolder } from '../../src/sandbox/saved/disk.js'
import { placeOf } from '../support/places.js'
import { recordedDisk } from '../support/recorded-disk.js'

t.test('a file is replaced by many texts of any size, in as many writes as they need', async t => {
  const { file, folder } = await placeOf(t)
  const texts = ['é'.repeat(700_000), '', 'x', 'y'.repeat(3_000_000), 'z']
  const stingy = {
    ...DISK,
    open: async (path: string, flags: string, mode?: number) =>
      slow(await DISK.open(path, flags, mode))
  } as FileSystem
  await replaceFile(file, texts, stingy)
  t.equal(await readFile(file, 'utf8'), texts.join(''))
  t.strictSame(await readdir(folder), ['shop.json'])
})

/** A handle that writes at most 300,000 bytes at a time, as the system may do. */
const slow = (handle: Awaited<ReturnType<FileSystem['open']>>) => {
  const write = handle.write as (...given: unknown[]) => Promise<unknown>
  handle.write = ((bytes: Buffer, from: number, length: number) =>
    write.call(handle, bytes, from, Math.min(length, 300_000))) as never
  return handle
}

t.test('a file that cannot be replaced is unchanged, and nothing is left next to it', async t => {
  const { file, folder } = await placeOf(t)
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

t.test('a folder that cannot be synced is ignored; any other failure is reported', async t => {
  const { folder } = await placeOf(t)
  const failing = (code: string, atOpen: boolean) => {
    const fail = () => Promise.reject(Object.assign(new Error(code), { code }))
    return {
      ...DISK,
      open: atOpen ? fail : async () => ({ sync: fail, close: async () => {} })
    } as unknown as FileSystem
  }
  for (const atOpen of [true, false]) {
    for (const code of ['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'])
      await t.resolves(syncFolder(folder, failing(code, atOpen)))
    await t.rejects(syncFolder(folder, failing('EIO', atOpen)), { code: 'EIO' })
  }
})
