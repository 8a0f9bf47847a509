/** Named values of requests and records, by the tables, and how numbers and instants compare. */
import { instantOf } from '../../core/instants.js'
import { isObject } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import type { Schema } from '../../reference/parameters.js'
import { LINKED_FIELDS } from '../../reference/tables.js'
import type { Report } from '../documents.js'
import { say } from '../sentences.js'
import type { Conditions, Scalar } from '../shape/entry.js'
import type { Json } from '../shape/parts.js'

/** A value to judge: undefined where there is none, null for an object or a list. */
export type Value = Scalar | null | undefined

export function asValue(part: Json | undefined): Value {
  if (part == null) return undefined
  return typeof part === 'object' ? null : part
}

export const fieldIn = (part: Json | undefined, name: string): Json | undefined =>
  isObject(part) && Object.hasOwn(part, name) ? (part[name] as Json) : undefined

export type FieldAt = (name: readonly string[]) => Value

export type Subject = {
  /** The fields of a record, which are typed; left out for a request, whose parameters are text. */
  fields?: Schema
  /** Values that no right request can send are problems too. */
  onlyRight?: boolean
  /** The responses that steps got, by name; null where no step has been played. */
  answers?: ReadonlyMap<string, Json> | null
  unknown: (name: readonly string[], known: readonly string[]) => Said
}

export type At = Subject & {
  schemas: readonly Schema[]
  name: readonly string[]
  isMember?: boolean
  isNegated?: boolean
}

/** Null, with the problem reported, for an unknown name. */
export function lookedUp(key: string, under: At, report: Report): At | null {
  const isPath =
    under.fields !== undefined && under.schemas.every(schema => partOf(schema, key) === undefined)
  const steps = stepsOf(key, isPath)
  if (steps === null) {
    report([], say('unbalanced_brackets'))
    return null
  }
  let at = under
  for (const step of steps) {
    const { schemas, name } = at
    at = {
      ...under,
      name: [...name, step],
      schemas: schemas.flatMap(schema => partOf(schema, step) ?? [])
    }
    if (at.schemas.length > 0) continue
    const known = schemas.flatMap(schema => Object.keys(partsOf(schema)))
    report([], under.unknown(at.name, known))
    return null
  }
  return at
}

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

export function partOf(schema: Schema, name: string): Schema | undefined {
  const { additionalProperties } = schema
  const parts = partsOf(schema)
  if (Object.hasOwn(parts, name)) return parts[name]
  return typeof additionalProperties === 'object' ? (additionalProperties as Schema) : undefined
}

export function fieldNamed(path: string, subject: Subject, report: Report): At | null {
  const at = lookedUp(path, { ...subject, schemas: [subject.fields as Schema], name: [] }, report)
  if (at === null || at.schemas.every(({ type }) => ![type].flat().includes('object'))) return at
  const parts = at.schemas.flatMap(schema => Object.keys(partsOf(schema)))
  report([], say('not_single', at.name.join('.'), parts))
  return null
}

export type Comparison = {
  sign: string
  words: string
  holds: (value: number, bound: number) => boolean
}

export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  gt: { sign: '>', words: 'above', holds: (value, bound) => value > bound },
  gte: { sign: '>=', words: 'at least', holds: (value, bound) => value >= bound },
  lt: { sign: '<', words: 'below', holds: (value, bound) => value < bound },
  lte: { sign: '<=', words: 'at most', holds: (value, bound) => value <= bound }
}

/** No value can meet all; null where one can. */
export function contradictionIn(
  { present, ...conditions }: Conditions,
  { fields, schemas: [{ minimum, maximum } = {}] }: At
): Said | null {
  const given = boundsIn(conditions)
  if (given.length === 0) return null
  if (present === false) return say('compares_nothing')
  const bounds = fields ? [...given, ...boundsIn({ gte: minimum, lte: maximum })] : given
  for (const low of bounds.filter(({ name }) => name.startsWith('g'))) {
    const high = bounds.find(
      ({ name, at }) =>
        name.startsWith('l') &&
        (at < low.at || (at === low.at && `${low.name}${name}` !== 'gtelte'))
    )
    if (high !== undefined) return say('nothing_between', low.shown, high.shown)
  }
  return null
}

const boundsIn = (conditions: object): { name: string; at: number; shown: string }[] =>
  Object.entries(conditions).flatMap(([name, bound]) => {
    const at = typeof bound === 'number' ? bound : instantOf(String(bound))
    const words = COMPARISONS[name]?.words
    return words === undefined || at === null ? [] : [{ name, at, shown: `${words} ${bound}` }]
  })

export const numberIn = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null)

export const isNumeric = ({ type }: Schema) =>
  [type].flat().some(name => name === 'integer' || name === 'number')

export const isInstant = ({ format }: Schema) => format === 'instant'

/** `; write { gt: 5000 }` for the text `>5000`; an empty text for one that compares nothing. */
export function conditionMeant(text: string, schemas: readonly Schema[]): string {
  const [, sign, bound = ''] = /^([<>]=?) *(.*)/s.exec(text.trim()) ?? []
  const isNumber = schemas.some(isNumeric) && numberIn(bound) !== null
  const isComparable = isNumber || (schemas.some(isInstant) && instantOf(bound) !== null)
  const [condition] = Object.keys(COMPARISONS).filter(name => COMPARISONS[name]?.sign === sign)
  return isComparable ? `; write { ${condition}: ${bound} }` : ''
}
