/** The memory of the process: whether there is room for more, measured and not estimated. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How the memory is measured and collected; times are in milliseconds, sizes in bytes. */
export type HeapMeter = {
  limit: number
  used: () => number
  collect: () => void
  now: () => number
}

/**
 * Shares of the limit: beyond the first there is room for small sandboxes alone, beyond the second
 * for none. The rest is for what requests need while they run.
 */
const HIGH = 0.75
const FULL = 0.85
/**
 * After what growth, as a share of the limit, and how long after the last time memory is collected
 * to know what of it is needed.
 */
const GROWTH = 0.05
const PAUSE = 1000

export type Room = 'free' | 'scarce' | 'none'

export class Heap {
  readonly #meter: HeapMeter
  /** What was in use after the last collection, and when that was. */
  #kept = 0
  #collected = Number.NEGATIVE_INFINITY

  constructor(meter: HeapMeter = processHeap()) {
    this.#meter = meter
  }

  /**
   * Whether there is room for more. What is in use may be garbage, so it is collected before room
   * is refused.
   */
  room(): Room {
    const { limit, used, collect, now } = this.#meter
    if (used() < HIGH * limit) return 'free'
    if (used() > this.#kept + GROWTH * limit || now() > this.#collected + PAUSE) {
      collect()
      this.#kept = used()
      this.#collected = now()
    }
    if (this.#kept < HIGH * limit) return 'free'
    return this.#kept < FULL * limit ? 'scarce' : 'none'
  }
}

/** That of this process. */
export function processHeap(): HeapMeter {
  let collect: (() => void) | undefined
  return {
    limit: getHeapStatistics().heap_size_limit,
    used: () => getHeapStatistics().used_heap_size,
    now: () => performance.now(),
    collect: () => {
      if (collect === undefined) {
        setFlagsFromString('--expose-gc')
        collect = runInNewContext('gc') as () => void
      }
      collect()
    }
  }
}
