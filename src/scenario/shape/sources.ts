/** Reads the groups and fixtures that a scenario uses, and checks the shape of all. */
import { ApiError } from '../../core/errors.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../reference/rules.js'
import {
  type DocumentPart,
  documentOf,
  type Located,
  type Problems,
  type Report,
  reportTo,
  type SourceOf,
  within,
  withoutProblems
} from '../documents.js'
import type { Library } from '../library.js'
import { type Fixture, fixtureIn } from '../records/fixture.js'
import { say } from '../sentences.js'
import { isList } from './checked.js'
import type { EntryData } from './entry.js'
import { kindOf, type ScenarioData, shapeProblems } from './scenario.js'
import {
  checkGiven,
  expandVariables,
  type GivenVariables,
  type VariableOptions,
  type Variables
} from './variables.js'

/** A scenario whose shape is right, with all that it uses. */
export type Checked = {
  document: Located
  data: ScenarioData
  /** Those of other documents, then its own data. */
  fixtures: readonly Fixture[]
  /** Of entries of groups, where they are written. */
  sourceOf: SourceOf
}
/** While its meaning is checked. */
export type Used = Checked & {
  problems: Problems
  warnings: Problems
  report: Report
  warn: Report
}
type From = { file: string | null; library: Library; variables?: GivenVariables | undefined }
type Gate = From & { problems: Problems; report: Report }
type Groups = Readonly<Record<string, readonly EntryData[]>>
type PlacedEntry = DocumentPart & { entry: EntryData }

/** Of a scenario or bare fixture, and all that it uses. Errors: `document_invalid`. */
export const checkShape = (document: Located, from: From): Promise<Checked> =>
  withoutProblems(async problems => {
    const gate = { ...from, problems, report: reportTo(problems, document) }
    const { data, entries, sources } = await readUsed(document, gate)
    for (const source of sources)
      for (const problem of shapeProblems(source, 'fixture'))
        problems.push({ ...problem, document: source })
    if (problems.length > 0) throw problems
    const { data: records = {}, script = [] } = data
    const fixtures = sources.map(source => fixtureIn(source, Object(source.data)))
    return {
      document,
      data: { ...data, script: [...script, ...entries.map(({ entry }) => entry)] },
      fixtures: [...fixtures, fixtureIn(document, records, ['data'])],
      sourceOf: steps => {
        const [name, index, ...more] = steps
        const used = name === 'script' ? entries[Number(index) - script.length] : undefined
        return used
          ? { document: used.document, steps: [...used.steps, ...more] }
          : { document, steps }
      }
    }
  })

async function readUsed(document: Located, gate: Gate) {
  const { variables: assigned, library, file, problems, report } = gate
  const kind = kindOf(document.data)
  if (kind === 'script') report([], say('shared_alone'))
  if (kind === 'fixture') checkGiven(assigned, [], within(report, 'vars'))
  if (kind !== 'scenario')
    return { data: {}, entries: [], sources: kind === 'script' ? [] : [document] }
  const { data: expanded, variables } = expandVariables(document, kind, {
    overrides: [assigned],
    report
  })
  const data: ScenarioData = isObject(expanded) ? expanded : {}
  const entries = await usedEntries(data, variables, gate)
  const sources: Located[] = []
  for (const [place, name] of namesUnder('fixtures', data)) {
    const source = await readable(library.fixture(name, file), problems, within(report, ...place))
    if (source) sources.push(source)
  }
  return { data, entries, sources }
}

function namesUnder(list: 'use' | 'fixtures', { [list]: names }: ScenarioData) {
  const all: readonly unknown[] = isList(names) ? names : []
  return all.flatMap((name, index): [Step[], string][] =>
    typeof name === 'string' ? [[[list, index], name]] : []
  )
}

/** Null, with the problems reported, if it cannot be read. */
const readable = (reading: Promise<Located>, problems: Problems, report: Report) =>
  reading.catch(error => {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, ...problem } of error.problems)
      if (file === undefined) report([], problem)
      else {
        const document = documentOf(file, null, { line, column })
        problems.push({ ...problem, document, steps: [] })
      }
    return null
  })

async function usedEntries(
  data: ScenarioData,
  variables: Variables,
  { variables: assigned, library, file: from, problems, report }: Gate
): Promise<PlacedEntry[]> {
  const values = Object.fromEntries([...variables].filter(([, value]) => value !== null))
  const overrides = [{ values, isText: false }, assigned]
  const reportGiven = within(report, 'vars')
  const groups = new Map<string, PlacedEntry[]>()
  const files = new Map<string, Located>()
  const declared = new Set(variables.keys())
  let areAllRead = true
  for (const [place, reference] of namesUnder('use', data)) {
    const note = within(report, ...place)
    const [file = '', group] = reference.split(/#(?=[^#]*$)/)
    if (file === '' || group === undefined) {
      note([], say('not_a_group'))
      continue
    }
    const source =
      files.get(file) ?? (await readable(library.sharedScript(file, from), problems, note))
    areAllRead &&= source !== null
    if (source === null) continue
    files.set(file, source)
    const name = `${source.name}#${group}`
    const options = { overrides, report: reportTo(problems, source), reportGiven }
    const { names, ...shared } = groupsIn(source, options, group)
    for (const name of shared.variables.keys()) declared.add(name)
    if (!names.includes(group)) note([], say('unknown_group', group, names))
    else if (groups.has(name)) note([], say('listed_twice', reference))
    else groups.set(name, entriesIn(source, group, shared.groups[group]))
  }
  if (areAllRead) checkGiven(assigned, [...declared], reportGiven)
  return [...groups.values()].flat()
}

const GROUP_NAME = /^[A-Za-z0-9_][\w.-]*$/

/** Of a shared file, all or one. */
export function groupsIn(document: Located, options: VariableOptions, group?: string) {
  const { groups: all, ...more } = document.data as { groups: unknown }
  const named = Object.entries(isObject(all) ? all : {})
  const wanted = named.filter(([name]) => group === undefined || name === group)
  const part = { ...more, groups: isObject(all) ? Object.fromEntries(wanted) : all }
  const { data, variables } = expandVariables({ ...document, data: part }, 'script', options)
  for (const [name] of wanted)
    if (!GROUP_NAME.test(name)) options.report(['groups', name], say('group_name'))
  const { groups } = data as { groups: Groups }
  return { groups, names: named.map(([name]) => name), variables }
}

const entriesIn = (
  document: Located,
  group: string,
  entries: Groups[string] | undefined
): PlacedEntry[] =>
  (isList(entries) ? entries : []).map((entry, index) => ({
    entry,
    document,
    steps: ['groups', group, index]
  }))
