/** The control API in OpenAPI 3.1, made of its requests and responses. */
import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import { type DocumentOptions, PUBLISHER } from '../../src/control/openapi/api.js'
import { type Json, NUMBER_FORMATS, oneOf, referTo } from '../../src/control/openapi/schemas.js'
import { type Group, NAMED_PARTS, type Row } from '../../src/control/row.js'
import { CONTROL_ERRORS } from '../../src/core/errors.js'
import { BASE, controlOfBase } from '../../src/core/paths.js'
import { FINDINGS } from '../../src/evidence/findings.js'
import { ASSUMPTION_IDS } from '../../src/reference/assumptions.js'
import { type Family, OPERATION_NAMES, RESOURCE_NAMES } from '../../src/reference/operations.js'
import { closed, optional, type Schema, schemaOf, text } from '../../src/reference/parameters.js'
import { RULE_IDS } from '../../src/reference/rules.js'
import { RESOURCES } from '../../src/reference/tables.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { scenarioSchema } from '../../src/scenario/shape/scenario.js'

/** A schema with what the writers of types and documents look at. */
type Part = Schema & {
  default?: unknown
  if?: unknown
  then?: Part
  else?: Part
  'x-type'?: string
  'x-name'?: string
}

const ABOUT = `Everything under \`/_control\` belongs to commerce-emulator, not to the service that it emulates.

The schemas describe JSON responses; with another \`format\`, the response is text. A request body can also be YAML, with the content type \`application/yaml\`. A token is required only if \`CONTROL_TOKEN\` is set.`

const ERROR = closed({
  error: closed({
    type: text(),
    code: Type.Unsafe<string>({ type: 'string', 'x-extensible-enum': Object.keys(CONTROL_ERRORS) }),
    message: text(),
    param: optional(text()),
    rule: optional(text()),
    assumption: optional(text()),
    problems: optional(Type.Array(Type.Unsafe<unknown>({ 'x-type': 'Problem' }))),
    request_id: text()
  })
})

const IN_PATH: Readonly<Record<string, string>> = {
  NAME: 'The name.',
  ID: 'The id.',
  FAMILY: 'A plural, such as tickets.'
}

/** Records by id are no type that every generator can write. */
const LOOSE = ['MatchValue', 'FieldValue', 'ExpectedRecords']
/** The words of JSON Schema that go with a type. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'minLength', 'maxLength', 'x-extensible-enum'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['items', 'minItems', 'maxItems'],
  object: ['required', 'properties', 'additionalProperties']
}

/** What tells one schema from another. */
const wordsOf = (part: Part) =>
  JSON.stringify(
    Object.entries(part).filter(([word]) => word !== 'description' && !word.startsWith('x-'))
  )

/** Every schema that has a name, by it. */
function namedSchemas(groups: readonly Group[]): Record<string, Part> {
  const words = {
    RuleId: RULE_IDS,
    AssumptionId: ASSUMPTION_IDS,
    OperationName: OPERATION_NAMES,
    FindingName: Object.keys(FINDINGS)
  }
  const named: Record<string, Part> = { ControlError: schemaOf(ERROR), Fixture: fixtureSchema() }
  for (const [name, members] of Object.entries(words))
    named[name] = { type: 'string', enum: members }
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { 'x-name': name } = part as Part
    if (name !== undefined) named[name] ??= part
    for (const inner of Object.values(part)) look(inner)
  }
  look(scenarioSchema())
  for (const { rows } of groups)
    for (const { response: answer } of Object.values<Row>(rows)) look(answer)
  for (const [family, name] of Object.entries(RESOURCE_NAMES)) {
    const { properties, ...rest } = RESOURCES[family as Family]
    named[name] = {
      ...rest,
      properties: {
        ...properties,
        extra: { type: 'object', description: 'Further fields of the record.' }
      }
    }
  }
  return named
}

/** The document of requests by subject; the options as those of the API's own. */
export function controlDocument(
  groups: readonly Group[],
  { origin, base, version }: Pick<DocumentOptions, 'origin' | 'base' | 'version'>
): Json {
  const named = namedSchemas(groups)
  const names = new Map(
    Object.entries(named).flatMap(([name, part]) =>
      'x-type' in part ? [] : [[wordsOf(part), name]]
    )
  )
  const schemas: Json = {}

  function component(name: string): Json {
    if (!(name in schemas)) {
      schemas[name] = {}
      schemas[name] = whole(named[name] as Part)
    }
    return referTo(name)
  }

  /** A part of a schema; what has a name is referred to. */
  function inner(part: Part): Json {
    const { 'x-name': name, 'x-type': type, description, ...words } = part
    const said = description === undefined ? {} : { description }
    if (name !== undefined) return LOOSE.includes(name) ? said : { ...component(name), ...said }
    const [, of = '', rest] = /^(\w+)( \| null| & .*)?$/.exec(type ?? '') ?? []
    if (Object.keys(words).length > 0 || !(of in named)) {
      const same = names.get(wordsOf(part))
      return same === undefined ? whole(part) : { ...component(same), ...said }
    }
    return {
      ...(rest === ' | null' ? { anyOf: [component(of), { type: 'null' }] } : component(of)),
      ...said
    }
  }

  function whole({
    type,
    enum: words,
    if: isOne,
    then: one,
    else: other,
    description,
    default: fallback,
    ...rest
  }: Part): Json {
    const said = {
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback })
    }
    const beside = rest as Json
    const kinds = [type].flat()
    const ofKind = (kind = ''): Json => {
      if (words && kinds.length > 1)
        return inner(
          kind === 'null'
            ? { type: kind }
            : { type: kind, enum: words.filter(word => word !== null) }
        )
      const found = (WORDS[kind] ?? []).filter(word => beside[word] !== undefined)
      const known = words && ('x-many' in rest ? { 'x-extensible-enum': words } : oneOf(words))
      return {
        type: kind,
        ...NUMBER_FORMATS[kind],
        ...known,
        ...Object.fromEntries(found.map(word => [word, within(word, beside[word])]))
      }
    }
    if (isOne) return { anyOf: [inner(one as Part), inner(other as Part)], ...said }
    if (type === undefined) return said
    const schema = ofKind(kinds[0])
    if (kinds.length === 1) return { ...schema, ...said }
    const isPlain =
      kinds.length === 2 && kinds[1] === 'null' && words === undefined && kinds[0] !== 'object'
    return { ...(isPlain ? { ...schema, type: kinds } : { anyOf: kinds.map(ofKind) }), ...said }
  }

  function within(word: string, value: unknown): unknown {
    if (word === 'properties')
      return Object.fromEntries(
        Object.entries(value as Record<string, Part>).map(([name, part]) => [name, inner(part)])
      )
    return typeof value === 'object' && !Array.isArray(value) ? inner(value as Part) : value
  }

  const json = (schema: Json, more: Json = {}) => ({
    content: { 'application/json': { schema, ...more } }
  })
  const refusal = { description: 'A refusal.', ...json(component('ControlError')) }
  const sectionOf = (of: TSchema | null | undefined) =>
    Object.entries((of && schemaOf(of).properties) ?? {}) as [string, Part][]

  function operation(
    on: string,
    tag: string,
    { does, query, body, response: answer, status = 200, also }: Row
  ): Json {
    const [method, path] = on.split(' ') as [string, string]
    const answered = answer && inner(schemaOf(answer))
    const about = does.replaceAll(/: \[[^\]]+\]\([^)]+\)|\[([^\]]+)\]\([^)]+\)/g, '$1')
    const inPath = [...path.matchAll(NAMED_PARTS)].map(([found]) => ({
      name: found.toLowerCase(),
      in: 'path',
      required: true,
      description: IN_PATH[found],
      schema: { type: 'string' }
    }))
    const inQuery = sectionOf(query).map(([name, { description, ...part }]) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: inner(part)
    }))
    const parameters = [...inPath, ...inQuery]
    const sent = body?.published ?? body?.schema
    const success =
      method === 'DELETE'
        ? { 204: { description: 'Done. The body is empty.' } }
        : { [status]: { description: 'Done.', ...(answered && json(answered)) } }
    return {
      operationId:
        method.toLowerCase() +
        (path.match(/[a-z]+/gi) ?? ['overview'])
          .map(([first = '', ...rest]) => first.toUpperCase() + rest.join('').toLowerCase())
          .join(''),
      tags: [tag],
      summary: about.split(/(?<=\.) /)[0],
      description: about,
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: !body.isOptional,
          ...json(inner(sent?.() as Part), { example: JSON.parse(body.example) })
        }
      }),
      responses: {
        ...success,
        ...(also && {
          [also]: {
            description: 'The result is negative, or the request was refused.',
            ...json({ anyOf: [answered, component('ControlError')] })
          }
        }),
        default: refusal
      }
    }
  }

  const paths: Record<string, Json> = {}
  for (const { title, rows } of groups) {
    for (const [on, row] of Object.entries(rows)) {
      const [method, path] = on.split(' ') as [string, string]
      const at = path.replaceAll(NAMED_PARTS, found => `{${found.toLowerCase()}}`)
      paths[at] = { ...paths[at], [method.toLowerCase()]: operation(on, title, row) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Control API of commerce-emulator', version, description: ABOUT, ...PUBLISHER },
    servers: [{ url: `${origin}${controlOfBase(base ?? BASE)}`, description: 'The emulator.' }],
    security: [{}, { token: [] }],
    tags: groups.map(({ title }) => ({ name: title })),
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'CONTROL_TOKEN.' } }
    }
  }
}
