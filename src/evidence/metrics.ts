/** What the metrics of the process show of its calls. */
import type { Exchange } from '../engine/exchange.js'
import type { OperationId } from '../reference/operations.js'

/** Upper bounds of the latency histogram, in milliseconds. */
export const LATENCY_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const
/** Calls by their latency; the last bucket holds those above every bound. `sum` is in milliseconds. */
export type Latency = { buckets: number[]; sum: number }
/** An operation, or `none` where the reference has none. */
export type OperationLabel = OperationId | 'none'

/** The calls of one operation: how many by status, and how long they took. */
type Counts = { statuses: Map<number, number>; latency: Latency }

export class Metrics {
  readonly #counts = new Map<OperationLabel, Counts>()
  #scripted = 0

  /** Calls by operation and status. */
  get calls(): ReadonlyMap<OperationLabel, ReadonlyMap<number, number>> {
    return new Map(Array.from(this.#counts, ([label, { statuses }]) => [label, statuses]))
  }

  get latencies(): ReadonlyMap<OperationLabel, Latency> {
    return new Map(Array.from(this.#counts, ([label, { latency }]) => [label, latency]))
  }

  /** Calls that a script entry was applied to. */
  get scripted(): number {
    return this.#scripted
  }

  /** All calls. */
  get total(): number {
    return [...this.#counts.values()].flatMap(({ statuses }) => [...statuses.values()]).reduce((sum, count) => sum + count, 0)
  }

  /** Counts a request that is over. */
  add({ operation, outcome: { status }, ms, action }: Exchange): void {
    const label = operation ?? 'none'
    const { statuses, latency } = this.#countsOf(label)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    let place = 0
    while (place < LATENCY_BOUNDS.length && ms > (LATENCY_BOUNDS[place] as number)) place++
    latency.buckets[place] = (latency.buckets[place] as number) + 1
    latency.sum += ms
    if (action !== null) this.#scripted++
  }

  clear(): void {
    this.#counts.clear()
    this.#scripted = 0
  }

  #countsOf(label: OperationLabel): Counts {
    const known = this.#counts.get(label)
    if (known !== undefined) return known
    const counts = { statuses: new Map(), latency: { buckets: [...LATENCY_BOUNDS.map(() => 0), 0], sum: 0 } }
    this.#counts.set(label, counts)
    return counts
  }
}
