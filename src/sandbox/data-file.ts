/**
 * The data file: the state of every sandbox, on disk before the response to a change. A write adds
 * lines; now and then a whole file replaces it.
 */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiError, Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import type { Launch } from '../scenario/scenario.js'
import { changesSince, NOTHING } from './content.js'
import { DISK, type FileSystem, removeLeftovers, replaceFile, type WrittenFile } from './disk.js'
import { amendmentLine, type Read, readLines, wholeLines } from './lines.js'
import { Lock } from './lock.js'
import { REFUSALS, SAYS } from './sentences.js'
import { statesIn } from './serialization.js'
import type { PresentSandboxes, SavedSandboxes } from './state.js'

const RETRY_MS = 1000
/** With more bytes of changes the file is replaced, if the last whole one had fewer. */
const MAX_LINES = 2 ** 20
/** Characters added as one line, which is read as a whole; the lines of a whole file stay short. */
const MAX_ADDED = 2 ** 24

/** `target` is what the path leads to. */
type Taken = {
  path: string
  target: string
  lock: Lock
  files: FileSystem
  maxLines: number
  read: Read | null
}

export class DataFile {
  readonly #taken: Taken
  readonly isNew: boolean
  readonly warnings: readonly Problem[]
  #source = (): PresentSandboxes => {
    throw new Error('there is nothing to save yet')
  }
  /** Null until this process has written it whole. */
  #file: WrittenFile | null = null
  #content = NOTHING
  #maxLines: number
  /** The present write, and the one that waits for it. */
  #writing = Promise.resolve()
  #next: Promise<void> | null = null
  /** The last write failed: some changes are in memory alone. */
  isFailing = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(taken: Taken) {
    const { path, maxLines, read } = taken
    this.#taken = taken
    this.#maxLines = maxLines
    this.isNew = read === null
    this.warnings = read?.torn
      ? [
          {
            file: path,
            path: '',
            line: read.torn.line,
            code: 'torn',
            message: SAYS.torn(read.torn.bytes)
          }
        ]
      : []
  }

  /**
   * Errors: `document_invalid` when it is in use, empty, corrupt or of another format; it stays as
   * it is.
   */
  static async take(
    path: string,
    { files = DISK, maxLines = MAX_LINES }: { files?: FileSystem; maxLines?: number } = {}
  ): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw REFUSALS.unlockable(path, error.message)
    })
    if (lock === null) throw REFUSALS.locked(path)
    try {
      const read = await readLines(target).catch(exceptMissing)
      await removeLeftovers(target, 0, files)
      return new DataFile({ path, target, lock, files, maxLines, read })
    } catch (error) {
      await lock.release()
      throw REFUSALS.unreadable(path, (error as Error).message)
    }
  }

  /** To be called once. Errors: `document_invalid` with every problem. */
  async read(launch: Launch): Promise<SavedSandboxes> {
    const { path, read } = this.#taken
    const states = await statesIn(
      path,
      (read as Read).data,
      (scenario, control) => settingsInForce({ ...launch, scenario, control }).values
    )
    this.#taken.read = null
    return states
  }

  writeFrom(source: () => PresentSandboxes): void {
    this.#source = source
  }

  /** The sandboxes are as the file has them. */
  resumed(): void {
    this.#content = changesSince(NOTHING, this.#source()).content
  }

  /** Errors: `data_not_written`. */
  saved(): Promise<void> {
    return this.#nextWrite(REFUSALS.inMemoryAlone)
  }

  /** Tries again where the last write failed. Errors: `data_not_written`. */
  async writable(): Promise<void> {
    if (this.isFailing) await this.#nextWrite(REFUSALS.notWritable)
  }

  /**
   * After the writes that wait and, with `writesLast`, one of everything. Errors:
   * `data_not_written` with what is not on disk.
   */
  async close({ writesLast = false }: { writesLast?: boolean } = {}): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing
    clearTimeout(this.#retry)
    try {
      if (writesLast) await this.#write({ isLast: true })
    } catch (error) {
      const { unwritten } = changesSince(this.#content, this.#source(), { counts: true })
      if (unwritten.length > 0)
        throw REFUSALS.lastNotWritten(this.#taken.path, (error as Error).message, unwritten)
    } finally {
      this.#isClosed = true
      this.#source = () => {
        throw new Error('the emulator has stopped')
      }
      await this.#file?.close()
      this.#file = null
      await this.#taken.lock.release()
    }
  }

  /** The next write, with every change of this turn. Errors: the given one. */
  #nextWrite(refusal: (path: string, why: string) => ApiError): Promise<void> {
    this.#next ??= this.#writing.then(turn).then(async () => {
      this.#writing = (this.#next as Promise<void>).catch(() => {})
      this.#next = null
      clearTimeout(this.#retry)
      try {
        await this.#write()
        this.isFailing = false
      } catch (error) {
        this.isFailing = true
        if (!this.#isClosed)
          this.#retry = setTimeout(() => this.writable().catch(() => {}), RETRY_MS).unref()
        throw error
      }
    })
    return this.#next.catch(error => {
      throw refusal(this.#taken.path, error.message)
    })
  }

  /**
   * Adds what has changed, or replaces a file that cannot be added to, is long, or is written last.
   */
  async #write({ isLast = false } = {}): Promise<void> {
    const file = this.#file
    const added = (await file?.added()) ?? null
    if (file === null || added === null || isLast || added > Math.max(this.#maxLines, file.first)) {
      // what was written is gone
      if (file !== null && added === null) this.#content = NOTHING
      try {
        return await this.#replace()
      } catch (error) {
        // there may be no room for a second file, and still for a line
        if (file === null || added === null) throw error
        this.#maxLines = 2 * added
      }
    }
    const { texts, content } = changesSince(this.#content, this.#source(), { counts: isLast })
    const all = [...texts]
    if (all.reduce((sum, { length }) => sum + length, 0) > MAX_ADDED) return this.#replace()
    if (all.length > 0) await file.append(amendmentLine(all))
    this.#content = content
  }

  async #replace(): Promise<void> {
    const { target, files, maxLines } = this.#taken
    const { texts, content } = changesSince(NOTHING, this.#source())
    const file = await replaceFile(target, wholeLines(texts), files)
    await this.#file?.close()
    this.#file = file
    this.#content = content
    this.#maxLines = maxLines
  }
}

/** Errors: `document_invalid` where no file can be. */
async function targetOf(path: string): Promise<string> {
  const target = await followed(resolve(path)).catch(error => {
    throw REFUSALS.unreadable(path, error.message)
  })
  const [folder, there] = await Promise.all(
    [dirname(target), target].map(path => stat(path).catch(() => null))
  )
  if (!folder) throw REFUSALS.noFolder(path, dirname(target))
  if (there?.isDirectory()) throw REFUSALS.isFolder(path)
  if (there && !there.isFile()) throw REFUSALS.notAFile(path)
  if (there && (there.mode & 0o222) === 0) throw REFUSALS.readOnly(path)
  return target
}

/** With every link followed; the folder need not be there. */
async function followed(path: string): Promise<string> {
  const real = await realpath(path).catch(exceptMissing)
  if (real !== null) return real
  const link = await readlink(path).catch(() => null)
  if (link !== null) return followed(resolve(dirname(path), link))
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path))
}

function exceptMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}
