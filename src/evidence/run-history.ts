/** The verdicts of a run's scripts and expectations. */
import type { Verdict } from '../scenario/expect/tally.js'
import type { ListedEntry } from '../scenario/script.js'

/** From a load or reset to the next; `sandbox` is null for the base address. */
export type Period = {
  sandbox: string | null
  scenario: string
  script: readonly ListedEntry[]
  verdicts: readonly Verdict[]
}
/** The worst verdict of all periods. */
export type Judged = Verdict & {
  sandbox: string | null
  tests: string[]
  periods: { met: number; of: number }
}

/** Maximum of entries and expectations, tests of one, and characters together. */
const MAX_KNOWN = 10_000
const MAX_TESTS = 100
const MAX_CHARACTERS = 16_777_216

export class RunHistory {
  /** By content, and how many equal entries came before. */
  #entries = new Map<string, { entry: ListedEntry; applied: boolean }>()
  #expectations = new Map<string, Judged>()
  /** By whether they got a request. */
  #scenarios = new Map<string, boolean>()
  isEmpty = true
  #characters = 0
  /** Once every period that is over was added; rejected by a defect. */
  settled: Promise<unknown> = Promise.resolve()

  judge(period: Promise<Period>) {
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

  load(scenario: string, isUsed = false) {
    this.#note(this.#scenarios, scenario, scenario, (before = false) => isUsed || before)
  }

  add({ sandbox, scenario, script, verdicts }: Period) {
    this.isEmpty = false
    this.load(scenario, true)
    const alike = new Map<string, number>()
    for (const entry of script) {
      if (Number(entry.entry.calls) === 0) continue
      const text = JSON.stringify(entry.entry)
      const nth = (alike.get(text) ?? 0) + 1
      alike.set(text, nth)
      this.#note(this.#entries, `${nth} ${text}`, text, before => ({
        entry: before?.entry.near_misses ? before.entry : entry,
        applied: entry.applied > 0 || before?.applied === true
      }))
    }
    for (const verdict of verdicts) {
      const { wanted } = verdict
      const key = JSON.stringify([sandbox, wanted])
      this.#note(this.#expectations, key, wanted, before =>
        judgedAfter(before, { ...verdict, sandbox })
      )
    }
  }

  #note<V>(
    known: Map<string, V>,
    key: string,
    { length }: string,
    after: (before: V | undefined) => V
  ): void {
    const before = known.get(key)
    if (before === undefined) {
      if (known.size >= MAX_KNOWN || this.#characters + length > MAX_CHARACTERS) return
      this.#characters += length
    }
    known.set(key, after(before))
  }

  unusedScenarios(): string[] {
    return [...this.#scenarios].flatMap(([name, isUsed]) => (isUsed ? [] : name))
  }

  unused(): ListedEntry[] {
    return [...this.#entries.values()].flatMap(({ entry, applied }) => (applied ? [] : entry))
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

const weightOf = ({ forbidden, verdict }: Verdict) =>
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
