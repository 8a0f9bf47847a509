/** The value of a text of JSON; a text that is none is left as it is. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
