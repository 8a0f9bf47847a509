/** The OpenAPI document for generators that do not know `deepObject`: each nested parameter is one of its own, named in brackets as it is sent. */
import { FORM_TYPE, inBrackets } from '../core/form.js'
import { parameterObject } from './openapi.js'
import type { Json } from './openapi-schemas.js'

type Schemas = Readonly<Record<string, Json>>
type Parameter = { name: string; style?: string; schema: Json; example?: Json }
type Body = { content: { [FORM_TYPE]: { schema: Json; encoding?: Json; examples: Record<string, { value: Json }> } } }
type Operation = { parameters?: Parameter[]; requestBody?: Body }
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Schemas } }

/** The same document with, for example, `address[country]` in place of `country` inside `address`. */
export function flatDocument(document: Json): Json {
  const { paths, components } = document as Document
  const { schemas } = components
  const bodies = new Set<string>()
  const operations = Object.entries(paths).map(([path, methods]) => [path, mapped(methods, operation => flatOperation(operation, schemas, bodies))])
  const flat = { ...document, paths: Object.fromEntries(operations) }
  const written = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bodies.has(name) ? flatBody(schema, schemas) : schema]))
  const text = JSON.stringify([flat.paths, written])
  const used = Object.entries(written).filter(([name]) => text.includes(JSON.stringify(pathOf(name))))
  return { ...flat, components: { ...components, schemas: Object.fromEntries(used) } }
}

const mapped = <T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

const SCHEMAS = '#/components/schemas/'
const pathOf = (name: string) => SCHEMAS + name
/** The name of the component that a schema refers to; undefined for one that refers to none. */
const nameIn = ({ $ref }: Json) => (typeof $ref === 'string' ? $ref.slice(SCHEMAS.length) : undefined)

function flatOperation({ parameters, requestBody, ...operation }: Operation, schemas: Schemas, bodies: Set<string>): Json {
  return {
    ...operation,
    ...(parameters && { parameters: parameters.flatMap(parameter => flatParameter(parameter, schemas)) }),
    ...(requestBody && { requestBody: flatRequest(requestBody, bodies) })
  }
}

function flatParameter(parameter: Parameter, schemas: Schemas): Json[] {
  if (parameter.style === undefined) return [parameter]
  const component = schemas[nameIn(parameter.schema) as string] as { properties: Schemas }
  return Object.entries(component.properties).map(([part, schema]) =>
    parameterObject(inBrackets(parameter.name, part), { place: 'query', schema, example: parameter.example?.[part] })
  )
}

function flatRequest(body: Body, bodies: Set<string>): Json {
  const { schema, examples } = body.content[FORM_TYPE]
  bodies.add(nameIn(schema) as string)
  const flatExamples = mapped(examples, example => ({ ...example, value: flatValue(example.value) }))
  return { ...body, content: { [FORM_TYPE]: { schema, examples: flatExamples } } }
}

function flatValue(value: Json): Json {
  const pairs = Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'object' ? Object.entries(part as Json).map(([inner, value]) => [inBrackets(name, inner), value]) : [[name, part]]
  )
  return Object.fromEntries(pairs)
}

function flatBody(body: Json, schemas: Schemas): Json {
  const required: string[] = []
  const properties: Record<string, unknown> = {}
  let open: Json = {}
  const requiredOf = (schema: Json | undefined) => (schema?.required ?? []) as string[]
  for (const [name, property] of Object.entries(body.properties as Schemas)) {
    const isRequired = requiredOf(body).includes(name)
    const component = schemas[nameIn(property) ?? '']
    if (component === undefined) {
      properties[name] = property
      if (isRequired) required.push(name)
    } else if (component.properties) {
      for (const [part, schema] of Object.entries(component.properties)) properties[inBrackets(name, part)] = schema
      if (isRequired) required.push(...requiredOf(component).map(part => inBrackets(name, part)))
    } else {
      // an update may also send `metadata=`, which unsets all keys (META-3)
      if (property.description) properties[name] = { type: 'string', maxLength: 0, description: property.description }
      open = openNames(name, component, Object.keys(properties))
    }
  }
  return { ...body, ...(required.length > 0 && { required }), properties, ...open }
}

/** Adds the names in brackets of a body's last parameter to its names. Generators that do not know `patternProperties` see that further names may be sent. */
function openNames(name: string, { propertyNames, additionalProperties, type, ...notes }: Json, names: readonly string[]): Json {
  const inner = `${name}\\[[^\\[\\]]+\\]`
  return {
    patternProperties: { [`^${inner}$`]: { ...(additionalProperties as Json), ...notes } },
    propertyNames: { type: 'string', pattern: `^(?:${[...names.map(escaped), inner].join('|')})$` },
    additionalProperties: true
  }
}

const escaped = (name: string) => name.replaceAll(/[[\]]/g, '\\$&')
