/** What can be written at a place of a YAML document, by its JSON Schema. */

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

/**
 * A line that begins with a name, after any dashes of lists: what stands before it, and the name.
 */
const NAMED = /^(\s*(?:- +)*)([\w.${}-]+):/
/** A line up to the cursor: what stands before it, a name with its colon, and what is begun. */
const BEGUN = /^(\s*(?:- +)*)(?:([\w.-]+): +)?(\S*)$/

/**
 * The schemas that a schema stands for: references followed, alternatives apart, lists as their
 * items.
 */
function meant(schema: Schema | boolean | undefined, root: Schema, depth = 0): Schema[] {
  if (typeof schema !== 'object' || depth > 12) return []
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '')
    return meant(root.$defs?.[name], root, depth + 1)
  }
  const parts = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : [])
  ]
  return [schema, ...parts.flatMap(part => meant(part, root, depth + 1))]
}

function pathTo(lines: readonly string[], at: number, indent: number): string[] {
  const path: string[] = []
  let inner = indent
  for (let place = at - 1; place >= 0 && inner > 0; place--) {
    const [, before = '', name = ''] = NAMED.exec(lines[place] as string) ?? []
    if (name === '' || before.length >= inner) continue
    path.unshift(name)
    inner = before.length
  }
  return path
}

const within = (schemas: readonly Schema[], name: string, root: Schema): Schema[] =>
  schemas.flatMap(({ properties, additionalProperties }) =>
    meant(properties?.[name] ?? additionalProperties, root)
  )

const valuesOf = (schemas: readonly Schema[]): Option[] => {
  const values = schemas.flatMap(({ enum: words = [], const: one = [], type }) =>
    [words, one, type === 'boolean' ? [true, false] : []].flat()
  )
  return [...new Set(values.map(String))].map(label => ({ label, apply: label }))
}

export function completions(
  root: Schema,
  text: string,
  offset: number
): { from: number; options: Option[] } {
  const lines = text.slice(0, offset).split('\n')
  const at = lines.length - 1
  const [, before, name, begun = ''] = BEGUN.exec(lines[at] as string) ?? []
  if (before === undefined) return { from: offset, options: [] }
  const path = pathTo(lines, at, before.length)
  const schemas = [...path, ...(name === undefined ? [] : [name])].reduce(
    (schemas, name) => within(schemas, name, root),
    meant(root, root)
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
