/**
 * What people read. Each room has one table of its sentences, by code, with their values; code and
 * tests compare codes. A sentence about a problem follows its place:
 * `tickets[3].amount: must be a whole number; got "x"`.
 */
import { bounded, didYouMean, shortened } from './nearest.js'

export type Said = { readonly code: string; readonly message: string }
export type Sentences = Readonly<Record<string, (...values: never[]) => string>>

export const sayer =
  <T extends Sentences>(sentences: T) =>
  <C extends keyof T & string>(code: C, ...values: Parameters<T[C]>): Said => ({
    code,
    message: (sentences[code] as (...values: unknown[]) => string)(...values.map(bounded))
  })

const items = (count: number) => (count === 1 ? 'one item' : `${count} items`)
export const shownGot = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = shortened(String(value))
  if (value === '') return 'empty text'
  // quotes make blanks at the ends visible
  return /^\s|\s$/.test(text) ? `"${text}"` : text
}
export const quoted = (name: string): string => `“${name}”`
const hint = (advice: string | null) => (advice === null ? '' : `; ${advice}`)

/** Problems of documents, settings and options. */
export const CHECKS = {
  wrong_type: (types: readonly string[], got: string, advice: string | null) =>
    `must be ${types.join(' or ')}; got ${got}${hint(advice)}`,
  not_one_of: (words: readonly string[], got: string) =>
    `must be one of ${words.join(', ')}; got ${got}${didYouMean(got, words)}`,
  unknown_word: (what: string, words: readonly string[], got: string, advice: string) =>
    `${got} is not ${what}${didYouMean(got, words) || `; ${advice}`}`,
  too_large: (maximum: number | string, got: string) => `must be at most ${maximum}; got ${got}`,
  too_small: (minimum: number, got: string) => `must be at least ${minimum}; got ${got}`,
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
    `${placeholder} is not a placeholder${didYouMean(placeholder, known) || `; available: ${known.join(', ')}`}`,
  placeholder_count: (placeholder: string, times: number) =>
    `must have the placeholder ${placeholder} once; ${times === 0 ? 'it is missing' : `got it ${times} times`}`,
  template_too_large: (placeholders: number, characters: number) =>
    `must have at most ${placeholders} placeholders and ${characters} characters`,
  required: (name: string) => `${name} is required`,
  needs: (names: readonly string[], name?: string) =>
    `${name ? `${name} needs` : 'must have'} ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}`,
  not_together: (names: readonly string[]) => `${names.join(' and ')} cannot be combined`,
  unknown_name: (name: string, known: readonly string[], advice?: string) =>
    `unknown name ${name}${advice ? `; ${advice}` : didYouMean(name, known) || `; available: ${known.join(', ')}`}`
} satisfies Sentences

export const say = sayer(CHECKS)
