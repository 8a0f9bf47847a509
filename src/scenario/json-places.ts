/** Where the parts of a JSON text are, found in one pass for all places that are asked for. */
import type { Step } from '../core/places.js'

/** A line and a column, counted from 1; `source` is a number with zeros before it as it was written. */
export type Place = { line: number; column: number; source?: string }
/** A place that is looked for, with those below it; `offset` is where its value begins. */
export type PlaceTree = { offset: number; readonly parts: Map<Step, PlaceTree> }

/** Places as a tree; a place that is not found has that of the part that it would be in. */
export function placeTree(places: readonly (readonly Step[])[]): { root: PlaceTree; ends: PlaceTree[] } {
  const root: PlaceTree = { offset: -1, parts: new Map() }
  const ends = places.map(steps => {
    let at = root
    for (const step of steps) {
      const next = at.parts.get(step) ?? { offset: -1, parts: new Map() }
      at.parts.set(step, next)
      at = next
    }
    return at
  })
  return { root, ends }
}

/** Gives the places that were not found the offset of the part that they would be in. */
export function settlePlaces({ offset, parts }: PlaceTree): void {
  for (const part of parts.values()) {
    if (part.offset < 0) part.offset = offset
    settlePlaces(part)
  }
}

/** Lines and columns of offsets. */
export function linesOf(text: string, offsets: readonly number[]): Map<number, Place> {
  const places = new Map<number, Place>()
  let [line, start, end] = [1, 0, text.indexOf('\n')]
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while (end >= 0 && end < offset) {
      line++
      start = end + 1
      end = text.indexOf('\n', start)
    }
    places.set(offset, { line, column: offset - start + 1 })
  }
  return places
}

/** The places of parts of a text that is JSON; of a name that is given twice, the last. */
export function placesInJson(text: string, wanted: readonly (readonly Step[])[]): Place[] {
  const { root, ends } = placeTree(wanted)
  new JsonWalk(text).visit(root)
  settlePlaces(root)
  const lines = linesOf(
    text,
    ends.map(({ offset }) => offset)
  )
  return ends.map(({ offset }) => lines.get(offset) as Place)
}

const BLANK = /[ \t\r\n]*/y
/** What is neither a bracket nor a quotation mark. */
const PLAIN = /[^"[\]{}]*/y
const SCALAR = /[^,\]}\s]*/y

class JsonWalk {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Goes over the value that begins here; those of its parts that are looked for are noted. */
  visit(tree: PlaceTree | undefined): void {
    this.#skip(BLANK)
    if (tree !== undefined) tree.offset = this.#at
    const first = this.#text[this.#at]
    const isWanted = tree !== undefined && tree.parts.size > 0
    if (first === '"') this.#skipText()
    else if (first !== '{' && first !== '[') this.#skip(SCALAR)
    else if (!isWanted) this.#skipNested()
    else this.#visitParts(first === '{', tree.parts)
  }

  #visitParts(isNamed: boolean, parts: ReadonlyMap<Step, PlaceTree>): void {
    this.#at++
    for (let index = 0; ; index++) {
      this.#skip(BLANK)
      if (this.#text[this.#at] === (isNamed ? '}' : ']')) break
      this.visit(parts.get(isNamed ? this.#name() : index))
      this.#skip(BLANK)
      if (this.#text[this.#at] === ',') this.#at++
    }
    this.#at++
  }

  #name(): string {
    const start = this.#at
    this.#skipText()
    const name = JSON.parse(this.#text.slice(start, this.#at))
    this.#skip(BLANK)
    this.#at++
    return name
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at
    pattern.test(this.#text)
    this.#at = pattern.lastIndex
  }

  #skipText(): void {
    let end = this.#text.indexOf('"', this.#at + 1)
    for (let slashes = end - 1; ; slashes = end - 1) {
      while (this.#text[slashes] === '\\') slashes--
      if ((end - slashes) % 2 === 1) break
      end = this.#text.indexOf('"', end + 1)
    }
    this.#at = end + 1
  }

  #skipNested(): void {
    let depth = 0
    do {
      const code = this.#text[this.#at]
      if (code === '"') this.#skipText()
      else {
        depth += code === '{' || code === '[' ? 1 : -1
        this.#at++
      }
      if (depth > 0) this.#skip(PLAIN)
    } while (depth > 0)
  }
}
