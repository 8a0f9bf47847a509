/** The emulated API in OpenAPI 3.1, from the tables of the reference. */
import { BASE, controlOfBase } from '../../core/paths.js'
import type { Settings } from '../../core/settings.js'
import { ASSUMPTION_IDS, ASSUMPTIONS } from '../../reference/assumptions.js'
import {
  type Family,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  PATH_RECORDS,
  RESOURCE_NAMES
} from '../../reference/operations.js'
import { each, keysOf, RULE_IDS, RULES } from '../../reference/rules.js'
import { EXAMPLE_KEY, exampleOf, type Json, requestExample, VALUES } from './examples.js'
import { isKeyChecked, refusalComponents, refusals } from './refusals.js'
import { Publisher, referTo, tableOf } from './schemas.js'

export type DocumentOptions = {
  /** `http://localhost:4010`, or empty for addresses relative to the document. */
  origin?: string
  /** The path of the API, such as `/next`. */
  base?: string
  version: string
  settings: Settings
  /** Names nested parameters in brackets, for generators that do not know `deepObject`. */
  isFlat?: boolean
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

The examples work with the scenario \`default\` and the key \`${EXAMPLE_KEY}\`. Statuses and page sizes follow the current settings.

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
  base = BASE,
  isFlat = false
}: DocumentOptions): Json {
  const publisher = new Publisher(settings, isFlat, { base, list: settings['shapes.list'] })
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(id, publisher) }
  }
  const refused = refusalComponents(settings)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Commerce Service API, emulated',
      version,
      summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
      description: aboutApi(`${origin}${controlOfBase(base)}/assumptions`),
      ...PUBLISHER,
      'x-rules': each(RULE_IDS, id => RULES[id].text),
      'x-assumptions': each(
        ASSUMPTION_IDS,
        id => `${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}`
      )
    },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: keysOf(FAMILY_TEXTS).map(name => ({ name, description: FAMILY_TEXTS[name] })),
    paths,
    components: {
      ...refused,
      schemas: { ...publisher.schemas, ...refused.schemas },
      securitySchemes: SECURITY_SCHEMES
    }
  }
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'basic',
    description: 'The API key is the user name; the password is empty.',
    'x-rules': ['AUTH-1', 'AUTH-3'],
    'x-assumptions': ['A18']
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
    responses: { ...success(id, publisher), ...refusals(id, settings) },
    'x-rules': rules,
    'x-assumptions': assumptions
  }
}

const DEEP = { style: 'deepObject', explode: true }

function parametersOf(id: OperationId, publisher: Publisher): Json[] {
  const operation = operationOf(id)
  const table = tableOf(id, 'querystring') ?? {}
  const example = requestExample(table, publisher.isFlat)
  const inPath = PATH_RECORDS[id].map(({ name, family }) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id of a record.',
    schema: { type: 'string', minLength: 1 },
    example: VALUES[RESOURCE_NAMES[family].toLowerCase()]
  }))
  const inQuery = publisher.fields(table, operation).map(field => {
    const schema = publisher.field(field, operation)
    return {
      name: field.name,
      in: 'query',
      description: schema.description ?? 'Filters by creation.',
      ...(field.table.properties && DEEP),
      schema,
      example: example[field.name]
    }
  })
  return [...inPath, ...inQuery]
}

function requestBody(id: OperationId, publisher: Publisher): Json | undefined {
  const table = tableOf(id, 'body')
  if (table === undefined) return undefined
  const { isFlat, schemas } = publisher
  const { properties = {} } = table
  const nested = keysOf(properties).filter(name => properties[name]?.type === 'object')
  const name = id.replace(/^./, first => first.toUpperCase())
  schemas[name] = publisher.object(table, operationOf(id))
  return {
    required: operationOf(id).kind === 'create',
    content: {
      'application/x-www-form-urlencoded': {
        schema: referTo('schemas', name),
        encoding: isFlat ? undefined : each(nested, () => DEEP),
        example: requestExample(table, isFlat)
      }
    }
  }
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
