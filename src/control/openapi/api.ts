/** The emulated API in OpenAPI 3.1, made of the tables of the reference. */
import { BASE, controlOfBase } from '../../core/paths.js'
import type { Settings } from '../../core/settings.js'
import { ASSUMPTION_IDS, ASSUMPTIONS } from '../../reference/assumptions.js'
import { OPERATION_IDS, operationOf, RESOURCE_NAMES } from '../../reference/operations.js'
import { RULE_IDS, RULES } from '../../reference/rules.js'
import { FAMILIES } from '../../store/store.js'
import { each } from '../schemas.js'
import { EXAMPLE_KEY, recordExamples } from './examples.js'
import { KEY, operationObject, refusalOf } from './operations.js'
import { codesBy, errorExamples, errorSchemas } from './refusals.js'
import { createPublisher, type Json, PUBLISHER } from './schemas.js'
import { aNamed, TAG_TEXTS } from './texts.js'

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

export function openApiDocument({
  origin,
  base,
  version,
  settings,
  isFlat = false
}: DocumentOptions): Json {
  const shape = { base, list: settings['shapes.list'] }
  const records = recordExamples(settings, shape)
  const publisher = createPublisher(settings, isFlat)
  const paths: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    const operation = operationObject(id, { settings, isFlat, publisher, records, shape })
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const family of FAMILIES)
    Object.assign(publisher.schemas[RESOURCE_NAMES[family]] as Json, {
      description: `${aNamed(family).replace('a', 'A')}.`,
      examples: [records[family]]
    })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Commerce Service API, emulated',
      version,
      summary: 'Locations, Accounts, Users, Tickets, Transactions and Refunds.',
      description: about(`${origin}${controlOfBase(base)}/assumptions`),
      ...PUBLISHER,
      'x-rules': each(RULE_IDS, id => RULES[id].text),
      'x-assumptions': each(
        ASSUMPTION_IDS,
        id => `${ASSUMPTIONS[id].topic}: ${ASSUMPTIONS[id].default}`
      )
    },
    servers: [{ url: `${origin}${base}`, description: 'The emulator.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAG_TEXTS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...publisher.schemas, ...errorSchemas(settings) },
      examples: errorExamples(settings),
      ...otherComponents(settings)
    }
  }
}

const otherComponents = (settings: Settings) => ({
  responses: {
    Refusal: refusalOf('The response of a script, or a limit of the emulator.', codesBy(settings))
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
})

export const documentBy = (
  settings: Settings,
  of: Pick<DocumentOptions, 'version' | 'isFlat'>
): Json =>
  openApiDocument({ origin: `http://localhost:${settings.port}`, base: BASE, settings, ...of })
