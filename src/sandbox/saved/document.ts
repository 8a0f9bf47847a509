/** The document of a sandbox or snapshot: its states as scenarios, and what they have counted. */
import { readFile } from 'node:fs/promises'
import * as Type from 'typebox'
import { checkerOf } from '../../core/checking.js'
import { isoOf } from '../../core/instants.js'
import { remembered } from '../../core/remembered.js'
import { nested } from '../../core/settings.js'
import { documentOf, refuseProblems } from '../../scenario/documents.js'
import { withResponses } from '../../scenario/play/references.js'
import { exported } from '../../scenario/records/export.js'
import { closed, type Json, listOf, mapOf } from '../../scenario/shape/parts.js'
import { scenarioSchema } from '../../scenario/shape/scenario.js'
import { jsonPieces } from '../../work/json-pieces.js'
import { REFUSALS, SAYS } from '../sentences.js'
import type { SavedSandbox, SavedState } from '../state.js'
import { type FileSystem, replaceFile } from './disk.js'

const FORMAT = 7
/** Down to the records, which are written one by one. */
const LEVELS = 3

const COUNT = Type.Unsafe<number>({ type: 'integer', minimum: 0 })
const COUNTS = { matched: COUNT, applied: COUNT }
const entryCounts = Type.Object(
  {
    id: Type.String({ pattern: '^scr_[1-9][0-9]{0,8}$' }),
    ...COUNTS,
    values: Type.Optional(Type.Array(Type.Object({ value: Type.String(), ...COUNTS })))
  },
  { additionalProperties: { type: 'integer' } }
)
const stateSchema = () =>
  closed({
    properties: {
      ...scenarioSchema().properties,
      counters: mapOf(COUNT),
      counts: listOf(entryCounts)
    }
  })
const sandboxSchema = () =>
  Type.Object({
    requests: COUNT,
    first: stateSchema(),
    start: Type.Optional(stateSchema()),
    state: stateSchema()
  })
export type StateData = Type.Static<ReturnType<typeof stateSchema>>
export type SandboxData = Type.Static<ReturnType<typeof sandboxSchema>>
const CHECKER = checkerOf(sandboxSchema)

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

/** Errors: `document_invalid`. */
export async function readDocument(path: string) {
  const database = await databaseAt(path)
  await database.read().catch(error => {
    throw REFUSALS.unreadable(path, error.message)
  })
  const document = documentOf(path, database.data)
  await refuseProblems(document, CHECKER)
  return document
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
  const { name, description } = scenario
  const data = {
    name,
    description: description ?? undefined,
    ...stateData(first),
    expect: withResponses(expectations.map(({ data }) => data) as Json, responses)
  }
  const pieces: Buffer[] = []
  for await (const piece of jsonPieces(data, LEVELS)) pieces.push(Buffer.from(piece))
  return pieces
})

export function stateData({
  settings,
  counters,
  clock: { at, running },
  script,
  store
}: SavedState) {
  const { seed, ...others } = settings
  const listed = script.listed()
  return {
    seed,
    settings: nested(others),
    clock: at === null ? undefined : { now: isoOf(at), running },
    script: listed.map(({ entry }) => entry),
    counts: listed.map(({ entry: _, ...count }) => count),
    counters,
    data: exported(store)
  }
}
