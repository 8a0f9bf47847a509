/** Long work in slices, between which other requests are served. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long all work of a turn of the event loop may take, in milliseconds. */
const SLICE = 5

/** When the work of this turn began; null where none did. */
let begun: number | null = null

/** Lets other requests go on when none could for the length of a slice. */
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
