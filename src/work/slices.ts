/** Long work in slices, between which other calls are answered. */
import { setImmediate } from 'node:timers/promises'

/** How long a slice takes, in milliseconds. */
const SLICE = 5

let begun = performance.now()

/** Lets other calls go on when none could for the length of a slice. */
export async function pause(): Promise<void> {
  if (performance.now() - begun < SLICE) return
  await setImmediate()
  begun = performance.now()
}

/** Goes through steps to their end. */
export async function inSlices(steps: Iterator<unknown>): Promise<void> {
  while (!steps.next().done) await pause()
}
