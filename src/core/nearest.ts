/** Suggestions for names that do not exist. */
import { distance } from 'fastest-levenshtein'
import { visible } from './visible.js'

/** Longer names are not compared. */
const MAX_COMPARED = 128
const MAX_SHOWN = 60
/** The longest text that a message repeats. */
const MAX_REPEATED = 300
/** Names that a message lists. */
const MAX_LISTED = 20

export const shortened = (text: string): string =>
  visible(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

export const bounded = <T>(value: T): T | string =>
  typeof value === 'string' && value.length > MAX_REPEATED
    ? `${value.slice(0, MAX_REPEATED)}…`
    : value

/** The most similar known name, or null. */
export function nearest(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_COMPARED) return null
  let best: string | null = null
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (candidate.length > MAX_COMPARED) continue
    const apart = distance(name.toLowerCase(), candidate.toLowerCase())
    if (apart < least) [best, least] = [candidate, apart]
  }
  return best
}

/** `; did you mean …?` for an error message, or an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known)
  return suggestion === null ? '' : `; did you mean ${suggestion}?`
}

/** `a, b and 3 more`. */
export function someOf(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(', ')
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed
}

/** `available: a, b and 3 more`, or `there are none`. */
export const thereAre = (names: readonly string[]): string =>
  names.length === 0 ? 'there are none' : `available: ${someOf(names)}`

/** Adds a full stop, unless the text ends in one or in a question mark. */
export const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)
