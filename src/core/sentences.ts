/**
 * What people read. Each room has one table of its sentences, by code, with their values; code and
 * tests compare codes. A sentence about a problem follows its place:
 * `tickets[3].amount: must be a whole number; got "x"`.
 */
import { distance } from 'fastest-levenshtein'

export type Said = { readonly code: string; readonly message: string }
export type Sentences = Readonly<Record<string, (...values: never[]) => string>>

export const sayer =
  <T extends Sentences>(sentences: T) =>
  <C extends keyof T & string>(code: C, ...values: Parameters<T[C]>): Said => ({
    code,
    message: (sentences[code] as (...values: unknown[]) => string)(...values.map(bounded))
  })

/** Longer names are not compared. */
const MAX_COMPARED = 128
const MAX_SHOWN = 60
/** The longest text that a message repeats. */
const MAX_REPEATED = 300
/** Names that a message lists. */
const MAX_LISTED = 20

/**
 * What would control a terminal, reorder what it shows, or not be seen: control characters, spaces
 * that do not look like it, line separators, and what changes the direction of text.
 */
const CONTROLLING =
  /[\p{Cc}\u00a0\u200b\u2060\ufeff\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text of others, safe to print on one line: controlling characters are escaped, as `\u001b`. */
export const visible = (text: string): string =>
  text.replace(
    CONTROLLING,
    character => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )

/** Bytes of a text in memory: one a character, or two if any is beyond Latin-1. */
export const byteSize = (text: string): number =>
  /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length

/** A copy of the beginning, which does not hold the rest in memory; a short text as it is. */
export const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${Buffer.from(text.slice(0, length))}…` : text

export const shortened = (text: string): string => visible(beginningOf(text, MAX_SHOWN))

export const bounded = <T>(value: T): T | string =>
  typeof value === 'string' ? beginningOf(value, MAX_REPEATED) : value

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

/** `; did you mean …?`, or what is available. */
export const adviceOn = (name: string, known: readonly string[]) =>
  didYouMean(name, known) || `; ${thereAre(known)}`

/** Adds a full stop, unless the text ends in one or in a question mark. */
export const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)

export const quoted = (name: string): string => `“${name}”`

export const shownGot = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = shortened(String(value))
  if (value === '') return 'empty text'
  // quotes make blanks at the ends visible
  return /^\s|\s$/.test(text) ? `"${text}"` : text
}

const items = (count: number) => (count === 1 ? 'one item' : `${count} items`)

/** Problems of documents, settings and options. */
export const CHECKS = {
  wrong_type: (types: readonly string[], got: string, advice: string | null) =>
    `must be ${types.join(' or ')}; got ${got}${advice === null ? '' : `; ${advice}`}`,
  not_one_of: (words: readonly string[], got: string) =>
    `must be one of ${words.join(', ')}; got ${got}${didYouMean(got, words)}`,
  unknown_word: (what: string, words: readonly string[], got: string, advice: string) =>
    `${got} is not ${what}${didYouMean(got, words) || `; ${advice}`}`,
  too_large: (maximum: number | string, got: number | string) =>
    `must be at most ${maximum}; got ${got}`,
  too_small: (minimum: number, got: number) => `must be at least ${minimum}; got ${got}`,
  empty: () => 'must not be empty',
  blank: () => 'must not be blank',
  too_short: (minimum: number) => `must be at least ${minimum} characters long`,
  too_long: (maximum: number, got: number) =>
    `must be at most ${maximum} characters long; got ${got}`,
  not_a_key: () => 'must be printable ASCII, without spaces or colons',
  reversed: (low: string, high: string) => `${low} must not exceed ${high}`,
  not_matching: (pattern: string, got: string) => `must match the pattern "${pattern}"; got ${got}`,
  wrong_characters: (expected: string, got: string) => `must be ${expected}; got ${got}`,
  wrong_format: (expected: string) => expected,
  too_few_items: (minimum: number, got: number) =>
    `must have at least ${items(minimum)}; got ${got}`,
  too_many_items: (maximum: number, got: number) =>
    `must have at most ${items(maximum)}; got ${got}`,
  duplicate_item: () => 'must not list an item twice',
  unknown_placeholder: (placeholder: string, known: readonly string[]) =>
    `${placeholder} is not a placeholder${adviceOn(placeholder, known)}`,
  placeholder_count: (placeholder: string, times: number) =>
    `must have the placeholder ${placeholder} once; ${times === 0 ? 'it is missing' : `got it ${times} times`}`,
  template_too_large: (placeholders: number, characters: number) =>
    `must have at most ${placeholders} placeholders and ${characters} characters`,
  required: (name: string) => `${name} is required`,
  needs: (names: readonly string[], name?: string) =>
    `${name ? `${name} needs` : 'must have'} ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}`,
  not_together: (names: readonly string[]) => `${names.join(' and ')} cannot be combined`,
  unknown_name: (name: string, known: readonly string[], advice?: string) =>
    `unknown name ${name}${advice ? `; ${advice}` : adviceOn(name, known)}`,
  set_at_start: (example: string) =>
    `belongs to the process; set it with --set ${example} when you start the emulator`
} satisfies Sentences

export const say = sayer(CHECKS)
