/** Texts of documents: small ones are read at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import { documentOf, refusalOf } from './documents.js'
import type { DocumentLimits } from './limits.js'
import {
  below,
  type DocumentKind,
  readDocument,
  type SourceDocument,
  type TextType,
  utf8In
} from './read/document.js'
import type { Locate } from './read/places.js'
import { isSharedScript } from './script/shared-script.js'
import { isBareFixture, shapeProblems } from './shape.js'

/** `kind`: what it must be, `under` a place of it. Errors: as of `readDocument`. */
export type ReadText = (name: string, text: string, options: ReadOptions) => Promise<SourceDocument>
export type ReadOptions = {
  limits: DocumentLimits
  type?: TextType | null
  kind?: DocumentKind | undefined
  under?: readonly string[]
}
/** What the thread is asked: to read a text, for the next part of it, or for places in it. */
export type Reading =
  | {
      read: { name: string; text: string; options: ReadOptions }
      places?: Parameters<Locate<unknown>>
    }
  | { next: true }
type Part = readonly [path: readonly string[], members: unknown[]]
type Head = Pick<SourceDocument, 'data' | 'numbers' | 'checkedAs'>

/** Characters of a text that is read in a thread. */
const LARGE = 262_144

/** A body of a control request as it was sent. */
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

  /** A large one counts as not empty. */
  get isEmpty(): boolean {
    return this.bytes.length < LARGE && this.text.trim() === ''
  }
}

/** Reads large texts in a thread, until the signal says that nobody waits for it. */
export const readBy =
  (worker: Worker, signalOf: () => AbortSignal): ReadText =>
  async (name, text, options) => {
    if (text.length < LARGE) return readDocument(name, text, options)
    const read = { name, text, options }
    const head = await worker.run(signalOf(), async ask => {
      const head: Head = JSON.parse((await ask({ read })) as string)
      for (;;) {
        const part = (await ask({ next: true })) as string | null
        if (part === null) return head
        const [path, members] = JSON.parse(part) as Part
        const list = partAt(head.data, path) as unknown[]
        list.push(...members)
        await pause()
      }
    })
    return {
      ...documentOf(name, head.data, options.limits),
      ...head,
      locate: (...places) =>
        worker.run(signalOf(), ask => ask({ read, places })) as ReturnType<SourceDocument['locate']>
    }
  }

/** The thread's side; a text is handed over in parts, so that none takes its receiver long. */
export class Reader {
  #parts: Iterator<string> = partsOf([])

  async answer(question: Reading): Promise<unknown> {
    if ('next' in question) return this.#parts.next().value ?? null
    const { name, text, options } = question.read
    const document = await readDocument(name, text, options)
    if (question.places !== undefined) return document.locate(...question.places)
    const { numbers } = document
    const checkedAs = await checkedKind(document, options)
    const lists: Part[] = []
    const data = withoutLists(document.data, [], lists)
    this.#parts = partsOf(lists)
    return JSON.stringify({ data, numbers, checkedAs } satisfies Head)
  }
}

/**
 * Undefined where variables decide whether it is right. Errors: `document_invalid` with the
 * problems of its shape.
 */
async function checkedKind(
  document: SourceDocument,
  { kind, under = [] }: ReadOptions
): Promise<DocumentKind | undefined> {
  const part = below(document, under)
  const { data } = part
  if (
    typeof data === 'string' ||
    kind === undefined ||
    isSharedScript(data) ||
    /\$\{\s*vars\b/.test(JSON.stringify(data))
  )
    return undefined
  const actual = kind === 'fixture' || isBareFixture(data) ? 'fixture' : 'scenario'
  const found = await shapeProblems(part, actual)
  if (found.length === 0) return actual
  throw await refusalOf(found.map(problem => ({ document: part, ...problem })))
}

/** Lists with more members are handed over in parts. */
const MANY = 100
const MAX_LEVELS = 4
/** Characters of a part, about. */
const PART = 65_536

/** Its lists are taken out, to be filled in by parts. */
function withoutLists(data: unknown, path: readonly string[], lists: Part[]): unknown {
  if (typeof data !== 'object' || data === null || path.length > MAX_LEVELS) return data
  if (!Array.isArray(data))
    return Object.fromEntries(
      Object.entries(data).map(([name, part]) => [name, withoutLists(part, [...path, name], lists)])
    )
  if (data.length < MANY) return data
  lists.push([path, data])
  return []
}

function* partsOf(lists: readonly Part[]): Generator<string, undefined> {
  for (const [path, members] of lists) {
    const start = `[${JSON.stringify(path)},[`
    let texts: string[] = []
    let size = 0
    for (const [index, member] of members.entries()) {
      const text = JSON.stringify(member)
      texts.push(text)
      size += text.length
      if (size < PART && index < members.length - 1) continue
      yield `${start}${texts.join(',')}]]`
      texts = []
      size = 0
    }
  }
}
