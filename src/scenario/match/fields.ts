/** Looks up names in requests, responses and records by the tables of the reference. */
import type { Step } from '../../core/places.js'
import { didYouMean } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { LINKED_FIELDS } from '../../reference/tables.js'
import { type Report, within } from '../documents.js'
import { say } from '../sentences.js'
import type { Scalar } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'

/** A value to judge: undefined where there is none, null for an object or a list. */
export type Value = Scalar | null | undefined
export type Name = readonly string[]

export type Tested = {
  report: Report
  schemas: readonly Schema[]
  name: Name
  /** What has the field, with its type; left out for the parameters of a request, which are text. */
  resource?: string
  /** Reports values that no valid request can send. */
  onlyRight?: boolean
  /** To steps, by name; left out where none can be referred to. */
  responses?: ReadonlyMap<string, Json> | undefined
  isMember?: boolean
  isNegated?: boolean
}
/** Where problems are reported, and the responses that can be referred to. */
export type Context = Pick<Tested, 'report' | 'responses'>
export type Scope<Subject> = Tested & { valueIn: (subject: Subject, name: Name) => Value }

/** Reports at a part of what is written. */
export const below = <S extends { report: Report }>(scope: S, ...steps: readonly Step[]): S => ({
  ...scope,
  report: within(scope.report, ...steps)
})

const isScalar = (part: unknown): part is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof part)

export function asValue(part: unknown): Value {
  if (part == null) return undefined
  return isScalar(part) ? part : null
}

const hasField = <T>(part: unknown, name: string): part is Readonly<Record<string, T>> =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name)

/** Of an object, or of a list by its index. */
export const fieldIn = <T = unknown>(part: T | undefined, name: string): T | undefined =>
  hasField<T>(part, name) ? part[name] : undefined

/** Of a name as `a[b][c]`, or a path as `a.b[c]`; null where brackets are not closed. */
function stepsOf(name: string, isPath: boolean): string[] | null {
  const [, head, brackets] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  if (head === undefined) return null
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
export function lookedUp<Subject>(key: string, under: Scope<Subject>): Scope<Subject> | null {
  const { resource, report } = under
  let { schemas, name } = under
  const isName = schemas.some(schema => partOf(schema, key) !== undefined)
  const steps = stepsOf(key, resource !== undefined && !isName)
  if (steps === null) report([], say('unbalanced_brackets'))
  for (const step of steps ?? []) {
    const parts = schemas.flatMap(schema => partOf(schema, step) ?? [])
    name = [...name, step]
    if (parts.length === 0) {
      const known = schemas.flatMap(schema => Object.keys(partsOf(schema)))
      const advice = didYouMean(step, known)
      const path = name.join('.')
      report(
        [],
        resource === undefined
          ? say('unknown_parameter', path, advice)
          : say('unknown_field', resource, path, advice)
      )
      return null
    }
    schemas = parts
  }
  return steps && { ...under, name, schemas }
}
