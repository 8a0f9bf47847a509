/** The progress of long work. */

/** With what is done, how many are, and how many there are. */
export type Progress = (what: string, done: number, total: number) => void
const EVERY = 500

/** Now and then. */
export function reportProgress(
  progress: Progress | undefined,
  what: string,
  index: number,
  total: number
): void {
  if (index % EVERY === EVERY - 1) progress?.(what, index + 1, total)
}
