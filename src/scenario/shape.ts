/** What of a fixture or scenario does not match its schema. Records under a misspelt name, or beside `data`, are checked as those that are meant. */
import { type PlacedProblem, problemAt, type Step } from '../core/places.js'
import { isObject } from '../core/quick-check.js'
import { SECTIONS, type Section, sectionMeant } from './fixture.js'
import { FIXTURE_CHECKER, SCENARIO_CHECKER } from './schemas.js'

const CHECKERS = { fixture: FIXTURE_CHECKER, scenario: SCENARIO_CHECKER } as const

/** The problems of shape of a document; where there are more than `most`, more than that are found. */
export async function problemsOfShape(kind: keyof typeof CHECKERS, data: unknown, most: number): Promise<PlacedProblem[]> {
  const found = await CHECKERS[kind].problems(data, most)
  if (found.length === 0 || found.length > most || !isObject(data)) return found
  const meant = kind === 'fixture' ? misspelt(data, []) : [...misplaced(data), ...misspelt(data.data, ['data'])]
  const problems = [...found]
  for (const { at, section, records } of meant) {
    const ofRecords = await FIXTURE_CHECKER.problems({ [section]: records }, most)
    for (const { steps, message } of ofRecords) problems.push(problemAt([...at, ...steps.slice(1)], message))
  }
  return problems
}

/** A list of records with its place. */
type Meant = { at: readonly Step[]; section: Section; records: unknown }

/** The lists of a fixture that are under another name than their own. */
function misspelt(fixture: unknown, under: readonly Step[]): Meant[] {
  return Object.entries(isObject(fixture) ? fixture : {}).flatMap(([name, records]) => {
    const section = sectionMeant(name)
    return section === null || section === name ? [] : [{ at: [...under, name], section, records }]
  })
}

/** The lists of a scenario that are not under `data`. */
const misplaced = (scenario: Readonly<Record<string, unknown>>): Meant[] =>
  SECTIONS.flatMap(section => (scenario[section] === undefined ? [] : [{ at: [section], section, records: scenario[section] }]))
