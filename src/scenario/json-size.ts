/** How deep and how large a JSON document is by its text, found in one pass before anything parses it. */

/** The deepest nesting and the number of values. */
export type TextSize = { nesting: number; values: number }

/** Sees the brackets, commas and colons of a JSON text, each with its place; those in quotation marks are text. */
export function overMarks(text: string, see: (mark: string, at: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] as string
    if (mark === '"') for (at++; at < text.length && text[at] !== '"'; at++) at += text[at] === '\\' ? 1 : 0
    else if ('[]{},:'.includes(mark)) see(mark, at)
  }
}

/** The size of a JSON text; exact as far as the text is right. */
export function sizeOfJson(text: string): TextSize {
  let [depth, nesting, values] = [0, 0, 1]
  overMarks(text, mark => {
    if ('[{,'.includes(mark)) values++
    if ('[{'.includes(mark)) nesting = Math.max(nesting, ++depth)
    else if (']}'.includes(mark)) depth--
  })
  return { nesting, values }
}
