/** Suggestions for misspelled names. */
import { distance } from 'fastest-levenshtein'

/** The known name that a person most likely meant, or null when none is similar. */
export function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const other of known) {
    const apart = distance(name.toLowerCase(), other.toLowerCase())
    if (apart < least) [best, least] = [other, apart]
  }
  return best
}

/** `; did you mean …?` for an error message, or an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === null ? '' : `; did you mean ${meant}?`
}

/** The text with a full stop, unless it ends in one or in a question mark, as a suggestion does. */
export const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)
