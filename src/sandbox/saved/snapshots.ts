/** Snapshots: named states in memory and, with a folder, in files. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { REFUSALS } from '../sentences.js'
import type { SavedSandbox } from '../state.js'
import { syncFolder } from './disk.js'
import { writeDocument } from './document.js'
import { documentNames, documentPath } from './names.js'
import { readSandbox } from './reader.js'

/** One for each test of a large suite. */
const MAX_SNAPSHOTS = 1000

/** The last job, for which the next one waits: a folder can pass from a sandbox to another. */
let last: Promise<unknown> = Promise.resolve()

export class Snapshots {
  /** Null keeps them in memory alone. */
  #folder: string | null
  readonly #inMemory = new Map<string, SavedSandbox>()

  constructor(folder: string | null = null) {
    this.#folder = folder
  }

  names(): Promise<string[]> {
    return this.#inTurn(() => this.#names())
  }

  put(name: string, snapshot: SavedSandbox): Promise<void> {
    return this.#inTurn(async () => {
      const names = await this.#names()
      if (names.length >= MAX_SNAPSHOTS && !names.includes(name))
        throw REFUSALS.tooManySnapshots(MAX_SNAPSHOTS)
      if (this.#folder !== null) await this.#write(name, this.#folder, snapshot)
      this.#inMemory.set(name, snapshot)
    })
  }

  async #names(): Promise<string[]> {
    const files = this.#folder === null ? [] : await readdir(this.#folder).catch(() => [])
    return [...new Set([...this.#inMemory.keys(), ...documentNames(files)])].sort()
  }

  /** Errors: `snapshot_unknown`; `document_invalid` for a file that is wrong. */
  get(name: string): Promise<SavedSandbox> {
    return this.#inTurn(async () => {
      const snapshot = this.#inMemory.get(name) ?? (await this.#read(name))
      this.#inMemory.set(name, snapshot)
      return snapshot
    })
  }

  async #read(name: string): Promise<SavedSandbox> {
    await this.#require(name)
    // `restore` looks for its Account
    const launch = { flag: { 'auth.accept_any_key': null }, environment: {} }
    return readSandbox(documentPath(this.#folder as string, name), launch)
  }

  /** Errors: `data_not_written`; the previous snapshot stays. */
  async #write(name: string, folder: string, snapshot: SavedSandbox): Promise<void> {
    const path = documentPath(folder, name)
    try {
      const firstNewFolder = await mkdir(folder, { recursive: true })
      await writeDocument(path, snapshot)
      if (firstNewFolder !== undefined) await syncFolder(dirname(firstNewFolder))
    } catch (error) {
      throw REFUSALS.snapshotNotTaken(name, path, (error as Error).message)
    }
  }

  /** Errors: `snapshot_unknown`. */
  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#require(name)
      if (this.#folder !== null) {
        await rm(documentPath(this.#folder, name), { force: true })
        await syncFolder(this.#folder)
      }
      this.#inMemory.delete(name)
    })
  }

  /** Deletes all; another sandbox may use the folder from then on. */
  end(): Promise<void> {
    return this.#inTurn(async () => {
      const folder = this.#folder
      this.#folder = null
      this.#inMemory.clear()
      if (folder === null || !existsSync(folder)) return
      await rm(folder, { recursive: true, force: true })
      await syncFolder(dirname(folder))
    })
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = last.then(act)
    last = done.catch(() => {})
    return done
  }

  async #require(name: string): Promise<void> {
    const names = await this.#names()
    if (!names.includes(name)) throw REFUSALS.noSnapshot(name, names)
  }
}
