/** Snapshots: named states in memory and, with a folder, in files. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Settings } from '../core/settings.js'
import { DISK, syncFolder } from './disk.js'
import { documentNames, documentPath } from './names.js'
import { REFUSALS } from './sentences.js'
import type { SavedState } from './state.js'
import { type StateDocument, stateFile } from './state-document.js'
import { StateReader } from './state-reader.js'

export type Snapshot = { scenario: string; state: SavedState }

/** The last work in each folder, or in memory, for which the next waits; of new sandboxes too. */
const LAST = new Map<string | Snapshots, Promise<void>>()

export class Snapshots {
  /** Null keeps them in memory alone. */
  #folder: string | null
  readonly #max: number
  readonly #inMemory = new Map<string, Snapshot>()

  constructor(folder: string | null, max: number) {
    this.#folder = folder
    this.#max = max
  }

  names(): Promise<string[]> {
    return this.#inTurn(() => this.#names())
  }

  put(name: string, snapshot: Snapshot): Promise<void> {
    return this.#inTurn(async () => {
      const names = await this.#names()
      if (names.length >= this.#max && !names.includes(name))
        throw REFUSALS.tooManySnapshots(names.length)
      if (this.#folder !== null) await this.#write(name, this.#folder, snapshot)
      this.#inMemory.set(name, snapshot)
    })
  }

  async #names(): Promise<string[]> {
    const files = this.#folder === null ? [] : await readdir(this.#folder).catch(() => [])
    return [...new Set([...this.#inMemory.keys(), ...documentNames(files)])].sort()
  }

  /** Errors: `snapshot_unknown`; `document_invalid` for a file that is wrong. */
  get(name: string, settings: Settings): Promise<Snapshot> {
    return this.#inTurn(async () => {
      const snapshot = this.#inMemory.get(name) ?? (await this.#read(name, settings))
      this.#inMemory.set(name, snapshot)
      return snapshot
    })
  }

  async #read(name: string, settings: Settings): Promise<Snapshot> {
    await this.#require(name)
    const path = documentPath(this.#folder as string, name)
    const file = await stateFile(path, DISK)
    await file.read().catch(error => {
      throw REFUSALS.unreadable(path, error.message)
    })
    // whoever restores it looks for the Account of that setting in it
    const reader = new StateReader(() => ({ ...settings, 'auth.accept_any_key': null }))
    const state = await reader.snapshotIn(path, file.data as StateDocument)
    return { scenario: state.scenario.name, state }
  }

  /** Errors: `data_not_written`; an earlier snapshot stays. */
  async #write(name: string, folder: string, { scenario, state }: Snapshot): Promise<void> {
    const path = documentPath(folder, name)
    const file = await stateFile(path, DISK)
    file.data = { first: { ...state, scenario: { name: scenario, description: null } } }
    const written = mkdir(folder, { recursive: true }).then(async made => {
      await file.write()
      if (made !== undefined) await syncFolder(dirname(made))
    })
    await written.catch(error => {
      throw REFUSALS.snapshotNotTaken(name, path, error.message)
    })
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

  /** Deletes them all; another sandbox of the same name may have the folder from then on. */
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
    const key = this.#folder ?? this
    const done = (LAST.get(key) ?? Promise.resolve()).then(act)
    const end = () => {
      if (LAST.get(key) === over) LAST.delete(key)
    }
    const over = done.then(end, end)
    LAST.set(key, over)
    return done
  }

  async #require(name: string): Promise<void> {
    const names = await this.#names()
    if (!names.includes(name)) throw REFUSALS.noSnapshot(name, names)
  }
}
