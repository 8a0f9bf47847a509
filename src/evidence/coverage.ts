/** Coverage: how often the requests of a sandbox, or of a whole run, kept and broke each rule of the reference. */
import { RULE_IDS, RULE_PLACES, RULES, type Rule, type RuleId } from '../reference/rules.js'
import type { Judgement } from './judgement.js'

type Outcomes = { satisfied: number; violated: number }
export type RuleCoverage = Outcomes & { rule: RuleId; text: string; violable: boolean; keepable: boolean }
export type CoverageReport = {
  rules: RuleCoverage[]
  /** Outcomes seen and possible: a rule that calls can both keep and break has two, any other one. */
  seen: number
  possible: number
  percent: number
  never_exercised: RuleId[]
  /** Rules that a call can break, kept by some call and broken by none. */
  never_violated: RuleId[]
}

export class Coverage {
  /** How many calls kept and broke each rule, by its place in the ledger. */
  readonly #kept = RULE_IDS.map(() => 0)
  readonly #broken = RULE_IDS.map(() => 0)

  /** Counts a request once for each rule that it kept, and for the one that it broke. */
  add({ kept, broken }: Judgement): void {
    for (const place of kept) this.#kept[place] = (this.#kept[place] as number) + 1
    if (broken === null) return
    const place = RULE_PLACES.get(broken) as number
    this.#broken[place] = (this.#broken[place] as number) + 1
  }

  clear(): void {
    this.#kept.fill(0)
    this.#broken.fill(0)
  }

  report(): CoverageReport {
    const countsOf = (place: number) => ({ satisfied: this.#kept[place] as number, violated: this.#broken[place] as number })
    return reportOf(rule => countsOf(RULE_PLACES.get(rule) as number))
  }
}

/** Several runs as one: counts are added up. */
export function mergedReports(reports: readonly Pick<CoverageReport, 'rules'>[]): CoverageReport {
  const counts = reports.map(({ rules }) => new Map(rules.map(counted => [counted.rule, counted])))
  const sum = (rule: RuleId, outcome: keyof Outcomes) => counts.reduce((total, run) => total + (run.get(rule)?.[outcome] ?? 0), 0)
  return reportOf(rule => ({ satisfied: sum(rule, 'satisfied'), violated: sum(rule, 'violated') }))
}

function reportOf(outcomesOf: (rule: RuleId) => Outcomes): CoverageReport {
  const rules = RULE_IDS.map(rule => {
    const { text, violable, keepable }: Rule = RULES[rule]
    return { rule, text, violable, keepable: keepable !== false, ...outcomesOf(rule) }
  })
  const seen = rules.reduce((sum, { satisfied, violated }) => sum + Math.min(satisfied, 1) + Math.min(violated, 1), 0)
  const possible = rules.reduce((sum, { violable, keepable }) => sum + Number(keepable) + Number(violable), 0)
  return {
    seen,
    possible,
    percent: Math.floor((seen / possible) * 1000) / 10,
    never_exercised: rules.filter(({ satisfied, violated }) => satisfied + violated === 0).map(({ rule }) => rule),
    never_violated: rules.filter(({ satisfied, violated, violable }) => violable && satisfied > 0 && violated === 0).map(({ rule }) => rule),
    rules
  }
}
