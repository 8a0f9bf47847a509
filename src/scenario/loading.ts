/** Loads scenarios: a document and what it uses pass the three gates, or are refused. */
import { MAX_PROBLEMS } from '../core/checking.js'
import { nearest } from '../core/nearest.js'
import { isObject } from '../core/quick-check.js'
import {
  type DocumentProblem,
  documentOf,
  listedProblems,
  ProblemList,
  reportTo,
  withoutProblems
} from './documents.js'
import type { SourceDocument } from './read/document.js'
import { SECTIONS } from './records/fixture.js'
import { buildState, type LoadContext, type Loaded } from './scenario.js'
import { readSharedScript } from './script/shared-script.js'
import { SCENARIO_NAMES } from './shape.js'
import { checkShape, ownFixture, partsOf, withGroups } from './sources.js'
import { checkGiven } from './variables.js'

export type Origin = {
  /** The scenario's name if it does not give one itself. */
  name: string
  file: string | null
}
const ANYWHERE = ['name', 'description']

/** Whether at least half of the names of data are, or resemble, those of a scenario or fixture. */
export function isScenarioOrFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data).filter(name => !ANYWHERE.includes(name)) : []
  const known = [...SCENARIO_NAMES, ...SECTIONS]
  return (
    names.length > 0 &&
    names.filter(name => nearest(name, known) !== null).length * 2 >= names.length
  )
}

/**
 * Of a scenario or bare fixture. Errors: `document_invalid` with the problems of the first gate
 * that finds some; `document_too_large`.
 */
export async function firstStateOf(
  document: SourceDocument,
  { name, file }: Origin,
  context: LoadContext
): Promise<Loaded> {
  const lists = { documents: [document], problems: new ProblemList(), warnings: [] }
  const { library, variables: given } = context
  const gate = <T>(find: () => Promise<T>) => withoutProblems(lists.problems, find, lists.documents)
  const used = await gate(() => checkShape(document, lists, { file, library, given }))
  const first = await gate(() => buildState(used, name, context))
  const warnings: DocumentProblem[] = lists.warnings.slice(0, MAX_PROBLEMS)
  if (warnings.length > 0) context.warn?.(await listedProblems(warnings, lists.documents))
  return first
}

/**
 * Checks each group by itself: what it refers to may be in the scenario. Errors:
 * `document_invalid`.
 */
export async function checkSharedScript(
  document: SourceDocument,
  context: LoadContext
): Promise<void> {
  const { variables: given } = context
  const problems = new ProblemList()
  const reportGiven = reportTo(problems, document, ['vars'])
  const { groups } = await withoutProblems(problems, async () => {
    const read = await readSharedScript(document, null, {
      given: given === undefined ? [] : [given],
      problems,
      reportGiven
    })
    if (given !== undefined) checkGiven(given, read.variables, reportGiven)
    return read
  })
  return withoutProblems(problems, async () => {
    for (const group of groups.values()) {
      const lists = { documents: [], problems, warnings: [] }
      const alone = partsOf(documentOf(document.name, {}, document.limits), {}, lists)
      const parts = { ...withGroups(alone, [group]), fixtures: [ownFixture(group)], isOpen: true }
      await buildState(parts, '', context)
    }
  })
}
