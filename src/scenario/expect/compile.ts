/** The expectations of a scenario. */
import { within } from '../documents.js'
import { patternsIn } from '../match/patterns.js'
import { checkNames, namedByMatch, namedByState, type Trial } from '../records/named-records.js'
import type { Used } from '../shape/sources.js'
import type { StepResponses } from '../steps.js'
import { compileExpectation, type Expectation } from './expectations.js'

export type { Expectation } from './expectations.js'

export async function compileExpectations(
  { data: { expect = [] }, report, warn }: Used,
  trial: Trial,
  responses: StepResponses
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const [index, data] of expect.entries()) {
    const note = within(report, 'expect', index)
    const warnOf = within(warn, 'expect', index)
    const expectation = await compileExpectation(data, note, responses, patterns)
    patterns += patternsIn(data)
    if (expectation === null) continue
    compiled.push(expectation)
    // only a warning: a request to a missing record can be expected too
    for (const { path, data: calls } of expectation.steps)
      checkNames(namedByMatch(calls), trial, () => within(warnOf, ...path))
    const ofState = 'state' in data ? namedByState(data.state) : []
    checkNames(ofState, trial, ({ canBeMade, isDrawn }) => (canBeMade && isDrawn ? warnOf : note))
  }
  return compiled
}
