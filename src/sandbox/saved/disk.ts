/** Replaces files atomically, and syncs them. */
import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type FileSystem = {
  open: typeof open
  readdir: (folder: string) => Promise<string[]>
  rename: typeof rename
  rm: typeof rm
  writeFile: typeof writeFile
}

export const DISK: FileSystem = { open, readdir, rename, rm, writeFile }
/** Files hold API keys. */
const MODE = 0o600
export const TEMPORARY = /\.[0-9a-f]{16}\.tmp$/
/** Errors of file systems that cannot and need not sync a folder. */
const NO_FOLDER_SYNC = ['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']

/** Errors: of the system; the previous file stays. */
export async function replaceFile(
  path: string,
  text: string | AsyncIterable<string | Uint8Array>,
  files: FileSystem = DISK
): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const handle = await files.open(temporary, 'wx', MODE)
  try {
    await files.writeFile(handle, text)
    await handle.sync()
    await handle.close()
    await files.rename(temporary, path)
    await syncFolder(dirname(path), files)
  } catch (error) {
    await handle.close().catch(() => {})
    await files.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

export async function syncFolder(folder: string, files: FileSystem = DISK): Promise<void> {
  const handle = await files.open(folder, 'r').catch(exceptUnsyncable)
  try {
    await handle?.sync().catch(exceptUnsyncable)
  } finally {
    await handle?.close()
  }
}

function exceptUnsyncable(error: NodeJS.ErrnoException): undefined {
  if (!NO_FOLDER_SYNC.includes(String(error.code))) throw error
}

/** Removes the temporary files of killed processes. */
export async function removeLeftovers(folder: string, files: FileSystem): Promise<void> {
  for (const name of await files.readdir(folder))
    if (TEMPORARY.test(name)) await files.rm(join(folder, name), { force: true })
}
