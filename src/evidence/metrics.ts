/** What the metrics of the process show of its calls. */
import type { OperationId } from '../reference/operations.js'
import type { JudgedCall } from './judged-call.js'

/** Upper bounds of the latency histogram, in milliseconds. */
export const LATENCY_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const
/** Calls by their latency; the last bucket holds those above every bound. `sum` is in milliseconds. */
export type Latency = { buckets: number[]; sum: number }
/** An operation, or `none` where the reference has none. */
export type OperationLabel = OperationId | 'none'

export class Metrics {
  readonly #calls = new Map<OperationLabel, Map<number, number>>()
  readonly #latencies = new Map<OperationLabel, Latency>()
  #scripted = 0

  /** Calls by operation and status. */
  get calls(): ReadonlyMap<OperationLabel, ReadonlyMap<number, number>> {
    return this.#calls
  }

  get latencies(): ReadonlyMap<OperationLabel, Latency> {
    return this.#latencies
  }

  /** Calls that a script entry acted on. */
  get scripted(): number {
    return this.#scripted
  }

  /** All calls. */
  get total(): number {
    return [...this.#calls.values()].flatMap(statuses => [...statuses.values()]).reduce((sum, count) => sum + count, 0)
  }

  count({ operation, status, ms, script }: Pick<JudgedCall, 'operation' | 'status' | 'ms' | 'script'>): void {
    const label = operation ?? 'none'
    const statuses = this.#calls.get(label) ?? new Map<number, number>()
    this.#calls.set(label, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    const latency = this.#latencies.get(label) ?? { buckets: new Array(LATENCY_BOUNDS.length + 1).fill(0), sum: 0 }
    const bucket = LATENCY_BOUNDS.findIndex(bound => ms <= bound)
    const place = bucket < 0 ? LATENCY_BOUNDS.length : bucket
    latency.buckets[place] = (latency.buckets[place] as number) + 1
    latency.sum += ms
    this.#latencies.set(label, latency)
    if (script !== null) this.#scripted++
  }
}
