/**
 * Everything that a scenario uses: its text expanded, its fixtures and groups read and checked for
 * their shape.
 */
import { ApiError } from '../core/errors.js'
import type { PlacedProblem, Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import type { Said } from '../core/sentences.js'
import { processSettingProblem } from '../core/settings.js'
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
} from './documents.js'
import type { Library } from './library.js'
import type { SourceDocument } from './read/document.js'
import { type Fixture, fixtureIn } from './records/fixture.js'
import {
  type Group,
  groupIn,
  isSharedScript,
  partsOfUse,
  readSharedScript,
  type SharedScript
} from './script/shared-script.js'
import { say } from './sentences.js'
import type { ScenarioData, SharedParts } from './shape/scenario.js'
import { isBareFixture, shapeProblems } from './shape.js'
import {
  checkGiven,
  declaredVariables,
  type GivenVariables,
  readWith,
  type VariableValue
} from './variables.js'

export type Lists = {
  documents: SourceDocument[]
  problems: ProblemList
  warnings: DocumentProblem[]
}
/** The member of `use` that brought an entry (null: the scenario itself), and its index there. */
type Source = { use: number | null; index: number }
/** The parts of a scenario with those of its groups, and where each is written. */
export type Parts = Lists & {
  document: SourceDocument
  data: ScenarioData
  written: Written
  report: Report
  warn: Report
  sourceOf: (index: number) => Source
  /** What is not in it may be elsewhere. */
  isOpen?: boolean
}
export type UsedGroup = { partOf: Group; index: number }
export type Used = Parts & { fixtures: readonly Fixture[] }

export function partsOf(document: SourceDocument, data: ScenarioData, lists: Lists): Parts {
  return {
    ...lists,
    document,
    data,
    written: writtenIn(document),
    report: reportTo(lists.problems, document),
    warn: reportTo(lists.warnings, document),
    sourceOf: index => ({ use: null, index })
  }
}

/** Reports what is wrong with the shape of the document and of all that it names. */
export async function usedBy(
  document: SourceDocument,
  lists: Lists,
  from: { file: string | null; library: Library; given: GivenVariables | undefined }
): Promise<Used> {
  const report = reportTo(lists.problems, document)
  if (isSharedScript(document.data)) report([], say('shared_alone'))
  const isBare = isBareFixture(document.data)
  const read = await (isBare ? readFixture : readScenario)(document, report, from.given)
  const parts = partsOf(document, read.data, lists)
  const groups = isBare ? [] : await usedGroups(parts, read, from)
  const named = await fixturesOf(parts, from)
  // what has the wrong shape is not looked at further
  const all = lists.problems.length > 0 ? [] : [...named, ...ownFixtures(parts, groups, isBare)]
  return { ...withGroups(parts, groups), fixtures: all }
}

/** The records of groups, and then those of the scenario itself. */
const ownFixtures = (
  { document, data }: Parts,
  groups: readonly UsedGroup[],
  isBare: boolean
): Fixture[] => [
  ...groups.map(({ partOf }) => {
    const { part = {}, written } = partOf('data')
    const { document, steps } = written([])
    return fixtureIn(document, part as object, steps)
  }),
  fixtureIn(document, data.data ?? {}, isBare ? [] : ['data'])
]

/** `variables`: null for one without a value. `used`: the names that it refers to. */
type Read = {
  data: ScenarioData
  variables: ReadonlyMap<string, VariableValue | null>
  used: ReadonlySet<string>
}

async function readFixture(
  document: SourceDocument,
  report: Report,
  given: GivenVariables | undefined
): Promise<Read> {
  if (given !== undefined) checkGiven(given, [], within(report, 'vars'))
  reportAll(await shapeProblems(document, 'fixture'), report)
  return {
    data: { data: document.data as Record<string, unknown> },
    variables: new Map(),
    used: new Set()
  }
}

async function readScenario(
  document: SourceDocument,
  report: Report,
  given: GivenVariables | undefined
): Promise<Read> {
  const variables = declaredVariables(isObject(document.data) ? document.data.vars : undefined, {
    given: given === undefined ? [] : [given],
    report: within(report, 'vars')
  })
  const { data, used, problems } = await readWith(document.data, variables, data =>
    isSharedScript(data) ? Promise.resolve([]) : shapeProblems(document, 'scenario', data)
  )
  for (const problem of problems) report(problem.steps, processSettingIn(problem.steps) ?? problem)
  return { data: isObject(data) ? data : {}, variables, used }
}

const reportAll = (found: readonly PlacedProblem[], report: Report): void => {
  for (const problem of found) report(problem.steps, problem)
}

function processSettingIn([first, ...name]: readonly Step[]): Said | undefined {
  const message = first === 'settings' ? processSettingProblem(name.join('.')) : undefined
  return message === undefined ? undefined : { code: 'process_setting', message }
}

/** The names in a list, each with its index. */
const namesIn = (list: unknown): (readonly [index: number, name: string])[] =>
  Array.isArray(list)
    ? [...list.entries()].filter((one): one is [number, string] => typeof one[1] === 'string')
    : []

/**
 * The document that another one names, or why there is none; null, with its problems listed, where
 * it cannot be read.
 */
async function found(
  { documents, problems }: Lists,
  reading: Promise<SourceDocument | Said>
): Promise<SourceDocument | Said | null> {
  try {
    const source = await reading
    if (!('message' in source)) documents.push(source)
    return source
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems === undefined) throw error
    for (const { file, line = 1, column = 1, code, message } of error.problems) {
      const document = {
        ...documentOf(file as string, null),
        locate: async () => [{ line, column }]
      }
      documents.push(document)
      problems.push({ document, steps: [], code, message })
    }
    return null
  }
}

/** Reads the groups that a scenario uses, with its values of their variables. */
async function usedGroups(
  parts: Parts,
  { variables, used: names }: Read,
  { file, library, given }: Parameters<typeof usedBy>[2]
): Promise<UsedGroup[]> {
  const { data, problems, report } = parts
  const uses = namesIn(data.use).map(([index, reference]) => ({
    reference,
    index,
    ...partsOfUse(reference)
  }))
  const own: GivenVariables = {
    values: Object.fromEntries([...variables].filter(([, value]) => value !== null)),
    isText: false
  }
  const reading = {
    given: given === undefined ? [own] : [own, given],
    problems,
    reportGiven: within(report, 'vars')
  }
  const files = new Map<string, SharedScript | Said | null>()
  for (const name of new Set(uses.map(use => use.file))) {
    const source = await found(parts, library.sharedScript(name, file))
    const wanted = uses.flatMap(({ file, group }) =>
      file === name && group !== null ? [group] : []
    )
    files.set(
      name,
      source === null || 'message' in source
        ? source
        : await readSharedScript(source, wanted, reading)
    )
  }
  const groups = new Map<string, UsedGroup>()
  for (const { reference, index, file: name, group } of uses) {
    const shared = files.get(name) as SharedScript | Said | null
    if (shared === null) continue
    if ('message' in shared) {
      report(['use', index], shared)
      continue
    }
    const partOf = group === null ? undefined : shared.groups.get(group)
    if (group === null) report(['use', index], say('no_group', name, shared.names[0]))
    else if (partOf === undefined) report(['use', index], say('unknown_group', group, shared.names))
    else if (groups.has(reference)) report(['use', index], say('listed_twice', reference))
    else groups.set(reference, { partOf, index })
  }
  const read = [...files.values()].flatMap(shared =>
    shared === null || 'message' in shared ? [] : shared
  )
  if (read.length === files.size)
    checkVariables(
      parts,
      variables,
      names,
      given,
      read.flatMap(({ variables }) => variables)
    )
  return [...groups.values()]
}

/** `declared` are the names of used files. */
function checkVariables(
  { report, warn }: Parts,
  variables: Read['variables'],
  used: Read['used'],
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

/** Adds the parts of groups to a scenario; `data` is read apart. */
export function withGroups(parts: Parts, groups: readonly UsedGroup[]): Parts {
  if (groups.length === 0) return parts
  const { document, problems, warnings } = parts
  const own = { partOf: groupIn(document, [], parts.data as SharedParts), index: null }
  const lists = new Map<Step | undefined, (Source & { written: Written })[]>()
  const data: Record<string, unknown> = { ...parts.data }
  for (const name of JOINED) {
    const members = (FIRST.includes(name) ? [own, ...groups] : [...groups, own]).flatMap(
      ({ partOf, index: use }) => {
        const { part, written } = partOf(name)
        return (Array.isArray(part) ? part : []).map((member, index) => ({
          member,
          index,
          written,
          use
        }))
      }
    )
    data[name] = members.map(({ member }) => member)
    lists.set(name, members)
  }
  const written: Written = steps => {
    const [list, nth, ...more] = steps
    const member = lists.get(list)?.[nth as number]
    return member === undefined ? parts.written(steps) : member.written([member.index, ...more])
  }
  return {
    ...parts,
    data,
    written,
    report: reportBy(problems, written),
    warn: reportBy(warnings, written),
    sourceOf: index => lists.get('script')?.[index] as Source
  }
}

/** The fixtures that a scenario names. */
async function fixturesOf(
  parts: Parts,
  { file, library }: Parameters<typeof usedBy>[2]
): Promise<Fixture[]> {
  const { data, problems, report } = parts
  const fixtures: Fixture[] = []
  /** By name; a file is read once. */
  const known = new Map<string, Fixture | Said | null>()
  const fixtureNamed = async (reference: string): Promise<Fixture | Said | null> => {
    const source = await found(parts, library.fixture(reference, file))
    if (source === null || 'message' in source) return source
    const problemsFound = await shapeProblems(source, 'fixture')
    reportAll(problemsFound, reportTo(problems, source))
    return problemsFound.length > 0 ? null : fixtureIn(source, source.data as object)
  }
  for (const [index, reference] of namesIn(data.fixtures)) {
    const fixture = known.has(reference) ? known.get(reference) : await fixtureNamed(reference)
    known.set(reference, fixture as Fixture)
    if (!fixture) continue
    if ('message' in fixture) report(['fixtures', index], fixture)
    else fixtures.push(fixture)
  }
  return fixtures
}
