/** The JSON document of a sandbox, in a data folder or as a snapshot: a database, whole. */
import { readFile } from 'node:fs/promises'
import { nested } from '../../core/settings.js'
import { each } from '../../reference/rules.js'
import { documentOf, refuseProblems } from '../../scenario/documents.js'
import { withResponses } from '../../scenario/play/references.js'
import type { SourceDocument } from '../../scenario/read/document.js'
import { exported } from '../../scenario/records/export.js'
import type { Json } from '../../scenario/shape/parts.js'
import { FAMILIES } from '../../store/store.js'
import { jsonPieces } from '../../work/json-pieces.js'
import { REFUSALS, SAYS } from '../sentences.js'
import type { SavedSandbox, SavedState } from '../state.js'
import { DISK, type FileSystem, replaceFile } from './disk.js'
import { CHECKER } from './schema.js'

const FORMAT = 6
/** Down to the records, which are written one by one. */
const LEVELS = 4

async function databaseOf(path: string, files = DISK) {
  const { Low } = await import('lowdb')
  const adapter = {
    read: async () => dataIn(await readFile(path, 'utf8')),
    write: (data: object) => replaceFile(path, jsonPieces(data, LEVELS), files)
  }
  return new Low<object>(adapter, {})
}

/** Errors: the system's. */
export async function writeDocument(
  path: string,
  sandbox: SavedSandbox,
  files?: FileSystem
): Promise<void> {
  const database = await databaseOf(path, files)
  database.data = savedData(sandbox)
  await database.write()
}

/** Errors: `document_invalid`. */
export async function readDocument(path: string): Promise<SourceDocument> {
  const database = await databaseOf(path)
  await database.read().catch(error => {
    throw REFUSALS.unreadable(path, error.message)
  })
  const document = documentOf(path, database.data)
  await refuseProblems(document, CHECKER)
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

export const savedData = ({ first, start, state, requests }: SavedSandbox) => ({
  format: FORMAT,
  first: firstData(first),
  start: start && firstData(start),
  sandbox: { ...stateData(state), requests }
})

const firstData = (first: SavedSandbox['first']) => ({
  ...stateData(first),
  scenario: first.scenario,
  expectations: withResponses(first.expectations.map(({ data }) => data) as Json, first.responses)
})

const stateData = ({ settings, counters, clock, script, store }: SavedState) => ({
  settings: nested(settings),
  counters,
  clock,
  script: script.listed(),
  deleted: each(FAMILIES, family => store[family].tombstones()),
  records: exported(store)
})
