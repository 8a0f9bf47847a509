/**
 * Makes text that others wrote safe to print: characters that would control a terminal, reorder
 * what it shows, or not be seen are made visible.
 */

/**
 * Control characters of ASCII and Latin-1, spaces that are not seen as such, line and paragraph
 * separators, and the characters that change the direction of text.
 */
const CONTROLLING =
  /[\p{Cc}\u00a0\u200b\u2060\ufeff\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text on one line, with every controlling character written as an escape such as `\u001b`. */
export const visible = (text: string): string =>
  text.replace(
    CONTROLLING,
    character => NAMES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
