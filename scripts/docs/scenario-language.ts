/**
 * docs/reference/scenario-language.md: every name of a fixture and of a scenario, from the schema
 * that checks them.
 */
import type { Schema } from '../../src/reference/parameters.js'
import { fixtureSchema, scenarioSchema, sharedScriptSchema } from '../../src/scenario/schemas.js'
import { code, page, table, typeName } from './markdown.js'

const INTRODUCTION = `Every name that a scenario and a fixture may have, from the schema that checks them. How to write them, by task: [scenarios](../scenarios.md). For editors, the same as JSON Schema: [scenario.json](../schema/scenario.json), [fixture.json](../schema/fixture.json), [script.json](../schema/script.json); the first line of a document names its schema:

\`\`\`yaml
# yaml-language-server: $schema=https://…/scenario.json
\`\`\``

type Part = Schema & { if?: Schema; then?: Schema; else?: Schema }
type Row = readonly string[]

/** The parts that a value has where it is an object, or the members of a list have. */
const objectOf = (schema: Part): Part | null => {
  for (const one of [
    schema,
    schema.then,
    schema.items,
    schema.items && (schema.items as Part).then
  ])
    if (one?.properties) return one as Part
  return null
}

function valueName(schema: Part): string {
  if (schema.if)
    return `${valueName(schema.else as Part)}, or ${valueName({ ...schema.then, enum: undefined } as Part)}`
  if (schema.enum && schema.enum.length > 8) return 'an operation'
  if (
    schema.items &&
    (schema.items as Part).enum &&
    ((schema.items as Part).enum as unknown[]).length > 8
  )
    return 'list of operations'
  if (schema.type === 'array' && schema.items?.type === 'object') return 'list'
  return typeName(schema)
}

/** A name and those below it. What has a section of its own is not gone into. */
function rows(
  name: string,
  schema: Part,
  isRequired: boolean,
  apart: Readonly<Record<string, string>>
): Row[] {
  const last = name.split('.').at(-1) as string
  const section = apart[last]
  const needed = [schema.type].flat().includes('null')
    ? '**Required**, but may be null.'
    : '**Required.**'
  const about = [
    isRequired ? needed : '',
    schema.description,
    section ? `See [${last}](${section}).` : ''
  ]
    .filter(Boolean)
    .join(' ')
  const own = [code(name), valueName(schema), about]
  const inner = section ? null : objectOf(schema)
  return [own, ...(inner ? rowsOf(inner, apart, `${name}.`) : [])]
}

const rowsOf = (
  { properties = {}, required = [] }: Part,
  apart: Readonly<Record<string, string>>,
  under = ''
): Row[] =>
  folded(Object.entries(properties)).flatMap(([name, schema]) =>
    rows(`${under}${name}`, schema as Part, required.includes(name), apart)
  )

/** Names that all take the same: the families are one row. */
const folded = (entries: [string, Schema][]): [string, Schema][] => {
  const [first] = entries
  const isSame = entries.length > 5 && entries.every(([, schema]) => schema === first?.[1])
  return isSame
    ? [
        [
          'FAMILY',
          {
            ...first?.[1],
            description: `FAMILY is ${entries.map(([name]) => code(name)).join(', ')}.`
          }
        ]
      ]
    : entries
}

const HEAD = ['name', 'value', 'about']
const APART = { match: '#match', settings: 'settings.md', data: '#fixtures' }

/** The page. */
export function scenarioLanguagePage(): string {
  const scenario = scenarioSchema() as Part
  const top = Object.entries(scenario.properties as Record<string, Part>)
  const lists = top.filter(([name, schema]) => !(name in APART) && schema.items && objectOf(schema))
  const sections = Object.fromEntries(lists.map(([name]) => [name, `#${name}`]))
  const { properties: entry } = objectOf(scenario.properties?.script as Part) as Part
  const matched = entry?.match as Part
  const fixture = Object.entries(fixtureSchema().properties as Record<string, Part>)
  return page(
    'Scenario language',
    INTRODUCTION,
    '## A scenario',
    table(
      HEAD,
      top.flatMap(([name, schema]) => rows(name, schema, false, { ...APART, ...sections }))
    ),
    ...lists.flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description as string,
      table(HEAD, rowsOf(objectOf(schema) as Part, APART))
    ]),
    '## match',
    matched.description as string,
    table(HEAD, rowsOf(matched, {})),
    '## Shared script entries',
    'A file of script entries that scenarios share by `use`. An entry of a group is written like one of [script](#script).',
    table(HEAD, rowsOf(sharedScriptSchema() as Part, {})),
    '## Fixtures',
    'Records under the names that the API returns. What is left out is filled in: `id` is drawn from the seed, `created` is now, optional fields are null. `data` of a scenario takes the same names.',
    ...fixture.flatMap(([name, schema]) => [
      `### ${name}`,
      schema.description as string,
      table(HEAD, rowsOf(objectOf(schema) as Part, {}))
    ])
  )
}
