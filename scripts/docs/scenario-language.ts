/**
 * docs/reference/scenario-language.md: every name of a fixture and of a scenario, from the schema
 * that checks them.
 */
import type { Schema } from '../../src/reference/parameters.js'
import { fixtureSchema } from '../../src/scenario/shape/parts.js'
import { scenarioSchema, sharedScriptSchema } from '../../src/scenario/shape/scenario.js'
import { alternatives, code, page, table, typeName } from './markdown.js'
import { FIXTURE_NOTES, SCENARIO_NOTES, SECTION_NOTES } from './scenario-notes.js'

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

type Known = ReadonlyMap<string, string>
/** Names with a section of their own, and rows that the table before has, or this one above. */
type Around = {
  apart?: Readonly<Record<string, string>>
  before?: Known
  above?: Known
}

/** A name and those below it. What has a section of its own, or is a row already, is left out. */
function rows(name: string, schema: Part, isRequired: boolean, around: Around): Row[] {
  const last = name.split('.').at(-1) as string
  const section = around.apart?.[last]
  const needed = [schema.type].flat().includes('null')
    ? '**Required**, but may be null.'
    : '**Required.**'
  const inner = section ? null : objectOf(schema)
  const repeated = Object.entries(inner?.properties ?? {}).flatMap(([below, part]) =>
    isKnown(`${name}.${below}`, part as Part, around) ? [code(below)] : []
  )
  const about = [
    isRequired ? needed : '',
    schema.description,
    section ? `See [${last}](${section}).` : '',
    repeated.length > 0 ? `Takes ${alternatives(repeated).replace(' or ', ' and ')} as above.` : ''
  ]
    .filter(Boolean)
    .join(' ')
  const own = [code(name), valueName(schema), about]
  return [own, ...(inner ? rowsOf(inner, around, `${name}.`) : [])]
}

/** Whether the table before has the same row, or this one a level higher. */
function isKnown(path: string, schema: Part, { before, above }: Around): boolean {
  const text = JSON.stringify(schema)
  const higher = /^[^.]*\.(.*)/.exec(path)?.[1]
  return before?.get(path) === text || (higher !== undefined && above?.get(higher) === text)
}

const rowsOf = ({ properties = {}, required = [] }: Part, around: Around, under = ''): Row[] =>
  folded(Object.entries(properties))
    .filter(([name, schema]) => !isKnown(`${under}${name}`, schema as Part, around))
    .flatMap(([name, schema]) =>
      rows(`${under}${name}`, schema as Part, required.includes(name), around)
    )

/** The rows of an object, by their names. */
const knownOf = ({ properties = {} }: Part, under = ''): [string, string][] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const inner = objectOf(schema as Part)
    const below = inner ? knownOf(inner, `${under}${name}.`) : []
    return [[`${under}${name}`, JSON.stringify(schema)] as [string, string], ...below]
  })

/** A table, in which neighbours in one object that say the same share a row. */
function tableOf(rows: readonly Row[]): string {
  const all: Row[] = []
  const parentOf = ([name]: Row) => /^.*\./.exec((name as string).split(', ')[0] as string)?.[0]
  for (const row of rows) {
    const last = all.at(-1)
    const isAlike =
      last && parentOf(row) === parentOf(last) && last[1] === row[1] && last[2] === row[2]
    if (isAlike) all[all.length - 1] = [`${last[0]}, ${row[0]}`, ...row.slice(1)]
    else all.push(row)
  }
  return table(['name', 'value', 'about'], all)
}

/** Names that all take the same are one row: FAMILY for the families, NAME for others. */
const folded = (entries: [string, Schema][]): [string, Schema][] => {
  const [first] = entries
  const isSame = entries.length > 5 && entries.every(([, schema]) => schema === first?.[1])
  if (!isSame) return entries
  const name = first?.[0] === 'accounts' ? 'FAMILY' : 'NAME'
  const all = entries.map(([name]) => code(name)).join(', ')
  return [[name, { ...first?.[1], description: `${name} is one of ${all}.` }]]
}

const APART = { match: '#match', settings: 'settings.md', data: '#fixtures' }

/** What a record of a fixture must have, and what it may have. */
function fixtureRow(name: string, record: Part): Row {
  const required: string[] = []
  const optional: string[] = []
  const walk = ({ properties = {}, required: needed = [] }: Part, under: string) => {
    for (const [field, schema] of Object.entries(properties) as [string, Part][]) {
      const path = `${under}${field}`
      const inner = needed.includes(field) ? objectOf(schema) : null
      const mark = [schema.type].flat().includes('null') && needed.includes(field) ? '*' : ''
      if (inner) walk(inner, `${path}.`)
      else (needed.includes(field) ? required : optional).push(`${code(path)}${mark}`)
    }
  }
  walk(record, '')
  return [code(name), required.join(', '), optional.join(', ') || 'none']
}

const noted = (name: string) => (SECTION_NOTES[name] ? [SECTION_NOTES[name]] : [])

/** The page. */
export function scenarioLanguagePage(): string {
  const scenario = scenarioSchema() as Part
  const top = Object.entries(scenario.properties as Record<string, Part>)
  const lists = top.filter(([name, schema]) => !(name in APART) && schema.items && objectOf(schema))
  const sections = Object.fromEntries(lists.map(([name]) => [name, `#${name}`]))
  const objects = Object.fromEntries(lists.map(([name, list]) => [name, objectOf(list) as Part]))
  const matched = objects.script?.properties?.match as Part
  const listSection = (name: string) => {
    const own = objects[name] as Part
    const before = new Map(name === 'play' ? knownOf(objects.steps as Part) : [])
    const shared = Object.entries(own.properties ?? {}).flatMap(([field, schema]) =>
      isKnown(field, schema as Part, { before }) ? [code(field)] : []
    )
    return [
      ...(shared.length > 0 ? [`${shared.join(', ')} are those of [steps](#steps).`] : []),
      tableOf(rowsOf(own, { apart: APART, before, above: new Map(knownOf(own)) }))
    ]
  }
  return page(
    'Scenario language',
    INTRODUCTION,
    '## A scenario',
    tableOf(
      top.flatMap(([name, schema]) =>
        rows(name, schema, false, { apart: { ...APART, ...sections } })
      )
    ),
    SCENARIO_NOTES,
    ...lists.flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description as string,
      ...listSection(name),
      ...noted(name)
    ]),
    '## match',
    matched.description as string,
    tableOf(rowsOf(matched, {})),
    ...noted('match'),
    '## Shared script entries',
    'A file of script entries that scenarios share by `use`. An entry of a group is written like one of [script](#script).',
    tableOf(rowsOf(sharedScriptSchema() as Part, {})),
    '## Fixtures',
    FIXTURE_NOTES,
    table(
      ['list', 'required', 'optional'],
      Object.entries(fixtureSchema().properties as Record<string, Part>).map(([name, list]) =>
        fixtureRow(name, objectOf(list) as Part)
      )
    )
  )
}
