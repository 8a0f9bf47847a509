/** The JSON documents of a data folder: a sandbox, or a snapshot, each whole. */
import { readFile } from 'node:fs/promises'
import type { Low } from 'lowdb'
import { nested } from '../core/settings.js'
import type { Family } from '../reference/operations.js'
import type { ExpectationData } from '../scenario/expect/expectations.js'
import { withAnswers } from '../scenario/play/references.js'
import { keysIn, recordText } from '../scenario/records/export.js'
import type { EntryCount, EntryData } from '../scenario/script.js'
import type { Json } from '../scenario/shape/parts.js'
import type { Tombstone } from '../store/collection.js'
import { collectionOf, FAMILIES, type Store } from '../store/store.js'
import { type FileSystem, replaceFile } from './disk.js'
import { SAYS } from './sentences.js'
import type { SavedSandbox, SavedState } from './state.js'

type FirstState = SavedSandbox['first']

const FORMAT = 5

export type StateData = {
  settings: object
  counters: SavedState['counters']
  clock: SavedState['clock']
  script: ({ id: string; entry: EntryData } & EntryCount)[]
  /** Of a sandbox, a family that is not among them is as in its first state. */
  records: Readonly<Record<string, unknown[]>>
  deleted: Partial<Record<Family, Tombstone[]>>
}
export type FirstData = StateData & {
  scenario: FirstState['scenario']
  expectations?: ExpectationData[]
}
/** A snapshot is a `first` alone. `start`: what new sandboxes begin with, where that differs. */
export type StateDocument = {
  first: FirstData
  start?: FirstData
  sandbox?: StateData & { name: string | null; requests: number }
}
export type Written = {
  first: SavedState & Pick<FirstState, 'scenario'> & Partial<FirstState>
  start?: FirstState | undefined
  sandbox?: SavedState & { name: string | null; requests: number }
}

/** A file as a database. Errors: the system's; what is wrong with its text. */
export async function stateFile(path: string, files: FileSystem): Promise<Low<unknown>> {
  const { Low } = await import('lowdb')
  const adapter = {
    read: () => readState(path),
    write: (written: unknown) => replaceFile(path, textsOf(written as Written), files)
  }
  return new Low<unknown>(adapter, null)
}

async function readState(path: string): Promise<StateDocument> {
  const text = await readFile(path, 'utf8')
  let data: { format?: unknown } | null
  try {
    data = JSON.parse(text)
  } catch {
    throw new Error(SAYS.damaged)
  }
  if (typeof data?.format !== 'number') throw new Error(SAYS.foreign)
  if (data.format !== FORMAT) throw new Error(SAYS.otherFormat(data.format, FORMAT))
  return data as unknown as StateDocument
}

/** The JSON text of a document, in pieces. */
export function* textsOf({ first, start, sandbox }: Written): Generator<string> {
  yield `{"format":${FORMAT},"first":`
  yield* textsOfFirst(first)
  if (start !== undefined) {
    yield ',"start":'
    yield* textsOfFirst(start)
  }
  if (sandbox !== undefined) {
    const { name, requests } = sandbox
    yield ',"sandbox":'
    yield* textsOfState(sandbox, { name, requests }, changedFamilies(sandbox.store, first.store))
  }
  yield '}\n'
}

const textsOfFirst = (first: Written['first']): Generator<string> => {
  const { scenario, expectations, answers } = first
  const data = expectations?.map(({ data }) => data) as Json
  return textsOfState(first, {
    scenario,
    ...(answers && { expectations: withAnswers(data, answers) })
  })
}

/** Refunds give the amount refunded of a Transaction, so both are read where one has changed. */
const MONEY: readonly Family[] = ['transactions', 'refunds']

function changedFamilies(store: Store, base: Store): readonly Family[] {
  const isChanged = (family: Family) => store[family].revision !== base[family].revision
  return FAMILIES.filter(family =>
    MONEY.includes(family) ? MONEY.some(isChanged) : isChanged(family)
  )
}

function* textsOfState(
  { settings, counters, clock, script, store }: SavedState,
  parts: object,
  families: readonly Family[] = FAMILIES
): Generator<string> {
  const deleted = Object.fromEntries(families.map(family => [family, tombstonesIn(store, family)]))
  const state = { settings: nested(settings), counters, clock, script: script.listed(), deleted }
  yield `${JSON.stringify({ ...parts, ...state }).slice(0, -1)},"records":{"api_keys":${JSON.stringify(keysIn(store))}`
  for (const family of families) {
    yield `,"${family}":`
    let before = '['
    for (const record of store[family].inCreationOrder()) {
      yield before + recordText(family, record)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  }
  yield '}}'
}

function tombstonesIn(store: Store, family: Family): Tombstone[] {
  const collection = collectionOf(store, family)
  if (!collection.hasDeleted) return []
  let after = 0
  return collection.places().flatMap(([id, { record, at, owners }]) => {
    if (record !== null) after++
    return record === null ? { id, at, owners: [owners].flat(), after } : []
  })
}
