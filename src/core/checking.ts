/** Checks data against a JSON Schema. Each schema becomes a function once; no code is compiled. */
import { isObject } from '../reference/rules.js'
import { FORMATS, NOT_BLANK } from './formats.js'
import { durationOf, instantOf } from './instants.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isSecret } from './redaction.js'
import { type Said, say, shortened, shownGot } from './sentences.js'
import { placeholdersIn, type TemplateRule } from './templates.js'

export type Schema = Readonly<{
  [word: string]: unknown
  type?: Types
  format?: FormatName
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | boolean
  required?: readonly string[]
  /** Which of `then` and `else` is meant. */
  if?: { readonly type: Types }
  then?: Schema
  else?: Schema
  'x-advice'?: string
  'x-expected'?: string
  'x-many'?: { what: string; advice: string; others: string }
  'x-instead'?: Readonly<Record<string, string>>
  'x-rules'?: readonly Rule[]
  'x-at-start'?: Readonly<Record<string, string>>
}>
type Types = string | readonly string[]
type FormatName = keyof typeof FORMATS
/** An object must have one of the names, or a name needs one or excludes all. */
export type Rule = readonly [
  kind: 'one' | 'needs' | 'excludes',
  names: readonly string[],
  name?: string
]

export type Checker = {
  /** At most `MAX_PROBLEMS` + 1. */
  problems: (document: unknown) => PlacedProblem[]
}

export const MAX_PROBLEMS = 1000
/** Limits of a template. */
const MAX_PLACEHOLDERS = 100
const MAX_TEMPLATE = 16_384

export function checkerOf(schemaOf: () => object): Checker {
  let check: Check | undefined
  return {
    problems(document) {
      check ??= checkOf(schemaOf() as Schema)
      const walk: Walk = { steps: [], problems: [] }
      check(document, walk)
      return walk.problems.slice(0, MAX_PROBLEMS + 1)
    }
  }
}

/** The first problem of a value, its own before those of its parts. */
export const firstProblem = (schema: object, value: unknown): PlacedProblem | null =>
  checkerOf(() => schema).problems(value)[0] ?? null

/** The steps to the value that is checked, and the problems before it. */
type Walk = { steps: Step[]; problems: PlacedProblem[] }
type Check = (value: unknown, walk: Walk) => void

const CHECKS = new WeakMap<Schema, Check>()

function checkOf(schema: Schema): Check {
  const known = CHECKS.get(schema)
  if (known !== undefined) return known
  const words = Object.entries(WORDS).flatMap(([word, problemOf]) =>
    word in schema ? problemOf(schema[word] as never, schema) : []
  )
  const parts = partChecks(schema)
  const check: Check = (value, walk) => {
    for (const problemOf of words) {
      const problem = problemOf(value, walk.steps)
      if (problem === null) continue
      walk.problems.push(problemAt([...walk.steps], problem))
      return
    }
    for (const part of parts) part(value, walk)
  }
  CHECKS.set(schema, check)
  return check
}

function partChecks(schema: Schema): Check[] {
  const { items, properties, additionalProperties, required, if: condition } = schema
  const parts: Check[] = []
  if (items) parts.push(itemsCheck(checkOf(items)))
  if (properties || additionalProperties !== undefined || required) parts.push(namesCheck(schema))
  if (condition && schema.then && schema.else) {
    const isOfType = typeTest(condition.type)
    const [met, unmet] = [checkOf(schema.then), checkOf(schema.else)]
    parts.push((value, walk) => (isOfType(value) ? met : unmet)(value, walk))
  }
  return parts
}

function checkBelow(step: Step, value: unknown, check: Check, walk: Walk): void {
  walk.steps.push(step)
  check(value, walk)
  walk.steps.pop()
}

const itemsCheck =
  (check: Check): Check =>
  (value, walk) => {
    if (!Array.isArray(value)) return
    for (let index = 0; index < value.length && walk.problems.length <= MAX_PROBLEMS; index++)
      checkBelow(index, value[index], check, walk)
  }

function checkRule([kind, names, name]: Rule, value: Record<string, unknown>, walk: Walk): void {
  if (name !== undefined && value[name] === undefined) return
  const got = names.filter(name => value[name] !== undefined)
  const steps = name === undefined ? walk.steps : [...walk.steps, name]
  if (got.length === 0 && kind !== 'excludes')
    walk.problems.push(problemAt([...steps], say('needs', names, name)))
  else if (got.length > Number(kind === 'one') && kind !== 'needs')
    walk.problems.push(problemAt([...steps], say('not_together', [name ?? [], got].flat())))
}

const hasPart = ({ properties, then }: Schema = {}, name: string) =>
  Object.hasOwn(properties ?? then?.properties ?? {}, name)

function namesCheck(schema: Schema): Check {
  const { properties = {}, additionalProperties: rest = {}, required = [] } = schema
  const rules = schema['x-rules'] ?? []
  const checks = new Map(Object.entries(properties).map(([name, part]) => [name, checkOf(part)]))
  const isOpen = typeof rest === 'object'
  const others = isOpen ? checkOf(rest) : unknownName(schema)
  return (value, walk) => {
    if (!isObject(value)) return
    for (const name of required)
      if (value[name] === undefined)
        walk.problems.push(problemAt([...walk.steps], say('required', name)))
    // a misspelled name is one mistake, not also a missing one
    if (isOpen || Object.keys(value).every(name => checks.has(name)))
      for (const rule of rules) checkRule(rule, value, walk)
    for (const name in value) {
      const check = checks.get(name)
      if (check !== undefined && value[name] === undefined) continue
      checkBelow(name, value[name], check ?? others, walk)
      if (walk.problems.length > MAX_PROBLEMS) break
    }
  }
}

/** Refuses a name, with what to write for a misplaced or retired one. */
function unknownName(schema: Schema): Check {
  const { properties = {} } = schema
  const known = Object.keys(properties)
  const instead = new Map(Object.entries(schema['x-instead'] ?? {}))
  const atStart = new Map(Object.entries(schema['x-at-start'] ?? {}))
  return (_, { steps, problems }) => {
    const name = String(steps.at(-1))
    const example = atStart.get(name)
    const parts = known.filter(part => hasPart(properties[part], name)).join(' or ')
    const advice = instead.get(name) ?? (parts && `put it under ${parts}`)
    const problem = example
      ? { ...say('set_at_start', example), code: 'unknown_name' }
      : say('unknown_name', shortened(name), known, advice)
    problems.push(problemAt([...steps], problem))
  }
}

type Test = (value: unknown) => boolean
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
const typesIn = (names: Types) => [names].flat().map(name => TYPES[name] as [Test, string])
const typeTest = (names: Types): Test =>
  typesIn(names)
    .map(([test]) => test)
    .reduce((first, second) => value => first(value) || second(value))

/** `wanted` is the schema's value of the word; null for a valid value. */
type Word = (
  wanted: never,
  schema: Schema
) => (value: unknown, steps: readonly Step[]) => Said | null

/** Refuses a size beyond a limit; null is the size of a value that has none. */
const bound =
  (
    sizeIn: (value: unknown) => number | null,
    isRight: (size: number, limit: number) => boolean,
    problemOf: (limit: number, size: number) => Said
  ) =>
  (limit: number) =>
  (value: unknown) => {
    const size = sizeIn(value)
    return size === null || isRight(size, limit) ? null : problemOf(limit, size)
  }
const isAtMost = (size: number, limit: number) => size <= limit
const isAtLeast = (size: number, limit: number) => size >= limit
const numberIn = (value: unknown) => (typeof value === 'number' ? value : null)
const charactersIn = (value: unknown) => (typeof value === 'string' ? value.length : null)
const itemsIn = (value: unknown) => (Array.isArray(value) ? value.length : null)
const namesIn = (value: unknown) => Object.keys(Object(value)).length

/** In the order of reporting: only the first problem of a value is reported. */
export const WORDS: Readonly<Record<string, Word>> = {
  type: (names: Types, { format, 'x-advice': advice }) => {
    const isRight = typeTest(names)
    return (value, steps) => {
      if (isRight(value)) return null
      const ofFormat = typeof value === 'number' && format && FORMATS[format].problem(`${value}`)
      if (ofFormat) return say('wrong_format', ofFormat.expected)
      const expected = typesIn(names).map(([, name]) => name)
      return say('wrong_type', expected, shownGot(value), advice ?? typeHint(names, value, steps))
    }
  },
  enum: (wanted: readonly unknown[], { 'x-many': many }) => {
    const pattern = many && new RegExp(many.others, 'u')
    const words = wanted.filter(word => word !== null).map(String)
    return value => {
      if (wanted.includes(value) || pattern?.test(String(value))) return null
      return many
        ? say('unknown_word', many.what, words, shownGot(value), many.advice)
        : say('not_one_of', words, shownGot(value))
    }
  },
  maximum: bound(numberIn, isAtMost, (limit, size) => say('too_large', limit, size)),
  minimum: bound(numberIn, isAtLeast, (limit, size) => say('too_small', limit, size)),
  minLength: bound(charactersIn, isAtLeast, limit =>
    limit === 1 ? say('empty') : say('too_short', limit)
  ),
  maxLength: bound(charactersIn, isAtMost, (limit, size) => say('too_long', limit, size)),
  pattern: (source: string, { 'x-expected': expected }) => {
    const pattern = new RegExp(source, 'u')
    return (value, steps) => {
      if (typeof value !== 'string' || pattern.test(value)) return null
      if (source === NOT_BLANK) return say(value === '' ? 'empty' : 'blank')
      if (steps.at(-1) === 'key') return say('not_a_key')
      return expected === undefined
        ? say('not_matching', source, shownGot(value))
        : say('wrong_characters', expected, shownGot(value))
    }
  },
  format: (name: FormatName) => value => {
    const problem = typeof value === 'string' ? FORMATS[name].problem(value) : null
    return problem && say('wrong_format', problem.expected)
  },
  'x-template':
    ({ placeholders, once }: TemplateRule) =>
    template => {
      const used = placeholdersIn(template)
      if (used.length > MAX_PLACEHOLDERS || JSON.stringify(template).length > MAX_TEMPLATE)
        return say('template_too_large', MAX_PLACEHOLDERS, MAX_TEMPLATE)
      const unknown = used.find(text => !placeholders.includes(text))
      if (unknown !== undefined) return say('unknown_placeholder', shownGot(unknown), placeholders)
      const times = used.filter(text => text === once).length
      return once === undefined || times === 1 ? null : say('placeholder_count', once, times)
    },
  'x-ordered':
    ([low, high]: readonly [string, string]) =>
    value =>
      isObject(value) && sizeOf(value[low]) > sizeOf(value[high])
        ? say('reversed', low, high)
        : null,
  minItems: bound(itemsIn, isAtLeast, (limit, size) => say('too_few_items', limit, size)),
  maxItems: bound(itemsIn, isAtMost, (limit, size) => say('too_many_items', limit, size)),
  minProperties: bound(namesIn, isAtLeast, () => say('empty')),
  uniqueItems: () => value =>
    !Array.isArray(value) || new Set(value).size === value.length ? null : say('duplicate_item')
}

/** Of a number, an instant or a duration; NaN for others. */
const sizeOf = (value: unknown): number =>
  typeof value === 'string'
    ? (instantOf(value) ?? durationOf(value) ?? Number.NaN)
    : Number(value ?? Number.NaN)

/** Advice on a number where text belongs; `read/numbers.ts` looks for it. */
export const QUOTE_IT = 'quote it'

/** Advice for a wrong type: quote a number, or write one value as a list. */
function typeHint(types: Types, value: unknown, steps: readonly Step[]): string | null {
  if ([types].flat().includes('string')) {
    if (typeof value !== 'number' && typeof value !== 'boolean') return null
    return isSecret(steps, String(value)) ? QUOTE_IT : `${QUOTE_IT}: "${value}"`
  }
  return types === 'array' && typeof value === 'string'
    ? `write it as a list: [${shortened(value)}]`
    : null
}
