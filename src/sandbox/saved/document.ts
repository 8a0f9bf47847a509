/** The JSON documents of a data folder: a sandbox, or a snapshot, each whole. */
import { readFile } from 'node:fs/promises'
import type { Checker } from '../../core/checking.js'
import { nested } from '../../core/settings.js'
import type { Family } from '../../reference/operations.js'
import { documentOf, refuseProblems } from '../../scenario/documents.js'
import { withResponses } from '../../scenario/play/references.js'
import type { SourceDocument } from '../../scenario/read/document.js'
import { keysIn, recordText } from '../../scenario/records/export.js'
import type { Json } from '../../scenario/shape/parts.js'
import { FAMILIES, type Store } from '../../store/store.js'
import { REFUSALS, SAYS } from '../sentences.js'
import type { SavedSandbox, SavedState } from '../state.js'
import { DISK, type FileSystem, replaceFile } from './disk.js'

type FirstState = SavedSandbox['first']
export type Written = {
  first: SavedState & Pick<FirstState, 'scenario'> & Partial<FirstState>
  start?: FirstState | undefined
  sandbox?: SavedState & { name: string | null; requests: number }
}

const FORMAT = 5

/** A file as a database. */
async function databaseOf(path: string, files = DISK) {
  const { Low } = await import('lowdb')
  const adapter = {
    read: async () => dataIn(await readFile(path, 'utf8')),
    write: (written: unknown) => replaceFile(path, textsOf(written as Written), files)
  }
  return new Low<unknown>(adapter, null)
}

/** Errors: the system's. */
export async function writeState(
  path: string,
  written: Written,
  files?: FileSystem
): Promise<void> {
  const database = await databaseOf(path, files)
  database.data = written
  await database.write()
}

/** Errors: `document_invalid`. */
export async function readState(path: string, checker: Checker): Promise<SourceDocument> {
  const database = await databaseOf(path)
  await database.read().catch(error => {
    throw REFUSALS.unreadable(path, error.message)
  })
  const document = documentOf(path, database.data)
  await refuseProblems(document, checker)
  return document
}

function dataIn(text: string): object {
  let data: { format?: unknown } | null
  try {
    data = JSON.parse(text)
  } catch {
    throw new Error(SAYS.damaged)
  }
  if (typeof data?.format !== 'number') throw new Error(SAYS.foreign)
  if (data.format !== FORMAT) throw new Error(SAYS.otherFormat(data.format, FORMAT))
  return data
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
  const { scenario, expectations, responses } = first
  const data = expectations?.map(({ data }) => data) as Json
  return textsOfState(first, {
    scenario,
    ...(responses && { expectations: withResponses(data, responses) })
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
  const deleted = Object.fromEntries(families.map(family => [family, store[family].tombstones()]))
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
