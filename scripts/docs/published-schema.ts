/**
 * JSON Schemas for editors: nothing that the loader accepts is refused, and the names for a request
 * depend on its operation. Draft 2020-12, in words that draft 7 has too.
 */
import { NOT_BLANK } from '../../src/core/formats.js'
import {
  nameOf,
  OPERATION_IDS,
  OPERATION_NAMES,
  type OperationId,
  operationOf,
  RESOURCE_NAMES
} from '../../src/reference/operations.js'
import type { Schema } from '../../src/reference/parameters.js'
import { TABLES, type Tables } from '../../src/reference/tables.js'
import { VERSION } from '../../src/scenario/library.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { scenarioSchema, sharedScriptSchema } from '../../src/scenario/shape/scenario.js'

type Json = Record<string, unknown>

type PublishedKind = 'fixture' | 'scenario' | 'script'

/** `ref` is a tag or a branch. */
export const schemaAddress = (kind: PublishedKind, ref = `v${VERSION}`): string =>
  `https://github.com/commerce-emulator/commerce-emulator/raw/${ref}/docs/schema/${kind}.json`
/** In editors; for a list, of each item. */
const TITLES: Readonly<Record<string, string>> = {
  ...RESOURCE_NAMES,
  api_keys: 'API key',
  at_once: 'request',
  data: 'records',
  expect: 'expectation',
  generate: 'records to generate',
  play: 'step of a play',
  respond: 'response',
  script: 'script entry',
  sequence: 'request',
  state: 'final state',
  steps: 'step',
  vars: 'variables'
}
const referTo = (name: string) => ({ $ref: `#/$defs/${name}` })
const anyOf = (...schemas: Json[]): Json => ({ anyOf: schemas })
const orVariable = (...schemas: Json[]): Json => anyOf(...schemas, referTo('variable'))

/** One that is the whole text is replaced by a value of any scalar type. */
const VARIABLE = {
  type: 'string',
  pattern: '\\$\\{\\s*vars\\b',
  description: 'The value of a variable: ${vars.name}.'
}
const INSTANT = '^\\d{4}(-?\\d{2}-?\\d{2}|-?\\d{3}|-?W\\d{2}-?\\d)([Tt].+)?$'
const NUMBER = '\\d+([.,]\\d+)?'
const DURATION = `^(\\d+(\\.\\d+)?(ms|s|m|h|d)|P(?=[\\dT])(${NUMBER}[WD])*(T(${NUMBER}[HMS])+)?)$`
const STATUS = '^[1-5](\\d\\d|[xX][xX])$'
/**
 * In words that every validator knows. An email address may have letters that the format of that
 * name does not.
 */
const FORMATS: Readonly<Record<string, Json>> = {
  instant: { pattern: INSTANT },
  email: { pattern: '@.' },
  country: { pattern: '^[A-Za-z]{2}$' },
  currency: { pattern: '^[a-z]{3}$' },
  default_currency: { pattern: '^(?:[a-z]{3}|required)$' },
  last4: { pattern: '^\\d{4}$' }
}
const CONDITIONS = {
  gt: { description: 'Greater than this number, or later than this instant.' },
  gte: { description: 'At least this number, or not before this instant.' },
  lt: { description: 'Less than this number, or earlier than this instant.' },
  lte: { description: 'At most this number, or not after this instant.' },
  not: {
    description: 'Any value except this one, or these; a value that was not sent counts too.'
  },
  present: { description: 'Whether it was sent at all.', examples: [false, true] }
}
/** A name in brackets, as `card[last4]`. */
const IN_BRACKETS = { '\\[': true }
const SCALARS = ['string', 'number', 'boolean']
/** A value, a list of values, and an object of conditions or names. */
const wanted = (names: Json, types = SCALARS): Json => {
  const values = types.map(type => ({ type }))
  const description =
    'A value, a list of values, /a regular expression/, conditions, or nested names.'
  return {
    ...anyOf(...values, { type: 'array', items: anyOf(...values) }, { type: 'object', ...names }),
    description
  }
}

/** Parts that others refer to by their names; those that have only a name are added when met. */
const DEFINITIONS: Record<string, Json> = {
  variable: VARIABLE,
  operation: {
    ...orVariable(
      { type: 'string', enum: ['*', ...OPERATION_NAMES] },
      { type: 'string', pattern: '[*]' }
    ),
    description: 'A method and a path of the reference; * stands for any text.'
  },
  instant: {
    ...orVariable({ type: 'string', pattern: INSTANT }),
    description: 'An instant: an ISO 8601 date-time, or a day.',
    examples: ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00+02:00', '2026-03-01']
  },
  duration: {
    ...orVariable({ type: 'string', pattern: DURATION }),
    description: 'A duration.',
    examples: ['250ms', '2s', '10m', '36h', '7d', 'PT36H']
  },
  calls: {
    ...orVariable(
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^( *\\d[\\d ]*(- *[1-9][\\d ]*|\\+ *)?|every [1-9]\\d*)$' }
    ),
    examples: [1, '2-3', '4+', 'every 7']
  },
  times: {
    ...orVariable(
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^ *\\d[\\d ]*(- *[1-9][\\d ]*|\\+ *)?$' }
    ),
    examples: [0, 1, '2-3', '4+']
  },
  per_ticket: {
    ...orVariable(
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^ *[1-9][\\d ]*(- *[1-9][\\d ]*)?$' }
    ),
    examples: [2, '1-3']
  },
  status: {
    ...orVariable(
      { type: 'integer', minimum: 100, maximum: 599 },
      { type: 'string', pattern: STATUS }
    ),
    examples: [402, '2xx']
  },
  statuses: anyOf(referTo('status'), { type: 'array', items: referTo('status') }),
  value: wanted({ additionalProperties: false, properties: CONDITIONS }),
  MatchValue: wanted({ additionalProperties: referTo('MatchValue') }),
  FieldValue: wanted({ additionalProperties: referTo('FieldValue') }, [...SCALARS, 'null'])
}

const PUBLISHED: Readonly<Record<PublishedKind, { title: string; schemaOf: () => object }>> = {
  fixture: {
    title: 'A fixture of commerce-emulator: records and API keys',
    schemaOf: fixtureSchema
  },
  scenario: {
    title: 'A scenario of commerce-emulator: fixtures plus behaviour',
    schemaOf: scenarioSchema
  },
  script: {
    title: 'Script entries of commerce-emulator that scenarios share',
    schemaOf: sharedScriptSchema
  }
}

/** The schema of a kind of document as editors read it. */
export function publishedSchema(kind: PublishedKind): Json {
  const { title, schemaOf } = PUBLISHED[kind]
  const schema = portable(schemaOf() as Json, kind !== 'fixture')
  const $defs = definitionsFor(schema)
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaAddress(kind),
    title,
    ...schema
  }
  // what is undefined is left out
  return JSON.parse(JSON.stringify(Object.keys($defs).length === 0 ? whole : { ...whole, $defs }))
}

/** The definitions that a schema refers to. */
function definitionsFor(schema: Json): Json {
  const all: Record<string, Json> = { ...DEFINITIONS, ...byOperation() }
  const $defs: Json = {}
  const look = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/\$defs\/([^"]*)"/g) as Iterable<
      [string, string]
    >) {
      if (name in $defs) continue
      $defs[name] = all[name]
      look(all[name])
    }
  }
  look(schema)
  return $defs
}

/** Without words of our own. `hasVariables`: a scalar may be a variable. */
function portable({ 'x-published': own, ...part }: Json, hasVariables: boolean): Json {
  const { description, default: fallback, ...words } = part
  const { format } = part
  const ofFormat = format === 'instant' || format === 'duration' ? format : undefined
  const name = own ?? part['x-name'] ?? ofFormat
  const isNamed = typeof name === 'string' && hasVariables
  if (isNamed) DEFINITIONS[name] ??= portable({ ...part, 'x-name': undefined }, true)
  const said = isNamed ? referTo(name) : withoutOwn(words, hasVariables)
  return {
    ...(hasVariables && isLimited(said) ? orVariable(said) : said),
    description,
    default: fallback
  }
}

function titled(name: string, part: Json): Json {
  const title = TITLES[name]
  if (title === undefined) return part
  return part.type === 'array'
    ? { ...part, items: { title, ...(part.items as Json) } }
    : { title, ...part }
}

function withoutOwn(words: Json, hasVariables: boolean): Json {
  const { type, format, if: condition, then: ofType, else: otherwise } = words
  const inner = (part: unknown) => portable(part as Json, hasVariables)
  // both are of different types
  if (condition !== undefined) return anyOf(inner(ofType), inner(otherwise))
  if (Array.isArray(type) && type.filter(one => one !== 'null').length > 1)
    return anyOf(...type.map(one => withoutOwn({ ...words, type: one }, hasVariables)))
  const said: Json = { ...words, format: undefined, ...FORMATS[format as string] }
  for (const [word, value] of Object.entries(said)) {
    if (/^[x~]/.test(word)) delete said[word]
    else if (word === 'properties')
      said[word] = Object.fromEntries(
        Object.entries(value as Json).map(([name, part]) => [name, titled(name, inner(part))])
      )
    else if ((word === 'items' || word === 'additionalProperties') && typeof value === 'object')
      said[word] = inner(value)
  }
  const { on, do: call } = (said.properties ?? {}) as Json
  if (on !== undefined) said.allOf = [referTo('matchByOperation')]
  if (call !== undefined) said.allOf = [referTo('callByOperation')]
  return said
}

/** Whether a part allows scalars, but not every text. */
function isLimited({ type, enum: words, pattern }: Json): boolean {
  const [one] = [type].flat()
  if (one === undefined || one === 'object' || one === 'array') return false
  return one !== 'string' || words !== undefined || (pattern !== undefined && pattern !== NOT_BLANK)
}

const tablesOf = (id: OperationId) => TABLES[id] as { readonly [table in keyof Tables]?: Schema }
const PARTS = [
  ['params', 'params'],
  ['query', 'querystring'],
  ['body', 'body']
] as const

/** What holds where a name is as given. */
const when = (name: string, is: Json, properties: Json): Json =>
  ifThen({ required: [name], properties: { [name]: is } }, { properties })
const ifThen = (condition: Json, then: Json): Json => ({ if: condition, then })
/** What a match holds where `on` is as given. */
const matchOn = (on: Json, match: Json): Json =>
  when('on', on, { match: { type: 'object', properties: match } })
/** Adds a definition, which the next one that says the same is too. */
type Define = (name: string, schema: Json) => Json

/** By operation: what a request can be matched by and send, and its response hold. */
function byOperation(): Record<string, Json> {
  const $defs: Record<string, Json> = {}
  const names = new Map<string, string>()
  const define: Define = (name, schema) => {
    const text = JSON.stringify(schema)
    const its = names.get(text) ?? name
    names.set(text, its)
    $defs[its] = schema
    return referTo(its)
  }
  const matches = OPERATION_IDS.map(id => {
    const tables = tablesOf(id)
    const parts = PARTS.map(([section, table]) => [
      section,
      tables[table] ? define(`${id}.${section}`, matchedNames(tables[table])) : false
    ])
    return matchOn({ const: nameOf(id) }, Object.fromEntries(parts))
  })
  const calls = OPERATION_IDS.map(id => {
    const { method, path } = operationOf(id)
    const { querystring, body, response: answer } = tablesOf(id)
    const pattern = `^\\s*${method}\\s+${path.replace(/\{\w+\}/g, '[^/\\s]+')}/?\\s*$`
    const answered = answer && {
      body: define(`${id}.answer`, ifThen({ type: 'object' }, sentNames(answer, { error: ERROR })))
    }
    return when(
      'do',
      { type: 'string', pattern },
      {
        query: querystring && define(`${id}.query.sent`, sentNames(querystring)),
        body: body ? define(`${id}.body.sent`, sentNames(body)) : false,
        expect: answered && { type: 'object', properties: answered }
      }
    )
  })
  const allOf = [...matches, ...matchesOfSeveral(define)]
  return {
    ...$defs,
    matchByOperation: { type: 'object', allOf },
    callByOperation: { type: 'object', allOf: calls }
  }
}

/** For any operation, or a list of them: the names that one of these has. */
function matchesOfSeveral(define: Define): Json[] {
  const ofLists: Json[] = []
  const ofAny = PARTS.map(([section, table]) => {
    const { properties } = joined(OPERATION_IDS.flatMap(id => tablesOf(id)[table] ?? []))
    const without = (has: (schema: Schema | undefined) => unknown) =>
      OPERATION_IDS.filter(id => !has(tablesOf(id)[table])).map(nameOf)
    /** What is refused, by the operations that do not have it: the whole part, or names of it. */
    const refused: Record<string, Json | false> = { [without(schema => schema).join()]: false }
    for (const name of Object.keys(properties)) {
      const operations = without(schema => schema?.properties?.[name]).join()
      if (refused[operations] !== false)
        refused[operations] = { ...refused[operations], [name]: false }
    }
    for (const [operations, names] of Object.entries(refused)) {
      const part = names && { type: 'object', properties: names }
      ofLists.push(
        matchOn({ type: 'array', items: { enum: operations.split(',') } }, { [section]: part })
      )
    }
    return [section, define(`any.${section}`, matchedNames({ properties }))]
  })
  return [
    matchOn(
      anyOf({ type: 'string', pattern: '[*]' }, { type: 'array' }),
      Object.fromEntries(ofAny)
    ),
    ...ofLists
  ]
}

/** One table with the names of several. */
function joined(tables: readonly Schema[]): { properties: Record<string, Schema> } {
  const properties: Record<string, Schema> = {}
  for (const table of tables) {
    for (const [name, { 'x-fixed': _, ...schema }] of Object.entries(table.properties ?? {})) {
      const known = properties[name]
      properties[name] = {
        ...schema,
        ...known,
        ...((schema.properties ?? known?.properties) && joined([known ?? {}, schema]))
      }
    }
  }
  return { properties }
}

const ERROR = {
  description: 'The error of a refused request.',
  examples: [{ code: 'refund_exceeds_remaining' }]
}

/** No others, but names in brackets. */
function matchedNames({ properties = {} }: Schema): Json {
  return {
    type: 'object',
    properties: each(properties, matchedName),
    patternProperties: IN_BRACKETS,
    additionalProperties: false
  }
}

function matchedName(schema: Schema): Json {
  if (schema.properties !== undefined) {
    const { properties, ...nested } = matchedNames(schema)
    return wanted({ ...nested, properties: { ...CONDITIONS, ...(properties as Json) } })
  }
  return referTo(typeof schema.additionalProperties === 'object' ? 'MatchValue' : 'value')
}

/** Other names are not refused: a request may be meant to be refused. */
const sentNames = ({ properties = {} }: Schema, more: Json = {}): Json => ({
  type: 'object',
  properties: { ...each(properties, () => ({})), ...more }
})

/** With description, words as examples, and whether it is of no use in a request. */
const each = (
  properties: Readonly<Record<string, Schema>>,
  schemaOf: (schema: Schema) => Json
): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { description, enum: words, 'x-fixed': deprecated } = schema
      return [
        name,
        {
          ...schemaOf(schema),
          description,
          examples: words?.filter(word => word !== null),
          deprecated
        }
      ]
    })
  )
