/**
 * The data file: the state of every sandbox, kept over restarts. Each change is on disk before its call is answered; changes that come together share a write.
 * A write adds a line with what changed; now and then, and at the end, the file is replaced by a whole one.
 */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, type Settings, settingsInForce } from '../core/settings.js'
import { type DocumentProblem, documentOf, refusalOf, reportTo } from '../scenario/documents.js'
import { compileExpectation, type Expectation } from '../scenario/expectations.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import type { Store } from '../store/store.js'
import { dataIn, FORMAT, type SerializedData } from './change-log.js'
import { type Addition, FileContent, type Unwritten, wholeTexts } from './file-content.js'
import { DISK, type FileSystem, removeLeftovers, replaceFile, textOf, type WrittenFile } from './json-file.js'
import { Lock } from './lock.js'
import { isName } from './names.js'
import type { SavedSandbox } from './sandbox.js'
import type { PresentSandboxes, SavedSandboxes } from './sandboxes.js'
import { objectOf, type ReadContext, stateOf, stateSchema } from './serialization.js'

/** How long a file that could not be written waits for the next try, when no call asks for one. */
const RETRY_MS = 1000
/** The file is replaced by a whole one once its lines of changes have more bytes than this, and more than the last whole file had. */
const LINES = 2 ** 20

const COUNT = { type: 'integer', minimum: 0 }
const DATA_CHECKER = checkerOf(() => {
  const state = stateSchema()
  const scenario = objectOf({ name: { type: 'string' }, description: { type: ['string', 'null'] } })
  const expectations = { type: 'array', items: expectationSchema() }
  return objectOf({
    start: COUNT,
    first_states: { type: 'array', items: objectOf({ scenario, expectations, state }) },
    sandboxes: { type: 'array', items: objectOf({ name: { type: ['string', 'null'] }, first_state: COUNT, requests: COUNT, state }) }
  })
})

type Taken = { target: string; lock: Lock; files: FileSystem; mostLines: number; text: string | null }

export class DataFile {
  /** As it was given; links are followed when it is written. */
  readonly #path: string
  readonly #target: string
  readonly #lock: Lock
  readonly #files: FileSystem
  /** Whether there was no file yet. */
  readonly isNew: boolean
  /** What the file held, until `read` has taken it. */
  #held: unknown
  #source: () => PresentSandboxes = () => {
    throw new Error('there is nothing to save yet')
  }
  /** The file, once this process has written it whole, and what it holds. */
  #file: WrittenFile | null = null
  #content: FileContent | null = null
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

  private constructor(path: string, { target, lock, files, mostLines, text }: Taken) {
    this.#path = path
    this.#target = target
    this.#lock = lock
    this.#files = files
    this.#leastLines = mostLines
    this.#mostLines = mostLines
    this.isNew = text === null
    this.#held = text === null ? undefined : dataIn(text)
    const format = text === null ? FORMAT : (this.#held as { format?: unknown } | null)?.format
    if (format !== FORMAT) throw unusable(path, wrongFormat(format))
  }

  /** Takes a file for this process and reads it. Errors: `document_invalid` when it is in use, empty, corrupt or of another format; it is left as it is. */
  static async take(path: string, { files = DISK, mostLines = LINES }: { files?: FileSystem; mostLines?: number } = {}): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw unusable(path, `cannot be locked: ${(error as Error).message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const file = new DataFile(path, { target, lock, files, mostLines, text: await textOf(target) })
      await removeLeftovers(target, 0, files)
      return file
    } catch (error) {
      await lock.release()
      throw error instanceof ApiError ? error : unusable(path, unreadable(error as Error))
    }
  }

  /** The sandboxes that the file holds. Errors: `document_invalid` with every problem. */
  async read(launch: Launch): Promise<SavedSandboxes> {
    const data = this.#held as SerializedData
    const document = documentOf(this.#path, data)
    const problems: DocumentProblem[] = (await DATA_CHECKER.problems(data)).map(({ steps, message }) => ({ document, steps, message }))
    if (problems.length === 0) for (const problem of problemsIn(data)) problems.push({ document, ...problem })
    if (problems.length > 0) throw await refusalOf(problems)
    const context = (at: readonly Step[], settings: Settings): ReadContext => ({ document, at, settings, problems })

    const firstStates: FirstState[] = []
    for (const [index, { scenario, expectations, state: serialized }] of data.first_states.entries()) {
      const at = ['first_states', index]
      const settings = settingsInForce({ ...launch, scenario: flattened(serialized.settings) as GivenSettings }).values
      const state = await stateOf(serialized, context([...at, 'state'], settings))
      for (const problem of unknownAccounts(state.store, context(at, settings))) problems.push(problem)
      const compiled: Expectation[] = []
      for (const [nth, one] of expectations.entries()) {
        const expectation = await compileExpectation(one, reportTo(problems, document, [...at, 'expectations', nth]))
        if (expectation) compiled.push(expectation)
      }
      firstStates.push({ scenario, ...state, expectations: compiled, steps: [], play: [] })
    }
    const sandboxes: SavedSandbox[] = []
    for (const [index, { name, first_state, requests, state: serialized }] of data.sandboxes.entries()) {
      const at = ['sandboxes', index]
      const first = firstStates[first_state] as FirstState
      const control = flattened(serialized.settings) as GivenSettings
      const settings = settingsInForce({ ...launch, scenario: first.settings, control }).values
      const state = await stateOf(serialized, context([...at, 'state'], settings), first.store)
      for (const problem of unknownAccounts(state.store, context(at, settings))) problems.push(problem)
      sandboxes.push({ name, first, requests, state })
    }
    if (problems.length > 0) throw await refusalOf(problems)
    this.#held = undefined
    return { start: firstStates[data.start] as FirstState, sandboxes }
  }

  /** Sets what is written from now on. */
  writeFrom(source: () => PresentSandboxes): void {
    this.#source = source
  }

  /** The sandboxes are as the file has them. */
  resumed(): void {
    this.#content = FileContent.of(this.#source())
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
    await this.#append(file, (this.#content as FileContent).changesTo(this.#source()))
  }

  async #append(file: WrittenFile, addition: Addition | null): Promise<void> {
    if (addition === null) return
    await file.append(addition.line)
    this.#content = addition.content
  }

  async #replace(): Promise<void> {
    const present = this.#source()
    const content = FileContent.of(present)
    const file = await replaceFile(this.#target, wholeTexts(present), this.#files)
    await this.#file?.close()
    this.#file = file
    this.#content = content
    this.#mostLines = this.#leastLines
  }

  /** The clocks' present time, and the counts of sandboxes that were only read, are written too. Errors: `data_not_written` with what is not on disk. */
  async #writeLast(): Promise<void> {
    const addition = (this.#content as FileContent).changesTo(this.#source(), { counts: true })
    try {
      await this.#replace()
    } catch (error) {
      const isThere = this.#file === null || (await this.#file.isInPlace())
      if (isThere && addition === null) return
      if (isThere && (await this.#isAdded(addition as Addition))) return
      const all = this.#source().sandboxes.map(({ name }) => ({ name, records: null, parts: [] }))
      throw new ApiError('data_not_written', { message: notWritten(this.#path, error as Error, isThere ? (addition as Addition).unwritten : all) })
    }
  }

  /** Whether there is room for a line, if not for a second file. */
  async #isAdded({ line }: Addition): Promise<boolean> {
    if (this.#file === null) return false
    return this.#file.append(line).then(
      () => true,
      () => false
    )
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

/** What a schema cannot say of a file: every index is that of a first state, and every sandbox is there once. */
function problemsIn({ start, first_states, sandboxes }: SerializedData): { steps: Step[]; message: string }[] {
  const problems: { steps: Step[]; message: string }[] = []
  const count = first_states.length
  const checkIndex = (index: number, steps: Step[]) => {
    if (index >= count) problems.push({ steps, message: `the index of one of the ${count} first_states, counted from 0, was expected, not ${index}` })
  }
  checkIndex(start, ['start'])
  const names = new Set<string | null>()
  for (const [index, { name, first_state }] of sandboxes.entries()) {
    checkIndex(first_state, ['sandboxes', index, 'first_state'])
    const steps = ['sandboxes', index, 'name']
    if (name !== null && !isName(name)) problems.push({ steps, message: `a name of a sandbox was expected, not ${name}` })
    if (names.has(name)) problems.push({ steps, message: `the name ${name} is given twice` })
    names.add(name)
  }
  if (!names.has(null)) problems.push({ steps: ['sandboxes'], message: 'the one with the name null, at the base address, is missing' })
  return problems
}

/** An Account that a setting names, as a flag of this start may, and that the state does not have. */
function unknownAccounts(store: Store, { document, at, settings }: ReadContext): DocumentProblem[] {
  const actor = settings['auth.accept_any_key']
  if (actor === null || store.accounts.get(actor)) return []
  return [{ document, steps: at, message: `auth.accept_any_key names ${actor}, which is no Account of it` }]
}

const unusable = (path: string, why: string, left = ' It was left as it is.') =>
  new ApiError('document_invalid', { message: `The data file ${path} ${why}.${left}` })

function countText(records: number | null): string {
  if (records === null) return 'all of it'
  return records === 0 ? '' : `${records} ${records === 1 ? 'record' : 'records'}`
}

/** What is in memory alone when the process ends. */
function notWritten(path: string, { message }: Error, unwritten: readonly Unwritten[]): string {
  const lines = unwritten.map(({ name, records, parts }) => {
    const some = [countText(records), ...parts].filter(text => text !== '').join(', ') || 'the count of its calls'
    return `${name === null ? 'the sandbox at the base address' : `sandbox ${name}`} (${some})`
  })
  return `${path} could not be written at the end: ${message}. What was changed last is not on disk: ${lines.join('; ')}.`
}

function wrongFormat(format: unknown): string {
  if (typeof format !== 'number') return 'is no data file of commerce-emulator'
  return `has the format ${format}, and this version reads format ${FORMAT}; use the version that wrote it, or another file`
}

function unreadable({ message, name }: Error): string {
  if (name !== 'SyntaxError') return `cannot be read: ${message}`
  return `is no JSON, or was cut off: ${message.replace(/[^\x20-\x7E]/g, '?')}`
}
