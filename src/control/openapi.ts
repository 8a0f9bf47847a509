/** The emulated API as an OpenAPI 3.1 document, made from the reference's tables and ledgers and from the error catalogue. */
import { CATALOGUE, type ErrorCode, statusOf } from '../core/errors.js'
import type { Settings } from '../core/settings.js'
import type { AssumptionId } from '../reference/assumptions.js'
import { type Family, OPERATIONS, type Operation, type OperationId, RESOURCE_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import type { RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import { CALL_EXAMPLES, EXAMPLE_KEY, listExample, recordExamples } from './examples.js'
import { ANSWERS, answerName, assumptionText, type Json, published, referTo, ruleText } from './openapi-schemas.js'

/** `base` is the path that the API lies under, such as `/next`; statuses and page sizes are those of the settings. */
export type DocumentOptions = { base: string; version: string; settings: Settings }
type Notes = { rules?: readonly RuleId[]; assumptions?: readonly AssumptionId[] }

const ABOUT = `The Commerce Service API as commerce-emulator answers it. This document is made from the tables that calls are checked with.

- A **rule** (LOC-1, REF-7) is a sentence of the reference. An **assumption** (A23) is what the emulator answers where the reference is silent; it is not documented behaviour, and most can be changed by a setting.
- The examples work against the scenario \`default\`, with the key \`${EXAMPLE_KEY}\` and an empty password.
- Statuses and page sizes are those of the settings in force.
- Not described: what a scenario's script answers with, fields that a fixture gives under \`extra\`, 503 until the start scenario is loaded, 429 for one sandbox too many, 404 and 405 for other paths and methods, and requests that cannot be read as HTTP.

What holds for every call:`

const EVERY_CALL: Notes = { rules: ['BASE-1'], assumptions: ['A01', 'A02', 'A03', 'A04', 'A05', 'A08', 'A14', 'A32', 'A33', 'A34', 'A35'] }

/** What is to say of a call beyond its parameters: the rules that it is judged by, the assumptions that it leans on, the refusals that only it knows. */
const NOTES: Readonly<Partial<Record<OperationId, Notes & { refusals?: readonly ErrorCode[] }>>> = {
  createLocation: { rules: ['LOC-3'], assumptions: ['A21'], refusals: ['merchant_required'] },
  deleteLocation: { rules: ['LOC-4'] },
  createAccount: { assumptions: ['A21'] },
  updateAccount: { assumptions: ['A31'] },
  deleteAccount: { rules: ['ACC-5'] },
  createUser: { rules: ['USR-1'] },
  listUsers: { rules: ['USR-1'] },
  deleteUser: { rules: ['USR-1', 'USR-4'] },
  readTicket: { rules: ['TKT-1'] },
  listTickets: { rules: ['TKT-1'] },
  readTransaction: { rules: ['TXN-8'], assumptions: ['A29'] },
  createTransaction: {
    rules: ['AUTH-2', 'TXN-3', 'TXN-4', 'TXN-5', 'TXN-8'],
    assumptions: ['A20', 'A22', 'A24', 'A25', 'A26', 'A29'],
    refusals: ['reference_missing']
  },
  listTransactions: { rules: ['TXN-8'], assumptions: ['A29'] },
  createRefund: {
    rules: ['REF-1', 'REF-2', 'REF-4', 'REF-5', 'REF-6', 'REF-7', 'REF-8'],
    assumptions: ['A23', 'A28'],
    refusals: ['reference_missing', 'charge_has_no_amount', 'charge_already_refunded', 'refund_exceeds_remaining']
  },
  updateRefund: { rules: ['REF-9'], assumptions: ['A15'] },
  listRefunds: { rules: ['REF-10'] }
}

const IDS = Object.keys(OPERATIONS) as OperationId[]
const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object
const isCreate = (id: OperationId) => id.startsWith('create')
const isUpdate = (id: OperationId) => tablesOf(id).body?.['x-empty'] === 'unsets'
const isDisabled = (id: OperationId) => id === 'deleteLocation' || id === 'deleteAccount'
const capitalised = (id: OperationId) => id.replace(/^./, first => first.toUpperCase())

/** The document. */
export function openApiDocument(options: DocumentOptions): Json {
  const { base, version } = options
  const paths: Record<string, Json> = {}
  for (const id of IDS) {
    const { method, path } = OPERATIONS[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id, options) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Commerce Service API, emulated', version, ...noted(ABOUT, EVERY_CALL) },
    servers: [{ url: base, description: 'The emulator that this document was loaded from.' }],
    security: [{ apiKey: [] }],
    tags: Object.keys(RESOURCE_NAMES).map(name => ({ name })),
    paths,
    components: {
      schemas: { ...answerSchemas(base), ...bodySchemas(), Error: ERROR },
      examples: errorExamples(),
      headers: { RequestId: { description: 'The id of the answer, under which the journal keeps the call.', schema: { type: 'string' } } },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'basic',
          ...noted('The API key is the user name; the password is empty.', { rules: ['AUTH-1', 'AUTH-3'], assumptions: ['A18', 'A19'] })
        }
      }
    }
  }
}

/** A text with its rules and assumptions below it as sentences, and beside it as extensions. */
function noted(text: string, { rules = [], assumptions = [] }: Notes): Json {
  const sentences = [...rules.map(ruleText), ...assumptions.map(assumptionText)].map(sentence => `- ${sentence}`)
  const description = [text, sentences.join('\n')].filter(Boolean).join('\n\n')
  return {
    ...(description !== '' && { description }),
    ...(rules.length > 0 && { 'x-rules': rules }),
    ...(assumptions.length > 0 && { 'x-assumptions': assumptions })
  }
}

function operationObject(id: OperationId, options: DocumentOptions): Json {
  const { family, key, title } = OPERATIONS[id]
  const { params, querystring, body } = tablesOf(id)
  const example = CALL_EXAMPLES[id]
  const parameters = [...parameterObjects('path', params, options, example.params), ...parameterObjects('query', querystring, options, example.query)]
  return {
    operationId: id,
    tags: [family],
    summary: title,
    ...noted('', notesOf(id)),
    ...(!key && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(id, body) }),
    responses: { ...success(id, options), ...refusals(id, options) }
  }
}

/** What is said of a call: what is its own, and what follows from its tables. */
function notesOf(id: OperationId): Notes {
  const { querystring, body } = tablesOf(id)
  const { created, search_query } = querystring?.properties ?? {}
  const hasMetadata = body?.properties?.metadata !== undefined
  const all: [applies: boolean, notes: Notes][] = [
    [true, NOTES[id] ?? {}],
    [isCreate(id), { assumptions: ['A06'] }],
    [isUpdate(id), { rules: ['UPD-1', 'UPD-2'] }],
    [isUpdate(id) && hasMetadata, { rules: ['META-2', 'META-3'] }],
    [hasMetadata, { assumptions: ['A17'] }],
    [querystring !== undefined, { rules: ['FORM-3', 'LIST-1', 'LIST-2'], assumptions: ['A09', 'A10', 'A11', 'A16'] }],
    [created !== undefined, { rules: ['FORM-2', 'FILT-6'] }],
    [search_query !== undefined, { rules: ['SRCH-3'], assumptions: ['A12', 'A13'] }]
  ]
  const said = all.flatMap(([applies, notes]) => (applies ? [notes] : []))
  return { rules: said.flatMap(({ rules = [] }) => rules), assumptions: said.flatMap(({ assumptions = [] }) => assumptions) }
}

function parameterObjects(place: 'path' | 'query', table: Schema | undefined, options: DocumentOptions, examples: Json = {}): Json[] {
  return Object.entries(table?.properties ?? {}).map(([name, schema]) => {
    const { description, ...words } = published(name === 'limit' ? pageSize(schema, options) : schema, 'query')
    const notes = Object.entries(words).filter(([word]) => word.startsWith('x-'))
    return {
      name,
      in: place,
      required: place === 'path',
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
    ...noted('', { rules: ['FORM-1', 'FORM-2'], assumptions: ['A16'] }),
    required: isCreate(id),
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
  if (isDisabled(id)) return {}
  if (!answer) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
  const { family, path } = OPERATIONS[id]
  const isList = answer.properties?.data !== undefined
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name) => CALL_EXAMPLES[id].params?.[name] as string)}`
  return {
    [isCreate(id) ? settings['statuses.created'] : 200]: {
      description: isList ? `A page of ${RESOURCE_NAMES[family]}s.` : `The ${RESOURCE_NAMES[family]}.`,
      headers: HEADERS,
      content: {
        'application/json': {
          schema: referTo('schemas', answerName(answer)),
          ...(isList && { example: listExample(url, recordExamples(base)[family]) })
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

/** The codes that a call can be refused with. */
function codesOf(id: OperationId): ErrorCode[] {
  const { method, key }: Operation = OPERATIONS[id]
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing', 'api_key_malformed', 'api_key_unknown'] : []
  if (isDisabled(id)) return [...codes, 'operation_disabled']
  if (method !== 'GET') codes.push('content_type_unsupported', 'body_too_large')
  if (method !== 'POST') codes.push('body_unexpected')
  codes.push('form_malformed', 'form_too_large', 'parameter_unknown')
  if (Object.values(body?.properties ?? {}).some(parameter => parameter['x-fixed'])) codes.push('parameter_not_updatable')
  if (body?.required) codes.push('parameter_missing')
  if (body || querystring) codes.push('parameter_invalid')
  if (querystring) codes.push('cursor_unknown')
  if (params) codes.push('resource_missing')
  return [...codes, ...(NOTES[id]?.refusals ?? [])]
}

/** An error of each code. The message of a real one names the parameter and the values. */
function errorExamples(): Json {
  const codes = new Set(IDS.flatMap(codesOf))
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
function answerSchemas(base: string): Json {
  const records = recordExamples(base)
  const examples = new Map<string, Json>(Object.entries(RESOURCE_NAMES).map(([family, name]) => [name, records[family as Family]]))
  return Object.fromEntries(
    Object.entries(ANSWERS).map(([name, table]) => [name, { ...published(table, 'answer'), ...(examples.has(name) && { examples: [examples.get(name)] }) }])
  )
}

/** The schemas of request bodies, by the operation's name. */
function bodySchemas(): Json {
  return Object.fromEntries(
    IDS.flatMap(id => {
      const { body } = tablesOf(id)
      return body ? [[capitalised(id), published(body, isUpdate(id) ? 'update' : 'create')]] : []
    })
  )
}
