/** The emulated API as an OpenAPI 3.1 document, made from the reference's tables and ledgers and from the error catalogue. */
import { LOCATION_RULES } from '../api/locations/rules.js'
import { TRANSACTION_RULES } from '../api/transactions/rules.js'
import { CATALOGUE, type ErrorCode, statusOf } from '../core/errors.js'
import { REFUND_RULES } from '../core/refund-rules.js'
import type { Settings } from '../core/settings.js'
import { ASSUMPTION_IDS, type AssumptionId } from '../reference/assumptions.js'
import { type Family, OPERATION_IDS, type Operation, type OperationId, operationOf, RESOURCE_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { RULE_IDS, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { CALL_EXAMPLES, EXAMPLE_KEY, listExample, recordExamples } from './examples.js'
import { ANSWERS, answerName, assumptionText, type Json, published, referTo, ruleText } from './openapi-schemas.js'

/** `base` is the path that the API lies under, such as `/next`; statuses and page sizes are those of the settings. */
export type DocumentOptions = { base: string; version: string; settings: Settings }
type Notes = { rules?: readonly RuleId[]; assumptions?: readonly AssumptionId[] }

const ABOUT = `The Commerce Service API as commerce-emulator answers it. This document is made from the tables that calls are checked with.

- A **rule** (LOC-1, REF-7) is a sentence of the reference. An **assumption** (A23) is what the emulator answers where the reference is silent; it is not documented behaviour, and most can be changed by a setting.
- Each operation lists the rules that a call of it can keep or break (\`x-rules\`) and the assumptions that its answer can rely on (\`x-assumptions\`).
- The examples work against the scenario \`default\`, with the key \`${EXAMPLE_KEY}\` and an empty password.
- Statuses and page sizes are those of the settings in force.
- Not described: what a scenario's script answers with, fields that a fixture gives under \`extra\`, 503 until the start scenario is loaded, 429 for one sandbox too many, 404 and 405 for other paths and methods, and requests that cannot be read as HTTP.

What concerns every call:`

const ALL = OPERATION_IDS.map(operationOf)
const ENABLED = ALL.filter(({ disabledBy }) => disabledBy === undefined)
/** Whether a rule or assumption is of every operation that is not disabled, or of none: it is stated once, for the whole document. */
const isGeneral = (id: RuleId | AssumptionId): boolean => {
  const lists = ({ rules, assumptions }: Operation) => ([...rules, ...assumptions] as string[]).includes(id)
  return ENABLED.every(lists) || !ALL.some(lists)
}
const GENERAL: Notes = { rules: RULE_IDS.filter(isGeneral), assumptions: ASSUMPTION_IDS.filter(isGeneral) }
/** Stated at the API key, for every operation that needs one. */
const KEY = { rules: ['AUTH-1', 'AUTH-3'], assumptions: ['A18'] } as const satisfies Notes
const STATED_ELSEWHERE: ReadonlySet<string> = new Set([GENERAL, KEY].flatMap(({ rules = [], assumptions = [] }) => [...rules, ...assumptions]))

/** The rules that the records of an operation are judged by once its parameters are read. */
const JUDGED_BY: Readonly<Partial<Record<OperationId, readonly { else: ErrorCode }[]>>> = {
  createLocation: LOCATION_RULES,
  createTransaction: TRANSACTION_RULES,
  createRefund: REFUND_RULES
}

const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object
const capitalised = (id: OperationId) => id.replace(/^./, first => first.toUpperCase())

/** The document. */
export function openApiDocument(options: DocumentOptions): Json {
  const { base, version } = options
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id, options) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Commerce Service API, emulated', version, ...noted(ABOUT, GENERAL) },
    servers: [{ url: base, description: 'The emulator that this document was loaded from.' }],
    security: [{ apiKey: [] }],
    tags: Object.keys(RESOURCE_NAMES).map(name => ({ name })),
    paths,
    components: {
      schemas: { ...answerSchemas(options), ...bodySchemas(options), Error: ERROR },
      examples: errorExamples(),
      headers: { RequestId: { description: 'The id of the answer, under which the journal keeps the call.', schema: { type: 'string' } } },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'basic',
          ...noted('The API key is the user name; the password is empty.', KEY)
        }
      }
    }
  }
}

/** A text with its rules and assumptions below it as sentences, but for those stated elsewhere, and beside it as extensions. */
function noted(text: string, { rules = [], assumptions = [] }: Notes, elsewhere: ReadonlySet<string> = new Set()): Json {
  const isStatedHere = (id: string) => !elsewhere.has(id)
  const sentences = [...rules.filter(isStatedHere).map(ruleText), ...assumptions.filter(isStatedHere).map(assumptionText)].map(sentence => `- ${sentence}`)
  const description = [text, sentences.join('\n')].filter(Boolean).join('\n\n')
  return {
    ...(description !== '' && { description }),
    ...(rules.length > 0 && { 'x-rules': rules }),
    ...(assumptions.length > 0 && { 'x-assumptions': assumptions })
  }
}

function operationObject(id: OperationId, options: DocumentOptions): Json {
  const { family, key, title, rules, assumptions } = operationOf(id)
  const { body } = tablesOf(id)
  const example = CALL_EXAMPLES[id]
  const parameters = [...parameterObjects(id, 'params', options, example.params), ...parameterObjects(id, 'querystring', options, example.query)]
  return {
    operationId: id,
    tags: [family],
    summary: title,
    ...noted('', { rules, assumptions }, STATED_ELSEWHERE),
    ...(!key && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(id, body) }),
    responses: { ...success(id, options), ...refusals(id, options) }
  }
}

function parameterObjects(id: OperationId, place: 'params' | 'querystring', options: DocumentOptions, examples: Json = {}): Json[] {
  const use = { operation: operationOf(id), settings: options.settings }
  return Object.entries(tablesOf(id)[place]?.properties ?? {}).map(([name, schema]) => {
    const { description, ...words } = published(name === 'limit' ? pageSize(schema, options) : schema, use)
    const notes = Object.entries(words).filter(([word]) => word.startsWith('x-'))
    return {
      name,
      in: place === 'params' ? 'path' : 'query',
      required: place === 'params',
      ...(description !== undefined && { description }),
      ...Object.fromEntries(notes),
      ...(schema.properties && { style: 'deepObject', explode: true }),
      schema: Object.fromEntries(Object.entries(words).filter(([word]) => !word.startsWith('x-'))),
      ...(name in examples && { example: examples[name] })
    }
  })
}

/** `limit` with the bounds that the settings give it (A10). */
function pageSize(limit: Schema, { settings }: DocumentOptions): Schema {
  const maximum = settings['pagination.max_limit']
  const fallback = Math.min(settings['pagination.default_limit'], maximum)
  const bounds = settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }
  return { ...limit, ...bounds, default: fallback, description: `Page size, 1 to ${maximum}; ${fallback} when left out.` } as Schema
}

function requestBody(id: OperationId, table: Schema): Json {
  const nested = Object.entries(table.properties as Record<string, Schema>).filter(([, { type }]) => type === 'object')
  const examples = Object.entries(CALL_EXAMPLES[id].body as Record<string, Json>)
  return {
    required: operationOf(id).kind === 'create',
    content: {
      'application/x-www-form-urlencoded': {
        schema: referTo('schemas', capitalised(id)),
        ...(nested.length > 0 && { encoding: Object.fromEntries(nested.map(([name]) => [name, { style: 'deepObject', explode: true }])) }),
        examples: Object.fromEntries(examples.map(([summary, value]) => [summary.replaceAll(/\W+/g, '_'), { summary, value }]))
      }
    }
  }
}

const HEADERS = { 'Request-Id': referTo('headers', 'RequestId') }

/** The answer of a call that is not refused; a disabled operation has none. */
function success(id: OperationId, { base, settings }: DocumentOptions): Json {
  const { answer } = tablesOf(id)
  const { family, path, kind, disabledBy } = operationOf(id)
  if (disabledBy !== undefined) return {}
  if (!answer) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name) => CALL_EXAMPLES[id].params?.[name] as string)}`
  return {
    [kind === 'create' ? settings['statuses.created'] : 200]: {
      description: kind === 'list' ? `A page of ${RESOURCE_NAMES[family]}s.` : `The ${RESOURCE_NAMES[family]}.`,
      headers: HEADERS,
      content: {
        'application/json': {
          schema: referTo('schemas', answerName(answer)),
          ...(kind === 'list' && { example: listExample(url, recordExamples(base)[family]) })
        }
      }
    }
  }
}

/** The refusals of a call: each status with the codes that come with it. */
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
            schema: referTo('schemas', 'Error'),
            examples: Object.fromEntries(codes.map(code => [code, referTo('examples', code)]))
          }
        }
      }
    ])
  )
}

/** The codes that a call can be refused with: by its kind, by its tables, and by the rules that its records are judged by. */
function codesOf(id: OperationId): ErrorCode[] {
  const { method, key, disabledBy } = operationOf(id)
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing', 'api_key_malformed', 'api_key_unknown'] : []
  if (disabledBy !== undefined) return [...codes, 'operation_disabled']
  codes.push('content_type_unsupported', 'body_too_large')
  if (method !== 'POST') codes.push('body_unexpected')
  codes.push('form_malformed', 'form_too_large', 'parameter_unknown')
  const fields = Object.values(body?.properties ?? {})
  if (fields.some(field => field['x-fixed'])) codes.push('parameter_not_updatable')
  if (body?.required) codes.push('parameter_missing')
  if (body || querystring) codes.push('parameter_invalid')
  if (querystring) codes.push('cursor_unknown')
  if (fields.some(field => field['x-refers'])) codes.push('reference_missing')
  if (params) codes.push('resource_missing')
  return [...new Set([...codes, ...(JUDGED_BY[id] ?? []).map(rule => rule.else)])]
}

/** An error of each code. The message of a real one names the parameter and the values. */
function errorExamples(): Json {
  const codes = new Set(OPERATION_IDS.flatMap(codesOf))
  return Object.fromEntries(
    [...codes].map(code => {
      const { type, when } = CATALOGUE[code]
      return [code, { summary: code, value: { error: { type, code, message: when, request_id: 'req_42' } } }]
    })
  )
}

const ERROR = {
  type: 'object',
  additionalProperties: false,
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'code', 'message', 'request_id'],
      properties: {
        type: { type: 'string', description: 'The kind of refusal.' },
        code: { type: 'string', description: 'Which refusal it is; every answer lists its codes.' },
        message: { type: 'string', description: 'What was wrong, where, and what was expected, for a person.' },
        param: { type: 'string', description: "The parameter, in the caller's own bracket notation." },
        rule: { type: 'string', description: 'The id of the rule that refused.' },
        assumption: { type: 'string', description: 'The id of the assumption that refused, where no rule did.' },
        request_id: { type: 'string', description: 'The id of the answer.' }
      }
    }
  },
  ...noted('A refusal.', { assumptions: ['A07'] })
}

/** The schemas of answers, those of records with an example. */
function answerSchemas({ base }: DocumentOptions): Json {
  const records = recordExamples(base)
  const examples = new Map<string, Json>(Object.entries(RESOURCE_NAMES).map(([family, name]) => [name, records[family as Family]]))
  return Object.fromEntries(
    Object.entries(ANSWERS).map(([name, table]) => [name, { ...published(table, 'answer'), ...(examples.has(name) && { examples: [examples.get(name)] }) }])
  )
}

/** The schemas of request bodies, by the operation's name. */
function bodySchemas({ settings }: DocumentOptions): Json {
  return Object.fromEntries(
    OPERATION_IDS.flatMap(id => {
      const { body } = tablesOf(id)
      return body ? [[capitalised(id), published(body, { operation: operationOf(id), settings })]] : []
    })
  )
}
