/** Reads small documents at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { mapValues } from '../reference/rules.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import type { Located, Part } from './documents.js'
import {
  type ReadOptions,
  type ReadText,
  readDocument,
  type TextType,
  utf8In
} from './read/document.js'
import { asRight, type Kind, kindOf, shapeProblems } from './shape/scenario.js'

/** For the thread: a text to read, or places in it to find. */
export type Reading = {
  read: { name: string; text: string; options: ReadOptions | undefined }
  places?: readonly Part[] | undefined
}
type Head = Pick<Located, 'data' | 'numbers'> & { kind?: Kind; partKind?: Kind }
type Members = readonly [path: readonly string[], members: unknown[]]

/** Characters of a text that is read in a thread. */
const LARGE = 262_144
const MAX_MEMBERS = 100
const MAX_LEVELS = 4

export class Body {
  #text: string | undefined

  constructor(
    readonly type: TextType,
    readonly bytes: Uint8Array
  ) {}

  get text(): string {
    this.#text ??= utf8In('body', this.bytes)
    return this.#text
  }

  /** Large ones are never empty. */
  get isEmpty(): boolean {
    return this.bytes.length < LARGE && this.text.trim() === ''
  }
}

/** A part of a document; a load request has the scenario under `scenario`. */
export const below = ({ name, data, numbers = [], placesOf }: Located, under: string): Located => ({
  name,
  data: partAt(data, [under]),
  numbers: numbers.flatMap(({ steps: [first, ...steps], source }) =>
    first === under ? { steps, source } : []
  ),
  placesOf: parts => placesOf(parts.map(part => ({ ...part, steps: [under, ...part.steps] })))
})

/** The signal ends reading in a thread. */
export const readBy =
  (worker: Worker, signalOf: () => AbortSignal): ReadText =>
  async (name, text, options) => {
    if (text.length < LARGE) return readDocument(name, text, options)
    const askThread = async <T>(places?: readonly Part[]) => {
      const question: Reading = { read: { name, text, options }, places }
      return (await worker.run(signalOf(), ask => ask(question))) as T
    }
    const [head = '', ...lists] = await askThread<string[]>()
    const { data, numbers, kind, partKind }: Head = JSON.parse(head)
    for (const list of lists) {
      const [path, members]: Members = JSON.parse(list)
      ;(partAt(data, path) as unknown[]).push(...members)
      await pause()
    }
    asRight(data, kind)
    asRight(partAt(data, ['scenario']), partKind)
    return { name, data, numbers, placesOf: askThread }
  }

/** In the thread: JSON of the data, long lists in parts, so that none takes long to parse. */
export async function readLarge({ read, places }: Reading): Promise<unknown> {
  const document = await readDocument(read.name, read.text, read.options)
  if (places !== undefined) return document.placesOf(places)
  const lists: Members[] = []
  const head = {
    data: withoutLists(document.data, [], lists),
    numbers: document.numbers,
    kind: rightKind(document),
    partKind: rightKind(below(document, 'scenario'))
  }
  return [head, ...lists].map(part => JSON.stringify(part))
}

/** Of a document with a right shape: checking a large one would make requests wait. */
function rightKind(document: Located): Kind | undefined {
  const kind = kindOf(document.data)
  return shapeProblems(document, kind).length === 0 ? kind : undefined
}

function withoutLists(data: unknown, path: readonly string[], lists: Members[]): unknown {
  if (typeof data !== 'object' || data === null || path.length > MAX_LEVELS) return data
  if (!Array.isArray(data))
    return mapValues(data, (part, name) => withoutLists(part, [...path, name], lists))
  if (data.length < MAX_MEMBERS) return data
  for (let start = 0; start < data.length; start += MAX_MEMBERS)
    lists.push([path, data.slice(start, start + MAX_MEMBERS)])
  return []
}
