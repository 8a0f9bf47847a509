/** What requests add up to, of a sandbox or of a whole run. */

import { hasReached, STAGE } from '../engine/outcome.js'
import { ASSUMPTION_IDS, ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import { CURSORS } from '../reference/parameters.js'
import { RULE_IDS, RULE_PLACES, RULES, type Rule, type RuleId } from '../reference/rules.js'
import type { Entry, Judgement } from './entry.js'
import {
  FINDINGS,
  type Finding,
  FindingCounts,
  type FindingId,
  type Found,
  named,
  type Use,
  unused
} from './findings.js'

export class Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new AssumptionUsage()
  readonly metrics = new Metrics()
  readonly tests = new TestTotals()
  readonly found = new FindingCounts()
  #cursor: string = CURSORS[0]

  /** Adds a request by its name in these totals; without a judgement only that it came. */
  add(entry: Entry, judgement: Judgement | null, name: string): void {
    this.metrics.add(entry)
    this.tests.add(entry, judgement)
    if (judgement === null) return
    this.#cursor = entry.settings['pagination.cursors'][0]
    this.coverage.add(judgement)
    this.assumptions.add(judgement, name)
  }

  /** Adds what a test caused. Returns the requests that are named for it from now on. */
  addFound(found: Found, requests: readonly string[], test: string | null): readonly string[] {
    this.tests.addFound(found, test)
    return this.found.add(found, requests)
  }

  findings(): Finding[] {
    return this.found.list(this.#cursor)
  }
}

type Outcomes = { satisfied: number; violated: number }
export type RuleCoverage = Outcomes & {
  rule: RuleId
  text: string
  violable: boolean
  keepable: boolean
}
export type CoverageReport = {
  rules: RuleCoverage[]
  /** Outcomes: two for a rule that requests can both keep and break, one for any other. */
  seen: number
  possible: number
  percent: number
  never_exercised: RuleId[]
  /** Rules that were kept and never broken, though a request can break them. */
  never_violated: RuleId[]
}

export class Coverage {
  /** Requests by the places of the rules that they kept and broke. */
  readonly #kept = new Uint32Array(RULE_IDS.length)
  readonly #broken = new Uint32Array(RULE_IDS.length)

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

  seen(what: 'kept' | 'broken'): RuleId[] {
    const counts = what === 'kept' ? this.#kept : this.#broken
    return RULE_IDS.filter((_, place) => (counts[place] as number) > 0)
  }

  report(): CoverageReport {
    return reportOf(place => ({
      satisfied: this.#kept[place] as number,
      violated: this.#broken[place] as number
    }))
  }
}

export function mergedReports(reports: readonly Pick<CoverageReport, 'rules'>[]): CoverageReport {
  const sum = (place: number, outcome: keyof Outcomes) =>
    reports.reduce((total, { rules }) => total + (rules[place] as RuleCoverage)[outcome], 0)
  return reportOf(place => ({
    satisfied: sum(place, 'satisfied'),
    violated: sum(place, 'violated')
  }))
}

function reportOf(outcomesOf: (place: number) => Outcomes): CoverageReport {
  const rules = RULE_IDS.map((rule, place) => {
    const { text, violable, keepable }: Rule = RULES[rule]
    return { rule, text, violable, keepable: keepable !== false, ...outcomesOf(place) }
  })
  const count = (isOne: (rule: RuleCoverage) => boolean) => rules.filter(isOne).length
  const seen = count(({ satisfied }) => satisfied > 0) + count(({ violated }) => violated > 0)
  const possible = count(({ keepable }) => keepable) + count(({ violable }) => violable)
  return {
    seen,
    possible,
    percent: Math.floor((seen / possible) * 1000) / 10,
    never_exercised: rules
      .filter(({ satisfied, violated }) => satisfied + violated === 0)
      .map(({ rule }) => rule),
    never_violated: rules
      .filter(({ satisfied, violated, violable }) => violable && satisfied > 0 && violated === 0)
      .map(({ rule }) => rule),
    rules
  }
}

export class AssumptionUsage {
  readonly #uses = ASSUMPTION_IDS.map(unused)

  add({ relied }: Judgement, request: string): void {
    for (const place of relied) {
      const use = this.#uses[place] as Use
      use.times++
      named(use, request)
    }
  }

  get(assumption: AssumptionId): Use {
    return this.#uses[ASSUMPTION_PLACES.get(assumption) as number] as Use
  }

  ids(): AssumptionId[] {
    return ASSUMPTION_IDS.filter(id => this.get(id).times > 0)
  }
}

export const LATENCY_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const
/** Latencies: the last bucket is above every bound, and `sum` in milliseconds. */
export type Latency = { buckets: number[]; sum: number }
export type OperationLabel = OperationId | 'none'

type Counts = { statuses: Map<number, number>; latency: Latency }

export class Metrics {
  readonly operations = new Map<OperationLabel, Counts>()
  /** Requests that a script entry was applied to, and those with a right key that met an operation. */
  scripted = 0
  reached = 0

  get total(): number {
    return [...this.operations.values()]
      .flatMap(({ statuses }) => [...statuses.values()])
      .reduce((sum, count) => sum + count, 0)
  }

  add(entry: Entry): void {
    const { operation, outcome, ms, script } = entry
    const { status } = outcome
    const label = operation ?? 'none'
    const { statuses, latency } = this.operations.get(label) ?? this.#begin(label)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    let place = 0
    while (place < LATENCY_BOUNDS.length && ms > (LATENCY_BOUNDS[place] as number)) place++
    latency.buckets[place] = (latency.buckets[place] as number) + 1
    latency.sum += ms
    if (script !== null) this.scripted++
    if (hasReached(entry, STAGE.identified)) this.reached++
  }

  #begin(label: OperationLabel): Counts {
    const counts = {
      statuses: new Map(),
      latency: { buckets: [...LATENCY_BOUNDS.map(() => 0), 0], sum: 0 }
    }
    this.operations.set(label, counts)
    return counts
  }
}

export type RunTest = {
  test: string | null
  calls: number
  refused: number
  kept: RuleId[]
  broken: RuleId[]
  findings: { finding: FindingId; times: number }[]
}

export const MAX_TESTS = 2000

class TestUse {
  calls = 0
  refused = 0
  readonly coverage = new Coverage()
  readonly findings = new Map<FindingId, number>()
}

export class TestTotals {
  readonly #tests = new Map<string | null, TestUse>()
  omitted = 0

  add({ caller: { test }, outcome }: Entry, judgement: Judgement | null): void {
    const use = this.#tests.get(test) ?? this.#begin(test)
    if (use === null) {
      this.omitted++
      return
    }
    use.calls++
    if (outcome.name === 'refused') use.refused++
    if (judgement !== null) use.coverage.add(judgement)
  }

  addFound({ finding, times }: Found, test: string | null): void {
    const findings = (this.#tests.get(test) ?? this.#begin(test))?.findings
    findings?.set(finding, (findings.get(finding) ?? 0) + times)
  }

  #begin(test: string | null): TestUse | null {
    if (this.#tests.size >= MAX_TESTS) return null
    const use = new TestUse()
    this.#tests.set(test, use)
    return use
  }

  list(): RunTest[] {
    return [...this.#tests].map(([test, { calls, refused, coverage, findings }]) => ({
      test,
      calls,
      refused,
      kept: coverage.seen('kept'),
      broken: coverage.seen('broken'),
      findings: (Object.keys(FINDINGS) as FindingId[]).flatMap(finding => {
        const times = findings.get(finding) ?? 0
        return times > 0 ? [{ finding, times }] : []
      })
    }))
  }
}
