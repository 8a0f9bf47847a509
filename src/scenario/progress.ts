/** The progress of long work. */

/** Takes it: what is done, how many of how many. */
export type Progress = (what: string, done: number, total: number) => void
const EVERY = 500

/** Reports that the one with an index is done, now and then. */
export function reportProgress(progress: Progress | undefined, what: string, index: number, total: number): void {
  if (index % EVERY === EVERY - 1) progress?.(what, index + 1, total)
}
