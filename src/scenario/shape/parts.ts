/**
 * The pieces of the schemas of documents, which checks, types and published JSON Schemas come from.
 * Their notes, besides those of the resource tables:
 *
 * - `x-expected`: describes a right text
 * - `x-many`: the kind of a long list of words
 * - `x-ordered`: two parts, of which the second must not be smaller
 * - `x-elsewhere`: where misplaced names belong · `x-instead`: what to write for retired ones
 * - `x-advice`: advice for a value of another type
 * - `x-name`: its type in clients and its name in published schemas · `x-published`: its name there alone
 */
import type { Static, TProperties, TSchema, TUnsafe } from 'typebox'
import * as Type from 'typebox'
import { NOT_BLANK } from '../../core/formats.js'
import { RESOURCE_NAMES } from '../../reference/operations.js'
import { type Schema, schemaOf } from '../../reference/parameters.js'
import { each, mapValues } from '../../reference/rules.js'
import { RESOURCES } from '../../reference/tables.js'
import { present } from './checked.js'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Written<P extends TProperties, R> = {
  [K in keyof P as K extends R ? K : never]: Static<P[K]>
} & {
  [K in keyof P as K extends R ? never : K]?: Static<P[K]>
}
type Notes<R> = { required?: readonly R[]; description?: string; [note: `x-${string}`]: unknown }

export const typed = <T>(schema: object) => schema as TUnsafe<T>
export const closed = <P extends TProperties, R extends keyof P = never>(
  properties: P,
  notes: Notes<R> = {}
) =>
  typed<Written<P, R>>({
    type: 'object',
    additionalProperties: false,
    properties,
    ...notes
  }) as TUnsafe<Written<P, R>> & { properties: P }
export const mapOf = <T>(values: TUnsafe<T>, description?: string) =>
  typed<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: values, description })
export const listOf = <T extends TSchema>(items: T, description?: string, note?: object) =>
  typed<readonly Static<T>[]>({ type: 'array', ...note, items, description })
export const notEmpty = <T extends object>(schema: T) => ({ ...schema, minProperties: 1 })
export const MAX_ITEMS = 1000
export const someOf = <T extends TSchema>(items: T, description?: string) =>
  listOf(items, description, { minItems: 1, maxItems: MAX_ITEMS })
export const wordOf = <T>(words: readonly T[], description?: string) =>
  typed<T>({ type: 'string', enum: words, description })
export const either = <A extends TSchema, B extends TSchema>(
  type: string,
  then: A,
  otherwise: B,
  description: string
) =>
  typed<Static<A> | Static<B>>({
    description,
    if: { type },
    then,
    else: otherwise
  })
export const allAs = <N extends string, T>(names: readonly N[], same: T) => each(names, () => same)
export const published = <T extends object>(schema: T, name: string) => ({
  ...schema,
  'x-published': name
})

export const letters = (maximum: number, what: string) => ({
  pattern: `^[A-Za-z0-9_-]{1,${maximum}}$`,
  'x-expected': `${what} of 1 to ${maximum} letters, digits, _ and -`
})
export const ID = /^[A-Za-z0-9_-]{1,128}$/
export const recordId = (description = 'Letters, digits, _ and -.') =>
  Type.String({ ...letters(128, 'an id'), description })
export const name = (description?: string) => Type.String({ minLength: 1, description })
export const text = (description: string) => Type.String({ description })
export const isTrue = (description: string) => Type.Boolean({ description })
export const instant = (description?: string) =>
  Type.String({ format: 'instant', 'x-published': 'instant', description })
export const duration = (description = 'A duration, such as 250ms, 2s, 36h, 7d or PT36H.') =>
  Type.String({ format: 'duration', 'x-published': 'duration', description })
export const count = (description?: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, description })
export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
export const headers = (description: string) =>
  mapOf(Type.Unsafe<string>({ type: 'string' }), description)
export const countsAs = (name: string, description: string, minimum = 0) =>
  typed<number | string>(published({ type: ['integer', 'string'], minimum, description }, name))

/** Without derived fields. Optional fields can be null. */
function recordSchema({ properties = {} }: Schema, more: object = {}): Schema {
  const entries = Object.entries(properties).filter(([, schema]) => !schema['x-derived'])
  const schemas = entries.map(([name, schema]): [string, Schema] => {
    const { type, description } = schema
    const part = schema.properties
      ? { ...recordSchema(schema), ...(type && { type }), ...(description && { description }) }
      : schema
    return [name, schema['x-needed'] ? notBlank(part) : orNull(part)]
  })
  const required = entries.filter(([, schema]) => schema['x-needed']).map(([name]) => name)
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(schemas), ...more },
    required
  }
}

/** Required text must not be blank (A40). */
const notBlank = (schema: Schema): Schema =>
  [schema.type].flat().includes('string') && !schema.format && !schema.enum
    ? { ...schema, pattern: NOT_BLANK }
    : schema

const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [...new Set([present(schema.type), 'null'].flat())],
  ...(schema.enum && { enum: [...new Set([...schema.enum, null])] })
})

export const withArticle = (name: string): string => `${name.startsWith('A') ? 'An' : 'A'} ${name}`

export const recordLists = () =>
  mapValues(RESOURCES, (resource, family) => {
    const name = RESOURCE_NAMES[family]
    const record = {
      ...recordSchema(resource, {
        id: recordId(),
        extra: { type: 'object', description: 'Additional fields, returned unchanged.' }
      }),
      description: `${withArticle(name)} in a fixture.`,
      'x-name': `${name}Fixture`
    }
    return listOf(typed<unknown>(record), `${name}s.`)
  })

export function fixtureSchema(): Schema {
  const key = Type.String({
    pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$',
    description: 'Printable characters, without spaces or colons.'
  })
  const schema = closed({
    api_keys: listOf(
      closed(
        { key, account: recordId() },
        {
          required: ['key', 'account'],
          description: 'An API key, and the Account that it acts as.',
          'x-name': 'ApiKey'
        }
      ),
      'API keys, each bound to one Account.'
    ),
    ...recordLists()
  })
  return schemaOf(schema)
}
