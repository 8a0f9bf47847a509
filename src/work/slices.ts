/** Long work in slices, between which other requests are served. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work in a turn of the event loop. */
const SLICE = 5

/** When the work of this turn began; null for none. */
let begun: number | null = null

/** Lets other requests continue after each slice. */
export async function pause(): Promise<void> {
  const now = performance.now()
  if (begun === null) {
    begun = now
    setImmediate(() => {
      begun = null
    })
  } else if (now - begun >= SLICE) await nextTurn()
}

export async function inSlices(steps: Iterator<unknown>): Promise<void> {
  while (!steps.next().done) await pause()
}
