/** The tables of the reference in JSON Schema 2020-12. Each object is a named component that the rest refers to. */
import { inBrackets } from '../core/form.js'
import { isObject } from '../core/quick-check.js'
import type { Settings } from '../core/settings.js'
import { type Family, type Kind, type Operation, RESOURCE_NAMES } from '../reference/operations.js'
import type { Format, Schema } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import { RESOURCES } from '../reference/tables.js'
import { answeredFormat, requiredText, sentFormat } from './openapi-patterns.js'

export type Json = Record<string, unknown>
/** What a table is for: an answer, or what an operation takes. In an update nothing is required. */
export type Use = 'answer' | Operation
export type Publisher = ReturnType<typeof createPublisher>

/** A parameter, or a part of an object in brackets; `steps` lead to its value. */
type Part = { name: string; steps: string[]; schema: Json; isRequired: boolean }

export const referTo = (kind: 'schemas' | 'examples' | 'headers', name: string) => ({ $ref: `#/components/${kind}/${name}` })

const RESOURCE_TABLES = new Map(Object.entries(RESOURCES).map(([family, table]) => [table, RESOURCE_NAMES[family as Family]]))
/** Undefined for a table that is neither a resource nor a list of them. */
export function answerName(table: Schema): string | undefined {
  const member = table.properties?.data?.items
  return RESOURCE_TABLES.get(table) ?? (member && `${RESOURCE_TABLES.get(member)}List`)
}

/** `bank_account` → `BankAccount`. */
const pascalCase = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** The ending of the component of a nested object, by the kind of its operation. */
const SUFFIXES: Readonly<Partial<Record<Kind, string>>> = { create: 'Input', update: 'Update', list: 'Filter' }

/** Metadata is one component everywhere: what is answered can be sent again. */
function componentName(table: Schema, name: string, use: Use): string {
  const suffix = use === 'answer' || table.additionalProperties ? '' : (SUFFIXES[use.kind] as string)
  return answerName(table) ?? pascalCase(name) + suffix
}

/** Words that the document keeps. */
const KEPT: readonly string[] = ['minimum', 'maximum', 'default', 'x-assumption']
const NUMBER_FORMATS: Readonly<Record<string, Json>> = { integer: { format: 'int64' }, number: { format: 'double' } }
/** A name in a form is not empty, and brackets nest it (FORM-2). */
const METADATA_KEY = { type: 'string', pattern: '^[^\\[\\]]+$' }
const METADATA_UPDATE = 'Merged by key: an empty value unsets its key (META-2); `metadata=` itself, empty, unsets all keys (META-3).'

const isUpdate = (use: Use) => use !== 'answer' && use.kind === 'update'
/** `isOwn`: the table is of the operation alone. `isClearable`: an empty value unsets the parameter (UPD-2). */
type Place = { use: Use; isRequired: boolean; isOwn: boolean; isClearable?: boolean }

/** A publisher of tables by the settings; `isFlat` names each part of an object, for generators that do not know `deepObject`. */
export function createPublisher(settings: Settings, isFlat = false) {
  const schemas: Record<string, Json> = {}
  const isUnsetRefused = settings['parameters.unset_required'] === 'reject'

  /** Refers to the component of a table, and makes it once. */
  function component(table: Schema, name: string, use: Use, isOwn = true): Json {
    if (!(name in schemas)) {
      // entered before its parts, so that a component comes before those that it refers to
      schemas[name] = {}
      schemas[name] = shapeOf(table, use, isOwn)
    }
    return referTo('schemas', name)
  }

  function shapeOf(table: Schema, use: Use, isOwn: boolean): Json {
    if (table.additionalProperties) return metadata(table)
    return table.properties?.data?.items === undefined ? object(table, use, isOwn) : list(object(table, use, isOwn))
  }

  /** A list object, by its template. */
  function list({ properties }: Json): Json {
    const { data, ...parts } = properties as Json
    const named = Object.fromEntries(Object.entries({ ...parts, members: data }).map(([name, part]) => [`$${name}`, part]))
    return templateSchema(settings['shapes.list'], named) as Json
  }

  function object(table: Schema, use: Use, isOwn: boolean): Json {
    const { required = [], properties = {} } = table
    const sent = Object.entries(properties).filter(([, part]) => !part['x-fixed'])
    if (isFlat && use !== 'answer') return flatObject(sent, required, use)
    return {
      type: 'object',
      ...(!isUpdate(use) && required.length > 0 && { required }),
      properties: Object.fromEntries(sent.map(([name, part]) => [name, property(part, name, { use, isRequired: required.includes(name), isOwn })])),
      additionalProperties: false
    }
  }

  /** `address[country]` in place of `country` inside `address`. */
  function flatObject(sent: readonly [string, Schema][], required: readonly string[], use: Operation): Json {
    const needed: string[] = []
    const properties: Record<string, Json> = {}
    let open: Json = {}
    for (const [name, table] of sent) {
      const place = { use, isRequired: required.includes(name), isOwn: true }
      if (table.additionalProperties) {
        // an update may also send `metadata=`, which unsets all keys (META-3)
        if (isUpdate(use)) properties[name] = { type: 'string', maxLength: 0, description: METADATA_UPDATE }
        open = openNames(name, metadata(table), Object.keys(properties))
        continue
      }
      const parts = partsOf(table, name, place)
      for (const part of parts) properties[part.name] = part.schema
      if (!isUpdate(use) && place.isRequired) needed.push(...parts.filter(part => part.isRequired).map(part => part.name))
    }
    return { type: 'object', ...(needed.length > 0 && { required: needed }), properties, additionalProperties: false, ...open }
  }

  function partsOf(table: Schema, name: string, place: Place): Part[] {
    if (!isFlat || !table.properties) return [{ name, steps: [name], schema: property(table, name, place), isRequired: true }]
    return Object.entries(table.properties).map(([part, schema]) => {
      const isRequired = table.required?.includes(part) === true
      return { name: inBrackets(name, part), steps: [name, part], schema: property(schema, part, { use: place.use, isRequired, isOwn: false }), isRequired }
    })
  }

  function property(table: Schema, name: string, place: Place): Json {
    const { items } = table
    if (items) return { type: 'array', items: component(items, componentName(items, name, place.use), place.use) }
    return table.properties || table.additionalProperties ? nested(table, name, place) : scalar(table, place)
  }

  /** A reference with a description; where it may be null, the reference or null. */
  function nested(table: Schema, name: string, place: Place): Json {
    const { use } = place
    const reference = component(table, componentName(table, name, use), use, false)
    const beside = table.additionalProperties ? isUpdate(use) && { description: METADATA_UPDATE } : described(table, place)
    return { ...(table.type?.includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference), ...beside }
  }

  function scalar(table: Schema, place: Place): Json {
    const { enum: words, format } = table
    const { use, isRequired } = place
    if (format === 'instant' && use !== 'answer') return { ...instant(), ...described(table, place) }
    const [type, orNull] = [table.type].flat() as [string, string?]
    // a required field is null only after an update has unset it
    const isNullable = orNull !== undefined && !(table['x-needed'] && isUnsetRefused)
    const isClearable = isUpdate(use) && !(isRequired && isUnsetRefused)
    const isText = use !== 'answer' && isRequired && type === 'string' && !words && !format
    return {
      type: isNullable ? [type, orNull] : type,
      ...NUMBER_FORMATS[type],
      ...(words && { enum: [...words.filter(word => word !== null || isNullable), ...(isClearable ? [''] : [])] }),
      ...(format !== undefined && (use === 'answer' ? answeredFormat(format as Format) : sentFormat(format as Format, isClearable))),
      ...(isText && requiredText(isClearable)),
      ...Object.fromEntries(Object.entries(table).filter(([word]) => KEPT.includes(word))),
      ...described(table, { ...place, isClearable })
    }
  }

  /** One component, since its pattern is long. */
  function instant(): Json {
    const description = 'An ISO 8601 date-time, in UTC where it has no zone, or a date, which is its 00:00 in UTC. Assumption A38.'
    schemas.Instant ??= { type: 'string', ...sentFormat('instant', false), 'x-assumption': 'A38', description }
    return referTo('schemas', 'Instant')
  }

  return {
    schemas,
    component,
    /** The parts of a parameter of a path or query: one unless names are flat. */
    parameters: (table: Schema, name: string, operation: Operation, place: 'path' | 'query'): Part[] => {
      const isInPath = place === 'path'
      return partsOf(table, name, { use: isInPath ? { ...operation, kind: 'read' } : operation, isRequired: isInPath, isOwn: true })
    }
  }
}

/** Adds names in brackets. Generators that do not know `patternProperties` see that further names may be sent. */
function openNames(name: string, { propertyNames, additionalProperties, type, ...notes }: Json, names: readonly string[]): Json {
  const inner = `${name}\\[[^\\[\\]]+\\]`
  return {
    patternProperties: { [`^${inner}$`]: { ...(additionalProperties as Json), ...notes } },
    propertyNames: { type: 'string', pattern: `^(?:${[...names.map(escaped), inner].join('|')})$` },
    additionalProperties: true
  }
}

const escaped = (name: string) => name.replaceAll(/[[\]]/g, '\\$&')

function metadata(table: Schema): Json {
  const rule = table['x-rule'] as RuleId
  return {
    type: 'object',
    description: `${table.description} Rule ${rule}.`,
    'x-rule': rule,
    propertyNames: METADATA_KEY,
    additionalProperties: { type: 'string' }
  }
}

/** The description of a table, then its rules and assumptions, in words and as extensions. */
function described(table: Schema, { use, isRequired, isOwn, isClearable }: Place): Json {
  const { description, 'x-assumption': assumption } = table
  const rules = use === 'answer' ? {} : rulesOf(table, use, isOwn)
  const isRequiredByCreate = isUpdate(use) && isRequired && table.type === 'string'
  const text = [
    description,
    ...[...new Set(Object.values(rules))].map(rule => `Rule ${rule}.`),
    assumption && `Assumption ${assumption}.`,
    (table['x-empty'] === 'refused' || table['x-empty'] === 'refunds.empty_amount') && 'An empty value is refused.',
    isRequiredByCreate && `The create requires it; an empty value ${isClearable ? 'unsets it all the same' : 'is refused'} (A16).`
  ]
    .filter(Boolean)
    .join(' ')
  return { ...rules, ...(text !== '' && { description: text }) }
}

/** The rules of a table that the operation can break: an update cannot break what only a create needs. */
function rulesOf(table: Schema, { rules }: Operation, isOwn: boolean): { 'x-rule'?: RuleId; 'x-required-by'?: RuleId } {
  const words = (['x-rule', 'x-required-by'] as const).flatMap(word => {
    const rule = table[word]
    const isNamed = rule !== undefined && rules.includes(rule) && (isOwn || word === 'x-rule')
    return isNamed ? [[word, rule]] : []
  })
  return Object.fromEntries(words)
}

/** The schema of what a template makes, with those of its placeholders; undefined for a placeholder that has none. Some placeholders do not always have a value. */
export function templateSchema(part: unknown, parts: Json, notAlways: readonly unknown[] = []): Json | undefined {
  if (typeof part === 'string' && part.startsWith('$')) return parts[part] as Json | undefined
  if (Array.isArray(part)) return { type: 'array', items: { anyOf: part.map(member => templateSchema(member, parts, notAlways)).filter(Boolean) } }
  if (!isObject(part)) return { type: part === null ? 'null' : typeof part, enum: [part] }
  const members = Object.entries(part).flatMap(([name, member]) => {
    const schema = templateSchema(member, parts, notAlways)
    return schema === undefined ? [] : [[name, schema] as const]
  })
  const required = members.map(([name]) => name).filter(name => !notAlways.includes(part[name]))
  return { type: 'object', ...(required.length > 0 && { required }), properties: Object.fromEntries(members), additionalProperties: false }
}
