/**
 * The parts of a fixture or scenario that do not match its schema. Records under a misspelt name,
 * or next to `data` instead of in it, are checked all the same.
 */

import { MAX_PROBLEMS } from '../core/checking.js'
import { nearest } from '../core/nearest.js'
import { type PlacedProblem, problemAt, type Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { say } from './document-sentences.js'
import { closestSection, SECTIONS, type Section } from './fixture.js'
import { FIXTURE_CHECKER, SCENARIO_CHECKER, scenarioSchema } from './schemas.js'

/** The parts of a scenario, by their names. */
export const SCENARIO_NAMES = Object.keys((scenarioSchema() as { properties: object }).properties)
/**
 * The part whose name this probably is, misspelt; null for a right name, and for one that resembles
 * none.
 */
export const misspeltPart = (name: string): string | null =>
  SCENARIO_NAMES.includes(name) ? null : nearest(name, SCENARIO_NAMES)

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const

/**
 * The places where a document does not match its schema; the search ends once there are too many.
 */
export async function problemsOfShape(
  kind: keyof typeof CHECKERS,
  data: unknown
): Promise<PlacedProblem[]> {
  if (data === null) return [problemAt([], say('empty_document', kind))]
  const found = await CHECKERS[kind].problems(data)
  if (found.length === 0 || found.length > MAX_PROBLEMS || !isObject(data)) return found
  const meant = kind === 'fixture' ? misspelt(data, []) : meantIn(data)
  const problems = [...found]
  for (const { at, section, records } of meant) {
    const ofRecords = await FIXTURE_CHECKER.problems({ [section]: records })
    for (const { steps, ...said } of ofRecords)
      problems.push(problemAt([...at, ...steps.slice(1)], said))
  }
  return problems
}

/** A list of records with its place. */
type Meant = { at: readonly Step[]; section: Section; records: unknown }

/**
 * The lists of a scenario that its schema does not know: those that are not under `data`, those
 * under a misspelt `data`, and misspelt ones.
 */
const meantIn = (scenario: Readonly<Record<string, unknown>>): Meant[] =>
  Object.entries(scenario).flatMap(([name, part]) => {
    if (name === 'data') return misspelt(part, [name])
    if (misspeltPart(name) === 'data') return listsIn(part, [name])
    return SECTIONS.some(section => section === name)
      ? [{ at: [name], section: name as Section, records: part }]
      : []
  })

const misspelt = (fixture: unknown, under: readonly Step[]): Meant[] =>
  listsIn(fixture, under).filter(({ at, section }) => at.at(-1) !== section)

/** Every list of a fixture, whatever its name. */
const listsIn = (fixture: unknown, under: readonly Step[]): Meant[] =>
  Object.entries(isObject(fixture) ? fixture : {}).flatMap(([name, records]) => {
    const section = closestSection(name)
    return section === null ? [] : [{ at: [...under, name], section, records }]
  })
