import { readdir, readFile, writeFile } from 'node:fs/promises'
import t from 'tap'
import { DISK, type FileSystem, replaceFile, syncFolder } from '../../src/sandbox/saved/disk.js'
import { placeOf } from '../support/places.js'
import { recordedDisk } from '../support/recorded-disk.js'

const after = async function* () {
  yield 'after'
}

t.test('a file is replaced by a text, or by many', async t => {
  const { file, folder } = await placeOf(t)
  await replaceFile(file, 'é')
  t.equal(await readFile(file, 'utf8'), 'é')
  await replaceFile(file, after())
  t.equal(await readFile(file, 'utf8'), 'after')
  t.strictSame(await readdir(folder), ['shop.json'])
})

t.test('a file that cannot be replaced is unchanged, and nothing is left next to it', async t => {
  const { file, folder } = await placeOf(t)
  await writeFile(file, 'before')
  const disk = recordedDisk()
  disk.room = 3
  await t.rejects(replaceFile(file, after(), disk.files), { code: 'ENOSPC' })
  disk.room = 100
  disk.failsToSync = true
  await t.rejects(replaceFile(file, after(), disk.files), { code: 'EIO' })
  const unremovable = { ...disk.files, rm: () => Promise.reject(new Error('no')) }
  await t.rejects(replaceFile(file, after(), unremovable), { code: 'EIO' })
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
