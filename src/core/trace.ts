/** The record of how one call was judged: which rules were looked at, in order, with the figures they saw, and which assumptions it leaned on. */
import type { AssumptionId } from '../reference/assumptions.js'
import type { RuleId } from '../reference/rules.js'

export type Facts = Readonly<Record<string, unknown>>
export type Judgement = { rule: RuleId; held: boolean; facts?: Facts }

export class Trace {
  readonly judgements: Judgement[] = []
  readonly assumptions = new Set<AssumptionId>()

  /** The call kept the rule, or the service's answer did. */
  held(rule: RuleId, facts?: Facts): void {
    this.judgements.push(facts ? { rule, held: true, facts } : { rule, held: true })
  }

  /** The call broke the rule. */
  broke(rule: RuleId, facts?: Facts): void {
    this.judgements.push(facts ? { rule, held: false, facts } : { rule, held: false })
  }

  /** The answer leans on an assumption. */
  assumed(assumption: AssumptionId): void {
    this.assumptions.add(assumption)
  }
}
