/** Completions for a YAML document, by its JSON Schema. */

export type Schema = {
  $ref?: string
  $defs?: Readonly<Record<string, Schema>>
  description?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
}
type Option = { label: string; info?: string | undefined; apply: string }

/** A line that begins with a name: its indent and dashes, and the name. */
const NAMED = /^(\s*(?:- +)*)([\w.${}-]+):/
/** A line up to the cursor: its indent and dashes, a name with a colon, and what is begun. */
const BEGUN = /^(\s*(?:- +)*)(?:([\w.-]+): +)?(\S*)$/

/** A schema, what it refers to, its alternatives and the items of its lists. */
function expandSchema(schema: Schema | boolean | undefined, root: Schema, depth = 0): Schema[] {
  if (typeof schema !== 'object' || depth > 12) return []
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '')
    return expandSchema(root.$defs?.[name], root, depth + 1)
  }
  const parts = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : [])
  ]
  return [schema, ...parts.flatMap(part => expandSchema(part, root, depth + 1))]
}

/** `above` are the lines before, the nearest first. */
function pathTo(above: readonly string[], indent: number): string[] {
  const path: string[] = []
  let inner = indent
  for (const line of above) {
    const [, before = '', name = ''] = NAMED.exec(line) ?? []
    if (name === '' || before.length >= inner) continue
    path.unshift(name)
    inner = before.length
  }
  return path
}

const within = (schemas: readonly Schema[], name: string, root: Schema): Schema[] =>
  schemas.flatMap(({ properties, additionalProperties }) =>
    expandSchema(properties?.[name] ?? additionalProperties, root)
  )

const valuesOf = (schemas: readonly Schema[]): Option[] => {
  const values = schemas.flatMap(({ enum: words = [], const: constant = [], type }) =>
    [words, constant, type === 'boolean' ? [true, false] : []].flat()
  )
  return [...new Set(values.map(String))].map(label => ({ label, apply: label }))
}

export function completions(
  root: Schema,
  text: string,
  offset: number
): { from: number; options: Option[] } {
  const [line = '', ...above] = text.slice(0, offset).split('\n').reverse()
  const [, before, name, begun = ''] = BEGUN.exec(line) ?? []
  if (before === undefined) return { from: offset, options: [] }
  const path = pathTo(above, before.length)
  const schemas = [...path, ...(name === undefined ? [] : [name])].reduce(
    (schemas, name) => within(schemas, name, root),
    expandSchema(root, root)
  )
  const names = new Map(schemas.flatMap(({ properties = {} }) => Object.entries(properties)))
  const options = [...names].map(
    ([label, { description: info }]): Option => ({ label, info, apply: `${label}: ` })
  )
  const isValue = name !== undefined || before.includes('-')
  return {
    from: offset - begun.length,
    options: [...(name === undefined ? options : []), ...(isValue ? valuesOf(schemas) : [])]
  }
}
