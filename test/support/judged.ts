import { type Judgement, Trace } from '../../src/core/trace.js'
import type { Entry } from '../../src/evidence/journal.js'
import type { AssumptionId } from '../../src/reference/assumptions.js'

/** How a call is to have been judged, for a test. */
export type Judged = { judgements?: readonly Judgement[]; assumptions?: readonly AssumptionId[] }

/** The course and facts of a call that was judged so. */
export function judged({ judgements = [], assumptions = [] }: Judged = {}): Pick<Entry, 'course' | 'facts'> {
  const trace = new Trace()
  for (const { rule, held, facts } of judgements) trace[held ? 'held' : 'broke'](rule, facts)
  for (const assumption of assumptions) trace.assumed(assumption)
  return { course: trace.course, facts: trace.facts }
}

/** The course of a call that was judged so. */
export const courseOf = (...judgements: Judgement[]) => judged({ judgements }).course
