/** The OpenAPI document with nested parameters in brackets: `address[country]`. */
import { inBrackets } from '../../core/form.js'
import { type Json, OTHERS } from './schemas.js'

export const DEEP = { style: 'deepObject', explode: true }

type Properties = Readonly<Record<string, Json>>
type Conditions = { then?: { properties: Properties }; else?: Conditions }
type Objects = Record<
  string,
  Conditions & { properties?: Properties; required?: readonly string[]; [word: string]: unknown }
>
type Part = { name: string; schema: Json; isRequired: boolean; example?: unknown }
type Parameter = Json & { name: string; in: 'path' | 'query'; schema: Json; example?: Json }
type Body = { schema: { $ref: string }; examples: Record<string, { value: Json }> }
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, Body> } }

/** A parameter, with its description and notes outside the schema. */
export function parameterObject(
  name: string,
  place: 'path' | 'query',
  schema: Json,
  { isDeep, example }: { isDeep: boolean; example: unknown }
): Json {
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
export function flattened(
  document: Json & {
    paths: Record<string, Json>
    components: Json & { schemas: Record<string, Json> }
  }
): Json {
  const schemas = { ...document.components.schemas } as Objects
  const objects = { ...schemas }

  /** A parameter, or the parts of an object, and itself if it can be unset (UPD-2, META-3). */
  function partsOf(
    name: string,
    {
      anyOf: [object, empty] = [],
      examples,
      ...schema
    }: Json & { anyOf?: Json[]; examples?: Json[] },
    example?: unknown
  ): Part[] {
    if (object)
      return [
        ...partsOf(name, { ...object, ...(examples && { examples }) }),
        { name, schema: { ...empty, ...schema }, isRequired: false }
      ]
    const { properties, required = [] } = objects[nameIn(schema.$ref)] ?? {}
    if (properties === undefined)
      return [
        { name, schema: { ...schema, ...(examples && { examples }) }, isRequired: true, example }
      ]
    delete schemas[nameIn(schema.$ref)]
    return Object.entries(properties).map(([part, inner]) => {
      const sent = examples?.[0]?.[part]
      return {
        name: inBrackets(name, part),
        schema: { ...inner, ...(sent !== undefined && { examples: [sent] }) },
        isRequired: required.includes(part),
        example: (example as Json | undefined)?.[part]
      }
    })
  }

  function flatBody({ properties = {}, required = [], ...rest }: Objects[string]): Objects[string] {
    const parts = Object.entries(properties)
      .flatMap(([name, schema]) =>
        partsOf(name, schema).map(part => ({
          ...part,
          isRequired: part.isRequired && required.includes(name)
        }))
      )
      .filter(({ schema }) => nameIn(schema.$ref) !== 'Metadata')
    const needed = parts.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    const flat: Properties = Object.fromEntries(parts.map(({ name, schema }) => [name, schema]))
    return {
      ...rest,
      ...flatConditions(rest),
      ...(needed.length > 0 && { required: needed }),
      properties: flat,
      ...(properties.metadata && openNames(Object.keys(flat)))
    }
  }

  const paths = structuredClone(document.paths) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap(Object.values) as Operation[]) {
    operation.parameters = operation.parameters?.flatMap(({ style, schema, example, ...rest }) =>
      style === undefined
        ? [{ ...rest, schema, ...(example !== undefined && { example }) }]
        : partsOf(rest.name, schema, example).map(
            part =>
              parameterObject(part.name, 'query', part.schema, {
                isDeep: false,
                example: part.example
              }) as Parameter
          )
    )
    for (const body of Object.values(operation.requestBody?.content ?? {}) as (Body & {
      encoding?: unknown
    })[]) {
      const name = nameIn(body.schema.$ref)
      schemas[name] = flatBody(objects[name] as Objects[string])
      delete body.encoding
      for (const example of Object.values(body.examples)) example.value = flatValue(example.value)
    }
  }
  return { ...document, paths, components: { ...document.components, schemas } }
}

/** What a value requires of the part of an object, with that part's own name. */
function flatConditions({ then: wanted, else: others }: Conditions): Json {
  if (wanted === undefined) return {}
  const [[name, { properties }]] = Object.entries(wanted.properties) as [
    [string, { properties: Properties }]
  ]
  const flat = Object.fromEntries(
    Object.entries(properties).map(([part, schema]) => [inBrackets(name, part), schema])
  )
  return {
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { required: Object.keys(flat), properties: flat, ...OTHERS },
    ...(others && { else: { ...others, ...flatConditions(others) } })
  }
}

const flatValue = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      typeof part === 'object'
        ? Object.entries(part as Json).map(([inner, value]) => [inBrackets(name, inner), value])
        : [[name, part]]
    )
  )

/**
 * Metadata as names in brackets. The indexes that generators write from `patternProperties` and
 * `additionalProperties` clash; they read past `then`.
 */
function openNames(names: readonly string[]): Json {
  const inner = 'metadata\\[[^\\[\\]]+\\]'
  return {
    propertyNames: {
      type: 'string',
      pattern: `^(?:${[...names.map(name => name.replaceAll(/[[\]]/g, '\\$&')), inner].join('|')})$`
    },
    additionalProperties: true,
    if: {},
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { patternProperties: { [`^${inner}$`]: { type: 'string' } }, ...OTHERS }
  }
}
