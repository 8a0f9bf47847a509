/** The data file: the state of every sandbox, on disk before a change is answered. A write adds lines; now and then a whole file replaces it. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf } from '../core/checking.js'
import { ApiError, type Problem } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, settingsInForce } from '../core/settings.js'
import { documentOf, ProblemList, refuseProblems, reportTo, withoutProblems } from '../scenario/documents.js'
import { compileExpectation } from '../scenario/expectations.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import { Answers } from '../scenario/steps.js'
import type { Store } from '../store/store.js'
import { changesSince, contentOf, NOTHING } from './content.js'
import { DISK, type FileSystem, removeLeftovers, replaceFile, type WrittenFile } from './disk.js'
import { amendmentLine, type Read, readLines, type SavedState, type Torn, wholeLines } from './lines.js'
import { Lock } from './lock.js'
import type { SavedSandbox } from './sandbox.js'
import type { PresentSandboxes, SavedSandboxes } from './sandboxes.js'
import { listOf, objectOf, stateOf, stateProperties } from './serialization.js'

/** The wait for another try, when no request asks for one. */
const RETRY_MS = 1000
/** Bytes of changes beyond which the file is replaced, if the last whole one had fewer. */
const LINES = 2 ** 20
/** Characters of changes that are added as one line, at most: it is read as a whole, while the lines of a file that replaces this one stay short. */
const MAX_ADDED = 2 ** 24

const DATA_CHECKER = checkerOf(() => {
  const state = stateProperties()
  const scenario = objectOf({ name: { type: 'string' }, description: { type: ['string', 'null'] } })
  return objectOf({ first_states: listOf(objectOf({ scenario, expectations: listOf(expectationSchema()), ...state })), sandboxes: listOf(objectOf(state)) })
})

/** `target` is what the path leads to. */
type Taken = { path: string; target: string; lock: Lock; files: FileSystem; mostLines: number; read: Read | null }

export class DataFile {
  readonly #taken: Taken
  readonly isNew: boolean
  readonly warnings: readonly Problem[]
  #source = (): PresentSandboxes => {
    throw new Error('there is nothing to save yet')
  }
  /** The file once this process has written it whole, and its content. */
  #file: WrittenFile | null = null
  #content = NOTHING
  /** After so many bytes of changes the file is replaced. */
  #mostLines: number
  /** The present write, and the one that waits for it. */
  #writing = Promise.resolve()
  #next: Promise<void> | null = null
  /** The last write failed: some changes are in memory alone. */
  isFailing = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(taken: Taken) {
    const { path, mostLines, read } = taken
    this.#taken = taken
    this.#mostLines = mostLines
    this.isNew = read === null
    this.warnings = read?.torn ? [{ file: path, path: '', line: read.torn.line, message: tornText(read.torn) }] : []
  }

  /** Takes a file for this process. Errors: `document_invalid` when it is in use, empty, corrupt or of another format; it is left as it is. */
  static async take(path: string, { files = DISK, mostLines = LINES }: { files?: FileSystem; mostLines?: number } = {}): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw unusable(path, `cannot be locked: ${error.message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const read = await readLines(target).catch(exceptMissing)
      await removeLeftovers(target, 0, files)
      return new DataFile({ path, target, lock, files, mostLines, read })
    } catch (error) {
      await lock.release()
      throw unusable(path, `cannot be read: ${(error as Error).message}`)
    }
  }

  /** To be called once. Errors: `document_invalid` with every problem. */
  async read(launch: Launch): Promise<SavedSandboxes> {
    const { path, read } = this.#taken
    const { start, first_states, sandboxes } = (read as Read).data
    const document = documentOf(path, { start, first_states, sandboxes })
    await refuseProblems(document, DATA_CHECKER)
    const problems = new ProblemList()
    const stateAt = async (at: readonly Step[], saved: SavedState, given: { scenario: GivenSettings; control?: GivenSettings }, base?: Store) => {
      const settings = settingsInForce({ ...launch, ...given }).values
      const state = await stateOf(saved, { document, at, settings, problems }, base)
      const actor = settings['auth.accept_any_key']
      const isKnown = actor === null || state.store.accounts.get(actor)
      if (!isKnown) problems.push({ document, steps: at, message: `auth.accept_any_key names ${actor}, which is no Account of it` })
      return state
    }
    return withoutProblems(problems, async () => {
      const firsts: FirstState[] = []
      for (const [index, { scenario, expectations, ...saved }] of first_states.entries()) {
        const at = ['first_states', index]
        const state = await stateAt(at, saved, { scenario: flattened(saved.settings) as GivenSettings })
        const answers = new Answers([])
        const report = (nth: number) => reportTo(problems, document, [...at, 'expectations', nth])
        const compiled = await Promise.all(expectations.map((one, nth) => compileExpectation(one, report(nth), answers)))
        firsts.push({ scenario, ...state, expectations: compiled.filter(one => one !== null), steps: [], play: [], answers })
      }
      const resumed: SavedSandbox[] = []
      for (const [index, { name, from, requests, ...saved }] of sandboxes.entries()) {
        const first = firsts[from] as FirstState
        const given = { scenario: first.settings, control: flattened(saved.settings) as GivenSettings }
        resumed.push({ name, first, requests, state: await stateAt(['sandboxes', index], saved, given, first.store) })
      }
      this.#taken.read = null
      return { start: firsts[start] as FirstState, sandboxes: resumed }
    })
  }

  writeFrom(source: () => PresentSandboxes): void {
    this.#source = source
  }

  /** The sandboxes are as the file has them. */
  resumed(): void {
    this.#content = contentOf(this.#source())
  }

  /** Waits until every change so far is on disk. Errors: `data_not_written`. */
  saved(): Promise<void> {
    return this.#nextWrite(
      error =>
        `The change was made and is in memory, but ${this.#taken.path} could not be written: ${error.message}. Until it can be, calls that would change something are refused.`
    )
  }

  /** Tries again where the last write failed. Errors: `data_not_written`. */
  async writable(): Promise<void> {
    if (!this.isFailing) return
    await this.#nextWrite(
      error =>
        `Nothing was changed: earlier changes are in memory alone, because ${this.#taken.path} cannot be written: ${error.message}. Changes are accepted again as soon as it can be.`
    )
  }

  /** Gives the file up after the writes that wait and, with `writesLast`, one of everything. Errors: `data_not_written` with what is not on disk. */
  async close({ writesLast = false }: { writesLast?: boolean } = {}): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing
    clearTimeout(this.#retry)
    try {
      if (writesLast) await this.#write({ isLast: true })
    } catch (error) {
      const { unwritten } = changesSince(this.#content, this.#source(), { counts: true })
      const why = `${this.#taken.path} could not be written at the end: ${(error as Error).message}`
      if (unwritten.length > 0) throw notWritten(`${why}. What was changed last is not on disk: ${unwritten.join('; ')}.`)
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

  /** The next write, with every change of this turn. Errors: `data_not_written`, with the reason told. */
  #nextWrite(told: (error: Error) => string): Promise<void> {
    this.#next ??= this.#writing.then(turn).then(async () => {
      this.#writing = (this.#next as Promise<void>).catch(() => {})
      this.#next = null
      clearTimeout(this.#retry)
      try {
        await this.#write()
        this.isFailing = false
      } catch (error) {
        this.isFailing = true
        if (!this.#isClosed) this.#retry = setTimeout(() => this.writable().catch(() => {}), RETRY_MS).unref()
        throw error
      }
    })
    return this.#next.catch(error => {
      throw notWritten(told(error))
    })
  }

  /** Adds what has changed, or replaces a file that cannot be added to, has become long or is written for the last time. */
  async #write({ isLast = false } = {}): Promise<void> {
    const file = this.#file
    const added = (await file?.added()) ?? null
    if (file === null || added === null || isLast || added > Math.max(this.#mostLines, file.first)) {
      // what was written is gone
      if (file !== null && added === null) this.#content = NOTHING
      try {
        return await this.#replace()
      } catch (error) {
        // there may be no room for a second file, and still for a line
        if (file === null || added === null) throw error
        this.#mostLines = 2 * added
      }
    }
    const { texts, content } = changesSince(this.#content, this.#source(), { counts: isLast })
    const all = [...texts]
    if (all.reduce((sum, { length }) => sum + length, 0) > MAX_ADDED) return this.#replace()
    if (all.length > 0) await file.append(amendmentLine(all))
    this.#content = content
  }

  async #replace(): Promise<void> {
    const { target, files, mostLines } = this.#taken
    const { texts, content } = changesSince(NOTHING, this.#source())
    const file = await replaceFile(target, wholeLines(texts), files)
    await this.#file?.close()
    this.#file = file
    this.#content = content
    this.#mostLines = mostLines
  }
}

/** Errors: `document_invalid` where no file can be. */
async function targetOf(path: string): Promise<string> {
  const target = await followed(resolve(path)).catch(error => {
    throw unusable(path, `cannot be read: ${error.message}`)
  })
  const [folder, there] = await Promise.all([dirname(target), target].map(path => stat(path).catch(() => null)))
  if (!folder) throw unusable(path, `cannot be made: there is no folder ${dirname(target)}; make it, or name another file`, '')
  if (there?.isDirectory()) throw unusable(path, 'is a folder; name a file in it')
  if (there && !there.isFile()) throw unusable(path, 'is no file that can be replaced')
  if (there && (there.mode & 0o222) === 0) throw unusable(path, 'is read-only; make it writable, or name a copy of it')
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

const notWritten = (message: string) => new ApiError('data_not_written', { message })
const unusable = (path: string, why: string, left = ' It was left as it is.') =>
  new ApiError('document_invalid', { message: `The data file ${path} ${why}.${left}` })

const tornText = ({ bytes }: Torn) =>
  `the last line of the data file is not complete, so it is left out: ${bytes} bytes. Its change was not answered, unless the file was damaged later.`
