/** The record of how one call was judged: which rules were looked at, in order, with the figures they saw, and which assumptions it leaned on. */
import type { AssumptionId } from '../reference/assumptions.js'
import { RULES, type RuleId } from '../reference/rules.js'

export type Facts = Readonly<Record<string, unknown>>
export type Judgement = { rule: RuleId; held: boolean; facts?: Facts }

/** The judgements that saw no figures; there are many of these, and one of each will do. */
const HELD = withoutFacts(true)
const BROKE = withoutFacts(false)

function withoutFacts(held: boolean): Readonly<Record<RuleId, Judgement>> {
  return Object.fromEntries(Object.keys(RULES).map(rule => [rule, Object.freeze({ rule, held })])) as Record<RuleId, Judgement>
}

export class Trace {
  /** A trace that is off keeps nothing. */
  readonly #isOn: boolean
  readonly judgements: Judgement[] = []
  readonly assumptions: AssumptionId[] = []

  constructor(isOn = true) {
    this.#isOn = isOn
  }

  /** The call kept the rule, or the service's answer did. */
  held(rule: RuleId, facts?: Facts): void {
    if (this.#isOn) this.judgements.push(facts ? { rule, held: true, facts } : HELD[rule])
  }

  /** The call broke the rule. */
  broke(rule: RuleId, facts?: Facts): void {
    if (this.#isOn) this.judgements.push(facts ? { rule, held: false, facts } : BROKE[rule])
  }

  /** The answer leans on an assumption. */
  assumed(assumption: AssumptionId): void {
    if (this.#isOn && !this.assumptions.includes(assumption)) this.assumptions.push(assumption)
  }
}
