/** What became of scripts and expectations in a run, over every period of every sandbox. */
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'

/** A sandbox since its last load or reset, and the tests that its requests named. */
export type Period = {
  sandbox: string | null
  tests: readonly string[]
  script: readonly ListedEntry[]
  verdicts: readonly Verdict[]
}
/** An expectation that a sandbox did not meet, and the tests of the periods in which it did not. */
export type Unmet = Verdict & { sandbox: string | null; tests: string[] }
/** `verdict` is the first that counts against an expectation, null where none does. */
type Judged = { isMet: boolean; verdict: Verdict | null; tests: ReadonlySet<string> }

/** Entries that differ, and expectations of all sandboxes; further ones are not judged. */
const MAX_KNOWN = 10_000
/** Characters that they say, together. */
const MAX_CHARACTERS = 16_777_216
const NOT_JUDGED: Judged = { isMet: false, verdict: null, tests: new Set() }

export class RunHistory {
  /** By what they say and how many before them said the same, with whether any period used them. */
  readonly #entries: Map<string, { entry: ListedEntry; applied: boolean }>
  /** Expectations by their sandbox and what they want. */
  readonly #expectations: Map<string, Judged & { sandbox: string | null }>
  readonly #sandboxes: Set<string | null>
  /** Characters that entries and expectations say. */
  #characters: number
  /** Fulfilled when every period that is over was judged and added; rejected by a defect. */
  settled: Promise<unknown> = Promise.resolve()

  /** With what another one knows. */
  constructor(known: RunHistory | null = null) {
    this.#entries = new Map(known === null ? [] : known.#entries)
    this.#expectations = new Map(known === null ? [] : known.#expectations)
    this.#sandboxes = new Set(known === null ? [] : known.#sandboxes)
    this.#characters = known === null ? 0 : known.#characters
  }

  /** Nothing was added yet. */
  get isEmpty(): boolean {
    return this.#sandboxes.size === 0
  }

  /** Adds a period that is over, when it has been judged. */
  judge(sandbox: string | null, period: Promise<Period>): void {
    this.#sandboxes.add(sandbox)
    this.settled = Promise.all([this.settled, period]).then(([, judged]) => this.add(judged))
    this.settled.catch(() => {})
  }

  /** Whether a period of a sandbox was added. */
  knows(sandbox: string | null): boolean {
    return this.#sandboxes.has(sandbox)
  }

  /** A history of the same, and of these periods, which go on. */
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

  /** The entries that applied in no period. */
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

/** Too many requests in any period count against an expectation; too few only if none met it. */
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
