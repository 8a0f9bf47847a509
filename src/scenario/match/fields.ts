/** Looks up names in requests, responses and records by the tables of the reference. */
import type { Step } from '../../core/places.js'
import { didYouMean } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { LINKED_FIELDS } from '../../reference/tables.js'
import { type Report, within } from '../documents.js'
import { say } from '../sentences.js'
import { isScalar, type Scalar } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'

/** A value to judge: undefined where there is none, null for an object or a list. */
export type Value = Scalar | null | undefined
export type Name = readonly string[]

/** Where problems are reported, and the responses that can be referred to, by step. */
export type Context = { report: Report; responses?: ReadonlyMap<string, Json> | undefined }
/** What has a value, with the schemas of it. */
export type Field = Context & {
  schemas: readonly Schema[]
  name: Name
  /** What has typed values; left out for the parameters of a request, which are text. */
  resource?: string
  /** Reports values that no valid request can send. */
  onlyRight?: boolean
}

/** Reports at a part of what is written. */
export const below = <C extends Context>(context: C, ...steps: readonly Step[]): C => ({
  ...context,
  report: within(context.report, ...steps)
})

export function asValue(part: unknown): Value {
  if (part == null) return undefined
  return isScalar(part) ? part : null
}

const hasField = <T>(part: unknown, name: string): part is Readonly<Record<string, T>> =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name)

/** Of an object, or of a list by its index. */
export const fieldIn = <T = unknown>(part: T | undefined, name: string): T | undefined =>
  hasField<T>(part, name) ? part[name] : undefined

/** Of a name as `a[b][c]`, or a path as `a.b[c]`. */
function stepsOf(name: string, isPath: boolean): string[] {
  const [, head = name, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  const inBrackets = brackets ? brackets.slice(1, -1).split('][') : []
  return [...(isPath ? head.split('.') : [head]), ...inBrackets]
}

const partsOf = (schema: Schema) => schema.properties ?? LINKED_FIELDS.get(schema) ?? {}

export function partOf(schema: Schema, name: string): Schema | undefined {
  const { additionalProperties } = schema
  const parts = partsOf(schema)
  if (Object.hasOwn(parts, name)) return parts[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Null, with the problem reported, for a name that is not there. */
export function lookedUp(key: string, { schemas, name, ...under }: Field): Field | null {
  const { resource, report } = under
  const isName = schemas.some(schema => partOf(schema, key) !== undefined)
  for (const step of stepsOf(key, resource !== undefined && !isName)) {
    const parts = schemas.flatMap(schema => partOf(schema, step) ?? [])
    name = [...name, step]
    if (parts.length === 0) {
      const known = schemas.flatMap(schema => Object.keys(partsOf(schema)))
      const advice = didYouMean(step, known)
      report([], say('unknown_field', resource ?? 'request', name.join('.'), advice))
      return null
    }
    schemas = parts
  }
  return { ...under, name, schemas }
}
