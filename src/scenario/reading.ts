/** Texts of documents: small ones are read at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import { readDocument, type SourceDocument, type TextType, utf8In } from './read/document.js'
import type { DocumentLimits, Wanted } from './read/refusal.js'

export type ReadText = (name: string, text: string, options: ReadOptions) => Promise<SourceDocument>
/** `kind`: what it must be, or its part `under` a place; a large text is checked where it is read. */
export type ReadOptions = {
  limits: DocumentLimits
  type?: TextType | null
  kind?: 'fixture' | 'scenario'
  under?: readonly string[]
}
/** What the thread is asked: to read a text, or for places in it. */
export type Reading = {
  read: { name: string; text: string; options: ReadOptions }
  places?: readonly Wanted[]
}
export type Part = readonly [path: readonly string[], members: unknown[]]

/** Characters of a text that is read in a thread. */
const LARGE = 262_144

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
    const answer = (question: Reading) => worker.run(signalOf(), ask => ask(question))
    const [head, ...parts] = (await answer({ read })) as [string, ...string[]]
    const whole: Pick<SourceDocument, 'data' | 'numbers' | 'checkedAs'> = JSON.parse(head)
    for (const part of parts) {
      const [path, members]: Part = JSON.parse(part)
      ;(partAt(whole.data, path) as unknown[]).push(...members)
      await pause()
    }
    const locate = (places: readonly Wanted[]) => answer({ read, places: places.map(wantedOf) })
    return { name, limits: options.limits, ...whole, locate: locate as SourceDocument['locate'] }
  }

/** Without what a thread cannot be sent. */
const wantedOf = ({ steps, isOfName = false }: Wanted): Wanted => ({ steps, isOfName })
