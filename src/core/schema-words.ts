/** The words of JSON Schema: what each requires, and the message for a wrong value. */
import { durationOf } from './durations.js'
import { FORMATS, NOT_BLANK } from './formats.js'
import { instantOf } from './instants.js'
import { shortened } from './nearest.js'
import type { Step } from './places.js'
import { isSecret } from './redaction.js'
import { type Said, say, shownGot } from './sentences.js'
import { placeholdersIn, type TemplateRule } from './templates.js'

/** Limits of a template. */
const MAX_PLACEHOLDERS = 100
const MAX_TEMPLATE = 16_384

export type Schema = Readonly<{
  [word: string]: unknown
  type?: string | readonly string[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | boolean
  required?: readonly string[]
  if?: Schema
  then?: Schema
  else?: Schema
  'x-advice'?: string
  'x-expected'?: string
  'x-many'?: { what: string; advice: string; others: string }
  'x-instead'?: Readonly<Record<string, string>>
  'x-rules'?: readonly Rule[]
}>
/** An object must have one of the names, or a name needs one or excludes all. */
export type Rule = readonly [
  kind: 'one' | 'needs' | 'excludes',
  names: readonly string[],
  name?: string
]
type Test = (value: unknown) => boolean

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, [test: Test, name: string]>> = {
  string: [value => typeof value === 'string', 'text'],
  // YAML has numbers that are not finite, which the bounds refuse
  integer: [
    value => typeof value === 'number' && !(value % 1) && !Number.isNaN(value),
    'a whole number'
  ],
  number: [value => typeof value === 'number', 'a number'],
  boolean: [value => typeof value === 'boolean', 'true or false'],
  object: [isObject, 'an object'],
  array: [Array.isArray, 'a list'],
  null: [value => value === null, 'null']
}
const typesIn = (names: string | readonly string[]) =>
  [names].flat().map(name => TYPES[name] as [Test, string])
export const typeTest = (names: string | readonly string[]): Test =>
  typesIn(names)
    .map(([test]) => test)
    .reduce((first, second) => value => first(value) || second(value))

/** `wanted` is the schema's value of the word; null for a valid value. */
type Word = (wanted: never, value: never, schema: Schema, steps: readonly Step[]) => Said | null

/** In the order of reporting: only the first problem of a value is reported. */
export const WORDS: Readonly<Record<string, Word>> = {
  type: (
    names: string | readonly string[],
    value: unknown,
    { 'x-advice': advice, format },
    steps
  ) => {
    const ofFormat = typeof value === 'number' && FORMATS[format as FormatName]?.problem(`${value}`)
    if (ofFormat) return say('wrong_format', ofFormat.expected)
    const expected = typesIn(names).map(([, name]) => name)
    return say('wrong_type', expected, shownGot(value), advice ?? typeHint(names, value, steps))
  },
  enum: (wanted: readonly unknown[], value, { 'x-many': many }) => {
    if (wanted.includes(value) || (many && patternOf(many.others).test(value))) return null
    const words = wanted.filter(word => word !== null).map(String)
    return many
      ? say('unknown_word', many.what, words, shownGot(value), many.advice)
      : say('not_one_of', words, shownGot(value))
  },
  maximum: (maximum: number, value: unknown) =>
    typeof value !== 'number' || value <= maximum
      ? null
      : say('too_large', maximum, shownGot(value)),
  minimum: (minimum: number, value: unknown) =>
    typeof value !== 'number' || value >= minimum
      ? null
      : say('too_small', minimum, shownGot(value)),
  minLength: (minimum: number, value: unknown) => {
    if (typeof value !== 'string' || value.length >= minimum) return null
    return minimum === 1 ? say('empty') : say('too_short', minimum)
  },
  maxLength: (maximum: number, value: unknown) =>
    typeof value === 'string' && value.length > maximum
      ? say('too_long', maximum, value.length)
      : null,
  pattern: (source: string, value: unknown, { 'x-expected': expected }, steps) => {
    if (typeof value !== 'string' || patternOf(source).test(value)) return null
    if (source === NOT_BLANK) return say(value === '' ? 'empty' : 'blank')
    if (steps.at(-1) === 'key') return say('not_a_key')
    return expected === undefined
      ? say('not_matching', source, shownGot(value))
      : say('wrong_characters', expected, shownGot(value))
  },
  format: (name: FormatName, value: unknown) => {
    const problem = typeof value === 'string' ? FORMATS[name].problem(value) : null
    return problem && say('wrong_format', problem.expected)
  },
  'x-template': ({ placeholders, once }: TemplateRule, template: unknown) => {
    const used = placeholdersIn(template)
    if (used.length > MAX_PLACEHOLDERS || JSON.stringify(template).length > MAX_TEMPLATE)
      return say('template_too_large', MAX_PLACEHOLDERS, MAX_TEMPLATE)
    const unknown = used.find(text => !placeholders.includes(text))
    if (unknown !== undefined) return say('unknown_placeholder', shownGot(unknown), placeholders)
    const times = used.filter(text => text === once).length
    return once === undefined || times === 1 ? null : say('placeholder_count', once, times)
  },
  'x-ordered': ([low, high]: readonly [string, string], value: unknown) =>
    isObject(value) && sizeOf(value[low]) > sizeOf(value[high]) ? say('reversed', low, high) : null,
  minItems: (minimum: number, value: unknown) =>
    Array.isArray(value) && value.length < minimum
      ? say('too_few_items', minimum, value.length)
      : null,
  maxItems: (maximum: number, value: unknown) =>
    !Array.isArray(value) || value.length <= maximum
      ? null
      : say('too_many_items', maximum, value.length),
  minProperties: (minimum: number, value: unknown) =>
    isObject(value) && Object.keys(value).length < minimum ? say('empty') : null,
  uniqueItems: (_, value: unknown) =>
    !Array.isArray(value) || new Set(value).size === value.length ? null : say('duplicate_item')
}

/** Of a number, an instant or a duration; NaN for others. */
const sizeOf = (value: unknown): number =>
  typeof value === 'string'
    ? (instantOf(value) ?? durationOf(value) ?? Number.NaN)
    : Number(value ?? Number.NaN)

type FormatName = keyof typeof FORMATS
const PATTERNS = new Map<string, RegExp>()
function patternOf(source: string): RegExp {
  const pattern = PATTERNS.get(source) ?? new RegExp(source, 'u')
  PATTERNS.set(source, pattern)
  return pattern
}

/** Advice for a wrong type: quote a number, or write one value as a list. */
function typeHint(
  types: string | readonly string[],
  value: unknown,
  steps: readonly Step[]
): string | null {
  if ([types].flat().includes('string')) {
    if (typeof value !== 'number' && typeof value !== 'boolean') return null
    return isSecret(steps, String(value)) ? 'quote it' : `quote it: "${value}"`
  }
  return types === 'array' && typeof value === 'string'
    ? `write it as a list: [${shortened(value)}]`
    : null
}
