/** Looks up names in requests, responses and records by the tables of the reference. */
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

export type Tested = {
  schemas: readonly Schema[]
  name: Name
  /** Of a record or response; the parameters of a request are text. */
  isTyped?: boolean
  /** Reports values that no valid request can send. */
  onlyRight?: boolean | undefined
  /** To steps, by name; left out where none can be referred to. */
  responses?: ReadonlyMap<string, Json> | undefined
  isMember?: boolean
  isNegated?: boolean
}
export type Scope<Subject> = Tested & {
  valueIn: (subject: Subject, name: Name) => Value
  unknown: (name: string, path: string, known: readonly string[]) => Said
}

const isScalar = (part: unknown): part is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof part)

export function asValue(part: unknown): Value {
  if (part == null) return undefined
  return isScalar(part) ? part : null
}

const hasField = (part: unknown, name: string): part is Readonly<Record<string, unknown>> =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name)

/** Of an object, or of a list by its index. */
export function fieldIn(part: Json | undefined, name: string): Json | undefined
export function fieldIn(part: unknown, name: string): unknown
export function fieldIn(part: unknown, name: string): unknown {
  return hasField(part, name) ? part[name] : undefined
}

/** Of a name as `a[b][c]`, or a path as `a.b[c]`; null where brackets are not closed. */
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
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

export function lookedUp<Subject>(
  key: string,
  under: Scope<Subject>,
  report: Report
): Scope<Subject> | null {
  let { schemas, name } = under
  const isName = schemas.some(schema => partOf(schema, key) !== undefined)
  const steps = stepsOf(key, under.isTyped === true && !isName)
  if (steps === null) {
    report([], say('unbalanced_brackets'))
    return null
  }
  for (const step of steps) {
    const parts = schemas.flatMap(schema => partOf(schema, step) ?? [])
    name = [...name, step]
    if (parts.length === 0) {
      report([], under.unknown(step, name.join('.'), partsIn(schemas)))
      return null
    }
    schemas = parts
  }
  return { ...under, name, schemas }
}
