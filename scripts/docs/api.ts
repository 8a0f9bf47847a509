/** docs/reference/api.md: the emulated API, its operations, parameters and resources. */
import { operationText, TAG_TEXTS } from '../../src/control/openapi-texts.js'
import { settingsInForce } from '../../src/core/settings.js'
import {
  type Family,
  nameOf,
  OPERATION_IDS,
  OPERATIONS,
  type OperationId,
  operationOf,
  RESOURCE_NAMES
} from '../../src/reference/operations.js'
import { type Schema, schemaOf } from '../../src/reference/parameters.js'
import { RESOURCES, TABLES, type Tables } from '../../src/reference/tables.js'
import { code, idLinks, page, table, typeName } from './markdown.js'

const INTRODUCTION = `The ${OPERATION_IDS.length} endpoints of the emulated service. Paths are relative to the base address, which ends in \`/next\`: \`http://localhost:4010/next\`. The API key is the HTTP Basic user name; the password is empty. Bodies are form-encoded, and nested names use brackets: \`address[country]=US\`.

The same as OpenAPI 3.1: [the documents](../clients.md#the-openapi-document), or \`GET /_control/openapi.json\` of a running emulator. Refusals: [errors](errors.md).`

const LISTS = `## Lists

A list takes \`limit\`, \`starting_after\` and \`ending_before\`, and returns \`{"object":"list","url","data","has_more","first_id","last_id"}\`. While \`has_more\` is true, get the next page with \`starting_after\` set to this page's \`last_id\`.

A search (\`search_query\`) filters a page after it is retrieved: a page may be empty while \`has_more\` is true. Continue with \`starting_after\` set to the page's \`last_id\`, which names the last record *retrieved*.`

const DEFAULTS = settingsInForce({}).values
type Row = readonly string[]
const tablesOf = (id: OperationId): Tables => TABLES[id]

/** What refuses a value, or what it is needed for. */
function note(
  { 'x-rule': rule, 'x-required-by': requiredBy, 'x-assumption': assumption }: Schema,
  possible: readonly string[]
): string {
  const ids = [...new Set([requiredBy, rule, assumption])].filter(id => id !== undefined)
  return idLinks(ids.filter(id => possible.includes(id)))
}

/** A parameter and those nested in it, by their bracket names. */
function parameterRows(
  name: string,
  schema: Schema,
  isRequired: boolean,
  possible: readonly string[]
): Row[] {
  const needed = isRequired ? 'yes' : ''
  const by = note(schema, possible)
  if (schema['x-fixed']) return [[code(name), 'none', '', 'Cannot be updated.', by]]
  if (schema.additionalProperties)
    return [[code(`${name}[KEY]`), 'text', needed, schema.description as string, by]]
  const { properties, required = [] } = schema
  if (properties === undefined)
    return [[code(name), typeName(schema), needed, schema.description as string, by]]
  const below = Object.entries(properties).flatMap(([part, inner]) =>
    parameterRows(`${name}[${part}]`, inner, isRequired && required.includes(part), possible)
  )
  return schema.description === undefined
    ? below
    : [[code(name), 'nested', needed, schema.description, by], ...below]
}

function parametersOf(id: OperationId): string {
  const { body, querystring } = tablesOf(id)
  const asked = body ?? querystring
  if (asked === undefined) return 'No parameters.'
  const { properties = {}, required = [] } = schemaOf(asked)
  const { kind, rules, assumptions } = operationOf(id)
  return table(
    ['parameter', 'value', 'required', 'about', 'refused by'],
    Object.entries(properties).flatMap(([name, schema]) =>
      parameterRows(name, schema, kind !== 'update' && required.includes(name), [
        ...rules,
        ...assumptions
      ])
    )
  )
}

function operationSection(id: OperationId): string {
  const { key, family, kind, rules, assumptions, disabledBy } = operationOf(id)
  const resource = `[${RESOURCE_NAMES[family]}](#the-${RESOURCE_NAMES[family].toLowerCase()})`
  const answer = {
    create: resource,
    read: resource,
    update: resource,
    list: `A list of ${resource}s`,
    delete: 'An empty body with 204'
  }[kind]
  return [
    `### ${nameOf(id)}`,
    operationText(id, DEFAULTS),
    parametersOf(id),
    [
      `- Key: ${key ? 'yes' : 'no'}.`,
      ...(disabledBy ? [] : [`- Response: ${answer}.`]),
      `- Rules: ${idLinks(rules)}.`,
      `- Assumptions: ${idLinks(assumptions)}.`
    ].join('\n')
  ].join('\n\n')
}

/** A field of a resource and those nested in it. */
function fieldRows(name: string, schema: Schema): Row[] {
  const by = idLinks([schema['x-rule'] ?? schema['x-assumption'] ?? 'A04'])
  const own = [
    code(name),
    schema.additionalProperties ? 'key-value pairs of text' : typeName(schema),
    schema.description as string,
    by
  ]
  const inner = schema['x-derived'] ? {} : (schema.properties ?? {})
  return [
    own,
    ...Object.entries(inner).flatMap(([part, below]) => fieldRows(`${name}.${part}`, below))
  ]
}

const resourceSection = (family: Family): string =>
  [
    `### The ${RESOURCE_NAMES[family]}`,
    TAG_TEXTS[family],
    table(
      ['field', 'value', 'about', 'by'],
      Object.entries(RESOURCES[family].properties as Record<string, Schema>).flatMap(
        ([name, schema]) => fieldRows(name, schema)
      )
    )
  ].join('\n\n')

/** The page. */
export const apiPage = (): string =>
  page(
    'API',
    INTRODUCTION,
    '## Endpoints',
    table(
      ['method', 'path', 'key', 'what it does'],
      OPERATION_IDS.map(id => [
        OPERATIONS[id].method,
        code(OPERATIONS[id].path),
        OPERATIONS[id].key ? 'yes' : 'no',
        OPERATIONS[id].title
      ])
    ),
    LISTS,
    '## Operations',
    ...OPERATION_IDS.map(operationSection),
    '## Resources',
    ...(Object.keys(RESOURCE_NAMES) as Family[]).map(resourceSection)
  )
