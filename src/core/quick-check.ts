/** What each word of a JSON Schema asks of a value, and what is said of one that does not keep it: what was expected, what was probably meant. */
import { durationExpected } from './durations.js'
import { FORMATS, type FormatProblem, NOT_BLANK } from './formats.js'
import { didYouMean, didYouMeanOneOf, shortened } from './nearest.js'
import type { Step } from './places.js'
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
type Word = { test: (wanted: never) => Test; says: (wanted: never, value: never, schema: Schema, steps: readonly Step[]) => string }

/** The words about values, in the order in which one that fails is reported: a value has one problem, of its type where that is wrong. */
export const WORDS: Readonly<Record<string, Word>> = {
  type: {
    test: (names: string | readonly string[]) => {
      const [[test], ...others] = typesIn(names) as [[Test, string], ...[Test, string][]]
      return others.reduce<Test>(
        (one, [other]) =>
          value =>
            one(value) || other(value),
        test
      )
    },
    says: (names: string | readonly string[], value, schema) => {
      if (schema['x-duration'] && typeof value === 'number') return durationExpected(value)
      const expected = typesIn(names).map(([, name]) => name)
      return `${expected.join(' or ')} was expected, not ${shown(value)}${typeHint(names, value)}`
    }
  },
  enum: {
    test: (words: readonly unknown[]) => value => words.includes(value),
    says: (wanted: readonly unknown[], value, { 'x-many': many }) => {
      const words = wanted.filter(word => word !== null).map(String)
      const { what, advice } = (many ?? {}) as { what?: string; advice: string }
      if (what !== undefined) return `${shown(value)} is no ${what}${didYouMeanOneOf(shown(value), words, advice)}`
      return `one of ${words.join(', ')} was expected, not ${shown(value)}${didYouMean(shown(value), words)}`
    }
  },
  maximum: {
    test: (most: number) => ofNumbers(value => value <= most),
    says: (most, value) => `at most ${most} was expected, not ${shown(value)}`
  },
  minimum: {
    test: (least: number) => ofNumbers(value => value >= least),
    says: (least, value) => `at least ${least} was expected, not ${shown(value)}`
  },
  minLength: {
    test: (least: number) => ofText(value => value.length >= least),
    says: (least: number) => (least === 1 ? 'text was expected, not an empty one' : `must be at least ${least} characters long`)
  },
  pattern: {
    test: (source: string) => {
      const pattern = new RegExp(source, 'u')
      return ofText(value => pattern.test(value))
    },
    says: (wanted, value, schema, steps) => {
      if (wanted === NOT_BLANK) return `text was expected, not ${value === '' ? 'an empty one' : 'white space alone'}`
      return steps.at(-1) === 'key' ? 'a key is printable, without spaces and without a colon' : patternHint(schema, value)
    }
  },
  format: {
    test: (name: keyof typeof FORMATS) => ofText(value => FORMATS[name].problem(value) === null),
    says: (name: keyof typeof FORMATS, value) => (FORMATS[name].problem(value) as FormatProblem).expected
  },
  'x-template': {
    test: (rule: TemplateRule) => value => !isObject(value) || templateProblem(rule, value) === null,
    says: (rule: TemplateRule, value) => templateProblem(rule, value) as string
  },
  minItems: {
    test: (least: number) => value => !Array.isArray(value) || value.length >= least,
    says: (least, value) =>
      least === 1 ? 'a list with a member was expected, not an empty one' : `at least ${least} members were expected, not ${(value as []).length}`
  },
  maxItems: {
    test: (most: number) => value => !Array.isArray(value) || value.length <= most,
    says: (most, value) => `at most ${most} members were expected, not ${(value as []).length}`
  },
  uniqueItems: {
    test: () => value => !Array.isArray(value) || new Set(value).size === value.length,
    says: () => 'members that differ were expected, not the same one twice'
  }
}

/** What is wrong with a template; null where nothing is. */
function templateProblem({ placeholders, once }: TemplateRule, template: object): string | null {
  const found = placeholdersIn(template)
  const unknown = found.find(text => !placeholders.includes(text))
  if (unknown !== undefined) return `${shown(unknown)} is no placeholder${didYouMeanOneOf(unknown, placeholders, `known here: ${placeholders.join(', ')}`)}`
  const times = found.filter(text => text === once).length
  if (once === undefined || times === 1) return null
  return `the placeholder ${once} was expected once, not ${times === 0 ? 'never' : `${times} times`}`
}

const shown = (value: unknown) => {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : shortened(String(value))
}
/** What to write instead of a value of the wrong type: a number as text, or one value as a list. */
function typeHint(types: string | readonly string[], value: unknown): string {
  if ([types].flat().includes('string')) return typeof value === 'number' || typeof value === 'boolean' ? `; quote it: "${value}"` : ''
  return types === 'array' && typeof value === 'string' ? `; write it as a list: [${shortened(value)}]` : ''
}

/** What a text has to look like: in words where its schema has some, with what to write instead. */
function patternHint({ pattern, 'x-expected': expected, 'x-instead': instead }: Schema, value: string): string {
  const not = value === '' ? 'an empty text' : shown(value)
  if (expected === undefined) return `must match pattern "${pattern}", not ${not}`
  // what is no part of it is left out at the ends, and becomes one underscore elsewhere
  const words = value.match(new RegExp(instead as string, 'g'))
  const meant = words?.join('_') ?? value
  return `${expected}, not ${not}${meant === value ? '' : `; write ${shortened(meant)}`}`
}

/** `elsewhere` says of names that belong to another part where that is. */
export function unknownName(name: string, known: readonly string[], elsewhere: Readonly<Record<string, string>> = {}): string {
  const place = Object.hasOwn(elsewhere, name) ? `; it goes under ${elsewhere[name]}` : ''
  return `unknown name ${shortened(name)}${place || didYouMean(name, known) || `; known here: ${known.join(', ')}`}`
}
