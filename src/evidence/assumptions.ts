/** How many answers relied on each assumption, and the first of them. */
import { ASSUMPTION_IDS, ASSUMPTION_PLACES, type AssumptionId } from '../reference/assumptions.js'
import type { Judgement } from './judgement.js'

const MAX_REQUESTS = 20
export type Usage = { times: number; requests: readonly string[] }

const unused = () => ASSUMPTION_IDS.map((): { times: number; requests: string[] } => ({ times: 0, requests: [] }))

export class AssumptionUsage {
  /** By the place of the assumption in the ledger. */
  #usages = unused()

  /** Counts a request, by its name, for each assumption that its answer relied on. */
  add({ relied }: Judgement, request: string): void {
    for (const place of relied) {
      const usage = this.#usages[place] as { times: number; requests: string[] }
      if (usage.times++ < MAX_REQUESTS) usage.requests.push(request)
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
