/** The data file: the state of every sandbox, kept over restarts. Each change is on disk before its call is answered; changes that come together share a write. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { checkerOf } from '../core/checking.js'
import { ApiError } from '../core/errors.js'
import type { Step } from '../core/places.js'
import { flattened, type GivenSettings, type Settings, settingsInForce } from '../core/settings.js'
import { type DocumentProblem, documentOf, refusalOf, reportTo } from '../scenario/documents.js'
import { compileExpectation, type Expectation, type ExpectationData } from '../scenario/expectations.js'
import type { FirstState, Launch } from '../scenario/scenario.js'
import { expectationSchema } from '../scenario/schemas.js'
import { FAMILIES, type Store } from '../store/store.js'
import { jsonFile } from './json-file.js'
import { Lock } from './lock.js'
import { isName } from './names.js'
import type { SavedSandbox } from './sandbox.js'
import type { SavedSandboxes } from './sandboxes.js'
import { objectOf, type ReadContext, type SerializedState, stateOf, stateSchema, stateText } from './serialization.js'

const FORMAT = 2
type SerializedFirstState = { scenario: FirstState['scenario']; expectations: ExpectationData[]; state: SerializedState }
/** `first_state` is the index of its first state; families that are as they were there are left out of its records. */
type SerializedSandbox = { name: string | null; first_state: number; requests: number; state: SerializedState }
type SerializedData = { format: typeof FORMAT; start: number; first_states: SerializedFirstState[]; sandboxes: SerializedSandbox[] }

const COUNT = { type: 'integer', minimum: 0 }
const DATA_CHECKER = checkerOf(() => {
  const state = stateSchema()
  const scenario = objectOf({ name: { type: 'string' }, description: { type: ['string', 'null'] } })
  const expectations = { type: 'array', items: expectationSchema() }
  return objectOf({
    start: COUNT,
    first_states: { type: 'array', items: objectOf({ scenario, expectations, state }) },
    sandboxes: { type: 'array', items: objectOf({ name: { type: ['string', 'null'] }, first_state: COUNT, requests: COUNT, state }) }
  })
})

export class DataFile {
  /** As it was given; links are followed when it is written. */
  readonly #path: string
  readonly #lock: Lock
  readonly #file: JsonFile
  /** Whether there was no file yet. */
  readonly isNew: boolean
  /** What the file held, until `read` has taken it. */
  #content: unknown
  #source: () => SavedSandboxes = () => {
    throw new Error('there is nothing to save yet')
  }
  /** The write that is under way, and the one that waits for it. */
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  private constructor(path: string, lock: Lock, file: JsonFile, content: { data: unknown } | null) {
    this.#path = path
    this.#lock = lock
    this.#file = file
    this.isNew = content === null
    this.#content = content?.data
  }

  /** Takes a file for this process and reads it. Errors: `document_invalid` when it is in use, empty, corrupt or of another format; it is left as it is. */
  static async take(path: string): Promise<DataFile> {
    const target = await targetOf(path)
    const lock = await Lock.take(target).catch(error => {
      throw unusable(path, `cannot be locked: ${(error as Error).message}`)
    })
    if (lock === null) throw unusable(path, 'is in use by another process; stop that one, or give this one a file of its own')
    try {
      const file = await jsonFile(target)
      const content = await file.read()
      const format = content === null ? FORMAT : (content.data as { format?: unknown } | null)?.format
      if (format !== FORMAT) throw unusable(path, wrongFormat(format))
      return new DataFile(path, lock, file, content)
    } catch (error) {
      await lock.release()
      throw error instanceof ApiError ? error : unusable(path, unreadable(error as Error))
    }
  }

  /** The sandboxes that the file holds. Errors: `document_invalid` with every problem. */
  async read(launch: Launch): Promise<SavedSandboxes> {
    const data = this.#content as SerializedData
    const document = documentOf(this.#path, data)
    const problems: DocumentProblem[] = (await DATA_CHECKER.problems(data)).map(({ steps, message }) => ({ document, steps, message }))
    if (problems.length === 0) for (const problem of problemsIn(data)) problems.push({ document, ...problem })
    if (problems.length > 0) throw await refusalOf(problems)
    const context = (at: readonly Step[], settings: Settings): ReadContext => ({ document, at, settings, problems })

    const firstStates: FirstState[] = []
    for (const [index, { scenario, expectations, state: serialized }] of data.first_states.entries()) {
      const at = ['first_states', index]
      const settings = settingsInForce({ ...launch, scenario: flattened(serialized.settings) as GivenSettings }).values
      const state = await stateOf(serialized, context([...at, 'state'], settings))
      for (const problem of unknownAccounts(state.store, context(at, settings))) problems.push(problem)
      const compiled: Expectation[] = []
      for (const [nth, one] of expectations.entries()) {
        const expectation = await compileExpectation(one, reportTo(problems, document, [...at, 'expectations', nth]))
        if (expectation) compiled.push(expectation)
      }
      firstStates.push({ scenario, ...state, expectations: compiled, steps: [] })
    }
    const sandboxes: SavedSandbox[] = []
    for (const [index, { name, first_state, requests, state: serialized }] of data.sandboxes.entries()) {
      const at = ['sandboxes', index]
      const first = firstStates[first_state] as FirstState
      const control = flattened(serialized.settings) as GivenSettings
      const settings = settingsInForce({ ...launch, scenario: first.settings, control }).values
      const state = await stateOf(serialized, context([...at, 'state'], settings), first.store)
      for (const problem of unknownAccounts(state.store, context(at, settings))) problems.push(problem)
      sandboxes.push({ name, first, requests, state })
    }
    if (problems.length > 0) throw await refusalOf(problems)
    this.#content = undefined
    return { start: firstStates[data.start] as FirstState, sandboxes }
  }

  /** Sets what is written from now on. */
  writeFrom(source: () => SavedSandboxes): void {
    this.#source = source
  }

  /** Waits until every change that was made so far is on disk. Errors: `data_not_written`. */
  saved(): Promise<void> {
    if (this.#next === null) {
      this.#next = this.#writing
        .catch(() => {})
        .then(async () => {
          // changes that other calls make in this turn are written too
          await turn()
          this.#writing = this.#next as Promise<void>
          this.#next = null
          await this.#write()
        })
    }
    return this.#next
  }

  /** Gives the file up after the writes that wait; it is not written any more. */
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
      await this.#file.write(textOf(this.#source()))
    } catch (error) {
      const message = `The change was made, but ${this.#path} could not be written: ${(error as Error).message}. The next change writes it too.`
      throw new ApiError('data_not_written', { message })
    }
  }
}

/** What the path leads to, whether or not there is a file yet. Errors: `document_invalid` where no file can be. */
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

type JsonFile = Awaited<ReturnType<typeof jsonFile>>

/** Texts of first states; they never change. */
const FIRST_STATE_TEXTS = new WeakMap<FirstState, string>()

/** The file as compact JSON. */
function textOf({ start, sandboxes }: SavedSandboxes): string {
  const firstStates = [...new Set([start, ...sandboxes.map(({ first }) => first)])]
  const texts = sandboxes.map(({ name, first, requests, state }) => {
    const head = JSON.stringify({ name, first_state: firstStates.indexOf(first), requests })
    return `${head.slice(0, -1)},"state":${stateText(state, changedFamilies(state.store, first.store))}}`
  })
  return `{"format":${FORMAT},"start":0,"first_states":[${firstStates.map(firstStateText).join(',')}],"sandboxes":[${texts.join(',')}]}\n`
}

function firstStateText(first: FirstState): string {
  let text = FIRST_STATE_TEXTS.get(first)
  if (text === undefined) {
    const { scenario, expectations } = first
    const head = JSON.stringify({ scenario, expectations: expectations.map(({ data }) => data) })
    text = `${head.slice(0, -1)},"state":${stateText(first)}}`
    FIRST_STATE_TEXTS.set(first, text)
  }
  return text
}

/** The amount refunded of a Transaction follows from its Refunds, so both families are written when one has changed. */
function changedFamilies(store: Store, first: Store) {
  const isChanged = (family: (typeof FAMILIES)[number]) => store[family].revision !== first[family].revision
  const isMoneyChanged = isChanged('transactions') || isChanged('refunds')
  return FAMILIES.filter(family => (family === 'transactions' || family === 'refunds' ? isMoneyChanged : isChanged(family)))
}

/** What a schema cannot say of a file: every index is that of a first state, and every sandbox is there once. */
function problemsIn({ start, first_states, sandboxes }: SerializedData): { steps: Step[]; message: string }[] {
  const problems: { steps: Step[]; message: string }[] = []
  const count = first_states.length
  const checkIndex = (index: number, steps: Step[]) => {
    if (index >= count) problems.push({ steps, message: `the index of one of the ${count} first_states, counted from 0, was expected, not ${index}` })
  }
  checkIndex(start, ['start'])
  const names = new Set<string | null>()
  for (const [index, { name, first_state }] of sandboxes.entries()) {
    checkIndex(first_state, ['sandboxes', index, 'first_state'])
    const steps = ['sandboxes', index, 'name']
    if (name !== null && !isName(name)) problems.push({ steps, message: `a name of a sandbox was expected, not ${name}` })
    if (names.has(name)) problems.push({ steps, message: `the name ${name} is given twice` })
    names.add(name)
  }
  if (!names.has(null)) problems.push({ steps: ['sandboxes'], message: 'the one with the name null, at the base address, is missing' })
  return problems
}

/** An Account that a setting names, as a flag of this start may, and that the state does not have. */
function unknownAccounts(store: Store, { document, at, settings }: ReadContext): DocumentProblem[] {
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
