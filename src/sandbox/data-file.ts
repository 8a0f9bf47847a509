/** The data file: the state of every sandbox, kept over restarts. Each change is on disk before its call is answered; changes that come together share a write. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf, type Step } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { flattened, type GivenSettings, nested, SETTINGS, type Settings, settingsInForce, settingsSchema } from '../core/settings.js'
import { documentOf, type Found, refusalOf } from '../scenario/documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from '../scenario/expectations.js'
import { exportedText } from '../scenario/export.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import { FAMILIES, type Store } from '../store/store.js'
import { type Filed, type FiledRecords, filed, filedSchemas, objectOf, type Reading, scriptIn, storeIn } from './filing.js'
import { Lock } from './lock.js'
import { isName } from './names.js'
import type { KeptWorld } from './sandbox.js'
import type { KeptWorlds } from './sandboxes.js'

const FORMAT = 1
type FiledFirst = Filed & {
  scenario: FirstState['scenario']
  settings: GivenSettings
  expectations: ExpectationData[]
  records: FiledRecords
}
/** `first` is the place of its first state; families that are as they were there are left out of `records`. */
type FiledWorld = Filed & { name: string | null; first: number; settings: GivenSettings; requests: number; records: FiledRecords }
type FiledData = { format: typeof FORMAT; start: number; firsts: FiledFirst[]; worlds: FiledWorld[] }

const COUNT = { type: 'integer', minimum: 0 }
const checkData = checkerOf(() => {
  const settings = settingsSchema(key => SETTINGS[key].scope === 'sandbox')
  const scenario = objectOf({ name: { type: 'string' }, description: { type: ['string', 'null'] } })
  const expectations = { type: 'array', items: expectationSchema() }
  return objectOf({
    start: COUNT,
    firsts: { type: 'array', items: objectOf({ scenario, settings, expectations, ...filedSchemas() }) },
    worlds: { type: 'array', items: objectOf({ name: { type: ['string', 'null'] }, first: COUNT, settings, requests: COUNT, ...filedSchemas() }) }
  })
})

export class DataFile {
  /** As it was given; what is written is what its links lead to. */
  readonly #path: string
  readonly #lock: Lock
  readonly #adapter: Adapter
  /** Whether the file holds nothing yet, since it was not there. */
  readonly isNew: boolean
  /** What the file held, until its worlds are made of it. */
  #read: unknown
  #source: () => KeptWorlds = () => {
    throw new Error('nothing to keep yet')
  }
  /** The write that is under way, and the one that waits for it. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  private constructor(path: string, lock: Lock, adapter: Adapter, read: { data: unknown } | null) {
    this.#path = path
    this.#lock = lock
    this.#adapter = adapter
    this.isNew = read === null
    this.#read = read?.data
  }

  /** Takes a file for this process and reads it. Errors: `document_invalid` when it is in use, empty, corrupt or of a newer format; it is left as it is then. */
  static async take(path: string): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw unusable(path, `cannot be locked: ${(error as Error).message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const adapter = await adapterOf(target)
      const read = await adapter.read()
      const format = read === null ? FORMAT : (read.data as { format?: unknown } | null)?.format
      if (format !== FORMAT) throw unusable(path, wrongFormat(format))
      return new DataFile(path, lock, adapter, read)
    } catch (error) {
      await lock.release()
      throw error instanceof ApiError ? error : unusable(path, unreadable(error as Error))
    }
  }

  /** The worlds that the file holds. Errors: `document_invalid` with every problem. */
  async worlds(launch: Launch): Promise<KeptWorlds> {
    const data = this.#read as FiledData
    const document = documentOf(this.#path, data)
    const found: Found[] = checkData(data).map(({ steps, message }) => ({ document, steps, message }))
    if (found.length === 0) found.push(...misfitsOf(data).map(misfit => ({ document, ...misfit })))
    if (found.length > 0) throw await refusalOf(found)
    const firsts: FirstState[] = []
    for (const [index, first] of data.firsts.entries()) {
      const given = flattened(first.settings) as GivenSettings
      const reading = { document, at: ['firsts', index], settings: settingsInForce({ ...launch, scenario: given }).values, found }
      const expectations: Expectation[] = []
      for (const [nth, one] of first.expectations.entries()) {
        const expectation = await compileExpectation(one, (steps, message) =>
          found.push({ document, steps: ['firsts', index, 'expectations', nth, ...steps], message })
        )
        if (expectation) expectations.push(expectation)
      }
      const { scenario, counters, clock } = first
      const store = storeIn(first.records, first, reading)
      found.push(...strangersIn(store, reading))
      firsts.push({ scenario, store, counters, clock, settings: given, script: await scriptIn(first, reading), expectations, steps: [] })
    }
    const worlds: KeptWorld[] = []
    for (const [index, world] of data.worlds.entries()) {
      const first = firsts[world.first] as FirstState
      const settings = flattened(world.settings) as GivenSettings
      const values: Settings = settingsInForce({ ...launch, scenario: first.settings, control: settings }).values
      const reading = { document, at: ['worlds', index], settings: values, found }
      const store = storeIn(world.records, world, reading, first.store)
      found.push(...strangersIn(store, reading))
      const { name, counters, clock, requests } = world
      worlds.push({ name, first, store, counters, clock, seed: values.seed, script: await scriptIn(world, reading), settings, requests })
    }
    if (found.length > 0) throw await refusalOf(found)
    this.#read = undefined
    return { start: firsts[data.start] as FirstState, worlds }
  }

  /** What is written from now on. */
  keep(source: () => KeptWorlds): void {
    this.#source = source
  }

  /** Waits until every change that was made so far is on disk. Errors: `data_not_written`. */
  saved(): Promise<void> {
    if (this.#next === null) {
      this.#next = this.#writing
        .catch(() => {})
        .then(async () => {
          // changes of this turn come along
          await turn()
          this.#writing = this.#next as Promise<void>
          this.#next = null
          await this.#write()
        })
    }
    return this.#next
  }

  /** Gives the file up, once what waits to be written is; it is not written any more. */
  async close(): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {})
    await this.#writing.catch(() => {})
    this.#source = () => {
      throw new Error('the emulator has stopped')
    }
    await this.#lock.release()
  }

  async #write(): Promise<void> {
    try {
      await this.#adapter.write(textOf(this.#source()))
    } catch (error) {
      const message = `The change was made, but ${this.#path} could not be written: ${(error as Error).message}. The next change writes it too.`
      throw new ApiError('data_not_written', { message })
    }
  }
}

/** What the path leads to, where nothing stands yet too. Errors: `document_invalid` where no file can be. */
async function targetOf(path: string): Promise<string> {
  const target = await followed(resolve(path)).catch(error => {
    throw unusable(path, `cannot be read: ${(error as Error).message}`)
  })
  const [folder, there] = await Promise.all([dirname(target), target].map(path => stat(path).catch(() => null)))
  if (!folder) throw unusable(path, `cannot be made: there is no folder ${dirname(target)}; make it, or name another file`, '')
  if (there?.isDirectory()) throw unusable(path, 'is a folder; name a file in it')
  if (there && !there.isFile()) throw unusable(path, 'is no file that can be replaced')
  if (there && (there.mode & 0o222) === 0) throw unusable(path, 'is read-only; make it writable, or name a copy of it')
  return target
}

/** The path with every link followed; its folder need not be there. */
async function followed(path: string): Promise<string> {
  const real = await realpath(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  if (real !== null) return real
  const link = await readlink(path).catch(() => null)
  if (link !== null) return followed(resolve(dirname(path), link))
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path))
}

type Adapter = Awaited<ReturnType<typeof adapterOf>>

/** Reads the file, null where there is none, and replaces it whole by a text. */
async function adapterOf(path: string) {
  const { TextFile } = await import('lowdb/node')
  const adapter = new TextFile(path)
  return {
    read: async () => {
      const text = await adapter.read()
      if (text?.trim() === '') throw new Error('it is empty')
      return text === null ? null : { data: JSON.parse(text) as unknown }
    },
    write: (text: string) => adapter.write(text)
  }
}

/** Texts of first states; they never change. */
const FIRST_TEXTS = new WeakMap<FirstState, string>()

/** The file as compact JSON. */
function textOf({ start, worlds }: KeptWorlds): string {
  const firsts = [...new Set([start, ...worlds.map(({ first }) => first)])]
  const states = worlds.map(({ first, ...world }) => worldText(world, { first, place: firsts.indexOf(first) }))
  return `{"format":${FORMAT},"start":0,"firsts":[${firsts.map(firstText).join(',')}],"worlds":[${states.join(',')}]}\n`
}

function firstText(first: FirstState): string {
  let text = FIRST_TEXTS.get(first)
  if (text === undefined) {
    const { scenario, settings, expectations, store } = first
    const rest = { scenario, settings: nested(settings), expectations: expectations.map(({ data }) => data), ...filed(first) }
    text = withRecords(rest, exportedText(store))
    FIRST_TEXTS.set(first, text)
  }
  return text
}

function worldText({ name, settings, requests, ...state }: Omit<KeptWorld, 'first'>, { first, place }: { first: FirstState; place: number }): string {
  const rest = { name, first: place, settings: nested(settings), requests, ...filed(state) }
  return withRecords(rest, exportedText(state.store, changedFamilies(state.store, first.store)))
}

/** What a Transaction shows of its Refunds follows from them, so that both are kept when one has changed. */
function changedFamilies(store: Store, first: Store) {
  const isChanged = (family: (typeof FAMILIES)[number]) => store[family].revision !== first[family].revision
  const isMoneyChanged = isChanged('transactions') || isChanged('refunds')
  return FAMILIES.filter(family => (family === 'transactions' || family === 'refunds' ? isMoneyChanged : isChanged(family)))
}

const withRecords = (rest: object, records: string) => `${JSON.stringify(rest).slice(0, -1)},"records":${records}}`

/** What a schema cannot say of a file: that what is named by its place is there, and that every world is there once. */
function misfitsOf({ start, firsts, worlds }: FiledData): { steps: Step[]; message: string }[] {
  const found: { steps: Step[]; message: string }[] = []
  const expectFirst = (place: number, steps: Step[]) => {
    if (place >= firsts.length) found.push({ steps, message: `the place of one of the ${firsts.length} firsts, counted from 0, was expected, not ${place}` })
  }
  expectFirst(start, ['start'])
  const seen = new Set<string | null>()
  for (const [index, { name, first }] of worlds.entries()) {
    expectFirst(first, ['worlds', index, 'first'])
    if (name !== null && !isName(name)) found.push({ steps: ['worlds', index, 'name'], message: `a name of a sandbox was expected, not ${name}` })
    if (seen.has(name)) found.push({ steps: ['worlds', index, 'name'], message: `the name ${name} is given twice` })
    seen.add(name)
  }
  if (!seen.has(null)) found.push({ steps: ['worlds'], message: 'the one with the name null, at the base address, is missing' })
  return found
}

/** An Account that a setting names, as a flag of this start may, and that is not there. */
function strangersIn(store: Store, { document, at, settings }: Reading): Found[] {
  const actor = settings['auth.accept_any_key']
  if (actor === null || store.accounts.get(actor)) return []
  return [{ document, steps: at, message: `auth.accept_any_key names ${actor}, which is no Account of it` }]
}

const unusable = (path: string, why: string, left = ' It was left as it is.') =>
  new ApiError('document_invalid', { message: `The data file ${path} ${why}.${left}` })

function wrongFormat(format: unknown): string {
  if (typeof format !== 'number') return 'is no data file of commerce-emulator'
  return `has the format ${format}, and this version reads format ${FORMAT}; use the version that wrote it, or another file`
}

function unreadable({ message, name }: Error): string {
  if (name !== 'SyntaxError') return `cannot be read: ${message}`
  return `is no JSON, or was cut off: ${message.replace(/[^\x20-\x7E]/g, '?')}`
}
