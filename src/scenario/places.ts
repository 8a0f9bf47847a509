/** Where the parts of a text are, found in one pass for all places that are asked for. */
import { LineCounter } from 'yaml'
import type { Step } from '../core/places.js'
import { overMarks } from './json-size.js'

/** A line and a column, counted from 1. */
export type Place = { line: number; column: number }
/** A part that is looked for, with those of it; `offset` is where its value begins, as soon as that is known. */
export type PlaceTree = { parts: Map<Step, PlaceTree>; offset: number }

/** Finds the line and the column of an offset. */
export function placesIn(text: string): (offset: number) => Place {
  const lines = new LineCounter()
  for (let start = 0, end = 0; end >= 0; start = end + 1) {
    lines.addNewLine(start)
    end = text.indexOf('\n', start)
  }
  return offset => {
    const { line, col: column } = lines.linePos(offset)
    return { line, column }
  }
}

/** The places of parts of a text, whose offsets `note` gives as far as they are there; a part that is not has the place of the whole. */
export function located(text: string, wanted: readonly (readonly Step[])[], note: (root: PlaceTree) => void): (Place | null)[] {
  const root: PlaceTree = { parts: new Map(), offset: -1 }
  const paths = wanted.map(steps => {
    const path = [root]
    for (const step of steps) {
      const { parts } = path.at(-1) as PlaceTree
      const part = parts.get(step) ?? { parts: new Map(), offset: -1 }
      parts.set(step, part)
      path.push(part)
    }
    return path
  })
  note(root)
  const placeOf = placesIn(text)
  return paths.map(path => {
    const offset = Math.max(...path.map(({ offset }) => offset))
    return offset < 0 ? null : placeOf(offset)
  })
}

const NONE: PlaceTree['parts'] = new Map()

/**
 * The places of parts of a text that is JSON; of a name that is given twice, the last. To lex it as YAML would take ten times as long, and to parse it as
 * YAML a hundred times the memory.
 */
export const placesInJson = (text: string, wanted: readonly (readonly Step[])[]): (Place | null)[] =>
  located(text, wanted, root => {
    const open: { parts: PlaceTree['parts']; index: number }[] = []
    let value: PlaceTree | undefined
    let last = -1
    const begin = (start: number, part: PlaceTree | undefined) => {
      value = part
      const at = part === undefined ? -1 : start + text.slice(start).search(/\S/)
      if (part !== undefined && text[at] !== ']') part.offset = at
    }
    begin(0, root)
    overMarks(text, (mark, at) => {
      // an object has no part that is called by its index
      if ('[{'.includes(mark)) open.push({ parts: value?.parts ?? NONE, index: mark === '[' ? -1 : Number.NaN })
      if (']}'.includes(mark)) open.pop()
      else {
        const whole = open.at(-1) as (typeof open)[number]
        whole.index++
        begin(at + 1, whole.parts.size > 0 ? whole.parts.get(mark === ':' ? JSON.parse(text.slice(last + 1, at)) : whole.index) : undefined)
      }
      last = at
    })
  })
