/** The tables of the reference in JSON Schema 2020-12, and examples from the default scenario. */
import { inBrackets } from '../../core/form.js'
import { NOT_BLANK } from '../../core/formats.js'
import type { Settings } from '../../core/settings.js'
import { filled, LIST_TEMPLATE } from '../../core/templates.js'
import { type Operation, type OperationId, RESOURCE_NAMES } from '../../reference/operations.js'
import { type Format, type Schema, sentName } from '../../reference/parameters.js'
import { isObject } from '../../reference/rules.js'
import { RESOURCES, TABLES, type Tables } from '../../reference/tables.js'
import type { Shape } from '../../store/collection.js'
import { FAMILIES } from '../../store/store.js'

/** A part of a document; undefined is not written. */
export type Json = Record<string, unknown>
/** What a table is for: a response, or what an operation takes. */
type Use = 'response' | Operation
type Field = { name: string; table: Schema; isRequired: boolean }

const NULL = { type: 'null' }
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

export const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const oneOf = (words: readonly unknown[]): Json =>
  words.length === 1 ? { const: words[0] } : { enum: words }
export const tableOf = (id: OperationId, part: keyof Tables) =>
  (TABLES[id] as { [K in keyof Tables]?: unknown })[part] as Schema | undefined
const isUpdate = (use: Use) => use !== 'response' && use.kind === 'update'

/** `limit` as the settings bound it (A10). */
function pageSize(limit: Schema, settings: Settings): Schema {
  const maximum = settings['pagination.max_limit']
  const isBounded = settings['pagination.out_of_range'] === 'reject'
  const size = Math.min(settings['pagination.default_limit'], maximum)
  return { ...limit, ...(isBounded && { minimum: 1, maximum }), default: size }
}

/** Metadata can have any key, which is not empty; brackets nest it (FORM-2). */
function namesWithMetadata(fields: readonly Field[]): Json {
  const names = fields.map(({ name }) => name.replaceAll(/[[\]]/g, '\\$&')).join('|')
  return { pattern: `^(?:${names}|metadata\\[[^\\[\\]]+\\])$` }
}

/** Publishes tables by the settings. */
export class Publisher {
  readonly schemas: Json = {}

  constructor(
    readonly settings: Settings,
    readonly shape: Shape
  ) {}

  /** The fields of a table; of a request as it names them, nested ones in brackets. */
  fields({ properties = {}, required = [] }: Schema, use: Use): Field[] {
    const { settings } = this
    return Object.entries(properties).flatMap(([name, table]): Field | Field[] => {
      const isRequired = required.includes(name)
      if (table['x-fixed'] && settings['parameters.not_updatable'] === 'reject') return []
      if (table['x-page-size']) return { name, isRequired, table: pageSize(table, settings) }
      const sent = sentName(name, table, settings['pagination.cursors'])
      if (use === 'response' || table.type !== 'object') return { name: sent, table, isRequired }
      const parts = this.fields(table, use).map(part => ({
        ...part,
        name: inBrackets(name, part.name),
        isRequired: isRequired && part.isRequired
      }))
      if (!isUpdate(use)) return parts
      const { properties: _, additionalProperties: __, ...whole } = table
      const cleared = { ...whole, type: 'string', maxLength: 0 }
      return [...parts, { name, table: cleared, isRequired: false }]
    })
  }

  /** A reference to the component of a resource or a list of it; other objects stand where they are. */
  table(table: Schema, use: Use): Json {
    const member = table.properties?.data?.items
    const family = FAMILIES.find(name => RESOURCES[name] === (member ?? table))
    if (family === undefined) return this.object(table, use)
    const name = RESOURCE_NAMES[family] + (member ? 'List' : '')
    // the shape that a setting gives has no table
    const isShaped = member && this.shape.list !== LIST_TEMPLATE
    this.schemas[name] ??= {
      ...(isShaped ? { type: 'object' } : this.object(table, use)),
      examples: [exampleOf(table, this.shape)]
    }
    return referTo(name)
  }

  object(table: Schema, use: Use): Json {
    const fields = this.fields(table, use)
    const required = fields.flatMap(({ name, isRequired }) => (isRequired ? name : []))
    const isOpen = use !== 'response' && this.settings['parameters.unknown'] !== 'reject'
    const hasMetadata = use !== 'response' && table.properties?.metadata !== undefined
    return {
      type: 'object',
      required: isUpdate(use) || required.length === 0 ? undefined : required,
      properties: Object.fromEntries(fields.map(field => [field.name, this.field(field, use)])),
      propertyNames: hasMetadata && !isOpen ? namesWithMetadata(fields) : undefined,
      additionalProperties: hasMetadata || isOpen
    }
  }

  /** With its assumption, and its rule if the operation can violate it. */
  field({ table, isRequired }: Field, use: Use): Json {
    const { 'x-rule': rule, description: about } = table
    const isOwn = rule && (use === 'response' || use.rules.some(id => id === rule))
    const assumption = table['x-assumption'] ?? (use === 'response' && !rule && 'A04')
    const parts = [about, isOwn && `Rule ${rule}.`, assumption && `Assumption ${assumption}.`]
    const description = parts.filter(Boolean).join(' ')
    return { ...this.#value(table, isRequired, use), description }
  }

  #value(table: Schema, isRequired: boolean, use: Use): Json {
    const { items, properties, enum: words, minimum, maximum, maxLength } = table
    const [type = '', orNull] = [table.type].flat()
    if (items) return { type, items: this.table(items, use) }
    if (type === 'object') {
      if (!properties) return { type, additionalProperties: { type: 'string' } }
      const schema = this.table(table, use)
      return orNull ? { anyOf: [schema, NULL] } : schema
    }
    if (words) {
      const known = words.filter(word => word !== null)
      const schema = { type, ...oneOf(isUpdate(use) ? [...known, ''] : known) }
      return orNull ? { anyOf: [schema, NULL] } : schema
    }
    return {
      type: orNull ? [type, orNull] : type,
      ...NUMBER_FORMATS[type],
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

export const EXAMPLE_KEY = 'sk_test_merchant'

/** By the names of parameters and fields; by the name of a resource its id. */
export const VALUES: Json = {
  location: 'loc_bistro',
  account: 'mch_bistro',
  user: 'usr_ana',
  ticket: 'tkt_12',
  transaction: 'txn_1',
  refund: 'rfd_1',
  created: '2026-01-15T18:52:10.000Z',
  display_name: 'Bistro Nine',
  name: 'Ana',
  email: 'ana@bistro.example',
  country: 'US',
  city: 'Boston',
  reference: 'T-12',
  brand: 'visa',
  last4: '4242',
  currency: 'usd',
  amount: 1200,
  tip_amount: 200,
  amount_refunded: 1200,
  reason: 'cold soup',
  metadata: { case: 'C-140' },
  limit: 5,
  gte: '2025-12-01',
  lt: '2026-03-01',
  // objects that are left out
  bank_account: null,
  customer: null,
  amounts: null
}

/** A response of a shape, or a request, which has no value where a response has null. */
export function exampleOf({ properties = {} }: Schema, shape?: Shape): Json {
  const resource = String(properties.object?.enum?.[0])
  const fields = Object.entries(properties).map(([name, part]) => {
    const value = VALUES[name === 'id' ? resource : name]
    const inner = part.properties && value !== null ? exampleOf(part, shape) : value
    const example = part['x-fixed'] ? undefined : (part.enum?.[0] ?? inner)
    return [name, example ?? (shape && null)]
  })
  const member = properties.data?.items
  return member && shape ? listExample(exampleOf(member, shape), shape) : Object.fromEntries(fields)
}

function listExample(record: Json, { base, list }: Shape) {
  const parent = record.object === 'user' ? `/accounts/${VALUES.account}` : ''
  return filled(list, {
    url: `${base}${parent}/${record.object}s`,
    members: [record],
    has_more: false,
    first_id: record.id,
    last_id: record.id
  }) as Json
}

/** The values of a request by the names that it sends. */
export function requestExample(table: Schema): Json {
  const parts = Object.entries(exampleOf(table)).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([part, inner]) => [inBrackets(name, part), inner])
      : [[name, value]]
  )
  return Object.fromEntries(parts)
}
