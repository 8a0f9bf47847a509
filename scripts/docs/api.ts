/** docs/reference/api.md: the emulated API, its operations, parameters and resources. */
import { FAMILY_TEXTS } from '../../src/control/openapi/api.js'
import {
  type Family,
  nameOf,
  OPERATION_IDS,
  OPERATIONS,
  type OperationId,
  operationOf,
  RESOURCE_NAMES
} from '../../src/reference/operations.js'
import {
  CREATED_FILTERS,
  PAGINATION,
  type Schema,
  schemaOf
} from '../../src/reference/parameters.js'
import { RESOURCES, TABLES, type Tables } from '../../src/reference/tables.js'
import { code, idLinks, page, table, typeName } from './markdown.js'

const INTRODUCTION = `The ${OPERATION_IDS.length} endpoints of the emulated service. Paths are relative to the base address, which ends in \`/next\`: \`http://localhost:4010/next\`. The API key is the HTTP Basic user name; the password is empty. Bodies are form-encoded, and nested names use brackets: \`address[country]=US\`.

The same as OpenAPI 3.1: [the documents](../clients.md#the-openapi-document), or \`GET /_control/openapi.json\` of a running emulator. Refusals: [errors](errors.md).`

const LISTS = `## Lists

A list returns \`{"object":"list","url","data","has_more","first_id","last_id"}\`. While \`has_more\` is true, get the next page with \`starting_after\` set to this page's \`last_id\`. A search (\`search_query\`) filters a page after it is retrieved: a page may be empty while \`has_more\` is true, and \`last_id\` names the last record *retrieved*.

Every list takes these, \`created\` only where its operation says so:`

/** Parameters that the section on lists describes for all of them. */
const OF_LISTS = { ...PAGINATION, ...CREATED_FILTERS }

type Row = readonly [name: string, value: string, about: string, by: readonly string[]]
const tablesOf = (id: OperationId): Tables => TABLES[id]

/** Rows of neighbours within one object that take the same: their names and texts share a row. */
function joined(rows: readonly Row[]): Row[] {
  const all: Row[] = []
  const parentOf = ([name]: Row) => /^(.*)[.[]/s.exec(name.split('`, `')[0] as string)?.[1]
  for (const row of rows) {
    const last = all.at(-1)
    const isAlike = last && parentOf(row) && parentOf(row) === parentOf(last) && row[1] === last[1]
    if (!isAlike || /Required/.test(row[2] + last[2])) all.push(row)
    else {
      const by = [...new Set([...last[3], ...row[3]])]
      all[all.length - 1] = [`${last[0]}\`, \`${row[0]}`, row[1], `${last[2]} ${row[2]}`, by]
    }
  }
  return all
}

const tableOf = (head: readonly string[], rows: readonly Row[]) =>
  table(
    head,
    joined(rows).map(([name, value, about, by]) => [code(name), value, about, idLinks(by)])
  )

/** What refuses a value, or what it is needed for. */
function note(
  { 'x-rule': rule, 'x-required-by': requiredBy, 'x-assumption': assumption }: Schema,
  possible: readonly string[]
): string[] {
  const ids = [...new Set([requiredBy, rule, assumption])].filter(id => id !== undefined)
  return ids.filter(id => possible.includes(id))
}

/** A parameter and those nested in it, by their bracket names. */
function parameterRows(
  name: string,
  schema: Schema,
  isRequired: boolean,
  possible: readonly string[]
): Row[] {
  const about = [isRequired && '**Required.**', schema.description].filter(Boolean).join(' ')
  const by = note(schema, possible)
  if (schema.additionalProperties) return [[`${name}[KEY]`, 'text', about, by]]
  const { properties, required = [] } = schema
  if (properties === undefined) return [[name, typeName(schema), about, by]]
  const below = Object.entries(properties).flatMap(([part, inner]) =>
    parameterRows(`${name}[${part}]`, inner, isRequired && required.includes(part), possible)
  )
  return schema.description === undefined ? below : [[name, 'nested', about, by], ...below]
}

const PARAMETERS = ['parameter', 'value', 'about', 'refused by']

const listParameters = () =>
  tableOf(
    PARAMETERS,
    Object.entries(OF_LISTS).flatMap(([name, schema]) => {
      const { rules, assumptions } = operationOf('listTransactions')
      return parameterRows(name, schemaOf(schema), false, [...rules, ...assumptions])
    })
  )

/** What an update takes, by what the create of its family takes. */
function updateText(id: OperationId, properties: Readonly<Record<string, Schema>>): string {
  const create = nameOf(
    OPERATION_IDS.find(
      other =>
        OPERATIONS[other].family === OPERATIONS[id].family && operationOf(other).kind === 'create'
    ) as OperationId
  )
  const fixed = Object.entries(properties).filter(([, schema]) => schema['x-fixed'])
  const names = fixed.map(([name]) => code(name)).join(', ')
  const rule = fixed[0]?.[1]['x-rule']
  return `Takes the parameters of \`${create}\`, none of them required${rule ? `; ${names} cannot be updated (${idLinks([rule])})` : ''}.`
}

function parametersOf(id: OperationId): string[] {
  const { body, querystring } = tablesOf(id)
  const asked = body ?? querystring
  if (asked === undefined) return []
  const { properties = {}, required = [] } = schemaOf(asked)
  const { kind, rules, assumptions } = operationOf(id)
  if (kind === 'update') return [updateText(id, properties)]
  const own = Object.entries(properties).filter(([name]) => kind !== 'list' || !(name in OF_LISTS))
  return own.length === 0
    ? []
    : [
        tableOf(
          PARAMETERS,
          own.flatMap(([name, schema]) =>
            parameterRows(name, schema, required.includes(name), [...rules, ...assumptions])
          )
        )
      ]
}

/** The rules and assumptions of every operation that needs a key and is not disabled. */
const COMMON = (() => {
  const [first, ...others] = OPERATION_IDS.filter(
    id => OPERATIONS[id].key && operationOf(id).disabledBy === undefined
  ).map(id => [...operationOf(id).rules, ...operationOf(id).assumptions])
  return (first as string[]).filter(id => others.every(ids => (ids as string[]).includes(id)))
})()

const COMMON_TEXT = `All operations share these, unless they say "without": ${idLinks(COMMON)}.`

function operationSection(id: OperationId): string {
  const { family, kind, rules, assumptions } = operationOf(id)
  const resource = RESOURCE_NAMES[family]
  const own = (ids: readonly string[]) => idLinks(ids.filter(one => !COMMON.includes(one)))
  const all: readonly string[] = [...rules, ...assumptions]
  const without = COMMON.filter(one => !all.includes(one)).join(', ')
  return [
    `### ${nameOf(id)}`,
    `${OPERATIONS[id].title}.${kind === 'delete' ? '' : ` Fields: [the ${resource}](#the-${resource.toLowerCase()}).`}`,
    ...parametersOf(id),
    [
      ['Rules', own(rules)],
      ['Assumptions', own(assumptions)],
      ['Without', without]
    ]
      .flatMap(([name, links]) => (links ? `${name}: ${links}.` : []))
      .join(' ')
  ].join('\n\n')
}

/** A field of a resource and those nested in it. */
function fieldRows(name: string, schema: Schema): Row[] {
  const by = schema['x-rule'] ?? schema['x-assumption'] ?? 'A04'
  const type = schema.additionalProperties ? 'key-value pairs of text' : typeName(schema)
  const inner = schema['x-derived'] ? {} : (schema.properties ?? {})
  return [
    [name, type, schema.description as string, by === 'A04' ? [] : [by]],
    ...Object.entries(inner).flatMap(([part, below]) => fieldRows(`${name}.${part}`, below))
  ]
}

const resourceSection = (family: Family): string =>
  [
    `### The ${RESOURCE_NAMES[family]}`,
    FAMILY_TEXTS[family],
    tableOf(
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
    listParameters(),
    '## Operations',
    COMMON_TEXT,
    ...OPERATION_IDS.map(operationSection),
    '## Resources',
    `A field without a rule or assumption is based on ${idLinks(['A04'])}.`,
    ...(Object.keys(RESOURCE_NAMES) as Family[]).map(resourceSection)
  )
