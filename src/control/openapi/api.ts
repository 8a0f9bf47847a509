/** The emulated API in OpenAPI 3.1, from the tables of the reference. */
import { CATALOGUE, type ErrorCode, SERVICE_ERRORS, statusOf } from '../../core/errors.js'
import { BASE, controlOfBase } from '../../core/paths.js'
import type { Settings } from '../../core/settings.js'
import { ERROR_TEMPLATE, filled } from '../../core/templates.js'
import {
  type Family,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  PATH_RECORDS,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { closed, optional, schemaOf, text } from '../../reference/parameters.js'
import { each, keysOf, RULES } from '../../reference/rules.js'
import {
  EXAMPLE_KEY,
  exampleOf,
  type Json,
  Publisher,
  referTo,
  requestExample,
  tableOf,
  VALUES
} from './schemas.js'

export type DocumentOptions = {
  /** Empty for addresses relative to the document. */
  origin?: string
  base?: string
  version: string
  settings: Settings
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
) => `The Commerce Service API as commerce-emulator implements it. The examples work with the scenario \`default\` and the key \`${EXAMPLE_KEY}\`. Statuses and page sizes follow the current settings.

A **rule** (REF-7) is a sentence of the service's reference. An **assumption** (A23) is how the emulator responds where the reference is silent; most can be changed by a setting: [the assumptions](${assumptions}).

Not described: scripted responses of another shape, and fields that only fixtures can set.`

/** True of all operations, or of all that need a key. */
const GENERAL = 'BASE-1 AUTH-1 AUTH-3 FORM-2 A07 A08 A14 A18 A35 A36 A39'
const isOwn = (id: string) => !GENERAL.includes(id)

export const PUBLISHER = {
  contact: { name: 'The maintainers of commerce-emulator' },
  license: { name: 'MIT', identifier: 'MIT' }
}

export function openApiDocument({
  version,
  settings,
  origin = `http://localhost:${settings.port}`,
  base = BASE
}: DocumentOptions): Json {
  const publisher = new Publisher(settings, { base, list: settings['shapes.list'] })
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id, publisher) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Commerce Service API, emulated',
      version,
      summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
      description: aboutApi(`${origin}${controlOfBase(base)}/assumptions`),
      ...PUBLISHER
    },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: keysOf(FAMILY_TEXTS).map(name => ({ name, description: FAMILY_TEXTS[name] })),
    paths,
    components: {
      schemas: { ...publisher.schemas, ErrorResponse: errorSchema(publisher) },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'basic', description: 'The API key is the user name.' }
      }
    }
  }
}

function operationObject(id: OperationId, publisher: Publisher): Json {
  const { family, key, title, rules, assumptions } = operationOf(id)
  const { settings } = publisher
  const ruleLines = rules.filter(isOwn).map(id => `- Rule ${id}: ${RULES[id].text}.`)
  return {
    operationId: id,
    tags: [family],
    summary: title,
    description: `${title}.\n\n${ruleLines.join('\n')}\n\nAssumptions: ${assumptions.filter(isOwn).join(', ')}.`,
    ...(!key && { security: isKeyChecked(settings) ? [{}, { apiKey: [] }] : [] }),
    parameters: parametersOf(id, publisher),
    requestBody: requestBody(id, publisher),
    responses: { ...success(id, publisher), ...refusals(id, settings) }
  }
}

function parametersOf(id: OperationId, publisher: Publisher): Json[] {
  const operation = operationOf(id)
  const table = tableOf(id, 'querystring') ?? {}
  const example = requestExample(table)
  const inPath = PATH_RECORDS[id].map(({ name, family }) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id of a record.',
    schema: { type: 'string', minLength: 1 },
    example: VALUES[RESOURCE_NAMES[family].toLowerCase()]
  }))
  const inQuery = publisher.fields(table, operation).map(field => {
    const { name } = field
    const schema = publisher.field(field, operation)
    const { description } = schema
    return { name, in: 'query', description, schema, example: example[name] }
  })
  return [...inPath, ...inQuery]
}

function requestBody(id: OperationId, publisher: Publisher): Json | undefined {
  const table = tableOf(id, 'body')
  if (table === undefined) return undefined
  const name = id.replace(/^./, first => first.toUpperCase())
  publisher.schemas[name] = publisher.object(table, operationOf(id))
  const media = { schema: referTo(name), example: requestExample(table) }
  const content = { 'application/x-www-form-urlencoded': media }
  return { required: operationOf(id).kind === 'create', content }
}

function success(id: OperationId, publisher: Publisher): Json {
  const table = tableOf(id, 'response')
  const { family, kind, disabledBy } = operationOf(id)
  if (disabledBy !== undefined) return {}
  if (!table) return { 204: { description: 'Done. The body is empty.' } }
  const schema = publisher.table(table, 'response')
  return {
    [kind === 'create' ? publisher.settings['statuses.created'] : 200]: {
      description: kind === 'list' ? `A page of ${family}.` : `The ${RESOURCE_NAMES[family]}.`,
      content: { 'application/json': { schema, example: exampleOf(table, publisher.shape) } }
    }
  }
}

/** Of requests that reach an operation; mocks respond with the first. */
const CODES = keysOf(SERVICE_ERRORS)
  .filter(code => !/^(?:path|method|request|headers|expectation)_/.test(code))
  .sort((a, b) => Number(b.startsWith('parameter')) - Number(a.startsWith('parameter')))

const isKeyChecked = (settings: Settings) => settings['auth.payment_key'] === 'check'

function codesOf(id: OperationId, settings: Settings): ErrorCode[] {
  const { family, kind, key, rules, assumptions, disabledBy } = operationOf(id)
  const isKeyRead = key || isKeyChecked(settings)
  const isPossible: Partial<Record<ErrorCode, boolean>> = {
    api_key_missing: key,
    api_key_malformed: isKeyRead,
    api_key_unknown: isKeyRead,
    parameter_unknown: settings['parameters.unknown'] === 'reject',
    parameter_not_updatable: settings['parameters.not_updatable'] === 'reject',
    parameter_invalid: (tableOf(id, 'body') ?? tableOf(id, 'querystring')) !== undefined,
    parameter_missing: kind === 'create',
    resource_missing: disabledBy === undefined && tableOf(id, 'params') !== undefined,
    reference_missing: kind === 'create' && family !== 'users',
    charge_has_no_amount: family === 'refunds',
    charge_has_no_card: settings['refunds.without_card'] === 'reject'
  }
  const causes: readonly string[] = [...rules, ...assumptions]
  return CODES.filter(
    code => isPossible[code] !== false && SERVICE_ERRORS[code].by.some(id => causes.includes(id))
  )
}

/** Responses by status; an operation that is not disabled has a default one too. */
function refusals(id: OperationId, settings: Settings): Json {
  const codes = codesOf(id, settings)
  const statuses = [...new Set(codes.map(code => String(statusOf(code, settings))))]
  return {
    ...(operationOf(id).disabledBy === undefined && {
      default: refusalOf('The response of a script, or a limit of the emulator.')
    }),
    ...each(statuses, status => {
      const causes = codes.filter(code => String(statusOf(code, settings)) === status)
      const [code] = causes as [ErrorCode]
      const { type, when: message } = CATALOGUE[code]
      // the message of a real error names the parameter and the values
      const values = { type, code, message, request_id: 'req_42' }
      return refusalOf(
        causes.map(code => `- \`${code}\`: ${CATALOGUE[code].when}`).join('\n'),
        filled(settings['shapes.error'], values)
      )
    })
  }
}

const refusalOf = (description: string, example?: unknown) => ({
  description,
  content: { 'application/json': { schema: referTo('ErrorResponse'), example } }
})

const PART = text({ 'x-assumption': 'A07' })
const ERROR = closed({
  ...each(['type', 'code', 'message', 'request_id'], () => PART),
  ...each(['param', 'rule', 'assumption'], () => optional(PART))
})

/** The schema of refusals, which have one shape (A07). */
const errorSchema = (publisher: Publisher): Json =>
  publisher.settings['shapes.error'] === ERROR_TEMPLATE
    ? publisher.object(schemaOf(closed({ error: ERROR })), 'response')
    : { type: 'object' }
