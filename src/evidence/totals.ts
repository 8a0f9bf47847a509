/** What requests add up to, of a sandbox or of a whole run. */
import { hasReached, STAGE } from '../engine/outcome.js'
import { ASSUMPTION_IDS, ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import type { OperationId } from '../reference/operations.js'
import { RULE_IDS, RULE_PLACES, RULES, type Rule, type RuleId } from '../reference/rules.js'
import type { Entry } from './entry.js'
import { FINDING_IDS, FINDINGS, type Finding, type FindingId, type Raised } from './findings.js'
import type { Judgement } from './judgement.js'

/** The first requests are named. */
type Use = { times: number; requests: string[] }

export const MAX_NAMED = 20

const unused = (): Use => ({ times: 0, requests: [] })

function named({ requests }: Use, request: string) {
  if (requests.length === MAX_NAMED || requests.includes(request)) return false
  requests.push(request)
  return true
}

export class FindingCounts {
  #uses = new Map<FindingId, Use>()

  add({ finding, times }: Raised, requests: readonly string[]): readonly string[] {
    const use = this.#uses.get(finding) ?? unused()
    this.#uses.set(finding, use)
    use.times += times
    if (times === 1) return requests.filter(id => named(use, id))
    use.requests = use.requests.filter(id => !requests.includes(id))
    return []
  }

  isNamed(request: string) {
    return [...this.#uses.values()].some(({ requests }) => requests.includes(request))
  }

  list(): Finding[] {
    return FINDING_IDS.flatMap(finding => {
      const { times, requests } = this.#uses.get(finding) ?? unused()
      return times <= 0 ? [] : [{ finding, ...FINDINGS[finding], times, requests: [...requests] }]
    })
  }
}

export class Totals {
  readonly coverage = new Coverage()
  readonly assumptions = new AssumptionUsage()
  readonly found = new FindingCounts()

  /** By its name in these totals. */
  add({ judgement }: Entry, name: string) {
    this.coverage.add(judgement)
    this.assumptions.add(judgement, name)
  }

  findings(): Finding[] {
    return this.found.list()
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
    for (const place of judgement.passed) countAt(passed, place)
    if (judgement.violated !== null) countAt(violated, RULE_PLACES[judgement.violated])
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

function countAt(counts: Uint32Array, place: number) {
  counts[place] = (counts[place] as number) + 1
}

export class AssumptionUsage {
  #uses = ASSUMPTION_IDS.map(unused)

  add({ relied }: Judgement, request: string) {
    for (const place of relied) {
      const use = this.#uses[place] as Use
      use.times++
      named(use, request)
    }
  }

  get(assumption: AssumptionId): Use {
    return this.#uses[ASSUMPTION_PLACES[assumption]] as Use
  }

  ids(): AssumptionId[] {
    return ASSUMPTION_IDS.filter(id => this.get(id).times > 0)
  }
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
  found: new FindingCounts()
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

  addFound(raised: Raised, name: string | null) {
    this.#test(name)?.found.add(raised, [])
  }

  #test(name: string | null) {
    if (!this.#tests.has(name) && this.#tests.size < MAX_TESTS) this.#tests.set(name, newTest())
    return this.#tests.get(name)
  }

  list() {
    return [...this.#tests].map(([test, { calls, refused, coverage, found }]) => ({
      test,
      calls,
      refused,
      passed: coverage.seen('passed'),
      violated: coverage.seen('violated'),
      findings: found.list().map(({ finding, times }) => ({ finding, times }))
    }))
  }
}
