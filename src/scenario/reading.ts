/** Reads small documents at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { mapValues } from '../reference/rules.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import { refusalOf } from './documents.js'
import {
  below,
  type DocumentKind,
  type ReadOptions,
  type ReadText,
  readDocument,
  type SourceDocument,
  type TextType,
  utf8In
} from './read/document.js'
import type { Wanted } from './read/refusal.js'
import { isSharedScript } from './script/shared-script.js'
import { isBareFixture, shapeProblems } from './shape/sources.js'

export type { ReadText } from './read/document.js'
/** For the thread: a text to read, or places in it to find. */
export type Reading = {
  read: { name: string; text: string; options: ReadOptions }
  places?: readonly Wanted[]
}
type Part = readonly [path: readonly string[], members: unknown[]]

/** Characters of a text that is read in a thread. */
const LARGE = 262_144
const MAX_MEMBERS = 100
const MAX_LEVELS = 4

export class Body {
  readonly type: TextType
  readonly bytes: Uint8Array
  #text: string | undefined

  constructor(type: TextType, bytes: Uint8Array) {
    this.type = type
    this.bytes = bytes
  }

  get text(): string {
    this.#text ??= utf8In('body', this.bytes)
    return this.#text
  }

  /** Large ones are never empty. */
  get isEmpty(): boolean {
    return this.bytes.length < LARGE && this.text.trim() === ''
  }
}

/** The signal ends reading in a thread. */
export const readBy =
  (worker: Worker, signalOf: () => AbortSignal): ReadText =>
  async (name, text, options) => {
    if (text.length < LARGE) return readDocument(name, text, options)
    const read = { name, text, options }
    const askThread = async <T>(question: Reading) =>
      (await worker.run(signalOf(), ask => ask(question))) as T
    const [head = '', ...parts] = await askThread<string[]>({ read })
    const whole: Pick<SourceDocument, 'data' | 'numbers' | 'checkedAs'> = JSON.parse(head)
    for (const part of parts) {
      const [path, members]: Part = JSON.parse(part)
      ;(partAt(whole.data, path) as unknown[]).push(...members)
      await pause()
    }
    return { name, limits: options.limits, ...whole, locate: places => askThread({ read, places }) }
  }

/** In the thread: JSON of the data, long lists in parts, so that none takes long to parse. */
export async function readLarge({ read, places }: Reading): Promise<unknown> {
  const document = await readDocument(read.name, read.text, read.options)
  if (places !== undefined) return document.locate(places)
  const parts: Part[] = []
  const data = withoutLists(document.data, [], parts)
  const checkedAs = await checkedKind(document, read.options)
  const head = { data, numbers: document.numbers, checkedAs }
  return [head, ...parts].map(part => JSON.stringify(part))
}

/** Undefined where variables decide. Errors: `document_invalid` with the problems of its shape. */
async function checkedKind(
  whole: SourceDocument,
  { kind, under = [] }: ReadOptions
): Promise<DocumentKind | undefined> {
  const document = below(whole, under)
  const { data } = document
  const isOpen = typeof data === 'string' || isSharedScript(data)
  if (kind === undefined || isOpen || /\$\{\s*vars\b/.test(JSON.stringify(data))) return undefined
  const actual = isBareFixture(data) ? 'fixture' : kind
  const problems = shapeProblems(document, actual)
  if (problems.length === 0) return actual
  throw await refusalOf(problems.map(problem => ({ document, ...problem })))
}

function withoutLists(data: unknown, path: readonly string[], parts: Part[]): unknown {
  if (typeof data !== 'object' || data === null || path.length > MAX_LEVELS) return data
  if (!Array.isArray(data))
    return mapValues(data, (part, name) => withoutLists(part, [...path, name], parts))
  if (data.length < MAX_MEMBERS) return data
  for (let start = 0; start < data.length; start += MAX_MEMBERS)
    parts.push([path, data.slice(start, start + MAX_MEMBERS)])
  return []
}
