/** Where a fixture or scenario does not match its schema. */
import { type PlacedProblem, problemAt } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import type { SourceDocument } from './read/document.js'
import { problemsOf } from './read/numbers.js'
import { SECTIONS } from './records/fixture.js'
import { say } from './sentences.js'
import { FIXTURE_CHECKER } from './shape/parts.js'
import { SCENARIO_CHECKER, scenarioSchema } from './shape/scenario.js'

export const SCENARIO_NAMES = Object.keys((scenarioSchema() as { properties: object }).properties)

const FIXTURE_NAMES: readonly string[] = SECTIONS

export function isBareFixture(data: unknown): boolean {
  const names = isObject(data) ? Object.keys(data) : []
  return (
    names.some(name => FIXTURE_NAMES.includes(name)) &&
    !names.some(name => SCENARIO_NAMES.includes(name))
  )
}

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const

export const problemsOfShape = async (
  kind: keyof typeof CHECKERS,
  data: unknown
): Promise<readonly PlacedProblem[]> =>
  data === null ? [problemAt([], say('empty_document', kind))] : CHECKERS[kind].problems(data)

export const shapeProblems = async (
  document: SourceDocument,
  kind: 'fixture' | 'scenario',
  data = document.data
): Promise<readonly PlacedProblem[]> =>
  document.checkedAs === kind && data === document.data
    ? []
    : problemsOf(document, data, part => problemsOfShape(kind, part))
