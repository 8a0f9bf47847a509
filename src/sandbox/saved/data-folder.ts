/** The data folder: a document for each sandbox, written before the response to a change. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiError } from '../../core/errors.js'
import type { Launch } from '../../scenario/scenario.js'
import { REFUSALS, SAYS } from '../sentences.js'
import { isSame, type NamedSandbox, type PresentSandbox } from '../state.js'
import { DISK, type FileSystem, removeLeftovers, syncFolder, TEMPORARY } from './disk.js'
import { writeDocument } from './document.js'
import { LOCK, type Lock, takeLock } from './lock.js'
import { documentNames, documentPath } from './names.js'
import { readSandbox } from './reader.js'

const RETRY_MS = 1000
/** The document of the main sandbox; no other one has such a name. */
const BASE = '_base.json'
/** The files of a process that ended before its first write. */
const isOwn = (file: string) => LOCK.test(file) || TEMPORARY.test(file)

export class DataFolder {
  /** Marks of documents; null where a write failed, though the file may exist. */
  readonly #written = new Map<string | null, readonly unknown[] | null>()
  /** The present write, and the one that waits for it. */
  #writing = Promise.resolve()
  #next: Promise<void> | null = null
  /** Whether the last write failed, so that some changes are only in memory. */
  isFailing = false
  #isClosed = false
  #retry: NodeJS.Timeout | undefined

  /** `present`: the sandboxes, or none before there is a state. */
  private constructor(
    private readonly path: string,
    private readonly present: () => readonly PresentSandbox[],
    private readonly lock: Lock,
    private readonly files: FileSystem,
    readonly isNew: boolean
  ) {}

  /** Errors: `document_invalid`. */
  static async take(
    path: string,
    present: () => readonly PresentSandbox[],
    files: FileSystem = DISK
  ): Promise<DataFolder> {
    const unusable = (error: Error) => {
      throw REFUSALS.notLockable(path, error.message)
    }
    await mkdir(path, { recursive: true }).catch(unusable)
    const names = await readdir(path).catch(unusable)
    const isNew = !names.includes(BASE)
    if (isNew && !names.every(isOwn)) throw REFUSALS.notEmpty(path)
    const lock = await takeLock(path).catch(unusable)
    if (lock === null) throw REFUSALS.locked(path)
    try {
      await removeLeftovers(path, files)
      return new DataFolder(path, present, lock, files, isNew)
    } catch (error) {
      await lock.release()
      return unusable(error as Error)
    }
  }

  /** The main sandbox first. Errors: `document_invalid` for the first document that is wrong. */
  async read(launch: Launch): Promise<NamedSandbox[]> {
    const stores = new Map()
    const sandboxes: NamedSandbox[] = []
    for (const name of [null, ...documentNames(await readdir(this.path))]) {
      const saved = await readSandbox(this.#fileOf(name), launch, stores)
      sandboxes.push({ ...saved, name })
    }
    return sandboxes
  }

  #fileOf(name: string | null): string {
    return name === null ? join(this.path, BASE) : documentPath(this.path, name)
  }

  /** The sandboxes are as they were read. */
  resumed(): void {
    for (const { name, marks } of this.#changed()) this.#written.set(name, marks)
  }

  saved(): Promise<void> {
    return this.#nextWrite(REFUSALS.inMemoryOnly)
  }

  /** Tries again where the last write failed. Errors: `data_not_written`. */
  async writable(): Promise<void> {
    if (this.isFailing) await this.#nextWrite(REFUSALS.notWritable)
  }

  /** Writes counts and clocks too. Errors: `data_not_written` with what is not on disk. */
  async close(): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing
    clearTimeout(this.#retry)
    try {
      await this.#write({ counts: true })
    } catch (error) {
      throw REFUSALS.lastNotWritten(this.path, (error as Error).message)
    } finally {
      this.#isClosed = true
      await this.lock.release()
    }
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
        if (!this.#isClosed)
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
    for (const { name, marks, saved } of this.#changed({ counts })) {
      this.#written.set(name, null)
      await writeDocument(this.#fileOf(name), saved, this.files)
      this.#written.set(name, marks)
    }
    const present = new Set(this.present().map(({ name }) => name))
    const ended = [...this.#written.keys()].filter(name => !present.has(name))
    for (const name of ended) {
      await this.files.rm(this.#fileOf(name), { force: true })
      this.#written.delete(name)
    }
    if (ended.length > 0) await syncFolder(this.path, this.files)
  }

  #changed({ counts = false } = {}) {
    if (this.#isClosed) throw new Error(SAYS.stopped)
    return this.present().flatMap(({ state, ...sandbox }) => {
      const { name, first, start, requests } = sandbox
      const changes = [state, first, start, ...state.marks]
      const marks = [...changes, requests, state.clock.reading.at]
      const last = this.#written.get(name)
      if (last && isSame(counts ? marks : changes, last)) return []
      return { name, marks, saved: { ...sandbox, state: state.saved } }
    })
  }
}
