/** Bodies of control requests that hold documents. */
import { type TextType, utf8In } from './read/document.js'

/** A body as it was sent. */
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

  /** A large one counts as not empty, and is not read for that. */
  get isEmpty(): boolean {
    return !this.isLarge && this.text.trim() === ''
  }

  /** Whether reading it would make other requests wait. */
  get isLarge(): boolean {
    return this.bytes.length > LARGE[this.type]
  }
}

/** Bytes; larger texts are read in a worker. Texts of these sizes take about the same time. */
export const LARGE: Readonly<Record<TextType, number>> = { json: 65_536, yaml: 16_384 }
/** More records are made in a worker. */
export const MANY_RECORDS = 5000

/** Ends the reading of a document, so that a worker reads it. */
export class TooLargeHere extends Error {}
