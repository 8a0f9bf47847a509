/** The emulated API in OpenAPI 3.1, made of the tables of the reference. */
import { CATALOGUE, type ErrorCode, statusOf } from '../core/errors.js'
import { BASE, controlOfBase } from '../core/paths.js'
import { partAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { CARD_RULES, LOCATION_RULES, REFUND_RULES, TRANSACTION_RULES } from '../core/rules.js'
import type { Settings } from '../core/settings.js'
import { filled } from '../core/templates.js'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import {
  type Family,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  PATH_RECORDS,
  RESOURCE_NAMES
} from '../reference/operations.js'
import { type Schema, sentName } from '../reference/parameters.js'
import { RULE_IDS, RULES, type RuleId } from '../reference/rules.js'
import { TABLES, type Tables } from '../reference/tables.js'
import {
  BODIES,
  EXAMPLE_KEY,
  listExample,
  pathExample,
  QUERIES,
  recordExamples
} from './examples.js'
import { DEEP, flattened, parameterObject } from './openapi-flat.js'
import {
  createPublisher,
  type Json,
  PUBLISHER,
  referTo,
  responseName,
  templateSchema
} from './openapi-schemas.js'
import { aNamed, operationText, TAG_TEXTS } from './openapi-texts.js'

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

const about = (
  assumptions: string
) => `The Commerce Service API as commerce-emulator responds to it, generated from the tables that the emulator checks requests with.

A **rule** (REF-7) is a sentence of the service's reference. An **assumption** (A23) is how the emulator responds where the reference is silent; it is not documented behaviour, and most can be changed by a setting: [the assumptions](${assumptions}). Each operation names its own in \`x-rules\` and \`x-assumptions\`; their texts are next to this one.

The examples work with the scenario \`default\` and the key \`${EXAMPLE_KEY}\`. Statuses, page sizes and nullable fields follow the settings in force.

Not described: scripted responses of another shape; what only a fixture can give a record (fields under \`extra\`, null for what a create requires, brackets in a metadata key); 404 and 405 for other paths and methods; requests that cannot be read as HTTP.`

const ENABLED = OPERATION_IDS.map(operationOf).filter(({ disabledBy }) => disabledBy === undefined)
const isOfEach = (id: RuleId | AssumptionId) =>
  ENABLED.every(({ rules, assumptions }) => ([...rules, ...assumptions] as string[]).includes(id))
/** True of all operations, or of all that need a key. */
const KEY: readonly string[] = ['AUTH-1', 'AUTH-3', 'A18']
const GENERAL: ReadonlySet<string> = new Set([
  ...[...RULE_IDS, ...ASSUMPTION_IDS].filter(isOfEach),
  ...KEY
])

/** The rules of an operation after its parameters are read. */
const JUDGED_BY: Readonly<Partial<Record<OperationId, readonly { else: ErrorCode }[]>>> = {
  createLocation: LOCATION_RULES,
  createTransaction: TRANSACTION_RULES,
  createRefund: [...REFUND_RULES, ...CARD_RULES]
}

/** What a script or a limit of the emulator responds with. */
const OTHERS = ['402', '429', '503', 'default']

const HEADERS = { 'Request-Id': referTo('headers', 'RequestId') }

const tablesOf = (id: OperationId): { [K in keyof Tables]?: Schema } => TABLES[id] as object
const each = <T>(of: readonly string[], make: (name: never) => T) =>
  Object.fromEntries(of.map(name => [name, make(name as never)]))
const json = (more: object) => ({ content: { 'application/json': more } })
/** The shape of refusals, with an example of each code. */
const errors = (codes: ErrorCode[]) =>
  json({
    schema: referTo('schemas', 'ErrorResponse'),
    examples: each(codes, code => referTo('examples', code))
  })
/** The name of the schema of a body. */
const componentOf = (id: OperationId) => id.replace(/^./, first => first.toUpperCase())
/** What a parameter is whose table does not say so. */
function descriptionOf(id: OperationId, name: string): string {
  const named = PATH_RECORDS[id].find(one => one.name === name)
  return named ? `The id of ${aNamed(named.family)}.` : 'Filters by the time of creation.'
}

export function openApiDocument({
  origin,
  base,
  version,
  settings,
  isFlat = false
}: DocumentOptions): Json {
  const { schemas, component, property } = createPublisher(settings)
  const shape = { base, list: settings['shapes.list'] }
  const records = recordExamples(settings, shape)
  const isKeyChecked = settings['auth.payment_key'] === 'check'

  /** `limit` with the bounds that the settings give it (A10). */
  function pageSize(limit: Schema): Schema {
    const maximum = settings['pagination.max_limit']
    const fallback = Math.min(settings['pagination.default_limit'], maximum)
    const bounds = settings['pagination.out_of_range'] === 'reject' && { minimum: 1, maximum }
    return {
      ...limit,
      ...bounds,
      default: fallback,
      description: `Page size, 1 to ${maximum}; ${fallback} when left out.`
    } as Schema
  }

  function parameters(id: OperationId, place: 'path' | 'query'): Json[] {
    const operation = operationOf(id)
    const [tables, examples = {}] =
      place === 'path'
        ? [tablesOf(id).params, pathExample(id)]
        : [tablesOf(id).querystring, QUERIES[id]]
    const of =
      place === 'path'
        ? { use: { ...operation, kind: 'read' as const }, isRequired: true }
        : { use: operation, isRequired: false }
    return Object.entries(tables?.properties ?? {}).map(([name, table]) => {
      const isPageSize = table['x-page-size'] === true
      const sent = sentName(name, table, settings['pagination.cursors'])
      const schema = {
        description: descriptionOf(id, name),
        ...property(isPageSize ? pageSize(table) : table, sent, { ...of, isOwn: true }),
        ...(isPageSize && { format: 'int32' })
      }
      return parameterObject(sent, place, schema, {
        isDeep: table.properties !== undefined,
        example: partAt(examples, [sent])
      })
    })
  }

  function requestBody(id: OperationId, table: Schema): Json {
    const operation = operationOf(id)
    const nested = Object.entries(table.properties as Record<string, Schema>).filter(
      ([, { type }]) => type === 'object'
    )
    const examples = Object.entries(BODIES[id] as Record<string, Json>)
    const schema = component(table, componentOf(id), operation)
    const own = schemas[componentOf(id)] as { properties: Record<string, Json>; required: string[] }
    if (id === 'createTransaction') {
      own.required = [...own.required]
      if (settings['transactions.default_currency'] === 'required') own.required.push('currency')
      if (settings['transactions.without_amount'] === 'reject') own.required.push('amount')
    }
    for (const [name, part] of Object.entries(own.properties)) {
      const example = examples.find(([, value]) => value[name] !== undefined)?.[1][name]
      if (example !== undefined) part.examples = [example]
    }
    return {
      required: operation.kind === 'create',
      content: {
        'application/x-www-form-urlencoded': {
          schema,
          ...(nested.length > 0 && {
            encoding: Object.fromEntries(nested.map(([name]) => [name, DEEP]))
          }),
          examples: Object.fromEntries(
            examples.map(([summary, value]) => [
              summary.replaceAll(/\W+/g, '_'),
              { summary, value }
            ])
          )
        }
      }
    }
  }

  function success(id: OperationId): Json {
    const { answer } = tablesOf(id)
    const { family, kind, disabledBy } = operationOf(id)
    if (disabledBy !== undefined) return {}
    if (!answer) return { 204: { description: 'Done. The body is empty.', headers: HEADERS } }
    const schema = component(answer, responseName(answer) as string, 'response')
    return {
      [kind === 'create' ? settings['statuses.created'] : 200]: {
        description:
          kind === 'list'
            ? `A page of ${RESOURCE_NAMES[family]}s.`
            : `The ${RESOURCE_NAMES[family]}.`,
        headers: HEADERS,
        ...json({
          schema,
          example: kind === 'list' ? listExample(id, records, shape) : records[family]
        })
      }
    }
  }

  /**
   * By status. Prism responds with what stands first: of a disabled operation its 501, since in
   * JSON a range follows a status; some flat generators read none.
   */
  function refusals(id: OperationId): Json {
    const isDisabled = operationOf(id).disabledBy !== undefined
    const byStatus = new Map<number | string, ErrorCode[]>()
    for (const code of codesOf(id, isKeyChecked).filter(isRefusedBy(settings))) {
      const status = statusOf(code, settings)
      const shown = isDisabled && !isFlat && status < 500 ? `${String(status)[0]}XX` : status
      byStatus.set(shown, [...(byStatus.get(shown) ?? []), code])
    }
    const response = (codes: ErrorCode[]) => ({
      description: codes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`).join('\n'),
      headers: HEADERS,
      ...errors(codes)
    })
    const others = each(isDisabled ? [] : OTHERS, () => referTo('responses', 'Refusal'))
    return {
      ...others,
      ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, response(codes)]))
    }
  }

  /** What an operation does, its rules and its assumptions. */
  function operationObject(id: OperationId): Json {
    const { family, key, title, rules, assumptions } = operationOf(id)
    const { body } = tablesOf(id)
    const own = [...parameters(id, 'path'), ...parameters(id, 'query')]
    const ownRules = rules
      .filter(id => !GENERAL.has(id))
      .map(id => `- Rule ${id}: ${RULES[id].text}.`)
    const ownAssumptions = assumptions.filter(id => !GENERAL.has(id))
    const relies = ownAssumptions.length > 0 && `Assumptions: ${ownAssumptions.join(', ')}.`
    return {
      operationId: id,
      tags: [family],
      summary: title,
      description: [operationText(id, settings), ownRules.join('\n'), relies]
        .filter(Boolean)
        .join('\n\n'),
      ...(!key && { security: isKeyChecked ? [{}, { apiKey: [] }] : [] }),
      ...(own.length > 0 && { parameters: own }),
      ...(body && { requestBody: requestBody(id, body) }),
      responses: { ...success(id), ...refusals(id) },
      'x-rules': rules,
      'x-assumptions': assumptions
    }
  }

  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id) }
  }
  for (const [family, name] of Object.entries(RESOURCE_NAMES) as [Family, string][]) {
    schemas[name] = {
      ...schemas[name],
      description: `${aNamed(family).replace('a', 'A')}.`,
      examples: [records[family]]
    }
  }
  const components = {
    schemas: { ...schemas, ...errorSchemas(settings) } as Record<string, Json>,
    examples: errorExamples(settings),
    responses: {
      Refusal: {
        description: 'The response of a script, or a limit of the emulator.',
        headers: HEADERS,
        ...errors(CODES.filter(isRefusedBy(settings)))
      }
    },
    headers: {
      RequestId: {
        description: 'The id of the response, under which the journal keeps the request.',
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
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Commerce Service API, emulated',
      version,
      summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
      description: about(`${origin}${controlOfBase(base)}/assumptions`),
      ...PUBLISHER,
      'x-rules': each(RULE_IDS, (id: RuleId) => RULES[id].text),
      'x-assumptions': each(
        ASSUMPTION_IDS,
        (id: AssumptionId) => `${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}`
      )
    },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAG_TEXTS).map(([name, description]) => ({ name, description })),
    paths,
    components
  }
  return isFlat ? flattened(document) : document
}

export const documentBy = (
  settings: Settings,
  of: Pick<DocumentOptions, 'version' | 'isFlat'>
): Json =>
  openApiDocument({ origin: `http://localhost:${settings.port}`, base: BASE, settings, ...of })

/** By kind, by tables, and by the rules of the records. */
function codesOf(id: OperationId, isKeyChecked = false): ErrorCode[] {
  const { method, kind, key, disabledBy } = operationOf(id)
  const { params, querystring, body } = tablesOf(id)
  const codes: ErrorCode[] = key ? ['api_key_missing'] : []
  if (key || isKeyChecked) codes.push('api_key_malformed', 'api_key_unknown')
  if (disabledBy !== undefined) return [...codes, 'operation_disabled']
  const fields = Object.values(body?.properties ?? {})
  // mocks respond with the first
  if (body || querystring) codes.push('parameter_invalid')
  if (body?.required && kind !== 'update') codes.push('parameter_missing')
  if (fields.some(field => field['x-fixed'])) codes.push('parameter_not_updatable')
  codes.push('parameter_unknown', 'form_malformed', 'form_too_large', 'body_too_large')
  codes.push(method === 'POST' ? 'content_type_unsupported' : 'body_unexpected')
  if (querystring) codes.push('cursor_unknown')
  if (fields.some(field => field['x-refers'])) codes.push('reference_missing')
  if (params) codes.push('resource_missing')
  return [...new Set([...codes, ...(JUDGED_BY[id] ?? []).map(rule => rule.else)])]
}

const CODES = [...new Set(OPERATION_IDS.flatMap(id => codesOf(id)))].sort(
  (one, other) => Number(other.startsWith('parameter')) - Number(one.startsWith('parameter'))
)
/** Whether a code is one that the settings do not let pass. */
const isRefusedBy = (settings: Settings) => (code: ErrorCode) => {
  const setting =
    code === 'charge_has_no_card'
      ? 'refunds.without_card'
      : (code.replace('parameter_', 'parameters.') as keyof Settings)
  return (settings[setting] ?? 'reject') === 'reject'
}
/** The message of a real error names the parameter and the values. */
const errorExamples = (settings: Settings): Json =>
  each(CODES.filter(isRefusedBy(settings)), (code: ErrorCode) => {
    const { type, when } = CATALOGUE[code]
    const parts = { type, code, message: when, request_id: 'req_42' }
    return { summary: code, value: filled(settings['shapes.error'], parts) }
  })

const errorText = (description: string) => ({
  type: 'string',
  description: `${description} Assumption A07.`,
  'x-assumption': 'A07'
})
/** What each placeholder of an error stands for. */
const ERROR_PARTS: Json = {
  $type: {
    ...errorText('The kind of refusal. A script can respond with others.'),
    'x-extensible-enum': [...new Set(CODES.map(code => CATALOGUE[code].type))]
  },
  $code: {
    ...errorText(
      'Which refusal it is; every response lists its codes. A script can respond with others.'
    ),
    'x-extensible-enum': CODES
  },
  $message: errorText('What is wrong, where, and what to do, for a person.'),
  $param: errorText('The parameter, in the bracket notation of the request.'),
  $rule: errorText('The id of the rule that refused.'),
  $assumption: errorText('The id of the assumption that refused, where no rule did.'),
  $request_id: errorText('The id of the response.')
}
const NOT_ALWAYS = ['$param', '$rule', '$assumption']

/** The one shape of refusals (A07). */
function errorSchemas({
  'errors.expose_rule': isRuleShown,
  'shapes.error': template
}: Settings): Json {
  const { $rule, $assumption, ...others } = ERROR_PARTS
  const schemaOf = (part: unknown) =>
    templateSchema(part, isRuleShown ? ERROR_PARTS : others, 'A07', NOT_ALWAYS) as Json
  const { type, ...whole } = schemaOf(template)
  const { error } = template
  if (!isObject(error)) return { ErrorResponse: { type, description: 'A refusal.', ...whole } }
  const properties = { ...(whole.properties as Json), error: referTo('schemas', 'ErrorDetail') }
  return {
    ErrorResponse: { type, description: 'A refusal.', ...whole, properties },
    ErrorDetail: schemaOf(error)
  }
}
