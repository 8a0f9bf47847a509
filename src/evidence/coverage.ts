/** Coverage: how often the calls of a sandbox, or of a whole run, kept and broke each rule of the reference. */
import { RULE_IDS, RULES, type Rule, type RuleId } from '../reference/rules.js'

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

const none = () => Object.fromEntries(RULE_IDS.map(rule => [rule, { satisfied: 0, violated: 0 }])) as Record<RuleId, Outcomes>

export class Coverage {
  /** How many calls kept and broke each rule. */
  #outcomes = none()

  /** Counts a call once for each rule that it kept, and for the one that it broke. */
  count(kept: readonly RuleId[], broken: RuleId | null): void {
    for (const rule of kept) this.#outcomes[rule].satisfied++
    if (broken !== null) this.#outcomes[broken].violated++
  }

  clear(): void {
    this.#outcomes = none()
  }

  report(): CoverageReport {
    return reportOf(rule => this.#outcomes[rule])
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
