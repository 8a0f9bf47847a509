/** The parameter tables of the operations, compiled for the decoder. */
import { inBrackets } from '../core/form.js'
import { remembered } from '../core/remembered.js'
import { OPERATION_IDS } from '../reference/operations.js'
import { type Cursors, type Schema, schemaOf, sentName } from '../reference/parameters.js'
import { each } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { Blame } from './sentences.js'

/** A parameter: `name` is how it is sent, `key` where its value is. */
export type Field = {
  key: string
  name: string
  path: string
  schema: Schema
  required: boolean
  /** What refuses a wrong value, unless an assumption about all values does. */
  blame: Blame
  table: Table | null
}
export type Table = {
  fields: readonly Field[]
  byName: ReadonlyMap<string, Field>
  /** An empty value unsets a parameter, as in an update, or is as if absent (A16, UPD-2). */
  unsets: boolean
}
export const NO_TABLE: Table = { fields: [], byName: new Map(), unsets: false }

export function compileTable(
  schema: Schema,
  cursors: Cursors,
  under = '',
  unsets = schema['x-empty'] === 'unsets'
): Table {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([key, part]): Field => {
    const name = sentName(key, part, cursors)
    const path = inBrackets(under, name)
    const { 'x-rule': rule, 'x-assumption': assumption = 'A36' } = part
    return {
      key,
      name,
      path,
      schema: part,
      required: required.includes(key),
      blame: rule ? { rule } : { assumption },
      table: part.properties ? compileTable(part, cursors, path, unsets) : null
    }
  })
  return { fields, byName: new Map(fields.map(field => [field.name, field])), unsets }
}

/** The tables of bodies or queries, by the names of the cursors. */
export const tablesWith = remembered((cursors: Cursors) =>
  each(OPERATION_IDS, id => {
    const { body, querystring }: Tables = TABLES[id]
    const table = body ?? querystring
    return table === undefined ? NO_TABLE : compileTable(schemaOf(table), cursors)
  })
)
