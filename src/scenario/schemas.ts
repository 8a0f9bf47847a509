/** The JSON Schemas of fixture and scenario documents, made from the resource tables: records use the names that the API returns. */
import { checkerOf } from '../core/checking.js'
import { NOT_BLANK } from '../core/formats.js'
import { SETTINGS, settingsSchema } from '../core/settings.js'
import { type Family, OPERATION_NAMES, RESOURCE_NAMES } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { PAYMENT_TYPES } from '../reference/payment-methods.js'
import { RESOURCES, TABLES, type Tables } from '../reference/tables.js'
import type { DocumentKind } from './documents.js'
import { GENERATED_FAMILIES } from './generate.js'
import { ABOUT, OPERATION } from './matching.js'
import { published } from './published-schema.js'
import { FAULTS, RELEASES } from './script.js'

/** The id of a record, as a fixture may give it. */
export const ID = /^[A-Za-z0-9_-]{1,128}$/
const RECORD_ID = {
  type: 'string',
  pattern: ID.source,
  description: 'Letters, digits, _ and -.',
  'x-expected': 'an id of 1 to 128 letters, digits, _ and - was expected',
  'x-instead': '[A-Za-z0-9_-]+'
}
const KEY = { type: 'string', pattern: '^[\\x21-\\x39\\x3B-\\x7E]{1,255}$', description: 'Printable, without spaces and without a colon.' }
const NAME = { type: 'string', minLength: 1 }

/** A record as a fixture gives it: what is derived may not be given, what is needed must, the rest may be left out or null. */
function recordSchema(resource: Schema): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const [name, schema] of Object.entries(resource.properties as Record<string, Schema>)) {
    if (schema['x-derived']) continue
    const needed = schema['x-needed'] === true
    const part = schema.properties ? { ...recordSchema(schema), ...(schema.type && { type: schema.type }), description: schema.description as string } : schema
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
    properties[family] = {
      type: 'array',
      description: `${RESOURCE_NAMES[family as Family]}s.`,
      items: { ...record, properties: { ...record.properties, id: RECORD_ID, extra } }
    }
  }
  return { type: 'object', additionalProperties: false, properties }
}

/** One schema for the values of a type, another for every other value. */
const either = (type: string, ofType: object, otherwise: object) =>
  Object.fromEntries([
    ['if', { type }],
    ['then', ofType],
    ['else', otherwise]
  ])

const INSTANT = { type: 'string', format: 'instant' }
const DURATION = { type: 'string', 'x-duration': true, description: 'A length of time, such as 250ms, 2s, 36h, 7d or PT36H.' }
const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000 }
const ONE = { type: 'string', enum: OPERATION_NAMES, 'x-many': OPERATION, description: 'A method and a path of the reference.' }
const ON = {
  description: 'One operation, a list of them, or * for any.',
  ...either('array', { type: 'array', minItems: 1, items: ONE }, { ...ONE, enum: ['*', ...OPERATION_NAMES] })
}
const SCALAR = { type: ['string', 'number', 'boolean'] }
/** What a name has to be, with further names below it to a depth. */
const wanted = (depth: number): object => ({
  'x-def': 'wanted',
  type: [...SCALAR.type, 'array', ...(depth > 0 ? ['object'] : [])],
  items: SCALAR,
  ...(depth > 0 && { additionalProperties: wanted(depth - 1) }),
  description: 'A value, a list of values, /a regular expression/, conditions (gt, gte, lt, lte, not, present), or nested names.'
})
const NAMES = { type: 'object', additionalProperties: wanted(4) }
const WANTED_ID = wanted(1)
/** Names with the part that they go under. */
const under = (part: string, names: readonly string[]): Record<string, string> => Object.fromEntries(names.map(name => [name, part]))
/** The names of parameters, with the part of a match that they go under. */
const placesOf = (table: 'querystring' | 'body', part: string): Record<string, string> =>
  Object.fromEntries(
    Object.values(TABLES as Readonly<Record<string, Tables>>).flatMap(({ [table]: schema }) =>
      schema === undefined ? [] : Object.keys(schemaOf(schema).properties as object).map(name => [name, part])
    )
  )
const MATCH = {
  type: 'object',
  additionalProperties: false,
  description: 'What the call has to carry; left out: every call of the operation.',
  'x-elsewhere': { ...placesOf('querystring', 'query'), ...placesOf('body', 'body'), id: 'params' },
  properties: {
    params: { ...NAMES, description: 'Path parameters.' },
    query: { ...NAMES, description: 'Parameters of the query.' },
    body: { ...NAMES, description: 'Parameters of the body.' },
    key: { ...WANTED_ID, description: 'The API key.' },
    about: {
      type: 'object',
      additionalProperties: false,
      description: 'Which records the call is about, found through what it names: the Location of its Ticket, for example.',
      properties: Object.fromEntries(ABOUT.map(what => [what, WANTED_ID]))
    }
  }
}

/** The schema of a script entry. */
export function entrySchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['on'],
    'x-elsewhere': { ...under('match', ['params', 'query', 'body', 'key', 'about']), ...under('respond', ['status', 'headers', 'error', 'retry_after']) },
    properties: {
      name: { ...NAME, description: 'What the entry is called where it is listed.' },
      on: ON,
      match: MATCH,
      calls: { type: ['integer', 'string'], minimum: 1, 'x-def': 'calls', description: 'Which of the matching calls: 1, 2-3 or 4+; left out: all.' },
      chance: { type: 'number', minimum: 0, maximum: 1, default: 1, description: 'The share of these calls that it is applied to, drawn from the seed.' },
      from: { ...INSTANT, description: "The instant of the sandbox's clock from which calls match." },
      until: { ...INSTANT, description: "The instant of the sandbox's clock from which calls match no longer." },
      for: { ...DURATION, description: "How long it is applied after the first call that matched, by the sandbox's clock." },
      hold: {
        type: 'object',
        additionalProperties: false,
        description: 'Keeps calls waiting until so many wait, or until a control call opens a gate.',
        properties: {
          until: { type: 'integer', minimum: 2, maximum: 1000, description: 'How many calls wait before all of them go on.' },
          gate: {
            type: 'string',
            pattern: '^[A-Za-z0-9_-]{1,64}$',
            'x-expected': 'a name of 1 to 64 letters, digits, _ and - was expected',
            'x-instead': '[A-Za-z0-9_-]+',
            description: 'The name that a control call opens it by.'
          },
          release: { type: 'string', enum: RELEASES, default: 'in_order', description: 'The order in which calls go on: as they came, or the last one first.' },
          for: { ...DURATION, description: 'The longest that a call waits.' }
        }
      },
      delay: {
        description: 'Waits first: a length of time, or min and max that it is drawn between.',
        ...either('object', { type: 'object', additionalProperties: false, required: ['min', 'max'], properties: { min: DURATION, max: DURATION } }, DURATION)
      },
      respond: {
        type: 'object',
        additionalProperties: false,
        description: 'Answers instead of the operation.',
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 599, description: 'Left out, 200, or 400 with an error.' },
          headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Further headers.' },
          body: { description: 'Any JSON; text is sent as it is.' },
          error: {
            type: 'object',
            additionalProperties: false,
            description: 'An error in the shape of the service; what is left out has a default for each status.',
            properties: {
              type: { ...NAME, description: 'The type of the error.' },
              code: { ...NAME, description: 'The code of the error.' },
              message: { type: 'string', description: 'The text of the error.' },
              param: { ...NAME, description: 'The parameter to blame, in bracket notation.' }
            }
          },
          retry_after: { ...DURATION, description: 'Writes the Retry-After header, in whole seconds.' }
        }
      },
      fault: { type: 'string', enum: FAULTS, description: 'Loses the answer.' },
      when: {
        type: 'string',
        enum: ['before', 'after'],
        default: 'before',
        description: 'before: instead of the call; after: the call takes effect, then its answer is lost.'
      }
    }
  }
}

const GENERATE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(GENERATED_FAMILIES.map(family => [family, { ...COUNT, description: 'How many are made.' }])),
    account: { ...RECORD_ID, description: 'The Account that they belong to.' },
    location: { ...RECORD_ID, description: 'The Location that they are at.' },
    created: {
      type: 'object',
      additionalProperties: false,
      required: ['from', 'to'],
      properties: { from: { ...INSTANT, description: 'The earliest.' }, to: { ...INSTANT, description: 'The latest.' } },
      description: 'The period in which they are created.'
    },
    payment_types: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: PAYMENT_TYPES },
      description: 'The payment types of the Transactions.'
    },
    refunded: { type: 'number', minimum: 0, maximum: 1, description: 'The share of the Transactions that get one Refund.' }
  }
}
const STATUS = { type: ['integer', 'string'], 'x-status': true, description: 'A status, or 2xx for any of them.' }
const STATUSES = { ...STATUS, type: [...STATUS.type, 'array'], minItems: 1, items: STATUS }
const STEP = {
  type: 'object',
  additionalProperties: false,
  required: ['do'],
  'x-elsewhere': { ...under('expect', ['status', 'fault']), ...under('body', ['transaction', 'ticket', 'amount', 'payment_type']) },
  properties: {
    as: { ...NAME, description: 'What later steps call its answer: ${name.field}.' },
    do: { ...NAME, description: 'A method and a path, such as POST /transactions or GET /transactions/${payment.id}.' },
    key: { ...NAME, description: "An API key; the first merchant's when left out." },
    query: { type: 'object', description: 'Parameters of the query.' },
    body: { type: 'object', description: 'Parameters of the body.' },
    expect: {
      type: 'object',
      additionalProperties: false,
      description: 'What the answer has to be; left out: a success.',
      properties: {
        status: { ...STATUSES, minimum: 100, maximum: 599, description: 'The status of the answer, 2xx for any of them, or a list; 2xx when left out.' },
        body: { description: 'What the answer has to hold; names that are left out are not compared.' }
      }
    }
  }
}
/** A call of a play; those at once are made once. */
const PLAYED = {
  ...STEP,
  properties: {
    ...STEP.properties,
    expect: {
      ...STEP.properties.expect,
      properties: {
        ...STEP.properties.expect.properties,
        headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Headers that the answer has to have, such as Retry-After.' },
        fault: { type: 'string', enum: FAULTS, description: 'How the answer is lost.' }
      }
    }
  }
}
const { required: _do, ...PLAYED_OR_AT_ONCE } = PLAYED
const PLAY = {
  ...PLAYED_OR_AT_ONCE,
  properties: {
    ...PLAYED.properties,
    repeat: { type: 'integer', minimum: 1, maximum: 1000, default: 1, description: 'How often the call is made, one after the other.' },
    at_once: { type: 'array', minItems: 1, items: PLAYED, description: 'Calls that are made together, each over a connection of its own.' },
    wait: { ...DURATION, description: "Lets this much time pass, by the sandbox's clock, so that `check` does not wait itself." }
  }
}
/** The schema of an expectation: calls and how often they come, calls in order, or records; in the journal the Account of the key can be matched too. */
export function expectationSchema({ account = false } = {}) {
  const match = { ...MATCH, properties: { ...MATCH.properties, ...(account && { account: { ...WANTED_ID, description: 'The Account of the key.' } }) } }
  const calls = {
    on: ON,
    match,
    took_effect: { type: 'boolean', description: 'Whether the call changed records.' },
    status: { ...STATUSES, description: 'The status of the answer that the client got.' },
    answered: { type: 'boolean', description: 'Whether the client got an answer.' }
  }
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...calls,
      times: { ...COUNT, description: 'Exactly so many calls.' },
      at_least: { ...COUNT, description: 'At least so many calls; 1 when none of the three is given.' },
      at_most: { ...COUNT, description: 'At most so many calls.' },
      sequence: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', additionalProperties: false, required: ['on'], properties: calls },
        description: 'Calls that come in this order; others may come between them.'
      },
      state: {
        type: 'object',
        additionalProperties: false,
        description: 'Records by family and id, with what they hold in the end; null for one that there must not be.',
        properties: Object.fromEntries(Object.keys(RESOURCES).map(family => [family, FAMILY_STATE]))
      }
    }
  }
}
const FAMILY_STATE = {
  type: 'object',
  properties: {
    count: { ...COUNT, description: 'How many there are.' },
    where: { type: 'object', description: 'Only those that hold this are counted.' }
  },
  additionalProperties: { type: ['object', 'null'] }
}

const CLOCK = {
  now: { ...INSTANT, description: 'Where the clock begins.' },
  running: { type: 'boolean', description: 'Whether it runs on from there, which it does when left out.' }
}

const VARS = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description: 'Variables with their defaults: text, a number, or true or false. ${vars.NAME} is replaced by the value of one.'
}
const SCRIPT = { type: 'array', items: entrySchema() }

/** The schema of a file of script entries that scenarios share. */
export function sharedScriptSchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['groups'],
    properties: {
      description: { type: 'string', description: 'What they are for, in a sentence.' },
      vars: VARS,
      groups: {
        type: 'object',
        additionalProperties: { ...SCRIPT, minItems: 1 },
        description: 'Script entries by the name of their group; a scenario has those of a group by use: [FILE#GROUP].'
      }
    }
  }
}

/** The schema of a scenario document: fixtures, inline and generated records, seed, clock, settings, script, steps and expectations. */
export function scenarioSchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    'x-elsewhere': under('data', ['api_keys', ...Object.keys(RESOURCES)]),
    properties: {
      name: { ...NAME, description: 'What the scenario is called; its file name when left out.' },
      description: { type: 'string', description: 'What it is for, in a sentence.' },
      fixtures: { type: 'array', items: NAME, description: 'Names, or paths relative to this file; merged in order, later records win by id.' },
      seed: { ...SETTINGS.seed.schema, description: SETTINGS.seed.about },
      clock: {
        description: "An instant at which the clock is frozen, or { now, running }; left out: the machine's clock.",
        ...either('object', { type: 'object', additionalProperties: false, properties: CLOCK, required: ['now'] }, INSTANT)
      },
      settings: { ...settingsSchema(key => SETTINGS[key].scope === 'sandbox' && key !== 'seed'), description: 'Settings of the sandbox.' },
      data: { ...fixtureSchema(), description: 'Records and API keys, as in a fixture; they win over those of fixtures by id.' },
      generate: { type: 'array', items: GENERATE, description: 'Records filled in from the seed, after data.' },
      vars: VARS,
      use: { type: 'array', items: NAME, description: 'Groups of script entries of other files, such as outages.yaml#brief-outage; they come after script.' },
      script: { ...SCRIPT, description: 'What the emulator does differently; the first entry that can is applied.' },
      steps: { type: 'array', items: STEP, description: 'Calls played through the API when the scenario loads.' },
      play: { type: 'array', items: PLAY, description: 'Calls that `check` makes as a client would, after the steps: scripted, journaled and counted.' },
      expect: { type: 'array', items: expectationSchema(), description: 'How often calls have to come.' }
    }
  }
}

export const ENTRY_CHECKER = checkerOf(entrySchema)
export const FIXTURE_CHECKER = checkerOf(fixtureSchema)
export const SCENARIO_CHECKER = checkerOf(scenarioSchema)
export const SANDBOX_SETTINGS_CHECKER = checkerOf(() => settingsSchema(key => SETTINGS[key].scope === 'sandbox'))

/** A schema as editors read it. */
export function publishedSchema(kind: DocumentKind): object {
  const { title, schemaOf } = PUBLISHED[kind]
  return published(schemaOf(), { title, name: kind })
}

const PUBLISHED: Readonly<Record<DocumentKind, { title: string; schemaOf: () => object }>> = {
  fixture: { title: 'A fixture of commerce-emulator: records and API keys', schemaOf: fixtureSchema },
  scenario: { title: 'A scenario of commerce-emulator: fixtures plus behaviour', schemaOf: scenarioSchema },
  script: { title: 'Script entries of commerce-emulator that scenarios share', schemaOf: sharedScriptSchema }
}
