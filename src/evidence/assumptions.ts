/** How many answers relied on each assumption, and the first of them. */
import { ASSUMPTION_IDS, type AssumptionId } from '../reference/assumptions.js'

const MOST_CALLS = 20
export type Usage = { times: number; calls: readonly string[] }

export class AssumptionUsage {
  readonly #times = new Map<AssumptionId, { times: number; calls: string[] }>()

  /** Counts a call for each assumption that its answer relied on. */
  count(relied: readonly AssumptionId[], call: string): void {
    for (const assumption of relied) {
      let usage = this.#times.get(assumption)
      if (usage === undefined) {
        usage = { times: 0, calls: [] }
        this.#times.set(assumption, usage)
      }
      usage.times++
      if (usage.calls.length < MOST_CALLS) usage.calls.push(call)
    }
  }

  get(assumption: AssumptionId): Usage {
    return this.#times.get(assumption) ?? { times: 0, calls: [] }
  }

  /** The assumptions that some answer relied on, in the order of the ledger. */
  ids(): AssumptionId[] {
    return ASSUMPTION_IDS.filter(id => this.#times.has(id))
  }

  clear(): void {
    this.#times.clear()
  }
}
