/** Files that are replaced whole or not at all, and added to; synced unless `UNSYNCED`. */
import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export type FileSystem = {
  open: typeof open
  readdir: (folder: string) => Promise<string[]>
  rename: typeof rename
  rm: typeof rm
  stat: typeof stat
}
type Handle = Awaited<ReturnType<typeof open>>

export const DISK: FileSystem = { open, readdir, rename, rm, stat }
const nothing = async () => {}
export const UNSYNCED: FileSystem = {
  ...DISK,
  open: async (...given) =>
    Object.assign(await open(...given), { sync: nothing, datasync: nothing })
}
/** Files hold API keys. */
const MODE = 0o600
const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/
const CHUNK = 2 ** 20
/** Errors of file systems that cannot sync a folder, and need not. */
const NO_FOLDER_SYNC = ['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']

/** Replaces a file. Errors: those of the system; what was there stays. */
export async function replaceFile(
  path: string,
  texts: Iterable<string>,
  files: FileSystem = DISK
): Promise<WrittenFile> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const handle = await files.open(temporary, 'wx', MODE)
  try {
    const size = await writeAll(handle, texts, 0)
    await handle.sync()
    await files.rename(temporary, path)
    await syncFolder(dirname(path), files)
    return new WrittenFile(path, handle, size, files)
  } catch (error) {
    await handle.close().catch(() => {})
    await files.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

export async function syncFolder(folder: string, files: FileSystem = DISK): Promise<void> {
  const handle = await files.open(folder, 'r').catch(exceptUnsyncable)
  await handle?.sync().catch(exceptUnsyncable)
  await handle?.close()
}

function exceptUnsyncable(error: NodeJS.ErrnoException): undefined {
  if (!NO_FOLDER_SYNC.includes(error.code as string)) throw error
}

/** Removes what a killed process left behind, at least `age` milliseconds old. */
export async function removeLeftovers(
  path: string,
  age = 0,
  files: FileSystem = DISK
): Promise<void> {
  const name = basename(path)
  for (const other of await files.readdir(dirname(path))) {
    if (!other.startsWith(name) || !TEMPORARY.test(other.slice(name.length))) continue
    const left = join(dirname(path), other)
    const isOld = age === 0 || Date.now() - (await files.stat(left)).mtimeMs > age
    if (isOld) await files.rm(left, { force: true })
  }
}

/** Returns the place behind the texts. */
async function writeAll(handle: Handle, texts: Iterable<string>, from: number): Promise<number> {
  let at = from
  let pending = ''
  const flush = async () => {
    const bytes = Buffer.from(pending)
    pending = ''
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at)
      done += bytesWritten
      at += bytesWritten
    }
  }
  for (const text of texts) {
    pending += text
    if (pending.length >= CHUNK) await flush()
  }
  await flush()
  return at
}

export class WrittenFile {
  readonly #path: string
  readonly #handle: Handle
  readonly #files: FileSystem
  /** Bytes when it was written whole. */
  readonly first: number
  /** Bytes now; null once it is not known what the device holds. */
  #size: number | null

  constructor(path: string, handle: Handle, size: number, files: FileSystem) {
    this.#path = path
    this.#handle = handle
    this.#files = files
    this.first = size
    this.#size = size
  }

  /** Bytes that were added; null where the path no longer leads to this file as it was written. */
  async added(): Promise<number | null> {
    const [own, there] = await Promise.all([
      this.#handle.stat(),
      this.#files.stat(this.#path).catch(() => null)
    ])
    const isInPlace = there?.ino === own.ino && there.dev === own.dev && there.size === this.#size
    return isInPlace ? there.size - this.first : null
  }

  /** Errors: those of the system; what was there stays, or nothing more can be added. */
  async append(text: string): Promise<void> {
    const before = this.#size as number
    try {
      const end = await writeAll(this.#handle, [text], before)
      // what a device holds after a failed sync is not known
      this.#size = null
      await this.#handle.datasync()
      this.#size = end
    } catch (error) {
      await this.#handle.truncate(before).catch(() => {
        this.#size = null
      })
      throw error
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
