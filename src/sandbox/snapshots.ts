/** Snapshots: named states to come back to, in memory and, where a folder is given, in files that outlive the process. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkerOf } from '../core/checking.js'
import type { ClockStart } from '../core/clock.js'
import { ApiError } from '../core/errors.js'
import { type IdCounters, Ids } from '../core/ids.js'
import { LATEST_INSTANT } from '../core/instants.js'
import { SETTINGS, type Settings } from '../core/settings.js'
import { documentOf, type Found, refusalOf } from '../scenario/documents.js'
import { exported } from '../scenario/export.js'
import { duplicatesIn, fixtureIn, put } from '../scenario/fixture.js'
import { entrySchema, fixtureSchema } from '../scenario/schemas.js'
import { type Count, compileEntry, type EntryData, Script } from '../scenario/script.js'
import { Store } from '../store/store.js'

export type Snapshot = { scenario: string; store: Store; counters: IdCounters; clock: ClockStart; seed: number; script: Script }
/** A snapshot as its file holds it. */
type Filed = {
  format: 1
  scenario: string
  records: Record<string, unknown[]>
  counters: IdCounters
  clock: ClockStart
  seed: number
  script: ({ id: string; entry: EntryData } & Count)[]
}
const COUNT = { type: 'integer', minimum: 0 }
const object = (properties: Record<string, object>) => ({ type: 'object', required: Object.keys(properties), properties })
const checkFiled = checkerOf(() =>
  object({
    scenario: { type: 'string' },
    records: fixtureSchema(),
    counters: { type: 'object', additionalProperties: COUNT },
    clock: object({ at: { type: ['integer', 'null'], minimum: -LATEST_INSTANT, maximum: LATEST_INSTANT }, running: { type: 'boolean' } }),
    seed: SETTINGS.seed.schema,
    script: { type: 'array', items: object({ id: { type: 'string', pattern: '^scr_[1-9][0-9]{0,8}$' }, entry: entrySchema(), fitted: COUNT, acted: COUNT }) }
  })
)
const ENDING = '.json'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The name as it is. Errors: `name_invalid`. */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name
  throw new ApiError('name_invalid', {
    message: `${name} is no name: 1 to 64 letters, digits, ., _ and - were expected, beginning with a letter or digit.`,
    param: 'name'
  })
}

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
    return [...new Set([...this.#kept.keys(), ...names.filter(name => NAME.test(name))])].sort()
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
    if (database.data?.format !== 1) throw this.#unreadable(name, 'it is no snapshot of this version')
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
    return new Low<Filed | null>(new DataFile(this.#path(name), { parse: JSON.parse, stringify: data => JSON.stringify(data) }), null)
  }
}

function filedOf({ scenario, store, counters, clock, seed, script }: Snapshot): Filed {
  return { format: 1, scenario, records: exported(store), counters, clock, seed, script: script.listed() }
}

async function snapshotOf(file: string, filed: Filed, settings: Settings): Promise<Snapshot> {
  const whole = documentOf(file, filed)
  const found: Found[] = checkFiled(filed).map(({ steps, message }) => ({ document: whole, steps, message }))
  if (found.length > 0) throw await refusalOf(found)

  const { scenario, records, counters, clock, seed } = filed
  const store = new Store()
  const fixture = fixtureIn(whole, records, ['records'])
  found.push(...duplicatesIn(fixture), ...put(fixture, store, { ids: new Ids(counters), now: 0, settings }).problems)
  const script = new Script()
  for (const [index, { id, entry: data, fitted, acted }] of filed.script.entries()) {
    const entry = await compileEntry(data, (steps, message) => found.push({ document: whole, steps: ['script', index, 'entry', ...steps], message }))
    if (entry) script.put(id, entry, { fitted, acted })
  }
  if (found.length > 0) throw await refusalOf(found)
  return { scenario, store, counters, clock, seed, script }
}
