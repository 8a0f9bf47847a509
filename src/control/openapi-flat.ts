/** The parameters of the OpenAPI document with nested ones named in brackets: `address[country]` in place of `country` inside `address`. */
import { inBrackets } from '../core/form.js'
import { type Json, METADATA_UPDATE } from './openapi-schemas.js'

export const DEEP = { style: 'deepObject', explode: true }

type Properties = Readonly<Record<string, Json>>
type Objects = Record<string, { properties?: Properties; required?: readonly string[]; [word: string]: unknown }>
type Parameter = Json & { name: string; in: 'path' | 'query'; schema: Json; example?: Json }
type Body = { schema: { $ref: string }; examples: Record<string, { value: Json }> }
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, Body> } }

/** A parameter, with its description and notes outside the schema. */
export function parameterObject(name: string, place: 'path' | 'query', schema: Json, { isDeep, example }: { isDeep: boolean; example: unknown }): Json {
  const { description, ...words } = schema
  const isNote = ([word]: [string, unknown]) => word.startsWith('x-')
  return {
    name,
    in: place,
    required: place === 'path',
    ...(description !== undefined && { description }),
    ...Object.fromEntries(Object.entries(words).filter(isNote)),
    ...(isDeep && DEEP),
    schema: Object.fromEntries(Object.entries(words).filter(word => !isNote(word))),
    ...(example !== undefined && { example })
  }
}

const nameIn = (reference: unknown) => String(reference).split('/').at(-1) as string

/** The document for generators that do not know `deepObject`. Responses stay as they are. */
export function flattened(document: Json & { paths: Record<string, Json>; components: Json & { schemas: Record<string, Json> } }): Json {
  const schemas = { ...document.components.schemas } as Objects
  const objects = { ...schemas }

  /** A parameter, or the parts of an object; each with what an example has of it. */
  function partsOf(name: string, schema: Json, example?: unknown) {
    const { properties, required = [] } = objects[nameIn(schema.$ref)] ?? {}
    if (properties === undefined) return [{ name, schema, isRequired: true, example }]
    delete schemas[nameIn(schema.$ref)]
    return Object.entries(properties).map(([part, inner]) => {
      return { name: inBrackets(name, part), schema: inner, isRequired: required.includes(part), example: (example as Json | undefined)?.[part] }
    })
  }

  function flatBody({ properties = {}, required = [], ...rest }: Objects[string]): Objects[string] {
    const { metadata, ...others } = properties
    const parts = Object.entries(others).flatMap(([name, schema]) => {
      return partsOf(name, schema).map(part => ({ ...part, isRequired: part.isRequired && required.includes(name) }))
    })
    const needed = parts.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const description = metadata?.description
    const flat: Properties = {
      ...Object.fromEntries(parts.map(({ name, schema }) => [name, schema])),
      // an update may also send `metadata=`, which unsets all keys (META-3)
      ...(description === METADATA_UPDATE && { metadata: { type: 'string', maxLength: 0, description } })
    }
    return {
      ...rest,
      ...(needed.length > 0 && { required: needed }),
      properties: flat,
      ...(metadata && openNames(objects.Metadata as Json, Object.keys(flat)))
    }
  }

  const paths = structuredClone(document.paths) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap(Object.values) as Operation[]) {
    operation.parameters = operation.parameters?.flatMap(({ style, schema, example, ...rest }) =>
      style === undefined
        ? [{ ...rest, schema, ...(example !== undefined && { example }) }]
        : partsOf(rest.name, schema, example).map(
            part => parameterObject(part.name, 'query', part.schema, { isDeep: false, example: part.example }) as Parameter
          )
    )
    for (const body of Object.values(operation.requestBody?.content ?? {}) as (Body & { encoding?: unknown })[]) {
      const name = nameIn(body.schema.$ref)
      schemas[name] = flatBody(objects[name] as Objects[string])
      delete body.encoding
      for (const example of Object.values(body.examples)) example.value = flatValue(example.value)
    }
  }
  return { ...document, paths, components: { ...document.components, schemas } }
}

const flatValue = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      typeof part === 'object' ? Object.entries(part as Json).map(([inner, value]) => [inBrackets(name, inner), value]) : [[name, part]]
    )
  )

/** Metadata as names in brackets. Generators that do not know `patternProperties` see that further names may be sent. */
function openNames({ propertyNames, additionalProperties, type, ...notes }: Json, names: readonly string[]): Json {
  const inner = 'metadata\\[[^\\[\\]]+\\]'
  return {
    patternProperties: { [`^${inner}$`]: { ...(additionalProperties as Json), ...notes } },
    propertyNames: { type: 'string', pattern: `^(?:${[...names.map(name => name.replaceAll(/[[\]]/g, '\\$&')), inner].join('|')})$` },
    additionalProperties: true
  }
}
