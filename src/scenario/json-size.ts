/** How deep and how large a JSON document is by its text, found in one pass before anything parses it. */

/** The deepest nesting and the number of values. */
export type TextSize = { nesting: number; values: number }

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 44, 91, 92, 93, 123, 125]

/** The size of a JSON text; exact as far as the text is right. */
export function sizeOfJson(text: string): TextSize {
  let [depth, nesting, values] = [0, 0, 1]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === COMMA) values++
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++
      if (++depth > nesting) nesting = depth
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
  }
  return { nesting, values }
}

/** The place of the quotation mark that ends a text. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}
