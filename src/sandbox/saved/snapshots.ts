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

function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const done = last.then(act)
  last = done.catch(() => {})
  return done
}

export class Snapshots {
  readonly #inMemory = new Map<string, SavedSandbox>()

  /** `folder`: null keeps them in memory alone. */
  constructor(private folder: string | null = null) {}

  names(): Promise<string[]> {
    return inTurn(() => this.#names())
  }

  async #names(): Promise<string[]> {
    const files = this.folder === null ? [] : await readdir(this.folder).catch(() => [])
    return [...new Set([...this.#inMemory.keys(), ...documentNames(files)])].sort()
  }

  /** Errors: `limit_reached`; `data_not_written`: the previous snapshot stays. */
  put(name: string, snapshot: SavedSandbox): Promise<void> {
    return inTurn(async () => {
      const names = await this.#names()
      if (names.length >= MAX_SNAPSHOTS && !names.includes(name))
        throw REFUSALS.tooManySnapshots(MAX_SNAPSHOTS)
      if (this.folder !== null) {
        const path = documentPath(this.folder, name)
        await mkdir(this.folder, { recursive: true })
          .then(() => writeDocument(path, snapshot))
          .catch(error => {
            throw REFUSALS.snapshotNotSaved(name, path, error.message)
          })
      }
      this.#inMemory.set(name, snapshot)
    })
  }

  /** Errors: `snapshot_unknown`; `document_invalid` for a file that is wrong. */
  get(name: string): Promise<SavedSandbox> {
    return inTurn(async () => {
      const snapshot =
        this.#inMemory.get(name) ?? (await readSandbox(await this.#pathOf(name), null))
      this.#inMemory.set(name, snapshot)
      return snapshot
    })
  }

  /** Errors: `snapshot_unknown`. */
  delete(name: string): Promise<void> {
    return inTurn(async () => {
      await remove(await this.#pathOf(name))
      this.#inMemory.delete(name)
    })
  }

  /** Deletes all; another sandbox may use the folder from then on. */
  end(): Promise<void> {
    return inTurn(async () => {
      const folder = this.folder ?? ''
      this.folder = null
      this.#inMemory.clear()
      await remove(folder)
    })
  }

  /** Empty in memory alone. Errors: `snapshot_unknown`. */
  async #pathOf(name: string): Promise<string> {
    const names = await this.#names()
    if (!names.includes(name)) throw REFUSALS.noSnapshot(name, names)
    return this.folder === null ? '' : documentPath(this.folder, name)
  }
}

async function remove(path: string): Promise<void> {
  if (!existsSync(path)) return
  await rm(path, { recursive: true })
  await syncFolder(dirname(path))
}
