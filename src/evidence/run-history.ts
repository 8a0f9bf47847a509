/** What became of scripts and expectations in a run: over every sandbox, and every period between two loads or resets of it. */
import type { Verdict } from '../scenario/expectations.js'
import type { ListedEntry } from '../scenario/script.js'

/** A sandbox's script and expectations since its last load or reset. */
export type Period = { script: readonly ListedEntry[]; verdicts: readonly Verdict[] }

/** Most entries that differ, and most expectations that differ; further ones are not judged. */
const MOST = 10_000

export class RunHistory {
  /** Entries by what they say and how many before them said the same, each with whether it applied to a call in any period. */
  readonly #entries = new Map<string, { entry: ListedEntry; applied: boolean }>()
  /** Expectations by what they want, each with the first verdict that still counts against it. */
  readonly #expectations = new Map<string, { exceeded: boolean; isMet: boolean; verdict: Verdict }>()

  /** Nothing was added yet. */
  isEmpty = true

  /** A history of the same, and of these periods, which go on. */
  with(periods: readonly Period[]): RunHistory {
    const history = new RunHistory()
    history.isEmpty = this.isEmpty
    for (const [key, entry] of this.#entries) history.#entries.set(key, entry)
    for (const [wanted, expectation] of this.#expectations) history.#expectations.set(wanted, expectation)
    for (const period of periods) history.add(period)
    return history
  }

  add({ script, verdicts }: Period): void {
    this.isEmpty = false
    const alike = new Map<string, number>()
    for (const entry of script) {
      const said = JSON.stringify(entry.entry)
      const nth = (alike.get(said) ?? 0) + 1
      alike.set(said, nth)
      const key = `${nth} ${said}`
      if (this.#entries.size >= MOST && !this.#entries.has(key)) continue
      const applied = entry.applied > 0 || this.#entries.get(key)?.applied === true
      this.#entries.set(key, { entry, applied })
    }
    for (const verdict of verdicts) {
      const before = this.#expectations.get(verdict.wanted)
      if (before === undefined && this.#expectations.size >= MOST) continue
      const { exceeded, isMet, verdict: first } = before ?? { exceeded: false, isMet: false, verdict }
      const counts = verdict.exceeded && !exceeded ? verdict : first
      this.#expectations.set(verdict.wanted, { exceeded: exceeded || verdict.exceeded, isMet: isMet || verdict.holds, verdict: counts })
    }
  }

  /** The entries that applied in no period. */
  unused(): ListedEntry[] {
    return [...this.#entries.values()].filter(({ applied }) => !applied).map(({ entry }) => entry)
  }

  /** The expectations that more calls came for in some period, or that were met in none. */
  unmet(): Verdict[] {
    return [...this.#expectations.values()].filter(({ exceeded, isMet }) => exceeded || !isMet).map(({ verdict }) => verdict)
  }
}
