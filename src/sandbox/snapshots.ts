/** Snapshots: named states to come back to, in memory and, where a folder is given, in files that outlive the process. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import type { Settings } from '../core/settings.js'
import { type DocumentProblem, documentOf, refusalOf } from '../scenario/documents.js'
import { jsonFile } from './json-file.js'
import { isName } from './names.js'
import { objectOf, type SerializedState, stateOf, stateSchema, stateText } from './serialization.js'
import type { SandboxState } from './state.js'

/** A state with the name of the scenario that was loaded; of the settings it holds the seed, which its ids are drawn from. */
export type Snapshot = { scenario: string; state: SandboxState }
type SerializedSnapshot = { format: typeof FORMAT; scenario: string; state: SerializedState }
const FORMAT = 3
const SNAPSHOT_CHECKER = checkerOf(() => objectOf({ scenario: { type: 'string' }, state: stateSchema() }))
const ENDING = '.json'

export class Snapshots {
  readonly #folder: string | null
  readonly #inMemory = new Map<string, Snapshot>()
  #last: Promise<unknown> = Promise.resolve()

  /** `folder` null keeps them in memory alone. */
  constructor(folder: string | null) {
    this.#folder = folder
  }

  async names(): Promise<string[]> {
    const files = this.#folder === null ? [] : await readdir(this.#folder).catch(() => [])
    const names = files.filter(file => file.endsWith(ENDING)).map(file => file.slice(0, -ENDING.length))
    return [...new Set([...this.#inMemory.keys(), ...names.filter(isName)])].sort()
  }

  put(name: string, snapshot: Snapshot): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#folder !== null) {
        await mkdir(this.#folder, { recursive: true })
        const { write } = await jsonFile(this.#path(name))
        await write(`{"format":${FORMAT},"scenario":${JSON.stringify(snapshot.scenario)},"state":${stateText(snapshot.state)}}\n`)
      }
      this.#inMemory.set(name, snapshot)
    })
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
    const { read } = await jsonFile(this.#path(name))
    const content = await read().catch(error => {
      throw this.#unreadable(name, (error as Error).message)
    })
    const data = content?.data as SerializedSnapshot | null | undefined
    if (data?.format !== FORMAT) throw this.#unreadable(name, 'it is no snapshot of this version')
    return snapshotOf(this.#path(name), data, settings)
  }

  /** Errors: `snapshot_unknown` with those that exist. */
  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#require(name)
      if (this.#folder !== null) await rm(this.#path(name), { force: true })
      this.#inMemory.delete(name)
    })
  }

  /** Deletes them all, in memory and in the folder. */
  clear(): Promise<void> {
    return this.#inTurn(async () => {
      this.#inMemory.clear()
      if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true })
    })
  }

  /** One after the other, so that no two write or delete a file at once. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => {})
    return done
  }

  async #require(name: string): Promise<void> {
    const names = await this.names()
    if (names.includes(name)) return
    throw new ApiError('snapshot_unknown', {
      message: `No snapshot is called ${name}; ${names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`}.`,
      param: 'name'
    })
  }

  #path(name: string): string {
    return join(this.#folder as string, `${name}${ENDING}`)
  }

  #unreadable(name: string, why: string): ApiError {
    return new ApiError('document_invalid', { message: `${this.#path(name)} cannot be read as a snapshot: ${why}. Nothing was changed.` })
  }
}

async function snapshotOf(path: string, data: SerializedSnapshot, settings: Settings): Promise<Snapshot> {
  const document = documentOf(path, data)
  const problems: DocumentProblem[] = (await SNAPSHOT_CHECKER.problems(data)).map(({ steps, message }) => ({ document, steps, message }))
  if (problems.length > 0) throw await refusalOf(problems)

  const state = await stateOf(data.state, { document, at: ['state'], settings, problems })
  if (problems.length > 0) throw await refusalOf(problems)
  return { scenario: data.scenario, state }
}
