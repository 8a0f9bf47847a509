/** The JSON Schemas of fixture and scenario documents, made from the resource tables: records use the names that the API returns. */
import { checkerOf } from '../core/checking.js'
import { SETTINGS, settingsSchema } from '../core/settings.js'
import { ACCOUNT } from '../reference/accounts.js'
import { LOCATION } from '../reference/locations.js'
import type { Family } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { REFUND } from '../reference/refunds.js'
import { TICKET } from '../reference/tickets.js'
import { TRANSACTION } from '../reference/transactions.js'
import { USER } from '../reference/users.js'

/** The resource table of each family. */
export const RESOURCES = {
  accounts: schemaOf(ACCOUNT),
  users: schemaOf(USER),
  locations: schemaOf(LOCATION),
  tickets: schemaOf(TICKET),
  transactions: schemaOf(TRANSACTION),
  refunds: schemaOf(REFUND)
} satisfies Record<Family, Schema>

const ID = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$', description: 'Letters, digits, _ and -.' }
const KEY = { type: 'string', pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$', description: 'Printable, without spaces and without a colon.' }
const NAME = { type: 'string', minLength: 1 }

/** A record as a fixture gives it: what is derived may not stand there, what is needed must, the rest may be left out or null. */
function recordSchema(resource: Schema): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const [name, schema] of Object.entries(resource.properties as Record<string, Schema>)) {
    if (schema['x-derived']) continue
    const needed = schema['x-needed'] === true
    const part = schema.properties ? { ...recordSchema(schema), ...(schema.type && { type: schema.type }) } : schema
    properties[name] = needed ? part : orNull(part)
    if (needed) required.push(name)
  }
  return { type: 'object', additionalProperties: false, properties, required }
}

function orNull(schema: Schema): Schema {
  return {
    ...schema,
    type: [...new Set([schema.type as string | string[], 'null'].flat())],
    ...(schema.enum && { enum: [...new Set([...schema.enum, null])] })
  }
}

/** The schema of a fixture document: records of each family, and API keys. */
export function fixtureSchema(): Schema {
  const properties: Record<string, Schema> = {
    api_keys: {
      type: 'array',
      description: 'API keys, each bound to one Account.',
      items: { type: 'object', additionalProperties: false, properties: { key: KEY, account: ID }, required: ['key', 'account'] }
    }
  }
  for (const [family, resource] of Object.entries(RESOURCES)) {
    const record = recordSchema(resource)
    const extra = { type: 'object', description: 'Further fields, returned as they are.' }
    properties[family] = { type: 'array', items: { ...record, properties: { ...record.properties, id: ID, extra } } }
  }
  return { type: 'object', additionalProperties: false, properties }
}

/** The schema of a scenario document: fixtures, inline records, seed, clock and settings. */
export function scenarioSchema(): object {
  const instant = { type: 'string', format: 'instant' }
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      name: NAME,
      description: { type: 'string' },
      fixtures: { type: 'array', items: NAME },
      seed: SETTINGS.seed.schema,
      clock: {
        if: { type: 'object' },
        then: { type: 'object', additionalProperties: false, properties: { now: instant, running: { type: 'boolean' } }, required: ['now'] },
        else: instant
      },
      settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox' && key !== 'seed'),
      data: fixtureSchema()
    }
  }
}

export const checkFixture = checkerOf(fixtureSchema)
export const checkScenario = checkerOf(scenarioSchema)

/** A schema as editors read it: draft 2020-12, with the formats that every editor knows. */
export function publishedSchema(kind: 'fixture' | 'scenario'): object {
  const title = kind === 'fixture' ? 'A fixture of commerce-emulator: records and API keys' : 'A scenario of commerce-emulator: fixtures plus behaviour'
  const schema = kind === 'fixture' ? fixtureSchema() : scenarioSchema()
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...(portable(schema) as object) }
}

/** How formats of our own are said in words that every validator knows. */
const PORTABLE: Readonly<Record<string, object>> = {
  instant: { pattern: '^\\d{4}-?\\d{2}-?\\d{2}(T.+)?$' },
  country: { pattern: '^[A-Za-z]{2}$' },
  currency: { pattern: '^[a-z]{3}$' },
  last4: { pattern: '^\\d{4}$' }
}

function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable)
  if (typeof value !== 'object' || value === null) return value
  const { format, ...rest } = value as Record<string, unknown>
  const parts = Object.entries(rest).filter(([name]) => !name.startsWith('x-') && !name.startsWith('~'))
  const said = typeof format === 'string' ? (PORTABLE[format] ?? { format }) : {}
  return { ...Object.fromEntries(parts.map(([name, part]) => [name, portable(part)])), ...said }
}
