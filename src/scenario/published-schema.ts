/**
 * The JSON Schemas of documents as editors and other validators read them: nothing that the loader accepts is refused, and what is offered for a call depends
 * on its operation. Draft 2020-12, in words that draft 7 has too.
 */
import { NOT_BLANK } from '../core/formats.js'
import { nameOf, OPERATION_IDS, OPERATION_NAMES, type OperationId, operationOf } from '../reference/operations.js'
import { type Schema, schemaOf } from '../reference/parameters.js'
import { TABLES, type Tables } from '../reference/tables.js'
import type { DocumentKind } from './documents.js'
import { SECTIONS } from './matching.js'
import { fixtureSchema, referTo, scenarioSchema, sharedScriptSchema } from './schemas.js'

type Json = Record<string, unknown>

const ADDRESS = 'https://github.com/commerce-emulator/commerce-emulator/raw/main/docs/schema/'
const anyOf = (...schemas: Json[]): Json => ({ anyOf: schemas })

/** A text with a variable in it; one that is the whole text is replaced by a value of any scalar type. */
const VARIABLE = { type: 'string', pattern: '\\$\\{\\s*vars\\b', description: 'The value of a variable: ${vars.name}.' }
const INSTANT = '^\\d{4}(-?\\d{2}-?\\d{2}|-?\\d{3}|-?W\\d{2}-?\\d)([Tt].+)?$'
const NUMBER = '\\d+([.,]\\d+)?'
const DURATION = `^(\\d+(\\.\\d+)?(ms|s|m|h|d)|P(?=[\\dT])(${NUMBER}[YMWD])*(T(${NUMBER}[HMS])+)?)$`
const STATUS = '^[1-5](\\d\\d|[xX][xX])$'
/** Formats of our own in words that every validator knows. An e-mail address may have letters that the format of that name does not. */
const FORMATS: Readonly<Record<string, Json>> = {
  instant: { pattern: INSTANT },
  email: { pattern: '@.' },
  country: { pattern: '^[A-Za-z]{2}$' },
  currency: { pattern: '^[a-z]{3}$' },
  last4: { pattern: '^\\d{4}$' }
}
/** The types of a single value that a match compares with. */
const SCALARS: readonly Json[] = ['string', 'number', 'boolean'].map(type => ({ type }))
const CONDITIONS = {
  gt: { description: 'Greater than this number, or later than this instant.' },
  gte: { description: 'At least this number, or not before this instant.' },
  lt: { description: 'Less than this number, or earlier than this instant.' },
  lte: { description: 'At most this number, or not after this instant.' },
  not: { description: 'Any value but this one, or but each of these; also one that was not sent.' },
  present: { description: 'Whether it was sent at all.', examples: [false, true] }
}
/** A name in brackets, as `card[last4]`. */
const IN_BRACKETS = { '\\[': true }
const ONE_VALUE = [...SCALARS, { type: 'array', items: referTo('scalar') }]

/** Parts that others refer to by their names. */
const DEFINITIONS: Readonly<Record<string, Json>> = {
  variable: VARIABLE,
  operation: { ...anyOf({ type: 'string', enum: OPERATION_NAMES }, referTo('variable')), description: 'A method and a path of the reference.' },
  instant: {
    ...anyOf({ type: 'string', pattern: INSTANT }, referTo('variable')),
    description: 'An instant: an ISO 8601 date-time, or a day.',
    examples: ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00+02:00', '2026-03-01']
  },
  duration: {
    ...anyOf({ type: 'string', pattern: DURATION }, referTo('variable')),
    description: 'A length of time.',
    examples: ['250ms', '2s', '10m', '36h', '7d', 'PT36H']
  },
  calls: {
    ...anyOf({ type: 'integer', minimum: 1 }, { type: 'string', pattern: '^ *[1-9][\\d ]*(- *[1-9][\\d ]*|\\+ *)?$' }, referTo('variable')),
    examples: [1, '2-3', '4+']
  },
  status: { ...anyOf({ type: 'integer', minimum: 100, maximum: 599 }, { type: 'string', pattern: STATUS }, referTo('variable')), examples: [402, '2xx'] },
  scalar: anyOf(...SCALARS),
  value: {
    ...anyOf(...ONE_VALUE, { type: 'object', additionalProperties: false, properties: CONDITIONS }),
    description: 'A value, a list of values, /a regular expression/, or conditions.'
  },
  wanted: {
    ...anyOf(...ONE_VALUE, { type: 'object', additionalProperties: referTo('wanted') }),
    description: 'A value, a list of values, /a regular expression/, conditions, or nested names.'
  }
}

const PUBLISHED: Readonly<Record<DocumentKind, { title: string; schemaOf: () => object }>> = {
  fixture: { title: 'A fixture of commerce-emulator: records and API keys', schemaOf: fixtureSchema },
  scenario: { title: 'A scenario of commerce-emulator: fixtures plus behaviour', schemaOf: scenarioSchema },
  script: { title: 'Script entries of commerce-emulator that scenarios share', schemaOf: sharedScriptSchema }
}

/** The schema of a kind of document as editors read it. */
export function publishedSchema(kind: DocumentKind): Json {
  const { title, schemaOf } = PUBLISHED[kind]
  const { $defs, ...said } = defined(portable(schemaOf() as Json, kind !== 'fixture'))
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: `${ADDRESS}${kind}.json`, title, ...said, ...($defs !== undefined && { $defs }) }
}

/** A schema with the definitions that it refers to. */
function defined(schema: Json): Json {
  const all: Record<string, Json> = { ...DEFINITIONS, ...byOperation() }
  const $defs: Json = {}
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const [, name] = /^#\/\$defs\/(.*)$/.exec(String((part as Json).$ref)) ?? []
    if (name !== undefined && $defs[name] === undefined) {
      $defs[name] = all[name]
      look(all[name])
    }
    for (const inner of Object.values(part)) look(inner)
  }
  look(schema)
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs }
}

/** The words of a part, without those of our own. `hasVariables`: a scalar may be a reference to a variable. */
function portable(schema: Json, hasVariables: boolean): Json {
  const { description, default: fallback, ...words } = schema
  const about = { ...(description !== undefined && { description }), ...(fallback !== undefined && { default: fallback }) }
  if (words['x-published'] !== undefined) return { ...(words['x-published'] as Json), ...about }
  const said = withoutOwn(words, hasVariables)
  const needsVariable = hasVariables && isLimited(said)
  return { ...(needsVariable ? anyOf(said, referTo('variable')) : said), ...about }
}

function withoutOwn(words: Json, hasVariables: boolean): Json {
  const { type, format, if: condition, then: ofType, else: otherwise } = words
  const inner = (part: unknown) => portable(part as Json, hasVariables)
  // both are of different types
  if (condition !== undefined) return anyOf(inner(ofType), inner(otherwise))
  if (Array.isArray(type) && type.filter(one => one !== 'null').length > 1) return anyOf(...type.map(one => withoutOwn({ ...words, type: one }, hasVariables)))
  const said = Object.fromEntries(
    Object.entries({ ...words, ...(format === undefined ? {} : { format: undefined, ...FORMATS[format as string] }) })
      .filter(([word, value]) => value !== undefined && !/^[x~]/.test(word))
      .map(([word, value]): [string, unknown] => {
        if (word === 'properties') return [word, Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, inner(part)]))]
        return [word, (word === 'items' || word === 'additionalProperties') && typeof value === 'object' ? inner(value) : value]
      })
  )
  const { properties } = said as { properties?: Json }
  if (properties?.on !== undefined) return { ...said, allOf: [referTo('matchByOperation')] }
  return properties?.do === undefined ? said : { ...said, allOf: [referTo('callByOperation')] }
}

/** Whether a part allows scalars, but not every text. */
function isLimited({ type, enum: words, pattern }: Json): boolean {
  const [one] = [type].flat()
  if (one === undefined || one === 'object' || one === 'array') return false
  return one !== 'string' || words !== undefined || (pattern !== undefined && pattern !== NOT_BLANK)
}

const tablesOf = (id: OperationId): { [table in keyof Tables]?: Schema } =>
  Object.fromEntries(Object.entries(TABLES[id] as Tables).map(([name, table]) => [name, schemaOf(table)]))

/** What a call of each operation can be matched by, and what it can send and is answered. */
function byOperation(): Record<string, Json> {
  const matches: Json[] = []
  const calls: Json[] = []
  const $defs: Record<string, Json> = {}
  const names = new Map<string, string>()
  /** A definition, which the next one that says the same is too. */
  const define = (name: string, schema: Json): Json => {
    const text = JSON.stringify(schema)
    const its = names.get(text) ?? name
    names.set(text, its)
    $defs[its] = schema
    return referTo(its)
  }
  for (const id of OPERATION_IDS) {
    const { method, path } = operationOf(id)
    const tables = tablesOf(id)
    const { querystring, body, answer } = tables
    const matched = ([section, table]: (typeof PARTS)[number]) =>
      tables[table] === undefined ? false : define(`${id}.${section}`, matchedNames(tables[table]))
    matches.push(matchOf({ const: nameOf(id) }, Object.fromEntries(PARTS.map(part => [part[0], matched(part)]))))
    const sent = {
      ...(querystring && { query: define(`${id}.query.sent`, sentNames(querystring)) }),
      body: body === undefined ? false : define(`${id}.body.sent`, sentNames(body)),
      ...(answer && {
        expect: { type: 'object', properties: { body: define(`${id}.answer`, { if: { type: 'object' }, ...thenOf(sentNames(answer, { error: ERROR })) }) } }
      })
    }
    calls.push({
      if: { required: ['do'], properties: { do: { type: 'string', pattern: `^\\s*${method}\\s+${path.replace(/\{\w+\}/g, '[^/\\s]+')}/?\\s*$` } } },
      ...thenOf({ properties: sent })
    })
  }
  const matched = [...matches, ...matchesOfSeveral(define)]
  return { ...$defs, matchByOperation: { type: 'object', allOf: matched }, callByOperation: { type: 'object', allOf: calls } }
}

const PARTS = Object.entries(SECTIONS) as [keyof typeof SECTIONS, keyof Tables][]

/** What a match holds where `on` is as given. */
const matchOf = (on: Json, match: Json): Json => ({
  if: { required: ['on'], properties: { on } },
  ...thenOf({ properties: { match: { type: 'object', properties: match } } })
})

/** What calls of any operation, or of a list of them, can be matched by: the names that one of these has. */
function matchesOfSeveral(define: (name: string, schema: Json) => Json): Json[] {
  const any: Json = {}
  const ofLists: Json[] = []
  for (const [section, table] of PARTS) {
    const { properties } = joined(OPERATION_IDS.flatMap(id => tablesOf(id)[table] ?? []))
    any[section] = define(`any.${section}`, matchedNames({ properties }))
    const without = (has: (schema: Schema | undefined) => boolean) => OPERATION_IDS.filter(id => !has(tablesOf(id)[table])).map(nameOf)
    const refusing = (operations: readonly string[], part: Json | false) => ofLists.push(matchOf(listOf(operations), { [section]: part }))
    const withoutPart = without(schema => schema !== undefined)
    refusing(withoutPart, false)
    /** Names by the operations that do not have them. */
    const names: Record<string, Json> = {}
    for (const name of Object.keys(properties)) {
      const operations = without(schema => schema?.properties?.[name] !== undefined).join()
      names[operations] = { ...names[operations], [name]: false }
    }
    for (const [operations, refused] of Object.entries(names)) {
      if (operations !== withoutPart.join()) refusing(operations.split(','), { type: 'object', properties: refused })
    }
  }
  return [matchOf({ anyOf: [{ const: '*' }, { type: 'array' }] }, any), ...ofLists]
}

const listOf = (operations: readonly string[]): Json => ({ type: 'array', items: { enum: operations } })

/** One table with the names of several. */
function joined(tables: readonly Schema[]): { properties: Record<string, Schema> } {
  const properties: Record<string, Schema> = {}
  for (const table of tables) {
    for (const [name, { 'x-fixed': _, ...schema }] of Object.entries(table.properties ?? {})) {
      const known = properties[name]
      properties[name] = { ...schema, ...known, ...((schema.properties ?? known?.properties) && joined([known ?? {}, schema])) }
    }
  }
  return { properties }
}

/** What a part has to be where a condition holds; an object with a `then` of its own would look like a promise. */
const thenOf = (schema: Json): Json => Object.fromEntries([['then', schema]])

const ERROR = { description: 'What the call was refused with.', examples: [{ code: 'refund_exceeds_remaining' }] }

/** The names of a parameter table as a match can hold them: no others, but names in brackets. */
function matchedNames({ properties = {} }: Schema): Json {
  return { type: 'object', properties: each(properties, matchedName), patternProperties: IN_BRACKETS, additionalProperties: false }
}

function matchedName(schema: Schema): Json {
  if (schema.properties !== undefined) {
    const { properties, ...nested } = matchedNames(schema)
    return anyOf(...ONE_VALUE, { ...nested, properties: { ...CONDITIONS, ...(properties as Json) } })
  }
  return referTo(typeof schema.additionalProperties === 'object' ? 'wanted' : 'value')
}

/** The names of a table as a call can send them, or an answer hold them; whatever else there is is not refused, since a call may be meant to be. */
const sentNames = ({ properties = {} }: Schema, more: Json = {}): Json => ({ type: 'object', properties: { ...each(properties, () => ({})), ...more } })

/** The schemas of properties, with what is said of each: its description, its words as examples, and whether the call has no use for it. */
const each = (properties: Readonly<Record<string, Schema>>, schemaOf: (schema: Schema) => Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      {
        ...schemaOf(schema),
        ...(schema.description !== undefined && { description: schema.description }),
        ...(schema.enum !== undefined && { examples: schema.enum.filter(word => word !== null) }),
        ...(schema['x-fixed'] && { deprecated: true })
      }
    ])
  )
