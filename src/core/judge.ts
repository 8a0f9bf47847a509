/** Rules as data: a family's `rules.ts` lists them, `judge` runs them in order. */
import type { RuleId } from '../reference/rules.js'
import { ApiError, type ErrorCode } from './errors.js'
import type { Facts, Trace } from './trace.js'

export type Rule<F extends Facts> = {
  id: RuleId
  /** Whether the rule speaks of such a call at all; always, when left out. */
  applies?: (facts: F) => boolean
  holds: (facts: F) => boolean
  else: ErrorCode
  /** The parameter to blame, in bracket notation. */
  param?: string
  message: (facts: F) => string
}

/** Judges the facts by each rule in order, writes every judgement to the trace, and throws the refusal of the first that does not hold. */
export function judge<F extends Facts>(rules: readonly Rule<F>[], facts: F, trace: Trace): void {
  for (const rule of rules) {
    if (rule.applies && !rule.applies(facts)) continue
    if (!rule.holds(facts)) {
      throw new ApiError(rule.else, { message: rule.message(facts), rule: rule.id, facts, ...(rule.param && { param: rule.param }) })
    }
    trace.held(rule.id, facts)
  }
}
