/** Reads, expands and checks the shape of a scenario and of the groups and fixtures that it uses. */
import { ApiError } from '../../core/errors.js'
import type { Step } from '../../core/places.js'
import { isObject } from '../../reference/rules.js'
import {
  type DocumentPart,
  type DocumentProblem,
  documentOf,
  type ProblemList,
  type Report,
  reportBy,
  type SourceOf,
  sourceIn,
  within
} from '../documents.js'
import type { Library } from '../library.js'
import type { SourceDocument } from '../read/document.js'
import { type Fixture, fixtureIn } from '../records/fixture.js'
import {
  type Group,
  isSharedScript,
  partsOfUse,
  readSharedScript
} from '../script/shared-script.js'
import { say } from '../sentences.js'
import { isBareFixture, type ScenarioData, type SharedParts, shapeProblems } from './scenario.js'
import { checkGiven, type Expanded, expandVariables, type GivenVariables } from './variables.js'

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
type From = { file: string | null; library: Library; variables?: GivenVariables | undefined }

export const partsOf = (
  document: SourceDocument,
  data: ScenarioData,
  { documents, problems, warnings }: Lists,
  sourceOf = sourceIn(document)
): Parts => ({
  documents,
  problems,
  warnings,
  document,
  data,
  sourceOf,
  report: reportBy(problems, sourceOf),
  warn: reportBy(warnings, sourceOf)
})

/** Of a document and all that it uses. */
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
    checkGiven(from.variables, [], within(alone.report, 'vars'))
    return { ...alone, fixtures: checkedFixture(document, lists) }
  }
  const read = expandVariables(document.data, data => shapeProblems(document, 'scenario', data), {
    overrides: [from.variables],
    report: alone.report
  })
  const parts = partsOf(document, isObject(read.data) ? read.data : {}, lists)
  const groups = await usedGroups(parts, read, from)
  const fixtures: Fixture[] = []
  for (const [place, name] of namesUnder('fixtures', parts.data)) {
    const source = await readable(parts, place, from.library.fixture(name, from.file))
    if (source !== null) fixtures.push(...checkedFixture(source, lists))
  }
  if (lists.problems.length > 0) return alone
  const ownData = [...groups, parts].map(ownFixture)
  return { ...withGroups(parts, groups), fixtures: [...fixtures, ...ownData] }
}

export function ownFixture({ data, sourceOf }: Group): Fixture {
  const { document, steps } = sourceOf(['data'])
  return fixtureIn(document, data.data ?? {}, steps)
}

function checkedFixture(document: SourceDocument, lists: Lists): Fixture[] {
  const problems = shapeProblems(document, 'fixture')
  lists.problems.push(...problems.map(problem => ({ document, ...problem })))
  const isRight = problems.length === 0
  return isRight && isObject(document.data) ? [fixtureIn(document, document.data)] : []
}

function namesUnder(list: 'use' | 'fixtures', { [list]: names }: ScenarioData) {
  const all: readonly unknown[] = Array.isArray(names) ? names : []
  return all.flatMap((name, index): [Step[], string][] =>
    typeof name === 'string' ? [[[list, index], name]] : []
  )
}

/** Null, with the problems reported, if it cannot be read. */
async function readable(
  { documents, problems, report }: Parts,
  place: readonly Step[],
  reading: Promise<SourceDocument>
): Promise<SourceDocument | null> {
  try {
    const source = await reading
    documents.push(source)
    return source
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, ...problem } of error.problems) {
      if (file === undefined) report(place, problem)
      else {
        const document = documentOf(file, null, { line, column })
        documents.push(document)
        problems.push({ ...problem, document, steps: [] })
      }
    }
    return null
  }
}

async function usedGroups(
  parts: Parts,
  { variables, used }: Expanded,
  { variables: assigned, file: from, library }: From
): Promise<Group[]> {
  const { data, problems, report, warn } = parts
  const values = Object.fromEntries([...variables].filter(([, value]) => value !== null))
  const overrides = [{ values, isText: false }, assigned]
  const options = { overrides, problems, reportGiven: within(report, 'vars') }
  const groups = new Map<string, Group>()
  const declared: string[] = []
  let areAllRead = true
  for (const [place, reference] of namesUnder('use', data)) {
    const { file, group: name } = partsOfUse(reference)
    const source = await readable(parts, place, library.sharedScript(file, from))
    areAllRead &&= source !== null
    if (source === null) continue
    const shared = readSharedScript(source, group => group === name, options)
    declared.push(...shared.variables)
    const group = shared.groups.get(name ?? '')
    if (name === null) report(place, say('no_group', file, shared.names[0]))
    else if (group === undefined) report(place, say('unknown_group', name, shared.names))
    else if (groups.has(reference)) report(place, say('listed_twice', reference))
    else groups.set(reference, group)
  }
  if (!areAllRead) return []
  checkGiven(assigned, [...new Set([...variables.keys(), ...declared])], within(report, 'vars'))
  for (const name of variables.keys())
    if (!used.has(name) && !declared.includes(name))
      warn(['vars', name], say('unused_variable', name))
  return [...groups.values()]
}

/** Lists that groups add to; in those of FIRST the scenario's own items come first. */
const JOINED = ['generate', 'script', 'steps', 'play', 'expect'] as const
const FIRST: readonly string[] = ['script', 'expect']

export function withGroups(parts: Parts, groups: readonly Group[]): Parts {
  const sources = new Map<Step | undefined, DocumentPart[]>()
  const data: SharedParts = { ...parts.data }
  for (const name of JOINED) {
    const all: Group[] = FIRST.includes(name) ? [parts, ...groups] : [...groups, parts]
    const members = all.flatMap(({ data, sourceOf }) => {
      const list: readonly unknown[] = data[name] ?? []
      return list.map((member, index) => ({ member, source: sourceOf([name, index]) }))
    })
    Object.assign(data, { [name]: members.map(({ member }) => member) })
    sources.set(
      name,
      members.map(({ source }) => source)
    )
  }
  return partsOf(parts.document, data, parts, steps => {
    const [name, index, ...more] = steps
    const source = sources.get(name)?.[Number(index)]
    return source === undefined
      ? parts.sourceOf(steps)
      : { ...source, steps: [...source.steps, ...more] }
  })
}
