/** The data file: the state of every sandbox, kept over restarts. Each change is on disk before its call is answered; changes that come together share a write. */
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import { flattened, type GivenSettings, nested, SETTINGS, type Settings, settingsInForce, settingsSchema } from '../core/settings.js'
import { documentOf, type Found, refusalOf } from '../scenario/documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from '../scenario/expectations.js'
import { exportedText } from '../scenario/export.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import { FAMILIES, type Store } from '../store/store.js'
import { type Filed, type FiledRecords, filed, filedSchemas, objectOf, scriptIn, storeIn } from './filing.js'
import { Lock } from './lock.js'
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
  readonly #path: string
  readonly #lock: Lock
  readonly #database: Database
  #source: () => KeptWorlds = () => {
    throw new Error('nothing to keep yet')
  }
  /** The write that is under way, and the one that waits for it. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  private constructor(path: string, lock: Lock, database: Database) {
    this.#path = path
    this.#lock = lock
    this.#database = database
  }

  /** Takes a file for this process and reads it. Errors: `document_invalid` when it is in use, empty, corrupt or of a newer format; it is left as it is then. */
  static async take(path: string): Promise<DataFile> {
    const lock = await Lock.take(path).catch(error => {
      throw unusable(path, `cannot be locked: ${(error as Error).message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const database = await opened(path)
      await database.read()
      const found = database.data as { format?: number } | null
      if (found !== null && found.format !== FORMAT) throw unusable(path, wrongFormat(found.format))
      return new DataFile(path, lock, database)
    } catch (error) {
      await lock.release()
      throw error instanceof ApiError ? error : unusable(path, unreadable(error as Error))
    }
  }

  /** Whether the file holds nothing yet, since it was not there. */
  get isNew(): boolean {
    return this.#database.data === null
  }

  /** The worlds that the file holds. Errors: `document_invalid` with every problem. */
  async worlds(launch: Launch): Promise<KeptWorlds> {
    const data = this.#database.data as FiledData
    const document = documentOf(this.#path, data)
    const found: Found[] = checkData(data).map(({ steps, message }) => ({ document, steps, message }))
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
      firsts.push({ scenario, store, counters, clock, settings: given, script: await scriptIn(first, reading), expectations, steps: [] })
    }
    const firstAt = (place: number) => firsts[place] ?? firsts[0]
    const worlds: KeptWorld[] = []
    for (const [index, world] of data.worlds.entries()) {
      const first = firstAt(world.first) as FirstState
      const settings = flattened(world.settings) as GivenSettings
      const values: Settings = settingsInForce({ ...launch, scenario: first.settings, control: settings }).values
      const reading = { document, at: ['worlds', index], settings: values, found }
      const store = storeIn(world.records, world, reading, first.store)
      const { name, counters, clock, requests } = world
      worlds.push({ name, first, store, counters, clock, seed: values.seed, script: await scriptIn(world, reading), settings, requests })
    }
    if (found.length > 0) throw await refusalOf(found)
    this.#database.data = KEPT
    return { start: firstAt(data.start) as FirstState, worlds }
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

  /** Gives the file up. */
  async close(): Promise<void> {
    await this.#writing.catch(() => {})
    await this.#lock.release()
  }

  async #write(): Promise<void> {
    this.#database.data = { text: textOf(this.#source()) }
    await this.#database.write().catch(error => {
      const message = `The change was made, but ${this.#path} could not be written: ${(error as Error).message}. The next change writes it too.`
      throw new ApiError('data_not_written', { message })
    })
  }
}

type Database = Awaited<ReturnType<typeof opened>>
/** What is in the file is in the worlds now. */
const KEPT = { text: '' }

async function opened(path: string) {
  const { Low } = await import('lowdb')
  const { DataFile: Adapter } = await import('lowdb/node')
  const adapter = new Adapter<FiledData | { text: string } | null>(path, {
    parse: text => JSON.parse(text) ?? {},
    stringify: data => (data as { text: string }).text
  })
  return new Low<FiledData | { text: string } | null>(adapter, null)
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

const unusable = (path: string, why: string) => new ApiError('document_invalid', { message: `The data file ${path} ${why}. It was left as it is.` })

function wrongFormat(format: unknown): string {
  if (typeof format !== 'number') return 'is no data file of commerce-emulator'
  return `has the format ${format}, and this version reads format ${FORMAT}; use the version that wrote it, or another file`
}

function unreadable({ message, name }: Error): string {
  if (name !== 'SyntaxError') return `cannot be read: ${message}`
  return /end of JSON input/.test(message) ? 'is empty or ends in the middle' : `is no JSON: ${message}`
}
