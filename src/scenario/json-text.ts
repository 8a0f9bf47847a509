/** How deep and large a JSON text is, and where its parts are, without parsing. */
import type { Step } from '../core/places.js'
import { type Locate, located, type Place, type PlaceTree } from './places.js'

/** Brackets, commas and colons with their places; those in quotation marks are text. */
export function overMarks(text: string, see: (mark: string, at: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] as string
    if (mark === '"')
      for (at++; at < text.length && text[at] !== '"'; at++) at += text[at] === '\\' ? 1 : 0
    else if ('[]{},:'.includes(mark)) see(mark, at)
  }
}

/** Exact as far as the text is right. */
export function sizeOfJson(text: string): { nesting: number; values: number } {
  let [depth, nesting, values] = [0, 0, 1]
  overMarks(text, mark => {
    if ('[{,'.includes(mark)) values++
    if ('[{'.includes(mark)) nesting = Math.max(nesting, ++depth)
    else if (']}'.includes(mark)) depth--
  })
  return { nesting, values }
}

/** A number as it is written, which is not how it is printed: `1.10`, `+1`. */
export type WrittenNumber = { steps: readonly Step[]; source: string }
export const losesCharacters = (source: string): boolean =>
  /^[-+.\d]/.test(source) && String(Number(source)) !== source

/** Names that an object has twice, with both places, and numbers that lose characters. */
export function lostInJson(text: string) {
  const twice: { name: string; at: number; first: number }[] = []
  const numbers: WrittenNumber[] = []
  const open: { names: Map<string, number>; step: Step }[] = []
  let last = -1
  overMarks(text, (mark, end) => {
    const whole = open.at(-1) as (typeof open)[number]
    if ('[{'.includes(mark)) open.push({ names: new Map(), step: mark === '[' ? 0 : '' })
    else if (mark === ':') {
      const at = text.indexOf('"', last)
      const name: string = JSON.parse(text.slice(at, end))
      const first = whole.names.get(name)
      if (first === undefined) whole.names.set(name, at)
      else twice.push({ name, at, first })
      whole.step = name
    } else {
      const source = text.slice(last + 1, end).trim()
      if (losesCharacters(source)) numbers.push({ steps: open.map(({ step }) => step), source })
      if (mark !== ',') open.pop()
      else if (typeof whole.step === 'number') whole.step++
    }
    last = end
  })
  return { twice, numbers }
}

const NONE: PlaceTree['parts'] = new Map()

/** Lexing as YAML would take ten times as long, parsing a hundred times the memory. */
export const placesInJson = (
  text: string,
  ...wanted: Parameters<Locate<unknown>>
): (Place | null)[] =>
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
      // an object has no part that is named by its index
      if ('[{'.includes(mark))
        open.push({ parts: value?.parts ?? NONE, index: mark === '[' ? -1 : Number.NaN })
      if (']}'.includes(mark)) open.pop()
      else {
        const whole = open.at(-1) as (typeof open)[number]
        whole.index++
        begin(
          at + 1,
          whole.parts.size > 0
            ? whole.parts.get(mark === ':' ? JSON.parse(text.slice(last + 1, at)) : whole.index)
            : undefined
        )
        if (value !== undefined && mark === ':') value.name = text.indexOf('"', last)
      }
      last = at
    })
  })
