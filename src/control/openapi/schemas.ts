/** The tables of the reference in JSON Schema 2020-12. */

import { inBrackets } from '../../core/form.js'
import { NOT_BLANK } from '../../core/formats.js'
import { isObject } from '../../core/schema-words.js'
import type { Settings } from '../../core/settings.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import { type Operation, type OperationId, RESOURCE_NAMES } from '../../reference/operations.js'
import { type Format, type Schema, sentName } from '../../reference/parameters.js'
import { RESOURCES, TABLES, type Tables } from '../../reference/tables.js'
import type { Shape } from '../../store/collection.js'
import { FAMILIES } from '../../store/store.js'
import { exampleOf, type Json } from './examples.js'

/** What a table is for: a response, or what an operation takes. */
type Use = 'response' | Operation
type Field = { name: string; table: Schema; isRequired: boolean }

const NULL = { type: 'null' }
/** Unsets a parameter in an update. */
const EMPTY = { type: 'string', maxLength: 0 }
/** A name in a form is not empty, and brackets nest it (FORM-2). */
const METADATA_NAME = '[^\\[\\]]+'
const METADATA = {
  type: 'object',
  propertyNames: { pattern: `^${METADATA_NAME}$` },
  additionalProperties: { type: 'string' }
}
/** Rough shapes, without lookaround, `\d` or `\w`, on which engines disagree. */
const PATTERNS: Readonly<Record<string, string>> = {
  email: '[^@\\s]+@[^@\\s]+[.][^@\\s]+',
  instant: '[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9:.]+([Zz]|[+-][0-9:]+)?)?',
  country: '[A-Za-z]{2}',
  currency: '[a-z]{3}',
  last4: '[0-9]{4}'
} satisfies Record<Format, string>
export const NUMBER_FORMATS: Readonly<Record<string, Json>> = {
  integer: { format: 'int64' },
  number: { format: 'double' }
}

export const referTo = (kind: 'schemas' | 'examples', name: string) => ({
  $ref: `#/components/${kind}/${name}`
})
export const oneOf = (words: readonly unknown[]): Json =>
  words.length === 1 ? { const: words[0] } : { enum: words }
export const tableOf = (id: OperationId, part: keyof Tables) =>
  (TABLES[id] as { [K in keyof Tables]?: unknown })[part] as Schema | undefined
const isUpdate = (use: Use) => use !== 'response' && use.kind === 'update'

/** `limit` with the bounds that the settings give it (A10). */
function pageSize(limit: Schema, settings: Settings): Schema {
  const maximum = settings['pagination.max_limit']
  const size = Math.min(settings['pagination.default_limit'], maximum)
  const bounds = settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }
  const description = `Page size, 1 to ${maximum}; ${size} when left out.`
  return { ...limit, ...bounds, default: size, description }
}

/** In the flat style metadata can have any key. */
function namesWithMetadata(fields: readonly Field[]): Json {
  const names = fields.map(({ name }) => name.replaceAll(/[[\]]/g, '\\$&')).join('|')
  return { pattern: `^(?:${names}|metadata\\[${METADATA_NAME}\\])$` }
}

/** Publishes tables by the settings, in one of the two styles. */
export class Publisher {
  readonly schemas: Json = {}

  constructor(
    readonly settings: Settings,
    readonly isFlat: boolean,
    readonly shape: Shape
  ) {}

  /** The fields of a table; of a request as it names them, in the flat style in brackets. */
  fields({ properties = {}, required = [] }: Schema, use: Use): Field[] {
    const { settings, isFlat } = this
    return Object.entries(properties).flatMap(([name, table]): Field | Field[] => {
      const isRequired = required.includes(name)
      if (table['x-fixed'] && settings['parameters.not_updatable'] === 'reject') return []
      if (table['x-page-size']) return { name, isRequired, table: pageSize(table, settings) }
      const sent = sentName(name, table, settings['pagination.cursors'])
      if (!isFlat || use === 'response' || table.type !== 'object')
        return { name: sent, table, isRequired }
      const parts = this.fields(table, use).map(part => ({
        ...part,
        name: inBrackets(name, part.name),
        isRequired: isRequired && part.isRequired
      }))
      const { properties: _, additionalProperties: __, ...whole } = table
      const cleared = { name, table: { ...whole, ...EMPTY }, isRequired: false }
      return isUpdate(use) ? [...parts, cleared] : parts
    })
  }

  /** A reference to the component of a resource or a list of it; other objects stand where they are. */
  table(table: Schema, use: Use): Json {
    const member = table.properties?.data?.items
    const family = FAMILIES.find(name => RESOURCES[name] === (member ?? table))
    if (family === undefined) return this.object(table, use)
    const name = RESOURCE_NAMES[family] + (member ? 'List' : '')
    this.schemas[name] ??= member
      ? this.#list(table)
      : { ...this.object(table, use), examples: [exampleOf(table, this.shape)] }
    return referTo('schemas', name)
  }

  #list(table: Schema): Json | undefined {
    const { data: members, ...others } = this.object(table, 'response').properties as Json
    return templateSchema(this.shape.list, { ...others, members }, 'A09')
  }

  object(table: Schema, use: Use): Json {
    const fields = this.fields(table, use)
    const required = fields.flatMap(({ name, isRequired }) => (isRequired ? name : []))
    const isOpen = use !== 'response' && this.isFlat && table.properties?.metadata !== undefined
    return {
      type: 'object',
      required: isUpdate(use) || required.length === 0 ? undefined : required,
      properties: Object.fromEntries(fields.map(field => [field.name, this.field(field, use)])),
      propertyNames: isOpen ? namesWithMetadata(fields) : undefined,
      additionalProperties:
        isOpen || (use !== 'response' && this.settings['parameters.unknown'] !== 'reject')
    }
  }

  /** With its assumption, and its rule if the operation can violate it. */
  field({ table, isRequired }: Field, use: Use): Json {
    const { 'x-rule': ownRule, description: about } = table
    const isOwn = use === 'response' || use.rules.some(id => id === ownRule)
    const rule = isOwn ? ownRule : undefined
    const assumption = table['x-assumption'] ?? (use === 'response' && !rule ? 'A04' : undefined)
    const sources = [rule && `Rule ${rule}.`, assumption && `Assumption ${assumption}.`]
    const description = [about, ...sources].filter(Boolean).join(' ') || undefined
    const schema = this.#value(table, isRequired, use)
    return { ...schema, 'x-rule': rule, 'x-assumption': assumption, description }
  }

  #value(table: Schema, isRequired: boolean, use: Use): Json {
    const { items, properties, enum: words, minimum, maximum, maxLength } = table
    const [type = '', orNull] = [table.type].flat()
    if (items) return { type, items: this.table(items, use) }
    if (type === 'object') {
      const schema = properties ? this.table(table, use) : METADATA
      const instead = orNull ? NULL : isUpdate(use) && EMPTY
      return instead ? { anyOf: [schema, instead] } : schema
    }
    if (words) {
      const known = words.filter(word => word !== null)
      const schema = { type, ...oneOf(isUpdate(use) ? [...known, ''] : known) }
      return orNull ? { anyOf: [schema, NULL] } : schema
    }
    return {
      type: orNull ? [type, orNull] : type,
      ...NUMBER_FORMATS[type],
      ...(table['x-page-size'] && { format: 'int32' }),
      ...textWords(table, isRequired, use),
      minimum,
      maximum,
      maxLength,
      default: table.default
    }
  }
}

/** A required text must not be blank (A40); an optional one may be empty (A16). */
function textWords({ type, format = '' }: Schema, isRequired: boolean, use: Use): Json {
  if (use === 'response') return format === 'instant' ? { format: 'date-time' } : {}
  const shape = PATTERNS[format]
  if (type !== 'string' || (!shape && !isRequired)) return {}
  const pattern = shape ? `^${shape}$` : NOT_BLANK
  return { pattern: isRequired && !isUpdate(use) ? pattern : `^$|${pattern}` }
}

/** A field that a response can lack. */
export const OPTIONAL_TEXT = {
  type: 'string',
  'x-assumption': 'A07',
  description: 'Assumption A07.'
}

/** The schema of a filled template; a placeholder without a schema is left out. */
export function templateSchema(
  part: unknown,
  parts: Json,
  assumption: AssumptionId
): Json | undefined {
  const note = { 'x-assumption': assumption, description: `Assumption ${assumption}.` }
  const within = (inner: unknown) => templateSchema(inner, parts, assumption)
  if (typeof part === 'string' && part.startsWith('$')) return parts[part.slice(1)] as Json
  if (Array.isArray(part))
    return { type: 'array', items: { anyOf: part.map(within).filter(Boolean) }, ...note }
  if (!isObject(part)) return { const: part, ...note }
  const members = Object.entries(part).flatMap(([name, inner]) => {
    const schema = within(inner)
    return schema ? [{ name, schema }] : []
  })
  return {
    type: 'object',
    required: members.flatMap(({ name, schema }) => (schema === OPTIONAL_TEXT ? [] : name)),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
    ...note
  }
}
