/** The JSON Schemas of fixture and scenario documents, made from the resource tables: records use the names that the API returns. */
import { checkerOf } from '../core/checking.js'
import { NOT_BLANK } from '../core/formats.js'
import { SETTINGS, settingsSchema } from '../core/settings.js'
import { OPERATION_NAMES } from '../reference/operations.js'
import type { Schema } from '../reference/parameters.js'
import { PAYMENT_TYPES } from '../reference/payment-methods.js'
import { RESOURCES } from '../reference/tables.js'
import { GENERATED_FAMILIES } from './generate.js'
import { FAULTS } from './script.js'

/** The id of a record, as a fixture may give it. */
export const ID = /^[A-Za-z0-9_-]{1,128}$/
const RECORD_ID = { type: 'string', pattern: ID.source, description: 'Letters, digits, _ and -.' }
const KEY = { type: 'string', pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$', description: 'Printable, without spaces and without a colon.' }
const NAME = { type: 'string', minLength: 1 }

/** A record as a fixture gives it: what is derived may not be given, what is needed must, the rest may be left out or null. */
function recordSchema(resource: Schema): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const [name, schema] of Object.entries(resource.properties as Record<string, Schema>)) {
    if (schema['x-derived']) continue
    const needed = schema['x-needed'] === true
    const part = schema.properties ? { ...recordSchema(schema), ...(schema.type && { type: schema.type }) } : schema
    properties[name] = needed ? notBlank(part) : orNull(part)
    if (needed) required.push(name)
  }
  return { type: 'object', additionalProperties: false, properties, required }
}

/** A text that has to be given is not of white space alone (A40). */
const notBlank = (schema: Schema): Schema =>
  [schema.type].flat().includes('string') && !schema.format && !schema.enum ? { ...schema, pattern: NOT_BLANK } : schema

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
      items: { type: 'object', additionalProperties: false, properties: { key: KEY, account: RECORD_ID }, required: ['key', 'account'] }
    }
  }
  for (const [family, resource] of Object.entries(RESOURCES)) {
    const record = recordSchema(resource)
    const extra = { type: 'object', description: 'Further fields, returned as they are.' }
    properties[family] = { type: 'array', items: { ...record, properties: { ...record.properties, id: RECORD_ID, extra } } }
  }
  return { type: 'object', additionalProperties: false, properties }
}

/** One schema for objects, another for every other value. */
const objectOr = (ofObject: object, otherwise: object) =>
  Object.fromEntries([
    ['if', { type: 'object' }],
    ['then', ofObject],
    ['else', otherwise]
  ])

const INSTANT = { type: 'string', format: 'instant' }
const DURATION = { type: 'string', description: 'A length of time, such as 250ms, 2s, 36h, 7d or PT36H.' }
const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000 }
const OPERATION = { type: 'string', enum: OPERATION_NAMES, description: 'A method and a path of the reference.' }
const SCALAR = { type: ['string', 'number', 'boolean'] }
/** What a name has to be, with further names below it to a depth. */
const wanted = (depth: number): object => ({
  type: [...SCALAR.type, 'array', ...(depth > 0 ? ['object'] : [])],
  items: SCALAR,
  ...(depth > 0 && { additionalProperties: wanted(depth - 1) }),
  description: 'A value, a list of values, /a regular expression/, or nested names.'
})
const NAMES = { type: 'object', additionalProperties: wanted(3) }
const MATCH = {
  type: 'object',
  additionalProperties: false,
  description: 'What the call has to carry; left out: every call of the operation.',
  properties: {
    params: { ...NAMES, description: 'Path parameters.' },
    query: NAMES,
    body: NAMES,
    key: { type: ['string', 'array'], items: { type: 'string' }, description: 'The API key.' }
  }
}

/** The schema of a script entry. */
export function entrySchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['on'],
    properties: {
      name: NAME,
      on: OPERATION,
      match: MATCH,
      calls: { type: ['integer', 'string'], minimum: 1, description: 'Which of the matching calls: 1, 2-3 or 4+; left out: all.' },
      delay: {
        description: 'Waits first: a length of time, or min and max that it is drawn between.',
        ...objectOr({ type: 'object', additionalProperties: false, required: ['min', 'max'], properties: { min: DURATION, max: DURATION } }, DURATION)
      },
      respond: {
        type: 'object',
        additionalProperties: false,
        description: 'Answers instead of the operation.',
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 599 },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
          body: { description: 'Any JSON; text is sent as it is.' },
          error: {
            type: 'object',
            additionalProperties: false,
            required: ['code', 'message'],
            properties: { type: NAME, code: NAME, message: { type: 'string' }, param: NAME }
          }
        }
      },
      fault: { type: 'string', enum: FAULTS, description: 'Loses the answer.' },
      when: { type: 'string', enum: ['before', 'after'], description: 'before: instead of the call; after: the call takes effect, then its answer is lost.' }
    }
  }
}

const GENERATE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(GENERATED_FAMILIES.map(family => [family, COUNT])),
    account: RECORD_ID,
    location: RECORD_ID,
    created: { type: 'object', additionalProperties: false, required: ['from', 'to'], properties: { from: INSTANT, to: INSTANT } },
    payment_types: { type: 'array', minItems: 1, items: { type: 'string', enum: PAYMENT_TYPES } },
    refunded: { type: 'number', minimum: 0, maximum: 1, description: 'The share of the Transactions that get one Refund.' }
  }
}
const STEP = {
  type: 'object',
  additionalProperties: false,
  required: ['do'],
  properties: {
    as: { ...NAME, description: 'What later steps call its answer: ${name.field}.' },
    do: { ...NAME, description: 'A method and a path, such as POST /transactions or GET /transactions/${payment.id}.' },
    key: { ...NAME, description: "An API key; the first merchant's when left out." },
    query: { type: 'object' },
    body: { type: 'object' },
    expect: {
      type: 'object',
      additionalProperties: false,
      properties: {
        status: { type: 'integer', minimum: 100, maximum: 599 },
        body: { description: 'What the answer has to hold; names that are left out are not compared.' }
      }
    }
  }
}
/** The schema of an expectation; in the journal the Account of the key can be matched too. */
export function expectationSchema({ account = false } = {}) {
  const match = { ...MATCH, properties: { ...MATCH.properties, ...(account && { account: MATCH.properties.key }) } }
  return { type: 'object', additionalProperties: false, required: ['on'], properties: { on: OPERATION, match, times: COUNT, at_least: COUNT, at_most: COUNT } }
}

/** The schema of a scenario document: fixtures, inline and generated records, seed, clock, settings, script, steps and expectations. */
export function scenarioSchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      name: NAME,
      description: { type: 'string' },
      fixtures: { type: 'array', items: NAME, description: 'Names, or paths relative to this file; merged in order, later records win by id.' },
      seed: SETTINGS.seed.schema,
      clock: {
        description: "An instant at which the clock is frozen, or { now, running }; left out: the machine's clock.",
        ...objectOr({ type: 'object', additionalProperties: false, properties: { now: INSTANT, running: { type: 'boolean' } }, required: ['now'] }, INSTANT)
      },
      settings: settingsSchema(key => SETTINGS[key].scope === 'sandbox' && key !== 'seed'),
      data: fixtureSchema(),
      generate: { type: 'array', items: GENERATE, description: 'Records filled in from the seed, after data.' },
      script: { type: 'array', items: entrySchema(), description: 'What the emulator does differently; the first entry that can is applied.' },
      steps: { type: 'array', items: STEP, description: 'Calls played through the API when the scenario loads.' },
      expect: { type: 'array', items: expectationSchema(), description: 'How often calls have to come.' }
    }
  }
}

export const ENTRY_CHECKER = checkerOf(entrySchema)
export const FIXTURE_CHECKER = checkerOf(fixtureSchema)
export const SCENARIO_CHECKER = checkerOf(scenarioSchema)
export const SANDBOX_SETTINGS_CHECKER = checkerOf(() => settingsSchema(key => SETTINGS[key].scope === 'sandbox'))

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
