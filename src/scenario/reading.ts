/** Reads small documents at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { mapValues } from '../reference/rules.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import {
  below,
  type Kind,
  type ReadOptions,
  type ReadText,
  readDocument,
  type SourceDocument,
  type TextType,
  utf8In
} from './read/document.js'
import type { Wanted } from './read/refusal.js'
import { isBareFixture, shapeProblems } from './shape/scenario.js'

/** For the thread: a text to read, or places in it to find. */
export type Reading = {
  read: { name: string; text: string; options: ReadOptions | undefined }
  places?: readonly Wanted[] | undefined
}
type Part = readonly [path: readonly string[], members: unknown[]]

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

/** The signal ends reading in a thread. */
export const readBy =
  (worker: Worker, signalOf: () => AbortSignal): ReadText =>
  async (name, text, options) => {
    if (text.length < LARGE) return readDocument(name, text, options)
    const askThread = async <T>(places?: readonly Wanted[]) => {
      const question: Reading = { read: { name, text, options }, places }
      return (await worker.run(signalOf(), ask => ask(question))) as T
    }
    const [head = '', ...parts] = await askThread<string[]>()
    const whole: Omit<SourceDocument, 'name' | 'locate'> = JSON.parse(head)
    for (const part of parts) {
      const [path, members]: Part = JSON.parse(part)
      ;(partAt(whole.data, path) as unknown[]).push(...members)
      await pause()
    }
    return { name, ...whole, locate: askThread }
  }

/** In the thread: JSON of the data, long lists in parts, so that none takes long to parse. */
export async function readLarge({ read, places }: Reading): Promise<unknown> {
  const document = await readDocument(read.name, read.text, read.options)
  const { data, numbers, locate } = document
  if (places !== undefined) return locate(places)
  const parts: Part[] = []
  const scenarioAs = kindOf(below(document, ['scenario']))
  const whole = withoutLists(data, [], parts)
  const head = { data: whole, numbers, checkedAs: kindOf(document), scenarioAs }
  return [head, ...parts].map(part => JSON.stringify(part))
}

/** Of a document with a right shape: checking a large one would make requests wait. */
function kindOf(document: SourceDocument): Kind | undefined {
  const kind = isBareFixture(document.data) ? 'fixture' : 'scenario'
  return shapeProblems(document, kind).length === 0 ? kind : undefined
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
