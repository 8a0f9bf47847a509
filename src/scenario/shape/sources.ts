/** Reads, expands and checks the shape of a scenario and of the groups and fixtures that it uses. */
import { ApiError } from '../../core/errors.js'
import { type PlacedProblem, problemAt, type Step } from '../../core/places.js'
import { isObject } from '../../core/schema-words.js'
import {
  type DocumentProblem,
  documentOf,
  type ProblemList,
  type Report,
  reportBy,
  reportTo,
  type SourceOf,
  sourceIn,
  within
} from '../documents.js'
import type { Library } from '../library.js'
import type { DocumentKind, SourceDocument } from '../read/document.js'
import { withNumbers } from '../read/numbers.js'
import { type Fixture, fixtureIn, SECTIONS } from '../records/fixture.js'
import {
  type Group,
  isSharedScript,
  partsOfUse,
  readSharedScript,
  type SharedScript
} from '../script/shared-script.js'
import { say } from '../sentences.js'
import { FIXTURE_CHECKER } from './parts.js'
import {
  SCENARIO_CHECKER,
  type ScenarioData,
  type SharedParts,
  scenarioSchema
} from './scenario.js'
import { checkGiven, type Expanded, expandVariables, type GivenVariables } from './variables.js'

export const SCENARIO_NAMES = Object.keys(scenarioSchema().properties)

export function isBareFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data) : []
  return (
    names.some(name => SECTIONS.some(section => section === name)) &&
    !names.some(name => SCENARIO_NAMES.includes(name))
  )
}

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const

export const problemsOfShape = (kind: DocumentKind, data: unknown): readonly PlacedProblem[] =>
  data === null ? [problemAt([], say('empty_document', kind))] : CHECKERS[kind].problems(data)

export const shapeProblems = (
  document: SourceDocument,
  kind: DocumentKind,
  data = document.data
): readonly PlacedProblem[] =>
  document.checkedAs === kind && data === document.data
    ? []
    : withNumbers(document, data, problemsOfShape(kind, data))

export type Lists = {
  documents: SourceDocument[]
  problems: ProblemList
  warnings: DocumentProblem[]
}
export type Parts = Lists & {
  document: SourceDocument
  data: ScenarioData
  sourceOf: SourceOf
  report: Report
  warn: Report
  /** What it refers to may be elsewhere. */
  isOpen?: boolean
}
export type Used = Parts & { fixtures: readonly Fixture[] }
type From = { file: string | null; library: Library; variables: GivenVariables | undefined }

export const partsOf = (document: SourceDocument, data: ScenarioData, lists: Lists): Parts => ({
  ...lists,
  document,
  data,
  sourceOf: sourceIn(document),
  report: reportTo(lists.problems, document),
  warn: reportTo(lists.warnings, document)
})

export async function checkShape(
  document: SourceDocument,
  lists: Lists,
  from: From
): Promise<Used> {
  const alone = { ...partsOf(document, {}, lists), fixtures: [] }
  if (isSharedScript(document.data)) {
    alone.report([], say('shared_alone'))
    return alone
  }
  if (isBareFixture(document.data)) {
    if (from.variables !== undefined) checkGiven(from.variables, [], within(alone.report, 'vars'))
    return { ...alone, fixtures: checkedFixture(document, lists) }
  }
  const read = readScenario(document, alone.report, from.variables)
  const parts = partsOf(document, isObject(read.data) ? read.data : {}, lists)
  const groups = await usedGroups(parts, read, from)
  const fixtures = await usedFixtures(parts, from)
  if (lists.problems.length > 0) return alone
  const ownData = [...groups, parts].map(ownFixture)
  return { ...withGroups(parts, groups), fixtures: [...fixtures, ...ownData] }
}

export function ownFixture({ data, sourceOf }: Group): Fixture {
  const { document, steps } = sourceOf(['data'])
  return fixtureIn(document, data.data ?? {}, steps)
}

const readScenario = (
  document: SourceDocument,
  report: Report,
  variables: GivenVariables | undefined
): Expanded =>
  expandVariables(document.data, data => shapeProblems(document, 'scenario', data), {
    overrides: variables === undefined ? [] : [variables],
    report
  })

function checkedFixture(document: SourceDocument, lists: Lists): Fixture[] {
  const problems = shapeProblems(document, 'fixture')
  for (const problem of problems) lists.problems.push({ document, ...problem })
  const isRight = problems.length === 0
  return isRight && isObject(document.data) ? [fixtureIn(document, document.data)] : []
}

function namedIn(name: 'use' | 'fixtures', list: unknown): Map<string, Step[][]> {
  const places = new Map<string, Step[][]>()
  for (const [index, reference] of Array.isArray(list) ? list.entries() : [])
    if (typeof reference === 'string')
      places.set(reference, [...(places.get(reference) ?? []), [name, index]])
  return places
}

/** Null, with the problems reported, if it cannot be read. */
async function readable(
  { documents, problems, report }: Parts,
  places: readonly Step[][],
  reading: Promise<SourceDocument>
): Promise<SourceDocument | null> {
  try {
    const source = await reading
    documents.push(source)
    return source
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, code, message } of error.problems) {
      if (file === undefined) for (const place of places) report(place, { code, message })
      else {
        const document = documentOf(file, null, undefined, { line, column })
        documents.push(document)
        problems.push({ document, steps: [], code, message })
      }
    }
    return null
  }
}

type Use = { reference: string; places: Step[][] } & ReturnType<typeof partsOfUse>

async function usedFiles(
  parts: Parts,
  uses: readonly Use[],
  options: Parameters<typeof readSharedScript>[2],
  { file, library }: From
): Promise<Map<string, SharedScript | null>> {
  const files = new Map<string, SharedScript | null>()
  for (const name of new Set(uses.map(use => use.file))) {
    const ofFile = uses.filter(use => use.file === name)
    const places = ofFile.flatMap(use => use.places)
    const source = await readable(parts, places, library.sharedScript(name, file))
    const groups = ofFile.flatMap(({ group }) => group ?? [])
    files.set(name, source && readSharedScript(source, groups, options))
  }
  return files
}

async function usedGroups(parts: Parts, expanded: Expanded, from: From): Promise<Group[]> {
  const { data, problems, report } = parts
  const values = Object.fromEntries([...expanded.variables].filter(([, value]) => value !== null))
  const inherited = { values, isText: false }
  const overrides = from.variables === undefined ? [inherited] : [inherited, from.variables]
  const uses = Array.from(
    namedIn('use', data.use),
    ([reference, places]): Use => ({ reference, places, ...partsOfUse(reference) })
  )
  const options = { overrides, problems, reportGiven: within(report, 'vars') }
  const files = await usedFiles(parts, uses, options, from)
  const groups = uses.flatMap(({ reference, places, file, group: name }) => {
    const shared = files.get(file)
    if (!shared) return []
    const group = shared.groups.get(name ?? '')
    for (const [nth, place] of places.entries()) {
      if (name === null) report(place, say('no_group', file, shared.names[0]))
      else if (group === undefined) report(place, say('unknown_group', name, shared.names))
      else if (nth > 0) report(place, say('listed_twice', reference))
    }
    return group ?? []
  })
  const read = [...files.values()].flatMap(shared => shared ?? [])
  const declared = read.flatMap(shared => shared.variables)
  if (read.length === files.size) checkVariables(parts, expanded, from.variables, declared)
  return groups
}

function checkVariables(
  { report, warn }: Parts,
  { variables, used }: Expanded,
  assigned: GivenVariables | undefined,
  declared: readonly string[]
): void {
  if (assigned !== undefined)
    checkGiven(assigned, [...new Set([...variables.keys(), ...declared])], within(report, 'vars'))
  for (const name of variables.keys())
    if (!used.has(name) && !declared.includes(name))
      warn(['vars', name], say('unused_variable', name))
}

/** Lists that groups add to; in those of FIRST the scenario's own items come first. */
const JOINED = ['generate', 'script', 'steps', 'play', 'expect'] as const
const FIRST: readonly string[] = ['script', 'expect']

export function withGroups(parts: Parts, groups: readonly Group[]): Parts {
  if (groups.length === 0) return parts
  const sources = new Map<Step | undefined, { sourceOf: SourceOf; index: number }[]>()
  const data: SharedParts = { ...parts.data }
  for (const name of JOINED) {
    const all: Group[] = FIRST.includes(name) ? [parts, ...groups] : [...groups, parts]
    const members = all.flatMap(({ data, sourceOf }) => {
      const list: readonly unknown[] = data[name] ?? []
      return list.map((member, index) => ({ member, sourceOf, index }))
    })
    Object.assign(data, { [name]: members.map(({ member }) => member) })
    sources.set(name, members)
  }
  const sourceOf: SourceOf = steps => {
    const [name, index, ...more] = steps
    const source = typeof index === 'number' ? sources.get(name)?.[index] : undefined
    return source === undefined
      ? parts.sourceOf(steps)
      : source.sourceOf([...steps.slice(0, 1), source.index, ...more])
  }
  const { problems, warnings } = parts
  return {
    ...parts,
    data,
    sourceOf,
    report: reportBy(problems, sourceOf),
    warn: reportBy(warnings, sourceOf)
  }
}

async function usedFixtures(parts: Parts, { file, library }: From): Promise<Fixture[]> {
  const known = new Map<unknown, Fixture[]>()
  for (const [reference, places] of namedIn('fixtures', parts.data.fixtures)) {
    const source = await readable(parts, places, library.fixture(reference, file))
    known.set(reference, source === null ? [] : checkedFixture(source, parts))
  }
  const { fixtures = [] } = parts.data
  return Array.isArray(fixtures) ? fixtures.flatMap(reference => known.get(reference) ?? []) : []
}
