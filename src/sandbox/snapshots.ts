/** Snapshots: named states in memory and, with a folder, in files that outlive the process. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Low } from 'lowdb'
import type { Settings } from '../core/settings.js'
import { stateTexts } from './content.js'
import { removeLeftovers, replaceFile, syncFolder } from './disk.js'
import { readLines, wholeLines } from './lines.js'
import { fileNameOf, nameOfFile } from './names.js'
import { REFUSALS } from './sentences.js'
import { statesIn } from './serialization.js'
import type { SandboxState } from './state.js'

/** `state` has the seed as its only setting. */
export type Snapshot = { scenario: string; state: SandboxState }
const ENDING = '.json'

/** No process writes an older temporary file any more, and processes may share a folder. */
const LEFT_MS = 600_000

/**
 * The last work in each folder, or in memory: what follows waits for it, also for a new sandbox of
 * the same name.
 */
const LAST = new Map<string | Snapshots, Promise<void>>()

export class Snapshots {
  #folder: string | null
  readonly #max: number
  readonly #inMemory = new Map<string, Snapshot>()

  /** `folder` null keeps them in memory alone. */
  constructor(folder: string | null, max: number) {
    this.#folder = folder
    this.#max = max
  }

  names(): Promise<string[]> {
    return this.#inTurn(() => this.#names())
  }

  /** Errors: `limit_reached`, `data_not_written`. */
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
    const names = files.flatMap(file =>
      file.endsWith(ENDING) ? (nameOfFile(file.slice(0, -ENDING.length)) ?? []) : []
    )
    return [...new Set([...this.#inMemory.keys(), ...names])].sort()
  }

  /**
   * Errors: `snapshot_unknown` with those that exist; `document_invalid` for a file that cannot be
   * read, or whose records do not fit.
   */
  get(name: string, settings: Settings): Promise<Snapshot> {
    return this.#inTurn(async () => {
      const snapshot = this.#inMemory.get(name) ?? (await this.#read(name, settings))
      this.#inMemory.set(name, snapshot)
      return snapshot
    })
  }

  async #read(name: string, settings: Settings): Promise<Snapshot> {
    await this.#require(name)
    const file = await snapshotFile(fileOf(this.#folder as string, name), settings)
    await file.read()
    return file.data as Snapshot
  }

  /** Errors: `data_not_written`; an earlier snapshot is still there then. */
  async #write(name: string, folder: string, snapshot: Snapshot): Promise<void> {
    const path = fileOf(folder, name)
    const file = await snapshotFile(path)
    file.data = snapshot
    await file.write().catch(error => {
      throw REFUSALS.snapshotNotTaken(name, path, error.message)
    })
  }

  /** Errors: `snapshot_unknown` with those that exist. */
  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#require(name)
      if (this.#folder !== null) {
        await rm(fileOf(this.#folder, name), { force: true })
        await syncFolder(this.#folder)
      }
      this.#inMemory.delete(name)
    })
  }

  /** Deletes them all: the folder may belong to another sandbox of the same name from then on. */
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

  /** So that no two write or delete a file at once. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const key = this.#folder ?? this
    const done = (LAST.get(key) ?? Promise.resolve()).then(act)
    const over = done.then(nothing, nothing).then(() => {
      if (LAST.get(key) === over) LAST.delete(key)
    })
    LAST.set(key, over)
    return done
  }

  async #require(name: string): Promise<void> {
    const names = await this.#names()
    if (!names.includes(name)) throw REFUSALS.noSnapshot(name, names)
  }
}

const nothing = () => {}
const fileOf = (folder: string, name: string) => join(folder, `${fileNameOf(name)}${ENDING}`)

/** A file as a database of one snapshot; `settings` are for reading. Errors: `document_invalid`. */
async function snapshotFile(path: string, settings?: Settings): Promise<Low<Snapshot | null>> {
  const { Low } = await import('lowdb')
  return new Low<Snapshot | null>(
    {
      read: () => readSnapshot(path, settings as Settings),
      write: snapshot => writeSnapshot(path, snapshot as Snapshot)
    },
    null
  )
}

async function readSnapshot(path: string, settings: Settings): Promise<Snapshot> {
  const { data } = await readLines(path).catch(error => {
    throw REFUSALS.snapshotUnreadable(path, error.message)
  })
  // whoever restores it looks for the Account of that setting in it
  const { start } = await statesIn(path, data, () => ({ ...settings, 'auth.accept_any_key': null }))
  return { scenario: start.scenario.name, state: start }
}

/** An earlier snapshot stays until the new one is written. */
async function writeSnapshot(path: string, { scenario, state }: Snapshot): Promise<void> {
  const made = await mkdir(dirname(path), { recursive: true })
  const texts = function* () {
    yield* stateTexts({ first: 0 }, { ...state, scenario: { name: scenario } })
    yield '{"start":0}'
  }
  const file = await replaceFile(path, wholeLines(texts()))
  await file.close()
  if (made !== undefined) await syncFolder(dirname(made))
  await removeLeftovers(path, LEFT_MS)
}
