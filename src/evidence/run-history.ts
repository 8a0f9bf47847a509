/** What became of the scripts and expectations of a run. */

import type { Verdict } from '../scenario/expect/tally.js'
import type { ListedEntry } from '../scenario/script.js'

/** What came since the last load or reset; `sandbox` is null for the base address. */
export type Period = {
  sandbox: string | null
  scenario: string
  script: readonly ListedEntry[]
  verdicts: readonly Verdict[]
}
/** Over all periods: the verdict that counts against it most, and the tests that it is about. */
export type Judged = Verdict & {
  sandbox: string | null
  tests: string[]
  periods: { met: number; of: number }
}

/** Maximum number of different entries, and of expectations, that are judged. */
const MAX_KNOWN = 10_000
/** Tests of one of them, and characters that all say together. */
const MAX_TESTS = 100
const MAX_CHARACTERS = 16_777_216

export class RunHistory {
  /** Entries by what they say, and how many before them said the same. */
  #entries = new Map<string, { entry: ListedEntry; applied: boolean }>()
  #expectations = new Map<string, Judged>()
  /** Scenarios that were loaded, by whether they got a request. */
  #scenarios = new Map<string, boolean>()
  isEmpty = true
  #characters = 0
  /** Fulfilled when every period that is over was added; rejected by a defect. */
  settled: Promise<unknown> = Promise.resolve()

  judge(period: Promise<Period>): void {
    this.isEmpty = false
    this.settled = Promise.all([this.settled, period]).then(([, judged]) => this.add(judged))
    this.settled.catch(() => {})
  }

  with(periods: readonly Period[]): RunHistory {
    const history = new RunHistory()
    history.#entries = new Map(this.#entries)
    history.#expectations = new Map(this.#expectations)
    history.#scenarios = new Map(this.#scenarios)
    history.isEmpty = this.isEmpty
    history.#characters = this.#characters
    for (const period of periods) history.add(period)
    return history
  }

  /** Takes note of a scenario that was loaded. */
  load(scenario: string, isUsed = false): void {
    const before = this.#scenarios.get(scenario)
    if (before !== undefined || this.#hasRoom(this.#scenarios, scenario))
      this.#scenarios.set(scenario, isUsed || before === true)
  }

  add({ sandbox, scenario, script, verdicts }: Period): void {
    this.isEmpty = false
    this.load(scenario, true)
    const alike = new Map<string, number>()
    for (const entry of script) {
      if (Number(entry.entry.calls) === 0) continue
      const said = JSON.stringify(entry.entry)
      const nth = (alike.get(said) ?? 0) + 1
      alike.set(said, nth)
      const key = `${nth} ${said}`
      const before = this.#entries.get(key)
      if (before === undefined && !this.#hasRoom(this.#entries, said)) continue
      const applied = entry.applied > 0 || before?.applied === true
      this.#entries.set(key, { entry: before?.entry.near_misses ? before.entry : entry, applied })
    }
    for (const verdict of verdicts) {
      const key = JSON.stringify([sandbox, verdict.wanted])
      const before = this.#expectations.get(key)
      if (before === undefined && !this.#hasRoom(this.#expectations, verdict.wanted)) continue
      this.#expectations.set(key, judgedAfter(before, { ...verdict, sandbox }))
    }
  }

  #hasRoom({ size }: ReadonlyMap<string, unknown>, { length }: string): boolean {
    if (size >= MAX_KNOWN || this.#characters + length > MAX_CHARACTERS) return false
    this.#characters += length
    return true
  }

  unusedScenarios(): string[] {
    return [...this.#scenarios].flatMap(([name, isUsed]) => (isUsed ? [] : [name]))
  }

  unused(): ListedEntry[] {
    return [...this.#entries.values()].filter(({ applied }) => !applied).map(({ entry }) => entry)
  }

  /** What is demanded must be met in some period; what is forbidden counts in any. */
  judged(): Judged[] {
    return [...this.#expectations.values()].map(judged =>
      judged.forbidden || judged.periods.met === 0
        ? judged
        : { ...judged, verdict: 'met', holds: true }
    )
  }
}

/** How much a verdict counts against an expectation. */
const weightOf = ({ forbidden, verdict }: Verdict): number =>
  forbidden ? 3 : { unmet: 2, 'never exercised': 1, met: 0 }[verdict]

function judgedAfter(
  before: Judged | undefined,
  verdict: Verdict & { sandbox: string | null }
): Judged {
  const { met, of } = before?.periods ?? { met: 0, of: 0 }
  const periods = { met: met + Number(verdict.holds), of: of + 1 }
  const now = { ...verdict, tests: verdict.tests ?? [], periods }
  if (before === undefined || weightOf(verdict) > weightOf(before)) return now
  const tests = weightOf(verdict) === weightOf(before) ? now.tests : []
  return {
    ...before,
    tests: [...new Set([...before.tests, ...tests])].slice(0, MAX_TESTS),
    periods
  }
}
