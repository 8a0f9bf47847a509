/** The tables of the reference in JSON Schema 2020-12; each object is a named component. */
import { inBrackets } from '../../core/form.js'
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import {
  type Family,
  type Operation,
  type OperationId,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import type { Format, Schema } from '../../reference/parameters.js'
import { RESOURCES, TABLES, type Tables } from '../../reference/tables.js'
import { requiredText, sentFormat } from './patterns.js'

/** A part of a document; undefined is not written. */
export type Json = Record<string, unknown>
/**
 * What a table is for: a response, or what an operation takes. In an update nothing is required.
 */
export type Use = 'response' | Operation
type Place = { use: Use; isRequired: boolean }
/** In JSON Schema, by the name that a form or a query has it under. */
export type Field = { name: string; schema: Json; isRequired: boolean }

export const PUBLISHER = {
  contact: { name: 'The maintainers of commerce-emulator' },
  license: { name: 'MIT', identifier: 'MIT' }
}

export const NUMBER_FORMATS: Readonly<Record<string, Json>> = {
  integer: { format: 'int64' },
  number: { format: 'double' }
}

export const referTo = (kind: 'schemas' | 'examples' | 'responses' | 'headers', name: string) => ({
  $ref: `#/components/${kind}/${name}`
})

export const oneOf = (words: readonly unknown[]): Json =>
  words.length === 1 ? { const: words[0] } : { enum: words }

export const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object

export const partsOf = ({ properties }: Schema) => properties as Readonly<Record<string, Schema>>

const RESOURCE_TABLES = new Map(
  Object.entries(RESOURCES).map(([family, table]) => [table, RESOURCE_NAMES[family as Family]])
)
/** `bank_account` → `BankAccountInput`. Metadata is one component everywhere. */
export function componentName(table: Schema, name: string, use: Use): string {
  const member = table.properties?.data?.items
  const resource = RESOURCE_TABLES.get(member ?? table)
  if (resource !== undefined) return member ? `${resource}List` : resource
  const words = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  if (use === 'response' || table.additionalProperties) return words
  return (
    words + { create: 'Input', update: 'Update', list: 'Filter', read: '', delete: '' }[use.kind]
  )
}

const METADATA_UPDATE =
  'Merged by key: an empty value unsets its key (META-2); `metadata=` itself, empty, unsets all keys (META-3).'
/** In an update an empty value in place of an object unsets its parts. */
const EMPTY = { type: 'string', maxLength: 0 }

const isUpdate = (use: Use) => use !== 'response' && use.kind === 'update'

/** Publishes tables by the settings, in one of the two styles. */
export class Publisher {
  readonly schemas: Record<string, Json> = {}

  constructor(
    readonly settings: Settings,
    readonly isFlat: boolean
  ) {}

  /** Refers to the component of a table, which is created once. */
  component(table: Schema, name: string, use: Use): Json {
    if (!(name in this.schemas)) {
      // before its parts, so that a component precedes those that it refers to
      this.schemas[name] = {}
      this.schemas[name] = table.additionalProperties ? metadata(table) : this.#object(table, use)
    }
    return referTo('schemas', name)
  }

  #object({ required = [], properties = {} }: Schema, use: Use): Json {
    const fields = Object.entries(properties)
      .filter(([, part]) => !part['x-fixed'])
      .flatMap(([name, part]) =>
        this.fieldsOf(part, name, { use, isRequired: required.includes(name) })
      )
    const parts = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
    if (properties.data?.items) return this.#list(parts)
    const needed = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    return {
      type: 'object',
      required: isUpdate(use) || needed.length === 0 ? undefined : needed,
      properties: parts,
      additionalProperties: use !== 'response' && this.#takesOthers(properties),
      ...conditionsIn(properties, this.isFlat),
      ...(this.isFlat && use !== 'response' && properties.metadata && openNames(fields))
    }
  }

  #list({ data, ...others }: Json): Json {
    const parts = Object.entries({ ...others, members: data })
    const placeholders = Object.fromEntries(parts.map(([name, part]) => [`$${name}`, part]))
    return templateSchema(this.settings['shapes.list'], placeholders, 'A09')
  }

  #takesOthers(properties: Readonly<Record<string, Schema>>): boolean {
    const isFixedIgnored = this.settings['parameters.not_updatable'] === 'ignore'
    return (
      this.settings['parameters.unknown'] !== 'reject' ||
      (isFixedIgnored && Object.values(properties).some(part => part['x-fixed']))
    )
  }

  /** In a flat request an object is its parts, and itself if it can be unset (UPD-2, META-3). */
  fieldsOf(table: Schema, name: string, place: Place): Field[] {
    const { use, isRequired } = place
    const { properties, required = [], additionalProperties } = table
    if (!this.isFlat || use === 'response' || !(properties || additionalProperties))
      return [{ name, schema: this.#property(table, name, place), isRequired }]
    const parts = Object.entries(properties ?? {}).map(([part, inner]) => {
      const isNeeded = required.includes(part)
      return {
        name: inBrackets(name, part),
        schema: this.#property(inner, part, { use, isRequired: isNeeded }),
        isRequired: isRequired && isNeeded
      }
    })
    const whole = { name, schema: { ...EMPTY, ...this.#notes(table, place) }, isRequired: false }
    return this.#isClearable(place) ? [...parts, whole] : parts
  }

  /** An object is a reference with a description, or null where that is allowed. */
  #property(table: Schema, name: string, place: Place): Json {
    const { use } = place
    const { items, properties, additionalProperties, type, format } = table
    const notes = this.#notes(table, place)
    if (items)
      return {
        type: 'array',
        items: this.component(items, componentName(items, name, use), use),
        ...notes
      }
    if (format === 'instant' && use !== 'response') return { ...this.#instant(), ...notes }
    if (!properties && !additionalProperties) return { ...this.#scalar(table, place), ...notes }
    const reference = this.component(table, componentName(table, name, use), use)
    const instead = type?.includes('null') ? { type: 'null' } : this.#isClearable(place) && EMPTY
    return { ...(instead ? { anyOf: [reference, instead] } : reference), ...notes }
  }

  get #isUnsetRefused(): boolean {
    return this.settings['parameters.unset_required'] === 'reject'
  }

  /** Whether an empty value unsets the parameter (UPD-2). */
  #isClearable({ use, isRequired }: Place): boolean {
    return isUpdate(use) && !(isRequired && this.#isUnsetRefused)
  }

  #scalar(table: Schema, place: Place): Json {
    const { use, isRequired } = place
    const { enum: words, format } = table
    const [type = '', orNull] = [table.type].flat()
    // a required field is null only after an update has unset it
    const isNullable = orNull !== undefined && !(table['x-needed'] && this.#isUnsetRefused)
    const isUnset = this.#isClearable(place)
    if (words) {
      const known = words.filter(word => word !== null)
      const schema = { type, ...oneOf(isUnset ? [...known, ''] : known) }
      return isNullable ? { anyOf: [schema, { type: 'null' }] } : schema
    }
    // an optional value may be empty (A16)
    const mayBeEmpty = isUnset || (!isUpdate(use) && !isRequired)
    const isText = use !== 'response' && isRequired && type === 'string' && !format
    return {
      type: isNullable ? [type, orNull] : type,
      ...NUMBER_FORMATS[type],
      ...(use === 'response'
        ? format === 'instant' && { format: 'date-time' }
        : format && sentFormat(format as Format, mayBeEmpty)),
      ...(isText && requiredText(isUnset)),
      minimum: table.minimum,
      maximum: table.maximum,
      default: table.default
    }
  }

  /** One component, since its pattern is long. */
  #instant(): Json {
    this.schemas.Instant ??= {
      type: 'string',
      ...sentFormat('instant', true),
      'x-assumption': 'A38',
      description:
        'An ISO 8601 date-time, in UTC if it has no zone, or a date, which means 00:00 UTC; an empty value is ignored. Assumption A38.'
    }
    return referTo('schemas', 'Instant')
  }

  /** With its assumption, and its rule if the operation can violate it. */
  #notes(table: Schema, { use }: Place): Json {
    if (table.additionalProperties) return isUpdate(use) ? { description: METADATA_UPDATE } : {}
    const isResponse = use === 'response'
    const ownRule = table['x-rule']
    const rule = ownRule && (isResponse || use.rules.includes(ownRule)) ? ownRule : undefined
    const assumption = table['x-assumption'] ?? (isResponse && !rule ? 'A04' : undefined)
    const text = [
      table.description,
      rule && `Rule ${rule}.`,
      assumption && `Assumption ${assumption}.`
    ].filter(Boolean)
    return {
      'x-rule': rule,
      'x-assumption': assumption,
      description: text.length > 0 ? text.join(' ') : undefined
    }
  }
}

const metadata = ({ description, 'x-rule': rule }: Schema): Json => ({
  type: 'object',
  description: `${description} Rule ${rule}.`,
  'x-rule': rule,
  // a name in a form is not empty, and brackets nest it (FORM-2)
  propertyNames: { type: 'string', pattern: '^[^\\[\\]]+$' },
  additionalProperties: { type: 'string' }
})

/** Some linters require conditions to declare their names. */
const OTHERS = { additionalProperties: true }
/** What a value requires of others (TXN-3, TXN-4), each alone: generators ignore `if`. */
function conditionsIn(properties: Readonly<Record<string, Schema>>, isFlat: boolean): Json {
  let conditions: Json | undefined
  for (const [name, { properties: parts = {} }] of Object.entries(properties))
    for (const [part, { 'x-required-if': condition }] of Object.entries(parts)) {
      if (condition === undefined) continue
      const [parameter, value] = condition
      const text = { type: 'string', ...requiredText(false) }
      const object = { type: 'object', required: [part], properties: { [part]: text }, ...OTHERS }
      const [field, needed] = isFlat ? [inBrackets(name, part), text] : [name, object]
      conditions = {
        if: { required: [parameter], properties: { [parameter]: { const: value } } },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: { required: [field], properties: { [field]: needed }, ...OTHERS },
        else: conditions
      }
    }
  return conditions ?? {}
}

/** Metadata as names in brackets. */
function openNames(known: readonly Field[]): Json {
  const names = known.map(({ name }) => name.replaceAll(/[[\]]/g, '\\$&')).join('|')
  return {
    propertyNames: { type: 'string', pattern: `^(?:${names}|metadata\\[[^\\[\\]]+\\])$` },
    additionalProperties: true
  }
}

/** The schema of a filled template, without placeholders that have no schema. */
export function templateSchema(
  template: object,
  parts: Json,
  assumption: AssumptionId,
  isOptional: readonly unknown[] = []
): Json {
  const note = { 'x-assumption': assumption, description: `Assumption ${assumption}.` }
  const schemaOfPart = (part: unknown): Json => {
    if (typeof part === 'string' && part.startsWith('$')) return parts[part] as Json
    if (Array.isArray(part))
      return { type: 'array', items: { anyOf: part.filter(isPresent).map(schemaOfPart) }, ...note }
    if (isObject(part)) return templateSchema(part, parts, assumption, isOptional)
    return { ...(part === null ? { type: 'null' } : { type: typeof part, const: part }), ...note }
  }
  const isPresent = (part: unknown) =>
    typeof part !== 'string' || !part.startsWith('$') || part in parts
  const members = Object.entries(template).filter(([, part]) => isPresent(part))
  const required = members.flatMap(([name, part]) => (isOptional.includes(part) ? [] : [name]))
  return {
    type: 'object',
    required: required.length > 0 ? required : undefined,
    properties: Object.fromEntries(members.map(([name, part]) => [name, schemaOfPart(part)])),
    additionalProperties: false,
    ...note
  }
}
