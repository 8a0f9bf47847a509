/** Named values of requests, responses and records, by the tables of the reference. */
import type { Said } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { LINKED_FIELDS } from '../../reference/tables.js'
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import type { Scalar } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'

/** A value to judge: undefined where there is none, null for an object or a list. */
export type Value = Scalar | null | undefined
export type Name = readonly string[]

/** What a value is judged by. */
export type Tested<Of> = {
  schemas: readonly Schema[]
  name: Name
  /** Where fields begin, which have types; left out for a request, whose parameters are text. */
  fields?: At<Of>
  /** Values that no right request can send are problems too. */
  onlyRight?: boolean | undefined
  /** The responses that steps got, by name; left out where none can be referred to. */
  answers?: ReadonlyMap<string, Json> | undefined
  isMember?: boolean
  isNegated?: boolean
}
/** A place below which there are names. */
export type At<Of> = Tested<Of> & {
  valueIn: (of: Of, name: Name) => Value
  unknown: (name: Name, known: readonly string[]) => Said
}

export function asValue(part: Json | undefined): Value {
  if (part == null) return undefined
  return typeof part === 'object' ? null : part
}

/** Of an object, or of a list by its index. */
export const fieldIn = (part: Json | undefined, name: string): Json | undefined =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name)
    ? (part as Record<string, Json>)[name]
    : undefined

/** Of a name such as `a[b][c]`, or a path such as `a.b[c]`; null where brackets are not closed. */
export function stepsOf(name: string, isPath = true): string[] | null {
  const [, head, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  return head === undefined
    ? null
    : [
        ...(isPath ? head.split('.') : [head]),
        ...(brackets ? brackets.slice(1, -1).split('][') : [])
      ]
}

const partsOf = (schema: Schema) => schema.properties ?? LINKED_FIELDS.get(schema) ?? {}
const partsIn = (schemas: readonly Schema[]) =>
  schemas.flatMap(schema => Object.keys(partsOf(schema)))

export function partOf(schema: Schema, name: string): Schema | undefined {
  const { additionalProperties } = schema
  const parts = partsOf(schema)
  if (Object.hasOwn(parts, name)) return parts[name]
  return typeof additionalProperties === 'object' ? (additionalProperties as Schema) : undefined
}

/** Null, with the problem reported, for an unknown name. */
export function lookedUp<Of>(key: string, under: At<Of>, report: Report): At<Of> | null {
  let { schemas, name } = under
  const isName = schemas.some(schema => partOf(schema, key) !== undefined)
  const steps = stepsOf(key, under.fields !== undefined && !isName)
  if (steps === null) {
    report([], say('unbalanced_brackets'))
    return null
  }
  for (const step of steps) {
    const parts = schemas.flatMap(schema => partOf(schema, step) ?? [])
    name = [...name, step]
    if (parts.length === 0) {
      report([], under.unknown(name, partsIn(schemas)))
      return null
    }
    schemas = parts
  }
  return { ...under, name, schemas }
}

export function fieldNamed<Of>(path: string, fields: At<Of>, report: Report): At<Of> | null {
  const at = lookedUp(path, { ...fields, fields }, report)
  if (!at?.schemas.some(({ type }) => [type].flat().includes('object'))) return at
  report([], say('not_single', at.name.join('.'), partsIn(at.schemas)))
  return null
}
