/** Scripts and expectations of every sandbox, over every period between two loads or resets. */
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'

/** What came since the last load or reset; `sandbox` is null for the base address. */
export type Period = {
  sandbox: string | null
  tests: readonly string[]
  script: readonly ListedEntry[]
  verdicts: readonly Verdict[]
}
/** An expectation that a sandbox did not meet, and the tests of the periods in which it did not. */
export type Unmet = Verdict & { sandbox: string | null; tests: string[] }
/** `verdict` is the first that counts against it, null where none does. */
type Judged = { isMet: boolean; verdict: Verdict | null; tests: ReadonlySet<string> }

/** Maximum number of different entries, and of expectations, that are judged. */
const MAX_KNOWN = 10_000
const MAX_CHARACTERS = 16_777_216
const NOT_JUDGED: Judged = { isMet: false, verdict: null, tests: new Set() }

export class RunHistory {
  /** Entries by what they say, and how many before them said the same. */
  readonly #entries: Map<string, { entry: ListedEntry; applied: boolean }>
  /** Expectations by their sandbox and what they want. */
  readonly #expectations: Map<string, Judged & { sandbox: string | null }>
  readonly #sandboxes: Set<string | null>
  #characters: number
  /** Fulfilled when every period that is over was added; rejected by a defect. */
  settled: Promise<unknown> = Promise.resolve()

  /** With what another one knows. */
  constructor(known: RunHistory | null = null) {
    this.#entries = new Map(known === null ? [] : known.#entries)
    this.#expectations = new Map(known === null ? [] : known.#expectations)
    this.#sandboxes = new Set(known === null ? [] : known.#sandboxes)
    this.#characters = known === null ? 0 : known.#characters
  }

  get isEmpty(): boolean {
    return this.#sandboxes.size === 0
  }

  judge(sandbox: string | null, period: Promise<Period>): void {
    this.#sandboxes.add(sandbox)
    this.settled = Promise.all([this.settled, period]).then(([, judged]) => this.add(judged))
    this.settled.catch(() => {})
  }

  knows(sandbox: string | null): boolean {
    return this.#sandboxes.has(sandbox)
  }

  /** A copy with periods that are not over yet. */
  with(periods: readonly Period[]): RunHistory {
    const history = new RunHistory(this)
    for (const period of periods) history.add(period)
    return history
  }

  add({ sandbox, tests, script, verdicts }: Period): void {
    this.#sandboxes.add(sandbox)
    const alike = new Map<string, number>()
    for (const entry of script) {
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
      this.#expectations.set(key, { sandbox, ...judgedAfter(before ?? NOT_JUDGED, verdict, tests) })
    }
  }

  /** Whether a text may be kept, which is then counted. */
  #hasRoom({ size }: ReadonlyMap<string, unknown>, { length }: string): boolean {
    if (size >= MAX_KNOWN || this.#characters + length > MAX_CHARACTERS) return false
    this.#characters += length
    return true
  }

  unused(): ListedEntry[] {
    return [...this.#entries.values()].filter(({ applied }) => !applied).map(({ entry }) => entry)
  }

  /** The expectations that were exceeded in some period, or met in none. */
  unmet(): Unmet[] {
    return [...this.#expectations.values()].flatMap(({ sandbox, isMet, verdict, tests }) =>
      verdict !== null && (verdict.exceeded || !isMet)
        ? [{ ...verdict, sandbox, tests: [...tests] }]
        : []
    )
  }
}

/** Too many requests always count against it; too few only if no period met it. */
function judgedAfter(
  { isMet, verdict: before, tests }: Judged,
  verdict: Verdict,
  more: readonly string[]
): Judged {
  if (verdict.holds) return { isMet: true, verdict: before, tests }
  if (before?.exceeded && !verdict.exceeded) return { isMet, verdict: before, tests }
  if (before?.exceeded === verdict.exceeded)
    return { isMet, verdict: before, tests: new Set([...tests, ...more]) }
  return { isMet, verdict, tests: new Set(more) }
}
