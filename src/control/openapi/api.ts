/** The emulated API in OpenAPI 3.1, from the tables of the reference. */
import { CATALOGUE, type ErrorCode, statusOf } from '../../core/errors.js'
import { inBrackets } from '../../core/form.js'
import { BASE, controlOfBase } from '../../core/paths.js'
import { isObject } from '../../core/quick-check.js'
import type { Settings } from '../../core/settings.js'
import { ASSUMPTION_IDS, ASSUMPTIONS } from '../../reference/assumptions.js'
import {
  type Family,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { type Schema, sentName } from '../../reference/parameters.js'
import { each, RULE_IDS, RULES } from '../../reference/rules.js'
import type { Shape } from '../../store/collection.js'
import { FAMILIES } from '../../store/store.js'
import {
  bodyExamples,
  EXAMPLE_KEY,
  listExample,
  pathExample,
  queryExample,
  recordExamples
} from './examples.js'
import { codesBy, errorExamples, errorSchemas, isKeyChecked } from './refusals.js'
import {
  componentName,
  type Json,
  PUBLISHER,
  Publisher,
  partsOf,
  referTo,
  tablesOf,
  type Use
} from './schemas.js'

export type DocumentOptions = {
  /** `http://localhost:4010`, or empty for addresses relative to the document. */
  origin: string
  /** The path of the API, such as `/next`. */
  base: string
  version: string
  settings: Settings
  /** Names nested parameters in brackets, for generators that do not know `deepObject`. */
  isFlat?: boolean
}

/** `records` are the examples. */
type Writing = {
  publisher: Publisher
  records: Readonly<Record<Family, Json>>
  shape: Shape
}

export const FAMILY_TEXTS: Readonly<Record<Family, string>> = {
  locations: 'Places where a merchant sells.',
  accounts: 'Merchants and resellers.',
  users: 'People who belong to an Account.',
  tickets: 'What is to be paid at a Location. Tickets are read-only through this interface.',
  transactions: 'Payments against a Ticket.',
  refunds: 'Funds returned from a Transaction.'
}

const aboutApi = (
  assumptions: string
) => `The Commerce Service API as commerce-emulator implements it, generated from the tables that it checks requests with.

A **rule** (REF-7) is a sentence of the service's reference. An **assumption** (A23) is how the emulator responds where the reference is silent; most can be changed by a setting: [the assumptions](${assumptions}). Each operation lists them in \`x-rules\` and \`x-assumptions\`; their texts are next to this description.

The examples work with the scenario \`default\` and the key \`${EXAMPLE_KEY}\`. Statuses, page sizes and nullable fields follow the current settings.

Not described: scripted responses of another shape, and fields that only fixtures can set.`

/** True of all operations, or all that need a key. */
const GENERAL: readonly string[] = 'BASE-1 AUTH-1 AUTH-3 FORM-2 A07 A08 A14 A18 A35 A36 A39'.split(
  ' '
)

export function openApiDocument({
  origin,
  base,
  version,
  settings,
  isFlat = false
}: DocumentOptions): Json {
  const shape = { base, list: settings['shapes.list'] }
  const records = recordExamples(settings, shape)
  const publisher = new Publisher(settings, isFlat)
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    const operation = operationObject(id, { publisher, records, shape })
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  const { schemas } = publisher
  for (const family of FAMILIES) {
    const name = RESOURCE_NAMES[family]
    schemas[name] = {
      ...schemas[name],
      description: FAMILY_TEXTS[family],
      examples: [records[family]]
    }
  }
  return {
    openapi: '3.1.0',
    info: { version, ...infoOf(`${origin}${controlOfBase(base)}/assumptions`) },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(FAMILY_TEXTS).map(([name, description]) => ({ name, description })),
    paths,
    components: components(publisher)
  }
}

const infoOf = (assumptions: string): Json => ({
  title: 'Commerce Service API, emulated',
  summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
  description: aboutApi(assumptions),
  ...PUBLISHER,
  'x-rules': each(RULE_IDS, id => RULES[id].text),
  'x-assumptions': each(
    ASSUMPTION_IDS,
    id => `${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}`
  )
})

const components = ({ schemas, settings }: Publisher): Json => ({
  schemas: { ...schemas, ...errorSchemas(settings) },
  examples: errorExamples(settings),
  responses: {
    Refusal: refusalOf('The response of a script, or a limit of the emulator.', codesBy(settings))
  },
  headers: {
    RequestId: {
      description: 'The id under which the journal keeps the request.',
      required: true,
      schema: { type: 'string' },
      example: 'req_42'
    }
  },
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'basic',
      description: 'The API key is the user name; the password is empty.',
      'x-rules': ['AUTH-1', 'AUTH-3'],
      'x-assumptions': ['A18']
    }
  }
})

const HEADERS = { 'Request-Id': referTo('headers', 'RequestId') }
const DEEP = { style: 'deepObject', explode: true }
const json = (media: Json) => ({ content: { 'application/json': media } })

function operationObject(id: OperationId, writing: Writing): Json {
  const { family, kind, key, title, rules, assumptions } = operationOf(id)
  const { settings } = writing.publisher
  const [after] = settings['pagination.cursors']
  const { params, querystring, body } = tablesOf(id)
  const parameters = [
    ...parametersIn('path', params, id, writing),
    ...parametersIn('query', querystring, id, writing)
  ]
  const ruleLines = rules
    .filter(id => !GENERAL.includes(id))
    .map(id => `- Rule ${id}: ${RULES[id].text}.`)
  const reliesOn = assumptions.filter(id => !GENERAL.includes(id)).join(', ')
  const nextPage =
    kind === 'list' &&
    `For the next page, set \`${after}\` to the id of the last record retrieved for this page.`
  const texts = [
    [`${title}.`, nextPage].filter(Boolean).join(' '),
    ruleLines.join('\n'),
    reliesOn && `Assumptions: ${reliesOn}.`
  ]
  return {
    operationId: id,
    tags: [family],
    summary: title,
    description: texts.filter(Boolean).join('\n\n'),
    ...(!key && { security: isKeyChecked(settings) ? [{}, { apiKey: [] }] : [] }),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && requestBody(id, body, writing),
    responses: { ...success(id, writing), ...refusals(id, writing) },
    'x-rules': rules,
    'x-assumptions': assumptions
  }
}

function parametersIn(
  place: 'path' | 'query',
  { properties = {} }: Schema = {},
  id: OperationId,
  { publisher }: Writing
): Json[] {
  const { settings, isFlat } = publisher
  const isRequired = place === 'path'
  const operation = operationOf(id)
  const use: Use = isRequired ? { ...operation, kind: 'read' } : operation
  const examples = inStyle(isRequired ? pathExample(id) : queryExample(id), isFlat)
  return Object.entries(properties).flatMap(([name, table]) => {
    const sent = sentName(name, table, settings['pagination.cursors'])
    const isPageSize = table['x-page-size']
    const bounded = isPageSize ? pageSize(table, settings) : table
    return publisher.fieldsOf(bounded, sent, { use, isRequired }).map(field => {
      const { description, 'x-rule': rule, 'x-assumption': assumption, ...schema } = field.schema
      return {
        name: field.name,
        in: place,
        required: isRequired,
        description: description ?? (isRequired ? 'The id of a record.' : 'Filters by creation.'),
        'x-rule': rule,
        'x-assumption': assumption,
        ...(!isFlat && table.properties && DEEP),
        schema: isPageSize ? { ...schema, format: 'int32' } : schema,
        example: examples[field.name]
      }
    })
  })
}

/** `limit` with the bounds that the settings give it (A10). */
function pageSize(limit: Schema, settings: Settings): Schema {
  const maximum = settings['pagination.max_limit']
  const size = Math.min(settings['pagination.default_limit'], maximum)
  return {
    ...limit,
    ...(settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }),
    default: size,
    description: `Page size, 1 to ${maximum}; ${size} when left out.`
  }
}

/** In the flat style `address[country]` in place of a `country` in an `address`. */
function inStyle(values: Json, isFlat: boolean): Json {
  if (!isFlat) return values
  const fields = Object.entries(values).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([part, inner]) => [inBrackets(name, part), inner])
      : [[name, value]]
  )
  return Object.fromEntries(fields)
}

function requestBody(id: OperationId, table: Schema, { publisher }: Writing): Json {
  const { settings, isFlat, schemas } = publisher
  const operation = operationOf(id)
  const examples = bodyExamples(operation, table).map(({ summary, value }) => ({
    summary,
    value: inStyle(value, isFlat)
  }))
  const name = id.replace(/^./, first => first.toUpperCase())
  const schema = publisher.component(table, name, operation)
  const { required } = schemas[name] as { required: string[] }
  if (id === 'createTransaction') {
    if (settings['transactions.default_currency'] === 'required') required.push('currency')
    if (settings['transactions.without_amount'] === 'reject') required.push('amount')
  }
  const nested = Object.entries(partsOf(table)).filter(([, { type }]) => type === 'object')
  const encoding = Object.fromEntries(nested.map(([name]) => [name, DEEP]))
  return {
    required: operation.kind === 'create',
    content: {
      'application/x-www-form-urlencoded': {
        schema,
        encoding: isFlat || nested.length === 0 ? undefined : encoding,
        examples: Object.fromEntries(
          examples.map(example => [example.summary.replaceAll(/\W+/g, '_'), example])
        )
      }
    }
  }
}

function success(id: OperationId, { publisher, records, shape }: Writing): Json {
  const { response } = tablesOf(id)
  const { family, kind, disabledBy } = operationOf(id)
  if (disabledBy !== undefined) return {}
  if (!response) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
  const isList = kind === 'list'
  const resource = RESOURCE_NAMES[family]
  return {
    [kind === 'create' ? publisher.settings['statuses.created'] : 200]: {
      description: isList ? `A page of ${resource}s.` : `The ${resource}.`,
      headers: HEADERS,
      ...json({
        schema: publisher.component(response, componentName(response, '', 'response'), 'response'),
        example: isList ? listExample(id, records[family], shape) : records[family]
      })
    }
  }
}

const refusalOf = (description: string, codes: readonly ErrorCode[]) => ({
  description,
  headers: HEADERS,
  ...json({
    schema: referTo('schemas', 'ErrorResponse'),
    examples: each(codes, code => referTo('examples', code))
  })
})

/** By status. */
function refusals(id: OperationId, { publisher: { settings } }: Writing): Json {
  const byStatus = new Map<string, ErrorCode[]>()
  for (const code of codesBy(settings, id)) {
    const status = String(statusOf(code, settings))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  // from a script or a limit of the emulator
  const others = operationOf(id).disabledBy ? [] : ['402', '429', '503', 'default']
  return {
    ...each(others, () => referTo('responses', 'Refusal')),
    ...Object.fromEntries(
      Array.from(byStatus, ([status, codes]) => {
        const causes = codes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`)
        return [status, refusalOf(causes.join('\n'), codes)]
      })
    )
  }
}

export const documentBy = (
  settings: Settings,
  options: Pick<DocumentOptions, 'version' | 'isFlat'>
): Json =>
  openApiDocument({ origin: `http://localhost:${settings.port}`, base: BASE, settings, ...options })
