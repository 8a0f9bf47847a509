/** Long work in slices, between which other calls are answered. */
import { setImmediate } from 'node:timers/promises'

/** How long a slice takes, in milliseconds. */
const SLICE = 5

/** Goes through steps to their end. */
export async function inSlices(steps: Iterator<unknown>): Promise<void> {
  for (let begun = performance.now(); !steps.next().done; ) {
    if (performance.now() - begun < SLICE) continue
    await setImmediate()
    begun = performance.now()
  }
}

let lastPause = performance.now()

/** Lets other calls go on when none could for the length of a slice. */
export async function pause(): Promise<void> {
  if (performance.now() - lastPause < SLICE) return
  await setImmediate()
  lastPause = performance.now()
}
