/** What each test of a run did: the calls that named it by their header, the rules that they kept and broke, and the findings that they caused. */
import type { Exchange } from '../engine/exchange.js'
import { RULE_IDS, RULE_PLACES, type RuleId } from '../reference/rules.js'
import { FINDINGS, type FindingId } from './findings.js'
import type { Judgement } from './judgement.js'

/** A test; `test` is null for the calls that named none. */
export type RunTest = {
  test: string | null
  calls: number
  refused: number
  kept: RuleId[]
  broken: RuleId[]
  findings: { finding: FindingId; times: number }[]
}

/** Tests that are counted; calls of further ones are not counted by test. */
export const MOST_TESTS = 2000

class TestUse {
  calls = 0
  refused = 0
  /** How many calls kept and broke each rule, by its place in the ledger. */
  readonly kept = new Uint32Array(RULE_IDS.length)
  readonly broken = new Uint32Array(RULE_IDS.length)
  readonly findings = new Map<FindingId, number>()
}

export class TestTotals {
  readonly #tests = new Map<string | null, TestUse>()
  #omitted = 0

  /** Calls of tests that are not counted. */
  get omitted(): number {
    return this.#omitted
  }

  /** Counts a request that is over, and what it shows where it was judged. */
  add({ test, outcome }: Exchange, judgement: Judgement | null): void {
    const use = this.#of(test)
    if (use === null) {
      this.#omitted++
      return
    }
    use.calls++
    if (outcome.name === 'refused') use.refused++
    if (judgement === null) return
    for (const place of judgement.kept) use.kept[place] = (use.kept[place] as number) + 1
    if (judgement.broken === null) return
    const place = RULE_PLACES.get(judgement.broken) as number
    use.broken[place] = (use.broken[place] as number) + 1
  }

  addFinding(finding: FindingId, test: string | null): void {
    const findings = this.#of(test)?.findings
    findings?.set(finding, (findings.get(finding) ?? 0) + 1)
  }

  #of(test: string | null): TestUse | null {
    const known = this.#tests.get(test)
    if (known !== undefined) return known
    if (this.#tests.size >= MOST_TESTS) return null
    const use = new TestUse()
    this.#tests.set(test, use)
    return use
  }

  clear(): void {
    this.#tests.clear()
    this.#omitted = 0
  }

  /** In the order in which the tests came; `open` are the tests of the empty pages that no call continued from so far. */
  list(open: readonly (string | null)[]): RunTest[] {
    return [...this.#tests].map(([test, { calls, refused, kept, broken, findings }]) => {
      const more = open.filter(name => name === test).length
      const timesOf = (finding: FindingId) => (findings.get(finding) ?? 0) + (finding === 'stopped-at-empty-page' ? more : 0)
      return {
        test,
        calls,
        refused,
        kept: rulesIn(kept),
        broken: rulesIn(broken),
        findings: (Object.keys(FINDINGS) as FindingId[]).flatMap(finding => (timesOf(finding) > 0 ? [{ finding, times: timesOf(finding) }] : []))
      }
    })
  }
}

/** The rules that were counted. */
const rulesIn = (counts: Uint32Array): RuleId[] => RULE_IDS.filter((_, place) => (counts[place] as number) > 0)
