/** Completes the records of fixtures: everything that a resource has, in the order of its table. */
import { FORMATS } from '../core/formats.js'
import type { Schema } from '../reference/parameters.js'

type Values = Record<string, unknown>
/** A record from what was given of it: left out is null, an address has its six parts, metadata is an object (A04). */
export type Complete = (given: Readonly<Values>) => Values
/** How a given value is stored; null where it is stored as it is. */
type Make = ((value: unknown) => unknown) | null

/** Reads the table of a resource once for all of its records. What the table derives is left out, but for the name of the resource. */
export function completerOf(schema: Schema): Complete {
  const parts = Object.entries(schema.properties as Record<string, Schema>).filter(([name, part]) => name !== 'object' && !part['x-derived'])
  /** Objects that are copies of one another have the same hidden class. */
  const blank = Object.fromEntries(Object.entries(schema.properties as Record<string, Schema>).flatMap(([name, part]) => blankPart(name, part)))
  const fields = parts.map(([name, part]) => ({ name, make: makerOf(name, part), isNeverNull: !isNullable(part) && isObject(part) }))
  return given => {
    const record: Values = { ...blank }
    for (const { name, make, isNeverNull } of fields) {
      const value = given[name]
      if (value != null) record[name] = make === null ? value : make(value)
      else if (isNeverNull) record[name] = (make as NonNullable<Make>)({})
    }
    return record
  }
}

const isNullable = ({ type }: Schema) => [type].flat().includes('null')
const isObject = ({ properties, additionalProperties }: Schema) => properties !== undefined || typeof additionalProperties === 'object'

function blankPart(name: string, part: Schema): [string, unknown][] {
  if (name === 'object') return [[name, part.enum?.[0]]]
  return part['x-derived'] ? [] : [[name, isNullable(part) ? null : undefined]]
}

function makerOf(name: string, part: Schema): Make {
  // the sub-properties of amounts are none of a record's own: those that are null are as if left out
  if (name === 'amounts') return value => Object.fromEntries(Object.entries(value as object).filter(([, sum]) => sum !== null))
  if (part.properties) return completerOf(part) as Make
  if (isObject(part)) return value => Object.assign(Object.create(null), value)
  const stored = part.format === undefined ? undefined : FORMATS[part.format as keyof typeof FORMATS].stored
  return stored === undefined ? null : value => (typeof value === 'string' ? stored(value) : value)
}
