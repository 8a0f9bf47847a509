/** A test of data against a JSON Schema that is made without compiling code and says yes or no; `problems.ts` says what is wrong. */
import { FORMATS } from './formats.js'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>
type Test = (value: unknown) => boolean

/** Whether a value can have named parts. */
export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, Test>> = {
  string: value => typeof value === 'string',
  // YAML has numbers that are not finite, which the bounds refuse
  integer: value => typeof value === 'number' && !(value % 1) && !Number.isNaN(value),
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: value => value === null
}

/** The test of each word that a schema of this project may hold; a word of one type lets every value of another type pass. */
const WORDS: Readonly<Record<string, (word: never, schema: Schema) => Test>> = {
  type: (names: string | readonly string[]) => {
    const [test, ...others] = [names].flat().map(name => TYPES[name] as Test)
    return others.reduce<Test>((one, other) => value => one(value) || other(value), test as Test)
  },
  enum: (words: readonly unknown[]) => value => words.includes(value),
  format: (name: keyof typeof FORMATS) => value => typeof value !== 'string' || FORMATS[name].problem(value) === null,
  pattern: (source: string) => {
    const pattern = new RegExp(source, 'u')
    return value => typeof value !== 'string' || pattern.test(value)
  },
  minLength: (least: number) => value => typeof value !== 'string' || value.length >= least,
  minimum: (least: number) => value => typeof value !== 'number' || value >= least,
  maximum: (most: number) => value => typeof value !== 'number' || value <= most,
  minItems: (least: number) => value => !Array.isArray(value) || value.length >= least,
  items: (schema: Schema) => {
    const test = quickCheck(schema)
    return value => {
      if (Array.isArray(value)) for (const member of value) if (!test(member)) return false
      return true
    }
  },
  // the three words about names are tested at once, by the first of them
  properties: (_, schema) => namesTest(schema),
  additionalProperties: (_, schema) => ('properties' in schema ? PASSES : namesTest(schema)),
  required: (_, schema) => ('properties' in schema || 'additionalProperties' in schema ? PASSES : namesTest(schema)),
  if: (condition: Schema, { then, else: otherwise }) => {
    const [holds, right, other] = [condition, then, otherwise].map(part => quickCheck(part as Schema)) as [Test, Test, Test]
    return value => (holds(value) ? right(value) : other(value))
  }
}
/** Words that allow every value, or that another word reads. */
const SILENT = /^(then|else|description|default|title|\$schema|[x~]-?.*)$/

const PASSES: Test = () => true

/** A test of values against a schema. Errors: a schema with a word that has no test. */
export function quickCheck(schema: Schema): Test {
  const tests = Object.keys(schema)
    .filter(word => !SILENT.test(word))
    .map(word => {
      const make = WORDS[word]
      if (make === undefined) throw new Error(`there is no quick check of ${word}`)
      return make(schema[word] as never, schema)
    })
    .filter(test => test !== PASSES)
  const [first = PASSES, ...others] = tests
  const isRight = others.reduce<Test>((one, other) => value => one(value) && other(value), first)
  // most of what may be null is
  return [schema.type].flat().includes('null') && schema.enum === undefined ? value => value === null || isRight(value) : isRight
}

/** The names of an object: those that are required, each by its own schema, the others by that of `additionalProperties`. */
function namesTest({ properties = {}, additionalProperties = true, required = [] }: Schema): Test {
  const tests = new Map(Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [name, quickCheck(schema)]))
  const otherwise = typeof additionalProperties === 'object' ? quickCheck(additionalProperties as Schema) : () => additionalProperties === true
  return value => {
    if (!isObject(value)) return true
    for (const name in value) {
      const part = value[name]
      const test = tests.get(name)
      if (test === undefined ? !otherwise(part) : part !== undefined && !test(part)) return false
    }
    for (const name of required as readonly string[]) if (value[name] === undefined) return false
    return true
  }
}
