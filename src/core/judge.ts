/** Rules of an operation as data: a family's `rules.ts` lists them, `judge` runs them in order. */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'
import { ApiError, type ErrorCode } from './errors.js'
import type { Facts } from './trace.js'

/** What must hold, and how a call that breaks it is refused: under a rule of the reference, or under an assumption where the reference is silent. */
export type Rule<F extends Facts> = ({ rule: RuleId; assumption?: undefined } | { assumption: AssumptionId; rule?: undefined }) & {
  holds: (facts: F) => boolean
  else: ErrorCode
  /** The parameter to blame, in bracket notation. */
  param?: string
  message: (facts: F) => string
}

/** The first rule in order that the facts break; undefined when all hold. */
export const firstBroken = <F extends Facts>(rules: readonly Rule<F>[], facts: F): Rule<F> | undefined => rules.find(rule => !rule.holds(facts))

/** Judges the facts by each rule in order. Errors: the refusal of the first rule that does not hold, with the facts that it saw. */
export function judge<F extends Facts>(rules: readonly Rule<F>[], facts: F): void {
  const broken = firstBroken(rules, facts)
  if (broken === undefined) return
  const { rule, assumption, param, message } = broken
  throw new ApiError(broken.else, { message: message(facts), facts, ...(param && { param }), ...(rule ? { rule } : { assumption }) })
}
