/** The data folder: a document for each sandbox, written before the response to a change. */
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiError } from '../../core/errors.js'
import { settingsInForce } from '../../core/settings.js'
import type { FirstState, Launch } from '../../scenario/scenario.js'
import type { Sandbox } from '../sandbox.js'
import type { KeptSandboxes } from '../sandboxes.js'
import { REFUSALS, SAYS } from '../sentences.js'
import { isSame, type SavedSandbox } from '../state.js'
import { DISK, type FileSystem, removeLeftovers, syncFolder } from './disk.js'
import { writeState } from './document.js'
import { type Lock, takeLock } from './lock.js'
import { documentNames, documentPath } from './names.js'
import { StateReader } from './reader.js'

const RETRY_MS = 1000
/** The document of the main sandbox, and the folder of the others. */
const BASE = 'base.json'
const NAMED = 'sandboxes'
/** The files of a process that ended before its first write. */
const OWN_FILES = /^(sandboxes$|data\.lock-|base\.json\.)/

/** Of a sandbox in its document; `counts` increase without a change. */
type Marks = { state: readonly unknown[]; counts: readonly unknown[] }

export class DataFolder {
  /** Null before there is a state, and when the folder is closed. */
  #source: (() => KeptSandboxes<Sandbox>) | null = null
  /** Null where a write failed; the file may exist all the same. */
  readonly #written = new Map<string | null, Marks | null>()
  /** The present write, and the one that waits for it. */
  #writing = Promise.resolve()
  #next: Promise<void> | null = null
  /** Whether the last write failed, so that some changes are only in memory. */
  isFailing = false
  #retry: NodeJS.Timeout | undefined

  private constructor(
    private readonly path: string,
    private readonly lock: Lock,
    private readonly files: FileSystem,
    readonly isNew: boolean
  ) {}

  /** Errors: `document_invalid`. */
  static async take(path: string, files: FileSystem = DISK): Promise<DataFolder> {
    const present = await stat(path).catch(() => null)
    if (present && !present.isDirectory()) throw REFUSALS.notAFolder(path)
    if (present === null && (await stat(dirname(path)).catch(() => null)) === null)
      throw REFUSALS.noFolder(path, dirname(path))
    const names: string[] = await readdir(path).catch(() => [])
    const isNew = !names.includes(BASE)
    if (isNew && names.some(name => !OWN_FILES.test(name))) throw REFUSALS.notEmpty(path)
    const unusable = (error: Error) => {
      throw REFUSALS.unlockable(path, error.message)
    }
    await mkdir(join(path, NAMED), { recursive: true }).catch(unusable)
    const lock = await takeLock(join(path, 'data')).catch(unusable)
    if (lock === null) throw REFUSALS.locked(path)
    try {
      for (const folder of [path, join(path, NAMED)]) await removeLeftovers(folder, files)
      return new DataFolder(path, lock, files, isNew)
    } catch (error) {
      await lock.release()
      return unusable(error as Error)
    }
  }

  /** Errors: `document_invalid` for the first document that is wrong. */
  async read(launch: Launch): Promise<KeptSandboxes<SavedSandbox>> {
    const reader = new StateReader(
      (scenario, control) => settingsInForce({ ...launch, scenario, control }).values
    )
    const sandboxes: SavedSandbox[] = []
    let start: FirstState | undefined
    for (const name of [null, ...documentNames(await readdir(join(this.path, NAMED)))]) {
      const read = await reader.sandboxIn(this.#fileOf(name))
      start ??= read.start
      sandboxes.push({ ...read.sandbox, name })
    }
    return { start: start as FirstState, sandboxes }
  }

  #fileOf(name: string | null): string {
    return name === null ? join(this.path, BASE) : documentPath(join(this.path, NAMED), name)
  }

  writeFrom(source: () => KeptSandboxes<Sandbox>): void {
    this.#source = source
  }

  resumed(): void {
    for (const { name, marks } of this.#changed()) this.#written.set(name, marks)
  }

  saved(): Promise<void> {
    return this.#nextWrite(REFUSALS.inMemoryAlone)
  }

  /** Tries again where the last write failed. Errors: `data_not_written`. */
  async writable(): Promise<void> {
    if (this.isFailing) await this.#nextWrite(REFUSALS.notWritable)
  }

  /** `writesLast`: everything once more. Errors: `data_not_written` with what is not on disk. */
  async close({ writesLast = false }: { writesLast?: boolean } = {}): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing
    clearTimeout(this.#retry)
    try {
      if (writesLast) await this.#writeLast()
    } finally {
      this.#source = null
      await this.lock.release()
    }
  }

  #writeLast(): Promise<void> {
    return this.#write({ counts: true }).catch(error => {
      const names = [...this.#changed()].map(({ name }) => name)
      throw REFUSALS.lastNotWritten(this.path, error.message, names)
    })
  }

  /** Waits for the next write, which has every change of this turn. Errors: `refusal`. */
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
        if (this.#source !== null)
          this.#retry = setTimeout(() => this.writable().catch(() => {}), RETRY_MS).unref()
        throw error
      }
    })
    return this.#next.catch(error => {
      throw refusal(this.path, error.message)
    })
  }

  /** `counts`: also if only the count of requests or a running clock has changed. */
  async #write({ counts = false } = {}): Promise<void> {
    for (const { name, marks, written } of [...this.#changed(counts)]) {
      this.#written.set(name, null)
      await writeState(this.#fileOf(name), written, this.files)
      this.#written.set(name, marks)
    }
    const present = new Set(this.#kept().sandboxes.map(({ name }) => name))
    const ended = [...this.#written.keys()].filter(name => !present.has(name))
    for (const name of ended) {
      await this.files.rm(this.#fileOf(name), { force: true })
      this.#written.delete(name)
    }
    if (ended.length > 0) await syncFolder(join(this.path, NAMED), this.files)
  }

  #kept(): KeptSandboxes<Sandbox> {
    if (this.#source === null) throw new Error(SAYS.stopped)
    return this.#source()
  }

  *#changed(counts = false) {
    const { start: common, sandboxes } = this.#kept()
    for (const sandbox of sandboxes) {
      const { name, requests, state } = sandbox
      const first = sandbox.requireLoaded()
      const start = name === null && common !== first ? common : undefined
      const marks: Marks = {
        state: [state, first, start, ...state.marks],
        counts: [requests, state.clock.reading.at]
      }
      const last = this.#written.get(name)
      if (last && isSame(marks.state, last.state) && (!counts || isSame(marks.counts, last.counts)))
        continue
      const written = { first, start, sandbox: { ...state.saved, name, requests } }
      yield { name, marks, written }
    }
  }
}
