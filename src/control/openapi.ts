/** The emulated API in OpenAPI 3.1, made from the tables and ledgers of the reference and the error catalogue. */
import { CATALOGUE, type ErrorCode, statusOf } from '../core/errors.js'
import { inBrackets } from '../core/form.js'
import { controlOfBase } from '../core/paths.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { LOCATION_RULES, REFUND_RULES, TRANSACTION_RULES } from '../core/rules.js'
import type { Settings } from '../core/settings.js'
import { filled } from '../core/templates.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { type Family, OPERATION_IDS, type Operation, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import { type Schema, sentName } from '../reference/parameters.js'
import { RULE_IDS, RULES, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { CALL_EXAMPLES, EXAMPLE_KEY, listExample, recordExamples } from './examples.js'
import { answerName, createPublisher, type Json, type Publisher, referTo, templateSchema } from './openapi-schemas.js'
import { operationText, TAG_TEXTS } from './openapi-texts.js'

export type DocumentOptions = {
  /** `http://localhost:4010`, or empty for addresses relative to the document. */
  origin: string
  /** The path of the API, such as `/next`. */
  base: string
  version: string
  /** They decide statuses, page sizes and what may be null. */
  settings: Settings
  /** Names nested parameters in brackets, for generators that do not know `deepObject`. */
  isFlat?: boolean
}
type Making = DocumentOptions & { publisher: Publisher }

const about = (assumptions: string) => `The Commerce Service API as commerce-emulator answers it, made from the tables that calls are checked with.

A **rule** (REF-7) is a sentence of the service's reference. An **assumption** (A23) is what the emulator answers where the reference is silent; it is not documented behaviour, and most can be changed by a setting: [the assumptions](${assumptions}). The operations name theirs in \`x-rules\` and \`x-assumptions\`; their texts are beside this one.

The examples work with the scenario \`default\` and the key \`${EXAMPLE_KEY}\`. Statuses, page sizes and what may be null are those of the settings in force.

Not described: scripted answers; what only a fixture can give a record (fields under \`extra\`, null for what a create requires, brackets in a metadata key); 404 and 405 for other paths and methods; 429 for one sandbox too many; 503 until the start scenario is loaded; requests that cannot be read as HTTP.`

const ALL = OPERATION_IDS.map(operationOf)
const ENABLED = ALL.filter(({ disabledBy }) => disabledBy === undefined)
const isOfEach = (id: RuleId | AssumptionId) => ENABLED.every(({ rules, assumptions }) => ([...rules, ...assumptions] as string[]).includes(id))
/** Not in the texts of operations, since it is true of all of them, or of all that need a key. */
const KEY: readonly string[] = ['AUTH-1', 'AUTH-3', 'A18']
const GENERAL: ReadonlySet<string> = new Set([...[...RULE_IDS, ...ASSUMPTION_IDS].filter(isOfEach), ...KEY])

/** The rules of an operation after its parameters are read. */
const JUDGED_BY: Readonly<Partial<Record<OperationId, readonly { else: ErrorCode }[]>>> = {
  createLocation: LOCATION_RULES,
  createTransaction: TRANSACTION_RULES,
  createRefund: REFUND_RULES
}

const DEEP = { style: 'deepObject', explode: true }

const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object
const capitalised = (id: OperationId) => id.replace(/^./, first => first.toUpperCase())

export function openApiDocument(options: DocumentOptions): Json {
  const { origin, base, version, settings } = options
  const making = { ...options, publisher: createPublisher(settings, options.isFlat) }
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id, making) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Commerce Service API, emulated',
      version,
      summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
      description: about(`${origin}${controlOfBase(base)}/assumptions`),
      contact: { name: 'The maintainers of commerce-emulator' },
      license: { name: 'MIT', identifier: 'MIT' },
      'x-rules': Object.fromEntries(RULE_IDS.map(id => [id, RULES[id].text])),
      'x-assumptions': Object.fromEntries(ASSUMPTION_IDS.map(id => [id, `${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}`]))
    },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAG_TEXTS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...withExamples(making), ...errorSchemas(settings) },
      examples: errorExamples(settings),
      headers: {
        RequestId: {
          description: 'The id of the answer, under which the journal keeps the call.',
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
          'x-rules': KEY.filter(id => id in RULES),
          'x-assumptions': KEY.filter(id => id in ASSUMPTIONS)
        }
      }
    }
  }
}

/** What an operation does, its rules and its assumptions. */
function textOf(id: OperationId, { rules, assumptions }: Operation, settings: Settings): string {
  const ownRules = rules.filter(id => !GENERAL.has(id)).map(id => `- Rule ${id}: ${RULES[id].text}.`)
  const ownAssumptions = assumptions.filter(id => !GENERAL.has(id))
  const relies = ownAssumptions.length > 0 && `Assumptions: ${ownAssumptions.join(', ')}.`
  return [operationText(id, settings), ownRules.join('\n'), relies].filter(Boolean).join('\n\n')
}

function operationObject(id: OperationId, making: Making): Json {
  const operation = operationOf(id)
  const { family, key, title, rules, assumptions } = operation
  const { body } = tablesOf(id)
  const { params, query } = CALL_EXAMPLES[id]
  const parameters = [...parameterObjects(id, 'params', making, params), ...parameterObjects(id, 'querystring', making, query)]
  return {
    operationId: id,
    tags: [family],
    summary: title,
    description: textOf(id, operation, making.settings),
    ...(!key && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(id, body, making) }),
    responses: { ...success(id, making), ...refusals(id, making) },
    'x-rules': rules,
    'x-assumptions': assumptions
  }
}

function parameterObjects(id: OperationId, place: 'params' | 'querystring', making: Making, examples: Json = {}): Json[] {
  return Object.entries(tablesOf(id)[place]?.properties ?? {}).flatMap(([name, table]) => {
    const isPageSize = table['x-page-size'] === true
    const where = place === 'params' ? 'path' : 'query'
    const parts = making.publisher.parameters(
      isPageSize ? pageSize(table, making) : table,
      sentName(name, table, making.settings['pagination.cursors']),
      operationOf(id),
      where
    )
    return parts.map(({ name, steps, schema }) => {
      const { description, ...words } = isPageSize ? { ...schema, format: 'int32' } : schema
      const example = partAt(examples, steps)
      const isNote = ([word]: [string, unknown]) => word.startsWith('x-')
      // description and notes are outside the schema
      return {
        name,
        in: where,
        required: where === 'path',
        ...(description !== undefined && { description }),
        ...Object.fromEntries(Object.entries(words).filter(isNote)),
        ...(table.properties && !making.isFlat && DEEP),
        schema: Object.fromEntries(Object.entries(words).filter(word => !isNote(word))),
        ...(example !== undefined && { example })
      }
    })
  })
}

/** `limit` with the bounds that the settings give it (A10). */
function pageSize(limit: Schema, { settings }: DocumentOptions): Schema {
  const maximum = settings['pagination.max_limit']
  const fallback = Math.min(settings['pagination.default_limit'], maximum)
  const bounds = settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }
  return { ...limit, ...bounds, default: fallback, description: `Page size, 1 to ${maximum}; ${fallback} when left out.` } as Schema
}

function requestBody(id: OperationId, table: Schema, { publisher, isFlat }: Making): Json {
  const operation = operationOf(id)
  const nested = Object.entries(table.properties as Record<string, Schema>).filter(([, { type }]) => type === 'object')
  const examples = Object.entries(CALL_EXAMPLES[id].body as Record<string, Json>)
  return {
    required: operation.kind === 'create',
    content: {
      'application/x-www-form-urlencoded': {
        schema: publisher.component(table, capitalised(id), operation),
        ...(nested.length > 0 && !isFlat && { encoding: Object.fromEntries(nested.map(([name]) => [name, DEEP])) }),
        examples: Object.fromEntries(
          examples.map(([summary, value]) => [summary.replaceAll(/\W+/g, '_'), { summary, value: isFlat ? flatValue(value) : value }])
        )
      }
    }
  }
}

/** Names the parts of objects in brackets. */
const flatValue = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      typeof part === 'object' ? Object.entries(part as Json).map(([inner, value]) => [inBrackets(name, inner), value]) : [[name, part]]
    )
  )

const HEADERS = { 'Request-Id': referTo('headers', 'RequestId') }

/** A disabled operation never succeeds; tools that want a success get one that says so. */
function success(id: OperationId, { base, settings, publisher }: Making): Json {
  const list = settings['shapes.list']
  const { answer } = tablesOf(id)
  const { family, path, kind, disabledBy } = operationOf(id)
  if (disabledBy !== undefined) return { 204: { description: 'Never answered: the service disables this operation.' } }
  if (!answer) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name) => CALL_EXAMPLES[id].params?.[name] as string)}`
  return {
    [kind === 'create' ? settings['statuses.created'] : 200]: {
      description: kind === 'list' ? `A page of ${RESOURCE_NAMES[family]}s.` : `The ${RESOURCE_NAMES[family]}.`,
      headers: HEADERS,
      content: {
        'application/json': {
          schema: publisher.component(answer, answerName(answer) as string, 'answer'),
          ...(kind === 'list' && { example: listExample(url, recordExamples(base, list)[family], list) })
        }
      }
    }
  }
}

/** Each status with its codes. */
function refusals(id: OperationId, { settings }: DocumentOptions): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(id)) {
    const status = statusOf(code, settings)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`).join('\n'),
        headers: HEADERS,
        content: {
          'application/json': {
            schema: referTo('schemas', 'ErrorResponse'),
            examples: Object.fromEntries(codes.map(code => [code, referTo('examples', code)]))
          }
        }
      }
    ])
  )
}

/** By kind, by tables, and by the rules of the records. */
function codesOf(id: OperationId): ErrorCode[] {
  const { method, kind, key, disabledBy } = operationOf(id)
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing', 'api_key_malformed', 'api_key_unknown'] : []
  if (disabledBy !== undefined) return [...codes, 'operation_disabled']
  codes.push('body_too_large', method === 'POST' ? 'content_type_unsupported' : 'body_unexpected')
  codes.push('form_malformed', 'form_too_large', 'parameter_unknown')
  const fields = Object.values(body?.properties ?? {})
  if (fields.some(field => field['x-fixed'])) codes.push('parameter_not_updatable')
  if (body?.required && kind !== 'update') codes.push('parameter_missing')
  if (body || querystring) codes.push('parameter_invalid')
  if (querystring) codes.push('cursor_unknown')
  if (fields.some(field => field['x-refers'])) codes.push('reference_missing')
  if (params) codes.push('resource_missing')
  return [...new Set([...codes, ...(JUDGED_BY[id] ?? []).map(rule => rule.else)])]
}

/** The message of a real error names the parameter and the values. */
function errorExamples({ 'shapes.error': template }: Settings): Json {
  const codes = new Set(OPERATION_IDS.flatMap(codesOf))
  return Object.fromEntries(
    [...codes].map(code => {
      const { type, when } = CATALOGUE[code]
      return [code, { summary: code, value: filled(template, { type, code, message: when, request_id: 'req_42' }) }]
    })
  )
}

const errorText = (description: string) => ({ type: 'string', description })
/** What each placeholder of an error stands for. */
const ERROR_PARTS: Json = {
  $type: errorText('The kind of refusal.'),
  $code: errorText('Which refusal it is; every answer lists its codes.'),
  $message: errorText('What was wrong, where, and what was expected, for a person.'),
  $param: errorText("The parameter, in the caller's own bracket notation."),
  $rule: errorText('The id of the rule that refused.'),
  $assumption: errorText('The id of the assumption that refused, where no rule did.'),
  $request_id: errorText('The id of the answer.')
}
const NOT_ALWAYS = ['$param', '$rule', '$assumption']

/** The one shape of refusals (A07). */
function errorSchemas({ 'errors.expose_rule': isRuleShown, 'shapes.error': template }: Settings): Json {
  const { $rule, $assumption, ...others } = ERROR_PARTS
  const schemaOf = (part: unknown) => templateSchema(part, isRuleShown ? ERROR_PARTS : others, NOT_ALWAYS) as Json
  const { type, ...whole } = schemaOf(template)
  const { error } = template
  if (!isObject(error)) return { ErrorResponse: { type, description: 'A refusal.', ...whole } }
  const properties = { ...(whole.properties as Json), error: referTo('schemas', 'ErrorDetail') }
  return { ErrorResponse: { type, description: 'A refusal.', ...whole, properties }, ErrorDetail: schemaOf(error) }
}

/** Components; those of records have an example. */
function withExamples({ base, publisher, settings }: Making): Json {
  const records = recordExamples(base, settings['shapes.list'])
  const examples = new Map<string, Json>(Object.entries(RESOURCE_NAMES).map(([family, name]) => [name, records[family as Family]]))
  return Object.fromEntries(
    Object.entries(publisher.schemas).map(([name, schema]) => {
      const example = examples.get(name)
      return [name, example === undefined ? schema : { ...schema, description: `${/^A/.test(name) ? 'An' : 'A'} ${name}.`, examples: [example] }]
    })
  )
}
