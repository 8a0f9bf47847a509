/**
 * The pieces of the schemas of documents, which checks, types and published JSON Schemas come from.
 * Their notes, besides those of the resource tables:
 *
 * - `x-expected`: describes a right text · `x-advice`: advice for a value of another type
 * - `x-many`: the kind of a long list of words
 * - `x-ordered`: two parts, of which the second must not be smaller · `x-rules`: names that go together
 * - `x-instead`: what to write for unknown names; one of a part is found without it
 * - `x-name`: its type in clients and its name in published schemas · `x-published`: its name there alone
 */
import type { Static, TProperties, TSchema, TUnsafe } from 'typebox'
import type { Rule } from '../../core/checking.js'
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
type Notes<R> = { required?: readonly R[]; 'x-rules'?: readonly Rule[]; [word: string]: unknown }

export const typed = <T>(schema: object) => schema as TUnsafe<T>
/** Builds schemas of a type, each with a description and further words. */
const schemasOf =
  <T>(words: object) =>
  (description?: string, notes?: object) =>
    typed<T>({ ...words, description, ...notes })

export const closed = <P extends TProperties, R extends keyof P = never>(
  properties: P,
  description?: string,
  notes?: Notes<R>
) =>
  Object.assign(
    schemasOf<Written<P, R>>({ type: 'object', additionalProperties: false })(description, notes),
    { properties }
  )
export const mapOf = <T>(values: TUnsafe<T>, description?: string, notes?: object) =>
  schemasOf<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: values })(
    description,
    notes
  )
export const listOf = <T extends TSchema>(items: T, description?: string, notes?: object) =>
  schemasOf<readonly Static<T>[]>({ type: 'array', items })(description, notes)
export const wordOf = <T>(words: readonly T[], description?: string, notes?: object) =>
  schemasOf<T>({ type: 'string', enum: words })(description, notes)
export const either = <A extends TSchema, B extends TSchema>(
  then: A,
  otherwise: B,
  description: string,
  type = 'object'
) => typed<Static<A> | Static<B>>({ description, if: { type }, then, else: otherwise })
export const allAs = <N extends string, T>(names: readonly N[], same: T) => each(names, () => same)
export const under = (part: string, names: readonly string[]) =>
  allAs(names, `put it under ${part}`)

export const NOT_EMPTY = { minProperties: 1 }
export const SOME = { minItems: 1, maxItems: 1000 }
export const letters = (maximum: number, what: string) => ({
  pattern: `^[A-Za-z0-9_-]{1,${maximum}}$`,
  'x-expected': `${what} of 1 to ${maximum} letters, digits, _ and -`
})
export const ID = /^[A-Za-z0-9_-]{1,128}$/
export const text = schemasOf<string>({ type: 'string' })
export const name = schemasOf<string>({ type: 'string', minLength: 1 })
export const recordId = (description = 'Letters, digits, _ and -.') =>
  text(description, letters(128, 'an id'))
export const instant = schemasOf<string>({ type: 'string', format: 'instant' })
export const duration = schemasOf<string>({ type: 'string', format: 'duration' })
export const isTrue = schemasOf<boolean>({ type: 'boolean' })
export const integer = schemasOf<number>({ type: 'integer' })
export const count = schemasOf<number>({ type: 'integer', minimum: 0, maximum: 1_000_000 })
export const share = schemasOf<number>({ type: 'number', minimum: 0, maximum: 1 })
/** `published` is its name in published schemas. */
export const counts = (published: string, description: string, minimum = 0) =>
  typed<number | string>({
    type: ['integer', 'string'],
    minimum,
    description,
    'x-published': published
  })
export const headers = (description: string) => mapOf(text(), description)
export const object = schemasOf<Record<string, Json>>({ type: 'object' })

/** Without derived fields. Optional fields can be null. */
function recordSchema({ properties = {} }: Schema, more: object = {}): Schema {
  const fields = Object.entries(properties).filter(([, field]) => !field['x-derived'])
  const schemas = fields.map(([name, field]) => {
    const schema = field.properties ? { ...field, ...recordSchema(field) } : field
    return [name, field['x-needed'] ? notBlank(schema) : orNull(schema)]
  })
  return {
    additionalProperties: false,
    properties: { ...Object.fromEntries(schemas), ...more },
    required: fields.flatMap(([name, field]) => (field['x-needed'] ? name : []))
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
      type: 'object',
      ...recordSchema(resource, {
        id: recordId(),
        extra: object('Additional fields, returned unchanged.')
      }),
      description: `${withArticle(name)} in a fixture.`,
      'x-name': `${name}Fixture`
    }
    return listOf(typed<unknown>(record), `${name}s.`)
  })

export function fixtureSchema(): Schema {
  const key = text('Printable characters, without spaces or colons.', {
    pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$'
  })
  const apiKey = closed(
    { key, account: recordId() },
    'An API key, and the Account that it acts as.',
    { required: ['key', 'account'], 'x-name': 'ApiKey' }
  )
  const keys = listOf(apiKey, 'API keys, each bound to one Account.')
  return schemaOf(closed({ api_keys: keys, ...recordLists() }))
}
