/** Reads small documents at once, large ones in a thread. */
import { partAt } from '../core/places.js'
import { pause } from '../work/slices.js'
import type { Worker } from '../work/worker.js'
import { readDocument, type SourceDocument, type TextType, utf8In } from './read/document.js'
import type { DocumentLimits, Wanted } from './read/refusal.js'

export type ReadText = (name: string, text: string, options: ReadOptions) => Promise<SourceDocument>
/** `kind`: what it, or its part `under` a place, must be. */
export type ReadOptions = {
  limits: DocumentLimits
  type?: TextType | null
  kind?: 'fixture' | 'scenario'
  under?: readonly string[]
}
/** For the thread: a text to read, or places in it to find. */
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
    const locate: SourceDocument['locate'] = places =>
      askThread({ read, places: places.map(wantedOf) })
    return { name, limits: options.limits, ...whole, locate }
  }

/** Without what cannot be sent to a thread. */
const wantedOf = ({ steps, isOfName = false }: Wanted): Wanted => ({ steps, isOfName })
