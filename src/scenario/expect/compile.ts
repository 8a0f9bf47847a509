/** The expectations of a scenario. */
import { within } from '../documents.js'
import { patternsIn } from '../match/patterns.js'
import { checkNames, namedByMatch, namedByState, type Trial } from '../records/named-records.js'
import type { Parts } from '../shape/sources.js'
import { callsIn, type Responses } from './calls.js'
import { compileExpectation, type Expectation } from './expectations.js'

export type { Expectation } from './expectations.js'

export async function compileExpectations(
  { data: { expect = [] }, report, warn }: Parts,
  trial: Trial,
  responses: Responses
): Promise<Expectation[]> {
  const compiled: Expectation[] = []
  let patterns = 0
  for (const [index, data] of expect.entries()) {
    const note = within(report, 'expect', index)
    const warnOf = within(warn, 'expect', index)
    const expectation = await compileExpectation(data, note, responses, patterns)
    patterns += patternsIn(data)
    if (expectation !== null) compiled.push(expectation)
    // only a warning: a request to a missing record can be expected too
    for (const { path, calls } of callsIn(data))
      checkNames(namedByMatch(calls), trial, () => within(warnOf, ...path))
    const ofState = 'state' in data ? namedByState(data.state) : []
    checkNames(ofState, trial, ({ canBeMade, isDrawn }) => (canBeMade && isDrawn ? warnOf : note))
  }
  return compiled
}
