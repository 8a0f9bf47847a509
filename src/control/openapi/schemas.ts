/** The tables of the reference in JSON Schema 2020-12; each object is a named component. */
import { inBrackets } from '../../core/form.js'
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import type { AssumptionId } from '../../reference/assumptions.js'
import {
  type Family,
  type Kind,
  type Operation,
  type OperationId,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import type { Format, Schema } from '../../reference/parameters.js'
import type { RuleId } from '../../reference/rules.js'
import { RESOURCES, TABLES, type Tables } from '../../reference/tables.js'
import { requiredText, responseFormat, sentFormat } from './patterns.js'

export type Json = Record<string, unknown>
/**
 * What a table is for: a response, or what an operation takes. In an update nothing is required.
 */
type Use = 'response' | Operation
/**
 * `isOwn`: the table is of the operation alone. `isClearable`: an empty value unsets the parameter
 * (UPD-2).
 */
type Place = { use: Use; isRequired: boolean; isOwn: boolean; isClearable?: boolean }

/** Who the documents are by. */
export const PUBLISHER = {
  contact: { name: 'The maintainers of commerce-emulator' },
  license: { name: 'MIT', identifier: 'MIT' }
}

export const referTo = (kind: 'schemas' | 'examples' | 'responses' | 'headers', name: string) => ({
  $ref: `#/components/${kind}/${name}`
})

const RESOURCE_TABLES = new Map(
  Object.entries(RESOURCES).map(([family, table]) => [table, RESOURCE_NAMES[family as Family]])
)
/** Undefined for a table that is neither a resource nor a list of them. */
export function responseName(table: Schema): string | undefined {
  const member = table.properties?.data?.items
  return RESOURCE_TABLES.get(table) ?? (member && `${RESOURCE_TABLES.get(member)}List`)
}

/** The ending of the component of a nested object, by the kind of its operation. */
const SUFFIXES: Readonly<Partial<Record<Kind, string>>> = {
  create: 'Input',
  update: 'Update',
  list: 'Filter'
}

/** `bank_account` → `BankAccountInput`. Metadata is one component everywhere. */
function componentName(table: Schema, name: string, use: Use): string {
  const suffix =
    use === 'response' || table.additionalProperties ? '' : (SUFFIXES[use.kind] as string)
  return (
    responseName(table) ??
    name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()) + suffix
  )
}

/** Words that the document keeps. */
const KEPT: readonly string[] = ['minimum', 'maximum', 'default']
export const NUMBER_FORMATS: Readonly<Record<string, Json>> = {
  integer: { format: 'int64' },
  number: { format: 'double' }
}
const METADATA_UPDATE =
  'Merged by key: an empty value unsets its key (META-2); `metadata=` itself, empty, unsets all keys (META-3).'

/** In an update an empty value in place of an object unsets its parts. */
const EMPTY = { type: 'string', maxLength: 0 }

const isUpdate = (use: Use) => use !== 'response' && use.kind === 'update'

/** In JSON Schema, by the name that a form or a query has it under. */
export type Field = { name: string; schema: Json; isRequired: boolean }

export const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object

export type Publisher = ReturnType<typeof createPublisher>
/** Publishes tables by the settings: `schemas` are the components made so far. */
export function createPublisher(settings: Settings, isFlat: boolean) {
  const schemas: Record<string, Json> = {}
  const isUnsetRefused = settings['parameters.unset_required'] === 'reject'

  /** Refers to the component of a table, and makes it once. */
  function component(table: Schema, name: string, use: Use, isOwn = true): Json {
    if (!(name in schemas)) {
      // entered before its parts, so that a component comes before those that it refers to
      schemas[name] = {}
      schemas[name] = table.additionalProperties ? metadata(table) : object(table, use, isOwn)
    }
    return referTo('schemas', name)
  }

  function object(table: Schema, use: Use, isOwn: boolean): Json {
    const { required = [], properties = {} } = table
    const fields = Object.entries(properties)
      .filter(([, part]) => !part['x-fixed'])
      .flatMap(([name, part]) =>
        fieldsOf(part, name, { use, isRequired: required.includes(name), isOwn })
      )
    const parts = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
    if (properties.data?.items) {
      const { data, ...others } = parts
      const placeholders = Object.entries({ ...others, members: data }).map(([name, part]) => [
        `$${name}`,
        part
      ])
      return templateSchema(
        settings['shapes.list'],
        Object.fromEntries(placeholders),
        'A09'
      ) as Json
    }
    const needed = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    return {
      type: 'object',
      ...(!isUpdate(use) && needed.length > 0 && { required: needed }),
      properties: parts,
      additionalProperties:
        use !== 'response' &&
        (settings['parameters.unknown'] !== 'reject' ||
          (settings['parameters.not_updatable'] === 'ignore' &&
            Object.values(properties).some(part => part['x-fixed']))),
      ...conditionsIn(properties, isFlat),
      ...(isFlat && use !== 'response' && properties.metadata && openNames(Object.keys(parts)))
    }
  }

  /**
   * A field; in a flat request the parts of an object, and the object itself where it can be unset
   * (UPD-2, META-3).
   */
  function fieldsOf(table: Schema, name: string, place: Place): Field[] {
    const { use, isRequired } = place
    const { properties = {}, required = [], additionalProperties } = table
    if (!isFlat || use === 'response' || !(table.properties || additionalProperties))
      return [{ name, schema: property(table, name, place), isRequired }]
    const parts = Object.entries(properties).map(([part, inner]) => {
      const isNeeded = required.includes(part)
      return {
        name: inBrackets(name, part),
        schema: property(inner, part, { use, isRequired: isNeeded, isOwn: false }),
        isRequired: isRequired && isNeeded
      }
    })
    const whole = { name, schema: { ...EMPTY, ...objectNotes(table, place) }, isRequired: false }
    return isClearable(place) ? [...parts, whole] : parts
  }

  const objectNotes = (table: Schema, place: Place): Json =>
    table.additionalProperties
      ? { ...(isUpdate(place.use) && { description: METADATA_UPDATE }) }
      : described(table, place, settings)

  /** A schema; of an object a reference with a description, or null where that is allowed. */
  function property(table: Schema, name: string, place: Place): Json {
    const { use } = place
    const { items, properties, additionalProperties, type } = table
    if (items)
      return {
        type: 'array',
        items: component(items, componentName(items, name, use), use),
        ...described(table, place, settings)
      }
    if (!properties && !additionalProperties) return scalar(table, place)
    const reference = component(table, componentName(table, name, use), use, false)
    const instead = type?.includes('null') ? { type: 'null' } : isClearable(place) && EMPTY
    return {
      ...(instead ? { anyOf: [reference, instead] } : reference),
      ...objectNotes(table, place)
    }
  }

  /** Whether an empty value unsets the parameter (UPD-2). */
  const isClearable = ({ use, isRequired }: Place) =>
    isUpdate(use) && !(isRequired && isUnsetRefused)

  function scalar(table: Schema, place: Place): Json {
    const { enum: words, format } = table
    const { use, isRequired } = place
    if (format === 'instant' && use !== 'response')
      return { ...instant(), ...described(table, place, settings) }
    const [type, orNull] = [table.type].flat() as [string, string?]
    // a required field is null only after an update has unset it
    const isNullable = orNull !== undefined && !(table['x-needed'] && isUnsetRefused)
    const isUnset = isClearable(place)
    const isText = use !== 'response' && isRequired && type === 'string' && !words && !format
    const beside = described(table, { ...place, isClearable: isUnset }, settings)
    if (words) {
      const known = {
        type,
        ...oneOf([...words.filter(word => word !== null), ...(isUnset ? [''] : [])])
      }
      return { ...(isNullable ? { anyOf: [known, { type: 'null' }] } : known), ...beside }
    }
    // what may be left out may also be empty (A16)
    const mayBeEmpty = isUnset || (!isUpdate(use) && !isRequired)
    return {
      type: isNullable ? [type, orNull] : type,
      ...NUMBER_FORMATS[type],
      ...(format !== undefined &&
        (use === 'response'
          ? responseFormat(format as Format)
          : sentFormat(format as Format, mayBeEmpty))),
      ...(isText && requiredText(isUnset)),
      ...Object.fromEntries(Object.entries(table).filter(([word]) => KEPT.includes(word))),
      ...beside
    }
  }

  /** One component, since its pattern is long. */
  function instant(): Json {
    const description =
      'An ISO 8601 date-time, in UTC if it has no zone, or a date, which means 00:00 UTC; an empty one is ignored. Assumption A38.'
    schemas.Instant ??= {
      type: 'string',
      ...sentFormat('instant', true),
      'x-assumption': 'A38',
      description
    }
    return referTo('schemas', 'Instant')
  }

  return { schemas, component, fieldsOf }
}

function metadata({ description, 'x-rule': rule }: Schema): Json {
  return {
    type: 'object',
    description: `${description} Rule ${rule}.`,
    'x-rule': rule,
    // a name in a form is not empty, and brackets nest it (FORM-2)
    propertyNames: { type: 'string', pattern: '^[^\\[\\]]+$' },
    additionalProperties: { type: 'string' }
  }
}

export const oneOf = (words: readonly unknown[]): Json =>
  words.length === 1 ? { const: words[0] } : { enum: words }

/** Some linters forbid names that a condition does not mention. */
const OTHERS = { additionalProperties: true }
/** What a value requires of others (TXN-3, TXN-4), one by one: generators read past `if`. */
function conditionsIn(properties: Readonly<Record<string, Schema>>, isFlat: boolean): Json {
  const conditional = Object.entries(properties).flatMap(([name, { properties: parts = {} }]) =>
    Object.entries(parts).flatMap(([part, { 'x-required-if': condition }]) =>
      condition ? [{ name, part, condition }] : []
    )
  )
  return conditional.reduceRight<Json>((others, { name, part, condition: [parameter, value] }) => {
    const text = { type: 'string', ...requiredText(false) }
    const object = { type: 'object', required: [part], properties: { [part]: text }, ...OTHERS }
    const [field, needed] = isFlat ? [inBrackets(name, part), text] : [name, object]
    return {
      if: { required: [parameter], properties: { [parameter]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: [field], properties: { [field]: needed }, ...OTHERS },
      ...('if' in others && { else: others })
    }
  }, {})
}

/** Metadata as names in brackets, beside those that are known. */
const openNames = (names: readonly string[]): Json => ({
  propertyNames: {
    type: 'string',
    pattern: `^(?:${names.join('|').replaceAll(/[[\]]/g, '\\$&')}|metadata\\[[^\\[\\]]+\\])$`
  },
  additionalProperties: true
})

/** The description of a table, then its rules and assumptions. */
function described(
  table: Schema,
  { use, isRequired, isOwn, isClearable }: Place,
  settings: Settings
): Json {
  const rules = rulesOf(table, use, isOwn)
  const {
    description,
    'x-empty': empty,
    'x-assumption': assumption = use === 'response' && !rules['x-rule'] && 'A04'
  } = table
  const isRequiredByCreate = isUpdate(use) && isRequired && table.type === 'string'
  const text = [
    description,
    ...[...new Set(Object.values(rules))].map(rule => `Rule ${rule}.`),
    assumption && `Assumption ${assumption}.`,
    (empty === 'refused' || settings[empty as 'refunds.empty_amount'] === 'reject') &&
      'An empty value is refused.',
    isRequiredByCreate &&
      `The create requires it; an empty value ${isClearable ? 'unsets it all the same' : 'is refused'} (A16).`
  ]
    .filter(Boolean)
    .join(' ')
  return {
    ...rules,
    ...(assumption && { 'x-assumption': assumption }),
    ...(text !== '' && { description: text })
  }
}

/** The rules of a table that the operation can break. */
function rulesOf(table: Schema, use: Use, isOwn: boolean): Json {
  const isOf = (rule: RuleId | undefined) =>
    rule !== undefined && (use === 'response' || use.rules.includes(rule))
  const words = (['x-rule', 'x-required-by'] as const).filter(
    word => isOf(table[word]) && (isOwn || word === 'x-rule')
  )
  return Object.fromEntries(words.map(word => [word, table[word]]))
}

/** Of what a template makes; undefined for a placeholder without one. */
export function templateSchema(
  part: unknown,
  parts: Json,
  assumption: AssumptionId,
  notAlways: readonly unknown[] = []
): Json | undefined {
  if (typeof part === 'string' && part.startsWith('$')) return parts[part] as Json | undefined
  const inner = (member: unknown) => templateSchema(member, parts, assumption, notAlways)
  const note = { 'x-assumption': assumption, description: `Assumption ${assumption}.` }
  if (Array.isArray(part))
    return { type: 'array', items: { anyOf: part.map(inner).filter(Boolean) }, ...note }
  if (!isObject(part))
    return { ...(part === null ? { type: 'null' } : { type: typeof part, const: part }), ...note }
  const members = Object.entries(part).flatMap(([name, member]) => {
    const schema = inner(member)
    return schema === undefined ? [] : [[name, schema] as const]
  })
  const required = members.map(([name]) => name).filter(name => !notAlways.includes(part[name]))
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members),
    additionalProperties: false,
    ...note
  }
}
