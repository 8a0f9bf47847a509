/** The document of a sandbox or snapshot: its states, with the records as they are stored. */
import { readFile } from 'node:fs/promises'
import { remembered } from '../../core/remembered.js'
import { each } from '../../reference/rules.js'
import type { ExpectationData } from '../../scenario/expect/expectations.js'
import { withResponses } from '../../scenario/play/references.js'
import type { ListedEntry } from '../../scenario/script.js'
import type { Json } from '../../scenario/shape/parts.js'
import { collectionOf, FAMILIES, type Records } from '../../store/store.js'
import { jsonPieces, lazily } from '../../work/json-pieces.js'
import { SAYS } from '../sentences.js'
import type { SavedSandbox, SavedState } from '../state.js'
import { type FileSystem, replaceFile } from './disk.js'

const FORMAT = 7
/** Down to the records, which are written one by one. */
const LEVELS = 3

type Deleted = { deleted: string; at: number; owners: string | readonly string[] }
export type StateData = Pick<SavedState, 'settings' | 'counters' | 'clock'> & {
  script: readonly ListedEntry[]
  keys: readonly (readonly [key: string, account: string])[]
  /** In the order of creation. */
  records: { readonly [F in keyof Records]: Iterable<Records[F] | Deleted> }
}
export type FirstData = StateData &
  Pick<SavedSandbox['first'], 'scenario'> & { expect: readonly ExpectationData[] }
type SandboxData = {
  requests: number
  first: FirstData
  start?: FirstData
  state: StateData
}

/** Errors: the system's. */
export async function writeDocument(
  path: string,
  sandbox: SavedSandbox,
  files?: FileSystem
): Promise<void> {
  const database = await databaseAt(path, files)
  database.data = sandbox
  await database.write()
}

/** Errors: the system's; damaged, of another format or of another program. */
export async function readDocument(path: string): Promise<SandboxData> {
  const database = await databaseAt(path)
  await database.read()
  return database.data as SandboxData
}

async function databaseAt(path: string, files?: FileSystem) {
  const { Low } = await import('lowdb')
  const adapter = {
    read: async () => dataIn(await readFile(path, 'utf8')),
    write: (sandbox: object) => replaceFile(path, textOf(sandbox as SavedSandbox), files)
  }
  return new Low<object>(adapter, {})
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

export async function* textOf({ requests, first, start, state }: SavedSandbox) {
  yield `{"format":${FORMAT},"requests":${requests},"first":`
  yield* await firstPieces(first)
  if (start) yield ',"start":'
  if (start) yield* await firstPieces(start)
  yield ',"state":'
  yield* jsonPieces(stateData(state), LEVELS)
  yield '}'
}

/** Outside the heap, for the next write and for other sandboxes. */
const firstPieces = remembered(async (first: SavedSandbox['first']) => {
  const { scenario, expectations, responses } = first
  const expect = withResponses(expectations.map(({ data }) => data) as Json, responses)
  const pieces: Buffer[] = []
  for await (const piece of jsonPieces({ scenario, expect, ...stateData(first) }, LEVELS))
    pieces.push(Buffer.from(piece))
  return pieces
})

export const stateData = ({ settings, counters, clock, script, store }: SavedState) => ({
  settings,
  counters,
  clock,
  script: script.listed(),
  keys: [...store.keys],
  records: each(FAMILIES, family =>
    lazily(
      collectionOf(store, family).places(),
      ([deleted, { record, at, owners }]) => record ?? { deleted, at, owners }
    )
  )
})
