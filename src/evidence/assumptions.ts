/** How many answers relied on each assumption, and the first of them. */
import { ASSUMPTION_IDS, ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'

const MOST_CALLS = 20
export type Usage = { times: number; calls: readonly string[] }

const unused = () => ASSUMPTION_IDS.map((): { times: number; calls: string[] } => ({ times: 0, calls: [] }))

export class AssumptionUsage {
  /** By the place of the assumption in the ledger. */
  #usages = unused()

  /** Counts a call for each assumption that its answer relied on, given by their places in the ledger. */
  count(relied: readonly number[], call: string): void {
    for (const place of relied) {
      const usage = this.#usages[place] as { times: number; calls: string[] }
      if (usage.times++ < MOST_CALLS) usage.calls.push(call)
    }
  }

  get(assumption: AssumptionId): Usage {
    return this.#usages[ASSUMPTION_PLACES.get(assumption) as number] as Usage
  }

  /** The assumptions that some answer relied on, in the order of the ledger. */
  ids(): AssumptionId[] {
    return ASSUMPTION_IDS.filter(id => this.get(id).times > 0)
  }

  clear(): void {
    this.#usages = unused()
  }
}
