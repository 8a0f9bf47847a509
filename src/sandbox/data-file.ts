/**
 * The data file: the state of every sandbox, kept over restarts. Each change is on disk before its call is answered; changes that come together share a write.
 * A write adds a line with what changed; now and then, and at the end, the file is replaced by one that has all that is there in such lines.
 */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, settingsInForce } from '../core/settings.js'
import { type DocumentProblem, documentOf, refusalOf, refuseProblems, reportTo } from '../scenario/documents.js'
import { compileExpectation } from '../scenario/expectations.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import type { Store } from '../store/store.js'
import { changesSince, contentOf, NOTHING } from './content.js'
import { DISK, type FileSystem, removeLeftovers, replaceFile, type WrittenFile } from './disk.js'
import { amendmentLine, type Dropped, FORMAT, OtherFormat, type Read, readLines, type SavedData, type SavedState, wholeLines } from './lines.js'
import { Lock } from './lock.js'
import type { SavedSandbox } from './sandbox.js'
import type { PresentSandboxes, SavedSandboxes } from './sandboxes.js'
import { listOf, objectOf, stateOf, stateProperties } from './serialization.js'

/** How long a file that could not be written waits for the next try, when no call asks for one. */
const RETRY_MS = 1000
/** The file is replaced by a whole one once its lines of changes have more bytes than this, and more than the last whole file had. */
const LINES = 2 ** 20

const DATA_CHECKER = checkerOf(() => {
  const state = stateProperties()
  const scenario = objectOf({ name: { type: 'string' }, description: { type: ['string', 'null'] } })
  return objectOf({ first_states: listOf(objectOf({ scenario, expectations: listOf(expectationSchema()), ...state })), sandboxes: listOf(objectOf(state)) })
})

type Taken = { target: string; lock: Lock; files: FileSystem; mostLines: number; read: Read | null }

export class DataFile {
  /** As it was given; links are followed when it is written. */
  readonly #path: string
  readonly #target: string
  readonly #lock: Lock
  readonly #files: FileSystem
  /** Whether there was no file yet. */
  readonly isNew: boolean
  /** What the file held, until `read` has taken it. */
  #held: SavedData | null
  /** What was left out of the file. */
  readonly warnings: readonly Problem[]
  #source: () => PresentSandboxes = () => {
    throw new Error('there is nothing to save yet')
  }
  /** The file, once this process has written it whole, and what it holds. */
  #file: WrittenFile | null = null
  #content = NOTHING
  /** The bytes of changes after which the file is replaced, at first and at present. */
  readonly #leastLines: number
  #mostLines: number
  /** The write that is under way, and the one that waits for it. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  /** Why the last write failed; null when it did not. */
  #failure: Error | null = null
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(path: string, { target, lock, files, mostLines, read }: Taken) {
    this.#path = path
    this.#target = target
    this.#lock = lock
    this.#files = files
    this.#leastLines = mostLines
    this.#mostLines = mostLines
    this.isNew = read === null
    this.#held = read?.data ?? null
    this.warnings = read?.dropped.line ? [{ file: path, path: '', line: read.dropped.line, message: droppedText(read.dropped) }] : []
  }

  /** Takes a file for this process and reads it. Errors: `document_invalid` when it is in use, empty, corrupt or of another format; it is left as it is. */
  static async take(path: string, { files = DISK, mostLines = LINES }: { files?: FileSystem; mostLines?: number } = {}): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw unusable(path, `cannot be locked: ${(error as Error).message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const read = await readLines(target).catch(error => {
        if (error.code !== 'ENOENT') throw error
        return null
      })
      await removeLeftovers(target, 0, files)
      return new DataFile(path, { target, lock, files, mostLines, read })
    } catch (error) {
      await lock.release()
      throw unusable(path, error instanceof OtherFormat ? wrongFormat(error) : `cannot be read: ${(error as Error).message}`)
    }
  }

  /** The sandboxes that the file holds. Errors: `document_invalid` with every problem. */
  async read(launch: Launch): Promise<SavedSandboxes> {
    const data = this.#held as SavedData
    const document = documentOf(this.#path, data)
    await refuseProblems(document, DATA_CHECKER)
    const problems: DocumentProblem[] = []
    const read = async (saved: SavedState, at: readonly Step[], given: Partial<Parameters<typeof settingsInForce>[0]>, base?: Store) => {
      const settings = settingsInForce({ ...launch, ...given }).values
      const state = await stateOf(saved, { document, at, settings, problems }, base)
      const actor = settings['auth.accept_any_key']
      if (actor !== null && !state.store.accounts.get(actor))
        problems.push({ document, steps: at, message: `auth.accept_any_key names ${actor}, which is no Account of it` })
      return state
    }

    const firstStates: FirstState[] = []
    for (const [index, saved] of data.first_states.entries()) {
      const at = ['first_states', index]
      const state = await read(saved, at, { scenario: flattened(saved.settings) as GivenSettings })
      const report = (nth: number) => reportTo(problems, document, [...at, 'expectations', nth])
      const expectations = await Promise.all(saved.expectations.map((one, nth) => compileExpectation(one, report(nth))))
      firstStates.push({ scenario: saved.scenario, ...state, expectations: expectations.filter(one => one !== null), steps: [], play: [] })
    }
    const sandboxes: SavedSandbox[] = []
    for (const [index, saved] of data.sandboxes.entries()) {
      const first = firstStates[saved.from] as FirstState
      const settings = { scenario: first.settings, control: flattened(saved.settings) as GivenSettings }
      const state = await read(saved, ['sandboxes', index], settings, first.store)
      sandboxes.push({ name: saved.name, first, requests: saved.requests, state })
    }
    if (problems.length > 0) throw await refusalOf(problems)
    this.#held = null
    return { start: firstStates[data.start] as FirstState, sandboxes }
  }

  /** Sets what is written from now on. */
  writeFrom(source: () => PresentSandboxes): void {
    this.#source = source
  }

  /** The sandboxes are as the file has them. */
  resumed(): void {
    this.#content = contentOf(this.#source())
  }

  /** Waits until every change that was made so far is on disk. Errors: `data_not_written`. */
  saved(): Promise<void> {
    return this.#nextWrite().catch(error => {
      const message = `The change was made and is in memory, but ${this.#path} could not be written: ${error.message}. Until it can be, calls that would change something are refused.`
      throw new ApiError('data_not_written', { message })
    })
  }

  /** Whether the last write failed, so that there are changes in memory alone. */
  get isFailing(): boolean {
    return this.#failure !== null
  }

  /** Waits, where the last write failed, for another one. Errors: `data_not_written` when that fails too. */
  async writable(): Promise<void> {
    if (!this.isFailing) return
    await this.#nextWrite().catch(error => {
      const message = `Nothing was changed: earlier changes are in memory alone, because ${this.#path} cannot be written: ${error.message}. Changes are accepted again as soon as it can be.`
      throw new ApiError('data_not_written', { message })
    })
  }

  /**
   * Gives the file up after the writes that wait; `writesLast`: and after another one of everything.
   * Errors: those of the last one, `data_not_written` with what is not on disk; the file is given up all the same.
   */
  async close({ writesLast = false }: { writesLast?: boolean } = {}): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing.catch(() => {})
    clearTimeout(this.#retry)
    try {
      if (writesLast) await this.#writeLast()
    } finally {
      this.#isClosed = true
      this.#source = () => {
        throw new Error('the emulator has stopped')
      }
      await this.#file?.close()
      this.#file = null
      await this.#lock.release()
    }
  }

  #nextWrite(): Promise<void> {
    if (this.#next === null) {
      this.#next = this.#writing
        .catch(() => {})
        .then(async () => {
          // changes that other calls make in this turn are written too
          await turn()
          this.#writing = this.#next as Promise<void>
          this.#next = null
          await this.#write()
        })
    }
    return this.#next
  }

  async #write(): Promise<void> {
    clearTimeout(this.#retry)
    try {
      await this.#writeChanges()
      this.#failure = null
    } catch (error) {
      this.#failure = error as Error
      if (!this.#isClosed) this.#retry = setTimeout(() => this.#nextWrite().catch(() => {}), RETRY_MS).unref()
      throw error
    }
  }

  /** Adds what has changed to the file, or replaces it where it cannot be added to, or has become long. */
  async #writeChanges(): Promise<void> {
    const file = this.#file
    if (file === null || !(await file.isInPlace())) return this.#replace()
    const lines = file.size - file.first
    if (lines > Math.max(this.#mostLines, file.first)) {
      try {
        return await this.#replace()
      } catch {
        // there may be no room for a second file, and still for a line
        this.#mostLines = 2 * lines
      }
    }
    const { texts, content } = changesSince(this.#content, this.#source())
    if (texts.length > 0) await file.append(amendmentLine(texts))
    this.#content = content
  }

  async #replace(): Promise<void> {
    const { texts, content } = changesSince(NOTHING, this.#source())
    const file = await replaceFile(this.#target, wholeLines(texts), this.#files)
    await this.#file?.close()
    this.#file = file
    this.#content = content
    this.#mostLines = this.#leastLines
  }

  /** The clocks' present time, and the counts of sandboxes that were only read, are written too. Errors: `data_not_written` with what is not on disk. */
  async #writeLast(): Promise<void> {
    try {
      await this.#replace()
    } catch (error) {
      const file = this.#file
      const isThere = file === null || (await file.isInPlace())
      const { texts, unwritten } = changesSince(isThere ? this.#content : NOTHING, this.#source(), { counts: true })
      if (texts.length === 0) return
      // there may be room for a line, if not for a second file
      const isAdded = isThere && file?.append(amendmentLine(texts)).then(() => true)
      if (await Promise.resolve(isAdded).catch(() => false)) return
      throw new ApiError('data_not_written', {
        message: `${this.#path} could not be written at the end: ${(error as Error).message}. What was changed last is not on disk: ${unwritten.join('; ')}.`
      })
    }
  }
}

/** What the path leads to, whether or not there is a file yet. Errors: `document_invalid` where no file can be. */
async function targetOf(path: string): Promise<string> {
  const target = await followed(resolve(path)).catch(error => {
    throw unusable(path, `cannot be read: ${(error as Error).message}`)
  })
  const [folder, there] = await Promise.all([dirname(target), target].map(path => stat(path).catch(() => null)))
  if (!folder) throw unusable(path, `cannot be made: there is no folder ${dirname(target)}; make it, or name another file`, '')
  if (there?.isDirectory()) throw unusable(path, 'is a folder; name a file in it')
  if (there && !there.isFile()) throw unusable(path, 'is no file that can be replaced')
  if (there && (there.mode & 0o222) === 0) throw unusable(path, 'is read-only; make it writable, or name a copy of it')
  return target
}

/** The path with every link followed; its folder need not be there. */
async function followed(path: string): Promise<string> {
  const real = await realpath(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  if (real !== null) return real
  const link = await readlink(path).catch(() => null)
  if (link !== null) return followed(resolve(dirname(path), link))
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path))
}

const unusable = (path: string, why: string, left = ' It was left as it is.') =>
  new ApiError('document_invalid', { message: `The data file ${path} ${why}.${left}` })

function wrongFormat({ format }: OtherFormat): string {
  if (format === undefined) return 'is no data file of commerce-emulator'
  return `has the format ${format}, and this version reads format ${FORMAT}; use the version that wrote it, or another file`
}

const droppedText = ({ bytes }: Dropped) =>
  `the end of the data file is damaged or was not written whole, and is left out: ${bytes} bytes from this line on. A change that they held was not answered, unless the file was damaged later.`
