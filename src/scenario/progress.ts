/** The progress of long work. */

/** Is called with what is being done, how many are done, and how many there are in all. */
export type Progress = (what: string, done: number, total: number) => void
const EVERY = 500

/** Reports that the one with an index is done, now and then. */
export function reportProgress(
  progress: Progress | undefined,
  what: string,
  index: number,
  total: number
): void {
  if (index % EVERY === EVERY - 1) progress?.(what, index + 1, total)
}
