/** What is wrong with a document that does not match a JSON Schema, in words: where, what was expected, what was probably meant. */
import { durationExpected } from './durations.js'
import { FORMATS, type FormatProblem, NOT_BLANK } from './formats.js'
import { didYouMean, didYouMeanOneOf, shortened } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'
import { isObject, quickCheck, type Schema } from './quick-check.js'

/** Looks for problems of values until there are more than `most`. */
export function problemFinder(schema: object): (document: unknown, most: number) => PlacedProblem[] {
  const tests = new Map<Schema, (value: unknown) => boolean>()
  const isRight = (part: Schema, value: unknown): boolean => {
    const test = tests.get(part) ?? quickCheck(part)
    tests.set(part, test)
    return test(value)
  }
  return (document, most) => {
    const found: PlacedProblem[] = []

    function find(part: Schema, value: unknown, steps: readonly Step[]): void {
      if (isRight(part, value)) return
      const own = problemOfValue(part, value, steps, isRight)
      if (own !== undefined) found.push(problemAt(steps, own))
      else if (Array.isArray(value)) findInMembers(part.items as Schema | undefined, value, steps)
      else if (isObject(value)) findInNames(part, value, steps)
      if (part.if !== undefined && found.length <= most) find((isRight(part.if as Schema, value) ? part.then : part.else) as Schema, value, steps)
    }

    function findInMembers(items: Schema | undefined, members: readonly unknown[], steps: readonly Step[]): void {
      if (items === undefined) return
      for (let index = 0; index < members.length && found.length <= most; index++) find(items, members[index], [...steps, index])
    }

    /** Each name that is missing or unknown is a mistake of its own. */
    function findInNames(
      { properties = {}, additionalProperties, required = [], 'x-elsewhere': elsewhere = {} }: Schema,
      value: Record<string, unknown>,
      steps: readonly Step[]
    ): void {
      for (const name of required as readonly string[]) if (value[name] === undefined) found.push(problemAt(steps, `${name} is required`))
      const known = properties as Record<string, Schema>
      for (const name in value) {
        if (found.length > most) return
        const at = [...steps, name]
        if (Object.hasOwn(known, name)) {
          if (value[name] !== undefined) find(known[name] as Schema, value[name], at)
        } else if (additionalProperties === false)
          found.push(problemAt(at, unknownName(name, Object.keys(known), elsewhere as Readonly<Record<string, string>>)))
        else if (typeof additionalProperties === 'object') find(additionalProperties as Schema, value[name], at)
      }
    }

    find(schema as Schema, document, [])
    return found
  }
}

/** `elsewhere` says of names that belong to another part where that is. */
function unknownName(name: string, known: readonly string[], elsewhere: Readonly<Record<string, string>>): string {
  const place = Object.hasOwn(elsewhere, name) ? `; it goes under ${elsewhere[name]}` : ''
  return `unknown name ${shortened(name)}${place || didYouMean(name, known) || `; known here: ${known.join(', ')}`}`
}

/** The words about a value as a whole, in the order in which one that fails is reported: a value has one problem, of its type where that is wrong. */
const OF_VALUES = ['type', 'enum', 'maximum', 'minimum', 'minLength', 'pattern', 'format', 'minItems'] as const

/** What is wrong with a value itself; undefined where it is right as far as its parts are. */
function problemOfValue(schema: Schema, value: unknown, steps: readonly Step[], isRight: (part: Schema, value: unknown) => boolean): string | undefined {
  const word = OF_VALUES.find(word => schema[word] !== undefined && !isRight(schemaOfWord(schema, word), value))
  return word && messageOf(word, schema, value, steps)
}

/** Schemas of one word of another schema, which are tested again and again. */
const ALONE = new WeakMap<Schema, Map<string, Schema>>()

function schemaOfWord(schema: Schema, word: string): Schema {
  const words = ALONE.get(schema) ?? new Map<string, Schema>()
  ALONE.set(schema, words)
  const alone = words.get(word) ?? { [word]: schema[word] }
  words.set(word, alone)
  return alone
}

function messageOf(word: (typeof OF_VALUES)[number], schema: Schema, value: unknown, steps: readonly Step[]): string {
  const wanted = schema[word]
  switch (word) {
    case 'type':
      if (schema['x-duration'] && typeof value === 'number') return durationExpected(value)
      return `${namedTypes(wanted as string | string[])} was expected, not ${shown(value)}${typeHint(wanted as string | string[], value)}`
    case 'enum': {
      const words = (wanted as unknown[]).filter(word => word !== null).map(String)
      const many = schema['x-many'] as { what: string; advice: string } | undefined
      if (many !== undefined) return `${shown(value)} is no ${many.what}${didYouMeanOneOf(shown(value), words, many.advice)}`
      return `one of ${words.join(', ')} was expected, not ${shown(value)}${didYouMean(shown(value), words)}`
    }
    case 'format':
      return (FORMATS[wanted as keyof typeof FORMATS].problem(value as string) as FormatProblem).expected
    case 'minimum':
      return `at least ${wanted} was expected, not ${shown(value)}`
    case 'maximum':
      return `at most ${wanted} was expected, not ${shown(value)}`
    case 'minLength':
      return 'text was expected, not an empty one'
    case 'minItems':
      return 'a list with a member was expected, not an empty one'
    case 'pattern':
      if (wanted === NOT_BLANK) return `text was expected, not ${value === '' ? 'an empty one' : 'white space alone'}`
      return steps.at(-1) === 'key' ? 'a key is printable, without spaces and without a colon' : patternHint(schema, value as string)
  }
}

const NAMES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null'
}
const namedTypes = (types: string | string[]) =>
  [types]
    .flat()
    .map(type => NAMES[type])
    .join(' or ')
const shown = (value: unknown) => {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : shortened(String(value))
}
/** What to write instead of a value of the wrong type: a number as text, or one value as a list. */
function typeHint(types: string | string[], value: unknown): string {
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
