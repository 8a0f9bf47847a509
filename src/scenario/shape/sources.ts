/** The shape of a scenario and of all that it uses: its groups and fixtures, read and expanded. */
import { ApiError } from '../../core/errors.js'
import { type PlacedProblem, partAt, problemAt, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import type { Said } from '../../core/sentences.js'
import { processSettingProblem } from '../../core/settings.js'
import {
  type DocumentProblem,
  documentOf,
  type ProblemList,
  type Report,
  reportBy,
  reportTo,
  type Written,
  within,
  writtenIn
} from '../documents.js'
import type { Library } from '../library.js'
import type { SourceDocument } from '../read/document.js'
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

export const SCENARIO_NAMES = Object.keys((scenarioSchema() as { properties: object }).properties)

export function isBareFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data) : []
  return (
    names.some(name => (SECTIONS as readonly string[]).includes(name)) &&
    !names.some(name => SCENARIO_NAMES.includes(name))
  )
}

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const

export const problemsOfShape = (
  kind: keyof typeof CHECKERS,
  data: unknown
): readonly PlacedProblem[] =>
  data === null ? [problemAt([], say('empty_document', kind))] : CHECKERS[kind].problems(data)

export const shapeProblems = (
  document: SourceDocument,
  kind: 'fixture' | 'scenario',
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
  written: Written
  report: Report
  warn: Report
  /** What is not in it may be elsewhere. */
  isOpen?: boolean
}
export type Used = Parts & { fixtures: readonly Fixture[] }
type From = { file: string | null; library: Library; given: GivenVariables | undefined }

export const partsOf = (document: SourceDocument, data: ScenarioData, lists: Lists): Parts => ({
  ...lists,
  document,
  data,
  written: writtenIn(document),
  report: reportTo(lists.problems, document),
  warn: reportTo(lists.warnings, document)
})

/** Reports what is wrong with the shape of the document and of all that it names. */
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
    if (from.given !== undefined) checkGiven(from.given, [], within(alone.report, 'vars'))
    return { ...alone, fixtures: checkedFixture(document, lists) }
  }
  const read = readScenario(document, alone.report, from.given)
  const parts = partsOf(document, isObject(read.data) ? read.data : {}, lists)
  const groups = await usedGroups(parts, read, from)
  const fixtures = await usedFixtures(parts, from)
  // what has the wrong shape is not looked at further
  if (lists.problems.length > 0) return alone
  const own = [...groups, parts].map(ownFixture)
  return { ...withGroups(parts, groups), fixtures: [...fixtures, ...own] }
}

export function ownFixture({ data, written }: Group): Fixture {
  const { document, steps } = written(['data'])
  return fixtureIn(document, data.data ?? {}, steps)
}

const readScenario = (
  document: SourceDocument,
  report: Report,
  given: GivenVariables | undefined
): Expanded =>
  expandVariables(document.data, data => shapeProblems(document, 'scenario', data), {
    given: given === undefined ? [] : [given],
    report: (steps, said) => report(steps, processSettingIn(steps, document.data) ?? said)
  })

/** None where its shape is wrong, which is reported. */
function checkedFixture(document: SourceDocument, { problems }: Lists): Fixture[] {
  const found = shapeProblems(document, 'fixture')
  for (const problem of found) problems.push({ document, ...problem })
  return found.length === 0 ? [fixtureIn(document, document.data as object)] : []
}

function processSettingIn(steps: readonly Step[], data: unknown): Said | undefined {
  const [first, ...name] = steps
  if (first !== 'settings') return undefined
  const message = processSettingProblem(name.join('.'), partAt(data, steps))
  return message === undefined ? undefined : { code: 'process_setting', message }
}

function namedIn(name: 'use' | 'fixtures', list: unknown): Map<string, Step[][]> {
  const places = new Map<string, Step[][]>()
  for (const [index, reference] of Array.isArray(list) ? list.entries() : [])
    if (typeof reference === 'string')
      places.set(reference, [...(places.get(reference) ?? []), [name, index]])
  return places
}

/** Null, with its problems reported, for one that cannot be read. */
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
      if (file === undefined) for (const at of places) report(at, { code, message })
      else {
        const document = documentOf(file, null)
        documents.push(document)
        problems.push({ document, steps: [], code, message, place: { line, column } })
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
    const wanted = ofFile.flatMap(({ group }) => group ?? [])
    files.set(name, source && readSharedScript(source, wanted, options))
  }
  return files
}

async function usedGroups(parts: Parts, expanded: Expanded, from: From): Promise<Group[]> {
  const { data, problems, report } = parts
  const values = Object.fromEntries([...expanded.variables].filter(([, value]) => value !== null))
  const own = { values, isText: false }
  const given = from.given === undefined ? [own] : [own, from.given]
  const uses = Array.from(
    namedIn('use', data.use),
    ([reference, places]): Use => ({ reference, places, ...partsOfUse(reference) })
  )
  const options = { given, problems, reportGiven: within(report, 'vars') }
  const files = await usedFiles(parts, uses, options, from)
  const groups = uses.flatMap(({ reference, places, file, group }) => {
    const shared = files.get(file)
    if (!shared) return []
    const found = shared.groups.get(group ?? '')
    for (const [nth, place] of places.entries()) {
      if (group === null) report(place, say('no_group', file, shared.names[0]))
      else if (found === undefined) report(place, say('unknown_group', group, shared.names))
      else if (nth > 0) report(place, say('listed_twice', reference))
    }
    return found ?? []
  })
  const read = [...files.values()].flatMap(shared => shared ?? [])
  const declared = read.flatMap(shared => shared.variables)
  if (read.length === files.size) checkVariables(parts, expanded, from.given, declared)
  return groups
}

function checkVariables(
  { report, warn }: Parts,
  { variables, used }: Expanded,
  given: GivenVariables | undefined,
  declared: readonly string[]
): void {
  if (given !== undefined)
    checkGiven(given, [...new Set([...variables.keys(), ...declared])], within(report, 'vars'))
  for (const name of variables.keys())
    if (!used.has(name) && !declared.includes(name))
      warn(['vars', name], say('unused_variable', name))
}

/** Lists that groups add to; those of FIRST begin with the members of the scenario itself. */
const JOINED = ['generate', 'script', 'steps', 'play', 'expect'] as const
const FIRST: readonly string[] = ['script', 'expect']

export function withGroups(parts: Parts, groups: readonly Group[]): Parts {
  if (groups.length === 0) return parts
  const sources = new Map<Step | undefined, { written: Written; index: number }[]>()
  const data: SharedParts = { ...parts.data }
  for (const name of JOINED) {
    const all: Group[] = FIRST.includes(name) ? [parts, ...groups] : [...groups, parts]
    const members = all.flatMap(({ data, written }) => {
      const own: readonly unknown[] = data[name] ?? []
      return own.map((member, index) => ({ member, written, index }))
    })
    Object.assign(data, { [name]: members.map(({ member }) => member) })
    sources.set(name, members)
  }
  const written: Written = steps => {
    const [name, nth, ...more] = steps
    const source = sources.get(name)?.[nth as number]
    return source === undefined
      ? parts.written(steps)
      : source.written([name as Step, source.index, ...more])
  }
  const { problems, warnings } = parts
  return {
    ...parts,
    data,
    written,
    report: reportBy(problems, written),
    warn: reportBy(warnings, written)
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
