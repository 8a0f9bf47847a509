/** What became of scripts and expectations in a run: of every sandbox, over every period between two loads or resets of it. */
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'

/** A sandbox's script and expectations since its last load or reset, and the tests that its requests named. The sandbox at the base address has no name. */
export type Period = { sandbox: string | null; tests: readonly string[]; script: readonly ListedEntry[]; verdicts: readonly Verdict[] }
/** An expectation that a sandbox did not meet, and the tests of the periods in which it did not. */
export type Unmet = Verdict & { sandbox: string | null; tests: string[] }
/** What is known of an expectation of a sandbox; `verdict` is the first that counts against it, null where none does. */
type Judged = { isMet: boolean; verdict: Verdict | null; tests: ReadonlySet<string> }

/** Most entries that differ, and most expectations of all sandboxes; further ones are not judged. */
const MOST = 10_000
/** Characters that they say, together. */
const MAX_CHARACTERS = 16_777_216
const NOT_JUDGED: Judged = { isMet: false, verdict: null, tests: new Set() }

export class RunHistory {
  /** Entries by what they say and how many before them said the same, each with whether it applied to a call in any period. */
  readonly #entries = new Map<string, { entry: ListedEntry; applied: boolean }>()
  /** What is known of expectations, by what they want, in each sandbox. */
  readonly #sandboxes = new Map<string | null, Map<string, Judged>>()
  /** How many expectations are known. */
  #size = 0
  /** Characters that entries and expectations say. */
  #characters = 0
  /** Fulfilled when every period that is over was judged and added; rejected by a defect, which is told to who waits for it. */
  settled: Promise<unknown> = Promise.resolve()

  /** Nothing was added yet. */
  get isEmpty(): boolean {
    return this.#sandboxes.size === 0
  }

  /** Adds a period that is over, when it has been judged. */
  judge(sandbox: string | null, period: Promise<Period>): void {
    this.#expectationsIn(sandbox)
    this.settled = Promise.all([this.settled, period]).then(([, judged]) => this.add(judged))
    this.settled.catch(() => {})
  }

  /** Whether a period of a sandbox was added. */
  knows(sandbox: string | null): boolean {
    return this.#sandboxes.has(sandbox)
  }

  /** A history of the same, and of these periods, which go on. */
  with(periods: readonly Period[]): RunHistory {
    const history = new RunHistory()
    for (const [key, entry] of this.#entries) history.#entries.set(key, entry)
    for (const [sandbox, expectations] of this.#sandboxes) history.#sandboxes.set(sandbox, new Map(expectations))
    history.#size = this.#size
    history.#characters = this.#characters
    for (const period of periods) history.add(period)
    return history
  }

  add({ sandbox, tests, script, verdicts }: Period): void {
    const alike = new Map<string, number>()
    for (const entry of script) {
      const said = JSON.stringify(entry.entry)
      const nth = (alike.get(said) ?? 0) + 1
      alike.set(said, nth)
      const key = `${nth} ${said}`
      const before = this.#entries.get(key)
      if (before === undefined && (this.#entries.size >= MOST || !this.#hasRoom(said))) continue
      const applied = entry.applied > 0 || before?.applied === true
      this.#entries.set(key, { entry: before?.entry.near_misses ? before.entry : entry, applied })
    }
    const expectations = this.#expectationsIn(sandbox)
    for (const verdict of verdicts) {
      const before = expectations.get(verdict.wanted)
      if (before === undefined && (this.#size++ >= MOST || !this.#hasRoom(verdict.wanted))) continue
      expectations.set(verdict.wanted, judgedAfter(before ?? NOT_JUDGED, verdict, tests))
    }
  }

  /** Whether a text may be kept, which is then counted. */
  #hasRoom({ length }: string): boolean {
    if (this.#characters + length > MAX_CHARACTERS) return false
    this.#characters += length
    return true
  }

  #expectationsIn(sandbox: string | null): Map<string, Judged> {
    const expectations = this.#sandboxes.get(sandbox) ?? new Map<string, Judged>()
    this.#sandboxes.set(sandbox, expectations)
    return expectations
  }

  /** The entries that applied in no period. */
  unused(): ListedEntry[] {
    return [...this.#entries.values()].filter(({ applied }) => !applied).map(({ entry }) => entry)
  }

  /** The expectations of each sandbox that more calls came for in some period of it, or that were met in none. */
  unmet(): Unmet[] {
    return [...this.#sandboxes].flatMap(([sandbox, expectations]) =>
      [...expectations.values()].flatMap(({ isMet, verdict, tests }) =>
        verdict !== null && (verdict.exceeded || !isMet) ? [{ ...verdict, sandbox, tests: [...tests] }] : []
      )
    )
  }
}

/** A period in which more calls came than may counts against an expectation, whatever others say; one in which fewer came only where none met it. */
function judgedAfter({ isMet, verdict: before, tests }: Judged, verdict: Verdict, more: readonly string[]): Judged {
  if (verdict.holds) return { isMet: true, verdict: before, tests }
  if (before?.exceeded && !verdict.exceeded) return { isMet, verdict: before, tests }
  if (before?.exceeded === verdict.exceeded) return { isMet, verdict: before, tests: new Set([...tests, ...more]) }
  return { isMet, verdict, tests: new Set(more) }
}
