/** Snapshots: named states in memory and, with a folder, in files that outlive the process. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Low } from 'lowdb'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { thereAre } from '../core/nearest.js'
import type { Settings } from '../core/settings.js'
import { documentOf, ProblemList, refuseProblems, withoutProblems } from '../scenario/documents.js'
import { removeLeftovers, replaceFile, syncFolder } from './disk.js'
import { readLines, type SavedFirstState, wholeLines } from './lines.js'
import { fileNameOf, nameOfFile } from './names.js'
import { objectOf, stateOf, stateProperties, stateTexts } from './serialization.js'
import type { SandboxState } from './state.js'

/** `scenario` is the name of the one that was loaded; of the settings the state holds the seed. */
export type Snapshot = { scenario: string; state: SandboxState }
const SNAPSHOT_CHECKER = checkerOf(() => objectOf({ scenario: objectOf({ name: { type: 'string' } }), ...stateProperties() }))
const ENDING = '.json'

/** In milliseconds; no process writes an older temporary file any more, and processes may share a folder. */
const LEFT_MS = 600_000

export class Snapshots {
  #folder: string | null
  readonly #most: number
  readonly #inMemory = new Map<string, Snapshot>()
  #last: Promise<unknown>

  /** `folder` null keeps at most so many in memory alone. Nothing is read or written before `after`. */
  constructor(folder: string | null, most: number, after: Promise<unknown> = Promise.resolve()) {
    this.#folder = folder
    this.#most = most
    this.#last = after
  }

  names(): Promise<string[]> {
    return this.#inTurn(() => this.#names())
  }

  /** Replaces a snapshot of the same name. Errors: `limit_reached`, `data_not_written`. */
  put(name: string, snapshot: Snapshot): Promise<void> {
    return this.#inTurn(async () => {
      const names = await this.#names()
      if (names.length >= this.#most && !names.includes(name)) {
        throw new ApiError('limit_reached', {
          message: `There are ${names.length} snapshots, as many as limits.snapshots allows; delete one, or raise the setting.`
        })
      }
      if (this.#folder !== null) await this.#write(name, this.#folder, snapshot)
      this.#inMemory.set(name, snapshot)
    })
  }

  async #names(): Promise<string[]> {
    const files = this.#folder === null ? [] : await readdir(this.#folder).catch(() => [])
    const names = files.flatMap(file => (file.endsWith(ENDING) ? (nameOfFile(file.slice(0, -ENDING.length)) ?? []) : []))
    return [...new Set([...this.#inMemory.keys(), ...names])].sort()
  }

  /** Errors: `snapshot_unknown` with those that exist; `document_invalid` for a file that cannot be read, or whose records do not fit. */
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
      throw new ApiError('data_not_written', { message: `The snapshot ${name} was not taken: ${path} could not be written: ${error.message}.` })
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
    const done = this.#last.then(act)
    this.#last = done.catch(() => {})
    return done
  }

  async #require(name: string): Promise<void> {
    const names = await this.#names()
    if (names.includes(name)) return
    throw new ApiError('snapshot_unknown', {
      message: `No snapshot is called ${name}; ${thereAre(names)}.`,
      param: 'name'
    })
  }
}

const fileOf = (folder: string, name: string) => join(folder, `${fileNameOf(name)}${ENDING}`)

/** A file as a database of one snapshot; `settings` are those that the records of one that is read are checked with. Errors: as of `readSnapshot`, the system's. */
async function snapshotFile(path: string, settings?: Settings): Promise<Low<Snapshot | null>> {
  const { Low } = await import('lowdb')
  return new Low<Snapshot | null>({ read: () => readSnapshot(path, settings as Settings), write: snapshot => writeSnapshot(path, snapshot as Snapshot) }, null)
}

/** Errors: `document_invalid` for a file that cannot be read, or whose records do not fit. */
async function readSnapshot(path: string, settings: Settings): Promise<Snapshot> {
  const { data } = await readLines(path).catch(error => {
    throw new ApiError('document_invalid', { message: `${path} cannot be read as a snapshot: ${error.message}. Nothing was changed.` })
  })
  const [saved] = data.first_states as [SavedFirstState]
  const document = documentOf(path, saved)
  await refuseProblems(document, SNAPSHOT_CHECKER)
  const problems = new ProblemList()
  const state = await withoutProblems(problems, () => stateOf(saved, { document, at: [], settings, problems }))
  return { scenario: saved.scenario.name, state }
}

/** An earlier snapshot stays until the new one is written. */
async function writeSnapshot(path: string, { scenario, state }: Snapshot): Promise<void> {
  const made = await mkdir(dirname(path), { recursive: true })
  const file = await replaceFile(path, wholeLines(textsOf(scenario, state)))
  await file.close()
  if (made !== undefined) await syncFolder(dirname(made))
  await removeLeftovers(path, LEFT_MS)
}

function* textsOf(name: string, state: SandboxState): Generator<string> {
  yield* stateTexts('"first":0', state, { scenario: { name } })
  yield '{"start":0}'
}
