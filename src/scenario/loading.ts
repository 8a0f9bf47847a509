/** Loads scenarios: a document and all that it uses are read, checked and built, or refused. */
import type { Static } from 'typebox'
import { checkerOf, MAX_PROBLEMS } from '../core/checking.js'
import { nearest } from '../core/nearest.js'
import { isObject } from '../core/schema-words.js'
import { SETTINGS } from '../core/settings.js'
import {
  documentOf,
  listedProblems,
  ProblemList,
  refuseProblems,
  reportTo,
  withoutProblems
} from './documents.js'
import type { Library } from './library.js'
import { below, type SourceDocument } from './read/document.js'
import type { Body } from './reading.js'
import { SECTIONS } from './records/fixture.js'
import { buildState, type LoadContext, type Loaded } from './scenario.js'
import { readSharedScript } from './script/shared-script.js'
import { SCALAR } from './shape/entry.js'
import { closed, mapOf, typed } from './shape/parts.js'
import { SCENARIO_NAMES } from './shape/scenario.js'
import { checkShape, type Lists, ownFixture, partsOf, withGroups } from './shape/sources.js'
import { checkGiven } from './shape/variables.js'

export type Origin = {
  name: string
  file: string | null
}

/** Whether at least half of the names are similar to those of a scenario or fixture. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = Object.keys(isObject(data) ? data : {}).filter(
    name => !/^(name|description)$/.test(name)
  )
  const known = [...SCENARIO_NAMES, ...SECTIONS]
  const similar = names.filter(name => nearest(name, known) !== null)
  return similar.length > 0 && similar.length * 2 >= names.length
}

/** Of a scenario or bare fixture. Errors: `document_invalid`, `document_too_large`. */
export async function firstStateOf(
  document: SourceDocument,
  { name, file }: Origin,
  context: LoadContext
): Promise<Loaded> {
  const lists: Lists = { documents: [document], problems: new ProblemList(), warnings: [] }
  const stage = <T>(find: () => Promise<T>) =>
    withoutProblems(lists.problems, find, lists.documents)
  const used = await stage(() => checkShape(document, lists, { ...context, file }))
  const first = await stage(() => buildState(used, name, context))
  const warnings = lists.warnings.slice(0, MAX_PROBLEMS)
  if (warnings.length > 0) context.warn?.(await listedProblems(warnings, lists.documents))
  return first
}

/** Checks each group; what it refers to may be in the scenario. Errors: `document_invalid`. */
export async function checkSharedScript(
  document: SourceDocument,
  context: LoadContext
): Promise<void> {
  const { variables } = context
  const problems = new ProblemList()
  const reportGiven = reportTo(problems, document, ['vars'])
  const { groups } = await withoutProblems(problems, async () => {
    const options = { overrides: [variables], problems, reportGiven }
    const read = readSharedScript(document, () => true, options)
    checkGiven(variables, read.variables, reportGiven)
    return read
  })
  return withoutProblems(problems, async () => {
    for (const group of groups.values()) {
      const lists = { documents: [], problems, warnings: [] }
      const alone = partsOf(documentOf(document.name, {}), {}, lists)
      const parts = { ...withGroups(alone, [group]), fixtures: [ownFixture(group)], isOpen: true }
      await buildState(parts, '', context)
    }
  })
}

/** A load request: a scenario by name, or one inline as a value or as text. */
const REQUEST = closed(
  {
    scenario: typed<string | object>({ type: ['string', 'object'] }),
    seed: typed<number>(SETTINGS.seed.schema),
    vars: mapOf(SCALAR)
  },
  undefined,
  { required: ['scenario'] }
)
const REQUEST_CHECKER = checkerOf(() => REQUEST)

export async function requestedScenario(
  { type, text }: Body,
  library: Library
): Promise<{ document: SourceDocument; origin: Origin } & Pick<LoadContext, 'variables' | 'seed'>> {
  const whole = await library.text('body', text, type)
  const inline = { name: 'inline', file: null }
  if (type === 'yaml') return { document: whole, origin: inline }
  await refuseProblems(whole, REQUEST_CHECKER)
  const { scenario, vars, seed } = whole.data as Static<typeof REQUEST>
  const options = { seed, variables: vars && { values: vars, isText: false } }
  if (typeof scenario === 'object')
    return { document: below(whole, ['scenario']), origin: inline, ...options }
  if (scenario.includes('\n')) {
    const document = await library.text('scenario', scenario)
    return { document, origin: inline, ...options }
  }
  const document = await library.scenario(scenario)
  return { document, origin: { name: scenario, file: document.name }, ...options }
}
