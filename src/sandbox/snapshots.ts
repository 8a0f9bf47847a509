/** Snapshots: named states to come back to, in memory and, where a folder is given, in files that outlive the process. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkerOf } from '../core/checking.js'
import type { ClockStart } from '../core/clock.js'
import { ApiError } from '../core/errors.js'
import type { IdCounters } from '../core/ids.js'
import { SETTINGS, type Settings } from '../core/settings.js'
import { documentOf, type Found, refusalOf } from '../scenario/documents.js'
import { exported } from '../scenario/export.js'
import type { Script } from '../scenario/script.js'
import type { Store } from '../store/store.js'
import { type Filed, type FiledRecords, filed, filedSchemas, objectOf, scriptIn, storeIn } from './filing.js'
import { isName } from './names.js'

export type Snapshot = { scenario: string; store: Store; counters: IdCounters; clock: ClockStart; seed: number; script: Script }
/** A snapshot as its file holds it. */
type FiledSnapshot = Filed & { format: typeof FORMAT; scenario: string; seed: number; records: FiledRecords }
/** Files of the first format knew no deleted ids. */
const FORMAT = 2
const checkFiled = checkerOf(() => objectOf({ scenario: { type: 'string' }, seed: SETTINGS.seed.schema, ...filedSchemas() }))
const ENDING = '.json'

export class Snapshots {
  readonly #folder: string | null
  readonly #kept = new Map<string, Snapshot>()
  #last: Promise<unknown> = Promise.resolve()

  /** `folder` null keeps them in memory alone. */
  constructor(folder: string | null) {
    this.#folder = folder
  }

  async names(): Promise<string[]> {
    const filed = this.#folder === null ? [] : await readdir(this.#folder).catch(() => [])
    const names = filed.filter(file => file.endsWith(ENDING)).map(file => file.slice(0, -ENDING.length))
    return [...new Set([...this.#kept.keys(), ...names.filter(isName)])].sort()
  }

  put(name: string, snapshot: Snapshot): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#folder !== null) {
        await mkdir(this.#folder, { recursive: true })
        const database = await this.#open(name)
        database.data = filedOf(snapshot)
        await database.write()
      }
      this.#kept.set(name, snapshot)
    })
  }

  /** Errors: `snapshot_unknown` with those that exist; `document_invalid` for a file that cannot be read, or whose records do not fit. */
  get(name: string, settings: Settings): Promise<Snapshot> {
    return this.#inTurn(async () => {
      const snapshot = this.#kept.get(name) ?? (await this.#read(name, settings))
      this.#kept.set(name, snapshot)
      return snapshot
    })
  }

  async #read(name: string, settings: Settings): Promise<Snapshot> {
    await this.#require(name)
    const database = await this.#open(name)
    await database.read().catch(error => {
      throw this.#unreadable(name, (error as Error).message)
    })
    if (database.data?.format !== FORMAT) throw this.#unreadable(name, 'it is no snapshot of this version')
    return snapshotOf(this.#path(name), database.data, settings)
  }

  /** Errors: `snapshot_unknown` with those that exist. */
  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#require(name)
      if (this.#folder !== null) await rm(this.#path(name), { force: true })
      this.#kept.delete(name)
    })
  }

  /** Deletes them all, in memory and in the folder. */
  clear(): Promise<void> {
    return this.#inTurn(async () => {
      this.#kept.clear()
      if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true })
    })
  }

  /** One after the other, since two that write a file at once would take it from each other. */
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

  async #open(name: string) {
    const { Low } = await import('lowdb')
    const { DataFile } = await import('lowdb/node')
    return new Low<FiledSnapshot | null>(new DataFile(this.#path(name), { parse: JSON.parse, stringify: data => JSON.stringify(data) }), null)
  }
}

function filedOf(snapshot: Snapshot): FiledSnapshot {
  const { scenario, store, seed } = snapshot
  return { format: FORMAT, scenario, seed, ...filed(snapshot), records: exported(store) }
}

async function snapshotOf(file: string, held: FiledSnapshot, settings: Settings): Promise<Snapshot> {
  const document = documentOf(file, held)
  const found: Found[] = checkFiled(held).map(({ steps, message }) => ({ document, steps, message }))
  if (found.length > 0) throw await refusalOf(found)

  const { scenario, counters, clock, seed } = held
  const reading = { document, at: [], settings, found }
  const store = storeIn(held.records, held, reading)
  const script = await scriptIn(held, reading)
  if (found.length > 0) throw await refusalOf(found)
  return { scenario, store, counters, clock, seed, script }
}
