/** What requests add up to, of a sandbox or of a whole run. */
import { hasReached, STAGE } from '../engine/outcome.js'
import type { AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import { RULE_IDS, RULE_PLACES, RULES, type Rule, type RuleId } from '../reference/rules.js'
import type { Entry } from './entry.js'
import { FINDING_IDS, FINDINGS, type Finding, type FindingId, type Raised } from './findings.js'
import type { Judgement } from './judgement.js'

type Use = { times: number; requests: string[] }

export const MAX_NAMED = 20

/** How often each was found or relied on; the first requests are named. */
export class Uses<K extends string> {
  #uses = new Map<K, Use>()

  get(key: K): Use {
    return this.#uses.get(key) ?? { times: 0, requests: [] }
  }

  /** A use by one request. */
  count(key: K, request: string) {
    const use = this.get(key)
    if (use.times++ === 0) this.#uses.set(key, use)
    named(use, request)
  }

  /** Returns those that it names only now; `times` is -1 to retract an earlier use. */
  add(key: K, requests: readonly string[], times: 1 | -1 = 1): string[] {
    const use = this.get(key)
    this.#uses.set(key, use)
    use.times += times
    if (times === -1) use.requests = use.requests.filter(id => !requests.includes(id))
    return requests.filter(id => times === 1 && named(use, id))
  }

  used(keys: readonly K[]): K[] {
    return keys.filter(key => this.get(key).times > 0)
  }

  isNamed(request: string) {
    return [...this.#uses.values()].some(({ requests }) => requests.includes(request))
  }
}

function named({ requests }: Use, request: string) {
  if (requests.length === MAX_NAMED || requests.includes(request)) return false
  requests.push(request)
  return true
}

export class Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new Uses<AssumptionId>()
  readonly found = new Uses<FindingId>()

  /** By its name in these totals. */
  add({ judgement }: Entry, name: string) {
    this.coverage.add(judgement)
    for (const assumption of judgement.relied) this.assumptions.count(assumption, name)
  }

  findings(): Finding[] {
    return this.found
      .used(FINDING_IDS)
      .map(finding => ({ finding, ...FINDINGS[finding], ...this.found.get(finding) }))
  }
}

type RuleOutcome = 'passed' | 'violated'
export type CoverageReport = ReturnType<Coverage['report']>
export type RuleCoverage = CoverageReport['rules'][number]

export class Coverage {
  #counts = {
    passed: new Uint32Array(RULE_IDS.length),
    violated: new Uint32Array(RULE_IDS.length)
  }

  add(judgement: Judgement) {
    const { passed, violated } = this.#counts
    for (const rule of judgement.passed) countAt(passed, rule)
    if (judgement.violated !== null) countAt(violated, judgement.violated)
  }

  clear() {
    for (const counts of Object.values(this.#counts)) counts.fill(0)
  }

  seen(outcome: RuleOutcome): RuleId[] {
    return RULE_IDS.filter((_, place) => this.#counts[outcome][place] !== 0)
  }

  report() {
    const rules = RULE_IDS.map((rule, place) => {
      const { text, violable, passable }: Rule = RULES[rule]
      const countOf = (outcome: RuleOutcome) => Number(this.#counts[outcome][place])
      const counts = { passed: countOf('passed'), violated: countOf('violated') }
      return { rule, text, violable, passable: passable !== false, ...counts }
    })
    const idsOf = (is: (rule: (typeof rules)[number]) => boolean) =>
      rules.filter(is).map(({ rule }) => rule)
    const passed = idsOf(rule => rule.passed > 0)
    const violated = idsOf(rule => rule.violated > 0)
    const violable = idsOf(({ violable }) => violable)
    const seen = passed.length + violated.length
    const possible = idsOf(({ passable }) => passable).length + violable.length
    return {
      // outcomes: two for a rule that requests can both pass and violate, one for any other
      seen,
      possible,
      percent: Math.floor((seen / possible) * 1000) / 10,
      never_exercised: RULE_IDS.filter(rule => !passed.includes(rule) && !violated.includes(rule)),
      never_violated: passed.filter(rule => violable.includes(rule) && !violated.includes(rule)),
      rules
    }
  }
}

function countAt(counts: Uint32Array, rule: RuleId) {
  const place = RULE_PLACES[rule]
  counts[place] = (counts[place] as number) + 1
}

const newCounts = () => ({ statuses: new Map<number, number>(), ms: 0 })

export class Metrics {
  readonly operations = new Map<OperationId | 'none', ReturnType<typeof newCounts>>()
  total = 0
  /** Requests with a valid key and a known operation. */
  reached = 0

  add(entry: Entry) {
    const { operation, outcome, ms } = entry
    const label = operation ?? 'none'
    const counts = this.operations.get(label) ?? newCounts()
    this.operations.set(label, counts)
    const { statuses } = counts
    statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
    counts.ms += ms
    this.total++
    if (hasReached(entry, STAGE.identified)) this.reached++
  }
}

export type RunTest = ReturnType<TestTotals['list']>[number]
export const MAX_TESTS = 2000

const newTest = () => ({
  calls: 0,
  refused: 0,
  coverage: new Coverage(),
  findings: new Uses<FindingId>()
})

export class TestTotals {
  #tests = new Map<string | null, ReturnType<typeof newTest>>()
  omitted = 0

  add({ caller, outcome, judgement }: Entry) {
    const test = this.#test(caller.test)
    if (test === undefined) this.omitted++
    else {
      test.calls++
      if (outcome.name === 'refused') test.refused++
      test.coverage.add(judgement)
    }
  }

  addFound({ finding, times }: Raised, name: string | null) {
    this.#test(name)?.findings.add(finding, [], times)
  }

  #test(name: string | null) {
    if (!this.#tests.has(name) && this.#tests.size < MAX_TESTS) this.#tests.set(name, newTest())
    return this.#tests.get(name)
  }

  list() {
    return [...this.#tests].map(([test, { calls, refused, coverage, findings }]) => ({
      test,
      calls,
      refused,
      passed: coverage.seen('passed'),
      violated: coverage.seen('violated'),
      findings: findings
        .used(FINDING_IDS)
        .map(finding => ({ finding, times: findings.get(finding).times }))
    }))
  }
}
