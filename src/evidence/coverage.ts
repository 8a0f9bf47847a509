/** Coverage: how often the calls of a world, or of a whole run, kept and broke each rule of the reference. */
import type { Course } from '../core/trace.js'
import { RULES, type RuleId } from '../reference/rules.js'
import { Courses } from './courses.js'

export type Outcomes = { satisfied: number; violated: number }
export type RuleCoverage = Outcomes & { rule: RuleId; text: string; violable: boolean }
export type CoverageReport = {
  rules: RuleCoverage[]
  /** Outcomes seen and possible: a rule that a call can break has two, any other one. */
  seen: number
  possible: number
  percent: number
  never_exercised: RuleId[]
  /** Rules that a call can break, kept by some call and broken by none. */
  never_violated: RuleId[]
}
const RULE_IDS = Object.keys(RULES) as RuleId[]

export class Coverage {
  readonly #outcomes = new Map<RuleId, Outcomes>()
  /** Calls that are not counted for each rule yet. */
  readonly #calls = new Courses()

  /** Counts a call once for each rule that it was judged by: as broken when any judgement says so, else as kept. */
  count(course: Course): void {
    if (this.#calls.count(course)) return
    if (this.#calls.isFull) this.#shareOut()
    this.#calls.add(course, 1)
  }

  clear(): void {
    this.#calls.clear()
    this.#outcomes.clear()
  }

  report(): CoverageReport {
    this.#shareOut()
    return reportOf(rule => this.#outcomes.get(rule) ?? { satisfied: 0, violated: 0 })
  }

  #shareOut(): void {
    for (const [course, times] of this.#calls.taken()) {
      for (const [rule, held] of course.outcomes) {
        const { satisfied, violated } = this.#outcomes.get(rule) ?? { satisfied: 0, violated: 0 }
        this.#outcomes.set(rule, held ? { satisfied: satisfied + times, violated } : { satisfied, violated: violated + times })
      }
    }
  }
}

/** Several runs as one: counts are added up. */
export function mergedReports(reports: readonly Pick<CoverageReport, 'rules'>[]): CoverageReport {
  const counts = reports.map(({ rules }) => new Map(rules.map(counted => [counted.rule, counted])))
  const sum = (rule: RuleId, outcome: keyof Outcomes) => counts.reduce((total, run) => total + (run.get(rule)?.[outcome] ?? 0), 0)
  return reportOf(rule => ({ satisfied: sum(rule, 'satisfied'), violated: sum(rule, 'violated') }))
}

function reportOf(outcomesOf: (rule: RuleId) => Outcomes): CoverageReport {
  const rules = RULE_IDS.map(rule => ({ rule, text: RULES[rule].text, violable: RULES[rule].violable, ...outcomesOf(rule) }))
  const seen = rules.reduce((sum, { satisfied, violated, violable }) => sum + (satisfied > 0 ? 1 : 0) + (violable && violated > 0 ? 1 : 0), 0)
  const possible = rules.reduce((sum, { violable }) => sum + (violable ? 2 : 1), 0)
  return {
    seen,
    possible,
    percent: Math.floor((seen / possible) * 1000) / 10,
    never_exercised: rules.filter(({ satisfied, violated }) => satisfied + violated === 0).map(({ rule }) => rule),
    never_violated: rules.filter(({ satisfied, violated, violable }) => violable && satisfied > 0 && violated === 0).map(({ rule }) => rule),
    rules
  }
}
