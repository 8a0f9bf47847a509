/** What each word of a JSON Schema asks of a value, and what is said of one that does not keep it: what was expected, what was probably meant. */
import { durationExpected } from './durations.js'
import { FORMATS, type FormatProblem, NOT_BLANK } from './formats.js'
import { shortened } from './nearest.js'
import type { Step } from './places.js'
import { type Said, say } from './sentences.js'
import { placeholdersIn, type TemplateRule } from './templates.js'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>
export type Test = (value: unknown) => boolean

/** Whether a value can have named parts. */
export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The types of JSON: which values are of each, and what it is called. */
const TYPES: Readonly<Record<string, [test: Test, name: string]>> = {
  string: [value => typeof value === 'string', 'text'],
  // YAML has numbers that are not finite, which the bounds refuse
  integer: [value => typeof value === 'number' && !(value % 1) && !Number.isNaN(value), 'a whole number'],
  number: [value => typeof value === 'number', 'a number'],
  boolean: [value => typeof value === 'boolean', 'true or false'],
  object: [isObject, 'an object'],
  array: [Array.isArray, 'a list'],
  null: [value => value === null, 'null']
}
const typesIn = (names: string | readonly string[]) => [names].flat().map(name => TYPES[name] as [Test, string])

/** A test of the values of one type, which lets every other value pass. */
const ofText =
  (test: (text: string) => boolean): Test =>
  value =>
    typeof value !== 'string' || test(value)
const ofNumbers =
  (test: (number: number) => boolean): Test =>
  value =>
    typeof value !== 'number' || test(value)

/** A word about a value as a whole: its test, and what is said of a value that it refuses. */
type Word = { test: (wanted: never) => Test; says: (wanted: never, value: never, schema: Schema, steps: readonly Step[]) => Said }

/** The words about values, in the order in which one that fails is reported: a value has one problem, of its type where that is wrong. */
export const WORDS: Readonly<Record<string, Word>> = {
  type: {
    test: (names: string | readonly string[]) =>
      typesIn(names)
        .map(([test]) => test)
        .reduce((one, other) => value => one(value) || other(value)),
    says: (names: string | readonly string[], value, { 'x-duration': isDuration }) => {
      if (isDuration && typeof value === 'number') return say('wrong_format', durationExpected(value))
      const expected = typesIn(names).map(([, name]) => name)
      return say('wrong_type', expected, shown(value), typeHint(names, value))
    }
  },
  enum: {
    test: (words: readonly unknown[]) => value => words.includes(value),
    says: (wanted: readonly unknown[], value, { 'x-many': many }) => {
      const words = wanted.filter(word => word !== null).map(String)
      const { what, advice } = (many ?? {}) as { what?: string; advice: string }
      return what === undefined ? say('not_one_of', words, shown(value)) : say('unknown_word', what, words, shown(value), advice)
    }
  },
  maximum: {
    test: (maximum: number) => ofNumbers(value => value <= maximum),
    says: (maximum, value) => say('too_large', maximum, shown(value))
  },
  minimum: {
    test: (minimum: number) => ofNumbers(value => value >= minimum),
    says: (minimum, value) => say('too_small', minimum, shown(value))
  },
  minLength: {
    test: (minimum: number) => ofText(value => value.length >= minimum),
    says: (minimum: number) => (minimum === 1 ? say('empty') : say('too_short', minimum))
  },
  pattern: {
    test: (source: string) => {
      const pattern = new RegExp(source, 'u')
      return ofText(value => pattern.test(value))
    },
    says: (wanted, value, schema, steps) => {
      if (wanted === NOT_BLANK) return say(value === '' ? 'empty' : 'blank')
      return steps.at(-1) === 'key' ? say('not_a_key') : patternBroken(schema, value)
    }
  },
  format: {
    test: (name: keyof typeof FORMATS) => ofText(value => FORMATS[name].problem(value) === null),
    says: (name: keyof typeof FORMATS, value) => say('wrong_format', (FORMATS[name].problem(value) as FormatProblem).expected)
  },
  'x-template': {
    test: (rule: TemplateRule) => value => !isObject(value) || templateProblem(rule, value) === null,
    says: (rule: TemplateRule, value) => templateProblem(rule, value) as Said
  },
  minItems: {
    test: (minimum: number) => value => !Array.isArray(value) || value.length >= minimum,
    says: (minimum, value) => say('too_few_items', minimum, (value as []).length)
  },
  maxItems: {
    test: (maximum: number) => value => !Array.isArray(value) || value.length <= maximum,
    says: (maximum, value) => say('too_many_items', maximum, (value as []).length)
  },
  uniqueItems: {
    test: () => value => !Array.isArray(value) || new Set(value).size === value.length,
    says: () => say('duplicate_item')
  }
}

/** What is wrong with a template; null where nothing is. */
function templateProblem({ placeholders, once }: TemplateRule, template: object): Said | null {
  const found = placeholdersIn(template)
  const unknown = found.find(text => !placeholders.includes(text))
  if (unknown !== undefined) return say('unknown_placeholder', shown(unknown), placeholders)
  const times = found.filter(text => text === once).length
  return once === undefined || times === 1 ? null : say('placeholder_count', once, times)
}

const shown = (value: unknown) => {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return value === '' ? 'an empty text' : shortened(String(value))
}
/** What to write instead of a value of the wrong type: a number as text, or one value as a list. */
function typeHint(types: string | readonly string[], value: unknown): string | null {
  if ([types].flat().includes('string')) return typeof value === 'number' || typeof value === 'boolean' ? `quote it: "${value}"` : null
  return types === 'array' && typeof value === 'string' ? `write it as a list: [${shortened(value)}]` : null
}

/** What a text has to look like: in words where its schema has some, with what to write instead. */
function patternBroken({ pattern, 'x-expected': expected, 'x-instead': instead }: Schema, value: string): Said {
  if (expected === undefined) return say('not_matching', pattern as string, shown(value))
  // what is no part of it is left out at the ends, and becomes one underscore elsewhere
  const meant = value.match(new RegExp(instead as string, 'g'))?.join('_') ?? value
  return say('wrong_characters', expected as string, shown(value), meant === value ? null : meant)
}
